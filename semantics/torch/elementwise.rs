//! Operations element by element: arithmetic with broadcasting and type promotion,
//! comparisons, casts, and functions of one tensor.
//!
//! Type promotion follows PyTorch's documented rules: among tensors with dimensions the
//! common type counts; a number, or a tensor without dimensions, raises the type only
//! when its category (bool, integer, float, complex) is higher.

use std::rc::Rc;
use std::sync::Arc;

use ruff_python_ast::{Operator, UnaryOp};

use super::{checked, draw, tensor_of};
use crate::eval::{Call, Object, Outcome, Reason, Rule};
use crate::value::{DType, Dim, Tensor};

pub(super) const RULES: &[Rule] = &[
    Rule {
        names: &[
            "Tensor.bool",
            "Tensor.char",
            "Tensor.short",
            "Tensor.int",
            "Tensor.long",
            "Tensor.half",
            "Tensor.bfloat16",
            "Tensor.float",
            "Tensor.double",
        ],
        apply: cast,
    },
    Rule {
        names: &["Tensor.to", "Tensor.type"],
        apply: to,
    },
    Rule {
        names: &[
            "Tensor.cuda",
            "Tensor.cpu",
            "Tensor.contiguous",
            "Tensor.clone",
            "Tensor.detach",
            "Tensor.requires_grad_",
            "Tensor.pin_memory",
            "torch.clone",
            "torch.detach",
        ],
        apply: unchanged,
    },
    Rule {
        names: &[
            "torch.abs",
            "torch.clamp",
            "torch.neg",
            "torch.relu",
            "torch.round",
            "torch.floor",
            "torch.ceil",
            "torch.sign",
            "torch.square",
            "torch.tril",
            "torch.triu",
            "Tensor.abs",
            "Tensor.clamp",
            "Tensor.neg",
            "Tensor.relu",
            "Tensor.round",
            "Tensor.floor",
            "Tensor.ceil",
            "Tensor.sign",
            "Tensor.square",
            "Tensor.tril",
            "Tensor.triu",
            "torch.nn.functional.relu",
        ],
        apply: keeping,
    },
    Rule {
        names: &[
            "Tensor.abs_",
            "Tensor.add_",
            "Tensor.clamp_",
            "Tensor.copy_",
            "Tensor.div_",
            "Tensor.exponential_",
            "Tensor.fill_",
            "Tensor.fill_diagonal_",
            "Tensor.mul_",
            "Tensor.normal_",
            "Tensor.random_",
            "Tensor.relu_",
            "Tensor.sub_",
            "Tensor.tril_",
            "Tensor.triu_",
            "Tensor.uniform_",
            "Tensor.zero_",
        ],
        apply: overwrite,
    },
    Rule {
        names: &[
            "torch.exp",
            "torch.log",
            "torch.sqrt",
            "torch.rsqrt",
            "torch.sin",
            "torch.cos",
            "torch.tanh",
            "torch.sigmoid",
            "torch.softmax",
            "torch.log_softmax",
            "Tensor.exp",
            "Tensor.log",
            "Tensor.sqrt",
            "Tensor.rsqrt",
            "Tensor.sin",
            "Tensor.cos",
            "Tensor.tanh",
            "Tensor.sigmoid",
            "Tensor.softmax",
            "Tensor.log_softmax",
            "torch.nn.functional.softmax",
            "torch.nn.functional.log_softmax",
            "torch.nn.functional.normalize",
        ],
        apply: floating,
    },
];

