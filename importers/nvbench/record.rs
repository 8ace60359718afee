//! States as observations: a time of each way of measuring, and the rates beside it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::duration::{Decimal, Unit};
use crate::metric::Scale;
use crate::names::{hostile, quoted};
use crate::number::{Least, Unusable, figure};
use crate::{
    AxisValue, Circumstances, Declared, Figure, Figures, Implementation, Issue, Metric,
    NO_HARDWARE, Observation, Operation, Place, Protocol, Severity, Status, Subject, Workload,
};

use super::mode::Mode;
use super::state::{Contents, Outcome, State, Summary};
use super::statistics::{LeftOut, contradiction};
use super::words::{axis, dtype, evidence};

pub(super) struct Records<'c> {
    contents: &'c Contents,
    implementation: Arc<Implementation>,
    program: Option<String>,
    declared: Option<&'c str>,
    observations: Vec<Observation>,
    issues: Vec<Issue>,
    left_out: LeftOut,
    filled: usize,
    protocols: HashMap<(&'static str, &'static str), Arc<Protocol>>,
    metrics: HashMap<String, Arc<Metric>>,
    operations: HashMap<String, Arc<Operation>>,
    devices: HashMap<String, Arc<str>>,
}

/// What the figures of a state share.
struct Setting {
    subject: Subject,
    hardware: Option<Arc<str>>,
    /// The device is the declared one, because the state names none.
    declared: bool,
}

impl<'c> Records<'c> {
    pub(super) fn new(
        contents: &'c Contents,
        implementation: Arc<Implementation>,
        program: Option<String>,
        declared: &'c Declared,
    ) -> Self {
        Self {
            contents,
            implementation,
            program,
            declared: declared.hardware.as_deref(),
            observations: Vec::new(),
            issues: contents.issues.clone(),
            left_out: LeftOut::default(),
            filled: 0,
            protocols: HashMap::new(),
            metrics: HashMap::new(),
            operations: HashMap::new(),
            devices: HashMap::new(),
        }
    }

    /// Takes a state's figures, each for itself.
    pub(super) fn add(&mut self, state: &State) {
        let setting = match self.setting(state) {
            Ok(setting) => setting,
            Err(message) => {
                let lost = match &state.outcome {
                    Outcome::Skipped(_) => 1,
                    Outcome::Ran(summaries) => {
                        summaries.iter().filter(|one| is_record(one)).count().max(1)
                    }
                };
                self.error("HOSTILE_NAME", state.place.clone(), message, None, lost);
                return;
            }
        };
        match &state.outcome {
            Outcome::Skipped(reason) => self.skipped(state, setting, reason.as_deref()),
            Outcome::Ran(summaries) => {
                let before = summaries.iter().filter(|one| is_record(one)).count();
                if before == 0 {
                    let message = "neither skipped nor timed: the state holds no figure".to_owned();
                    self.error("NO_TIMING", state.place.clone(), message, None, 1);
                }
                for mode in Mode::ALL {
                    self.times(mode, summaries, &setting);
                    for (tag, unit) in mode.rates() {
                        self.rate(mode, tag, unit, summaries, &setting);
                    }
                }
            }
        }
    }

    /// Observations, issues, and how many of the former have the declared device.
    pub(super) fn finish(mut self) -> (Vec<Observation>, Vec<Issue>, usize) {
        self.issues
            .extend(std::mem::take(&mut self.left_out).note());
        self.issues
            .sort_by_key(|issue| (issue.place.line, issue.place.column));
        if !self.contents.unread.is_empty() {
            const LISTED: usize = 10;
            let unread = &self.contents.unread;
            let mut names: Vec<String> = unread
                .iter()
                .take(LISTED)
                .map(|name| quoted(name))
                .collect();
            if unread.len() > LISTED {
                names.push("more".to_owned());
            }
            self.issues.push(Issue {
                severity: Severity::Note,
                code: "FIELDS_IGNORED".to_owned(),
                place: Place::default(),
                message: format!("summaries are not read: {}", names.join(", ")),
                hint: None,
                rejects: 0,
            });
        }
        (self.observations, self.issues, self.filled)
    }

