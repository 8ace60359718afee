//! Each source: on which terms its figures come, how many there are, and whether it
//! still publishes.

use rusqlite::{Connection, Row, named_params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::age;
use crate::error::Result;
use crate::policy::{licence, staleness};
use crate::view::View;

/// Policies that decide this answer.
pub fn policies() -> Vec<&'static str> {
    vec![licence::ID, staleness::ID]
}

/// A licence, as declared and as understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct License {
    /// The publisher's own text; `null` where there is none.
    pub declared: Option<String>,
    /// The SPDX expression that the text is; `null` is unknown, and never permissive.
    pub concluded: Option<String>,
}

impl License {
    fn of(declared: Option<String>) -> Self {
        Self {
            concluded: declared.as_deref().and_then(licence::concluded),
            declared,
        }
    }
}

/// Records and files that were not used, or used with doubt, by severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Issues {
    /// Present but unusable.
    pub error: u64,
    /// Used with doubt.
    pub warning: u64,
    /// Worth knowing.
    pub note: u64,
}

/// Whether a source still publishes as often as it is expected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Activity {
    /// Its newest observation is within its own limit.
    Fresh,
    /// Nothing new for longer than that.
    Quiet,
}

impl Activity {
    /// The stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Quiet => "quiet",
        }
    }
}

/// Terms of some of a source's files, by their own word or the user's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileTerms {
    /// Licence of their data; nothing declared: the source's.
    pub license: License,
    /// Whom to name; `null`: as for the source.
    pub attribution: Option<String>,
    /// Whether their figures may be passed on; `null`: as for the source.
    pub redistribution: Option<bool>,
    /// Distinct contents under these terms.
    pub files: u64,
}

/// As the statement words them.
#[derive(Deserialize)]
struct StatedTerms {
    license: Option<String>,
    attribution: Option<String>,
    redistribution: Option<u8>,
    files: u64,
}

impl From<StatedTerms> for FileTerms {
    fn from(stated: StatedTerms) -> Self {
        Self {
            license: License::of(stated.license),
            attribution: stated.attribution,
            redistribution: stated.redistribution.map(|may| may == 1),
            files: stated.files,
        }
    }
}

/// A source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Source {
    /// `kernelbench`.
    pub slug: String,
    /// Display name.
    pub name: String,
    /// Where it is published.
    pub home: String,
    /// Licence of the data.
    pub license: License,
    /// Licence of the published modules.
    pub module_license: License,
    /// Whom to name when figures are passed on.
    pub attribution: String,
    /// Terms worth knowing.
    pub terms: String,
    /// Whether figures may be passed on; `null` is unknown.
    pub redistribution: Option<bool>,
    /// Files of it that come on terms of their own.
    pub file_terms: Vec<FileTerms>,
    /// Runs, copies left out.
    pub runs: u64,
    /// Distinct contents that were read.
    pub snapshots: u64,
    /// Records that were not used.
    pub rejected: u64,
    /// Issues by severity.
    pub issues: Issues,
    /// Day of the newest observation; `null` where no reading is dated.
    pub newest_observation: Option<String>,
    /// Instant of the last import.
    pub last_import: Option<String>,
    /// Days within which something new is expected, and after which a figure is stale.
    pub freshness_days: u32,
    /// Whether it still publishes; `null` where no reading is dated.
    pub activity: Option<Activity>,
}

/// Every source in the file, by slug.
pub fn sources(connection: &Connection, view: &View) -> Result<Vec<Source>> {
    let dates = age::Sources::load(connection, view)?;
    let mut statement = connection.prepare_cached(include_str!("sources.sql"))?;
    let mut rows = statement.query(named_params! {
        ":horizon": view.horizon(),
        ":known_at": view.known_at,
    })?;
    let mut sources = Vec::new();
    while let Some(row) = rows.next()? {
        sources.push(source(row, &dates)?);
    }
    Ok(sources)
}

fn source(row: &Row<'_>, dates: &age::Sources) -> Result<Source> {
    let slug: String = row.get("slug")?;
    let newest = dates.newest(&slug);
    let own = row.get_ref("file_terms")?.as_str().unwrap_or("[]");
    let own: Vec<StatedTerms> = serde_json::from_str(own)?;
    let count = |column| Ok::<_, rusqlite::Error>(row.get::<_, i64>(column)?.unsigned_abs());
    Ok(Source {
        name: row.get("name")?,
        home: row.get("home")?,
        license: License::of(row.get("data_license")?),
        module_license: License::of(row.get("module_license")?),
        attribution: row.get("attribution")?,
        terms: row.get("terms")?,
        redistribution: row.get("redistribution")?,
        file_terms: own.into_iter().map(FileTerms::from).collect(),
        runs: count("runs")?,
        snapshots: count("snapshots")?,
        rejected: count("rejected")?,
        issues: serde_json::from_str(row.get_ref("issues")?.as_str().unwrap_or("{}"))?,
        newest_observation: newest.map(|day| day.to_string()),
        last_import: row.get("last_import")?,
        freshness_days: row.get("freshness_days")?,
        activity: newest.map(|_| {
            if dates.is_quiet(&slug) {
                Activity::Quiet
            } else {
                Activity::Fresh
            }
        }),
        slug,
    })
}
