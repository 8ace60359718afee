//! `fast-p-v1`: many comparisons with a baseline in a few figures.
//!
//! `fast_p` is the suite's own measure: the share of the workloads compared that are
//! correct and more than `p` times as fast as the baseline, strictly. Only correct runs
//! are compared, so `fast_0` is 1 wherever anything was. Noise doesn't count there; it
//! does in wins, ties and losses.

use schemars::JsonSchema;
use serde::Serialize;

use super::speedup::Speedup;

/// Name of the policy.
pub const ID: &str = "fast-p-v1";

/// How a comparison ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Faster than the baseline, by more than noise and rounding.
    Win,
    /// Can't be told from the baseline.
    Tie,
    /// Slower, by more than noise and rounding.
    Loss,
}

impl Outcome {
    /// How a speedup ended.
    pub fn of(speedup: &Speedup) -> Self {
        if speedup.tie {
            Self::Tie
        } else if speedup.ratio > 1.0 {
            Self::Win
        } else {
            Self::Loss
        }
    }

    /// The stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Tie => "tie",
            Self::Loss => "loss",
        }
    }
}

/// Shares of the workloads compared that are more than `p` times as fast as the baseline,
/// by `p`; four decimals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct FastP {
    /// Correct, however slow.
    #[serde(rename = "0.0")]
    pub p0_0: f64,
    /// More than half as fast.
    #[serde(rename = "0.5")]
    pub p0_5: f64,
    /// More than 0.8 times as fast.
    #[serde(rename = "0.8")]
    pub p0_8: f64,
    /// Faster.
    #[serde(rename = "1.0")]
    pub p1_0: f64,
    /// More than one and a half times as fast.
    #[serde(rename = "1.5")]
    pub p1_5: f64,
    /// More than twice as fast.
    #[serde(rename = "2.0")]
    pub p2_0: f64,
}

/// Many comparisons in a few figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// How many there are: the denominator of every share.
    pub compared: usize,
    /// Geometric mean of the ratios. Unrounded; `None` where nothing was compared.
    pub geometric_mean: Option<f64>,
    /// Faster beyond noise and rounding.
    pub wins: usize,
    /// Within noise and rounding.
    pub ties: usize,
    /// Slower beyond noise and rounding.
    pub losses: usize,
    /// `None` where nothing was compared.
    pub fast_p: Option<FastP>,
}

/// The summary of some comparisons; their order doesn't matter beyond the last bits.
pub fn summary(speedups: &[Speedup]) -> Summary {
    let compared = speedups.len();
    let ended = |outcome| {
        let as_asked = |speedup: &&Speedup| Outcome::of(speedup) == outcome;
        speedups.iter().filter(as_asked).count()
    };
    let share = |p: f64| {
        let above = speedups.iter().filter(|speedup| speedup.ratio > p).count();
        super::four_decimals(above as f64 / compared as f64)
    };
    let logarithms: f64 = speedups.iter().map(|speedup| speedup.ratio.ln()).sum();
    Summary {
        compared,
        geometric_mean: (compared > 0).then(|| (logarithms / compared as f64).exp()),
        wins: ended(Outcome::Win),
        ties: ended(Outcome::Tie),
        losses: ended(Outcome::Loss),
        fast_p: (compared > 0).then(|| FastP {
            p0_0: share(0.0),
            p0_5: share(0.5),
            p0_8: share(0.8),
            p1_0: share(1.0),
            p1_5: share(1.5),
            p2_0: share(2.0),
        }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(ratio: f64, tie: bool) -> Speedup {
        Speedup {
            ratio,
            interval: None,
            tie,
        }
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "shares of small counts are exact")]
    fn figures_of_a_few() {
        let all = [
            of(2.0, false),
            of(0.5, false),
            of(1.0, true),
            of(1.01, true),
        ];
        let found = summary(&all);
        assert_eq!((found.wins, found.ties, found.losses), (1, 2, 1));
        let mean = found.geometric_mean.unwrap();
        assert!((mean - 1.01_f64.powf(0.25)).abs() < 1e-12, "{mean}");
        let shares = found.fast_p.unwrap();
        assert_eq!(
            [
                shares.p0_0,
                shares.p0_5,
                shares.p0_8,
                shares.p1_0,
                shares.p1_5,
                shares.p2_0
            ],
            [1.0, 0.75, 0.75, 0.5, 0.25, 0.0],
            "strictly above, ties by their ratio"
        );
        let json = serde_json::to_value(shares).unwrap();
        assert_eq!(json["1.0"], 0.5);
    }

    #[test]
    fn nothing_compared_has_no_mean_and_no_share() {
        let found = summary(&[]);
        assert_eq!(
            (found.compared, found.geometric_mean, found.fast_p),
            (0, None, None)
        );
    }

    proptest! {
        #[test]
        fn it_adds_up(ratios in prop::collection::vec((0.01_f64..100.0, any::<bool>()), 1..40)) {
            let all: Vec<Speedup> = ratios.iter().map(|(ratio, tie)| of(*ratio, *tie)).collect();
            let found = summary(&all);
            prop_assert_eq!(found.wins + found.ties + found.losses, found.compared);
            let mean = found.geometric_mean.unwrap();
            let least = ratios.iter().map(|r| r.0).fold(f64::MAX, f64::min);
            let most = ratios.iter().map(|r| r.0).fold(f64::MIN, f64::max);
            prop_assert!(least * 0.999_999 <= mean && mean <= most * 1.000_001);
            let p = found.fast_p.unwrap();
            prop_assert!(p.p0_0 >= p.p0_5 && p.p0_5 >= p.p0_8 && p.p0_8 >= p.p1_0);
            prop_assert!(p.p1_0 >= p.p1_5 && p.p1_5 >= p.p2_0);
        }
    }
}
