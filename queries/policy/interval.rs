//! `interval-v1`: the 95 % interval of a mean.
//!
//! `low = max(mean − 1.96·std/√n, min)`, `high = mean + 1.96·std/√n`: the normal
//! interval of a mean whose population standard deviation is `std`, cut where no
//! trial lay. The slowest trial doesn't cut the other end: timings have a long tail
//! upwards. The spreads on published pages follow from the same formula. An interval that
//! the source itself states (percentiles around a median) counts before it.

use schemars::JsonSchema;
use serde::Serialize;

use super::ns::{Ns, round_ps};

/// Name of the policy.
pub const ID: &str = "interval-v1";

/// Two-sided 95 % quantile of the normal distribution.
const Z95: f64 = 1.96;

/// A closed range of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(into = "[Ns; 2]")]
#[schemars(with = "[Ns; 2]")]
pub struct Interval {
    /// Lower end, in parts of the metric's unit (picoseconds of a latency).
    pub low: i64,
    /// Upper end.
    pub high: i64,
}

impl Interval {
    /// The printed `±`: half the width (half a part rounds up).
    pub fn half_width(self) -> i64 {
        let width = self.high.saturating_sub(self.low);
        width / 2 + width % 2
    }

    /// Whether two closed ranges share a point.
    pub fn overlaps(self, other: Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }
}

impl From<Interval> for [Ns; 2] {
    fn from(interval: Interval) -> Self {
        [Ns::from_ps(interval.low), Ns::from_ps(interval.high)]
    }
}

/// The stated statistics of a figure, in parts of the metric's unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Mean, or whatever the primary statistic is.
    pub value: i64,
    /// Population standard deviation.
    pub std: Option<i64>,
    /// Least trial.
    pub min: Option<i64>,
    /// Number of trials.
    pub samples: Option<u32>,
    /// An interval that the source states, low and high.
    pub stated: Option<(i64, i64)>,
}

/// The interval, or `None` when `std` or the number of trials is absent or the trials
/// are fewer than two. A minimum above the mean contradicts it and cuts at the mean.
pub fn interval(stats: &Stats) -> Option<Interval> {
    if let Some((low, high)) = stats.stated.filter(|(low, high)| low <= high) {
        return Some(Interval { low, high });
    }
    let samples = stats.samples.filter(|n| *n >= 2)?;
    let std = stats.std.filter(|std| *std >= 0)?;
    let half_ps = round_ps(Z95 * std as f64 / f64::from(samples).sqrt());
    // No latency lies below zero, whatever the normal form says.
    let low = stats.value.saturating_sub(half_ps).max(0);
    Some(Interval {
        low: stats.min.map_or(low, |min| low.max(min.min(stats.value))),
        high: stats.value.saturating_add(half_ps),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PS_PER_MS: f64 = 1e9;

    fn of(mean: f64, std: f64, min: Option<f64>, samples: u32) -> Interval {
        interval(&Stats {
            value: round_ps(mean * PS_PER_MS),
            std: Some(round_ps(std * PS_PER_MS)),
            min: min.map(|min| round_ps(min * PS_PER_MS)),
            samples: Some(samples),
            stated: None,
        })
        .unwrap()
    }

    fn printed(interval: Interval) -> String {
        format!("±{:.2}", interval.half_width() as f64 / PS_PER_MS)
    }

    /// Ten published rows: mean, std, min in ms, 100 trials, and the printed spread.
    #[test]
    fn published_spreads_follow() {
        for (mean, std, min, spread) in [
            (2.79, 0.0041, 2.79, "±0.00"),
            (2.82, 0.0149, 2.80, "±0.00"),
            (4.66, 0.259, 4.60, "±0.05"),
            (13.3, 0.179, 13.3, "±0.02"),
            (2.40, 0.0684, 2.37, "±0.01"),
            (5.65, 0.017, 5.62, "±0.00"),
            (1.39, 0.0868, 1.32, "±0.02"),
            (1.52, 0.0211, 1.46, "±0.00"),
            (5.47, 0.0378, 5.37, "±0.01"),
            (6.57, 0.0147, 6.53, "±0.00"),
        ] {
            assert_eq!(printed(of(mean, std, Some(min), 100)), spread, "{mean}");
        }
    }

    #[test]
    fn only_the_low_end_is_cut() {
        let cut = of(3.2, 0.4, Some(3.15), 64);
        assert_eq!(cut.low, 3_150_000_000);
        assert_eq!(cut.high, 3_298_000_000);
        assert_eq!(printed(cut), "±0.07");

        let free = of(5.02, 0.05, None, 100);
        assert_eq!(free.half_width(), 9_800_000);
        assert_eq!(free.low, 5_010_200_000);
    }

    #[test]
    fn nothing_is_made_up() {
        let whole = Stats {
            value: 1_000,
            std: Some(10),
            min: None,
            samples: Some(100),
            stated: None,
        };
        assert!(interval(&whole).is_some());
        for (what, stats) in [
            ("no std", Stats { std: None, ..whole }),
            (
                "negative std",
                Stats {
                    std: Some(-1),
                    ..whole
                },
            ),
            (
                "no trials",
                Stats {
                    samples: None,
                    ..whole
                },
            ),
            (
                "one trial",
                Stats {
                    samples: Some(1),
                    ..whole
                },
            ),
        ] {
            assert_eq!(interval(&stats), None, "{what}");
        }
    }

    #[test]
    fn the_mean_stays_inside_and_extremes_saturate() {
        let odd = of(2.0, 0.1, Some(2.5), 100);
        assert_eq!(odd.low, 2_000_000_000);
        let wide = interval(&Stats {
            value: i64::MAX,
            std: Some(i64::MAX),
            min: Some(i64::MIN),
            samples: Some(2),
            stated: None,
        });
        assert_eq!(wide.unwrap().high, i64::MAX);
    }

    #[test]
    fn what_the_source_states_counts_first() {
        let mut stats = Stats {
            value: 100,
            std: Some(10),
            samples: Some(100),
            stated: Some((90, 130)),
            ..Stats::default()
        };
        assert_eq!(interval(&stats), Some(Interval { low: 90, high: 130 }));
        stats.stated = Some((130, 90));
        assert_eq!(interval(&stats), Some(Interval { low: 98, high: 102 }));
    }

    #[test]
    fn serialises_as_a_pair_of_nanoseconds() {
        let json = serde_json::to_string(&of(3.2, 0.4, Some(3.15), 64)).unwrap();
        assert_eq!(json, "[3150000,3298000]");
    }
}
