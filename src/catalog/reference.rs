//! Reference data that comes with the program: hardware peaks, the suite's problems,
//! the watch list. Loaded into tables when their digest changed, so that questions read
//! the file alone.

use kidx_importers::kernelbench::problem::ProblemFacts;
use rusqlite::{Connection, OptionalExtension, Transaction, named_params, params};

use super::identity;
use crate::error::{Error, Result};

const HARDWARE: &str = include_str!("reference/hardware.csv");
const KERNELBENCH: &str = include_str!("reference/kernelbench.jsonl");

/// Families that "not measured on" asks about, in the order pages print them.
const WATCH: &[(&str, &str)] = &[("h100", "H100"), ("b200", "B200")];

/// Fills the tables of one part.
type Load = fn(&Transaction<'_>) -> Result<()>;

/// The parts, with the key under which a file remembers each one's digest.
const PARTS: [(&str, &str, Load); 2] = [
    ("reference/hardware", HARDWARE, load_hardware),
    ("reference/kernelbench", KERNELBENCH, load_kernelbench),
];

/// Loads what changed since this file last saw it, all or nothing.
pub fn load(connection: &mut Connection) -> Result<()> {
    let mut changed = false;
    for (key, text, _) in PARTS {
        changed |= is_changed(connection, key, text)?;
    }
    if changed {
        let transaction =
            connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        fill(&transaction)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Loads what changed, inside the caller's transaction.
pub fn fill(transaction: &Transaction<'_>) -> Result<()> {
    for (key, text, load) in PARTS {
        if is_changed(transaction, key, text)? {
            load(transaction)?;
            transaction.execute(
                "INSERT INTO meta (key, value) VALUES (?1, ?2)
                 ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                params![key, identity::sha256(text.as_bytes())],
            )?;
        }
    }
    Ok(())
}

fn is_changed(connection: &Connection, key: &str, text: &str) -> Result<bool> {
    let known: Option<String> = connection
        .query_row("SELECT value FROM meta WHERE key = ?1", [key], |row| {
            row.get(0)
        })
        .optional()?;
    Ok(known.as_deref() != Some(&identity::sha256(text.as_bytes())))
}

/// A device string as it is compared: whole, trimmed, lower case, blanks folded.
pub fn folded(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

fn broken(what: &str, error: impl std::fmt::Display) -> Error {
    Error::failed(format!("the built-in {what} can't be read")).because(error)
}

fn load_hardware(transaction: &Transaction<'_>) -> Result<()> {
    let mut rows = csv::Reader::from_reader(HARDWARE.as_bytes());
    let headers = rows
        .headers()
        .map_err(|error| broken("hardware table", error))?
        .clone();
    for row in rows.records() {
        let row = row.map_err(|error| broken("hardware table", error))?;
        let text = |column: &str| -> Option<&str> {
            let at = headers.iter().position(|name| name == column)?;
            row.get(at).filter(|cell| !cell.is_empty())
        };
        let number = |column: &str| -> Result<Option<f64>> {
            text(column)
                .map(|cell| {
                    cell.parse()
                        .map_err(|error| broken("hardware table", error))
                })
                .transpose()
        };
        let slug = text("id").ok_or_else(|| broken("hardware table", "a row without id"))?;
        let notes = text("notes").unwrap_or_default();
        let confidence = notes
            .strip_prefix("confidence=")
            .and_then(|rest| rest.split([';', ' ', ',']).next());
        transaction
            .prepare_cached(include_str!("sql/put_hardware.sql"))?
            .execute(named_params! {
                ":slug": slug,
                ":short": text("short").unwrap_or(slug),
                ":family": text("family"),
                ":vendor": text("vendor"),
                ":product": text("product").unwrap_or(slug),
                ":form_factor": text("form_factor"),
                ":architecture": text("architecture"),
                ":capability": text("compute_capability_or_gfx"),
                ":memory_gb": number("memory_gb")?,
                ":bandwidth_gbs": number("memory_bandwidth_gbs")?,
                ":fp64": number("fp64")?,
                ":fp64_tensor": number("fp64_tensor")?,
                ":fp32": number("fp32")?,
                ":tf32_tensor": number("tf32_tensor")?,
                ":fp16_tensor": number("fp16_tensor")?,
                ":bf16_tensor": number("bf16_tensor")?,
                ":fp8_tensor": number("fp8_tensor")?,
                ":int8_tensor": number("int8_tensor")?,
                ":fp4_tensor": number("fp6_fp4_tensor")?,
                ":units": text("sm_or_cu_count").map(str::parse::<i64>).transpose().map_err(|error| broken("hardware table", error))?,
                ":boost_mhz": number("boost_clock_mhz")?,
                ":l2_mib": number("l2_mb")?,
                ":llc_mib": number("llc_mb")?,
                ":tdp_w": number("tdp_w")?,
                ":announced": text("release_date"),
                ":confidence": confidence,
                ":peak_source": text("source"),
                ":notes": notes,
            })?;
        let id: i64 =
            transaction.query_row("SELECT id FROM hardware WHERE slug = ?1", [slug], |row| {
                row.get(0)
            })?;
        for alias in text("aliases").unwrap_or_default().split('|') {
            if !alias.trim().is_empty() {
                transaction.execute(
                    "INSERT INTO hardware_alias (alias, hardware_id) VALUES (?1, ?2)
                     ON CONFLICT (alias) DO UPDATE SET hardware_id = excluded.hardware_id",
                    params![folded(alias), id],
                )?;
            }
        }
    }
    transaction.execute("DELETE FROM watch", [])?;
    for (ordinal, (family, display)) in WATCH.iter().enumerate() {
        transaction.execute(
            "INSERT INTO watch (family, display, ordinal) VALUES (?1, ?2, ?3)",
            params![family, display, ordinal],
        )?;
    }
    Ok(())
}

/// First line of the suite's facts: which version the rest describes.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct SuiteHeader {
    /// `kernelbench`.
    pub suite: String,
    /// Short name of the version.
    pub version: String,
    /// Newest commit of the suite with these definitions.
    pub commit: String,
    /// Date of the commit that brought them.
    pub committed_on: String,
}

fn load_kernelbench(transaction: &Transaction<'_>) -> Result<()> {
    let broken = |error: serde_json::Error| broken("facts of the suite", error);
    let mut lines = KERNELBENCH.lines();
    let header: SuiteHeader =
        serde_json::from_str(lines.next().unwrap_or_default()).map_err(broken)?;
    transaction.execute(
        "UPDATE suite_version SET current = 0 WHERE suite = ?1",
        [&header.suite],
    )?;
    transaction.execute(
        "INSERT INTO suite_version (suite, version, commit_id, committed_on, current)
         VALUES (?1, ?2, ?3, ?4, 1)
         ON CONFLICT (suite, version) DO UPDATE SET
             commit_id = excluded.commit_id, committed_on = excluded.committed_on, current = 1",
        params![
            header.suite,
            header.version,
            header.commit,
            header.committed_on
        ],
    )?;
    let version: i64 = transaction.query_row(
        "SELECT id FROM suite_version WHERE suite = ?1 AND version = ?2",
        params![header.suite, header.version],
        |row| row.get(0),
    )?;
    transaction.execute(
        "DELETE FROM suite_problem WHERE suite_version_id = ?1",
        [version],
    )?;
    for line in lines {
        let facts: ProblemFacts = serde_json::from_str(line).map_err(broken)?;
        let number = facts
            .file
            .split('_')
            .next()
            .and_then(|number| number.parse::<i64>().ok());
        transaction
            .prepare_cached(
                "INSERT INTO suite_problem (suite_version_id, level, file, number, facts)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![version, facts.level, facts.file, number, line])?;
    }
    Ok(())
}
