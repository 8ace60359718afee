//! `score-v1`: what an evaluation of generated kernels is worth against a baseline.
//!
//! Every problem of the level counts, whether the run tried it or not; a problem without a
//! baseline can't be compared, so it is left out of the denominator and named. A time below
//! the hard floor is no kernel's, so it counts as nothing that was achieved, and is named.
//! Speedups within noise and rounding are ties: they count in the suite's `fast_p`, which
//! compares means, and are told apart beside it.

use std::collections::BTreeMap;

use super::fast_p::Outcome;
use super::resolution::Figure;
use super::speedup;

/// Name of the policy.
pub const ID: &str = "score-v1";

/// Thresholds that `fast_p` is given at.
pub const THRESHOLDS: [f64; 6] = [0.0, 0.5, 0.8, 1.0, 1.5, 2.0];

/// One generated kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Its number.
    pub id: u32,
    /// Whether it compiled.
    pub compiled: bool,
    /// Whether it computed what it should.
    pub correct: bool,
    /// Its time; `None` where there is none.
    pub time: Option<Figure>,
    /// `runtime` as the evaluation has it, in ms; negative where there is none.
    pub runtime_ms: f64,
    /// Faster than any correct kernel can be.
    pub impossible: bool,
}

impl Sample {
    /// Whether it is correct: what didn't compile is not, whatever else is said of it.
    pub const fn is_correct(&self) -> bool {
        self.compiled && self.correct
    }

    /// Whether that can be: a time below the hard floor is no correct kernel's.
    pub const fn achieved(&self) -> bool {
        self.is_correct() && !self.impossible
    }
}

/// What a problem is held against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reference {
    /// Nothing.
    None,
    /// A time of another definition of the problem: other sizes or another module.
    OtherDefinition,
    /// A time.
    Time(Figure),
}

impl Reference {
    /// The time, where it is one of the problem.
    pub fn time(&self) -> Option<Figure> {
        match self {
            Self::Time(figure) => Some(*figure),
            Self::None | Self::OtherDefinition => None,
        }
    }
}

/// A problem of the level.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Its level.
    pub level: u32,
    /// Its number within the level.
    pub number: u32,
    /// What kind of computation it is.
    pub family: String,
    /// The samples of it; none where the run has none.
    pub samples: Vec<Sample>,
    /// The baseline's time.
    pub baseline: Reference,
    /// The baseline's mean as its file has it, in ms.
    pub baseline_ms: Option<f64>,
}

/// Which of several samples of a problem count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    /// The one of the least number.
    First,
    /// The fastest correct one, else one that compiled, else any.
    Best,
    /// Each of them, as if it were a problem of its own.
    All,
}

/// Why a problem is not in the denominator, or a sample counts for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The baseline has no time of it: left out of the denominator.
    NoBaseline,
    /// The baseline's time is of another definition of it: left out of the denominator.
    OtherDefinition,
    /// The run has no sample of it: it counts as failed.
    NotEvaluated,
    /// Correct, and nobody timed it: it counts as not fast.
    NotTimed,
    /// Faster than any correct kernel: it counts as failed.
    BelowHard,
}

impl Reason {
    /// Its stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoBaseline => "NO_BASELINE",
            Self::OtherDefinition => "OTHER_DEFINITION",
            Self::NotEvaluated => "NOT_EVALUATED",
            Self::NotTimed => "NOT_TIMED",
            Self::BelowHard => "BELOW_HARD",
        }
    }
}

/// A sample that is held against the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared {
    /// The problem's level.
    pub level: u32,
    /// And its number.
    pub number: u32,
    /// The sample.
    pub sample: u32,
    /// Baseline over own.
    pub ratio: f64,
    /// Win, tie or loss beyond noise and rounding.
    pub outcome: Outcome,
}

/// Figures over some problems.
#[derive(Debug, Clone, PartialEq)]
pub struct Tally {
    /// Problems; with [`Sampling::All`] samples, and problems without any.
    pub total: usize,
    /// Of them, those with a sample.
    pub evaluated: usize,
    /// Of them, those that compiled.
    pub compiled: usize,
    /// Of them, those that were correct, possible or not.
    pub correct: usize,
    /// What shares are of: `total` without what can't be compared.
    pub denominator: usize,
    /// Shares of the denominator that are correct and more than a threshold times as fast;
    /// `None` where the denominator is 0.
    pub fast_p: Option<[f64; 6]>,
    /// Of what was compared; `None` where nothing was.
    pub geo_mean: Option<f64>,
    /// Faster beyond noise and rounding.
    pub wins: usize,
    /// Within noise and rounding.
    pub ties: usize,
    /// Slower beyond noise and rounding.
    pub losses: usize,
}

