//! Rows become observations, or issues that say why not. A row is taken whole or not at all:
//! its figures come out of one loop.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::duration::{Decimal, Unit};
use crate::instant::Instant;
use crate::metric::{Metric, Quantity, Scale};
use crate::names::{hostile, quoted};
use crate::number::{self, Least, shortened};
use crate::table::{Row, Table};
use crate::{
    Circumstances, Figure, Figures, Implementation, Issue, Observation, Operation, Protocol, Role,
    Severity, Status, Subject, Workload, family,
};

use super::config::{self, CONFIG};
use super::provider::{self, Baselines};

/// The column of the value.
const MEDIAN: &str = "y_value_50";

/// What is wrong with a row: the column, a code, what was found, what to try.
struct Fault {
    column: &'static str,
    code: &'static str,
    message: String,
    hint: Option<&'static str>,
}

impl Fault {
    fn new(column: &'static str, code: &'static str, message: String) -> Self {
        Self {
            column,
            code,
            message,
            hint: None,
        }
    }
}

/// The rows of one table, read one after the other.
pub(super) struct Records<'t> {
    columns: &'t BTreeMap<&'static str, usize>,
    width: usize,
    hardware: Option<&'t str>,
    baselines: Baselines<'t>,
    observations: Vec<Observation>,
    issues: Vec<Issue>,
    memory_protocol: Arc<Protocol>,
    workloads: HashSet<Arc<Workload>>,
    implementations: HashMap<(String, String, Role), Arc<Implementation>>,
    devices: HashSet<Arc<str>>,
    /// Rows that were read.
    pub(super) rows: usize,
    /// Rows whose time names no zone.
    pub(super) unzoned: usize,
    /// Rows of memory.
    pub(super) memory: usize,
    /// Rows that have the declared device.
    pub(super) filled: usize,
}

impl<'t> Records<'t> {
    pub(super) fn new(
        table: &'t Table,
        columns: &'t BTreeMap<&'static str, usize>,
        hardware: Option<&'t str>,
    ) -> Self {
        let mut baselines = Baselines::default();
        for row in &table.rows {
            let kernel = cell(columns, row, "kernel_name");
            baselines.add(kernel, cell(columns, row, "kernel_provider"));
        }
        Self {
            columns,
            width: table.header.len(),
            hardware,
            baselines,
            observations: Vec::new(),
            issues: Vec::new(),
            memory_protocol: super::shared_memory_protocol(),
            workloads: HashSet::new(),
            implementations: HashMap::new(),
            devices: HashSet::new(),
            rows: 0,
            unzoned: 0,
            memory: 0,
            filled: 0,
        }
    }

    pub(super) fn finish(self) -> (Vec<Observation>, Vec<Issue>) {
        (self.observations, self.issues)
    }

    /// Reads the row at that index, from 0.
    pub(super) fn add(&mut self, at: usize, row: &Row) {
        self.rows += 1;
        match self.read(at, row) {
            Ok(observation) => self.observations.push(observation),
            Err(fault) => self.tell(Severity::Error, at, row, fault),
        }
    }

    fn tell(&mut self, severity: Severity, at: usize, row: &Row, fault: Fault) {
        self.issues.push(Issue {
            severity,
            code: fault.code.to_owned(),
            place: row.place(at, fault.column),
            message: fault.message,
            hint: fault.hint.map(str::to_owned),
            rejects: u32::from(severity == Severity::Error),
        });
    }

    fn read(&mut self, at: usize, row: &Row) -> Result<Observation, Fault> {
        if row.cells.len() != self.width {
            let message = format!(
                "the row has {} cells and the header {}",
                row.cells.len(),
                self.width
            );
            return Err(Fault::new("", "ROW_WIDTH", message));
        }
        let (metric, scale) = self.metric(row)?;
        let (figures, doubt) = self.figures(row, &scale)?;
        let workload = self.workload(at, row)?;
        let implementation = self.implementation(row)?;
        let hardware = self.device(row)?;
        let circumstances = self.circumstances(at, row, &implementation, scale.quantity);
        if let Some(doubt) = doubt {
            self.tell(Severity::Warning, at, row, doubt);
        }
        self.memory += usize::from(scale.quantity == Quantity::Memory);
        Ok(Observation {
            place: row.place(at, MEDIAN),
            subject: Subject::Stated(workload),
            implementation,
            hardware,
            status: Status::Passed,
            metric: Arc::new(metric),
            figures,
            circumstances: Some(Box::new(circumstances)),
        })
    }

