//! Losses and distances.

use super::{Entry, Made, Op, broadcast, op};
use crate::eval::{Object, Outcome, Reason};
use crate::tensor::Array;
use crate::trace::Kind;

pub(super) const TABLE: &[Entry] = &[
    op(
        "f",
        "mse_loss l1_loss",
        "input target size_average=None reduce=None reduction=mean weight=None",
        pairwise,
    ),
    op(
        "f",
        "smooth_l1_loss",
        "input target size_average=None reduce=None reduction=mean beta=1.0",
        pairwise,
    ),
    op(
        "f",
        "huber_loss",
        "input target reduction=mean delta=1.0",
        pairwise,
    ),
    op(
        "f",
        "soft_margin_loss",
        "input target size_average=None reduce=None reduction=mean",
        pairwise,
    ),
    op(
        "f",
        "kl_div",
        "input target size_average=None reduce=None reduction=mean log_target=False",
        pairwise,
    ),
    op(
        "f",
        "binary_cross_entropy",
        "input target weight=None size_average=None reduce=None reduction=mean",
        pairwise,
    ),
    op(
        "f",
        "binary_cross_entropy_with_logits",
        "input target weight=None size_average=None reduce=None reduction=mean pos_weight=None",
        pairwise,
    ),
    op(
        "f",
        "poisson_nll_loss",
        "input target log_input=True full=False size_average=None eps=1e-8 reduce=None reduction=mean",
        pairwise,
    ),
    op(
        "f",
        "gaussian_nll_loss",
        "input target var full=False eps=1e-6 reduction=mean",
        pairwise,
    ),
    op(
        "f",
        "hinge_embedding_loss",
        "input target margin=1.0 size_average=None reduce=None reduction=mean",
        pairwise,
    ),
    op(
        "f",
        "cross_entropy",
        "input target weight=None size_average=None ignore_index=-100 reduce=None reduction=mean label_smoothing=0.0",
        cross_entropy,
    ),
    op(
        "f",
        "nll_loss",
        "input target weight=None size_average=None ignore_index=-100 reduce=None reduction=mean",
        cross_entropy,
    ),
    op(
        "f",
        "triplet_margin_loss",
        "anchor positive negative margin=1.0 p=2 eps=1e-6 swap=False size_average=None reduce=None reduction=mean",
        rows,
    ),
    op(
        "f",
        "margin_ranking_loss",
        "input1 input2 target margin=0.0 size_average=None reduce=None reduction=mean",
        ranking,
    ),
    op(
        "f",
        "cosine_embedding_loss",
        "input1 input2 target margin=0.0 size_average=None reduce=None reduction=mean",
        embedding,
    ),
    op(
        "f",
        "multi_margin_loss",
        "input target p=1 margin=1.0 weight=None size_average=None reduce=None reduction=mean",
        per_row,
    ),
    op(
        "f",
        "multilabel_soft_margin_loss multilabel_margin_loss",
        "input target weight=None size_average=None reduce=None reduction=mean",
        per_row,
    ),
    op(
        "tf",
        "cosine_similarity",
        "x1 x2 dim=1 eps=1e-8",
        similarity,
    ),
    op(
        "tf",
        "pairwise_distance",
        "x1 x2 p=2.0 eps=1e-6 keepdim=False",
        distance,
    ),
];

/// The shape of a loss: one number, or one per element.
fn reduced(op: &Op<'_, '_>, shape: Vec<i64>) -> Result<Vec<i64>, Reason> {
    match &*op.text("reduction")? {
        "none" => Ok(shape),
        "mean" | "sum" | "batchmean" => Ok(Vec::new()),
        other => Err(format!("reduction `{other}` has no rule").into()),
    }
}

fn all(op: &Op<'_, '_>, names: &[&str]) -> Result<Vec<Array>, Reason> {
    let mut arrays = Vec::new();
    for name in names {
        match op.arg(name) {
            Object::Array(_) => arrays.push(op.array(name)?),
            Object::None | Object::Float(_) | Object::Int(..) => {}
            other => return Err(format!("not a tensor but {}", other.type_name()).into()),
        }
    }
    Ok(arrays)
}

