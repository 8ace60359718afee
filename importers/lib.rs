//! Importers: one module per source. Bytes in, observations out, or a located reason
//! why not. No SQL, no disk, no network, no printing: a test hands in bytes and
//! compares a list.
//!
//! To add a source: write a module whose first lines state upstream, format, licence,
//! unit, statistic and the date seen; implement [`Importer`]; add it to [`REGISTRY`].

pub mod cutlass_profiler;
pub mod duration;
mod family;
pub mod flashinfer;
mod given;
pub mod instant;
pub mod json;
pub mod kernelbench;
pub mod kernelbench_eval;
pub mod liger;
pub mod mapping;
pub mod metric;
mod names;
mod number;
pub mod nvbench;
pub mod observation;
pub mod short;
pub mod table;
#[cfg(test)]
mod told;
pub mod tritonbench;
pub mod work;

pub use metric::{Direction, Metric, Quantity};
pub use observation::{
    AxisValue, Basis, Circumstances, Declared, Figure, Figures, Implementation, Issue, NO_HARDWARE,
    Observation, Operation, Place, Protocol, Reading, Role, Severity, Status, Subject,
    SuiteProblem, Tensor, Terms, Workload,
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
    /// The suite whose problems its records name, where they name any: what was measured
    /// depends on the version of the suite.
    pub suite: Option<&'static str>,
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
    /// Those of the files that [`Importer::beside`] asked for that were there.
    pub beside: &'a [Beside],
}

impl Input<'_> {
    /// The content of a file that was asked for, if it was there.
    pub fn beside(&self, name: &str) -> Option<&[u8]> {
        let found = self.beside.iter().find(|beside| beside.name == name)?;
        Some(&found.bytes)
    }
}

/// A file that lies beside an input and is read with it: a definition, a mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    /// The name that the importer asked for.
    pub name: String,
    /// The decompressed content.
    pub bytes: Vec<u8>,
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

    /// Why an input looks like this source's, by its content and (where content can't
    /// say) its name, in words ("levels of problems"). `None`: it doesn't.
    /// Files that the user names together with the source are read without asking.
    fn recognises(&self, input: &Input<'_>) -> Option<String>;

    /// Paths relative to the input's folder, `/` between names, of files that are read with
    /// it where they are there.
    fn beside(&self, input: &Input<'_>) -> Vec<String> {
        let _ = input;
        Vec::new()
    }

    /// Endings of its files' names, for looking through folders; compression comes after
    /// them.
    fn endings(&self) -> &'static [&'static str] {
        ENDINGS
    }

    /// Reads one input under the declared facts.
    fn read(&self, input: &Input<'_>, declared: &Declared) -> Result<Reading, Refused>;
}

/// Endings of files that may be some source's.
pub const ENDINGS: &[&str] = &[".json", ".jsonl", ".csv"];

/// Every source, in the order help lists them.
pub static REGISTRY: &[&dyn Importer] = &[
    &kernelbench::KernelBench,
    &kernelbench_eval::KernelBenchEval,
    &cutlass_profiler::CutlassProfiler,
    &flashinfer::FlashInfer,
    &liger::Liger,
    &nvbench::NvBench,
    &flashinfer::SolExecBench,
    &tritonbench::Tritonbench,
    &mapping::ByMapping,
];

/// The importer of a source, by slug.
pub fn importer(slug: &str) -> Option<&'static dyn Importer> {
    REGISTRY
        .iter()
        .copied()
        .find(|importer| importer.source().slug == slug)
}
