//! KernelBench baseline timing files: how long PyTorch takes for each problem.
//!
//! - Upstream: <https://github.com/ScalingIntelligence/KernelBench>,
//!   `results/timing/<GPU>_<provider>/baseline_time_<configuration>.json`; before 2025
//!   `tests/` and `results/timing/` without a folder for the machine.
//! - Format: `{"level1": {"<number>_<name>.py": record or null}, "level2": …}`; see
//!   `record.rs`. Names alone don't say which version of a problem was timed.
//! - Licence: MIT (figures and problem modules).
//! - Unit: milliseconds, three significant digits; nothing in a file says so, and one
//!   historic file is in microseconds (`--unit us`).
//! - Statistic: mean of (always seen: 100) trials, population standard deviation, CUDA
//!   events.
//! - Date seen: 2026-03-05, commit 423217d9, and every file of all branches before it.

mod compare;
mod configuration;
mod keys;
pub mod problem;
mod protocol;
mod record;
mod survey;
mod verdict;
mod walk;

use std::sync::Arc;

use crate::duration::Unit;
use crate::json::Document;
use crate::{
    Basis, Declared, Implementation, Importer, Input, Issue, Layout, Metric, Observation, Place,
    Reading, Refused, Severity, Source, Status, Subject, Terms,
};

use keys::{hostile, quoted};
use protocol::protocol;
use record::Context;
use walk::Contents;

/// Folder of the suite's repository that holds its problems, a folder per level.
pub const PROBLEMS: &str = "KernelBench";

/// Folder of the suite's repository that holds its timing files.
pub const TIMINGS: &str = "results/timing";

/// The importer of KernelBench baseline timing files.
#[derive(Debug, Clone, Copy)]
pub struct KernelBench;

static SOURCE: Source = Source {
    slug: "kernelbench",
    name: "KernelBench baseline timings",
    home: "https://github.com/ScalingIntelligence/KernelBench",
    data_license: Some("MIT"),
    module_license: Some("MIT"),
    attribution: "KernelBench (Stanford Scaling Intelligence Lab)",
    terms: "MIT: free to use and pass on with the copyright notice.",
    redistribution: Some(true),
    freshness_days: 180,
    suite: Some("kernelbench"),
    repository: Some(Layout {
        results: TIMINGS,
        problems: PROBLEMS,
    }),
};

impl Importer for KernelBench {
    fn source(&self) -> &'static Source {
        &SOURCE
    }

    fn endings(&self) -> &'static [&'static str] {
        &[".json"]
    }

    fn recognises(&self, input: &Input<'_>) -> Option<String> {
        let named = input
            .file
            .is_some_and(|file| file.starts_with(configuration::PREFIX) && file.contains(".json"));
        // Looking inside is for what could be JSON at all.
        let could_be = || {
            let head = input
                .bytes
                .strip_prefix(b"\xEF\xBB\xBF")
                .unwrap_or(input.bytes);
            head.trim_ascii_start().starts_with(b"{")
        };
        if could_be()
            && Document::open(input.bytes)
                .is_ok_and(|document| survey::begins_like_timings(&document))
        {
            return Some("levels of problems whose records have a `mean`".to_owned());
        }
        named.then(|| "the name of a baseline timing file".to_owned())
    }

    fn read(&self, input: &Input<'_>, declared: &Declared) -> Result<Reading, Refused> {
        let document = Document::open(input.bytes)?;
        let context = context(declared)?;
        let mut contents = walk::walk(&document, context, declared.level)?;
        compare::reject_duplicates(&mut contents, &document);
        compare::warn_of_look_alikes(&mut contents, &document);

        let (implementation, rest, basis) = implementation(input, declared);
        let mut assumptions = Vec::new();
        if basis == Basis::Assumed {
            let file = input.file.map_or("standard input".to_owned(), quoted);
            assumptions.push(format!(
                "the name of {file} says no configuration: taken as {}",
                implementation.name
            ));
        }
        let stated = Stated::from(contents, &document, &Arc::new(implementation));
        if let (Some(device), 1..) = (context.hardware, stated.filled) {
            assumptions.push(format!(
                "{} of {} records name no device: {} as declared",
                stated.filled,
                stated.observations.len(),
                quoted(device)
            ));
        }
        let provider = provider(input, declared, rest.as_deref(), &stated, &mut assumptions);
        let rejected = Issue::rejected(&stated.issues);
        Ok(Reading {
            records: stated.observations.len() as u64 + rejected,
            unit_declared: declared.unit.is_some() || stated.all_state_unit,
            observations: stated.observations,
            issues: stated.issues,
            assumptions,
            provider,
            basis: declared.basis(basis),
            protocol: protocol(input.committed_at),
            terms: Terms::default(),
        })
    }
}

/// The suite's baseline: PyTorch as it runs a module.
pub fn eager() -> Implementation {
    configuration::eager()
}

