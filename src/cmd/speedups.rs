//! `kidx speedups`: each implementation against the baseline, by level, by family or by
//! cohort.

use kidx_queries::policy::fast_p::{FastP, Outcome};
use kidx_queries::speedups::{self, Aggregate, Baseline, Beside, By, Comparison, Why};

use super::code::code;
use super::columns;
use super::context::{self, Context};
use super::footer::{Source, footer};
use crate::cli;
use crate::error::{EXIT_DONE, Result};
use crate::output::{Cell, Column, Format, Listing, Mark, Ui, json, units};

/// Runs the command.
pub fn run(arguments: &cli::Speedups, context: &Context, ui: &mut Ui) -> Result<u8> {
    let connection = context.reader()?;
    let selection = context::select_comparable(&connection, &arguments.filters)?;
    let asked = arguments.baseline.as_deref();
    let baseline = Baseline::find(&connection, asked, context.view())?;
    let (items, beside) = speedups::speedups(&connection, &selection, context.view(), &baseline)?;
    let envelope = context.envelope("kidx/speedups/1", speedups::policies());
    let format = context.format_or(Format::Table);
    let newest = newest(&items);
    let sources = sources(&items);
    let whole = matches!(format, Format::Json | Format::Jsonl);
    let (shown, total) = match arguments.by {
        cli::By::Level | cli::By::Family if !whole => {
            let rows = rows(arguments.by, &beside.aggregates);
            let mut listing = Listing::new(aggregate_columns(arguments.by, &rows), rows);
            context.listing().apply(&mut listing)?;
            ui.listing(format, &envelope, &listing)?;
            (listing.items().len(), listing.total())
        }
        _ => {
            let mut listing = Listing::new(comparison_columns(&items), items);
            context.listing().apply(&mut listing)?;
            if format == Format::Json {
                let items = listing.items();
                json::document_beside(ui.out(), &envelope, items, Some(&beside))?;
                ui.finish()?;
            } else {
                ui.listing(format, &envelope, &listing)?;
            }
            (listing.items().len(), listing.total())
        }
    };
    if format == Format::Table {
        footer(ui, shown, total, newest.as_deref(), &sources);
        remarks(ui, &beside);
    }
    Ok(EXIT_DONE)
}

/// The rows of a kind; those over everything only where they say something more.
fn rows(by: cli::By, aggregates: &[Aggregate]) -> Vec<Aggregate> {
    let kind = match by {
        cli::By::Family => By::Family,
        cli::By::Level | cli::By::Cohort => By::Level,
    };
    let of = |kind: By| aggregates.iter().filter(move |row| row.by == kind).cloned();
    let mut rows: Vec<Aggregate> = of(kind).collect();
    if rows.windows(2).any(|pair| pair[0].group != pair[1].group) {
        rows.extend(of(By::All));
    }
    rows
}

/// What runs were held against, and what had nothing to be held against.
fn remarks(ui: &mut Ui, beside: &Beside) {
    let against: Vec<&str> = beside
        .baseline
        .implementations
        .iter()
        .map(String::as_str)
        .collect();
    if !against.is_empty() {
        let (before, after) = match beside.baseline.choice {
            "designated" => ("", ", the source's own baseline"),
            "best" => ("the fastest in each cohort of ", ""),
            "run" => ("one run of ", ", in its own cohort"),
            _ => ("", ""),
        };
        let names = against.join(", ");
        ui.aside(format_args!("against {before}{names}{after}"));
    }
    for excluded in &beside.excluded {
        let cohorts = units::counted(excluded.cohorts as u64, "cohort");
        let why = match excluded.reason {
            Why::NoBaseline => "without the baseline",
            Why::OnlyBaseline => "with the baseline only",
        };
        ui.aside(format_args!("not compared: {cohorts} {why}"));
    }
}

fn newest(items: &[Comparison]) -> Option<String> {
    let days = items.iter().filter_map(|item| item.own.observed_on.clone());
    days.max()
}

fn sources(items: &[Comparison]) -> Vec<Source> {
    let mut sources: Vec<_> = items
        .iter()
        .map(|item| (item.source.clone(), item.data_license.clone()))
        .collect();
    sources.sort();
    sources.dedup();
    sources
}

/// Columns of aggregates; what all rows have in common isn't shown unasked.
fn aggregate_columns(by: cli::By, rows: &[Aggregate]) -> Vec<Column<Aggregate>> {
    let title = if by == cli::By::Family {
        "Family"
    } else {
        "Level"
    };
    let cache = Column::fixed("cache", "Cache", |a: &Aggregate| {
        let cache = a.protocol.cache.as_ref();
        cache.map_or_else(Cell::unknown, Cell::text)
    });
    let one_cache = rows
        .windows(2)
        .all(|pair| pair[0].protocol.cache == pair[1].protocol.cache);
    let mut columns = vec![
        Column::fixed("group", title, |a: &Aggregate| match &a.group {
            Some(group) => Cell::text(group),
            None => Cell::none().shown("all").mark(Mark::Strong),
        }),
        Column::id("hardware", "Hardware", |a: &Aggregate| {
            Cell::text(&a.hardware.id).shown(&a.hardware.short)
        })
        .min_width(9),
        Column::text("provider", "Provider", |a: &Aggregate| {
            let provider = a.environment.provider.as_ref();
            provider.map_or_else(Cell::unknown, Cell::text)
        })
        .min_width(8)
        .may_go(3),
        if one_cache {
            cache.hidden()
        } else {
            cache.may_go(2)
        },
        // Configurations of one name differ at its end.
        Column::id("implementation", "Implementation", |a: &Aggregate| {
            Cell::text(&a.implementation)
        })
        .min_width(24),
    ];
    columns.extend(figures(rows));
    columns
}

