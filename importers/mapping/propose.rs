//! A mapping for a file, from its header and first rows. What the file doesn't say is left
//! open (`?`), and what is unsure is a comment.

use std::fmt::Write;

use crate::Refused;
use crate::names::{hostile, quoted};

use super::columns::{Column, best};
use super::data::Data;
use super::figures::{self, Metric};
use super::layout::rows_path;
use super::vocabulary::{
    CHOICES, DATES, DEVICES, DTYPES, GROUPS, IMPLEMENTATIONS, OPERATIONS, SIZES, STATUSES,
    spelled_unit, split, status_of,
};
use super::words;

/// Proposes a mapping for a file.
///
/// # Errors
///
/// The file can't be read in any format, or has no rows.
pub fn propose(file_name: &str, bytes: &[u8]) -> Result<String, Refused> {
    let mut issues = Vec::new();
    let data = Data::read(None, None, Some(file_name), bytes, &mut issues)?;
    let path = match &data {
        Data::Trees(trees, false) => trees.first().and_then(|(_, node)| rows_path(node)),
        _ => None,
    };
    let rows = data.rows(path.as_deref(), &mut issues)?;
    if rows.is_empty() {
        return Err(super::entries::refused(
            "NO_ROWS",
            "the file has no rows to propose a mapping from",
            None,
        ));
    }
    let names = data.names(&rows);
    let columns: Vec<Column> = names
        .into_iter()
        .map(|name| Column::of(name, &rows))
        .collect();
    let mut proposal = Proposal {
        columns,
        text: String::new(),
    };
    proposal.write(file_name, rows.len(), path.as_deref());
    Ok(proposal.text)
}

struct Proposal {
    columns: Vec<Column>,
    text: String,
}

