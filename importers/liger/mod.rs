//! Liger-Kernel's benchmark table: Triton kernels for training language models beside what
//! they replace.
//!
//! - Upstream: <https://github.com/linkedin/Liger-Kernel>, `benchmark/data/all_benchmark_data*.csv`.
//! - Format: CSV, a row a figure; the columns in [`COLUMNS`]; a JSON object in a cell holds
//!   what else was set.
//! - Licence: BSD-2-Clause.
//! - Unit: in each row: `ms`, and `MB` that is 2²⁰ bytes (all 799 memory figures of the table
//!   are whole numbers of PyTorch's 512-byte blocks then, and 17 of them if it were 10⁶).
//! - Statistic: median, with the 20th and 80th percentile beside it (`triton.testing.do_bench`).
//! - Date seen: 2026-08-10, commit 2120862b.
//!
//! Kernel, mode, axis, every setting, device and dtype make a cohort. A release of Liger is
//! part of who computed, so that a newer one is measured beside the older.

mod row;

use crate::table::Table;
use crate::{
    Basis, Declared, Importer, Input, Issue, Place, Protocol, Reading, Refused, Source, Terms,
    given,
};
use std::collections::BTreeMap;

/// Columns, as the header names them.
const COLUMNS: [&str; 15] = [
    "kernel_name",
    "kernel_provider",
    "kernel_operation_mode",
    "metric_name",
    "metric_unit",
    "x_name",
    "x_label",
    "x_value",
    "y_value_50",
    "y_value_20",
    "y_value_80",
    "extra_benchmark_config_str",
    "gpu_name",
    "timestamp",
    "liger_version",
];

/// The importer of Liger-Kernel's benchmark table.
#[derive(Debug, Clone, Copy)]
pub struct Liger;

static SOURCE: Source = Source {
    slug: "liger",
    name: "Liger-Kernel benchmarks",
    home: "https://github.com/linkedin/Liger-Kernel",
    data_license: Some("BSD-2-Clause"),
    module_license: Some("BSD-2-Clause"),
    attribution: "Liger-Kernel (LinkedIn)",
    terms: "BSD-2-Clause: free to use and pass on with the copyright notice.",
    redistribution: Some(true),
    freshness_days: 180,
    suite: None,
    repository: None,
};

impl Importer for Liger {
    fn source(&self) -> &'static Source {
        &SOURCE
    }

    fn endings(&self) -> &'static [&'static str] {
        &[".csv"]
    }

    fn recognises(&self, input: &Input<'_>) -> Option<String> {
        let header = header(input.bytes)?;
        let names: Vec<&str> = header
            .split(',')
            .map(|cell| cell.trim_matches('"'))
            .collect();
        COLUMNS
            .iter()
            .all(|column| names.contains(column))
            .then(|| "a table with Liger-Kernel's columns".to_owned())
    }

    fn read(&self, input: &Input<'_>, declared: &Declared) -> Result<Reading, Refused> {
        let table = Table::read(input.bytes, b',')?;
        let columns = Columns::of(&table)?;
        let mut met = row::Met::default();
        let mut observations = Vec::with_capacity(table.rows.len());
        let mut issues = ignored(declared);
        for (at, row) in table.rows.iter().enumerate() {
            match row::read(&columns, at, row, declared, &mut met) {
                Ok((observation, doubts)) => {
                    observations.push(observation);
                    issues.extend(doubts);
                }
                Err(issue) => issues.push(*issue),
            }
        }
        let rejected: u64 = issues.iter().map(|issue| u64::from(issue.rejects)).sum();
        Ok(Reading {
            records: observations.len() as u64 + rejected,
            observations,
            issues,
            assumptions: met.assumptions(),
            provider: declared.provider.clone(),
            basis: if declared.provider.is_some() {
                Basis::Declared
            } else {
                Basis::Path
            },
            protocol: protocol(),
            unit_declared: true,
            terms: Terms::default(),
        })
    }
}

/// How all of it was timed: `triton.testing.do_bench` clears the L2 cache before each of its
/// timed calls. Its warm-up is a time (25 ms), not a number of calls.
fn protocol() -> Protocol {
    Protocol {
        harness: "triton.testing.do_bench".to_owned(),
        statistic: "median, 20th to 80th percentile".to_owned(),
        timer: Some("cuda_event".to_owned()),
        cache: Some("l2-cleared".to_owned()),
        ..Protocol::default()
    }
}

/// Declared facts that a row of this table has no place for.
fn ignored(declared: &Declared) -> Vec<Issue> {
    let options = [
        ("--implementation", declared.implementation.is_some()),
        ("--unit", declared.unit.is_some()),
        ("--level", declared.level.is_some()),
        ("--suite-version", declared.suite_version.is_some()),
    ];
    given::in_vain(&options, "each row says it itself")
}

/// The first line that isn't blank.
fn header(bytes: &[u8]) -> Option<&str> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let line = bytes
        .split(|byte| *byte == b'\n')
        .find(|line| !line.trim_ascii().is_empty())?;
    std::str::from_utf8(line).ok().map(str::trim)
}

/// Where each column stands.
struct Columns {
    by_name: BTreeMap<&'static str, usize>,
    width: usize,
}

impl Columns {
    fn of(table: &Table) -> Result<Self, Refused> {
        let mut by_name = BTreeMap::new();
        let mut missing = Vec::new();
        for name in COLUMNS {
            match table.column(name) {
                Some(at) => {
                    by_name.insert(name, at);
                }
                None => missing.push(format!("`{name}`")),
            }
        }
        if missing.is_empty() {
            return Ok(Self {
                by_name,
                width: table.header.len(),
            });
        }
        Err(Refused {
            code: "NO_COLUMN",
            place: Place {
                line: Some(1),
                ..Place::default()
            },
            message: format!("the header has no column {}", missing.join(", ")),
            hint: Some(
                "`kidx mapping new FILE` proposes a mapping for tables of any form".to_owned(),
            ),
        })
    }
}

#[cfg(test)]
mod tests;
