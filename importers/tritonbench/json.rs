//! The JSON form: a key a cell, alone or under `metrics` beside what is said of the machine.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::instant::Instant;
use crate::json::{Cursor, Document, Kind as Json, Node, Object, Value};
use crate::names::{hostile, quoted};
use crate::{Place, Refused, Severity};

use super::metric::Kind;
use super::names::{self, Key, UNNAMED};
use super::result::{Cell, Environment, Group, Inputs, Operator, Run};
use super::{fields_ignored, issue};

/// Whether the first key, or the first below `metrics`, is one of tritonbench's.
pub(super) fn recognises(bytes: &[u8]) -> bool {
    Document::open(bytes).is_ok_and(|document| begins(&document).unwrap_or_default())
}

fn begins(document: &Document<'_>) -> Result<bool, Refused> {
    let mut cursor = document.cursor();
    if !cursor.enter()? {
        return Ok(false);
    }
    // What stands before `metrics` is small: a name, the machine, the states of its devices.
    for _ in 0..8 {
        match cursor.next_key()? {
            Some(key) if names::key(&key.name) != Key::Other => return Ok(true),
            Some(key) if key.name == "metrics" && cursor.enter()? => {
                let first = cursor.next_key()?;
                return Ok(first.is_some_and(|key| names::key(&key.name) != Key::Other));
            }
            Some(_) => cursor.skip()?,
            None => return Ok(false),
        };
    }
    Ok(false)
}

/// Reads a result.
pub(super) fn read(bytes: &[u8]) -> Result<Run, Refused> {
    let document = Document::open(bytes)?;
    let mut cursor = document.cursor();
    let mut gathered = Gathered::new(&document);
    cursor.enter()?;
    while let Some(key) = cursor.next_key()? {
        match key.name.as_ref() {
            "metrics" if cursor.kind()? == Json::Object => {
                cursor.enter()?;
                gathered.members(&mut cursor)?;
            }
            "env" | "environ" => {
                let node = cursor.value()?;
                gathered.environment(&node, cursor.pointer());
            }
            "name" | "nvidia_gpu_states" | "github" => {
                cursor.skip()?;
            }
            name => {
                let name = name.to_owned();
                gathered.member(&name, &mut cursor)?;
            }
        }
    }
    cursor.finish()?;
    gathered.run()
}

/// A benchmark as its keys are met.
#[derive(Default)]
struct Benchmark {
    name: String,
    /// Each input with its providers' cells.
    inputs: Vec<(String, Vec<Group>)>,
    /// Where an input stands in those.
    at: HashMap<String, usize>,
}

impl Benchmark {
    fn push(&mut self, x: &str, provider: &str, cell: Cell) {
        let at = *self.at.entry(x.to_owned()).or_insert(self.inputs.len());
        if at == self.inputs.len() {
            self.inputs.push((x.to_owned(), Vec::new()));
        }
        let Some((_, groups)) = self.inputs.get_mut(at) else {
            return;
        };
        // The writer goes provider by provider: it is mostly the last.
        match groups.iter_mut().rfind(|group| group.provider == provider) {
            Some(group) => group.cells.push(cell),
            None => groups.push(Group {
                provider: provider.to_owned(),
                cells: vec![cell],
            }),
        }
    }
}

struct Gathered<'d, 'a> {
    document: &'d Document<'a>,
    benchmarks: Vec<Benchmark>,
    /// Where a benchmark stands in those.
    named: HashMap<String, usize>,
    seen: HashMap<String, Place>,
    twice: BTreeMap<String, (Place, Place)>,
    summaries: usize,
    unread: BTreeSet<String>,
    run: Run,
}

impl<'d, 'a> Gathered<'d, 'a> {
    fn new(document: &'d Document<'a>) -> Self {
        Self {
            document,
            benchmarks: Vec::new(),
            named: HashMap::new(),
            seen: HashMap::new(),
            twice: BTreeMap::new(),
            summaries: 0,
            unread: BTreeSet::new(),
            run: Run::default(),
        }
    }

