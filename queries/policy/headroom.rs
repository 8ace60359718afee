//! `headroom-v1`: the published definition, kept so that published pages can be
//! reproduced figure by figure, faults included.
//!
//! Bytes are those of the declared inputs, once. Arithmetic exists for two families:
//! `gemm`, 2·M·N·K, and `attention`, 4·B·H·Lq·Lk·D. M, N and K are the axes of those
//! names; without them they are read off the first two declared tensors, whatever
//! those are to the module. An H100 of any form is held to the SXM part's peaks.

use std::collections::BTreeMap;

use super::floor::{Bound, Floor, Terms, compute_ns, dram_ns, grouped};
use super::ns::Ns;
use super::two_decimals;

/// Name of the policy.
pub const ID: &str = "headroom-v1";

/// A declared input tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    /// Dtype (`fp32`, `int64` …).
    pub dtype: String,
    /// Extents.
    pub shape: Vec<u64>,
}

/// What the floor follows from.
#[derive(Debug, Clone, Copy)]
pub struct Work<'a> {
    /// Family of the operation (`gemm`, `conv` …).
    pub family: &'a str,
    /// Declared inputs in order.
    pub inputs: &'a [Tensor],
    /// Axes by lower-case name.
    pub axes: &'a BTreeMap<String, u64>,
}

/// Peaks as published with the policy, frozen: family, label, GB/s, dense TF32 TFLOP/s.
const PEAKS: [(&str, &str, f64, Option<f64>); 12] = [
    ("h100", "H100 SXM", 3350.0, Some(495.0)),
    ("h200", "H200", 4800.0, Some(495.0)),
    ("b200", "B200", 8000.0, Some(1100.0)),
    ("a100", "A100 80GB", 2039.0, Some(156.0)),
    ("l40s", "L40S", 864.0, Some(183.0)),
    ("l4", "L4", 300.0, Some(60.0)),
    ("t4", "T4", 320.0, None),
    ("rtx-4090", "RTX 4090", 1008.0, Some(82.6)),
    ("rtx-3090", "RTX 3090", 936.0, Some(35.6)),
    ("h20", "H20", 4000.0, Some(74.0)),
    ("mi300x", "MI300X", 5300.0, Some(654.0)),
    ("mi355x", "MI355X", 8000.0, Some(1250.0)),
];

/// The floor on a hardware family (`h100`), with the ratio of a record to it. `None`
/// where the policy has no peaks for the family or knows the width of no input.
pub fn floor(work: &Work<'_>, hardware_family: &str, record: Option<Ns>) -> Option<Floor> {
    let (_, label, gbs, tf32) = PEAKS
        .into_iter()
        .find(|(family, ..)| *family == hardware_family)?;
    let bytes: f64 = work.inputs.iter().filter_map(bytes).sum();
    if bytes <= 0.0 {
        return None;
    }
    let dram = dram_ns(bytes, gbs)?;
    let (compute, rule) = compute(work, label, tf32);
    let (floor, bound) = match compute {
        Some(compute) if compute >= dram => (compute, Bound::Compute),
        _ => (dram, Bound::Bandwidth),
    };
    Some(Floor {
        hardware: Some(label.to_owned()),
        floor_ns: Ns::from_ns(floor),
        bound: Some(bound),
        terms: Terms {
            dram_ns: Ns::from_ns(dram),
            compute_ns: compute.and_then(Ns::from_ns),
        },
        ratio: record.map(|record| two_decimals(record.ns() / floor)),
        rules: vec![
            format!(
                "every declared tensor crosses HBM exactly once ({} GB/s, {label} datasheet)",
                grouped(gbs)
            ),
            rule,
        ],
        ..Floor::none(ID)
    })
}

