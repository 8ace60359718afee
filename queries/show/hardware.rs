//! The page of a hardware product: peaks and where they are from, spellings, and what
//! was measured on it.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::{Connection, Row, named_params};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cohorts::{self, Cohort};
use crate::entities::{Hardware, Peaks, Run};
use crate::error::Result;
use crate::filter::Selection;
use crate::view::View;

/// What one source measured on the product, of one suite version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Measured {
    /// Source slug.
    pub source: Arc<str>,
    /// Suite slug.
    pub suite: String,
    /// Suite version; `null` where it isn't known.
    pub suite_version: Option<String>,
    /// Eligible runs.
    pub runs: usize,
    /// Of them, those that lead their cohort.
    pub records: usize,
    /// Day of the newest of them.
    pub observed_on: Option<String>,
}

/// How many records of the product an implementation holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Holder {
    /// Who.
    pub implementation: String,
    /// Cohorts that it leads.
    pub records: usize,
}

/// The page of a hardware product. Peaks are dense and per device; `null` is
/// unsupported or unknown.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HardwarePage {
    /// Which product.
    pub hardware: Hardware,
    /// Vendor.
    pub vendor: Option<String>,
    /// Form of the board: `SXM5`, `PCIe` …
    pub form_factor: Option<String>,
    /// Architecture.
    pub architecture: Option<String>,
    /// Compute capability or gfx target.
    pub capability: Option<String>,
    /// Memory as the vendor labels it, GB.
    pub memory_gb: Option<f64>,
    /// SMs, CUs or cores.
    pub units: Option<i64>,
    /// Maximum clock, MHz.
    pub boost_mhz: Option<f64>,
    /// Power limit, W.
    pub tdp_w: Option<f64>,
    /// Month of public announcement.
    pub announced: Option<String>,
    /// Peaks and caches, with the confidence in them.
    pub peaks: Peaks,
    /// Document that the peaks originate from.
    pub peak_source: Option<String>,
    /// What to know about them.
    pub notes: Option<String>,
    /// Whether it is in the built-in table.
    pub listed: bool,
    /// Spellings that are taken for it, lower case.
    pub aliases: Vec<String>,
    /// Eligible runs on it.
    pub runs: usize,
    /// Cohorts with a record on it.
    pub records_held: usize,
    /// The runs, by source and suite version.
    pub measured: Vec<Measured>,
    /// Who leads, most records first.
    pub holders: Vec<Holder>,
}

/// The page of a product.
pub(super) fn page(connection: &Connection, row: i64, view: &View) -> Result<HardwarePage> {
    let mut selection = Selection::default();
    selection.hardware = Some(vec![row]);
    let cohorts = cohorts::standing(connection, &selection, view)?;
    let mut statement = connection.prepare_cached(include_str!("aliases.sql"))?;
    let aliases = statement
        .query_map(named_params! {":hardware": row}, |row| row.get("alias"))?
        .collect::<rusqlite::Result<_>>()?;
    let mut statement = connection.prepare_cached(include_str!("hardware.sql"))?;
    let mut rows = statement.query(named_params! {":hardware": row})?;
    let row = rows.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    described(row, aliases, &cohorts)
}

fn described(row: &Row<'_>, aliases: Vec<String>, cohorts: &[Cohort]) -> Result<HardwarePage> {
    Ok(HardwarePage {
        hardware: Hardware {
            id: row.get("slug")?,
            short: row.get("short")?,
            product: row.get("product")?,
            family: row.get("family")?,
        },
        vendor: row.get("vendor")?,
        form_factor: row.get("form_factor")?,
        architecture: row.get("architecture")?,
        capability: row.get("capability")?,
        memory_gb: row.get("memory_gb")?,
        units: row.get("units")?,
        boost_mhz: row.get("boost_mhz")?,
        tdp_w: row.get("tdp_w")?,
        announced: row.get("announced")?,
        peaks: cohorts::peaks(row)?,
        peak_source: row.get("peak_source")?,
        notes: row.get("notes")?,
        listed: row.get("listed")?,
        aliases,
        runs: cohorts.iter().map(|cohort| cohort.standings.len()).sum(),
        records_held: cohorts.len(),
        measured: measured(cohorts),
        holders: holders(cohorts),
    })
}

fn measured(cohorts: &[Cohort]) -> Vec<Measured> {
    let mut counts: BTreeMap<_, Measured> = BTreeMap::new();
    for cohort in cohorts {
        for (at, standing) in cohort.standings.iter().enumerate() {
            let run: &Run = &standing.run;
            let suite = &cohort.operation.suite;
            let version = &cohort.workload.suite_version;
            let of = counts
                .entry((&run.source, suite, version))
                .or_insert_with(|| Measured {
                    source: run.source.clone(),
                    suite: suite.clone(),
                    suite_version: version.clone(),
                    runs: 0,
                    records: 0,
                    observed_on: None,
                });
            of.runs += 1;
            of.records += usize::from(at == 0);
            of.observed_on = of.observed_on.take().max(run.observed_on());
        }
    }
    counts.into_values().collect()
}

fn holders(cohorts: &[Cohort]) -> Vec<Holder> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for leader in cohorts.iter().filter_map(Cohort::leader) {
        *counts.entry(&leader.run.implementation.name).or_default() += 1;
    }
    let mut holders: Vec<Holder> = counts
        .into_iter()
        .map(|(implementation, records)| Holder {
            implementation: implementation.to_owned(),
            records,
        })
        .collect();
    holders.sort_by_key(|holder| std::cmp::Reverse(holder.records));
    holders
}
