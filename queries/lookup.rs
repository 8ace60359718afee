//! From what people type to rows: slugs, digests, prefixes, spellings.

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::{Error, Result};

/// Fewest hex digits of a digest prefix.
const MIN_PREFIX: usize = 8;

/// How many near values an error lists.
const NEAR: usize = 8;

/// What an id names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// Operation, and the workload asked for, if the id names one.
    Operation {
        /// Rows; several versions may share a slug.
        rows: Vec<i64>,
        /// Workload row.
        workload: Option<i64>,
    },
    /// Run, by row.
    Run(i64),
    /// Implementation, by row.
    Implementation(i64),
    /// Product, by row.
    Hardware(i64),
    /// Snapshot, by row.
    Snapshot(i64),
}

/// What an id names: `kernelbench/level2/28`, `slug@version`, `sha256:…`, `run:…`,
/// `snap:…`, `hw:…`, `impl:…`.
pub fn subject(connection: &Connection, id: &str) -> Result<Subject> {
    if let Some(prefix) = id.strip_prefix("run:") {
        return run(connection, id, prefix).map(Subject::Run);
    }
    if let Some(prefix) = id.strip_prefix("snap:") {
        return Ok(Subject::Snapshot(snapshot(connection, id, prefix)?));
    }
    if let Some(text) = id.strip_prefix("hw:") {
        return one_product(connection, text).map(Subject::Hardware);
    }
    if let Some(text) = id.strip_prefix("impl:") {
        return one_implementation(connection, text).map(Subject::Implementation);
    }
    if let Some(prefix) = id.strip_prefix("sha256:") {
        return by_digest(connection, id, prefix);
    }
    Ok(Subject::Operation {
        rows: operations(connection, id)?,
        workload: None,
    })
}

/// Products that a text names: family, short name, id, or any spelling.
pub fn hardware(connection: &Connection, text: &str) -> Result<Vec<i64>> {
    let text = text.strip_prefix("hw:").unwrap_or(text);
    let folded = text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase();
    let mut statement = connection.prepare_cached(
        "SELECT id FROM hardware WHERE slug = ?1 OR short = ?1
         UNION SELECT hardware_id FROM hardware_alias WHERE alias = ?1",
    )?;
    let exact = rows(&mut statement, &folded)?;
    // A family's name may be a product's short name too (`l40s`); then both are meant.
    let mut statement = connection.prepare_cached("SELECT id FROM hardware WHERE family = ?1")?;
    let mut found = rows(&mut statement, &folded)?;
    found.extend(exact);
    found.sort_unstable();
    found.dedup();
    if found.is_empty() {
        return Err(unknown(
            connection,
            "hardware",
            text,
            "SELECT slug FROM hardware UNION SELECT short FROM hardware
             UNION SELECT family FROM hardware WHERE family IS NOT NULL",
        )?);
    }
    Ok(found)
}

fn one_product(connection: &Connection, text: &str) -> Result<i64> {
    let found = hardware(connection, text)?;
    if let [only] = found[..] {
        return Ok(only);
    }
    let exact: Option<i64> = connection
        .prepare_cached(
            "SELECT id FROM hardware WHERE slug = ?1 OR short = ?1 ORDER BY slug = ?1 DESC",
        )?
        .query_row([text.to_lowercase()], |row| row.get(0))
        .optional()?;
    match exact {
        Some(id) => Ok(id),
        None => Err(Error::Ambiguous {
            value: text.to_owned(),
            candidates: found
                .into_iter()
                .map(|id| {
                    connection.query_row(
                        "SELECT 'hw:' || slug FROM hardware WHERE id = ?1",
                        [id],
                        |row| row.get(0),
                    )
                })
                .collect::<rusqlite::Result<_>>()?,
        }),
    }
}

