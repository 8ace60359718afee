//! How old a run is and whether it needs measuring again, with what its source did
//! since.

use std::collections::HashMap;

use chrono::NaiveDate;
use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cohorts::Cohort;
use crate::entities::Run;
use crate::error::Result;
use crate::policy::staleness::{self, Facts, Reason};
use crate::view::View;

/// Age of a run under staleness-v1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Age {
    /// Days since it was observed; `null` where that is unknown.
    pub age_days: Option<i64>,
    /// Whether it needs measuring again; `null` where that can't be told.
    pub stale: Option<bool>,
    /// Why, and what else speaks against its date.
    pub stale_reasons: Vec<Reason>,
}

/// When each source last published something new.
#[derive(Debug, Default)]
pub struct Sources {
    quiet: HashMap<String, bool>,
}

impl Sources {
    /// Looks at what each source published by the view's day.
    pub fn load(connection: &Connection, view: &View) -> Result<Self> {
        let mut statement = connection.prepare_cached(
            "SELECT s.slug, s.freshness_days, max(r.observed_at)
             FROM source s JOIN reading r ON r.source_id = s.id
             WHERE r.observed_at <= ?1
             GROUP BY s.id",
        )?;
        let mut rows = statement.query([view.horizon()])?;
        let mut quiet = HashMap::new();
        while let Some(row) = rows.next()? {
            let newest: String = row.get(2)?;
            let days: i64 = row.get(1)?;
            let silent = day(&newest).is_some_and(|newest| (view.as_of - newest).num_days() > days);
            quiet.insert(row.get(0)?, silent);
        }
        Ok(Self { quiet })
    }

    /// Whether a source was silent for longer than it promises.
    pub fn is_quiet(&self, source: &str) -> bool {
        self.quiet.get(source).copied().unwrap_or(false)
    }

    /// Age of a run of a cohort; `days` overrides the source's own limit.
    pub fn age(&self, view: &View, run: &Run, cohort: &Cohort, days: Option<u32>) -> Age {
        let staleness = staleness::staleness(&Facts {
            as_of: view.as_of,
            observed: run.observed.as_ref().and_then(|o| day(&o.0)),
            basis: run.observed.as_ref().map(|o| o.1),
            limit_days: days.unwrap_or(run.freshness_days),
            suite_superseded: cohort.workload.shapes_known && !cohort.is_current,
            source_quiet: self.is_quiet(&run.source),
        });
        Age {
            age_days: staleness.age_days,
            stale: staleness.stale,
            stale_reasons: staleness.reasons,
        }
    }
}

/// The day of an instant.
pub fn day(instant: &str) -> Option<NaiveDate> {
    instant.get(..10)?.parse().ok()
}
