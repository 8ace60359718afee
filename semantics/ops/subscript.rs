//! Subscripts of tensors: `x[1:, None, ..., mask]`, read and written.

use super::pieces::{selected, sliced};
use super::{Entry, Made, Op, broadcast, op};
use crate::eval::object::ArrayId;
use crate::eval::{Evaluator, Object, Outcome, Reason};
use crate::tensor::Array;
use crate::value::DType;

pub(super) const TABLE: &[Entry] = &[
    op("r", "Tensor.__getitem__", "input index", read),
    op("r", "Tensor.__setitem__", "input index value", write),
];

/// One part of a subscript.
enum Part {
    /// A position; the dimension goes.
    At(i64),
    Slice(i64, i64, i64),
    New,
    /// Positions in a tensor.
    Tensor(Array),
}

fn parts(op: &mut Op<'_, '_>, input: &Array) -> Result<Vec<Part>, Reason> {
    let index = op.arg("index").clone();
    let items = match &index {
        Object::Tuple(_) => op.evaluator.iterate(&index)?,
        _ => vec![index],
    };
    // Dimensions that the parts take, to know how many `...` stands for.
    let mut taken = 0;
    for item in &items {
        taken += match item {
            Object::None | Object::Ellipsis | Object::Bool(_) => 0,
            Object::Array(id) => {
                let array = op.evaluator.heap.array_of(*id);
                if array.dtype == DType::Bool {
                    array.dims()
                } else {
                    1
                }
            }
            _ => 1,
        };
    }
    let missing = input.dims().checked_sub(taken).ok_or("too many indices")?;
    let mut parts = Vec::new();
    let mut at = 0;
    let all = |parts: &mut Vec<Part>, at: &mut usize| {
        for _ in 0..missing {
            parts.push(Part::Slice(0, input.shape[*at], 1));
            *at += 1;
        }
    };
    let has_ellipsis = items.iter().any(|item| matches!(item, Object::Ellipsis));
    for item in &items {
        match item {
            Object::None => parts.push(Part::New),
            Object::Ellipsis => all(&mut parts, &mut at),
            Object::Slice(lower, upper, step) => {
                let size = input.shape[at];
                let step = step.unwrap_or(1);
                if step < 1 {
                    return Err("a slice's step must be positive".into());
                }
                let clamp = |bound: i64| {
                    let bound = if bound < 0 {
                        bound.saturating_add(size)
                    } else {
                        bound
                    };
                    bound.clamp(0, size)
                };
                let start = lower.map_or(0, clamp);
                let end = upper.map_or(size, clamp).max(start);
                let count = (end - start)
                    .checked_add(step - 1)
                    .ok_or("the step is too large")?
                    / step;
                parts.push(Part::Slice(start, count, step));
                at += 1;
            }
            Object::Bool(_) => return Err("indexing by a bool has no rule".into()),
            Object::List(_) | Object::Tuple(_) | Object::Range(..) => {
                let positions = op.ints_in(item)?;
                let count = i64::try_from(positions.len()).unwrap_or(i64::MAX);
                let made = Made::plain("tensor", &[], vec![count], DType::I64);
                let array = op.made(made)?;
                parts.push(Part::Tensor(op.array_in(&array)?));
                at += 1;
            }
            Object::Array(id) => {
                let array = op.evaluator.heap.array_of(*id).clone();
                if array.dtype == DType::Bool || array.dtype == DType::U8 {
                    return Err("the result's size depends on elements of a tensor".into());
                }
                if array.dtype.category() != 1 {
                    return Err("an index is no integer".into());
                }
                parts.push(Part::Tensor(array));
                at += 1;
            }
            other => {
                parts.push(Part::At(op.int_in(other)?));
                at += 1;
            }
        }
    }
    if !has_ellipsis {
        all(&mut parts, &mut at);
    }
    Ok(parts)
}

/// The view that integers, slices and new axes give, and the index tensors along its
/// dimensions.
fn basic(
    op: &mut Op<'_, '_>,
    input: &Array,
    parts: Vec<Part>,
) -> Result<(Object, Vec<(usize, Array)>), Reason> {
    let mut view = input.clone();
    let mut object = Object::None;
    let mut tensors = Vec::new();
    let mut at = 0;
    let mut is_changed = false;
    for part in parts {
        match part {
            Part::At(index) => {
                object = selected(op, &view, at, index)?;
                view = op.array_in(&object)?;
                is_changed = true;
            }
            Part::Slice(start, count, step) => {
                let is_whole = start == 0 && step == 1 && count == view.shape[at];
                if !is_whole {
                    // A step's last window may end inside the dimension.
                    let (keeps, diagonal) = (view.structure, view.dims());
                    if step == 1 {
                        object = sliced(op, &view, at, start, count)?;
                    } else {
                        let (mut shape, mut strides) = (view.shape.clone(), view.strides.clone());
                        shape[at] = count;
                        let offset = start
                            .saturating_mul(strides[at])
                            .saturating_add(view.offset);
                        strides[at] = strides[at].saturating_mul(step);
                        object = op.evaluator.view(&view, shape, strides, offset)?;
                    }
                    // A corner of a triangle is a triangle.
                    if step == 1 && start == 0 && at + 2 >= diagonal {
                        op.evaluator.set_structure(&object, keeps);
                    }
                    if let (Some(values), 1) = (view.values.as_deref(), view.dims()) {
                        let picked = (0..count)
                            .filter_map(|n| usize::try_from(start + n * step).ok())
                            .filter_map(|at| values.get(at).copied())
                            .collect();
                        op.evaluator.set_values(&object, Some(picked));
                    }
                    view = op.array_in(&object)?;
                    is_changed = true;
                }
                at += 1;
            }
            Part::New => {
                let (mut shape, mut strides) = (view.shape.clone(), view.strides.clone());
                shape.insert(at, 1);
                strides.insert(at, 1);
                let structure = view.structure.filter(|_| at + 1 < view.dims());
                object = op.evaluator.view(&view, shape, strides, view.offset)?;
                op.evaluator.set_structure(&object, structure);
                view = op.array_in(&object)?;
                at += 1;
                is_changed = true;
            }
            Part::Tensor(array) => {
                tensors.push((at, array));
                at += 1;
            }
        }
    }
    if !is_changed {
        object = op
            .evaluator
            .view(&view, view.shape.clone(), view.strides.clone(), view.offset)?;
        op.evaluator.set_structure(&object, view.structure);
    }
    Ok((object, tensors))
}

