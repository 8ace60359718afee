//! Products of matrices.
//!
//! Work is `2·b·m·n·k`, as PyTorch's counter has it for `mm`, `addmm`, `bmm` and
//! `baddbmm`. Products with a vector (`mv`, `dot`) are counted as nothing there, and so
//! are they here.

use super::{Entry, Made, Op, broadcast, op, product};
use crate::eval::{Evaluator, Object, Outcome, Reason};
use crate::tensor::{Array, Structure};
use crate::torch::promoted;
use crate::trace::Kind;
use crate::value::DType;

pub(super) const TABLE: &[Entry] = &[
    op("tml", "matmul", "input other", matmul),
    op("tm", "mm", "input mat2", mm),
    op("tm", "bmm", "input mat2", bmm),
    op("tm", "mv", "input vec", vector),
    op("tm", "dot inner vdot", "input other", vector),
    op("l", "vecdot", "input other dim=-1", vector),
    op("tm", "addmm", "input mat1 mat2 beta=1 alpha=1", added),
    op(
        "tm",
        "baddbmm addbmm",
        "input batch1 batch2 beta=1 alpha=1",
        added_batched,
    ),
    op("tm", "addmv", "input mat vec beta=1 alpha=1", added_vector),
    op("tm", "addr", "input vec1 vec2 beta=1 alpha=1", added_outer),
    op("f", "linear", "input weight bias=None", linear),
    op("t", "tensordot", "a b dims=2", tensordot),
    op("l", "multi_dot", "tensors", multi_dot),
    op("t", "chain_matmul", "*tensors", multi_dot),
    op("t", "kron", "input other", kron),
];

/// Records one product and gives its result.
fn product_of(
    evaluator: &mut Evaluator<'_>,
    op: &str,
    reads: &[&Array],
    shape: Vec<i64>,
    work: [i64; 4],
) -> Outcome {
    let dtype = reads.first().map_or(DType::F32, |array| array.dtype);
    let counted = product(&[2, work[0], work[1], work[2], work[3]])?;
    let structured = reads.iter().find_map(|array| array.structure);
    let line = evaluator.line;
    if let Some(structure) = structured {
        evaluator.trace.flag(
            "structure-known",
            line,
            format!(
                "an operand of `{op}` is {}: its zeros or repetitions need no work",
                structure.name()
            ),
        );
    }
    if work[1] == work[2] && work[2] == work[3] && work[1] >= 1_024 {
        evaluator.trace.flag(
            "algorithm-class",
            line,
            format!(
                "a square product of {0}×{0}: Strassen's algorithm multiplies less",
                work[1]
            ),
        );
    }
    let made = Made::plain(op, reads, shape, dtype).work(counted, counted);
    let ids = evaluator.make(made)?;
    ids.first()
        .map(|id| Object::Array(*id))
        .ok_or_else(|| "the operation gives nothing".into())
}

fn same_dtype(arrays: &[&Array]) -> Result<(), Reason> {
    let first = arrays.first().map(|array| array.dtype);
    if arrays.iter().all(|array| Some(array.dtype) == first) {
        Ok(())
    } else {
        Err("the operands differ in dtype".into())
    }
}

fn inner(left: i64, right: i64) -> Result<i64, Reason> {
    if left == right {
        Ok(left)
    } else {
        Err(format!("the inner sizes {left} and {right} differ").into())
    }
}

/// `[b]mk,[b]kn`: with how many pairs are really multiplied where the left operand is a
/// causal mask's.
fn masked_work(left: &Array, right: &Array, counted: u64) -> u64 {
    // Only attention's own mask is subtracted: `Masked` results carry the structure.
    match left.structure {
        Some(Structure::Lower)
            if left.dims() >= 3 && left.size_at_end(1) == left.size_at_end(2) =>
        {
            let size = u128::from(left.size_at_end(1).unsigned_abs());
            if size == 0 || right.dims() < 2 {
                return counted;
            }
            u64::try_from(u128::from(counted) * (size + 1) / (2 * size)).unwrap_or(counted)
        }
        _ => counted,
    }
}