/// `left op right`, at least one of them a tensor.
pub(crate) fn binary(op: Operator, left: &Object, right: &Object, default: DType) -> Outcome {
    let name = match op {
        Operator::Add => "add",
        Operator::Sub => "sub",
        Operator::Mult => "mul",
        Operator::Div => "div",
        Operator::FloorDiv => "floor_div",
        Operator::Mod => "mod",
        Operator::Pow => "pow",
        Operator::BitAnd => "and",
        Operator::BitOr => "or",
        Operator::BitXor => "xor",
        _ => return Err(format!("`{}` on tensors has no rule", op.as_str()).into()),
    };
    let (shape, dtype) = (broadcast(left, right)?, promote(left, right, default)?);
    let dtype = if op == Operator::Div && dtype.category() < 2 {
        default
    } else {
        dtype
    };
    let operands: Vec<&str> = [left, right]
        .into_iter()
        .filter_map(|operand| match operand {
            Object::Tensor(tensor) => Some(&*tensor.draw),
            _ => None,
        })
        .collect();
    checked(Tensor {
        shape,
        dtype,
        draw: draw(name, &operands),
    })
}

/// A comparison of tensors: bools of the common shape.
pub(crate) fn compare(left: &Object, right: &Object) -> Outcome {
    let shape = broadcast(left, right)?;
    checked(Tensor {
        shape,
        dtype: DType::Bool,
        draw: Arc::from("compared"),
    })
}

/// `op tensor`.
pub(crate) fn unary(op: UnaryOp, tensor: &Rc<Tensor>) -> Outcome {
    let name = match op {
        UnaryOp::USub => "neg",
        UnaryOp::Invert => "not",
        UnaryOp::UAdd => return Ok(Object::Tensor(Rc::clone(tensor))),
        UnaryOp::Not => return Err("depends on elements of a tensor".into()),
    };
    Ok(Object::tensor(Tensor {
        draw: draw(name, &[&tensor.draw]),
        ..(**tensor).clone()
    }))
}

/// What an in-place operator leaves: the tensor's own shape and dtype.
pub(crate) fn keep_type(tensor: &Tensor, result: Object) -> Object {
    match result {
        Object::Tensor(result) => Object::tensor(Tensor {
            draw: Arc::clone(&result.draw),
            ..tensor.clone()
        }),
        other => other,
    }
}

/// A tensor after its elements were written.
pub(crate) fn in_place(operation: &str, tensor: &Tensor) -> Object {
    Object::tensor(Tensor {
        draw: draw(operation, &[&tensor.draw]),
        ..tensor.clone()
    })
}

fn shape_of(object: &Object) -> Result<&[Dim], Reason> {
    match object {
        Object::Tensor(tensor) => Ok(&tensor.shape),
        other if other.as_float().is_some() => Ok(&[]),
        other => Err(format!("arithmetic of a tensor and {}", other.type_name()).into()),
    }
}

/// The common shape: aligned at the end, a dimension of one stretches.
fn broadcast(left: &Object, right: &Object) -> Result<Vec<Dim>, Reason> {
    let (left, right) = (shape_of(left)?, shape_of(right)?);
    let dims = left.len().max(right.len());
    let at = |shape: &[Dim], from_end: usize| {
        let position = shape.len().checked_sub(from_end)?;
        shape.get(position).cloned()
    };
    (1..=dims)
        .rev()
        .map(|from_end| match (at(left, from_end), at(right, from_end)) {
            (Some(a), Some(b)) if a.size == b.size => {
                Ok(if a.origin.symbol().is_some() { a } else { b })
            }
            (Some(a), Some(b)) if b.size == 1 => Ok(a),
            (Some(a), Some(b)) if a.size == 1 => Ok(b),
            (Some(dim), None) | (None, Some(dim)) => Ok(dim),
            _ => Err("the shapes don't broadcast".into()),
        })
        .collect()
}

/// How much an operand's type weighs: tensors with dimensions before those without,
/// before Python numbers.
fn weight(object: &Object, default: DType) -> Result<(u8, DType), Reason> {
    Ok(match object {
        Object::Tensor(tensor) => (if tensor.shape.is_empty() { 1 } else { 2 }, tensor.dtype),
        Object::Bool(_) => (0, DType::Bool),
        Object::Int(..) => (0, DType::I64),
        Object::Float(_) => (0, default),
        other => return Err(format!("arithmetic of a tensor and {}", other.type_name()).into()),
    })
}

