//! What became of a file's problems: its content before is known by folder and file name,
//! and the places that it stated are remembered, so that the next content is held against
//! them without asking the file.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use kidx_importers::Reading;
use rusqlite::Connection;

use super::input::Incoming;
use crate::catalog::derive::Observed;
use crate::error::Result;

/// Readings of one source by the names of their files; filled on first use.
#[derive(Default)]
pub(super) struct Files(Option<HashMap<(String, String), File>>);

/// A file over time.
#[derive(Default)]
struct File {
    contents: Vec<Content>,
    /// The reading taken last and hashes of the places that it stated.
    last: Option<(i64, Vec<u64>)>,
}

/// One content of a file.
struct Content {
    reading: i64,
    snapshot: i64,
    observed_at: Option<String>,
}

impl Files {
    /// Takes in a new reading of a file. Returns how many places its newest other content
    /// stated that this one doesn't; none when this one is older than that.
    pub(super) fn gone(
        &mut self,
        connection: &Connection,
        (source, snapshot, reading_id): (i64, i64, i64),
        incoming: &Incoming<'_>,
        reading: &Reading,
        observed: &Observed,
    ) -> Result<u64> {
        let (Some(folder), Some(name)) = (incoming.folder, incoming.file) else {
            return Ok(0);
        };
        let files = match &mut self.0 {
            Some(files) => files,
            files => files.insert(load(connection, source, reading_id)?),
        };
        let file = files
            .entry((folder.to_owned(), name.to_owned()))
            .or_default();
        let own = Content {
            reading: reading_id,
            snapshot,
            observed_at: observed.as_ref().map(|o| o.0.clone()),
        };
        let places: Vec<u64> = reading
            .observations
            .iter()
            .map(|observation| hash(&observation.place.pointer))
            .collect();
        let gone = match file.before(&own) {
            None => 0,
            Some(before) => match &file.last {
                Some((reading, stated)) if *reading == before => missing(stated, &places),
                _ => missing(&stated_by(connection, before)?, &places),
            },
        };
        file.contents.push(own);
        file.last = Some((reading_id, places));
        Ok(gone)
    }

    /// The date of a known reading changed, or another process wrote.
    pub(super) fn forget(&mut self) {
        self.0 = None;
    }
}

impl File {
    /// The newest other content that isn't later; one of unknown date may be any.
    fn before(&self, own: &Content) -> Option<i64> {
        self.contents
            .iter()
            .filter(|other| {
                other.snapshot != own.snapshot
                    && match (&other.observed_at, &own.observed_at) {
                        (Some(other), Some(own)) => other <= own,
                        _ => true,
                    }
            })
            .max_by_key(|other| (&other.observed_at, other.reading))
            .map(|other| other.reading)
    }
}

fn load(connection: &Connection, source: i64, but: i64) -> Result<HashMap<(String, String), File>> {
    let mut statement = connection.prepare(
        "SELECT folder, file, id, snapshot_id, observed_at FROM reading
         WHERE source_id = ?1 AND id <> ?2 AND folder IS NOT NULL AND file IS NOT NULL",
    )?;
    let mut rows = statement.query([source, but])?;
    let mut files: HashMap<_, File> = HashMap::new();
    while let Some(row) = rows.next()? {
        let file = files.entry((row.get(0)?, row.get(1)?)).or_default();
        file.contents.push(Content {
            reading: row.get(2)?,
            snapshot: row.get(3)?,
            observed_at: row.get(4)?,
        });
    }
    Ok(files)
}

fn stated_by(connection: &Connection, reading: i64) -> Result<Vec<u64>> {
    let mut statement =
        connection.prepare_cached("SELECT pointer FROM sighting WHERE reading_id = ?1")?;
    let mut rows = statement.query([reading])?;
    let mut places = Vec::new();
    while let Some(row) = rows.next()? {
        places.push(hash(row.get_ref(0)?.as_str().unwrap_or_default()));
    }
    Ok(places)
}

fn missing(before: &[u64], now: &[u64]) -> u64 {
    if before == now {
        return 0;
    }
    let now: HashSet<u64> = now.iter().copied().collect();
    before.iter().filter(|place| !now.contains(place)).count() as u64
}

fn hash(place: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    place.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(reading: i64, observed_at: Option<&str>) -> Content {
        Content {
            reading,
            snapshot: reading,
            observed_at: observed_at.map(str::to_owned),
        }
    }

    #[test]
    fn the_newest_content_that_is_not_later_comes_before() {
        let file = File {
            contents: vec![
                content(1, None),
                content(2, Some("2025-01-01")),
                content(3, Some("2026-01-01")),
                content(4, Some("2025-01-01")),
            ],
            last: None,
        };
        for (own, before) in [
            (content(9, Some("2025-06-01")), 4),
            (content(9, Some("2027-01-01")), 3),
            (content(9, Some("2024-01-01")), 1),
            (content(9, None), 3),
            (content(4, Some("2025-01-01")), 2),
        ] {
            assert_eq!(file.before(&own), Some(before), "{:?}", own.observed_at);
        }
        assert_eq!(missing(&[1, 2, 3], &[3, 4, 1]), 1);
    }
}
