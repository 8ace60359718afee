//! The tables of an operation's page.

use kidx_queries::show::choice::OtherWorkload;
use kidx_queries::show::standings::{Best, LeftOut, Ranked, RecordLine};

use super::super::code::codes;
use super::words;
use crate::output::{Cell, Column, Mark};

/// Records by hardware and environment.
pub(super) fn records() -> Vec<Column<RecordLine>> {
    vec![
        Column::text("hardware", "Hardware", |r: &RecordLine| {
            Cell::text(&r.hardware.product)
        }),
        Column::text("provider", "Provider", |r: &RecordLine| {
            words::cell(r.environment.provider.as_deref())
        }),
        Column::number("latency_ns", "Best known", |r: &RecordLine| {
            Cell::amount(&r.amount).mark(Mark::Strong)
        }),
        Column::text("implementation", "Implementation", |r: &RecordLine| {
            Cell::text(&r.implementation)
        }),
        Column::number("runs", "Runs", |r: &RecordLine| Cell::count(r.runs as u64)),
        Column::fixed("observed_on", "Observed", |r: &RecordLine| {
            words::observed(r.observed_on.as_ref(), r.stale)
        })
        .may_go(1),
        Column::id("run", "Run", |r: &RecordLine| {
            Cell::text(&r.run).mark(Mark::Dim)
        })
        .min_width(15)
        .may_go(2),
    ]
}

/// Who stands in the headline's cohort.
pub(super) fn ranking() -> Vec<Column<Ranked>> {
    vec![
        Column::number("rank", "#", |r: &Ranked| {
            let rank = Cell::count(u64::from(r.rank));
            if r.tied {
                rank.shown(format!("{}=", r.rank))
            } else {
                rank
            }
        }),
        Column::text("implementation", "Implementation", |r: &Ranked| {
            Cell::text(&r.implementation)
        })
        .min_width(17),
        Column::text("project", "Project", |r: &Ranked| Cell::text(&r.project)).may_go(6),
        Column::number("latency_ns", "Latency", |r: &Ranked| {
            Cell::amount(&r.amount).mark(Mark::Strong)
        }),
        Column::fixed("spread", "±", |r: &Ranked| {
            r.spread
                .as_ref()
                .map_or_else(Cell::none, |spread| Cell::text(spread).mark(Mark::Dim))
        }),
        Column::number("vs_first", "vs #1", |r: &Ranked| {
            r.vs_first.map_or_else(Cell::none, Cell::ratio)
        }),
        Column::number("vs_baseline", "Speedup", |r: &Ranked| {
            let cell = r.vs_baseline.map_or_else(Cell::none, Cell::ratio);
            if r.role == "baseline" {
                cell.shown("baseline").mark(Mark::Dim)
            } else {
                cell
            }
        }),
        Column::fixed("trust", "Trust", |r: &Ranked| Cell::text(r.trust.as_str())).may_go(2),
        Column::fixed("license", "Licence", |r: &Ranked| {
            words::cell(r.license.as_deref())
        })
        .may_go(1),
        Column::fixed("implementation_license", "Of what ran", |r: &Ranked| {
            words::cell(r.implementation_license.as_deref())
        })
        .may_go(5),
        Column::fixed("observed_on", "Observed", |r: &Ranked| {
            words::observed(r.observed_on.as_ref(), r.stale)
        }),
        Column::id("run", "Run", |r: &Ranked| {
            Cell::text(&r.run).mark(Mark::Dim)
        })
        .min_width(15)
        .may_go(7),
    ]
}

/// Runs that don't stand, and why.
pub(super) fn left_out() -> Vec<Column<LeftOut>> {
    vec![
        Column::text("implementation", "Implementation", |r: &LeftOut| {
            Cell::text(&r.implementation)
        }),
        Column::number("latency_ns", "Latency", |r: &LeftOut| {
            Cell::amount(&r.amount)
        }),
        Column::fixed("observed_on", "Observed", |r: &LeftOut| {
            words::cell(r.observed_on.as_deref())
        }),
        Column::fixed("reasons", "Why", |r: &LeftOut| {
            Cell::text(codes(&r.reasons)).mark(Mark::Doubt)
        }),
        Column::id("run", "Run", |r: &LeftOut| {
            Cell::text(&r.run).mark(Mark::Dim)
        })
        .min_width(15)
        .may_go(1),
    ]
}

/// The best of each implementation.
pub(super) fn implementations() -> Vec<Column<Best>> {
    vec![
        Column::text("name", "Implementation", |b: &Best| Cell::text(&b.name)).min_width(13),
        Column::text("project", "Project", |b: &Best| Cell::text(&b.project)).may_go(4),
        Column::text("runtime", "Runtime", |b: &Best| {
            Cell::text(&b.runtime).mark(Mark::Dim)
        })
        .may_go(2),
        Column::number("best_latency_ns", "Best latency", |b: &Best| {
            Cell::amount(&b.best).mark(Mark::Strong)
        }),
        Column::number("vs_best", "vs best", |b: &Best| {
            b.vs_best.map_or_else(Cell::none, Cell::ratio)
        }),
        Column::text("best_environment", "Measured on", |b: &Best| {
            Cell::text(&b.best_environment.label)
        })
        .may_go(3),
        Column::fixed("evidence", "Evidence", |b: &Best| {
            Cell::text(b.evidence.as_str())
        })
        .may_go(1),
        Column::fixed("license", "Licence", |b: &Best| {
            words::cell(b.license.as_deref())
        })
        .may_go(1),
    ]
}

/// Other workloads of the problem.
pub(super) fn versions() -> Vec<Column<OtherWorkload>> {
    vec![
        Column::fixed("suite_version", "Suite version", |v: &OtherWorkload| {
            words::cell(v.suite_version.as_deref())
        }),
        Column::text("workload", "Workload", |v: &OtherWorkload| {
            Cell::text(&v.workload)
        }),
        Column::number("runs", "Runs", |v: &OtherWorkload| {
            Cell::count(v.runs as u64)
        }),
        Column::id("digest", "Digest", |v: &OtherWorkload| {
            Cell::text(&v.digest).mark(Mark::Dim)
        })
        .min_width(19),
    ]
}