/// Shape after index tensors: theirs in the place of the first if they are neighbours,
/// else in front.
fn gathered(view: &Array, tensors: &[(usize, Array)]) -> Result<Vec<i64>, Reason> {
    let shapes: Vec<&[i64]> = tensors.iter().map(|tensor| &tensor.1.shape[..]).collect();
    let common = broadcast(&shapes)?;
    let first = tensors.first().map_or(0, |tensor| tensor.0);
    let are_neighbours = tensors
        .iter()
        .zip(first..)
        .all(|(tensor, at)| tensor.0 == at);
    let mut shape: Vec<i64> = Vec::new();
    for (at, &size) in view.shape.iter().enumerate() {
        if are_neighbours && at == first {
            shape.extend(&common);
        }
        if !tensors.iter().any(|tensor| tensor.0 == at) {
            shape.push(size);
        }
    }
    if !are_neighbours {
        shape.splice(0..0, common);
    }
    Ok(shape)
}

fn read(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let parts = parts(op, &input)?;
    let (object, tensors) = basic(op, &input, parts)?;
    if tensors.is_empty() {
        return Ok(object);
    }
    let view = op.array_in(&object)?;
    let shape = gathered(&view, &tensors)?;
    let mut reads = vec![&view];
    reads.extend(tensors.iter().map(|tensor| &tensor.1));
    op.flag(
        "data-dependent",
        "which elements are read depends on indices".to_owned(),
    );
    op.made(Made::plain("index", &reads, shape, view.dtype))
}

fn write(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let value = match op.arg("value") {
        Object::Array(_) => Some(op.array("value")?),
        other if other.as_float().is_some() => None,
        other => return Err(format!("elements can't be set to {}", other.type_name()).into()),
    };
    // Elements that a mask selects: how many is no matter.
    if let Object::Array(id) = op.arg("index") {
        let mask = op.evaluator.heap.array_of(*id).clone();
        if mask.dtype == DType::Bool {
            let mut reads = vec![&mask];
            reads.extend(&value);
            op.evaluator.write(&input, "index_put", &reads, true)?;
            return Ok(Object::None);
        }
    }
    let parts = parts(op, &input)?;
    let (object, tensors) = basic(op, &input, parts)?;
    let view = op.array_in(&object)?;
    let shape = if tensors.is_empty() {
        view.shape.clone()
    } else {
        gathered(&view, &tensors)?
    };
    if let Some(value) = &value {
        // Leading dimensions of one are dropped.
        let mut given = &value.shape[..];
        while given.len() > shape.len() && given[0] == 1 {
            given = &given[1..];
        }
        if broadcast(&[&shape, given])? != shape {
            return Err("the value doesn't fit the elements".into());
        }
    }
    let mut reads: Vec<&Array> = value.iter().collect();
    reads.extend(tensors.iter().map(|tensor| &tensor.1));
    let name = if tensors.is_empty() {
        "copy"
    } else {
        "index_put"
    };
    op.evaluator
        .write(&view, name, &reads, !tensors.is_empty())?;
    let storage = view.storage;
    // What was known of elements is no longer.
    if let Object::Array(id) = op.arg("input") {
        let id = *id;
        let array = op.evaluator.heap.array_mut(id);
        if array.storage == storage {
            array.values = None;
            array.structure = None;
        }
    }
    Ok(Object::None)
}

/// `tensor[index]`.
pub(crate) fn get_item(evaluator: &mut Evaluator<'_>, tensor: &Object, index: &Object) -> Outcome {
    super::call(
        evaluator,
        "Tensor.__getitem__",
        vec![tensor.clone(), index.clone()],
        Vec::new(),
    )
}

/// `tensor[index] = value`.
pub(crate) fn set_item(
    evaluator: &mut Evaluator<'_>,
    tensor: &Object,
    index: &Object,
    value: Object,
) -> Outcome {
    super::call(
        evaluator,
        "Tensor.__setitem__",
        vec![tensor.clone(), index.clone(), value],
        Vec::new(),
    )
}

/// What iterating over a tensor gives.
pub(crate) fn unbound(evaluator: &mut Evaluator<'_>, tensor: &Object) -> Outcome {
    super::call(evaluator, "torch.unbind", vec![tensor.clone()], Vec::new())
}

/// `len(tensor)`.
pub(crate) fn length(evaluator: &Evaluator<'_>, id: ArrayId) -> Outcome {
    evaluator
        .heap
        .array_of(id)
        .shape
        .first()
        .map(|&size| Object::int(size))
        .ok_or_else(|| "a tensor without dimensions has no length".into())
}
