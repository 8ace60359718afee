//! The same thing measured several times: how far apart is too far.

use super::super::resolution::Figure;

/// Factor between the slowest and the fastest from which they disagree.
pub const APART: f64 = 2.0;

/// Positions of the fastest and the slowest and the factor between them, if they are more
/// than [`APART`] and their ranges don't meet. Figures that aren't positive are left out.
pub fn apart(figures: &[Figure]) -> Option<(usize, usize, f64)> {
    let known = || {
        figures
            .iter()
            .enumerate()
            .filter(|(_, figure)| figure.value > 0)
    };
    let (fast, fastest) = known().min_by_key(|(_, figure)| figure.value)?;
    // Of equals the first, so that order decides nothing else.
    let (slow, slowest) = known().rev().max_by_key(|(_, figure)| figure.value)?;
    let factor = slowest.value as f64 / fastest.value as f64;
    (factor > APART && !fastest.ties(slowest)).then_some((fast, slow, factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fastest_and_slowest() {
        let figure = |value, resolution| Figure {
            value,
            interval: None,
            resolution,
        };
        for (what, figures, expected) in [
            ("nothing", &[][..], None),
            ("alone", &[figure(100, 0)], None),
            ("close", &[figure(100, 0), figure(200, 0)], None),
            (
                "apart",
                &[figure(100, 0), figure(180, 0), figure(300, 0)],
                Some((0, 2, 3.0)),
            ),
            ("ranges meet", &[figure(100, 120), figure(300, 120)], None),
            ("not positive", &[figure(0, 0), figure(200, 0)], None),
        ] {
            assert_eq!(apart(figures), expected, "{what}");
        }
    }
}
