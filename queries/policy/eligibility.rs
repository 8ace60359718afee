//! `eligibility-v2`: why a run may not hold a record. No reason, eligible. A doubt that was
//! acknowledged, with its reason kept, is none.
//!
//! A copy is no reason: the same figures stated twice are one run already.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// Name of the policy.
pub const ID: &str = "eligibility-v2";

/// The status of a run that may rank.
pub const PASSED: &str = "passed";

/// A reason that keeps a run out of the ranking. The order of the variants is the
/// order in which reasons are given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(into = "String")]
#[schemars(with = "String")]
pub enum Reason {
    /// The source states a status other than passed (`STATUS_TIMEOUT`).
    Status(String),
    /// Retracted by an event.
    Retracted,
    /// A newer run of the same implementation in the cohort stands.
    Superseded,
    /// No figure for the primary metric.
    NoPrimaryMetric,
    /// The hardware isn't named.
    HardwareUnknown,
    /// The stated statistics contradict each other (see [`stats_contradict`]).
    StatsContradict,
    /// The unit is doubted by other readings of the same product and suite.
    UnitDoubted,
    /// The shapes are doubted: the figure doesn't fit the workload it is filed under.
    ShapeDoubted,
    /// The source itself marked it as too fast to believe.
    MarkedExcessive,
    /// Faster than any correct kernel (the `hard` floor of roofline-v2).
    BelowHard,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Status(status) => {
                return write!(
                    f,
                    "STATUS_{}",
                    status.to_ascii_uppercase().replace('-', "_")
                );
            }
            Self::Retracted => "RETRACTED",
            Self::Superseded => "SUPERSEDED",
            Self::NoPrimaryMetric => "NO_PRIMARY_METRIC",
            Self::HardwareUnknown => "HARDWARE_UNKNOWN",
            Self::StatsContradict => "STATS_CONTRADICT",
            Self::UnitDoubted => "UNIT_DOUBTED",
            Self::ShapeDoubted => "SHAPE_DOUBTED",
            Self::MarkedExcessive => "MARKED_EXCESSIVE",
            Self::BelowHard => "BELOW_HARD",
        })
    }
}

impl From<Reason> for String {
    fn from(reason: Reason) -> Self {
        reason.to_string()
    }
}

/// What is known about a run that bears on ranking it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, one a reason"
)]
pub struct Facts<'a> {
    /// Status as published (`passed`, `timeout`, …).
    pub status: &'a str,
    /// An event retracted it.
    pub retracted: bool,
    /// Another run of the implementation stands in this cohort.
    pub superseded: bool,
    /// The primary metric has a figure.
    pub has_primary: bool,
    /// The hardware is named.
    pub hardware_known: bool,
    /// Its statistics contradict each other.
    pub stats_contradict: bool,
    /// Its unit is doubted.
    pub unit_doubted: bool,
    /// Its shapes are doubted.
    pub shape_doubted: bool,
    /// Its source marked it as too fast to believe.
    pub marked_excessive: bool,
    /// It is below its hard floor.
    pub below_hard: bool,
}

/// The reasons against a run, in fixed order; empty if it is eligible.
pub fn reasons(facts: &Facts<'_>) -> Vec<Reason> {
    let status = (facts.status != PASSED).then(|| Reason::Status(facts.status.to_owned()));
    let others = [
        (facts.retracted, Reason::Retracted),
        (facts.superseded, Reason::Superseded),
        (!facts.has_primary, Reason::NoPrimaryMetric),
        (!facts.hardware_known, Reason::HardwareUnknown),
        (facts.stats_contradict, Reason::StatsContradict),
        (facts.unit_doubted, Reason::UnitDoubted),
        (facts.shape_doubted, Reason::ShapeDoubted),
        (facts.marked_excessive, Reason::MarkedExcessive),
        (facts.below_hard, Reason::BelowHard),
    ];
    status
        .into_iter()
        .chain(
            others
                .into_iter()
                .filter_map(|(holds, reason)| holds.then_some(reason)),
        )
        .collect()
}

/// Whether a mean lies outside its own trials by more than rounding allows, in
/// picoseconds: each figure is known to ± `resolution`.
pub fn stats_contradict(value: i64, min: Option<i64>, max: Option<i64>, resolution: i64) -> bool {
    let slack = resolution.saturating_mul(2);
    let above = |a: i64, b: i64| a.saturating_sub(b) > slack;
    min.is_some_and(|min| above(min, value))
        || max.is_some_and(|max| above(value, max))
        || min.zip(max).is_some_and(|(min, max)| above(min, max))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: Facts<'static> = Facts {
        status: PASSED,
        retracted: false,
        superseded: false,
        has_primary: true,
        hardware_known: true,
        stats_contradict: false,
        unit_doubted: false,
        shape_doubted: false,
        marked_excessive: false,
        below_hard: false,
    };

    #[test]
    fn one_code_a_fact() {
        for (facts, expected) in [
            (SOUND, &[][..]),
            (
                Facts {
                    status: "timeout",
                    ..SOUND
                },
                &["STATUS_TIMEOUT"],
            ),
            (
                Facts {
                    status: "incorrect-numerical",
                    ..SOUND
                },
                &["STATUS_INCORRECT_NUMERICAL"],
            ),
            (
                Facts {
                    retracted: true,
                    ..SOUND
                },
                &["RETRACTED"],
            ),
            (
                Facts {
                    superseded: true,
                    ..SOUND
                },
                &["SUPERSEDED"],
            ),
            (
                Facts {
                    has_primary: false,
                    ..SOUND
                },
                &["NO_PRIMARY_METRIC"],
            ),
            (
                Facts {
                    hardware_known: false,
                    ..SOUND
                },
                &["HARDWARE_UNKNOWN"],
            ),
            (
                Facts {
                    stats_contradict: true,
                    ..SOUND
                },
                &["STATS_CONTRADICT"],
            ),
            (
                Facts {
                    unit_doubted: true,
                    ..SOUND
                },
                &["UNIT_DOUBTED"],
            ),
            (
                Facts {
                    shape_doubted: true,
                    ..SOUND
                },
                &["SHAPE_DOUBTED"],
            ),
            (
                Facts {
                    marked_excessive: true,
                    ..SOUND
                },
                &["MARKED_EXCESSIVE"],
            ),
            (
                Facts {
                    below_hard: true,
                    ..SOUND
                },
                &["BELOW_HARD"],
            ),
            (
                Facts {
                    status: "runtime_error",
                    has_primary: false,
                    shape_doubted: true,
                    ..SOUND
                },
                &["STATUS_RUNTIME_ERROR", "NO_PRIMARY_METRIC", "SHAPE_DOUBTED"],
            ),
        ] {
            let found: Vec<String> = reasons(&facts).into_iter().map(String::from).collect();
            assert_eq!(found, expected);
        }
        let json = serde_json::to_string(&Reason::Status("timeout".into())).unwrap();
        assert_eq!(json, r#""STATUS_TIMEOUT""#);
    }

    #[test]
    fn statistics() {
        for (mean, min, max, resolution, contradict) in [
            (100, Some(90), Some(110), 0, false),
            (100, Some(100), Some(100), 0, false),
            (100, Some(101), None, 0, true),
            (100, Some(110), None, 5, false),
            (100, Some(111), None, 5, true),
            (100, None, Some(99), 0, true),
            (100, None, None, 0, false),
            (i64::MIN, Some(i64::MAX), None, 0, true),
        ] {
            assert_eq!(
                stats_contradict(mean, min, max, resolution),
                contradict,
                "{mean} {min:?} {max:?} ±{resolution}"
            );
        }
    }
}
