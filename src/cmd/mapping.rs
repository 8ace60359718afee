//! `kidx mapping`: proposes a mapping for a file, and explains what one makes of it.

use std::collections::BTreeMap;
use std::path::Path;

use kidx_importers::mapping::{self, Entry, Explanation};
use schemars::JsonSchema;
use serde::Serialize;

use super::context::Context;
use super::import::{IssueReport, PlaceReport};
use crate::cli::{self, MappingCommand};
use crate::error::{EXIT_DONE, EXIT_FOUND, Error, Result};
use crate::fetch::{self, Fetched, Target};
use crate::output::{Cell, Column, Format, Listing, Mark, Ui, json, units};

/// Name of the answer's schema.
pub const SCHEMA: &str = "kidx/mapping-check/1";

/// What a mapping makes of a figure's place.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Row {
    /// Where the figure stands.
    pub place: PlaceReport,
    /// What was computed: `suite/group/name`.
    pub operation: Option<String>,
    /// Sizes and choices of the workload.
    pub axes: BTreeMap<String, String>,
    /// Element type.
    pub dtype: Option<String>,
    /// Who computed it.
    pub implementation: Option<String>,
    /// `baseline`, `reference` or `candidate`.
    pub role: Option<String>,
    /// The device.
    pub hardware: Option<String>,
    /// When it was measured.
    pub recorded_at: Option<String>,
    /// What was measured: `latency`, `throughput` …
    pub quantity: Option<String>,
    /// Which statistic of it.
    pub statistic: Option<String>,
    /// The figure as the file writes it; `null`: a run without one.
    pub value: Option<String>,
    /// Its unit as the mapping or the file names it.
    pub unit: Option<String>,
    /// What became of the run.
    pub status: Option<String>,
    /// Why this is no record; `null`: it is one.
    pub issue: Option<IssueReport>,
}

/// What is said of the file as a whole.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Beside {
    /// Rows of the file.
    pub rows: u64,
    /// Records that can be used.
    pub usable: u64,
    /// Of those, runs without a figure: failed, skipped, not run.
    pub without_figure: u64,
    /// Records that can't be used, rows left out included.
    pub rejected: u64,
    /// Records that nothing but their figure tells from an earlier one.
    pub repeated: u64,
    /// How often each issue occurs, by code.
    pub codes: BTreeMap<String, u64>,
    /// Columns and paths that the mapping doesn't read.
    pub unused: Vec<String>,
    /// Issues with the file as a whole.
    pub issues: Vec<IssueReport>,
}

/// Runs the command.
pub fn run(arguments: &cli::Mapping, context: &Context, ui: &mut Ui) -> Result<u8> {
    match &arguments.command {
        MappingCommand::New { file } => propose(file, ui),
        MappingCommand::Check { mapping, file } => check(mapping, file, context, ui),
    }
}

fn propose(file: &Path, ui: &mut Ui) -> Result<u8> {
    let (_, read) = fetched(file)?;
    let name = read.file.as_deref().unwrap_or_default();
    let proposal = mapping::propose(name, &read.content)
        .map_err(|refused| error(refused.code, &refused.message, refused.hint))?;
    ui.out().write_all(proposal.as_bytes())?;
    ui.finish()?;
    let open = proposal
        .lines()
        .filter(|line| line.contains("\"?\""))
        .count();
    if open > 0 {
        ui.hint(format_args!(
            "{open} left open (`?`): fill them in, then `kidx mapping check MAPPING {}`",
            file.display()
        ));
    }
    Ok(EXIT_DONE)
}

fn check(mapping: &Path, file: &Path, context: &Context, ui: &mut Ui) -> Result<u8> {
    let (_, by) = fetched(mapping)?;
    let (shown, read) = fetched(file)?;
    let name = read.file.as_deref().unwrap_or_default();
    let explanation = mapping::explain(&by.content, name, &read.content);
    if let Some(refused) = explanation.refused {
        return Err(error(&refused.code, &refused.message, refused.hint));
    }
    let Explanation {
        entries,
        issues,
        rows,
        usable,
        without_figure,
        rejected,
        codes,
        unused,
        repeated,
        ..
    } = explanation;
    let fatal = |issue: &kidx_importers::Issue| issue.severity == kidx_importers::Severity::Error;
    let found = entries.iter().filter_map(|entry| entry.issue.as_ref());
    let code = if found.chain(&issues).any(fatal) {
        EXIT_FOUND
    } else {
        EXIT_DONE
    };
    let beside = Beside {
        rows,
        usable,
        without_figure,
        rejected,
        repeated,
        codes,
        unused,
        issues: issues
            .iter()
            .map(|issue| IssueReport::new(&shown, issue))
            .collect(),
    };
    let items = entries
        .into_iter()
        .map(|entry| Row::new(&shown, entry))
        .collect();
    let mut listing = Listing::new(columns(), items);
    context.listing().apply(&mut listing)?;
    let envelope = context.envelope(SCHEMA, Vec::new());
    let format = context.format_or(Format::Table);
    match format {
        Format::Json => {
            json::document_beside(ui.out(), &envelope, listing.items(), Some(&beside))?;
            ui.finish()?;
        }
        _ => ui.listing(format, &envelope, &listing)?,
    }
    if format == Format::Table {
        summary(ui, &beside);
    }
    Ok(code)
}

