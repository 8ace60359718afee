//! What goes into the catalogue, and what came of it.

use kidx_importers::Issue;
use kidx_queries::policy::observation::Basis;

use crate::catalog::derive::Observed;

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
    pub content: &'a [u8],
    /// Compression around it (`gzip`, `zstd`) and the digest of the compressed bytes.
    pub container: Option<(&'static str, String)>,
    /// When the figures were observed, and how that is known.
    pub observed: Option<(String, Basis)>,
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
    /// Digest of the content.
    pub sha256: String,
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
