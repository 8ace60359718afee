//! What a workload moves and computes, as it is kept with it.

use std::ops::Deref;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::floor::{Flag, FlagCode};
use super::roofline::{self, Class, Operation};
use crate::error::Result;

/// What a module moves and computes on its declared inputs, and what bears on its floors.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Facts")]
pub struct Work {
    facts: Facts,
    flags: Vec<Flag>,
}

/// The same as it is kept. Bytes count each element in its own dtype; matrix work counts a
/// multiply-add as two.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Facts {
    /// Whether everything was followed.
    pub complete: bool,
    /// Input bytes that the outputs depend on.
    pub input_bytes: u64,
    /// Parameters.
    pub parameters: Parameters,
    /// Registered buffers.
    pub buffers: Buffers,
    /// Bytes of the outputs.
    pub output_bytes: Option<u64>,
    /// Matrix work.
    pub flops: Flops,
    /// Operations run alone: calls, bytes of own inputs and outputs, needed matrix work.
    operations: Vec<Operation>,
    /// What bears on the floors.
    #[serde(default)]
    flags: Vec<Told>,
    /// Memory that `forward` needs, operation by operation. An estimate.
    pub memory_bytes: Option<u64>,
    /// What was not understood.
    #[serde(default)]
    pub unknown: Vec<String>,
}

/// Parameters of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Buffers {
    /// Bytes of all.
    pub bytes: u64,
    /// Bytes that the outputs depend on.
    pub live_bytes: u64,
}

/// Matrix work.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Flops {
    /// As PyTorch's own counter counts.
    pub counted: u64,
    /// What the outputs need.
    pub needed: u64,
    /// Narrowest dtype that some of the needed work is in.
    pub dtype: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Told {
    code: String,
    reason: String,
}

impl From<Facts> for Work {
    fn from(facts: Facts) -> Self {
        let mut flags: Vec<Flag> = Vec::new();
        for told in &facts.flags {
            // A flag that this program doesn't know says nothing to it.
            if let Some(code) = FlagCode::told(&told.code)
                && flags.iter().all(|flag| flag.code != code)
            {
                flags.push(Flag {
                    code,
                    reason: told.reason.clone().into(),
                });
            }
        }
        if !facts.complete {
            flags.push(Flag {
                code: FlagCode::Partial,
                reason: facts.unknown.first().map_or_else(
                    || "not everything was followed".into(),
                    |first| format!("not followed: {first}").into(),
                ),
            });
        }
        Self { facts, flags }
    }
}

impl Deref for Work {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        &self.facts
    }
}

impl Work {
    /// Reads the kept text.
    ///
    /// # Errors
    ///
    /// When it is damaged.
    pub fn parse(text: &str) -> Result<Self> {
        Ok(serde_json::from_str(text)?)
    }

    /// What floors are made of. Of a module that wasn't followed to its end only what
    /// certainly moves and computes is given.
    pub fn for_floors(&self) -> roofline::Work<'_> {
        let parameter_bytes = self.parameters.live_bytes + self.buffers.live_bytes;
        roofline::Work {
            input_bytes: self.input_bytes,
            parameter_bytes: self.complete.then_some(parameter_bytes),
            output_bytes: self.output_bytes.filter(|_| self.complete),
            matrix_flops: self.complete.then_some(self.flops.needed),
            class: class(self.flops.dtype.as_deref()),
            operations: self.complete.then_some(&self.operations[..]),
            flags: &self.flags,
        }
    }
}

/// Work of which only the declared inputs are known: no module was followed. `None`: not
/// even those are.
pub fn inputs_only(
    input_bytes: Option<i64>,
    dtype: Option<&str>,
) -> Option<roofline::Work<'static>> {
    Some(roofline::Work {
        input_bytes: u64::try_from(input_bytes?).ok()?,
        parameter_bytes: None,
        output_bytes: None,
        matrix_flops: None,
        class: class(dtype),
        operations: None,
        flags: &[],
    })
}

/// The class of matrix work in a dtype.
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
