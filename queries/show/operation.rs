//! The page of an operation. All its fields are of one workload.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::{Connection, named_params};
use schemars::JsonSchema;
use serde::Serialize;

use super::Options;
use super::choice::{self, Candidate, OtherWorkload};
use super::semantics::{self, Semantics};
use super::standings::{self, Implementations, LeftOut, Ranked, RecordLine};
use super::{suite, watch};
use crate::age::Sources;
use crate::cohorts::Cohort;
use crate::entities::{Environment, Hardware, Operation, Protocol, Run, Workload};
use crate::error::Result;
use crate::floors;
use crate::policy::coverage;
use crate::policy::floor::Floor;
use crate::policy::trust::Trust;
use crate::records::{self, Held};
use crate::view::View;

/// An operation, described.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Described {
    /// What is computed.
    #[serde(flatten)]
    pub operation: Operation,
    /// The same in a sentence.
    pub description: String,
}

/// Who leads the first cohort of the page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Headline {
    /// `Source baseline` where the designated baseline leads, else `Fastest <trust>`.
    pub label: String,
    /// Whether the baseline leads or ties with the leader.
    pub unbeaten: bool,
    /// The record.
    #[serde(flatten)]
    pub held: Held,
    /// Licence of the published module and figures; `null` is unknown.
    pub license: Option<Arc<str>>,
    /// Licence of what ran.
    pub implementation_license: Option<Arc<str>>,
    /// Baseline over record, two decimals; `null` where the baseline itself leads, or
    /// where there is none.
    pub speedup_vs_baseline: Option<f64>,
    /// Implementations that share the first rank.
    pub tied_with: Vec<String>,
}

/// What the headline rests on.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EvidenceLine {
    /// How far it can be believed.
    pub level: Trust,
    /// Day it was observed.
    pub observed_on: Option<String>,
    /// How that day is known.
    pub observed_basis: Option<String>,
    /// Package that installs it; `null`: none is known.
    pub package: Option<String>,
    /// Module that defines the operation; `null` where that isn't known.
    pub source_url: Option<String>,
    /// What to keep in mind, a sentence each.
    pub caveats: Vec<&'static str>,
}

/// What the headline's cohort has in common.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Context {
    /// On what.
    pub hardware: Arc<Hardware>,
    /// Where.
    pub environment: Arc<Environment>,
    /// What is computed, every axis bound.
    pub workload: Arc<Workload>,
    /// How it was timed.
    pub protocol: Arc<Protocol>,
    /// Eligible runs in it.
    pub results: usize,
    /// Day of the newest of them.
    pub observed_on: Option<String>,
    /// Digest of the cohort.
    pub cohort: String,
}

/// What the operation is, apart from its names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Identity {
    /// Content digest of the operation.
    pub digest: String,
    /// The identity that the published index gives it; `null` where that has none.
    pub published_digest: Option<String>,
    /// Newest commit of the suite with this definition; `null` where that isn't known.
    pub commit: Option<String>,
}

/// A source of the page's figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceLine {
    /// Display name.
    pub name: String,
    /// Newest observation among the page's runs.
    pub observed_on: Option<String>,
    /// Licence of the data; `null` is unknown.
    pub license: Option<Arc<str>>,
    /// Short name.
    pub slug: String,
    /// Where it is published.
    pub home: String,
    /// Whom to name when figures are passed on.
    pub attribution: String,
}

/// The page of an operation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OperationPage {
    /// What is computed.
    pub operation: Described,
    /// With every axis bound.
    pub workload: Workload,
    /// Other workloads of the same problem.
    pub versions: Vec<OtherWorkload>,
    /// Eligible runs of this workload, all environments.
    pub eligible_runs: usize,
    /// The first of `records`; `null` where no run is eligible.
    pub headline: Option<Headline>,
    /// What it rests on.
    pub evidence: Option<EvidenceLine>,
    /// One a cohort: most runs, then lowest latency.
    pub records: Vec<RecordLine>,
    /// Watched hardware without an eligible run of this workload.
    pub not_measured_on: Vec<String>,
    /// What the headline's cohort has in common.
    pub context: Option<Context>,
    /// Lower bound for the headline; an estimate. `null` where shapes are unknown.
    pub floor: Option<Floor>,
    /// The headline's cohort, best first.
    pub ranking: Vec<Ranked>,
    /// Runs of the headline's cohort (without one: of the workload) that don't stand,
    /// newest first.
    pub superseded: Vec<LeftOut>,
    /// The best of each implementation.
    pub implementations: Implementations,
    /// What goes in and comes out; `null` where shapes are unknown.
    pub semantics: Option<Semantics>,
    /// What it is, apart from its names.
    pub identity: Identity,
    /// Where the figures are from.
    pub sources: Vec<SourceLine>,
    /// What else bears on reading the page, a sentence each.
    pub notes: Vec<&'static str>,
}