    /// The rest of the object that was entered last.
    fn members(&mut self, cursor: &mut Cursor<'d, 'a>) -> Result<(), Refused> {
        while let Some(key) = cursor.next_key()? {
            let name = key.name.into_owned();
            self.member(&name, cursor)?;
        }
        Ok(())
    }

    fn member(&mut self, name: &str, cursor: &mut Cursor<'d, 'a>) -> Result<(), Refused> {
        let key = names::key(name);
        if matches!(key, Key::Other | Key::Summary) {
            cursor.skip()?;
            if key == Key::Summary {
                self.summaries += 1;
            } else {
                self.unread.insert(name.to_owned());
            }
            return Ok(());
        }
        let pointer = cursor.pointer().to_owned();
        let node = cursor.value()?;
        let place = self.document.place(pointer, node.span.start);
        if let Some(first) = self.seen.insert(name.to_owned(), place.clone()) {
            self.twice.entry(name.to_owned()).or_insert((first, place));
            return Ok(());
        }
        match key {
            Key::Cell {
                benchmark,
                x,
                provider,
                metric,
            } => self.cell(benchmark, x, &provider, metric, &node, place),
            Key::Pass(benchmark) => {
                if !matches!(&*text(&node), "1" | "1.0") {
                    let message = format!("{} did not pass as a whole", quoted(benchmark));
                    self.run.issues.push(issue(
                        Severity::Warning,
                        "NOT_PASSED",
                        place,
                        message,
                        None,
                        0,
                    ));
                }
            }
            Key::Summary | Key::Other => {}
        }
        Ok(())
    }

    fn cell(
        &mut self,
        benchmark: &str,
        x: &str,
        provider: &str,
        metric: &str,
        node: &Node<'_>,
        place: Place,
    ) {
        if Kind::of(metric).is_none() {
            // The name of a metric of all providers stands where theirs do.
            let name = if metric.is_empty() { provider } else { metric };
            self.unread.insert(name.to_owned());
            if metric.is_empty() {
                return;
            }
        }
        let at = *self
            .named
            .entry(benchmark.to_owned())
            .or_insert(self.benchmarks.len());
        if at == self.benchmarks.len() {
            self.benchmarks.push(Benchmark {
                name: benchmark.to_owned(),
                ..Benchmark::default()
            });
        }
        if let Some(benchmark) = self.benchmarks.get_mut(at) {
            benchmark.push(
                x,
                provider,
                Cell {
                    metric: metric.to_owned(),
                    text: text(node),
                    place,
                },
            );
        }
    }

    fn environment(&mut self, node: &Node<'_>, pointer: &str) {
        let Value::Object(object) = &node.value else {
            return;
        };
        let said = |name: &str| said(object, name);
        let recorded_at = said("benchmark_date").and_then(|stamp| {
            let instant = compact(&stamp);
            if instant.is_none() {
                let message = format!("`benchmark_date` {} is no date and time", quoted(&stamp));
                let place = self.document.place(pointer, node.span.start);
                self.run.issues.push(issue(
                    Severity::Warning,
                    "BAD_TIMESTAMP",
                    place,
                    message,
                    None,
                    0,
                ));
            }
            instant
        });
        let device = said("device");
        // The field holds the version of HIP on devices of AMD.
        let amd = device.as_deref().is_some_and(|name| name.contains("AMD"));
        let software: BTreeMap<String, String> = [
            (if amd { "hip" } else { "cuda" }, said("cuda_version")),
            ("torch", said("pytorch_commit")),
            ("triton", said("triton_commit")),
            ("tritonbench", said("tritonbench_commit")),
        ]
        .into_iter()
        .filter_map(|(name, version)| Some((name.to_owned(), version?)))
        .collect();
        self.run.environment = Environment {
            device,
            recorded_at,
            software: (!software.is_empty()).then(|| Arc::new(software)),
        };
    }

