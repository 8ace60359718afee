//! What axis values and texts become.

use std::collections::BTreeMap;

use crate::AxisValue;

/// An axis value: a size where it is written as a whole number, whatever its type, since CSV
/// has no types and both formats must name one workload.
pub(super) fn axis(value: &str) -> AxisValue {
    match value.parse::<i64>() {
        Ok(size) if size.to_string() == value => AxisValue::Size(size),
        _ => AxisValue::Word(value.to_owned()),
    }
}

/// The element type, where exactly one axis names one.
pub(super) fn dtype(axes: &BTreeMap<String, AxisValue>) -> Option<String> {
    let mut named = axes.values().filter_map(|value| match value {
        AxisValue::Word(word) => element_type(word),
        AxisValue::Size(_) => None,
    });
    let first = named.next()?;
    named.next().is_none().then(|| first.to_owned())
}

/// Element types as nvbench's type strings and C++ write them, in `PyTorch`'s words.
fn element_type(word: &str) -> Option<&'static str> {
    Some(match word {
        "I8" | "int8_t" => "int8",
        "I16" | "int16_t" => "int16",
        "I32" | "int32_t" => "int32",
        "I64" | "int64_t" => "int64",
        "U8" | "uint8_t" => "uint8",
        "U16" | "uint16_t" => "uint16",
        "U32" | "uint32_t" => "uint32",
        "U64" | "uint64_t" => "uint64",
        "F16" | "__half" | "half" => "float16",
        "BF16" | "__nv_bfloat16" => "bfloat16",
        "F32" | "float" => "float32",
        "F64" | "double" => "float64",
        _ => return None,
    })
}

/// A text that is kept as evidence: one line, not too long.
pub(super) fn evidence(text: &str) -> String {
    const LONGEST: usize = 300;
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(LONGEST)
        .collect()
}
