//! The staircase of a record: who held it, from when until when, by how much each step,
//! and why the former no longer does. Each cohort has its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

use crate::age::day;
use crate::cohorts::{self, Cohort};
use crate::entities::{Environment, Hardware, Operation, Protocol, Run, Workload};
use crate::error::{Error, Result};
use crate::filter::Selection;
use crate::lookup::{self, Subject};
use crate::metric::Amount;
use crate::policy::eligibility::Reason;
use crate::policy::four_decimals;
use crate::policy::history::{self, Change, Former};
use crate::policy::speedup;
use crate::show::choice;
use crate::show::standings::LeftOut;
use crate::view::View;

/// Policies that decide this answer.
pub fn policies() -> Vec<&'static str> {
    use crate::policy::{eligibility, interval, licence, ranking, trust};
    vec![
        history::ID,
        eligibility::ID,
        ranking::ID,
        interval::ID,
        speedup::ID,
        trust::ID,
        licence::ID,
    ]
}

/// Who held the record before a step.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Previous {
    /// Who.
    pub implementation: String,
    /// Its latency.
    #[serde(flatten)]
    pub amount: Amount,
    /// `run:` + digest.
    pub run: String,
    /// The newer run of its implementation that stands instead; `null` if it still stands.
    pub superseded_by: Option<String>,
}

/// A time during which one run held the record of a cohort.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Step {
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
    /// Day since which it holds; `null`: since before any known date.
    pub since: Option<String>,
    /// The same as precisely as it is known: a day or an instant.
    pub since_at: Option<String>,
    /// Day on which another took over; `null`: it holds on the day of the question.
    pub until: Option<String>,
    /// The same as precisely as it is known.
    pub until_at: Option<String>,
    /// Days it held, to the day of the question if it still does; `null` where the first
    /// day isn't known.
    pub days: Option<i64>,
    /// Who holds it.
    pub implementation: String,
    /// Its latency.
    #[serde(flatten)]
    pub amount: Amount,
    /// `±0.05`, in the unit that the latency reads best in; `null` without an interval.
    pub spread: Option<String>,
    /// `run:` + digest.
    pub run: String,
    /// Day the run was observed: earlier than `since` where it came to lead only when a
    /// faster one was superseded.
    pub observed_on: Option<String>,
    /// How that day is known.
    pub observed_basis: Option<String>,
    /// Why it holds instead of the former.
    pub change: Change,
    /// Who held it before; `null` at the first step.
    pub previous: Option<Previous>,
    /// The former's latency over this one's, four decimals: below 1 where the record
    /// became slower; `null` at the first step.
    pub gain: Option<f64>,
    /// Source slug.
    pub source: Arc<str>,
    /// Licence of the data, SPDX; `null` is unknown.
    pub data_license: Option<Arc<str>>,
}

/// How many runs a reason keeps out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ByReason {
    /// Why.
    pub reason: Reason,
    /// How many runs; one with several reasons counts for each.
    pub runs: usize,
}

/// A cohort of the workload, and its runs that made no step.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CohortLine {
    /// Digest of the cohort.
    pub cohort: String,
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
    /// Changes of the record.
    pub steps: usize,
    /// Runs that may hold it, those since superseded included.
    pub runs: usize,
    /// Of them, those that never did.
    pub never_held: usize,
    /// Runs that may not hold it, newest first.
    pub left_out: Vec<LeftOut>,
    /// How many each reason keeps out.
    pub left_out_by_reason: Vec<ByReason>,
}

/// What stands beside the steps.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Beside {
    /// The cohorts that the steps are of, in listing order, those without one included.
    pub cohorts: Vec<CohortLine>,
}

