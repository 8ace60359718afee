//! Comparisons in aggregate. A row is one implementation in one environment, timed one
//! way, on one suite version: figures of different settings are never averaged.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use crate::cohorts::Cohort;
use crate::entities::{Environment, Hardware, Protocol, Run};
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
    pub hardware: Hardware,
    /// Where.
    pub environment: Environment,
    /// How it was timed.
    pub protocol: Protocol,
    /// Suite slug.
    pub suite: String,
    /// Newest suite version with these definitions; `null` where shapes are unknown.
    pub suite_version: Option<String>,
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
    /// Workloads with a run of it and none of the baseline: not compared.
    pub no_baseline: usize,
    /// Workloads with a run of the baseline and none of it: not compared.
    pub not_measured: usize,
}

/// Orders rows and tells settings apart.
type Key = (By, Group, [String; 5]);

/// Numbered groups by their number, the others after them by name.
type Group = (i64, String);

/// What a setting's rows have in common, and its rows.
struct Setting {
    group: Option<String>,
    hardware: Hardware,
    environment: Environment,
    protocol: Protocol,
    suite: String,
    suite_version: Option<String>,
    /// Cohorts in which the baseline has a run.
    with_baseline: usize,
    /// Of them, those in which an implementation (by digest) has one.
    present: HashMap<String, usize>,
    /// By name and digest.
    members: BTreeMap<(String, String), Member>,
}

#[derive(Default)]
struct Member {
    speedups: Vec<Speedup>,
    no_baseline: usize,
}

/// Aggregates in the making.
#[derive(Default)]
pub(super) struct Groups(BTreeMap<Key, Setting>);

impl Groups {
    /// A run in a cohort without the baseline.
    pub(super) fn without_baseline(&mut self, cohort: &Cohort, run: &Run) {
        self.of(cohort, |setting| {
            setting.member(run).no_baseline += 1;
        });
    }

    /// A cohort with the baseline, whoever is compared in it.
    pub(super) fn with_baseline(&mut self, cohort: &Cohort) {
        self.of(cohort, |setting| {
            setting.with_baseline += 1;
            for standing in &cohort.standings {
                let digest = &standing.run.implementation.digest;
                *setting.present.entry(digest.clone()).or_default() += 1;
            }
        });
    }

    /// A comparison.
    pub(super) fn compared(&mut self, cohort: &Cohort, run: &Run, speedup: Speedup) {
        self.of(cohort, |setting| {
            setting.member(run).speedups.push(speedup);
        });
    }

    /// One row an implementation and setting: levels, then families, then everything.
    pub(super) fn aggregates(self) -> Vec<Aggregate> {
        let rows = self.0.into_iter().flat_map(|((by, ..), setting)| {
            let members = setting.members.iter();
            let rows: Vec<Aggregate> = members
                .map(|((name, digest), member)| setting.row(by, name, digest, member))
                .collect();
            rows
        });
        rows.collect()
    }

    fn of(&mut self, cohort: &Cohort, change: impl Fn(&mut Setting)) {
        let operation = &cohort.operation;
        let level = (
            operation.level.unwrap_or(i64::MAX),
            cohort.level_key.clone(),
        );
        for (by, group) in [
            (By::Level, Some(level)),
            (By::Family, Some((0, operation.family.clone()))),
            (By::All, None),
        ] {
            let version = &cohort.workload.suite_version;
            let key = [
                operation.suite.clone(),
                // An unknown version comes after every known one.
                version.clone().unwrap_or_else(|| '\u{ffff}'.to_string()),
                cohort.hardware.id.clone(),
                cohort.environment.digest.clone(),
                format!("{} {}", cohort.protocol.digest, cohort.metric),
            ];
            let label = group.as_ref().map(|(_, name)| name.clone());
            let setting = self
                .0
                .entry((by, group.unwrap_or_default(), key))
                .or_insert_with(|| Setting {
                    group: label,
                    hardware: cohort.hardware.clone(),
                    environment: cohort.environment.clone(),
                    protocol: cohort.protocol.clone(),
                    suite: operation.suite.clone(),
                    suite_version: version.clone(),
                    with_baseline: 0,
                    present: HashMap::new(),
                    members: BTreeMap::new(),
                });
            change(setting);
        }
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
        let summary = fast_p::summary(&member.speedups);
        let present = self.present.get(digest).copied().unwrap_or(0);
        Aggregate {
            by,
            group: self.group.clone(),
            implementation: name.to_owned(),
            hardware: self.hardware.clone(),
            environment: self.environment.clone(),
            protocol: self.protocol.clone(),
            suite: self.suite.clone(),
            suite_version: self.suite_version.clone(),
            compared: summary.compared,
            geometric_mean: summary.geometric_mean.map(four_decimals),
            wins: summary.wins,
            ties: summary.ties,
            losses: summary.losses,
            fast_p: summary.fast_p,
            no_baseline: member.no_baseline,
            not_measured: self.with_baseline - present,
        }
    }
}
