//! Decisions about runs, kept beside them: nothing is rewritten, and history still
//! shows what was decided and why.

use rusqlite::{Connection, TransactionBehavior, named_params, params};

use super::derive::{self, Changes, Touched};
use super::doubts;
use crate::error::Result;

/// A run as an event needs it.
pub struct Found {
    /// Row.
    pub id: i64,
    /// `run:` and the digest.
    pub run: String,
    /// Row of its cohort.
    pub cohort: i64,
    /// Slug of its operation.
    pub operation: String,
    /// Product it ran on.
    pub product: String,
    /// The run that was asked for, where that is a copy of this one.
    pub copy: Option<String>,
}

/// The run of a row, or the one that it is a copy of.
pub fn find(connection: &Connection, run: i64) -> Result<Found> {
    Ok(connection.query_row(
        include_str!("sql/event_run.sql"),
        named_params! {":run": run},
        |row| {
            Ok(Found {
                id: row.get("id")?,
                run: row.get("run")?,
                cohort: row.get("cohort_id")?,
                operation: row.get("operation")?,
                product: row.get("product")?,
                copy: row.get("copy")?,
            })
        },
    )?)
}

/// Takes a run out of the answers, for a reason. Returns whether that was new.
pub fn retract(connection: &mut Connection, run: i64, reason: &str, at: &str) -> Result<bool> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let new = transaction.execute(
        "INSERT INTO event (kind, measurement_id, reason, at) VALUES ('retract', ?1, ?2, ?3)
         ON CONFLICT (kind, measurement_id, reason) DO NOTHING",
        params![run, reason, at],
    )? > 0;
    if new {
        let cohort: i64 = transaction.query_row(
            "SELECT cohort_id FROM measurement WHERE id = ?1",
            [run],
            |row| row.get(0),
        )?;
        let mut touched = Touched::default();
        touched.add_all(cohort);
        for doubted in doubts::derive(&transaction, &touched.cohorts())? {
            touched.add_all(doubted);
        }
        derive::rank(&transaction, &touched, &mut Changes::default())?;
    }
    transaction.commit()?;
    Ok(new)
}
