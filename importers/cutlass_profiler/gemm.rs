//! Types of operands, and the tensors of a plain matrix product.

use std::collections::BTreeMap;

use crate::duration::Decimal;
use crate::{AxisValue, Tensor};

type Axes = BTreeMap<String, AxisValue>;

/// The element type of a workload: that of its operands, `mixed` where they differ.
pub(super) fn dtype(axes: &Axes) -> Option<String> {
    let operands = [("A", "B"), ("Activation", "Filter")];
    let (first, second) = operands
        .iter()
        .find_map(|(first, second)| Some((word(axes, first)?, word(axes, second))))?;
    let first = element(first)?;
    match second {
        Some(second) if element(second)? != first => Some("mixed".to_owned()),
        _ => Some(first.0.to_owned()),
    }
}

/// Inputs and outputs of `D = alpha·A·B + beta·C`. `None` where the row is no such product, a
/// type has no name in `PyTorch`, or `bytes` (as the profiler counts them) says otherwise.
pub(super) fn tensors(
    kind: &str,
    axes: &Axes,
    bytes: Option<&str>,
) -> Option<(Vec<Tensor>, Vec<Tensor>)> {
    // The arguments that are understood; another would mean another problem.
    const UNDERSTOOD: &[&str] = &[
        "gemm_kind",
        "m",
        "n",
        "k",
        "A",
        "B",
        "C",
        "D",
        "alpha",
        "beta",
        "batch_count",
        "accum",
    ];
    let plain = matches!(word(axes, "gemm_kind"), None | Some("universal" | "gemm"));
    let understood = axes.keys().all(|name| UNDERSTOOD.contains(&name.as_str()));
    if kind != "gemm" || !plain || !understood {
        return None;
    }
    let size = |name: &str| match axes.get(name) {
        Some(AxisValue::Size(size @ 1..)) => Some(*size),
        _ => None,
    };
    let (m, n, k) = (size("m")?, size("n")?, size("k")?);
    let batch = if axes.contains_key("batch_count") {
        size("batch_count")?
    } else {
        1
    };
    let reads_c = !Decimal::parse(word(axes, "beta")?)?.is_zero();
    let tensor = |name: &str, of: &str, rows: i64, columns: i64| {
        let (dtype, width) = element(word(axes, of)?)?;
        let shape = if batch == 1 {
            vec![rows, columns]
        } else {
            vec![batch, rows, columns]
        };
        let elements = shape.iter().try_fold(1_u64, |product, size| {
            product.checked_mul(u64::try_from(*size).ok()?)
        })?;
        let tensor = Tensor {
            name: name.to_owned(),
            dtype: dtype.to_owned(),
            shape,
        };
        Some((tensor, elements.checked_mul(width)?))
    };
    let (of_a, a_bytes) = tensor("A", "A", m, k)?;
    let (of_b, b_bytes) = tensor("B", "B", k, n)?;
    let (of_c, c_bytes) = tensor("C", "C", m, n)?;
    let (of_d, _) = tensor("D", if axes.contains_key("D") { "D" } else { "C" }, m, n)?;
    if let Some(stated) = bytes {
        let c_moved = c_bytes.checked_mul(if reads_c { 2 } else { 1 })?;
        let counted = a_bytes.checked_add(b_bytes)?.checked_add(c_moved)?;
        if stated.parse() != Ok(counted) {
            return None;
        }
    }
    let mut inputs = vec![of_a, of_b];
    inputs.extend(reads_c.then_some(of_c));
    Some((inputs, vec![of_d]))
}

fn word<'a>(axes: &'a Axes, name: &str) -> Option<&'a str> {
    match axes.get(name)? {
        AxisValue::Word(word) => Some(word),
        AxisValue::Size(_) => None,
    }
}

/// The element type of `f32:column` as `PyTorch` spells it, and its bytes. Types that it has no
/// name for (`tf32`, `s4`) are unknown.
fn element(operand: &str) -> Option<(&'static str, u64)> {
    let (element, _) = operand.split_once(':').unwrap_or((operand, ""));
    Some(match element {
        "f64" => ("float64", 8),
        "f32" => ("float32", 4),
        "f16" => ("float16", 2),
        "bf16" => ("bfloat16", 2),
        "fe4m3" => ("float8_e4m3fn", 1),
        "fe5m2" => ("float8_e5m2", 1),
        "cf32" => ("complex64", 8),
        "cf64" => ("complex128", 16),
        "s8" => ("int8", 1),
        "s16" => ("int16", 2),
        "s32" => ("int32", 4),
        "s64" => ("int64", 8),
        "u8" => ("uint8", 1),
        "u16" => ("uint16", 2),
        "u32" => ("uint32", 4),
        "u64" => ("uint64", 8),
        _ => return None,
    })
}
