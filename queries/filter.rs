//! The filters that every question shares. A value that nothing in the file has is an
//! error that lists near ones, never an empty answer.

use rusqlite::{Connection, named_params};

use crate::entities::Run;
use crate::error::{Error, Result};
use crate::lookup;
use crate::policy::licence;
use crate::policy::trust::Trust;
use crate::rows;

/// Filters as the user wrote them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Family (`h100`), short name, id, or a device string as tools print it.
    pub hardware: Option<String>,
    /// Source slug.
    pub source: Option<String>,
    /// Suite slug.
    pub suite: Option<String>,
    /// Suite version.
    pub suite_version: Option<String>,
    /// Level: `2` or `level2`.
    pub level: Option<String>,
    /// Operation family.
    pub family: Option<String>,
    /// Operation: slug or digest.
    pub operation: Option<String>,
    /// Workload digest.
    pub workload: Option<String>,
    /// Implementation: name, short name, interface or `impl:` digest.
    pub implementation: Option<String>,
    /// `permissive`, `unknown` or an SPDX id.
    pub license: Option<String>,
    /// Least trust.
    pub trust: Option<String>,
    /// Dtype of the inputs.
    pub dtype: Option<String>,
    /// Metric: `latency`, or with statistic and unit `latency:mean:ns`.
    pub metric: Option<String>,
}

/// Filters with their values found in the file.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Only these cohorts (rows), if given.
    pub cohorts: Option<Vec<i64>>,
    /// Products, rows.
    pub hardware: Option<Vec<i64>>,
    /// Operations, rows.
    pub operation: Option<Vec<i64>>,
    /// Workloads, rows.
    pub workload: Option<Vec<i64>>,
    suite: Option<String>,
    suite_version: Option<String>,
    level: Option<String>,
    family: Option<String>,
    dtype: Option<String>,
    metric: Option<String>,
    source: Option<String>,
    implementation: Option<Vec<String>>,
    license: Option<String>,
    trust: Option<Trust>,
}

impl Selection {
    /// Just these cohorts.
    pub fn of(cohorts: Vec<i64>) -> Self {
        Self {
            cohorts: Some(cohorts),
            ..Self::default()
        }
    }

    /// The first `limit` of these cohorts in the order of listings.
    pub fn first(connection: &Connection, cohorts: &[i64], limit: usize) -> Result<Self> {
        let mut statement = connection.prepare_cached(include_str!("first_cohorts.sql"))?;
        let rows = statement.query_map(
            named_params! {":cohorts": rows::json_array(cohorts), ":limit": limit},
            |row| row.get(0),
        )?;
        Ok(Self::of(rows.collect::<rusqlite::Result<_>>()?))
    }

    /// The cohorts that match, as rows.
    pub fn cohorts(&self, connection: &Connection) -> Result<Vec<i64>> {
        if let Some(cohorts) = &self.cohorts {
            return Ok(cohorts.clone());
        }
        let ids = |rows: &Option<Vec<i64>>| rows.as_deref().map(rows::json_array);
        let mut statement = connection.prepare_cached(include_str!("select_cohorts.sql"))?;
        let rows = statement.query_map(
            named_params! {
                ":hardware": ids(&self.hardware),
                ":operation": ids(&self.operation),
                ":workload": ids(&self.workload),
                ":suite": self.suite,
                ":suite_version": self.suite_version,
                ":level": self.level,
                ":family": self.family,
                ":dtype": self.dtype,
                ":metric": self.metric,
            },
            |row| row.get(0),
        )?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Whether it says which workloads of an operation are meant.
    pub fn names_workload(&self) -> bool {
        self.workload.is_some() || self.suite_version.is_some()
    }

    /// Whether a run passes the filters that concern runs.
    pub fn takes(&self, run: &Run) -> bool {
        self.source
            .as_ref()
            .is_none_or(|source| **source == *run.source)
            && self
                .implementation
                .as_ref()
                .is_none_or(|digests| digests.contains(&run.implementation.digest))
            && self
                .license
                .as_ref()
                .is_none_or(|filter| licence::matches(filter, run.license.as_deref()))
            && self.trust.is_none_or(|least| run.trust() >= least)
    }
}

impl Filter {
    /// Finds each value in the file.
    pub fn select(&self, connection: &Connection) -> Result<Selection> {
        let known = |what: &'static str, value: &Option<String>, sql: &str| match value {
            None => Ok(None),
            Some(value) => lookup::one_of(connection, what, value, sql).map(Some),
        };
        Ok(Selection {
            cohorts: None,
            hardware: self
                .hardware
                .as_ref()
                .map(|text| lookup::hardware(connection, text))
                .transpose()?,
            operation: self
                .operation
                .as_ref()
                .map(|text| lookup::operations(connection, text))
                .transpose()?,
            workload: self
                .workload
                .as_ref()
                .map(|text| lookup::workloads(connection, text))
                .transpose()?,
            suite: known("suite", &self.suite, "SELECT DISTINCT suite FROM operation")?,
            suite_version: known(
                "suite version",
                &self.suite_version,
                "SELECT version FROM suite_version
                 UNION SELECT suite_version FROM operation WHERE suite_version IS NOT NULL",
            )?,
            level: known(
                "level",
                &self.level.as_ref().map(|level| level_key(level)),
                "SELECT DISTINCT level FROM operation",
            )?,
            family: known(
                "family",
                &self.family,
                "SELECT DISTINCT family FROM operation",
            )?,
            dtype: known(
                "dtype",
                &self.dtype,
                "SELECT DISTINCT dtype FROM workload WHERE dtype IS NOT NULL",
            )?,
            metric: match self.metric.as_deref() {
                // Asked for by default, so there may be none.
                Some("latency") => Some("latency".to_owned()),
                _ => known(
                    "metric",
                    &self.metric,
                    "SELECT DISTINCT quantity FROM cohort UNION SELECT DISTINCT metric FROM cohort",
                )?,
            },
            source: known("source", &self.source, "SELECT slug FROM source")?,
            implementation: self
                .implementation
                .as_ref()
                .map(|text| lookup::implementations(connection, text))
                .transpose()?,
            license: self.license.as_deref().map(license).transpose()?,
            trust: self.trust.as_deref().map(trust).transpose()?,
        })
    }
}

fn level_key(text: &str) -> String {
    if text.parse::<u32>().is_ok() {
        format!("level{text}")
    } else {
        text.to_owned()
    }
}

fn license(text: &str) -> Result<String> {
    match text {
        "permissive" | "unknown" => Ok(text.to_owned()),
        _ => licence::concluded(text).ok_or_else(|| Error::Unknown {
            what: "licence",
            value: text.to_owned(),
            near: vec![
                "permissive".to_owned(),
                "unknown".to_owned(),
                "an SPDX id such as MIT".to_owned(),
            ],
        }),
    }
}

fn trust(text: &str) -> Result<Trust> {
    let levels = [
        Trust::Reported,
        Trust::Reproducible,
        Trust::Replicated,
        Trust::Verified,
    ];
    levels
        .into_iter()
        .find(|level| level.as_str() == text)
        .ok_or_else(|| Error::Unknown {
            what: "trust",
            value: text.to_owned(),
            near: levels
                .iter()
                .map(|level| level.as_str().to_owned())
                .collect(),
        })
}
