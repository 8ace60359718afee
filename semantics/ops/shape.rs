//! Views of a tensor, and operations that move elements around.

use super::{Entry, Made, Op, either, op, position};
use crate::eval::{Object, Outcome, Reason};
use crate::tensor::{Array, contiguous, elements, view_strides};
use crate::trace::Kind;

pub(super) const TABLE: &[Entry] = &[
    op("tm", "view reshape", "input *shape", reshape),
    op("m", "view_as reshape_as", "input other", reshape_as),
    op("tm", "ravel", "input", ravel),
    op("tm", "flatten", "input start_dim=0 end_dim=-1", flatten),
    op("tm", "unflatten", "input dim sizes", unflatten),
    op("tm", "squeeze", "input dim=None", squeeze),
    op("tm", "unsqueeze", "input dim", unsqueeze),
    op(
        "tm",
        "transpose swapaxes swapdims",
        "input dim0 dim1",
        transpose,
    ),
    op("tm", "t", "input", matrix_transpose),
    op("tm", "adjoint", "input", swapped),
    op("m", "swapped", "input", swapped),
    op("m", "reversed", "input", reversed),
    op("tm", "permute", "input *dims", permute),
    op(
        "tm",
        "movedim moveaxis",
        "input source destination",
        movedim,
    ),
    op("m", "expand", "input *size", expand),
    op("m", "expand_as", "input other", expand_as),
    op("tm", "broadcast_to", "input size", broadcast_to),
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
    op("t", "cat concat concatenate", "tensors dim=0", cat),
    op("t", "stack", "tensors dim=0", stack),
    op(
        "t",
        "hstack vstack dstack column_stack row_stack",
        "tensors",
        side_by_side,
    ),
    op("m", "repeat", "input *repeats", repeat),
    op("t", "tile", "input dims", tile),
    op("m", "tile", "input *repeats", repeat),
    op(
        "tm",
        "repeat_interleave",
        "input repeats dim=None output_size=None",
        interleave,
    ),
    op("tm", "roll", "input shifts dims=None", keep),
    op("tm", "flip fliplr flipud", "input *dims", keep),
    op("tm", "rot90", "input k=1 dims=None", rot90),
    op(
        "tf",
        "pad constant_pad_nd",
        "input pad mode=constant value=None",
        pad,
    ),
    op("t", "meshgrid", "*tensors indexing=ij", meshgrid),
    op("t", "broadcast_tensors", "*tensors", broadcast_tensors),
    op(
        "tm",
        "as_strided",
        "input size stride storage_offset=None",
        as_strided,
    ),
    op("t", "atleast_1d atleast_2d atleast_3d", "input", atleast),
    op("t", "block_diag", "*tensors", block_diag),
    op("t", "cartesian_prod combinations", "*tensors", no_rule),
    either("m", "resize", "input *size", no_rule),
];

fn no_rule(_: &mut Op<'_, '_>) -> Outcome {
    Err("no rule".into())
}

/// Replaces `-1` by what is left.
fn inferred(shape: &[i64], total: i64) -> Result<Vec<i64>, Reason> {
    let mut shape = shape.to_vec();
    if let Some(at) = shape.iter().position(|&size| size == -1) {
        let mut others = shape.clone();
        others.remove(at);
        let known = elements(&others)
            .filter(|&known| known > 0)
            .ok_or("the size is not determined")?;
        if total % known != 0 {
            return Err("the sizes don't divide the elements".into());
        }
        shape[at] = total / known;
    }
    if elements(&shape) == Some(total) {
        Ok(shape)
    } else {
        Err("the number of elements differs".into())
    }
}

fn reshaped(op: &mut Op<'_, '_>, input: &Array, shape: &[i64]) -> Outcome {
    let shape = inferred(shape, input.elements())?;
    if let Some(strides) = view_strides(input, &shape) {
        let view = op
            .evaluator
            .view(input, shape.clone(), strides, input.offset)?;
        // Leading dimensions of one keep what the last two say.
        if shape.ends_with(&input.shape)
            || input.shape.ends_with(&shape)
            || ends_alike(&shape, &input.shape)
        {
            op.evaluator.set_structure(&view, input.structure);
        }
        op.evaluator
            .set_values(&view, input.values.as_deref().map(<[f64]>::to_vec));
        return Ok(view);
    }
    if op.name == "view" {
        return Err("a view of such strides is not possible".into());
    }
    op.made(Made::plain("clone", &[input], shape, input.dtype).kind(Kind::Linear))
}

