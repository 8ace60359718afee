//! What speedups are held against.

use rusqlite::Connection;

use crate::cohorts::{self, Cohort};
use crate::entities::Run;
use crate::error::{Error, Result};
use crate::lookup;
use crate::view::View;

/// Words for the two baselines that people name most, and what they mean.
const WORDS: [(&str, &str); 2] = [
    ("eager", "pytorch-eager"),
    ("compile", "torch-compile-inductor"),
];

/// The word for the best of a cohort's baseline and references.
const BEST: &str = "best";

/// What runs are held against.
#[derive(Debug, Clone)]
pub enum Baseline {
    /// The baseline that the source designates.
    Designated,
    /// In each cohort the fastest of its baseline and references.
    Best,
    /// The standing run of implementations of one name (digests).
    Named(Vec<String>),
    /// One run, in its own cohort.
    Run(Box<Run>),
}

impl Baseline {
    /// The baseline that a user names: `eager`, `compile`, `best`, an implementation or
    /// `run:…`; without a name the designated one.
    pub fn find(connection: &Connection, asked: Option<&str>, view: &View) -> Result<Self> {
        let Some(asked) = asked else {
            return Ok(Self::Designated);
        };
        if let Some(prefix) = asked.strip_prefix("run:") {
            let row = lookup::run(connection, asked, prefix)?;
            return run(connection, asked, row, view).map(|run| Self::Run(Box::new(run)));
        }
        if asked.eq_ignore_ascii_case(BEST) {
            return Ok(Self::Best);
        }
        let known = WORDS
            .iter()
            .find(|(word, _)| asked.eq_ignore_ascii_case(word));
        let name = known.map_or(asked, |(_, slug)| *slug);
        match lookup::implementations(connection, name) {
            Ok(digests) => Ok(Self::Named(digests)),
            Err(Error::Unknown { near, .. }) => Err(Error::Unknown {
                what: "baseline",
                value: asked.to_owned(),
                near: near.into_iter().chain([BEST.to_owned()]).collect(),
            }),
            Err(error) => Err(error),
        }
    }

    /// The stable name of the choice.
    pub const fn choice(&self) -> &'static str {
        match self {
            Self::Designated => "designated",
            Self::Best => "best",
            Self::Named(_) => "implementation",
            Self::Run(_) => "run",
        }
    }

    /// Its run in a cohort.
    pub(super) fn of<'a>(&'a self, cohort: &'a Cohort) -> Option<&'a Run> {
        match self {
            Self::Designated => cohort.baseline(),
            Self::Best => fastest(cohort, |run| run.implementation.role != "candidate"),
            Self::Named(digests) => {
                fastest(cohort, |run| digests.contains(&run.implementation.digest))
            }
            Self::Run(run) => (run.cohort_id == cohort.id).then_some(&**run),
        }
    }

    /// Whether a baseline's own run is a comparison: under `best` it is one, a tie, since
    /// who is best differs from cohort to cohort.
    pub(super) const fn counts_itself(&self) -> bool {
        matches!(self, Self::Best)
    }
}

fn fastest(cohort: &Cohort, takes: impl Fn(&Run) -> bool) -> Option<&Run> {
    let runs = cohort.standings.iter().map(|standing| &standing.run);
    runs.filter(|run| takes(run))
        .min_by_key(|run| (run.figure().value, &run.digest))
}

/// A run that may be compared: part of the view, and nothing but a successor against it.
fn run(connection: &Connection, asked: &str, row: i64, view: &View) -> Result<Run> {
    let (row, cohort) = lookup::counted(connection, row)?;
    let of = cohorts::load(connection, &[cohort])?;
    let run = cohorts::runs_under(connection, &[cohort], view, &of)?
        .into_iter()
        .find(|run| run.id == row)
        .ok_or_else(|| {
            Error::Invalid(format!(
                "`{asked}` can't be the baseline: this view doesn't have it"
            ))
        })?;
    let against: Vec<String> = cohorts::reasons(&run, false)
        .iter()
        .map(ToString::to_string)
        .collect();
    if against.is_empty() {
        Ok(run)
    } else {
        Err(Error::Invalid(format!(
            "`{asked}` can't be the baseline: {}",
            against.join(" ")
        )))
    }
}
