//! `kidx hardware`: products, their peaks, and what was measured on them.

use std::path::Path;

use kidx_queries::hardware::{self, Product};
use kidx_queries::show;

use super::context::{self, Context};
use super::footer::footer;
use super::records::{one_item_format, single};
use super::show as page;
use crate::catalog::peaks;
use crate::cli::{self, HardwareCommand};
use crate::error::{EXIT_DONE, Result};
use crate::fetch::{self, Target};
use crate::output::{Cell, Column, Format, Listing, Mark, Ui, units};

/// Runs the command.
pub fn run(arguments: &cli::Hardware, context: &Context, ui: &mut Ui) -> Result<u8> {
    if let Some(HardwareCommand::Show { id }) = &arguments.command {
        let id = format!("hw:{}", id.strip_prefix("hw:").unwrap_or(id));
        return page::write(&id, &show::Options::default(), context, ui);
    }
    if let Some(HardwareCommand::Peaks { file }) = &arguments.command {
        return give(file, context, ui);
    }
    let connection = context.reader()?;
    let selection = context::select(&connection, &arguments.filters)?;
    let mut items = hardware::products(&connection, &selection, context.view())?;
    let all = items.len();
    if !arguments.all {
        items.retain(|product| product.cohorts > 0);
    }
    let more = all - items.len();
    let format = context.format_or(Format::Table);
    let newest = items
        .iter()
        .filter_map(|item| item.observed_on.clone())
        .max();
    let mut listing = Listing::new(columns(), items);
    context.listing().apply(&mut listing)?;
    let envelope = context.envelope("kidx/hardware/1", hardware::policies());
    ui.listing(format, &envelope, &listing)?;
    if format == Format::Table {
        let (shown, total) = (listing.items().len(), listing.total());
        footer(ui, shown, total, newest.as_deref(), &[]);
        if more > 0 {
            ui.aside(format_args!(
                "nothing measured on {} more: `--all` lists them",
                units::count(more as u64)
            ));
        }
    }
    Ok(EXIT_DONE)
}

/// Takes figures from a file.
fn give(file: &Path, context: &Context, ui: &mut Ui) -> Result<u8> {
    let format = context.format_or(Format::Table);
    one_item_format(format)?;
    let read = fetch::read(&Target::Named(file.to_owned(), None))?;
    let given = peaks::give(
        &mut context.writer()?,
        &file.display().to_string(),
        &read.content,
    )?;
    if format == Format::Table {
        writeln!(
            ui.out(),
            "{} figures of {} products from {}",
            given.figures,
            given.products.len(),
            given.source
        )?;
        for product in &given.products {
            writeln!(ui.out(), "{product}")?;
        }
        ui.finish()?;
    } else {
        single(
            &given,
            "kidx/hardware-peaks/1",
            Vec::new(),
            format,
            context,
            ui,
        )?;
    }
    Ok(EXIT_DONE)
}

fn columns() -> Vec<Column<Product>> {
    let mut columns = vec![
        Column::fixed("hardware", "Hardware", |p: &Product| {
            Cell::text(&p.hardware.id)
                .shown(&p.hardware.short)
                .mark(Mark::Strong)
        }),
        Column::text("product", "Product", |p: &Product| {
            Cell::text(&p.hardware.product)
        })
        .may_go(4),
        Column::fixed("family", "Family", |p: &Product| {
            text(p.hardware.family.as_ref())
        })
        .hidden(),
        Column::fixed("vendor", "Vendor", |p: &Product| text(p.vendor.as_ref())).may_go(7),
        Column::fixed("architecture", "Architecture", |p: &Product| {
            text(p.architecture.as_ref())
        })
        .may_go(8),
        Column::fixed("form_factor", "Form", |p: &Product| {
            text(p.form_factor.as_ref())
        })
        .hidden(),
        Column::number("runs", "Runs", |p: &Product| Cell::count(p.runs as u64)),
        Column::number("cohorts", "Cohorts", |p: &Product| {
            Cell::count(p.cohorts as u64)
        })
        .may_go(3),
        Column::number("records", "Records", |p: &Product| {
            Cell::count(p.records as u64)
        }),
        Column::fixed("observed_on", "Newest", |p: &Product| {
            p.observed_on.as_ref().map_or_else(Cell::none, Cell::text)
        }),
    ];
    columns.extend([
        peak("memory_gb", "GB", |p| p.memory_gb).may_go(5),
        peak("bandwidth_gbs", "GB/s", |p| p.peaks.bandwidth_gbs),
        peak("fp64", "fp64", |p| p.peaks.fp64).hidden(),
        peak("fp64_tensor", "fp64 tensor", |p| p.peaks.fp64_tensor).hidden(),
        peak("fp32", "fp32", |p| p.peaks.fp32).may_go(1),
        peak("tf32_tensor", "tf32", |p| p.peaks.tf32_tensor).may_go(1),
        peak("fp16_tensor", "fp16", |p| p.peaks.fp16_tensor).may_go(2),
        peak("bf16_tensor", "bf16", |p| p.peaks.bf16_tensor).may_go(2),
        peak("fp8_tensor", "fp8", |p| p.peaks.fp8_tensor).hidden(),
        peak("int8_tensor", "int8", |p| p.peaks.int8_tensor).hidden(),
        peak("fp4_tensor", "fp4", |p| p.peaks.fp4_tensor).hidden(),
        peak("l2_mib", "L2 MiB", |p| p.peaks.l2_mib).hidden(),
        Column::fixed("confidence", "Confidence", |p: &Product| {
            text(p.peaks.confidence.as_ref())
        })
        .may_go(6),
        Column::fixed("listed", "Listed", |p: &Product| {
            Cell::flag(p.listed, "listed")
        })
        .hidden(),
    ]);
    columns
}

fn text(text: Option<&String>) -> Cell {
    text.map_or_else(Cell::unknown, Cell::text)
}

/// A figure of the product's table, as the table says it.
fn peak(key: &'static str, title: &str, of: fn(&Product) -> Option<f64>) -> Column<Product> {
    Column::number(key, title, move |p: &Product| {
        of(p).map_or_else(Cell::none, Cell::figure)
    })
}
