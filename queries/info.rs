//! What the file holds: rows by table, the span of observations, the reference data.

use std::collections::BTreeMap;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Result;

/// Rows of one table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// How many rows it has.
    pub rows: u64,
}

/// Facts about the whole file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Info {
    /// Version of the schema.
    pub schema_version: i64,
    /// SQLite's journal mode: `wal`, or `delete` in a backup.
    pub journal_mode: String,
    /// Each table, in the order in which the schema declares them.
    pub tables: Vec<Table>,
    /// Day of the oldest observation.
    pub oldest_observation: Option<String>,
    /// Day of the newest observation.
    pub newest_observation: Option<String>,
    /// Instant of the last import.
    pub last_import: Option<String>,
    /// Digest of each part of the reference data in the file.
    pub references: BTreeMap<String, String>,
}

/// Counts what the file holds.
pub fn info(connection: &Connection) -> Result<Info> {
    let day = |instant: Option<String>| instant.map(|at| at.chars().take(10).collect());
    let tables = tables(connection)?;
    let references = references(connection)?;
    let info = connection.query_row(include_str!("info.sql"), [], |row| {
        Ok(Info {
            schema_version: row.get("schema_version")?,
            journal_mode: row.get("journal_mode")?,
            tables,
            oldest_observation: day(row.get("oldest")?),
            newest_observation: day(row.get("newest")?),
            last_import: row.get("last_import")?,
            references,
        })
    })?;
    Ok(info)
}

fn tables(connection: &Connection) -> Result<Vec<Table>> {
    let mut statement = connection.prepare(
        "SELECT name FROM sqlite_schema
         WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
    )?;
    let names = statement
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<String>>>()?;
    let mut tables = Vec::with_capacity(names.len());
    for name in names {
        // A name can't be a parameter; quoted, it can't be anything but a name.
        let quoted = name.replace('"', "\"\"");
        let rows: i64 =
            connection.query_row(&format!("SELECT count(*) FROM \"{quoted}\""), [], |row| {
                row.get(0)
            })?;
        tables.push(Table {
            name,
            rows: rows.unsigned_abs(),
        });
    }
    Ok(tables)
}

fn references(connection: &Connection) -> Result<BTreeMap<String, String>> {
    let mut statement = connection.prepare(
        "SELECT substr(key, 11), value FROM meta WHERE key LIKE 'reference/%' ORDER BY key",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
