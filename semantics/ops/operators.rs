//! Operators and attributes of tensors, and element-wise operations of two operands.
//!
//! Type promotion as PyTorch documents it: see [`crate::torch::promoted`].

use ruff_python_ast::{CmpOp, Operator, UnaryOp};

use super::{Entry, Op, broadcast, call, either, find, floats, op};
use crate::eval::object::ArrayId;
use crate::eval::{Evaluator, Object, Outcome, Reason};
use crate::tensor::{Array, Structure};
use crate::torch::promoted;
use crate::trace::Kind;
use crate::value::DType;

pub(super) const TABLE: &[Entry] = &[
    either("tm", "add sub subtract", "input other alpha=1", linear),
    op("t", "rsub", "input other alpha=1", linear),
    either("tm", "mul multiply", "input other", multiply),
    either(
        "tm",
        "div divide true_divide",
        "input other rounding_mode=None",
        divide,
    ),
    either(
        "tm",
        "floor_divide fmod remainder",
        "input other",
        promoting,
    ),
    op("tm", "maximum minimum fmax fmin", "input other", promoting),
    either("tm", "pow float_power", "input exponent", power),
    op(
        "tm",
        "atan2 arctan2 hypot copysign logaddexp logaddexp2 xlogy",
        "input other",
        real,
    ),
    op("s", "xlogy xlog1py", "input other", real),
    either(
        "tm",
        "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift",
        "input other",
        promoting,
    ),
    either(
        "tm",
        "logical_and logical_or logical_xor",
        "input other",
        truth,
    ),
    either(
        "tm",
        "eq ne lt le gt ge greater greater_equal less less_equal not_equal",
        "input other",
        truth,
    ),
    op(
        "tm",
        "isclose",
        "input other rtol=1e-5 atol=1e-8 equal_nan=False",
        truth,
    ),
    either("tm", "lerp", "input end weight", three),
    either(
        "tm",
        "addcmul addcdiv",
        "input tensor1 tensor2 value=1",
        three,
    ),
    op("tm", "where", "condition input=None other=None", choose),
    either("tm", "masked_fill", "input mask value", masked_fill),
    op("t", "outer ger", "input vec2", outer),
    op("m", "outer ger", "input vec2", outer),
    op("tml", "cross", "input other dim=None", promoting),
];

/// Operands of element-wise operations: tensors, or numbers without a shape.
struct Operands {
    arrays: Vec<Array>,
    shape: Vec<i64>,
    dtype: DType,
}

fn operands(op: &Op<'_, '_>, names: &[&str]) -> Result<Operands, Reason> {
    let mut arrays = Vec::new();
    let mut weights = Vec::new();
    let default = op.evaluator.default_dtype;
    for name in names {
        match op.arg(name) {
            Object::Array(id) => {
                let array = op.evaluator.heap.array_of(*id).clone();
                weights.push((if array.dims() == 0 { 1 } else { 2 }, array.dtype));
                arrays.push(array);
            }
            Object::Bool(_) => weights.push((0, DType::Bool)),
            Object::Int(..) => weights.push((0, DType::I64)),
            Object::Float(_) => weights.push((0, default)),
            other => return Err(format!("arithmetic of a tensor and {}", other.type_name()).into()),
        }
    }
    let shapes: Vec<&[i64]> = arrays.iter().map(|array| &array.shape[..]).collect();
    let shape = broadcast(&shapes)?;
    Ok(Operands {
        dtype: promoted(&weights)?,
        shape,
        arrays,
    })
}

fn apply(
    op: &mut Op<'_, '_>,
    names: &[&str],
    dtype: impl Fn(&Op<'_, '_>, DType) -> DType,
    kind: Kind,
) -> Outcome {
    let operands = operands(op, names)?;
    let dtype = dtype(op, operands.dtype);
    let reads: Vec<&Array> = operands.arrays.iter().collect();
    op.result(&reads, operands.shape, dtype, kind)
}

