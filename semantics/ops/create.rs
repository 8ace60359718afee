//! Tensors made from others' shape, and what overwrites a tensor whole. Creation from
//! sizes alone is `torch/create.rs`'s.

use super::{Entry, Made, Op, op};
use crate::eval::object::Heap;
use crate::eval::{Object, Outcome};
use crate::value::DType;

pub(super) const TABLE: &[Entry] = &[
    op(
        "t",
        "rand_like randn_like zeros_like ones_like empty_like",
        "input dtype=None",
        like,
    ),
    op("t", "full_like", "input fill_value dtype=None", like),
    op("t", "randint_like", "input *bounds dtype=None", like),
    op(
        "m",
        "new_zeros new_ones new_empty",
        "input *size dtype=None",
        new,
    ),
    op(
        "m",
        "new_full",
        "input size fill_value dtype=None",
        new_full,
    ),
    op("m", "new_tensor", "input data dtype=None", new_tensor),
    op(
        "m",
        "zero_ normal_ uniform_ exponential_ random_ fill_ copy_ bernoulli_",
        "input *rest mean=None std=None lambd=None p=None value=None src=None",
        overwrite,
    ),
    op("m", "fill_diagonal_", "input value wrap=False", overwrite),
    op("m", "item", "input", item),
    op("m", "tolist", "input", list),
    op("m", "numpy", "input", data_dependent),
    op(
        "r",
        "torch.nn.Parameter torch.nn.parameter.Parameter",
        "data requires_grad=True",
        parameter,
    ),
    op(
        "r",
        "torch.nn.Buffer torch.nn.parameter.Buffer",
        "data persistent=True",
        buffer,
    ),
    op("t", "complex polar", "real imag", complex),
    op(
        "t",
        "hann_window hamming_window blackman_window",
        "window_length periodic=True dtype=None",
        window,
    ),
    op(
        "t",
        "tril_indices triu_indices",
        "row col offset=0 dtype=None",
        indices,
    ),
    op("t", "is_tensor", "obj", is_tensor),
    op("tm", "is_floating_point is_complex", "input", is_floating),
    op(
        "t",
        "logspace",
        "start end steps base=10.0 dtype=None",
        logspace,
    ),
    op("m", "size", "input dim=None", size),
    op("m", "dim ndimension", "input", dims),
    op("tm", "numel nelement", "input", count),
    op("m", "stride", "input dim=None", strides),
    op("m", "is_contiguous", "input", is_contiguous),
    op("m", "element_size", "input", element_size),
    op(
        "m",
        "data_ptr storage_offset get_device",
        "input",
        data_dependent,
    ),
    op(
        "m",
        "register_hook retain_grad share_memory_",
        "input *rest",
        nothing,
    ),
];

/// Most elements that are kept by value.
const MAX_VALUES: usize = 256;

/// The elements of a tensor that a call states by numbers alone, in order.
pub(crate) fn stated_values(heap: &Heap<'_>, path: &str, args: &[Object]) -> Option<Vec<f64>> {
    let numbers: Option<Vec<f64>> = args.iter().map(Object::as_float).collect();
    match (path, numbers.as_deref()) {
        ("torch.linspace", Some(&[start, end, steps])) => {
            let last = args.get(2)?.as_int()? - 1;
            let count = usize::try_from(last + 1)
                .ok()
                .filter(|&count| count <= MAX_VALUES)?;
            let step = (end - start) / (steps - 1.0).max(1.0);
            Some((0..count).map(|at| start + step * at as f64).collect())
        }
        ("torch.arange", Some(bounds)) => {
            let (start, end, step) = match *bounds {
                [end] => (0.0, end, 1.0),
                [start, end] => (start, end, 1.0),
                [start, end, step] => (start, end, step),
                _ => return None,
            };
            let count = ((end - start) / step).ceil();
            if !(0.0..=MAX_VALUES as f64).contains(&count) {
                return None;
            }
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the bounds are checked"
            )]
            let count = count as usize;
            Some((0..count).map(|at| start + step * at as f64).collect())
        }
        ("torch.tensor" | "torch.as_tensor", Some(&[value])) => Some(vec![value]),
        ("torch.tensor" | "torch.as_tensor", None) => match args {
            [Object::List(id) | Object::Tuple(id)] => {
                let items = heap
                    .items(*id)
                    .ok()
                    .filter(|items| items.len() <= MAX_VALUES)?;
                items.iter().map(Object::as_float).collect()
            }
            _ => None,
        },
        _ => None,
    }
}

