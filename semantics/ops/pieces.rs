//! Parts of a tensor: slices, chunks, diagonals.

use super::{Entry, Made, Op, op};
use crate::eval::{Object, Outcome, Reason};
use crate::tensor::Array;

pub(super) const TABLE: &[Entry] = &[
    op("tm", "narrow", "input dim start length", narrow),
    op("tm", "select", "input dim index", select),
    op("m", "unfold", "input dimension size step", unfold),
    op("tm", "chunk", "input chunks dim=0", chunk),
    op(
        "tm",
        "split split_with_sizes",
        "input split_size_or_sections dim=0",
        split,
    ),
    op(
        "m",
        "split split_with_sizes",
        "input split_size dim=0",
        split,
    ),
    op(
        "tm",
        "tensor_split",
        "input indices_or_sections dim=0",
        tensor_split,
    ),
    op("tm", "unbind", "input dim=0", unbind),
    op("tml", "diagonal", "input offset=0 dim1=0 dim2=1", diagonal),
    op("tm", "diag", "input diagonal=0", diag),
    op(
        "tm",
        "diag_embed",
        "input offset=0 dim1=-2 dim2=-1",
        diag_embed,
    ),
];

/// Part of one dimension.
pub(super) fn sliced(
    op: &mut Op<'_, '_>,
    input: &Array,
    at: usize,
    start: i64,
    length: i64,
) -> Outcome {
    let size = *input.shape.get(at).ok_or("the dimension is out of range")?;
    if start < 0 || length < 0 || start.checked_add(length).is_none_or(|end| end > size) {
        return Err("the slice is out of range".into());
    }
    let mut shape = input.shape.clone();
    shape[at] = length;
    let offset = start
        .saturating_mul(input.strides[at])
        .saturating_add(input.offset);
    op.evaluator
        .view(input, shape, input.strides.clone(), offset)
}

fn narrow(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let at = op.dim("dim", input.dims())?;
    let (mut start, length) = (op.int("start")?, op.int("length")?);
    if start < 0 {
        start = start.saturating_add(input.shape[at]);
    }
    sliced(op, &input, at, start, length)
}

fn select(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let at = op.dim("dim", input.dims())?;
    let index = op.int("index")?;
    selected(op, &input, at, index)
}

/// One position of a dimension, which is gone then.
pub(super) fn selected(op: &mut Op<'_, '_>, input: &Array, at: usize, index: i64) -> Outcome {
    let size = *input.shape.get(at).ok_or("a number can't be indexed")?;
    let index = if index < 0 {
        index.saturating_add(size)
    } else {
        index
    };
    if !(0..size).contains(&index) {
        return Err("the index is out of range".into());
    }
    let (mut shape, mut strides) = (input.shape.clone(), input.strides.clone());
    shape.remove(at);
    let stride = strides.remove(at);
    let offset = index.saturating_mul(stride).saturating_add(input.offset);
    let view = op.evaluator.view(input, shape, strides, offset)?;
    if input.dims() == 1
        && let Some(value) = usize::try_from(index)
            .ok()
            .and_then(|at| input.values.as_deref()?.get(at).copied())
    {
        op.evaluator.set_values(&view, Some(vec![value]));
    }
    Ok(view)
}

/// Sliding windows as a view.
fn unfold(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let at = op.dim("dimension", input.dims())?;
    let (size, step) = (op.int("size")?, op.int("step")?);
    let length = *input.shape.get(at).ok_or("a number can't be unfolded")?;
    if step < 1 || size < 0 || size > length {
        return Err("the window doesn't fit the input".into());
    }
    let (mut shape, mut strides) = (input.shape.clone(), input.strides.clone());
    shape[at] = (length - size) / step + 1;
    let stride = strides[at];
    strides[at] = stride.saturating_mul(step);
    shape.push(size);
    strides.push(stride);
    op.evaluator.view(&input, shape, strides, input.offset)
}

fn pieces(op: &mut Op<'_, '_>, input: &Array, at: usize, sizes: &[i64]) -> Outcome {
    let mut start = 0;
    let mut views = Vec::with_capacity(sizes.len().min(1_024));
    for &size in sizes {
        views.push(sliced(op, input, at, start, size)?);
        start += size;
    }
    if start != input.shape[at] {
        return Err("the sections don't add up".into());
    }
    Ok(op.evaluator.heap.tuple(views))
}

/// Sections of equal size, the last one smaller.
fn sections(length: i64, size: i64) -> Result<Vec<i64>, Reason> {
    if size < 1 {
        return Err("a section of no size".into());
    }
    let count = length.saturating_add(size - 1) / size;
    if count > 65_536 {
        return Err("too many sections".into());
    }
    Ok((0..count.max(1))
        .map(|at| size.min(length - at * size))
        .collect())
}

