//! Operations on one tensor, element by element or row by row, that keep its shape.

use super::{Entry, Op, either, op};
use crate::eval::{Object, Outcome};
use crate::tensor::{Array, Structure};
use crate::trace::Kind;
use crate::value::DType;

pub(super) const TABLE: &[Entry] = &[
    // Same dtype.
    either(
        "tfm",
        "relu relu6 selu hardswish hardsigmoid silu mish",
        "input inplace=False",
        same,
    ),
    either(
        "tfm",
        "neg negative abs absolute sign sgn round floor ceil trunc fix frac square",
        "input decimals=0",
        same,
    ),
    op(
        "tm",
        "positive conj real nan_to_num",
        "input nan=None posinf=None neginf=None",
        same,
    ),
    either("tfm", "celu elu", "input alpha=1.0 inplace=False", same),
    either(
        "tfm",
        "leaky_relu",
        "input negative_slope=0.01 inplace=False",
        same,
    ),
    either(
        "tfm",
        "rrelu",
        "input lower=0.125 upper=0.3333 training=False inplace=False",
        same,
    ),
    either(
        "tfm",
        "threshold",
        "input threshold value inplace=False",
        same,
    ),
    either(
        "tfm",
        "hardtanh",
        "input min_val=-1.0 max_val=1.0 inplace=False",
        same,
    ),
    op("fm", "gelu", "input approximate=none", same),
    op("tfm", "softplus", "input beta=1 threshold=20", same),
    op("tfm", "softsign tanhshrink logsigmoid", "input", same),
    op("tfm", "hardshrink softshrink", "input lambd=0.5", same),
    op("f", "swish", "input", same),
    op("tf", "prelu", "input weight", with_weight),
    op("f", "glu", "input dim=-1", glu),
    op("t", "clone", "input", same),
    op("m", "clone contiguous", "input", copy),
    either("tm", "clamp clip", "input min=None max=None", clamp),
    either("tm", "clamp_min", "input min", clamp),
    either("tm", "clamp_max", "input max", clamp),
    either("tm", "bitwise_not", "input", same),
    either("tm", "logical_not", "input", boolean),
    op(
        "tm",
        "isnan isinf isfinite isneginf isposinf signbit",
        "input",
        boolean,
    ),
    either("tm", "tril", "input diagonal=0", triangle),
    either("tm", "triu", "input diagonal=0", triangle),
    op("tm", "imag angle", "input", same),
    // Floats of integers.
    either(
        "tfms",
        "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sigmoid erf erfc erfinv lgamma digamma reciprocal sinc i0 deg2rad rad2deg",
        "input",
        floating,
    ),
    op("s", "expit gammaln ndtr ndtri log_ndtr", "input", floating),
    either("tms", "logit", "input eps=None", floating),
    either("tm", "arctan arcsin arccos mvlgamma", "input p=1", floating),
    // Rows.
    op(
        "tfms",
        "softmax log_softmax softmin",
        "input dim=None dtype=None",
        rows,
    ),
    op(
        "f",
        "gumbel_softmax",
        "logits tau=1 hard=False eps=1e-10 dim=-1",
        gumbel,
    ),
    op(
        "tfm",
        "cumsum cumprod logcumsumexp",
        "input dim dtype=None",
        scan,
    ),
    op("tm", "cummax cummin", "input dim", scan_pair),
    either(
        "tf",
        "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout feature_dropout",
        "input p=0.5 training=True inplace=False",
        dropout,
    ),
    op("tm", "bernoulli", "input p=None", same),
    // Casts.
    op(
        "m",
        "bool char short int long half bfloat16 float double byte",
        "input",
        cast,
    ),
    op("m", "to type", "input *rest dtype=None copy=False", to),
    op("m", "type_as", "input other", type_as),
    op(
        "m",
        "cuda cpu detach requires_grad_ pin_memory alias",
        "input *rest",
        alias,
    ),
    op("t", "detach", "input", alias),
    either(
        "tm",
        "diff",
        "input n=1 dim=-1 prepend=None append=None",
        diff,
    ),
];

