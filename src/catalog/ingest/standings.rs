//! Who stands in the cohorts that inputs touch, kept in memory from one input to the next:
//! a new run is held against who stands there, and a cohort is ranked once a batch,
//! however many of its runs are new.

use std::collections::BTreeSet;

use rusqlite::Connection;

use crate::catalog::derive::{self, Changes, Kept, Run};
use crate::error::Result;
use kidx_queries::hash::Map;

/// Cohorts remembered after a batch; more than that are read again when they are met.
const REMEMBERED: usize = 20_000;

#[derive(Default)]
pub(super) struct Standings {
    cohorts: Map<i64, Cohort>,
    /// Cohorts in which another run stands than the file says.
    waiting: BTreeSet<i64>,
}

struct Cohort {
    standing: Vec<Run>,
    kept: Kept,
}

impl Standings {
    /// Offers a new run, about which nothing is doubted, to its cohort. Returns whether its
    /// implementation had a run there: one of the two doesn't stand now.
    pub(super) fn offer(
        &mut self,
        connection: &Connection,
        cohort: i64,
        run: Run,
        eligible: bool,
    ) -> Result<bool> {
        let known = match self.cohorts.entry(cohort) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => entry.insert(Cohort {
                standing: derive::standing_in(connection, cohort)?,
                kept: Kept::load(connection, cohort)?,
            }),
        };
        let rival = known
            .standing
            .iter_mut()
            .find(|rival| rival.implementation == run.implementation);
        let met = rival.is_some();
        match rival {
            _ if !eligible => return Ok(met),
            Some(rival) if derive::stands_before(&run, rival) => *rival = run,
            Some(_) => return Ok(met),
            None => known.standing.push(run),
        }
        self.waiting.insert(cohort);
        Ok(met)
    }

    /// Ranks the cohorts where other runs stand now and writes what that changes.
    pub(super) fn settle(&mut self, connection: &Connection, changes: &mut Changes) -> Result<()> {
        for cohort in std::mem::take(&mut self.waiting) {
            if let Some(known) = self.cohorts.get_mut(&cohort) {
                derive::place(
                    connection,
                    cohort,
                    &known.standing,
                    &mut known.kept,
                    changes,
                )?;
            }
        }
        if self.cohorts.len() > REMEMBERED {
            self.cohorts.clear();
        }
        Ok(())
    }

    /// Forgets cohorts that were ranked elsewhere. What waits must be settled before.
    pub(super) fn forget(&mut self, cohorts: impl IntoIterator<Item = i64>) {
        for cohort in cohorts {
            self.cohorts.remove(&cohort);
        }
    }

    /// Forgets everything: another process wrote.
    pub(super) fn forget_all(&mut self) {
        *self = Self::default();
    }
}
