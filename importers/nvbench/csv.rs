//! CSV of nvbench: `Benchmark,Device,Device Name,<axes>,Skipped,<summaries>`, then what only
//! later benchmarks have, each benchmark's axes before its summaries.
//!
//! Cells are never quoted and the header says no tags: what a `Noise` or `Samples` column is of
//! follows from its neighbours.

use std::collections::{BTreeSet, HashMap};

use crate::json::escape_pointer;
use crate::names::{hostile, quoted};
use crate::table::{Row, Table};
use crate::{Issue, Place, Refused, Severity};

use super::state::{Contents, Outcome, State, Summary};

const BENCHMARK: &str = "Benchmark";
const DEVICE: &str = "Device Name";
const SKIPPED: &str = "Skipped";

/// Whether the first line is a header of nvbench.
pub(super) fn recognises(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let line = bytes
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let Ok(line) = std::str::from_utf8(line) else {
        return false;
    };
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    cells.starts_with(&[BENCHMARK, "Device", DEVICE]) && cells.contains(&SKIPPED)
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    /// Read by its name, or said again in another column.
    Named,
    Axis,
    Summary(&'static str),
    Unread,
}

/// Reads a table.
pub(super) fn read(bytes: &[u8]) -> Result<Contents, Refused> {
    let table = Table::read(bytes, b',')?;
    let find = |name| {
        table.column(name).ok_or_else(|| Refused {
            code: "NO_COLUMN",
            place: Place {
                line: Some(1),
                ..Place::default()
            },
            message: format!("no column `{name}`: this is no CSV of nvbench"),
            hint: None,
        })
    };
    let (benchmark, device, skipped) = (find(BENCHMARK)?, find(DEVICE)?, find(SKIPPED)?);
    let columns = columns(&table, benchmark, skipped);
    let names = distinct_names(&table.header);

    let mut contents = Contents::default();
    let later: Vec<String> = (skipped..columns.len())
        .filter(|at| columns.get(*at) == Some(&Column::Axis))
        .filter_map(|at| names.get(at).map(|name| quoted(name)))
        .collect();
    if !later.is_empty() {
        contents.assumptions.push(format!(
            "columns that only later benchmarks fill are taken as their axes: {}",
            later.join(", ")
        ));
    }
    for (name, column) in names.iter().zip(&columns) {
        if *column == Column::Unread {
            contents.unread.insert(name.clone());
        }
    }
    let layout = Layout {
        names,
        columns,
        benchmark,
        device,
        skipped,
    };
    for (at, row) in table.rows.iter().enumerate() {
        match layout.state(at, row) {
            Ok(state) => contents.states.push(state),
            Err((code, message)) => contents.issues.push(Issue {
                severity: Severity::Error,
                code: code.to_owned(),
                place: row.place(at, ""),
                message,
                hint: None,
                rejects: 1,
            }),
        }
    }
    Ok(contents)
}

struct Layout {
    /// Column names; one that stands again has its number behind it.
    names: Vec<String>,
    columns: Vec<Column>,
    benchmark: usize,
    device: usize,
    skipped: usize,
}

impl Layout {
    fn state(&self, at: usize, row: &Row) -> Result<State, (&'static str, String)> {
        let (found, expected) = (row.cells.len(), self.columns.len());
        if found != expected {
            let message = format!(
                "{found} cells under {expected} columns: a comma inside a name isn't quoted by nvbench"
            );
            return Err(("BAD_ROW", message));
        }
        let cell = |at: usize| row.cells.get(at).map_or("", |cell| cell.trim());
        let benchmark = cell(self.benchmark);
        if let Some(why) = hostile(benchmark) {
            let message = format!("the name {} of a benchmark {why}", quoted(benchmark));
            return Err(("HOSTILE_NAME", message));
        }
        let filled = |kind: fn(&Column) -> bool| {
            self.columns
                .iter()
                .zip(&self.names)
                .enumerate()
                .filter(move |(_, (column, _))| kind(column))
                .map(move |(at, (column, name))| (*column, name, cell(at)))
                .filter(|(_, _, text)| !text.is_empty())
        };
        let mut axes = Vec::new();
        for (_, name, value) in filled(|column| *column == Column::Axis) {
            for part in [name, value] {
                if let Some(why) = hostile(part) {
                    return Err(("HOSTILE_NAME", format!("axis text {} {why}", quoted(part))));
                }
            }
            axes.push((name.clone(), value.to_owned()));
        }
        let outcome = match cell(self.skipped) {
            "Yes" => Outcome::Skipped(None),
            "No" => Outcome::Ran(
                filled(|column| matches!(column, Column::Summary(_)))
                    .filter_map(|(column, name, text)| {
                        let Column::Summary(tag) = column else {
                            return None;
                        };
                        let place = Place {
                            pointer: format!("/{at}/{}", escape_pointer(name)),
                            line: Some(row.line),
                            column: None,
                        };
                        let text = Some(text.to_owned());
                        Some(Summary {
                            tag,
                            text,
                            place,
                            twice: false,
                        })
                    })
                    .collect(),
            ),
            other => {
                let message = format!("`Skipped` is {}; `Yes` or `No` was expected", quoted(other));
                return Err(("UNKNOWN_STATUS", message));
            }
        };
        let device = Some(cell(self.device)).filter(|name| !name.is_empty());
        Ok(State {
            place: row.place(at, ""),
            benchmark: benchmark.to_owned(),
            device: device.map(str::to_owned),
            axes,
            outcome,
        })
    }
}

/// Header cells, trimmed; the second `Noise` is `Noise#2`.
fn distinct_names(header: &[String]) -> Vec<String> {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    header
        .iter()
        .map(|cell| {
            let times = seen.entry(cell.trim()).or_default();
            *times += 1;
            match *times {
                1 => cell.trim().to_owned(),
                more => format!("{}#{more}", cell.trim()),
            }
        })
        .collect()
}

fn columns(table: &Table, benchmark: usize, skipped: usize) -> Vec<Column> {
    let header: Vec<&str> = table.header.iter().map(|cell| cell.trim()).collect();
    let tags = tags(&header);
    // Benchmarks that have a summary of their own further left.
    let mut past_axes = BTreeSet::new();
    header
        .iter()
        .enumerate()
        .map(|(at, name)| match (*name, tags.get(&at)) {
            (BENCHMARK | "Device" | DEVICE | SKIPPED, _) if at <= skipped => Column::Named,
            // `2^10` beside the plain column's `1024`.
            _ if name
                .strip_suffix(" (pow2)")
                .is_some_and(|plain| header.contains(&plain)) =>
            {
                Column::Named
            }
            _ if at < skipped => Column::Axis,
            (_, tag) => {
                let filled = Filled::of(table, benchmark, at);
                if let Some(tag) = tag {
                    past_axes.extend(filled.first);
                    Column::Summary(tag)
                } else if filled.first.is_some_and(|first| !past_axes.contains(first))
                    && filled.is_axis(name)
                {
                    Column::Axis
                } else {
                    Column::Unread
                }
            }
        })
        .collect()
}

/// Which benchmarks fill a column.
struct Filled<'t> {
    /// The one in whose first row it is filled first: that one brought the column.
    first: Option<&'t str>,
    /// The file's first benchmark fills it.
    by_the_first: bool,
    /// Each benchmark that fills it does so in all of its rows.
    throughout: bool,
}

