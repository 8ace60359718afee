//! Which workload an operation's page is of, and which others its problem has.

use std::collections::HashMap;

use rusqlite::{Connection, Row, named_params};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cohorts::{self, Cohort};
use crate::entities::{Operation, Workload};
use crate::error::{Error, Result};
use crate::filter::Selection;
use crate::rows;
use crate::view::View;

/// Another workload of the same problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OtherWorkload {
    /// Suite version whose definitions apply; `null` where that isn't known.
    pub suite_version: Option<String>,
    /// Digest of the workload; `kidx show` takes it.
    pub digest: String,
    /// Its axes and dtype, or `shape unknown`.
    pub workload: String,
    /// Eligible runs, all environments.
    pub runs: usize,
}

/// A workload that the page might be of.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(super) operation_row: i64,
    pub(super) operation_digest: String,
    pub(super) published_digest: Option<String>,
    /// Commit of the suite that the definition is of.
    pub(super) commit: Option<String>,
    pub(super) operation: Operation,
    pub(super) level_key: String,
    pub(super) file: String,
    pub(super) facts: Option<String>,
    pub(super) is_current: bool,
    /// Whether which definition is meant was concluded from a name.
    pub(super) inferred: bool,
    pub(super) workload_row: i64,
    pub(super) workload: Workload,
    /// Cohorts with an eligible run, in the order of the page.
    pub(super) cohorts: Vec<Cohort>,
}

impl Candidate {
    /// Eligible runs, all environments.
    pub(super) fn runs(&self) -> usize {
        self.cohorts
            .iter()
            .map(|cohort| cohort.standings.len())
            .sum()
    }

    /// Every cohort of the workload, those without an eligible run included; who
    /// stands in them isn't filled in.
    pub(crate) fn all_cohorts(&self, connection: &Connection) -> Result<Vec<Cohort>> {
        let mut selection = Selection::default();
        selection.workload = Some(vec![self.workload_row]);
        cohorts::load(connection, &selection.cohorts(connection)?)
    }
}

/// The page's workload: the one asked for, else of the asked operations the suite's
/// current one with most eligible runs. The others of the problem come as versions.
pub(crate) fn choose(
    connection: &Connection,
    operations: &[i64],
    workload: Option<i64>,
    view: &View,
) -> Result<(Candidate, Vec<OtherWorkload>)> {
    let mut all = candidates(connection, operations, view)?;
    all.sort_by_key(|candidate| {
        (
            !candidate.is_current,
            std::cmp::Reverse(candidate.runs()),
            candidate.workload.digest.clone(),
        )
    });
    let at = all
        .iter()
        .position(|candidate| match workload {
            Some(row) => candidate.workload_row == row,
            None => operations.contains(&candidate.operation_row),
        })
        .ok_or_else(|| Error::Damaged("an operation has no workload".to_owned()))?;
    let chosen = all.remove(at);
    // Of a problem by its versions; of an operation that is stated in full by its axes.
    if !chosen.inferred {
        all.sort_by(|a, b| cohorts::by_axes(&a.workload, &b.workload));
    }
    let versions = all
        .into_iter()
        .map(|other| OtherWorkload {
            runs: other.runs(),
            suite_version: other.workload.suite_version,
            digest: other.workload.digest,
            workload: other.workload.summary,
        })
        .collect();
    Ok((chosen, versions))
}

fn candidates(connection: &Connection, operations: &[i64], view: &View) -> Result<Vec<Candidate>> {
    let mut statement = connection.prepare_cached(include_str!("problem_workloads.sql"))?;
    let mut rows = statement.query(named_params! {":operations": rows::json_array(operations)})?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(candidate(row)?);
    }
    let mut selection = Selection::default();
    selection.workload = Some(found.iter().map(|c| c.workload_row).collect());
    let mut by_workload: HashMap<i64, Vec<Cohort>> = HashMap::new();
    for cohort in cohorts::standing(connection, &selection, view)? {
        by_workload
            .entry(cohort.workload_id)
            .or_default()
            .push(cohort);
    }
    for candidate in &mut found {
        let mut cohorts = by_workload
            .remove(&candidate.workload_row)
            .unwrap_or_default();
        cohorts.sort_by_cached_key(page_order);
        candidate.cohorts = cohorts;
    }
    Ok(found)
}

/// Order of cohorts on a page: times before other metrics, then most eligible runs, then lowest latency; the digest
/// keeps equals in place.
fn page_order(cohort: &Cohort) -> impl Ord + use<> {
    (
        !cohort.metric.is_latency(),
        cohort.metric.key(),
        std::cmp::Reverse(cohort.standings.len()),
        cohort.leader().map(|leader| leader.run.figure().value),
        cohort.digest.clone(),
    )
}

fn candidate(row: &Row<'_>) -> Result<Candidate> {
    let shapes_known: bool = row.get("shapes_known")?;
    let published: Option<String> = row.get("published_commit")?;
    let of_version: Option<String> = row.get("commit_id")?;
    Ok(Candidate {
        operation_row: row.get("operation_id")?,
        operation_digest: row.get("operation_digest")?,
        published_digest: row.get("published_digest")?,
        commit: published.or(of_version).filter(|_| shapes_known),
        operation: rows::operation(row)?,
        level_key: row.get("level")?,
        file: row.get("file")?,
        facts: row.get("facts")?,
        is_current: row.get("is_current")?,
        inferred: row.get("inferred")?,
        workload_row: row.get("workload_id")?,
        workload: rows::workload(row)?,
        cohorts: Vec::new(),
    })
}
