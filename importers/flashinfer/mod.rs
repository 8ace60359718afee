//! FlashInfer-Bench and SOL-ExecBench traces: what a solution did on a workload, a JSON
//! object a run.
//!
//! - Upstream: <https://github.com/flashinfer-ai/flashinfer-bench> and the data set
//!   `flashinfer-ai/flashinfer-trace` (`traces/<author>/<op type>/<definition>.jsonl`);
//!   <https://github.com/NVIDIA/SOL-ExecBench>, whose harness writes the same with
//!   `has_nan`, `has_inf`, `tolerance` and two statuses more.
//! - Format: JSON Lines; also one trace, or an array of them, as a JSON document. Python
//!   writes bare `Infinity` for figures of runs that failed. See `trace.rs`, `workload.rs`
//!   (what tells two workloads apart) and `definition.rs` (read where it lies beside).
//! - Licence: FlashInfer-Bench and its data set Apache-2.0. SOL-ExecBench: the harness is
//!   Apache-2.0, the data set on Hugging Face is for evaluation only and may not be passed on.
//! - Unit: milliseconds, in the fields' names.
//! - Statistic: by the harness's code of the record's day (`protocol.rs`): a mean, since
//!   2026-02-24 the mean over trials of their medians; SOL-ExecBench a mean, since
//!   2026-04-15 a median. The number of runs isn't stated.
//! - Date seen: 2026-04-30, commit 40e6ca78; 2026-04-15, commit 8d2237d2.
//!
//! A trace that passed gives two runs: the solution's and, timed in the same process, that of
//! the definition's reference implementation (role baseline). Each has its own place.

mod definition;
mod evidence;
mod expression;
mod identity;
mod input;
mod performance;
mod protocol;
mod reading;
mod site;
mod trace;
mod whole;
mod workload;

use crate::json::{Node, Value};
use crate::names::{hostile, quoted};
use crate::{Declared, Importer, Input, Place, Reading, Refused, Source};

use site::{member, text};

/// How many definitions of one input are looked for beside it.
const DEFINITIONS: usize = 100;

/// The importer of FlashInfer-Bench traces.
#[derive(Debug, Clone, Copy)]
pub struct FlashInfer;

/// The importer of SOL-ExecBench traces.
#[derive(Debug, Clone, Copy)]
pub struct SolExecBench;

static FLASHINFER: Source = Source {
    slug: "flashinfer",
    name: "FlashInfer-Bench traces",
    home: "https://github.com/flashinfer-ai/flashinfer-bench",
    data_license: Some("Apache-2.0"),
    module_license: Some("Apache-2.0"),
    attribution: "FlashInfer-Bench and FlashInfer-Trace (the FlashInfer project)",
    terms: "Apache-2.0: free to use and pass on with the licence and its notices.",
    redistribution: Some(true),
    freshness_days: 180,
    suite: None,
    repository: None,
};

static SOL: Source = Source {
    slug: "sol-execbench",
    name: "SOL-ExecBench traces",
    home: "https://github.com/NVIDIA/SOL-ExecBench",
    data_license: None,
    module_license: None,
    attribution: "SOL-ExecBench (NVIDIA)",
    terms: "The harness is Apache-2.0; the data set of problems is for evaluation only and may not be passed on.",
    redistribution: Some(false),
    freshness_days: 180,
    suite: None,
    repository: None,
};

/// Whose traces: one schema, two harnesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flavour {
    FlashInfer,
    Sol,
}

impl Flavour {
    fn source(self) -> &'static Source {
        match self {
            Self::FlashInfer => &FLASHINFER,
            Self::Sol => &SOL,
        }
    }

    fn harness(self) -> &'static str {
        match self {
            Self::FlashInfer => "FlashInfer-Bench",
            Self::Sol => "SOL-ExecBench",
        }
    }

    /// What marks a text as the SOL harness's; the other one writes none of it. (A text whose
    /// every run failed to compile may have no mark and is then taken for the other's.)
    fn sol_mark(bytes: &[u8]) -> Option<&'static str> {
        // With its quotes a word can't stand in a log, where quotes are escaped.
        const WORDS: [(&str, &str); 4] = [
            ("\"has_nan\"", "`has_nan`"),
            ("\"has_inf\"", "`has_inf`"),
            ("\"REWARD_HACK\"", "`REWARD_HACK`"),
            ("\"INVALID_REFERENCE\"", "`INVALID_REFERENCE`"),
        ];
        let mut lines = bytes
            .split(|byte| *byte == b'\n')
            .filter_map(|line| std::str::from_utf8(line).ok());
        let word = lines.find_map(|line| {
            let found = WORDS.iter().find(|(word, _)| line.contains(word));
            found.map(|(_, shown)| *shown)
        });
        word.or_else(|| {
            let mut mark = None;
            // A text that can't be read has no mark; reading it says why.
            let _ = input::each(bytes, |_, node| {
                mark = node.ok().and_then(mark_of_workload);
                false
            });
            mark
        })
    }

    fn recognises(self, input: &Input<'_>) -> Option<String> {
        if !input::begins_like_traces(input.bytes) {
            return None;
        }
        match (self, Self::sol_mark(input.bytes)) {
            (Self::FlashInfer, None) => Some(
                "traces: `definition`, `workload` and an `evaluation` with a `status`".to_owned(),
            ),
            (Self::Sol, Some(mark)) => Some(format!("traces with {mark}")),
            _ => None,
        }
    }

    fn read(self, input: &Input<'_>, declared: &Declared) -> Result<Reading, Refused> {
        refuse_declared(declared)?;
        if let (Self::FlashInfer, Some(mark)) = (self, Self::sol_mark(input.bytes)) {
            return Err(Refused {
                code: "OTHER_SOURCE",
                place: Place::default(),
                message: format!("traces of SOL-ExecBench: they have {mark}"),
                hint: Some(
                    "`kidx import sol-execbench` reads them under their own terms".to_owned(),
                ),
            });
        }
        reading::read(self, input, declared)
    }
}

