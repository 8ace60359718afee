//! Decisions about runs, kept beside them: nothing is rewritten, and history still
//! shows what was decided and why.

use rusqlite::{Connection, TransactionBehavior, params};

use super::derive::{self, Changes, Touched};
use super::doubts;
use crate::error::Result;

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
