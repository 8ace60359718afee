//! Names of columns as people choose them, and words of cells whose meaning is plain.

use crate::metric::Scale;

use super::columns::Column;
use super::propose::q;
use super::words;

/// Names of what is computed, the surest first.
pub(super) const OPERATIONS: &[&str] = &[
    "problem",
    "task",
    "benchmark",
    "workload",
    "operation",
    "op",
    "kernel",
    "case",
    "test",
    "routine",
    "function",
    "layer",
    "model",
    "key",
    "name",
];

/// Names of who computes.
pub(super) const IMPLEMENTATIONS: &[&str] = &[
    "implementation",
    "impl",
    "provider",
    "backend",
    "framework",
    "library",
    "lib",
    "engine",
    "method",
    "solution",
    "variant",
    "algorithm",
    "submitter",
    "model",
    "kernel",
    "system",
];

/// Names of a group of operations.
pub(super) const GROUPS: &[&str] = &[
    "mode",
    "level",
    "scenario",
    "pass",
    "direction",
    "phase",
    "metric",
];

/// Names of the device.
pub(super) const DEVICES: &[&str] = &["gpu", "device", "hardware", "accelerator", "card", "gpus"];

/// Names of when it was measured.
pub(super) const DATES: &[&str] = &[
    "timestamp",
    "date",
    "datetime",
    "at",
    "on",
    "day",
    "time",
    "started",
    "start",
];

/// Names of the element type.
pub(super) const DTYPES: &[&str] = &["dtype", "precision", "datatype", "used", "type"];

/// Names of sizes, which make two rows two workloads.
pub(super) const SIZES: &[&str] = &[
    "m", "n", "k", "b", "t", "h", "d", "v", "c", "w", "l", "s", "bs", "bsz", "batch", "seq",
    "seqlen", "hidden", "head", "heads", "size", "dim", "dims", "len", "length", "vocab", "rows",
    "cols", "columns", "groups", "channels", "height", "width", "experts", "topk", "stride",
    "padding", "features", "elements", "numel", "context", "nodes", "inputs",
];

/// Names of choices that make two rows two workloads.
pub(super) const CHOICES: &[&str] = &[
    "layout",
    "shape",
    "shapes",
    "config",
    "configuration",
    "causal",
    "forward",
    "backward",
    "params",
    "dims",
    "mnk",
    "transpose",
];

/// Names of what became of a run, in the order in which a failure shows.
pub(super) const STATUSES: &[&str] = &[
    "compiled",
    "status",
    "correct",
    "correctness",
    "passed",
    "success",
    "ok",
    "valid",
    "check",
    "outcome",
];

/// A word for a unit that isn't one by itself but has one in it: `Latency (ms)`.
pub(super) fn spelled_unit(word: &str) -> Option<String> {
    if Scale::parse(word).is_some() {
        return None;
    }
    let (unit, _) = super::guess::unit_and_rest(word)?;
    Some(format!("{} = {}", q(word), q(&unit)))
}

/// A text of several sizes, as `64x128x256` under `mnk`: their names, and what is between.
pub(super) fn split(column: &Column) -> Option<(Vec<String>, &'static str)> {
    let between = ["x", "_", ",", "*"].into_iter().find(|between| {
        !column.values.is_empty()
            && column.values.iter().all(|value| {
                value.contains(between)
                    && value.split(between).all(|part| {
                        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
                    })
            })
    })?;
    let parts = column.values.first()?.split(between).count();
    if !column
        .values
        .iter()
        .all(|value| value.split(between).count() == parts)
    {
        return None;
    }
    let last = column.words.last()?;
    let named = last.chars().count() == parts && last.chars().all(char::is_alphabetic);
    let listed = if named {
        last.chars().map(String::from).collect()
    } else {
        (0..parts).map(|index| format!("d{index}")).collect()
    };
    Some((listed, between))
}

/// What a word of a status column stands for; `?` if that isn't plain.
pub(super) fn status_of(word: &str, column: &str) -> &'static str {
    if let Some(status) = words::status(word) {
        return status.as_str();
    }
    match word.to_lowercase().as_str() {
        "true" | "pass" | "ok" | "success" | "correct" | "yes" => "passed",
        "false" | "no" => match column {
            "compiled" => "compile_error",
            "correct" | "correctness" => "incorrect",
            _ => "failed",
        },
        "fail" | "failure" => "failed",
        "wrong" | "mismatch" => "incorrect",
        "skip" => "skipped",
        "timed out" | "timeout_error" => "timeout",
        "error" | "crash" | "oom" => "runtime_error",
        _ => "?",
    }
}
