//! Each implementation against a baseline: by cohort, and in aggregate by level, by
//! family and overall. Latencies are only compared within a cohort.

pub mod aggregate;
pub mod baseline;

use std::collections::BTreeSet;
use std::sync::Arc;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

pub use aggregate::{Aggregate, By};
pub use baseline::Baseline;

use crate::cohorts::{self, Cohort};
use crate::entities::{Environment, Hardware, Operation, Protocol, Run, Workload};
use crate::error::Result;
use crate::filter::Selection;
use crate::metric::Amount;
use crate::policy::fast_p::{self, Outcome};
use crate::policy::four_decimals;
use crate::policy::speedup::{self, Speedup};
use crate::view::View;

/// Policies that decide this answer.
pub fn policies() -> Vec<&'static str> {
    use crate::policy::{eligibility, interval, licence, ranking};
    vec![
        eligibility::ID,
        ranking::ID,
        interval::ID,
        speedup::ID,
        fast_p::ID,
        licence::ID,
    ]
}

/// A run, as one side of a comparison.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Side {
    /// Who computes.
    pub implementation: String,
    /// Its latency.
    #[serde(flatten)]
    pub amount: Amount,
    /// `±0.05`, in the unit that the latency reads best in; `null` without an interval.
    pub spread: Option<String>,
    /// Day it was observed.
    pub observed_on: Option<String>,
    /// `run:` + digest.
    pub run: String,
}

/// An implementation against the baseline of its cohort.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Comparison {
    /// What is computed.
    pub operation: Arc<Operation>,
    /// With every axis bound.
    pub workload: Arc<Workload>,
    /// On what.
    pub hardware: Arc<Hardware>,
    /// Where.
    pub environment: Arc<Environment>,
    /// How both were timed.
    pub protocol: Arc<Protocol>,
    /// Digest of the cohort.
    pub cohort: String,
    /// The run compared.
    pub own: Side,
    /// What it is held against.
    pub baseline: Side,
    /// Baseline over own, four decimals: above 1 is faster than the baseline.
    pub speedup: f64,
    /// Range that noise and rounding of both leave, four decimals; `null` where one of
    /// them states no interval.
    pub speedup_interval: Option<[f64; 2]>,
    /// `tie` where the two can't be told apart within noise and rounding.
    pub outcome: Outcome,
    /// Source slug of the run compared.
    pub source: Arc<str>,
    /// Licence of its data, SPDX; `null` is unknown.
    pub data_license: Option<Arc<str>>,
}

/// Why a cohort has nothing to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Why {
    /// The baseline has no eligible run in it.
    NoBaseline,
    /// Nothing that the filters let in stands beside the baseline.
    OnlyBaseline,
}

/// Cohorts without a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Excluded {
    /// Why.
    pub reason: Why,
    /// How many.
    pub cohorts: usize,
}

/// What runs were held against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Against {
    /// `designated`, `best`, `implementation` or `run`.
    pub choice: &'static str,
    /// Who that was, by name.
    pub implementations: BTreeSet<String>,
}

/// What stands beside the comparisons: what they were made against, their aggregates,
/// and what couldn't be compared.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Beside {
    /// What runs were held against.
    pub baseline: Against,
    /// Over everything compared, whatever part of it is listed: by level, by family, and
    /// of all.
    pub aggregates: Vec<Aggregate>,
    /// Cohorts that have nothing to compare; reasons that don't occur are left out.
    pub excluded: Vec<Excluded>,
}

/// The comparisons that a selection names, in listing order, and what stands beside them.
pub fn speedups(
    connection: &Connection,
    selection: &Selection,
    view: &View,
    baseline: &Baseline,
) -> Result<(Vec<Comparison>, Beside)> {
    let mut comparisons = Vec::new();
    let mut groups = aggregate::Groups::new(connection)?;
    let mut names = BTreeSet::new();
    let mut without = [(Why::NoBaseline, 0), (Why::OnlyBaseline, 0)];
    for cohort in cohorts::standing(connection, selection, view)? {
        let runs = || cohort.standings.iter().map(|standing| &standing.run);
        let taken = || runs().filter(|run| selection.takes(run));
        let Some(base) = baseline.of(&cohort) else {
            for run in taken() {
                groups.without_baseline(&cohort, run);
            }
            without[0].1 += usize::from(taken().next().is_some());
            continue;
        };
        let alone = runs().all(|run| run.id == base.id);
        let compared = |run: &&Run| run.id != base.id || (baseline.counts_itself() && !alone);
        let pairs: Vec<(&Run, Speedup)> = taken()
            .filter(compared)
            .filter_map(|run| Some((run, speedup::speedup(&base.figure(), &run.figure())?)))
            .collect();
        groups.with_baseline(&cohort);
        if pairs.is_empty() {
            without[1].1 += 1;
            continue;
        }
        names.insert(base.implementation.name.clone());
        for (run, speedup) in pairs {
            groups.compared(&cohort, run, speedup);
            comparisons.push(comparison(&cohort, base, run, &speedup));
        }
    }
    let beside = Beside {
        baseline: Against {
            choice: baseline.choice(),
            implementations: names,
        },
        aggregates: groups.aggregates(),
        excluded: without
            .into_iter()
            .filter(|(_, cohorts)| *cohorts > 0)
            .map(|(reason, cohorts)| Excluded { reason, cohorts })
            .collect(),
    };
    Ok((comparisons, beside))
}

fn comparison(cohort: &Cohort, base: &Run, own: &Run, speedup: &Speedup) -> Comparison {
    Comparison {
        operation: cohort.operation.clone(),
        workload: cohort.workload.clone(),
        hardware: cohort.hardware.clone(),
        environment: cohort.environment.clone(),
        protocol: cohort.protocol.clone(),
        cohort: cohort.digest.clone(),
        own: side(own),
        baseline: side(base),
        speedup: four_decimals(speedup.ratio),
        speedup_interval: speedup.interval.map(|ends| ends.map(four_decimals)),
        outcome: Outcome::of(speedup),
        source: own.source.clone(),
        data_license: own.data_license.clone(),
    }
}

fn side(run: &Run) -> Side {
    Side {
        implementation: run.implementation.name.clone(),
        amount: run.amount(),
        spread: run.spread(),
        observed_on: run.observed_on(),
        run: run.id_text(),
    }
}
