//! `kidx export`: every run, for other programs. The same content gives the same bytes.

use std::path::Path;

use kidx_queries::export::{AGE_COLUMNS, COLUMNS, Export, Options, PROVENANCE_COLUMNS, Row};
use serde_json::Value;

use super::context::{self, Context};
use crate::cli;
use crate::error::{EXIT_DONE, Error, Kind, Result};
use crate::export::{
    ExportColumn, ExportFormat, ExportSource, Header, Record, Target, with_target,
};
use crate::output::{Ui, units};

/// Runs the command.
pub fn run(arguments: &cli::Export, context: &Context, ui: &mut Ui) -> Result<u8> {
    let format = format(arguments, context)?;
    let view = context.listing();
    if !view.sort.is_empty() {
        return Err(Error::usage(
            "an export has one order, so that equal content gives equal bytes",
        )
        .hint("leave out `--sort`"));
    }
    let options = Options {
        as_of: context.as_of_given().then_some(context.view().as_of),
        known_at: context.view().known_at.clone(),
        provenance: arguments.with_provenance,
        restricted: arguments.include_restricted,
    };
    let columns = columns(&view.columns, &options)?;
    let keep = (!view.columns.is_empty()).then(|| columns.clone());
    let connection = context.reader()?;
    // One transaction, so that an import meanwhile doesn't change the second half.
    let snapshot = connection.unchecked_transaction()?;
    let selection = context::select(&snapshot, &arguments.filters)?;
    let export = Export::prepare(&snapshot, selection, options)?;
    let header = Header {
        schema: "kidx/export/1",
        sources: publishers(&export, arguments),
        columns,
    };
    let window = view.offset..view.offset.saturating_add(view.limit.unwrap_or(usize::MAX));
    let target = Target::named(arguments.output.as_deref());
    let progress = ui.progress(None, "exporting");
    let done = with_target(&target, ui.out(), |out| {
        let mut exporter = format.exporter(out);
        exporter.begin(&header)?;
        let mut done = Done::default();
        done.left_out = export.rows(&snapshot, |row| {
            if window.contains(&done.rows) {
                exporter.row(&record(&row, keep.as_deref())?)?;
                done.written += 1;
            }
            done.rows += 1;
            Ok::<(), Error>(())
        })?;
        exporter.end()?;
        Ok::<Done, Error>(done)
    });
    drop(progress);
    let done = done.map_err(|error| about(error, &target))?;
    ui.finish()?;
    done.say(ui, &target);
    Ok(EXIT_DONE)
}

/// How many runs were written, of how many, and how many were left out.
#[derive(Default)]
struct Done {
    written: u64,
    rows: usize,
    left_out: u64,
}

impl Done {
    fn say(&self, ui: &mut Ui, target: &Target) {
        if self.left_out > 0 {
            ui.warning(format_args!(
                "{} left out: their terms don't allow passing them on (`--include-restricted` writes them too)",
                units::counted(self.left_out, "run")
            ));
        }
        if let Target::File(path) = target {
            let written = units::counted(self.written, "run");
            ui.note(format_args!("{written} written to `{}`", path.display()));
        }
    }
}

/// What `--format` asks for, else what the target's ending says, else JSON.
fn format(arguments: &cli::Export, context: &Context) -> Result<ExportFormat> {
    const HINT: &str = "use `--format json`, `jsonl`, `csv` or `markdown`";
    if let Some(asked) = context.asked_format() {
        return ExportFormat::asked(asked)
            .ok_or_else(|| Error::usage("an export is for programs, not a table").hint(HINT));
    }
    match arguments.output.as_deref() {
        Some(path) if path != Path::new("-") => ExportFormat::of(path).ok_or_else(|| {
            Error::usage(format!(
                "the ending of `{}` names no format of an export",
                path.display()
            ))
            .hint(HINT)
        }),
        _ => Ok(ExportFormat::Json),
    }
}

/// The columns that are asked for, in that order, else all that the options give.
fn columns(names: &[String], options: &Options) -> Result<Vec<ExportColumn>> {
    let mut all = COLUMNS.to_vec();
    if options.as_of.is_some() {
        all.extend(AGE_COLUMNS);
    }
    if options.provenance {
        all.extend(PROVENANCE_COLUMNS);
    }
    let column = |&(key, numeric): &(&'static str, bool)| ExportColumn { key, numeric };
    if names.is_empty() {
        return Ok(all.iter().map(column).collect());
    }
    names
        .iter()
        .map(|name| {
            all.iter()
                .find(|(key, _)| key == name)
                .map(column)
                .ok_or_else(|| {
                    let known: Vec<&str> = all.iter().map(|(key, _)| *key).collect();
                    Error::usage(format!(
                        "no column `{name}`; there are {}",
                        known.join(", ")
                    ))
                })
        })
        .collect()
}

/// Who published what is exported; a source that gives no rows isn't named.
fn publishers(export: &Export, arguments: &cli::Export) -> Vec<ExportSource> {
    let only = arguments.filters.source.as_deref();
    export
        .sources()
        .iter()
        .filter(|source| arguments.include_restricted || source.redistribution != Some(false))
        .filter(|source| only.is_none_or(|slug| slug.eq_ignore_ascii_case(&source.slug)))
        .map(|source| ExportSource {
            slug: source.slug.clone(),
            name: source.name.clone(),
            home: source.home.clone(),
            data_license: source.data_license.clone(),
            attribution: source.attribution.clone(),
        })
        .collect()
}

/// A row as its keys and values, or those that are asked for.
fn record(row: &Row, keep: Option<&[ExportColumn]>) -> Result<Record> {
    let unwritable = |error| Error::failed("a run can't be written as JSON").because(error);
    let mut all = match serde_json::to_value(row).map_err(unwritable)? {
        Value::Object(all) => all,
        _ => Record::new(),
    };
    Ok(match keep {
        None => all,
        Some(columns) => columns
            .iter()
            .map(|column| {
                let value = all.remove(column.key).unwrap_or_default();
                (column.key.to_owned(), value)
            })
            .collect(),
    })
}

/// Says which file a failure is about.
fn about(mut error: Error, target: &Target) -> Error {
    if let Target::File(path) = target
        && error.kind == Kind::Failed
    {
        error.message = format!("exporting to `{}`: {}", path.display(), error.message);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_follow_the_options_and_the_names() {
        let keys = |names: &[&str], options: &Options| -> Result<Vec<&'static str>> {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            let columns = columns(&names, options)?;
            Ok(columns.iter().map(|column| column.key).collect())
        };
        let plain = Options::default();
        let dated = Options {
            as_of: "2026-09-15".parse().ok(),
            ..Options::default()
        };
        assert_eq!(keys(&[], &plain).unwrap().len(), COLUMNS.len());
        assert!(!keys(&[], &plain).unwrap().contains(&"as_of"));
        assert!(keys(&[], &dated).unwrap().contains(&"as_of"));
        assert_eq!(
            keys(&["latency_ns", "run"], &plain).unwrap(),
            ["latency_ns", "run"]
        );
        assert_eq!(keys(&["age_days"], &plain).unwrap_err().kind, Kind::Usage);
        assert_eq!(keys(&["age_days"], &dated).unwrap(), ["age_days"]);
    }
}