/// Arithmetic time and the rule it follows from, or why there is none.
fn compute(work: &Work<'_>, label: &str, tf32: Option<f64>) -> (Option<f64>, String) {
    let counted = match work.family {
        "gemm" => gemm(work),
        "attention" => attention(work.inputs),
        _ => {
            return (
                None,
                "no arithmetic formula for this family: bandwidth floor only".to_owned(),
            );
        }
    };
    let Some((flops, formula)) = counted else {
        return (
            None,
            "declared tensors don't give the formula's axes: bandwidth floor only".to_owned(),
        );
    };
    // A faster class than fp32 has no peak on record under this policy.
    let only_fp32 = work.inputs.iter().all(|input| {
        matches!(input.dtype.as_str(), "fp32" | "bool") || input.dtype.starts_with("int")
    });
    let peak = tf32.filter(|_| only_fp32 && work.inputs.iter().any(|i| i.dtype == "fp32"));
    match peak.and_then(|peak| Some((peak, compute_ns(flops, peak)?))) {
        Some((peak, ns)) => (
            Some(ns),
            format!(
                "{formula} at the dense tf32 peak ({} TFLOP/s)",
                grouped(peak)
            ),
        ),
        None => (
            None,
            format!("no dense peak of these dtypes for {label}: bandwidth floor only"),
        ),
    }
}

/// 2·M·N·K, by named axes (with `batch`, if there is such) or off the first two
/// tensors: `A = [M, K]`; N is B's last extent if its last but one is K, else that one.
fn gemm(work: &Work<'_>) -> Option<(f64, String)> {
    let axis = |name: &str| work.axes.get(name).copied();
    if let (Some(m), Some(n), Some(k)) = (axis("m"), axis("n"), axis("k")) {
        let flops = 2.0 * m as f64 * n as f64 * k as f64;
        return Some(match axis("batch") {
            Some(batch) => (
                flops * batch as f64,
                format!("2·batch·M·N·K with batch={batch}, M={m}, N={n}, K={k}"),
            ),
            None => (flops, format!("2·M·N·K with M={m}, N={n}, K={k}")),
        });
    }
    let [first, second, ..] = work.inputs else {
        return None;
    };
    let [.., m, k] = first.shape[..] else {
        return None;
    };
    let [.., rows, columns] = second.shape[..] else {
        return None;
    };
    let n = if rows == k { columns } else { rows };
    let flops = 2.0 * m as f64 * n as f64 * k as f64;
    Some((flops, format!("2·M·N·K with M={m}, N={n}, K={k}")))
}

/// 4·B·H·Lq·Lk·D off query `[B, H, Lq, D]` and key `[B, H, Lk, D]`; never causal.
fn attention(inputs: &[Tensor]) -> Option<(f64, String)> {
    let [query, key, ..] = inputs else {
        return None;
    };
    let [b, h, lq, d] = query.shape[..] else {
        return None;
    };
    let [_, _, lk, _] = key.shape[..] else {
        return None;
    };
    let flops = [b, h, lq, lk, d]
        .iter()
        .fold(4.0, |product, extent| product * *extent as f64);
    let formula = format!("4·B·H·Lq·Lk·D with B={b}, H={h}, Lq={lq}, Lk={lk}, D={d}");
    Some((flops, formula))
}

