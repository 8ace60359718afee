//! What a figure is known to, noise and rounding together.
//!
//! A source that prints three significant digits states `2.79` for anything from
//! 2.785 to 2.795: its own interval around the mean has that much doubt at each end.

use super::interval::Interval;

/// A latency with all that is known about its precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figure {
    /// The primary statistic, in picoseconds.
    pub latency_ps: i64,
    /// Its 95 % interval, where the source states enough.
    pub interval: Option<Interval>,
    /// How finely the source states it: known to ± this many picoseconds.
    pub resolution_ps: i64,
}

impl Figure {
    /// The interval (without one: the figure itself) widened by the resolution.
    pub fn range(&self) -> Interval {
        let bare = self.interval.unwrap_or(Interval {
            low_ps: self.latency_ps,
            high_ps: self.latency_ps,
        });
        widened(bare, self.resolution_ps)
    }

    /// Whether the two can't be told apart: their ranges share a point.
    pub fn ties(&self, other: &Self) -> bool {
        self.range().overlaps(other.range())
    }
}

/// The interval, wider by the resolution at each end.
pub fn widened(interval: Interval, resolution_ps: i64) -> Interval {
    Interval {
        low_ps: interval.low_ps.saturating_sub(resolution_ps),
        high_ps: interval.high_ps.saturating_add(resolution_ps),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(latency_ps: i64, half_ps: Option<i64>, resolution_ps: i64) -> Figure {
        Figure {
            latency_ps,
            interval: half_ps.map(|half| Interval {
                low_ps: latency_ps - half,
                high_ps: latency_ps + half,
            }),
            resolution_ps,
        }
    }

    #[test]
    fn ranges_and_ties() {
        for (what, a, b, ties) in [
            (
                "2.79 and 2.82 at three digits",
                figure(2_790, Some(1), 5),
                figure(2_820, Some(3), 5),
                false,
            ),
            (
                "their noise overlaps",
                figure(2_790, Some(20), 0),
                figure(2_820, Some(20), 0),
                true,
            ),
            (
                "rounding alone overlaps",
                figure(2_790, None, 5),
                figure(2_799, None, 5),
                true,
            ),
            (
                "they touch",
                figure(2_790, None, 5),
                figure(2_800, None, 5),
                true,
            ),
            (
                "equal without any precision",
                figure(2_790, None, 0),
                figure(2_790, None, 0),
                true,
            ),
            (
                "one step apart, exact",
                figure(2_790, None, 0),
                figure(2_791, None, 0),
                false,
            ),
        ] {
            assert_eq!(a.ties(&b), ties, "{what}");
            assert_eq!(b.ties(&a), ties, "{what}, turned");
        }
        assert_eq!(
            figure(2_790, Some(4), 5).range(),
            Interval {
                low_ps: 2_781,
                high_ps: 2_799
            }
        );
        assert_eq!(figure(i64::MAX, None, 5).range().high_ps, i64::MAX);
    }
}