fn like(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let dtype = op.dtype("dtype")?.unwrap_or(input.dtype);
    let name = op.name;
    let result = op.made(Made::plain(name, &[], input.shape.clone(), dtype))?;
    constant(op, &result);
    Ok(result)
}

/// Known elements of what is filled with one value, where that is short.
fn constant(op: &mut Op<'_, '_>, result: &Object) {
    let value = match op.name {
        name if name.contains("zeros") => 0.0,
        name if name.contains("ones") => 1.0,
        _ => return,
    };
    if let Ok(array) = op.array_in(result)
        && usize::try_from(array.elements()).is_ok_and(|count| count <= MAX_VALUES)
    {
        let count = usize::try_from(array.elements()).unwrap_or(0);
        op.evaluator.set_values(result, Some(vec![value; count]));
    }
}

fn new(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let dtype = op.dtype("dtype")?.unwrap_or(input.dtype);
    let shape = op.rest_ints()?;
    let name = op.name;
    op.made(Made::plain(name, &[], shape, dtype))
}

fn new_full(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let dtype = op.dtype("dtype")?.unwrap_or(input.dtype);
    let shape = op.ints("size")?;
    op.made(Made::plain("new_full", &[], shape, dtype))
}

fn new_tensor(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let dtype = op.dtype("dtype")?.unwrap_or(input.dtype);
    let shape = match op.arg("data").clone() {
        list @ (Object::List(_) | Object::Tuple(_)) => {
            let items = op.evaluator.iterate(&list)?;
            if items.iter().any(|item| item.as_float().is_none()) {
                return Err("nested data have no rule".into());
            }
            vec![i64::try_from(items.len()).unwrap_or(i64::MAX)]
        }
        value if value.as_float().is_some() => Vec::new(),
        other => return Err(format!("data of {}", other.type_name()).into()),
    };
    op.made(Made::plain("new_tensor", &[], shape, dtype))
}

/// Nothing of the old elements is left.
fn overwrite(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let source = op
        .args
        .rest
        .first()
        .cloned()
        .unwrap_or(op.arg("src").clone());
    let source = match source {
        Object::Array(_) => Some(op.array_in(&source)?),
        _ => None,
    };
    if let Some(source) = &source
        && super::broadcast(&[&input.shape, &source.shape])? != input.shape
    {
        return Err("the source doesn't fit".into());
    }
    let reads: Vec<_> = source.iter().collect();
    let keeps = op.name == "fill_diagonal_";
    let name = op.name;
    op.evaluator.write(&input, name, &reads, keeps)?;
    let object = op.arg("input").clone();
    op.evaluator.set_structure(&object, None);
    op.evaluator.set_values(&object, None);
    Ok(object)
}

fn item(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    match input.values.as_deref() {
        Some([value]) => Ok(number(*value, input.dtype)),
        _ => Err("depends on elements of a tensor".into()),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "an integer's value")]
fn number(value: f64, dtype: DType) -> Object {
    match dtype {
        DType::Bool => Object::Bool(value != 0.0),
        dtype if dtype.category() == 1 => Object::int(value as i64),
        _ => Object::Float(value),
    }
}

fn list(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    match (input.values.as_deref(), input.dims()) {
        (Some(values), 1) => {
            let items = values
                .iter()
                .map(|&value| number(value, input.dtype))
                .collect();
            Ok(op.evaluator.heap.list(items))
        }
        _ => Err("depends on elements of a tensor".into()),
    }
}

fn data_dependent(_: &mut Op<'_, '_>) -> Outcome {
    Err("depends on elements of a tensor".into())
}

fn parameter(op: &mut Op<'_, '_>) -> Outcome {
    let mut array = op.array("data")?;
    array.is_parameter = true;
    Ok(Object::Array(op.evaluator.heap.array(array)))
}

