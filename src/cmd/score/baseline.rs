//! What an evaluation is held against: a file of baseline timings, or what the database has.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use kidx_importers::kernelbench::KernelBench;
use kidx_importers::{Declared, Importer, Input, Subject};
use kidx_queries::cohorts;
use kidx_queries::entities::Run;
use kidx_queries::filter::Filter;
use kidx_queries::lookup;
use kidx_queries::policy::interval::{Stats, interval};
use kidx_queries::policy::resolution::Figure;
use rusqlite::Connection;

use super::{Context, Read, SUITE, Version};
use crate::catalog::identity;
use crate::catalog::suite::published;
use crate::error::{Error, Result};
use crate::fetch::{self, Target};

/// The devices that an evaluation ran on.
pub(super) struct Devices(pub(super) BTreeSet<String>);

impl Devices {
    pub(super) fn of(read: &[Read], declared: Option<&str>) -> Self {
        let samples = read
            .iter()
            .flat_map(|evaluation| &evaluation.evaluation.problems)
            .flat_map(|problem| &problem.samples);
        let mut named: BTreeSet<String> = samples
            .clone()
            .filter_map(|sample| sample.hardware.clone())
            .collect();
        if samples.clone().any(|sample| sample.hardware.is_none()) && named.is_empty() {
            named.extend(declared.map(str::to_owned));
        }
        Self(named)
    }
}

/// A baseline's time of a problem.
#[derive(Debug, Clone, Copy)]
pub(super) struct Time {
    pub(super) figure: Figure,
    /// The mean as its file has it, in ms.
    pub(super) ms: f64,
}

/// Whether a time was taken on the problem as the evaluation's suite version defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Definition {
    /// Of another definition: other sizes or another module.
    Other,
    /// Nobody says of which.
    Undeclared,
    /// Of the same.
    Same,
}

/// A time and the device that it was measured on.
#[derive(Debug, Clone)]
struct Measured {
    time: Time,
    device: String,
    definition: Definition,
}

/// Times by level and file name of the problem.
pub(super) struct Baseline {
    /// As pages name it.
    pub(super) name: String,
    /// Where it is from.
    pub(super) from: String,
    /// Devices of the times that count.
    pub(super) devices: BTreeSet<String>,
    /// Times that don't count, since they are of other hardware than the evaluation.
    pub(super) foreign: usize,
    /// Suite versions of times that are of other definitions than the evaluation's.
    pub(super) other_versions: BTreeSet<String>,
    times: BTreeMap<(u32, String), Measured>,
}

impl Baseline {
    pub(super) fn find(
        connection: &Connection,
        asked: &str,
        version: &Version,
        levels: &[u32],
        devices: &Devices,
        context: &Context,
    ) -> Result<Self> {
        let path = Path::new(asked);
        if path.is_file() {
            return Self::of_file(path, version);
        }
        let choice = match asked {
            "eager" => Choice::Eager,
            "compile" => Choice::Compile,
            "best" => Choice::Best,
            _ => {
                return Err(Error::usage(format!("`{asked}` is no baseline")).hint(
                    "`--baseline` takes eager, compile, best or a file of baseline timings",
                ));
            }
        };
        Self::of_database(connection, choice, version, levels, devices, context)
    }

