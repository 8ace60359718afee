//! The page of an implementation: who it is, where it was measured, what it leads.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::{Connection, named_params};
use schemars::JsonSchema;
use serde::Serialize;

use super::provenance::Licence;
use crate::age::Sources;
use crate::cohorts::{self, Cohort, Standing};
use crate::entities::{Environment, Hardware, Implementation, Operation};
use crate::error::Result;
use crate::filter::Selection;
use crate::metric::Amount;
use crate::records;
use crate::rows;
use crate::view::View;

/// A cohort that the implementation leads, alone or with others.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Led {
    /// What is computed.
    pub operation: Arc<Operation>,
    /// Axes and dtype.
    pub workload: String,
    /// On what.
    pub hardware: Arc<Hardware>,
    /// Where.
    pub environment: Arc<Environment>,
    /// The statistic's value.
    #[serde(flatten)]
    pub amount: Amount,
    /// Baseline's latency over own, two decimals; `null` without a baseline.
    pub vs_baseline: Option<f64>,
    /// Whether another run shares the first rank.
    pub tied: bool,
    /// Day it was observed.
    pub observed_on: Option<String>,
    /// Whether it needs measuring again; `null` where that can't be told.
    pub stale: Option<bool>,
    /// The run.
    pub run: String,
}

/// What was measured of the implementation on one product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OnHardware {
    /// The product.
    pub hardware: Arc<Hardware>,
    /// Its eligible runs.
    pub runs: usize,
    /// Of them at the first rank.
    pub records: usize,
    /// Of these shared with others.
    pub tied: usize,
}

/// The page of an implementation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ImplementationPage {
    /// Who it is.
    pub implementation: Implementation,
    /// Licence of what runs.
    pub license: Licence,
    /// Its eligible runs.
    pub runs: usize,
    /// Of them at the first rank.
    pub records_held: usize,
    /// By product.
    pub hardware: Vec<OnHardware>,
    /// What it leads, in listing order.
    pub records: Vec<Led>,
}

/// The page of an implementation.
pub(super) fn page(connection: &Connection, row: i64, view: &View) -> Result<ImplementationPage> {
    let mut statement = connection.prepare_cached(include_str!("implementation.sql"))?;
    let mut found = statement.query(named_params! {":implementation": row})?;
    let described = found.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let mut implementation = rows::implementation(described)?;
    let declared: Option<String> = described.get("license")?;
    let license = Licence::from(declared);
    implementation.license = license.concluded.as_deref().map(Arc::from);

    let mut statement = connection.prepare_cached(include_str!("implementation_cohorts.sql"))?;
    let ids = statement.query_map(named_params! {":implementation": row}, |row| row.get(0))?;
    let mut selection = Selection::default();
    selection.cohorts = Some(ids.collect::<rusqlite::Result<_>>()?);
    let cohorts = cohorts::standing(connection, &selection, view)?;
    let own: Vec<(&Cohort, &Standing)> = cohorts
        .iter()
        .filter_map(|cohort| Some((cohort, own_standing(cohort, &implementation.digest)?)))
        .collect();
    let ages = Sources::load(connection, view)?;
    let records: Vec<Led> = own
        .iter()
        .filter(|(_, standing)| standing.rank == 1)
        .map(|(cohort, standing)| led(cohort, standing, view, &ages))
        .collect();
    Ok(ImplementationPage {
        runs: own.len(),
        records_held: records.len(),
        hardware: by_hardware(&own),
        implementation,
        license,
        records,
    })
}

fn own_standing<'a>(cohort: &'a Cohort, digest: &str) -> Option<&'a Standing> {
    cohort
        .standings
        .iter()
        .find(|standing| standing.run.implementation.digest == digest)
}

fn led(cohort: &Cohort, standing: &Standing, view: &View, ages: &Sources) -> Led {
    let run = &standing.run;
    Led {
        operation: cohort.operation.clone(),
        workload: cohort.workload.summary.clone(),
        hardware: cohort.hardware.clone(),
        environment: cohort.environment.clone(),
        amount: run.amount(),
        vs_baseline: cohort
            .baseline()
            .and_then(|baseline| records::ratio(baseline, run)),
        tied: standing.tied,
        observed_on: run.observed_on(),
        stale: ages.age(view, run, cohort, None).stale,
        run: run.id_text(),
    }
}

fn by_hardware(own: &[(&Cohort, &Standing)]) -> Vec<OnHardware> {
    let mut counts: BTreeMap<&str, OnHardware> = BTreeMap::new();
    for (cohort, standing) in own {
        let on = counts
            .entry(&cohort.hardware.id)
            .or_insert_with(|| OnHardware {
                hardware: cohort.hardware.clone(),
                runs: 0,
                records: 0,
                tied: 0,
            });
        on.runs += 1;
        on.records += usize::from(standing.rank == 1);
        on.tied += usize::from(standing.rank == 1 && standing.tied);
    }
    counts.into_values().collect()
}