impl<'t> Filled<'t> {
    fn of(table: &'t Table, benchmark: usize, at: usize) -> Self {
        let mut first = None;
        let mut sides = [BTreeSet::new(), BTreeSet::new()];
        for row in &table.rows {
            let Some(of) = row.cells.get(benchmark).map(String::as_str) else {
                continue;
            };
            let filled = row
                .cells
                .get(at)
                .is_some_and(|cell| !cell.trim().is_empty());
            if filled {
                first.get_or_insert(of);
            }
            sides[usize::from(filled)].insert(of);
        }
        let [empty, filled] = sides;
        let opens = table.rows.first().and_then(|row| row.cells.get(benchmark));
        Self {
            first,
            by_the_first: opens.is_some_and(|opens| filled.contains(opens.as_str())),
            throughout: filled.is_disjoint(&empty),
        }
    }

    /// Whether an unknown column behind `Skipped` is an axis: one that the first benchmark
    /// doesn't have, filled in each row of those that have it, skipped ones too. A summary that
    /// passes for one splits workloads; an axis that passed for a summary would mix them.
    fn is_axis(&self, name: &str) -> bool {
        const SUMMARY_UNITS: [&str; 4] = [" (sec)", " (bytes)", " (elem/sec)", " (bytes/sec)"];
        let has_unit = SUMMARY_UNITS.iter().any(|unit| name.ends_with(unit));
        self.throughout && !self.by_the_first && !has_unit
    }
}

