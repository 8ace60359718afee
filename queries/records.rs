//! The current record of every cohort: who leads, by how much, how sure, how old, under
//! which licence, how far from the floor.

use std::sync::Arc;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

use crate::age::{self, Age};
use crate::audit;
use crate::cohorts::{self, Cohort};
use crate::entities::{Environment, Hardware, Operation, Protocol, Run, Workload};
use crate::error::Result;
use crate::filter::Selection;
use crate::floors::{self, FloorPolicy};
use crate::metric::{Amount, Metric};
use crate::policy::Ns;
use crate::policy::audit::Code;
use crate::policy::audit::weak::{self, Weak};
use crate::policy::floor::Floor;
use crate::policy::interval::Interval;
use crate::policy::speedup;
use crate::policy::trust::Trust;
use crate::view::View;

/// Policies that decide this answer.
pub fn policies(floor: FloorPolicy) -> Vec<&'static str> {
    use crate::policy::{audit, eligibility, interval, licence, ranking, staleness, trust};
    vec![
        eligibility::ID,
        ranking::ID,
        interval::ID,
        speedup::ID,
        staleness::ID,
        trust::ID,
        licence::ID,
        floor.id(),
        audit::ID,
    ]
}

/// The figure that leads a cohort.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Held {
    /// `run:` + digest.
    pub run: String,
    /// Who holds it.
    pub implementation: String,
    /// Its project.
    pub project: String,
    /// Its language.
    pub language: String,
    /// The statistic's value.
    #[serde(flatten)]
    pub amount: Amount,
    /// 95 % interval; `null` where the source states too little.
    pub interval_ns: Option<Interval>,
    /// The same in the metric's unit, for any metric.
    pub interval: Option<[f64; 2]>,
    /// Half the interval's width; `null` without one.
    pub spread_ns: Option<Ns>,
    /// `±0.05`: the same in the unit that `latency_ns` reads best in.
    pub spread: Option<String>,
    /// `mean`.
    pub statistic: String,
    /// Trials behind it.
    pub samples: Option<u32>,
}

/// The designated baseline of a cohort.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Baseline {
    /// Who.
    pub implementation: String,
    /// Its value.
    #[serde(flatten)]
    pub amount: Amount,
}

/// A record.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Record {
    /// What is computed.
    pub operation: Arc<Operation>,
    /// With every axis bound.
    pub workload: Arc<Workload>,
    /// On what.
    pub hardware: Arc<Hardware>,
    /// Where.
    pub environment: Arc<Environment>,
    /// How it was timed.
    pub protocol: Arc<Protocol>,
    /// Digest of the cohort.
    pub cohort: String,
    /// What is measured.
    pub metric: Arc<Metric>,
    /// The run that leads.
    pub record: Held,
    /// Implementations that share its rank.
    pub tied_with: Vec<String>,
    /// The designated baseline; `null` if the cohort has none.
    pub baseline: Option<Baseline>,
    /// Baseline over record, two decimals; `null` without baseline.
    pub speedup: Option<f64>,
    /// Whether the baseline itself leads or ties with the leader.
    pub unbeaten: bool,
    /// Eligible runs in the cohort.
    pub runs: usize,
    /// Day the record was observed.
    pub observed_on: Option<String>,
    /// How that day is known.
    pub observed_basis: Option<String>,
    /// Age and whether it needs measuring again.
    #[serde(flatten)]
    pub age: Age,
    /// Licence of the published module and figures; `null` is unknown.
    pub license: Option<Arc<str>>,
    /// Licence of what ran.
    pub implementation_license: Option<Arc<str>>,
    /// Licence of the data.
    pub data_license: Option<Arc<str>>,
    /// How far it can be believed.
    pub trust: Trust,
    /// Source slug.
    pub source: Arc<str>,
    /// Lower bound; `null` where shapes are unknown.
    pub floor: Option<Floor>,
    /// Audit rules that find something about the run, or its problem, without looking
    /// beyond the cohort; `kidx audit` applies all of them.
    pub marks: Vec<Code>,
}

