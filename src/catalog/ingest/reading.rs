//! A reading with its origins, issues and sightings.

use kidx_importers::{
    Basis, Declared, Figure, Issue, Observation, Place, Reading, Severity, Terms,
};
use rusqlite::{Connection, OptionalExtension, Statement, ToSql, named_params, params};

use super::input::Incoming;
use crate::error::{Error, Result};

/// A reading as it is to be kept.
pub(super) struct Kept<'a> {
    pub(super) snapshot: i64,
    pub(super) source: i64,
    /// Importer and its version.
    pub(super) importer: &'a str,
    pub(super) declared: &'a Declared,
    /// Version of the suite's problems at the commit that brought the bytes.
    pub(super) committed_version: Option<&'a str>,
    pub(super) suite_version: Option<&'a str>,
    pub(super) assumptions: &'a [String],
    pub(super) learned_at: &'a str,
}

/// The row of a reading, and whether it is new.
pub(super) fn put(
    connection: &Connection,
    kept: &Kept<'_>,
    incoming: &Incoming<'_>,
    reading: &Reading,
) -> Result<(i64, bool)> {
    let declared = json_text(kept.declared)?;
    let revision = incoming.revision;
    let known: Option<i64> = connection
        .prepare_cached(
            "SELECT id FROM reading WHERE snapshot_id = ?1 AND importer = ?2
             AND folder IS ?3 AND file IS ?4 AND declared = ?5 AND commit_id IS ?6",
        )?
        .query_row(
            params![
                kept.snapshot,
                kept.importer,
                incoming.folder,
                incoming.file,
                declared,
                revision.map(|revision| &revision.commit)
            ],
            |row| row.get(0),
        )
        .optional()?;
    if let Some(id) = known {
        return Ok((id, false));
    }
    let basis = match reading.basis {
        Basis::Assumed => "assumed",
        Basis::Path => "path",
        Basis::Declared => "declared",
    };
    let used = reading.observations.len() as u64;
    let (terms, terms_basis) = terms(kept.declared, &reading.terms);
    connection
        .prepare_cached(include_str!("../sql/put_reading.sql"))?
        .execute(named_params! {
            ":snapshot_id": kept.snapshot,
            ":source_id": kept.source,
            ":importer": kept.importer,
            ":folder": incoming.folder,
            ":file": incoming.file,
            ":declared": declared,
            ":provider": reading.provider,
            ":basis": basis,
            ":assumptions": json_text(kept.assumptions)?,
            ":unit_declared": reading.unit_declared,
            ":commit_id": revision.map(|revision| &revision.commit),
            ":committed_at": revision.map(|revision| &revision.authored_at),
            ":committed_version": kept.committed_version,
            ":suite_version": kept.suite_version,
            ":license": terms.license,
            ":attribution": terms.attribution,
            ":redistribution": terms.redistribution,
            ":terms_basis": terms_basis,
            ":records": reading.records,
            ":rejected": reading.records.saturating_sub(used),
            ":learned_at": kept.learned_at,
        })?;
    Ok((connection.last_insert_rowid(), true))
}

/// Terms that differ from the source's, and who says so: the user before the file.
fn terms(declared: &Declared, stated: &Terms) -> (Terms, &'static str) {
    let is_declared = declared.license.is_some()
        || declared.attribution.is_some()
        || declared.redistribution.is_some();
    let basis = if is_declared {
        "declared"
    } else if *stated == Terms::default() {
        "source"
    } else {
        "stated"
    };
    let terms = Terms {
        license: declared.license.clone().or(stated.license.clone()),
        attribution: declared.attribution.clone().or(stated.attribution.clone()),
        redistribution: declared.redistribution.or(stated.redistribution),
    };
    (terms, basis)
}

/// Notes where and when the bytes were met; returns whether that was new.
pub(super) fn put_origin(
    connection: &Connection,
    reading: i64,
    incoming: &Incoming<'_>,
    learned_at: &str,
) -> Result<bool> {
    let observed_at = incoming.observed.as_ref().map(|o| o.0.as_str());
    let observed_basis = incoming.observed.as_ref().map(|o| o.1.as_str());
    let container = incoming.container.as_ref().map(|c| c.0);
    let known: bool = connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM origin WHERE reading_id = ?1 AND location = ?2
             AND observed_at IS ?3 AND observed_basis IS ?4 AND container IS ?5)",
        )?
        .query_row(
            params![
                reading,
                incoming.location,
                observed_at,
                observed_basis,
                container
            ],
            |row| row.get(0),
        )?;
    if known {
        return Ok(false);
    }
    connection
        .prepare_cached(
            "INSERT INTO origin (reading_id, location, container, container_sha256,
                                 observed_at, observed_basis, learned_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            reading,
            incoming.location,
            container,
            incoming.container.as_ref().map(|c| c.1.as_str()),
            observed_at,
            observed_basis,
            learned_at
        ])?;
    Ok(true)
}

pub(super) fn put_issue(connection: &Connection, reading: i64, issue: &Issue) -> Result<()> {
    let severity = match issue.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    connection
        .prepare_cached(
            "INSERT INTO issue (reading_id, severity, code, pointer, line, col, message, hint, rejects)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            reading,
            severity,
            issue.code,
            issue.place.pointer,
            issue.place.line,
            issue.place.column,
            issue.message,
            issue.hint,
            issue.rejects
        ])?;
    Ok(())
}

/// Sightings that one statement writes: starting and ending it costs as much as a row.
const SIGHTINGS: usize = 16;

