//! `kidx show`: the whole page of one thing.

mod columns;
mod hardware;
mod implementation;
mod operation;
mod provenance;
mod run;
mod snapshot;
mod words;

use kidx_queries::show::{self, Options, Page};

use super::context::Context;
use super::records::single;
use crate::cli;
use crate::error::{EXIT_DONE, Error, Result};
use crate::output::{self, Format, Ui};

/// Runs the command.
pub fn run(arguments: &cli::Show, context: &Context, ui: &mut Ui) -> Result<u8> {
    let options = Options {
        floor: arguments.floor_policy.parse()?,
        watch: arguments.watch.clone(),
    };
    write(&arguments.id, &options, context, ui)
}

/// Writes the page of what an id names.
pub(super) fn write(id: &str, options: &Options, context: &Context, ui: &mut Ui) -> Result<u8> {
    let format = context.format_or(Format::Table);
    if matches!(format, Format::Csv | Format::Markdown) {
        return Err(Error::usage("a page is no list of rows")
            .hint("use `--format json`, or `kidx records --operation ID` for rows in any format"));
    }
    let connection = context.reader()?;
    let page = show::show(&connection, id, context.view(), options)?;
    if format == Format::Table {
        let mut written = output::Page::new(ui.width(), ui.paint());
        match &page {
            Page::Operation(page) => operation::write(page, &mut written),
            Page::Run(page) => run::write(page, &mut written),
            Page::Implementation(page) => implementation::write(page, &mut written),
            Page::Hardware(page) => hardware::write(page, &mut written),
            Page::Snapshot(page) => snapshot::write(page, &mut written),
        }
        ui.page(written)?;
    } else {
        let policies = show::policies(options.floor);
        single(&page, "kidx/show/1", policies, format, context, ui)?;
    }
    Ok(EXIT_DONE)
}