/// The staircases of what an id names: of an operation's workload (the suite's current
/// one, or those asked for) in every cohort that a selection takes, or of the cohort of
/// a run. Steps come by cohort in listing order, then by time; those whose holder the
/// selection doesn't take are left out.
///
/// # Errors
///
/// When the id names nothing, several things, or something that has no record.
pub fn history(
    connection: &Connection,
    id: &str,
    selection: &Selection,
    view: &View,
) -> Result<(Vec<Step>, Beside)> {
    let mut cohorts = subject(connection, id, selection, view)?;
    let selected = selection.cohorts(connection)?;
    cohorts.retain(|cohort| selected.contains(&cohort.id));
    cohorts.sort_by(Cohort::listing_order);
    let ids: Vec<i64> = cohorts.iter().map(|cohort| cohort.id).collect();
    let mut runs: BTreeMap<i64, Vec<Run>> = BTreeMap::new();
    for run in cohorts::runs_under(connection, &ids, view, &cohorts)? {
        runs.entry(run.cohort_id).or_default().push(run);
    }
    let mut steps = Vec::new();
    let mut lines = Vec::new();
    for cohort in &cohorts {
        // A cohort whose every run the view leaves out isn't part of it.
        let Some(runs) = runs.remove(&cohort.id) else {
            continue;
        };
        let (eligible, others): (Vec<Run>, Vec<Run>) = runs
            .into_iter()
            .partition(|run| cohorts::reasons(run, false).is_empty());
        let holders = staircase(&eligible);
        lines.push(line(cohort, &eligible, &holders, others));
        steps.extend(held(cohort, holders, view, selection));
    }
    Ok((steps, Beside { cohorts: lines }))
}

/// The cohorts that an id is about; who stands in them isn't filled in.
fn subject(
    connection: &Connection,
    id: &str,
    selection: &Selection,
    view: &View,
) -> Result<Vec<Cohort>> {
    match lookup::subject(connection, id)? {
        Subject::Operation {
            rows,
            workload: None,
        } if selection.names_workload() => {
            let mut all = Selection::default();
            all.operation = Some(rows);
            cohorts::load(connection, &all.cohorts(connection)?)
        }
        Subject::Operation { rows, workload } => {
            let (chosen, _) = choice::choose(connection, &rows, workload, view)?;
            chosen.all_cohorts(connection)
        }
        Subject::Run(row) => {
            let (_, cohort) = lookup::counted(connection, row)?;
            cohorts::load(connection, &[cohort])
        }
        Subject::Implementation(_) | Subject::Hardware(_) | Subject::Snapshot(_) => {
            Err(Error::Invalid(format!(
                "`{id}` has no record of its own: name an operation, a workload or a run"
            )))
        }
    }
}

/// A holder of the record, and how it came to hold it.
struct Holder {
    /// Since which instant; `None`: since before any known date.
    since: Option<String>,
    run: Run,
    change: Change,
    /// The former's newer run, if that is what ended its time.
    superseded_by: Option<String>,
}

/// Who leads after each instant at which an eligible run was observed, changes only.
fn staircase(eligible: &[Run]) -> Vec<Holder> {
    let at = |run: &Run| run.observed.as_ref().map(|observed| observed.0.clone());
    let mut instants: Vec<Option<String>> = eligible.iter().map(at).collect();
    instants.sort();
    instants.dedup();
    let mut holders: Vec<Holder> = Vec::new();
    for instant in instants {
        let seen = eligible.iter().filter(|run| at(run) <= instant).cloned();
        let standings = cohorts::rank(seen.collect());
        let Some(leader) = standings.first().map(|standing| &standing.run) else {
            continue;
        };
        let former = holders.last().map(|holder| &holder.run);
        if former.is_some_and(|former| former.id == leader.id) {
            continue;
        }
        // The run that stands for the former's implementation now.
        let own = former.and_then(|former| {
            let runs = standings.iter().map(|standing| &standing.run);
            runs.into_iter()
                .find(|run| run.implementation.digest == former.implementation.digest)
                .filter(|run| run.id != former.id)
        });
        let change = history::change(
            former.map(|former| Former {
                figure: former.figure(),
                stands: own.is_none(),
            }),
            &leader.figure(),
        );
        holders.push(Holder {
            since: instant,
            run: leader.clone(),
            change,
            superseded_by: own.map(Run::id_text),
        });
    }
    holders
}

