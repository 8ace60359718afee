//! Times that are the cost of launching and timing a kernel rather than of its work.

/// Ten microseconds: a launch, its drain, and the events around it from Python.
pub const LAUNCH_PS: i64 = 10_000_000;

/// A floor below this share of the time: the work is the smaller part.
const WORK: f64 = 0.5;

/// Whether a mean is that short and its floor, where known, far below it.
pub fn is_bound(value: i64, floor_ps: Option<i64>) -> bool {
    0 < value
        && value < LAUNCH_PS
        && floor_ps.is_none_or(|floor| floor as f64 <= value as f64 * WORK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_far_above_the_floor() {
        for (value, floor_ps, expected) in [
            (9_999_999, None, true),
            (10_000_000, None, false),
            (8_000_000, Some(4_000_000), true),
            (8_000_000, Some(4_000_001), false),
            (0, None, false),
        ] {
            assert_eq!(is_bound(value, floor_ps), expected, "{value}");
        }
    }
}
