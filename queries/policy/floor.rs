//! The one type of a floor: a lower bound on latency, with its terms, its flags and
//! the rules it follows from. An estimate, never evidence.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use super::ns::Ns;
use crate::units;

/// What limits the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// Moving bytes through DRAM.
    Bandwidth,
    /// Matrix arithmetic.
    Compute,
}

/// The two terms a floor is the larger of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Terms {
    /// Compulsory bytes at the DRAM peak.
    pub dram_ns: Option<Ns>,
    /// Matrix work at the dense peak; `null` where work or peak is unknown.
    pub compute_ns: Option<Ns>,
}

/// Which precision the matrix work may run in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// As declared; fp32 at TF32 where the device has it.
    Declared,
    /// fp32 kept: the vector peak or a third of TF32, the faster.
    Strict,
    /// The fastest dense peak of the device.
    Any,
}

impl std::str::FromStr for Precision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "declared" => Ok(Self::Declared),
            "strict" => Ok(Self::Strict),
            "any" => Ok(Self::Any),
            _ => Err("the precision is `declared`, `strict` or `any`".to_owned()),
        }
    }
}

/// What bears on how firmly a floor stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlagCode {
    /// The working set may have stayed in the cache between calls.
    CacheAmbiguous,
    /// Launch and drain cost more than the work.
    LatencyBound,
    /// How much is touched or computed depends on values.
    DataDependent,
    /// Another class of algorithm needs less arithmetic.
    AlgorithmClass,
    /// The algebra of the module removes arithmetic.
    AlgebraReducible,
    /// Zeros or symmetry known beforehand remove bytes or arithmetic.
    StructureKnown,
    /// An operation without a rule: the floor is that of the rest.
    Partial,
    /// Only the declared inputs are known.
    InputsOnly,
    /// Any precision is allowed, so tolerance must be loose.
    PrecisionAny,
    /// The clocks of the run aren't known.
    ClocksUnknown,
    /// The device's peaks rest on one good source or on sources that differ a little.
    PeakMedium,
    /// The device's peaks are placeholders.
    PeakLow,
    /// The user gave some of the device's figures.
    PeakGiven,
    /// The peaks are of a package that software sees as two devices.
    PackageSplit,
}

impl FlagCode {
    /// A flag that following a module sets, by its name.
    pub fn told(name: &str) -> Option<Self> {
        Some(match name {
            "data-dependent" => Self::DataDependent,
            "algorithm-class" => Self::AlgorithmClass,
            "algebra-reducible" => Self::AlgebraReducible,
            "structure-known" => Self::StructureKnown,
            _ => return None,
        })
    }
}

/// A flag and its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Flag {
    /// Stable code.
    pub code: FlagCode,
    /// One line: why it is set here.
    pub reason: Cow<'static, str>,
}

/// How a measured time stands to a floor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Not believable as reported: timing, declaration or peaks are wrong.
    BelowHard,
    /// Faster than moving every byte once, and a flag says how that can be.
    BelowFusedExplained,
    /// The same, and no flag says how.
    BelowFusedUnexplained,
    /// At or above the floor.
    Above,
}

/// A floor under one policy.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Floor {
    /// Name of the policy (`roofline-v2`).
    pub policy: &'static str,
    /// Precision policy; `null` where the floor's policy has none.
    pub precision: Option<Precision>,
    /// Device whose peaks were used.
    pub hardware: Option<String>,
    /// The floor (under roofline-v2 the fused one); `null` if none can be given.
    pub floor_ns: Option<Ns>,
    /// Which term it is.
    pub bound: Option<Bound>,
    /// Both terms.
    pub terms: Terms,
    /// What no correct kernel beats under the stated cache state.
    pub hard_ns: Option<Ns>,
    /// Each operation alone, summed.
    pub unfused_ns: Option<Ns>,
    /// Measured time over the floor, two decimals.
    pub ratio: Option<f64>,
    /// How the measured time stands to it.
    pub verdict: Option<Verdict>,
    /// What bears on how firmly it stands.
    pub flags: Vec<Flag>,
    /// The rules, each with its figures.
    pub rules: Vec<String>,
}

impl Floor {
    /// A floor of which nothing is known yet.
    pub(crate) fn none(policy: &'static str) -> Self {
        Self {
            policy,
            precision: None,
            hardware: None,
            floor_ns: None,
            bound: None,
            terms: Terms::default(),
            hard_ns: None,
            unfused_ns: None,
            ratio: None,
            verdict: None,
            flags: Vec::new(),
            rules: Vec::new(),
        }
    }
}

/// Nanoseconds that `bytes` take at `gbs` GB/s (10^9 bytes a second); `None` unless
/// the rate is positive.
pub fn dram_ns(bytes: f64, gbs: f64) -> Option<f64> {
    (gbs > 0.0).then(|| bytes / gbs)
}

/// Nanoseconds that `flops` take at `tflops` TFLOP/s; `None` unless the rate is
/// positive.
pub fn compute_ns(flops: f64, tflops: f64) -> Option<f64> {
    (tflops > 0.0).then(|| flops / (tflops * 1e3))
}

/// A figure of a rule's text, its integer part in groups of three: `3,350`, `494.7`.
pub(crate) fn grouped(value: f64) -> String {
    let text = value.to_string();
    match text.split_once('.') {
        Some((whole, fraction)) => format!("{}.{fraction}", units::grouped(whole)),
        None => units::grouped(&text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_three() {
        for (value, text) in [
            (0.0, "0"),
            (495.0, "495"),
            (494.7, "494.7"),
            (3_350.0, "3,350"),
            (67_108_864.0, "67,108,864"),
            (1_638.4, "1,638.4"),
        ] {
            assert_eq!(grouped(value), text);
        }
    }

    #[test]
    fn the_shape_of_the_answer() {
        let mut floor = Floor::none("roofline-v2");
        floor.precision = Some(Precision::Declared);
        floor.floor_ns = Some(Ns::from_ps(359_467));
        floor.bound = Some(Bound::Bandwidth);
        floor.verdict = Some(Verdict::BelowFusedExplained);
        floor.flags.push(Flag {
            code: FlagCode::PeakMedium,
            reason: "one source".into(),
        });
        assert_eq!(
            serde_json::to_string(&floor).unwrap(),
            concat!(
                r#"{"policy":"roofline-v2","precision":"declared","hardware":null,"#,
                r#""floor_ns":359.467,"bound":"bandwidth","#,
                r#""terms":{"dram_ns":null,"compute_ns":null},"hard_ns":null,"#,
                r#""unfused_ns":null,"ratio":null,"verdict":"below-fused-explained","#,
                r#""flags":[{"code":"peak-medium","reason":"one source"}],"rules":[]}"#
            )
        );
    }

    #[test]
    fn rates() {
        assert_eq!(dram_ns(3_350.0, 3_350.0), Some(1.0));
        assert_eq!(compute_ns(495_000.0, 495.0), Some(1.0));
        assert_eq!(dram_ns(1.0, 0.0), None);
        assert_eq!(compute_ns(1.0, f64::NAN), None);
    }
}