fn ends_alike(a: &[i64], b: &[i64]) -> bool {
    a.len() >= 2 && b.len() >= 2 && a[a.len() - 2..] == b[b.len() - 2..]
}

fn reshape(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    if let [Object::DType(dtype)] = op.args.rest[..] {
        // Other elements in the same bytes.
        if dtype.width_bytes() != input.dtype.width_bytes() {
            return Err("a view in another width has no rule".into());
        }
        let view = Array {
            dtype,
            is_parameter: false,
            structure: None,
            values: None,
            ..input
        };
        return Ok(Object::Array(op.evaluator.heap.array(view)));
    }
    let shape = op.rest_ints()?;
    reshaped(op, &input, &shape)
}

fn reshape_as(op: &mut Op<'_, '_>) -> Outcome {
    let (input, other) = (op.array("input")?, op.array("other")?);
    op.name = if op.name == "view_as" {
        "view"
    } else {
        "reshape"
    };
    reshaped(op, &input, &other.shape)
}

fn ravel(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    reshaped(op, &input, &[-1])
}

fn flatten(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let (from, to) = (
        op.dim("start_dim", input.dims())?,
        op.dim("end_dim", input.dims())?,
    );
    if input.dims() == 0 {
        return reshaped(op, &input, &[1]);
    }
    if from > to {
        return Err("the dimensions are out of order".into());
    }
    let mut shape = input.shape[..from].to_vec();
    shape.push(input.shape[from..=to].iter().product());
    shape.extend(&input.shape[to + 1..]);
    reshaped(op, &input, &shape)
}

fn unflatten(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let at = op.dim("dim", input.dims())?;
    let sizes = op.ints("sizes")?;
    let size = *input.shape.get(at).ok_or("a number has no dimension")?;
    let sizes = inferred(&sizes, size)?;
    let mut shape = input.shape.clone();
    shape.splice(at..=at, sizes);
    reshaped(op, &input, &shape)
}

fn squeeze(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let dims = op.dims("dim", input.dims())?;
    let (mut shape, mut strides) = (Vec::new(), Vec::new());
    for (at, (&size, &stride)) in input.shape.iter().zip(&input.strides).enumerate() {
        if size != 1 || !dims.contains(&at) {
            shape.push(size);
            strides.push(stride);
        }
    }
    let view = op.evaluator.view(&input, shape, strides, input.offset)?;
    op.evaluator.set_structure(&view, input.structure);
    Ok(view)
}

fn unsqueeze(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let at = op.dim("dim", input.dims() + 1)?;
    let (mut shape, mut strides) = (input.shape.clone(), input.strides.clone());
    shape.insert(at, 1);
    strides.insert(at, 1);
    let view = op.evaluator.view(&input, shape, strides, input.offset)?;
    // In front of the last two, nothing changes for them.
    let structure = input.structure.filter(|_| at + 1 < input.dims());
    op.evaluator.set_structure(&view, structure);
    Ok(view)
}

/// The dimensions in another order.
fn permuted(op: &mut Op<'_, '_>, input: &Array, order: &[usize]) -> Outcome {
    let mut seen = vec![false; input.dims()];
    for &at in order {
        match seen.get_mut(at) {
            Some(seen) if !*seen => *seen = true,
            _ => return Err("the dimensions are no permutation".into()),
        }
    }
    if order.len() != input.dims() {
        return Err("the dimensions are no permutation".into());
    }
    let shape = order.iter().map(|&at| input.shape[at]).collect();
    let strides = order.iter().map(|&at| input.strides[at]).collect();
    let view = op.evaluator.view(input, shape, strides, input.offset)?;
    let dims = order.len();
    if let (Some(structure), true) = (input.structure, dims >= 2) {
        let swaps = order[dims - 2..] == [dims - 1, dims - 2];
        let keeps = order[dims - 2..] == [dims - 2, dims - 1];
        let structure = if swaps {
            Some(structure.transposed())
        } else {
            Some(structure).filter(|_| keeps)
        };
        op.evaluator.set_structure(&view, structure);
    }
    Ok(view)
}

