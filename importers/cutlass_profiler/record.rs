//! Rows as observations: a time, a bandwidth and a rate each, or what came instead.

use std::collections::HashMap;
use std::sync::Arc;

use crate::duration::{Decimal, Unit};
use crate::metric::Scale;
use crate::names::{hostile, quoted};
use crate::number::{Least, Unusable, figure, shortened};
use crate::table::Row;
use crate::{
    Circumstances, Figure, Figures, Implementation, Issue, Metric, NO_HARDWARE, Observation,
    Operation, Place, Severity, Status, Subject, Workload,
};

use super::arguments::Columns;
use super::gemm;
use super::rate::fits;
use super::row::{implementation, interface, operation, texts};
use super::verdict::verdict;

/// Digits that the profiler prints; it drops zeros at the end.
const PRINTED_DIGITS: usize = 6;

pub(super) struct Records {
    hardware: Option<Arc<str>>,
    observations: Vec<Observation>,
    issues: Vec<Issue>,
    operations: HashMap<String, Arc<Operation>>,
    implementations: HashMap<(String, String), Arc<Implementation>>,
    metrics: HashMap<String, Arc<Metric>>,
}

/// Why a row can't be taken.
type Fault = (&'static str, String);

impl Records {
    pub(super) fn new(hardware: Option<&str>) -> Self {
        Self {
            hardware: hardware.map(Arc::from),
            observations: Vec::new(),
            issues: Vec::new(),
            operations: HashMap::new(),
            implementations: HashMap::new(),
            metrics: HashMap::new(),
        }
    }

    pub(super) fn finish(self) -> (Vec<Observation>, Vec<Issue>) {
        (self.observations, self.issues)
    }

    /// Takes a row; `at` is its number among all rows of the input.
    pub(super) fn add(&mut self, columns: &Columns, at: usize, row: &Row) {
        let figures = ["Runtime", "GB/s", "GFLOPs"];
        if let Err((code, message)) = self.row(columns, at, row) {
            let passed = matches!(
                columns.cell(row, "Disposition"),
                Some("passed" | "not_verified")
            );
            let stated = figures
                .iter()
                .filter(|name| columns.cell(row, name).is_some());
            // A row that wasn't to be timed is one record; so is one that can't be told apart.
            let whole = row.cells.len() == columns.width && passed;
            let lost = if whole { stated.count().max(1) } else { 1 };
            self.error(code, row.place(at, ""), message, None, lost);
        }
    }

    fn row(&mut self, columns: &Columns, at: usize, row: &Row) -> Result<(), Fault> {
        if row.cells.len() != columns.width {
            let message = format!("{} cells under {} columns", row.cells.len(), columns.width);
            return Err(("BAD_ROW", message));
        }
        let word = |name: &'static str| {
            let text = columns.cell(row, name).unwrap_or_default();
            match hostile(text) {
                None => Ok(text),
                Some(why) => Err(("HOSTILE_NAME", format!("`{name}` {} {why}", quoted(text)))),
            }
        };
        let (kind, provider, kernel) = (
            word("OperationKind")?,
            word("Provider")?,
            word("Operation")?,
        );
        let (disposition, status) = (word("Disposition")?, word("Status")?);
        let status = verdict(disposition, status).map_err(|name| {
            let text = columns.cell(row, name).unwrap_or_default();
            let message = format!(
                "`{name}` is {}, which the profiler doesn't write",
                quoted(text)
            );
            ("UNKNOWN_STATUS", message)
        })?;
        let axes = columns
            .axes(row)
            .map_err(|message| ("HOSTILE_NAME", message))?;
        let tensors = gemm::tensors(kind, &axes, columns.cell(row, "Bytes"));
        let (inputs, outputs) = tensors.map_or((None, Vec::new()), |(inputs, outputs)| {
            (Some(inputs), outputs)
        });
        let workload = Workload {
            operation: self.operation(kind),
            dtype: gemm::dtype(&axes),
            axes,
            inputs,
            outputs,
        };
        let run = Run {
            at,
            row,
            subject: Subject::Stated(Arc::new(workload)),
            implementation: self.implementation(provider, kernel, columns.launch(row, kernel)),
            texts: texts(columns, row, provider, kernel, status),
        };
        if status == Status::Passed {
            self.figures(columns, &run);
        } else {
            self.push(
                &run,
                "",
                status,
                &Metric::latency("mean"),
                Figures::default(),
            );
        }
        Ok(())
    }

    fn figures(&mut self, columns: &Columns, run: &Run<'_>) {
        let time = Scale::time(Unit::Millisecond);
        let runtime = if let Some(text) = columns.cell(run.row, "Runtime") {
            self.figure(run, "Runtime", text, &time)
        } else {
            let message = "passed, but `Runtime` is blank".to_owned();
            self.error("NO_TIMING", run.place("Runtime"), message, None, 1);
            None
        };
        if let Some((text, scale)) = columns.cell(run.row, "GB/s").zip(Scale::parse("GiB/s")) {
            let bytes = columns
                .cell(run.row, "Bytes")
                .and_then(|bytes| bytes.parse().ok());
            let scale = match (bytes, &runtime) {
                (Some(bytes), Some(runtime)) => self.bandwidth(run, text, scale, bytes, runtime),
                _ => scale,
            };
            self.figure(run, "GB/s", text, &scale);
        }
        if let Some((text, scale)) = columns.cell(run.row, "GFLOPs").zip(Scale::parse("GFLOPs")) {
            self.figure(run, "GFLOPs", text, &scale);
        }
    }

    /// The unit of `GB/s`, which is one of 2³⁰ bytes unless bytes and time say 10⁹.
    fn bandwidth(
        &mut self,
        run: &Run<'_>,
        text: &str,
        binary: Scale,
        bytes: u64,
        runtime: &Decimal,
    ) -> Scale {
        let Some(stated) = Decimal::parse(text) else {
            return binary;
        };
        let decimal = Scale::parse("GB/s").filter(|scale| fits(&stated, scale, bytes, runtime));
        match (fits(&stated, &binary, bytes, runtime), decimal) {
            (true, _) => binary,
            (false, Some(decimal)) => decimal,
            (false, None) => {
                self.issues.push(Issue {
                    severity: Severity::Warning,
                    code: "UNIT_DOUBTED".to_owned(),
                    place: run.place("GB/s"),
                    message: format!(
                        "`GB/s` is {}, but `Bytes` in `Runtime` is neither that many GiB nor GB a second; taken as GiB",
                        shortened(text)
                    ),
                    hint: None,
                    rejects: 0,
                });
                binary
            }
        }
    }

    /// Takes one figure; returns its number for what is held against it.
    fn figure(
        &mut self,
        run: &Run<'_>,
        column: &str,
        text: &str,
        scale: &Scale,
    ) -> Option<Decimal> {
        match figure(text, scale, Least::AboveZero) {
            Err(Unusable { code, why }) => {
                let message = format!("`{column}` {why}");
                self.error(code, run.place(column), message, None, 1);
                None
            }
            Ok((value, decimal)) => {
                let figures = Figures {
                    resolution: scale.resolution(&decimal, PRINTED_DIGITS),
                    value: Some(Figure {
                        text: text.into(),
                        ..value
                    }),
                    ..Figures::default()
                };
                self.push(run, column, Status::Passed, &scale.metric("mean"), figures);
                Some(decimal)
            }
        }
    }

    fn push(
        &mut self,
        run: &Run<'_>,
        column: &str,
        status: Status,
        metric: &Metric,
        figures: Figures,
    ) {
        let hardware = match (&self.hardware, status) {
            (Some(hardware), _) => Arc::clone(hardware),
            (None, Status::Passed) => {
                let message = "a report names no device: which one ran this is not said".to_owned();
                let hint = "`--hardware NAME` names it";
                self.error("NO_HARDWARE", run.place(column), message, Some(hint), 1);
                return;
            }
            (None, _) => Arc::from(NO_HARDWARE),
        };
        let shared = self.metrics.entry(metric.key());
        let metric = Arc::clone(shared.or_insert_with(|| Arc::new(metric.clone())));
        self.observations.push(Observation {
            place: run.place(column),
            subject: run.subject.clone(),
            implementation: Arc::clone(&run.implementation),
            hardware,
            status,
            metric,
            figures,
            circumstances: (!run.texts.is_empty()).then(|| {
                Box::new(Circumstances {
                    texts: run.texts.clone(),
                    ..Circumstances::default()
                })
            }),
        });
    }

    fn operation(&mut self, kind: &str) -> Arc<Operation> {
        let shared = self.operations.entry(kind.to_owned());
        Arc::clone(shared.or_insert_with(|| Arc::new(operation(kind))))
    }

    fn implementation(
        &mut self,
        provider: &str,
        kernel: &str,
        launch: Vec<String>,
    ) -> Arc<Implementation> {
        let interface = interface(provider, kernel, launch);
        let shared = self
            .implementations
            .entry((provider.to_owned(), interface.clone()));
        Arc::clone(shared.or_insert_with(|| Arc::new(implementation(provider, interface))))
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

/// What the figures of a row share.
struct Run<'r> {
    at: usize,
    row: &'r Row,
    subject: Subject,
    implementation: Arc<Implementation>,
    texts: Vec<(String, String)>,
}

impl Run<'_> {
    fn place(&self, column: &str) -> Place {
        self.row.place(self.at, column)
    }
}
