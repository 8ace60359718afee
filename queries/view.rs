//! The two clocks of a question: as things were measured by a day, and as the file
//! knew by an instant.

use chrono::NaiveDate;
use rusqlite::Connection;

use crate::error::Result;

/// When a question is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// Only what was observed by this day counts; ages are counted to it.
    pub as_of: NaiveDate,
    /// Only what the file had learned by this instant (`YYYY-MM-DDTHH:MM:SSZ`) counts.
    pub known_at: Option<String>,
}

impl View {
    /// The last instant of the day, as observation instants compare.
    pub fn horizon(&self) -> String {
        format!("{}T23:59:59Z", self.as_of)
    }

    /// Whether the view leaves something out that the file holds, so that the kept
    /// standings don't answer the question.
    pub fn is_limited(&self, connection: &Connection) -> Result<bool> {
        if self.known_at.is_some() {
            return Ok(true);
        }
        let newest: Option<String> = connection
            .prepare_cached("SELECT max(observed_at) FROM reading")?
            .query_row([], |row| row.get(0))?;
        Ok(newest.is_some_and(|newest| newest > self.horizon()))
    }
}
