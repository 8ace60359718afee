//! `trust-v1`: how far a figure can be believed, derived from the evidence that is
//! there and never declared.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::resolution::Figure;

/// Name of the policy.
pub const ID: &str = "trust-v1";

/// How far apart the figures of two independent sources may lie and still agree,
/// where their ranges don't overlap.
const AGREE_WITHIN: f64 = 0.05;

/// Levels of trust, lowest first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// A source says so; its snapshot is kept.
    Reported,
    /// All that a rerun needs is there.
    Reproducible,
    /// Two independent sources agree.
    Replicated,
    /// A rerun, attested with evidence.
    Verified,
}

impl Trust {
    /// The stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reported => "reported",
            Self::Reproducible => "reproducible",
            Self::Replicated => "replicated",
            Self::Verified => "verified",
        }
    }
}

/// What is there for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, each named by the rule"
)]
pub struct Evidence {
    /// Source code of the implementation.
    pub source_code: bool,
    /// The workload with every shape and dtype known.
    pub exact_workload: bool,
    /// The protocol, as far as it decides the figure.
    pub protocol: bool,
    /// The environment: product and software versions.
    pub environment: bool,
    /// Raw evidence: trials, logs or a profile, not only the statistic.
    pub raw_evidence: bool,
    /// Independent sources whose figure agrees (see [`agree`]), the run's own source
    /// not counted. Copies of the same bytes are not independent.
    pub agreeing_sources: u32,
    /// A rerun that the user attested with evidence.
    pub attested: bool,
}

/// The highest level that the evidence reaches.
pub fn trust(evidence: &Evidence) -> Trust {
    if evidence.attested {
        Trust::Verified
    } else if evidence.agreeing_sources > 0 {
        Trust::Replicated
    } else if evidence.source_code
        && evidence.exact_workload
        && evidence.protocol
        && evidence.environment
        && evidence.raw_evidence
    {
        Trust::Reproducible
    } else {
        Trust::Reported
    }
}

/// Whether two independent figures of one cohort and implementation agree: their
/// ranges overlap, or they differ by at most 5 % of the slower.
pub fn agree(a: &Figure, b: &Figure) -> bool {
    let slower = a.value.max(b.value);
    let apart = a.value.abs_diff(b.value);
    a.ties(b) || apart as f64 <= AGREE_WITHIN * slower as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels() {
        let complete = Evidence {
            source_code: true,
            exact_workload: true,
            protocol: true,
            environment: true,
            raw_evidence: true,
            ..Evidence::default()
        };
        for (what, evidence, expected) in [
            ("a source says so", Evidence::default(), Trust::Reported),
            ("complete", complete, Trust::Reproducible),
            (
                "no raw evidence",
                Evidence {
                    raw_evidence: false,
                    ..complete
                },
                Trust::Reported,
            ),
            (
                "no environment",
                Evidence {
                    environment: false,
                    ..complete
                },
                Trust::Reported,
            ),
            (
                "agreed, though incomplete",
                Evidence {
                    agreeing_sources: 1,
                    ..Evidence::default()
                },
                Trust::Replicated,
            ),
            (
                "attested",
                Evidence {
                    attested: true,
                    agreeing_sources: 2,
                    ..complete
                },
                Trust::Verified,
            ),
        ] {
            assert_eq!(trust(&evidence), expected, "{what}");
            assert_eq!(
                serde_json::to_string(&expected).unwrap(),
                format!("\"{}\"", expected.as_str())
            );
        }
        assert!(Trust::Reported < Trust::Reproducible && Trust::Replicated < Trust::Verified);
    }

    #[test]
    fn agreement() {
        let figure = |value, resolution| Figure {
            value,
            interval: None,
            resolution,
        };
        for (a, b, agrees) in [
            (figure(1_000, 0), figure(950, 0), true),
            (figure(1_000, 0), figure(949, 0), false),
            (figure(1_000, 50), figure(900, 50), true),
        ] {
            assert_eq!(agree(&a, &b), agrees);
            assert_eq!(agree(&b, &a), agrees);
        }
    }
}