    fn of_file(path: &Path, version: &Version) -> Result<Self> {
        let target = Target::Named(path.to_owned(), None);
        let fetched = fetch::read(&target)?;
        let input = Input {
            folder: fetched.folder.as_deref(),
            file: fetched.file.as_deref(),
            bytes: &fetched.content,
            committed_at: None,
            beside: &[],
        };
        let reading = KernelBench
            .read(&input, &Declared::default())
            .map_err(|refused| Error::failed(format!("`{}`: {refused}", target.display())))?;
        let mut baseline = Self {
            name: reading.observations.first().map_or_else(
                || "nothing".to_owned(),
                |run| run.implementation.name.clone(),
            ),
            from: target.display(),
            devices: BTreeSet::new(),
            foreign: 0,
            other_versions: BTreeSet::new(),
            times: BTreeMap::new(),
        };
        // A file that the suite published is known by its bytes, and so is its version.
        let stated = published(&identity::sha256(&fetched.content))?;
        let at = stated.and_then(|known| version.suite.position(&known.version));
        for run in &reading.observations {
            let (Subject::Problem(problem), Some(value)) = (&run.subject, &run.figures.value)
            else {
                continue;
            };
            let Some(level) = problem.level_number() else {
                continue;
            };
            baseline.devices.insert(run.hardware.to_string());
            let amount = |figure: &Option<kidx_importers::Figure>| {
                figure.as_ref().map(|figure| figure.amount)
            };
            let figures = &run.figures;
            let stats = Stats {
                value: value.amount,
                std: amount(&figures.std),
                min: amount(&figures.min),
                samples: figures.samples,
                stated: None,
            };
            let time = Time {
                figure: Figure {
                    value: value.amount,
                    interval: interval(&stats),
                    resolution: figures.resolution,
                },
                // A JSON number's text is a float's.
                ms: value.text.parse().unwrap_or(f64::NAN),
            };
            let own = at.and_then(|at| {
                let named = version.suite.named(problem);
                version.suite.module((*named.get(at)?)?)
            });
            let definition = match (own, version.module(&problem.level, &problem.file)) {
                (Some(own), Some(wanted)) if own.identity() == wanted.identity() => {
                    Definition::Same
                }
                (Some(_), Some(_)) => Definition::Other,
                _ => Definition::Undeclared,
            };
            if let (Definition::Other, Some(known)) = (definition, stated) {
                baseline.other_versions.insert(known.version.clone());
            }
            let measured = Measured {
                time,
                device: run.hardware.to_string(),
                definition,
            };
            let key = (level, problem.file.to_string());
            baseline.times.insert(key, measured);
        }
        Ok(baseline)
    }

    fn of_database(
        connection: &Connection,
        choice: Choice,
        version: &Version,
        levels: &[u32],
        devices: &Devices,
        context: &Context,
    ) -> Result<Self> {
        let Some(device) = devices.0.first().filter(|_| devices.0.len() == 1) else {
            return Err(Error::usage(if devices.0.is_empty() {
                "the evaluation names no device, so there is no baseline for it".to_owned()
            } else {
                let named: Vec<&str> = devices.0.iter().map(String::as_str).collect();
                format!(
                    "the evaluation ran on several devices: {}",
                    named.join(", ")
                )
            })
            .hint(if devices.0.is_empty() {
                "`--hardware NAME` names the device of samples that name none; `--baseline FILE` takes a file of timings"
            } else {
                "score what ran on one device by itself: speedups of several don't make one figure"
            }));
        };
        let filter = Filter {
            suite: Some(SUITE.to_owned()),
            hardware: Some(device.clone()),
            metric: Some("latency".to_owned()),
            ..Filter::default()
        };
        let nothing = || {
            Error::failed(format!(
                "this database has no {} on `{device}`",
                choice.words()
            ))
            .hint("import baseline timings of that hardware, or give a file with `--baseline FILE`")
        };
        let selection = filter.select(connection).map_err(|error| {
            let error = Error::from(error);
            nothing().because(error)
        })?;
        let mut baseline = Self {
            name: choice.words().to_owned(),
            from: "this database".to_owned(),
            devices: BTreeSet::from([device.clone()]),
            foreign: 0,
            other_versions: BTreeSet::new(),
            times: BTreeMap::new(),
        };
        let mut best: BTreeMap<(u32, String), (Definition, Option<String>, i64)> = BTreeMap::new();
        for cohort in cohorts::standing(connection, &selection, context.view())? {
            let level = cohort
                .operation
                .level
                .and_then(|level| u32::try_from(level).ok());
            let Some(level) = level.filter(|level| levels.contains(level)) else {
                continue;
            };
            let runs = cohort.standings.iter().map(|standing| &standing.run);
            let Some(run) = runs
                .filter(|run| choice.takes(run))
                .min_by_key(|run| (run.value, &run.digest))
            else {
                continue;
            };
            // Of several cohorts the one of the evaluation's definition, then the newest.
            let key = (level, cohort.file.to_string());
            let definition = version.definition(&cohort);
            if let (Definition::Other, Some(other)) = (definition, &cohort.workload.suite_version) {
                baseline.other_versions.insert(other.clone());
            }
            let rank = (
                definition,
                run.observed.as_ref().map(|observed| observed.0.clone()),
                -run.value,
            );
            if best.get(&key).is_some_and(|known| *known >= rank) {
                continue;
            }
            best.insert(key.clone(), rank);
            let time = Time {
                figure: run.figure(),
                ms: run.value as f64 / 1e9,
            };
            let measured = Measured {
                time,
                device: device.clone(),
                definition,
            };
            baseline.times.insert(key, measured);
        }
        if baseline.times.is_empty() {
            return Err(nothing());
        }
        Ok(baseline)
    }

