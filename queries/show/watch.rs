//! Which hardware families "not measured on" asks about.

use rusqlite::Connection;

use crate::error::Result;
use crate::lookup;
use crate::policy::coverage::Watched;

/// The families asked for, else the watch list.
pub(super) fn watched(connection: &Connection, asked: &[String]) -> Result<Vec<Watched>> {
    let mut statement = connection.prepare_cached(include_str!("watch.sql"))?;
    let listed = statement
        .query_map([], |row| {
            Ok(Watched {
                family: row.get("family")?,
                label: row.get("display")?,
            })
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    if asked.is_empty() {
        return Ok(listed);
    }
    asked
        .iter()
        .map(|text| {
            let family = lookup::one_of(
                connection,
                "hardware family",
                text.trim(),
                "SELECT family FROM hardware WHERE family IS NOT NULL UNION SELECT family FROM watch",
            )?;
            let known = listed.iter().find(|watched| watched.family == family);
            Ok(known.cloned().unwrap_or_else(|| Watched {
                label: family.to_uppercase(),
                family,
            }))
        })
        .collect()
}
