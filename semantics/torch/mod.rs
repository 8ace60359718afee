//! PyTorch, as far as it is known here: a table of operations on tensors that are known
//! by shape and dtype. To add an operation, write a rule and name it in a table.

mod create;
mod elementwise;
mod shape;

use std::sync::Arc;

use crate::eval::object::Heap;
use crate::eval::{Object, Outcome, Reason, Rule};
use crate::value::{DType, Origin, Tensor};
pub(crate) use elementwise::{binary, compare, in_place, keep_type, promoted, unary};

/// All tables.
pub(crate) const RULES: &[&[Rule]] = &[create::RULES, elementwise::RULES, shape::RULES];

/// Longest description of how elements came about.
const MAX_DRAW: usize = 96;

/// A constant of `torch`.
pub(crate) fn constant(path: &str) -> Option<Object> {
    DType::from_torch(path.strip_prefix("torch.")?).map(Object::DType)
}

/// An attribute of a tensor that is not a method.
pub(crate) fn attribute(heap: &mut Heap<'_>, tensor: &Tensor, name: &str) -> Option<Object> {
    Some(match name {
        "shape" => size_of(heap, tensor),
        "dtype" => Object::DType(tensor.dtype),
        "ndim" => Object::int(i64::try_from(tensor.shape.len()).ok()?),
        "T" | "mT" => Object::tensor(shape::transposed(tensor, name)?),
        // Where a tensor lives changes neither shape nor dtype.
        "device" => Object::External("torch.device".into()),
        _ => return None,
    })
}

/// A tensor's size as a tuple of integers that carry the names of the dimensions.
fn size_of(heap: &mut Heap<'_>, tensor: &Tensor) -> Object {
    let sizes = tensor.shape.iter();
    let sizes = sizes.map(|dim| Object::Int(dim.size, dim.origin.carried()));
    heap.tuple(sizes.collect())
}

fn tensor_of(object: Object) -> Result<std::rc::Rc<Tensor>, Reason> {
    match object {
        Object::Tensor(tensor) => Ok(tensor),
        other => Err(format!("not a tensor but {}", other.type_name()).into()),
    }
}

/// How the result of an operation came about.
fn draw(operation: &str, operands: &[&str]) -> Arc<str> {
    let length = operation.len()
        + operands
            .iter()
            .map(|operand| operand.len() + 1)
            .sum::<usize>();
    if length > MAX_DRAW {
        return Arc::from("derived");
    }
    Arc::from(format!("{operation}({})", operands.join(",")))
}

/// The most dimensions a tensor has in PyTorch.
const MAX_DIMS: usize = 64;

/// The tensor as a value, if PyTorch could hold its shape.
fn checked(tensor: Tensor) -> Outcome {
    if tensor.shape.len() > MAX_DIMS {
        return Err("the tensor has too many dimensions".into());
    }
    if tensor.elements().is_none() {
        return Err("the tensor has more elements than 64 bits count".into());
    }
    Ok(Object::tensor(tensor))
}

/// A dimension argument as position; negative ones count from the end.
fn dimension(dim: &Object, dims: usize) -> Result<usize, Reason> {
    let dim = dim.as_int().ok_or("a dimension is no integer")?;
    let len = i64::try_from(dims).unwrap_or(i64::MAX);
    let at = if dim < 0 {
        dim.saturating_add(len)
    } else {
        dim
    };
    usize::try_from(at)
        .ok()
        .filter(|&at| at < dims)
        .ok_or_else(|| "the dimension is out of range".into())
}

/// A size argument: an integer that is not negative, with where it comes from.
fn size(object: &Object) -> Result<crate::value::Dim, Reason> {
    let size = match object {
        Object::Unknown(unknown) => return Err(unknown.clone().into()),
        other => other.as_int().ok_or("a size is no integer")?,
    };
    if size < 0 {
        return Err("a size is negative".into());
    }
    let origin = match object {
        Object::Int(_, origin) => origin.clone(),
        _ => Origin::Derived,
    };
    Ok(crate::value::Dim { size, origin })
}
