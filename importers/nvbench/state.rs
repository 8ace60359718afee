//! What both formats say, before anything is made of it: benchmarks run in states, and a
//! state has summaries under tags.

use std::collections::BTreeSet;

use crate::{Issue, Place};

/// One input.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// File name of the program that ran, if the file states one that can be taken.
    pub(super) program: Option<String>,
    /// nvbench's own version and commit, as stated. They are not those of the measured code.
    pub(super) harness: Option<String>,
    /// In the order of the input.
    pub(super) states: Vec<State>,
    /// Records that could not be read as states, and doubts.
    pub(super) issues: Vec<Issue>,
    /// Tags or columns that are not read.
    pub(super) unread: BTreeSet<String>,
    /// What had to be assumed to read it.
    pub(super) assumptions: Vec<String>,
}

/// A benchmark with every axis bound, on one device.
#[derive(Debug)]
pub(super) struct State {
    pub(super) place: Place,
    pub(super) benchmark: String,
    /// Product name of its device; `None` where the file doesn't say.
    pub(super) device: Option<String>,
    /// Axes by name, values as written.
    pub(super) axes: Vec<(String, String)>,
    pub(super) outcome: Outcome,
}

/// What became of a state.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The benchmark left it out; its reason, where the format keeps one.
    Skipped(Option<String>),
    /// It ran.
    Ran(Vec<Summary>),
}

/// A figure of a state.
#[derive(Debug)]
pub(super) struct Summary {
    /// Its tag in format 1.x, whatever the format.
    pub(super) tag: &'static str,
    /// The number as written; `None` where the summary has no value.
    pub(super) text: Option<String>,
    pub(super) place: Place,
    /// The state has another summary of that tag.
    pub(super) twice: bool,
}

/// Tags that are read: of times (under `<mode>/time/<clock>`), of rates and of counts.
pub(super) const TAGS: &[&str] = &[
    "nv/cold/sample_size",
    "nv/cold/time/cpu/mean",
    "nv/cold/time/cpu/min",
    "nv/cold/time/cpu/max",
    "nv/cold/time/cpu/median",
    "nv/cold/time/cpu/q1",
    "nv/cold/time/cpu/q3",
    "nv/cold/time/cpu/stdev/absolute",
    "nv/cold/time/cpu/stdev/relative",
    "nv/cold/time/gpu/mean",
    "nv/cold/time/gpu/min",
    "nv/cold/time/gpu/max",
    "nv/cold/time/gpu/median",
    "nv/cold/time/gpu/q1",
    "nv/cold/time/gpu/q3",
    "nv/cold/time/gpu/stdev/absolute",
    "nv/cold/time/gpu/stdev/relative",
    "nv/cold/bw/item_rate",
    "nv/cold/bw/global/bytes_per_second",
    "nv/cold/bw/global/utilization",
    "nv/batch/sample_size",
    "nv/batch/time/gpu/mean",
    "nv/cpu_only/sample_size",
    "nv/cpu_only/time/cpu/mean",
    "nv/cpu_only/time/cpu/min",
    "nv/cpu_only/time/cpu/max",
    "nv/cpu_only/time/cpu/median",
    "nv/cpu_only/time/cpu/q1",
    "nv/cpu_only/time/cpu/q3",
    "nv/cpu_only/time/cpu/stdev/absolute",
    "nv/cpu_only/time/cpu/stdev/relative",
    "nv/cpu_only/bw/item_rate",
    "nv/cpu_only/bw/global/bytes_per_second",
];

/// The same by the names that they had before tags.
const OLD_NAMES: &[(&str, &str)] = &[
    ("Number of Samples (Cold)", "nv/cold/sample_size"),
    ("Average CPU Time (Cold)", "nv/cold/time/cpu/mean"),
    (
        "CPU Relative Standard Deviation (Cold)",
        "nv/cold/time/cpu/stdev/relative",
    ),
    ("Average GPU Time (Cold)", "nv/cold/time/gpu/mean"),
    (
        "GPU Relative Standard Deviation (Cold)",
        "nv/cold/time/gpu/stdev/relative",
    ),
    ("Element Throughput", "nv/cold/bw/item_rate"),
    (
        "Average Global Memory Throughput",
        "nv/cold/bw/global/bytes_per_second",
    ),
    (
        "Percent Peak Global Memory Throughput",
        "nv/cold/bw/global/utilization",
    ),
    ("Average GPU Time (Batch)", "nv/batch/time/gpu/mean"),
    ("Number of Samples (Batch)", "nv/batch/sample_size"),
];

/// Beginnings of tags that say how long measuring took, or what the figures above say in
/// another way: nothing is lost with them.
const DERIVED: &[&str] = &[
    "nv/cold/walltime",
    "nv/batch/walltime",
    "nv/cpu_only/walltime",
    "nv/cupti/walltime",
    "nv/cold/time/cpu/iqr/",
    "nv/cold/time/gpu/iqr/",
    "nv/cpu_only/time/cpu/iqr/",
    "nv/cold/sm_clock_rate/",
];

/// The tag that a summary's tag or old name is, if it is read.
pub(super) fn known(name: &str) -> Option<&'static str> {
    let old = || OLD_NAMES.iter().find(|(old, _)| *old == name);
    let tag = TAGS.iter().find(|tag| **tag == name).copied();
    tag.or_else(|| old().map(|(_, tag)| *tag))
}

/// Whether a summary that isn't read repeats what others say.
pub(super) fn is_derived(name: &str) -> bool {
    DERIVED.iter().any(|begin| name.starts_with(begin))
}