fn promote(left: &Object, right: &Object, default: DType) -> Result<DType, Reason> {
    two(weight(left, default)?, weight(right, default)?)
}

/// The type of operands with their weights: tensors with dimensions 2, without 1, Python
/// numbers 0.
pub(crate) fn promoted(operands: &[(u8, DType)]) -> Result<DType, Reason> {
    // Those of equal weight first, then the lighter ones.
    let mut result: Option<(u8, DType)> = None;
    for weight in [2, 1, 0] {
        let mut level: Option<DType> = None;
        for (_, dtype) in operands.iter().filter(|operand| operand.0 == weight) {
            level = Some(level.map_or(Ok(*dtype), |level| common(level, *dtype))?);
        }
        if let Some(level) = level {
            result = Some(match result {
                None => (weight, level),
                Some(heavier) => (heavier.0, two(heavier, (weight, level))?),
            });
        }
    }
    result
        .map(|result| result.1)
        .ok_or_else(|| "of nothing".into())
}

fn two(left: (u8, DType), right: (u8, DType)) -> Result<DType, Reason> {
    let (heavy, light) = if left.0 >= right.0 {
        (left, right)
    } else {
        (right, left)
    };
    if heavy.0 > light.0 {
        return Ok(if light.1.category() <= heavy.1.category() {
            heavy.1
        } else {
            light.1
        });
    }
    common(heavy.1, light.1)
}

/// The common type of two tensors of equal weight.
fn common(a: DType, b: DType) -> Result<DType, Reason> {
    use DType::{BF16, C64, C128, F8E4M3, F8E5M2, F16, F32, F64, I8, I16, U8};
    if a == b {
        return Ok(a);
    }
    let (low, high) = if a.category() <= b.category() {
        (a, b)
    } else {
        (b, a)
    };
    if matches!(a, F8E4M3 | F8E5M2) || matches!(b, F8E4M3 | F8E5M2) {
        return Err("8-bit floats don't promote".into());
    }
    Ok(match (low, high) {
        (F64, C64) => C128,
        (low, high) if low.category() < high.category() => high,
        (U8, I8) | (I8, U8) => I16,
        (F16, BF16) | (BF16, F16) => F32,
        (a, b) if a.width_bytes() >= b.width_bytes() => a,
        (_, b) => b,
    })
}

fn with_dtype(tensor: &Tensor, dtype: DType) -> Object {
    Object::tensor(Tensor {
        dtype,
        ..tensor.clone()
    })
}

fn cast(call: &mut Call<'_, '_>) -> Outcome {
    let tensor = tensor_of(call.need(0, "self")?)?;
    let dtype = match call.name {
        "char" => DType::I8,
        name => DType::from_torch(name).ok_or("no such dtype")?,
    };
    Ok(with_dtype(&tensor, dtype))
}

/// `x.to(dtype)`, `x.to(device)`, `x.to(device, dtype)`, `x.to(other)`.
fn to(call: &mut Call<'_, '_>) -> Outcome {
    let tensor = tensor_of(call.need(0, "self")?)?;
    call.ignore(&["device", "non_blocking", "copy", "memory_format"]);
    let mut dtype = tensor.dtype;
    let stated = call.keyword("dtype")?;
    for given in call.rest(1)?.into_iter().chain(stated) {
        match given {
            Object::DType(given) => dtype = given,
            Object::Tensor(other) => dtype = other.dtype,
            // A device, or whether to copy.
            Object::Str(_) | Object::Bool(_) | Object::Int(..) if call.name == "to" => {}
            Object::External(path) if &*path == "torch.device" => {}
            other => return Err(format!("an argument is {}", other.type_name()).into()),
        }
    }
    Ok(with_dtype(&tensor, dtype))
}

fn unchanged(call: &mut Call<'_, '_>) -> Outcome {
    let tensor = tensor_of(call.need(0, "input")?)?;
    let result = match call.name {
        // A tensor of its own: what is done to it in place doesn't show in the first.
        "clone" => Object::tensor((*tensor).clone()),
        _ => Object::Tensor(tensor),
    };
    call.discard();
    Ok(result)
}

