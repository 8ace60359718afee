//! Figures of products that the user gives: a CSV file with an `id` column and any of the
//! figures of the built-in table. Floors and pages take them first and say so; doubts and
//! suite versions, which decide identity, go by the built-in ones alone.

use rusqlite::{Connection, ToSql, TransactionBehavior, params_from_iter};
use schemars::JsonSchema;
use serde::Serialize;

use super::hardware::Products;
use super::identity;
use crate::error::{Error, Result};

/// Columns of the file, in the order in which `give_peaks.sql` takes them.
pub const COLUMNS: [&str; 15] = [
    "memory_gb",
    "memory_bandwidth_gbs",
    "fp64",
    "fp64_tensor",
    "fp32",
    "tf32_tensor",
    "fp16_tensor",
    "bf16_tensor",
    "fp8_tensor",
    "int8_tensor",
    "fp4_tensor",
    "sm_or_cu_count",
    "boost_clock_mhz",
    "l2_mb",
    "llc_mb",
];

/// What a file gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Given {
    /// The file, with the digest of its bytes.
    pub source: String,
    /// Products that figures were given for.
    pub products: Vec<String>,
    /// Figures given.
    pub figures: usize,
}

/// One product's line.
struct Line {
    id: String,
    figures: [Option<f64>; COLUMNS.len()],
}

/// Replaces all given figures by those of a file; one with a header alone takes them away.
pub fn give(connection: &mut Connection, name: &str, content: &[u8]) -> Result<Given> {
    let lines = read(name, content)?;
    let digest = identity::sha256(content);
    let source = format!("{name} ({})", digest.get(..15).unwrap_or(&digest));
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute("DELETE FROM given_peaks", [])?;
    // Products that nothing but given figures was known of go with them.
    transaction.execute(include_str!("sql/forget_spellings.sql"), [])?;
    transaction.execute(include_str!("sql/forget_products.sql"), [])?;
    let mut products = Products::default();
    let mut given = Given {
        source,
        products: Vec::new(),
        figures: 0,
    };
    for line in &lines {
        let product = find(&transaction, &mut products, &line.id)?;
        let mut statement = transaction.prepare_cached(include_str!("sql/give_peaks.sql"))?;
        let row: [&dyn ToSql; 2] = [&product.0, &given.source];
        let figures = line.figures.iter().map(|figure| figure as &dyn ToSql);
        statement.execute(params_from_iter(row.into_iter().chain(figures)))?;
        given.figures += line.figures.iter().flatten().count();
        given.products.push(product.1);
    }
    transaction.commit()?;
    Ok(given)
}

/// The product of an id, or of a device string; a new one is made.
fn find(connection: &Connection, products: &mut Products, id: &str) -> Result<(i64, String)> {
    let by_slug = connection
        .prepare_cached("SELECT id FROM hardware WHERE slug = ?1")?
        .query_map([id], |row| row.get::<_, i64>(0))?
        .next()
        .transpose()?;
    if let Some(row) = by_slug {
        return Ok((row, id.to_owned()));
    }
    let ids: Vec<String> = connection
        .prepare_cached("SELECT slug FROM hardware WHERE family = lower(?1) OR short = lower(?1)")?
        .query_map([id], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    match ids.as_slice() {
        [] => {}
        [only] => return find(connection, products, only),
        several => {
            return Err(Error::failed(format!("`{id}` is several products"))
                .hint(format!("name one by its id: {}", several.join(", "))));
        }
    }
    let product = products.resolve(connection, id)?;
    Ok((product.id, product.slug))
}

/// Makes the products that figures were given for, in another catalogue.
pub fn name_again(from: &Connection, to: &Connection) -> Result<()> {
    let mut statement = from.prepare(
        "SELECT h.product FROM given_peaks g JOIN hardware h ON h.id = g.hardware_id
         WHERE h.listed = 0",
    )?;
    let names = statement.query_map([], |row| row.get(0))?;
    let mut products = Products::default();
    for name in names.collect::<rusqlite::Result<Vec<String>>>()? {
        products.resolve(to, &name)?;
    }
    Ok(())
}

fn read(name: &str, content: &[u8]) -> Result<Vec<Line>> {
    let unreadable =
        |error: csv::Error| Error::failed(format!("`{name}` is no CSV table")).because(error);
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(content);
    let headers = reader.headers().map_err(unreadable)?.clone();
    let id_at = headers
        .iter()
        .position(|header| header == "id")
        .ok_or_else(|| {
            Error::failed(format!("`{name}` has no column `id`")).hint(format!(
                "the first line names columns: id, {}",
                COLUMNS.join(", ")
            ))
        })?;
    if let Some(unknown) = headers
        .iter()
        .find(|header| *header != "id" && COLUMNS.iter().all(|known| known != header))
    {
        return Err(Error::failed(format!(
            "`{name}` has a column `{unknown}` that means nothing here"
        ))
        .hint(format!("columns: id, {}", COLUMNS.join(", "))));
    }
    let mut lines: Vec<Line> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(unreadable)?;
        let at = record.position().map_or(0, csv::Position::line);
        let wrong = |what: String| Error::failed(format!("`{name}`, line {at}: {what}"));
        let id = record.get(id_at).unwrap_or_default();
        if id.is_empty() {
            return Err(wrong("no id".to_owned())
                .hint("an id of `kidx hardware --all`, or the string that tools print"));
        }
        if lines.iter().any(|line| line.id == id) {
            return Err(wrong(format!("`{id}` stands there a second time")));
        }
        let mut figures = [None; COLUMNS.len()];
        for (figure, column) in figures.iter_mut().zip(COLUMNS) {
            let cell = headers
                .iter()
                .position(|header| header == column)
                .and_then(|at| record.get(at))
                .filter(|cell| !cell.is_empty());
            if let Some(cell) = cell {
                let number = cell
                    .parse()
                    .ok()
                    .filter(|n: &f64| n.is_finite() && *n > 0.0);
                *figure = Some(number.ok_or_else(|| {
                    wrong(format!("`{column}` is `{cell}`, not a positive number"))
                        .hint("a blank cell leaves the built-in figure")
                })?);
            }
        }
        lines.push(Line {
            id: id.to_owned(),
            figures,
        });
    }
    Ok(lines)
}
