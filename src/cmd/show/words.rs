//! How pages word what several of them show.

use std::collections::BTreeMap;

use kidx_queries::entities::{Protocol, Workload};
use kidx_queries::policy::Ns;
use kidx_queries::policy::floor::{Bound, Floor};
use serde_json::Value;

use super::super::code::code;
use crate::output::{Cell, Column, Listing, Mark, Page, units};

/// One labelled value.
pub(super) type Pair = (&'static str, Mark, String);

/// A labelled value; `unknown` where there is none.
pub(super) fn pair(label: &'static str, value: Option<impl Into<String>>) -> Pair {
    match value {
        Some(value) => (label, Mark::Plain, value.into()),
        None => (label, Mark::Dim, "unknown".to_owned()),
    }
}

/// Known parts in one line.
pub(super) fn line<const N: usize>(parts: [Option<String>; N]) -> String {
    let known: Vec<String> = parts.into_iter().flatten().collect();
    known.join(" · ")
}

/// A duration.
pub(super) fn latency(ns: Ns) -> String {
    units::latency(ns.ps())
}

/// A table in a page.
pub(super) fn table<T>(page: &mut Page, columns: Vec<Column<T>>, items: Vec<T>) {
    page.table(&Listing::new(columns, items).table());
}

/// A text that may be unknown, in a table.
pub(super) fn cell(text: Option<&str>) -> Cell {
    text.map_or_else(Cell::unknown, Cell::text)
}

/// The day of an observation, marked where it is stale.
pub(super) fn observed(day: Option<&String>, stale: Option<bool>) -> Cell {
    match (day, stale) {
        (Some(day), Some(true)) => Cell::text(day)
            .shown(format!("{day} stale"))
            .mark(Mark::Doubt),
        (day, _) => cell(day.map(String::as_str)),
    }
}

/// Software versions.
pub(super) fn software(of: &BTreeMap<String, String>) -> Option<String> {
    let named: Vec<String> = of
        .iter()
        .map(|(name, version)| format!("{name} {version}"))
        .collect();
    (!named.is_empty()).then(|| named.join(", "))
}

/// Axes and dtype, or that shapes are unknown.
pub(super) fn workload(of: &Workload) -> Pair {
    let mark = if of.shapes_known {
        Mark::Plain
    } else {
        Mark::Doubt
    };
    let axes = of
        .axes
        .iter()
        .map(|(name, size)| format!("{name} = {}", plain(size)));
    let parts: Vec<String> = axes.chain(of.dtype.clone()).collect();
    let text = if parts.is_empty() {
        of.summary.clone()
    } else {
        parts.join(" · ")
    };
    ("workload", mark, text)
}

/// How something was timed.
pub(super) fn protocol(of: &Protocol) -> String {
    line([
        Some(of.harness.clone()),
        Some(of.statistic.clone()),
        of.timer.clone(),
        of.warmups.map(|warmups| format!("{warmups} warm-ups")),
        Some(format!(
            "cache {}",
            of.cache.as_deref().unwrap_or("unknown")
        )),
        of.precision.clone(),
        // The rule in timing inference; worth a word only where it is broken.
        of.autograd
            .as_ref()
            .filter(|autograd| *autograd != "off")
            .map(|autograd| format!("autograd {autograd}")),
    ])
}

/// A JSON value as a person would write it.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Both licences of a figure: of the module and data, and of what ran.
pub(super) fn licences(module: Option<&str>, software: Option<&str>) -> String {
    let text = |licence: Option<&str>| licence.unwrap_or("unknown").to_owned();
    format!(
        "licence of module and figures {}, of what ran {}",
        text(module),
        text(software)
    )
}

/// The section of a floor; `measured` names what is held against it.
pub(super) fn floor(page: &mut Page, measured: &str, floor: &Floor) {
    page.section("Estimated floor");
    let Some(bound) = floor.floor_ns else {
        page.prose(Mark::Dim, &format!("none can be given ({})", floor.policy));
        flags(page, floor);
        return;
    };
    page.prose(
        Mark::Strong,
        &line([
            Some(latency(bound)),
            floor
                .ratio
                .map(|ratio| format!("{measured} at {} of it", units::ratio(ratio))),
            Some("estimate, not evidence".to_owned()),
        ]),
    );
    let device = floor.hardware.as_deref().unwrap_or("unknown hardware");
    page.prose(
        Mark::Plain,
        &line([
            floor
                .terms
                .dram_ns
                .map(|ns| format!("DRAM {}", latency(ns))),
            floor
                .terms
                .compute_ns
                .map(|ns| format!("compute {}", latency(ns))),
            floor.hard_ns.map(|ns| format!("hard {}", latency(ns))),
            floor
                .unfused_ns
                .map(|ns| format!("unfused {}", latency(ns))),
            floor.bound.map(|bound| match bound {
                Bound::Bandwidth => format!("bandwidth-bound on {device}"),
                Bound::Compute => format!("compute-bound on {device}"),
            }),
            floor.verdict.map(|verdict| code(&verdict)),
        ]),
    );
    for rule in &floor.rules {
        page.prose(Mark::Dim, rule);
    }
    flags(page, floor);
    page.prose(
        Mark::Dim,
        &format!(
            "{}: a lower bound; a kernel can be well above it for good reasons",
            floor.policy
        ),
    );
}

fn flags(page: &mut Page, floor: &Floor) {
    for flag in &floor.flags {
        page.prose(
            Mark::Doubt,
            &format!("{}: {}", code(&flag.code), flag.reason),
        );
    }
}
