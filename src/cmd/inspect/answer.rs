//! The answer of `kidx inspect`.

use std::collections::BTreeMap;

use kidx_importers::work::Work;
use kidx_queries::hardware::Product;
use kidx_queries::policy::floor::Floor;
use kidx_semantics::{Tensor, Understanding, Value};
use schemars::JsonSchema;
use serde::Serialize;

/// What a module needs. Bytes count each element in its own dtype.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The file.
    pub file: String,
    /// What `get_inputs()` returns; `null` if that isn't known.
    pub inputs: Option<Vec<Input>>,
    /// What `forward` returns; `null` if that isn't known.
    pub outputs: Option<Vec<Output>>,
    /// Parameters.
    pub parameters: Parameters,
    /// Registered buffers.
    pub buffers: Buffers,
    /// Bytes that any kernel has to move at least once.
    pub bytes: Bytes,
    /// Matrix work, a multiply-add counting as two.
    pub flops: Flops,
    /// Calls and elements written, by operation.
    pub ops: BTreeMap<String, Op>,
    /// Whether everything was followed; if not, figures are of what was.
    pub complete: bool,
    /// What was not understood.
    pub unknown: Vec<Unknown>,
    /// Lower bounds, by product.
    pub floors: Vec<Floor>,
    /// Memory that `forward` needs, operation by operation. An estimate: allocators and
    /// workspaces add to it.
    pub memory_bytes: Option<u64>,
    /// Products whose labelled memory (in 10^9 bytes) holds that, smallest first.
    pub fits: Vec<Fits>,
}

/// An input.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Input {
    /// The variable it was returned as; `null` if it was none.
    pub name: Option<String>,
    /// Sizes of the dimensions; `null` for a plain value.
    pub shape: Option<Vec<i64>>,
    /// Element type; `null` for a plain value.
    pub dtype: Option<String>,
}

/// A returned tensor.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Sizes of the dimensions.
    pub shape: Vec<i64>,
    /// Element type.
    pub dtype: String,
}

/// Parameters of a module.
#[derive(Debug, Serialize, JsonSchema)]
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
#[derive(Debug, Serialize, JsonSchema)]
pub struct Buffers {
    /// Bytes of all.
    pub bytes: u64,
    /// Bytes that the outputs depend on.
    pub live_bytes: u64,
}

/// Bytes that the outputs depend on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Bytes {
    /// Of inputs.
    pub inputs: u64,
    /// Of parameters.
    pub parameters: u64,
    /// Of buffers.
    pub buffers: u64,
    /// Of outputs; `null` if not known.
    pub outputs: Option<u64>,
    /// All of them.
    pub total: Option<u64>,
}

/// Matrix work.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Flops {
    /// As PyTorch's own counter counts.
    pub counted: u64,
    /// What the outputs need.
    pub needed: u64,
    /// What they need, by operation.
    pub by_op: BTreeMap<String, u64>,
}

/// How often an operation runs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Op {
    /// Calls.
    pub calls: u64,
    /// Elements written by all of them.
    pub elements: u64,
}

/// Something that has no value here.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Unknown {
    /// Name or construct.
    pub what: String,
    /// 1-based line.
    pub line: Option<u32>,
    /// Why.
    pub reason: String,
}

/// A product with room for it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Fits {
    /// Product.
    pub hardware: String,
    /// Its short name.
    pub short: String,
    /// Memory as the vendor labels it, GB.
    pub memory_gb: f64,
}

impl Answer {
    /// From what was found in a file and in the hardware table.
    pub fn of(
        file: &str,
        found: &Understanding,
        work: Work,
        floors: Vec<Floor>,
        products: &[Product],
    ) -> Self {
        let inputs = found.module.inputs.as_ref().map(|inputs| {
            inputs
                .iter()
                .map(|input| {
                    let tensor = match &input.value {
                        Value::Tensor(tensor) => Some(tensor),
                        _ => None,
                    };
                    Input {
                        name: input.name.clone(),
                        shape: tensor.map(Tensor::sizes),
                        dtype: tensor.map(|tensor| tensor.dtype.short_name().to_owned()),
                    }
                })
                .collect()
        });
        let parameters = work.parameters.live_bytes;
        let buffers = work.buffers.live_bytes;
        let known = work.input_bytes + parameters + buffers;
        Self {
            file: file.to_owned(),
            inputs,
            outputs: work.outputs.map(|outputs| {
                outputs
                    .into_iter()
                    .map(|output| Output {
                        shape: output.shape,
                        dtype: output.dtype,
                    })
                    .collect()
            }),
            parameters: Parameters {
                count: work.parameters.count,
                bytes: work.parameters.bytes,
                used_bytes: work.parameters.used_bytes,
                live_bytes: work.parameters.live_bytes,
            },
            buffers: Buffers {
                bytes: work.buffers.bytes,
                live_bytes: work.buffers.live_bytes,
            },
            bytes: Bytes {
                inputs: work.input_bytes,
                parameters,
                buffers,
                outputs: work.output_bytes,
                total: work
                    .output_bytes
                    .filter(|_| work.complete)
                    .and_then(|outputs| known.checked_add(outputs)),
            },
            flops: Flops {
                counted: work.flops.counted,
                needed: work.flops.needed,
                by_op: work
                    .flops
                    .by_op
                    .into_iter()
                    .map(|(op, (_, _, needed))| (op, needed))
                    .collect(),
            },
            ops: found
                .census
                .iter()
                .map(|(op, census)| {
                    let op_of = Op {
                        calls: census.calls,
                        elements: census.elements,
                    };
                    (op.clone(), op_of)
                })
                .collect(),
            complete: work.complete,
            unknown: found
                .unknown
                .iter()
                .map(|unknown| Unknown {
                    what: unknown.what.clone(),
                    line: unknown.line,
                    reason: unknown.reason.clone(),
                })
                .collect(),
            floors,
            memory_bytes: work.memory_bytes,
            fits: fits(work.memory_bytes, products),
        }
    }
}

/// Products with room for some bytes. Labels are taken as 10^9 bytes: the driver keeps
/// some of the rest for itself.
fn fits(bytes: Option<u64>, products: &[Product]) -> Vec<Fits> {
    let Some(bytes) = bytes else {
        return Vec::new();
    };
    let mut fits: Vec<Fits> = products
        .iter()
        .filter_map(|product| {
            let memory_gb = product.memory_gb?;
            (bytes as f64 <= memory_gb * 1e9).then(|| Fits {
                hardware: product.hardware.id.clone(),
                short: product.hardware.short.clone(),
                memory_gb,
            })
        })
        .collect();
    fits.sort_by(|a, b| {
        a.memory_gb
            .total_cmp(&b.memory_gb)
            .then_with(|| a.hardware.cmp(&b.hardware))
    });
    fits
}
