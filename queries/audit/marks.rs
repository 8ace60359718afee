//! What the audit says about one run, for its page.

use std::collections::HashSet;

use rusqlite::{Connection, named_params};
use schemars::JsonSchema;
use serde::Serialize;

use super::board::Board;
use super::evidence::Evidence;
use super::{Acknowledged, Draft, Reach, Seen};
use crate::cohorts::Cohort;
use crate::error::Result;
use crate::policy::audit::{Code, Severity};
use crate::rows;
use crate::view::View;

/// A finding as the page of its run tells it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Mark {
    /// Code of the rule.
    pub rule: Code,
    /// How grave it is.
    pub severity: Severity,
    /// A few words.
    pub title: &'static str,
    /// What was seen.
    pub saw: Seen,
    /// What that was held against.
    pub against: Seen,
    /// Who let it stand; `null`: nobody.
    pub acknowledged: Option<Acknowledged>,
}

/// Everything found about a run, or about its file or problem. The board is that of its
/// product's family and its files: no rule looks further.
pub fn of_run(
    connection: &Connection,
    run: i64,
    cohort: &Cohort,
    view: &View,
) -> Result<Vec<Mark>> {
    let mut statement = connection.prepare_cached(include_str!("kin_cohorts.sql"))?;
    let kin = statement
        .query_map(named_params! {":cohort": cohort.id, ":run": run}, |row| {
            row.get("id")
        })?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    let board = Board::load(connection, &kin, view)?;
    let readings = readings(connection, run)?;
    let mut drafts = super::drafts(connection, &board, view)?;
    let product = cohort.hardware.id.as_str();
    drafts.retain(|draft| {
        board.run(draft.at).id == run
            || match draft.reach {
                Reach::Run => false,
                Reach::Pair(other) => other == run,
                Reach::Reading(reading, on) => {
                    readings.contains(&reading)
                        && (on.is_none() || board.cohort(draft.at).hardware.id == product)
                }
                Reach::Operation(operation) => operation == cohort.operation_id,
            }
    });
    let evidence = Evidence::load(connection, &board, &drafts, view)?;
    Ok(drafts
        .into_iter()
        .map(|draft| mark(&evidence, run, draft))
        .collect())
}

fn mark(evidence: &Evidence, run: i64, draft: Draft) -> Mark {
    let rule = draft.code.rule();
    Mark {
        rule: rule.code,
        severity: rule.severity,
        title: rule.title,
        saw: draft.saw,
        against: draft.against,
        acknowledged: evidence.acknowledged(run, rule.code),
    }
}

fn readings(connection: &Connection, run: i64) -> Result<HashSet<i64>> {
    let mut statement = connection.prepare_cached(include_str!("run_readings.sql"))?;
    let rows = statement.query_map(named_params! {":runs": rows::json_array(&[run])}, |row| {
        row.get("reading_id")
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