fn same(op: &mut Op<'_, '_>) -> Outcome {
    let first = op
        .args
        .values
        .first()
        .map_or(Object::None, |value| value.1.clone());
    let input = op.array_in(&first)?;
    let is_linear = matches!(op.name, "neg" | "negative" | "positive" | "clone");
    let kind = if is_linear { Kind::Linear } else { Kind::Other };
    let result = op.result(&[&input], input.shape.clone(), input.dtype, kind)?;
    if is_linear || matches!(op.name, "relu" | "abs" | "square" | "sign") {
        op.evaluator.set_structure(&result, input.structure);
    } else if op.name == "bitwise_not" {
        let structure = input.structure.and_then(Structure::complement);
        op.evaluator.set_structure(&result, structure);
    }
    if op.name == "clone" {
        op.evaluator
            .set_values(&result, input.values.as_deref().map(<[f64]>::to_vec));
    }
    Ok(result)
}

/// `contiguous()` of a contiguous tensor is the tensor.
fn copy(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    if op.name == "contiguous" && input.strides == crate::tensor::contiguous(&input.shape) {
        return Ok(op.arg("input").clone());
    }
    op.name = "clone";
    same(op)
}

fn with_weight(op: &mut Op<'_, '_>) -> Outcome {
    let (input, weight) = (op.array("input")?, op.array("weight")?);
    op.result(
        &[&input, &weight],
        input.shape.clone(),
        input.dtype,
        Kind::Other,
    )
}

fn clamp(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let mut bounds = Vec::new();
    let mut is_float = false;
    for name in ["min", "max"] {
        match op.arg(name) {
            Object::None | Object::Int(..) | Object::Bool(_) => {}
            Object::Float(_) => is_float = true,
            _ => bounds.push(op.array(name)?),
        }
    }
    let mut reads = vec![&input];
    reads.extend(&bounds);
    let shapes: Vec<&[i64]> = reads.iter().map(|array| &array.shape[..]).collect();
    let shape = super::broadcast(&shapes)?;
    let mut weights: Vec<(u8, DType)> = reads
        .iter()
        .map(|array| (if array.dims() == 0 { 1 } else { 2 }, array.dtype))
        .collect();
    if is_float {
        weights.push((0, op.evaluator.default_dtype));
    }
    let dtype = crate::torch::promoted(&weights)?;
    op.result(&reads, shape, dtype, Kind::Other)
}

fn boolean(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let result = op.result(&[&input], input.shape.clone(), DType::Bool, Kind::Other)?;
    if op.name == "logical_not" {
        let structure = input.structure.and_then(Structure::complement);
        op.evaluator.set_structure(&result, structure);
    }
    Ok(result)
}

fn triangle(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let kind = if op.name == "tril" {
        Structure::Lower
    } else {
        Structure::Upper
    };
    let structure = match input.structure {
        None | Some(Structure::Symmetric) => kind,
        Some(known) if known == kind => kind,
        Some(_) => Structure::Diagonal,
    };
    let diagonal = op.int("diagonal")?;
    let is_near = if kind == Structure::Lower {
        diagonal <= 1
    } else {
        diagonal >= -1
    };
    let result = op.result(&[&input], input.shape.clone(), input.dtype, Kind::Other)?;
    op.evaluator
        .set_structure(&result, Some(structure).filter(|_| is_near));
    Ok(result)
}

fn floating(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let dtype = op.floating(input.dtype);
    op.result(&[&input], input.shape.clone(), dtype, Kind::Other)
}

fn rows(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    if op.is_given("dim") {
        op.dim("dim", input.dims())?;
    }
    let dtype = op.dtype("dtype")?.unwrap_or(op.floating(input.dtype));
    let result = op.result(&[&input], input.shape.clone(), dtype, Kind::Other)?;
    // What was filled with minus infinity is zero now.
    op.evaluator.set_structure(&result, input.structure);
    Ok(result)
}

fn gumbel(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("logits")?;
    op.result(&[&input], input.shape.clone(), input.dtype, Kind::Other)
}