/// A score.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Over everything.
    pub all: Tally,
    /// By level.
    pub by_level: BTreeMap<u32, Tally>,
    /// By family.
    pub by_family: BTreeMap<String, Tally>,
    /// What was left out or counts for nothing, by level and number of the problem.
    pub excluded: Vec<(u32, u32, Reason)>,
    /// Everything that was compared, the largest speedup first.
    pub compared: Vec<Compared>,
}

/// Scores an evaluation.
pub fn score(problems: &[Problem], sampling: Sampling) -> Score {
    let mut excluded = Vec::new();
    let mut compared = Vec::new();
    let mut items: Vec<(&Problem, Item)> = Vec::new();
    for problem in problems {
        for sample in chosen(problem, sampling) {
            let item = item(problem, sample);
            let why = item.reasons.iter();
            excluded.extend(why.map(|reason| (problem.level, problem.number, *reason)));
            compared.extend(item.compared);
            items.push((problem, item));
        }
    }
    excluded.dedup();
    compared.sort_by(|a, b| {
        b.ratio
            .total_cmp(&a.ratio)
            .then_with(|| (a.level, a.number, a.sample).cmp(&(b.level, b.number, b.sample)))
    });
    let mut families: BTreeMap<String, Vec<&Item>> = BTreeMap::new();
    let mut levels: BTreeMap<u32, Vec<&Item>> = BTreeMap::new();
    for (problem, item) in &items {
        families
            .entry(problem.family.clone())
            .or_default()
            .push(item);
        levels.entry(problem.level).or_default().push(item);
    }
    let all: Vec<&Item> = items.iter().map(|(_, item)| item).collect();
    Score {
        all: tally(&all),
        by_level: levels
            .into_iter()
            .map(|(level, items)| (level, tally(&items)))
            .collect(),
        by_family: families
            .into_iter()
            .map(|(family, items)| (family, tally(&items)))
            .collect(),
        excluded,
        compared,
    }
}

/// What a sample, or the lack of one, counts for.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, each counted by itself"
)]
struct Item {
    evaluated: bool,
    compiled: bool,
    correct: bool,
    in_denominator: bool,
    compared: Option<Compared>,
    reasons: Vec<Reason>,
}

fn item(problem: &Problem, sample: Option<&Sample>) -> Item {
    let mut reasons = Vec::new();
    let baseline = problem.baseline.time();
    match problem.baseline {
        Reference::None => reasons.push(Reason::NoBaseline),
        Reference::OtherDefinition => reasons.push(Reason::OtherDefinition),
        Reference::Time(_) => {}
    }
    let Some(sample) = sample else {
        reasons.push(Reason::NotEvaluated);
        return Item {
            evaluated: false,
            compiled: false,
            correct: false,
            in_denominator: baseline.is_some(),
            compared: None,
            reasons,
        };
    };
    if sample.is_correct() && sample.time.is_none() {
        reasons.push(Reason::NotTimed);
    }
    if sample.is_correct() && sample.impossible {
        reasons.push(Reason::BelowHard);
    }
    let own = sample.time.filter(|_| sample.achieved());
    let compared = baseline.zip(own).and_then(|(baseline, own)| {
        let speedup = speedup::speedup(&baseline, &own)?;
        Some(Compared {
            level: problem.level,
            number: problem.number,
            sample: sample.id,
            ratio: speedup.ratio,
            outcome: Outcome::of(&speedup),
        })
    });
    Item {
        evaluated: true,
        compiled: sample.compiled,
        correct: sample.is_correct(),
        in_denominator: baseline.is_some(),
        compared,
        reasons,
    }
}

