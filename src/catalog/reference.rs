//! Reference data that comes with the program: hardware peaks, the suite's problems,
//! the watch list. Loaded into tables when their digest changed, so that questions read
//! the file alone.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params, params};

use super::identity;
use super::suite::Suite;
use super::suite::versions::{self, KERNELBENCH};
use crate::error::{Error, Result};

const HARDWARE: &str = include_str!("reference/hardware.csv");

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

/// All versions by name; the problems of today's.
fn load_kernelbench(transaction: &Transaction<'_>) -> Result<()> {
    let suite = Suite::built_in("kernelbench")?;
    let current = suite.current().map(|version| &version.header.version);
    for version in suite.versions() {
        let header = &version.header;
        if Some(&header.version) == current {
            let problems = suite
                .modules(version)
                .into_iter()
                .map(|module| &module.facts);
            versions::keep(transaction, header, true, problems)?;
        } else {
            versions::put_header(transaction, header, false)?;
        }
    }
    Ok(())
}
