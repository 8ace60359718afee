//! `kidx verify`: is the file what it says?

use super::context::Context;
use super::records::single;
use crate::catalog::verify::{self, Finding, Report};
use crate::error::{EXIT_DONE, EXIT_FOUND, Result};
use crate::output::{Cell, Column, Envelope, Format, Listing, Mark, Ui, units};

/// Name of the answer's schema.
pub const SCHEMA: &str = "kidx/verify/1";

/// Runs the command.
pub fn run(context: &Context, ui: &mut Ui) -> Result<u8> {
    let connection = context.reader()?;
    let progress = ui.progress(None, "verifying");
    let report = verify::verify(&connection)?;
    drop(progress);
    let code = if report.findings.is_empty() {
        EXIT_DONE
    } else {
        EXIT_FOUND
    };
    match context.format_or(Format::Table) {
        format @ (Format::Json | Format::Jsonl) => {
            single(&report, SCHEMA, Vec::new(), format, context, ui)?;
        }
        format => findings(report, format, context, ui)?,
    }
    Ok(code)
}

/// The findings as rows; for people, also what was checked.
fn findings(report: Report, format: Format, context: &Context, ui: &mut Ui) -> Result<()> {
    let summary = summary(&report);
    let sound = report.findings.is_empty();
    let mut listing = Listing::new(columns(), report.findings);
    context.listing().apply(&mut listing)?;
    if format != Format::Table || !sound {
        ui.listing(format, &Envelope::timeless(SCHEMA), &listing)?;
    }
    if format == Format::Table {
        writeln!(ui.out(), "{summary}")?;
        ui.finish()?;
    }
    Ok(())
}

fn summary(report: &Report) -> String {
    let verdict = match report.findings.len() {
        0 => "the file is sound".to_owned(),
        1 => "1 finding".to_owned(),
        several => format!("{} findings", units::count(several as u64)),
    };
    format!(
        "{verdict}: {} digests recomputed, {} snapshots unpacked, {} figures found again, \
         {} derived rows rebuilt",
        units::count(report.digests),
        units::count(report.snapshots),
        units::count(report.figures),
        units::count(report.derived),
    )
}

fn columns() -> Vec<Column<Finding>> {
    vec![
        Column::fixed("code", "Code", |f: &Finding| {
            Cell::text(f.code).mark(Mark::Bad)
        }),
        Column::id("subject", "Subject", |f: &Finding| Cell::text(&f.subject)).min_width(20),
        Column::text("message", "Finding", |f: &Finding| Cell::text(&f.message)).min_width(20),
    ]
}