/// The samples that count; one `None` where there is none.
fn chosen(problem: &Problem, sampling: Sampling) -> Vec<Option<&Sample>> {
    let samples = &problem.samples;
    let one = match sampling {
        Sampling::All if !samples.is_empty() => return samples.iter().map(Some).collect(),
        Sampling::All => None,
        Sampling::First => samples.iter().min_by_key(|sample| sample.id),
        Sampling::Best => samples.iter().min_by_key(|sample| {
            let time = sample
                .time
                .filter(|_| sample.achieved())
                .map(|time| time.value);
            (
                time.is_none(),
                time,
                !sample.is_correct(),
                !sample.compiled,
                sample.id,
            )
        }),
    };
    vec![one]
}

fn tally(items: &[&Item]) -> Tally {
    let count = |is: &dyn Fn(&Item) -> bool| items.iter().filter(|item| is(item)).count();
    let ratios: Vec<f64> = items
        .iter()
        .filter_map(|item| item.compared.map(|compared| compared.ratio))
        .collect();
    let denominator = count(&|item| item.in_denominator);
    let ended = |outcome| {
        count(&|item| {
            item.compared
                .is_some_and(|compared| compared.outcome == outcome)
        })
    };
    let share = |p: f64| {
        let above = ratios.iter().filter(|ratio| **ratio > p).count();
        above as f64 / denominator as f64
    };
    let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    Tally {
        total: items.len(),
        evaluated: count(&|item| item.evaluated),
        compiled: count(&|item| item.compiled),
        correct: count(&|item| item.correct),
        denominator,
        fast_p: (denominator > 0).then(|| THRESHOLDS.map(share)),
        geo_mean: (!ratios.is_empty()).then(|| (logarithms / ratios.len() as f64).exp()),
        wins: ended(Outcome::Win),
        ties: ended(Outcome::Tie),
        losses: ended(Outcome::Loss),
    }
}

