//! What following `Model` gave: the facts floors are made of.
//!
//! Units: bytes are bytes of the tensor's own dtype; work is floating point operations,
//! a multiply-add counting as two; elements are elements.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Module;
use crate::value::{Tensor, Unknown};

/// Everything that is known of a module file after following `Model.__init__` and
/// `forward` on what `get_init_inputs()` and `get_inputs()` return.
#[derive(Debug, Clone, PartialEq)]
pub struct Understanding {
    /// What the file declares, overridden constants included.
    pub module: Module,
    /// The tensors `forward` returns, containers taken apart; `None` if not known.
    pub outputs: Option<Vec<Tensor>>,
    /// Parameters of `Model`, each tensor once.
    pub parameters: Parameters,
    /// Registered buffers of `Model`, each tensor once.
    pub buffers: Buffers,
    /// Tensors among `get_inputs()`.
    pub inputs: Traffic,
    /// Matrix work of one `forward`.
    pub matrix: Matrix,
    /// Calls and elements written per operation, views left out.
    pub census: BTreeMap<String, Census>,
    /// Operations in the order they run; a view is no operation.
    pub steps: Vec<Step>,
    /// Inputs, parameters, buffers and the largest set of intermediates and outputs
    /// that is alive at once when each operation runs alone and a tensor is freed after
    /// its last use. An estimate: allocators and workspaces add to it.
    pub memory_bytes: Option<u64>,
    /// What makes a count of the direct algorithm no lower bound, or is known beyond it.
    pub flags: Vec<Flag>,
    /// Whether everything was followed: nothing unknown, no operation without a rule.
    pub complete: bool,
    /// What was not understood, each thing once, in the order it was met.
    pub unknown: Vec<Unknown>,
}

/// Parameters of a module.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameters {
    /// Number of parameter tensors.
    pub tensors: u64,
    /// Elements of all.
    pub count: u64,
    /// Bytes of all.
    pub bytes: u64,
    /// Elements of those that some operation of `forward` reads.
    pub used_count: u64,
    /// Bytes of those.
    pub used_bytes: u64,
    /// Elements of those that the outputs depend on.
    pub live_count: u64,
    /// Bytes of those.
    pub live_bytes: u64,
}

/// Buffers of a module.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buffers {
    /// Number of buffer tensors.
    pub tensors: u64,
    /// Bytes of all.
    pub bytes: u64,
    /// Bytes of those that the outputs depend on.
    pub live_bytes: u64,
}

/// Bytes of tensors that come in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// Bytes declared.
    pub bytes: u64,
    /// Bytes of the elements that some operation takes as an operand, less those that
    /// slices and strided windows never reach. A lower bound where regions overlap in
    /// ways that are not followed.
    pub touched_bytes: u64,
    /// Bytes of those that an operation reads which the outputs depend on.
    pub live_bytes: u64,
    /// Elements touched, per input tensor in order.
    pub elems_touched: Vec<u64>,
}

/// Matrix work: products of matrices, convolutions, attention, recurrent gates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matrix {
    /// As PyTorch's `FlopCounterMode` counts: 2 per multiply-add, bias left out, taps on
    /// padding, masked pairs and dead work included.
    pub counted: u64,
    /// Less taps on padding, cropped outputs of transposed convolutions, causally masked
    /// pairs, and work that the outputs don't depend on.
    pub needed: u64,
    /// By operation (`mm`, `addmm`, `bmm`, `convolution` …).
    pub by_op: BTreeMap<String, Work>,
    /// By dtype of the operands (`fp32`, `bf16` …).
    pub by_dtype: BTreeMap<String, Work>,
}

/// Matrix work of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Number of calls.
    pub calls: u64,
    /// Operations as PyTorch counts them.
    pub counted: u64,
    /// Operations that the outputs need.
    pub needed: u64,
}

/// How often an operation ran and how much it wrote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Census {
    /// Number of calls.
    pub calls: u64,
    /// Elements written by all of them.
    pub elements: u64,
}

/// One operation, run alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The operation, by the name PyTorch's dispatcher has for it where there is one.
    pub op: String,
    /// 1-based line of the call.
    pub line: Option<u32>,
    /// Bytes of its distinct operands.
    pub read_bytes: u64,
    /// Bytes of its results.
    pub written_bytes: u64,
    /// Matrix work as PyTorch counts it.
    pub counted: u64,
    /// Matrix work that the outputs need; 0 if they don't depend on the step.
    pub needed: u64,
    /// Dtype of the first operand, or of the result without operands.
    pub dtype: String,
}

/// Something a floor must be told with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flag {
    /// `algebra-reducible`, `structure-known`, `data-dependent` or `algorithm-class`.
    pub code: String,
    /// 1-based line.
    pub line: Option<u32>,
    /// One line why.
    pub reason: String,
}
