//! Evaluations of generated kernels by the KernelBench suite: which compiled, which were
//! right, how fast those were.
//!
//! - Upstream: <https://github.com/ScalingIntelligence/KernelBench>,
//!   `runs/<run>/eval_results.json`, written by `scripts/eval_from_generations.py`.
//! - Format: `{"<problem>": sample, …}` (2025 and before) or `{"<problem>": [sample, …], …}`;
//!   see `evaluation.rs`. A file is of one level and doesn't say which.
//! - Licence: the suite's code is MIT; a run's file is of whoever ran it.
//! - Unit: milliseconds, three significant digits (the suite's comment says µs and is wrong).
//! - Statistic: mean of (by default) 100 trials, population standard deviation, CUDA events.
//! - Date seen: 2026-03-05, commit 423217d9, and files of two forks.
//!
//! A sample that didn't compile, was wrong or never ran is a run with that status and no
//! time. `-1.0` is how the suite writes that there is none.

mod evaluation;

use std::sync::Arc;

use crate::duration::Unit;
use crate::names::quoted;
use crate::{
    Basis, Circumstances, Declared, Figure, Figures, Implementation, Importer, Input, Issue,
    Metric, NO_HARDWARE, Observation, Place, Protocol, Reading, Refused, Role, Severity, Source,
    Status, Subject, SuiteProblem, Terms, given,
};

pub use evaluation::{Evaluation, Problem, Sample, Timing, evaluation};

/// The importer of the suite's evaluations.
#[derive(Debug, Clone, Copy)]
pub struct KernelBenchEval;

static SOURCE: Source = Source {
    slug: "kernelbench-eval",
    name: "KernelBench evaluations",
    home: "https://github.com/ScalingIntelligence/KernelBench",
    data_license: None,
    module_license: None,
    attribution: "whoever ran the evaluation (suite: KernelBench)",
    terms: "An evaluation belongs to whoever ran it; `--license` says under which terms it may be used.",
    redistribution: None,
    freshness_days: 180,
    suite: Some("kernelbench"),
    repository: None,
};

impl Importer for KernelBenchEval {
    fn source(&self) -> &'static Source {
        &SOURCE
    }

    fn endings(&self) -> &'static [&'static str] {
        &[".json"]
    }

    fn recognises(&self, input: &Input<'_>) -> Option<String> {
        evaluation::begins_like_one(input.bytes)
            .then(|| "problems by number with `compiled` and `correctness`".to_owned())
    }

    fn read(&self, input: &Input<'_>, declared: &Declared) -> Result<Reading, Refused> {
        given::check(declared, Unit::Millisecond, "the suite")?;
        let level = level(input.folder, declared).ok_or_else(|| Refused {
            code: "NO_LEVEL",
            place: Place::default(),
            message: format!(
                "an evaluation names problems by number, and which level they are of isn't said{}",
                input.folder.map_or_else(String::new, |folder| format!(
                    " (the folder {} has no `level1` or `_l1` in its name)",
                    quoted(folder)
                ))
            ),
            hint: Some("`--level N` says it".to_owned()),
        })?;
        let evaluation = evaluation(input.bytes)?;
        let run = declared
            .implementation
            .as_deref()
            .or(input.folder)
            .unwrap_or("an evaluation");
        let mut stated = Stated::new(run, level, declared);
        for problem in &evaluation.problems {
            for sample in &problem.samples {
                stated.sample(problem, sample);
            }
        }
        let mut assumptions = Vec::new();
        if declared.implementation.is_none() && input.folder.is_none() {
            assumptions.push("nothing names the run: taken as `an evaluation`".to_owned());
        }
        if stated.filled > 0 {
            assumptions.push(format!(
                "{} of {} samples name no device: as declared",
                stated.filled,
                stated.observations.len()
            ));
        }
        let mut issues = evaluation.issues;
        issues.extend(stated.issues);
        let rejected = Issue::rejected(&issues);
        Ok(Reading {
            records: stated.observations.len() as u64 + rejected,
            observations: stated.observations,
            issues,
            assumptions,
            provider: declared.provider.clone(),
            basis: if declared.provider.is_some() || declared.implementation.is_some() {
                Basis::Declared
            } else if input.folder.is_some() {
                Basis::Path
            } else {
                Basis::Assumed
            },
            protocol: protocol(),
            unit_declared: true,
            terms: Terms::default(),
        })
    }
}

/// The level that a run is of: declared, or in its folder's name (`gemini_level1_run`,
/// `retime_l2`).
pub fn level(folder: Option<&str>, declared: &Declared) -> Option<u32> {
    declared.level.or_else(|| level_in(folder?))
}