fn scan(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    op.dim("dim", input.dims())?;
    let whole = if input.dtype.category() < 2 {
        DType::I64
    } else {
        input.dtype
    };
    let dtype = op.dtype("dtype")?.unwrap_or(whole);
    op.result(&[&input], input.shape.clone(), dtype, Kind::Other)
}

fn scan_pair(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    op.dim("dim", input.dims())?;
    let name = op.name;
    let mut made = super::Made::plain(name, &[], input.shape.clone(), input.dtype);
    let reads = [&input];
    made.reads = &reads;
    made.outputs.push((input.shape.clone(), DType::I64));
    op.made_tuple(made)
}

/// Without dropping anything, or outside training, the tensor itself.
fn dropout(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    if !op.bool("training")? || op.float("p")? == 0.0 {
        return Ok(op.arg("input").clone());
    }
    op.result(&[&input], input.shape.clone(), input.dtype, Kind::Linear)
}

fn glu(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let at = op.dim("dim", input.dims())?;
    let mut shape = input.shape.clone();
    match shape.get_mut(at) {
        Some(size) if *size % 2 == 0 => *size /= 2,
        _ => return Err("the size can't be halved".into()),
    }
    op.result(&[&input], shape, input.dtype, Kind::Other)
}

fn converted(op: &mut Op<'_, '_>, dtype: DType, copies: bool) -> Outcome {
    let input = op.array("input")?;
    if input.dtype == dtype && !copies {
        return Ok(op.arg("input").clone());
    }
    op.name = "_to_copy";
    let result = op.result(&[&input], input.shape.clone(), dtype, Kind::Linear)?;
    op.evaluator.set_structure(&result, input.structure);
    op.evaluator
        .set_values(&result, input.values.as_deref().map(<[f64]>::to_vec));
    Ok(result)
}

fn cast(op: &mut Op<'_, '_>) -> Outcome {
    let dtype = match op.name {
        "char" => DType::I8,
        "byte" => DType::U8,
        name => DType::from_torch(name).ok_or("no such dtype")?,
    };
    converted(op, dtype, false)
}

/// `x.to(dtype)`, `x.to(device)`, `x.to(device, dtype)`, `x.to(other)`.
fn to(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let mut dtype = op.dtype("dtype")?.unwrap_or(input.dtype);
    for given in op.args.rest.clone() {
        match given {
            Object::DType(given) => dtype = given,
            Object::Array(id) => dtype = op.evaluator.heap.array_of(id).dtype,
            Object::External(path) if &*path == "builtins.bool" => dtype = DType::Bool,
            Object::External(path) if &*path == "builtins.int" => dtype = DType::I64,
            Object::External(path) if &*path == "builtins.float" => dtype = DType::F64,
            // A device, or whether to copy.
            Object::Str(_) | Object::Bool(_) | Object::Int(..) | Object::None => {}
            Object::External(path) if path.starts_with("torch.") => {}
            other => return Err(format!("an argument is {}", other.type_name()).into()),
        }
    }
    let copies = op.bool("copy")?;
    converted(op, dtype, copies)
}

fn type_as(op: &mut Op<'_, '_>) -> Outcome {
    let dtype = op.array("other")?.dtype;
    converted(op, dtype, false)
}

/// Another tensor object that looks at the same elements.
fn alias(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    if matches!(op.name, "requires_grad_" | "cuda" | "cpu" | "pin_memory") {
        return Ok(op.arg("input").clone());
    }
    let alias = Array {
        is_parameter: false,
        ..input
    };
    Ok(Object::Array(op.evaluator.heap.array(alias)))
}

fn diff(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let at = op.dim("dim", input.dims())?;
    if op.is_given("prepend") || op.is_given("append") {
        return Err("`prepend` and `append` have no rule".into());
    }
    let n = op.int("n")?;
    let mut shape = input.shape.clone();
    let size = shape.get_mut(at).ok_or("the dimension is out of range")?;
    *size = size.saturating_sub(n).max(0);
    op.result(&[&input], shape, input.dtype, Kind::Other)
}
