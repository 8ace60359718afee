//! `kidx sql`: one statement that only reads, its rows in any format.

mod guard;

use std::io;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, Statement};
use serde_json::{Map, Number, Value};

use super::context::Context;
use crate::cli;
use crate::error::{EXIT_DONE, Error, Result};
use crate::output::{
    Cell, Elide, Envelope, Format, Head, Kind, Mark, Table, TableCell, Ui, csv, json, markdown,
    units,
};

/// Name of the answer's schema.
pub const SCHEMA: &str = "kidx/sql/1";

/// Runs the command.
pub fn run(arguments: &cli::Sql, context: &Context, ui: &mut Ui) -> Result<u8> {
    let view = context.listing();
    if context.as_of_given() || context.view().known_at.is_some() {
        return Err(
            Error::usage("`--as-of` and `--known-at` don't apply to SQL")
                .hint("say it in the statement: WHERE observed_at <= '2026-03-05'"),
        );
    }
    if !view.sort.is_empty() || !view.columns.is_empty() {
        return Err(Error::usage("`--sort` and `--columns` don't apply to SQL")
            .hint("say it in the statement: SELECT columns … ORDER BY …"));
    }
    let mut connection = context.reader()?;
    guard::read_only(&mut connection)?;
    let statement = prepare(&connection, &arguments.statement)?;
    let mut answer = Answer::new(statement, view.offset, view.limit);
    match context.format_or(Format::Table) {
        Format::Table => table(&mut answer, ui)?,
        Format::Json => {
            let mut items = Vec::new();
            answer.each(|names, values| {
                items.push(object(names, values));
                Ok(())
            })?;
            json::document(ui.out(), &Envelope::timeless(SCHEMA), &items)?;
        }
        Format::Jsonl => {
            answer.each(|names, values| json::lines(ui.out(), &[object(names, values)]))?;
        }
        Format::Csv => {
            let mut rows = csv::Rows::new(ui.out());
            rows.header(answer.names.iter().map(String::as_str))?;
            answer.each(|_, values| rows.row(values.iter()))?;
            rows.finish()?;
        }
        Format::Markdown => {
            let columns: Vec<markdown::Column<'_>> = answer
                .names
                .iter()
                .map(|title| markdown::Column {
                    title,
                    numeric: false,
                })
                .collect();
            markdown::header(ui.out(), &columns)?;
            answer.each(|_, values| {
                let texts: Vec<String> = values.iter().map(text).collect();
                markdown::row(ui.out(), texts.iter().map(String::as_str))
            })?;
        }
    }
    ui.finish()?;
    Ok(EXIT_DONE)
}

/// A statement that only reads and takes no parameters.
fn prepare<'a>(connection: &'a Connection, sql: &str) -> Result<Statement<'a>> {
    let statement = connection.prepare(sql).map_err(refused)?;
    if !statement.readonly() {
        return Err(Error::usage("the statement would change the file")
            .hint("`kidx sql` only reads; runs are taken out with `kidx retract`"));
    }
    if statement.parameter_count() > 0 {
        return Err(
            Error::usage("the statement has parameters, and nothing to bind to them")
                .hint("write the values into the statement"),
        );
    }
    Ok(statement)
}

/// What SQLite says about a statement: wrong usage, unless the file is to blame.
fn refused(error: rusqlite::Error) -> Error {
    use rusqlite::{Error as Sqlite, ErrorCode as Code};
    let (code, reason) = match &error {
        Sqlite::MultipleStatement => {
            return Error::usage("more than one statement").hint("give them one by one");
        }
        Sqlite::Empty => return Error::usage("there is no statement"),
        Sqlite::SqlInputError { error, msg, .. } => (error.code, msg.clone()),
        Sqlite::SqliteFailure(failure, Some(message)) => (failure.code, message.clone()),
        _ => return error.into(),
    };
    // A refused function is an ordinary error with these words.
    let denied = code == Code::AuthorizationForStatementDenied
        || (code == Code::Unknown && reason.starts_with("not authorized"));
    match code {
        _ if denied => Error::usage("the statement does more than read")
            .because(reason)
            .hint("`kidx sql` only reads, and only this file"),
        Code::Unknown | Code::TypeMismatch | Code::TooBig => {
            Error::usage("SQLite refuses the statement")
                .because(reason)
                .hint("what to ask: `SELECT name FROM sqlite_schema WHERE type = 'view'`")
        }
        _ => error.into(),
    }
}

/// A statement about to be run.
struct Answer<'a> {
    statement: Statement<'a>,
    names: Vec<String>,
    offset: usize,
    limit: usize,
}

impl<'a> Answer<'a> {
    fn new(statement: Statement<'a>, offset: usize, limit: Option<usize>) -> Self {
        Self {
            names: distinct(statement.column_names()),
            statement,
            offset,
            limit: limit.unwrap_or(usize::MAX),
        }
    }

    /// Hands over each row of the asked page; stops after it.
    fn each(
        &mut self,
        mut take: impl FnMut(&[String], Vec<Value>) -> io::Result<()>,
    ) -> Result<()> {
        let mut rows = self.statement.query([]).map_err(refused)?;
        let mut at = 0;
        let end = self.offset.saturating_add(self.limit);
        while at < end
            && let Some(row) = rows.next().map_err(refused)?
        {
            if at >= self.offset {
                take(&self.names, values(row, self.names.len())?)?;
            }
            at += 1;
        }
        Ok(())
    }
}

