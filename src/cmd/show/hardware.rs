//! The page of a hardware product.

use kidx_queries::show::hardware::{HardwarePage, Holder, Measured};

use super::words::{self, Pair, line, pair, table};
use crate::output::{Cell, Column, Mark, Page};

/// Writes the page.
pub(super) fn write(of: &HardwarePage, page: &mut Page) {
    page.title(&of.hardware.product);
    page.prose(
        Mark::Dim,
        &line([
            Some(of.hardware.id.clone()),
            of.vendor.clone(),
            of.architecture.clone(),
            of.capability.clone(),
            of.form_factor.clone(),
        ]),
    );
    if !of.listed {
        page.prose(
            Mark::Doubt,
            match of.peaks.given {
                Some(_) => "Not in the built-in table: its figures are given ones.",
                None => "Not in the built-in table: no peaks are known, and no floor can be given.",
            },
        );
    }
    page.section("Peaks, dense, per device");
    page.pairs(&peaks(of));
    page.section("Measured on it");
    page.pairs(&[
        pair("runs", Some(of.runs.to_string())),
        pair("records", Some(of.records_held.to_string())),
    ]);
    if !of.measured.is_empty() {
        table(page, measured_columns(), of.measured.clone());
    }
    if !of.holders.is_empty() {
        page.section("Who holds its records");
        table(page, holder_columns(), of.holders.clone());
    }
    page.section("Spellings");
    page.prose(Mark::Plain, &of.aliases.join(" · "));
}

fn peaks(of: &HardwarePage) -> Vec<Pair> {
    let peaks = &of.peaks;
    let figures = [
        ("bandwidth", peaks.bandwidth_gbs, "GB/s"),
        ("fp64", peaks.fp64, "TFLOP/s"),
        ("fp64 tensor", peaks.fp64_tensor, "TFLOP/s"),
        ("fp32", peaks.fp32, "TFLOP/s"),
        ("tf32", peaks.tf32_tensor, "TFLOP/s"),
        ("fp16", peaks.fp16_tensor, "TFLOP/s"),
        ("bf16", peaks.bf16_tensor, "TFLOP/s"),
        ("fp8", peaks.fp8_tensor, "TFLOP/s"),
        ("int8", peaks.int8_tensor, "TOPS"),
        ("fp4", peaks.fp4_tensor, "TFLOP/s"),
        ("memory", of.memory_gb, "GB"),
        ("L2", peaks.l2_mib, "MiB"),
        ("last level", peaks.llc_mib, "MiB"),
        ("boost clock", of.boost_mhz, "MHz"),
        ("power", of.tdp_w, "W"),
    ];
    let mut pairs: Vec<Pair> = figures
        .into_iter()
        .filter_map(|(label, figure, unit)| {
            Some((label, Mark::Plain, format!("{} {unit}", figure?)))
        })
        .collect();
    pairs.push(pair("units", of.units.map(|units| units.to_string())));
    pairs.push(pair("announced", of.announced.as_ref()));
    pairs.push(pair("confidence", peaks.confidence.as_ref()));
    pairs.push(pair("source", of.peak_source.as_ref()));
    if let Some(given) = &peaks.given {
        pairs.push(("given", Mark::Doubt, format!("some of them in {given}")));
    }
    if let Some(notes) = &of.notes {
        pairs.push(("notes", Mark::Dim, notes.clone()));
    }
    pairs
}

fn measured_columns() -> Vec<Column<Measured>> {
    vec![
        Column::fixed("source", "Source", |m: &Measured| Cell::text(&m.source)),
        Column::fixed("suite", "Suite", |m: &Measured| Cell::text(&m.suite)),
        Column::fixed("suite_version", "Version", |m: &Measured| {
            words::cell(m.suite_version.as_deref())
        }),
        Column::number("runs", "Runs", |m: &Measured| Cell::count(m.runs as u64)),
        Column::number("records", "Records", |m: &Measured| {
            Cell::count(m.records as u64)
        }),
        Column::fixed("observed_on", "Newest", |m: &Measured| {
            words::cell(m.observed_on.as_deref())
        }),
    ]
}

fn holder_columns() -> Vec<Column<Holder>> {
    vec![
        Column::text("implementation", "Implementation", |h: &Holder| {
            Cell::text(&h.implementation)
        }),
        Column::number("records", "Records", |h: &Holder| {
            Cell::count(h.records as u64)
        }),
    ]
}
