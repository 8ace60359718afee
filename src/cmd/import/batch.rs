//! The open file while inputs go into it: many in one transaction, none split over two.

use std::time::{Duration, Instant};

use kidx_importers::{Reading, Source};
use rusqlite::Connection;

use crate::catalog::derive::Changed;
use crate::catalog::ingest::{Incoming, Ingest, Ingested};
use crate::error::Result;

/// Records a transaction takes in before it is committed: each commit writes every page
/// of the indexes that it touched, so fewer are faster.
const RECORDS: u64 = 200_000;

/// How long a transaction may keep other writers waiting; their own patience is longer.
/// They get their turn while a commit's pages are moved from the log into the file.
const TIME: Duration = Duration::from_secs(4);

/// Takes inputs in transactions that grow with what is safe already, so that an import
/// that is killed or finds the disk full loses no more than it has kept.
pub(super) struct Batch {
    connection: Connection,
    ingest: Ingest,
    /// One transaction around everything, never committed.
    dry_run: bool,
    open: Option<Open>,
    committed: Committed,
}

/// The open transaction.
struct Open {
    since: Instant,
    records: u64,
    inputs: usize,
}

/// What is safe.
#[derive(Default)]
struct Committed {
    records: u64,
    inputs: usize,
}

impl Batch {
    pub(super) fn new(connection: Connection, ingest: Ingest, dry_run: bool) -> Self {
        Self {
            connection,
            ingest,
            dry_run,
            open: None,
            committed: Committed::default(),
        }
    }

    /// Takes one input. After an error nothing more may be taken: what wasn't committed is
    /// lost when this value is dropped.
    pub(super) fn take(
        &mut self,
        source: &'static Source,
        incoming: &Incoming<'_>,
        reading: &Reading,
    ) -> Result<Ingested> {
        let open = match &mut self.open {
            Some(open) => open,
            closed => {
                self.connection.execute_batch("BEGIN IMMEDIATE")?;
                self.ingest.begin(&self.connection)?;
                closed.insert(Open {
                    since: Instant::now(),
                    records: 0,
                    inputs: 0,
                })
            }
        };
        self.ingest.turn_to(&self.connection, source)?;
        let taken = self.ingest.take(&self.connection, incoming, reading)?;
        open.records += reading.records;
        open.inputs += 1;
        let enough = open.records >= RECORDS.min(self.committed.records);
        if !self.dry_run && (enough || open.since.elapsed() >= TIME) {
            self.commit()?;
        }
        Ok(taken)
    }

    /// Inputs that are safe.
    pub(super) fn committed(&self) -> usize {
        self.committed.inputs
    }

    /// Commits what is open.
    pub(super) fn commit(&mut self) -> Result<()> {
        if let Some(open) = self.open.take() {
            self.ingest.settle(&self.connection)?;
            if !self.dry_run {
                self.connection.execute_batch("COMMIT")?;
            }
            self.committed.records += open.records;
            self.committed.inputs += open.inputs;
        }
        Ok(())
    }

    /// Records that were set or broken, and the file to look them up in. A dry run's are
    /// gone with the connection.
    pub(super) fn finish(mut self) -> Result<(Changed, Connection)> {
        self.commit()?;
        Ok((self.ingest.changed(&self.connection)?, self.connection))
    }
}