    /// The time of a problem, and whether it is of the problem as it is meant.
    pub(super) fn time(&self, level: u32, file: &str) -> Option<(Time, Definition)> {
        let measured = self.times.get(&(level, file.to_owned()))?;
        Some((measured.time, measured.definition))
    }

    /// Leaves out times of other hardware than the evaluation's. Where none is left, that is
    /// an error, unless it was asked for: then all of them count. Returns whether they do
    /// though they are of other hardware.
    pub(super) fn check(
        &mut self,
        connection: &Connection,
        devices: &Devices,
        allowed: bool,
    ) -> Result<bool> {
        let product = |name: &str| match lookup::hardware(connection, name).as_deref() {
            Ok([row]) => format!("product {row}"),
            _ => name.trim().to_lowercase(),
        };
        let own: BTreeSet<String> = devices.0.iter().map(|name| product(name)).collect();
        let all = std::mem::take(&mut self.times);
        let (same, foreign): (BTreeMap<_, _>, BTreeMap<_, _>) = all
            .into_iter()
            .partition(|(_, measured)| own.len() == 1 && own.contains(&product(&measured.device)));
        if allowed {
            let differs = !foreign.is_empty();
            self.times = same;
            self.times.extend(foreign);
            return Ok(differs);
        }
        if same.is_empty() {
            let named = |names: &BTreeSet<String>| match names.len() {
                0 => "no named device".to_owned(),
                _ => names.iter().cloned().collect::<Vec<_>>().join(", "),
            };
            return Err(Error::usage(format!(
                "the evaluation ran on {}, the baseline on {}: a speedup between them is of the hardware",
                named(&devices.0),
                named(&self.devices)
            ))
            .hint("give a baseline of the same hardware, or compare all the same with `--any-hardware`"));
        }
        self.foreign = foreign.len();
        self.devices = same
            .values()
            .map(|measured| measured.device.clone())
            .collect();
        self.times = same;
        Ok(false)
    }
}

/// What of the database is the baseline.
#[derive(Debug, Clone, Copy)]
enum Choice {
    Eager,
    Compile,
    Best,
}

impl Choice {
    fn words(self) -> &'static str {
        match self {
            Self::Eager => "PyTorch eager baseline",
            Self::Compile => "torch.compile (inductor) baseline",
            Self::Best => "the fastest baseline",
        }
    }

    fn takes(self, run: &Run) -> bool {
        let of = &run.implementation;
        match self {
            Self::Eager => of.interface == "torch_eager",
            Self::Compile => of.interface == "torch_compile_inductor",
            // Candidates are what is scored, not what they are held against.
            Self::Best => of.role != "candidate",
        }
    }
}
