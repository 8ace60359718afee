//! Views of a tensor, and operations that move elements around.

use super::{Entry, Made, Op, either, op, position};
use crate::eval::{Object, Outcome, Reason};
use crate::tensor::{Array, elements, view_strides};
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
