//! Who stands where on an operation's page: records, ranks, implementations, and the
//! runs that don't count.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

use crate::age::Sources;
use crate::cohorts::{self, Cohort, Standing};
use crate::entities::{Environment, Hardware, Run};
use crate::error::Result;
use crate::metric::{Amount, Direction, Metric};
use crate::policy::eligibility::Reason;
use crate::policy::interval::Interval;
use crate::policy::trust::Trust;
use crate::policy::{Ns, two_decimals};
use crate::records;
use crate::view::View;

/// The current record of one cohort of the workload.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RecordLine {
    /// On what.
    pub hardware: Arc<Hardware>,
    /// Where.
    pub environment: Arc<Environment>,
    /// What is measured.
    pub metric: Arc<Metric>,
    /// The record.
    #[serde(flatten)]
    pub amount: Amount,
    /// Who holds it.
    pub implementation: String,
    /// Eligible runs in the cohort.
    pub runs: usize,
    /// Whether the designated baseline leads or ties with the leader.
    pub unbeaten: bool,
    /// Day the record was observed.
    pub observed_on: Option<String>,
    /// Whether it needs measuring again; `null` where that can't be told.
    pub stale: Option<bool>,
    /// The record's run.
    pub run: String,
    /// Digest of the cohort.
    pub cohort: String,
}

/// A run that stands in the headline's cohort.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Ranked {
    /// Dense rank.
    pub rank: u32,
    /// Whether another run shares the rank.
    pub tied: bool,
    /// Who computes.
    pub implementation: String,
    /// `baseline`, `reference` or `candidate`.
    pub role: String,
    /// Its project.
    pub project: String,
    /// The statistic's value.
    #[serde(flatten)]
    pub amount: Amount,
    /// 95 % interval; `null` where the source states too little.
    pub interval_ns: Option<Interval>,
    /// Half the interval's width; `null` without one.
    pub spread_ns: Option<Ns>,
    /// `±0.05`: the same in the unit that `latency_ns` reads best in.
    pub spread: Option<String>,
    /// Own latency over the leader's, two decimals.
    pub vs_first: Option<f64>,
    /// Baseline's latency over own, two decimals: above 1 is faster than the baseline;
    /// `null` where the cohort has none.
    pub vs_baseline: Option<f64>,
    /// How far it can be believed.
    pub trust: Trust,
    /// Licence of the published module and figures; `null` is unknown.
    pub license: Option<Arc<str>>,
    /// Licence of what ran.
    pub implementation_license: Option<Arc<str>>,
    /// Day it was observed.
    pub observed_on: Option<String>,
    /// How that day is known.
    pub observed_basis: Option<String>,
    /// Whether it needs measuring again; `null` where that can't be told.
    pub stale: Option<bool>,
    /// The run.
    pub run: String,
}

/// A run that doesn't stand.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LeftOut {
    /// The run.
    pub run: String,
    /// Who computes.
    pub implementation: String,
    /// On what.
    pub hardware: Arc<Hardware>,
    /// The statistic's value.
    #[serde(flatten)]
    pub amount: Amount,
    /// Day it was observed.
    pub observed_on: Option<String>,
    /// Why it doesn't stand.
    pub reasons: Vec<Reason>,
}

/// The best of each implementation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Implementations {
    /// What the best is taken over.
    pub scope: &'static str,
    /// One a line: baselines, then references, then candidates; by name.
    pub items: Vec<Best>,
}

/// The best of one implementation over the environments of a workload.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Best {
    /// Who.
    pub name: String,
    /// Its project.
    pub project: String,
    /// Language and interface.
    pub runtime: String,
    /// Its lowest latency.
    pub best_latency_ns: Option<Ns>,
    /// The same, of any metric.
    pub best: Amount,
    /// On what that was measured.
    pub best_hardware: Arc<Hardware>,
    /// Where.
    pub best_environment: Arc<Environment>,
    /// Over the lowest of all implementations, two decimals. The two may come from
    /// different environments.
    pub vs_best: Option<f64>,
    /// Over the leader of the cohort it was measured in, two decimals.
    pub vs_first_there: Option<f64>,
    /// How far it can be believed.
    pub evidence: Trust,
    /// Licence of the published module and figures; `null` is unknown.
    pub license: Option<Arc<str>>,
    /// Licence of what ran.
    pub implementation_license: Option<Arc<str>>,
}

/// The record of a cohort; `None` where nobody stands.
pub(super) fn record_line(cohort: &Cohort, view: &View, sources: &Sources) -> Option<RecordLine> {
    let run = &cohort.leader()?.run;
    Some(RecordLine {
        hardware: cohort.hardware.clone(),
        environment: cohort.environment.clone(),
        metric: Arc::clone(&cohort.metric),
        amount: run.amount(),
        implementation: run.implementation.name.clone(),
        runs: cohort.standings.len(),
        unbeaten: cohort.unbeaten(),
        observed_on: run.observed_on(),
        stale: sources.age(view, run, cohort, None).stale,
        run: run.id_text(),
        cohort: cohort.digest.clone(),
    })
}

