//! Exports: flat records as a file for other tools, one file per format. The same
//! records give the same bytes.

mod csv;
mod json;
mod jsonl;
mod markdown;
mod target;

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::output::Format;
pub(crate) use target::{Target, with_target};

/// One flat record: keys in the order of the columns, units in their names.
pub(crate) type Record = Map<String, Value>;

/// What an export may be written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportFormat {
    /// One document: sources and items.
    Json,
    /// One JSON object a line.
    Jsonl,
    /// For spreadsheets and data frames.
    Csv,
    /// For pages and issue trackers.
    Markdown,
}

impl ExportFormat {
    /// The export that `--format` asks for; none for a table, which is for people.
    pub(crate) fn asked(format: Format) -> Option<Self> {
        match format {
            Format::Table => None,
            Format::Json => Some(Self::Json),
            Format::Jsonl => Some(Self::Jsonl),
            Format::Csv => Some(Self::Csv),
            Format::Markdown => Some(Self::Markdown),
        }
    }

    /// The format that a file's extension stands for.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "csv" => Some(Self::Csv),
            "md" | "markdown" => Some(Self::Markdown),
            _ => None,
        }
    }

    /// Its exporter, writing to `out`.
    pub(crate) fn exporter<'a>(self, out: &'a mut dyn Write) -> Box<dyn Exporter + 'a> {
        match self {
            Self::Json => Box::new(json::Json::new(out)),
            Self::Jsonl => Box::new(jsonl::Jsonl::new(out)),
            Self::Csv => Box::new(csv::Csv::new(out)),
            Self::Markdown => Box::new(markdown::Markdown::new(out)),
        }
    }
}

/// Who published what an export holds; whoever passes it on has to say so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ExportSource {
    /// Short stable name.
    pub(crate) slug: String,
    /// Display name.
    pub(crate) name: String,
    /// Where it is published.
    pub(crate) home: String,
    /// Licence of the data, as its publisher declares it; `None` is unknown.
    pub(crate) data_license: Option<String>,
    /// Whom to name.
    pub(crate) attribution: String,
}

/// What is known before the first record.
#[derive(Debug, Clone, Default)]
pub(crate) struct Header {
    /// Name of the export's schema, with its version (`kidx/export/1`).
    pub(crate) schema: &'static str,
    /// Who published the records.
    pub(crate) sources: Vec<ExportSource>,
    /// The columns of CSV and Markdown, in order. JSON takes records whole.
    pub(crate) columns: Vec<ExportColumn>,
}

/// One column of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExportColumn {
    /// Key in the records.
    pub(crate) key: &'static str,
    /// Whether it holds figures.
    pub(crate) numeric: bool,
}

/// Writes one export: [`begin`](Exporter::begin), each record, [`end`](Exporter::end).
pub(crate) trait Exporter {
    /// Writes what stands before the records.
    fn begin(&mut self, header: &Header) -> io::Result<()>;

    /// Writes one record; a column that it lacks is empty.
    fn row(&mut self, record: &Record) -> io::Result<()>;

    /// Writes what stands after the records, and whatever is buffered.
    fn end(&mut self) -> io::Result<()>;
}

#[cfg(test)]
mod tests;
