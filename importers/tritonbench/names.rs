//! Names that tritonbench puts together, taken apart: columns, keys, benchmarks, inputs.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::names::hostile;
use crate::{AxisValue, Implementation, Operation, Role, Workload, family};

use super::metric::{axis_value, is_known};

/// What stands for the name of the inputs where an operator gives none.
pub(super) const UNNAMED: &str = "x_val";

/// `<provider>-<metric>` with a metric of tritonbench's own.
pub(super) fn known_column(text: &str) -> Option<(&str, &str)> {
    text.rsplit_once('-')
        .filter(|(provider, metric)| !provider.is_empty() && is_known(metric))
}

/// The benchmark and what was measured, of a key of the JSON form.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Key<'k> {
    /// `tritonbench_<benchmark>[x_<x>-<provider>]_<metric>`.
    Cell {
        benchmark: &'k str,
        x: &'k str,
        provider: String,
        metric: &'k str,
    },
    /// A mean over all inputs, or a row of the table that is no input.
    Summary,
    /// `tritonbench_<benchmark>-pass`.
    Pass(&'k str),
    /// Anything else.
    Other,
}

/// The beginning of every key.
pub(super) const PREFIX: &str = "tritonbench_";

/// Takes a key apart.
pub(super) fn key(key: &str) -> Key<'_> {
    let Some(rest) = key.strip_prefix(PREFIX) else {
        return Key::Other;
    };
    let Some((benchmark, rest)) = rest.split_once('[') else {
        return rest.strip_suffix("-pass").map_or(Key::Other, Key::Pass);
    };
    let Some((inner, tail)) = rest.rsplit_once(']') else {
        return Key::Other;
    };
    if tail.starts_with('-') && tail.ends_with("-avg") {
        return Key::Summary;
    }
    // The writer's own comment has the metric inside the brackets.
    let (inner, metric) = match tail.strip_prefix('_') {
        Some(metric) => (inner, metric),
        None if tail.is_empty() => match known_column(inner) {
            Some(split) => split,
            None => return Key::Other,
        },
        None => return Key::Other,
    };
    let Some((x, provider)) = inner.rsplit_once('-') else {
        return Key::Other;
    };
    let x = x.strip_prefix("x_").unwrap_or(x);
    if is_summary(x) {
        return Key::Summary;
    }
    // The writer ends a provider's name at its first dash.
    let (provider, metric) = match known_column(metric) {
        Some((more, metric)) => (format!("{provider}-{more}"), metric),
        None => (provider.to_owned(), metric),
    };
    Key::Cell {
        benchmark,
        x,
        provider,
        metric,
    }
}

/// Whether the row of that input is none: the mean of all, or hashes of the kernels' source.
pub(super) fn is_summary(x: &str) -> bool {
    matches!(x.trim(), "average" | "hashes")
}

/// An operator in a mode, as a benchmark is named: `[<precision>_]<operator>_<mode>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Benchmark {
    pub(super) operator: String,
    pub(super) mode: Option<String>,
    pub(super) dtype: Option<String>,
}

/// Takes the name of a benchmark apart; what follows no rule is an operator's name.
pub(super) fn benchmark(name: &str) -> Benchmark {
    // A longer mode before its end.
    const MODES: [&str; 4] = ["fwd_no_grad", "fwd_bwd", "fwd", "bwd"];
    const DTYPES: [(&str, &str); 3] = [
        ("bf16_", "bfloat16"),
        ("fp16_", "float16"),
        ("fp32_", "float32"),
    ];
    let (rest, mode) = MODES
        .iter()
        .find_map(|mode| {
            let rest = name.strip_suffix(mode)?.strip_suffix('_')?;
            (!rest.is_empty()).then_some((rest, Some((*mode).to_owned())))
        })
        .unwrap_or((name, None));
    let (operator, dtype) = DTYPES
        .iter()
        // `fp32_to_mx4` is an operator.
        .filter(|_| !rest.contains("_to_"))
        .find_map(|(prefix, dtype)| Some((rest.strip_prefix(prefix)?, Some((*dtype).to_owned()))))
        .filter(|(operator, _)| !operator.is_empty())
        .unwrap_or((rest, None));
    Benchmark {
        operator: operator.to_owned(),
        mode,
        dtype,
    }
}

