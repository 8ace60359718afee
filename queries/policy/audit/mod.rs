//! `audit-v1`: figures that can't be right, or that shouldn't be trusted as they stand.
//!
//! The rules are a table: a code, how grave a finding is, what it looks for, what to do.
//! Each rule's own decision is a small pure function in a file beside this one, except
//! where another policy decides already (`roofline-v2`, `eligibility-v2`, `unit-v1`,
//! `shape-v1`). An error is what can't be true as reported; a warning, what contradicts
//! something else; a note, what is true but easily misread.

pub mod environments;
pub mod excess;
pub mod folder;
pub mod launch;
pub mod peak;
pub mod replicates;
pub mod spread;
pub mod weak;

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;

/// Name of the policy.
pub const ID: &str = "audit-v1";

/// How grave a finding is; the greater, the graver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// True, but easily misread.
    Note,
    /// Contradicts something else.
    Warning,
    /// Can't be true as reported.
    Error,
}

impl Severity {
    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A rule, by its code. The order is that of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(
    missing_docs,
    reason = "each is explained in `RULES`, for people and programs"
)]
pub enum Code {
    BelowHard,
    AbovePeak,
    StatsContradict,
    UnitDoubted,
    ShapeDoubted,
    MarkedExcessive,
    ZeroSpread,
    SpreadImpossible,
    BelowFusedUnexplained,
    #[serde(rename = "SPEEDUP_OVER_10")]
    SpeedupOver10,
    FolderDisagrees,
    MixedHardware,
    EnvironmentsDisagree,
    ReplicatesDisagree,
    Noisy,
    CompileRegression,
    LaunchBound,
    WorkloadChanged,
    WeakProblem,
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rule {
    /// Stable code.
    #[serde(rename = "rule")]
    pub code: Code,
    /// How grave a finding is.
    pub severity: Severity,
    /// A few words.
    pub title: &'static str,
    /// What it looks for.
    pub looks_for: &'static str,
    /// What to do about a finding.
    pub advice: &'static str,
}

/// Every rule, the gravest first.
pub const RULES: [Rule; 19] = [
    Rule {
        code: Code::BelowHard,
        severity: Severity::Error,
        title: "faster than any correct kernel",
        looks_for: "a time below the `hard` floor of roofline-v2: less than the bytes that must \
                    cross DRAM take at the product's peak, after all that a cache may have kept. \
                    Such a run holds no record until it is acknowledged.",
        advice: "Look for a cached output, a wrong stream or a wrong unit, then at the declared \
                 shapes, then at the device's row in the hardware table. Retract the run, or \
                 acknowledge it and say why it can be true.",
    },
    Rule {
        code: Code::AbovePeak,
        severity: Severity::Error,
        title: "faster than the device's peak",
        looks_for: "bytes or matrix work per second above the device's peak, where neither a \
                    cache nor a higher clock nor another algorithm explains it.",
        advice: "Check what was timed and on which device; on a warm cache say so in the protocol.",
    },
    Rule {
        code: Code::StatsContradict,
        severity: Severity::Error,
        title: "mean outside its own trials",
        looks_for: "a mean below the fastest or above the slowest trial, or a fastest trial above \
                    the slowest, by more than rounding allows. Such a run holds no record.",
        advice: "Figures of different runs were mixed, or one was edited: look at the place it is \
                 written and ask the source.",
    },
    Rule {
        code: Code::UnitDoubted,
        severity: Severity::Warning,
        title: "probably in another unit",
        looks_for: "a file whose figures differ by a median factor of 200 or more from another \
                    file's on the same product (unit-v1). Such runs hold no record.",
        advice: "If the factor is near a power of a thousand, import the file again with `--unit`; \
                 else the two files may have timed other sizes.",
    },
    Rule {
        code: Code::ShapeDoubted,
        severity: Severity::Warning,
        title: "probably of other shapes",
        looks_for: "a figure below the time its declared inputs take, or more than five times off \
                    the other runs of its implementation on that workload and product (shape-v1). \
                    Such a run holds no record.",
        advice: "If the file timed another version of the suite, say which with \
                 `--suite-version`; else a warm cache or another software path may explain it: \
                 acknowledge it and say so.",
    },
    Rule {
        code: Code::MarkedExcessive,
        severity: Severity::Warning,
        title: "marked by its source as too fast",
        looks_for: "a run whose own evaluation marks it `excessive_speedup`: by default more than \
                    ten times as fast as the reference timed beside it. Such a run holds no \
                    record until it is acknowledged.",
        advice: "Read the kernel: work on another stream, a cached output or skipped work looks \
                 like this. If it is real, acknowledge it and say why.",
    },
    Rule {
        code: Code::ZeroSpread,
        severity: Severity::Warning,
        title: "no spread at all",
        looks_for: "a standard deviation of exactly zero over two or more trials: real timings \
                    always spread.",
        advice: "The figures are constant, computed once or made up. Ask the source for the trials.",
    },
    Rule {
        code: Code::SpreadImpossible,
        severity: Severity::Warning,
        title: "spread that its trials can't have",
        looks_for: "a standard deviation that no trials between the stated fastest and slowest \
                    with the stated mean can have, or one smaller than these two alone cause.",
        advice: "Mean, deviation, fastest and slowest trial are not of one series: use the mean \
                 with care and its interval not at all.",
    },
    Rule {
        code: Code::BelowFusedUnexplained,
        severity: Severity::Warning,
        title: "below the floor, unexplained",
        looks_for: "a time above the `hard` but below the `fused` floor of roofline-v2, with no \
                    flag (cache, data, algorithm, weak peaks) that says how.",
        advice: "Look whether outputs stayed in the cache, or whether less was computed than \
                 declared.",
    },
    Rule {
        code: Code::SpeedupOver10,
        severity: Severity::Warning,
        title: "more than 10 times the baseline",
        looks_for: "a run more than ten times as fast as the designated baseline of its cohort, \
                    even at the near ends of both ranges.",
        advice: "Speedups like that are mostly work that isn't timed (another stream, a cached \
                 result) or a bad baseline: check both.",
    },
    Rule {
        code: Code::FolderDisagrees,
        severity: Severity::Warning,
        title: "folder and device name other hardware",
        looks_for: "a folder named after one product (`H100_…`) whose records name a device of \
                    another family (`NVIDIA H200`).",
        advice: "The device string counts. If the folder is right, retract the runs and import the \
                 file with the device named.",
    },
    Rule {
        code: Code::MixedHardware,
        severity: Severity::Warning,
        title: "one file, several products",
        looks_for: "a file whose records name more than one hardware product.",
        advice: "Runs compare within their own product only; don't read the file as one machine's.",
    },
    Rule {
        code: Code::EnvironmentsDisagree,
        severity: Severity::Warning,
        title: "odd between two environments",
        looks_for: "two environments of one hardware family whose ratio on a \
                    workload is more than 3 times, and more than 8 robust deviations, off the \
                    median of their ratios on all other workloads.",
        advice: "One of the two is wrong, or their software takes another path there: measure the \
                 odd one again.",
    },
    Rule {
        code: Code::ReplicatesDisagree,
        severity: Severity::Warning,
        title: "repeated runs disagree",
        looks_for: "runs of one implementation on one workload and product, timed alike by \
                    different providers or on different days, whose ranges don't overlap and which \
                    are more than 2 times apart.",
        advice: "Trust neither beyond the difference: software, clocks or sharing differ. Compare \
                 within one environment only.",
    },
    Rule {
        code: Code::Noisy,
        severity: Severity::Note,
        title: "trials spread widely",
        looks_for: "a standard deviation above 10 % of the mean.",
        advice: "A mean over such trials says little: ask for the median, or measure again with \
                 more warm-ups and locked clocks.",
    },
    Rule {
        code: Code::CompileRegression,
        severity: Severity::Note,
        title: "compiled slower than eager",
        looks_for: "a torch.compile run more than 1.2 times as slow as the eager baseline of its \
                    cohort, beyond both ranges.",
        advice: "Hold candidates against the faster of the two: `kidx speedups --baseline best`.",
    },
    Rule {
        code: Code::LaunchBound,
        severity: Severity::Note,
        title: "time of a launch, not of the work",
        looks_for: "a mean under 10 µs that is at least twice its floor: launching and timing \
                    cost as much as the work.",
        advice: "Read it as a bound on launch cost; compare kernels on a larger workload.",
    },
    Rule {
        code: Code::WorkloadChanged,
        severity: Severity::Note,
        title: "same name, other workload",
        looks_for: "a problem that was measured on one product under one name with different \
                    definitions: the records before and now don't compare.",
        advice: "Name the definition you mean (`slug@version`, `--suite-version`).",
    },
    Rule {
        code: Code::WeakProblem,
        severity: Severity::Note,
        title: "problem known to accept less work",
        looks_for: "a problem whose reference output is constant, below the checker's tolerance, \
                    or doesn't need all of the work, according to a cited public report.",
        advice: "Don't take a speedup on it for a faster kernel; leave it out of scores.",
    },
];

impl Code {
    /// The row of the table.
    pub fn rule(self) -> &'static Rule {
        RULES
            .iter()
            .find(|rule| rule.code == self)
            .unwrap_or(&RULES[0])
    }

    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BelowHard => "BELOW_HARD",
            Self::AbovePeak => "ABOVE_PEAK",
            Self::StatsContradict => "STATS_CONTRADICT",
            Self::UnitDoubted => "UNIT_DOUBTED",
            Self::ShapeDoubted => "SHAPE_DOUBTED",
            Self::MarkedExcessive => "MARKED_EXCESSIVE",
            Self::ZeroSpread => "ZERO_SPREAD",
            Self::SpreadImpossible => "SPREAD_IMPOSSIBLE",
            Self::BelowFusedUnexplained => "BELOW_FUSED_UNEXPLAINED",
            Self::SpeedupOver10 => "SPEEDUP_OVER_10",
            Self::FolderDisagrees => "FOLDER_DISAGREES",
            Self::MixedHardware => "MIXED_HARDWARE",
            Self::EnvironmentsDisagree => "ENVIRONMENTS_DISAGREE",
            Self::ReplicatesDisagree => "REPLICATES_DISAGREE",
            Self::Noisy => "NOISY",
            Self::CompileRegression => "COMPILE_REGRESSION",
            Self::LaunchBound => "LAUNCH_BOUND",
            Self::WorkloadChanged => "WORKLOAD_CHANGED",
            Self::WeakProblem => "WEAK_PROBLEM",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What was given names no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no rule `{0}`")]
pub struct UnknownRule(pub String);

impl FromStr for Code {
    type Err = UnknownRule;

    /// As it is written, in either case, with `-` or `_`.
    fn from_str(text: &str) -> Result<Self, UnknownRule> {
        let wanted = text.trim().to_ascii_uppercase().replace('-', "_");
        RULES
            .iter()
            .map(|rule| rule.code)
            .find(|code| code.as_str() == wanted)
            .ok_or_else(|| UnknownRule(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_each_rule_once_and_the_gravest_first() {
        for rule in &RULES {
            assert_eq!(rule.code.rule(), rule);
            assert_eq!(rule.code.as_str().parse(), Ok(rule.code));
            let json = serde_json::to_value(rule.code).unwrap();
            assert_eq!(json, rule.code.as_str());
        }
        assert!(RULES.is_sorted_by(|a, b| a.severity >= b.severity && a.code < b.code));
        assert_eq!("below-hard".parse(), Ok(Code::BelowHard));
        assert!("HARD".parse::<Code>().is_err());
    }
}
