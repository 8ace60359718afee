//! One input, one transaction: the bytes, how they were read, and every run they state.

mod input;
mod reading;
mod report;
mod rows;

use std::collections::BTreeSet;

use kidx_importers::{Declared, Reading, Source};
use kidx_queries::policy::observation::Basis;
use rusqlite::Connection;

use super::derive::{self, Changes, Touched};
use super::suite::{self, Belonging, Question};
use super::{doubts, identity, snapshot};
use crate::error::Result;
use rows::{Rows, Shared};

pub use input::{Incoming, Ingested, Outcome, Revision, State};
pub use reading::stated;

/// Takes inputs of one source, one after the other.
pub struct Ingest<'a> {
    importer: String,
    declared: &'a Declared,
    learned_at: &'a str,
    rows: Rows<'a>,
    /// Changes of records over all inputs taken so far.
    pub changes: Changes,
}

/// What writing a reading's runs did.
struct Written {
    /// Runs whose standing is to be decided again.
    touched: Touched,
    /// Cohorts of all its runs, known ones included: another reading of a known run
    /// may lift or bring a doubt.
    cohorts: BTreeSet<i64>,
    /// Runs that were new.
    fresh: BTreeSet<i64>,
    /// Whether the reading itself is new.
    is_new: bool,
}

impl<'a> Ingest<'a> {
    /// Prepares taking inputs of `source` under the declared facts.
    pub fn new(
        connection: &Connection,
        source: &'static Source,
        declared: &'a Declared,
        learned_at: &'a str,
    ) -> Result<Self> {
        Ok(Self {
            importer: format!("{}/1", source.slug),
            declared,
            learned_at,
            rows: Rows::new(connection, source, declared)?,
            changes: Changes::default(),
        })
    }

    /// Writes one input inside the caller's transaction. After an error the transaction
    /// must be rolled back and this value dropped: it remembers rows that are gone then.
    pub fn take(
        &mut self,
        connection: &Connection,
        incoming: &Incoming<'_>,
        reading: &Reading,
    ) -> Result<Ingested> {
        let sha256 = identity::sha256(incoming.content);
        let known = snapshot::find(connection, &sha256)?;
        let first_met = match known {
            Some(id) => report::first_location(connection, id)?,
            None => None,
        };
        let snapshot_id = match known {
            Some(id) => id,
            None => snapshot::store(connection, &sha256, incoming.content)?,
        };
        let committed = match &incoming.revision {
            Some(revision) => self.committed_version(connection, revision)?,
            None => None,
        };
        let belonging = self.belonging(connection, reading, committed.as_deref())?;
        let assumptions: Vec<String> = reading
            .assumptions
            .iter()
            .cloned()
            .chain(belonging.statement.clone())
            .collect();
        let source = self.rows.source(connection)?;
        let kept = reading::Kept {
            snapshot: snapshot_id,
            source,
            importer: &self.importer,
            declared: self.declared,
            committed_version: committed.as_deref(),
            suite_version: belonging.version.as_deref(),
            assumptions: &assumptions,
            learned_at: self.learned_at,
        };
        let (reading_id, is_new) = reading::put(connection, &kept, incoming, reading)?;
        let new_origin = reading::put_origin(connection, reading_id, incoming, self.learned_at)?;
        let (observed, redated) = derive::date_reading(connection, reading_id)?;
        let is_copy = first_met
            .as_ref()
            .is_some_and(|location| new_origin && location != incoming.location);

        let mut written = Written {
            touched: Touched::default(),
            cohorts: BTreeSet::new(),
            fresh: BTreeSet::new(),
            is_new,
        };
        if is_new {
            let shared = Shared {
                source,
                protocol: Rows::protocol(connection, &reading.protocol)?,
                belonging: &belonging,
                provider: reading.provider.as_deref(),
                observed: &observed,
            };
            self.write_runs(connection, reading_id, reading, &shared, &mut written)?;
        } else if redated {
            for (run, cohort) in report::runs_of(connection, reading_id)? {
                redate(connection, run, cohort, &mut written.touched)?;
            }
        }

        let mut issues = reading.issues.clone();
        let changes = derive_again(connection, snapshot_id, &mut written, &mut issues)?;
        let mut fallen = changes.superseded.clone();
        if !is_copy {
            fallen.extend(&written.fresh);
        }
        let superseded = report::superseded_among(connection, &fallen)?;
        self.remember(&changes);
        // In the history of one repository a second path is a move; elsewhere it may be one
        // machine's figures taken for another's.
        if is_copy && !incoming.is_moved_from(first_met.as_deref()) {
            issues.push(report::copy_warning(
                &sha256,
                first_met.as_deref(),
                incoming,
            ));
        }
        if let (Some(told), Some(kept)) = (&incoming.observed, &observed)
            && told.1 == Basis::Declared
            && told != kept
        {
            issues.push(report::date_kept(&told.0, &kept.0));
        }
        let gone = if is_new && !is_copy {
            report::gone(connection, reading_id, &observed)?
        } else {
            0
        };
        let mut inserted = 0;
        for run in &written.fresh {
            if !is_copy && report::copy_of(connection, *run)?.is_none() {
                inserted += 1;
            }
        }
        let runs = reading.observations.len() as u64;
        Ok(Ingested {
            sha256,
            outcome: if is_copy {
                Outcome::Copy
            } else {
                Outcome::Imported
            },
            copy_of: if is_copy { first_met } else { None },
            inserted,
            unchanged: runs - inserted,
            rejected: reading.records.saturating_sub(runs),
            superseded,
            gone,
            observed,
            suite_version: belonging.version,
            assumptions,
            issues,
        })
    }

