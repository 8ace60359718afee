//! Reports of the CUTLASS profiler: what kernels of CUTLASS (and cuBLAS, cuDNN) take for a
//! matrix product or a convolution.
//!
//! - Upstream: <https://github.com/NVIDIA/cutlass>, `tools/profiler/src/performance_report.cpp`
//!   and `*_operation_profiler.cu`.
//! - Format: CSV, `[tags…,]Problem,Provider,OperationKind,Operation,Disposition,Status,`
//!   arguments `,Bytes,Flops[,Flops/Byte],Runtime[,Runtime_<device>…],GB/s,GFLOPs`; arguments
//!   differ by operation kind and release, so columns are found by name. Also captured from
//!   standard output, with other lines around the table.
//! - Licence: BSD-3-Clause is that of the profiler and of CUTLASS' kernels. A report belongs to
//!   whoever ran it: unknown here.
//! - Unit: `Runtime` ms; `GB/s` is GiB (2³⁰ bytes) a second, `GFLOPs` 10⁹ a second; six
//!   significant digits, zeros at the end dropped.
//! - Statistic: mean over the profiling iterations, whose number is not in the file.
//! - Date seen: commit 7107b055 (2026), and a report of 2022. A report states no device, no
//!   date and no version.

mod arguments;
mod gemm;
mod rate;
mod record;
mod report;
mod row;
mod verdict;

use crate::duration::Unit;
use crate::names::quoted;
use crate::{
    Basis, Declared, Importer, Input, Issue, Place, Protocol, Reading, Refused, Severity, Source,
    Terms, given,
};

use record::Records;

/// The importer of CUTLASS profiler reports.
#[derive(Debug, Clone, Copy)]
pub struct CutlassProfiler;

static SOURCE: Source = Source {
    slug: "cutlass-profiler",
    name: "CUTLASS profiler reports",
    home: "https://github.com/NVIDIA/cutlass",
    data_license: None,
    module_license: None,
    attribution: "whoever ran the profiler (harness: NVIDIA CUTLASS)",
    terms: "A report belongs to whoever ran it: say its terms with `--license` and `--redistribution`. The profiler and CUTLASS' kernels are BSD-3-Clause.",
    redistribution: None,
    freshness_days: 180,
    suite: None,
    repository: None,
};

impl Importer for CutlassProfiler {
    fn source(&self) -> &'static Source {
        &SOURCE
    }

    fn recognises(&self, input: &Input<'_>) -> Option<String> {
        report::recognises(input.bytes).then(|| {
            "the columns `Provider`, `OperationKind`, `Disposition` of the CUTLASS profiler"
                .to_owned()
        })
    }

    fn read(&self, input: &Input<'_>, declared: &Declared) -> Result<Reading, Refused> {
        given::check(declared, Unit::Millisecond, "the CUTLASS profiler")?;
        let report = report::read(input.bytes)?;
        let mut records = Records::new(declared.hardware.as_deref());
        let mut at = 0;
        for table in &report.tables {
            let columns = arguments::Columns::of(table)?;
            for row in &table.rows {
                records.add(&columns, at, row);
                at += 1;
            }
        }
        let (observations, read) = records.finish();
        let mut issues = given::in_vain(
            &[
                ("--implementation", declared.implementation.is_some()),
                ("--level", declared.level.is_some()),
                ("--suite-version", declared.suite_version.is_some()),
            ],
            "each row of a report states what ran and on what",
        );
        issues.extend(around(&report));
        issues.extend(read);
        let mut assumptions = Vec::new();
        if let (Some(device), false) = (&declared.hardware, observations.is_empty()) {
            assumptions.push(format!(
                "a report names no device: {} as declared",
                quoted(device)
            ));
        }
        if report
            .tables
            .iter()
            .any(|table| table.column("GB/s").is_some())
        {
            assumptions.push(
                "`GB/s` is GiB a second, as the profiler computes it, unless a row's bytes and time say GB"
                    .to_owned(),
            );
        }
        let rejected = Issue::rejected(&issues);
        Ok(Reading {
            records: observations.len() as u64 + rejected,
            observations,
            issues,
            assumptions,
            provider: declared.provider.clone(),
            // Each row names its implementation; who ran it is another question.
            basis: declared.basis(Basis::Path),
            protocol: Protocol {
                harness: "CUTLASS profiler".to_owned(),
                statistic: "mean".to_owned(),
                timer: Some("cuda_event".to_owned()),
                // Warm-ups and workspaces beyond the cache are options that no report states.
                ..Protocol::default()
            },
            // The profiler prints milliseconds, whatever it profiles.
            unit_declared: true,
            terms: Terms::default(),
        })
    }
}

/// Notes on what stands around the rows: other output, times of single devices.
fn around(report: &report::Report) -> Vec<Issue> {
    let note = |code: &str, line, message| Issue {
        severity: Severity::Note,
        code: code.to_owned(),
        place: Place {
            line: Some(line),
            ..Place::default()
        },
        message,
        hint: None,
        rejects: 0,
    };
    let mut notes = Vec::new();
    if let Some(line) = report.other_lines.first() {
        let message = format!(
            "{} lines are not of the table and were passed over",
            report.other_lines.len()
        );
        notes.push(note("LINES_IGNORED", *line, message));
    }
    let of_devices: Vec<String> = report
        .tables
        .iter()
        .flat_map(|table| &table.header)
        .filter(|name| name.trim().starts_with("Runtime_"))
        .map(|name| quoted(name.trim()))
        .collect();
    if !of_devices.is_empty() {
        let message = format!(
            "times of single devices are not read: {}; `Runtime` is that of all",
            of_devices.join(", ")
        );
        notes.push(note("FIELDS_IGNORED", 1, message));
    }
    notes
}

#[cfg(test)]
mod tests;
