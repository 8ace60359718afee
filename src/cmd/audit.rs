//! `kidx audit`: figures that can't be right or shouldn't be trusted, by rule.

use kidx_queries::audit::{self, Beside, Count, Finding, Options};
use kidx_queries::policy::audit::{self as policy, Code, RULES, Rule, Severity, UnknownRule};

use super::columns;
use super::context::{self, Context};
use super::footer::footer;
use crate::cli;
use crate::error::{EXIT_DONE, EXIT_FOUND, Error, Result};
use crate::output::{Cell, Column, Envelope, Format, Listing, Mark, Page, Ui, json, units};

/// Runs the command.
pub fn run(arguments: &cli::Audit, context: &Context, ui: &mut Ui) -> Result<u8> {
    if let Some(rule) = &arguments.explain {
        return explain(code(rule)?.rule(), context, ui);
    }
    if arguments.rules {
        return rules(context, ui);
    }
    let rules = arguments.rule.iter().map(|rule| code(rule));
    let rules = rules.collect::<Result<Vec<Code>>>()?;
    let asked = arguments.min_severity.map(Severity::from);
    // Naming a rule asks for all that it finds.
    let least = asked.or(rules.is_empty().then_some(Severity::Warning));
    let connection = context.reader()?;
    let selection = context::select_comparable(&connection, &arguments.filters)?;
    let options = Options { rules, least };
    let (items, beside) = audit::audit(&connection, &selection, context.view(), &options)?;
    let fatal = asked.unwrap_or(Severity::Error);
    let bad = |item: &Finding| item.severity >= fatal && item.acknowledged.is_none();
    let code = if items.iter().any(bad) {
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
    let envelope = context.envelope("kidx/audit/1", audit::policies());
    match format {
        Format::Json => {
            json::document_beside(ui.out(), &envelope, listing.items(), Some(&beside))?;
            ui.finish()?;
        }
        Format::Table if listing.total() == 0 => ui.note("nothing found"),
        _ => ui.listing(format, &envelope, &listing)?,
    }
    if format == Format::Table {
        let (shown, total) = (listing.items().len(), listing.total());
        footer(ui, shown, total, newest.as_deref(), &sources);
        summary(ui, &beside, least);
    }
    Ok(code)
}

/// The rule that is meant.
pub(super) fn code(text: &str) -> Result<Code> {
    text.parse().map_err(|error: UnknownRule| {
        let known: Vec<&str> = RULES.iter().map(|rule| rule.code.as_str()).collect();
        Error::usage(error.to_string()).hint(format!("there are {}", known.join(", ")))
    })
}

/// How much each rule found, and what the table leaves out.
fn summary(ui: &mut Ui, beside: &Beside, least: Option<Severity>) {
    let found: Vec<&Count> = beside.rules.iter().filter(|rule| rule.found > 0).collect();
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        let of: Vec<String> = found
            .iter()
            .filter(|rule| rule.severity == severity)
            .map(|rule| told(rule))
            .collect();
        if !of.is_empty() {
            let shown = least.is_none_or(|least| severity >= least);
            let hidden = if shown {
                ""
            } else {
                " (`--min-severity` lists them)"
            };
            ui.aside(format_args!(
                "{}s: {}{hidden}",
                severity.as_str(),
                of.join(", ")
            ));
        }
    }
}

fn told(count: &Count) -> String {
    let mut text = format!("{} {}", units::count(count.found as u64), count.rule);
    if count.acknowledged > 0 {
        let acknowledged = units::count(count.acknowledged as u64);
        text = format!("{text} ({acknowledged} acknowledged)");
    }
    text
}

fn explain(rule: &Rule, context: &Context, ui: &mut Ui) -> Result<u8> {
    match context.format_or(Format::Table) {
        Format::Table => {
            let mut page = Page::new(ui.width(), ui.paint());
            page.title(&format!("{} ({})", rule.code, rule.severity.as_str()));
            page.prose(Mark::Strong, rule.title);
            page.section("Looks for");
            page.prose(Mark::Plain, rule.looks_for);
            page.section("What to do");
            page.prose(Mark::Plain, rule.advice);
            ui.page(page)?;
        }
        format => {
            let envelope = Envelope {
                policies: vec![policy::ID],
                ..Envelope::timeless("kidx/audit-rules/1")
            };
            let mut listing = Listing::new(rule_columns(), vec![*rule]);
            context.listing().apply(&mut listing)?;
            ui.listing(format, &envelope, &listing)?;
        }
    }
    Ok(EXIT_DONE)
}

