//! Where figures come from: how some bytes were read, where they were met, and under
//! which licences they may be used.

use std::collections::HashMap;

use rusqlite::{Connection, Row, named_params};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::policy::licence;
use crate::policy::observation::{self, Sighting, UnknownBasis};
use crate::rows;
use crate::view::View;

/// A licence: what its owner says, and what that is taken to mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Licence {
    /// The owner's own text; `null` where nothing is stated.
    pub declared: Option<String>,
    /// SPDX expression, where the text is one; `null` is unknown.
    pub concluded: Option<String>,
}

impl From<Option<String>> for Licence {
    fn from(declared: Option<String>) -> Self {
        Self {
            concluded: declared.as_deref().and_then(licence::concluded),
            declared,
        }
    }
}

/// Who published figures, and on which terms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Publisher {
    /// Short name.
    pub slug: String,
    /// Display name.
    pub name: String,
    /// Where it is published.
    pub home: String,
    /// Whom to name when figures are passed on.
    pub attribution: String,
    /// Terms worth knowing.
    pub terms: String,
    /// Whether figures may be passed on; `null` is unknown.
    pub redistribution: Option<bool>,
    /// Licence of the data; a reading's own takes its place.
    pub data_license: Licence,
    /// Licence of the published modules.
    pub module_license: Licence,
}

impl Publisher {
    /// Reads the source columns of a row.
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            slug: row.get("source")?,
            name: row.get("source_name")?,
            home: row.get("home")?,
            attribution: row.get("attribution")?,
            terms: row.get("terms")?,
            redistribution: row.get("redistribution")?,
            data_license: row.get::<_, Option<String>>("data_license")?.into(),
            module_license: row.get::<_, Option<String>>("module_license")?.into(),
        })
    }
}

/// Where the bytes of a reading were met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Origin {
    /// Path, URL or `-`.
    pub location: String,
    /// Compression around the content: `gzip`, `zstd`; `null` for none.
    pub container: Option<String>,
    /// Digest of the compressed bytes.
    pub container_sha256: Option<String>,
    /// Instant or day that the figures were observed, as this origin dates them.
    pub observed_at: Option<String>,
    /// How that is known.
    pub observed_basis: Option<String>,
    /// When the file learned of it.
    pub learned_at: String,
}

/// One interpretation of a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReadingFacts {
    /// Importer and its version.
    pub importer: String,
    /// Source slug.
    pub source: String,
    /// Folder that held the file.
    pub folder: Option<String>,
    /// File name, without compression suffix.
    pub file: Option<String>,
    /// What the user declared.
    pub declared: Map<String, Value>,
    /// Who ran it, as written.
    pub provider: Option<String>,
    /// How configuration and provider are known: `assumed`, `path` or `declared`.
    pub basis: String,
    /// What was relied on that the input doesn't say.
    pub assumptions: Vec<String>,
    /// Whether the unit was stated rather than assumed.
    pub unit_declared: bool,
    /// Suite version whose definitions apply; `null`: shapes unknown.
    pub suite_version: Option<String>,
    /// Licence of the data.
    pub data_license: Licence,
    /// Whom to name when its figures are passed on.
    pub attribution: String,
    /// Whether they may be passed on; `null` is unknown.
    pub redistribution: Option<bool>,
    /// Who says so: the `source` in general, the file (`stated`), or the user (`declared`).
    pub terms_basis: String,
    /// Records in the input.
    pub records: i64,
    /// Of them not used.
    pub rejected: i64,
    /// When the file first learned of it.
    pub learned_at: String,
    /// Day the figures were observed: strongest basis among the origins, then earliest.
    pub observed_on: Option<String>,
    /// How that is known.
    pub observed_basis: Option<String>,
    /// Where the bytes were met.
    pub origins: Vec<Origin>,
}

/// Some readings in the order they were learned, with their rows; those that the view
/// doesn't know yet are left out.
pub(super) fn readings(
    connection: &Connection,
    ids: &[i64],
    view: &View,
) -> Result<Vec<(i64, ReadingFacts)>> {
    let mut origins = origins(connection, ids, view)?;
    let mut statement = connection.prepare_cached(include_str!("readings.sql"))?;
    let mut rows = statement.query(named_params! {
        ":readings": rows::json_array(ids),
        ":known_at": view.known_at,
    })?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let id: i64 = row.get("id")?;
        let origins = origins.remove(&id).unwrap_or_default();
        found.push((id, reading(row, origins)?));
    }
    Ok(found)
}

fn reading(row: &Row<'_>, origins: Vec<Origin>) -> Result<ReadingFacts> {
    let own: Option<String> = row.get("license")?;
    let of_source: Option<String> = row.get("data_license")?;
    let dated = origins
        .iter()
        .filter_map(|origin| {
            origin
                .observed_at
                .as_deref()
                .zip(origin.observed_basis.as_deref())
        })
        .map(|(observed, basis)| {
            Ok(Sighting {
                observed,
                basis: basis.parse()?,
            })
        })
        .collect::<std::result::Result<Vec<_>, UnknownBasis>>()
        .map_err(|error| Error::Damaged(error.to_string()))?;
    let observed = observation::instant(&dated);
    Ok(ReadingFacts {
        importer: row.get("importer")?,
        source: row.get("source")?,
        folder: row.get("folder")?,
        file: row.get("file")?,
        declared: serde_json::from_str(row.get_ref("declared")?.as_str().unwrap_or("{}"))?,
        provider: row.get("provider")?,
        basis: row.get("basis")?,
        assumptions: serde_json::from_str(row.get_ref("assumptions")?.as_str().unwrap_or("[]"))?,
        unit_declared: row.get("unit_declared")?,
        suite_version: row.get("suite_version")?,
        data_license: own.or(of_source).into(),
        attribution: row.get("own_attribution")?,
        redistribution: row.get("own_redistribution")?,
        terms_basis: row.get("terms_basis")?,
        records: row.get("records")?,
        rejected: row.get("rejected")?,
        learned_at: row.get("learned_at")?,
        observed_on: observed.map(|sighting| day(sighting.observed)),
        observed_basis: observed.map(|sighting| sighting.basis.to_string()),
        origins,
    })
}

fn origins(connection: &Connection, ids: &[i64], view: &View) -> Result<HashMap<i64, Vec<Origin>>> {
    let mut statement = connection.prepare_cached(include_str!("origins.sql"))?;
    let mut rows = statement.query(named_params! {
        ":readings": rows::json_array(ids),
        ":known_at": view.known_at,
    })?;
    let mut found: HashMap<i64, Vec<Origin>> = HashMap::new();
    while let Some(row) = rows.next()? {
        found
            .entry(row.get("reading_id")?)
            .or_default()
            .push(Origin {
                location: row.get("location")?,
                container: row.get("container")?,
                container_sha256: row.get("container_sha256")?,
                observed_at: row.get("observed_at")?,
                observed_basis: row.get("observed_basis")?,
                learned_at: row.get("learned_at")?,
            });
    }
    Ok(found)
}

/// The day of an instant.
fn day(at: &str) -> String {
    at.get(..10).unwrap_or(at).to_owned()
}
