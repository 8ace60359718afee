//! Decisions about runs, kept beside them: nothing is rewritten, and history still
//! shows what was decided and why.

use rusqlite::{Connection, TransactionBehavior, named_params, params};

use super::derive::{self, Changes, Touched};
use super::doubts;
use crate::error::Result;
use kidx_queries::policy::audit::Code;

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

/// What is decided about a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It is taken out of the answers.
    Retract,
    /// What a rule of the audit found about it can be true; `None`: whatever is found.
    Acknowledge(Option<Code>),
}

impl Decision {
    fn kind(self) -> &'static str {
        match self {
            Self::Retract => "retract",
            Self::Acknowledge(_) => "acknowledge",
        }
    }

    fn rule(self) -> &'static str {
        match self {
            Self::Acknowledge(Some(code)) => code.as_str(),
            Self::Retract | Self::Acknowledge(None) => "*",
        }
    }
}

/// Keeps a decision about a run and decides again who leads. Returns whether it was new.
pub fn decide(
    connection: &mut Connection,
    run: i64,
    decision: Decision,
    reason: &str,
    at: &str,
) -> Result<bool> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let new = transaction.execute(
        "INSERT INTO event (kind, measurement_id, rule, reason, at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (kind, measurement_id, rule, reason) DO NOTHING",
        params![decision.kind(), run, decision.rule(), reason, at],
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
