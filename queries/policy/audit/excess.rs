//! A run held against the baseline of its cohort: far too fast, or compiled and slower.

use super::super::resolution::Figure;

/// Speedup that is hardly ever real.
pub const SPEEDUP: f64 = 10.0;

/// How much slower than eager a compiled run must be.
pub const SLOWDOWN: f64 = 1.2;

/// Baseline over own, if it is above [`SPEEDUP`] at the near ends of both ranges.
pub fn too_fast(baseline: &Figure, own: &Figure) -> Option<f64> {
    beyond(baseline, own, SPEEDUP)
}

/// Own over baseline, if the ranges don't meet and it is above [`SLOWDOWN`].
pub fn slower(baseline: &Figure, own: &Figure) -> Option<f64> {
    let ratio = beyond(own, baseline, 1.0)?;
    (ratio > SLOWDOWN).then_some(ratio)
}

/// `slow / fast` of the figures, if that of the near ends of their ranges is above `least`.
fn beyond(slow: &Figure, fast: &Figure, least: f64) -> Option<f64> {
    if fast.value <= 0 {
        return None;
    }
    let near = slow.range().low as f64 / fast.range().high as f64;
    (near > least).then(|| slow.value as f64 / fast.value as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(value: i64, resolution: i64) -> Figure {
        Figure {
            value,
            interval: None,
            resolution,
        }
    }

    #[test]
    fn beyond_the_ranges() {
        for (baseline, own, fast, slow) in [
            (figure(2_000, 0), figure(100, 0), Some(20.0), None),
            (figure(1_000, 0), figure(100, 0), None, None),
            (figure(1_001, 2), figure(100, 0), None, None),
            (figure(100, 0), figure(121, 0), None, Some(1.21)),
            (figure(100, 0), figure(120, 0), None, None),
            (figure(100, 20), figure(130, 20), None, None),
            (figure(100, 0), figure(0, 0), None, None),
        ] {
            assert_eq!(too_fast(&baseline, &own), fast, "{baseline:?} {own:?}");
            assert_eq!(slower(&baseline, &own), slow, "{baseline:?} {own:?}");
        }
    }
}
