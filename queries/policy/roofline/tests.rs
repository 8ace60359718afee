//! Worked figures: what public sheets and public measurements lead to.

use super::*;
use crate::policy::floor::Verdict;

const H100: Hardware<'static> = Hardware {
    id: "h100-sxm5-80gb",
    bandwidth_gbs: Some(3350.0),
    fp64: Some(33.5),
    fp64_tensor: Some(66.9),
    fp32: Some(66.9),
    tf32: Some(494.7),
    fp16: Some(989.4),
    bf16: Some(989.4),
    fp8: Some(1978.9),
    int8: Some(1978.9),
    fp4: None,
    l2_mib: Some(50.0),
    last_level_mib: None,
    clock_ceiling: Some(1070.5 / 989.4),
    confidence: Some(Confidence::High),
    given: None,
};

const INPUTS: Work<'static> = Work {
    input_bytes: 67_108_864,
    parameter_bytes: None,
    output_bytes: None,
    matrix_flops: None,
    class: Class::Fp32,
    operations: None,
    flags: &[],
};

const COLD: Timing = Timing {
    cache: Some(Cache::Cleared),
    samples: Some(100),
};
const UNKNOWN: Timing = Timing {
    cache: None,
    samples: Some(100),
};

fn declared(work: &Work<'_>, device: &Hardware<'_>, timing: Timing, value: i64) -> Floor {
    let measured = Measured {
        value,
        resolution: 0,
    };
    floor(
        work,
        Some(device),
        Precision::Declared,
        timing,
        Some(measured),
    )
}

fn codes(floor: &Floor) -> Vec<FlagCode> {
    floor.flags.iter().map(|flag| flag.code).collect()
}

fn near(found: Option<Ns>, ns: f64) -> bool {
    found.is_some_and(|found| (found.ns() - ns).abs() < ns * 1e-3)
}

/// 4096³ in bf16: 138.9 µs at the published peak, 128.4 µs at the maximum clock.
#[test]
fn a_square_product() {
    let matrix = 4096 * 4096 * 2;
    let work = Work {
        input_bytes: 2 * matrix,
        parameter_bytes: Some(0),
        output_bytes: Some(matrix),
        matrix_flops: Some(2 * 4096_u64.pow(3)),
        class: Class::Bf16,
        operations: Some(&[Operation {
            calls: 1,
            bytes: 3 * 4096 * 4096 * 2,
            flops: 2 * 4096 * 4096 * 4096,
        }]),
        flags: &[],
    };
    let found = declared(&work, &H100, COLD, 150_000_000);
    assert!(
        near(found.floor_ns, 138_910.0) && near(found.hard_ns, 128_390.0),
        "{found:?}"
    );
    assert!(near(found.terms.dram_ns, 30_049.0));
    assert_eq!(found.unfused_ns, found.floor_ns);
    assert_eq!(found.bound, Some(Bound::Compute));
    assert_eq!(found.ratio, Some(1.08));
    assert_eq!(codes(&found), [FlagCode::ClocksUnknown]);
    for (value, verdict) in [
        (139_000_000, Verdict::Above),
        (130_000_000, Verdict::BelowFusedExplained),
        (128_000_000, Verdict::BelowHard),
    ] {
        assert_eq!(
            declared(&work, &H100, COLD, value).verdict,
            Some(verdict),
            "{value}"
        );
    }

    let winograd = [Flag {
        code: FlagCode::AlgorithmClass,
        reason: "3×3 convolution".into(),
    }];
    let found = declared(
        &Work {
            flags: &winograd,
            ..work
        },
        &H100,
        COLD,
        100_000_000,
    );
    assert!(near(found.hard_ns, 20_032.0), "no matrix term: {found:?}");
    assert_eq!(found.verdict, Some(Verdict::BelowFusedExplained));
}

/// A published 13.4 µs for an RMS norm of 4096×4096 in fp16 on an RTX 5090, whose
/// cache holds the working set: odd, not impossible.
#[test]
fn a_warm_cache_is_not_a_lie() {
    let device = Hardware {
        id: "rtx-5090",
        bandwidth_gbs: Some(1792.0),
        l2_mib: Some(96.0),
        confidence: Some(Confidence::High),
        ..Hardware::default()
    };
    let work = Work {
        input_bytes: 33_554_432,
        parameter_bytes: Some(8_192),
        output_bytes: Some(33_554_432),
        matrix_flops: Some(0),
        class: Class::Fp16,
        ..INPUTS
    };
    let found = declared(&work, &device, UNKNOWN, 13_400_000);
    assert!(near(found.floor_ns, 37_450.0), "{found:?}");
    assert_eq!(found.hard_ns, Some(Ns::from_ps(0)));
    assert_eq!(codes(&found), [FlagCode::CacheAmbiguous]);
    assert_eq!(found.verdict, Some(Verdict::BelowFusedExplained));

    let cold = declared(&work, &device, COLD, 13_400_000);
    assert_eq!(cold.verdict, Some(Verdict::BelowHard));
    assert!(near(cold.hard_ns, 18_729.0), "reads are cold: {cold:?}");
}