/// Two tensors added are linear in each; so is a tensor and a constant for the sums over
/// it that floors care for.
fn linear(op: &mut Op<'_, '_>) -> Outcome {
    let (left, right) = (op.arg("input").clone(), op.arg("other").clone());
    let result = apply(op, &["input", "other"], |_, dtype| dtype, Kind::Linear)?;
    // `a + a.T` is symmetric.
    if let (Object::Array(a), Object::Array(b)) = (&left, &right) {
        let (a, b) = (
            op.evaluator.heap.array_of(*a),
            op.evaluator.heap.array_of(*b),
        );
        let swapped: Vec<i64> = b.strides.iter().rev().copied().collect();
        if op.name == "add"
            && a.dims() == 2
            && a.storage == b.storage
            && a.strides == swapped
            && a.strides != b.strides
        {
            op.evaluator
                .set_structure(&result, Some(Structure::Symmetric));
        } else if a.structure == b.structure && a.shape == b.shape {
            let structure = a.structure;
            op.evaluator.set_structure(&result, structure);
        }
    }
    Ok(result)
}

/// The structure of a tensor that a number scales.
fn scaled(op: &Op<'_, '_>) -> Option<Structure> {
    match (op.arg("input"), op.arg("other")) {
        (Object::Array(id), other) | (other, Object::Array(id))
            if !matches!(other, Object::Array(_)) =>
        {
            op.evaluator.heap.array_of(*id).structure
        }
        (Object::Array(a), Object::Array(b)) => {
            let (a, b) = (
                op.evaluator.heap.array_of(*a),
                op.evaluator.heap.array_of(*b),
            );
            // Zeros win where both have the shape of the result.
            let own = |array: &Array| {
                array
                    .structure
                    .filter(|structure| *structure != Structure::Symmetric)
            };
            if a.shape == b.shape {
                own(a).or(own(b))
            } else {
                None
            }
        }
        _ => None,
    }
}

fn multiply(op: &mut Op<'_, '_>) -> Outcome {
    let structure = scaled(op);
    let is_square = matches!((op.arg("input"), op.arg("other")), (Object::Array(a), Object::Array(b)) if a == b);
    let kind = if is_square { Kind::Other } else { Kind::Linear };
    let result = apply(op, &["input", "other"], |_, dtype| dtype, kind)?;
    op.evaluator.set_structure(&result, structure);
    Ok(result)
}

fn divide(op: &mut Op<'_, '_>) -> Outcome {
    let structure = scaled(op);
    let rounds = op.is_given("rounding_mode");
    let kind = if matches!(op.arg("input"), Object::Array(_)) && !rounds {
        Kind::Linear
    } else {
        Kind::Other
    };
    let result = apply(
        op,
        &["input", "other"],
        |op, dtype| if rounds { dtype } else { op.floating(dtype) },
        kind,
    )?;
    op.evaluator.set_structure(&result, structure);
    Ok(result)
}

fn promoting(op: &mut Op<'_, '_>) -> Outcome {
    apply(op, &["input", "other"], |_, dtype| dtype, Kind::Other)
}

fn power(op: &mut Op<'_, '_>) -> Outcome {
    apply(op, &["input", "exponent"], |_, dtype| dtype, Kind::Other)
}

fn real(op: &mut Op<'_, '_>) -> Outcome {
    apply(op, &["input", "other"], floats, Kind::Other)
}

/// Comparisons. A mask compared with zero keeps its structure.
fn truth(op: &mut Op<'_, '_>) -> Outcome {
    // `x == 0` selects the zeros, `x != 0` and the like the others.
    let is_zero = op.arg("other").as_float() == Some(0.0);
    let structure = match (op.arg("input"), op.arg("other")) {
        (Object::Array(id), Object::Int(..) | Object::Float(_) | Object::Bool(_)) => {
            let structure = op.evaluator.heap.array_of(*id).structure;
            match (op.name, is_zero) {
                ("eq", true) => structure.and_then(Structure::complement),
                ("ne" | "gt", true) | ("eq", false) => structure,
                _ => None,
            }
        }
        _ => None,
    };
    let result = apply(op, &["input", "other"], |_, _| DType::Bool, Kind::Other)?;
    op.evaluator.set_structure(&result, structure);
    Ok(result)
}

fn three(op: &mut Op<'_, '_>) -> Outcome {
    let names: &[&str] = if op.name == "lerp" {
        &["input", "end", "weight"]
    } else {
        &["input", "tensor1", "tensor2"]
    };
    apply(op, names, |_, dtype| dtype, Kind::Other)
}