/// Operations that a text names: slug, `slug@version`, name-based slug, or digest.
pub fn operations(connection: &Connection, text: &str) -> Result<Vec<i64>> {
    if let Some(prefix) = text.strip_prefix("sha256:") {
        return match by_digest(connection, text, prefix)? {
            Subject::Operation { rows, .. } => Ok(rows),
            _ => Err(Error::Invalid(format!("`{text}` is not an operation"))),
        };
    }
    let mut statement =
        connection.prepare_cached("SELECT id FROM operation WHERE slug = ?1 ORDER BY digest")?;
    let found = rows(&mut statement, text)?;
    if !found.is_empty() {
        return Ok(found);
    }
    let (slug, version) = match text.split_once('@') {
        Some((slug, version)) => (slug, Some(version)),
        None => (text, None),
    };
    // By number (`kernelbench/level1/3@undeclared`) or by file name, in any version.
    let mut statement = connection.prepare_cached(
        "SELECT id FROM operation
         WHERE (suite || '/' || level || '/' || problem = ?1
                OR suite || '/' || level || '/' || file = ?1
                OR suite || '/' || level || '/' || file = ?1 || '.py'
                OR slug = ?1)
           AND (?2 IS NULL OR coalesce(suite_version, 'undeclared') = ?2)
         ORDER BY digest",
    )?;
    let found = statement
        .query_map(params![slug, version], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    if found.is_empty() {
        return Err(unknown(
            connection,
            "operation",
            text,
            "SELECT DISTINCT slug FROM operation",
        )?);
    }
    Ok(found)
}

/// Workloads by digest prefix.
pub fn workloads(connection: &Connection, text: &str) -> Result<Vec<i64>> {
    let prefix = digest_prefix(text, text.strip_prefix("sha256:").unwrap_or(text))?;
    let mut statement = connection.prepare_cached(
        "SELECT id FROM workload WHERE substr(digest, 8, length(?1)) = ?1 ORDER BY digest",
    )?;
    let found = rows(&mut statement, &prefix)?;
    if found.is_empty() {
        return Err(Error::Unknown {
            what: "workload",
            value: text.to_owned(),
            near: Vec::new(),
        });
    }
    Ok(found)
}

/// Digests of the implementations that a text names.
pub fn implementations(connection: &Connection, text: &str) -> Result<Vec<String>> {
    let text = text.strip_prefix("impl:").unwrap_or(text);
    let mut statement = connection.prepare_cached(
        "SELECT digest FROM implementation
         WHERE lower(name) = lower(?1) OR lower(slug) = lower(?1) OR lower(interface) = lower(?1)
            OR (length(?1) >= 8 AND substr(digest, 8, length(?1)) = lower(?1))
         ORDER BY digest",
    )?;
    let found = statement
        .query_map([text], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<String>>>()?;
    if found.is_empty() {
        return Err(unknown(
            connection,
            "implementation",
            text,
            "SELECT name FROM implementation UNION SELECT slug FROM implementation",
        )?);
    }
    Ok(found)
}

fn one_implementation(connection: &Connection, text: &str) -> Result<i64> {
    let digests = implementations(connection, text)?;
    match &digests[..] {
        [digest] => Ok(connection.query_row(
            "SELECT id FROM implementation WHERE digest = ?1",
            [digest],
            |row| row.get(0),
        )?),
        _ => Err(Error::Ambiguous {
            value: text.to_owned(),
            candidates: digests
                .iter()
                .map(|digest| format!("impl:{}", &digest[7..19.min(digest.len())]))
                .collect(),
        }),
    }
}

/// One run by digest prefix: found by looking at all, a tenth of a second for a million.
pub fn run(connection: &Connection, asked: &str, prefix: &str) -> Result<i64> {
    let prefix = digest_prefix(asked, prefix)?;
    // Raw bytes from the prefix padded with the least and the greatest digits.
    let bound = |pad: &str| -> String { format!("{prefix}{}", pad.repeat(64 - prefix.len())) };
    let mut statement = connection.prepare_cached(
        "SELECT id, lower(hex(digest)) FROM measurement
         WHERE digest BETWEEN unhex(?1) AND unhex(?2)
         ORDER BY digest LIMIT 9",
    )?;
    let found = statement
        .query_map(params![bound("0"), bound("f")], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    match &found[..] {
        [(id, _)] => Ok(*id),
        [] => Err(Error::Unknown {
            what: "run",
            value: asked.to_owned(),
            near: Vec::new(),
        }),
        several => Err(Error::Ambiguous {
            value: asked.to_owned(),
            candidates: several
                .iter()
                .map(|(_, digest)| format!("run:{}", &digest[..16]))
                .collect(),
        }),
    }
}

/// What a run counts as, itself or the one that it is a copy of, with the row of its
/// cohort.
pub(crate) fn counted(connection: &Connection, run: i64) -> Result<(i64, i64)> {
    let mut statement = connection.prepare_cached(
        "SELECT m.id, m.cohort_id FROM measurement asked
         JOIN measurement m ON m.id = coalesce(asked.copy_of, asked.id)
         WHERE asked.id = ?1",
    )?;
    Ok(statement.query_row([run], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

fn snapshot(connection: &Connection, asked: &str, prefix: &str) -> Result<i64> {
    let prefix = digest_prefix(asked, prefix.strip_prefix("sha256:").unwrap_or(prefix))?;
    match &by_prefix(connection, "snapshot", "sha256", &prefix)?[..] {
        [(id, _)] => Ok(*id),
        [] => Err(unknown(
            connection,
            "snapshot",
            asked,
            "SELECT 'snap:' || substr(sha256, 8, 12) FROM snapshot",
        )?),
        several => Err(Error::Ambiguous {
            value: asked.to_owned(),
            candidates: several
                .iter()
                .map(|(_, digest)| format!("snap:{}", &digest[7..23]))
                .collect(),
        }),
    }
}

fn by_prefix(
    connection: &Connection,
    table: &str,
    column: &str,
    prefix: &str,
) -> Result<Vec<(i64, String)>> {
    // Table and column are this module's own words, never input.
    let mut statement = connection.prepare_cached(&format!(
        "SELECT id, {column} FROM {table}
         WHERE {column} >= 'sha256:' || ?1 AND {column} < 'sha256:' || ?1 || 'g'
         ORDER BY {column} LIMIT 9"
    ))?;
    let found = statement.query_map([prefix], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// An operation, workload, cohort, snapshot, implementation or run by its digest.
fn by_digest(connection: &Connection, asked: &str, prefix: &str) -> Result<Subject> {
    let prefix = digest_prefix(asked, prefix)?;
    let mut found: Vec<(String, Subject)> = Vec::new();
    let operation = |rows, workload| Subject::Operation { rows, workload };
    for column in ["digest", "published_digest"] {
        for (id, digest) in by_prefix(connection, "operation", column, &prefix)? {
            let subject = operation(vec![id], None);
            if !found.iter().any(|(_, known)| *known == subject) {
                found.push((digest, subject));
            }
        }
    }
    for (id, digest) in by_prefix(connection, "workload", "digest", &prefix)? {
        let row = connection.query_row(
            "SELECT operation_id FROM workload WHERE id = ?1",
            [id],
            |row| row.get(0),
        )?;
        found.push((digest, operation(vec![row], Some(id))));
    }
    for (id, digest) in by_prefix(connection, "cohort", "digest", &prefix)? {
        // A cohort is shown where it is ranked: on the page of its workload.
        let (row, workload) = connection.query_row(
            "SELECT w.operation_id, w.id FROM cohort c
             JOIN workload w ON w.id = c.workload_id WHERE c.id = ?1",
            [id],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        found.push((digest, operation(vec![row], Some(workload))));
    }
    for (id, digest) in by_prefix(connection, "snapshot", "sha256", &prefix)? {
        found.push((digest, Subject::Snapshot(id)));
    }
    for (id, digest) in by_prefix(connection, "implementation", "digest", &prefix)? {
        found.push((digest, Subject::Implementation(id)));
    }
    match run(connection, asked, &prefix) {
        Ok(id) => found.push((format!("run:{prefix}"), Subject::Run(id))),
        Err(Error::Unknown { .. }) => {}
        Err(error) => return Err(error),
    }
    if found.len() > 1 {
        return Err(Error::Ambiguous {
            value: asked.to_owned(),
            candidates: found.into_iter().map(|(digest, _)| digest).collect(),
        });
    }
    found
        .pop()
        .map(|(_, subject)| subject)
        .ok_or_else(|| Error::Unknown {
            what: "digest",
            value: asked.to_owned(),
            near: Vec::new(),
        })
}

fn digest_prefix(asked: &str, prefix: &str) -> Result<String> {
    let prefix = prefix.trim_end_matches('…').to_lowercase();
    let hex = prefix.chars().all(|c| c.is_ascii_hexdigit());
    if !hex || prefix.len() < MIN_PREFIX || prefix.len() > 64 {
        return Err(Error::Invalid(format!(
            "`{asked}` is no digest: {MIN_PREFIX} to 64 hex digits are expected"
        )));
    }
    Ok(prefix)
}

/// A value that must be one of a column's.
pub fn one_of(
    connection: &Connection,
    what: &'static str,
    value: &str,
    sql: &str,
) -> Result<String> {
    let known = texts(connection, sql)?;
    known
        .iter()
        .find(|known| known.eq_ignore_ascii_case(value))
        .cloned()
        .ok_or_else(|| Error::Unknown {
            what,
            value: value.to_owned(),
            near: near(value, &known),
        })
}

fn unknown(connection: &Connection, what: &'static str, value: &str, sql: &str) -> Result<Error> {
    Ok(Error::Unknown {
        what,
        value: value.to_owned(),
        near: near(value, &texts(connection, sql)?),
    })
}

fn texts(connection: &Connection, sql: &str) -> Result<Vec<String>> {
    let mut statement = connection.prepare(sql)?;
    let texts = statement.query_map([], |row| row.get(0))?;
    Ok(texts.collect::<rusqlite::Result<_>>()?)
}

fn rows(statement: &mut rusqlite::CachedStatement<'_>, text: &str) -> Result<Vec<i64>> {
    let rows = statement.query_map([text], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The values spelt most alike, best first; all of them if they are few.
fn near(value: &str, known: &[String]) -> Vec<String> {
    let value = value.to_lowercase();
    let mut scored: Vec<(f64, &String)> = known
        .iter()
        .map(|known| {
            let lower = known.to_lowercase();
            let within = lower.contains(&value) || value.contains(&lower);
            let score = strsim::jaro_winkler(&value, &lower) + if within { 0.3 } else { 0.0 };
            (score, known)
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored
        .into_iter()
        .filter(|(score, _)| known.len() <= NEAR || *score > 0.6)
        .take(NEAR)
        .map(|(_, known)| known.clone())
        .collect()
}