/// The page of the operations that share an id, or of one of their workloads.
pub(super) fn page(
    connection: &Connection,
    operations: &[i64],
    workload: Option<i64>,
    view: &View,
    options: &Options,
) -> Result<OperationPage> {
    let watched = watch::watched(connection, &options.watch)?;
    let (of, versions) = choice::choose(connection, operations, workload, view)?;
    let ages = Sources::load(connection, view)?;
    let measured: Vec<&str> = of
        .cohorts
        .iter()
        .filter_map(|cohort| cohort.hardware.family.as_deref())
        .collect();
    let gaps = coverage::not_measured_on(&watched, &measured);
    let first = of.cohorts.first();
    let leader = first.and_then(|cohort| Some((cohort, &cohort.leader()?.run)));
    Ok(OperationPage {
        headline: leader.map(|(cohort, run)| headline(cohort, run)),
        evidence: leader.map(|(_, run)| evidence(&of, run)),
        records: of
            .cohorts
            .iter()
            .filter_map(|cohort| standings::record_line(cohort, view, &ages))
            .collect(),
        not_measured_on: gaps.into_iter().map(|gap| gap.label.clone()).collect(),
        context: first.map(context),
        floor: match leader {
            Some((cohort, run)) => floors::floor(connection, cohort, run, options.floor)?,
            None => None,
        },
        ranking: first.map_or_else(Vec::new, |cohort| standings::ranking(cohort, view, &ages)),
        superseded: match first {
            Some(cohort) => standings::left_out(connection, std::slice::from_ref(cohort), view)?,
            None => standings::left_out(connection, &of.all_cohorts(connection)?, view)?,
        },
        implementations: standings::implementations(&of.cohorts),
        semantics: of.facts.as_deref().map(semantics::semantics).transpose()?,
        sources: sources(connection, &of.cohorts)?,
        notes: notes(&of),
        eligible_runs: of.runs(),
        operation: Described {
            description: suite::description(&of),
            operation: of.operation,
        },
        workload: of.workload,
        versions,
        identity: Identity {
            digest: of.operation_digest,
            published_digest: of.published_digest,
            commit: of.commit,
        },
    })
}

fn headline(cohort: &Cohort, run: &Run) -> Headline {
    let baseline = cohort.baseline().filter(|_| !run.is_baseline());
    Headline {
        label: if run.is_baseline() {
            "Source baseline".to_owned()
        } else {
            format!("Fastest {}", run.trust().as_str())
        },
        unbeaten: cohort.unbeaten(),
        held: records::held(run),
        license: run.license.clone(),
        implementation_license: run.implementation.license.clone(),
        speedup_vs_baseline: baseline.and_then(|baseline| records::ratio(baseline, run)),
        tied_with: cohort
            .standings
            .iter()
            .filter(|standing| standing.rank == 1 && standing.run.id != run.id)
            .map(|standing| standing.run.implementation.name.clone())
            .collect(),
    }
}

fn evidence(of: &Candidate, run: &Run) -> EvidenceLine {
    let level = run.trust();
    let caveats = [
        (
            run.is_baseline(),
            "This is the baseline that the source itself names.",
        ),
        (
            level == Trust::Reported,
            "The source reports it; nobody reproduced it.",
        ),
        (!run.software_known, "Software versions aren't stated."),
        (!run.protocol_known, "How it was timed isn't known in full."),
    ];
    EvidenceLine {
        level,
        observed_on: run.observed_on(),
        observed_basis: run.observed.as_ref().map(|o| o.1.as_str().to_owned()),
        package: None,
        source_url: of.commit.as_deref().and_then(|commit| {
            suite::module_url(&of.operation.suite, commit, &of.level_key, &of.file)
        }),
        caveats: caveats
            .into_iter()
            .filter_map(|(holds, caveat)| holds.then_some(caveat))
            .collect(),
    }
}

fn context(cohort: &Cohort) -> Context {
    Context {
        hardware: cohort.hardware.clone(),
        environment: cohort.environment.clone(),
        workload: cohort.workload.clone(),
        protocol: cohort.protocol.clone(),
        results: cohort.standings.len(),
        observed_on: newest(cohort.standings.iter().map(|standing| &standing.run)),
        cohort: cohort.digest.clone(),
    }
}

fn newest<'a>(runs: impl Iterator<Item = &'a Run>) -> Option<String> {
    runs.filter_map(Run::observed_on).max()
}

fn sources(connection: &Connection, cohorts: &[Cohort]) -> Result<Vec<SourceLine>> {
    let mut runs: BTreeMap<&str, Vec<&Run>> = BTreeMap::new();
    for standing in cohorts.iter().flat_map(|cohort| &cohort.standings) {
        let run = &standing.run;
        runs.entry(&run.source).or_default().push(run);
    }
    let slugs = serde_json::to_string(&runs.keys().collect::<Vec<_>>())?;
    let mut statement = connection.prepare_cached(include_str!("sources.sql"))?;
    let mut rows = statement.query(named_params! {":slugs": slugs})?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let slug: String = row.get("slug")?;
        let own = runs
            .get(slug.as_str())
            .map(Vec::as_slice)
            .unwrap_or_default();
        found.push(SourceLine {
            name: row.get("name")?,
            observed_on: newest(own.iter().copied()),
            license: own.first().and_then(|run| run.data_license.clone()),
            home: row.get("home")?,
            attribution: row.get("attribution")?,
            slug,
        });
    }
    Ok(found)
}

fn notes(of: &Candidate) -> Vec<&'static str> {
    let known = of.workload.shapes_known;
    let notes = [
        (
            !known && !of.inferred,
            "Its source states no shapes of tensors, so there is no floor.",
        ),
        (
            !known && of.inferred,
            "Shape unknown: which definition was timed isn't known, so these runs compare with \
             each other only and have no floor.",
        ),
        (
            known && !of.is_current,
            "The suite has another definition of this problem today.",
        ),
        (
            of.cohorts.is_empty(),
            "No eligible run of this workload in this view.",
        ),
    ];
    notes
        .into_iter()
        .filter_map(|(holds, note)| holds.then_some(note))
        .collect()
}