    fn run(mut self) -> Result<Run, Refused> {
        if self.seen.is_empty() && self.summaries == 0 {
            return Err(Refused {
                code: "NO_RECORDS",
                place: self.document.place("", 0),
                message: "no key that begins with `tritonbench_`".to_owned(),
                hint: None,
            });
        }
        let twice: BTreeSet<String> = self
            .twice
            .values()
            .map(|(first, _)| first.pointer.clone())
            .collect();
        for (name, (first, second)) in &self.twice {
            let lines = (first.line.unwrap_or(1), second.line.unwrap_or(1));
            let message = format!(
                "{} stands twice, on lines {} and {}",
                quoted(name),
                lines.0,
                lines.1
            );
            let place = second.clone();
            self.run.issues.push(issue(
                Severity::Error,
                "DUPLICATE_KEY",
                place,
                message,
                None,
                1,
            ));
        }
        for benchmark in std::mem::take(&mut self.benchmarks) {
            let operator = self.operator(benchmark, &twice);
            self.run.operators.push(operator);
        }
        let top = self.document.place("", 0);
        if self.summaries > 0 {
            let message = format!("{} keys are means over all inputs", self.summaries);
            let place = top.clone();
            self.run.issues.push(issue(
                Severity::Note,
                "SUMMARY_SKIPPED",
                place,
                message,
                None,
                0,
            ));
        }
        self.run.issues.extend(fields_ignored(&self.unread, top));
        Ok(self.run)
    }

    fn operator(&mut self, benchmark: Benchmark, twice: &BTreeSet<String>) -> Operator {
        let named = names::benchmark(&benchmark.name);
        let operation = Arc::new(names::operation(&named));
        let mut operator = Operator::default();
        for (x, mut groups) in benchmark.inputs {
            for group in &mut groups {
                group
                    .cells
                    .retain(|cell| !twice.contains(&cell.place.pointer));
            }
            let bad = groups
                .iter()
                .find_map(|group| Some((hostile(&group.provider)?, group.provider.as_str())));
            let workload = names::workload(&operation, named.dtype.as_deref(), UNNAMED, &x)
                .filter(|_| hostile(&named.operator).is_none());
            if let (Some(workload), None) = (workload, bad) {
                operator.inputs.push(Inputs {
                    workload: Arc::new(workload),
                    groups,
                });
                continue;
            }
            let cells = || groups.iter().flat_map(|group| &group.cells);
            let Some(first) = cells().next() else {
                continue;
            };
            let message = format!(
                "operator {}, input {} or a provider on it has a name that can't be taken",
                quoted(&named.operator),
                quoted(&x)
            );
            let place = first.place.clone();
            self.run.issues.push(issue(
                Severity::Error,
                "HOSTILE_NAME",
                place,
                message,
                None,
                cells().count(),
            ));
        }
        operator
    }
}

/// A value as the CSV form writes it.
fn text(node: &Node<'_>) -> String {
    match &node.value {
        Value::Null => String::new(),
        Value::Bool(true) => "1.0".to_owned(),
        Value::Bool(false) => "0.0".to_owned(),
        Value::Number(text) | Value::NonFinite(text) => (*text).to_owned(),
        Value::String(text) => text.to_string(),
        Value::Array(_) | Value::Object(_) => node.value.describe().to_owned(),
    }
}

/// A text of the environment that says something.
fn said(object: &Object<'_>, name: &str) -> Option<String> {
    match &object.get(name)?.value {
        Value::String(text) if hostile(text).is_none() && text != "unknown" => {
            Some(text.trim().to_owned())
        }
        _ => None,
    }
}

/// `20310203081500` as an instant.
fn compact(stamp: &str) -> Option<String> {
    if stamp.len() != 14 || !stamp.bytes().all(|byte| byte.is_ascii_digit()) {
        return Instant::parse(stamp).map(|instant| instant.to_string());
    }
    let part = |from: usize, to: usize| stamp.get(from..to).unwrap_or_default();
    let spelled = format!(
        "{}-{}-{}T{}:{}:{}",
        part(0, 4),
        part(4, 6),
        part(6, 8),
        part(8, 10),
        part(10, 12),
        part(12, 14)
    );
    Instant::parse(&spelled).map(|instant| instant.to_string())
}
