//! Cohorts with every run in them: what rules look at.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::cohorts::{self, Cohort};
use crate::entities::Run;
use crate::error::Result;
use crate::view::View;

/// Cohorts in listing order, each with its runs by digest. What was retracted is decided
/// and not looked at.
pub(super) struct Board {
    cohorts: Vec<(Cohort, Vec<Run>)>,
}

impl Board {
    /// Some cohorts as a view has them.
    pub(super) fn load(connection: &Connection, ids: &[i64], view: &View) -> Result<Self> {
        let mut of: HashMap<i64, Vec<Run>> = HashMap::new();
        let mut cohorts = cohorts::load(connection, ids)?;
        for run in cohorts::runs_under(connection, ids, view, &cohorts)? {
            if !run.retracted {
                of.entry(run.cohort_id).or_default().push(run);
            }
        }
        cohorts.sort_by(Cohort::listing_order);
        let cohorts = cohorts
            .into_iter()
            .filter_map(|mut cohort| {
                let runs = of.remove(&cohort.id)?;
                let eligible = runs
                    .iter()
                    .filter(|run| cohorts::reasons(run, false).is_empty());
                cohort.standings = cohorts::rank(eligible.cloned().collect());
                Some((cohort, runs))
            })
            .collect();
        Ok(Self { cohorts })
    }

    /// The cohort of a run.
    pub(super) fn cohort(&self, at: (usize, usize)) -> &Cohort {
        &self.cohorts[at.0].0
    }

    /// A run.
    pub(super) fn run(&self, at: (usize, usize)) -> &Run {
        &self.cohorts[at.0].1[at.1]
    }

    /// All cohorts with their positions.
    pub(super) fn cohorts(&self) -> impl Iterator<Item = (usize, &Cohort)> {
        self.cohorts
            .iter()
            .enumerate()
            .map(|(at, (cohort, _))| (at, cohort))
    }

    /// All runs with their places and cohorts.
    pub(super) fn runs(&self) -> impl Iterator<Item = ((usize, usize), &Cohort, &Run)> {
        self.cohorts
            .iter()
            .enumerate()
            .flat_map(|(at, (cohort, runs))| {
                runs.iter()
                    .enumerate()
                    .map(move |(index, run)| ((at, index), cohort, run))
            })
    }

    /// The place of a run that stands in a cohort.
    pub(super) fn place(&self, cohort: usize, run: &Run) -> Option<(usize, usize)> {
        let index = self.cohorts[cohort]
            .1
            .iter()
            .position(|known| known.id == run.id)?;
        Some((cohort, index))
    }
}