impl Importer for FlashInfer {
    fn source(&self) -> &'static Source {
        Flavour::FlashInfer.source()
    }

    fn recognises(&self, input: &Input<'_>) -> Option<String> {
        Flavour::FlashInfer.recognises(input)
    }

    fn beside(&self, input: &Input<'_>) -> Vec<String> {
        beside(input)
    }

    fn read(&self, input: &Input<'_>, declared: &Declared) -> Result<Reading, Refused> {
        Flavour::FlashInfer.read(input, declared)
    }
}

impl Importer for SolExecBench {
    fn source(&self) -> &'static Source {
        Flavour::Sol.source()
    }

    fn recognises(&self, input: &Input<'_>) -> Option<String> {
        Flavour::Sol.recognises(input)
    }

    fn beside(&self, input: &Input<'_>) -> Vec<String> {
        beside(input)
    }

    fn read(&self, input: &Input<'_>, declared: &Declared) -> Result<Reading, Refused> {
        Flavour::Sol.read(input, declared)
    }
}

/// What only the SOL harness writes of a workload.
fn mark_of_workload(node: &Node<'_>) -> Option<&'static str> {
    let workload = member(node, "workload")?;
    if member(workload, "tolerance").is_some() {
        return Some("`tolerance`");
    }
    let Value::Object(inputs) = &member(workload, "inputs")?.value else {
        return None;
    };
    let custom = inputs
        .members
        .iter()
        .any(|member| match &member.node.value {
            Value::Object(input) => text(input, "type") == Some("custom"),
            _ => false,
        });
    custom.then_some("inputs of type `custom`")
}

/// Refuses a declared unit that the fields' names contradict, and a device name that can't
/// be one.
fn refuse_declared(declared: &Declared) -> Result<(), Refused> {
    let refuse = |code, message: String, hint: &str| Refused {
        code,
        place: Place::default(),
        message,
        hint: Some(hint.to_owned()),
    };
    if let Some(unit) = declared.unit.as_deref().filter(|unit| unit.trim() != "ms") {
        let message = format!(
            "traces are in milliseconds, but {} was declared",
            quoted(unit)
        );
        return Err(refuse("UNIT_CONFLICT", message, "leave `--unit` out"));
    }
    match declared
        .hardware
        .as_deref()
        .and_then(|name| Some((name, hostile(name)?)))
    {
        None => Ok(()),
        Some((name, why)) => {
            let message = format!("the declared device name {} {why}", quoted(name));
            Err(refuse(
                "HOSTILE_NAME",
                message,
                "`--hardware` takes a device's name",
            ))
        }
    }
}

/// Where the definitions of an input's traces may lie, seen from its folder.
fn beside(input: &Input<'_>) -> Vec<String> {
    let mut paths = vec![BESIDE.to_owned()];
    for name in definitions(input) {
        paths.extend(definition_paths(&name, input.folder));
    }
    paths
}

/// A definition in the folder of the traces.
const BESIDE: &str = "definition.json";

/// The paths of one definition in a data set: by op type, and as the oldest had it.
fn definition_paths(name: &str, folder: Option<&str>) -> Vec<String> {
    let mut paths = Vec::new();
    if !is_file_name(name) {
        return paths;
    }
    if let Some(folder) = folder.filter(|folder| *folder != "traces" && is_file_name(folder)) {
        paths.push(format!("../../../definitions/{folder}/{name}.json"));
        paths.push(format!("../../definitions/{folder}/{name}.json"));
    }
    paths.push(format!("../definitions/{name}.json"));
    paths
}

/// Whether a word is safe as a part of a path.
fn is_file_name(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+');
    !word.is_empty() && !word.starts_with('.') && word.chars().all(plain)
}

/// The names of the definitions that an input's traces name, in their order.
fn definitions(input: &Input<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    // A text that can't be read names none; reading it says why.
    let _ = input::each(input.bytes, |_, node| {
        if let Ok(Node {
            value: Value::Object(trace),
            ..
        }) = node
            && let Some(name) = text(trace, "definition")
            && !names.iter().any(|known| known == name)
        {
            names.push(name.to_owned());
        }
        names.len() < DEFINITIONS
    });
    names
}

#[cfg(test)]
mod tests;
