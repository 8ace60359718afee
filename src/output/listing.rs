//! A command's answer as a list: items, and one description of its columns from
//! which the table, CSV and Markdown all come. Sorting, paging and the choice of
//! columns happen here; JSON takes the items themselves.

use std::cmp::Ordering;
use std::io::{self, Write};

use serde_json::Value;

use super::cell::Cell;
use super::csv;
use super::markdown;
use super::table::{Head, Kind, Table, TableCell};
use super::text::Elide;

/// Width below which a text column is left out rather than shortened.
const MIN_TEXT: usize = 12;

/// One column: how it is called, how it behaves, what it shows of an item.
pub(crate) struct Column<T> {
    key: &'static str,
    head: Head,
    hidden: bool,
    cell: Box<dyn Fn(&T) -> Cell>,
}

impl<T> Column<T> {
    /// Words, which may be shortened at the end. `key` is the name in CSV and for
    /// `--columns` and `--sort`, with its unit (`latency_ns`).
    pub(crate) fn text(
        key: &'static str,
        title: &str,
        cell: impl Fn(&T) -> Cell + 'static,
    ) -> Self {
        Self::new(key, title, Kind::Text(Elide::End), Box::new(cell))
    }

    /// Ids and paths, which may be shortened in the middle.
    pub(crate) fn id(key: &'static str, title: &str, cell: impl Fn(&T) -> Cell + 'static) -> Self {
        Self::new(key, title, Kind::Text(Elide::Middle), Box::new(cell))
    }

    /// Dates, codes, flags: never shortened.
    pub(crate) fn fixed(
        key: &'static str,
        title: &str,
        cell: impl Fn(&T) -> Cell + 'static,
    ) -> Self {
        Self::new(key, title, Kind::Fixed, Box::new(cell))
    }

    /// Figures: right-aligned, never shortened.
    pub(crate) fn number(
        key: &'static str,
        title: &str,
        cell: impl Fn(&T) -> Cell + 'static,
    ) -> Self {
        Self::new(key, title, Kind::Number, Box::new(cell))
    }

    fn new(key: &'static str, title: &str, kind: Kind, cell: Box<dyn Fn(&T) -> Cell>) -> Self {
        Self {
            key,
            head: Head {
                title: title.to_owned(),
                kind,
                priority: 0,
                min_width: MIN_TEXT,
            },
            hidden: false,
            cell,
        }
    }

    /// Left out of a table that is too wide, columns of a higher priority number
    /// first; without this a column is always shown.
    pub(crate) fn may_go(mut self, priority: u8) -> Self {
        self.head.priority = priority;
        self
    }

    /// The width down to which a text may be shortened.
    pub(crate) fn min_width(mut self, columns: usize) -> Self {
        self.head.min_width = columns;
        self
    }

    /// Its name in CSV and for `--columns`.
    pub(crate) fn key(&self) -> &'static str {
        self.key
    }

    /// In CSV, and elsewhere only when `--columns` names it.
    pub(crate) fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// `latency_ns` is also known as `latency`, and any column by its title.
    fn answers_to(&self, name: &str) -> bool {
        const UNITS: [&str; 3] = ["_ns", "_bytes", "_days"];
        let bare = UNITS.iter().find_map(|unit| self.key.strip_suffix(unit));
        self.key == name || bare == Some(name) || self.head.title.eq_ignore_ascii_case(name)
    }
}

/// A column that does not exist was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no column `{wanted}`; there are {}", .known.join(", "))]
pub(crate) struct UnknownColumn {
    /// What was asked for.
    pub(crate) wanted: String,
    /// What there is.
    pub(crate) known: Vec<&'static str>,
}

/// Items and the columns that show them.
pub(crate) struct Listing<T> {
    columns: Vec<Column<T>>,
    items: Vec<T>,
    total: usize,
    chosen: Option<Vec<usize>>,
}

impl<T> Listing<T> {
    /// All items, in the order of the answer, and all columns.
    pub(crate) fn new(columns: Vec<Column<T>>, items: Vec<T>) -> Self {
        Self {
            columns,
            total: items.len(),
            items,
            chosen: None,
        }
    }

