//! Comparisons in aggregate. A row is one implementation in one environment, timed one
//! way: figures of different settings are never averaged. Each problem counts once in
//! it, under the newest of its definitions that was compared there.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cohorts::Cohort;
use crate::entities::{Environment, Hardware, Protocol, Run};
use crate::error::Result;
use crate::policy::fast_p::{self, FastP};
use crate::policy::four_decimals;
use crate::policy::speedup::Speedup;

/// What an aggregate is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// A level of a suite.
    Level,
    /// An operation family.
    Family,
    /// Everything.
    All,
}

/// An implementation against the baseline, over many workloads of one setting.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Aggregate {
    /// What it is over.
    pub by: By,
    /// Which level (`level1`) or family (`conv`); `null` over everything.
    pub group: Option<String>,
    /// Who is compared.
    pub implementation: String,
    /// On what.
    pub hardware: Arc<Hardware>,
    /// Where.
    pub environment: Arc<Environment>,
    /// How it was timed.
    pub protocol: Arc<Protocol>,
    /// Suite slug.
    pub suite: String,
    /// Workloads compared, one a cohort: the denominator of every share.
    pub compared: usize,
    /// Geometric mean of the speedups, four decimals; `null` where nothing is compared.
    pub geometric_mean: Option<f64>,
    /// Faster than the baseline beyond noise and rounding.
    pub wins: usize,
    /// Not to be told from it.
    pub ties: usize,
    /// Slower beyond noise and rounding.
    pub losses: usize,
    /// Shares that are more than `p` times as fast; `null` where nothing is compared.
    pub fast_p: Option<FastP>,
    /// Of those compared, workloads that the suite no longer has.
    pub superseded: usize,
    /// Of those compared, workloads whose shapes aren't known.
    pub shapes_unknown: usize,
    /// Workloads left out since a newer definition of their problem is compared.
    pub older_definitions: usize,
    /// Problems with a run of it and none of the baseline: not compared.
    pub no_baseline: usize,
    /// Problems with a run of the baseline and none of it: not compared.
    pub not_measured: usize,
}

/// Orders rows and tells settings apart.
type Key = (By, Group, [String; 4]);

/// Numbered groups by their number, the others after them by name.
type Group = (i64, Arc<str>);

/// A problem whatever its definition: level, and number or file name.
type Problem = (Arc<str>, String);

/// How new a definition is: unknown ones first, the suite's own last. The digest tells
/// definitions of one age apart.
type Definition = (usize, Arc<str>);

/// What a setting's rows have in common, and its rows.
struct Setting {
    group: Option<String>,
    hardware: Arc<Hardware>,
    environment: Arc<Environment>,
    protocol: Arc<Protocol>,
    suite: String,
    /// Problems of which the baseline has a run.
    with_baseline: HashSet<Problem>,
    /// Of them, those of which an implementation (by digest) has one beside it.
    present: HashMap<String, HashSet<Problem>>,
    /// By name and digest.
    members: BTreeMap<(String, String), Member>,
}

#[derive(Default)]
struct Member {
    compared: HashMap<Problem, Compared>,
    older: usize,
    no_baseline: HashSet<Problem>,
}

/// What was compared of a problem: the workloads of one definition.
struct Compared {
    definition: Definition,
    state: State,
    speedups: Vec<Speedup>,
}

/// What is known of a definition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Current,
    Superseded,
    Unknown,
}

/// Aggregates in the making.
pub(super) struct Groups {
    settings: BTreeMap<Key, Setting>,
    /// Age of a suite's versions: the newer, the greater.
    versions: HashMap<(String, String), usize>,
}

impl Groups {
    /// No aggregate yet.
    pub(super) fn new(connection: &Connection) -> Result<Self> {
        let mut statement = connection.prepare_cached(include_str!("versions.sql"))?;
        let versions = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let aged = versions.zip(1..).map(|(version, age)| Ok((version?, age)));
        Ok(Self {
            settings: BTreeMap::new(),
            versions: aged.collect::<Result<_>>()?,
        })
    }

    /// A run in a cohort without the baseline.
    pub(super) fn without_baseline(&mut self, cohort: &Cohort, run: &Run) {
        let problem = problem(cohort);
        self.of(cohort, |setting| {
            setting.member(run).no_baseline.insert(problem.clone());
        });
    }

    /// A cohort with the baseline, whoever is compared in it.
    pub(super) fn with_baseline(&mut self, cohort: &Cohort) {
        let problem = problem(cohort);
        self.of(cohort, |setting| {
            setting.with_baseline.insert(problem.clone());
            for standing in &cohort.standings {
                let digest = &standing.run.implementation.digest;
                let present = setting.present.entry(digest.clone()).or_default();
                present.insert(problem.clone());
            }
        });
    }