impl Proposal {
    fn write(&mut self, file: &str, rows: usize, path: Option<&str>) {
        let stem = file.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = stem.split('.').next().unwrap_or_default().to_owned();
        let from = if file.is_empty() {
            "standard input".to_owned()
        } else {
            quoted(file)
        };
        self.line(format_args!(
            "# Proposed from {from} ({rows} rows). Read every line; a name is a column,"
        ));
        self.line(format_args!(
            "# {{ value = \"…\" }} is the same for every row, and `?` has to be filled in."
        ));
        self.line(format_args!(""));
        let suite = if stem.is_empty() { "results" } else { &stem };
        self.line(format_args!(
            "suite = {}  # what tells these results from others'",
            q(&words::slug(suite))
        ));
        if let Some(path) = path {
            self.line(format_args!("rows = {}", q(path)));
        }
        let metrics = figures::find(&mut self.columns);
        let operation = self.pick(OPERATIONS, Column::names);
        let implementation = self.pick(IMPLEMENTATIONS, Column::names);
        let wide = implementation.is_none() && metrics.iter().all(|metric| metric.who.is_some());
        let hardware = self.pick(DEVICES, |column| {
            !column.numeric
                && !column.values.is_empty()
                && !column.values.iter().all(|value| value.starts_with("cuda"))
        });
        let by_key = operation.as_deref() == Some("@key");
        self.named("operation", operation, &stem);
        // What stands at a `*` tells rows apart as nothing else may.
        let starred = path.is_some_and(|path| path.contains('*'))
            && (!by_key || self.columns.iter().any(|column| column.name == "@2"));
        let at = |column: &Column| starred && column.name == "@1" && column.names();
        let group = match best(&self.columns, &["1"], at) {
            Some(_) => self.pick(&["1"], at),
            None => self.pick(GROUPS, |column| !column.values.is_empty()),
        };
        if let Some(group) = group {
            self.line(format_args!("group = {}", q(&group)));
        }
        self.dtype();
        self.axes();
        match &implementation {
            Some(column) => self.line(format_args!("implementation = {}", q(column))),
            None if wide => {}
            None => self.line(format_args!(
                "implementation = {{ value = \"?\" }}  # who computed? a name, or a column"
            )),
        }
        match hardware {
            Some(column) => self.line(format_args!("hardware = {}", q(&column))),
            None => self.line(format_args!(
                "# hardware = {{ value = \"NVIDIA L40S\" }}  # no column looks like a device: name it here or with --hardware"
            )),
        }
        self.date();
        self.software(implementation.as_deref());
        let statuses = self.statuses();
        // What became of a candidate says nothing of what it is held against.
        let apart = implementation.is_some() && metrics.iter().any(|metric| metric.baseline);
        if !apart {
            self.status(&statuses);
        }
        let sampled = self.samples();
        let texts: Vec<String> = self
            .columns
            .iter_mut()
            .filter(|column| !column.used && column.numeric && column.has(&["speedup"]))
            .map(|column| {
                column.used = true;
                q(&column.name)
            })
            .collect();
        if !texts.is_empty() {
            self.line(format_args!("texts = [{}]", texts.join(", ")));
        }
        self.rest();
        for metric in &metrics {
            self.metric(
                metric,
                implementation.is_some(),
                metrics.len(),
                sampled.as_deref(),
            );
            if apart && !metric.baseline {
                self.status(&statuses);
            }
        }
        if metrics.is_empty() {
            self.line(format_args!(
                "\n[[metric]]\nvalue = \"?\"      # no column looks like a figure\nunit = \"?\""
            ));
        }
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.text, "{line}");
    }

    fn take(&mut self, index: Option<usize>) {
        if let Some(column) = index.and_then(|index| self.columns.get_mut(index)) {
            column.used = true;
        }
    }

    fn pick(&mut self, wanted: &[&str], fits: impl Fn(&Column) -> bool) -> Option<String> {
        let index = best(&self.columns, wanted, fits)?;
        self.take(Some(index));
        self.columns.get(index).map(|column| column.name.clone())
    }

    fn named(&mut self, key: &str, column: Option<String>, otherwise: &str) {
        match column {
            Some(column) => self.line(format_args!("{key} = {}", q(&column))),
            None => self.line(format_args!(
                "{key} = {{ value = {} }}  # no column looks like it: the file's name",
                constant(otherwise)
            )),
        }
    }

    fn dtype(&mut self) {
        let known = |column: &Column| {
            column.names() && column.values.iter().all(|value| words::is_dtype(value))
        };
        if let Some(column) = self.pick(DTYPES, known) {
            self.line(format_args!("dtype = {}", q(&column)));
        }
    }

    fn axes(&mut self) {
        let mut entries = Vec::new();
        // `x_name` and `x_value` of tables that sweep one size.
        let named = self
            .columns
            .iter()
            .position(|column| !column.used && column.words == ["x", "name"]);
        let swept = self
            .columns
            .iter()
            .position(|column| !column.used && column.words == ["x", "value"]);
        if let (Some(named), Some(swept)) = (named, swept) {
            let name = |index: usize| {
                self.columns
                    .get(index)
                    .map(|column| q(&column.name))
                    .unwrap_or_default()
            };
            entries.push(format!(
                "{{ column = {}, named_by = {} }}",
                name(swept),
                name(named)
            ));
            self.take(Some(named));
            self.take(Some(swept));
        }
        for column in self
            .columns
            .iter_mut()
            .filter(|column| !column.used && !column.values.is_empty())
        {
            let last = column
                .name
                .rsplit('.')
                .next()
                .unwrap_or_default()
                .trim_start_matches('^')
                .to_owned();
            let in_shape = column.name.contains('.')
                && column.has(&[
                    "shape", "shapes", "axes", "config", "params", "args", "dims", "sizes",
                ]);
            let entry = if column.object
                && column.has(&["config", "shape", "params", "args", "axes", "dims", "extra"])
            {
                format!("{{ column = {}, members = true }}", q(&column.name))
            } else if let Some((names, between)) = split(column) {
                let listed: Vec<String> = names.iter().map(|name| q(name)).collect();
                format!(
                    "{{ column = {}, names = [{}], split = {} }}",
                    q(&column.name),
                    listed.join(", "),
                    q(between)
                )
            } else if (column.whole && column.ends_with(SIZES).is_some())
                || column.ends_with(CHOICES).is_some()
                || in_shape
            {
                if last == column.name {
                    q(&column.name)
                } else {
                    format!("{{ column = {}, name = {} }}", q(&column.name), q(&last))
                }
            } else {
                continue;
            };
            column.used = true;
            entries.push(entry);
        }
        if entries.is_empty() {
            self.line(format_args!(
                "# axes = []  # columns that make two rows two workloads: sizes, layouts, modes"
            ));
        } else {
            self.line(format_args!("axes = [{}]", entries.join(", ")));
        }
    }

    fn date(&mut self) {
        let of = |format: Option<&'static str>| {
            move |column: &Column| {
                !column.values.is_empty()
                    && column
                        .values
                        .iter()
                        .all(|value| words::date(value, format).is_some())
            }
        };
        if let Some(column) = self.pick(DATES, of(None)) {
            self.line(format_args!("date = {}", q(&column)));
            return;
        }
        let seconds = |column: &Column| {
            of(Some("unix"))(column) && column.values.iter().all(|value| value.len() == 10)
        };
        if let Some(column) = self.pick(DATES, seconds) {
            self.line(format_args!(
                "date = {{ column = {}, format = \"unix\" }}",
                q(&column)
            ));
        }
    }

    fn software(&mut self, implementation: Option<&str>) {
        let implementation = implementation.map(super::guess::tokens).unwrap_or_default();
        let mut version = None;
        let mut entries = Vec::new();
        for column in self
            .columns
            .iter_mut()
            .filter(|column| !column.used && !column.values.is_empty())
        {
            if let [.., name, last] = column.words.as_slice()
                && last == "version"
            {
                column.used = true;
                if implementation.last() == Some(name) {
                    version = Some(column.name.clone());
                } else {
                    entries.push(format!("{} = {}", q(name), q(&column.name)));
                }
            }
        }
        if let Some(version) = version {
            self.line(format_args!("version = {}", q(&version)));
        }
        if !entries.is_empty() {
            self.line(format_args!("software = {{ {} }}", entries.join(", ")));
        }
    }

    fn samples(&mut self) -> Option<String> {
        self.pick(
            &[
                "trials",
                "samples",
                "repeats",
                "repetitions",
                "reps",
                "iterations",
                "iters",
            ],
            |column| column.whole,
        )
    }

    /// What became of runs, the first that isn't `passed` deciding.
    fn statuses(&mut self) -> Vec<String> {
        let mut entries = Vec::new();
        for wanted in STATUSES {
            let few = |column: &Column| (1..=12).contains(&column.values.len()) && !column.numeric;
            let Some(index) = best(&self.columns, &[wanted], few) else {
                continue;
            };
            let Some(column) = self.columns.get_mut(index) else {
                continue;
            };
            column.used = true;
            let meant: Vec<String> = column
                .values
                .iter()
                .map(|value| format!("{} = {}", q(value), q(status_of(value, wanted))))
                .collect();
            entries.push(format!(
                "{{ column = {}, words = {{ {} }} }}",
                q(&column.name),
                meant.join(", ")
            ));
        }
        entries
    }

    fn status(&mut self, entries: &[String]) {
        match entries {
            [] => {}
            [one] => self.line(format_args!("status = {one}")),
            several => {
                self.line(format_args!("status = ["));
                for entry in several {
                    self.line(format_args!("  {entry},"));
                }
                self.line(format_args!("]"));
            }
        }
    }

    /// Columns without a place, as a comment with the choices.
    fn rest(&mut self) {
        let mut lines = Vec::new();
        for column in &self.columns {
            if column.used || column.name.starts_with('@') {
                continue;
            }
            let values: Vec<String> = column
                .values
                .iter()
                .take(3)
                .map(|value| quoted(value))
                .collect();
            let more = if column.values.len() > values.len() {
                ", …"
            } else {
                ""
            };
            let said = if values.is_empty() {
                "empty".to_owned()
            } else {
                format!("{}{more}", values.join(", "))
            };
            let cut: String = said.chars().take(90).collect();
            lines.push(format!("#   {}: {cut}", quoted(&column.name)));
        }
        if !lines.is_empty() {
            self.line(format_args!("# Not read. If one makes two rows two workloads it belongs into `axes`; evidence into `texts`:"));
            for line in lines {
                self.line(format_args!("{line}"));
            }
        }
    }

    fn metric(
        &mut self,
        metric: &Metric,
        implementation: bool,
        count: usize,
        samples: Option<&str>,
    ) {
        self.line(format_args!("\n[[metric]]\nvalue = {}", q(&metric.value)));
        match (&metric.unit, &metric.unit_column) {
            (Some(unit), _) => self.line(format_args!("unit = {}", q(unit))),
            (None, Some(column)) => {
                let spelled = self.columns.iter().find(|known| known.name == *column);
                let words: Vec<String> = spelled
                    .map(|column| {
                        column
                            .values
                            .iter()
                            .filter_map(|word| spelled_unit(word))
                            .collect()
                    })
                    .unwrap_or_default();
                let words = if words.is_empty() {
                    String::new()
                } else {
                    format!(", words = {{ {} }}", words.join(", "))
                };
                self.line(format_args!("unit = {{ column = {}{words} }}", q(column)));
            }
            (None, None) => self.line(format_args!(
                "unit = \"?\"  # nothing says it: s, ms, us, ns, GB/s, TFLOP/s, tokens/s, x …"
            )),
        }
        if metric.statistic.is_empty() {
            self.line(format_args!(
                "# statistic = \"mean\"  # or median, min …: nothing says it"
            ));
        } else {
            self.line(format_args!("statistic = {}", q(&metric.statistic)));
        }
        for (key, column) in [
            ("std", &metric.std),
            ("min", &metric.min),
            ("max", &metric.max),
        ] {
            if let Some(column) = column {
                self.line(format_args!("{key} = {}", q(column)));
            }
        }
        if let Some((low, high)) = &metric.range {
            self.line(format_args!("low = {}\nhigh = {}", q(low), q(high)));
        }
        if let Some(samples) = samples {
            self.line(format_args!("samples = {}", q(samples)));
        }
        if let Some(who) = &metric.who
            && count > 1
            && (!implementation || metric.baseline)
        {
            self.line(format_args!(
                "implementation = {{ value = {} }}",
                constant(who)
            ));
            if metric.baseline {
                self.line(format_args!("role = \"baseline\""));
            }
        } else if let (Some(who), false) = (&metric.who, implementation) {
            self.line(format_args!(
                "implementation = {{ value = {} }}",
                constant(who)
            ));
        }
    }
}

/// A constant as TOML writes it; one that can't be a name is left open.
fn constant(text: &str) -> String {
    q(if hostile(text).is_some() { "?" } else { text })
}

/// A text as TOML writes it.
pub(super) fn q(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    json.replace('\u{7f}', "\\u007F")
}