fn buffer(op: &mut Op<'_, '_>) -> Outcome {
    op.array("data")?;
    Ok(op.arg("data").clone())
}

fn complex(op: &mut Op<'_, '_>) -> Outcome {
    let (real, imag) = (op.array("real")?, op.array("imag")?);
    let shape = super::broadcast(&[&real.shape, &imag.shape])?;
    let dtype = match real.dtype {
        DType::F64 => DType::C128,
        DType::F32 => DType::C64,
        _ => return Err("complex numbers of such parts have no rule".into()),
    };
    op.made(Made::plain("complex", &[&real, &imag], shape, dtype))
}

fn window(op: &mut Op<'_, '_>) -> Outcome {
    let dtype = op.dtype("dtype")?.unwrap_or(op.evaluator.default_dtype);
    let length = op.int("window_length")?;
    let name = op.name;
    op.made(Made::plain(name, &[], vec![length], dtype))
}

fn indices(op: &mut Op<'_, '_>) -> Outcome {
    let (rows, columns, offset) = (op.int("row")?, op.int("col")?, op.int("offset")?);
    if !(0..=65_536).contains(&rows) || columns < 0 {
        return Err("such a triangle has no rule".into());
    }
    let mut count = 0_i64;
    for row in 0..rows {
        let edge = row.saturating_add(offset);
        let kept = if op.name == "tril_indices" {
            edge.saturating_add(1).clamp(0, columns)
        } else {
            columns - edge.clamp(0, columns)
        };
        count = count.checked_add(kept).ok_or("the size doesn't fit")?;
    }
    let dtype = op.dtype("dtype")?.unwrap_or(DType::I64);
    let name = op.name;
    op.made(Made::plain(name, &[], vec![2, count], dtype))
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of a rule")]
fn is_tensor(op: &mut Op<'_, '_>) -> Outcome {
    Ok(Object::Bool(matches!(op.arg("obj"), Object::Array(_))))
}

fn is_floating(op: &mut Op<'_, '_>) -> Outcome {
    let category = op.array("input")?.dtype.category();
    Ok(Object::Bool(
        category == if op.name == "is_complex" { 3 } else { 2 },
    ))
}

fn logspace(op: &mut Op<'_, '_>) -> Outcome {
    let dtype = op.dtype("dtype")?.unwrap_or(op.evaluator.default_dtype);
    let steps = op.int("steps")?;
    op.made(Made::plain("logspace", &[], vec![steps], dtype))
}

fn size(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    if op.is_given("dim") {
        let at = op.dim("dim", input.dims())?;
        let size = input.shape.get(at).ok_or("the dimension is out of range")?;
        return Ok(Object::int(*size));
    }
    let sizes = input.shape.iter().map(|&size| Object::int(size)).collect();
    Ok(op.evaluator.heap.tuple(sizes))
}

fn dims(op: &mut Op<'_, '_>) -> Outcome {
    let dims = op.array("input")?.dims();
    Ok(Object::int(i64::try_from(dims).unwrap_or(i64::MAX)))
}

fn count(op: &mut Op<'_, '_>) -> Outcome {
    Ok(Object::int(op.array("input")?.elements()))
}

fn strides(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    if op.is_given("dim") {
        let at = op.dim("dim", input.dims())?;
        let stride = input
            .strides
            .get(at)
            .ok_or("the dimension is out of range")?;
        return Ok(Object::int(*stride));
    }
    let strides = input
        .strides
        .iter()
        .map(|&stride| Object::int(stride))
        .collect();
    Ok(op.evaluator.heap.tuple(strides))
}

fn is_contiguous(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    Ok(Object::Bool(
        input.strides == crate::tensor::contiguous(&input.shape),
    ))
}

fn element_size(op: &mut Op<'_, '_>) -> Outcome {
    let width = op.array("input")?.dtype.width_bytes();
    Ok(Object::int(i64::try_from(width).unwrap_or(0)))
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of a rule")]
fn nothing(_: &mut Op<'_, '_>) -> Outcome {
    Ok(Object::None)
}