/// Methods that write a tensor's elements in place, whatever their arguments.
fn overwrite(call: &mut Call<'_, '_>) -> Outcome {
    let tensor = tensor_of(call.need(0, "self")?)?;
    let name = call.name.trim_end_matches('_').to_owned();
    call.discard();
    let changed = in_place(&name, &tensor);
    call.evaluator.replace_tensor(&tensor, &changed)?;
    Ok(changed)
}

/// Functions that keep shape and dtype, whatever their other arguments.
fn keeping(call: &mut Call<'_, '_>) -> Outcome {
    let tensor = tensor_of(call.need(0, "input")?)?;
    let draw = draw(call.name, &[&tensor.draw]);
    // Only plain numbers: a tensor here could broadcast or promote.
    if call
        .rest(1)?
        .iter()
        .any(|arg| matches!(arg, Object::Tensor(_) | Object::Float(_)))
        && tensor.dtype.category() < 2
    {
        return Err("the arguments have no rule".into());
    }
    call.ignore(&["diagonal", "min", "max", "decimals", "inplace"]);
    Ok(Object::tensor(Tensor {
        draw,
        ..(*tensor).clone()
    }))
}

/// Functions that keep the shape and give floats.
fn floating(call: &mut Call<'_, '_>) -> Outcome {
    let tensor = tensor_of(call.need(0, "input")?)?;
    let draw = draw(call.name, &[&tensor.draw]);
    call.rest(1)?;
    let stated = call.keyword("dtype")?;
    call.ignore(&["dim", "p", "eps", "_stacklevel"]);
    let dtype = match stated {
        Some(Object::DType(dtype)) => dtype,
        _ if tensor.dtype.category() < 2 => call.evaluator.default_dtype,
        _ => tensor.dtype,
    };
    Ok(Object::tensor(Tensor {
        dtype,
        draw,
        ..(*tensor).clone()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(sizes: &[i64], dtype: DType) -> Object {
        Object::tensor(Tensor {
            shape: sizes.iter().map(|&size| Dim::derived(size)).collect(),
            dtype,
            draw: Arc::from("rand"),
        })
    }

    #[test]
    fn shapes_broadcast_from_the_end() {
        type Case<'a> = (&'a [i64], &'a [i64], Option<&'a [i64]>);
        let cases: &[Case<'_>] = &[
            (&[2, 3], &[3], Some(&[2, 3])),
            (&[2, 1], &[1, 4], Some(&[2, 4])),
            (&[5], &[], Some(&[5])),
            (&[0], &[1], Some(&[0])),
            (&[2], &[3], None),
        ];
        for (left, right, expected) in cases {
            let found = broadcast(&tensor(left, DType::F32), &tensor(right, DType::F32));
            let found = found
                .ok()
                .map(|dims| dims.iter().map(|d| d.size).collect::<Vec<_>>());
            assert_eq!(found.as_deref(), *expected, "{left:?} {right:?}");
        }
    }

    #[test]
    fn types_promote_by_weight_and_category() {
        let number = Object::Float(1.0);
        let cases = [
            (
                tensor(&[2], DType::F16),
                tensor(&[2], DType::BF16),
                DType::F32,
            ),
            (
                tensor(&[2], DType::F16),
                tensor(&[], DType::F32),
                DType::F16,
            ),
            (tensor(&[2], DType::I32), number.clone(), DType::F32),
            (tensor(&[2], DType::BF16), number, DType::BF16),
            (tensor(&[2], DType::U8), tensor(&[2], DType::I8), DType::I16),
            (
                tensor(&[2], DType::F64),
                tensor(&[2], DType::C64),
                DType::C128,
            ),
        ];
        for (left, right, expected) in cases {
            assert_eq!(promote(&left, &right, DType::F32).unwrap(), expected);
            assert_eq!(promote(&right, &left, DType::F32).unwrap(), expected);
        }
    }
}
