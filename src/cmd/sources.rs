//! `kidx sources`: on which terms figures come, how many, and how new they are.

use std::collections::BTreeSet;
use std::sync::Arc;

use kidx_queries::sources::{self, Activity, License, Source};

use super::context::Context;
use super::footer::footer;
use crate::error::{EXIT_DONE, Result};
use crate::output::{Cell, Column, Format, Listing, Mark, Ui};

/// Runs the command.
pub fn run(context: &Context, ui: &mut Ui) -> Result<u8> {
    let connection = context.reader()?;
    let items = sources::sources(&connection, context.view())?;
    let format = context.format_or(Format::Table);
    let newest = items
        .iter()
        .filter_map(|source| source.newest_observation.clone())
        .max();
    let licenses: Vec<_> = items
        .iter()
        .map(|source| {
            let license = source.license.concluded.as_deref();
            (Arc::from(&*source.slug), license.map(Arc::from))
        })
        .collect();
    let mut listing = Listing::new(columns(), items);
    context.listing().apply(&mut listing)?;
    let envelope = context.envelope("kidx/sources/1", sources::policies());
    ui.listing(format, &envelope, &listing)?;
    if format == Format::Table {
        let (shown, total) = (listing.items().len(), listing.total());
        footer(ui, shown, total, newest.as_deref(), &licenses);
    }
    Ok(EXIT_DONE)
}

fn columns() -> Vec<Column<Source>> {
    vec![
        Column::fixed("slug", "Source", |s: &Source| {
            Cell::text(&s.slug).mark(Mark::Strong)
        }),
        Column::text("name", "Name", |s: &Source| Cell::text(&s.name)).hidden(),
        Column::id("home", "Home", |s: &Source| Cell::text(&s.home)).hidden(),
        Column::fixed("license", "Licence", licences),
        Column::text("license_declared", "Licence as declared", |s: &Source| {
            declared(&s.license)
        })
        .hidden(),
        Column::fixed("module_license", "Modules", |s: &Source| {
            license(&s.module_license)
        })
        .may_go(6),
        Column::text("attribution", "Attribution", |s: &Source| {
            Cell::text(&s.attribution)
        })
        .may_go(3),
        Column::text("terms", "Terms", |s: &Source| Cell::text(&s.terms)).hidden(),
        Column::fixed("redistribution", "Passing on", |s: &Source| {
            let own: Vec<Option<bool>> = s.file_terms.iter().map(|t| t.redistribution).collect();
            if own.contains(&Some(false)) && s.redistribution != Some(false) {
                return Cell::text("refused in part").mark(Mark::Bad);
            }
            match s.redistribution {
                Some(true) => Cell::flag(true, "allowed"),
                Some(false) => Cell::flag(false, "").shown("refused").mark(Mark::Bad),
                None if own.contains(&Some(true)) => Cell::text("allowed in part"),
                None => Cell::unknown(),
            }
        })
        .may_go(5),
        Column::number("runs", "Runs", |s: &Source| Cell::count(s.runs)),
        Column::number("snapshots", "Snapshots", |s: &Source| {
            Cell::count(s.snapshots)
        })
        .may_go(4),
        Column::number("rejected", "Rejected", |s: &Source| Cell::count(s.rejected)).may_go(2),
        Column::number("errors", "Errors", |s: &Source| {
            let mark = if s.issues.error > 0 {
                Mark::Bad
            } else {
                Mark::Dim
            };
            Cell::count(s.issues.error).mark(mark)
        })
        .may_go(7),
        Column::number("warnings", "Warnings", |s: &Source| {
            Cell::count(s.issues.warning)
        })
        .hidden(),
        Column::number("notes", "Notes", |s: &Source| Cell::count(s.issues.note)).hidden(),
        Column::fixed("newest_observation", "Newest", |s: &Source| {
            s.newest_observation
                .as_ref()
                .map_or_else(Cell::unknown, Cell::text)
        }),
        Column::fixed("last_import", "Last import", |s: &Source| {
            s.last_import.as_ref().map_or_else(Cell::none, Cell::text)
        })
        .may_go(8),
        Column::number("freshness_days", "Limit", |s: &Source| {
            Cell::age(i64::from(s.freshness_days))
        })
        .hidden(),
        Column::fixed("activity", "Activity", |s: &Source| match s.activity {
            Some(Activity::Fresh) => Cell::text(Activity::Fresh.as_str()).mark(Mark::Good),
            Some(Activity::Quiet) => Cell::text(Activity::Quiet.as_str()).mark(Mark::Doubt),
            None => Cell::unknown(),
        }),
    ]
}

/// The source's licence, and what some of its files say instead.
fn licences(of: &Source) -> Cell {
    let own: BTreeSet<&str> = of
        .file_terms
        .iter()
        .filter_map(|terms| terms.license.declared.as_deref())
        .collect();
    if own.is_empty() {
        return license(&of.license);
    }
    let own: Vec<&str> = own.into_iter().collect();
    let of_source = of.license.concluded.as_deref().unwrap_or("unknown");
    Cell::text(format!("{of_source}; files: {}", own.join(", ")))
}

fn license(license: &License) -> Cell {
    license
        .concluded
        .as_ref()
        .map_or_else(Cell::unknown, Cell::text)
}

fn declared(license: &License) -> Cell {
    license
        .declared
        .as_ref()
        .map_or_else(Cell::unknown, Cell::text)
}
