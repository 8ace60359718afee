//! What a PyTorch module file in KernelBench's form declares, read without Python and
//! without torch: its constants, the tensors `get_inputs()` returns, the arguments
//! `get_init_inputs()` returns, and a digest of what `Model` executes.
//!
//! The file is parsed and its statements are evaluated on values known by type, shape
//! and dtype. What is not understood is named with its place and never guessed.

mod canonical;
mod eval;
mod flags;
mod follow;
mod liveness;
mod model;
mod names;
mod ops;
mod region;
mod source;
mod tensor;
#[cfg(test)]
mod tests;
mod torch;
mod trace;
mod tree;
mod understanding;
mod value;
mod work;

use std::fmt::Write as _;

use eval::{Evaluator, Object};
use ruff_python_ast::Expr;
use sha2::{Digest, Sha256};
pub use source::Refusal;
use source::Source;
pub use understanding::{
    Buffers, Census, Flag, Matrix, Parameters, Step, Traffic, Understanding, Work,
};
pub use value::{DType, Dim, Origin, Tensor, Unknown, Value};

/// Stack of the thread that parses and evaluates, in bytes: nesting is bounded so that
/// this is several times what any accepted file needs.
const STACK_BYTES: usize = 64 << 20;

/// One tensor or value that `get_inputs()` returns.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// The variable it was returned as, if it was a variable.
    pub name: Option<String>,
    /// The value; an unknown if it isn't static.
    pub value: Value,
}

/// What a module file declares.
#[derive(Debug, Clone, PartialEq)]
pub struct Module {
    /// Module-level names with values that can be written out, in order of binding.
    pub constants: Vec<(String, Value)>,
    /// What `get_inputs()` returns; `None` without such a list.
    pub inputs: Option<Vec<Input>>,
    /// What `get_init_inputs()` returns; `None` without such a list.
    pub init_inputs: Option<Vec<Value>>,
    /// Random tensors that `get_inputs()` draws, returned or not.
    pub drawn: usize,
    /// `sha256:<hex>` of the canonical syntax tree of what `Model` executes; `None`
    /// without a class `Model`.
    pub tree_digest: Option<String>,
    /// What was not understood, each thing once, in the order it was met.
    pub unknown: Vec<Unknown>,
}

/// Reads a module file.
///
/// # Errors
///
/// A file that is no UTF-8, larger than 1 MiB, nested deeper than 200 or no valid Python
/// is refused as a whole, with the line.
pub fn analyse(source: &[u8]) -> Result<Module, Refusal> {
    on_own_stack(|| Ok(declared(&Source::parse(source)?, &[])))
}

/// Follows `Model.__init__` and `forward`, module constants overridden by `set`.
///
/// # Errors
///
/// As [`analyse`].
pub fn understand(source: &[u8], set: &[(String, Value)]) -> Result<Understanding, Refusal> {
    on_own_stack(|| {
        let parsed = Source::parse(source)?;
        let module = declared(&parsed, set);
        Ok(follow::understand(&parsed, set, module))
    })
}

/// Runs something on a thread whose stack fits what the limits accept.
fn on_own_stack<T: Send>(run: impl FnOnce() -> Result<T, Refusal> + Send) -> Result<T, Refusal> {
    let failed = |reason: String| Refusal { line: None, reason };
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, run)
            .map_err(|error| failed(format!("no thread to read it on: {error}")))?
            .join()
            .unwrap_or_else(|_| Err(failed("the parser failed on this file".to_owned())))
    })
}

/// `sha256:` and the digest of these bytes in hex.
pub fn digest(bytes: &[u8]) -> String {
    hex_digest(&Sha256::digest(bytes))
}

fn hex_digest(digest: &[u8]) -> String {
    format!("sha256:{}", hex(digest.iter().copied()))
}

fn hex(bytes: impl Iterator<Item = u8>) -> String {
    bytes.fold(String::new(), |mut hex, byte| {
        // Writing to a string can't fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// What a parsed module declares.
fn declared(source: &Source, set: &[(String, Value)]) -> Module {
    let mut evaluator = Evaluator::run(source, set);
    let constants = evaluator.constants();
    let tree_digest = tree::digest(&source.suite, &mut evaluator);

    let drawn_before = evaluator.drawn;
    let inputs = returned(&mut evaluator, "get_inputs");
    let drawn = evaluator.drawn - drawn_before;
    let init_inputs = returned(&mut evaluator, "get_init_inputs")
        .map(|inputs| inputs.into_iter().map(|input| input.value).collect());
    Module {
        constants,
        inputs,
        init_inputs,
        drawn,
        tree_digest,
        unknown: evaluator.into_unknown(),
    }
}

/// The items of the list that a function returns, with the variables they were.
fn returned<'a>(evaluator: &mut Evaluator<'a>, function: &'a str) -> Option<Vec<Input>> {
    let returned = evaluator.call_global(function)?;
    let Some(items) = evaluator.items_of(&returned.value) else {
        if !matches!(returned.value, Object::Unknown(_)) {
            evaluator.record(function, None, "returns neither a list nor a tuple");
        }
        return None;
    };
    let elements = match returned.expr {
        Some(Expr::List(list)) => &list.elts[..],
        Some(Expr::Tuple(tuple)) => &tuple.elts[..],
        _ => &[],
    };
    // With a starred element the positions don't match.
    let names: Vec<Option<String>> = if elements.len() == items.len() {
        elements
            .iter()
            .map(|element| element.as_name_expr().map(|name| name.id.to_string()))
            .collect()
    } else {
        vec![None; items.len()]
    };
    let inputs = items.iter().zip(names).map(|(item, name)| Input {
        name,
        value: evaluator.value_of(item),
    });
    Some(inputs.collect())
}
