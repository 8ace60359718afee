//! What SQLite alone takes to write an import's rows: copies every row of a finished
//! database into an empty one of the same schema by one prepared statement a table. Rows
//! are read ahead of the clock, so that only writing counts.
//!
//!     cargo bench --bench bare -- FINISHED.db EMPTY.db

#![expect(clippy::print_stdout, reason = "its answer is what it prints")]

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::types::Value;
use rusqlite::{Connection, Statement, params_from_iter};

/// Rows a transaction holds, as many as an import's.
const BATCH: usize = 50_000;

fn main() -> rusqlite::Result<()> {
    let paths: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    let [from, into] = paths.as_slice() else {
        println!("skipped: names no finished database and no new one");
        return Ok(());
    };
    let (rows, took) = copy(Path::new(from), Path::new(into))?;
    println!("{rows} rows in {:.3} s", took.as_secs_f64());
    Ok(())
}

/// Copies every table; returns the number of rows and how long writing them took.
fn copy(from: &Path, into: &Path) -> rusqlite::Result<(usize, Duration)> {
    let from = Connection::open(from)?;
    let into = Connection::open(into)?;
    let page: i64 = from.pragma_query_value(None, "page_size", |row| row.get(0))?;
    into.pragma_update(None, "page_size", page)?;
    into.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32000;",
    )?;
    let mut sql = from.prepare(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND type IN ('table', 'index')
         ORDER BY rowid",
    )?;
    for sql in sql.query_map([], |row| row.get::<_, String>(0))? {
        into.execute_batch(&sql?)?;
    }
    let mut names =
        from.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")?;
    let mut total = (0, Duration::ZERO);
    for name in names.query_map([], |row| row.get::<_, String>(0))? {
        let (rows, took) = table(&from, &into, &name?)?;
        total = (total.0 + rows, total.1 + took);
    }
    let started = Instant::now();
    into.close().map_err(|(_, error)| error)?;
    Ok((total.0, total.1 + started.elapsed()))
}

fn table(from: &Connection, into: &Connection, name: &str) -> rusqlite::Result<(usize, Duration)> {
    let mut read = from.prepare(&format!("SELECT * FROM {name}"))?;
    let columns = read.column_count();
    let places = vec!["?"; columns].join(", ");
    let mut insert = into.prepare(&format!("INSERT INTO {name} VALUES ({places})"))?;
    let mut rows = read.query([])?;
    let mut batch: Vec<Value> = Vec::new();
    let mut total = (0, Duration::ZERO);
    while let Some(row) = rows.next()? {
        for at in 0..columns {
            batch.push(row.get(at)?);
        }
        total.0 += 1;
        if total.0 % BATCH == 0 {
            total.1 += write(into, &mut insert, &mut batch, columns)?;
        }
    }
    total.1 += write(into, &mut insert, &mut batch, columns)?;
    Ok(total)
}

/// Writes some rows in one transaction, and forgets them.
fn write(
    into: &Connection,
    insert: &mut Statement<'_>,
    batch: &mut Vec<Value>,
    columns: usize,
) -> rusqlite::Result<Duration> {
    let started = Instant::now();
    into.execute_batch("BEGIN IMMEDIATE")?;
    for row in batch.chunks(columns) {
        insert.execute(params_from_iter(row))?;
    }
    into.execute_batch("COMMIT")?;
    batch.clear();
    Ok(started.elapsed())
}
