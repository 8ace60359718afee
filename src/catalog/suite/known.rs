//! The timing files that the suite itself published, by digest: the same bytes from a
//! download folder get the commit, date and problem definitions they were published with.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

const FILES: &str = include_str!("../reference/kernelbench_files.csv");

/// A published file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// `sha256:…` of its bytes.
    pub sha256: String,
    /// Commit that first brought them.
    pub commit: String,
    /// Author date of that commit.
    pub authored_at: String,
    /// Suite version whose definitions that commit has.
    pub version: String,
    /// Path that they had there.
    pub path: String,
}

/// What is known of a file with these bytes.
pub fn published(sha256: &str) -> Result<Option<&'static Published>> {
    static PARSED: OnceLock<std::result::Result<HashMap<String, Published>, String>> =
        OnceLock::new();
    let parsed = PARSED.get_or_init(|| {
        csv::Reader::from_reader(FILES.as_bytes())
            .deserialize()
            .map(|row: std::result::Result<Published, _>| row.map(|row| (row.sha256.clone(), row)))
            .collect::<std::result::Result<_, _>>()
            .map_err(|error| error.to_string())
    });
    match parsed {
        Ok(files) => Ok(files.get(sha256)),
        Err(error) => {
            Err(Error::failed("the built-in list of published files can't be read").because(error))
        }
    }
}