fn level_in(name: &str) -> Option<u32> {
    let name = name.to_ascii_lowercase();
    let number = |rest: &str| -> Option<u32> {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits
            .parse()
            .ok()
            .filter(|number| (1..=99).contains(number))
    };
    if let Some((_, rest)) = name.split_once("level") {
        return number(rest.trim_start_matches(['_', '-', ' ']));
    }
    name.split(['_', '-', '.', ' '])
        .find_map(|word| {
            word.strip_prefix('l')
                .filter(|rest| !rest.is_empty() && rest.len() < 3)
        })
        .and_then(|rest| rest.parse().ok())
}

/// As the suite's evaluation times a kernel, as far as that holds at every commit: the mean
/// over trials between CUDA events. Warm-ups, cache and precision depend on the day.
fn protocol() -> Protocol {
    Protocol {
        harness: "KernelBench evaluation".to_owned(),
        statistic: "mean".to_owned(),
        timer: Some("cuda_event".to_owned()),
        autograd: Some("off".to_owned()),
        ..Protocol::default()
    }
}

/// What an evaluation states: observations and issues in its order.
struct Stated<'d> {
    run: &'d str,
    level: Arc<str>,
    suite: Arc<str>,
    declared: &'d Declared,
    metric: Arc<Metric>,
    reference: Arc<Implementation>,
    observations: Vec<Observation>,
    issues: Vec<Issue>,
    filled: usize,
}

impl<'d> Stated<'d> {
    fn new(run: &'d str, level: u32, declared: &'d Declared) -> Self {
        Self {
            run,
            level: format!("level{level}").into(),
            suite: "kernelbench".into(),
            declared,
            metric: Arc::new(Metric::latency("mean")),
            reference: Arc::new(crate::kernelbench::eager()),
            observations: Vec::new(),
            issues: Vec::new(),
            filled: 0,
        }
    }

    fn sample(&mut self, problem: &Problem, sample: &Sample) {
        let status = sample.status();
        let hardware = match (&sample.hardware, &self.declared.hardware) {
            (Some(stated), _) => stated.as_str(),
            (None, Some(declared)) => {
                self.filled += 1;
                declared
            }
            // Of a failed run nothing is compared, so it matters to nobody where it failed.
            (None, None) if status != Status::Passed => NO_HARDWARE,
            (None, None) => {
                self.issues.push(Issue {
                    severity: Severity::Error,
                    code: "NO_HARDWARE".to_owned(),
                    place: sample.place.clone(),
                    message: "no `hardware`: which device ran this is not said".to_owned(),
                    hint: Some(
                        "`--hardware NAME` names the device of samples that have none".to_owned(),
                    ),
                    rejects: 1,
                });
                return;
            }
        };
        let hardware: Arc<str> = hardware.into();
        let figures = sample
            .timing
            .as_ref()
            .filter(|_| status == Status::Passed)
            .map(figures_of)
            .unwrap_or_default();
        let subject = Subject::Problem(SuiteProblem {
            suite: Arc::clone(&self.suite),
            level: Arc::clone(&self.level),
            file: problem.number.to_string().into(),
        });
        self.observations.push(Observation {
            place: sample.place.clone(),
            subject: subject.clone(),
            implementation: Arc::new(candidate(self.run, sample.id)),
            hardware: Arc::clone(&hardware),
            status,
            metric: Arc::clone(&self.metric),
            figures,
            circumstances: (!sample.texts.is_empty()).then(|| {
                Box::new(Circumstances {
                    texts: sample.texts.clone(),
                    ..Circumstances::default()
                })
            }),
        });
        if let Some(reference) = &sample.reference {
            let mut place = sample.place.clone();
            place.pointer.push_str("/ref_runtime");
            self.observations.push(Observation {
                place,
                subject,
                implementation: Arc::clone(&self.reference),
                hardware,
                status: Status::Passed,
                metric: Arc::clone(&self.metric),
                figures: figures_of(reference),
                circumstances: None,
            });
        }
    }
}

fn figures_of(timing: &Timing) -> Figures {
    Figures {
        value: Some(Figure {
            amount: timing.mean.amount,
            text: timing.mean.text.clone(),
        }),
        std: timing.std.clone(),
        min: timing.min.clone(),
        max: timing.max.clone(),
        range: None,
        samples: timing.samples,
        resolution: timing.resolution,
    }
}

/// A sample of a run: what was generated for each problem is its own code, and the problem is
/// what it computes.
fn candidate(run: &str, sample: u32) -> Implementation {
    let name = format!("{run} #{sample}");
    Implementation {
        slug: name
            .to_lowercase()
            .replace(|c: char| !c.is_alphanumeric(), "-"),
        name,
        project: run.to_owned(),
        language: "unknown".to_owned(),
        interface: format!("sample {sample}"),
        role: Role::Candidate,
        license: None,
    }
}

#[cfg(test)]
mod tests;
