//! How a measured time stands to a floor.

use super::super::floor::{FlagCode, Verdict};

/// A measured time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measured {
    /// Mean, in picoseconds.
    pub value: i64,
    /// Known to ± this many picoseconds; a time is below a floor only with all of it.
    pub resolution: i64,
}

/// The figures it is held against, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lines {
    pub(super) hard: Option<f64>,
    pub(super) dram: f64,
    pub(super) compute: Option<f64>,
    /// The matrix work at the maximum clock.
    pub(super) compute_at_ceiling: Option<f64>,
}

/// Flags that let a correct run move fewer bytes than the fused floor counts.
const FEWER_BYTES: [FlagCode; 5] = [
    FlagCode::CacheAmbiguous,
    FlagCode::DataDependent,
    FlagCode::StructureKnown,
    FlagCode::PeakMedium,
    FlagCode::PeakLow,
];

/// Flags that let a correct run compute less, or faster.
const LESS_WORK: [FlagCode; 6] = [
    FlagCode::AlgorithmClass,
    FlagCode::AlgebraReducible,
    FlagCode::DataDependent,
    FlagCode::StructureKnown,
    FlagCode::PeakMedium,
    FlagCode::PeakLow,
];

pub(super) fn verdict(measured: Measured, lines: &Lines, flags: &[FlagCode]) -> Verdict {
    let latest_ns = measured.value.saturating_add(measured.resolution) as f64 / 1e3;
    let below = |line: f64| latest_ns < line;
    let flagged = |codes: &[FlagCode]| flags.iter().any(|flag| codes.contains(flag));
    if lines.hard.is_some_and(below) {
        return Verdict::BelowHard;
    }
    let (fewer, faster) = (below(lines.dram), lines.compute.is_some_and(below));
    if !fewer && !faster {
        return Verdict::Above;
    }
    let clocks = flags.contains(&FlagCode::ClocksUnknown)
        && lines.compute_at_ceiling.is_some_and(|line| !below(line));
    let explained = (!fewer || flagged(&FEWER_BYTES)) && (!faster || clocks || flagged(&LESS_WORK));
    if explained {
        Verdict::BelowFusedExplained
    } else {
        Verdict::BelowFusedUnexplained
    }
}

#[cfg(test)]
mod tests {
    use FlagCode::{AlgorithmClass, CacheAmbiguous, ClocksUnknown, InputsOnly};

    use super::*;

    #[test]
    fn verdicts() {
        let lines = Lines {
            hard: Some(50.0),
            dram: 80.0,
            compute: Some(100.0),
            compute_at_ceiling: Some(92.0),
        };
        for (what, value, resolution, flags, expected) in [
            ("above", 100_000, 0, &[][..], Verdict::Above),
            (
                "rounding may put it above",
                96_000,
                5_000,
                &[],
                Verdict::Above,
            ),
            (
                "impossible",
                49_000,
                0,
                &[CacheAmbiguous],
                Verdict::BelowHard,
            ),
            (
                "rounding may make it possible",
                49_000,
                1_000,
                &[CacheAmbiguous, AlgorithmClass],
                Verdict::BelowFusedExplained,
            ),
            (
                "boost clocks",
                93_000,
                0,
                &[ClocksUnknown],
                Verdict::BelowFusedExplained,
            ),
            (
                "faster than any clock",
                91_000,
                0,
                &[ClocksUnknown],
                Verdict::BelowFusedUnexplained,
            ),
            (
                "another algorithm",
                85_000,
                0,
                &[AlgorithmClass],
                Verdict::BelowFusedExplained,
            ),
            (
                "a cache doesn't compute",
                85_000,
                0,
                &[CacheAmbiguous],
                Verdict::BelowFusedUnexplained,
            ),
            (
                "an algorithm doesn't move",
                70_000,
                0,
                &[AlgorithmClass],
                Verdict::BelowFusedUnexplained,
            ),
            (
                "knowing inputs only explains nothing",
                85_000,
                0,
                &[InputsOnly],
                Verdict::BelowFusedUnexplained,
            ),
        ] {
            let measured = Measured { value, resolution };
            assert_eq!(verdict(measured, &lines, flags), expected, "{what}");
        }
    }
}
