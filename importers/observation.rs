//! What an importer says: observations of runs, issues with records or files, and
//! the assumptions under which it read. Plain data; nothing here knows a database.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::short::ShortText;

/// Picoseconds in one nanosecond; times are whole picoseconds inside.
pub const PS_PER_NS: i64 = 1_000;

/// A place in an input, precise enough to open the file and look.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Place {
    /// RFC 6901 JSON pointer (`/level2/28_x.py/mean`); empty for the whole input.
    pub pointer: String,
    /// 1-based line, where the format has lines.
    pub line: Option<u64>,
    /// 1-based column in characters (not bytes), where known.
    pub column: Option<u64>,
}

/// How serious an issue is. Only an error changes the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Present but unusable: a record or a file was not used.
    Error,
    /// Used, with doubt.
    Warning,
    /// Worth knowing; nothing is wrong.
    Note,
}

/// A record or a file that was not used, or used with doubt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// How serious it is.
    pub severity: Severity,
    /// Stable code, upper case: `NO_TIMING`, `NON_FINITE`, `DUPLICATE_KEY` …
    pub code: String,
    /// Where it was seen.
    pub place: Place,
    /// What was found and what was expected.
    pub message: String,
    /// What to try, if anything helps.
    pub hint: Option<String>,
    /// How many records this issue keeps out (counted as rejected).
    pub rejects: u32,
}

/// A figure as the source states it: exact in picoseconds, with its own text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// The value, rounded to whole picoseconds.
    pub ps: i64,
    /// The number exactly as it stands in the input (`2.4`, `1e-3`).
    pub text: ShortText,
}

/// Latency figures of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Latency {
    /// The primary statistic's value; here always the mean.
    pub mean: Figure,
    /// Population standard deviation over the trials.
    pub std: Option<Figure>,
    /// Fastest trial.
    pub min: Option<Figure>,
    /// Slowest trial.
    pub max: Option<Figure>,
    /// Number of trials behind the statistic.
    pub samples: Option<u32>,
    /// How finely the source states the mean: the figure is known to ± this many
    /// picoseconds before any noise. Zero at full float precision.
    pub resolution_ps: i64,
}

/// What role an implementation plays in its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The source's designated baseline (PyTorch eager in KernelBench).
    Baseline,
    /// Another reference configuration that the source itself publishes.
    Reference,
    /// A competitor.
    Candidate,
}

/// Who computes: a project's code in one configuration.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Implementation {
    /// Short stable name, lower case (`torch-compile-inductor`).
    pub slug: String,
    /// As pages print it (`torch.compile (inductor)`).
    pub name: String,
    /// Software project (`PyTorch`).
    pub project: String,
    /// Implementation language as published (`python`).
    pub language: String,
    /// How it is called (`torch_eager`, `torch_compile_inductor`).
    pub interface: String,
    /// Its role in the source.
    pub role: Role,
    /// The project's own declared licence for this software, as its text says.
    pub license: Option<String>,
}

/// Which problem of a suite a record names, before anyone decided which definition
/// of that problem was meant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SuiteProblem {
    /// Suite slug (`kernelbench`).
    pub suite: Arc<str>,
    /// Level key as the source writes it (`level2`, `level_tk`).
    pub level: Arc<str>,
    /// File name without folders, exactly as stated (`28_BMM_….py`).
    pub file: Arc<str>,
}

impl SuiteProblem {
    /// The file name without `.py`.
    pub fn stem(&self) -> &str {
        self.file.strip_suffix(".py").unwrap_or(&self.file)
    }

    /// The number before the first `_`, if the name has one.
    pub fn number(&self) -> Option<u32> {
        self.stem().split('_').next()?.parse().ok()
    }

    /// The level's number, if its key is `level<number>`.
    pub fn level_number(&self) -> Option<u32> {
        self.level.strip_prefix("level")?.parse().ok()
    }

    /// Title as pages print it: the name without number, underscores as blanks.
    pub fn title(&self) -> String {
        let stem = self.stem();
        let name = match stem.split_once('_') {
            Some((number, rest)) if number.parse::<u32>().is_ok() => rest,
            _ => stem,
        };
        name.replace('_', " ").trim().to_owned()
    }
}

/// One run as a source states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// Where the record stands in the input.
    pub place: Place,
    /// What was computed.
    pub problem: SuiteProblem,
    /// Who computed it.
    pub implementation: Arc<Implementation>,
    /// Device string exactly as stated (or as the user declared it).
    pub hardware: Arc<str>,
    /// Stated figures.
    pub latency: Latency,
}

/// How the runs of one input were timed, as far as is known. `None` is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Protocol {
    /// Harness name as pages print it (`KernelBench timing scripts`).
    pub harness: String,
    /// Primary statistic (`mean`).
    pub statistic: String,
    /// Timer (`cuda_event`).
    pub timer: Option<String>,
    /// Warm-up runs before the timed trials.
    pub warmups: Option<u32>,
    /// Cache state between trials (`l2-cleared`, `warm`).
    pub cache: Option<String>,
    /// Precision mode (`torch-default`, `tf32`, `fp32-strict` …).
    pub precision: Option<String>,
    /// Whether gradients were recorded while timing: `recorded` or `off`.
    pub autograd: Option<String>,
}

/// How firmly an input's implementation and provider are known; stronger wins when
/// two readings of the same bytes disagree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Nothing said so; the importer's stated assumption.
    Assumed,
    /// Read off the path.
    Path,
    /// The user declared it.
    Declared,
}

/// Everything one input gave under one set of declared facts.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Usable records, in input order.
    pub observations: Vec<Observation>,
    /// Unusable or doubtful ones, in input order.
    pub issues: Vec<Issue>,
    /// How many records the input holds: observations + rejected.
    pub records: u64,
    /// Statements the importer relied on that the input does not make.
    pub assumptions: Vec<String>,
    /// Who ran it, from the folder or declared; as written.
    pub provider: Option<String>,
    /// How firmly configuration and provider are known.
    pub basis: Basis,
    /// How it was timed.
    pub protocol: Protocol,
    /// Whether the unit was stated by the input or the user (else assumed).
    pub unit_declared: bool,
}

/// Facts that the user declares about inputs; they override what an importer reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Declared {
    /// `--implementation`: name or slug of a known configuration, or a new name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implementation: Option<String>,
    /// `--provider`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// `--hardware`: for records that name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardware: Option<String>,
    /// `--software torch=2.9.0,cuda=12.8`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub software: BTreeMap<String, String>,
    /// `--license`: of the data; SPDX or the source's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// `--unit`: `s`, `ms`, `us` or `ns`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// `--level`: for a file whose problems stand at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// `--suite-version`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suite_version: Option<String>,
}
