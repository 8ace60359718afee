//! `speedup-v1`: how many times faster than the baseline, with the range that the
//! precision of both figures leaves. Only within one cohort; that is the caller's
//! business.

use super::resolution::Figure;

/// Name of the policy.
pub const ID: &str = "speedup-v1";

/// A ratio of two figures of one metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speedup {
    /// `baseline / own`: above 1 is faster than the baseline. Unrounded.
    pub ratio: f64,
    /// `[baseline.low / own.high, baseline.high / own.low]` of the ranges with noise
    /// and rounding. `None` where one of the two states no interval, or where its
    /// range reaches zero and the ratio has no upper end.
    pub interval: Option<[f64; 2]>,
    /// Whether the two can't be told apart within noise and rounding.
    pub tie: bool,
}

/// The speedup of a run over its baseline, or `None` if a figure isn't positive. Where more
/// is better figures are held negated, and the ratio turns round.
pub fn speedup(baseline: &Figure, own: &Figure) -> Option<Speedup> {
    if baseline.value < 0 && own.value < 0 {
        return speedup(&own.turned(), &baseline.turned());
    }
    if baseline.value <= 0 || own.value <= 0 {
        return None;
    }
    Some(Speedup {
        ratio: baseline.value as f64 / own.value as f64,
        interval: bounds(baseline, own),
        tie: baseline.ties(own),
    })
}

fn bounds(baseline: &Figure, own: &Figure) -> Option<[f64; 2]> {
    baseline.interval.and(own.interval)?;
    let (over, under) = (baseline.range(), own.range());
    (over.low >= 0 && under.low > 0).then(|| {
        [
            over.low as f64 / under.high as f64,
            over.high as f64 / under.low as f64,
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::super::interval::Interval;
    use super::*;

    fn figure(value: i64, half_ps: Option<i64>, resolution: i64) -> Figure {
        Figure {
            value,
            interval: half_ps.map(|half| Interval {
                low: value - half,
                high: value + half,
            }),
            resolution,
        }
    }

    #[test]
    fn ratios() {
        for (what, baseline, own, ratio, interval, tie) in [
            (
                "faster",
                figure(5_650, Some(10), 0),
                figure(2_400, Some(10), 0),
                2.354,
                Some([2.340, 2.368]),
                false,
            ),
            (
                "slower",
                figure(2_790, Some(0), 5),
                figure(2_820, Some(0), 5),
                0.989,
                Some([0.986, 0.993]),
                false,
            ),
            (
                "within noise",
                figure(2_790, Some(20), 0),
                figure(2_820, Some(20), 0),
                0.989,
                Some([0.975, 1.004]),
                true,
            ),
            (
                "one without an interval",
                figure(200, None, 5),
                figure(100, Some(1), 5),
                2.0,
                None,
                false,
            ),
            (
                "noise as large as the figure",
                figure(200, Some(1), 0),
                figure(100, Some(100), 0),
                2.0,
                None,
                true,
            ),
        ] {
            let found = speedup(&baseline, &own).unwrap();
            assert!(
                (found.ratio - ratio).abs() < 5e-4,
                "{what}: {}",
                found.ratio
            );
            assert_eq!(found.tie, tie, "{what}");
            assert_eq!(found.interval.is_some(), interval.is_some(), "{what}");
            for (a, b) in found
                .interval
                .iter()
                .flatten()
                .zip(interval.iter().flatten())
            {
                assert!((a - b).abs() < 1e-3, "{what}: {a}");
            }
        }
        let more = speedup(
            &figure(50, Some(1), 0).turned(),
            &figure(100, Some(2), 0).turned(),
        )
        .unwrap();
        let twice = (more.ratio - 2.0).abs() < 1e-12;
        assert!(twice, "twice the throughput is twice as fast");
        assert_eq!(more.interval, Some([98.0 / 51.0, 102.0 / 49.0]));
        assert_eq!(speedup(&figure(0, None, 0), &figure(1, None, 0)), None);
        assert_eq!(speedup(&figure(1, None, 0), &figure(-1, None, 0)), None);
    }
}
