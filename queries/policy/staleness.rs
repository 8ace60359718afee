//! `staleness-v1`: whether a figure needs measuring again.
//!
//! Stale is a figure older than the limit, strictly, or one of a workload that its
//! suite no longer has. What else speaks against it is said beside it.

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::observation::Basis;

/// Name of the policy.
pub const ID: &str = "staleness-v1";

/// Age limit in days where neither the user nor the source names one.
pub const DEFAULT_DAYS: u32 = 180;

/// Why a figure is stale, or what else speaks against its date.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Reason {
    /// Observed longer ago than the limit. Makes stale.
    TooOld,
    /// The suite defines another workload under this name now. Makes stale.
    SuiteSuperseded,
    /// No observation date is known: its age can't be told.
    NoDate,
    /// The date may be much later than the measurement (see [`Basis::is_weak`]).
    WeakDate,
    /// The newest bytes that the source is known to have published by then are older than
    /// its own freshness; the same bytes met again are no news, and `--days` doesn't
    /// matter. Its figures won't renew themselves.
    SourceQuiet,
}

/// What is known about a run's age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The day the question is asked for.
    pub as_of: NaiveDate,
    /// The day of the observation.
    pub observed: Option<NaiveDate>,
    /// What that day rests on.
    pub basis: Option<Basis>,
    /// Age limit in days.
    pub limit_days: u32,
    /// Whether the workload is no longer the suite's.
    pub suite_superseded: bool,
    /// Whether the source has been quiet beyond its own freshness.
    pub source_quiet: bool,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staleness {
    /// Days from observation to `as_of`; negative if observed later.
    pub age_days: Option<i64>,
    /// `None` where the age is unknown and nothing else makes it stale.
    pub stale: Option<bool>,
    /// Every reason, those that make stale first.
    pub reasons: Vec<Reason>,
}

/// Age, verdict and reasons.
pub fn staleness(facts: &Facts) -> Staleness {
    let age_days = facts
        .observed
        .map(|observed| facts.as_of.signed_duration_since(observed).num_days());
    let too_old = age_days.map(|age| age > i64::from(facts.limit_days));
    let weak = facts.observed.is_some() && facts.basis.is_some_and(Basis::is_weak);
    let reasons = [
        (too_old == Some(true), Reason::TooOld),
        (facts.suite_superseded, Reason::SuiteSuperseded),
        (age_days.is_none(), Reason::NoDate),
        (weak, Reason::WeakDate),
        (facts.source_quiet, Reason::SourceQuiet),
    ];
    Staleness {
        age_days,
        stale: if facts.suite_superseded {
            Some(true)
        } else {
            too_old
        },
        reasons: reasons
            .into_iter()
            .filter_map(|(holds, reason)| holds.then_some(reason))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn verdicts() {
        let facts = Facts {
            as_of: day("2026-09-15"),
            observed: Some(day("2026-03-05")),
            basis: Some(Basis::Declared),
            limit_days: DEFAULT_DAYS,
            suite_superseded: false,
            source_quiet: false,
        };
        for (what, facts, age, stale, reasons) in [
            (
                "194 days",
                facts,
                Some(194),
                Some(true),
                vec![Reason::TooOld],
            ),
            (
                "a longer limit",
                Facts {
                    limit_days: 365,
                    ..facts
                },
                Some(194),
                Some(false),
                vec![],
            ),
            (
                "180 days exactly",
                Facts {
                    as_of: day("2026-09-01"),
                    ..facts
                },
                Some(180),
                Some(false),
                vec![],
            ),
            (
                "181 days",
                Facts {
                    as_of: day("2026-09-02"),
                    ..facts
                },
                Some(181),
                Some(true),
                vec![Reason::TooOld],
            ),
            (
                "observed later",
                Facts {
                    as_of: day("2026-03-01"),
                    ..facts
                },
                Some(-4),
                Some(false),
                vec![],
            ),
            (
                "fresh but superseded",
                Facts {
                    as_of: day("2026-03-06"),
                    suite_superseded: true,
                    ..facts
                },
                Some(1),
                Some(true),
                vec![Reason::SuiteSuperseded],
            ),
            (
                "undated",
                Facts {
                    observed: None,
                    basis: None,
                    ..facts
                },
                None,
                None,
                vec![Reason::NoDate],
            ),
            (
                "undated and superseded",
                Facts {
                    observed: None,
                    basis: None,
                    suite_superseded: true,
                    ..facts
                },
                None,
                Some(true),
                vec![Reason::SuiteSuperseded, Reason::NoDate],
            ),
            (
                "weak date, quiet source",
                Facts {
                    as_of: day("2026-03-06"),
                    basis: Some(Basis::Revision),
                    source_quiet: true,
                    ..facts
                },
                Some(1),
                Some(false),
                vec![Reason::WeakDate, Reason::SourceQuiet],
            ),
            (
                "git is firm",
                Facts {
                    as_of: day("2026-03-06"),
                    basis: Some(Basis::Git),
                    ..facts
                },
                Some(1),
                Some(false),
                vec![],
            ),
        ] {
            let expected = Staleness {
                age_days: age,
                stale,
                reasons,
            };
            assert_eq!(staleness(&facts), expected, "{what}");
        }
        let names = serde_json::to_string(&[Reason::TooOld, Reason::NoDate]).unwrap();
        assert_eq!(names, r#"["TOO_OLD","NO_DATE"]"#);
    }
}
