//! `kidx inspect`: what a PyTorch module needs, read without Python and without a GPU.

mod answer;
mod page;

use kidx_importers::work;
use kidx_queries::filter::Selection;
use kidx_queries::hardware::{self, Product};
use kidx_queries::policy::roofline;
use kidx_queries::{floors, lookup};
use kidx_semantics::{Module, Understanding, Value, understand};
use rusqlite::Connection;

pub use answer::Answer;

use super::context::Context;
use super::records::{one_item_format, single};
use crate::catalog;
use crate::cli::{self, Number};
use crate::error::{EXIT_DONE, Error, Result};
use crate::fetch::{self, Target};
use crate::output::{Format, Ui};

/// Name of the answer's schema.
const SCHEMA: &str = "kidx/inspect/1";

/// Families whose floors are shown where none were asked for.
const USUAL: [&str; 2] = ["h100", "b200"];

/// Runs the command.
pub fn run(arguments: &cli::Inspect, context: &Context, ui: &mut Ui) -> Result<u8> {
    let format = context.format_or(Format::Table);
    one_item_format(format)?;
    let name = arguments.file.display().to_string();
    let target = if name == "-" {
        Target::Stdin
    } else {
        Target::Named(arguments.file.clone(), None)
    };
    let source = fetch::read(&target)?.content;
    let found = read(&source, &arguments.set, &name)?;
    let facts = work::Work::of(&found);
    // The form in which a workload keeps it is the one that floors are made of.
    let kept = serde_json::to_value(&facts)
        .and_then(serde_json::from_value)
        .map_err(|error| Error::failed("facts have no JSON form").because(error))?;
    let connection = table(context, ui)?;
    let products = products(&connection, None, context)?;
    let asked = asked(&connection, &arguments.hardware)?;
    let floors = self::products(&connection, Some(asked), context)?
        .iter()
        .map(|product| {
            floors::of_work(
                &kept,
                &product.hardware.id,
                &product.peaks,
                arguments.precision,
            )
        })
        .collect();
    let answer = Answer::of(&name, &found, facts, floors, &products);
    match format {
        Format::Table => page::write(&answer, ui)?,
        format => single(&answer, SCHEMA, vec![roofline::ID], format, context, ui)?,
    }
    Ok(EXIT_DONE)
}

/// Follows the module, with other constants where asked.
fn read(source: &[u8], set: &[(String, Number)], name: &str) -> Result<Understanding> {
    let refused = |refusal: kidx_semantics::Refusal| {
        Error::failed(format!("`{name}` can't be read as a module"))
            .because(refusal)
            .hint("a module is a Python file with `Model`, `get_inputs()` and `get_init_inputs()`")
    };
    let set: Vec<(String, Value)> = set
        .iter()
        .map(|(name, number)| {
            let value = match *number {
                Number::Whole(whole) => Value::Int(whole),
                Number::Point(point) => Value::Float(point),
            };
            (name.clone(), value)
        })
        .collect();
    let found = understand(source, &set).map_err(refused)?;
    known_constants(&found.module, &set)?;
    Ok(found)
}

/// A constant that the module doesn't have would be set in vain.
fn known_constants(module: &Module, set: &[(String, Value)]) -> Result<()> {
    let has = |name: &str| module.constants.iter().any(|(known, _)| known == name);
    for (name, _) in set {
        if !has(name) {
            let known: Vec<&str> = module
                .constants
                .iter()
                .map(|(known, _)| known.as_str())
                .collect();
            return Err(
                Error::usage(format!("the module has no constant `{name}`")).hint(format!(
                    "its constants: {}",
                    if known.is_empty() {
                        "none".to_owned()
                    } else {
                        known.join(", ")
                    }
                )),
            );
        }
    }
    Ok(())
}

/// Where the hardware table is: in the database if there is one that can be read, else
/// built in. A module needs no database, so a bad one is only worth a warning.
pub fn table(context: &Context, ui: &mut Ui) -> Result<Connection> {
    if context.path()?.exists() {
        match context.reader() {
            Ok(connection) => return Ok(connection),
            Err(error) => ui.warning(format_args!("built-in peaks are used: {error}")),
        }
    }
    catalog::open_in_memory()
}

/// Products by row, or all; nothing measured on them counts here.
pub fn products(
    connection: &Connection,
    rows: Option<Vec<i64>>,
    context: &Context,
) -> Result<Vec<Product>> {
    let mut selection = Selection::of(Vec::new());
    selection.hardware = rows;
    Ok(hardware::products(connection, &selection, context.view())?)
}

/// Rows of the products that floors are wanted for.
fn asked(connection: &Connection, named: &[String]) -> Result<Vec<i64>> {
    let mut rows = Vec::new();
    if named.is_empty() {
        for family in USUAL {
            rows.extend(lookup::hardware(connection, family)?);
        }
    } else {
        for text in named {
            rows.extend(lookup::hardware(connection, text)?);
        }
    }
    Ok(rows)
}