fn made(op: &mut Op<'_, '_>, arrays: &[Array], shape: Vec<i64>) -> Outcome {
    let reads: Vec<&Array> = arrays.iter().collect();
    let dtype = arrays.first().ok_or("of nothing")?.dtype;
    let name = op.name;
    op.made(Made::plain(name, &reads, shape, dtype).kind(Kind::Other))
}

fn pairwise(op: &mut Op<'_, '_>) -> Outcome {
    let arrays = all(op, &["input", "target", "weight", "pos_weight", "var"])?;
    let shapes: Vec<&[i64]> = arrays
        .iter()
        .take(2)
        .map(|array| &array.shape[..])
        .collect();
    let shape = reduced(op, broadcast(&shapes)?)?;
    made(op, &arrays, shape)
}

fn cross_entropy(op: &mut Op<'_, '_>) -> Outcome {
    let arrays = all(op, &["input", "target", "weight"])?;
    let [input, target, ..] = &arrays[..] else {
        return Err("a target is missing".into());
    };
    let mut shape = input.shape.clone();
    if target.shape == input.shape && target.dtype.category() == 2 {
        // Probabilities of classes.
        shape.remove(usize::from(input.dims() > 1));
    } else {
        shape.clone_from(&target.shape);
        if input.dims() != target.dims() + 1 {
            return Err("the target doesn't fit the input".into());
        }
    }
    let shape = reduced(op, shape)?;
    made(op, &arrays, shape)
}

fn rows(op: &mut Op<'_, '_>) -> Outcome {
    let arrays = all(op, &["anchor", "positive", "negative"])?;
    let shapes: Vec<&[i64]> = arrays.iter().map(|array| &array.shape[..]).collect();
    let mut shape = broadcast(&shapes)?;
    shape.pop();
    let shape = reduced(op, shape)?;
    made(op, &arrays, shape)
}

fn ranking(op: &mut Op<'_, '_>) -> Outcome {
    let arrays = all(op, &["input1", "input2", "target"])?;
    let shapes: Vec<&[i64]> = arrays.iter().map(|array| &array.shape[..]).collect();
    let shape = reduced(op, broadcast(&shapes)?)?;
    made(op, &arrays, shape)
}

fn embedding(op: &mut Op<'_, '_>) -> Outcome {
    let arrays = all(op, &["input1", "input2", "target"])?;
    let mut shape = arrays.first().ok_or("of nothing")?.shape.clone();
    shape.pop();
    let shape = reduced(op, shape)?;
    made(op, &arrays, shape)
}

fn per_row(op: &mut Op<'_, '_>) -> Outcome {
    let arrays = all(op, &["input", "target", "weight"])?;
    let mut shape = arrays.first().ok_or("of nothing")?.shape.clone();
    shape.pop();
    let shape = reduced(op, shape)?;
    made(op, &arrays, shape)
}

fn similarity(op: &mut Op<'_, '_>) -> Outcome {
    let arrays = all(op, &["x1", "x2"])?;
    let shapes: Vec<&[i64]> = arrays.iter().map(|array| &array.shape[..]).collect();
    let shape = broadcast(&shapes)?;
    let at = op.dim("dim", shape.len())?;
    let shape = super::reduce::reduced(&shape, &[at], false);
    made(op, &arrays, shape)
}

fn distance(op: &mut Op<'_, '_>) -> Outcome {
    let arrays = all(op, &["x1", "x2"])?;
    let shapes: Vec<&[i64]> = arrays.iter().map(|array| &array.shape[..]).collect();
    let mut shape = broadcast(&shapes)?;
    let last = shape.pop();
    if op.bool("keepdim")? && last.is_some() {
        shape.push(1);
    }
    made(op, &arrays, shape)
}
