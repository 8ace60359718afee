//! One row: a figure, or why it can't be used.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::duration::Decimal;
use crate::instant::Instant;
use crate::json::{Document, Object, Value};
use crate::metric::Scale;
use crate::names::{hostile, quoted};
use crate::number::{self, Least};
use crate::table::Row;
use crate::{
    AxisValue, Circumstances, Declared, Figure, Figures, Implementation, Issue, Metric,
    Observation, Operation, Place, Quantity, Role, Severity, Status, Subject, Workload,
};

use super::Columns;

/// Kernels by what kind of computation they are, by a word in their name.
const FAMILIES: &[(&str, &str)] = &[
    ("norm", "norm"),
    ("attention", "attention"),
    ("rope", "rope"),
    ("moe", "moe"),
    ("embedding", "embedding"),
    ("softmax", "softmax"),
    ("sparsemax", "softmax"),
    ("geglu", "mlp"),
    ("swiglu", "mlp"),
    ("relu", "activation"),
    ("loss", "loss"),
    ("entropy", "loss"),
    ("jsd", "loss"),
    ("kl_div", "loss"),
    ("tvd", "loss"),
];

/// Mode and kernel, axes and dtype: what a workload is found by.
type Key = (String, BTreeMap<String, AxisValue>, Option<String>);

/// What is remembered from row to row, and what was assumed.
#[derive(Default)]
pub(super) struct Met {
    workloads: HashMap<Key, Arc<Workload>>,
    operations: HashMap<(String, String), Arc<Operation>>,
    implementations: HashMap<(String, String), Arc<Implementation>>,
    devices: HashMap<String, Arc<str>>,
    metrics: HashMap<Quantity, Arc<Metric>>,
    zoneless: usize,
    filled: usize,
    rows: usize,
}

impl Met {
    /// What the rows don't say and was relied on.
    pub(super) fn assumptions(&self) -> Vec<String> {
        let rows = self.rows;
        let mut said = Vec::new();
        if self.zoneless > 0 {
            said.push(format!(
                "{} of {rows} timestamps have no zone: taken as UTC",
                self.zoneless
            ));
        }
        if self.filled > 0 {
            said.push(format!(
                "{} of {rows} rows name no device: as declared",
                self.filled
            ));
        }
        said
    }
}

/// Reads a row; with it what is doubtful about it.
pub(super) fn read(
    columns: &Columns,
    at: usize,
    row: &Row,
    declared: &Declared,
    met: &mut Met,
) -> Result<(Observation, Vec<Issue>), Box<Issue>> {
    let cells = Cells { columns, at, row };
    if row.cells.len() != columns.width {
        return Err(cells.error(
            "WIDTH",
            "",
            format!(
                "the row has {} cells; the header has {}",
                row.cells.len(),
                columns.width
            ),
        ));
    }
    let metric = metric(&cells)?;
    let figures = figures(&cells, &metric)?;
    let mut doubts: Vec<Issue> = contradiction(&cells, &figures).into_iter().collect();
    let mut settings = settings(&cells)?;
    doubts.extend(settings.doubt.take());
    let hardware = hardware(&cells, declared, met)?;
    let subject = Subject::Stated(workload(&cells, settings, met)?);
    let implementation = implementation(&cells, met)?;
    let recorded_at = recorded_at(&cells, met)?;
    met.rows += 1;
    let shared = met
        .metrics
        .entry(metric.quantity)
        .or_insert_with(|| Arc::new(metric.metric("median")));
    Ok((
        Observation {
            place: row.place(at, "y_value_50"),
            subject,
            implementation,
            hardware,
            status: Status::Passed,
            metric: Arc::clone(shared),
            figures,
            circumstances: Some(Box::new(Circumstances {
                recorded_at,
                texts: vec![(
                    "liger_version".to_owned(),
                    cells.text("liger_version").to_owned(),
                )],
                ..Circumstances::default()
            })),
        },
        doubts,
    ))
}