/// The operator that a CSV file's name gives: `<operator>.csv` of `--output-dir`, or
/// `op_<operator>_<eight letters>.csv`. `None` for names that say nothing.
pub(super) fn operator_of_file(file: &str) -> Option<&str> {
    const NOTHING: [&str; 16] = [
        "bench",
        "benchmark",
        "benchmarks",
        "csv",
        "data",
        "log",
        "out",
        "output",
        "outputs",
        "perf",
        "result",
        "results",
        "run",
        "stdout",
        "tmp",
        "tritonbench",
    ];
    let stem = file.strip_suffix(".csv")?;
    let temporary = stem.strip_prefix("op_").and_then(|rest| {
        let (name, letters) = rest.split_at_checked(rest.len().checked_sub(9)?)?;
        (!name.is_empty() && letters.starts_with('_')).then_some(name)
    });
    let name = temporary.unwrap_or(stem);
    let plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let says = name.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !NOTHING.contains(&name.to_ascii_lowercase().as_str());
    (plain && says).then_some(name)
}

/// The workload of an input: a tuple `(4096, 4096, 1024)` under `(M, N, K)` has three axes,
/// anything else is one axis. `None` if a name or value can't be taken.
pub(super) fn workload(
    operation: &Arc<Operation>,
    dtype: Option<&str>,
    header: &str,
    x: &str,
) -> Option<Workload> {
    let whole = || BTreeMap::from([(header.trim().to_owned(), axis_value(x))]);
    let axes = tuple(header)
        .zip(tuple(x))
        .and_then(|(names, values)| {
            let axes: BTreeMap<String, AxisValue> = names
                .iter()
                .zip(&values)
                .map(|(name, value)| ((*name).to_owned(), axis_value(value)))
                .collect();
            (names.len() == values.len() && axes.len() == names.len()).then_some(axes)
        })
        .unwrap_or_else(whole);
    let sound = axes.iter().all(|(name, value)| {
        let word = match value {
            AxisValue::Size(_) => None,
            AxisValue::Word(word) => hostile(word),
        };
        hostile(name).is_none() && word.is_none()
    });
    sound.then(|| Workload {
        operation: Arc::clone(operation),
        axes,
        dtype: dtype.map(str::to_owned),
        inputs: None,
        outputs: Vec::new(),
    })
}

/// The parts of `(a, b)`, brackets inside them kept whole.
fn tuple(text: &str) -> Option<Vec<&str>> {
    let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mut parts = Vec::new();
    let mut depth = 0i32;
    let mut from = 0;
    for (at, c) in inner.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(inner.get(from..at)?.trim());
                from = at + 1;
            }
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    let last = inner.get(from..)?.trim();
    // Python writes a tuple of one as `(a,)`.
    if !last.is_empty() || parts.is_empty() {
        parts.push(last);
    }
    Some(parts)
}

/// The operation of a benchmark.
pub(super) fn operation(benchmark: &Benchmark) -> Operation {
    let spelled = benchmark.operator.replace('_', " ");
    Operation {
        suite: "tritonbench".to_owned(),
        group: benchmark.mode.clone(),
        name: benchmark.operator.clone(),
        title: match &benchmark.mode {
            Some(mode) => format!("{spelled} ({mode})"),
            None => spelled,
        },
        family: family::of(&benchmark.operator).to_owned(),
        definition: None,
    }
}

