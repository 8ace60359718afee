//! `kidx`: one binary over one SQLite file.

mod catalog;
mod cli;
mod cmd;
mod error;
mod export;
mod fetch;
mod output;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::Cli;
use crate::output::{Talk, Ui};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers (0); anything else is wrong usage (2).
            let code = if error.use_stderr() {
                error::EXIT_USAGE
            } else {
                error::EXIT_DONE
            };
            return match error.print() {
                Ok(()) => ExitCode::from(code),
                Err(_) => ExitCode::from(error::EXIT_DONE),
            };
        }
    };
    let talk = match (cli.global.quiet, cli.global.verbose) {
        (true, _) => Talk::Quiet,
        (_, true) => Talk::Verbose,
        _ => Talk::Normal,
    };
    let mut ui = Ui::new(cli.global.color, talk);
    match cmd::run(&cli, &mut ui) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            if error.kind != error::Kind::BrokenPipe {
                ui.error(&error.message);
                for cause in &error.causes {
                    ui.cause(cause);
                }
                for hint in &error.hints {
                    ui.hint(hint);
                }
            }
            ExitCode::from(error.exit_code())
        }
    }
}
