//! Inputs, taken one after the other inside the caller's transactions: the bytes, how they
//! were read, and every run they state. What follows from new runs alone is worked out once
//! for many inputs, by `settle`.

mod files;
mod input;
mod reading;
mod report;
mod rows;
mod standings;

use std::collections::BTreeSet;

use kidx_importers::{Declared, Direction, Figure, Issue, Observation, Quantity, Reading, Source};
use kidx_queries::policy::eligibility;
use kidx_queries::policy::interval::Stats;
use kidx_queries::policy::observation::Basis;
use rusqlite::Connection;

use super::derive::{self, Changed, Changes, Observed, Run, Touched};
use super::extremes::Extremes;
use super::suite::{self, Belonging, Question};
use super::{doubts, identity, snapshot};
use crate::error::Result;
use files::Files;
use rows::{Put, Rows, Shared, Statements};
use standings::Standings;

pub use input::{Incoming, Ingested, Outcome, Revision, State};
pub use reading::{stated, without_dates_to_come};

/// An input with more runs is looked at with the file's indexes alone: what is remembered
/// of runs would fill the memory.
const LARGE: usize = 20_000;

/// Takes inputs of one source, one after the other.
pub struct Ingest {
    importer: String,
    declared: Declared,
    learned_at: String,
    rows: Rows,
    files: Files,
    standings: Standings,
    extremes: Extremes,
    /// Changes of records over all inputs taken so far.
    changes: Changes,
    /// What the file said of itself when it was looked at last.
    data_version: Option<i64>,
}

/// What writing a reading's runs did.
#[derive(Default)]
struct Written {
    /// Runs whose standing is to be decided again, new ones apart.
    touched: Touched,
    /// Cohort and implementation of each run, known ones included: another reading of a
    /// known run may lift or bring a doubt.
    met: Vec<(i64, i64)>,
    /// Runs that were new.
    fresh: Vec<Fresh>,
    /// Their digests; none of a large input, whose runs are read again.
    digests: Vec<[u8; 32]>,
    /// Known runs, with their cohorts, that the reading may date anew.
    redated: Vec<(i64, i64)>,
    /// Runs that the reading marks as too fast to believe.
    marked: Vec<i64>,
    /// Whether the reading itself is new.
    is_new: bool,
    /// Whether nothing follows from it but that its new runs may stand: no date changed
    /// and no doubt can arise.
    is_plain: bool,
}

/// A new run, with its place among the observations.
struct Fresh {
    run: i64,
    cohort: i64,
    implementation: i64,
    is_baseline: bool,
    ordinal: usize,
}

impl Ingest {
    /// Prepares taking inputs of `source` under the declared facts.
    pub fn new(
        connection: &Connection,
        source: &'static Source,
        declared: &Declared,
        learned_at: &str,
    ) -> Result<Self> {
        Ok(Self {
            importer: format!("{}/1", source.slug),
            declared: declared.clone(),
            learned_at: learned_at.to_owned(),
            rows: Rows::new(connection, source, declared)?,
            files: Files::default(),
            standings: Standings::default(),
            extremes: Extremes::default(),
            changes: Changes::default(),
            data_version: None,
        })
    }

    /// Takes inputs of another source from here on, under the same facts. What it remembers
    /// of runs is forgotten, since rows of the two sources may share cohorts.
    pub fn turn_to(&mut self, connection: &Connection, source: &'static Source) -> Result<()> {
        if self.rows.source.slug == source.slug {
            return Ok(());
        }
        self.settle(connection)?;
        let mut other = Self::new(connection, source, &self.declared, &self.learned_at)?;
        other.changes = std::mem::take(&mut self.changes);
        other.data_version = self.data_version;
        *self = other;
        Ok(())
    }

    /// Whether it takes inputs of this source under these facts.
    pub fn is_of(&self, source: &Source, declared: &Declared) -> bool {
        self.rows.source.slug == source.slug && self.declared == *declared
    }