fn chunk(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let at = op.dim("dim", input.dims())?;
    let chunks = op.int("chunks")?;
    let length = *input.shape.get(at).ok_or("a number can't be split")?;
    if chunks < 1 {
        return Err("no chunks".into());
    }
    let sizes = sections(length, (length.saturating_add(chunks - 1) / chunks).max(1))?;
    pieces(op, &input, at, &sizes)
}

fn split(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let at = op.dim("dim", input.dims())?;
    let length = *input.shape.get(at).ok_or("a number can't be split")?;
    let name = if op.is_given("split_size") {
        "split_size"
    } else {
        "split_size_or_sections"
    };
    let sizes = match op.arg(name) {
        Object::Tuple(_) | Object::List(_) => op.ints(name)?,
        _ => sections(length, op.int(name)?)?,
    };
    pieces(op, &input, at, &sizes)
}

fn tensor_split(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let at = op.dim("dim", input.dims())?;
    let length = *input.shape.get(at).ok_or("a number can't be split")?;
    if let Object::Tuple(_) | Object::List(_) = op.arg("indices_or_sections") {
        let mut sizes = Vec::new();
        let mut start = 0;
        for end in op.ints("indices_or_sections")? {
            sizes.push(
                end.checked_sub(start)
                    .ok_or("the sections are out of order")?,
            );
            start = end;
        }
        sizes.push(
            length
                .checked_sub(start)
                .ok_or("the sections are out of order")?,
        );
        return pieces(op, &input, at, &sizes);
    }
    let count = op.int("indices_or_sections")?;
    if !(1..=65_536).contains(&count) {
        return Err("no such number of sections".into());
    }
    let sizes: Vec<i64> = (0..count)
        .map(|at| length / count + i64::from(at < length % count))
        .collect();
    pieces(op, &input, at, &sizes)
}

fn unbind(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let at = op.dim("dim", input.dims())?;
    let length = *input.shape.get(at).ok_or("a number can't be split")?;
    if length > 65_536 {
        return Err("too many sections".into());
    }
    let mut views = Vec::new();
    for index in 0..length {
        views.push(selected(op, &input, at, index)?);
    }
    Ok(op.evaluator.heap.tuple(views))
}

fn diagonal(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let (a, b) = (op.dim("dim1", input.dims())?, op.dim("dim2", input.dims())?);
    let offset = op.int("offset")?;
    if a == b || input.dims() < 2 {
        return Err("not two dimensions".into());
    }
    let (rows, columns) = (input.shape[a], input.shape[b]);
    let (skipped_rows, skipped_columns) = (offset.saturating_neg().max(0), offset.max(0));
    let length = rows
        .saturating_sub(skipped_rows)
        .min(columns.saturating_sub(skipped_columns))
        .max(0);
    let mut keep: Vec<usize> = (0..input.dims())
        .filter(|at| *at != a && *at != b)
        .collect();
    let mut shape: Vec<i64> = keep.iter().map(|&at| input.shape[at]).collect();
    let mut strides: Vec<i64> = keep.drain(..).map(|at| input.strides[at]).collect();
    shape.push(length);
    strides.push(input.strides[a].saturating_add(input.strides[b]));
    let start = input
        .offset
        .saturating_add(skipped_rows.saturating_mul(input.strides[a]))
        .saturating_add(skipped_columns.saturating_mul(input.strides[b]));
    op.evaluator.view(&input, shape, strides, start)
}

fn diag(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let offset = op.int("diagonal")?;
    match input.shape[..] {
        [length] => {
            let size = length.saturating_add(offset.saturating_abs());
            diagonal_matrix(op, &input, vec![size, size], offset == 0)
        }
        [_, _] => {
            let args = vec![op.arg("input").clone(), Object::int(offset)];
            op.call("torch.diagonal", args, Vec::new())
        }
        _ => Err("neither a vector nor a matrix".into()),
    }
}

fn diag_embed(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let offset = op.int("offset")?;
    let (a, b) = (
        op.dim("dim1", input.dims() + 1)?,
        op.dim("dim2", input.dims() + 1)?,
    );
    let (Some((&length, batch)), true) = (
        input.shape.split_last(),
        (a, b) == (input.dims() - 1, input.dims()),
    ) else {
        return Err("such dimensions have no rule".into());
    };
    let size = length.saturating_add(offset.saturating_abs());
    let mut shape = batch.to_vec();
    shape.extend([size, size]);
    diagonal_matrix(op, &input, shape, offset == 0)
}

fn diagonal_matrix(op: &mut Op<'_, '_>, input: &Array, shape: Vec<i64>, is_main: bool) -> Outcome {
    let result = op.made(Made::plain("diag_embed", &[input], shape, input.dtype))?;
    let structure = is_main.then_some(crate::tensor::Structure::Diagonal);
    op.evaluator.set_structure(&result, structure);
    Ok(result)
}
