//! What an input changed, for its report.

use std::collections::BTreeSet;

use kidx_importers::{Issue, Place, Severity};
use rusqlite::{Connection, OptionalExtension};

use super::input::Incoming;
use crate::error::Result;

pub(super) fn first_location(connection: &Connection, snapshot: i64) -> Result<Option<String>> {
    Ok(connection
        .prepare_cached(
            "SELECT o.location FROM origin o JOIN reading r ON r.id = o.reading_id
             WHERE r.snapshot_id = ?1 ORDER BY o.id LIMIT 1",
        )?
        .query_row([snapshot], |row| row.get(0))
        .optional()?)
}

pub(super) fn runs_of(connection: &Connection, reading: i64) -> Result<Vec<(i64, i64)>> {
    let mut statement = connection.prepare_cached(
        "SELECT m.id, m.cohort_id FROM sighting s JOIN measurement m ON m.id = s.measurement_id
         WHERE s.reading_id = ?1",
    )?;
    let rows = statement.query_map([reading], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn cohort_of(connection: &Connection, run: i64) -> Result<i64> {
    Ok(connection
        .prepare_cached("SELECT cohort_id FROM measurement WHERE id = ?1")?
        .query_row([run], |row| row.get(0))?)
}

/// The cohorts in which a run of an implementation stands.
pub(super) fn cohorts_with(connection: &Connection, implementation: i64) -> Result<Vec<i64>> {
    let mut statement =
        connection.prepare_cached("SELECT cohort_id FROM standing WHERE implementation_id = ?1")?;
    let cohorts = statement.query_map([implementation], |row| row.get(0))?;
    Ok(cohorts.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn copy_of(connection: &Connection, run: i64) -> Result<Option<i64>> {
    Ok(connection
        .prepare_cached("SELECT copy_of FROM measurement WHERE id = ?1")?
        .query_row([run], |row| row.get(0))?)
}

/// How many of these runs are in a cohort where another run of their implementation
/// stands.
pub(super) fn superseded_among(connection: &Connection, runs: &BTreeSet<i64>) -> Result<u64> {
    let mut statement = connection.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM measurement m JOIN standing s
             ON s.cohort_id = m.cohort_id AND s.implementation_id = m.implementation_id
             WHERE m.id = ?1 AND s.measurement_id <> m.id)",
    )?;
    let mut count = 0;
    for run in runs {
        if statement.query_row([run], |row| row.get::<_, bool>(0))? {
            count += 1;
        }
    }
    Ok(count)
}

pub(super) fn copy_warning(sha256: &str, first: Option<&str>, incoming: &Incoming<'_>) -> Issue {
    Issue {
        severity: Severity::Warning,
        code: "COPY".to_owned(),
        place: Place::default(),
        message: format!(
            "the same bytes ({}) are known from `{}`: one measurement seen twice, not two",
            &sha256[..15.min(sha256.len())],
            first.unwrap_or("elsewhere")
        ),
        hint: (incoming.folder.is_some()).then(|| {
            "if the two folders are two machines, one of the files is in the wrong place".to_owned()
        }),
        rejects: 0,
    }
}

/// A declared day that doesn't date the reading, since an earlier one was declared.
pub(super) fn date_kept(told: &str, kept: &str) -> Issue {
    Issue {
        severity: Severity::Note,
        code: "DATE_KEPT".to_owned(),
        place: Place::default(),
        message: format!(
            "these figures are dated {kept}: of days declared for the same bytes the earliest counts, not {told}"
        ),
        hint: None,
        rejects: 0,
    }
}
