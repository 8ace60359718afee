//! Everything taken in again from the kept snapshots, for an upgrade after which the same
//! bytes mean more than they did. What people said (declared facts, where and when bytes
//! were met, retractions) stays; what was read and derived is read and derived again.

use std::collections::BTreeMap;

use kidx_importers::{Beside, Declared, Input, importer};
use rusqlite::{Connection, Row, params};

use super::derive;
use super::ingest::{Incoming, Ingest, Revision, State, without_dates_to_come};
use super::{Content, doubts, snapshot};
use crate::error::{Error, Result};
use kidx_queries::policy::observation::Basis;

/// A reading as it is kept, with all that reading it again needs.
pub struct Kept {
    /// Row.
    pub id: i64,
    /// Slug of the source.
    pub source: String,
    /// Name of the folder that held the file.
    pub folder: Option<String>,
    /// File name.
    pub file: Option<String>,
    /// Facts the user declared.
    pub declared: Declared,
    /// Files that were read with it.
    pub beside: Vec<(Beside, Content)>,
    /// The commit that brought the bytes, as it was found when they were read.
    pub revision: Option<Revision>,
    /// Records in the input.
    pub records: u64,
    /// When the file learned of it.
    pub learned_at: String,
}

impl Kept {
    /// The ways a snapshot was read, in the order they came.
    pub fn of(connection: &Connection, snapshot: i64) -> Result<Vec<Self>> {
        let mut statement = connection.prepare_cached(include_str!("sql/kept_readings.sql"))?;
        let mut rows = statement.query([snapshot])?;
        let mut kept = Vec::new();
        while let Some(row) = rows.next()? {
            kept.push(Self::from_row(row)?);
        }
        for reading in &mut kept {
            let beside = std::mem::take(&mut reading.declared.beside);
            reading.beside = contents(connection, beside)?;
        }
        Ok(kept)
    }

    fn from_row(row: &Row<'_>) -> Result<Self> {
        let declared: String = row.get("declared")?;
        let (commit, at): (Option<String>, Option<String>) =
            (row.get("commit_id")?, row.get("committed_at")?);
        let version: Option<String> = row.get("committed_version")?;
        Ok(Self {
            id: row.get("id")?,
            source: row.get("source")?,
            folder: row.get("folder")?,
            file: row.get("file")?,
            declared: serde_json::from_str(&declared)
                .map_err(|error| Error::failed("declared facts can't be read").because(error))?,
            beside: Vec::new(),
            revision: commit.zip(at).map(|(commit, authored_at)| Revision {
                commit,
                authored_at,
                problems: version.map_or(State::Unknown, State::Version),
            }),
            records: row.get("records")?,
            learned_at: row.get("learned_at")?,
        })
    }

    /// The files beside it as the importer is given them.
    pub fn files_beside(&self) -> Vec<Beside> {
        self.beside.iter().map(|(file, _)| file.clone()).collect()
    }

    /// What the importer is given.
    pub fn input<'a>(&'a self, content: &'a [u8], beside: &'a [Beside]) -> Input<'a> {
        Input {
            beside,
            folder: self.folder.as_deref(),
            file: self.file.as_deref(),
            bytes: content,
            committed_at: self
                .revision
                .as_ref()
                .map(|revision| &*revision.authored_at),
        }
    }

    /// What the catalogue is given, as if met at a place.
    pub fn incoming<'a>(&'a self, content: &'a Content, location: &'a str) -> Incoming<'a> {
        Incoming {
            location,
            folder: self.folder.as_deref(),
            file: self.file.as_deref(),
            content,
            beside: &self.beside,
            container: None,
            observed: None,
            revision: self.revision.as_ref(),
            repository: None,
        }
    }
}

/// Files by name and digest, as snapshots keep them.
fn contents(
    connection: &Connection,
    named: BTreeMap<String, String>,
) -> Result<Vec<(Beside, Content)>> {
    let of = |(name, sha256): (String, String)| {
        let id = snapshot::find(connection, &sha256)?.ok_or_else(|| {
            Error::failed(format!("the content of `{name}` ({sha256}) isn't kept"))
        })?;
        let bytes = snapshot::content(connection, id)?;
        let content = Content::of(&bytes)?;
        Ok((Beside { name, bytes }, content))
    };
    named.into_iter().map(of).collect()
}

