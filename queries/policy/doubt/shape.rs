//! `shape-v1`: does a figure belong to the workload it is filed under?
//!
//! Two witnesses. Below the time that the declared inputs, less what the device's cache may
//! hold of them, take at its DRAM peak, the run read smaller ones. And runs of one implementation on one workload
//! and product lie close together: one more than five times off the median of the
//! others measured other shapes. Of those that are, the one with the fewest of the
//! others near it is doubted; among equals the one with the fewest related figures
//! near it (other implementations, other products of the hardware family); then the
//! fastest, since the sizes of a suite grow. The rest is looked at again without it.

use super::median;

/// Name of the policy.
pub const ID: &str = "shape-v1";

/// Ratio to the median of the others from which a figure is off.
pub const OFF: f64 = 5.0;

/// One run of the implementation on the workload and product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Mean, in picoseconds; one that isn't positive is left alone.
    pub value: i64,
    /// Time the declared inputs, less what the cache holds, take at the device's DRAM peak,
    /// in picoseconds, where both are known.
    pub bound_ps: Option<i64>,
}

/// Why a run's shapes are doubted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ShapeDoubt {
    /// Faster than its declared inputs could be read.
    BelowInputs {
        /// That time, in picoseconds.
        bound_ps: i64,
    },
    /// Far off the other runs.
    Apart {
        /// The figure over the median of the others.
        factor: f64,
    },
}

/// The doubt about each run, by position, if there is one. `related_ps` are the means
/// of the same workload by other implementations on the product and by any on other
/// products of its family; they only break ties.
pub fn doubts(runs: &[Run], related_ps: &[i64]) -> Vec<Option<ShapeDoubt>> {
    let mut doubts: Vec<Option<ShapeDoubt>> = runs.iter().map(below_inputs).collect();
    let mut open: Vec<usize> = (0..runs.len())
        .filter(|index| doubts[*index].is_none() && runs[*index].value > 0)
        .collect();
    loop {
        let apart: Vec<Apart> = open
            .iter()
            .filter_map(|index| apart(runs, &open, related_ps, *index))
            .collect();
        let Some(worst) = apart.iter().map(Apart::standing).min() else {
            return doubts;
        };
        for run in apart.iter().filter(|run| run.standing() == worst) {
            doubts[run.index] = Some(ShapeDoubt::Apart { factor: run.factor });
        }
        open.retain(|index| doubts[*index].is_none());
    }
}

fn below_inputs(run: &Run) -> Option<ShapeDoubt> {
    run.bound_ps
        .filter(|bound| 0 < run.value && run.value < *bound)
        .map(|bound_ps| ShapeDoubt::BelowInputs { bound_ps })
}

/// A run that is off the median of the others.
struct Apart {
    index: usize,
    factor: f64,
    /// Others that it isn't off from.
    partners: usize,
    /// Related figures that it isn't off from.
    related: usize,
    value: i64,
}

impl Apart {
    /// The least comes out first. Runs of equal figures share their fate.
    fn standing(&self) -> (usize, usize, i64) {
        (self.partners, self.related, self.value)
    }
}

fn apart(runs: &[Run], open: &[usize], related_ps: &[i64], index: usize) -> Option<Apart> {
    let value = runs[index].value;
    let others: Vec<f64> = open
        .iter()
        .filter(|other| **other != index)
        .map(|other| runs[*other].value as f64)
        .collect();
    let own = value as f64;
    let near = |other: f64| other > 0.0 && !off(own / other);
    let partners = others.iter().filter(|other| near(**other)).count();
    let related = related_ps
        .iter()
        .filter(|other| near(**other as f64))
        .count();
    let factor = own / median(others)?;
    off(factor).then_some(Apart {
        index,
        factor,
        partners,
        related,
        value,
    })
}

fn off(ratio: f64) -> bool {
    !(1.0 / OFF..=OFF).contains(&ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which runs are doubted, as a string: `b` below its inputs, `a` apart, `.` not.
    fn marks(runs: &[(i64, Option<i64>)], related_ps: &[i64]) -> String {
        let runs: Vec<Run> = runs
            .iter()
            .map(|(value, bound_ps)| Run {
                value: *value,
                bound_ps: *bound_ps,
            })
            .collect();
        doubts(&runs, related_ps)
            .iter()
            .map(|doubt| match doubt {
                None => '.',
                Some(ShapeDoubt::BelowInputs { .. }) => 'b',
                Some(ShapeDoubt::Apart { .. }) => 'a',
            })
            .collect()
    }

    #[test]
    fn who_is_doubted() {
        for (what, means, expected) in [
            ("alone", &[90][..], "."),
            ("close", &[90, 110, 400], "..."),
            ("exactly five times", &[100, 500], ".."),
            ("of two the faster", &[90, 2_790], "a."),
            ("of three the odd one", &[90, 2_790, 2_800], "a.."),
            ("the odd one though slower", &[90, 95, 2_790], "..a"),
            (
                "two against two: the faster two",
                &[90, 95, 2_790, 2_800],
                "aa..",
            ),
            ("two equal ones against one", &[90, 90, 2_790], "..a"),
            ("three apart: the slowest stays", &[1, 100, 10_000], "aa."),
            ("not positive", &[0, 100, -5], "..."),
            ("nothing", &[], ""),
        ] {
            let runs: Vec<_> = means.iter().map(|mean| (*mean, None)).collect();
            assert_eq!(marks(&runs, &[]), expected, "{what}");
            let turned: Vec<_> = runs.into_iter().rev().collect();
            let expected: String = expected.chars().rev().collect();
            assert_eq!(marks(&turned, &[]), expected, "{what}, turned");
        }
    }

    #[test]
    fn inputs_bound_from_below_and_the_impossible_is_no_witness() {
        assert_eq!(marks(&[(19, Some(20))], &[]), "b");
        assert_eq!(marks(&[(20, Some(20))], &[]), ".");
        // Two impossible runs don't outvote the possible one.
        assert_eq!(
            marks(&[(1, Some(20)), (1, Some(20)), (30, Some(20))], &[]),
            "bb."
        );
    }

    #[test]
    fn related_figures_break_ties() {
        let pair = [(5_530, None), (89_500, None)];
        assert_eq!(marks(&pair, &[]), "a.");
        assert_eq!(marks(&pair, &[5_450, 8_200]), ".a");
        assert_eq!(marks(&pair, &[5_450, 90_000]), "a.");
        // They are no witnesses against the many.
        let three = [(5_530, None), (89_500, None), (90_000, None)];
        assert_eq!(marks(&three, &[5_450, 8_200]), "a..");
    }

    #[test]
    fn the_factor_is_to_the_others() {
        let runs = [90, 2_790, 2_800].map(|value| Run {
            value,
            bound_ps: None,
        });
        let Some(ShapeDoubt::Apart { factor }) = doubts(&runs, &[])[0] else {
            panic!("not doubted")
        };
        assert!((factor - 0.0322).abs() < 1e-4, "{factor}");
    }
}
