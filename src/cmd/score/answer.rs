//! The answer of `kidx score`.

use std::collections::BTreeMap;

use kidx_queries::policy::score::{self, Compared, Problem, Sampling, THRESHOLDS, Tally};
use kidx_queries::policy::suite_rules;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::baseline::{Baseline, Devices};
use super::problems::Level;
use super::{Read, Version};
use crate::cli;

/// Speedups listed as those that carry the mean.
const LARGEST: usize = 5;

/// What an evaluation is worth.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The run's name: that of its folder; several, joined by a comma.
    pub run: String,
    /// Its level; `null` where it has several.
    pub level: Option<u32>,
    /// Devices that it ran on, as stated.
    pub hardware: Vec<String>,
    /// What it is held against.
    pub baseline: BaselineLine,
    /// Whether the baseline is of other hardware: then a speedup is of the hardware too.
    pub hardware_differs: bool,
    /// Suite version whose problems count.
    pub suite_version: String,
    /// Which of several samples count: `first`, `best`, `all`.
    pub sample: &'static str,
    /// Figures over everything.
    #[serde(flatten)]
    pub all: Line,
    /// What was left out of the denominator, or counts for nothing, and why.
    pub excluded: Vec<Excluded>,
    /// By level.
    pub by_level: Vec<Group>,
    /// By family.
    pub by_family: Vec<Group>,
    /// The largest speedups: what carries a mean.
    pub largest: Vec<Speedup>,
    /// Every sample that was compared, by problem.
    pub compared: Vec<Speedup>,
    /// Runs faster than any correct kernel: they count for nothing.
    pub impossible: Vec<Impossible>,
    /// Samples that the suite itself marked: over ten times as fast as the reference.
    pub excessive_speedup: Vec<Named>,
    /// The chance that one of k samples is correct, by k.
    pub pass_at_k: BTreeMap<u32, PassAt>,
    /// The suite's own figures, a level each, and what they don't say.
    pub suite_rules: Vec<SuiteLine>,
}

/// The chance that one of k samples is correct.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PassAt {
    /// The mean over those problems; `null` where there is none.
    pub chance: Option<f64>,
    /// Problems with at least k samples: others have no say in it.
    pub problems: usize,
}

/// What a run is held against.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BaselineLine {
    /// Who computes.
    pub name: String,
    /// A file, or this database.
    pub from: String,
    /// Devices that it was measured on.
    pub hardware: Vec<String>,
    /// Times of it that don't count, since they are of other hardware than the evaluation.
    pub of_other_hardware: usize,
    /// Suite versions of those that don't count, since they are of other definitions of their
    /// problems (`OTHER_DEFINITION`).
    pub other_versions: Vec<String>,
    /// Problems of which nobody says on which definition the baseline was timed: they count.
    pub definition_undeclared: usize,
}

/// Figures over some problems.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Line {
    /// Problems; with `all` samples: samples, and problems without any.
    pub total: usize,
    /// Of them, those with a sample.
    pub evaluated: usize,
    /// Of them, those that compiled.
    pub compiled: usize,
    /// Of them, those that were correct, possible or not.
    pub correct: usize,
    /// What `fast_p` is a share of: `total` without what the baseline has no time of.
    pub denominator: usize,
    /// Share that is correct and more than p times as fast; `null` without a denominator.
    pub fast_p: Option<BTreeMap<String, f64>>,
    /// Geometric mean of the speedups of what was compared; `null` where nothing was.
    pub geo_mean_speedup: Option<f64>,
    /// Faster beyond noise and rounding.
    pub wins: usize,
    /// Within noise and rounding.
    pub ties: usize,
    /// Slower beyond noise and rounding.
    pub losses: usize,
}

/// A level or a family.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Group {
    /// `level1`, `gemm`.
    pub group: String,
    /// Its figures.
    #[serde(flatten)]
    pub line: Line,
}

/// A problem that was left out, or counts for nothing.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Excluded {
    /// `level1/12`.
    pub problem: String,
    /// File name of the problem.
    pub name: String,
    /// `NO_BASELINE`, `OTHER_DEFINITION`, `NOT_EVALUATED`, `NOT_TIMED` or `BELOW_HARD`.
    pub reason: &'static str,
}

/// A speedup.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Speedup {
    /// `level1/12`.
    pub problem: String,
    /// The sample.
    pub sample: u32,
    /// Baseline over own.
    pub ratio: f64,
    /// `win`, `tie` or `loss`.
    pub outcome: &'static str,
}

/// A run faster than any correct kernel.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Impossible {
    /// `level1/12`.
    pub problem: String,
    /// The sample.
    pub sample: u32,
    /// Its time over the hard floor.
    pub of_hard_floor: f64,
}

/// A sample of a problem.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Named {
    /// `level1/12`.
    pub problem: String,
    /// The sample.
    pub sample: u32,
}

/// What the suite's own script says of a level, key by key as it names them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SuiteLine {
    /// The level.
    pub level: u32,
    /// Problems of the level.
    pub total_count: usize,
    /// Problems in the evaluation.
    pub total_eval: usize,
    /// Of sample 0.
    pub compiled_count: usize,
    /// Of sample 0.
    pub correct_count: usize,
    /// Compiled over all problems.
    pub compilation_rate: f64,
    /// Correct over all problems.
    pub correctness_rate: f64,
    /// Problems that both evaluation and baseline have: what `fast_p` is a share of there.
    pub aligned: usize,
    /// Geometric mean over the correct ones; 0 where none is; `null` where the script's isn't
    /// a number (a correct sample without a time).
    pub geo_mean_speedup: Option<f64>,
    /// By threshold.
    pub fast_p: BTreeMap<String, f64>,
    /// What `pass_at_k_results.json` beside it says, if it is there.
    pub pass_at_k: Option<Value>,
    /// Whether the evaluation is in the form that the script reads: lists of samples.
    pub readable: bool,
}

