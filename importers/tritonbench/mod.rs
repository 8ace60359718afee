//! tritonbench results: what the implementations of an operator take, side by side.
//!
//! - Upstream: <https://github.com/meta-pytorch/tritonbench>, `tritonbench/utils/triton_op.py`
//!   (`thunlp/TritonBench` is another project with other files).
//! - Format: CSV between semicolons (`--csv`), a row an input and a column a provider's metric;
//!   or JSON (`--output-json`), `{"tritonbench_<op>_<mode>[x_<x>-<provider>]_<metric>": …}`,
//!   which the nightly runs wrap into `{"name", "env", "metrics"}`.
//! - Licence: BSD-3-Clause is that of the harness (`LICENSE` read). A result belongs to whoever
//!   ran it: unknown here.
//! - Unit: `latency` and `walltime` ms, `tflops` 10¹² a second, `gbps` 10⁹ bytes a second,
//!   `gpu_peak_mem` 10⁹ bytes (the code divides by `10**9`); `compile_time` is ms or s by
//!   environment and isn't read.
//! - Statistic: `latency` is the lower median of what is left of the trials without outliers,
//!   and rates follow from it; `walltime` is one time over all calls by their number.
//! - Date seen: the writer, 2025-08-15 to 2026 (db2155c8 and later versions); no result file is
//!   published.

mod csv;
mod json;
mod metric;
mod names;
mod record;
mod result;

use crate::duration::Unit;
use crate::names::quoted;
use crate::{
    Basis, Declared, Importer, Input, Issue, Place, Protocol, Reading, Refused, Severity, Source,
    Terms, given,
};

use record::Records;
use result::Run;

/// The importer of tritonbench results.
#[derive(Debug, Clone, Copy)]
pub struct Tritonbench;

static SOURCE: Source = Source {
    slug: "tritonbench",
    name: "tritonbench results",
    home: "https://github.com/meta-pytorch/tritonbench",
    data_license: None,
    module_license: None,
    attribution: "whoever ran it (harness: meta-pytorch/tritonbench)",
    terms: "A result belongs to whoever ran it: say its terms with `--license` and `--redistribution`. The harness is BSD-3-Clause.",
    redistribution: None,
    freshness_days: 180,
    suite: None,
    repository: None,
};

impl Importer for Tritonbench {
    fn source(&self) -> &'static Source {
        &SOURCE
    }

    fn recognises(&self, input: &Input<'_>) -> Option<String> {
        if begins_json(input.bytes) {
            return json::recognises(input.bytes)
                .then(|| "keys that begin with `tritonbench_`".to_owned());
        }
        csv::recognises(input.bytes)
            .then(|| "columns `<provider>-<metric>` between semicolons".to_owned())
    }

    fn read(&self, input: &Input<'_>, declared: &Declared) -> Result<Reading, Refused> {
        given::check(declared, Unit::Millisecond, "tritonbench")?;
        let run = if begins_json(input.bytes) {
            json::read(input.bytes)?
        } else {
            csv::read(input.bytes, input.file)?
        };
        Ok(reading(run, declared))
    }
}

fn begins_json(bytes: &[u8]) -> bool {
    let head = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    head.trim_ascii_start().starts_with(b"{")
}

fn reading(run: Run, declared: &Declared) -> Reading {
    let mut assumptions = run.assumptions;
    let stated = run.environment.device.clone();
    if let (None, Some(device)) = (&stated, &declared.hardware) {
        assumptions.push(format!(
            "the result names no device: {} as declared",
            quoted(device)
        ));
    }
    if run.environment.recorded_at.is_some() {
        assumptions.push("`benchmark_date` names no zone: taken as UTC".to_owned());
    }
    let device = stated.or_else(|| declared.hardware.clone());
    let mut records = Records::new(device.as_deref(), &run.environment);
    for operator in &run.operators {
        records.operator(operator);
    }
    let (observations, read) = records.finish();
    let mut issues = given::in_vain(
        &[
            ("--implementation", declared.implementation.is_some()),
            ("--level", declared.level.is_some()),
            ("--suite-version", declared.suite_version.is_some()),
            (
                "--hardware",
                declared.hardware.is_some() && run.environment.device.is_some(),
            ),
        ],
        "the result states what ran and on what",
    );
    issues.extend(run.issues);
    issues.extend(read);
    let rejected = Issue::rejected(&issues);
    Reading {
        records: observations.len() as u64 + rejected,
        observations,
        issues,
        assumptions,
        provider: declared.provider.clone(),
        // Each column names its implementation; who ran it is another question.
        basis: declared.basis(Basis::Path),
        // Timer, warm-up and cache are options (`--cudagraph`, `--latency-measure-mode` …)
        // that no result states.
        protocol: Protocol {
            harness: "tritonbench".to_owned(),
            statistic: "median".to_owned(),
            ..Protocol::default()
        },
        unit_declared: true,
        terms: Terms::default(),
    }
}

/// An issue that keeps out `rejects` records.
fn issue(
    severity: Severity,
    code: &str,
    place: Place,
    message: String,
    hint: Option<&str>,
    rejects: usize,
) -> Issue {
    Issue {
        severity,
        code: code.to_owned(),
        place,
        message,
        hint: hint.map(str::to_owned),
        rejects: u32::try_from(rejects).unwrap_or(u32::MAX),
    }
}

/// One note for all metrics that nobody reads; `None` if there are none.
fn fields_ignored(names: &std::collections::BTreeSet<String>, place: Place) -> Option<Issue> {
    const LISTED: usize = 10;
    let mut shown: Vec<String> = names.iter().take(LISTED).map(|name| quoted(name)).collect();
    if names.len() > LISTED {
        shown.push("more".to_owned());
    }
    (!names.is_empty()).then(|| {
        let message = format!("not read: {}", shown.join(", "));
        issue(Severity::Note, "FIELDS_IGNORED", place, message, None, 0)
    })
}

#[cfg(test)]
mod tests;