    /// The items as sorted and paged.
    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }

    /// How many items there were before paging.
    pub(crate) fn total(&self) -> usize {
        self.total
    }

    /// Shows these columns, in this order (`--columns`).
    pub(crate) fn choose<S: AsRef<str>>(&mut self, names: &[S]) -> Result<(), UnknownColumn> {
        let columns = names.iter().map(|name| self.find(name.as_ref()));
        self.chosen = Some(columns.collect::<Result<_, _>>()?);
        Ok(())
    }

    /// Sorts by these columns (`--sort`), the first before the second; a name after
    /// `-` sorts downwards. Items without a value come last either way, and equal
    /// items keep their order.
    pub(crate) fn sort<S: AsRef<str>>(&mut self, names: &[S]) -> Result<(), UnknownColumn> {
        if names.is_empty() {
            return Ok(());
        }
        let mut keys = Vec::with_capacity(names.len());
        for name in names {
            let name = name.as_ref();
            let bare = name.strip_prefix('-');
            keys.push((self.find(bare.unwrap_or(name))?, bare.is_some()));
        }
        let mut items: Vec<(Vec<Value>, T)> = std::mem::take(&mut self.items)
            .into_iter()
            .map(|item| {
                let values = keys
                    .iter()
                    .map(|&(at, _)| (self.columns[at].cell)(&item).value());
                (values.collect(), item)
            })
            .collect();
        items.sort_by(|(left, _), (right, _)| {
            let mut pairs = left.iter().zip(right).zip(&keys);
            pairs
                .find_map(|((left, right), &(_, down))| {
                    Some(order(left, right, down)).filter(|order| order.is_ne())
                })
                .unwrap_or(Ordering::Equal)
        });
        self.items = items.into_iter().map(|(_, item)| item).collect();
        Ok(())
    }

    /// Keeps `limit` items from the `offset`th on (`--limit`, `--offset`).
    pub(crate) fn page(&mut self, offset: usize, limit: Option<usize>) {
        self.items.drain(..offset.min(self.items.len()));
        self.items.truncate(limit.unwrap_or(usize::MAX));
    }

    /// The table of the shown columns. Chosen ones are never left out.
    pub(crate) fn table(&self) -> Table {
        let columns: Vec<&Column<T>> = self.shown();
        let heads = columns.iter().map(|column| Head {
            priority: if self.chosen.is_some() {
                0
            } else {
                column.head.priority
            },
            ..column.head.clone()
        });
        let mut table = Table::new(heads.collect());
        table.reserve(self.items.len());
        for item in &self.items {
            let cells = columns.iter().map(|column| {
                let cell = (column.cell)(item);
                TableCell {
                    text: cell.text,
                    mark: cell.mark,
                }
            });
            table.row(cells);
        }
        table
    }

    /// CSV of the machine values: the chosen columns, else all of them.
    pub(crate) fn csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = match self.chosen {
            Some(_) => self.shown(),
            None => self.columns.iter().collect(),
        };
        let mut rows = csv::Rows::new(out);
        rows.header(columns.iter().map(|column| column.key))?;
        for item in &self.items {
            let values: Vec<Value> = columns
                .iter()
                .map(|column| (column.cell)(item).value())
                .collect();
            rows.row(values.iter())?;
        }
        rows.finish()
    }

    /// Markdown of what the table shows, whatever its width.
    pub(crate) fn markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = self.shown();
        let heads: Vec<markdown::Column<'_>> = columns
            .iter()
            .map(|column| markdown::Column {
                title: &column.head.title,
                numeric: column.head.kind == Kind::Number,
            })
            .collect();
        markdown::header(out, &heads)?;
        for item in &self.items {
            let texts: Vec<String> = columns
                .iter()
                .map(|column| (column.cell)(item).text)
                .collect();
            markdown::row(out, texts.iter().map(String::as_str))?;
        }
        Ok(())
    }

    fn shown(&self) -> Vec<&Column<T>> {
        match &self.chosen {
            Some(chosen) => chosen.iter().map(|&at| &self.columns[at]).collect(),
            None => self
                .columns
                .iter()
                .filter(|column| !column.hidden)
                .collect(),
        }
    }

    fn find(&self, name: &str) -> Result<usize, UnknownColumn> {
        // The exact key first: a title may be another column's key.
        self.columns
            .iter()
            .position(|column| column.key == name)
            .or_else(|| {
                self.columns
                    .iter()
                    .position(|column| column.answers_to(name))
            })
            .ok_or_else(|| UnknownColumn {
                wanted: name.to_owned(),
                known: self.columns.iter().map(|column| column.key).collect(),
            })
    }
}

/// Numbers by size, everything else as text; nothing comes last in both directions.
fn order(left: &Value, right: &Value, down: bool) -> Ordering {
    let order = match (left, right) {
        (Value::Null, Value::Null) => return Ordering::Equal,
        (Value::Null, _) => return Ordering::Greater,
        (_, Value::Null) => return Ordering::Less,
        (Value::Number(left), Value::Number(right)) => {
            let figure = |number: &serde_json::Number| number.as_f64().unwrap_or(0.0);
            figure(left).total_cmp(&figure(right))
        }
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (left, right) => left.to_string().cmp(&right.to_string()),
    };
    if down { order.reverse() } else { order }
}
