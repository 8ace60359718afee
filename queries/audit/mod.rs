//! Figures that can't be right or shouldn't be trusted as they stand, by rule, each with
//! what was seen and what it was held against (`audit-v1`).
//!
//! Rules are always applied to the whole file, since many of them hold a run against
//! others; a selection only says which findings are wanted.

mod across;
mod board;
mod evidence;
mod files;
pub mod marks;
pub mod runs;

use std::collections::HashSet;
use std::sync::Arc;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;

use crate::entities::{Environment, Hardware, Operation, Workload};
use crate::error::Result;
use crate::filter::Selection;
use crate::metric::Amount;
use crate::policy::audit::{self as policy, Code, RULES, Severity};
use crate::policy::{doubt, eligibility, interval, roofline};
use crate::units;
use crate::view::View;
use board::Board;
use evidence::Evidence;

/// Policies that decide this answer.
pub fn policies() -> Vec<&'static str> {
    vec![
        policy::ID,
        eligibility::ID,
        interval::ID,
        roofline::ID,
        doubt::unit::ID,
        doubt::shape::ID,
    ]
}

/// A figure of a finding: the value for programs and the text for people.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Seen {
    /// What it is a figure of.
    pub what: String,
    /// The figure; `null` where it is words.
    pub value: Option<Number>,
    /// `ns`, `ratio`, `GB/s`, `runs`; empty for words.
    pub unit: &'static str,
    /// As people read it.
    pub text: String,
    /// The run it is of, where that is another one.
    pub run: Option<String>,
}

impl Seen {
    fn time(what: impl Into<String>, ps: i64) -> Self {
        Self {
            what: what.into(),
            value: Some(units::nanoseconds(ps)),
            unit: "ns",
            text: units::latency(ps),
            run: None,
        }
    }

    fn ratio(what: impl Into<String>, ratio: f64) -> Self {
        Self {
            what: what.into(),
            value: Number::from_f64(crate::policy::four_decimals(ratio)),
            unit: "ratio",
            text: units::ratio(ratio),
            run: None,
        }
    }

    fn words(what: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            value: None,
            unit: "",
            text: text.into(),
            run: None,
        }
    }

    fn of(self, run: String) -> Self {
        Self {
            run: Some(run),
            ..self
        }
    }
}

/// Where a run is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Place {
    /// Digest of the bytes.
    pub snapshot: String,
    /// Folder that held the file.
    pub folder: Option<String>,
    /// File name.
    pub file: Option<String>,
    /// JSON pointer of the record.
    pub pointer: String,
    /// Line of the record, from 1.
    pub line: Option<i64>,
}

/// That somebody looked at a finding and let it stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Acknowledged {
    /// Why.
    pub reason: String,
    /// When.
    pub at: String,
}

/// One finding, about one run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Finding {
    /// Code of the rule.
    pub rule: Code,
    /// How grave it is.
    pub severity: Severity,
    /// A few words.
    pub title: &'static str,
    /// `run:` + digest of the run, or of one of the runs that it is about.
    pub run: String,
    /// Who computed.
    pub implementation: String,
    /// The run's latency.
    #[serde(flatten)]
    pub amount: Amount,
    /// Whether the run leads its cohort.
    pub holds_record: bool,
    /// What is computed.
    pub operation: Arc<Operation>,
    /// With every axis bound.
    pub workload: Arc<Workload>,
    /// On what.
    pub hardware: Arc<Hardware>,
    /// Where.
    pub environment: Arc<Environment>,
    /// Digest of the cohort.
    pub cohort: String,
    /// What was seen.
    pub saw: Seen,
    /// What that was held against.
    pub against: Seen,
    /// One over the other; `null` where they are no figures.
    pub factor: Option<f64>,
    /// A place that states the run.
    pub place: Option<Place>,
    /// Day the run was observed.
    pub observed_on: Option<String>,
    /// Source slug.
    pub source: Arc<str>,
    /// Licence of the data.
    pub data_license: Option<Arc<str>>,
    /// What to do.
    pub advice: &'static str,
    /// Who let it stand; `null`: nobody.
    pub acknowledged: Option<Acknowledged>,
}