/// A row's cells by name.
struct Cells<'r> {
    columns: &'r Columns,
    at: usize,
    row: &'r Row,
}

impl<'r> Cells<'r> {
    fn text(&self, column: &str) -> &'r str {
        let at = self.columns.by_name.get(column).copied();
        at.and_then(|at| self.row.cells.get(at))
            .map_or("", String::as_str)
    }

    /// A text that becomes a name.
    fn name(&self, column: &'static str) -> Result<&'r str, Box<Issue>> {
        let text = self.text(column);
        match hostile(text) {
            None => Ok(text),
            Some(why) => {
                let message = format!("`{column}` is {}, which {why}", quoted(text));
                Err(self.error("HOSTILE_NAME", column, message))
            }
        }
    }

    fn error(&self, code: &str, column: &str, message: String) -> Box<Issue> {
        Box::new(Issue {
            severity: Severity::Error,
            code: code.to_owned(),
            place: self.place(column),
            message,
            hint: None,
            rejects: 1,
        })
    }

    fn place(&self, column: &str) -> Place {
        self.row.place(self.at, column)
    }
}

fn metric(cells: &Cells<'_>) -> Result<Scale, Box<Issue>> {
    let (name, unit) = (cells.text("metric_name"), cells.text("metric_unit"));
    // Its `MB` divides by 2^20.
    let word = if unit == "MB" { "MiB" } else { unit };
    let wanted = match name {
        "speed" => Some(Quantity::Latency),
        "memory" => Some(Quantity::Memory),
        _ => None,
    };
    match (wanted, Scale::parse(word)) {
        (Some(wanted), Some(scale)) if scale.quantity == wanted => Ok(scale),
        (None, _) => Err(cells.error(
            "UNKNOWN_METRIC",
            "metric_name",
            format!(
                "`metric_name` is {}; `speed` or `memory` was expected",
                quoted(name)
            ),
        )),
        _ => Err(cells.error(
            "UNKNOWN_UNIT",
            "metric_unit",
            format!(
                "`metric_unit` of `{name}` is {}, which is no unit of that",
                quoted(unit)
            ),
        )),
    }
}

fn figures(cells: &Cells<'_>, scale: &Scale) -> Result<Figures, Box<Issue>> {
    let (value, decimal) = figure(cells, "y_value_50", scale)?;
    let (low, _) = figure(cells, "y_value_20", scale)?;
    let (high, _) = figure(cells, "y_value_80", scale)?;
    // A memory figure is one number said three times: no spread was measured.
    let range = if scale.quantity == Quantity::Memory && low == value && high == value {
        None
    } else {
        Some(Box::new((low, high)))
    };
    Ok(Figures {
        resolution: scale.resolution(&decimal, 1),
        value: Some(value),
        range,
        ..Figures::default()
    })
}

fn figure(
    cells: &Cells<'_>,
    column: &'static str,
    scale: &Scale,
) -> Result<(Figure, Decimal), Box<Issue>> {
    number::figure(cells.text(column), scale, Least::AboveZero)
        .map_err(|no| cells.error(no.code, column, format!("`{column}` {}", no.why)))
}

/// `p20 ≤ p50 ≤ p80`.
fn contradiction(cells: &Cells<'_>, figures: &Figures) -> Option<Issue> {
    let (value, range) = (figures.value.as_ref()?, figures.range.as_ref()?);
    let holds = range.0.amount <= value.amount && value.amount <= range.1.amount;
    (!holds).then(|| Issue {
        severity: Severity::Warning,
        rejects: 0,
        ..*cells.error(
            "STATS_CONTRADICT",
            "y_value_50",
            format!(
                "the median {} isn't between the percentiles {} and {}",
                &*value.text, &*range.0.text, &*range.1.text
            ),
        )
    })
}

