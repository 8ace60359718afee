//! Importers: one module per source. Bytes in, observations out, or a located reason
//! why not. No SQL, no disk, no network, no printing: a test hands in bytes and
//! compares a list.
//!
//! To add a source: write a module whose first lines state upstream, format, licence,
//! unit, statistic and the date seen; implement [`Importer`]; add it to [`REGISTRY`].

pub mod duration;
pub mod json;
pub mod kernelbench;
pub mod observation;
pub mod short;
pub mod work;

pub use observation::{
    Basis, Declared, Figure, Implementation, Issue, Latency, Observation, Place, Protocol, Reading,
    Role, Severity, SuiteProblem,
};

/// Who publishes: constant facts about a source, shown on every page that uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// Short stable name (`kernelbench`), also the import verb.
    pub slug: &'static str,
    /// Display name (`KernelBench baseline timings`).
    pub name: &'static str,
    /// Where it is published.
    pub home: &'static str,
    /// The publisher's own text of the data licence.
    pub data_license: Option<&'static str>,
    /// Licence of the published modules that the figures belong to.
    pub module_license: Option<&'static str>,
    /// Whom to name when figures are passed on.
    pub attribution: &'static str,
    /// Terms worth knowing, in one sentence.
    pub terms: &'static str,
    /// Whether the figures may be passed on; `None` is unknown.
    pub redistribution: Option<bool>,
    /// Days after which a figure of this source is stale.
    pub freshness_days: u32,
    /// How its repository is laid out, if it publishes in one.
    pub repository: Option<Layout>,
}

/// Where things are in a source's git repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Folder that holds the results.
    pub results: &'static str,
    /// Folder that holds the problems that were measured.
    pub problems: &'static str,
}

/// One input as handed to an importer: decompressed bytes and the names around them.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// Name of the folder that holds the file, if it has one.
    pub folder: Option<&'a str>,
    /// File name without compression suffix; `None` for standard input.
    pub file: Option<&'a str>,
    /// The decompressed content.
    pub bytes: &'a [u8],
    /// When the source's repository first had these bytes (`YYYY-MM-DDTHH:MM:SSZ`), where
    /// that is known: what its scripts did then is how the figures were measured.
    pub committed_at: Option<&'a str>,
}

/// Why a whole input was refused: nothing of it is used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    /// Stable code (`TRUNCATED`, `NO_LEVEL`, `NOT_UTF8` …).
    pub code: &'static str,
    /// Where reading stopped.
    pub place: Place,
    /// What was found and what was expected.
    pub message: String,
    /// What to try.
    pub hint: Option<String>,
}

/// Reads one source's format.
pub trait Importer: Sync {
    /// Who publishes it.
    fn source(&self) -> &'static Source;

    /// Whether a file found in a folder looks like this source's, by its name and
    /// content. Files named on the command line are read without asking.
    fn recognises(&self, input: &Input<'_>) -> bool;

    /// Reads one input under the declared facts.
    fn read(&self, input: &Input<'_>, declared: &Declared) -> Result<Reading, Refused>;
}

/// Every source, in the order help lists them.
pub static REGISTRY: &[&dyn Importer] = &[&kernelbench::KernelBench];

/// The importer of a source, by slug.
pub fn importer(slug: &str) -> Option<&'static dyn Importer> {
    REGISTRY
        .iter()
        .copied()
        .find(|importer| importer.source().slug == slug)
}
