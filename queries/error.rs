//! Why a question has no answer.

/// A question that can't be answered as asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// SQLite refused.
    #[error(transparent)]
    Database(#[from] rusqlite::Error),
    /// A filter value or name that nothing in the file has.
    #[error("unknown {what} `{value}`")]
    Unknown {
        /// What was looked for (`hardware`, `family` …).
        what: &'static str,
        /// What was asked.
        value: String,
        /// Values that exist and are spelt alike, or all if there are few.
        near: Vec<String>,
    },
    /// A prefix or name that several things have.
    #[error("`{value}` means several things")]
    Ambiguous {
        /// What was asked.
        value: String,
        /// What it may mean, each usable in its place.
        candidates: Vec<String>,
    },
    /// A value that isn't of the form asked for.
    #[error("{0}")]
    Invalid(String),
    /// Something in the file isn't as this program writes it.
    #[error("the file is damaged: {0}")]
    Damaged(String),
}

/// Result of a question.
pub type Result<T> = std::result::Result<T, Error>;

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Damaged(error.to_string())
    }
}
