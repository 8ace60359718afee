//! Rates above what the device can do.

use super::super::floor::{FlagCode, Floor};

/// A rate above the peak.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Above {
    /// Bytes a second, as a multiple of the DRAM peak.
    Bandwidth(f64),
    /// Matrix work a second, as a multiple of the dense peak.
    Compute(f64),
}

/// Flags that let bytes not cross DRAM, or leave the peak open.
const BYTES: [FlagCode; 5] = [
    FlagCode::CacheAmbiguous,
    FlagCode::DataDependent,
    FlagCode::StructureKnown,
    FlagCode::PeakMedium,
    FlagCode::PeakLow,
];

/// Flags that let less be computed, or leave the peak open.
const WORK: [FlagCode; 6] = [
    FlagCode::AlgorithmClass,
    FlagCode::AlgebraReducible,
    FlagCode::DataDependent,
    FlagCode::StructureKnown,
    FlagCode::PeakMedium,
    FlagCode::PeakLow,
];

/// No published clock lies further below the maximum.
const CLOCKS: f64 = 1.2;

/// Holds a mean against the terms of its floor. All of the working set crosses DRAM only
/// as far as no cache can hold a part of it, so `hard_ns` must be beaten as well.
pub fn above(floor: &Floor, value: i64, resolution: i64) -> Option<Above> {
    let latest_ps = value.saturating_add(resolution);
    if latest_ps <= 0 {
        return None;
    }
    let flagged = |codes: &[FlagCode]| floor.flags.iter().any(|flag| codes.contains(&flag.code));
    let over = |term: Option<super::super::Ns>| Some(term?.ps() as f64 / latest_ps as f64);
    let below_hard = floor.hard_ns.is_some_and(|hard| latest_ps < hard.ps());
    let bytes = over(floor.terms.dram_ns).filter(|times| *times > 1.0);
    if let Some(times) = bytes.filter(|_| below_hard && !flagged(&BYTES)) {
        return Some(Above::Bandwidth(times));
    }
    over(floor.terms.compute_ns)
        .filter(|times| *times > CLOCKS && !flagged(&WORK))
        .map(Above::Compute)
}

#[cfg(test)]
mod tests {
    use super::super::super::Ns;
    use super::super::super::floor::{Flag, Terms};
    use super::*;

    #[test]
    fn rates() {
        let floor = |dram: i64, compute: Option<i64>, hard: i64, flag: Option<FlagCode>| {
            let mut floor = Floor::none("roofline-v2");
            floor.terms = Terms {
                dram_ns: Some(Ns::from_ps(dram)),
                compute_ns: compute.map(Ns::from_ps),
            };
            floor.hard_ns = Some(Ns::from_ps(hard));
            floor.flags.extend(flag.map(|code| Flag {
                code,
                reason: "".into(),
            }));
            floor
        };
        for (what, floor, mean, expected) in [
            ("below the peak", floor(100, None, 100, None), 100, None),
            (
                "twice the bandwidth",
                floor(100, None, 90, None),
                50,
                Some(Above::Bandwidth(2.0)),
            ),
            ("a cache may hold it", floor(100, None, 40, None), 50, None),
            (
                "weak peaks",
                floor(100, None, 90, Some(FlagCode::PeakLow)),
                50,
                None,
            ),
            (
                "twice the matrix peak",
                floor(10, Some(100), 10, None),
                50,
                Some(Above::Compute(2.0)),
            ),
            ("a higher clock", floor(10, Some(100), 10, None), 90, None),
            (
                "another algorithm",
                floor(10, Some(100), 10, Some(FlagCode::AlgorithmClass)),
                50,
                None,
            ),
        ] {
            assert_eq!(above(&floor, mean, 0), expected, "{what}");
        }
        assert_eq!(above(&floor(100, None, 90, None), 80, 20), None);
    }
}