fn figures(rows: &[Aggregate]) -> Vec<Column<Aggregate>> {
    let unless_zero = |column: Column<Aggregate>, of: fn(&Aggregate) -> usize| {
        if rows.iter().all(|row| of(row) == 0) {
            column.hidden()
        } else {
            column.may_go(5)
        }
    };
    let superseded = Column::number("superseded", "Superseded", |a: &Aggregate| {
        count(a.superseded)
    });
    let unknown = Column::number("shapes_unknown", "Shapes unknown", |a: &Aggregate| {
        count(a.shapes_unknown)
    });
    let older = Column::number("older_definitions", "Older", |a: &Aggregate| {
        count(a.older_definitions)
    });
    let no_baseline = Column::number("no_baseline", "No baseline", |a: &Aggregate| {
        count(a.no_baseline)
    });
    let not_measured = Column::number("not_measured", "Not measured", |a: &Aggregate| {
        count(a.not_measured)
    });
    let mut columns = vec![
        Column::number("compared", "N", |a: &Aggregate| count(a.compared)),
        Column::number("geometric_mean", "Geo mean", |a: &Aggregate| {
            let mean = a.geometric_mean.map_or_else(Cell::none, Cell::ratio);
            mean.mark(Mark::Strong)
        }),
        Column::number("wins", "Win", |a: &Aggregate| count(a.wins)),
        Column::number("ties", "Tie", |a: &Aggregate| count(a.ties)),
        Column::number("losses", "Loss", |a: &Aggregate| count(a.losses)),
    ];
    columns.extend([
        share("fast_0.0", |p| p.p0_0).hidden(),
        share("fast_0.5", |p| p.p0_5).hidden(),
        share("fast_0.8", |p| p.p0_8).hidden(),
        share("fast_1.0", |p| p.p1_0).may_go(1),
        share("fast_1.5", |p| p.p1_5).may_go(7),
        share("fast_2.0", |p| p.p2_0).may_go(6),
        unless_zero(superseded, |row| row.superseded),
        unless_zero(unknown, |row| row.shapes_unknown),
        unless_zero(older, |row| row.older_definitions),
        unless_zero(no_baseline, |row| row.no_baseline),
        unless_zero(not_measured, |row| row.not_measured),
        Column::fixed("by", "By", |a: &Aggregate| Cell::text(code(&a.by))).hidden(),
        Column::text("harness", "Harness", |a: &Aggregate| {
            Cell::text(&a.protocol.harness)
        })
        .hidden(),
        Column::fixed("suite", "Suite", |a: &Aggregate| Cell::text(&a.suite)).hidden(),
    ]);
    columns
}

fn count(count: usize) -> Cell {
    Cell::count(count as u64)
}

fn share(key: &'static str, of: fn(&FastP) -> f64) -> Column<Aggregate> {
    Column::number(key, key, move |a: &Aggregate| {
        let share = a.fast_p.as_ref().map(of);
        share.map_or_else(Cell::none, Cell::share)
    })
}

fn comparison_columns(of: &[Comparison]) -> Vec<Column<Comparison>> {
    let (key, title) = columns::figures(of.iter().map(|item| &item.own.amount));
    let mut columns = columns::subject(of);
    columns.extend([
        Column::text("implementation", "Implementation", |c: &Comparison| {
            Cell::text(&c.own.implementation)
        })
        .min_width(14),
        Column::number(key, title, |c: &Comparison| Cell::amount(&c.own.amount)),
        Column::text("baseline", "Baseline", |c: &Comparison| {
            Cell::text(&c.baseline.implementation)
        })
        .may_go(4),
        Column::number("baseline_ns", "Baseline's", |c: &Comparison| {
            Cell::amount(&c.baseline.amount)
        })
        .may_go(2),
        Column::number("speedup", "Speedup", |c: &Comparison| {
            Cell::ratio(c.speedup).mark(Mark::Strong)
        }),
        end("speedup_low", "At least", |ends| ends[0]),
        end("speedup_high", "At most", |ends| ends[1]),
        Column::fixed("outcome", "Outcome", |c: &Comparison| {
            let mark = match c.outcome {
                Outcome::Win => Mark::Good,
                Outcome::Tie => Mark::Dim,
                Outcome::Loss => Mark::Doubt,
            };
            Cell::text(c.outcome.as_str()).mark(mark)
        }),
        Column::fixed("observed_on", "Observed", |c: &Comparison| {
            let day = c.own.observed_on.as_ref();
            day.map_or_else(Cell::unknown, Cell::text)
        })
        .may_go(7),
        Column::id("run", "Run", |c: &Comparison| Cell::text(&c.own.run)).hidden(),
        Column::id("baseline_run", "Baseline's run", |c: &Comparison| {
            Cell::text(&c.baseline.run)
        })
        .hidden(),
        Column::id("cohort", "Cohort", |c: &Comparison| Cell::text(&c.cohort)).hidden(),
        Column::fixed("source", "Source", |c: &Comparison| Cell::text(&c.source)).hidden(),
        Column::fixed("data_license", "Licence of the data", |c: &Comparison| {
            let license = c.data_license.as_ref();
            license.map_or_else(Cell::unknown, Cell::text)
        })
        .hidden(),
    ]);
    columns
}

fn end(key: &'static str, title: &str, of: fn(&[f64; 2]) -> f64) -> Column<Comparison> {
    Column::number(key, title, move |c: &Comparison| {
        let end = c.speedup_interval.as_ref().map(of);
        end.map_or_else(Cell::none, Cell::ratio).mark(Mark::Dim)
    })
    .may_go(3)
}
