//! nvbench results: what a user's own CUDA benchmarks measured, as `--json` or `--csv` wrote it.
//!
//! - Upstream: <https://github.com/NVIDIA/nvbench>, `nvbench/json_printer.cu`,
//!   `nvbench/csv_printer.cu`, `nvbench/detail/measure_*.cu`.
//! - Format: JSON 1.x (`meta`, `devices`, `benchmarks` of `states` of tagged `summaries`; all
//!   numbers are strings), JSON before 1.0 (2021: no `meta`, summaries by display name), and
//!   CSV (unquoted; a column per axis and per summary that isn't hidden). See `json.rs`, `csv.rs`.
//! - Licence: Apache-2.0 WITH LLVM-exception is that of nvbench and of the example outputs in
//!   its repository. A result file belongs to whoever ran it: unknown here.
//! - Unit: seconds, bytes and elements a second, shares of one; floats in full.
//! - Statistic: mean of the samples (isolated or in one batch), in newer files median and
//!   quartiles beside it; the deviation is that of a sample (n − 1) in today's code.
//! - Date seen: 2026-08-12, commit 66212f1d, and the outputs at 5db1524b. A file states no date.

mod csv;
mod json;
mod mode;
mod record;
mod state;
mod statistics;
mod words;

use std::sync::Arc;

use crate::duration::Unit;
use crate::names::{hostile, quoted};
use crate::{
    Basis, Declared, Implementation, Importer, Input, Issue, Reading, Refused, Role, Source, Terms,
    given,
};

use record::Records;
use state::Contents;

/// The importer of nvbench results.
#[derive(Debug, Clone, Copy)]
pub struct NvBench;

static SOURCE: Source = Source {
    slug: "nvbench",
    name: "nvbench results",
    home: "https://github.com/NVIDIA/nvbench",
    data_license: None,
    module_license: None,
    attribution: "whoever ran the benchmark (harness: NVIDIA nvbench)",
    terms: "A result file belongs to whoever ran it: say its terms with `--license` and `--redistribution`. The example outputs in nvbench's repository are Apache-2.0 WITH LLVM-exception.",
    redistribution: None,
    freshness_days: 180,
    suite: None,
    repository: None,
};

impl Importer for NvBench {
    fn source(&self) -> &'static Source {
        &SOURCE
    }

    fn recognises(&self, input: &Input<'_>) -> Option<String> {
        if json::begins_like_json(input.bytes) {
            json::recognises(input.bytes)
                .then(|| "`benchmarks` of nvbench with its `devices`".to_owned())
        } else {
            csv::recognises(input.bytes).then(|| {
                "the columns `Benchmark`, `Device Name` and `Skipped` of nvbench".to_owned()
            })
        }
    }

    fn read(&self, input: &Input<'_>, declared: &Declared) -> Result<Reading, Refused> {
        given::check(declared, Unit::Second, "nvbench")?;
        let contents = if json::begins_like_json(input.bytes) {
            json::read(input.bytes)?
        } else {
            csv::read(input.bytes)?
        };
        let mut assumptions = Vec::new();
        let program = program(&contents, input, &mut assumptions);
        let implementation = implementation(declared, program.as_deref());
        let basis = match (&declared.implementation, &declared.provider, &program) {
            (None, None, Some(_)) => Basis::Path,
            (None, None, None) => Basis::Assumed,
            _ => Basis::Declared,
        };
        assumptions.extend(contents.assumptions.iter().cloned());

        let mut records = Records::new(&contents, implementation, program, declared);
        for state in &contents.states {
            records.add(state);
        }
        let (observations, mut issues, filled) = records.finish();
        if let (Some(device), 1..) = (&declared.hardware, filled) {
            assumptions.push(format!(
                "{filled} of {} records name no device: {} as declared",
                observations.len(),
                quoted(device)
            ));
        }
        issues.splice(
            0..0,
            given::in_vain(
                &[
                    ("--level", declared.level.is_some()),
                    ("--suite-version", declared.suite_version.is_some()),
                ],
                "benchmarks are the user's own and have neither",
            ),
        );
        let rejected = Issue::rejected(&issues);
        Ok(Reading {
            records: observations.len() as u64 + rejected,
            observations,
            issues,
            assumptions,
            provider: declared.provider.clone(),
            basis,
            protocol: mode::Mode::Isolated.protocol("mean"),
            // The printers write seconds, whatever the benchmark.
            unit_declared: true,
            terms: Terms::default(),
        })
    }
}

/// The program that ran the benchmarks: as the file states, else as it is named. It tells
/// operations apart: `base` is the name of a benchmark in dozens of programs.
fn program(
    contents: &Contents,
    input: &Input<'_>,
    assumptions: &mut Vec<String>,
) -> Option<String> {
    if let Some(program) = &contents.program {
        return Some(program.clone());
    }
    let named = input.file.map(|file| {
        let stem = file.strip_suffix(".json").or(file.strip_suffix(".csv"));
        stem.unwrap_or(file)
    });
    let named = named.filter(|name| hostile(name).is_none());
    assumptions.push(match named {
        Some(name) => format!(
            "the file states no program: taken as {} from its name",
            quoted(name)
        ),
        None => {
            "nothing says which program ran: benchmarks of one name are taken as one".to_owned()
        }
    });
    named.map(str::to_owned)
}

fn implementation(declared: &Declared, program: Option<&str>) -> Arc<Implementation> {
    let name = declared.implementation.as_deref().or(program);
    let name = name.unwrap_or("unnamed benchmark").trim();
    let words: Vec<String> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let slug = if words.is_empty() {
        "unnamed".to_owned()
    } else {
        words.join("-")
    };
    Arc::new(Implementation {
        slug,
        name: name.to_owned(),
        project: name.to_owned(),
        language: "cuda".to_owned(),
        interface: "nvbench".to_owned(),
        role: Role::Candidate,
        license: None,
    })
}

#[cfg(test)]
mod tests;
