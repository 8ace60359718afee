//! A mapping as it was understood: which column or path of a file is what.

use std::collections::BTreeMap;

use crate::metric::{Quantity, Scale};
use crate::{Protocol, Terms};

/// A whole mapping.
#[derive(Debug, Clone)]
pub(super) struct Mapping {
    /// Format of the file, if the mapping says it.
    pub(super) format: Option<Format>,
    /// Delimiter of a CSV file, if the mapping says it.
    pub(super) delimiter: Option<u8>,
    /// Path of the rows in a JSON document.
    pub(super) rows: Option<String>,
    /// Texts that stand for nothing, beside the empty one.
    pub(super) absent: Vec<String>,
    /// First part of every operation's slug.
    pub(super) suite: String,
    /// Who ran it.
    pub(super) provider: Option<Field>,
    /// Names of the implementations that others are held against.
    pub(super) baseline: Vec<String>,
    /// When a row was measured.
    pub(super) date: Option<Date>,
    /// Software versions by name.
    pub(super) software: BTreeMap<String, Field>,
    /// Columns kept as evidence beside the figures.
    pub(super) texts: Vec<String>,
    /// How it was timed; the statistic is each metric's.
    pub(super) protocol: Protocol,
    /// Under which terms the figures may be used.
    pub(super) terms: Terms,
    /// What is measured, with all the facts that each row states of it.
    pub(super) metrics: Vec<MetricSpec>,
}

/// Formats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// Delimited text under a header.
    Csv,
    /// One JSON document.
    Json,
    /// A JSON value on each line.
    JsonLines,
}

/// Where a fact of a row comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) from: From,
    /// What the file's words stand for.
    pub(super) words: BTreeMap<String, String>,
}

/// A column or path, or the same for every row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum From {
    Column(String),
    Constant(String),
}

impl Field {
    pub(super) fn column(name: impl Into<String>) -> Self {
        Self {
            from: From::Column(name.into()),
            words: BTreeMap::new(),
        }
    }

    pub(super) fn constant(text: impl Into<String>) -> Self {
        Self {
            from: From::Constant(text.into()),
            words: BTreeMap::new(),
        }
    }

    /// The column it reads, if it reads one.
    pub(super) fn reads(&self) -> Option<&str> {
        match &self.from {
            From::Column(name) => Some(name),
            From::Constant(_) => None,
        }
    }
}

/// When a row was measured, and how that is written.
#[derive(Debug, Clone)]
pub(super) struct Date {
    pub(super) field: Field,
    /// `%Y%m%d_%H%M%S`, `unix`, `unix-ms`; ISO 8601 where nothing is said.
    pub(super) format: Option<String>,
}

/// Facts that a row states of what ran; a metric's own come before those of the mapping.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    pub(super) operation: Option<Field>,
    pub(super) group: Option<Field>,
    pub(super) family: Option<Field>,
    pub(super) title: Option<Field>,
    pub(super) dtype: Option<Field>,
    pub(super) implementation: Option<Field>,
    pub(super) version: Option<Field>,
    pub(super) project: Option<Field>,
    pub(super) language: Option<Field>,
    pub(super) interface: Option<Field>,
    pub(super) role: Option<Field>,
    pub(super) implementation_license: Option<Field>,
    pub(super) hardware: Option<Field>,
    pub(super) axes: Vec<Axis>,
    pub(super) statuses: Vec<Field>,
    pub(super) conditions: Vec<Condition>,
}

/// One entry of `axes`.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    pub(super) field: Field,
    pub(super) names: AxisNames,
}

/// What the axes that come of an entry are called.
#[derive(Debug, Clone)]
pub(super) enum AxisNames {
    /// One axis.
    One(String),
    /// One axis, named by another column.
    By(String),
    /// Several in one text, with what stands between them; items of an array.
    Split(Vec<String>, String),
    /// The members of an object, by their keys.
    Members,
}

/// A condition on rows: a column's text is one of these, or none of these.
#[derive(Debug, Clone)]
pub(super) struct Condition {
    pub(super) column: String,
    pub(super) texts: Vec<String>,
    pub(super) wanted: bool,
}

/// One figure of a row.
#[derive(Debug, Clone)]
pub(super) struct MetricSpec {
    pub(super) value: String,
    pub(super) unit: UnitSpec,
    pub(super) quantity: Option<Quantity>,
    pub(super) statistic: Field,
    pub(super) std: Option<String>,
    pub(super) min: Option<String>,
    pub(super) max: Option<String>,
    pub(super) low: Option<String>,
    pub(super) high: Option<String>,
    pub(super) samples: Option<Field>,
    pub(super) facts: Facts,
}

/// The unit of a figure.
#[derive(Debug, Clone)]
pub(super) enum UnitSpec {
    /// The same for all rows, and as the mapping writes it.
    Stated(Scale, String),
    /// A column says it.
    Column(Field),
}

impl MetricSpec {
    /// Every column that it reads, in the order of a reader's interest.
    pub(super) fn reads(&self) -> Vec<&str> {
        let facts = &self.facts;
        let mut columns = vec![self.value.as_str()];
        if let UnitSpec::Column(field) = &self.unit {
            columns.extend(field.reads());
        }
        columns.extend(self.statistic.reads());
        columns.extend(
            [&self.std, &self.min, &self.max, &self.low, &self.high]
                .into_iter()
                .filter_map(Option::as_deref),
        );
        let fields = [
            &self.samples,
            &facts.operation,
            &facts.group,
            &facts.family,
            &facts.title,
            &facts.dtype,
            &facts.implementation,
            &facts.version,
            &facts.project,
            &facts.language,
            &facts.interface,
            &facts.role,
            &facts.implementation_license,
            &facts.hardware,
        ];
        columns.extend(fields.into_iter().flatten().filter_map(Field::reads));
        columns.extend(facts.statuses.iter().filter_map(Field::reads));
        columns.extend(facts.conditions.iter().map(|on| on.column.as_str()));
        for axis in &facts.axes {
            columns.extend(axis.field.reads());
            if let AxisNames::By(column) = &axis.names {
                columns.push(column);
            }
        }
        columns
    }
}

impl Mapping {
    /// Every column that it reads, each once.
    pub(super) fn reads(&self) -> Vec<&str> {
        let mut columns: Vec<&str> = self.metrics.iter().flat_map(MetricSpec::reads).collect();
        columns.extend(self.provider.iter().filter_map(Field::reads));
        columns.extend(self.date.iter().filter_map(|date| date.field.reads()));
        columns.extend(self.software.values().filter_map(Field::reads));
        columns.extend(self.texts.iter().map(String::as_str));
        let mut seen = std::collections::HashSet::new();
        columns.retain(|column| seen.insert(*column));
        columns
    }
}