fn mm(op: &mut Op<'_, '_>) -> Outcome {
    let (left, right) = (op.array("input")?, op.array("mat2")?);
    two(op.evaluator, &left, &right)
}

fn two(evaluator: &mut Evaluator<'_>, left: &Array, right: &Array) -> Outcome {
    let ([m, k], [k2, n]) = (&left.shape[..], &right.shape[..]) else {
        return Err("not two matrices".into());
    };
    same_dtype(&[left, right])?;
    let k = inner(*k, *k2)?;
    product_of(
        evaluator,
        "mm",
        &[left, right],
        vec![*m, *n],
        [1, *m, *n, k],
    )
}

fn bmm(op: &mut Op<'_, '_>) -> Outcome {
    let (left, right) = (op.array("input")?, op.array("mat2")?);
    let ([b, m, k], [b2, k2, n]) = (&left.shape[..], &right.shape[..]) else {
        return Err("not two batches of matrices".into());
    };
    same_dtype(&[&left, &right])?;
    let (b, k) = (inner(*b, *b2)?, inner(*k, *k2)?);
    batched(op.evaluator, &left, &right, vec![b, *m, *n], [b, *m, *n, k])
}

fn batched(
    evaluator: &mut Evaluator<'_>,
    left: &Array,
    right: &Array,
    shape: Vec<i64>,
    work: [i64; 4],
) -> Outcome {
    let result = product_of(evaluator, "bmm", &[left, right], shape, work)?;
    if let Some(step) = evaluator.trace.steps.last_mut()
        && step.op == "bmm"
    {
        step.needed = masked_work(left, right, step.counted);
    }
    Ok(result)
}

/// As `torch.matmul` chooses: by the number of dimensions, and whether a stack of
/// matrices times one matrix can be seen as one tall matrix.
fn matmul(op: &mut Op<'_, '_>) -> Outcome {
    let (left, right) = (op.array("input")?, op.array("other")?);
    matmul_of(op.evaluator, &left, &right)
}

pub(super) fn matmul_of(evaluator: &mut Evaluator<'_>, left: &Array, right: &Array) -> Outcome {
    same_dtype(&[left, right])?;
    let dtype = left.dtype;
    let vector = |evaluator: &mut Evaluator<'_>, op: &str, shape: Vec<i64>| {
        let ids =
            evaluator.make(Made::plain(op, &[left, right], shape, dtype).kind(Kind::Matrix))?;
        ids.first()
            .map(|id| Object::Array(*id))
            .ok_or_else(|| Reason::from("the operation gives nothing"))
    };
    match (&left.shape[..], &right.shape[..]) {
        ([], _) | (_, []) => Err("a number has no product of matrices".into()),
        ([k], [k2]) => {
            inner(*k, *k2)?;
            vector(evaluator, "dot", Vec::new())
        }
        ([m, k], [k2]) => {
            inner(*k, *k2)?;
            vector(evaluator, "mv", vec![*m])
        }
        ([k], [k2, n]) => {
            let k = inner(*k, *k2)?;
            product_of(evaluator, "mm", &[left, right], vec![*n], [1, 1, *n, k])
        }
        ([_, _], [_, _]) => two(evaluator, left, right),
        (shape, [k2]) => {
            let k = inner(left.size_at_end(1), *k2)?;
            let shape = shape[..shape.len() - 1].to_vec();
            if can_fold(left) || right.is_parameter {
                return vector(evaluator, "mv", shape);
            }
            let batch = shape[..shape.len() - 1].iter().product();
            let rows = left.size_at_end(2);
            product_of(evaluator, "bmm", &[left, right], shape, [batch, rows, 1, k])
        }
        ([k], _) => {
            let k = inner(*k, right.size_at_end(2))?;
            let mut shape = right.shape.clone();
            shape.remove(shape.len() - 2);
            let batch = right.shape[..right.dims() - 2].iter().product();
            product_of(
                evaluator,
                "bmm",
                &[left, right],
                shape,
                [batch, 1, right.size_at_end(1), k],
            )
        }
        (leading, [k2, n]) => {
            let k = inner(left.size_at_end(1), *k2)?;
            let mut shape = leading[..leading.len() - 1].to_vec();
            let rows = shape.iter().product();
            shape.push(*n);
            product_of(evaluator, "mm", &[left, right], shape, [1, rows, *n, k])
        }
        _ => {
            let (m, n) = (left.size_at_end(2), right.size_at_end(1));
            let k = inner(left.size_at_end(1), right.size_at_end(2))?;
            let mut shape = broadcast(&[
                &left.shape[..left.dims() - 2],
                &right.shape[..right.dims() - 2],
            ])?;
            let batch = product(&shape)?;
            let batch = i64::try_from(batch).map_err(|_| Reason::from("too many products"))?;
            shape.extend([m, n]);
            batched(evaluator, left, right, shape, [batch, m, n, k])
        }
    }
}