impl Answer {
    pub(super) fn of(
        arguments: &cli::Score,
        version: &Version,
        read: &[Read],
        levels: &[Level],
        baseline: &Baseline,
        devices: &Devices,
        differs: bool,
    ) -> Self {
        let problems: Vec<Problem> = levels
            .iter()
            .flat_map(|level| level.problems.iter().cloned())
            .collect();
        let (sampling, sample) = match arguments.sample {
            cli::Sampling::First => (Sampling::First, "first"),
            cli::Sampling::Best => (Sampling::Best, "best"),
            cli::Sampling::All => (Sampling::All, "all"),
        };
        let scored = score::score(&problems, sampling);
        let mut runs: Vec<&str> = read.iter().map(|read| read.run.as_str()).collect();
        runs.dedup();
        let named = |level: u32, number: u32| format!("level{level}/{number}");
        let name = |level: u32, number: u32| {
            levels
                .iter()
                .find(|known| known.number == level)
                .and_then(|known| known.names.get(&number).cloned())
                .unwrap_or_default()
        };
        Self {
            run: runs.join(", "),
            level: match levels {
                [only] => Some(only.number),
                _ => None,
            },
            hardware: devices.0.iter().cloned().collect(),
            baseline: BaselineLine {
                name: baseline.name.clone(),
                from: baseline.from.clone(),
                hardware: baseline.devices.iter().cloned().collect(),
                of_other_hardware: baseline.foreign,
                other_versions: baseline.other_versions.iter().cloned().collect(),
                definition_undeclared: levels.iter().map(|level| level.undeclared).sum(),
            },
            hardware_differs: differs,
            suite_version: version.name.clone(),
            sample,
            all: line(&scored.all),
            excluded: scored
                .excluded
                .iter()
                .map(|(level, number, reason)| Excluded {
                    problem: named(*level, *number),
                    name: name(*level, *number),
                    reason: reason.as_str(),
                })
                .collect(),
            by_level: scored
                .by_level
                .iter()
                .map(|(level, tally)| Group {
                    group: format!("level{level}"),
                    line: line(tally),
                })
                .collect(),
            by_family: scored
                .by_family
                .iter()
                .map(|(family, tally)| Group {
                    group: family.clone(),
                    line: line(tally),
                })
                .collect(),
            largest: scored.compared.iter().take(LARGEST).map(speedup).collect(),
            compared: {
                let mut all: Vec<&Compared> = scored.compared.iter().collect();
                all.sort_by_key(|of| (of.level, of.number, of.sample));
                all.into_iter().map(speedup).collect()
            },
            impossible: levels
                .iter()
                .flat_map(|level| {
                    level
                        .impossible
                        .iter()
                        .map(|(number, sample, factor)| Impossible {
                            problem: named(level.number, *number),
                            sample: *sample,
                            of_hard_floor: *factor,
                        })
                })
                .collect(),
            excessive_speedup: levels
                .iter()
                .flat_map(|level| {
                    level.marked.iter().map(|(number, sample)| Named {
                        problem: named(level.number, *number),
                        sample: *sample,
                    })
                })
                .collect(),
            pass_at_k: arguments
                .k
                .iter()
                .map(|k| {
                    let (chance, problems) = score::pass_at(&problems, *k);
                    (*k, PassAt { chance, problems })
                })
                .collect(),
            suite_rules: levels
                .iter()
                .zip(read)
                .map(|(level, read)| suite_line(level, read))
                .collect(),
        }
    }
}

fn thresholds(shares: [f64; 6]) -> BTreeMap<String, f64> {
    THRESHOLDS
        .iter()
        .zip(shares)
        .map(|(p, share)| (format!("{p:.1}"), share))
        .collect()
}

fn line(of: &Tally) -> Line {
    Line {
        total: of.total,
        evaluated: of.evaluated,
        compiled: of.compiled,
        correct: of.correct,
        denominator: of.denominator,
        fast_p: of.fast_p.map(thresholds),
        geo_mean_speedup: of.geo_mean,
        wins: of.wins,
        ties: of.ties,
        losses: of.losses,
    }
}

fn speedup(of: &Compared) -> Speedup {
    Speedup {
        problem: format!("level{}/{}", of.level, of.number),
        sample: of.sample,
        ratio: of.ratio,
        outcome: of.outcome.as_str(),
    }
}

fn suite_line(level: &Level, read: &Read) -> SuiteLine {
    let strangers: Vec<_> = level
        .strangers
        .iter()
        .flat_map(|(_, samples)| samples.iter().cloned())
        .collect();
    let said = suite_rules::suite(&level.problems, level.evaluated, &strangers);
    let rate = |count: usize| {
        if said.total > 0 {
            count as f64 / said.total as f64
        } else {
            0.0
        }
    };
    SuiteLine {
        level: level.number,
        total_count: said.total,
        total_eval: said.evaluated,
        compiled_count: said.compiled,
        correct_count: said.correct,
        compilation_rate: rate(said.compiled),
        correctness_rate: rate(said.correct),
        aligned: said.aligned,
        geo_mean_speedup: Some(said.geo_mean).filter(|mean| mean.is_finite()),
        fast_p: thresholds(said.fast_p),
        pass_at_k: read.pass_at_k.as_ref().map(|all| {
            let part = |name: &str| all.get(name).cloned().unwrap_or(Value::Null);
            serde_json::json!({"metadata": part("metadata"), "averages": part("averages")})
        }),
        readable: read
            .evaluation
            .problems
            .iter()
            .all(|problem| problem.listed),
    }
}
