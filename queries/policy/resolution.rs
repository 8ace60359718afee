//! What a figure is known to, noise and rounding together.
//!
//! A source that prints three significant digits states `2.79` for anything from
//! 2.785 to 2.795: its own interval around the mean has that much doubt at each end.

use super::interval::Interval;

/// A figure with all that is known about its precision. Where more is better it is held
/// negated, so that less is always better; see [`Figure::turned`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figure {
    /// The primary statistic, in parts of the metric's unit (picoseconds of a latency).
    pub value: i64,
    /// Its 95 % interval, where the source states enough.
    pub interval: Option<Interval>,
    /// How finely the source states it: known to ± this many parts.
    pub resolution: i64,
}

impl Figure {
    /// The same figure with its sign turned, for a metric of which more is better.
    #[must_use]
    pub fn turned(self) -> Self {
        Self {
            value: -self.value,
            interval: self.interval.map(|interval| Interval {
                low: -interval.high,
                high: -interval.low,
            }),
            resolution: self.resolution,
        }
    }

    /// The interval (without one: the figure itself) widened by the resolution.
    pub fn range(&self) -> Interval {
        let bare = self.interval.unwrap_or(Interval {
            low: self.value,
            high: self.value,
        });
        widened(bare, self.resolution)
    }

    /// Whether the two can't be told apart: their ranges share a point.
    pub fn ties(&self, other: &Self) -> bool {
        self.range().overlaps(other.range())
    }
}

/// The interval, wider by the resolution at each end.
pub fn widened(interval: Interval, resolution: i64) -> Interval {
    Interval {
        low: interval.low.saturating_sub(resolution),
        high: interval.high.saturating_add(resolution),
    }
}

#[cfg(test)]
mod tests {
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
                low: 2_781,
                high: 2_799
            }
        );
        assert_eq!(figure(i64::MAX, None, 5).range().high, i64::MAX);
    }
}
