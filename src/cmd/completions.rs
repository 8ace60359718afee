//! `kidx completions`: a completion script for a shell.

use clap::CommandFactory;

use crate::cli::{self, Cli};
use crate::error::{EXIT_DONE, Result};
use crate::output::Ui;

/// Runs the command.
pub fn run(arguments: &cli::Completions, ui: &mut Ui) -> Result<u8> {
    // Into memory first: the generator takes a failing writer for a bug.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "kidx", &mut script);
    ui.out().write_all(&script)?;
    ui.finish()?;
    Ok(EXIT_DONE)
}
