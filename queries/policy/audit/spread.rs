//! What stated trials say about themselves: noise, no spread, impossible spread.

use super::super::interval::Stats;

/// Standard deviation over mean from which a run is noisy.
pub const NOISE: f64 = 0.1;

/// Standard deviation over mean, if that is more than [`NOISE`].
pub fn noisy(stats: &Stats) -> Option<f64> {
    let std = stats.std.filter(|_| stats.value > 0)?;
    let share = std as f64 / stats.value as f64;
    (share > NOISE).then_some(share)
}

/// Whether two or more trials are stated to have no spread at all, beside a deviation of
/// zero that isn't contradicted by a fastest or slowest trial.
pub fn zero(stats: &Stats) -> bool {
    stats.std == Some(0) && stats.value > 0 && stats.samples.is_some_and(|n| n >= 2)
}

/// Relative slack for a deviation and for the slowest trial, whose last digit may be worth
/// ten of the mean's: both are printed to three digits at least.
const PRINTED: f64 = 0.01;

/// How a deviation can't be: the bound that it breaks, in picoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Impossible {
    /// Larger than any trials within these ends with this mean can have.
    TooLarge(f64),
    /// Smaller than the fastest and the slowest trial alone cause.
    TooSmall(f64),
}

/// Holds a population standard deviation against the extremes and the mean of its trials:
/// `σ² ≤ (max − mean)(mean − min)`, and `n·σ² ≥ (max − mean)² + (mean − min)²`. Each
/// figure is known to ± `resolution` only, and every bound is taken at its loosest.
pub fn impossible(stats: &Stats, max: Option<i64>, resolution: i64) -> Option<Impossible> {
    let (std, n) = (stats.std? as f64, f64::from(stats.samples?));
    let (min, max) = (stats.min? as f64, max? as f64);
    let slack = 2.0 * resolution as f64;
    let slack_above = slack.max(max * PRINTED);
    let mean = stats.value as f64;
    // A mean outside its trials and a spread of zero are findings of their own.
    if n < 2.0 || std <= 0.0 || min > mean || mean > max {
        return None;
    }
    let (above, below) = (max - mean, mean - min);
    let most = ((above + slack_above) * (below + slack)).sqrt();
    if std * (1.0 - PRINTED) > most {
        return Some(Impossible::TooLarge(most));
    }
    let least =
        (((above - slack_above).max(0.0).powi(2) + (below - slack).max(0.0).powi(2)) / n).sqrt();
    (std * (1.0 + PRINTED) < least).then_some(Impossible::TooSmall(least))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(value: i64, std: i64, min: i64, samples: u32) -> Stats {
        Stats {
            value,
            std: Some(std),
            min: Some(min),
            samples: Some(samples),
            stated: None,
        }
    }

    #[test]
    fn noise() {
        assert_eq!(noisy(&stats(2_500, 4_300, 1, 100)), Some(1.72));
        for quiet in [stats(1_000, 100, 1, 100), stats(0, 5, 0, 100)] {
            assert_eq!(noisy(&quiet), None);
        }
        let unstated = Stats {
            std: None,
            ..stats(1, 1, 1, 1)
        };
        assert_eq!(noisy(&unstated), None);
    }

    #[test]
    fn no_spread() {
        for (given, expected) in [
            (stats(1_000, 0, 1_000, 100), true),
            (stats(1_000, 0, 1_000, 1), false),
            (stats(1_000, 1, 1_000, 100), false),
            (stats(0, 0, 0, 100), false),
        ] {
            assert_eq!(zero(&given), expected, "{given:?}");
        }
    }

    #[test]
    fn impossible_spreads() {
        for (what, given, max, resolution, expected) in [
            ("plain", stats(100, 5, 90, 100), 120, 0, None),
            (
                "wider than its trials",
                stats(100, 30, 90, 100),
                110,
                0,
                Some('l'),
            ),
            ("at the limit", stats(100, 10, 90, 2), 110, 0, None),
            (
                "rounding may hide it",
                stats(100, 5, 100, 100),
                100,
                5,
                None,
            ),
            (
                "one slow trial alone causes more",
                stats(100, 1, 95, 100),
                200,
                0,
                Some('s'),
            ),
            ("and just enough", stats(100, 10, 95, 100), 200, 0, None),
            ("a mean outside", stats(100, 1, 110, 100), 120, 0, None),
            ("no spread", stats(100, 0, 90, 100), 120, 0, None),
        ] {
            let found = impossible(&given, Some(max), resolution).map(|found| match found {
                Impossible::TooLarge(_) => 'l',
                Impossible::TooSmall(_) => 's',
            });
            assert_eq!(found, expected, "{what}");
        }
        assert_eq!(impossible(&stats(100, 30, 90, 100), None, 0), None);
    }
}
