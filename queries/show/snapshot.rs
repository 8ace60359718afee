//! The page of a snapshot: exact bytes, how they were read, and what came of it.

use std::collections::HashMap;

use rusqlite::{Connection, named_params};
use schemars::JsonSchema;
use serde::Serialize;

use super::provenance::{self, ReadingFacts};
use crate::error::Result;
use crate::rows;
use crate::view::View;

/// Issues of one code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Issues {
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// Stable code.
    pub code: String,
    /// How many.
    pub count: i64,
    /// Records that they keep out.
    pub rejects: i64,
    /// JSON pointer of the first of them; empty: the whole input.
    pub pointer: String,
    /// Its line, from 1.
    pub line: Option<i64>,
    /// Its message.
    pub message: String,
    /// What to try.
    pub hint: Option<String>,
}

/// One interpretation of the bytes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReadingLine {
    /// How they were read and where they were met.
    #[serde(flatten)]
    pub reading: ReadingFacts,
    /// Different runs that it states.
    pub runs: i64,
    /// What it found wrong or doubtful, errors first.
    pub issues: Vec<Issues>,
}

/// The page of a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SnapshotPage {
    /// Digest of the bytes.
    pub digest: String,
    /// How many they are, decompressed.
    pub size_bytes: i64,
    /// Different runs that it states, over all readings.
    pub runs: i64,
    /// Each way in which it was read, in the order they were learned.
    pub readings: Vec<ReadingLine>,
}

/// The page of a snapshot.
pub(super) fn page(connection: &Connection, row: i64, view: &View) -> Result<SnapshotPage> {
    let (digest, size_bytes) = connection
        .prepare_cached(include_str!("snapshot.sql"))?
        .query_row(named_params! {":snapshot": row}, |row| {
            Ok((row.get("sha256")?, row.get("bytes")?))
        })?;
    let mut statement = connection.prepare_cached(include_str!("snapshot_readings.sql"))?;
    let runs = statement
        .query_map(named_params! {":snapshot": row}, |row| {
            Ok((row.get("id")?, row.get("runs")?))
        })?
        .collect::<rusqlite::Result<HashMap<i64, i64>>>()?;
    let ids: Vec<i64> = runs.keys().copied().collect();
    let mut known = Vec::new();
    let mut readings = Vec::new();
    for (id, reading) in provenance::readings(connection, &ids, view)? {
        known.push(id);
        readings.push(ReadingLine {
            reading,
            runs: runs.get(&id).copied().unwrap_or_default(),
            issues: issues(connection, id)?,
        });
    }
    Ok(SnapshotPage {
        digest,
        size_bytes,
        runs: connection
            .prepare_cached(include_str!("snapshot_runs.sql"))?
            .query_row(
                named_params! {":readings": rows::json_array(&known)},
                |row| row.get(0),
            )?,
        readings,
    })
}

fn issues(connection: &Connection, reading: i64) -> Result<Vec<Issues>> {
    let mut statement = connection.prepare_cached(include_str!("issues.sql"))?;
    let issues = statement.query_map(named_params! {":reading": reading}, |row| {
        Ok(Issues {
            severity: row.get("severity")?,
            code: row.get("code")?,
            count: row.get("issues")?,
            rejects: row.get("rejects")?,
            pointer: row.get("pointer")?,
            line: row.get("line")?,
            message: row.get("message")?,
            hint: row.get("hint")?,
        })
    })?;
    Ok(issues.collect::<rusqlite::Result<_>>()?)
}
