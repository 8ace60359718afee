//! How old a run is and whether it needs measuring again, with what its source did
//! since.

use std::collections::{BTreeMap, HashMap};
use std::str::FromStr;

use chrono::NaiveDate;
use rusqlite::{Connection, named_params};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cohorts::Cohort;
use crate::entities::Run;
use crate::error::{Error, Result};
use crate::policy::observation::{self, Basis, Sighting};
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
pub struct Sources(HashMap<String, Newest>);

/// A source's limit in days, and when and how known some bytes of it were observed.
type Snapshot = (i64, Vec<(String, Basis)>);

/// The newest that a source published.
#[derive(Debug, Default)]
struct Newest {
    day: Option<NaiveDate>,
    quiet: bool,
}

impl Sources {
    /// Looks at what each source published by the view's day. What counts is when bytes
    /// were first observed: the same bytes met again are no news.
    pub fn load(connection: &Connection, view: &View) -> Result<Self> {
        let mut statement = connection.prepare_cached(include_str!("source_dates.sql"))?;
        let mut rows = statement.query(named_params! {":known_at": view.known_at})?;
        let mut snapshots: BTreeMap<(String, i64), Snapshot> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let basis: String = row.get("observed_basis")?;
            let basis = Basis::from_str(&basis).map_err(|e| Error::Damaged(e.to_string()))?;
            let (_, dates) = snapshots
                .entry((row.get("slug")?, row.get("snapshot_id")?))
                .or_insert((row.get("freshness_days")?, Vec::new()));
            dates.push((row.get("observed_at")?, basis));
        }
        let horizon = view.horizon();
        let mut sources: HashMap<String, Newest> = HashMap::new();
        for ((slug, _), (freshness_days, dates)) in snapshots {
            let sightings: Vec<Sighting<'_>> = dates
                .iter()
                .map(|(observed, basis)| Sighting {
                    observed,
                    basis: *basis,
                })
                .collect();
            let first = observation::instant(&sightings)
                .filter(|sighting| *sighting.observed <= *horizon)
                .and_then(|sighting| day(sighting.observed));
            let source = sources.entry(slug).or_default();
            source.day = source.day.max(first);
            source.quiet = source
                .day
                .is_some_and(|newest| (view.as_of - newest).num_days() > freshness_days);
        }
        Ok(Self(sources))
    }

    /// The day of the newest that a source published; `None` if no date is known.
    pub fn newest(&self, source: &str) -> Option<NaiveDate> {
        self.0.get(source).and_then(|source| source.day)
    }

    /// Whether a source was silent for longer than it promises.
    pub fn is_quiet(&self, source: &str) -> bool {
        self.0.get(source).is_some_and(|source| source.quiet)
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
