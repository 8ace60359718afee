//! What an importer says: observations of runs, issues with records or files, and
//! the assumptions under which it read. Plain data; nothing here knows a database.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::metric::Metric;
use crate::short::ShortText;

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

impl Issue {
    /// How many records some issues keep out.
    pub fn rejected(issues: &[Self]) -> u64 {
        issues.iter().map(|issue| u64::from(issue.rejects)).sum()
    }
}

/// A figure as the source states it: exact, with its own text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// The value in whole parts of its metric's unit ([`crate::Quantity::parts`]): picoseconds for
    /// a latency, bytes for memory.
    pub amount: i64,
    /// The number exactly as it stands in the input (`2.4`, `1e-3`).
    pub text: ShortText,
}

/// The figures of one run, all in the parts of one metric's unit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Figures {
    /// The primary statistic's value; `None` for a run without a usable figure.
    pub value: Option<Figure>,
    /// Population standard deviation over the trials.
    pub std: Option<Figure>,
    /// Least trial.
    pub min: Option<Figure>,
    /// Greatest trial.
    pub max: Option<Figure>,
    /// An interval around the value that the source itself states (20th and 80th
    /// percentile …), low and high. What it means is the protocol's.
    pub range: Option<Box<(Figure, Figure)>>,
    /// Number of trials behind the statistic.
    pub samples: Option<u32>,
    /// How finely the source states the value: the figure is known to ± this many parts
    /// before any noise. Zero at full float precision.
    pub resolution: i64,
}

/// What became of a run. A figure counts only where the run passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Status {
    /// It computed what it should, as far as the source checks.
    #[default]
    Passed,
    /// It was never run.
    NotRun,
    /// The harness left it out and says so.
    Skipped,
    /// It doesn't compile.
    CompileError,
    /// It failed while running.
    RuntimeError,
    /// It took too long.
    Timeout,
    /// It ran and computed something else.
    Incorrect,
    /// The source found that it cheats.
    RewardHack,
    /// What it was to be compared with is itself wrong.
    InvalidReference,
    /// It failed, and nothing says how.
    Failed,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Passed,
        Self::NotRun,
        Self::Skipped,
        Self::CompileError,
        Self::RuntimeError,
        Self::Timeout,
        Self::Incorrect,
        Self::RewardHack,
        Self::InvalidReference,
        Self::Failed,
    ];

    /// Its name in files and answers (`compile_error`).
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::NotRun => "not_run",
            Self::Skipped => "skipped",
            Self::CompileError => "compile_error",
            Self::RuntimeError => "runtime_error",
            Self::Timeout => "timeout",
            Self::Incorrect => "incorrect",
            Self::RewardHack => "reward_hack",
            Self::InvalidReference => "invalid_reference",
            Self::Failed => "failed",
        }
    }
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
            // Some sources know a problem by its number alone.
            None if stem.parse::<u32>().is_ok() => return format!("problem {stem}"),
            _ => stem,
        };
        name.replace('_', " ").trim().to_owned()
    }
}

/// What a run computed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A problem of a suite, before anyone decided which definition was meant.
    Problem(SuiteProblem),
    /// A workload that the source itself states in full.
    Stated(Arc<Workload>),
}

/// An operation as a source states it. All of it but `title` and `family` is its identity.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Operation {
    /// Who defines it, the first part of its slug: `liger`, `flashinfer`.
    pub suite: String,
    /// Its group within that, if there is one (`forward`, `rmsnorm`).
    pub group: Option<String>,
    /// Its name: with suite and group the slug that users type (`liger/forward/rms_norm`).
    pub name: String,
    /// Title as pages print it.
    pub title: String,
    /// What kind of computation it is (`gemm`, `norm`, `attention` …); `unknown` where
    /// nothing says so.
    pub family: String,
    /// What defines it beyond its name, as canonical facts of the source (a definition's
    /// axes, inputs, outputs, digest of the reference); `None` where only the name is known.
    pub definition: Option<String>,
}