/// How much a rule found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Count {
    /// Code of the rule.
    pub rule: Code,
    /// How grave its findings are.
    pub severity: Severity,
    /// Findings in the selection, however grave findings were asked for.
    pub found: usize,
    /// Of them acknowledged.
    pub acknowledged: usize,
}

/// What stands beside the findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Beside {
    /// Every rule that was applied.
    pub rules: Vec<Count>,
}

/// Which findings are wanted.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Only of these rules; empty: all.
    pub rules: Vec<Code>,
    /// At least this grave.
    pub least: Option<Severity>,
}

/// What a finding tells beyond its own run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Nothing.
    Run,
    /// As much about another run, by row.
    Pair(i64),
    /// About all runs on a product in a reading; rows.
    Reading(i64, Option<i64>),
    /// About every run of an operation, by row.
    Operation(i64),
}

/// A finding before what names it is filled in.
struct Draft {
    code: Code,
    /// Cohort and run, as the board counts them.
    at: (usize, usize),
    saw: Seen,
    against: Seen,
    factor: Option<f64>,
    reach: Reach,
}

/// What a selection's findings are, the gravest first.
pub fn audit(
    connection: &Connection,
    selection: &Selection,
    view: &View,
    options: &Options,
) -> Result<(Vec<Finding>, Beside)> {
    let everything = Selection::default().cohorts(connection)?;
    let board = Board::load(connection, &everything, view)?;
    let wanted: HashSet<i64> = selection.cohorts(connection)?.into_iter().collect();
    let applied = |code: Code| options.rules.is_empty() || options.rules.contains(&code);
    let mut drafts = drafts(connection, &board, view)?;
    drafts.retain(|draft| {
        let run = board.run(draft.at);
        applied(draft.code) && wanted.contains(&run.cohort_id) && selection.takes(run)
    });
    let evidence = Evidence::load(connection, &board, &drafts, view)?;
    let mut findings: Vec<Finding> = drafts
        .into_iter()
        .map(|draft| finding(&board, &evidence, draft))
        .collect();
    let rules = RULES
        .iter()
        .filter(|rule| applied(rule.code))
        .map(|rule| {
            let of = || findings.iter().filter(|found| found.rule == rule.code);
            Count {
                rule: rule.code,
                severity: rule.severity,
                found: of().count(),
                acknowledged: of().filter(|found| found.acknowledged.is_some()).count(),
            }
        })
        .collect();
    findings.retain(|found| options.least.is_none_or(|least| found.severity >= least));
    Ok((findings, Beside { rules }))
}

/// Everything that the rules find on a board: by rule, then in the order of listings.
fn drafts(connection: &Connection, board: &Board, view: &View) -> Result<Vec<Draft>> {
    let mut drafts = runs::drafts(connection, board)?;
    drafts.extend(across::drafts(board));
    drafts.extend(files::drafts(connection, board, view)?);
    drafts.sort_by(|a, b| {
        (a.code, a.at.0)
            .cmp(&(b.code, b.at.0))
            .then_with(|| board.run(a.at).digest.cmp(&board.run(b.at).digest))
    });
    Ok(drafts)
}

fn finding(board: &Board, evidence: &Evidence, draft: Draft) -> Finding {
    let (cohort, run) = (board.cohort(draft.at), board.run(draft.at));
    let rule = draft.code.rule();
    Finding {
        rule: rule.code,
        severity: rule.severity,
        title: rule.title,
        run: run.id_text(),
        implementation: run.implementation.name.clone(),
        amount: run.amount(),
        holds_record: cohort
            .leader()
            .is_some_and(|leader| leader.run.id == run.id),
        operation: cohort.operation.clone(),
        workload: cohort.workload.clone(),
        hardware: cohort.hardware.clone(),
        environment: cohort.environment.clone(),
        cohort: cohort.digest.clone(),
        factor: draft.factor.map(crate::policy::four_decimals),
        saw: draft.saw,
        against: draft.against,
        place: evidence.place(run.id),
        observed_on: run.observed_on(),
        source: run.source.clone(),
        data_license: run.data_license.clone(),
        advice: rule.advice,
        acknowledged: evidence.acknowledged(run.id, rule.code),
    }
}
