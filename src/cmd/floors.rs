//! `kidx floors`: lower bounds, and how far the records are above them.

use kidx_queries::floors::{self, Answer, FloorPolicy};
use kidx_queries::policy::floor::{Floor, Verdict};
use kidx_queries::policy::{eligibility, ranking};

use super::code::{code, codes};
use super::columns;
use super::context::{self, Context};
use super::footer::footer;
use crate::cli;
use crate::error::{EXIT_DONE, Result};
use crate::output::{Cell, Column, Format, Listing, Mark, Ui};

/// Runs the command.
pub fn run(arguments: &cli::Floors, context: &Context, ui: &mut Ui) -> Result<u8> {
    let policy: FloorPolicy = arguments.floor_policy.parse()?;
    let connection = context.reader()?;
    let selection = context::select_comparable(&connection, &arguments.filters)?;
    let items = floors::floors(&connection, &selection, context.view(), policy)?;
    let format = context.format_or(Format::Table);
    let mut listing = Listing::new(columns(&items), items);
    context.listing().apply(&mut listing)?;
    let policies = vec![eligibility::ID, ranking::ID, policy.id()];
    ui.listing(
        format,
        &context.envelope("kidx/floors/1", policies),
        &listing,
    )?;
    if format == Format::Table {
        footer(ui, listing.items().len(), listing.total(), None, &[]);
        if listing.total() > 0 {
            ui.aside("a floor is an estimate from declared tensors and datasheet peaks");
        }
    }
    Ok(EXIT_DONE)
}

fn columns(of: &[Answer]) -> Vec<Column<Answer>> {
    let mut columns = columns::subject(of);
    columns.extend([
        Column::number("floor_ns", "Floor", |a: &Answer| {
            known(a, |floor| floor.floor_ns.map(|ns| Cell::latency(ns.ps()))).mark(Mark::Strong)
        }),
        Column::fixed("bound", "Bound", |a: &Answer| {
            known(a, |floor| floor.bound.map(|bound| Cell::text(code(&bound))))
        })
        .may_go(3),
        Column::number("dram_ns", "DRAM", |a: &Answer| {
            known(a, |floor| {
                floor.terms.dram_ns.map(|ns| Cell::latency(ns.ps()))
            })
        })
        .hidden(),
        Column::number("compute_ns", "Compute", |a: &Answer| {
            known(a, |floor| {
                floor.terms.compute_ns.map(|ns| Cell::latency(ns.ps()))
            })
        })
        .hidden(),
        Column::number("hard_ns", "Hard", |a: &Answer| {
            known(a, |floor| floor.hard_ns.map(|ns| Cell::latency(ns.ps())))
        })
        .hidden(),
        Column::number("unfused_ns", "Unfused", |a: &Answer| {
            known(a, |floor| floor.unfused_ns.map(|ns| Cell::latency(ns.ps())))
        })
        .hidden(),
        Column::number("record_ns", "Record", |a: &Answer| {
            Cell::latency(a.record_ns.ps())
        }),
        Column::text("implementation", "Record holder", |a: &Answer| {
            Cell::text(&a.implementation)
        })
        .hidden(),
        Column::number("ratio", "× floor", |a: &Answer| {
            known(a, |floor| floor.ratio.map(Cell::ratio))
        }),
        Column::fixed("verdict", "Verdict", |a: &Answer| {
            known(a, |floor| floor.verdict.map(verdict))
        })
        .may_go(2),
        Column::text("flags", "Flags", |a: &Answer| {
            known(a, |floor| {
                Some(Cell::text(codes(floor.flags.iter().map(|flag| flag.code))).mark(Mark::Dim))
            })
        })
        .may_go(1),
        Column::id("record_run", "Run", |a: &Answer| Cell::text(&a.record_run)).hidden(),
    ]);
    columns
}

/// What a floor says, or that it says nothing.
fn known(answer: &Answer, of: impl Fn(&Floor) -> Option<Cell>) -> Cell {
    answer
        .floor
        .as_ref()
        .and_then(of)
        .unwrap_or_else(Cell::none)
}

fn verdict(verdict: Verdict) -> Cell {
    let cell = Cell::text(code(&verdict));
    match verdict {
        Verdict::Above => cell.mark(Mark::Dim),
        Verdict::BelowFusedExplained | Verdict::BelowFusedUnexplained => cell.mark(Mark::Doubt),
        Verdict::BelowHard => cell.mark(Mark::Bad),
    }
}
