//! The page of a snapshot.

use kidx_queries::show::snapshot::{Issues, ReadingLine, SnapshotPage};

use super::provenance;
use super::words::{pair, table};
use crate::output::{Cell, Column, Mark, Page, units};

/// Writes the page.
pub(super) fn write(of: &SnapshotPage, page: &mut Page) {
    page.title(&of.digest);
    let size = u64::try_from(of.size_bytes).unwrap_or_default();
    page.prose(
        Mark::Dim,
        &format!("{} · {}", units::bytes(size), runs(of.runs, "run")),
    );
    for reading in &of.readings {
        write_reading(reading, page);
    }
}

fn runs(number: i64, word: &str) -> String {
    units::counted(u64::try_from(number).unwrap_or_default(), word)
}

fn write_reading(of: &ReadingLine, page: &mut Page) {
    page.section("Reading");
    let mut pairs = provenance::reading(&of.reading);
    pairs.push(pair(
        "records",
        Some(format!(
            "{} · {} rejected · {}",
            of.reading.records,
            of.reading.rejected,
            runs(of.runs, "different run")
        )),
    ));
    page.pairs(&pairs);
    if !of.issues.is_empty() {
        page.section("Issues");
        table(page, issue_columns(), of.issues.clone());
    }
}

fn issue_columns() -> Vec<Column<Issues>> {
    vec![
        Column::fixed("severity", "Severity", |i: &Issues| {
            Cell::text(&i.severity).mark(match i.severity.as_str() {
                "error" => Mark::Bad,
                "warning" => Mark::Doubt,
                _ => Mark::Dim,
            })
        }),
        Column::fixed("code", "Code", |i: &Issues| Cell::text(&i.code)),
        Column::number("count", "Count", |i: &Issues| {
            Cell::count(u64::try_from(i.count).unwrap_or_default())
        }),
        Column::text("message", "First message", |i: &Issues| {
            Cell::text(&i.message)
        })
        .min_width(20),
        Column::id("pointer", "First place", |i: &Issues| {
            Cell::text(&i.pointer)
        })
        .may_go(1),
    ]
}
