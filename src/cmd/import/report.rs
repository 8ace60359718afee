//! How an import reads on a terminal: the records it set on standard output, the talk
//! about files and issues on standard error.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use kidx_importers::Severity;

use super::answer::{Answer, FileReport, IssueReport};
use crate::catalog::ingest::Outcome;
use crate::cmd::context::Context;
use crate::cmd::records;
use crate::error::Result;
use crate::output::{Format, Ui, units, visible};

/// Records listed before the rest is only counted.
pub(super) const SHOWN_RECORDS: usize = 12;

/// Files listed before only remarkable ones are.
const SHOWN_FILES: usize = 12;

/// Issues listed per code before the rest is only counted.
const SHOWN_PER_CODE: usize = 5;

/// Writes the answer in the asked format.
pub fn write(answer: &Answer, context: &Context, ui: &mut Ui) -> Result<()> {
    let format = context.format_or(Format::Table);
    if format == Format::Table {
        return table(answer, context, ui);
    }
    records::single(
        answer,
        "kidx/import/1",
        records_policies(),
        format,
        context,
        ui,
    )
}

fn records_policies() -> Vec<&'static str> {
    kidx_queries::records::policies(kidx_queries::floors::FloorPolicy::default())
}

fn table(answer: &Answer, context: &Context, ui: &mut Ui) -> Result<()> {
    files(answer, context, ui);
    issues(answer, ui);
    let totals = &answer.totals;
    ui.note(format_args!(
        "read {} = inserted {} + unchanged {} + rejected {} · {} ms{}",
        units::count(totals.read),
        units::count(totals.inserted),
        units::count(totals.unchanged),
        units::count(totals.rejected),
        answer.elapsed_ms,
        if answer.dry_run {
            " · dry run, nothing was written"
        } else {
            ""
        }
    ));
    let changed = &answer.records;
    if changed.set + changed.broken == 0 {
        ui.note("no record changed");
        return Ok(());
    }
    ui.note(format_args!(
        "records: {} set, {} broken",
        units::count(changed.set as u64),
        units::count(changed.broken as u64)
    ));
    let shown = changed.items.len().min(SHOWN_RECORDS);
    records::table(&changed.items[..shown], context, ui)?;
    let changed = changed.set + changed.broken;
    if shown < changed {
        ui.note(format_args!(
            "and {} more: `kidx records` lists them",
            units::count((changed - shown) as u64)
        ));
    }
    Ok(())
}

/// Each file on a line if they are few; of many only those that something is to be said
/// of. What was assumed is said once, with the number of files.
fn files(answer: &Answer, context: &Context, ui: &mut Ui) {
    let few = answer.files.len() <= SHOWN_FILES || context.is_verbose();
    let mut plain = 0;
    for file in &answer.files {
        let remarkable = file.outcome != Outcome::Imported || file.rejected > 0;
        if few || remarkable {
            ui.note(line(file));
        } else {
            plain += 1;
        }
    }
    if plain > 0 {
        ui.note(format_args!(
            "{} more files, nothing rejected (`-v` lists them)",
            units::count(plain)
        ));
    }
    let mut assumed: BTreeMap<&str, u64> = BTreeMap::new();
    for assumption in answer.files.iter().flat_map(|file| &file.assumptions) {
        *assumed.entry(assumption).or_default() += 1;
    }
    for (assumption, files) in assumed {
        let files = units::counted(files, "file");
        ui.aside(format_args!("assumed of {files}: {assumption}"));
    }
}

fn line(file: &FileReport) -> String {
    // A name may hold a line break, and must not pass for another line.
    let mut line = visible(&file.path).into_owned();
    match file.outcome {
        Outcome::Refused => line.push_str(": refused, nothing of it was used"),
        Outcome::Ignored => line.push_str(": ignored, not recognised"),
        Outcome::Imported | Outcome::Copy => {
            if let (Some(source), Some(why)) = (&file.source, &file.recognised) {
                let _ = write!(line, ": {source}, since it is {why}");
            }
            // Writing to a String can't fail.
            let _ = write!(
                line,
                ": {} records: {} inserted, {} unchanged, {} rejected",
                file.records, file.inserted, file.unchanged, file.rejected
            );
            for (count, word) in [(file.superseded, "superseded"), (file.gone, "gone")] {
                if count > 0 {
                    let _ = write!(line, ", {count} {word}");
                }
            }
            let _ = match (&file.observed_on, &file.observed_basis) {
                (Some(day), Some(basis)) => write!(line, " · observed {day} ({basis})"),
                _ => write!(line, " · observation date unknown"),
            };
            if let Some(first) = &file.copy_of {
                let _ = write!(line, " · copy of {}", visible(first));
            }
        }
    }
    line
}

fn issues(answer: &Answer, ui: &mut Ui) {
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for issue in &answer.issues {
        let count = shown.entry(&issue.code).or_default();
        *count += 1;
        if *count <= SHOWN_PER_CODE {
            say(issue, ui);
        }
    }
    for (code, count) in shown {
        if count > SHOWN_PER_CODE {
            ui.note(format_args!(
                "{code}: {} more like these (`--json` lists all)",
                count - SHOWN_PER_CODE
            ));
        }
    }
}

fn say(issue: &IssueReport, ui: &mut Ui) {
    let mut place = visible(&issue.file).into_owned();
    for number in [issue.place.line, issue.place.column].into_iter().flatten() {
        // Writing to a String can't fail.
        let _ = write!(place, ":{number}");
    }
    if !issue.place.pointer.is_empty() {
        let _ = write!(place, " {}", issue.place.pointer);
    }
    let text = format!("{place}: {} [{}]", issue.message, issue.code);
    match issue.severity {
        Severity::Error => ui.error(text),
        Severity::Warning => ui.warning(text),
        Severity::Note => ui.note(text),
    }
    if let Some(hint) = &issue.hint {
        ui.hint(hint);
    }
}
