//! Records that need measuring again, the worst first. A record whose date is unknown
//! is one of them: nobody can say that it is fresh.

use std::cmp::Reverse;
use std::sync::Arc;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

use crate::age::{self, Age};
use crate::cohorts::{self, Cohort};
use crate::entities::{Environment, Hardware, Operation, Run, Workload};
use crate::error::Result;
use crate::filter::Selection;
use crate::metric::Amount;
use crate::policy::staleness::{self, Reason};
use crate::view::View;

/// Policies that decide this answer.
pub fn policies() -> Vec<&'static str> {
    use crate::policy::{eligibility, licence, ranking};
    vec![eligibility::ID, ranking::ID, staleness::ID, licence::ID]
}

/// A record that needs measuring again.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Stale {
    /// What is computed.
    pub operation: Arc<Operation>,
    /// With every axis bound.
    pub workload: Arc<Workload>,
    /// On what.
    pub hardware: Arc<Hardware>,
    /// Where.
    pub environment: Arc<Environment>,
    /// Who holds the record.
    pub implementation: String,
    /// Its latency.
    #[serde(flatten)]
    pub amount: Amount,
    /// Day it was observed; `null` is unknown.
    pub observed_on: Option<String>,
    /// How that day is known.
    pub observed_basis: Option<String>,
    /// Days since; `null` where the day is unknown.
    pub age_days: Option<i64>,
    /// Days after which it counts as stale.
    pub limit_days: u32,
    /// `true`, or `null` where it can't be told.
    pub stale: Option<bool>,
    /// Why, and what else speaks against its date.
    pub reasons: Vec<Reason>,
    /// `run:` + digest.
    pub run: String,
    /// Digest of the cohort.
    pub cohort: String,
    /// Source slug.
    pub source: Arc<str>,
    /// Licence of the data, SPDX; `null` is unknown.
    pub data_license: Option<Arc<str>>,
}

/// The records of a selection that are stale or undated. First those that are too old,
/// by age, then those whose workload the suite no longer has, then the undated;
/// `days` overrides each source's own limit.
pub fn stale(
    connection: &Connection,
    selection: &Selection,
    view: &View,
    days: Option<u32>,
) -> Result<Vec<Stale>> {
    let sources = age::Sources::load(connection, view)?;
    let mut items = Vec::new();
    for cohort in cohorts::standing(connection, selection, view)? {
        let Some(leader) = cohort
            .leader()
            .filter(|leader| selection.takes(&leader.run))
        else {
            continue;
        };
        let age = sources.age(view, &leader.run, &cohort, days);
        if age.stale != Some(false) {
            let limit = days.unwrap_or(leader.run.freshness_days);
            let run = leader.run.clone();
            items.push(item(cohort, &run, age, limit));
        }
    }
    items.sort_by_key(|item| urgency(item.stale, &item.reasons, item.age_days));
    Ok(items)
}

/// What is worse comes first; the sort is stable, so equals stay in listing order.
fn urgency(
    stale: Option<bool>,
    reasons: &[Reason],
    age_days: Option<i64>,
) -> (u8, Reverse<Option<i64>>) {
    let class = match stale {
        Some(_) if reasons.contains(&Reason::TooOld) => 0,
        Some(_) => 1,
        None => 2,
    };
    (class, Reverse(age_days))
}

fn item(cohort: Cohort, run: &Run, age: Age, limit_days: u32) -> Stale {
    Stale {
        implementation: run.implementation.name.clone(),
        amount: run.amount(),
        observed_on: run.observed_on(),
        observed_basis: run
            .observed
            .as_ref()
            .map(|(_, basis)| basis.as_str().to_owned()),
        age_days: age.age_days,
        limit_days,
        stale: age.stale,
        reasons: age.stale_reasons,
        run: run.id_text(),
        source: run.source.clone(),
        data_license: run.data_license.clone(),
        operation: cohort.operation,
        workload: cohort.workload,
        hardware: cohort.hardware,
        environment: cohort.environment,
        cohort: cohort.digest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_come_first() {
        let worst_first = [
            ("oldest", Some(true), vec![Reason::TooOld], Some(400)),
            (
                "old and superseded",
                Some(true),
                vec![Reason::TooOld, Reason::SuiteSuperseded],
                Some(300),
            ),
            ("old", Some(true), vec![Reason::TooOld], Some(181)),
            (
                "superseded",
                Some(true),
                vec![Reason::SuiteSuperseded],
                Some(90),
            ),
            (
                "new, superseded",
                Some(true),
                vec![Reason::SuiteSuperseded],
                Some(1),
            ),
            (
                "undated, superseded",
                Some(true),
                vec![Reason::SuiteSuperseded, Reason::NoDate],
                None,
            ),
            ("undated", None, vec![Reason::NoDate], None),
        ];
        let names = worst_first.clone().map(|(name, ..)| name);
        let mut shuffled = worst_first;
        shuffled.reverse();
        shuffled.sort_by_key(|(_, stale, reasons, age)| urgency(*stale, reasons, *age));
        assert_eq!(shuffled.map(|(name, ..)| name), names);
    }
}
