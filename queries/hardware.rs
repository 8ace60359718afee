//! Hardware products: their peaks, and what was measured on them.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, Row, named_params};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cohorts;
use crate::entities::{Hardware, Peaks};
use crate::error::Result;
use crate::filter::Selection;
use crate::rows;
use crate::view::View;

/// Policies that decide this answer.
pub fn policies() -> Vec<&'static str> {
    use crate::policy::{eligibility, ranking};
    vec![eligibility::ID, ranking::ID]
}

/// A product, and what of the selection was measured on it. Peaks are dense and per
/// device; `null` is unsupported or unknown.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Product {
    /// Which product.
    pub hardware: Hardware,
    /// Vendor; `null` where unknown.
    pub vendor: Option<String>,
    /// Form of the board: `SXM5`, `PCIe` …
    pub form_factor: Option<String>,
    /// Architecture.
    pub architecture: Option<String>,
    /// Memory as the vendor labels it, GB.
    pub memory_gb: Option<f64>,
    /// Peaks and caches, with the confidence in them.
    pub peaks: Peaks,
    /// Whether it is in the built-in table; one that isn't has no peaks.
    pub listed: bool,
    /// Eligible runs on it.
    pub runs: usize,
    /// Cohorts in which anything was measured on it, eligible or not.
    pub cohorts: usize,
    /// Cohorts with a record on it.
    pub records: usize,
    /// Day of the newest eligible run.
    pub observed_on: Option<String>,
}

/// What was measured on a product.
#[derive(Default)]
struct Measured {
    runs: usize,
    cohorts: usize,
    records: usize,
    observed_on: Option<String>,
}

/// The products that a selection names, by vendor, family and id, with what of it was
/// measured on each under the view.
pub fn products(
    connection: &Connection,
    selection: &Selection,
    view: &View,
) -> Result<Vec<Product>> {
    let mut measured = measured(connection, selection, view)?;
    let mut statement = connection.prepare_cached(include_str!("hardware.sql"))?;
    let hardware = selection.hardware.as_deref().map(rows::json_array);
    let mut rows = statement.query(named_params! {":hardware": hardware})?;
    let mut products = Vec::new();
    while let Some(row) = rows.next()? {
        let id: String = row.get("slug")?;
        products.push(product(row, measured.remove(&id).unwrap_or_default())?);
    }
    Ok(products)
}

/// What was measured, by product.
fn measured(
    connection: &Connection,
    selection: &Selection,
    view: &View,
) -> Result<HashMap<String, Measured>> {
    let mut measured: HashMap<String, Measured> = HashMap::new();
    let mut ranked = HashSet::new();
    for cohort in cohorts::standing(connection, selection, view)? {
        ranked.insert(cohort.id);
        let runs: Vec<_> = cohort
            .standings
            .iter()
            .map(|standing| &standing.run)
            .filter(|run| selection.takes(run))
            .collect();
        if runs.is_empty() {
            continue;
        }
        let of = measured.entry(cohort.hardware.id.clone()).or_default();
        of.runs += runs.len();
        of.cohorts += 1;
        let led = cohort
            .leader()
            .is_some_and(|leader| selection.takes(&leader.run));
        of.records += usize::from(led);
        let newest = runs.iter().filter_map(|run| run.observed_on()).max();
        of.observed_on = of.observed_on.take().max(newest);
    }
    // Nothing stands in the others; they count where the view has a run of them at all.
    let mut others = selection.cohorts(connection)?;
    others.retain(|id| !ranked.contains(id));
    let about = cohorts::load(connection, &others)?;
    let seen: HashSet<i64> = cohorts::runs_under(connection, &others, view, &about)?
        .iter()
        .filter(|run| selection.takes(run))
        .map(|run| run.cohort_id)
        .collect();
    for cohort in about.iter().filter(|cohort| seen.contains(&cohort.id)) {
        let of = measured.entry(cohort.hardware.id.clone()).or_default();
        of.cohorts += 1;
    }
    Ok(measured)
}

fn product(row: &Row<'_>, measured: Measured) -> Result<Product> {
    Ok(Product {
        hardware: Hardware {
            id: row.get("slug")?,
            short: row.get("short")?,
            product: row.get("product")?,
            family: row.get("family")?,
        },
        vendor: row.get("vendor")?,
        form_factor: row.get("form_factor")?,
        architecture: row.get("architecture")?,
        memory_gb: row.get("memory_gb")?,
        peaks: cohorts::peaks(row)?,
        listed: row.get("listed")?,
        runs: measured.runs,
        cohorts: measured.cohorts,
        records: measured.records,
        observed_on: measured.observed_on,
    })
}
