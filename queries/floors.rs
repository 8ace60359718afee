//! Lower bounds: what a workload must move and compute on a product, and how far a
//! measured time is above it.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;

use rusqlite::{Connection, named_params};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::cohorts::{self, Cohort};
use crate::entities::{Environment, Hardware, Operation, Peaks, Run, Workload};
use crate::error::{Error, Result};
use crate::filter::Selection;
use crate::policy::floor::{Floor, Precision};
use crate::policy::roofline::{self, Confidence, Judged, Known, Timing};
use crate::policy::{Ns, headroom};
use crate::view::View;
use crate::work::{self, Work};

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
    /// Inputs that the outputs depend on, each once.
    pub inputs: Option<i64>,
    /// Parameters that the outputs depend on.
    pub parameters: Option<i64>,
    /// Buffers that the outputs depend on.
    pub buffers: Option<i64>,
    /// Outputs.
    pub outputs: Option<i64>,
    /// All of them.
    pub total: Option<i64>,
}

impl Bytes {
    /// Of what a cohort computes, as far as its module was followed.
    fn of(cohort: &Cohort) -> Self {
        let known = cohort.work.as_ref().filter(|work| work.complete);
        let bytes = |of: fn(&Work) -> Option<u64>| i64::try_from(of(known?)?).ok();
        let parameters = bytes(|work| Some(work.parameters.live_bytes));
        let buffers = bytes(|work| Some(work.buffers.live_bytes));
        let outputs = bytes(|work| work.output_bytes);
        let inputs = bytes(|work| Some(work.input_bytes)).or(cohort.input_bytes);
        Self {
            inputs,
            parameters,
            buffers,
            outputs,
            total: [inputs, parameters, buffers, outputs]
                .into_iter()
                .try_fold(0_i64, |sum, part| sum.checked_add(part?)),
        }
    }
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

impl Flops {
    /// Of what a cohort computes, as far as its module was followed.
    fn of(connection: &Connection, cohort: &Cohort) -> Result<Self> {
        let known = cohort.work.as_ref().filter(|work| work.complete);
        let number = |flops: u64| i64::try_from(flops).ok();
        let by_op = match known {
            Some(_) => by_op(connection, cohort.workload_id)?,
            None => BTreeMap::new(),
        };
        Ok(Self {
            counted: known.and_then(|work| number(work.flops.counted)),
            needed: known.and_then(|work| number(work.flops.needed)),
            by_op: by_op
                .into_iter()
                .filter_map(|(op, (_, _, needed))| Some((op, number(needed)?)))
                .collect(),
        })
    }
}

/// A workload's matrix work by operation: calls, counted, needed.
fn by_op(connection: &Connection, workload: i64) -> Result<BTreeMap<String, (u64, u64, u64)>> {
    let text: String = connection
        .prepare_cached(include_str!("by_op.sql"))?
        .query_row(named_params! {":workload": workload}, |row| row.get(0))?;
    Ok(serde_json::from_str(&text)?)
}

/// The floor of a workload on a product, and its record there.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Answer {
    /// What is computed.
    pub operation: Arc<Operation>,
    /// With every axis bound.
    pub workload: Arc<Workload>,
    /// On what.
    pub hardware: Arc<Hardware>,
    /// Where the record was measured.
    pub environment: Arc<Environment>,
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
        // Only times have a floor.
        let Some(record_ns) = leader.run.latency() else {
            continue;
        };
        answers.push(Answer {
            floor: floor(connection, &cohort, &leader.run, policy)?,
            bytes: Bytes::of(&cohort),
            flops: Flops::of(connection, &cohort)?,
            record_ns,
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
pub fn floor(
    connection: &Connection,
    cohort: &Cohort,
    run: &Run,
    policy: FloorPolicy,
) -> Result<Option<Floor>> {
    if !cohort.workload.shapes_known || !run.metric.is_latency() {
        return Ok(None);
    }
    match policy {
        FloorPolicy::HeadroomV1 => headroom_floor(connection, cohort, run),
        FloorPolicy::RooflineV2 => Ok(roofline_floor(cohort, run, roofline::explain)),
    }
}

/// The same under roofline-v2 without its rules, where nobody reads them.
pub fn figures(cohort: &Cohort, run: &Run) -> Option<Floor> {
    (cohort.workload.shapes_known && run.metric.is_latency())
        .then(|| roofline_floor(cohort, run, roofline::judge))
        .flatten()
}

fn headroom_floor(connection: &Connection, cohort: &Cohort, run: &Run) -> Result<Option<Floor>> {
    let Some(family) = cohort.hardware.family.as_deref() else {
        return Ok(None);
    };
    let inputs = declared_tensors(connection, cohort.operation_id)?;
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
    Ok(headroom::floor(&work, family, run.latency()))
}

/// Shapes and dtypes of the declared inputs, as the module's facts have them.
fn declared_tensors(connection: &Connection, operation: i64) -> Result<Vec<headroom::Tensor>> {
    let facts: Option<String> = connection
        .prepare_cached(include_str!("facts.sql"))?
        .query_row(named_params! {":operation": operation}, |row| row.get(0))?;
    let facts: Value = serde_json::from_str(facts.as_deref().unwrap_or("{}"))?;
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

fn roofline_floor(
    cohort: &Cohort,
    run: &Run,
    judge: fn(&Known<'_>, Judged) -> Floor,
) -> Option<Floor> {
    let known = Known {
        work: match &cohort.work {
            Some(work) => work.for_floors(),
            None => work::inputs_only(cohort.input_bytes, cohort.workload.dtype.as_deref())?,
        },
        hardware: device(&cohort.hardware.id, &cohort.peaks),
        cache: cohort.protocol.cache.as_deref(),
    };
    let run = Judged {
        value: run.value,
        resolution: run.resolution,
        samples: run.samples,
    };
    Some(judge(&known, run))
}

/// The floor of what was read off a module, on a product, with nothing measured. The cache
/// state is unknown, so `hard` allows for a warm one.
pub fn of_work(work: &Work, id: &str, peaks: &Peaks, precision: Precision) -> Floor {
    let device = peaks.bandwidth_gbs.map(|_| device(id, peaks));
    let timing = Timing {
        cache: None,
        samples: None,
    };
    roofline::floor(&work.for_floors(), device.as_ref(), precision, timing, None)
}

/// How a time compares with what no correct kernel beats, if it is below that: the time
/// over the hard floor. The cache state is unknown, so the floor allows for a warm one.
pub fn below_hard(work: &Work, id: &str, peaks: &Peaks, run: Judged) -> Option<f64> {
    peaks.bandwidth_gbs?;
    let known = Known {
        work: work.for_floors(),
        hardware: device(id, peaks),
        cache: None,
    };
    let value = run.value;
    roofline::below_hard(&roofline::judge(&known, run), value)
}

fn device<'a>(id: &'a str, peaks: &'a Peaks) -> roofline::Hardware<'a> {
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
        clock_ceiling: peaks.clock_ceiling,
        confidence: peaks.confidence.as_deref().and_then(Confidence::named),
        given: peaks.given.as_deref(),
    }
}