fn choose(op: &mut Op<'_, '_>) -> Outcome {
    if !op.is_given("input") {
        return Err("depends on elements of a tensor".into());
    }
    // A method's receiver is the first value, not the condition.
    let condition = match op.arg("condition") {
        Object::Array(id) => op.evaluator.heap.array_of(*id).clone(),
        other => return Err(format!("not a tensor but {}", other.type_name()).into()),
    };
    let (condition, names) = if condition.dtype == DType::Bool || condition.dtype == DType::U8 {
        (condition, ["input", "other"])
    } else {
        (op.array("input")?, ["condition", "other"])
    };
    let values = operands(op, &names)?;
    let shape = broadcast(&[&condition.shape, &values.shape])?;
    let kind = if condition.structure.is_some() {
        Kind::Masked
    } else {
        Kind::Other
    };
    let mut reads: Vec<&Array> = values.arrays.iter().collect();
    reads.push(&condition);
    let result = op.result(&reads, shape, values.dtype, kind)?;
    let kept = match (op.arg(names[0]), op.arg(names[1])) {
        (Object::Array(_), Object::Float(_) | Object::Int(..)) => condition.structure,
        (Object::Float(_) | Object::Int(..), Object::Array(_)) => {
            condition.structure.and_then(Structure::complement)
        }
        _ => None,
    };
    op.evaluator.set_structure(&result, kept);
    Ok(result)
}

fn masked_fill(op: &mut Op<'_, '_>) -> Outcome {
    let (input, mask) = (op.array("input")?, op.array("mask")?);
    let shape = broadcast(&[&input.shape, &mask.shape])?;
    let value = op.opt_array("value").unwrap_or(None);
    let mut reads = vec![&input, &mask];
    reads.extend(value.iter());
    let kind = if mask.structure.is_some() {
        Kind::Masked
    } else {
        Kind::Other
    };
    let result = op.result(&reads, shape, input.dtype, kind)?;
    let kept = mask.structure.and_then(Structure::complement);
    op.evaluator.set_structure(&result, kept);
    Ok(result)
}

fn outer(op: &mut Op<'_, '_>) -> Outcome {
    let (left, right) = (op.array("input")?, op.array("vec2")?);
    let shape = vec![left.elements(), right.elements()];
    let dtype = promoted(&[(2, left.dtype), (2, right.dtype)])?;
    op.result(&[&left, &right], shape, dtype, Kind::Other)
}

/// The name that an operator goes by.
fn name(op: Operator) -> &'static str {
    match op {
        Operator::Add => "add",
        Operator::Sub => "sub",
        Operator::Mult => "mul",
        Operator::Div => "div",
        Operator::FloorDiv => "floor_divide",
        Operator::Mod => "remainder",
        Operator::Pow => "pow",
        Operator::BitAnd => "bitwise_and",
        Operator::BitOr => "bitwise_or",
        Operator::BitXor => "bitwise_xor",
        Operator::LShift => "bitwise_left_shift",
        Operator::RShift => "bitwise_right_shift",
        Operator::MatMult => "matmul",
    }
}

/// `left op right`, at least one of them a tensor.
pub(crate) fn binary(
    evaluator: &mut Evaluator<'_>,
    op: Operator,
    left: Object,
    right: Object,
) -> Outcome {
    if let Some(value) = known_values(evaluator, op, &left, &right) {
        let result = call(
            evaluator,
            &format!("torch.{}", name(op)),
            vec![left, right],
            Vec::new(),
        )?;
        evaluator.set_values(&result, Some(value));
        return Ok(result);
    }
    call(
        evaluator,
        &format!("torch.{}", name(op)),
        vec![left, right],
        Vec::new(),
    )
}

/// Elements of a small known tensor after arithmetic with a number.
fn known_values(
    evaluator: &Evaluator<'_>,
    op: Operator,
    left: &Object,
    right: &Object,
) -> Option<Vec<f64>> {
    let Object::Array(id) = left else {
        return None;
    };
    let values = evaluator.heap.array_of(*id).values.as_deref()?;
    let number = right.as_float()?;
    let apply: fn(f64, f64) -> f64 = match op {
        Operator::Add => |a, b| a + b,
        Operator::Sub => |a, b| a - b,
        Operator::Mult => |a, b| a * b,
        Operator::Div => |a, b| a / b,
        _ => return None,
    };
    Some(values.iter().map(|&value| apply(value, number)).collect())
}

