//! `history-v1`: what makes a step in the staircase of a record.
//!
//! Runs come in by their observation instant, undated ones before all others, and after
//! each instant the leader is who ranks first among those that stand then, as the same
//! question asked for that day answers. A step is a change of the leading run. It can go
//! up: a newer observation of an implementation replaces its older one, faster or not.

use schemars::JsonSchema;
use serde::Serialize;

use super::resolution::Figure;

/// Name of the policy.
pub const ID: &str = "history-v1";

/// Why a run holds the record instead of the former one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Nobody held it before.
    First,
    /// The former still stands and is slower.
    Beaten,
    /// The former still stands and can't be told from the new one within noise and
    /// rounding; it ranks after it.
    AheadInTie,
    /// The former no longer stands: a newer observation of its implementation does.
    Superseded,
}

impl Change {
    /// The stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Beaten => "beaten",
            Self::AheadInTie => "ahead-in-tie",
            Self::Superseded => "superseded",
        }
    }
}

/// The run that held the record until now.
#[derive(Debug, Clone, Copy)]
pub struct Former {
    /// Its figure.
    pub figure: Figure,
    /// Whether it still stands.
    pub stands: bool,
}

/// What made the step to a new holder.
pub fn change(former: Option<Former>, holder: &Figure) -> Change {
    match former {
        None => Change::First,
        Some(former) if !former.stands => Change::Superseded,
        Some(former) if former.figure.ties(holder) => Change::AheadInTie,
        Some(_) => Change::Beaten,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps() {
        let figure = |value| Figure {
            value,
            interval: None,
            resolution: 5,
        };
        let former = |value, stands| {
            Some(Former {
                figure: figure(value),
                stands,
            })
        };
        for (former, expected) in [
            (None, Change::First),
            (former(200, true), Change::Beaten),
            (former(108, true), Change::AheadInTie),
            (former(200, false), Change::Superseded),
            (former(90, false), Change::Superseded),
        ] {
            let found = change(former, &figure(100));
            assert_eq!(found, expected, "{former:?}");
            let json = serde_json::to_string(&found).unwrap();
            assert_eq!(json, format!("\"{}\"", found.as_str()));
        }
    }
}
