//! What the file says about a run beyond its figures: copies, doubts, events.

use rusqlite::{Connection, named_params};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Result;
use crate::view::View;

/// A contradiction between the run and the rest of the file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Doubt {
    /// `UNIT_DOUBTED`, `SHAPE_DOUBTED`, `MARKED_EXCESSIVE` or `BELOW_HARD`.
    pub code: String,
    /// Own figure divided by what it was held against.
    pub factor: f64,
    /// What that was.
    pub against: String,
}

/// A decision about the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Event {
    /// `retract` or `acknowledge`.
    pub event: String,
    /// Rule of the audit that it is about; `null`: the run itself.
    pub rule: Option<String>,
    /// Why.
    pub reason: String,
    /// When.
    pub at: String,
}

/// Runs that state the same place in the same bytes under other names.
pub(super) fn copies(connection: &Connection, run: i64) -> Result<Vec<String>> {
    let mut statement = connection.prepare_cached(include_str!("copies.sql"))?;
    let copies = statement.query_map(named_params! {":measurement": run}, |row| row.get("run"))?;
    Ok(copies.collect::<rusqlite::Result<_>>()?)
}

/// What of the run contradicts the rest of the file.
pub(super) fn doubts(connection: &Connection, run: i64) -> Result<Vec<Doubt>> {
    let mut statement = connection.prepare_cached(include_str!("doubts.sql"))?;
    let doubts = statement.query_map(named_params! {":measurement": run}, |row| {
        Ok(Doubt {
            code: row.get("code")?,
            factor: row.get("factor")?,
            against: row.get("against")?,
        })
    })?;
    Ok(doubts.collect::<rusqlite::Result<_>>()?)
}

/// What was decided about it, as far as the view knows.
pub(super) fn events(connection: &Connection, run: i64, view: &View) -> Result<Vec<Event>> {
    let mut statement = connection.prepare_cached(include_str!("events.sql"))?;
    let events = statement.query_map(
        named_params! {":measurement": run, ":known_at": view.known_at},
        |row| {
            Ok(Event {
                event: row.get("kind")?,
                rule: row.get("rule")?,
                reason: row.get("reason")?,
                at: row.get("at")?,
            })
        },
    )?;
    Ok(events.collect::<rusqlite::Result<_>>()?)
}
