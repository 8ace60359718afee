//! Rows in and out: how the columns that many questions select become entities.

use rusqlite::Row;

use crate::entities::{Implementation, Operation, Workload};
use crate::error::Result;

/// Rows as a JSON array, to be bound to one parameter.
pub(crate) fn ids(rows: &[i64]) -> String {
    let texts: Vec<String> = rows.iter().map(i64::to_string).collect();
    format!("[{}]", texts.join(","))
}

/// The operation that `slug`, `name`, `suite`, `level_number`, `problem` and `family`
/// describe.
pub(crate) fn operation(row: &Row<'_>) -> Result<Operation> {
    Ok(Operation {
        slug: row.get("slug")?,
        name: row.get("name")?,
        suite: row.get("suite")?,
        level: row.get("level_number")?,
        problem: row.get("problem")?,
        family: row.get("family")?,
    })
}

/// The workload that `summary`, `axes`, `dtype`, `workload_digest`, `shapes_known` and
/// `suite_version` describe.
pub(crate) fn workload(row: &Row<'_>) -> Result<Workload> {
    Ok(Workload {
        summary: row.get("summary")?,
        axes: serde_json::from_str(row.get_ref("axes")?.as_str().unwrap_or("{}"))?,
        dtype: row.get("dtype")?,
        digest: row.get("workload_digest")?,
        shapes_known: row.get("shapes_known")?,
        suite_version: row.get("suite_version")?,
    })
}

/// The implementation of a row; its licence is for the caller to conclude.
pub(crate) fn implementation(row: &Row<'_>) -> Result<Implementation> {
    Ok(Implementation {
        name: row.get("implementation")?,
        slug: row.get("implementation_slug")?,
        project: row.get("project")?,
        language: row.get("language")?,
        interface: row.get("interface")?,
        role: row.get("role")?,
        license: None,
        digest: row.get("implementation_digest")?,
    })
}
