//! The page of an implementation.

use kidx_queries::show::implementation::{ImplementationPage, Led, OnHardware};

use super::provenance;
use super::words::{self, line, pair, table};
use crate::output::{Cell, Column, Mark, Page};

/// Records that the page lists; JSON has all of them.
const SHOWN: usize = 20;

/// Writes the page.
pub(super) fn write(of: &ImplementationPage, page: &mut Page) {
    let about = &of.implementation;
    page.title(&about.name);
    page.prose(
        Mark::Dim,
        &line([
            Some(about.project.clone()),
            Some(about.language.clone()),
            Some(about.interface.clone()),
            Some(about.role.clone()),
        ]),
    );
    page.section("Identity");
    page.pairs(&[
        pair("digest", Some(&about.digest)),
        pair("short name", Some(&about.slug)),
        pair("licence", provenance::licence(&of.license)),
        pair("runs", Some(of.runs.to_string())),
        pair("records", Some(of.records_held.to_string())),
    ]);
    if !of.hardware.is_empty() {
        page.section("Measured on");
        table(page, hardware_columns(), of.hardware.clone());
    }
    if !of.records.is_empty() {
        page.section("Records held or shared");
        table(
            page,
            record_columns(),
            of.records.iter().take(SHOWN).cloned().collect(),
        );
        if of.records.len() > SHOWN {
            page.prose(
                Mark::Dim,
                &format!(
                    "{} more: `kidx records --implementation {}`, or this page with --json",
                    of.records.len() - SHOWN,
                    about.slug
                ),
            );
        }
    }
}

fn hardware_columns() -> Vec<Column<OnHardware>> {
    vec![
        Column::text("hardware", "Hardware", |h: &OnHardware| {
            Cell::text(&h.hardware.product)
        }),
        Column::number("runs", "Runs", |h: &OnHardware| Cell::count(h.runs as u64)),
        Column::number("records", "Records", |h: &OnHardware| {
            Cell::count(h.records as u64)
        }),
        Column::number("tied", "Of them shared", |h: &OnHardware| {
            Cell::count(h.tied as u64)
        }),
    ]
}

fn record_columns() -> Vec<Column<Led>> {
    vec![
        Column::id("operation", "Operation", |r: &Led| {
            Cell::text(&r.operation.slug)
        })
        .min_width(20),
        Column::text("name", "Name", |r: &Led| Cell::text(&r.operation.name)).may_go(2),
        Column::text("environment", "Measured on", |r: &Led| {
            Cell::text(&r.environment.label)
        }),
        Column::number("latency_ns", "Latency", |r: &Led| {
            Cell::amount(&r.amount).mark(Mark::Strong)
        }),
        Column::number("vs_baseline", "Speedup", |r: &Led| {
            r.vs_baseline.map_or_else(Cell::none, Cell::ratio)
        }),
        Column::fixed("tied", "Tied", |r: &Led| {
            Cell::flag(r.tied, "tied").mark(Mark::Doubt)
        })
        .may_go(3),
        Column::fixed("observed_on", "Observed", |r: &Led| {
            words::observed(r.observed_on.as_ref(), r.stale)
        })
        .may_go(1),
    ]
}
