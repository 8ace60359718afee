//! The whole page of one thing: an operation, a run, an implementation, a hardware
//! product or a snapshot.

pub mod choice;
pub mod hardware;
pub mod implementation;
pub mod marks;
pub mod operation;
pub mod provenance;
pub mod run;
pub mod semantics;
pub mod snapshot;
pub mod standings;

mod suite;
mod watch;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Result;
use crate::floors::FloorPolicy;
use crate::lookup::{self, Subject};
use crate::policy::coverage;
use crate::records;
use crate::view::View;

/// A page, by what it is about.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Page {
    /// Of an operation; all fields are of one workload.
    Operation(Box<operation::OperationPage>),
    /// Of a run.
    Run(Box<run::RunPage>),
    /// Of an implementation.
    Implementation(Box<implementation::ImplementationPage>),
    /// Of a hardware product.
    Hardware(Box<hardware::HardwarePage>),
    /// Of a snapshot.
    Snapshot(Box<snapshot::SnapshotPage>),
}

/// Options of the question.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Which floor.
    pub floor: FloorPolicy,
    /// Hardware families that "not measured on" asks about; empty: the watch list.
    pub watch: Vec<String>,
}

/// Policies that decide this answer.
pub fn policies(floor: FloorPolicy) -> Vec<&'static str> {
    let mut policies = records::policies(floor);
    policies.push(coverage::ID);
    policies
}

/// The page of what an id names.
///
/// # Errors
///
/// When the id, or a watched family, names nothing or several things, and when a run
/// isn't part of the view.
pub fn show(connection: &Connection, id: &str, view: &View, options: &Options) -> Result<Page> {
    Ok(match lookup::subject(connection, id)? {
        Subject::Operation { rows, workload } => {
            let page = operation::page(connection, &rows, workload, view, options)?;
            Page::Operation(Box::new(page))
        }
        Subject::Run(row) => Page::Run(Box::new(run::page(connection, row, view, options)?)),
        Subject::Implementation(row) => {
            Page::Implementation(Box::new(implementation::page(connection, row, view)?))
        }
        Subject::Hardware(row) => Page::Hardware(Box::new(hardware::page(connection, row, view)?)),
        Subject::Snapshot(row) => Page::Snapshot(Box::new(snapshot::page(connection, row, view)?)),
    })
}
