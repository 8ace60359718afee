//! Rows in and out: how the columns that many questions select become entities.

use std::cell::Cell;
use std::fmt::Write as _;

use rusqlite::types::{FromSql, FromSqlResult, ValueRef};
use rusqlite::{Row, Statement};
use serde::de::DeserializeOwned;

use crate::entities::{Implementation, Operation, Workload};
use crate::error::{Error, Result};

/// A row whose columns are read by name.
pub(crate) trait Fields {
    /// The value of a column.
    fn field<T: FromSql>(&self, name: &str) -> rusqlite::Result<T>;

    /// The value of a column, where it lies.
    fn value(&self, name: &str) -> rusqlite::Result<ValueRef<'_>>;

    /// The text of a column, where it lies.
    fn text(&self, name: &str) -> Result<Option<&str>> {
        let text = self.value(name)?.as_str_or_null();
        text.map_err(|_| Error::Damaged(format!("`{name}` is no text")))
    }

    /// What a column of JSON holds; NULL is `null`.
    fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        Ok(serde_json::from_str(self.text(name)?.unwrap_or("null"))?)
    }
}

impl Fields for Row<'_> {
    fn field<T: FromSql>(&self, name: &str) -> rusqlite::Result<T> {
        self.get(name)
    }

    fn value(&self, name: &str) -> rusqlite::Result<ValueRef<'_>> {
        self.get_ref(name)
    }
}

/// A statement's columns. They are nearly always asked for in their order, so each is first
/// looked for behind the one before. Looking names up in the row itself compares them one by
/// one, each time: a third of the time of a question with hundreds of wide rows.
pub(crate) struct Columns {
    names: Vec<Box<str>>,
    next: Cell<usize>,
}

impl Columns {
    pub(crate) fn of(statement: &Statement<'_>) -> Self {
        Self {
            names: statement.column_names().map(Box::from).collect(),
            next: Cell::new(0),
        }
    }

    pub(crate) fn row<'a, 'r>(&'a self, row: &'a Row<'r>) -> Indexed<'a, 'r> {
        self.next.set(0);
        Indexed { row, columns: self }
    }

    fn find(&self, name: &str) -> Option<usize> {
        let is = |at: &usize| self.names.get(*at).is_some_and(|own| **own == *name);
        let next = self.next.get();
        let at = Some(next)
            .filter(is)
            .or_else(|| (0..self.names.len()).find(is))?;
        self.next.set(at + 1);
        Some(at)
    }
}

/// A row with its columns found beforehand.
pub(crate) struct Indexed<'a, 'r> {
    row: &'a Row<'r>,
    columns: &'a Columns,
}

impl Indexed<'_, '_> {
    fn find(&self, name: &str) -> rusqlite::Result<usize> {
        let found = self.columns.find(name);
        found.ok_or_else(|| rusqlite::Error::InvalidColumnName(name.to_owned()))
    }
}

impl Fields for Indexed<'_, '_> {
    fn field<T: FromSql>(&self, name: &str) -> rusqlite::Result<T> {
        self.row.get(self.find(name)?)
    }

    fn value(&self, name: &str) -> rusqlite::Result<ValueRef<'_>> {
        self.row.get_ref(self.find(name)?)
    }
}

/// Bytes as hex digits.
pub(crate) struct Hex(pub(crate) String);

impl FromSql for Hex {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value
            .as_blob()
            .map(|bytes| Self(faster_hex::hex_string(bytes)))
    }
}

/// Rows as a JSON array, to be bound to one parameter.
pub fn json_array(rows: &[i64]) -> String {
    let mut text = String::with_capacity(8 * rows.len() + 2);
    for id in rows {
        text.push(if text.is_empty() { '[' } else { ',' });
        // Writing to a string cannot fail.
        let _ = write!(text, "{id}");
    }
    text.push_str(if text.is_empty() { "[]" } else { "]" });
    text
}

/// The operation that `slug`, `name`, `suite`, `level_number`, `problem` and `family`
/// describe.
pub(crate) fn operation(row: &impl Fields) -> Result<Operation> {
    Ok(Operation {
        slug: row.field("slug")?,
        name: row.field("name")?,
        suite: row.field("suite")?,
        level: row.field("level_number")?,
        problem: row.field("problem")?,
        family: row.field("family")?,
    })
}

/// The workload that `summary`, `axes`, `dtype`, `workload_digest`, `shapes_known` and
/// `suite_version` describe.
pub(crate) fn workload(row: &impl Fields) -> Result<Workload> {
    Ok(Workload {
        summary: row.field("summary")?,
        axes: row.json("axes")?,
        dtype: row.field("dtype")?,
        digest: row.field("workload_digest")?,
        shapes_known: row.field("shapes_known")?,
        suite_version: row.field("suite_version")?,
    })
}

/// The implementation of a row; its licence is for the caller to conclude.
pub(crate) fn implementation(row: &impl Fields) -> Result<Implementation> {
    Ok(Implementation {
        name: row.field("implementation")?,
        slug: row.field("implementation_slug")?,
        project: row.field("project")?,
        language: row.field("language")?,
        interface: row.field("interface")?,
        role: row.field("role")?,
        license: None,
        digest: row.field("implementation_digest")?,
    })
}