/// The tags of columns by their number. Within one benchmark's columns the order is that of
/// measuring: samples, CPU time with its noise, GPU time with its noise, rates; then the batch,
/// whose samples stood behind its time as `Batch` before they stood before it as `Samples`.
fn tags(header: &[&str]) -> HashMap<usize, &'static str> {
    let mut tags = HashMap::new();
    let mut samples = None;
    let mut host_only = false;
    let mut noise = None;
    for (at, name) in header.iter().enumerate() {
        let rest = header.get(at + 1..).unwrap_or_default();
        match *name {
            "Samples" => samples = Some(at),
            "CPU Time (sec)" => {
                // Nothing ran on a GPU where no GPU time follows before the next CPU time.
                let next = rest
                    .iter()
                    .find(|name| matches!(**name, "CPU Time (sec)" | "GPU Time (sec)"));
                host_only = next != Some(&"GPU Time (sec)");
                let (time, deviation, count) = if host_only {
                    (
                        "nv/cpu_only/time/cpu/mean",
                        "nv/cpu_only/time/cpu/stdev/relative",
                        "nv/cpu_only/sample_size",
                    )
                } else {
                    (
                        "nv/cold/time/cpu/mean",
                        "nv/cold/time/cpu/stdev/relative",
                        "nv/cold/sample_size",
                    )
                };
                tags.insert(at, time);
                noise = Some(deviation);
                if let Some(samples) = samples.take() {
                    tags.insert(samples, count);
                }
            }
            "GPU Time (sec)" => {
                host_only = false;
                tags.insert(at, "nv/cold/time/gpu/mean");
                noise = Some("nv/cold/time/gpu/stdev/relative");
                if let Some(samples) = samples.take() {
                    tags.insert(samples, "nv/cold/sample_size");
                }
            }
            "Noise" => {
                if let Some(noise) = noise.take() {
                    tags.insert(at, noise);
                }
            }
            "Elem/s (elem/sec)" => {
                let of_host = "nv/cpu_only/bw/item_rate";
                tags.insert(
                    at,
                    if host_only {
                        of_host
                    } else {
                        "nv/cold/bw/item_rate"
                    },
                );
            }
            "GlobalMem BW (bytes/sec)" => {
                let of_host = "nv/cpu_only/bw/global/bytes_per_second";
                let of_gpu = "nv/cold/bw/global/bytes_per_second";
                tags.insert(at, if host_only { of_host } else { of_gpu });
            }
            "BWUtil" | "BWPeak" => {
                tags.insert(at, "nv/cold/bw/global/utilization");
            }
            "Batch GPU (sec)" => {
                tags.insert(at, "nv/batch/time/gpu/mean");
                if let Some(samples) = samples.take() {
                    tags.insert(samples, "nv/batch/sample_size");
                }
                noise = None;
            }
            "Batch" => {
                tags.insert(at, "nv/batch/sample_size");
            }
            _ => {}
        }
    }
    tags
}