/// The standings of a cohort, best first.
pub(super) fn ranking(cohort: &Cohort, view: &View, sources: &Sources) -> Vec<Ranked> {
    let Some(first) = cohort.leader() else {
        return Vec::new();
    };
    let baseline = cohort.baseline();
    let ranked = |standing: &Standing| {
        let run = &standing.run;
        let held = records::held(run);
        Ranked {
            rank: standing.rank,
            tied: standing.tied,
            role: run.implementation.role.clone(),
            vs_first: over(run, &first.run),
            vs_baseline: baseline.and_then(|baseline| records::ratio(baseline, run)),
            trust: run.trust(),
            license: run.license.clone(),
            implementation_license: run.implementation.license.clone(),
            observed_on: run.observed_on(),
            observed_basis: run.observed.as_ref().map(|o| o.1.as_str().to_owned()),
            stale: sources.age(view, run, cohort, None).stale,
            run: held.run,
            implementation: held.implementation,
            project: held.project,
            amount: held.amount.clone(),
            interval_ns: held.interval_ns,
            spread_ns: held.spread_ns,
            spread: held.spread,
        }
    };
    cohort.standings.iter().map(ranked).collect()
}

/// Runs of some cohorts that the view lets in and that don't stand, newest first: what
/// its own successor replaced, and what may not rank.
pub(super) fn left_out(
    connection: &Connection,
    of: &[Cohort],
    view: &View,
) -> Result<Vec<LeftOut>> {
    let ids: Vec<i64> = of.iter().map(|cohort| cohort.id).collect();
    let mut runs = cohorts::runs_under(connection, &ids, view, of)?;
    runs.sort_by(cohorts::stands_before);
    let left_out = runs.iter().filter_map(|run| {
        let cohort = of.iter().find(|cohort| cohort.id == run.cohort_id)?;
        let reasons = reasons(run, cohort);
        (!reasons.is_empty()).then(|| LeftOut {
            run: run.id_text(),
            implementation: run.implementation.name.clone(),
            hardware: cohort.hardware.clone(),
            amount: run.amount(),
            observed_on: run.observed_on(),
            reasons,
        })
    });
    Ok(left_out.collect())
}

/// Why a run doesn't stand in its cohort; empty: it does.
pub(super) fn reasons(run: &Run, cohort: &Cohort) -> Vec<Reason> {
    let stands = cohort
        .standings
        .iter()
        .any(|standing| standing.run.id == run.id);
    let against = cohorts::reasons(run, false);
    // A run that may not rank anyway isn't kept out by its successor.
    let superseded = !stands && against.is_empty();
    if superseded {
        cohorts::reasons(run, true)
    } else {
        against
    }
}

/// The best of each implementation over the cohorts of a workload.
pub(super) fn implementations(cohorts: &[Cohort]) -> Implementations {
    // Of the page's own metric: figures of two say nothing beside each other.
    let metric = cohorts.first().map(|cohort| &cohort.metric);
    let all = || {
        cohorts
            .iter()
            .filter(|cohort| Some(&cohort.metric) == metric)
            .flat_map(|cohort| cohort.standings.iter().map(move |s| (cohort, &s.run)))
    };
    let best = all()
        .map(|(_, run)| run)
        .min_by_key(|run| run.figure().value);
    let mut own: BTreeMap<_, (&Cohort, &Run)> = BTreeMap::new();
    for (cohort, run) in all() {
        let of = &run.implementation;
        let entry = own
            .entry((role_order(&of.role), &of.name, &of.digest))
            .or_insert((cohort, run));
        if run.figure().value < entry.1.figure().value {
            *entry = (cohort, run);
        }
    }
    let items = own.into_values().map(|(cohort, run)| Best {
        name: run.implementation.name.clone(),
        project: run.implementation.project.clone(),
        runtime: format!(
            "{} · {}",
            run.implementation.language, run.implementation.interface
        ),
        best_latency_ns: run.latency(),
        best: run.amount(),
        best_hardware: cohort.hardware.clone(),
        best_environment: cohort.environment.clone(),
        vs_best: best.and_then(|best| over(run, best)),
        vs_first_there: cohort.leader().and_then(|leader| over(run, &leader.run)),
        evidence: run.trust(),
        license: run.license.clone(),
        implementation_license: run.implementation.license.clone(),
    });
    Implementations {
        scope: "any environment of this workload",
        items: items.collect(),
    }
}

fn role_order(role: &str) -> u8 {
    match role {
        "baseline" => 0,
        "reference" => 1,
        _ => 2,
    }
}

/// How many times worse a run is than another, two decimals: its latency over the other's;
/// where more is better the other's figure over its own. `None` if that isn't positive.
pub(super) fn over(own: &Run, other: &Run) -> Option<f64> {
    let (own, other) = match own.metric.direction {
        Direction::Lower => (own, other),
        Direction::Higher => (other, own),
    };
    (other.value > 0).then(|| two_decimals(own.value as f64 / other.value as f64))
}