    fn cell<'r>(&self, row: &'r Row, column: &str) -> &'r str {
        cell(self.columns, row, column)
    }

    /// A name that a row must have.
    fn name<'r>(&self, row: &'r Row, column: &'static str) -> Result<&'r str, Fault> {
        let name = self.cell(row, column);
        match hostile(name) {
            None => Ok(name),
            Some(why) => {
                let message = format!("`{column}` {} {why}", quoted(name));
                Err(Fault::new(column, "HOSTILE_NAME", message))
            }
        }
    }

    fn metric(&self, row: &Row) -> Result<(Metric, Scale), Fault> {
        let unit = self.cell(row, "metric_unit");
        let scale = match self.cell(row, "metric_name") {
            "speed" => Unit::parse(unit).map(Scale::time),
            // See the module's head for what Liger means by `MB`.
            "memory" if unit == "MB" => Scale::parse("MiB"),
            "memory" => None,
            other => {
                let message = format!(
                    "the metric {} is not known; `speed` or `memory` was expected",
                    quoted(other)
                );
                return Err(Fault::new("metric_name", "UNKNOWN_METRIC", message));
            }
        };
        let Some(scale) = scale else {
            let message = format!(
                "the unit {} is not known; {} for `speed` or `MB` for `memory` was expected",
                quoted(unit),
                Unit::SPELLINGS
            );
            return Err(Fault::new("metric_unit", "UNKNOWN_UNIT", message));
        };
        Ok((scale.metric("median"), scale))
    }

    /// The figures, and why they can't all be right, if so.
    fn figures(&self, row: &Row, scale: &Scale) -> Result<(Figures, Option<Fault>), Fault> {
        let (median, decimal) = self.figure(row, MEDIAN, scale)?;
        let low = self.percentile(row, "y_value_20", scale)?;
        let high = self.percentile(row, "y_value_80", scale)?;
        let doubt = match (&low, &high) {
            (Some(low), _) if low.amount > median.amount => Some(("y_value_20", low, "above")),
            (_, Some(high)) if high.amount < median.amount => Some(("y_value_80", high, "below")),
            _ => None,
        }
        .map(|(column, figure, relation)| {
            let message = format!(
                "`{column}` {} is {relation} the median {}: not one set of trials",
                shortened(&figure.text),
                shortened(&median.text)
            );
            Fault::new(column, "STATS_CONTRADICT", message)
        });
        // Three times one number is what one trial gives too: it says nothing of the spread.
        let range = low
            .zip(high)
            .filter(|(low, high)| low.amount != median.amount || high.amount != median.amount);
        let resolution = match scale.quantity {
            // Bytes divided by a power of two are printed in full.
            Quantity::Memory => 0,
            _ => scale.resolution(&decimal, 1),
        };
        let figures = Figures {
            value: Some(median),
            range: range.map(Box::new),
            resolution,
            ..Figures::default()
        };
        Ok((figures, doubt))
    }

    fn figure(
        &self,
        row: &Row,
        column: &'static str,
        scale: &Scale,
    ) -> Result<(Figure, Decimal), Fault> {
        let text = self.cell(row, column);
        number::figure(text, scale, Least::AboveZero)
            .map_err(|no| Fault::new(column, no.code, format!("`{column}` {}", no.why)))
    }

    fn percentile(
        &self,
        row: &Row,
        column: &'static str,
        scale: &Scale,
    ) -> Result<Option<Figure>, Fault> {
        if self.cell(row, column).is_empty() {
            return Ok(None);
        }
        Ok(Some(self.figure(row, column, scale)?.0))
    }

    fn workload(&mut self, at: usize, row: &Row) -> Result<Arc<Workload>, Fault> {
        let kernel = self.name(row, "kernel_name")?;
        let mode = match self.cell(row, "kernel_operation_mode") {
            "" => None,
            _ => Some(self.name(row, "kernel_operation_mode")?),
        };
        let x_name = self.cell(row, "x_name");
        let read = config::read(x_name, self.cell(row, "x_value"), self.cell(row, CONFIG))
            .map_err(|(column, code, message)| Fault::new(column, code, message))?;
        if read.mended {
            let message =
                "the configuration is JSON only with its doubled quotes read as single ones"
                    .to_owned();
            let fault = Fault::new(CONFIG, "QUOTES_DOUBLED", message);
            self.tell(Severity::Note, at, row, fault);
        }
        let spelled = kernel.replace('_', " ");
        let title = match mode {
            Some(mode) => format!("{spelled} ({mode})"),
            None => spelled,
        };
        let workload = Workload {
            operation: Arc::new(Operation {
                suite: "liger".to_owned(),
                group: mode.map(str::to_owned),
                name: kernel.to_owned(),
                title,
                family: family::of(kernel).to_owned(),
                definition: None,
            }),
            axes: read.bound,
            dtype: read.dtype,
            inputs: None,
            outputs: Vec::new(),
        };
        let shared = self.workloads.get(&workload).cloned();
        Ok(shared.unwrap_or_else(|| {
            let workload = Arc::new(workload);
            self.workloads.insert(Arc::clone(&workload));
            workload
        }))
    }

    fn implementation(&mut self, row: &Row) -> Result<Arc<Implementation>, Fault> {
        let provider = self.name(row, "kernel_provider")?;
        let release = match self.cell(row, "liger_version") {
            "" => "",
            _ => self.name(row, "liger_version")?,
        };
        let role = self.baselines.role(self.cell(row, "kernel_name"), provider);
        let key = (provider.to_owned(), release.to_owned(), role);
        let shared = self
            .implementations
            .entry(key)
            .or_insert_with(|| Arc::new(provider::implementation(provider, release, role)));
        Ok(Arc::clone(shared))
    }

    fn device(&mut self, row: &Row) -> Result<Arc<str>, Fault> {
        let device = match (self.cell(row, "gpu_name"), self.hardware) {
            ("", Some(declared)) => {
                self.filled += 1;
                declared
            }
            ("", None) => {
                let message = "`gpu_name` is blank: which device ran this is not said".to_owned();
                return Err(Fault {
                    hint: Some("`--hardware NAME` names the device of records that have none"),
                    ..Fault::new("gpu_name", "NO_HARDWARE", message)
                });
            }
            _ => self.name(row, "gpu_name")?,
        };
        if let Some(shared) = self.devices.get(device) {
            return Ok(Arc::clone(shared));
        }
        let shared: Arc<str> = Arc::from(device);
        self.devices.insert(Arc::clone(&shared));
        Ok(shared)
    }

    fn circumstances(
        &mut self,
        at: usize,
        row: &Row,
        implementation: &Implementation,
        quantity: Quantity,
    ) -> Circumstances {
        let stamp = self.cell(row, "timestamp");
        let instant = Instant::parse(stamp);
        if instant.is_none() && !stamp.is_empty() {
            let message = format!("`timestamp` {} is no date and time", quoted(stamp));
            let fault = Fault::new("timestamp", "BAD_TIMESTAMP", message);
            self.tell(Severity::Warning, at, row, fault);
        }
        self.unzoned += usize::from(instant.is_some_and(|instant| !instant.zoned));
        let mut texts = Vec::new();
        let mut keep = |column: &str, text: &str| {
            if !text.is_empty() {
                texts.push((column.to_owned(), text.chars().take(200).collect()));
            }
        };
        keep("x_label", self.cell(row, "x_label"));
        // The release that others were measured beside; Liger's own is part of its name.
        if implementation.project != "Liger-Kernel" {
            keep("liger_version", self.cell(row, "liger_version"));
        }
        Circumstances {
            recorded_at: instant.map(|instant| instant.to_string()),
            software: None,
            protocol: (quantity == Quantity::Memory).then(|| Arc::clone(&self.memory_protocol)),
            texts,
        }
    }
}

/// A cell by its column's name, blanks around it cut off.
fn cell<'r>(columns: &BTreeMap<&'static str, usize>, row: &'r Row, column: &str) -> &'r str {
    columns
        .get(column)
        .and_then(|at| row.cells.get(*at))
        .map_or("", |cell| cell.trim())
}
