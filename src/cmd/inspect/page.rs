//! What a module needs, for people.

use kidx_queries::policy::Ns;
use kidx_queries::policy::floor::Floor;

use super::Answer;
use super::answer::{Input, Output};
use crate::cmd::code::{code, codes};
use crate::error::Result;
use crate::output::{Cell, Column, Listing, Mark, Page, Ui, units};

/// Most products named as having room.
const NAMED: usize = 6;

/// Writes the page.
pub(super) fn write(of: &Answer, ui: &mut Ui) -> Result<()> {
    let mut page = Page::new(ui.width(), ui.paint());
    page.title(&of.file);
    if !of.complete {
        page.prose(
            Mark::Doubt,
            "Not everything was followed: the figures are of what was.",
        );
        for unknown in &of.unknown {
            let line = unknown
                .line
                .map_or_else(String::new, |line| format!("line {line}: "));
            let text = format!("{line}{}: {}", unknown.what, unknown.reason);
            page.prose(Mark::Doubt, &text);
        }
    }
    page.section("Tensors");
    page.pairs(&tensors(of));
    page.section("Moves and computes");
    page.pairs(&work(of));
    if !of.floors.is_empty() {
        page.section("Floors, estimates");
        page.table(&Listing::new(columns(), of.floors.clone()).table());
        for (code, reason) in reasons(&of.floors) {
            page.prose(Mark::Dim, &format!("{code}: {reason}"));
        }
    }
    page.section("Memory");
    page.prose(Mark::Plain, &memory(of));
    ui.page(page)?;
    Ok(())
}

type Pair = (&'static str, Mark, String);

fn tensors(of: &Answer) -> Vec<Pair> {
    let inputs = of
        .inputs
        .as_ref()
        .map(|inputs| inputs.iter().enumerate().map(input).collect::<Vec<_>>());
    let outputs = of
        .outputs
        .as_ref()
        .map(|outputs| outputs.iter().map(output).collect::<Vec<_>>());
    let mut pairs = listed("inputs", inputs);
    pairs.extend(listed("outputs", outputs));
    let parameters = &of.parameters;
    pairs.extend([
        (
            "parameters",
            Mark::Plain,
            format!(
                "{}, {} ({} read, {} that the outputs depend on)",
                units::count(parameters.count),
                units::bytes(parameters.bytes),
                units::bytes(parameters.used_bytes),
                units::bytes(parameters.live_bytes)
            ),
        ),
        ("buffers", Mark::Plain, units::bytes(of.buffers.bytes)),
    ]);
    pairs
}

/// One line each below a label.
fn listed(label: &'static str, lines: Option<Vec<String>>) -> Vec<Pair> {
    let Some(lines) = lines else {
        return vec![(label, Mark::Dim, "unknown".to_owned())];
    };
    if lines.is_empty() {
        return vec![(label, Mark::Dim, "none".to_owned())];
    }
    let labels = std::iter::once(label).chain(std::iter::repeat(""));
    labels
        .zip(lines)
        .map(|(label, line)| (label, Mark::Plain, line))
        .collect()
}

fn input((at, input): (usize, &Input)) -> String {
    let name = input
        .name
        .clone()
        .unwrap_or_else(|| format!("input {}", at + 1));
    match (&input.dtype, &input.shape) {
        (Some(dtype), Some(shape)) => format!("{name}: {dtype} {shape:?}"),
        _ => format!("{name}: a plain value"),
    }
}

fn output(output: &Output) -> String {
    format!("{} {:?}", output.dtype, output.shape)
}

fn work(of: &Answer) -> Vec<Pair> {
    let by_op: Vec<String> = of
        .flops
        .by_op
        .iter()
        .map(|(op, flops)| format!("{op} {}", units::count(*flops)))
        .collect();
    let total = of.bytes.total.map_or_else(
        || "unknown".to_owned(),
        |total| format!("{} bytes, each once", units::count(total)),
    );
    let mut pairs = vec![
        ("bytes", Mark::Plain, total),
        (
            "FLOP needed",
            Mark::Plain,
            format!(
                "{}{} of matrix work ({} as PyTorch counts)",
                if of.complete { "" } else { "at least " },
                units::count(of.flops.needed),
                units::count(of.flops.counted)
            ),
        ),
    ];
    if !by_op.is_empty() {
        pairs.push(("by operation", Mark::Dim, by_op.join(" · ")));
    }
    pairs
}

fn columns() -> Vec<Column<Floor>> {
    let time = |ns: Option<Ns>| ns.map_or_else(Cell::none, |ns| Cell::latency(ns.ps()));
    vec![
        Column::fixed("hardware", "Hardware", |f: &Floor| {
            f.hardware.as_ref().map_or_else(Cell::unknown, Cell::text)
        }),
        Column::number("floor_ns", "Fused", move |f: &Floor| {
            time(f.floor_ns).mark(Mark::Strong)
        }),
        Column::fixed("bound", "Bound", |f: &Floor| {
            f.bound
                .map_or_else(Cell::none, |bound| Cell::text(code(&bound)))
        }),
        Column::number("dram_ns", "DRAM", move |f: &Floor| time(f.terms.dram_ns)).may_go(2),
        Column::number("compute_ns", "Compute", move |f: &Floor| {
            time(f.terms.compute_ns)
        })
        .may_go(2),
        Column::number("hard_ns", "Hard", move |f: &Floor| time(f.hard_ns)),
        Column::number("unfused_ns", "Unfused", move |f: &Floor| time(f.unfused_ns)),
        Column::text("flags", "Flags", |f: &Floor| {
            Cell::text(codes(f.flags.iter().map(|flag| flag.code))).mark(Mark::Dim)
        })
        .may_go(1),
    ]
}

/// Each flag once, with its reason where it was met first.
fn reasons(floors: &[Floor]) -> Vec<(String, &str)> {
    let mut reasons: Vec<(String, &str)> = Vec::new();
    for flag in floors.iter().flat_map(|floor| &floor.flags) {
        let name = code(&flag.code);
        if reasons.iter().all(|(known, _)| *known != name) {
            reasons.push((name, &flag.reason));
        }
    }
    reasons
}

fn memory(of: &Answer) -> String {
    let Some(bytes) = of.memory_bytes else {
        return "unknown".to_owned();
    };
    let need = format!("about {}, operation by operation", units::bytes(bytes));
    if of.fits.is_empty() {
        return format!("{need}: no listed product has that much");
    }
    let named: Vec<String> = of
        .fits
        .iter()
        .take(NAMED)
        .map(|fits| format!("{} ({} GB)", fits.short, fits.memory_gb))
        .collect();
    let more = of.fits.len().saturating_sub(NAMED);
    let more = if more > 0 {
        format!(" and {more} larger")
    } else {
        String::new()
    };
    format!("{need}: fits {}{more}", named.join(", "))
}