fn rules(context: &Context, ui: &mut Ui) -> Result<u8> {
    let mut listing = Listing::new(rule_columns(), RULES.to_vec());
    context.listing().apply(&mut listing)?;
    let envelope = Envelope {
        policies: vec![policy::ID],
        ..Envelope::timeless("kidx/audit-rules/1")
    };
    let format = context.format_or(Format::Table);
    ui.listing(format, &envelope, &listing)?;
    if format == Format::Table {
        ui.aside("`kidx audit --explain RULE` says more");
    }
    Ok(EXIT_DONE)
}

fn rule_columns() -> Vec<Column<Rule>> {
    vec![
        Column::fixed("severity", "Severity", |rule: &Rule| {
            severity(rule.severity)
        }),
        Column::fixed("rule", "Rule", |rule: &Rule| Cell::text(rule.code.as_str())),
        Column::text("title", "Title", |rule: &Rule| Cell::text(rule.title)).min_width(24),
        Column::text("looks_for", "Looks for", |rule: &Rule| {
            Cell::text(rule.looks_for)
        })
        .hidden(),
        Column::text("advice", "What to do", |rule: &Rule| {
            Cell::text(rule.advice)
        })
        .hidden(),
    ]
}

fn severity(severity: Severity) -> Cell {
    Cell::text(severity.as_str()).mark(match severity {
        Severity::Error => Mark::Doubt,
        Severity::Warning => Mark::Plain,
        Severity::Note => Mark::Dim,
    })
}

fn columns(of: &[Finding]) -> Vec<Column<Finding>> {
    let mut columns = vec![
        Column::fixed("severity", "Severity", |f: &Finding| {
            let cell = severity(f.severity);
            if f.acknowledged.is_some() {
                cell.shown(format!("({})", f.severity.as_str()))
                    .mark(Mark::Dim)
            } else {
                cell
            }
        }),
        Column::fixed("rule", "Rule", |f: &Finding| Cell::text(f.rule.as_str())),
    ];
    columns.extend(columns::subject(of));
    columns.extend([
        Column::text("implementation", "Implementation", |f: &Finding| {
            Cell::text(&f.implementation)
        })
        .min_width(14)
        .may_go(4),
        Column::text("saw", "Saw", |f: &Finding| Cell::text(&f.saw.text)).min_width(8),
        Column::text("against", "Against", |f: &Finding| {
            Cell::text(&f.against.text).mark(Mark::Dim)
        })
        .min_width(8)
        .may_go(1),
        Column::text("against_what", "Of what", |f: &Finding| {
            Cell::text(&f.against.what).mark(Mark::Dim)
        })
        .min_width(16)
        .may_go(7),
        Column::number("factor", "Factor", |f: &Finding| {
            f.factor.map_or_else(Cell::none, Cell::ratio)
        })
        .may_go(2),
        Column::fixed("acknowledged", "Ack", |f: &Finding| {
            Cell::flag(f.acknowledged.is_some(), "yes")
        })
        .may_go(3),
        Column::fixed("holds_record", "Record", |f: &Finding| {
            Cell::flag(f.holds_record, "record")
        })
        .may_go(6),
        Column::text("saw_what", "Saw what", |f: &Finding| {
            Cell::text(&f.saw.what)
        })
        .hidden(),
        Column::text("title", "Title", |f: &Finding| Cell::text(f.title)).hidden(),
        Column::number("latency_ns", "Latency", |f: &Finding| {
            Cell::amount(&f.amount)
        })
        .hidden(),
        Column::id("run", "Run", |f: &Finding| Cell::text(&f.run)).hidden(),
        Column::id("against_run", "Other run", |f: &Finding| {
            f.against.run.as_ref().map_or_else(Cell::none, Cell::text)
        })
        .hidden(),
        Column::id("cohort", "Cohort", |f: &Finding| Cell::text(&f.cohort)).hidden(),
        Column::id("file", "File", |f: &Finding| {
            f.place.as_ref().map_or_else(Cell::none, |place| {
                let parts = [place.folder.as_deref(), place.file.as_deref()];
                Cell::text(parts.into_iter().flatten().collect::<Vec<_>>().join("/"))
            })
        })
        .hidden(),
        Column::id("pointer", "Place", |f: &Finding| {
            f.place
                .as_ref()
                .map_or_else(Cell::none, |place| Cell::text(&place.pointer))
        })
        .hidden(),
        Column::fixed("observed_on", "Observed", |f: &Finding| {
            f.observed_on
                .as_ref()
                .map_or_else(Cell::unknown, Cell::text)
        })
        .hidden(),
        Column::text("advice", "What to do", |f: &Finding| Cell::text(f.advice)).hidden(),
        Column::text("reason", "Acknowledged because", |f: &Finding| {
            f.acknowledged
                .as_ref()
                .map_or_else(Cell::none, |acknowledged| Cell::text(&acknowledged.reason))
        })
        .hidden(),
    ]);
    columns
}
