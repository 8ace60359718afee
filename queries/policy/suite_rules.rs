//! `kernelbench-suite-rules`: the figures that the suite's own `benchmark_eval_analysis.py`
//! prints, with all that it leaves unsaid: only sample 0 counts, a problem that the baseline
//! has no entry of leaves the denominator without a word, a time of `-1` is a speedup below
//! zero, and rates are of all problems while `fast_p` is of those aligned.
//!
//! Read off `scripts/benchmark_eval_analysis.py` and `src/kernelbench/score.py` at commit
//! 423217d9. Products are formed one after the other there, so an overflow or a negative
//! product ends the same way here: in no mean.

use super::score::{Problem, Sample, THRESHOLDS};

/// Name of the rules.
pub const ID: &str = "kernelbench-suite-rules";

/// What the suite's script says.
#[derive(Debug, Clone, PartialEq)]
pub struct Suite {
    /// Problems of the level.
    pub total: usize,
    /// Problems in the evaluation, known to the level or not.
    pub evaluated: usize,
    /// Of sample 0.
    pub compiled: usize,
    /// Of sample 0.
    pub correct: usize,
    /// Problems that both evaluation and baseline have.
    pub aligned: usize,
    /// Geometric mean over correct ones; 0 where none is, not finite where a time is negative
    /// or the product leaves the range of numbers.
    pub geo_mean: f64,
    /// By threshold; 0 where nothing is aligned.
    pub fast_p: [f64; 6],
}

/// The script's figures. `evaluated` counts the keys of the evaluation, `strangers` the samples
/// 0 among them that aren't problems of the level.
pub fn suite(problems: &[Problem], evaluated: usize, strangers: &[Sample]) -> Suite {
    let first = |problem: &Problem| {
        let sample = problem.samples.iter().find(|sample| sample.id == 0);
        // A problem without sample 0 is filled in as one that failed.
        sample.map_or((false, false, -1.0), |sample| {
            (sample.compiled, sample.correct, sample.runtime_ms)
        })
    };
    let all: Vec<(bool, bool, f64)> = problems.iter().map(first).collect();
    let others = strangers.iter().filter(|sample| sample.id == 0);
    let (mut compiled, mut correct) = (0, 0);
    for (did, was) in all
        .iter()
        .map(|sample| (sample.0, sample.1))
        .chain(others.map(|sample| (sample.compiled, sample.correct)))
    {
        compiled += usize::from(did);
        correct += usize::from(was);
    }
    let aligned: Vec<(bool, f64)> = problems
        .iter()
        .zip(&all)
        .filter_map(|(problem, (_, correct, ms))| Some((*correct, problem.baseline_ms? / ms)))
        .collect();
    let speedups: Vec<f64> = aligned
        .iter()
        .filter_map(|(correct, speedup)| correct.then_some(*speedup))
        .collect();
    let geo_mean = if speedups.is_empty() {
        0.0
    } else {
        let product: f64 = speedups.iter().product();
        product.powf(1.0 / speedups.len() as f64)
    };
    let share = |p: f64| {
        if aligned.is_empty() {
            return 0.0;
        }
        let above = speedups.iter().filter(|speedup| **speedup > p).count();
        above as f64 / aligned.len() as f64
    };
    Suite {
        total: problems.len(),
        evaluated,
        compiled,
        correct,
        aligned: aligned.len(),
        geo_mean,
        fast_p: THRESHOLDS.map(share),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::score::Reference;

    fn problem(number: u32, sample: Option<(u32, bool, f64)>, baseline_ms: Option<f64>) -> Problem {
        Problem {
            level: 1,
            number,
            family: String::new(),
            samples: sample
                .into_iter()
                .map(|(id, correct, runtime_ms)| Sample {
                    id,
                    compiled: true,
                    correct,
                    time: None,
                    runtime_ms,
                    impossible: false,
                })
                .collect(),
            baseline: Reference::None,
            baseline_ms,
        }
    }

    #[test]
    fn the_denominator_shrinks_without_a_word() {
        let problems = [
            problem(1, Some((0, true, 0.5)), Some(1.0)),
            problem(2, Some((0, true, 0.5)), None),
            problem(3, Some((1, true, 0.5)), Some(1.0)),
            problem(4, None, Some(1.0)),
        ];
        let said = suite(&problems, 3, &[]);
        assert_eq!(
            (
                said.total,
                said.evaluated,
                said.compiled,
                said.correct,
                said.aligned
            ),
            (4, 3, 2, 2, 3)
        );
        assert!((said.geo_mean - 2.0).abs() < 1e-12);
        assert!((said.fast_p[3] - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_missing_time_is_a_negative_speedup() {
        let said = suite(&[problem(1, Some((0, true, -1.0)), Some(2.0))], 1, &[]);
        assert!(said.geo_mean < 0.0 || said.geo_mean.is_nan());
        assert!(said.fast_p[0].abs() < f64::EPSILON);
        let two = [
            problem(1, Some((0, true, -1.0)), Some(2.0)),
            problem(2, Some((0, true, 1.0)), Some(2.0)),
        ];
        assert!(suite(&two, 2, &[]).geo_mean.is_nan());
    }

    #[test]
    fn nothing_correct_is_zero() {
        let said = suite(&[problem(1, Some((0, false, -1.0)), Some(2.0))], 1, &[]);
        assert!(said.geo_mean.abs() < f64::EPSILON);
        let none = suite(&[], 0, &[]);
        assert!(none.fast_p.iter().all(|share| share.abs() < f64::EPSILON));
    }
}