fn hardware(cells: &Cells<'_>, declared: &Declared, met: &mut Met) -> Result<Arc<str>, Box<Issue>> {
    let stated = cells.text("gpu_name");
    let name = if stated.trim().is_empty() {
        let Some(declared) = &declared.hardware else {
            let mut issue = cells.error(
                "NO_HARDWARE",
                "gpu_name",
                "no `gpu_name`: which device ran this is not said".to_owned(),
            );
            issue.hint =
                Some("`--hardware NAME` names the device of rows that have none".to_owned());
            return Err(issue);
        };
        met.filled += 1;
        declared.as_str()
    } else {
        cells.name("gpu_name")?
    };
    let shared = met.devices.entry(name.to_owned());
    Ok(Arc::clone(shared.or_insert_with(|| Arc::from(name))))
}

fn workload(
    cells: &Cells<'_>,
    settings: Settings,
    met: &mut Met,
) -> Result<Arc<Workload>, Box<Issue>> {
    let Settings {
        mut axes, dtype, ..
    } = settings;
    let kernel = cells.name("kernel_name")?;
    let mode = cells.name("kernel_operation_mode")?;
    let axis = cells.name("x_name")?;
    let size = cells.text("x_value").trim();
    // The axis that is swept counts before a setting of its name (where that is null).
    axes.insert(axis.to_owned(), value(size));
    let key = (format!("{mode}/{kernel}"), axes, dtype);
    if let Some(known) = met.workloads.get(&key) {
        return Ok(Arc::clone(known));
    }
    let operation = met
        .operations
        .entry((mode.to_owned(), kernel.to_owned()))
        .or_insert_with(|| {
            Arc::new(Operation {
                suite: "liger".to_owned(),
                group: Some(mode.to_owned()),
                name: kernel.to_owned(),
                title: format!("{} ({mode})", kernel.replace('_', " ")),
                family: family(kernel).to_owned(),
                definition: None,
            })
        });
    let workload = Arc::new(Workload {
        operation: Arc::clone(operation),
        axes: key.1.clone(),
        dtype: key.2.clone(),
        inputs: None,
        outputs: Vec::new(),
    });
    met.workloads.insert(key, Arc::clone(&workload));
    Ok(workload)
}

fn family(kernel: &str) -> &'static str {
    FAMILIES
        .iter()
        .find(|(word, _)| kernel.contains(word))
        .map_or("unknown", |(_, family)| family)
}

/// A whole number is a size; anything else is a word.
fn value(text: &str) -> AxisValue {
    text.parse()
        .map_or_else(|_| AxisValue::Word(text.to_owned()), AxisValue::Size)
}

/// The cell that holds a JSON object of settings.
const COLUMN: &str = "extra_benchmark_config_str";

/// What else was set; the dtype apart.
#[derive(Default)]
struct Settings {
    axes: BTreeMap<String, AxisValue>,
    dtype: Option<String>,
    doubt: Option<Issue>,
}

fn settings(cells: &Cells<'_>) -> Result<Settings, Box<Issue>> {
    let text = cells.text(COLUMN);
    if text.trim().is_empty() {
        return Ok(Settings::default());
    }
    let parsed = Document::open(text.as_bytes()).and_then(|document| {
        let mut cursor = document.cursor();
        let node = cursor.value()?;
        cursor.finish()?;
        Ok(node.value)
    });
    let why = match parsed {
        Ok(Value::Object(object)) => return members(cells, &object),
        Ok(other) => format!("{}; an object was expected", other.describe()),
        Err(refused) => format!("no JSON: {}", refused.message),
    };
    // The text as a whole tells settings apart as well, if not by name.
    let doubt = Issue {
        severity: Severity::Warning,
        rejects: 0,
        ..*cells.error(
            "BAD_CONFIG",
            COLUMN,
            format!("`{COLUMN}` is {why}; it was taken as one setting"),
        )
    };
    let whole = AxisValue::Word(text.to_owned());
    Ok(Settings {
        axes: BTreeMap::from([("config".to_owned(), whole)]),
        dtype: None,
        doubt: Some(doubt),
    })
}

