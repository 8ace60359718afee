//! The observations that come of a result, and what is wrong with the rest.

use std::collections::HashMap;
use std::sync::Arc;

use crate::metric::{Metric, Scale};
use crate::names::{hostile, quoted};
use crate::number::{self, Least, shortened};
use crate::{
    Circumstances, Figure, Figures, Implementation, Issue, NO_HARDWARE, Observation, Place, Role,
    Severity, Status, Subject, Workload,
};

use super::issue;
use super::metric::Kind;
use super::names;
use super::result::{Cell, Environment, Group, Operator};

/// Texts that are evidence, by name.
type Texts = Vec<(String, String)>;

/// The most of an error's text that is kept, in characters.
const ERROR: usize = 200;

/// Observations and issues of one result, gathered operator by operator.
pub(super) struct Records<'e> {
    device: Option<Arc<str>>,
    environment: &'e Environment,
    observations: Vec<Observation>,
    issues: Vec<Issue>,
    implementations: HashMap<(String, Role), Arc<Implementation>>,
    metrics: HashMap<String, Arc<Metric>>,
    /// Figures without a device, and where the first of them stands.
    homeless: usize,
    first_homeless: Place,
}

/// What the figures of a group have in common.
struct Shared<'g> {
    subject: Subject,
    implementation: Arc<Implementation>,
    group: &'g Group,
    status: Status,
    texts: Texts,
}

impl<'e> Records<'e> {
    pub(super) fn new(device: Option<&str>, environment: &'e Environment) -> Self {
        Self {
            device: device.map(Arc::from),
            environment,
            observations: Vec::new(),
            issues: Vec::new(),
            implementations: HashMap::new(),
            metrics: HashMap::new(),
            homeless: 0,
            first_homeless: Place::default(),
        }
    }

    pub(super) fn finish(mut self) -> (Vec<Observation>, Vec<Issue>) {
        if self.homeless > 0 {
            let message = format!(
                "{} figures and no device: which one ran this is not said",
                self.homeless
            );
            self.issues.push(issue(
                Severity::Error,
                "NO_HARDWARE",
                self.first_homeless,
                message,
                Some("`--hardware NAME` names the device of results that have none"),
                self.homeless,
            ));
        }
        (self.observations, self.issues)
    }

    pub(super) fn operator(&mut self, operator: &Operator) {
        let baseline = operator.baseline();
        for inputs in &operator.inputs {
            let of_baseline = inputs
                .groups
                .iter()
                .find(|group| Some(group.provider.as_str()) == baseline)
                .and_then(|group| group.cell(Kind::Latency))
                .map(|cell| cell.text.as_str());
            for group in &inputs.groups {
                self.group(&inputs.workload, group, baseline, of_baseline);
            }
        }
    }

    fn group(
        &mut self,
        workload: &Arc<Workload>,
        group: &Group,
        baseline: Option<&str>,
        of_baseline: Option<&str>,
    ) {
        let Some(first) = group
            .cells
            .iter()
            .find(|cell| cell.kind().is_some_and(Kind::is_figure))
        else {
            return;
        };
        let stated = || {
            let figures = group.cells.iter();
            figures.filter(|cell| !cell.text.is_empty() && cell.kind().is_some_and(Kind::is_figure))
        };
        let role = match baseline {
            Some(label) if label == group.provider => Role::Baseline,
            _ => Role::Candidate,
        };
        let shared = Shared {
            subject: Subject::Stated(Arc::clone(workload)),
            implementation: self.implementation(&group.provider, role),
            group,
            status: Status::Passed,
            texts: Vec::new(),
        };
        if let Some(cell) = group.error() {
            return self.failed(shared, cell);
        }
        if stated().next().is_none() {
            let message = format!("{} has no figure here", quoted(&group.provider));
            let place = first.place.clone();
            self.issues
                .push(issue(Severity::Note, "NO_TIMING", place, message, None, 1));
            return;
        }
        let speedup = group.cell(Kind::Speedup);
        let derived =
            speedup.filter(|_| group.cell(Kind::Latency).is_some() && of_baseline.is_some());
        let (status, texts) = match verdict(group) {
            Ok(verdict) => verdict,
            Err((place, message)) => {
                let count = stated().count() - usize::from(derived.is_some());
                self.issues.push(issue(
                    Severity::Error,
                    "UNKNOWN_STATUS",
                    place,
                    message,
                    None,
                    count,
                ));
                return;
            }
        };
        let shared = Shared {
            status,
            texts,
            ..shared
        };
        for cell in stated() {
            let beside = match (cell.kind(), derived, of_baseline) {
                (Some(Kind::Speedup), Some(_), _) => continue,
                (Some(Kind::Latency), Some(speedup), Some(latency)) => Some((speedup, latency)),
                _ => None,
            };
            self.figure(&shared, cell, beside);
        }
    }

    /// One figure; `beside` a latency, the speedup that was stated and the baseline's latency.
    fn figure(&mut self, shared: &Shared<'_>, cell: &Cell, beside: Option<(&Cell, &str)>) {
        let Some((kind, (scale, metric))) =
            cell.kind().and_then(|kind| Some((kind, kind.scale()?)))
        else {
            return;
        };
        let read = match number::figure(&cell.text, &scale, Least::AboveZero) {
            Ok(read) => read,
            Err(no) => {
                let message = format!(
                    "{} of {} {}",
                    cell.metric,
                    quoted(&shared.group.provider),
                    no.why
                );
                let place = cell.place.clone();
                self.issues
                    .push(issue(Severity::Error, no.code, place, message, None, 1));
                return;
            }
        };
        let (figure, decimal) = read;
        let mut texts = shared.texts.clone();
        if let Some((speedup, latency)) = beside {
            texts.push(("speedup".to_owned(), shown(&speedup.text, 40)));
            self.check(speedup, latency, &figure, &scale);
        }
        let passed = shared.status == Status::Passed;
        if !passed {
            texts.push((cell.metric.clone(), shown(&cell.text, 40)));
        }
        let figures = if passed {
            Figures {
                resolution: scale.resolution(&decimal, 1),
                value: Some(figure),
                ..Figures::default()
            }
        } else {
            Figures::default()
        };
        self.push(shared, kind, metric, cell.place.clone(), figures, texts);
    }