/// Where and when the bytes of a reading were met.
struct Origin {
    location: String,
    container: Option<(&'static str, String)>,
    observed: derive::Observed,
    learned_at: String,
}

fn origins(connection: &Connection, reading: i64) -> Result<Vec<Origin>> {
    let mut statement = connection.prepare_cached(
        "SELECT location, container, container_sha256, observed_at, observed_basis, learned_at
         FROM origin WHERE reading_id = ?1 ORDER BY id",
    )?;
    let mut rows = statement.query([reading])?;
    let mut origins = Vec::new();
    while let Some(row) = rows.next()? {
        let container: Option<String> = row.get(1)?;
        let container = ["gzip", "zstd"]
            .into_iter()
            .find(|known| container.as_deref() == Some(known));
        origins.push(Origin {
            location: row.get(0)?,
            container: container.zip(row.get(2)?),
            observed: derive::observed(row.get(3)?, row.get(4)?)?,
            learned_at: row.get(5)?,
        });
    }
    Ok(origins)
}

/// A decision about a run, by the place that states it.
struct Decision {
    snapshot: String,
    pointer: String,
    kind: String,
    rule: String,
    reason: String,
    at: String,
}

/// Reads every snapshot again, inside the caller's transaction.
pub fn take_all(connection: &Connection) -> Result<()> {
    let mut inputs = Vec::new();
    let snapshots = connection
        .prepare("SELECT id, sha256 FROM snapshot ORDER BY id")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<Vec<(i64, String)>>>()?;
    for (snapshot, sha256) in snapshots {
        for mut kept in Kept::of(connection, snapshot)? {
            let met = origins(connection, kept.id)?;
            if let Some(published) = Revision::published(&sha256)? {
                kept.revision = Some(published);
            }
            inputs.push((kept, snapshot, met));
        }
    }
    // As they came, so that of several places the first stays the first.
    inputs.sort_by_key(|(kept, ..)| kept.id);
    let decisions = connection
        .prepare(include_str!("sql/decisions.sql"))?
        .query_map([], |row| {
            Ok(Decision {
                snapshot: row.get(0)?,
                pointer: row.get(1)?,
                kind: row.get(2)?,
                rule: row.get(3)?,
                reason: row.get(4)?,
                at: row.get(5)?,
            })
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    connection.execute_batch(
        "DELETE FROM event; DELETE FROM record; DELETE FROM standing; DELETE FROM doubt;
         DELETE FROM sighting; DELETE FROM measurement; DELETE FROM cohort;
         DELETE FROM protocol; DELETE FROM environment; DELETE FROM implementation;
         DELETE FROM workload; DELETE FROM operation; DELETE FROM issue; DELETE FROM origin;
         DELETE FROM reading;",
    )?;
    for (kept, snapshot, met) in &inputs {
        let content = snapshot::content(connection, *snapshot)?;
        take(connection, kept, &content, met)?;
    }
    for decision in &decisions {
        connection.execute(
            include_str!("sql/decide_again.sql"),
            params![
                decision.kind,
                decision.reason,
                decision.at,
                decision.snapshot,
                decision.pointer,
                decision.rule
            ],
        )?;
    }
    doubts::derive_all(connection)?;
    derive::rebuild(connection)
}

fn take(connection: &Connection, kept: &Kept, bytes: &[u8], met: &[Origin]) -> Result<()> {
    let content = Content::of(bytes)?;
    let Some(importer) = importer(&kept.source) else {
        return Err(Error::failed(format!(
            "there is no importer for source `{}`",
            kept.source
        )));
    };
    let mut reading = importer
        .read(&kept.input(bytes, &kept.files_beside()), &kept.declared)
        .map_err(|refused| {
            Error::failed("a snapshot that was read before is refused now").because(refused)
        })?;
    without_dates_to_come(&mut reading, &kept.learned_at);
    for origin in met {
        let git = kept
            .revision
            .as_ref()
            .map(|revision| (revision.authored_at.clone(), Basis::Git));
        let observed = match &origin.observed {
            // What says when the bytes came is stronger than when a file was written.
            Some((_, basis)) if git.is_some() && *basis != Basis::Declared => git,
            None => git,
            stated => stated.clone(),
        };
        let incoming = Incoming {
            container: origin.container.clone(),
            observed,
            ..kept.incoming(&content, &origin.location)
        };
        Ingest::new(
            connection,
            importer.source(),
            &kept.declared,
            &origin.learned_at,
        )?
        .take(connection, &incoming, &reading)?;
    }
    Ok(())
}