/// Bytes of a tensor; `None` for a dtype without a width here, which isn't counted.
fn bytes(tensor: &Tensor) -> Option<f64> {
    let width = match tensor.dtype.as_str() {
        "fp64" | "int64" => 8.0,
        "fp32" | "int32" => 4.0,
        "fp16" | "bf16" | "int16" => 2.0,
        "fp8" | "int8" | "uint8" => 1.0,
        _ => return None,
    };
    Some(
        tensor
            .shape
            .iter()
            .fold(width, |product, extent| product * *extent as f64),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000_000;

    fn fp32(shape: &[u64]) -> Tensor {
        Tensor {
            dtype: "fp32".to_owned(),
            shape: shape.to_vec(),
        }
    }

    fn h100(family: &str, inputs: &[Tensor], record_ps: i64) -> Floor {
        let work = Work {
            family,
            inputs,
            axes: &BTreeMap::new(),
        };
        floor(&work, "h100", Some(Ns::from_ps(record_ps))).unwrap()
    }

    /// Five published pages: family, inputs, record, DRAM ns, compute ns, ratio.
    #[test]
    fn published_pages() {
        let square = [fp32(&[1024, 8192]), fp32(&[1024, 8192])];
        let two = [fp32(&[1024, 8192]), fp32(&[8192])];
        for (family, inputs, record_ps, dram, compute, ratio) in [
            (
                "gemm",
                &square[..],
                2_790_000_000,
                20_032_497,
                Some(34_706_806),
                80.39,
            ),
            (
                "conv",
                &[fp32(&[16, 64, 1024, 1024])],
                4_660_000_000,
                1_282_079_790,
                None,
                3.63,
            ),
            (
                "conv",
                &[fp32(&[128, 64, 128, 128])],
                2_400_000_000,
                160_259_974,
                None,
                14.98,
            ),
            (
                "model",
                &[fp32(&[2, 3, 224, 224])],
                1_390_000_000,
                359_470,
                None,
                3866.81,
            ),
            (
                "conv",
                &[fp32(&[16, 32, 32, 32, 32])],
                5_470_000_000,
                20_032_497,
                None,
                273.06,
            ),
        ] {
            let found = h100(family, inputs, record_ps);
            assert_eq!(found.terms.dram_ns, Some(Ns::from_ps(dram)), "{ratio}");
            assert_eq!(found.terms.compute_ns, compute.map(Ns::from_ps), "{ratio}");
            assert_eq!(found.ratio, Some(ratio));
            assert_eq!(
                found.bound == Some(Bound::Compute),
                compute.is_some(),
                "{ratio}"
            );
            assert_eq!(found.floor_ns, Some(Ns::from_ps(compute.unwrap_or(dram))));
        }
        assert_eq!(
            h100("gemm", &two, MS).terms.compute_ns,
            None,
            "a vector has no rows"
        );
    }

    #[test]
    fn rules_read_like_the_pages() {
        let square = [fp32(&[1024, 8192]), fp32(&[1024, 8192])];
        assert_eq!(
            h100("gemm", &square, MS).rules,
            [
                "every declared tensor crosses HBM exactly once (3,350 GB/s, H100 SXM datasheet)",
                "2·M·N·K with M=1024, N=1024, K=8192 at the dense tf32 peak (495 TFLOP/s)",
            ]
        );
        assert_eq!(
            h100("conv", &square, MS).rules[1],
            "no arithmetic formula for this family: bandwidth floor only"
        );
    }

    #[test]
    fn axes_and_shapes() {
        let axes = |pairs: &[(&str, u64)]| -> BTreeMap<String, u64> {
            pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), *value))
                .collect()
        };
        let ab = [fp32(&[64, 32]), fp32(&[32, 16])];
        let qk = [fp32(&[2, 4, 8, 16]), fp32(&[2, 4, 32, 16])];
        for (what, family, inputs, axes, formula) in [
            (
                "named axes",
                "gemm",
                &ab,
                axes(&[("m", 3), ("n", 5), ("k", 7)]),
                "2·M·N·K with M=3, N=5, K=7",
            ),
            (
                "a batch axis",
                "gemm",
                &ab,
                axes(&[("batch", 9), ("m", 3), ("n", 5), ("k", 7)]),
                "2·batch·M·N·K with batch=9, M=3, N=5, K=7",
            ),
            (
                "two of three named",
                "gemm",
                &ab,
                axes(&[("m", 3), ("k", 7)]),
                "2·M·N·K with M=64, N=16, K=32",
            ),
            (
                "attention",
                "attention",
                &qk,
                axes(&[]),
                "4·B·H·Lq·Lk·D with B=2, H=4, Lq=8, Lk=32, D=16",
            ),
        ] {
            let work = Work {
                family,
                inputs,
                axes: &axes,
            };
            let rules = floor(&work, "h100", None).unwrap().rules;
            assert!(rules[1].starts_with(formula), "{what}: {}", rules[1]);
        }
    }

    #[test]
    fn no_peak_no_floor() {
        let inputs = [fp32(&[64, 64]), fp32(&[64, 64])];
        let axes = BTreeMap::new();
        let work = Work {
            family: "gemm",
            inputs: &inputs,
            axes: &axes,
        };
        assert_eq!(floor(&work, "gb200", None), None);
        assert_eq!(
            floor(
                &Work {
                    inputs: &[],
                    ..work
                },
                "h100",
                None
            ),
            None
        );
        let t4 = floor(&work, "t4", None).unwrap();
        assert_eq!(
            (t4.bound, t4.terms.compute_ns),
            (Some(Bound::Bandwidth), None)
        );
        let half = ["fp16", "fp32"].map(|dtype| Tensor {
            dtype: dtype.to_owned(),
            shape: vec![64, 64],
        });
        let mixed = floor(
            &Work {
                inputs: &half,
                ..work
            },
            "h100",
            None,
        )
        .unwrap();
        assert_eq!(mixed.terms.compute_ns, None, "{:?}", mixed.rules);
    }
}