/// The value of an axis.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AxisValue {
    /// A size.
    Size(i64),
    /// A choice, or a number that is no size, as it is written (`nt`, `1e-06`).
    Word(String),
}

impl std::fmt::Display for AxisValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Size(size) => size.fmt(f),
            Self::Word(word) => f.write_str(word),
        }
    }
}

/// A tensor of a workload, every axis bound.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Element type as `PyTorch` spells it (`float32`, `bfloat16`).
    pub dtype: String,
    /// Sizes; empty for a scalar.
    pub shape: Vec<i64>,
}

/// An operation with every axis bound, as a source states it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Workload {
    /// What is computed.
    pub operation: Arc<Operation>,
    /// All that makes it this workload: sizes and choices by name.
    pub axes: BTreeMap<String, AxisValue>,
    /// Element type as `PyTorch` spells it (`float32`, `bfloat16`), `mixed`, or unknown.
    pub dtype: Option<String>,
    /// Input tensors in order; `None` where their shapes aren't known.
    pub inputs: Option<Vec<Tensor>>,
    /// Output tensors in order; empty where unknown.
    pub outputs: Vec<Tensor>,
}

/// One run as a source states it: one figure with its statistics, or what came instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// Where the record stands in the input; no two observations share a place.
    pub place: Place,
    /// What was computed.
    pub subject: Subject,
    /// Who computed it.
    pub implementation: Arc<Implementation>,
    /// Device string exactly as stated (or as the user declared it); [`NO_HARDWARE`] for a
    /// failed run of which nobody says where it ran.
    pub hardware: Arc<str>,
    /// What became of it. Only a passed run has a value.
    pub status: Status,
    /// What was measured.
    pub metric: Arc<Metric>,
    /// Stated figures.
    pub figures: Figures,
    /// What the record states of its own circumstances, where records of one input differ.
    pub circumstances: Option<Box<Circumstances>>,
}

/// The device of a failed run of which nobody says where it ran.
pub const NO_HARDWARE: &str = "unknown";

/// What a record states beyond its figures.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Circumstances {
    /// When it was measured: `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SSZ`. A time without a zone
    /// is taken as UTC.
    pub recorded_at: Option<String>,
    /// Software by name (`torch`, `cuda`); what the user declares counts before it.
    pub software: Option<Arc<BTreeMap<String, String>>>,
    /// How it was timed, if not as the reading says.
    pub protocol: Option<Arc<Protocol>>,
    /// Other texts of the record that are evidence (`speedup`, `excessive_speedup`, `error`),
    /// kept with the place; short, never source code or whole logs.
    pub texts: Vec<(String, String)>,
}

/// How the runs of one input were timed, as far as is known. `None` is unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Nothing said so; the importer's stated assumption.
    #[default]
    Assumed,
    /// Read off the path.
    Path,
    /// The user declared it.
    Declared,
}

/// Under which terms figures may be used, as far as an input states them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// Licence text of the data: SPDX or the publisher's words.
    pub license: Option<String>,
    /// Whom to name when figures are passed on.
    pub attribution: Option<String>,
    /// Whether they may be passed on.
    pub redistribution: Option<bool>,
}

/// Everything one input gave under one set of declared facts.
#[derive(Debug, Clone, Default)]
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
    /// Terms that the input itself states; what it leaves out is the source's.
    pub terms: Terms,
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
    /// `--attribution`: whom to name when figures are passed on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribution: Option<String>,
    /// `--redistribution yes|no`: whether figures may be passed on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redistribution: Option<bool>,
    /// `--unit`: `s`, `ms`, `us` or `ns`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// `--level`: for a file whose problems stand at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// `--suite-version`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suite_version: Option<String>,
    /// Digests of the files that lay beside the input and were read with it, by the name
    /// that the importer asked for. Their bytes are kept as snapshots.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub beside: BTreeMap<String, String>,
}

impl Declared {
    /// How it is known who ran an input: as the user says, else as the importer found.
    pub fn basis(&self, found: Basis) -> Basis {
        match self.provider {
            Some(_) => Basis::Declared,
            None => found,
        }
    }
}