/// What was declared, checked.
fn context(declared: &Declared) -> Result<Context<'_>, Refused> {
    let refuse = |code, message, hint| Refused {
        code,
        place: Place::default(),
        message,
        hint,
    };
    let unit = match declared.unit.as_deref() {
        None => None,
        Some(word) => Some(Unit::parse(word).ok_or_else(|| {
            refuse(
                "UNKNOWN_UNIT",
                format!("unit {} was declared and is not known", quoted(word)),
                Some(format!("`--unit` takes {}", Unit::SPELLINGS)),
            )
        })?),
    };
    let hardware = declared.hardware.as_deref();
    match hardware.and_then(|name| Some((name, hostile(name)?))) {
        None => Ok(Context { unit, hardware }),
        Some((name, why)) => Err(refuse(
            "HOSTILE_NAME",
            format!("the declared device name {} {why}", quoted(name)),
            None,
        )),
    }
}

/// Who computed the figures, what else the file name says, and how firmly it is known.
fn implementation(
    input: &Input<'_>,
    declared: &Declared,
) -> (Implementation, Option<String>, Basis) {
    let named = input.file.and_then(configuration::from_file_name);
    let rest = named.as_ref().and_then(|named| named.rest.clone());
    match (declared.implementation.as_deref(), named) {
        (Some(text), _) => (configuration::from_user(text), rest, Basis::Declared),
        (None, Some(named)) => (named.implementation, rest, Basis::Path),
        (None, None) => (configuration::eager(), None, Basis::Assumed),
    }
}

/// Who ran it: declared, else the folder's text after its first `_`, else what the
/// oldest file names have in its place.
fn provider(
    input: &Input<'_>,
    declared: &Declared,
    rest: Option<&str>,
    stated: &Stated,
    assumptions: &mut Vec<String>,
) -> Option<String> {
    if let Some(declared) = &declared.provider {
        return Some(declared.clone());
    }
    let from_folder = input
        .folder
        .and_then(|folder| folder.split_once('_'))
        .map(|(_, provider)| provider)
        .filter(|provider| !provider.is_empty());
    match (input.folder, from_folder, rest) {
        // `RTX_3090_Ti` is a device and says nothing of who had it.
        (Some(folder), Some(_), _) if stated.ran_on(&folder.replace('_', " ")) => None,
        (_, Some(provider), _) => Some(provider.to_owned()),
        (_, None, Some(machine)) => {
            assumptions.push(format!(
                "{} in the file name is no configuration: taken as the machine's name",
                quoted(machine)
            ));
            Some(machine.to_owned())
        }
        (_, None, None) => None,
    }
}

/// What a file states: observations and issues in its order.
struct Stated {
    observations: Vec<Observation>,
    issues: Vec<Issue>,
    /// Every observation's record names its unit.
    all_state_unit: bool,
    /// How many observations have the declared device.
    filled: usize,
}

impl Stated {
    fn from(
        contents: Contents,
        document: &Document<'_>,
        implementation: &Arc<Implementation>,
    ) -> Self {
        let Contents {
            entries,
            mut issues,
            unknown_fields,
            ..
        } = contents;
        let metric = Arc::new(Metric::latency("mean"));
        let mut all_state_unit = true;
        let mut filled = 0;
        // An entry is the larger of the two, so that this takes no second buffer.
        let mut observations: Vec<Observation> = entries
            .into_iter()
            .filter_map(|entry| {
                let record = match entry.outcome {
                    Ok(record) => record,
                    Err(issue) => {
                        issues.push((entry.offset, issue));
                        return None;
                    }
                };
                if let Some(doubt) = record.doubt {
                    issues.push((entry.offset, walk::issue(*doubt, &entry.place, document, 0)));
                }
                all_state_unit &= record.states_unit;
                filled += usize::from(record.hardware_declared);
                Some(Observation {
                    place: entry.place,
                    subject: Subject::Problem(entry.problem),
                    implementation: Arc::clone(implementation),
                    hardware: record.hardware,
                    status: Status::Passed,
                    metric: Arc::clone(&metric),
                    figures: record.figures,
                    circumstances: None,
                })
            })
            .collect();
        observations.shrink_to_fit();
        let top = document.place(String::new(), 0);
        if !unknown_fields.is_empty() {
            issues.push((0, fields_ignored(&unknown_fields, top.clone())));
        }
        issues.extend(compare::mixed_hardware(&observations, top).map(|issue| (0, issue)));
        issues.sort_by_key(|(offset, _)| *offset);
        Self {
            all_state_unit: all_state_unit && !observations.is_empty(),
            observations,
            issues: issues.into_iter().map(|(_, issue)| issue).collect(),
            filled,
        }
    }

    /// Whether some record's device has this text in its name.
    fn ran_on(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        let mut last = "";
        self.observations.iter().any(|observation| {
            let device: &str = &observation.hardware;
            let same = std::mem::replace(&mut last, device) == device;
            !same && device.to_lowercase().contains(&name)
        })
    }
}

/// One note for all keys of records that were not read.
fn fields_ignored(fields: &[String], place: Place) -> Issue {
    const LISTED: usize = 10;
    let mut names: Vec<String> = fields
        .iter()
        .take(LISTED)
        .map(|field| quoted(field))
        .collect();
    if fields.len() > LISTED {
        names.push("more".to_owned());
    }
    Issue {
        severity: Severity::Note,
        code: "FIELDS_IGNORED".to_owned(),
        place,
        message: format!(
            "records have fields that are not read: {}",
            names.join(", ")
        ),
        hint: None,
        rejects: 0,
    }
}

#[cfg(test)]
mod tests;
