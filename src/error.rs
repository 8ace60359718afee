//! One error type: what failed, why, and what to try; one place chooses exit codes.

use std::fmt;

/// Exit code: done.
pub const EXIT_DONE: u8 = 0;
/// Exit code: nothing was imported, nothing changed.
pub const EXIT_FAILED: u8 = 1;
/// Exit code: wrong usage.
pub const EXIT_USAGE: u8 = 2;
/// Exit code: done, but an error issue exists or something was found.
pub const EXIT_FOUND: u8 = 3;

/// What kind of failure it is; decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The request cannot be carried out as asked: wrong name, wrong flag value.
    Usage,
    /// The request was fine, carrying it out failed.
    Failed,
    /// The work is done and kept; only its answer could not be written.
    Unreported,
    /// The reader of our output went away; not a failure of ours.
    BrokenPipe,
}

/// A failure as a person should read it.
#[derive(Debug)]
pub struct Error {
    /// Decides the exit code.
    pub kind: Kind,
    /// What failed, on which input.
    pub message: String,
    /// Why, outermost first.
    pub causes: Vec<String>,
    /// What to try.
    pub hints: Vec<String>,
}

/// Result with [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A failure while doing what was asked.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Kind::Failed, message)
    }

    /// A request that cannot be understood or names something unknown.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            causes: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// Adds a cause.
    #[must_use]
    pub fn because(mut self, cause: impl fmt::Display) -> Self {
        self.causes.push(cause.to_string());
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The process's exit code for this failure.
    pub fn exit_code(&self) -> u8 {
        match self.kind {
            Kind::Usage => EXIT_USAGE,
            Kind::Failed => EXIT_FAILED,
            Kind::Unreported => EXIT_FOUND,
            Kind::BrokenPipe => EXIT_DONE,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        for cause in &self.causes {
            write!(f, ": {cause}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        let (message, hint) = match error.sqlite_error_code() {
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => (
                "the database is locked by another process",
                Some("wait for the other command to finish and try again"),
            ),
            Some(Code::DiskFull) => (
                "the disk is full; nothing of this input was written",
                Some("free some space and run the same command again"),
            ),
            Some(Code::ReadOnly) => (
                "the database can't be written",
                Some("questions work on a read-only file; writing needs write permission"),
            ),
            Some(Code::DatabaseCorrupt) => (
                "the database file is damaged",
                Some("`kidx verify` names what is affected; restore a backup if you have one"),
            ),
            Some(Code::NotADatabase) => ("the file is not a SQLite database", None),
            Some(Code::CannotOpen) => ("the database file can't be opened", None),
            Some(Code::SystemIoFailure) => (
                "the database file can't be read or written",
                Some("was it moved or deleted meanwhile, or is the disk failing?"),
            ),
            _ => ("the database refused a statement", None),
        };
        let failed = Self::failed(message).because(&error);
        match hint {
            Some(hint) => failed.hint(hint),
            None => failed,
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self::new(Kind::BrokenPipe, "the output was closed");
        }
        Self::failed("reading or writing failed").because(error)
    }
}

impl From<kidx_queries::Error> for Error {
    fn from(error: kidx_queries::Error) -> Self {
        use kidx_queries::Error as Query;
        let message = error.to_string();
        match error {
            Query::Database(error) => error.into(),
            Query::Unknown { near, what, .. } => {
                let unknown = Self::usage(message);
                match &near[..] {
                    [] => unknown,
                    [one] => unknown.hint(format!("did you mean `{one}`?")),
                    several => unknown.hint(format!("known {what}: {}", listed(several))),
                }
            }
            Query::Ambiguous { candidates, .. } => {
                Self::usage(message).hint(format!("name one of {}", listed(&candidates)))
            }
            Query::Invalid(_) => Self::usage(message),
            Query::Damaged(_) => Self::failed(message).hint("`kidx verify` names what is affected"),
        }
    }
}

fn listed(values: &[String]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
    quoted.join(", ")
}

impl From<crate::output::UnknownColumn> for Error {
    fn from(unknown: crate::output::UnknownColumn) -> Self {
        Self::usage(unknown.to_string())
    }
}