/// Names of columns, made distinct so that each is a key: `n`, `n:2` …
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    for name in names {
        let mut unique = name.to_owned();
        let mut number = 1;
        while taken.contains(&unique) {
            number += 1;
            unique = format!("{name}:{number}");
        }
        taken.push(unique);
    }
    taken
}

fn values(row: &Row<'_>, columns: usize) -> Result<Vec<Value>> {
    (0..columns).map(|at| Ok(value(row.get_ref(at)?))).collect()
}

/// A value as JSON has it. Blobs are text in SQLite's own notation, and so are the
/// infinities that JSON has no number for.
fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::from(number),
        ValueRef::Real(number) => {
            Number::from_f64(number).map_or_else(|| Value::from(number.to_string()), Value::Number)
        }
        ValueRef::Text(text) => Value::from(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => {
            Value::from(format!("x'{}'", crate::catalog::identity::hex(bytes)))
        }
    }
}

fn object(names: &[String], values: Vec<Value>) -> Value {
    Value::Object(names.iter().cloned().zip(values).collect::<Map<_, _>>())
}

/// As a person reads it.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn table(answer: &mut Answer<'_>, ui: &mut Ui) -> Result<()> {
    let mut rows: Vec<Vec<Value>> = Vec::new();
    answer.each(|_, values| {
        rows.push(values);
        Ok(())
    })?;
    let heads = answer.names.iter().enumerate().map(|(at, name)| Head {
        title: name.clone(),
        kind: kind(rows.iter().filter_map(|row| row.get(at))),
        // The statement's first columns stay longest.
        priority: u8::try_from(at).unwrap_or(u8::MAX),
        min_width: 8,
    });
    let mut table = Table::new(heads.collect());
    for row in &rows {
        let cells = row.iter().map(|value| match value {
            Value::Null => TableCell {
                text: Cell::none().text,
                mark: Mark::Dim,
            },
            other => TableCell {
                text: text(other),
                mark: Mark::Plain,
            },
        });
        table.row(cells);
    }
    if rows.is_empty() {
        ui.note("no rows");
        return Ok(());
    }
    let laid = table.lay_out(ui.width(), ui.paint());
    ui.out().write_all(laid.text.as_bytes())?;
    ui.aside(units::counted(rows.len() as u64, "row"));
    Ok(())
}

/// Figures, if there are any and nothing else.
fn kind<'a>(mut values: impl Iterator<Item = &'a Value> + Clone) -> Kind {
    let figures = values.clone().any(Value::is_number);
    if figures && values.all(|value| value.is_number() || value.is_null()) {
        Kind::Number
    } else {
        Kind::Text(Elide::End)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_distinct() {
        let names = ["n", "m", "n", "n:2", "n"];
        assert_eq!(
            distinct(names.into_iter()),
            ["n", "m", "n:2", "n:2:2", "n:3"]
        );
    }

    #[test]
    fn values_as_json() {
        for (from, to) in [
            (ValueRef::Null, Value::Null),
            (ValueRef::Integer(i64::MAX), Value::from(i64::MAX)),
            (ValueRef::Real(0.5), Value::from(0.5)),
            (ValueRef::Real(f64::INFINITY), Value::from("inf")),
            (ValueRef::Text(b"a\xff"), Value::from("a\u{fffd}")),
            (ValueRef::Blob(&[0x0a, 0xff]), Value::from("x'0aff'")),
        ] {
            assert_eq!(value(from), to);
        }
    }

    #[test]
    fn only_one_statement_that_reads() {
        let mut connection = crate::catalog::open_in_memory().unwrap();
        guard::read_only(&mut connection).unwrap();
        for sql in [
            "SELECT 1",
            "SELECT count(*) FROM v_run;  -- and nothing else",
            "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT * FROM n",
            "EXPLAIN QUERY PLAN SELECT * FROM v_record",
            "SELECT value FROM json_each('[1, 2]')",
            "PRAGMA table_info(measurement)",
            "SELECT name FROM pragma_table_list",
            "PRAGMA user_version",
            "VALUES (1, 2)",
        ] {
            prepare(&connection, sql).unwrap();
        }
        for sql in [
            "DELETE FROM measurement",
            "UPDATE source SET name = ''",
            "CREATE TABLE t (x)",
            "CREATE TEMP TABLE t (x)",
            "ATTACH 'other.db' AS other",
            "DETACH main",
            "VACUUM INTO 'copy.db'",
            "BEGIN IMMEDIATE",
            "PRAGMA journal_mode = DELETE",
            "PRAGMA query_only = 0",
            "PRAGMA user_version = 7",
            "PRAGMA wal_checkpoint",
            "PRAGMA optimize",
            "SELECT load_extension('x')",
            "SELECT 1; SELECT 2",
            "SELECT 1; DROP TABLE run",
            "SELECT ?1",
            "SELECT nonsense FROM nowhere",
            "SELEC",
            "",
            "-- nothing",
        ] {
            let refused = prepare(&connection, sql).map(|_| ()).unwrap_err();
            assert_eq!(refused.kind, crate::error::Kind::Usage, "{sql}: {refused}");
        }
    }
}