/// Who computed, by the label of its columns. Whose code it is, the label alone says only for
/// `PyTorch`'s own.
pub(super) fn implementation(label: &str, role: Role) -> Implementation {
    let begins = |words: &[&str]| words.iter().any(|word| label.starts_with(word));
    let torch = begins(&["aten", "torch", "pt2", "eager"]);
    let words: Vec<&str> = label
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let language = if torch {
        "python"
    } else if begins(&["triton"]) {
        "triton"
    } else {
        "unknown"
    };
    Implementation {
        slug: words.join("-").to_lowercase(),
        name: label.to_owned(),
        project: if torch { "PyTorch" } else { "tritonbench" }.to_owned(),
        language: language.to_owned(),
        interface: label.to_owned(),
        role,
        license: torch.then(|| "BSD-3-Clause".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_taken_apart() {
        let cell = |benchmark, x, provider: &str, metric| Key::Cell {
            benchmark,
            x,
            provider: provider.to_owned(),
            metric,
        };
        let cases = [
            (
                "tritonbench_toy_fwd[x_(8, 16)-aten]_latency",
                cell("toy_fwd", "(8, 16)", "aten", "latency"),
            ),
            (
                "tritonbench_toy_fwd[x_-1-aten]_tflops",
                cell("toy_fwd", "-1", "aten", "tflops"),
            ),
            (
                "tritonbench_toy_fwd[x_[8, 16]-tri]_mma-latency",
                cell("toy_fwd", "[8, 16]", "tri-mma", "latency"),
            ),
            (
                "tritonbench_toy_fwd[x_8-tri]_odd",
                cell("toy_fwd", "8", "tri", "odd"),
            ),
            (
                "tritonbench_toy_fwd[8-tri-latency]",
                cell("toy_fwd", "8", "tri", "latency"),
            ),
            ("tritonbench_toy_fwd[x_average-tri]_latency", Key::Summary),
            ("tritonbench_toy_fwd[tri]-latency-avg", Key::Summary),
            ("tritonbench_toy_fwd-pass", Key::Pass("toy_fwd")),
            ("tritonbench_toy_fwd", Key::Other),
            ("tritonbench_toy_fwd[8]_latency", Key::Other),
            ("tritonbench_toy_fwd[x_8-tri]latency", Key::Other),
            ("tritonbench_toy_fwd[x_8-tri", Key::Other),
            ("latency", Key::Other),
        ];
        for (text, expected) in cases {
            assert_eq!(key(text), expected, "{text}");
        }
    }

    #[test]
    fn benchmarks_and_files_name_operators() {
        let cases = [
            ("gemm_fwd", "gemm", Some("fwd"), None),
            (
                "bf16_gemm_fwd_bwd",
                "gemm",
                Some("fwd_bwd"),
                Some("bfloat16"),
            ),
            ("fp32_to_mx4_fwd", "fp32_to_mx4", Some("fwd"), None),
            ("bf16xint16_gemm_fwd", "bf16xint16_gemm", Some("fwd"), None),
            (
                "fp16_rope_fwd_no_grad",
                "rope",
                Some("fwd_no_grad"),
                Some("float16"),
            ),
            ("nightly_gemm", "nightly_gemm", None, None),
            ("_fwd", "_fwd", None, None),
            ("bf16_", "bf16_", None, None),
        ];
        for (name, operator, mode, dtype) in cases {
            let read = benchmark(name);
            assert_eq!(
                (
                    read.operator.as_str(),
                    read.mode.as_deref(),
                    read.dtype.as_deref()
                ),
                (operator, mode, dtype)
            );
        }
        let cases = [
            ("gemm.csv", Some("gemm")),
            ("op_gemm_ab_9xk2q.csv", Some("gemm")),
            ("op_flash_attention_abcd_234.csv", Some("flash_attention")),
            ("op_task.csv", Some("op_task")),
            ("Results.csv", None),
            ("2026-01-02.csv", None),
            ("20260102.csv", None),
            (".csv", None),
            ("gemm.txt", None),
        ];
        for (file, operator) in cases {
            assert_eq!(operator_of_file(file), operator, "{file}");
        }
    }

    #[test]
    fn inputs_become_axes() {
        let operation = Arc::new(operation(&benchmark("toy_fwd")));
        let axes = |header: &str, x: &str| {
            workload(&operation, None, header, x).map(|workload| {
                let axes: Vec<String> = workload
                    .axes
                    .iter()
                    .map(|(name, value)| match value {
                        AxisValue::Size(size) => format!("{name}={size}"),
                        AxisValue::Word(word) => format!("{name}={word:?}"),
                    })
                    .collect();
                axes.join(" ")
            })
        };
        let cases = [
            ("(M, N, K)", "(64, 32, 16)", Some("K=16 M=64 N=32")),
            ("(B, kind)", "(8, 'causal')", Some(r#"B=8 kind="causal""#)),
            ("(B, S)", "(8, [1, 2])", Some(r#"B=8 S="[1, 2]""#)),
            ("(B,)", "(8,)", Some("B=8")),
            ("(MNK)", "(64, 32, 16)", Some(r#"(MNK)="(64, 32, 16)""#)),
            ("(M, M)", "(64, 32)", Some(r#"(M, M)="(64, 32)""#)),
            ("x_val", "4096", Some("x_val=4096")),
            ("x_val", "0.5", Some(r#"x_val="0.5""#)),
            (
                "(B, S) | Mask",
                "(8, 4) | causal",
                Some(r#"(B, S) | Mask="(8, 4) | causal""#),
            ),
            ("x_val", "", None),
            ("x_val", "a\nb", None),
        ];
        for (header, x, expected) in cases {
            assert_eq!(axes(header, x).as_deref(), expected, "{header} {x}");
        }
    }
}
