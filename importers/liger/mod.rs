//! Liger-Kernel benchmark tables: Triton kernels of language models against what Hugging
//! Face, `PyTorch`, Megatron and `DeepSpeed` take.
//!
//! - Upstream: <https://github.com/linkedin/Liger-Kernel>, `benchmark/data/all_benchmark_data*.csv`,
//!   written by `benchmark/scripts/utils.py`.
//! - Format: CSV, one row a figure: kernel, provider, mode, metric with unit, the swept axis,
//!   three percentiles, the other axes as JSON in a cell, device, local time, release.
//! - Licence: BSD-2-Clause (`LICENSE` read).
//! - Unit: `speed` in ms. `memory` in `MB`, by which the script means 2²⁰ bytes: it divides
//!   `max_memory_allocated()` by `2**20`, in every revision since the table exists (b5672a15 of
//!   2024-09-03, to 7a12e092 of 2026-08-21).
//! - Statistic: median with 20th and 80th percentile: for time of `triton.testing.do_bench`,
//!   for memory of ten calls.
//! - Date seen: 2026-08-21, commit ead96b61: 2,448 rows, and 1,284 and 165 of other backends.

mod config;
mod provider;
mod record;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::duration::Unit;
use crate::names::quoted;
use crate::table::Table;
use crate::{
    Basis, Declared, Importer, Input, Issue, Layout, Place, Protocol, Reading, Refused, Severity,
    Source, Terms, given,
};

use record::Records;

/// The importer of Liger-Kernel benchmark tables.
#[derive(Debug, Clone, Copy)]
pub struct Liger;

static SOURCE: Source = Source {
    slug: "liger",
    name: "Liger-Kernel benchmarks",
    home: "https://github.com/linkedin/Liger-Kernel",
    data_license: Some("BSD-2-Clause"),
    module_license: Some("BSD-2-Clause"),
    attribution: "Liger-Kernel (LinkedIn Corporation)",
    terms: "BSD-2-Clause: free to use and pass on with the copyright notice.",
    redistribution: Some(true),
    freshness_days: 180,
    suite: None,
    repository: Some(Layout {
        results: "benchmark/data",
        problems: "benchmark/scripts",
    }),
};

/// The columns, in the script's order.
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

impl Importer for Liger {
    fn source(&self) -> &'static Source {
        &SOURCE
    }

    fn recognises(&self, input: &Input<'_>) -> Option<String> {
        let bytes = input.bytes;
        let head = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let line = head.split(|byte| *byte == b'\n').next()?;
        let line = std::str::from_utf8(line).ok()?;
        let names: Vec<&str> = line
            .split(',')
            .map(|name| name.trim().trim_matches('"'))
            .collect();
        COLUMNS
            .iter()
            .all(|column| names.contains(column))
            .then(|| "the columns of Liger-Kernel's benchmark tables".to_owned())
    }

    fn read(&self, input: &Input<'_>, declared: &Declared) -> Result<Reading, Refused> {
        given::check(declared, Unit::Millisecond, "Liger-Kernel")?;
        let table = Table::read(input.bytes, b',')?;
        let columns = columns(&table)?;
        let mut records = Records::new(&table, &columns, declared.hardware.as_deref());
        for (at, row) in table.rows.iter().enumerate() {
            records.add(at, row);
        }
        let assumptions = assumptions(&records, declared);
        let (observations, read) = records.finish();
        let mut issues = given::in_vain(
            &[
                ("--implementation", declared.implementation.is_some()),
                ("--level", declared.level.is_some()),
                ("--suite-version", declared.suite_version.is_some()),
            ],
            "each row of the table states what ran and on what",
        );
        issues.extend(other_columns(&table));
        issues.extend(read);
        let rejected = Issue::rejected(&issues);
        Ok(Reading {
            records: observations.len() as u64 + rejected,
            observations,
            issues,
            assumptions,
            provider: declared.provider.clone(),
            // Each row names its implementation; who ran it is another question.
            basis: declared.basis(Basis::Path),
            protocol: speed_protocol(),
            unit_declared: true,
            terms: Terms::default(),
        })
    }
}

/// How times were taken. `do_bench` warms up for some milliseconds, not some runs, and
/// repeats for a time that differs by script and release.
fn speed_protocol() -> Protocol {
    Protocol {
        harness: "triton.testing.do_bench".to_owned(),
        statistic: "median".to_owned(),
        timer: Some("cuda_event".to_owned()),
        cache: Some("l2-cleared".to_owned()),
        ..Protocol::default()
    }
}

/// How memory was taken: the peak that the allocator counts in each of ten calls.
fn memory_protocol() -> Protocol {
    Protocol {
        harness: "torch max_memory_allocated, 10 calls".to_owned(),
        statistic: "median".to_owned(),
        ..Protocol::default()
    }
}

/// Where each of [`COLUMNS`] stands.
fn columns(table: &Table) -> Result<BTreeMap<&'static str, usize>, Refused> {
    let refuse = |code, message| Refused {
        code,
        place: Place {
            line: Some(1),
            ..Place::default()
        },
        message,
        hint: None,
    };
    let mut found = BTreeMap::new();
    for name in COLUMNS {
        let Some(at) = table.column(name) else {
            let message = format!("no column `{name}`: not a Liger-Kernel benchmark table");
            return Err(refuse("COLUMN_MISSING", message));
        };
        if table
            .header
            .iter()
            .filter(|cell| cell.trim() == name)
            .count()
            > 1
        {
            let message = format!("the column `{name}` stands twice");
            return Err(refuse("DUPLICATE_COLUMN", message));
        }
        found.insert(name, at);
    }
    Ok(found)
}

/// What the reading relies on that the table doesn't say.
fn assumptions(records: &Records<'_>, declared: &Declared) -> Vec<String> {
    let mut assumptions = Vec::new();
    if records.unzoned > 0 {
        assumptions.push("timestamps name no zone: taken as UTC".to_owned());
    }
    if records.memory > 0 {
        assumptions
            .push("`MB` of memory is 2^20 bytes, as Liger-Kernel's script divides".to_owned());
    }
    if let (Some(device), 1..) = (&declared.hardware, records.filled) {
        assumptions.push(format!(
            "{} of {} rows name no device: {} as declared",
            records.filled,
            records.rows,
            quoted(device)
        ));
    }
    assumptions
}

/// One note for all columns that nobody reads.
fn other_columns(table: &Table) -> Option<Issue> {
    let others: Vec<String> = table
        .header
        .iter()
        .filter(|name| !COLUMNS.contains(&name.trim()))
        .map(|name| quoted(name.trim()))
        .collect();
    (!others.is_empty()).then(|| Issue {
        severity: Severity::Note,
        code: "FIELDS_IGNORED".to_owned(),
        place: Place {
            line: Some(1),
            ..Place::default()
        },
        message: format!("columns that are not read: {}", others.join(", ")),
        hint: None,
        rejects: 0,
    })
}

/// One shared protocol of all memory rows.
fn shared_memory_protocol() -> Arc<Protocol> {
    Arc::new(memory_protocol())
}

#[cfg(test)]
mod tests;