#[test]
fn declared_inputs_alone() {
    let found = declared(&INPUTS, &H100, UNKNOWN, 2_790_000_000);
    assert_eq!(found.floor_ns, Some(Ns::from_ps(20_032_497)));
    assert_eq!(
        (found.bound, found.terms.compute_ns),
        (Some(Bound::Bandwidth), None)
    );
    assert_eq!(found.ratio, Some(139.27));
    assert_eq!(
        codes(&found),
        [FlagCode::InputsOnly, FlagCode::CacheAmbiguous]
    );
    // 64 MiB less 50·(1 + 1/100) MiB.
    assert!(
        near(found.hard_ns, 13.5 * 1_048_576.0 / 3350.0),
        "{found:?}"
    );
    assert_eq!(
        found.rules,
        [
            "inputs, 67,108,864 bytes, cross DRAM once at 3,350 GB/s (h100-sxm5-80gb)",
            "no compute floor: the matrix work is not known",
            "hard: cache state unknown, mean of 100 back-to-back calls, 50 MiB of cache may stay warm",
        ]
    );
}

/// 1,204,224 bytes take 359 ns at the SXM part's bandwidth and 591 at the other's.
#[test]
fn each_product_has_its_own_peak() {
    let picture = Work {
        input_bytes: 1_204_224,
        ..INPUTS
    };
    let pcie = Hardware {
        id: "h100-pcie-80gb",
        bandwidth_gbs: Some(2039.0),
        ..H100
    };
    assert!(near(declared(&picture, &H100, UNKNOWN, 1).floor_ns, 359.47));
    let found = declared(&picture, &pcie, UNKNOWN, 1_390_000_000);
    assert!(near(found.floor_ns, 590.6));
    assert!(codes(&found).contains(&FlagCode::LatencyBound));
}

#[test]
fn nothing_is_guessed() {
    let unknown = floor(&INPUTS, None, Precision::Declared, UNKNOWN, None);
    let blank = Hardware {
        bandwidth_gbs: None,
        ..H100
    };
    let blank = floor(&INPUTS, Some(&blank), Precision::Declared, UNKNOWN, None);
    for (found, rule) in [
        (
            &unknown,
            "no floor: the device is not in the hardware table",
        ),
        (
            &blank,
            "no floor: the DRAM bandwidth of h100-sxm5-80gb is not known",
        ),
    ] {
        assert_eq!(
            (found.floor_ns, found.hard_ns, found.verdict),
            (None, None, None)
        );
        assert_eq!(found.rules, [rule]);
    }

    let no_peak = Hardware {
        fp32: None,
        tf32: None,
        ..H100
    };
    let work = Work {
        matrix_flops: Some(1),
        ..INPUTS
    };
    let found = declared(&work, &no_peak, UNKNOWN, 1);
    assert_eq!(found.terms.compute_ns, None);
    assert_eq!(
        found.rules[1],
        "no compute floor: no such peak is known for h100-sxm5-80gb"
    );
}

#[test]
fn flags_of_policy_and_device() {
    let work = Work {
        matrix_flops: Some(1 << 40),
        parameter_bytes: Some(0),
        output_bytes: Some(0),
        ..INPUTS
    };
    for (what, work, device, precision, expected) in [
        (
            "any precision",
            work,
            H100,
            Precision::Any,
            FlagCode::PrecisionAny,
        ),
        (
            "fp64 can be emulated",
            Work {
                class: Class::Fp64,
                ..work
            },
            H100,
            Precision::Declared,
            FlagCode::AlgorithmClass,
        ),
        (
            "medium",
            work,
            Hardware {
                confidence: Some(Confidence::Medium),
                ..H100
            },
            Precision::Declared,
            FlagCode::PeakMedium,
        ),
        (
            "low",
            work,
            Hardware {
                confidence: Some(Confidence::Low),
                ..H100
            },
            Precision::Declared,
            FlagCode::PeakLow,
        ),
        (
            "two devices",
            work,
            Hardware {
                id: "mi250x",
                ..H100
            },
            Precision::Declared,
            FlagCode::PackageSplit,
        ),
        (
            "cache unknown",
            work,
            Hardware {
                l2_mib: None,
                ..H100
            },
            Precision::Declared,
            FlagCode::CacheAmbiguous,
        ),
    ] {
        let found = floor(&work, Some(&device), precision, UNKNOWN, None);
        assert!(
            codes(&found).contains(&expected),
            "{what}: {:?}",
            found.flags
        );
    }
    let found = floor(&work, Some(&H100), Precision::Strict, COLD, None);
    assert!(
        found.rules[1].contains("tf32/3 peak, 164.9 TFLOP/s (precision: strict)"),
        "{:?}",
        found.rules
    );
}