/// Writes where a reading states its runs, whose rows are given in its order.
pub(super) fn put_sightings(
    connection: &Connection,
    reading: i64,
    runs: &[i64],
    observations: &[Observation],
) -> Result<()> {
    let mut many = connection.prepare_cached(&sightings_sql(SIGHTINGS))?;
    let mut one = connection.prepare_cached(&sightings_sql(1))?;
    let (whole, rest) = runs.split_at(runs.len() - runs.len() % SIGHTINGS);
    let (chunks, singles) = (whole.chunks(SIGHTINGS), rest.chunks(1));
    let mut first = 0;
    for chunk in chunks.chain(singles) {
        let statement = if chunk.len() == SIGHTINGS {
            &mut many
        } else {
            &mut one
        };
        put_some(
            statement,
            reading,
            first,
            chunk.iter().zip(&observations[first..]),
        )?;
        first += chunk.len();
    }
    Ok(())
}

fn sightings_sql(rows: usize) -> String {
    let row = |at: usize| {
        let first = 2 + 7 * at;
        let places: Vec<String> = (first..first + 7)
            .map(|place| format!("?{place}"))
            .collect();
        format!("(?1, {})", places.join(", "))
    };
    let rows: Vec<String> = (0..rows).map(row).collect();
    format!(
        "INSERT INTO sighting
             (reading_id, ordinal, measurement_id, pointer, line, hardware, stated, recorded_at)
         VALUES {}",
        rows.join(", ")
    )
}

fn put_some<'a>(
    statement: &mut Statement<'_>,
    reading: i64,
    first: usize,
    rows: impl Iterator<Item = (&'a i64, &'a Observation)>,
) -> rusqlite::Result<()> {
    statement.raw_bind_parameter(1, reading)?;
    let mut at = 1;
    for (ordinal, (run, observation)) in (first..).zip(rows) {
        let recorded_at = observation
            .circumstances
            .as_deref()
            .and_then(|more| more.recorded_at.as_deref());
        let mut bind = |value: &dyn ToSql| {
            at += 1;
            statement.raw_bind_parameter(at, value)
        };
        bind(&ordinal)?;
        bind(run)?;
        bind(&observation.place.pointer)?;
        bind(&observation.place.line)?;
        bind(&&*observation.hardware)?;
        bind(&stated(observation))?;
        bind(&recorded_at)?;
    }
    statement.raw_execute()?;
    Ok(())
}

/// Each figure's own text and other evidence, as a JSON object. Written by hand, since there
/// is one per run.
pub fn stated(observation: &Observation) -> String {
    let figures = &observation.figures;
    let samples = figures.samples.map(|samples| samples.to_string());
    let range = figures.range.as_deref();
    // A mean goes by that name, as most sources call it; other statistics are the value.
    let (mean, value) = match &*observation.metric.statistic {
        "mean" => (figures.value.as_ref(), None),
        _ => (None, figures.value.as_ref()),
    };
    let texts = [
        ("high", range.map(|range| &*range.1.text)),
        ("low", range.map(|range| &*range.0.text)),
        ("max", text(figures.max.as_ref())),
        ("mean", text(mean)),
        ("min", text(figures.min.as_ref())),
        ("num_trials", samples.as_deref()),
        ("std", text(figures.std.as_ref())),
        ("value", text(value)),
    ];
    let evidence = observation
        .circumstances
        .as_deref()
        .map_or(&[][..], |more| &more.texts);
    let mut json = String::with_capacity(96);
    let mut push = |name: &str, text: &str| {
        json.push(if json.is_empty() { '{' } else { ',' });
        push_json_string(&mut json, name);
        json.push(':');
        push_json_string(&mut json, text);
    };
    for (name, text) in texts {
        if let Some(text) = text {
            push(name, text);
        }
    }
    for (name, text) in evidence {
        push(name, text);
    }
    if json.is_empty() {
        json.push('{');
    }
    json.push('}');
    json
}

fn text(figure: Option<&Figure>) -> Option<&str> {
    figure.map(|figure| &*figure.text)
}

/// A number's text and a figure's name need no escaping; others are left to the JSON writer.
fn push_json_string(json: &mut String, text: &str) {
    if text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte))
    {
        json.push('"');
        json.push_str(text);
        json.push('"');
    } else {
        json.push_str(&serde_json::Value::from(text).to_string());
    }
}

pub(super) fn json_text(value: &(impl serde::Serialize + ?Sized)) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Error::failed("a value has no JSON form").because(error))
}

/// Takes dates of records that are yet to come for none, and says so: the clock that gave
/// them was wrong. `now` is when the file learns of them.
pub fn without_dates_to_come(reading: &mut Reading, now: &str) {
    let mut to_come: Vec<(Place, String)> = Vec::new();
    for run in &mut reading.observations {
        let Some(circumstances) = run.circumstances.as_deref_mut() else {
            continue;
        };
        if let Some(at) = circumstances.recorded_at.take_if(|at| &**at > now) {
            to_come.push((run.place.clone(), at));
        }
    }
    if let Some((place, at)) = to_come.first() {
        let message = format!(
            "dates of records are yet to come ({} of {}, the first `{at}`): they count as undated",
            to_come.len(),
            reading.observations.len()
        );
        reading.issues.push(Issue {
            severity: Severity::Warning,
            code: "DATE_TO_COME".to_owned(),
            place: place.clone(),
            message,
            hint: None,
            rejects: 0,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hand_written_text_is_json() {
        for text in ["2.790", "1e-3", "-0", "\"2\"", "a\nb", "×"] {
            let mut json = String::new();
            push_json_string(&mut json, text);
            assert_eq!(json, json_text(text).unwrap());
        }
    }
}