fn exchanged(op: &mut Op<'_, '_>, input: &Array, a: usize, b: usize) -> Outcome {
    let mut order: Vec<usize> = (0..input.dims()).collect();
    if order.is_empty() {
        return op
            .evaluator
            .view(input, Vec::new(), Vec::new(), input.offset);
    }
    order.swap(a, b);
    permuted(op, input, &order)
}

fn transpose(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let (a, b) = (op.dim("dim0", input.dims())?, op.dim("dim1", input.dims())?);
    exchanged(op, &input, a, b)
}

fn matrix_transpose(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    match input.dims() {
        0 | 1 => Ok(op.arg("input").clone()),
        2 => exchanged(op, &input, 0, 1),
        _ => Err("not a matrix".into()),
    }
}

fn swapped(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let dims = input.dims();
    if dims < 2 {
        return Err("not a matrix".into());
    }
    exchanged(op, &input, dims - 2, dims - 1)
}

fn reversed(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let order: Vec<usize> = (0..input.dims()).rev().collect();
    permuted(op, &input, &order)
}

fn permute(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let order = op.rest_ints()?;
    let order: Vec<usize> = order
        .into_iter()
        .map(|dim| position(dim, input.dims()))
        .collect::<Result<_, _>>()?;
    permuted(op, &input, &order)
}

fn movedim(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let at = |dims: Vec<i64>| -> Result<Vec<usize>, Reason> {
        dims.into_iter()
            .map(|dim| position(dim, input.dims()))
            .collect()
    };
    let (from, to) = (at(op.ints("source")?)?, at(op.ints("destination")?)?);
    if from.len() != to.len() {
        return Err("the dimensions are no pairs".into());
    }
    let mut order = vec![None; input.dims()];
    for (&from, &to) in from.iter().zip(&to) {
        order[to] = Some(from);
    }
    let mut others = (0..input.dims()).filter(|at| !from.contains(at));
    let order: Vec<usize> = order
        .into_iter()
        .filter_map(|at| at.or_else(|| others.next()))
        .collect();
    permuted(op, &input, &order)
}

/// A view with stride 0 along what is repeated.
pub(super) fn expanded(op: &mut Op<'_, '_>, input: &Array, sizes: &[i64]) -> Outcome {
    let new = sizes
        .len()
        .checked_sub(input.dims())
        .ok_or("fewer sizes than dimensions")?;
    let (mut shape, mut strides) = (Vec::new(), Vec::new());
    for (at, &size) in sizes.iter().enumerate() {
        let (own, stride) = match at.checked_sub(new) {
            Some(at) => (input.shape[at], input.strides[at]),
            None => (1, 0),
        };
        match size {
            -1 if at >= new => {
                shape.push(own);
                strides.push(stride);
            }
            size if size == own && at >= new => {
                shape.push(own);
                strides.push(stride);
            }
            size if own == 1 && size >= 0 => {
                shape.push(size);
                strides.push(0);
            }
            _ => return Err("the size can't be expanded".into()),
        }
    }
    let view = op.evaluator.view(input, shape, strides, input.offset)?;
    if input.dims() >= 2 && ends_alike(sizes, &input.shape) {
        op.evaluator.set_structure(&view, input.structure);
    }
    Ok(view)
}

fn expand(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let sizes = op.rest_ints()?;
    expanded(op, &input, &sizes)
}

fn expand_as(op: &mut Op<'_, '_>) -> Outcome {
    let (input, other) = (op.array("input")?, op.array("other")?);
    expanded(op, &input, &other.shape)
}

fn broadcast_to(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let sizes = op.ints("size")?;
    expanded(op, &input, &sizes)
}

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

fn promote_all(arrays: &[Array]) -> Result<crate::value::DType, Reason> {
    let weights: Vec<_> = arrays
        .iter()
        .map(|array| (if array.dims() == 0 { 1 } else { 2 }, array.dtype))
        .collect();
    crate::torch::promoted(&weights)
}

