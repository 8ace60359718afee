//! The page of a run: what it states, what that counts for, and every place that says
//! so.

use std::sync::Arc;

use rusqlite::{Connection, named_params};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::marks::{self, Doubt, Event};
use super::provenance::{self, Licence, Publisher, ReadingFacts};
use super::{Options, standings, suite};
use crate::age::{Age, Sources};
use crate::audit::{self, marks::Mark};
use crate::cohorts::{self, Cohort};
use crate::entities::{Environment, Hardware, Implementation, Operation, Protocol, Run, Workload};
use crate::error::{Error, Result};
use crate::floors;
use crate::metric::{Amount, Metric};
use crate::policy::Ns;
use crate::policy::eligibility::Reason;
use crate::policy::floor::Floor;
use crate::policy::interval::Interval;
use crate::policy::trust::Trust;
use crate::records;
use crate::view::View;

/// The figures of a run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Figures {
    /// Metric, statistic and unit.
    pub metric: Arc<Metric>,
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
    /// The source's printing hides ± this much.
    pub resolution_ns: Option<Ns>,
    /// The same in the metric's unit.
    pub resolution: f64,
    /// Population standard deviation of the trials.
    pub std_ns: Option<Ns>,
    /// Fastest trial.
    pub min_ns: Option<Ns>,
    /// Slowest trial.
    pub max_ns: Option<Ns>,
    /// `mean`.
    pub statistic: String,
    /// Trials behind it.
    pub samples: Option<u32>,
}

/// What a run counts for in its cohort.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Place {
    /// Digest of the cohort.
    pub cohort: String,
    /// Eligible runs in it.
    pub runs: usize,
    /// Dense rank; `null` where it doesn't stand.
    pub rank: Option<u32>,
    /// Whether another run shares the rank.
    pub tied: bool,
    /// Why it doesn't stand; empty: it does.
    pub reasons: Vec<Reason>,
    /// The run that leads; `null` where none is eligible.
    pub leader: Option<String>,
    /// Own latency over the leader's, two decimals.
    pub vs_first: Option<f64>,
    /// Baseline's latency over own, two decimals; `null` without a baseline.
    pub vs_baseline: Option<f64>,
}

/// A place that states the run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SightingLine {
    /// The run as this place has it: this one, or a copy of it.
    pub run: String,
    /// Digest of the bytes.
    pub snapshot: String,
    /// JSON pointer of the record.
    pub pointer: String,
    /// Line of the record, from 1.
    pub line: Option<i64>,
    /// Device string as stated or declared.
    pub hardware: String,
    /// The source's own text of each figure.
    pub stated: Map<String, Value>,
    /// How the bytes were read and where they were met.
    #[serde(flatten)]
    pub reading: ReadingFacts,
}

/// The page of a run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RunPage {
    /// `run:` + digest.
    pub run: String,
    /// `passed` …
    pub status: String,
    /// What it states.
    pub figures: Figures,
    /// Who computes.
    pub implementation: Arc<Implementation>,
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
    /// What it counts for.
    pub place: Place,
    /// Lower bound, and the run held against it; an estimate.
    pub floor: Option<Floor>,
    /// Day it was observed: strongest basis among the sightings, then earliest.
    pub observed_on: Option<String>,
    /// How that day is known.
    pub observed_basis: Option<String>,
    /// Age and whether it needs measuring again.
    #[serde(flatten)]
    pub age: Age,
    /// How far it can be believed.
    pub trust: Trust,
    /// Who published it, and on which terms.
    pub source: Publisher,
    /// Licence of what ran.
    pub implementation_license: Licence,
    /// Module that defines the operation; `null` where that isn't known.
    pub module_url: Option<String>,
    /// Runs that state the same place in the same bytes under other names: this run,
    /// once more.
    pub copies: Vec<String>,
    /// Contradictions with the rest of the file.
    pub doubts: Vec<Doubt>,
    /// What the audit says about it, its file and its problem.
    pub marks: Vec<Mark>,
    /// What was decided about it later.
    pub events: Vec<Event>,
    /// Every place that states it.
    pub sightings: Vec<SightingLine>,
    /// What else bears on reading the page, a sentence each.
    pub notes: Vec<String>,
}

