//! Which content states a run, and where in it.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{Connection, named_params};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Options, Source};
use crate::error::Result;
use crate::rows;

/// A place that states a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Sighting {
    /// Digest of the content.
    pub snapshot: String,
    /// Name of the folder that held it.
    pub folder: Option<String>,
    /// File name, without a compression suffix.
    pub file: Option<String>,
    /// JSON pointer of the record.
    pub pointer: String,
    /// 1-based line.
    pub line: Option<i64>,
    /// With provenance: where the content was read, path or URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locations: Option<BTreeSet<String>>,
}

/// What states a run.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// Places, sorted, each once.
    pub(super) sightings: BTreeSet<Sighting>,
    /// Device strings as stated.
    pub(super) hardware: BTreeSet<String>,
    /// Whom files ask to name, where that isn't the source.
    attributions: BTreeSet<String>,
    /// What files say of passing their figures on: whether one forbids it, whether one allows it.
    forbids: bool,
    allows: bool,
    /// With provenance: the first instant at which the file learned of the run.
    pub(super) learned_at: Option<String>,
}

impl Evidence {
    /// Whether the figures may be passed on: a file that forbids it counts before one that
    /// allows it, and both before the source. `None` is unknown.
    pub(super) fn redistribution(&self, source: &Source) -> Option<bool> {
        if self.forbids {
            Some(false)
        } else if self.allows {
            Some(true)
        } else {
            source.redistribution
        }
    }

    /// Whom to name when the run is passed on.
    pub(super) fn attribution(&self, source: &Source) -> String {
        if self.attributions.is_empty() {
            return source.attribution.clone();
        }
        let named: Vec<&str> = self.attributions.iter().map(String::as_str).collect();
        named.join(" | ")
    }
}

/// The evidence for some runs, by row.
pub(super) fn load(
    connection: &Connection,
    runs: &[i64],
    options: &Options,
) -> Result<HashMap<i64, Evidence>> {
    let mut statement = connection.prepare_cached(include_str!("sightings.sql"))?;
    let mut rows = statement.query(named_params! {
        ":runs": rows::json_array(runs),
        ":known_at": options.known_at,
        ":provenance": options.provenance,
    })?;
    let mut found: HashMap<i64, Evidence> = HashMap::with_capacity(runs.len());
    while let Some(row) = rows.next()? {
        let evidence = found.entry(row.get("run")?).or_default();
        let locations: Option<String> = row.get("locations")?;
        evidence.sightings.insert(Sighting {
            snapshot: row.get("snapshot")?,
            folder: row.get("folder")?,
            file: row.get("file")?,
            pointer: row.get("pointer")?,
            line: row.get("line")?,
            locations: locations
                .map(|json| serde_json::from_str(&json))
                .transpose()?,
        });
        evidence.hardware.insert(row.get("hardware")?);
        evidence
            .attributions
            .extend(row.get::<_, Option<String>>("attribution")?);
        match row.get("redistribution")? {
            Some(true) => evidence.allows = true,
            Some(false) => evidence.forbids = true,
            None => {}
        }
        if options.provenance {
            let learned: String = row.get("learned_at")?;
            evidence.learned_at = Some(match evidence.learned_at.take() {
                Some(earlier) => earlier.min(learned),
                None => learned,
            });
        }
    }
    Ok(found)
}
