//! Is the file what it says? Every digest is computed again, every figure is found again
//! in its snapshot, all snapshots are taken in anew and everything they say is compared,
//! and everything derived is rebuilt and compared. What no snapshot says, an origin's
//! path and date, can't be checked.

use std::collections::BTreeMap;

use kidx_importers::importer;
use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::anew::Kept;
use super::identity::{self, MeasurementKey, hex};
use super::ingest::Ingest;
use super::{Content, derive, ingest, peaks, snapshot, suite};
use crate::error::{Error, Result};

/// One thing that isn't as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// Stable code: `DIGEST`, `SNAPSHOT`, `FIGURE`, `STATED`, `DERIVED`, `REFERENCE`, `DAMAGED`.
    pub code: &'static str,
    /// What is affected.
    pub subject: String,
    /// What was found and what was expected.
    pub message: String,
}

/// What was checked, and what was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Report {
    /// Digests computed again: entities, cohorts, runs.
    pub digests: u64,
    /// Snapshots unpacked and hashed.
    pub snapshots: u64,
    /// Figures found again at their place.
    pub figures: u64,
    /// Derived rows rebuilt and compared.
    pub derived: u64,
    /// What isn't as it should be; empty: the file is sound.
    pub findings: Vec<Finding>,
}

impl Report {
    fn found(
        &mut self,
        code: &'static str,
        subject: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.findings.push(Finding {
            code,
            subject: subject.into(),
            message: message.into(),
        });
    }
}

/// Checks the whole file without changing it.
pub fn verify(connection: &Connection) -> Result<Report> {
    let mut report = Report::default();
    integrity(connection, &mut report)?;
    entities(connection, &mut report)?;
    cohorts(connection, &mut report)?;
    runs(connection, &mut report)?;
    let again = snapshots(connection, &mut report)?;
    entities_again(connection, &again, &mut report)?;
    derived(connection, &mut report)?;
    Ok(report)
}

/// SQLite's own check, and references.
fn integrity(connection: &Connection, report: &mut Report) -> Result<()> {
    let mut statement = connection.prepare("PRAGMA integrity_check(20)")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let text: String = row.get(0)?;
        if text != "ok" {
            report.found("DAMAGED", "the file", text);
        }
    }
    let mut statement = connection
        .prepare("SELECT \"table\", rowid, parent FROM pragma_foreign_key_check LIMIT 20")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (table, rowid, parent): (String, Option<i64>, String) =
            (row.get(0)?, row.get(1)?, row.get(2)?);
        report.found(
            "REFERENCE",
            format!("{table} {}", rowid.unwrap_or_default()),
            format!("refers to a row of `{parent}` that isn't there"),
        );
    }
    Ok(())
}

fn entities(connection: &Connection, report: &mut Report) -> Result<()> {
    for (table, kind) in identity::KINDS {
        let mut statement = connection.prepare(&format!("SELECT digest, spec FROM {table}"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (digest, spec): (String, String) = (row.get(0)?, row.get(1)?);
            report.digests += 1;
            let again = serde_json::from_str::<Value>(&spec)
                .map_err(|error| Error::failed("a spec is no JSON").because(error))
                .and_then(|spec| identity::identify(kind, &spec));
            match again {
                Ok(again) if again.digest == digest => {}
                Ok(again) => report.found(
                    "DIGEST",
                    format!("{table} {digest}"),
                    format!("its spec gives {}", again.digest),
                ),
                Err(error) => {
                    report.found("DIGEST", format!("{table} {digest}"), error.to_string());
                }
            }
        }
    }
    Ok(())
}

fn cohorts(connection: &Connection, report: &mut Report) -> Result<()> {
    let mut statement = connection.prepare(
        "SELECT c.digest, w.digest, e.digest, p.digest, c.metric
         FROM cohort c JOIN workload w ON w.id = c.workload_id
         JOIN environment e ON e.id = c.environment_id JOIN protocol p ON p.id = c.protocol_id",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let texts: [String; 5] = [
            row.get(0)?,
            row.get(1)?,
            row.get(2)?,
            row.get(3)?,
            row.get(4)?,
        ];
        let [digest, workload, environment, protocol, metric] = &texts;
        report.digests += 1;
        let again = identity::cohort(workload, environment, protocol, metric)?;
        if again != *digest {
            report.found(
                "DIGEST",
                format!("cohort {digest}"),
                format!("its parts give {again}"),
            );
        }
    }
    Ok(())
}

