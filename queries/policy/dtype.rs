//! Element widths.

/// Bytes of one element of a dtype as specs name it (`fp32`, `int64`, `bool` …);
/// `None` for a dtype that isn't known or is narrower than a byte.
pub fn width_bytes(dtype: &str) -> Option<i64> {
    Some(match dtype {
        "fp64" | "int64" | "uint64" | "complex64" => 8,
        "complex128" => 16,
        "fp32" | "int32" | "uint32" => 4,
        "fp16" | "bf16" | "int16" | "uint16" => 2,
        "fp8" | "fp8_e4m3" | "fp8_e5m2" | "int8" | "uint8" | "bool" => 1,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths() {
        for (dtype, bytes) in [
            ("fp32", Some(4)),
            ("bf16", Some(2)),
            ("int64", Some(8)),
            ("bool", Some(1)),
            ("int4", None),
            ("float", None),
        ] {
            assert_eq!(width_bytes(dtype), bytes, "{dtype}");
        }
    }
}