/// Options of the question.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Which floor.
    pub floor: FloorPolicy,
    /// Age limit in days; `None`: each source's own.
    pub days: Option<u32>,
    /// Leave out the rules that a floor follows from.
    pub terse: bool,
}

/// The records that a selection names, in listing order.
pub fn records(
    connection: &Connection,
    selection: &Selection,
    view: &View,
    options: Options,
) -> Result<Vec<Record>> {
    let sources = age::Sources::load(connection, view)?;
    let weak = weak::known()?;
    let cohorts = cohorts::leading(connection, selection, view)?;
    let mut records = Vec::with_capacity(cohorts.len());
    for cohort in cohorts {
        if cohort
            .leader()
            .is_some_and(|leader| selection.takes(&leader.run))
        {
            records.extend(record(connection, cohort, view, options, &sources, &weak)?);
        }
    }
    Ok(records)
}

fn record(
    connection: &Connection,
    cohort: Cohort,
    view: &View,
    options: Options,
    sources: &age::Sources,
    weak: &[Weak],
) -> Result<Option<Record>> {
    let Some(leader) = cohort.leader() else {
        return Ok(None);
    };
    let run = &leader.run;
    let baseline = cohort.baseline();
    let floor = match options.floor {
        FloorPolicy::RooflineV2 if options.terse => floors::figures(&cohort, run),
        policy => floors::floor(connection, &cohort, run, policy)?,
    };
    let marks = match options.floor {
        FloorPolicy::RooflineV2 => audit::runs::codes(&cohort, run, floor.as_ref(), weak),
        FloorPolicy::HeadroomV1 => {
            audit::runs::codes(&cohort, run, floors::figures(&cohort, run).as_ref(), weak)
        }
    };
    Ok(Some(Record {
        record: held(run),
        tied_with: cohort
            .standings
            .iter()
            .skip(1)
            .filter(|standing| standing.rank == leader.rank)
            .map(|standing| standing.run.implementation.name.clone())
            .collect(),
        baseline: baseline.map(|baseline| Baseline {
            implementation: baseline.implementation.name.clone(),
            amount: baseline.amount(),
        }),
        speedup: baseline.and_then(|baseline| ratio(baseline, run)),
        unbeaten: cohort.unbeaten(),
        runs: cohort.eligible,
        observed_on: run.observed_on(),
        observed_basis: run.observed.as_ref().map(|o| o.1.as_str().to_owned()),
        age: sources.age(view, run, &cohort, options.days),
        license: run.license.clone(),
        implementation_license: run.implementation.license.clone(),
        data_license: run.data_license.clone(),
        trust: run.trust(),
        source: run.source.clone(),
        floor,
        marks,
        cohort: cohort.digest,
        metric: cohort.metric,
        operation: cohort.operation,
        workload: cohort.workload,
        hardware: cohort.hardware,
        environment: cohort.environment,
        protocol: cohort.protocol,
    }))
}

/// A run as the holder of a record.
pub fn held(run: &Run) -> Held {
    let interval = run.interval();
    Held {
        run: run.id_text(),
        implementation: run.implementation.name.clone(),
        project: run.implementation.project.clone(),
        language: run.implementation.language.clone(),
        amount: run.amount(),
        interval_ns: interval.filter(|_| run.metric.is_latency()),
        interval: interval.map(|interval| run.metric.interval(interval)),
        spread_ns: interval
            .filter(|_| run.metric.is_latency())
            .map(|interval| Ns::from_ps(interval.half_width())),
        spread: run.spread(),
        statistic: run.metric.statistic.clone(),
        samples: run.samples,
    }
}

/// Baseline over own, two decimals.
pub fn ratio(baseline: &Run, own: &Run) -> Option<f64> {
    speedup::speedup(&baseline.figure(), &own.figure())
        .map(|speedup| crate::policy::two_decimals(speedup.ratio))
}