/// `left op= right` on a tensor.
pub(crate) fn in_place(
    evaluator: &mut Evaluator<'_>,
    op: Operator,
    left: &Object,
    right: &Object,
) -> Outcome {
    let path = format!("torch.{}_", name(op));
    if find(&path).is_none() {
        return binary(evaluator, op, left.clone(), right.clone());
    }
    call(
        evaluator,
        &path,
        vec![left.clone(), right.clone()],
        Vec::new(),
    )
}

/// `op tensor`.
pub(crate) fn unary(evaluator: &mut Evaluator<'_>, op: UnaryOp, operand: Object) -> Outcome {
    match op {
        UnaryOp::USub => call(evaluator, "torch.neg", vec![operand], Vec::new()),
        UnaryOp::Invert => call(evaluator, "torch.bitwise_not", vec![operand], Vec::new()),
        UnaryOp::UAdd => Ok(operand),
        UnaryOp::Not => Err("depends on elements of a tensor".into()),
    }
}

/// `left < right` and the like.
pub(crate) fn compare(
    evaluator: &mut Evaluator<'_>,
    op: CmpOp,
    left: Object,
    right: Object,
) -> Outcome {
    let name = match op {
        CmpOp::Eq => "eq",
        CmpOp::NotEq => "ne",
        CmpOp::Lt => "lt",
        CmpOp::LtE => "le",
        CmpOp::Gt => "gt",
        CmpOp::GtE => "ge",
        _ => return Err("depends on elements of a tensor".into()),
    };
    // Known single elements compare as numbers.
    if let (Some(a), Some(b)) = (number(evaluator, &left), number(evaluator, &right)) {
        return Ok(Object::Bool(match op {
            CmpOp::Eq => (a - b).abs() == 0.0,
            CmpOp::NotEq => (a - b).abs() != 0.0,
            CmpOp::Lt => a < b,
            CmpOp::LtE => a <= b,
            CmpOp::Gt => a > b,
            _ => a >= b,
        }));
    }
    call(
        evaluator,
        &format!("torch.{name}"),
        vec![left, right],
        Vec::new(),
    )
}

fn number(evaluator: &Evaluator<'_>, object: &Object) -> Option<f64> {
    match object {
        Object::Array(id) => match evaluator.heap.array_of(*id).values.as_deref() {
            Some([value]) => Some(*value),
            _ => None,
        },
        other => other.as_float(),
    }
}

/// An attribute of a tensor that is no method; `None` for methods.
pub(crate) fn attribute(evaluator: &mut Evaluator<'_>, id: ArrayId, name: &str) -> Option<Outcome> {
    let array = evaluator.heap.array_of(id).clone();
    Some(Ok(match name {
        "shape" => {
            let sizes = array.shape.iter().map(|&size| Object::int(size)).collect();
            evaluator.heap.tuple(sizes)
        }
        "dtype" => Object::DType(array.dtype),
        "ndim" => Object::int(i64::try_from(array.dims()).ok()?),
        "device" => Object::External("torch.device".into()),
        "layout" => Object::External("torch.strided".into()),
        "grad" => Object::None,
        "is_cuda" => Object::Bool(true),
        "requires_grad" => Object::Bool(array.is_parameter),
        "itemsize" => Object::int(i64::try_from(array.dtype.width_bytes()).ok()?),
        "nbytes" => Object::int(i64::try_from(array.bytes()).ok()?),
        "data" => {
            let view = Array {
                is_parameter: false,
                ..array
            };
            Object::Array(evaluator.heap.array(view))
        }
        "T" | "mT" | "H" | "mH" => {
            let path = if array.dims() == 2 || name == "T" {
                "Tensor.reversed"
            } else {
                "Tensor.swapped"
            };
            return Some(call(evaluator, path, vec![Object::Array(id)], Vec::new()));
        }
        _ => return None,
    }))
}