/// The chance that one of `k` samples is correct and possible, over problems with at least
/// `k`: the unbiased estimator `1 − C(n−c, k) / C(n, k)` of each, averaged, and how many they
/// are. `None` where no problem has `k` samples.
///
/// Formula: Chen et al., "Evaluating Large Language Models Trained on Code" (2021), eq. 1.
pub fn pass_at(problems: &[Problem], k: u32) -> (Option<f64>, usize) {
    let of = |problem: &Problem| {
        let n = u32::try_from(problem.samples.len()).ok()?;
        let correct = problem.samples.iter().filter(|s| s.achieved()).count();
        let c = u32::try_from(correct).ok()?;
        (k > 0 && n >= k).then(|| {
            if n - c < k {
                1.0
            } else {
                let missed = (n - c + 1..=n).map(|i| 1.0 - f64::from(k) / f64::from(i));
                1.0 - missed.product::<f64>()
            }
        })
    };
    let all: Vec<f64> = problems.iter().filter_map(of).collect();
    let mean = (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64);
    (mean, all.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(ns: i64) -> Figure {
        Figure {
            value: ns * 1000,
            interval: None,
            resolution: 0,
        }
    }

    fn sample(id: u32, correct: bool, ns: Option<i64>) -> Sample {
        Sample {
            id,
            compiled: correct || id > 5,
            correct,
            time: ns.map(time),
            runtime_ms: ns.map_or(-1.0, |ns| ns as f64 / 1e6),
            impossible: false,
        }
    }

    fn problem(number: u32, samples: Vec<Sample>, baseline: Option<i64>) -> Problem {
        Problem {
            level: 1,
            number,
            family: if number.is_multiple_of(2) {
                "even"
            } else {
                "odd"
            }
            .to_owned(),
            samples,
            baseline: baseline.map_or(Reference::None, |ns| Reference::Time(time(ns))),
            baseline_ms: baseline.map(|ns| ns as f64 / 1e6),
        }
    }

    #[test]
    fn every_problem_counts_and_what_cannot_be_compared_is_named() {
        let mut impossible = sample(0, true, Some(1));
        impossible.impossible = true;
        let mut uncompiled = sample(0, true, Some(10));
        uncompiled.compiled = false;
        let problems = [
            problem(1, vec![sample(0, true, Some(500))], Some(1000)),
            problem(2, vec![sample(0, true, Some(2000))], Some(1000)),
            problem(3, vec![sample(0, false, None)], Some(1000)),
            problem(4, vec![], Some(1000)),
            problem(5, vec![sample(0, true, Some(10))], None),
            problem(6, vec![impossible], Some(1000)),
            problem(7, vec![sample(0, true, None)], Some(1000)),
            Problem {
                baseline: Reference::OtherDefinition,
                ..problem(8, vec![sample(0, true, Some(10))], Some(1000))
            },
            problem(9, vec![uncompiled], Some(1000)),
        ];
        let score = score(&problems, Sampling::First);
        let all = &score.all;
        assert_eq!(
            (
                all.total,
                all.evaluated,
                all.compiled,
                all.correct,
                all.denominator
            ),
            (9, 8, 6, 6, 7)
        );
        assert!((all.fast_p.unwrap()[3] - 1.0 / 7.0).abs() < 1e-12);
        assert!((all.geo_mean.unwrap() - 1.0).abs() < 1e-12);
        assert_eq!((all.wins, all.ties, all.losses), (1, 0, 1));
        let named: Vec<(u32, &str)> = score
            .excluded
            .iter()
            .map(|(_, number, reason)| (*number, reason.as_str()))
            .collect();
        assert_eq!(
            named,
            [
                (4, "NOT_EVALUATED"),
                (5, "NO_BASELINE"),
                (6, "BELOW_HARD"),
                (7, "NOT_TIMED"),
                (8, "OTHER_DEFINITION")
            ]
        );
        assert_eq!(score.by_family["even"].total, 4);
        assert_eq!(score.compared[0].number, 1);
    }

    #[test]
    fn which_samples_count_is_a_choice() {
        let samples = vec![
            sample(3, true, Some(400)),
            sample(1, false, None),
            sample(2, true, Some(200)),
        ];
        let problems = [
            problem(1, samples, Some(1000)),
            problem(2, vec![], Some(1000)),
        ];
        for (sampling, total, correct, best) in [
            (Sampling::First, 2, 0, None),
            (Sampling::Best, 2, 1, Some(5.0)),
            (Sampling::All, 4, 2, Some(5.0)),
        ] {
            let score = score(&problems, sampling);
            assert_eq!(
                (score.all.total, score.all.correct),
                (total, correct),
                "{sampling:?}"
            );
            assert_eq!(
                score.compared.first().map(|c| c.ratio),
                best,
                "{sampling:?}"
            );
        }
    }

    #[test]
    fn a_speedup_within_noise_is_a_tie_that_fast_p_counts() {
        let mut baseline = problem(1, vec![sample(0, true, Some(998))], Some(1000));
        baseline.baseline = Reference::Time(Figure {
            resolution: 5_000,
            ..time(1000)
        });
        let score = score(&[baseline], Sampling::First);
        assert_eq!((score.all.wins, score.all.ties), (0, 1));
        assert!((score.all.fast_p.unwrap()[3] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn pass_at_k_is_unbiased() {
        let of = |n: u32, c: u32| {
            let samples = (0..n).map(|id| sample(id, id < c, Some(1))).collect();
            problem(1, samples, None)
        };
        for (n, c, k, expected) in [
            (1, 1, 1, Some(1.0)),
            (4, 1, 1, Some(0.25)),
            (4, 1, 2, Some(0.5)),
            (4, 3, 2, Some(1.0)),
            (5, 2, 3, Some(0.9)),
            (4, 0, 2, Some(0.0)),
            (1, 1, 2, None),
        ] {
            let (found, _) = pass_at(&[of(n, c)], k);
            match (found, expected) {
                (Some(found), Some(expected)) => {
                    assert!((found - expected).abs() < 1e-12, "{n} {c} {k}: {found}");
                }
                (found, expected) => assert_eq!(found, expected, "{n} {c} {k}"),
            }
        }
        assert_eq!(pass_at(&[of(2, 1), of(1, 1)], 1), (Some(0.75), 2));
        assert_eq!(pass_at(&[of(2, 1), of(1, 1)], 2), (Some(1.0), 1));
        let mut impossible = of(1, 1);
        impossible.samples[0].impossible = true;
        assert_eq!(pass_at(&[impossible], 1), (Some(0.0), 1));
    }

    #[test]
    fn nothing_gives_nothing() {
        let score = score(&[], Sampling::Best);
        assert_eq!(score.all.fast_p, None);
        assert_eq!(score.all.geo_mean, None);
    }
}
