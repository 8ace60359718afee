//! Lower bounds: what a workload must move and compute on a product, and how far a
//! measured time is above it.

use std::collections::BTreeMap;
use std::str::FromStr;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::cohorts::{self, Cohort};
use crate::entities::{Environment, Hardware, Operation, Peaks, Run, Workload};
use crate::error::{Error, Result};
use crate::filter::Selection;
use crate::policy::floor::{Floor, Precision};
use crate::policy::roofline::{self, Class, Confidence, Measured, Timing};
use crate::policy::{Ns, headroom};
use crate::view::View;

/// Which definition of a floor answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FloorPolicy {
    /// The published definition.
    HeadroomV1,
    /// Ours.
    #[default]
    RooflineV2,
}

impl FloorPolicy {
    /// Name of the policy.
    pub const fn id(self) -> &'static str {
        match self {
            Self::HeadroomV1 => headroom::ID,
            Self::RooflineV2 => roofline::ID,
        }
    }
}

impl FromStr for FloorPolicy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        [Self::HeadroomV1, Self::RooflineV2]
            .into_iter()
            .find(|policy| policy.id() == text)
            .ok_or_else(|| Error::Unknown {
                what: "floor policy",
                value: text.to_owned(),
                near: vec![headroom::ID.to_owned(), roofline::ID.to_owned()],
            })
    }
}

/// Bytes that a workload must move; `null` where not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Bytes {
    /// Declared inputs, each once.
    pub inputs: Option<i64>,
    /// Parameters.
    pub parameters: Option<i64>,
    /// Buffers.
    pub buffers: Option<i64>,
    /// Outputs.
    pub outputs: Option<i64>,
    /// All of them.
    pub total: Option<i64>,
}

/// Matrix work of a workload; `null` where not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Flops {
    /// As PyTorch's own counter counts.
    pub counted: Option<i64>,
    /// What the outputs need.
    pub needed: Option<i64>,
    /// By operation.
    pub by_op: BTreeMap<String, i64>,
}

/// The floor of a workload on a product, and its record there.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Answer {
    /// What is computed.
    pub operation: Operation,
    /// With every axis bound.
    pub workload: Workload,
    /// On what.
    pub hardware: Hardware,
    /// Where the record was measured.
    pub environment: Environment,
    /// The bound, its terms and flags.
    pub floor: Option<Floor>,
    /// What it must move.
    pub bytes: Bytes,
    /// What it must compute.
    pub flops: Flops,
    /// The record's latency.
    pub record_ns: Ns,
    /// The record's run.
    pub record_run: String,
    /// Who holds it.
    pub implementation: String,
}

/// Floors of the workloads that were measured, one per cohort with a record.
pub fn floors(
    connection: &Connection,
    selection: &Selection,
    view: &View,
    policy: FloorPolicy,
) -> Result<Vec<Answer>> {
    let mut answers = Vec::new();
    for cohort in cohorts::standing(connection, selection, view)? {
        let Some(leader) = cohort
            .leader()
            .filter(|leader| selection.takes(&leader.run))
        else {
            continue;
        };
        answers.push(Answer {
            floor: floor(&cohort, &leader.run, policy)?,
            bytes: Bytes {
                inputs: cohort.input_bytes,
                parameters: None,
                buffers: None,
                outputs: None,
                total: None,
            },
            flops: Flops {
                counted: None,
                needed: None,
                by_op: BTreeMap::new(),
            },
            record_ns: leader.run.latency(),
            record_run: leader.run.id_text(),
            implementation: leader.run.implementation.name.clone(),
            operation: cohort.operation,
            workload: cohort.workload,
            hardware: cohort.hardware,
            environment: cohort.environment,
        });
    }
    Ok(answers)
}

/// The floor of a cohort's workload, with a run held against it; `None` where shapes
/// are unknown.
pub fn floor(cohort: &Cohort, run: &Run, policy: FloorPolicy) -> Result<Option<Floor>> {
    if !cohort.workload.shapes_known {
        return Ok(None);
    }
    match policy {
        FloorPolicy::HeadroomV1 => headroom_floor(cohort, run),
        FloorPolicy::RooflineV2 => Ok(roofline_floor(cohort, run)),
    }
}

