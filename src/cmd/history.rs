//! `kidx history`: the staircase of a record.

use kidx_queries::entities::{Operation, Workload};
use kidx_queries::history::{self, Beside, CohortLine, Step};
use kidx_queries::policy::history::Change;

use super::code::code;
use super::columns;
use super::context::{self, Context};
use super::footer::footer;
use crate::cli;
use crate::error::{EXIT_DONE, Result};
use crate::output::{Cell, Column, Format, Listing, Mark, Page, Ui, json, units};

/// Runs the command.
pub fn run(arguments: &cli::History, context: &Context, ui: &mut Ui) -> Result<u8> {
    let connection = context.reader()?;
    let selection = context::select(&connection, &arguments.filters)?;
    let (items, beside) = history::history(&connection, &arguments.id, &selection, context.view())?;
    let envelope = context.envelope("kidx/history/1", history::policies());
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
    match context.format_or(Format::Table) {
        Format::Table => {
            let (shown, total) = (listing.items().len(), listing.total());
            page(&listing, &beside, ui)?;
            footer(ui, shown, total, newest.as_deref(), &sources);
        }
        Format::Json => {
            json::document_beside(ui.out(), &envelope, listing.items(), Some(&beside))?;
            ui.finish()?;
        }
        format => ui.listing(format, &envelope, &listing)?,
    }
    Ok(EXIT_DONE)
}

fn page(listing: &Listing<Step>, beside: &Beside, ui: &mut Ui) -> Result<()> {
    let Some(first) = beside.cohorts.first() else {
        ui.note("nothing matches");
        return Ok(());
    };
    let mut page = Page::new(ui.width(), ui.paint());
    page.title(&first.operation.name);
    page.prose(Mark::Dim, &subject(&first.operation, &first.workload));
    if !listing.items().is_empty() {
        page.section("Who held the record");
        page.table(&listing.table());
    } else if listing.total() > 0 {
        ui.note("`--limit` and `--offset` leave no row");
    }
    page.section("Runs");
    for cohort in &beside.cohorts {
        page.prose(Mark::Plain, &runs(cohort));
    }
    ui.page(page)?;
    Ok(())
}

fn subject(operation: &Operation, workload: &Workload) -> String {
    let version = workload.suite_version.as_deref();
    let parts = [
        Some(operation.slug.as_str()),
        version,
        Some(&workload.summary),
    ];
    let known: Vec<&str> = parts.into_iter().flatten().collect();
    known.join(" · ")
}

/// A cohort's runs: how many, and why some have no part in the staircase.
fn runs(cohort: &CohortLine) -> String {
    let count = |count: usize| units::count(count as u64);
    let provider = cohort.environment.provider.as_deref();
    let text = format!(
        "{} · {}: {} eligible, {} never held it",
        cohort.hardware.short,
        provider.unwrap_or("provider unknown"),
        count(cohort.runs),
        count(cohort.never_held),
    );
    if cohort.left_out.is_empty() {
        return text;
    }
    let reasons: Vec<String> = cohort
        .left_out_by_reason
        .iter()
        .map(|by| format!("{} {}", code(&by.reason), count(by.runs)))
        .collect();
    let out = count(cohort.left_out.len());
    format!("{text}; left out {out}: {}", reasons.join(", "))
}

fn columns(of: &[Step]) -> Vec<Column<Step>> {
    let (key, title) = columns::figures(of.iter().map(|step| &step.amount));
    // All steps are of one operation, and mostly of one workload, which stands above the table.
    let one = of
        .iter()
        .all(|step| Some(&step.workload.digest) == of.first().map(|s| &s.workload.digest));
    let mut columns: Vec<Column<Step>> = columns::subject(of)
        .into_iter()
        .map(|column| match column.key() {
            "operation" | "name" => column.hidden(),
            "workload" if one => column.hidden(),
            "provider" => column.may_go(1),
            _ => column,
        })
        .collect();
    columns.extend([
        Column::fixed("since", "Since", |s: &Step| {
            s.since.as_ref().map_or_else(Cell::unknown, Cell::text)
        }),
        Column::fixed("until", "Until", |s: &Step| match &s.until {
            Some(day) => Cell::text(day),
            None => Cell::none().shown("holds").mark(Mark::Good),
        }),
        Column::number("days", "For", |s: &Step| {
            s.days.map_or_else(Cell::unknown, Cell::age)
        })
        .may_go(3),
        Column::id("implementation", "Record holder", |s: &Step| {
            Cell::text(&s.implementation)
        })
        .min_width(14),
        Column::number(key, title, |s: &Step| {
            Cell::amount(&s.amount).mark(Mark::Strong)
        }),
        Column::fixed("spread", "±", |s: &Step| {
            let spread = s.spread.as_ref();
            spread.map_or_else(Cell::none, |spread| Cell::text(spread).mark(Mark::Dim))
        })
        .may_go(5),
        Column::number("gain", "Step", |s: &Step| {
            let mark = match s.gain {
                Some(gain) if gain < 1.0 => Mark::Doubt,
                _ => Mark::Plain,
            };
            s.gain.map_or_else(Cell::none, Cell::ratio).mark(mark)
        }),
        Column::fixed("change", "The former", |s: &Step| {
            let cell = Cell::text(s.change.as_str());
            match s.change {
                Change::First => cell.shown("–").mark(Mark::Dim),
                Change::Superseded => cell.mark(Mark::Doubt),
                Change::Beaten | Change::AheadInTie => cell,
            }
        }),
        Column::id("previous", "Held before", |s: &Step| {
            let previous = s.previous.as_ref();
            previous.map_or_else(Cell::none, |former| Cell::text(&former.implementation))
        })
        .may_go(4),
        Column::number("previous_ns", "Its latency", |s: &Step| {
            let previous = s.previous.as_ref();
            previous.map_or_else(Cell::none, |former| Cell::amount(&former.amount))
        })
        .may_go(4),
    ]);
    columns.extend(hidden());
    columns
}

fn hidden() -> [Column<Step>; 7] {
    let text = |text: Option<&str>| text.map_or_else(Cell::unknown, Cell::text);
    [
        Column::fixed("observed_on", "Observed", move |s: &Step| {
            text(s.observed_on.as_deref())
        })
        .hidden(),
        Column::fixed("observed_basis", "Basis", move |s: &Step| {
            text(s.observed_basis.as_deref())
        })
        .hidden(),
        Column::id("run", "Run", |s: &Step| Cell::text(&s.run)).hidden(),
        Column::id("previous_run", "Its run", |s: &Step| {
            let previous = s.previous.as_ref();
            previous.map_or_else(Cell::none, |former| Cell::text(&former.run))
        })
        .hidden(),
        Column::id("cohort", "Cohort", |s: &Step| Cell::text(&s.cohort)).hidden(),
        Column::fixed("source", "Source", |s: &Step| Cell::text(&s.source)).hidden(),
        Column::fixed("data_license", "Licence of the data", move |s: &Step| {
            text(s.data_license.as_deref())
        })
        .hidden(),
    ]
}
