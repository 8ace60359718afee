//! Problems that are known to accept less than the work they declare, from public
//! reports. Facts only: which problem, how, who says so, when.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// In which way a problem is weak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The output doesn't depend on the inputs.
    Constant,
    /// Every output is smaller than the checker's tolerance.
    BelowTolerance,
    /// Part of the inputs, or their distribution, is enough.
    Statistical,
    /// Algebra removes most of the work.
    Algebra,
    /// A step changes nothing, or its result isn't used.
    Redundant,
}

/// A weak problem, as a report describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Weak {
    /// Suite slug.
    pub suite: String,
    /// Level key.
    pub level: String,
    /// File name without its ending.
    pub problem: String,
    /// In which way.
    pub kind: Kind,
    /// The figure or the reason.
    pub why: String,
    /// Who reports it.
    pub source: String,
    /// Day of the report.
    pub date: String,
}

/// The list that this program was built with.
///
/// # Errors
///
/// When the list is damaged, which a test excludes.
pub fn known() -> Result<Vec<Weak>, serde_json::Error> {
    serde_json::from_str(include_str!("weak.json"))
}

/// The entry about a problem's definition of today: reports speak of the suite as it was
/// on their day, and earlier definitions had other sizes.
pub fn of<'a>(
    known: &'a [Weak],
    suite: &str,
    level: &str,
    file: &str,
    is_current: bool,
) -> Option<&'a Weak> {
    let problem = file.strip_suffix(".py").unwrap_or(file);
    known
        .iter()
        .filter(|_| is_current)
        .find(|weak| weak.suite == suite && weak.level == level && weak.problem == problem)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_list_cites_a_dated_source_for_each_problem_once() {
        let known = known().unwrap();
        let names: BTreeSet<_> = known
            .iter()
            .map(|weak| (&weak.level, &weak.problem))
            .collect();
        assert_eq!(names.len(), known.len());
        for weak in &known {
            assert!(weak.source.starts_with("https://"), "{}", weak.problem);
            assert!(
                weak.date.parse::<chrono::NaiveDate>().is_ok(),
                "{}",
                weak.date
            );
        }
    }

    #[test]
    fn by_name_and_definition() {
        let known = known().unwrap();
        let found = |file, current| {
            of(&known, "kernelbench", "level2", file, current).map(|weak| weak.kind)
        };
        let zero = "80_Gemm_Max_Subtract_GELU.py";
        assert_eq!(found(zero, true), Some(Kind::Constant));
        assert_eq!(found(zero, false), None);
        assert_eq!(found("80_Other.py", true), None);
        assert_eq!(of(&known, "other", "level2", zero, true), None);
    }
}
