//! One file per command: arguments in, one answer out.

mod acknowledge;
mod audit;
mod code;
mod columns;
mod completions;
mod context;
mod db;
mod export;
mod floors;
mod footer;
mod hardware;
mod history;
mod import;
mod inspect;
mod man;
mod mapping;
mod records;
mod retract;
#[cfg(test)]
mod schemas;
mod score;
mod show;
mod sources;
mod speedups;
mod sql;
mod stale;
mod suite_facts;
mod verify;

use crate::cli::{Cli, Command};
use crate::error::Result;
use crate::output::Ui;
use context::Context;

/// Carries out a command; the value is the exit code.
pub fn run(cli: &Cli, ui: &mut Ui) -> Result<u8> {
    let context = Context::new(&cli.global)?;
    match &cli.command {
        Command::Import(arguments) => import::run(arguments, &context, ui),
        Command::Records(arguments) => records::run(arguments, &context, ui),
        Command::Show(arguments) => show::run(arguments, &context, ui),
        Command::Stale(arguments) => stale::run(arguments, &context, ui),
        Command::History(arguments) => history::run(arguments, &context, ui),
        Command::Speedups(arguments) => speedups::run(arguments, &context, ui),
        Command::Floors(arguments) => floors::run(arguments, &context, ui),
        Command::Audit(arguments) => audit::run(arguments, &context, ui),
        Command::Hardware(arguments) => hardware::run(arguments, &context, ui),
        Command::Inspect(arguments) => inspect::run(arguments, &context, ui),
        Command::Score(arguments) => score::run(arguments, &context, ui),
        Command::Mapping(arguments) => mapping::run(arguments, &context, ui),
        Command::Sources(_) => sources::run(&context, ui),
        Command::Export(arguments) => export::run(arguments, &context, ui),
        Command::Retract(arguments) => retract::run(arguments, &context, ui),
        Command::Acknowledge(arguments) => acknowledge::run(arguments, &context, ui),
        Command::Verify => verify::run(&context, ui),
        Command::Sql(arguments) => sql::run(arguments, &context, ui),
        Command::Db(arguments) => db::run(arguments, &context, ui),
        Command::Completions(arguments) => completions::run(arguments, ui),
        Command::Man => man::run(ui),
        Command::SuiteFacts(arguments) => suite_facts::run(arguments, ui),
    }
}