/// Whether all but the last dimension can be seen as one.
fn can_fold(array: &Array) -> bool {
    (0..array.dims().saturating_sub(2))
        .all(|at| array.strides[at] == array.strides[at + 1].saturating_mul(array.shape[at + 1]))
}

fn vector(op: &mut Op<'_, '_>) -> Outcome {
    let right = if op.name == "mv" { "vec" } else { "other" };
    let (left, right) = (op.array("input")?, op.array(right)?);
    if op.name == "vecdot" {
        let at = op.dim("dim", left.dims())?;
        let shape = super::reduce::reduced(&broadcast(&[&left.shape, &right.shape])?, &[at], false);
        return op.result(&[&left, &right], shape, left.dtype, Kind::Matrix);
    }
    if right.dims() != 1 || left.dims() > 2 {
        return Err("not a vector".into());
    }
    matmul_of(op.evaluator, &left, &right)
}

fn added(op: &mut Op<'_, '_>) -> Outcome {
    let (input, left, right) = (op.array("input")?, op.array("mat1")?, op.array("mat2")?);
    let ([m, k], [k2, n]) = (&left.shape[..], &right.shape[..]) else {
        return Err("not two matrices".into());
    };
    let k = inner(*k, *k2)?;
    product_of(
        op.evaluator,
        "addmm",
        &[&left, &right, &input],
        vec![*m, *n],
        [1, *m, *n, k],
    )
}

fn added_batched(op: &mut Op<'_, '_>) -> Outcome {
    let (input, left, right) = (op.array("input")?, op.array("batch1")?, op.array("batch2")?);
    let ([b, m, k], [b2, k2, n]) = (&left.shape[..], &right.shape[..]) else {
        return Err("not two batches of matrices".into());
    };
    let (b, k) = (inner(*b, *b2)?, inner(*k, *k2)?);
    let (shape, counted) = if op.name == "addbmm" {
        // Summed over the batch, and not counted.
        (vec![*m, *n], [0, *m, *n, k])
    } else {
        (vec![b, *m, *n], [b, *m, *n, k])
    };
    let name = op.name;
    product_of(op.evaluator, name, &[&left, &right, &input], shape, counted)
}

fn added_vector(op: &mut Op<'_, '_>) -> Outcome {
    let (input, left, right) = (op.array("input")?, op.array("mat")?, op.array("vec")?);
    let ([m, k], [k2]) = (&left.shape[..], &right.shape[..]) else {
        return Err("not a matrix and a vector".into());
    };
    inner(*k, *k2)?;
    op.result(&[&left, &right, &input], vec![*m], left.dtype, Kind::Matrix)
}

fn added_outer(op: &mut Op<'_, '_>) -> Outcome {
    let (input, left, right) = (op.array("input")?, op.array("vec1")?, op.array("vec2")?);
    let shape = vec![left.elements(), right.elements()];
    op.result(&[&input, &left, &right], shape, input.dtype, Kind::Other)
}

fn linear(op: &mut Op<'_, '_>) -> Outcome {
    let (input, weight, bias) = (
        op.array("input")?,
        op.array("weight")?,
        op.opt_array("bias")?,
    );
    linear_of(op.evaluator, &input, &weight, bias.as_ref())
}

