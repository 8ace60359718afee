//! The only room that writes. What a run is: identity, evidence, inputs taken whole, and
//! everything derived from the content.

mod anew;
mod backup;
pub mod derive;
mod doubts;
pub mod events;
mod extremes;
mod hard;
mod hardware;
pub mod identity;
pub mod ingest;
mod migrate;
mod open;
pub mod peaks;
pub mod reference;
mod snapshot;
pub mod suite;
pub mod verify;

pub use backup::backup;
pub use snapshot::Content;

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use crate::error::Result;

/// Opens the catalogue for writing; creates, migrates and loads reference data.
pub fn open_writer(path: &Path, wait: Duration) -> Result<Connection> {
    let mut connection = open::writer(path, wait)?;
    reference::load(&mut connection)?;
    Ok(connection)
}

/// Opens the catalogue for questions.
pub fn open_reader(path: &Path, wait: Duration) -> Result<Connection> {
    open::reader(path, wait)
}

/// A private catalogue with nothing but reference data, in memory while it is small.
pub fn open_temporary() -> Result<Connection> {
    let mut connection = open::temporary()?;
    reference::load(&mut connection)?;
    Ok(connection)
}

/// A catalogue in memory with nothing but reference data.
pub fn open_in_memory() -> Result<Connection> {
    let mut connection = open::in_memory()?;
    reference::load(&mut connection)?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use kidx_importers::{Quantity, Status};

    use super::*;

    /// Importers and schema must agree on directions, units, parts and statuses.
    #[test]
    fn the_schema_knows_what_importers_say() {
        let connection = open_in_memory().unwrap();
        let mut statement = connection
            .prepare("SELECT name, direction, unit, parts FROM metric")
            .unwrap();
        let mut kept = statement
            .query_map([], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .unwrap()
            .collect::<rusqlite::Result<Vec<(String, String, String, i64)>>>()
            .unwrap();
        kept.sort();
        let mut said: Vec<(String, String, String, i64)> = Quantity::ALL
            .into_iter()
            .map(|quantity| {
                (
                    quantity.name().to_owned(),
                    quantity.direction().as_str().to_owned(),
                    quantity.unit().to_owned(),
                    10_i64.pow(quantity.parts()),
                )
            })
            .collect();
        said.sort();
        assert_eq!(kept, said);
        let schema = include_str!("../../schema.sql");
        for status in Status::ALL {
            assert!(
                schema.contains(&format!("'{}'", status.as_str())),
                "{status:?}"
            );
        }
    }
}
