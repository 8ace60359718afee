//! The answer of `kidx import`.

use kidx_importers::{Issue, Severity};
use kidx_queries::records::Record;
use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::ingest::Outcome;

/// What an import read, kept and changed. `read = inserted + unchanged + rejected`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// Source slug.
    pub source: String,
    /// Whether nothing was written, as asked.
    pub dry_run: bool,
    /// Each input, in the order taken.
    pub files: Vec<FileReport>,
    /// What was not used, or used with doubt.
    pub issues: Vec<IssueReport>,
    /// Records over all inputs.
    pub totals: Totals,
    /// Records of cohorts that changed.
    pub records: RecordsReport,
    /// How long it took.
    pub elapsed_ms: u64,
}

/// One input.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileReport {
    /// As named on the command line or found in a folder.
    pub path: String,
    /// Digest of the content, after decompression; `null` if it could not be read.
    pub sha256: Option<String>,
    /// Length of the content.
    pub bytes: Option<u64>,
    /// Source whose format it is in; `null` where none was found.
    pub source: Option<String>,
    /// Why it was taken for that, where `auto` was asked for.
    pub recognised: Option<String>,
    /// What became of it.
    pub outcome: Outcome,
    /// Where the same bytes were met first.
    pub copy_of: Option<String>,
    /// Records in it.
    pub records: u64,
    /// Runs that were new.
    pub inserted: u64,
    /// Runs that were known already.
    pub unchanged: u64,
    /// Records not used.
    pub rejected: u64,
    /// Runs that no longer stand because a newer one does.
    pub superseded: u64,
    /// Problems that the file's previous content stated and this one doesn't.
    pub gone: u64,
    /// Day the figures were observed.
    pub observed_on: Option<String>,
    /// How that day is known.
    pub observed_basis: Option<String>,
    /// Suite version whose definitions apply; `null`: shapes unknown.
    pub suite_version: Option<String>,
    /// What was relied on and the input doesn't say.
    pub assumptions: Vec<String>,
}

/// A record or file that was not used, or used with doubt.
#[derive(Debug, Serialize, JsonSchema)]
pub struct IssueReport {
    /// How serious; only an error changes the exit code.
    #[schemars(with = "String")]
    pub severity: Severity,
    /// Stable code.
    pub code: String,
    /// Input.
    pub file: String,
    /// Place in it.
    pub place: PlaceReport,
    /// What was found, what was expected.
    pub message: String,
    /// What to try.
    pub hint: Option<String>,
}

/// A place in an input.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlaceReport {
    /// JSON pointer; empty: the whole input.
    pub pointer: String,
    /// 1-based line.
    pub line: Option<u64>,
    /// 1-based column in characters.
    pub column: Option<u64>,
}

/// Sums over all inputs.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Totals {
    /// Records read.
    pub read: u64,
    /// Runs that were new.
    pub inserted: u64,
    /// Runs that were known already.
    pub unchanged: u64,
    /// Records not used.
    pub rejected: u64,
}

/// Cohorts whose record changed.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct RecordsReport {
    /// Cohorts that got their first record.
    pub set: usize,
    /// Cohorts whose record another run took over.
    pub broken: usize,
    /// Their records now.
    pub items: Vec<Record>,
}

impl Answer {
    /// An answer to be filled.
    pub fn new(source: &str) -> Self {
        Self {
            source: source.to_owned(),
            dry_run: false,
            files: Vec::new(),
            issues: Vec::new(),
            totals: Totals::default(),
            records: RecordsReport::default(),
            elapsed_ms: 0,
        }
    }
}

impl IssueReport {
    /// An issue of a file.
    pub fn new(file: &str, issue: &Issue) -> Self {
        Self {
            severity: issue.severity,
            code: issue.code.clone(),
            file: file.to_owned(),
            place: PlaceReport {
                pointer: issue.place.pointer.clone(),
                line: issue.place.line,
                column: issue.place.column,
            },
            message: issue.message.clone(),
            hint: issue.hint.clone(),
        }
    }
}