    /// To be called at the beginning of each transaction: another process may have written
    /// since the last, and what is remembered of runs may be wrong then.
    pub fn begin(&mut self, connection: &Connection) -> Result<()> {
        let version = connection
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        if self.data_version.replace(version) != Some(version) {
            self.standings.forget_all();
            self.extremes = Extremes::default();
            self.files.forget();
            self.rows.forget_roles();
        }
        Ok(())
    }

    /// Brings standings and records up to date with all inputs taken; to be called before
    /// a transaction is committed.
    pub fn settle(&mut self, connection: &Connection) -> Result<()> {
        self.standings.settle(connection, &mut self.changes)
    }

    /// Records that all inputs taken so far set or broke.
    pub fn changed(&self, connection: &Connection) -> Result<Changed> {
        self.changes.until_now(connection)
    }

    /// Writes one input inside the caller's transaction. After an error the transaction
    /// must be rolled back and this value dropped: it remembers rows that are gone then.
    pub fn take(
        &mut self,
        connection: &Connection,
        incoming: &Incoming<'_>,
        reading: &Reading,
    ) -> Result<Ingested> {
        let sha256 = &incoming.content.sha256;
        let known = snapshot::find(connection, sha256)?;
        let first_met = match known {
            Some(id) => report::first_location(connection, id)?,
            None => None,
        };
        let snapshot_id = match known {
            Some(id) => id,
            None => snapshot::store(connection, incoming.content)?,
        };
        let committed = match incoming.revision {
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
        let mut declared = std::borrow::Cow::Borrowed(&self.declared);
        for (file, content) in incoming.beside {
            if snapshot::find(connection, &content.sha256)?.is_none() {
                snapshot::store(connection, content)?;
            }
            let digest = content.sha256.clone();
            declared.to_mut().beside.insert(file.name.clone(), digest);
        }
        let kept = reading::Kept {
            snapshot: snapshot_id,
            source,
            importer: &self.importer,
            declared: &declared,
            committed_version: committed.as_deref(),
            suite_version: belonging.version.as_deref(),
            assumptions: &assumptions,
            learned_at: &self.learned_at,
        };
        let (reading_id, is_new) = reading::put(connection, &kept, incoming, reading)?;
        let new_origin = reading::put_origin(connection, reading_id, incoming, &self.learned_at)?;
        let (observed, redated) = derive::date_reading(connection, reading_id)?;
        let is_copy = first_met
            .as_ref()
            .is_some_and(|location| new_origin && location != incoming.location);

        let mut written = Written {
            is_new,
            is_plain: known.is_none(),
            ..Written::default()
        };
        if is_new {
            let shared = Shared {
                source,
                protocol: self.rows.protocol(connection, &reading.protocol)?,
                belonging: &belonging,
                provider: reading.provider.as_deref(),
                observed: &observed,
            };
            self.write_runs(connection, reading_id, reading, &shared, &mut written)?;
        } else if redated {
            self.files.forget();
            for (run, cohort) in report::runs_of(connection, reading_id)? {
                redate(connection, run, cohort, &mut written.touched)?;
            }
        }

        let mut issues = reading.issues.clone();
        let (superseded, inserted) = if written.is_plain {
            let superseded = self.offer(connection, reading, &observed, &written)?;
            (superseded, written.fresh.len() as u64)
        } else {
            self.derive_again(connection, snapshot_id, &mut written, &mut issues, is_copy)?
        };
        // In the history of one repository a second path is a move; elsewhere it may be one
        // machine's figures taken for another's.
        if is_copy && !incoming.is_moved_from(first_met.as_deref()) {
            issues.push(report::copy_warning(sha256, first_met.as_deref(), incoming));
        }
        if let (Some(told), Some(kept)) = (&incoming.observed, &observed)
            && told.1 == Basis::Declared
            && told != kept
        {
            issues.push(report::date_kept(&told.0, &kept.0));
        }
        let mut gone = 0;
        if is_new {
            let rows = (source, snapshot_id, reading_id);
            gone = self
                .files
                .gone(connection, rows, incoming, reading, &observed)?;
        }
        let runs = reading.observations.len() as u64;
        Ok(Ingested {
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
            gone: if is_copy { 0 } else { gone },
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
                let suite = &mut self.rows.suite;
                let on = revision.authored_at.get(..10).unwrap_or_default();
                let (version, is_news) = suite.of(connection, definitions, &revision.commit, on)?;
                if is_news {
                    suite::name_again(connection, suite, &version)?;
                    self.rows.workloads.forget_positions();
                    self.extremes = Extremes::default();
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
        let names = self.rows.names();
        let is_large = reading.observations.len() > LARGE;
        let mut statements = Statements::prepare(connection)?;
        written.expect(reading.observations.len());
        let mut runs = Vec::with_capacity(reading.observations.len());
        for (ordinal, observation) in reading.observations.iter().enumerate() {
            let put = self
                .rows
                .run(connection, &mut statements, shared, (ordinal, observation))?;
            runs.push(put.run);
            let observed = rows::observed(observation, shared.observed);
            written.add(&put, ordinal, &observed);
            if doubts::is_marked(observation) {
                written.marked.push(put.run);
                written.is_plain = false;
            }
            if !is_large && put.known.is_none() {
                written.digests.push(put.digest);
            }
        }
        reading::put_sightings(connection, reading_id, &runs, &reading.observations)?;
        for (run, cohort) in std::mem::take(&mut written.redated) {
            redate(connection, run, cohort, &mut written.touched)?;
        }
        if is_large || names < self.rows.names() {
            // Too much to remember; or a problem may go by another name now.
            self.extremes = Extremes::default();
        }
        if !self.rows.redesignated.is_empty() {
            written.is_plain = false;
        }
        if is_large {
            written.is_plain = false;
            return Ok(());
        }
        for ((cohort, implementation), observation) in written.met.iter().zip(&reading.observations)
        {
            let value = observation.figures.value.as_ref();
            if let (Quantity::Latency, Some(value)) = (observation.metric.quantity, value) {
                written.is_plain &=
                    self.extremes
                        .fits(connection, *cohort, *implementation, value.amount)?;
            }
        }
        Ok(())
    }

    /// Holds new runs of which nothing is doubted against those that stand. Returns how
    /// many met one of their implementation.
    fn offer(
        &mut self,
        connection: &Connection,
        reading: &Reading,
        observed: &Observed,
        written: &Written,
    ) -> Result<u64> {
        let mut superseded = 0;
        for (fresh, digest) in written.fresh.iter().zip(&written.digests) {
            let observation = &reading.observations[fresh.ordinal];
            let Some((run, eligible)) = run(fresh, digest, observation, observed) else {
                continue;
            };
            let met = self
                .standings
                .offer(connection, fresh.cohort, run, eligible)?;
            superseded += u64::from(met);
        }
        Ok(superseded)
    }

    /// Brings copies, doubts, standings and records up to date after an input that bears
    /// on more than its own runs. Returns how many runs fell and how many are new.
    fn derive_again(
        &mut self,
        connection: &Connection,
        snapshot: i64,
        written: &mut Written,
        issues: &mut Vec<Issue>,
        is_copy: bool,
    ) -> Result<(u64, u64)> {
        self.settle(connection)?;
        for implementation in std::mem::take(&mut self.rows.redesignated) {
            for cohort in report::cohorts_with(connection, implementation)? {
                written.touched.add_all(cohort);
            }
        }
        let mut cohorts: BTreeSet<i64> = written.met.iter().map(|met| met.0).collect();
        let mut remarked = false;
        for (run, changed) in derive::mark_copies(connection, snapshot)? {
            let cohort = report::cohort_of(connection, run)?;
            // An original is dated by its copies' sightings too.
            if derive::date_run(connection, run)? || changed {
                written.touched.add_all(cohort);
            }
            remarked |= changed;
            cohorts.insert(cohort);
        }
        if written.is_new || remarked {
            let mut doubted = doubts::derive(connection, &cohorts)?;
            doubted.extend(doubts::mark(connection, &written.marked)?);
            issues.extend(doubts::warnings(connection, &doubted)?);
            for cohort in doubted {
                written.touched.add_all(cohort);
            }
            self.extremes.forget_doubts();
        }
        let mut fallen = derive::rank(connection, &written.touched, &mut self.changes)?;
        self.standings.forget(written.touched.cohorts());
        // A part at a time: a large input has as many cohorts as runs.
        for fresh in written.fresh.chunks(LARGE) {
            let mut touched = Touched::default();
            for run in fresh {
                if !written.touched.has_all(run.cohort) {
                    touched.add_new(run.cohort, run.run);
                }
            }
            fallen.extend(derive::rank(connection, &touched, &mut self.changes)?);
            self.standings.forget(touched.cohorts());
        }
        let mut inserted = 0;
        if !is_copy {
            for fresh in &written.fresh {
                inserted += u64::from(report::copy_of(connection, fresh.run)?.is_none());
                fallen.insert(fresh.run);
            }
        }
        Ok((report::superseded_among(connection, &fallen)?, inserted))
    }
}

impl Written {
    /// Makes room for so many runs.
    fn expect(&mut self, runs: usize) {
        self.met.reserve_exact(runs);
        self.fresh.reserve_exact(runs);
        if runs <= LARGE {
            self.digests.reserve_exact(runs);
        }
    }

    fn add(&mut self, put: &Put, ordinal: usize, observed: &Observed) {
        self.met.push((put.cohort, put.implementation));
        match &put.known {
            None => {
                self.fresh.push(Fresh {
                    run: put.run,
                    cohort: put.cohort,
                    implementation: put.implementation,
                    is_baseline: put.is_baseline,
                    ordinal,
                });
            }
            Some(known) => {
                if known.is_coarser {
                    self.is_plain = false;
                    self.touched.add_all(put.cohort);
                }
                if known.copy_of.is_some() || derive::dates(observed, &known.observed) {
                    self.is_plain = false;
                    self.redated.push((put.run, put.cohort));
                }
            }
        }
    }
}

/// A new run as ranking sees it, and whether it may stand; `None` without a figure.
fn run(
    fresh: &Fresh,
    digest: &[u8],
    observation: &Observation,
    observed: &Observed,
) -> Option<(Run, bool)> {
    let figures = &observation.figures;
    let amount = |figure: &Option<Figure>| figure.as_ref().map(|figure| figure.amount);
    let (min, resolution) = (amount(&figures.min), figures.resolution);
    let range = figures.range.as_deref();
    let stats = Stats {
        value: amount(&figures.value)?,
        std: amount(&figures.std),
        min,
        samples: figures.samples,
        stated: range.map(|(low, high)| (low.amount, high.amount)),
    };
    let reasons = eligibility::reasons(&eligibility::Facts {
        status: observation.status.as_str(),
        retracted: false,
        superseded: false,
        has_primary: true,
        hardware_known: true,
        stats_contradict: eligibility::stats_contradict(
            stats.value,
            min,
            amount(&figures.max),
            resolution,
        ),
        unit_doubted: false,
        shape_doubted: false,
        marked_excessive: false,
        below_hard: false,
    });
    let run = Run {
        id: fresh.run,
        implementation: fresh.implementation,
        is_baseline: fresh.is_baseline,
        digest: identity::hex(digest),
        observed: rows::observed(observation, observed).into_owned(),
        figure: derive::figure(
            &stats,
            resolution,
            observation.metric.quantity.direction() == Direction::Higher,
        ),
    };
    Some((run, reasons.is_empty()))
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