fn line(cohort: &Cohort, eligible: &[Run], holders: &[Holder], mut others: Vec<Run>) -> CohortLine {
    let held = |run: &&Run| holders.iter().any(|holder| holder.run.id == run.id);
    others.sort_by(cohorts::stands_before);
    let mut by_reason: BTreeMap<Reason, usize> = BTreeMap::new();
    let mut left_out = Vec::new();
    for run in &others {
        let reasons = cohorts::reasons(run, false);
        for reason in &reasons {
            *by_reason.entry(reason.clone()).or_default() += 1;
        }
        left_out.push(LeftOut {
            run: run.id_text(),
            implementation: run.implementation.name.clone(),
            hardware: cohort.hardware.clone(),
            amount: run.amount(),
            observed_on: run.observed_on(),
            reasons,
        });
    }
    CohortLine {
        cohort: cohort.digest.clone(),
        operation: cohort.operation.clone(),
        workload: cohort.workload.clone(),
        hardware: cohort.hardware.clone(),
        environment: cohort.environment.clone(),
        protocol: cohort.protocol.clone(),
        steps: holders.len(),
        runs: eligible.len(),
        never_held: eligible.iter().filter(|run| !held(run)).count(),
        left_out,
        left_out_by_reason: by_reason
            .into_iter()
            .map(|(reason, runs)| ByReason { reason, runs })
            .collect(),
    }
}

/// The steps of a staircase whose holder the selection takes.
fn held(cohort: &Cohort, holders: Vec<Holder>, view: &View, selection: &Selection) -> Vec<Step> {
    let ends: Vec<Option<String>> = holders
        .iter()
        .skip(1)
        .map(|next| next.since.clone())
        .chain([None])
        .collect();
    let mut former: Option<Run> = None;
    let mut steps = Vec::new();
    for (holder, until) in holders.into_iter().zip(ends) {
        let before = former.replace(holder.run.clone());
        if selection.takes(&holder.run) {
            steps.push(step(cohort, holder, before.as_ref(), until, view));
        }
    }
    steps
}

fn step(
    cohort: &Cohort,
    holder: Holder,
    before: Option<&Run>,
    until: Option<String>,
    view: &View,
) -> Step {
    let run = &holder.run;
    let on = |instant: &Option<String>| instant.as_deref().and_then(day);
    let (first, last) = (on(&holder.since), on(&until));
    Step {
        operation: cohort.operation.clone(),
        workload: cohort.workload.clone(),
        hardware: cohort.hardware.clone(),
        environment: cohort.environment.clone(),
        protocol: cohort.protocol.clone(),
        cohort: cohort.digest.clone(),
        since: first.map(|day| day.to_string()),
        until: last.map(|day| day.to_string()),
        days: first.map(|first| (last.unwrap_or(view.as_of) - first).num_days()),
        until_at: until,
        implementation: run.implementation.name.clone(),
        amount: run.amount(),
        spread: run.spread(),
        run: run.id_text(),
        observed_on: run.observed_on(),
        observed_basis: run.observed.as_ref().map(|o| o.1.as_str().to_owned()),
        change: holder.change,
        gain: before
            .and_then(|before| speedup::speedup(&before.figure(), &run.figure()))
            .map(|gain| four_decimals(gain.ratio)),
        previous: before.map(|before| Previous {
            implementation: before.implementation.name.clone(),
            amount: before.amount(),
            run: before.id_text(),
            superseded_by: holder.superseded_by,
        }),
        source: run.source.clone(),
        data_license: run.data_license.clone(),
        since_at: holder.since,
    }
}