/// The settings in an object.
fn members(cells: &Cells<'_>, object: &Object<'_>) -> Result<Settings, Box<Issue>> {
    if let Some((first, _)) = object.duplicate() {
        let message = format!("`{COLUMN}` has {} twice", quoted(&first.name));
        return Err(cells.error("DUPLICATE_KEY", COLUMN, message));
    }
    let mut axes = BTreeMap::new();
    let mut dtype = None;
    for member in &object.members {
        let name = member.key.name.as_ref();
        if let Some(why) = hostile(name) {
            let message = format!("`{COLUMN}` has a key {} that {why}", quoted(name));
            return Err(cells.error("HOSTILE_NAME", COLUMN, message));
        }
        let setting = match &member.node.value {
            Value::Null => continue,
            Value::Bool(yes) => AxisValue::Word(yes.to_string()),
            Value::Number(text) | Value::NonFinite(text) => value(text),
            Value::String(text) if name == "dtype" => {
                dtype = Some(text.trim_start_matches("torch.").to_owned());
                continue;
            }
            Value::String(text) => AxisValue::Word(text.to_string()),
            Value::Array(_) | Value::Object(_) => {
                let message = format!("`{COLUMN}` has {} that is no single value", quoted(name));
                return Err(cells.error("BAD_CONFIG", COLUMN, message));
            }
        };
        axes.insert(name.to_owned(), setting);
    }
    Ok(Settings {
        axes,
        dtype,
        doubt: None,
    })
}

/// Who computed. Liger's own code has its release in it; what it is compared with says none.
fn implementation(cells: &Cells<'_>, met: &mut Met) -> Result<Arc<Implementation>, Box<Issue>> {
    let provider = cells.name("kernel_provider")?;
    let version = cells.text("liger_version").trim();
    let own = provider == "liger" || provider.starts_with("liger_");
    let release = if own { version } else { "" };
    if !release.is_empty() {
        cells.name("liger_version")?;
    }
    let key = (provider.to_owned(), release.to_owned());
    let made = met.implementations.entry(key).or_insert_with(|| {
        let (project, license) = project(provider);
        let (name, interface) = if release.is_empty() {
            (provider.to_owned(), provider.to_owned())
        } else {
            (
                format!("{provider} {release}"),
                format!("{provider}@{release}"),
            )
        };
        let is_baseline = matches!(provider, "huggingface" | "torch");
        Arc::new(Implementation {
            slug: interface.replace(['_', '@', '.'], "-").to_lowercase(),
            name,
            project: project.to_owned(),
            language: if own { "triton" } else { "python" }.to_owned(),
            interface,
            role: if is_baseline {
                Role::Baseline
            } else if own {
                Role::Candidate
            } else {
                Role::Reference
            },
            license: license.map(str::to_owned),
        })
    });
    Ok(Arc::clone(made))
}

/// A provider's project and that project's licence, where both are known.
fn project(provider: &str) -> (&str, Option<&'static str>) {
    let begins = |word: &str| provider == word || provider.starts_with(&format!("{word}_"));
    if begins("liger") {
        ("Liger-Kernel", Some("BSD-2-Clause"))
    } else if begins("torch") {
        ("PyTorch", Some("BSD-3-Clause"))
    } else if begins("huggingface") {
        ("Transformers", Some("Apache-2.0"))
    } else {
        (provider, None)
    }
}

fn recorded_at(cells: &Cells<'_>, met: &mut Met) -> Result<Option<String>, Box<Issue>> {
    let text = cells.text("timestamp").trim();
    if text.is_empty() {
        return Ok(None);
    }
    let Some(instant) = Instant::parse(text) else {
        let message = format!(
            "`timestamp` is {}; a date and a time were expected",
            quoted(text)
        );
        return Err(cells.error("BAD_TIME", "timestamp", message));
    };
    met.zoneless += usize::from(!instant.zoned);
    Ok(Some(instant.to_string()))
}