fn runs(connection: &Connection, report: &mut Report) -> Result<()> {
    let mut statement = connection.prepare(include_str!("sql/run_keys.sql"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let quantity: String = row.get("quantity")?;
        let (source, implementation, cohort, status): (String, String, String, String) = (
            row.get("source")?,
            row.get("implementation")?,
            row.get("cohort")?,
            row.get("status")?,
        );
        let key = MeasurementKey {
            source: &source,
            implementation: &implementation,
            cohort: &cohort,
            status: &status,
            quantity: &quantity,
            range: row
                .get::<_, Option<i64>>("low")?
                .zip(row.get::<_, Option<i64>>("high")?),
            figures: [
                row.get("value")?,
                row.get("std")?,
                row.get("min")?,
                row.get("max")?,
            ],
            samples: row.get("samples")?,
        };
        let digest: Vec<u8> = row.get("digest")?;
        report.digests += 1;
        if key.digest()[..] != digest[..] {
            report.found(
                "DIGEST",
                format!("run:{}", hex(&digest)),
                format!("its figures give run:{}", hex(&key.digest())),
            );
        }
    }
    Ok(())
}

/// A sighting as it is kept: place, device, texts of figures, and their values.
type Figure = (String, Option<u64>, String, String, Option<i64>);

/// Unpacks and hashes every snapshot and reads it again; returns a temporary catalogue
/// into which everything was taken anew.
fn snapshots(connection: &Connection, report: &mut Report) -> Result<Connection> {
    let anew = super::open_temporary()?;
    // Versions that were read from repositories are evidence: no snapshot holds them.
    suite::copy_kept(connection, &anew)?;
    peaks::name_again(connection, &anew)?;
    let mut statement =
        connection.prepare("SELECT id, sha256, bytes FROM snapshot ORDER BY sha256")?;
    let all = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<Vec<(i64, String, usize)>>>()?;
    let mut ingest = None;
    for (id, sha256, bytes) in all {
        report.snapshots += 1;
        let content = match snapshot::content(connection, id) {
            Ok(content) => content,
            Err(error) => {
                report.found("SNAPSHOT", sha256, error.to_string());
                continue;
            }
        };
        let again = identity::sha256(&content);
        if again != sha256 || content.len() != bytes {
            report.found(
                "SNAPSHOT",
                sha256,
                format!(
                    "its content has digest {again} and {} bytes; {bytes} bytes were kept",
                    content.len()
                ),
            );
            continue;
        }
        let kept = (id, sha256.as_str());
        figures(connection, (&anew, &mut ingest), report, kept, &content)?;
    }
    Ok(anew)
}

/// Reads a snapshot again, each way it was read, and compares every sighting. What takes the
/// readings in is kept for the next of its kind: it remembers the rows that they share.
fn figures(
    connection: &Connection,
    (anew, ingest): (&Connection, &mut Option<Ingest>),
    report: &mut Report,
    (snapshot, sha256): (i64, &str),
    content: &[u8],
) -> Result<()> {
    let kept_readings = match Kept::of(connection, snapshot) {
        Ok(kept) => kept,
        Err(error) => {
            report.found("FIGURE", sha256, error.to_string());
            return Ok(());
        }
    };
    let packed = Content::hashed(sha256.to_owned(), content)?;
    for reading in kept_readings {
        let Some(importer) = importer(&reading.source) else {
            report.found(
                "FIGURE",
                sha256,
                format!("no importer for source `{}`", reading.source),
            );
            continue;
        };
        let declared = &reading.declared;
        let again = match importer.read(&reading.input(content, &reading.files_beside()), declared)
        {
            Ok(mut again) => {
                ingest::without_dates_to_come(&mut again, &reading.learned_at);
                again
            }
            Err(refused) => {
                report.found("FIGURE", sha256, format!("is refused now: {refused}"));
                continue;
            }
        };
        if again.records != reading.records {
            report.found(
                "FIGURE",
                sha256,
                format!(
                    "holds {} records; {} were counted",
                    again.records, reading.records
                ),
            );
        }
        let incoming = reading.incoming(&packed, "verify");
        let source = importer.source();
        let taker = match ingest.take().filter(|known| known.is_of(source, declared)) {
            Some(known) => known,
            None => Ingest::new(anew, source, declared, "")?,
        };
        ingest.insert(taker).take(anew, &incoming, &again)?;
        let mut kept = sightings(connection, reading.id)?;
        for (ordinal, observation) in again.observations.iter().enumerate() {
            report.figures += 1;
            let place = &observation.place;
            let expected: Figure = (
                place.pointer.clone(),
                place.line,
                observation.hardware.to_string(),
                ingest::stated(observation),
                observation.figures.value.as_ref().map(|value| value.amount),
            );
            match kept.remove(&(ordinal)) {
                Some(found) if found == expected => {}
                Some(found) => report.found(
                    "FIGURE",
                    format!("{sha256} {}", place.pointer),
                    format!(
                        "states {}; the file keeps {}",
                        told(&expected),
                        told(&found)
                    ),
                ),
                None => report.found(
                    "FIGURE",
                    format!("{sha256} {}", place.pointer),
                    "is stated by the snapshot and not kept",
                ),
            }
        }
        for (pointer, ..) in kept.into_values() {
            report.found(
                "FIGURE",
                format!("{sha256} {pointer}"),
                "is kept and not stated by the snapshot",
            );
        }
    }
    Ok(())
}

/// A sighting in words.
fn told((_, line, hardware, stated, value): &Figure) -> String {
    format!(
        "{stated} for `{hardware}` on line {}, kept as {}",
        line.unwrap_or_default(),
        value.unwrap_or_default()
    )
}

fn sightings(connection: &Connection, reading: i64) -> Result<BTreeMap<usize, Figure>> {
    let mut statement = connection.prepare_cached(
        "SELECT s.ordinal, s.pointer, s.line, s.hardware, s.stated, m.value
         FROM sighting s JOIN measurement m ON m.id = s.measurement_id WHERE s.reading_id = ?1",
    )?;
    let rows = statement.query_map([reading], |row| {
        Ok((
            row.get(0)?,
            (
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
                row.get(5)?,
            ),
        ))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Entities beside their digested specs, and what was read, as text by what identifies
/// each: names, licences, peaks, facts. Compared with what taking everything in again gives.
const STATED: &[(&str, &str)] = &[
    ("source", include_str!("sql/verify/source.sql")),
    ("hardware", include_str!("sql/verify/hardware.sql")),
    ("spelling", include_str!("sql/verify/alias.sql")),
    ("watch", include_str!("sql/verify/watch.sql")),
    (
        "suite version",
        include_str!("sql/verify/suite_version.sql"),
    ),
    (
        "suite problem",
        include_str!("sql/verify/suite_problem.sql"),
    ),
    ("operation", include_str!("sql/verify/operation.sql")),
    ("workload", include_str!("sql/verify/workload.sql")),
    (
        "implementation",
        include_str!("sql/verify/implementation.sql"),
    ),
    ("environment", include_str!("sql/verify/environment.sql")),
    ("protocol", include_str!("sql/verify/protocol.sql")),
    ("reading", include_str!("sql/verify/reading.sql")),
    ("issue", include_str!("sql/verify/issue.sql")),
];

fn entities_again(connection: &Connection, again: &Connection, report: &mut Report) -> Result<()> {
    // A file last written by another version holds that version's reference data.
    let built_in = "SELECT key, value FROM meta";
    if texts(connection, built_in)? != texts(again, built_in)? {
        report.found(
            "REFERENCE",
            "built-in tables",
            "are not those of this program; any import brings them up to date",
        );
        return Ok(());
    }
    for (what, sql) in STATED {
        let kept = texts(connection, sql)?;
        let mut anew = texts(again, sql)?;
        for (key, value) in kept {
            match anew.remove(&key) {
                Some(read) if read == value => {}
                Some(read) => report.found(
                    "STATED",
                    format!("{what} {key}"),
                    format!("is `{value}`; reading everything again gives `{read}`"),
                ),
                None => report.found(
                    "STATED",
                    format!("{what} {key}"),
                    "does not follow from any snapshot",
                ),
            }
        }
        for key in anew.into_keys() {
            report.found("STATED", format!("{what} {key}"), "is missing");
        }
    }
    // A run whose snapshot can't be read is told of there.
    let resolutions = include_str!("sql/verify/resolution.sql");
    let anew = texts(again, resolutions)?;
    for (run, kept) in texts(connection, resolutions)? {
        if let Some(read) = anew.get(&run).filter(|read| **read != kept) {
            report.found(
                "STATED",
                run,
                format!("is known to ±{kept} ps; reading everything again gives ±{read} ps"),
            );
        }
    }
    Ok(())
}

/// Rebuilds everything derived in a temporary copy and compares row by row.
fn derived(connection: &Connection, report: &mut Report) -> Result<()> {
    // A private temporary database: SQLite keeps it in memory while it is small.
    let mut copy = Connection::open("")?;
    rusqlite::backup::Backup::new(connection, &mut copy)?.run_to_completion(
        4_096,
        std::time::Duration::ZERO,
        None,
    )?;
    derive::rebuild(&copy)?;
    for (what, sql) in [
        (
            "record",
            "SELECT cohort_id, measurement_id || ' ' || coalesce(baseline_id, '-') || ' ' || unbeaten || ' ' || runs FROM record",
        ),
        (
            "standing",
            "SELECT cohort_id || ' ' || implementation_id, measurement_id || ' ' || position || ' ' || rank || ' ' || tied FROM standing",
        ),
        (
            "doubt",
            "SELECT measurement_id || ' ' || code, round(factor, 9) || ' ' || against FROM doubt",
        ),
        (
            "run",
            "SELECT id, coalesce(observed_at, '-') || ' ' || coalesce(observed_basis, '-') || ' ' || coalesce(copy_of, '-') FROM measurement",
        ),
        (
            "reading",
            "SELECT id, coalesce(observed_at, '-') || ' ' || coalesce(observed_basis, '-') FROM reading",
        ),
    ] {
        let kept = texts(connection, sql)?;
        let mut again = texts(&copy, sql)?;
        report.derived += kept.len() as u64;
        for (key, value) in kept {
            match again.remove(&key) {
                Some(rebuilt) if rebuilt == value => {}
                Some(rebuilt) => report.found(
                    "DERIVED",
                    format!("{what} {key}"),
                    format!("is `{value}`; rebuilding gives `{rebuilt}`"),
                ),
                None => report.found("DERIVED", format!("{what} {key}"), "should not be there"),
            }
        }
        for key in again.into_keys() {
            report.found("DERIVED", format!("{what} {key}"), "is missing");
        }
    }
    Ok(())
}

fn texts(connection: &Connection, sql: &str) -> Result<BTreeMap<String, String>> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| {
        let text = |at| -> rusqlite::Result<String> {
            Ok(match row.get_ref(at)? {
                rusqlite::types::ValueRef::Integer(number) => number.to_string(),
                other => other.as_str().unwrap_or_default().to_owned(),
            })
        };
        Ok((text(0)?, text(1)?))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