fn cat(op: &mut Op<'_, '_>) -> Outcome {
    let arrays = op.arrays("tensors")?;
    let dtype = promote_all(&arrays)?;
    // An empty vector is skipped.
    let kept: Vec<&Array> = arrays.iter().filter(|array| array.shape != [0]).collect();
    let Some(first) = kept.first().copied().or(arrays.first()) else {
        return Err("of nothing".into());
    };
    let at = op.dim("dim", first.dims())?;
    let mut shape = first.shape.clone();
    let mut total = 0_i64;
    for array in &kept {
        let fits = array.dims() == shape.len()
            && (0..shape.len()).all(|d| d == at || array.shape[d] == shape[d]);
        if !fits || shape.is_empty() {
            return Err("the tensors differ in shape".into());
        }
        total = total
            .checked_add(array.shape[at])
            .ok_or("too many elements")?;
    }
    if let Some(size) = shape.get_mut(at) {
        *size = total;
    }
    let reads: Vec<&Array> = arrays.iter().collect();
    op.made(Made::plain("cat", &reads, shape, dtype).kind(Kind::Linear))
}

fn stack(op: &mut Op<'_, '_>) -> Outcome {
    let arrays = op.arrays("tensors")?;
    let dtype = promote_all(&arrays)?;
    let first = arrays.first().ok_or("of nothing")?;
    if arrays.iter().any(|array| array.shape != first.shape) {
        return Err("the tensors differ in shape".into());
    }
    let at = op.dim("dim", first.dims() + 1)?;
    let mut shape = first.shape.clone();
    shape.insert(at, i64::try_from(arrays.len()).unwrap_or(i64::MAX));
    let reads: Vec<&Array> = arrays.iter().collect();
    op.made(Made::plain("stack", &reads, shape, dtype).kind(Kind::Linear))
}

fn side_by_side(op: &mut Op<'_, '_>) -> Outcome {
    let arrays = op.arrays("tensors")?;
    let least = arrays.iter().map(Array::dims).min().unwrap_or(0);
    let (needs, dim) = match op.name {
        "hstack" if least == 1 => (1, 0),
        "hstack" => (1, 1),
        "column_stack" => (2, 1),
        "dstack" => (3, 2),
        _ => (2, 0),
    };
    if least < needs {
        return Err("tensors with fewer dimensions have no rule".into());
    }
    let args = vec![op.arg("tensors").clone(), Object::int(dim)];
    op.call("torch.cat", args, Vec::new())
}

fn repeat(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let mut times = op.rest_ints()?;
    if op.name == "tile" {
        while times.len() < input.dims() {
            times.insert(0, 1);
        }
    }
    repeated(op, &input, &times)
}

fn tile(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let mut times = op.ints("dims")?;
    while times.len() < input.dims() {
        times.insert(0, 1);
    }
    repeated(op, &input, &times)
}

fn repeated(op: &mut Op<'_, '_>, input: &Array, times: &[i64]) -> Outcome {
    let new = times
        .len()
        .checked_sub(input.dims())
        .ok_or("fewer repeats than dimensions")?;
    let shape: Option<Vec<i64>> = times
        .iter()
        .enumerate()
        .map(|(at, &times)| {
            let size = at.checked_sub(new).map_or(1, |at| input.shape[at]);
            size.checked_mul(times)
        })
        .collect();
    let shape = shape.ok_or("the tensor has more elements than 64 bits count")?;
    op.made(Made::plain("repeat", &[input], shape, input.dtype).kind(Kind::Linear))
}

fn interleave(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let times = op.int("repeats")?;
    let mut shape = input.shape.clone();
    if op.is_given("dim") {
        let at = op.dim("dim", input.dims())?;
        let size = shape.get_mut(at).ok_or("the dimension is out of range")?;
        *size = size.checked_mul(times).ok_or("too many elements")?;
    } else {
        shape = vec![
            input
                .elements()
                .checked_mul(times)
                .ok_or("too many elements")?,
        ];
    }
    op.made(Made::plain("repeat_interleave", &[&input], shape, input.dtype).kind(Kind::Linear))
}

fn keep(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    op.result(&[&input], input.shape.clone(), input.dtype, Kind::Linear)
}

fn rot90(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let dims = if op.is_given("dims") {
        op.ints("dims")?
    } else {
        vec![0, 1]
    };
    let [a, b] = dims[..] else {
        return Err("not two dimensions".into());
    };
    let (a, b) = (position(a, input.dims())?, position(b, input.dims())?);
    let mut shape = input.shape.clone();
    if op.int("k")? % 2 != 0 {
        shape.swap(a, b);
    }
    op.result(&[&input], shape, input.dtype, Kind::Linear)
}