fn headroom_floor(cohort: &Cohort, run: &Run) -> Result<Option<Floor>> {
    let Some(family) = cohort.hardware.family.as_deref() else {
        return Ok(None);
    };
    let inputs = declared_tensors(cohort)?;
    let axes: BTreeMap<String, u64> = cohort
        .workload
        .axes
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), value.as_u64()?)))
        .collect();
    let work = headroom::Work {
        family: &cohort.operation.family,
        inputs: &inputs,
        axes: &axes,
    };
    Ok(headroom::floor(&work, family, Some(run.latency())))
}

/// Shapes and dtypes of the declared inputs, as the module's facts have them.
fn declared_tensors(cohort: &Cohort) -> Result<Vec<headroom::Tensor>> {
    let facts: Value = serde_json::from_str(cohort.facts.as_deref().unwrap_or("{}"))?;
    let inputs = facts.get("inputs").and_then(Value::as_array);
    Ok(inputs
        .into_iter()
        .flatten()
        .filter_map(|input| {
            Some(headroom::Tensor {
                dtype: input.get("dtype")?.as_str()?.to_owned(),
                shape: input
                    .get("shape")?
                    .as_array()?
                    .iter()
                    .map(Value::as_u64)
                    .collect::<Option<_>>()?,
            })
        })
        .collect())
}

fn roofline_floor(cohort: &Cohort, run: &Run) -> Option<Floor> {
    let input_bytes = u64::try_from(cohort.input_bytes?).ok()?;
    let work = roofline::Work {
        input_bytes,
        parameter_bytes: None,
        output_bytes: None,
        matrix_flops: None,
        class: class(cohort.workload.dtype.as_deref()),
        operations: None,
        flags: &[],
    };
    let device = cohort
        .peaks
        .bandwidth_gbs
        .map(|_| device(&cohort.hardware.id, &cohort.peaks));
    let timing = Timing {
        cache: match cohort.protocol.cache.as_deref() {
            Some("l2-cleared") => Some(roofline::Cache::Cleared),
            Some("warm") => Some(roofline::Cache::Warm),
            _ => None,
        },
        samples: run.samples,
    };
    let measured = Measured {
        mean_ps: run.value_ps,
        resolution_ps: run.resolution_ps,
    };
    Some(roofline::floor(
        &work,
        device.as_ref(),
        Precision::Declared,
        timing,
        Some(measured),
    ))
}

fn class(dtype: Option<&str>) -> Class {
    match dtype {
        Some("fp64") => Class::Fp64,
        Some("fp16") => Class::Fp16,
        Some("bf16") => Class::Bf16,
        Some("int8") => Class::Int8,
        Some(fp8) if fp8.starts_with("fp8") => Class::Fp8,
        _ => Class::Fp32,
    }
}

fn device<'a>(id: &'a str, peaks: &Peaks) -> roofline::Hardware<'a> {
    roofline::Hardware {
        id,
        bandwidth_gbs: peaks.bandwidth_gbs,
        fp64: peaks.fp64,
        fp64_tensor: peaks.fp64_tensor,
        fp32: peaks.fp32,
        tf32: peaks.tf32_tensor,
        fp16: peaks.fp16_tensor,
        bf16: peaks.bf16_tensor,
        fp8: peaks.fp8_tensor,
        int8: peaks.int8_tensor,
        fp4: peaks.fp4_tensor,
        l2_mib: peaks.l2_mib,
        last_level_mib: peaks.llc_mib,
        // Only matrix work has a clock ceiling, and none is known yet.
        clock_ceiling: None,
        confidence: match peaks.confidence.as_deref() {
            Some("high") => Some(Confidence::High),
            Some("medium") => Some(Confidence::Medium),
            Some("low") => Some(Confidence::Low),
            _ => None,
        },
    }
}