/// Counts, and what to look at.
fn summary(ui: &mut Ui, beside: &Beside) {
    ui.note(format_args!(
        "{}: {} ({} without a figure), {} rejected",
        units::counted(beside.rows, "row"),
        units::counted(beside.usable, "record"),
        units::count(beside.without_figure),
        units::count(beside.rejected)
    ));
    let codes: Vec<String> = beside
        .codes
        .iter()
        .map(|(code, count)| format!("{} {code}", units::count(*count)))
        .collect();
    if !codes.is_empty() {
        ui.aside(codes.join(", "));
    }
    for issue in &beside.issues {
        ui.aside(&issue.message);
    }
    if beside.repeated > 0 {
        ui.warning(format_args!(
            "{} records differ from an earlier one in their figure alone: is a column missing in `axes`?",
            units::count(beside.repeated)
        ));
    }
}

/// A file's path as messages show it, and its content.
fn fetched(path: &Path) -> Result<(String, Fetched)> {
    let target = if path.as_os_str() == "-" {
        Target::Stdin
    } else {
        Target::Named(path.to_owned(), None)
    };
    Ok((target.display(), fetch::read(&target)?))
}

fn error(code: &str, message: &str, hint: Option<String>) -> Error {
    let failed = Error::failed(format!("{code}: {message}"));
    match hint {
        Some(hint) => failed.hint(hint),
        None => failed,
    }
}

impl Row {
    fn new(file: &str, entry: Entry) -> Self {
        Self {
            place: PlaceReport {
                pointer: entry.place.pointer,
                line: entry.place.line,
                column: entry.place.column,
            },
            operation: entry.operation,
            axes: entry.axes,
            dtype: entry.dtype,
            implementation: entry.implementation,
            role: entry.role,
            hardware: entry.hardware,
            recorded_at: entry.recorded_at,
            quantity: entry.quantity,
            statistic: entry.statistic,
            value: entry.value,
            unit: entry.unit,
            status: entry.status,
            issue: entry.issue.map(|issue| IssueReport::new(file, &issue)),
        }
    }
}

fn columns() -> Vec<Column<Row>> {
    vec![
        Column::number("line", "Line", |r: &Row| {
            r.place.line.map_or_else(Cell::none, Cell::count)
        }),
        Column::id("pointer", "Place", |r: &Row| Cell::text(&r.place.pointer)).may_go(8),
        Column::text("operation", "Operation", |r: &Row| {
            text(r.operation.as_ref())
        }),
        Column::text("axes", "Axes", |r: &Row| {
            let axes: Vec<String> = r
                .axes
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            Cell::text(axes.join(" "))
        })
        .may_go(2),
        Column::fixed("dtype", "Dtype", |r: &Row| text(r.dtype.as_ref())).may_go(3),
        Column::text("implementation", "Implementation", |r: &Row| {
            text(r.implementation.as_ref())
        }),
        Column::fixed("role", "Role", |r: &Row| text(r.role.as_ref())).hidden(),
        Column::text("hardware", "Hardware", |r: &Row| text(r.hardware.as_ref())).may_go(4),
        Column::fixed("recorded_at", "Measured", |r: &Row| {
            text(r.recorded_at.as_ref())
        })
        .may_go(7),
        Column::fixed("quantity", "Quantity", |r: &Row| text(r.quantity.as_ref())).may_go(6),
        Column::fixed("statistic", "Statistic", |r: &Row| {
            text(r.statistic.as_ref())
        })
        .may_go(5),
        Column::number("value", "Value", |r: &Row| text(r.value.as_ref())),
        Column::fixed("unit", "Unit", |r: &Row| text(r.unit.as_ref())),
        Column::fixed("status", "Status", |r: &Row| text(r.status.as_ref())),
        Column::text("issue", "Issue", |r: &Row| {
            r.issue.as_ref().map_or_else(
                || Cell::text(""),
                |issue| Cell::text(format!("{}: {}", issue.code, issue.message)).mark(Mark::Doubt),
            )
        }),
    ]
}

fn text(text: Option<&String>) -> Cell {
    text.map_or_else(Cell::none, Cell::text)
}
