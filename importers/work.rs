//! What a module moves and computes, condensed from following its `forward`: the form in
//! which a workload's facts are kept.

use std::collections::BTreeMap;

use kidx_semantics::{Tensor, Understanding};
use serde::{Deserialize, Serialize};

/// Facts of one module on its declared inputs. Bytes count each element in its own dtype;
/// matrix work counts a multiply-add as two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Whether everything was followed. If not, the figures are of what was.
    pub complete: bool,
    /// Input bytes that the outputs depend on.
    pub input_bytes: u64,
    /// Parameters.
    pub parameters: Parameters,
    /// Registered buffers.
    pub buffers: Buffers,
    /// What `forward` returns; `None` if that isn't known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Vec<Output>>,
    /// Bytes of the distinct outputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_bytes: Option<u64>,
    /// Matrix work.
    pub flops: Flops,
    /// Operations run alone, alike ones together.
    pub operations: Vec<Operation>,
    /// What bears on the floors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Flag>,
    /// Memory that `forward` needs, operation by operation. An estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// What was not understood: `line 7: einops.rearrange: no rule`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
}

/// Parameters of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameters {
    /// Elements of all.
    pub count: u64,
    /// Bytes of all.
    pub bytes: u64,
    /// Bytes that `forward` reads.
    pub used_bytes: u64,
    /// Bytes that the outputs depend on.
    pub live_bytes: u64,
}

/// Buffers of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buffers {
    /// Bytes of all.
    pub bytes: u64,
    /// Bytes that the outputs depend on.
    pub live_bytes: u64,
}

/// A returned tensor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Sizes of the dimensions.
    pub shape: Vec<i64>,
    /// Element type (`fp32` …).
    pub dtype: String,
}

/// Matrix work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flops {
    /// As PyTorch's own counter counts.
    pub counted: u64,
    /// What the outputs need.
    pub needed: u64,
    /// By operation: calls, counted, needed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_op: BTreeMap<String, (u64, u64, u64)>,
    /// Narrowest dtype that some of the needed work is in; `None` without such work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dtype: Option<String>,
}

/// Calls, bytes of own inputs and outputs, and needed matrix work of one operation alone.
pub type Operation = (u64, u64, u64);

/// A flag and its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flag {
    /// `algebra-reducible`, `structure-known`, `data-dependent` or `algorithm-class`.
    pub code: String,
    /// One line why, with the place.
    pub reason: String,
}

/// Dtypes of matrix work from the narrowest, whose peak is the highest.
const NARROWEST_FIRST: [&str; 6] = ["int8", "fp8", "fp16", "bf16", "fp32", "fp64"];

/// Bytes of some tensors; `None` beyond what a number holds.
fn bytes_of(tensors: &[Tensor]) -> Option<u64> {
    tensors.iter().try_fold(0_u64, |sum, tensor| {
        let elements = u64::try_from(tensor.elements()?).ok()?;
        sum.checked_add(elements.checked_mul(tensor.dtype.width_bytes())?)
    })
}

impl Work {
    /// Condenses what following a module gave.
    pub fn of(found: &Understanding) -> Self {
        let mut operations: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        for step in &found.steps {
            let bytes = step.read_bytes.saturating_add(step.written_bytes);
            *operations.entry((bytes, step.needed)).or_default() += 1;
        }
        let needed = |dtype: &str| {
            let of = |(name, work): (&String, &kidx_semantics::Work)| {
                name.starts_with(dtype) && work.needed > 0
            };
            found.matrix.by_dtype.iter().any(of)
        };
        Self {
            complete: found.complete,
            input_bytes: found.inputs.touched_bytes.min(found.inputs.live_bytes),
            parameters: Parameters {
                count: found.parameters.count,
                bytes: found.parameters.bytes,
                used_bytes: found.parameters.used_bytes,
                live_bytes: found.parameters.live_bytes,
            },
            buffers: Buffers {
                bytes: found.buffers.bytes,
                live_bytes: found.buffers.live_bytes,
            },
            outputs: found.outputs.as_ref().map(|outputs| {
                outputs
                    .iter()
                    .map(|output| Output {
                        shape: output.sizes(),
                        dtype: output.dtype.short_name().to_owned(),
                    })
                    .collect()
            }),
            output_bytes: found.outputs.as_deref().and_then(bytes_of),
            flops: Flops {
                counted: found.matrix.counted,
                needed: found.matrix.needed,
                by_op: found
                    .matrix
                    .by_op
                    .iter()
                    .map(|(op, work)| (op.clone(), (work.calls, work.counted, work.needed)))
                    .collect(),
                dtype: NARROWEST_FIRST
                    .into_iter()
                    .find(|dtype| needed(dtype))
                    .map(str::to_owned),
            },
            operations: operations
                .into_iter()
                .map(|((bytes, flops), calls)| (calls, bytes, flops))
                .collect(),
            flags: found
                .flags
                .iter()
                .map(|flag| Flag {
                    code: flag.code.clone(),
                    reason: match flag.line {
                        Some(line) => format!("line {line}: {}", flag.reason),
                        None => flag.reason.clone(),
                    },
                })
                .collect(),
            memory_bytes: found.memory_bytes,
            unknown: found.unknown.iter().map(ToString::to_string).collect(),
        }
    }
}
