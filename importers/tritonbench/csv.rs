//! The CSV form: a header `<inputs>;<metric of all>…;<provider>-<metric>…`, a row an input, at
//! the end the row `average`, which may follow a row `hashes`.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::names::{hostile, quoted};
use crate::table::{Row, Table};
use crate::{Place, Refused, Severity};

use super::names::{self, known_column};
use super::result::{Cell, Group, Inputs, Operator, Run};
use super::{fields_ignored, issue};

/// Whether a text begins with such a header.
pub(super) fn recognises(bytes: &[u8]) -> bool {
    let head = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let Ok(line) = std::str::from_utf8(line) else {
        return false;
    };
    let mut cells = line
        .trim_end()
        .split(';')
        .map(|cell| cell.trim_matches('"'));
    // The name of the inputs may be anything, but stands alone.
    cells
        .next()
        .is_some_and(|first| known_column(first).is_none())
        && cells.any(|cell| known_column(cell).is_some())
}

/// Reads a table; the operator is in the file's name alone.
pub(super) fn read(bytes: &[u8], file: Option<&str>) -> Result<Run, Refused> {
    let table = Table::read(bytes, b';')?;
    let columns = columns(&table)?;
    let Some(operator) = file.and_then(names::operator_of_file) else {
        let found = file.map_or("standard input".to_owned(), quoted);
        return Err(Refused {
            code: "NO_OPERATION",
            place: Place::default(),
            message: format!("which operator was measured is not said: {found} names none"),
            hint: Some(
                "name the file `<operator>.csv`, as `--output-dir` with `--csv` does, or import the output of `--output-json`"
                    .to_owned(),
            ),
        });
    };
    let operation = Arc::new(names::operation(&names::Benchmark {
        operator: operator.to_owned(),
        mode: None,
        dtype: None,
    }));
    let mut run = Run {
        assumptions: vec![format!(
            "the operator is {}, as the file is named; mode and element type are not said",
            quoted(operator)
        )],
        ..Run::default()
    };
    let header = table.header.first().map_or("", String::as_str);
    let mut of_operator = Operator::default();
    let mut summaries = Vec::new();
    for (at, row) in table.rows.iter().enumerate() {
        let x = row.cells.first().map_or("", String::as_str);
        if names::is_summary(x) {
            summaries.push(row);
            continue;
        }
        let mut reject = |code, place, message, rejects| {
            run.issues
                .push(issue(Severity::Error, code, place, message, None, rejects));
        };
        if row.cells.len() != table.header.len() {
            let message = format!(
                "the row has {} cells and the header {}",
                row.cells.len(),
                table.header.len()
            );
            reject("ROW_WIDTH", row.place(at, ""), message, 1);
            continue;
        }
        let Some(workload) = names::workload(&operation, None, header, x) else {
            let message = format!(
                "the input {} can't be one under {}",
                quoted(x),
                quoted(header)
            );
            let figures = groups(&columns, row, at).len().max(1);
            reject("BAD_AXIS", row.place(at, header), message, figures);
            continue;
        };
        of_operator.inputs.push(Inputs {
            workload: Arc::new(workload),
            groups: groups(&columns, row, at),
        });
    }
    run.operators.push(of_operator);
    let ends = table.rows.last().and_then(|row| row.cells.first());
    if ends.is_none_or(|x| x.trim() != "average") {
        let message =
            "the last row is not `average`, with which the writer ends: the table may be cut"
                .to_owned();
        let place = Place {
            line: table.rows.last().map(|row| row.line),
            ..Place::default()
        };
        run.issues.push(issue(
            Severity::Warning,
            "LEFT_OPEN",
            place,
            message,
            None,
            0,
        ));
    }
    if let Some(first) = summaries.first() {
        let message = format!(
            "{} rows are no inputs: `average`, `hashes`",
            summaries.len()
        );
        let place = Place {
            line: Some(first.line),
            ..Place::default()
        };
        run.issues.push(issue(
            Severity::Note,
            "SUMMARY_SKIPPED",
            place,
            message,
            None,
            0,
        ));
    }
    run.issues.extend(fields_ignored(
        &columns.unread,
        Place {
            line: Some(1),
            ..Place::default()
        },
    ));
    Ok(run)
}

/// A provider's column: its metric, its whole name, its index.
type Column<'t> = (&'t str, &'t str, usize);

/// What the columns are.
struct Columns<'t> {
    /// Providers in order, each with its columns.
    providers: Vec<(&'t str, Vec<Column<'t>>)>,
    unread: BTreeSet<String>,
}

fn columns(table: &Table) -> Result<Columns<'_>, Refused> {
    let refuse = |code, message| Refused {
        code,
        place: Place {
            line: Some(1),
            ..Place::default()
        },
        message,
        hint: None,
    };
    let names = || {
        table
            .header
            .iter()
            .map(|name| name.trim())
            .enumerate()
            .skip(1)
    };
    let mut seen = BTreeSet::new();
    if let Some((_, twice)) = names().find(|(_, name)| !seen.insert(*name)) {
        let message = format!("the column {} stands twice", quoted(twice));
        return Err(refuse("DUPLICATE_COLUMN", message));
    }
    let known: Vec<&str> = names()
        .filter_map(|(_, name)| Some(known_column(name)?.0))
        .collect();
    if known.is_empty() {
        let message = "no column `<provider>-<metric>`: not a table of tritonbench".to_owned();
        return Err(refuse("COLUMN_MISSING", message));
    }
    let mut columns = Columns {
        providers: Vec::new(),
        unread: BTreeSet::new(),
    };
    for (at, name) in names() {
        // Of an operator's own metric the provider is one that has others.
        let own = || {
            let of = |provider: &&str| {
                let metric = name.strip_prefix(*provider)?.strip_prefix('-')?;
                Some((name.get(..provider.len())?, metric))
            };
            known
                .iter()
                .filter_map(of)
                .max_by_key(|(provider, _)| provider.len())
        };
        let Some((provider, metric)) = known_column(name).or_else(own) else {
            columns.unread.insert(name.to_owned());
            continue;
        };
        if let Some(why) = hostile(provider) {
            let message = format!("the provider name {} {why}", quoted(provider));
            return Err(refuse("HOSTILE_NAME", message));
        }
        if super::metric::Kind::of(metric).is_none() {
            columns.unread.insert(metric.to_owned());
        }
        match columns
            .providers
            .iter_mut()
            .find(|(known, _)| *known == provider)
        {
            Some((_, of)) => of.push((metric, name, at)),
            None => columns.providers.push((provider, vec![(metric, name, at)])),
        }
    }
    Ok(columns)
}

fn groups(columns: &Columns<'_>, row: &Row, at: usize) -> Vec<Group> {
    let cell = |(metric, name, column): &Column<'_>| Cell {
        metric: (*metric).to_owned(),
        text: row
            .cells
            .get(*column)
            .map_or("", |text| text.trim())
            .to_owned(),
        place: row.place(at, name),
    };
    columns
        .providers
        .iter()
        .map(|(provider, of)| Group {
            provider: (*provider).to_owned(),
            cells: of.iter().map(cell).collect(),
        })
        .collect()
}