    fn setting(&mut self, state: &State) -> Result<Setting, String> {
        if let Some(why) = state.device.as_deref().and_then(hostile) {
            let name = state.device.as_deref().unwrap_or_default();
            return Err(format!("device name {} {why}", quoted(name)));
        }
        let hardware = state.device.as_deref().or(self.declared);
        let hardware = hardware.map(|name| {
            let shared = self.devices.entry(name.to_owned());
            Arc::clone(shared.or_insert_with(|| Arc::from(name)))
        });
        let program = self.program.clone();
        let operation = self
            .operations
            .entry(state.benchmark.clone())
            .or_insert_with(|| {
                Arc::new(Operation {
                    suite: "nvbench".to_owned(),
                    group: program,
                    name: state.benchmark.clone(),
                    title: state.benchmark.clone(),
                    family: "unknown".to_owned(),
                    definition: None,
                })
            });
        let axes: BTreeMap<String, AxisValue> = state
            .axes
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name.clone(), axis(value)))
            .collect();
        Ok(Setting {
            subject: Subject::Stated(Arc::new(Workload {
                operation: Arc::clone(operation),
                dtype: dtype(&axes),
                axes,
                inputs: None,
                outputs: Vec::new(),
            })),
            declared: state.device.is_none() && hardware.is_some(),
            hardware,
        })
    }

    fn skipped(&mut self, state: &State, setting: Setting, reason: Option<&str>) {
        let texts = reason.map(|reason| ("skip_reason".to_owned(), evidence(reason)));
        let nowhere = || Arc::from(NO_HARDWARE);
        self.filled += usize::from(setting.declared);
        let metric = self.metric(&Metric::latency("mean"));
        let texts = texts.into_iter().collect();
        let circumstances = self.circumstances(Mode::Isolated, "mean", texts);
        self.observations.push(Observation {
            place: state.place.clone(),
            subject: setting.subject,
            implementation: Arc::clone(&self.implementation),
            hardware: setting.hardware.unwrap_or_else(nowhere),
            status: Status::Skipped,
            metric,
            figures: Figures::default(),
            circumstances,
        });
    }

    /// The mean with deviation and extremes; the median with quartiles and extremes.
    fn times(&mut self, mode: Mode, summaries: &[Summary], setting: &Setting) {
        let scale = Scale::time(Unit::Second);
        let of = |what: &str| {
            let tag = format!("{}/{what}", mode.times());
            summaries.iter().find(|summary| summary.tag == tag)
        };
        for statistic in ["mean", "median"] {
            let Some(summary) = of(statistic) else {
                continue;
            };
            let Some((value, _)) = self.value(summary, &scale, Least::AboveZero) else {
                continue;
            };
            let samples = self.left_out.samples(mode, summaries);
            let mut texts = Vec::new();
            let mut figures = Figures {
                samples,
                min: self.left_out.beside(of("min"), &scale),
                max: self.left_out.beside(of("max"), &scale),
                ..Figures::default()
            };
            if statistic == "mean" {
                let spread = of("stdev/absolute").or_else(|| of("stdev/relative"));
                figures.std = self.left_out.spread(spread, &value, samples, &mut texts);
            } else {
                let quartiles = (
                    self.left_out.beside(of("q1"), &scale),
                    self.left_out.beside(of("q3"), &scale),
                );
                if let (Some(low), Some(high)) = quartiles {
                    figures.range = Some(Box::new((low, high)));
                }
            }
            self.issues.extend(contradiction(summary, &value, &figures));
            figures.value = Some(value);
            self.push(mode, statistic, &scale, summary, figures, texts, setting);
        }
    }

    fn rate(
        &mut self,
        mode: Mode,
        tag: &str,
        unit: &str,
        summaries: &[Summary],
        setting: &Setting,
    ) {
        let found = summaries.iter().find(|summary| summary.tag == tag);
        let (Some(summary), Some(scale)) = (found, Scale::parse(unit)) else {
            return;
        };
        if let Some((value, _)) = self.value(summary, &scale, Least::AboveZero) {
            let figures = Figures {
                value: Some(value),
                samples: self.left_out.samples(mode, summaries),
                ..Figures::default()
            };
            self.push(mode, "mean", &scale, summary, figures, Vec::new(), setting);
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one call site a kind of figure; a struct would only rename them"
    )]
    fn push(
        &mut self,
        mode: Mode,
        statistic: &'static str,
        scale: &Scale,
        summary: &Summary,
        figures: Figures,
        texts: Vec<(String, String)>,
        setting: &Setting,
    ) {
        let Some(hardware) = setting.hardware.clone() else {
            let message = "no device: which one ran this is not said".to_owned();
            let hint = "`--hardware NAME` names the device of records that have none";
            self.error("NO_HARDWARE", summary.place.clone(), message, Some(hint), 1);
            return;
        };
        self.filled += usize::from(setting.declared);
        let metric = self.metric(&scale.metric(statistic));
        let circumstances = self.circumstances(mode, statistic, texts);
        self.observations.push(Observation {
            place: summary.place.clone(),
            subject: setting.subject.clone(),
            implementation: Arc::clone(&self.implementation),
            hardware,
            status: Status::Passed,
            metric,
            figures,
            circumstances,
        });
    }

    /// The figure of a record; what is none is an issue. Floats are printed in full, so that
    /// its resolution is zero.
    fn value(
        &mut self,
        summary: &Summary,
        scale: &Scale,
        least: Least,
    ) -> Option<(Figure, Decimal)> {
        let read = match (&summary.text, summary.twice) {
            (_, true) => Err(Unusable {
                code: "DUPLICATE_KEY",
                why: "stands twice in one state: which one counts isn't said".to_owned(),
            }),
            (None, false) => Err(Unusable {
                code: "NO_VALUE",
                why: "has no `value`".to_owned(),
            }),
            (Some(text), false) => figure(text, scale, least),
        };
        match read {
            Ok(read) => Some(read),
            Err(Unusable { code, why }) => {
                let message = format!("`{}` {why}", summary.tag);
                self.error(code, summary.place.clone(), message, None, 1);
                None
            }
        }
    }

    fn circumstances(
        &mut self,
        mode: Mode,
        statistic: &'static str,
        mut texts: Vec<(String, String)>,
    ) -> Option<Box<Circumstances>> {
        if let Some(harness) = &self.contents.harness {
            texts.push(("nvbench".to_owned(), harness.clone()));
        }
        let protocol = ((mode, statistic) != (Mode::Isolated, "mean")).then(|| {
            let shared = self.protocols.entry((mode.times(), statistic));
            Arc::clone(shared.or_insert_with(|| Arc::new(mode.protocol(statistic))))
        });
        (protocol.is_some() || !texts.is_empty()).then(|| {
            Box::new(Circumstances {
                protocol,
                texts,
                ..Circumstances::default()
            })
        })
    }

    fn metric(&mut self, metric: &Metric) -> Arc<Metric> {
        let shared = self.metrics.entry(metric.key());
        Arc::clone(shared.or_insert_with(|| Arc::new(metric.clone())))
    }

    fn error(
        &mut self,
        code: &str,
        place: Place,
        message: String,
        hint: Option<&str>,
        rejects: usize,
    ) {
        self.issues.push(Issue {
            severity: Severity::Error,
            code: code.to_owned(),
            place,
            message,
            hint: hint.map(str::to_owned),
            rejects: u32::try_from(rejects).unwrap_or(u32::MAX),
        });
    }
}

/// Whether a summary is a figure of its own rather than a statistic beside one.
fn is_record(summary: &Summary) -> bool {
    let ends = [
        "/mean",
        "/median",
        "/item_rate",
        "/bytes_per_second",
        "/utilization",
    ];
    ends.iter().any(|end| summary.tag.ends_with(end))
}