/// The page of a run; a copy's is that of the run it repeats.
pub(super) fn page(
    connection: &Connection,
    row: i64,
    view: &View,
    options: &Options,
) -> Result<RunPage> {
    let about = About::load(connection, row)?;
    let mut of = cohorts::load(connection, &[about.cohort])?;
    let runs = cohorts::runs_under(connection, &[about.cohort], view, &of)?;
    let Some(mut cohort) = of.pop() else {
        return Err(Error::Damaged(format!("no cohort {}", about.cohort)));
    };
    let Some(run) = runs.iter().find(|run| run.id == about.id).cloned() else {
        return Err(Error::Invalid(format!(
            "`{}` isn't part of this view: it was observed after {}, learned later, or has no \
             figure",
            about.asked, view.as_of
        )));
    };
    let eligible = runs
        .into_iter()
        .filter(|run| cohorts::reasons(run, false).is_empty());
    cohort.standings = cohorts::rank(eligible.collect());
    let held = records::held(&run);
    let mut notes = Vec::new();
    if about.is_copy {
        notes.push(format!(
            "{} states the same place in the same bytes under other names, so it counts as \
             this run.",
            about.asked
        ));
    }
    if !cohort.workload.shapes_known {
        notes.push("Shape unknown: which definition was timed isn't known.".to_owned());
    }
    let ns = |parts: Option<i64>| parts.filter(|_| run.metric.is_latency()).map(Ns::from_ps);
    Ok(RunPage {
        run: held.run,
        status: run.status.clone(),
        figures: Figures {
            metric: Arc::clone(&cohort.metric),
            amount: held.amount.clone(),
            interval_ns: held.interval_ns,
            interval: held.interval,
            spread_ns: held.spread_ns,
            spread: held.spread,
            resolution_ns: ns(Some(run.resolution)),
            resolution: run.metric.value(run.resolution),
            std_ns: ns(run.std),
            min_ns: ns(run.min),
            max_ns: ns(run.max),
            statistic: held.statistic,
            samples: held.samples,
        },
        place: place(&run, &cohort),
        floor: floors::floor(connection, &cohort, &run, options.floor)?,
        observed_on: run.observed_on(),
        observed_basis: run.observed.as_ref().map(|o| o.1.as_str().to_owned()),
        age: Sources::load(connection, view)?.age(view, &run, &cohort, None),
        trust: run.trust(),
        module_url: about
            .suite_commit
            .filter(|_| cohort.workload.shapes_known)
            .and_then(|commit| {
                let suite = &cohort.operation.suite;
                suite::module_url(suite, &commit, &cohort.level_key, &cohort.file)
            }),
        source: about.source,
        implementation_license: about.implementation_license,
        copies: marks::copies(connection, run.id)?,
        doubts: marks::doubts(connection, run.id)?,
        marks: audit::marks::of_run(connection, run.id, &cohort, view)?,
        events: marks::events(connection, run.id, view)?,
        sightings: sightings(connection, run.id, view)?,
        notes,
        implementation: run.implementation,
        operation: cohort.operation,
        workload: cohort.workload,
        hardware: cohort.hardware,
        environment: cohort.environment,
        protocol: cohort.protocol,
    })
}

fn place(run: &Run, cohort: &Cohort) -> Place {
    let own = cohort
        .standings
        .iter()
        .find(|standing| standing.run.id == run.id);
    let leader = cohort.leader();
    Place {
        cohort: cohort.digest.clone(),
        runs: cohort.standings.len(),
        rank: own.map(|standing| standing.rank),
        tied: own.is_some_and(|standing| standing.tied),
        reasons: standings::reasons(run, cohort),
        leader: leader.map(|leader| leader.run.id_text()),
        vs_first: leader.and_then(|leader| standings::over(run, &leader.run)),
        vs_baseline: cohort
            .baseline()
            .and_then(|baseline| records::ratio(baseline, run)),
    }
}

/// What a run's row says beyond its figures.
struct About {
    id: i64,
    cohort: i64,
    asked: String,
    is_copy: bool,
    suite_commit: Option<String>,
    source: Publisher,
    implementation_license: Licence,
}

impl About {
    fn load(connection: &Connection, row: i64) -> Result<Self> {
        let mut statement = connection.prepare_cached(include_str!("run.sql"))?;
        Ok(
            statement.query_row(named_params! {":measurement": row}, |row| {
                Ok(Self {
                    id: row.get("id")?,
                    cohort: row.get("cohort_id")?,
                    asked: row.get("asked")?,
                    is_copy: row.get("is_copy")?,
                    suite_commit: row.get("suite_commit")?,
                    source: Publisher::read(row)?,
                    implementation_license: row
                        .get::<_, Option<String>>("implementation_license")?
                        .into(),
                })
            })?,
        )
    }
}

fn sightings(connection: &Connection, run: i64, view: &View) -> Result<Vec<SightingLine>> {
    let mut statement = connection.prepare_cached(include_str!("sightings.sql"))?;
    let mut rows = statement.query(named_params! {":measurement": run})?;
    let mut places = Vec::new();
    while let Some(row) = rows.next()? {
        places.push((
            row.get::<_, i64>("reading_id")?,
            row.get("run")?,
            row.get("snapshot")?,
            row.get("pointer")?,
            row.get("line")?,
            row.get("hardware")?,
            serde_json::from_str(row.get_ref("stated")?.as_str().unwrap_or("{}"))?,
        ));
    }
    let ids: Vec<i64> = places.iter().map(|place| place.0).collect();
    let readings = provenance::readings(connection, &ids, view)?;
    let line = |(reading, run, snapshot, pointer, line, hardware, stated)| {
        // A reading learned after the view's instant isn't known to it.
        let (_, reading) = readings.iter().find(|(id, _)| *id == reading)?;
        Some(SightingLine {
            run,
            snapshot,
            pointer,
            line,
            hardware,
            stated,
            reading: reading.clone(),
        })
    };
    Ok(places.into_iter().filter_map(line).collect())
}