    /// A provider that failed on an input: one record, of the figure that it would have had.
    fn failed(&mut self, shared: Shared<'_>, cell: &Cell) {
        let text = cell.text.trim();
        let kinds = || shared.group.cells.iter().filter_map(Cell::kind);
        let kind = kinds()
            .find(|kind| *kind == Kind::Latency)
            .or_else(|| kinds().find(|kind| kind.is_figure()));
        let Some((kind, (_, metric))) = kind.and_then(|kind| Some((kind, kind.scale()?))) else {
            return;
        };
        let shared = Shared {
            // What the harness writes for an implementation that declines the input.
            status: if text == "not supported" {
                Status::Skipped
            } else {
                Status::RuntimeError
            },
            ..shared
        };
        let texts = vec![("error".to_owned(), shown(text, ERROR))];
        self.push(
            &shared,
            kind,
            metric,
            cell.place.clone(),
            Figures::default(),
            texts,
        );
    }

    fn push(
        &mut self,
        shared: &Shared<'_>,
        kind: Kind,
        metric: Metric,
        place: Place,
        figures: Figures,
        texts: Texts,
    ) {
        let hardware = match (&self.device, figures.value.is_some()) {
            (Some(device), _) => Arc::clone(device),
            (None, false) => Arc::from(NO_HARDWARE),
            (None, true) => {
                if self.homeless == 0 {
                    self.first_homeless = place;
                }
                self.homeless += 1;
                return;
            }
        };
        let key = metric.key();
        let metric = self.metrics.entry(key).or_insert_with(|| Arc::new(metric));
        let circumstances = Circumstances {
            recorded_at: self.environment.recorded_at.clone(),
            software: self.environment.software.clone(),
            protocol: kind.protocol().map(Arc::new),
            texts,
        };
        let says = circumstances != Circumstances::default();
        self.observations.push(Observation {
            place,
            subject: shared.subject.clone(),
            implementation: Arc::clone(&shared.implementation),
            hardware,
            status: shared.status,
            metric: Arc::clone(metric),
            figures,
            circumstances: says.then(|| Box::new(circumstances)),
        });
    }

    /// Holds a stated speedup against the two latencies that it is of.
    fn check(&mut self, speedup: &Cell, latency: &str, own: &Figure, scale: &Scale) {
        let Some((ratio, _)) = Kind::Speedup.scale() else {
            return;
        };
        let stated = number::figure(&speedup.text, &ratio, Least::AboveZero);
        let baseline = number::figure(latency, scale, Least::AboveZero);
        let (Ok((stated, _)), Ok((baseline, _))) = (stated, baseline) else {
            return;
        };
        // stated / 10⁹ × own = baseline, within a hundredth.
        let claimed = i128::from(stated.amount) * i128::from(own.amount);
        let derived = i128::from(baseline.amount) * 1_000_000_000;
        if (claimed - derived).abs() * 100 > derived {
            let message = format!(
                "the speedup {} is not {} by {}, the latencies that it is of",
                shortened(&stated.text),
                shortened(&baseline.text),
                shortened(&own.text)
            );
            let place = speedup.place.clone();
            self.issues.push(issue(
                Severity::Warning,
                "SPEEDUP_CLASH",
                place,
                message,
                None,
                0,
            ));
        }
    }

    fn implementation(&mut self, label: &str, role: Role) -> Arc<Implementation> {
        let key = (label.to_owned(), role);
        let made = || Arc::new(names::implementation(label, role));
        Arc::clone(self.implementations.entry(key).or_insert_with(made))
    }
}

/// Whether what a group computed is right, and the words that say so.
fn verdict(group: &Group) -> Result<(Status, Texts), (Place, String)> {
    let mut texts = Vec::new();
    if let Some(cell) = group.cell(Kind::Determinism) {
        texts.push(("determinism".to_owned(), shown(&cell.text, 40)));
    }
    let Some(cell) = group.cell(Kind::Accuracy) else {
        return Ok((Status::Passed, texts));
    };
    texts.push(("accuracy".to_owned(), shown(&cell.text, 40)));
    let share = Kind::Speedup
        .scale()
        .and_then(|(ratio, _)| number::figure(&cell.text, &ratio, Least::Zero).ok())
        .map(|(figure, _)| figure.amount);
    let status = match (share, cell.text.trim()) {
        (Some(1_000_000_000), _) | (None, "True") => Status::Passed,
        (Some(0), _) | (None, "False") => Status::Incorrect,
        (_, other) => {
            let message = format!(
                "the accuracy of {} is {}; 1.0 or 0.0 was expected",
                quoted(&group.provider),
                quoted(other)
            );
            return Err((cell.place.clone(), message));
        }
    };
    Ok((status, texts))
}

/// A text as evidence: on one line, not too long.
fn shown(text: &str, most: usize) -> String {
    let line: String = text
        .split_whitespace()
        .collect::<Vec<&str>>()
        .join(" ")
        .chars()
        .take(most)
        .collect();
    match hostile(&line) {
        None => line,
        Some(_) => line.escape_debug().take(most).collect(),
    }
}