    /// A comparison.
    pub(super) fn compared(&mut self, cohort: &Cohort, run: &Run, speedup: Speedup) {
        let problem = problem(cohort);
        let (state, age) = self.definition(cohort);
        let definition = (age, cohort.operation_digest.clone());
        self.of(cohort, |setting| {
            let compared = Compared {
                definition: definition.clone(),
                state,
                speedups: vec![speedup],
            };
            setting.member(run).compare(problem.clone(), compared);
        });
    }

    /// One row an implementation and setting: levels, then families, then everything.
    pub(super) fn aggregates(self) -> Vec<Aggregate> {
        let rows = self.settings.into_iter().flat_map(|((by, ..), setting)| {
            let members = setting.members.iter();
            let rows: Vec<Aggregate> = members
                .map(|((name, digest), member)| setting.row(by, name, digest, member))
                .collect();
            rows
        });
        rows.collect()
    }

    fn definition(&self, cohort: &Cohort) -> (State, usize) {
        if !cohort.workload.shapes_known {
            return (State::Unknown, 0);
        }
        if cohort.is_current {
            return (State::Current, usize::MAX);
        }
        let suite = cohort.operation.suite.clone();
        let version = cohort.workload.suite_version.clone();
        let age = version.and_then(|version| self.versions.get(&(suite, version)));
        (State::Superseded, age.copied().unwrap_or(0))
    }

    fn of(&mut self, cohort: &Cohort, change: impl Fn(&mut Setting)) {
        let operation = &cohort.operation;
        let level = (
            operation.level.unwrap_or(i64::MAX),
            cohort.level_key.clone(),
        );
        for (by, group) in [
            (By::Level, Some(level)),
            (By::Family, Some((0, Arc::from(&*operation.family)))),
            (By::All, None),
        ] {
            let key = [
                operation.suite.clone(),
                cohort.hardware.id.clone(),
                cohort.environment.digest.clone(),
                format!("{} {}", cohort.protocol.digest, cohort.metric.key()),
            ];
            let label = group.as_ref().map(|(_, name)| name.to_string());
            let setting = self
                .settings
                .entry((by, group.unwrap_or_default(), key))
                .or_insert_with(|| Setting {
                    group: label,
                    hardware: cohort.hardware.clone(),
                    environment: cohort.environment.clone(),
                    protocol: cohort.protocol.clone(),
                    suite: operation.suite.clone(),
                    with_baseline: HashSet::new(),
                    present: HashMap::new(),
                    members: BTreeMap::new(),
                });
            change(setting);
        }
    }
}

/// Problems keep their number from version to version, not their name.
fn problem(cohort: &Cohort) -> Problem {
    let number = cohort.operation.problem.map(|number| number.to_string());
    let name = number.unwrap_or_else(|| cohort.file.to_string());
    (cohort.level_key.clone(), name)
}

impl Member {
    fn compare(&mut self, problem: Problem, new: Compared) {
        let Some(known) = self.compared.get_mut(&problem) else {
            self.compared.insert(problem, new);
            return;
        };
        match new.definition.cmp(&known.definition) {
            Ordering::Equal => known.speedups.extend(new.speedups),
            Ordering::Less => self.older += new.speedups.len(),
            Ordering::Greater => {
                self.older += known.speedups.len();
                *known = new;
            }
        }
    }

    fn workloads(&self, state: State) -> usize {
        let of = self.compared.values().filter(|of| of.state == state);
        of.map(|of| of.speedups.len()).sum()
    }
}

impl Setting {
    fn member(&mut self, run: &Run) -> &mut Member {
        let of = &run.implementation;
        self.members
            .entry((of.name.clone(), of.digest.clone()))
            .or_default()
    }

    fn row(&self, by: By, name: &str, digest: &str, member: &Member) -> Aggregate {
        // In the order of the problems, so that the same content gives the same bits.
        let mut compared: Vec<_> = member.compared.iter().collect();
        compared.sort_by_key(|(problem, _)| *problem);
        let speedups: Vec<Speedup> = compared
            .into_iter()
            .flat_map(|(_, of)| of.speedups.iter().copied())
            .collect();
        let summary = fast_p::summary(&speedups);
        let compared = |problem: &&Problem| member.compared.contains_key(*problem);
        let no_baseline = member.no_baseline.iter().filter(|p| !compared(p));
        let present = self.present.get(digest).map_or(0, HashSet::len);
        Aggregate {
            by,
            group: self.group.clone(),
            implementation: name.to_owned(),
            hardware: self.hardware.clone(),
            environment: self.environment.clone(),
            protocol: self.protocol.clone(),
            suite: self.suite.clone(),
            compared: summary.compared,
            geometric_mean: summary.geometric_mean.map(four_decimals),
            wins: summary.wins,
            ties: summary.ties,
            losses: summary.losses,
            fast_p: summary.fast_p,
            superseded: member.workloads(State::Superseded),
            shapes_unknown: member.workloads(State::Unknown),
            older_definitions: member.older,
            no_baseline: no_baseline.count(),
            not_measured: self.with_baseline.len() - present,
        }
    }
}
