//! `kidx records`: the current record of every cohort.

use kidx_queries::policy::floor::FlagCode;
use kidx_queries::records::{self, Options, Record};
use serde::Serialize;

use super::code::codes;
use super::columns;
use super::context::{self, Context};
use super::footer::{Source, footer};
use crate::cli;
use crate::error::{Error, Result};
use crate::output::{Cell, Column, Format, Listing, Mark, Ui, json};

/// Runs the command.
pub fn run(arguments: &cli::Records, context: &Context, ui: &mut Ui) -> Result<u8> {
    let connection = context.reader()?;
    let selection = context::select_comparable(&connection, &arguments.filters)?;
    let format = context.format_or(Format::Table);
    let options = Options {
        floor: arguments.floor_policy.parse()?,
        days: None,
        // Only the items themselves have room for them.
        terse: !matches!(format, Format::Json | Format::Jsonl),
    };
    let items = records::records(&connection, &selection, context.view(), options)?;
    let newest = items
        .iter()
        .filter_map(|item| item.observed_on.clone())
        .max();
    let sources = sources(&items);
    let mut listing = Listing::new(columns(&items), items);
    context.listing().apply(&mut listing)?;
    let envelope = context.envelope("kidx/records/1", records::policies(options.floor));
    ui.listing(format, &envelope, &listing)?;
    if format == Format::Table {
        footer(
            ui,
            listing.items().len(),
            listing.total(),
            newest.as_deref(),
            &sources,
        );
        context::tell_other_metrics(&connection, &arguments.filters, ui)?;
        let inputs_only = |item: &Record| {
            item.floor.as_ref().is_some_and(|floor| {
                floor
                    .flags
                    .iter()
                    .any(|flag| flag.code == FlagCode::InputsOnly)
            })
        };
        if listing.items().iter().any(inputs_only) {
            ui.aside("floors count declared inputs only: the true floor is higher");
        }
    }
    // The process ends here: giving back tens of thousands of pieces of memory is a
    // twentieth of a listing's time.
    std::mem::forget(listing);
    Ok(crate::error::EXIT_DONE)
}

/// Records as a table, without a footer.
pub fn table(items: &[Record], context: &Context, ui: &mut Ui) -> Result<()> {
    let mut listing = Listing::new(columns(items), items.to_vec());
    let chosen = &context.listing().columns;
    if !chosen.is_empty() {
        listing.choose(chosen)?;
    }
    let envelope = context.envelope("kidx/records/1", Vec::new());
    ui.listing(Format::Table, &envelope, &listing)?;
    Ok(())
}

/// Refuses formats that are made of rows for an answer that is one item.
pub fn one_item_format(format: Format) -> Result<()> {
    match format {
        Format::Table | Format::Json | Format::Jsonl => Ok(()),
        Format::Csv | Format::Markdown => Err(Error::usage("this answer is one item, not rows")
            .hint("use `--format json` or `--format jsonl`")),
    }
}

/// An answer that is one item, in a format for programs.
pub fn single<T: Serialize>(
    item: &T,
    schema: &'static str,
    policies: Vec<&'static str>,
    format: Format,
    context: &Context,
    ui: &mut Ui,
) -> Result<()> {
    one_item_format(format)?;
    let items = std::slice::from_ref(item);
    if format == Format::Jsonl {
        json::lines(ui.out(), items)?;
    } else {
        json::document(ui.out(), &context.envelope(schema, policies), items)?;
    }
    ui.finish()?;
    Ok(())
}

fn sources(items: &[Record]) -> Vec<Source> {
    let mut sources: Vec<_> = items
        .iter()
        .map(|item| (item.source.clone(), item.data_license.clone()))
        .collect();
    sources.sort();
    sources.dedup();
    sources
}

fn columns(of: &[Record]) -> Vec<Column<Record>> {
    let (key, title) = columns::figures(of.iter().map(|record| &record.record.amount));
    let mut columns = columns::subject(of);
    columns.extend([
        Column::text("implementation", "Record holder", |r: &Record| {
            let holder = Cell::text(&r.record.implementation);
            if r.tied_with.is_empty() {
                holder
            } else {
                holder.shown(format!("{} =", r.record.implementation))
            }
        })
        .min_width(14),
        Column::fixed("metric", "Metric", |r: &Record| Cell::text(r.metric.key())).hidden(),
        Column::number(key, title, |r: &Record| {
            Cell::amount(&r.record.amount).mark(Mark::Strong)
        }),
        Column::number("spread_ns", "±", |r: &Record| {
            match (&r.record.spread_ns, &r.record.spread) {
                (Some(ns), Some(text)) => Cell::latency(ns.ps()).shown(text).mark(Mark::Dim),
                (None, Some(text)) => Cell::text(text).mark(Mark::Dim),
                _ => Cell::none(),
            }
        })
        .may_go(6),
        Column::number("speedup", "vs base", |r: &Record| match r.speedup {
            Some(speedup) => {
                let cell = Cell::ratio(speedup);
                if r.unbeaten {
                    cell.mark(Mark::Dim)
                } else {
                    cell
                }
            }
            None => Cell::none(),
        })
        .may_go(1),
        Column::number("floor_ratio", "× floor", |r: &Record| {
            r.floor
                .as_ref()
                .and_then(|floor| floor.ratio)
                .map_or_else(Cell::none, Cell::ratio)
        })
        .may_go(2),
        Column::fixed("observed_on", "Observed", |r: &Record| {
            r.observed_on
                .as_ref()
                .map_or_else(Cell::unknown, Cell::text)
                .mark(stale_mark(r))
        })
        .may_go(1),
        Column::fixed("stale", "Stale", |r: &Record| {
            Cell::flag(r.age.stale == Some(true), "stale").mark(Mark::Doubt)
        })
        .may_go(3),
        Column::fixed("marks", "Marks", |r: &Record| Cell::text(codes(&r.marks))).hidden(),
        Column::number("runs", "Runs", |r: &Record| Cell::count(r.runs as u64)).hidden(),
        Column::fixed("license", "Licence", |r: &Record| {
            r.license.as_ref().map_or_else(Cell::unknown, Cell::text)
        })
        .may_go(8),
        Column::id("run", "Run", |r: &Record| Cell::text(&r.record.run)).hidden(),
        Column::id("cohort", "Cohort", |r: &Record| Cell::text(&r.cohort)).hidden(),
        Column::number("age_days", "Age", |r: &Record| {
            r.age.age_days.map_or_else(Cell::unknown, Cell::age)
        })
        .hidden(),
        Column::number("baseline_ns", "Baseline", |r: &Record| {
            r.baseline
                .as_ref()
                .map_or_else(Cell::none, |baseline| Cell::amount(&baseline.amount))
        })
        .hidden(),
        Column::number("floor_ns", "Floor", |r: &Record| {
            r.floor
                .as_ref()
                .and_then(|floor| floor.floor_ns)
                .map_or_else(Cell::none, |floor| Cell::latency(floor.ps()))
        })
        .hidden(),
    ]);
    columns
}

fn stale_mark(record: &Record) -> Mark {
    if record.age.stale == Some(true) {
        Mark::Doubt
    } else {
        Mark::Plain
    }
}
