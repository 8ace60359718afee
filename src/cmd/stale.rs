//! `kidx stale`: records that need measuring again, the worst first.

use kidx_queries::stale::{self, Stale};

use super::code::codes;
use super::columns;
use super::context::{self, Context};
use super::footer::footer;
use crate::cli;
use crate::error::{EXIT_DONE, EXIT_FOUND, Result};
use crate::output::{Cell, Column, Format, Listing, Mark, Ui};

/// Runs the command.
pub fn run(arguments: &cli::Stale, context: &Context, ui: &mut Ui) -> Result<u8> {
    let connection = context.reader()?;
    let selection = context::select_comparable(&connection, &arguments.filters)?;
    let items = stale::stale(&connection, &selection, context.view(), arguments.days)?;
    let code = if arguments.check && !items.is_empty() {
        EXIT_FOUND
    } else {
        EXIT_DONE
    };
    let format = context.format_or(Format::Table);
    let newest = items
        .iter()
        .filter_map(|item| item.observed_on.clone())
        .max();
    let mut sources: Vec<_> = items
        .iter()
        .map(|item| (item.source.clone(), item.data_license.clone()))
        .collect();
    sources.sort();
    sources.dedup();
    let mut listing = Listing::new(columns(&items), items);
    context.listing().apply(&mut listing)?;
    let envelope = context.envelope("kidx/stale/1", stale::policies());
    if format == Format::Table && listing.total() == 0 {
        ui.note(format_args!(
            "no record is stale on {}",
            context.view().as_of
        ));
        return Ok(code);
    }
    ui.listing(format, &envelope, &listing)?;
    if format == Format::Table {
        let (shown, total) = (listing.items().len(), listing.total());
        footer(ui, shown, total, newest.as_deref(), &sources);
    }
    Ok(code)
}

fn columns(of: &[Stale]) -> Vec<Column<Stale>> {
    let (key, title) = columns::figures(of.iter().map(|stale| &stale.amount));
    let mut columns = columns::subject(of);
    columns.extend([
        Column::text("implementation", "Record holder", |s: &Stale| {
            Cell::text(&s.implementation)
        })
        .min_width(16)
        .may_go(2),
        Column::number(key, title, |s: &Stale| Cell::amount(&s.amount)).may_go(3),
        Column::fixed("observed_on", "Observed", |s: &Stale| {
            s.observed_on
                .as_ref()
                .map_or_else(Cell::unknown, Cell::text)
        }),
        Column::fixed("observed_basis", "Basis", |s: &Stale| {
            s.observed_basis
                .as_ref()
                .map_or_else(Cell::unknown, |basis| Cell::text(basis).mark(Mark::Dim))
        })
        .may_go(7),
        Column::number("age_days", "Age", |s: &Stale| {
            s.age_days
                .map_or_else(Cell::unknown, |days| Cell::age(days).mark(Mark::Doubt))
        }),
        Column::number("limit_days", "Limit", |s: &Stale| {
            Cell::age(i64::from(s.limit_days)).mark(Mark::Dim)
        })
        .may_go(8),
        Column::fixed("stale", "Stale", |s: &Stale| match s.stale {
            Some(stale) => Cell::flag(stale, "stale").mark(Mark::Doubt),
            None => Cell::unknown(),
        })
        .hidden(),
        Column::fixed("reasons", "Reasons", |s: &Stale| {
            Cell::text(codes(&s.reasons))
        }),
        Column::id("run", "Run", |s: &Stale| Cell::text(&s.run)).hidden(),
        Column::id("cohort", "Cohort", |s: &Stale| Cell::text(&s.cohort)).hidden(),
        Column::fixed("source", "Source", |s: &Stale| Cell::text(&s.source)).hidden(),
        Column::fixed("data_license", "Licence of the data", |s: &Stale| {
            s.data_license
                .as_ref()
                .map_or_else(Cell::unknown, Cell::text)
        })
        .hidden(),
    ]);
    columns
}