/// `x·Wᵀ + b` over the last dimension.
pub(crate) fn linear_of(
    evaluator: &mut Evaluator<'_>,
    input: &Array,
    weight: &Array,
    bias: Option<&Array>,
) -> Outcome {
    let Some((&last, leading)) = input.shape.split_last() else {
        return Err("a number has no product of matrices".into());
    };
    let mut reads = vec![input, weight];
    reads.extend(bias);
    same_dtype(&reads)?;
    let mut shape = leading.to_vec();
    let rows: i64 = leading.iter().product();
    match weight.shape[..] {
        [n, k] => {
            let k = inner(last, k)?;
            shape.push(n);
            let name = if bias.is_some() { "addmm" } else { "mm" };
            product_of(evaluator, name, &reads, shape, [1, rows, n, k])
        }
        [k] => {
            inner(last, k)?;
            let ids =
                evaluator.make(Made::plain("mv", &reads, shape, input.dtype).kind(Kind::Matrix))?;
            ids.first()
                .map(|id| Object::Array(*id))
                .ok_or_else(|| "the operation gives nothing".into())
        }
        _ => Err("the weight is no matrix".into()),
    }
}

fn tensordot(op: &mut Op<'_, '_>) -> Outcome {
    let (left, right) = (op.array("a")?, op.array("b")?);
    let dims = op.arg("dims").clone();
    let (from_left, from_right): (Vec<i64>, Vec<i64>) = if let Some(count) = dims.as_int() {
        if !(0..=64).contains(&count) {
            return Err("no such number of dimensions".into());
        }
        let first = i64::try_from(left.dims()).unwrap_or(0) - count;
        ((first..first + count).collect(), (0..count).collect())
    } else {
        match &op.evaluator.iterate(&dims)?[..] {
            [a, b] => {
                let (a, b) = (a.clone(), b.clone());
                (op.ints_in(&a)?, op.ints_in(&b)?)
            }
            _ => return Err("the dimensions are no pair".into()),
        }
    };
    let at = |dims: &[i64], array: &Array| -> Result<Vec<usize>, Reason> {
        dims.iter()
            .map(|&dim| super::position(dim, array.dims()))
            .collect()
    };
    let (gone, given) = (at(&from_left, &left)?, at(&from_right, &right)?);
    if gone.len() != given.len() {
        return Err("the dimensions are no pairs".into());
    }
    let mut k = 1_i64;
    for (&a, &b) in gone.iter().zip(&given) {
        k = k
            .checked_mul(inner(left.shape[a], right.shape[b])?)
            .ok_or("the work doesn't fit 64 bits")?;
    }
    let kept = |array: &Array, gone: &[usize]| -> Vec<i64> {
        super::reduce::reduced(&array.shape, gone, false)
    };
    let (rows, columns) = (kept(&left, &gone), kept(&right, &given));
    let (m, n) = (rows.iter().product(), columns.iter().product());
    let shape = [rows, columns].concat();
    product_of(op.evaluator, "mm", &[&left, &right], shape, [1, m, n, k])
}

/// From left to right; the best order is a matter of sizes, and two operands have one.
fn multi_dot(op: &mut Op<'_, '_>) -> Outcome {
    let items = if op.args.rest.is_empty() {
        op.arrays("tensors")?
    } else {
        let rest = op.args.rest.clone();
        rest.iter()
            .map(|item| op.array_in(item))
            .collect::<Result<_, _>>()?
    };
    match &items[..] {
        [left, right] => two(op.evaluator, left, right),
        _ => Err("the order of more than two products has no rule".into()),
    }
}

fn kron(op: &mut Op<'_, '_>) -> Outcome {
    let (left, right) = (op.array("input")?, op.array("other")?);
    let dims = left.dims().max(right.dims());
    let shape: Option<Vec<i64>> = (1..=dims)
        .rev()
        .map(|at| left.size_at_end(at).checked_mul(right.size_at_end(at)))
        .collect();
    let dtype = promoted(&[(2, left.dtype), (2, right.dtype)])?;
    let shape = shape.ok_or("the tensor has more elements than 64 bits count")?;
    op.result(&[&left, &right], shape, dtype, Kind::Other)
}
