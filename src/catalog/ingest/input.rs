//! What goes into the catalogue, and what came of it.

use std::sync::Arc;

use kidx_importers::{Beside, Issue};
use kidx_queries::policy::observation::Basis;

use crate::catalog::Content;
use crate::catalog::derive::Observed;
use crate::catalog::suite::published;
use crate::error::Result;
use crate::fetch::problems::Definitions;

/// The commit of the source's own repository that first brought some bytes.
#[derive(Debug, Clone)]
pub struct Revision {
    /// Full id.
    pub commit: String,
    /// Author date, `YYYY-MM-DDTHH:MM:SSZ`.
    pub authored_at: String,
    /// The suite's problems at that commit.
    pub problems: State,
}

impl Revision {
    /// Of files that the suite published, by their digest, wherever they were met.
    pub fn published(sha256: &str) -> Result<Option<Self>> {
        Ok(published(sha256)?.map(|known| Self {
            commit: known.commit.clone(),
            authored_at: known.authored_at.clone(),
            problems: State::Version(known.version.clone()),
        }))
    }
}

/// The problems of a suite at a commit.
#[derive(Debug, Clone)]
pub enum State {
    /// The repository isn't the suite's.
    Unknown,
    /// Those of a known version.
    Version(String),
    /// Those read from its tree.
    Defined(Arc<Definitions>),
}

/// An input as it was fetched.
#[derive(Debug, Clone)]
pub struct Incoming<'a> {
    /// Path, URL or `-`.
    pub location: &'a str,
    /// Name of the folder that holds it.
    pub folder: Option<&'a str>,
    /// File name without compression suffix.
    pub file: Option<&'a str>,
    /// The decompressed content.
    pub content: &'a Content,
    /// Files that were read with it.
    pub beside: &'a [(Beside, Content)],
    /// Compression around it (`gzip`, `zstd`) and the digest of the compressed bytes.
    pub container: Option<(&'static str, String)>,
    /// When the figures were observed, and how that is known.
    pub observed: Option<(String, Basis)>,
    /// Who first brought the bytes, where that is known.
    pub revision: Option<&'a Revision>,
    /// The repository in whose history it was met.
    pub repository: Option<&'a str>,
}

impl Incoming<'_> {
    /// Whether a place is of the same repository's history.
    pub(super) fn is_moved_from(&self, place: Option<&str>) -> bool {
        self.repository
            .zip(place)
            .and_then(|(repository, place)| place.strip_prefix(repository))
            .is_some_and(|rest| rest.starts_with('@'))
    }
}

/// What became of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Read and kept.
    Imported,
    /// The same bytes were known under another name.
    Copy,
    /// Could not be read; nothing of it was kept.
    Refused,
    /// Found in a folder, and not this source's.
    Ignored,
}

/// What one input brought.
#[derive(Debug, Clone)]
pub struct Ingested {
    /// Imported or copy.
    pub outcome: Outcome,
    /// Where the same bytes were met first.
    pub copy_of: Option<String>,
    /// Runs that were new.
    pub inserted: u64,
    /// Runs that were known already.
    pub unchanged: u64,
    /// Records not used.
    pub rejected: u64,
    /// Runs that stood before and don't any more, or never did.
    pub superseded: u64,
    /// Problems of the file's previous content that this one doesn't state.
    pub gone: u64,
    /// The reading's observation date.
    pub observed: Observed,
    /// Suite version whose definitions apply.
    pub suite_version: Option<String>,
    /// What was relied on unsaid.
    pub assumptions: Vec<String>,
    /// Issues of the importer and of the catalogue.
    pub issues: Vec<Issue>,
}
