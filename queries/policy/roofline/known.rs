//! From what the file knows of a run to its floor: the one way that questions and the
//! catalogue take, so that no page and no record can disagree about it.

use super::super::floor::{Floor, Precision, Verdict};
use super::{Cache, Hardware, Measured, Timing, Work};

/// What is known of a workload, where it ran and how it was timed.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// What must be moved and computed.
    pub work: Work<'a>,
    /// The product.
    pub hardware: Hardware<'a>,
    /// State of the cache between trials, as the protocol has it.
    pub cache: Option<&'a str>,
}

/// A measured time with what bears on judging it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judged {
    /// Mean, in picoseconds.
    pub value: i64,
    /// Known to ± this many picoseconds.
    pub resolution: i64,
    /// Trials behind it.
    pub samples: Option<u32>,
}

impl Known<'_> {
    /// The time below which no run can be, however it was rounded and however many trials
    /// it had, in picoseconds: more trials leave the cache less room.
    pub fn hard_ps(&self) -> Option<i64> {
        let any = Judged {
            value: 0,
            resolution: 0,
            samples: Some(u32::MAX),
        };
        Some(judge(self, any).hard_ns?.ps())
    }
}

/// The floor of a run under roofline-v2, with the run held against it; without the rules
/// that it follows from.
pub fn judge(known: &Known<'_>, run: Judged) -> Floor {
    held_against(known, run, super::figures)
}

/// The same with its rules.
pub fn explain(known: &Known<'_>, run: Judged) -> Floor {
    held_against(known, run, super::floor)
}

fn held_against(
    known: &Known<'_>,
    run: Judged,
    floor: impl FnOnce(&Work<'_>, Option<&Hardware<'_>>, Precision, Timing, Option<Measured>) -> Floor,
) -> Floor {
    let timing = Timing {
        cache: match known.cache {
            Some("l2-cleared") => Some(Cache::Cleared),
            Some("warm") => Some(Cache::Warm),
            _ => None,
        },
        samples: run.samples,
    };
    let measured = Measured {
        value: run.value,
        resolution: run.resolution,
    };
    // A product without a known bandwidth is none that a floor could be of.
    let device = known.hardware.bandwidth_gbs.map(|_| &known.hardware);
    floor(
        &known.work,
        device,
        Precision::Declared,
        timing,
        Some(measured),
    )
}

/// Whether a floor says that its run can't be true as reported: measured over `hard`, if
/// that is below one.
pub fn below_hard(floor: &Floor, value: i64) -> Option<f64> {
    let hard = floor.hard_ns.filter(|hard| hard.ps() > 0)?;
    (floor.verdict == Some(Verdict::BelowHard)).then(|| value as f64 / hard.ps() as f64)
}

#[cfg(test)]
mod tests {
    use super::super::super::work::inputs_only;
    use super::*;

    fn known(cache: Option<&'static str>) -> Known<'static> {
        Known {
            work: inputs_only(Some(512 << 20), Some("fp32")).unwrap(),
            hardware: Hardware {
                id: "card",
                bandwidth_gbs: Some(1_000.0),
                l2_mib: Some(50.0),
                ..Hardware::default()
            },
            cache,
        }
    }

    fn run(value: i64, resolution: i64, samples: u32) -> Judged {
        Judged {
            value,
            resolution,
            samples: Some(samples),
        }
    }

    /// A half-gigabyte input takes 537 µs at 1,000 GB/s, and 484 µs if 50 MiB stay warm.
    #[test]
    fn who_is_below() {
        for (what, cache, run, expected) in [
            (
                "a cached output",
                "l2-cleared",
                run(20_000_000, 0, 100),
                true,
            ),
            ("cold inputs", "l2-cleared", run(536_000_000, 0, 100), true),
            ("plausible", "l2-cleared", run(537_000_000, 0, 100), false),
            (
                "rounding",
                "l2-cleared",
                run(536_000_000, 1_000_000, 100),
                false,
            ),
            ("a warm cache", "warm", run(536_000_000, 0, 100), false),
            ("warmer than any", "warm", run(480_000_000, 0, 100), true),
            (
                "few trials leave more room",
                "warm",
                run(480_000_000, 0, 1),
                false,
            ),
        ] {
            let floor = judge(&known(Some(cache)), run);
            assert_eq!(below_hard(&floor, run.value).is_some(), expected, "{what}");
            // Nothing at or above the limit is below.
            let limit = known(Some(cache)).hard_ps().unwrap();
            assert!(!expected || run.value < limit, "{what}");
        }
        let elsewhere = Known {
            hardware: Hardware::default(),
            ..known(None)
        };
        assert!(elsewhere.hard_ps().is_none());
    }
}
