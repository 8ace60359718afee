//! A level's problems with what an evaluation and a baseline say of each.

use std::collections::BTreeMap;

use kidx_importers::kernelbench_eval::{Sample as Stated, Timing};
use kidx_importers::work;
use kidx_queries::entities::Peaks;
use kidx_queries::floors;
use kidx_queries::lookup;
use kidx_queries::policy::interval::{Stats, interval};
use kidx_queries::policy::resolution::Figure;
use kidx_queries::policy::roofline::Judged;
use kidx_queries::policy::score::{Problem, Reference, Sample};
use kidx_queries::work::Work;
use rusqlite::Connection;

use super::baseline::{Baseline, Definition, Devices};
use super::{Context, Read, Version};
use crate::cmd::inspect::products;
use crate::error::{Error, Result};

/// A level.
pub(super) struct Level {
    pub(super) number: u32,
    /// The suite's problems of it, in their order.
    pub(super) problems: Vec<Problem>,
    /// Their file names, by number.
    pub(super) names: BTreeMap<u32, String>,
    /// Samples of problems that the level doesn't have.
    pub(super) strangers: Vec<(u32, Vec<Sample>)>,
    /// Problems in the evaluation.
    pub(super) evaluated: usize,
    /// Runs below what any correct kernel takes: problem, sample, time over the floor.
    pub(super) impossible: Vec<(u32, u32, f64)>,
    /// Samples that the suite marked as too fast.
    pub(super) marked: Vec<(u32, u32)>,
    /// Problems whose baseline doesn't say of which definition its time is.
    pub(super) undeclared: usize,
}

/// The product that times are held against, where it is one and its peaks are known.
pub(super) struct Judge {
    id: String,
    peaks: Peaks,
}

impl Judge {
    pub(super) fn of(
        connection: &Connection,
        devices: &Devices,
        context: &Context,
    ) -> Result<Option<Self>> {
        let Some(device) = devices.0.first().filter(|_| devices.0.len() == 1) else {
            return Ok(None);
        };
        let Ok(rows) = lookup::hardware(connection, device) else {
            return Ok(None);
        };
        let found = products(connection, Some(rows), context)?;
        let [product] = found.as_slice() else {
            return Ok(None);
        };
        Ok(Some(Self {
            id: product.hardware.id.clone(),
            peaks: product.peaks.clone(),
        }))
    }

    /// The time over the hard floor, where it is below that.
    fn below_hard(&self, work: &Work, timing: &Timing) -> Option<f64> {
        let run = Judged {
            value: timing.mean.amount,
            resolution: timing.resolution,
            samples: timing.samples,
        };
        floors::below_hard(work, &self.id, &self.peaks, run)
    }
}

impl Level {
    pub(super) fn of(
        version: &Version,
        read: &Read,
        baseline: &Baseline,
        judge: Option<&Judge>,
    ) -> Result<Self> {
        let Version { suite, name } = version;
        let key = format!("level{}", read.level);
        let modules = suite
            .version(name)
            .map(|version| suite.modules(version))
            .unwrap_or_default();
        let mut stated: BTreeMap<u32, &Vec<Stated>> = read
            .evaluation
            .problems
            .iter()
            .map(|problem| (problem.number, &problem.samples))
            .collect();
        let mut level = Self {
            number: read.level,
            problems: Vec::new(),
            names: BTreeMap::new(),
            strangers: Vec::new(),
            evaluated: stated.len(),
            impossible: Vec::new(),
            marked: Vec::new(),
            undeclared: 0,
        };
        for module in modules.iter().filter(|module| module.facts.level == key) {
            let file = &module.facts.file;
            let Some(number) = file.split('_').next().and_then(|n| n.parse().ok()) else {
                continue;
            };
            let work = module
                .facts
                .work
                .as_ref()
                .map(|facts| kept(facts))
                .transpose()?;
            let judged = judge.zip(work.as_ref());
            let samples = stated.remove(&number).map_or(&[][..], Vec::as_slice);
            let time = baseline.time(read.level, file);
            let samples = samples.iter().map(|sample| {
                let below = judged
                    .zip(sample.timing.as_ref())
                    .and_then(|((judge, work), timing)| judge.below_hard(work, timing));
                if let Some(factor) = below {
                    level.impossible.push((number, sample.id, factor));
                }
                if sample.excessive_speedup {
                    level.marked.push((number, sample.id));
                }
                self::sample(sample, below.is_some())
            });
            let problem = Problem {
                level: read.level,
                number,
                family: module.facts.family.clone(),
                samples: samples.collect(),
                baseline: match time {
                    None => Reference::None,
                    Some((_, Definition::Other)) => Reference::OtherDefinition,
                    Some((time, _)) => Reference::Time(time.figure),
                },
                baseline_ms: time.map(|(time, _)| time.ms),
            };
            if let Some((_, Definition::Undeclared)) = time {
                level.undeclared += 1;
            }
            level.names.insert(number, file.clone());
            level.problems.push(problem);
        }
        if level.problems.is_empty() {
            return Err(Error::usage(format!(
                "suite version `{name}` has no level {}",
                read.level
            ))
            .hint("`--level` and `--suite-version` say which problems were to be solved"));
        }
        level.problems.sort_by_key(|problem| problem.number);
        level.strangers = stated
            .into_iter()
            .map(|(number, samples)| (number, samples.iter().map(|s| sample(s, false)).collect()))
            .collect();
        Ok(level)
    }
}

/// The form in which floors are made of a module's facts.
fn kept(facts: &work::Work) -> Result<Work> {
    serde_json::to_value(facts)
        .and_then(serde_json::from_value)
        .map_err(|error| Error::failed("facts have no JSON form").because(error))
}

fn sample(of: &Stated, impossible: bool) -> Sample {
    Sample {
        id: of.id,
        compiled: of.compiled,
        correct: of.correct,
        time: of.timing.as_ref().map(time),
        // A JSON number's text is a float's, and Python's words for others are too.
        runtime_ms: of.runtime.parse().unwrap_or(f64::NAN),
        impossible,
    }
}

fn time(timing: &Timing) -> Figure {
    let amount = |figure: &Option<kidx_importers::Figure>| figure.as_ref().map(|f| f.amount);
    Figure {
        value: timing.mean.amount,
        interval: interval(&Stats {
            value: timing.mean.amount,
            std: amount(&timing.std),
            min: amount(&timing.min),
            samples: timing.samples,
            stated: None,
        }),
        resolution: timing.resolution,
    }
}
