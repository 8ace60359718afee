//! `kidx man`: the manual in roff, the page of each subcommand after the main one.

use clap::CommandFactory;
use clap_mangen::Man;

use crate::cli::Cli;
use crate::error::{EXIT_DONE, Result};
use crate::output::Ui;

/// Runs the command.
pub fn run(ui: &mut Ui) -> Result<u8> {
    let mut manual = Vec::new();
    let mut command = Cli::command().disable_help_subcommand(true);
    // Building gives subcommands their full names (`kidx-db-backup`).
    command.build();
    pages(&command, &mut manual)?;
    ui.out().write_all(&manual)?;
    ui.finish()?;
    Ok(EXIT_DONE)
}

fn pages(command: &clap::Command, manual: &mut Vec<u8>) -> Result<()> {
    Man::new(command.clone()).render(manual)?;
    for subcommand in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        pages(subcommand, manual)?;
    }
    Ok(())
}