/// `pad` gives pairs for the last dimensions, the last one first.
fn pad(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let pads = op.ints("pad")?;
    let mut shape = input.shape.clone();
    if pads.len() % 2 != 0 || pads.len() / 2 > shape.len() {
        return Err("the padding doesn't fit the input".into());
    }
    for (at, pair) in pads.chunks(2).enumerate() {
        let last = shape.len() - 1 - at;
        let size = shape[last]
            .checked_add(pair[0])
            .and_then(|size| size.checked_add(pair[1]));
        shape[last] = size
            .filter(|&size| size >= 0)
            .ok_or("the padding doesn't fit the input")?;
    }
    if pads.iter().all(|&pad| pad == 0) && &*op.text("mode")? != "constant" {
        return Ok(op.arg("input").clone());
    }
    op.made(Made::plain("constant_pad_nd", &[&input], shape, input.dtype).kind(Kind::Linear))
}

/// Tensors given one by one or as one sequence.
fn rest_arrays(op: &mut Op<'_, '_>) -> Result<Vec<Array>, Reason> {
    let mut items = op.args.rest.clone();
    if let [only @ (Object::Tuple(_) | Object::List(_))] = &items[..] {
        items = op.evaluator.iterate(only)?;
    }
    items.iter().map(|item| op.array_in(item)).collect()
}

fn meshgrid(op: &mut Op<'_, '_>) -> Outcome {
    let arrays = rest_arrays(op)?;
    let swaps = &*op.text("indexing")? == "xy" && arrays.len() >= 2;
    let mut shape: Vec<i64> = arrays.iter().map(Array::elements).collect();
    let dims = shape.len();
    if swaps {
        shape.swap(0, 1);
    }
    let mut views = Vec::new();
    for (at, array) in arrays.iter().enumerate() {
        let at = match (swaps, at) {
            (true, 0) => 1,
            (true, 1) => 0,
            (_, at) => at,
        };
        let mut strides = vec![0; dims];
        strides[at] = array.strides.first().copied().unwrap_or(1);
        views.push(
            op.evaluator
                .view(array, shape.clone(), strides, array.offset)?,
        );
    }
    Ok(op.evaluator.heap.tuple(views))
}

fn broadcast_tensors(op: &mut Op<'_, '_>) -> Outcome {
    let arrays = rest_arrays(op)?;
    let shapes: Vec<&[i64]> = arrays.iter().map(|array| &array.shape[..]).collect();
    let shape = super::broadcast(&shapes)?;
    let mut views = Vec::new();
    for array in &arrays {
        views.push(expanded(op, array, &shape)?);
    }
    Ok(op.evaluator.heap.tuple(views))
}

fn as_strided(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let (shape, strides) = (op.ints("size")?, op.ints("stride")?);
    let offset = op.opt_int("storage_offset")?.unwrap_or(input.offset);
    if shape.len() != strides.len() {
        return Err("as many strides as sizes are meant".into());
    }
    op.evaluator.view(&input, shape, strides, offset)
}

fn atleast(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let dims = super::conv::spatial(&op.name["atleast_".len()..]);
    if input.dims() >= dims {
        return Ok(op.arg("input").clone());
    }
    let mut shape = input.shape.clone();
    while shape.len() < dims {
        let front = !(dims == 3 && shape.len() == 2);
        shape.insert(if front { 0 } else { shape.len() }, 1);
    }
    let strides = contiguous(&shape);
    op.evaluator.view(&input, shape, strides, input.offset)
}

fn block_diag(op: &mut Op<'_, '_>) -> Outcome {
    let arrays = rest_arrays(op)?;
    let dtype = promote_all(&arrays)?;
    let mut shape = vec![0_i64, 0];
    for array in &arrays {
        shape[0] = shape[0].saturating_add(array.size_at_end(2));
        shape[1] = shape[1].saturating_add(array.size_at_end(1));
    }
    let reads: Vec<&Array> = arrays.iter().collect();
    op.made(Made::plain("block_diag", &reads, shape, dtype))
}