    /// The version of the problems at the commit that brought the bytes.
    fn committed_version(
        &mut self,
        connection: &Connection,
        revision: &Revision,
    ) -> Result<Option<String>> {
        match &revision.problems {
            State::Unknown => Ok(None),
            State::Version(name) => Ok(Some(name.clone())),
            State::Defined(definitions) => {
                let known = self.rows.suite.versions().len();
                let suite = &mut self.rows.suite;
                let on = revision.authored_at.get(..10).unwrap_or_default();
                let version = suite.of(connection, definitions, &revision.commit, on)?;
                if suite.versions().len() > known {
                    suite::name_again(connection, suite, &version)?;
                }
                Ok(Some(version))
            }
        }
    }

    fn belonging(
        &mut self,
        connection: &Connection,
        reading: &Reading,
        committed: Option<&str>,
    ) -> Result<Belonging> {
        suite::belonging(
            connection,
            &mut self.rows.products,
            &self.rows.suite,
            &Question {
                reading,
                declared: self.declared.suite_version.as_deref(),
                committed,
            },
        )
    }

    fn write_runs(
        &mut self,
        connection: &Connection,
        reading_id: i64,
        reading: &Reading,
        shared: &Shared<'_>,
        written: &mut Written,
    ) -> Result<()> {
        for issue in &reading.issues {
            reading::put_issue(connection, reading_id, issue)?;
        }
        for (ordinal, observation) in reading.observations.iter().enumerate() {
            let put = self.rows.run(connection, shared, observation)?;
            reading::put_sighting(connection, reading_id, ordinal, put.run, observation)?;
            written.cohorts.insert(put.cohort);
            if put.is_new {
                written.fresh.insert(put.run);
                written.touched.add_new(put.cohort, put.run);
            } else {
                if put.is_coarser {
                    written.touched.add_all(put.cohort);
                }
                redate(connection, put.run, put.cohort, &mut written.touched)?;
            }
        }
        Ok(())
    }

    fn remember(&mut self, changes: &Changes) {
        for cohort in &changes.broken {
            if !self.changes.set.contains(cohort) {
                self.changes.broken.insert(*cohort);
            }
        }
        self.changes.set.extend(&changes.set);
        self.changes.superseded.extend(&changes.superseded);
    }
}

/// Dates a known run again, and the run that it is a copy of.
fn redate(connection: &Connection, run: i64, cohort: i64, touched: &mut Touched) -> Result<()> {
    if derive::date_run(connection, run)? {
        touched.add_all(cohort);
    }
    if let Some(original) = report::copy_of(connection, run)?
        && derive::date_run(connection, original)?
    {
        touched.add_all(report::cohort_of(connection, original)?);
    }
    Ok(())
}

/// Brings copies, doubts, standings and records up to date after an input.
fn derive_again(
    connection: &Connection,
    snapshot: i64,
    written: &mut Written,
    issues: &mut Vec<kidx_importers::Issue>,
) -> Result<Changes> {
    let mut remarked = false;
    for (run, changed) in derive::mark_copies(connection, snapshot)? {
        let cohort = report::cohort_of(connection, run)?;
        // An original is dated by its copies' sightings too.
        if derive::date_run(connection, run)? || changed {
            written.touched.add_all(cohort);
        }
        remarked |= changed;
        written.cohorts.insert(cohort);
    }
    if written.is_new || remarked {
        let doubted = doubts::derive(connection, &written.cohorts)?;
        issues.extend(doubts::warnings(connection, &doubted)?);
        for cohort in doubted {
            written.touched.add_all(cohort);
        }
    }
    let mut changes = Changes::default();
    derive::rank(connection, &written.touched, &mut changes)?;
    Ok(changes)
}
