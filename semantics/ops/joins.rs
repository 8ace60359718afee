//! Tensors put together, repeated or padded.

use super::shape::expanded;
use super::{Entry, Made, Op, op, position};
use crate::eval::{Object, Outcome, Reason};
use crate::tensor::{Array, contiguous};
use crate::trace::Kind;

pub(super) const TABLE: &[Entry] = &[
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
];

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
