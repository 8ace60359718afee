//! Operations whose operands say which elements are meant.

use super::{Entry, Made, Op, either, op};
use crate::eval::{Object, Outcome};
use crate::tensor::Array;
use crate::value::DType;

pub(super) const TABLE: &[Entry] = &[
    op("tm", "gather", "input dim index sparse_grad=False", gather),
    op("tm", "take_along_dim", "input indices dim=None", gather),
    op("tm", "index_select", "input dim index", index_select),
    op("tm", "take", "input index", take),
    op(
        "f",
        "embedding",
        "input weight padding_idx=None max_norm=None norm_type=2.0 scale_grad_by_freq=False sparse=False",
        embedding,
    ),
    op(
        "f",
        "embedding_bag",
        "input weight offsets=None max_norm=None norm_type=2 scale_grad_by_freq=False mode=mean",
        embedding_bag,
    ),
    op("f", "one_hot", "tensor num_classes=-1", one_hot),
    either(
        "tm",
        "scatter",
        "input dim index src=None value=None reduce=None",
        scatter,
    ),
    either("tm", "scatter_add", "input dim index src", scatter),
    either(
        "tm",
        "scatter_reduce",
        "input dim index src reduce include_self=True",
        scatter,
    ),
    either(
        "tm",
        "index_add index_copy",
        "input dim index source alpha=1",
        scatter,
    ),
    either("tm", "index_fill", "input dim index value", scatter),
    either(
        "tm",
        "index_put",
        "input indices values accumulate=False",
        index_put,
    ),
    either("tm", "masked_scatter", "input mask source", masked_scatter),
    op(
        "tm",
        "masked_select nonzero unique unique_consecutive bincount",
        "input *rest return_inverse=False return_counts=False dim=None sorted=True as_tuple=False minlength=0",
        unknown_size,
    ),
    op(
        "t",
        "searchsorted bucketize",
        "sorted_sequence input out_int32=False right=False side=None sorter=None",
        search,
    ),
    op("tm", "histc", "input bins=100 min=0 max=0", histogram),
];

const REASON: &str = "which elements are touched depends on indices";

fn gather(op: &mut Op<'_, '_>) -> Outcome {
    let name = if op.is_given("index") {
        "index"
    } else {
        "indices"
    };
    let (input, index) = (op.array("input")?, op.array(name)?);
    if input.dims() != index.dims() {
        return Err("the index has other dimensions".into());
    }
    op.flag("data-dependent", REASON.to_owned());
    op.made(Made::plain(
        "gather",
        &[&input, &index],
        index.shape.clone(),
        input.dtype,
    ))
}

fn index_select(op: &mut Op<'_, '_>) -> Outcome {
    let (input, index) = (op.array("input")?, op.array("index")?);
    let at = op.dim("dim", input.dims())?;
    let mut shape = input.shape.clone();
    match shape.get_mut(at) {
        Some(size) if index.dims() <= 1 => *size = index.elements(),
        _ => return Err("the index is no vector".into()),
    }
    op.flag("data-dependent", REASON.to_owned());
    op.made(Made::plain(
        "index_select",
        &[&input, &index],
        shape,
        input.dtype,
    ))
}

fn take(op: &mut Op<'_, '_>) -> Outcome {
    let (input, index) = (op.array("input")?, op.array("index")?);
    op.flag("data-dependent", REASON.to_owned());
    op.made(Made::plain(
        "take",
        &[&input, &index],
        index.shape.clone(),
        input.dtype,
    ))
}

fn embedding(op: &mut Op<'_, '_>) -> Outcome {
    let (input, weight) = (op.array("input")?, op.array("weight")?);
    let [_, width] = weight.shape[..] else {
        return Err("the weight is no table".into());
    };
    if input.dtype.category() != 1 {
        return Err("an index is no integer".into());
    }
    let mut shape = input.shape.clone();
    shape.push(width);
    op.flag(
        "data-dependent",
        "which rows of the table are read depends on indices".to_owned(),
    );
    op.made(Made::plain(
        "embedding",
        &[&weight, &input],
        shape,
        weight.dtype,
    ))
}

fn embedding_bag(op: &mut Op<'_, '_>) -> Outcome {
    let (input, weight, offsets) = (
        op.array("input")?,
        op.array("weight")?,
        op.opt_array("offsets")?,
    );
    let [_, width] = weight.shape[..] else {
        return Err("the weight is no table".into());
    };
    let bags = match (&offsets, &input.shape[..]) {
        (Some(offsets), [_]) => offsets.elements(),
        (None, [bags, _]) => *bags,
        _ => return Err("the bags have no rule".into()),
    };
    op.flag(
        "data-dependent",
        "which rows of the table are read depends on indices".to_owned(),
    );
    let mut reads = vec![&weight, &input];
    reads.extend(&offsets);
    op.made(Made::plain(
        "_embedding_bag",
        &reads,
        vec![bags, width],
        weight.dtype,
    ))
}

fn one_hot(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("tensor")?;
    let classes = op.int("num_classes")?;
    if classes < 1 {
        return Err("the number of classes depends on elements of a tensor".into());
    }
    let mut shape = input.shape.clone();
    shape.push(classes);
    op.made(Made::plain("one_hot", &[&input], shape, DType::I64))
}

fn written(op: &mut Op<'_, '_>, reads: &[&Array]) -> Outcome {
    let input = op.array("input")?;
    op.flag(
        "data-dependent",
        "which elements are written depends on indices".to_owned(),
    );
    let mut all = vec![&input];
    all.extend(reads);
    op.result(
        &all,
        input.shape.clone(),
        input.dtype,
        crate::trace::Kind::Other,
    )
}

fn scatter(op: &mut Op<'_, '_>) -> Outcome {
    let mut reads = Vec::new();
    for name in ["index", "src", "source"] {
        if let Object::Array(_) = op.arg(name) {
            reads.push(op.array(name)?);
        }
    }
    let reads: Vec<&Array> = reads.iter().collect();
    written(op, &reads)
}

fn index_put(op: &mut Op<'_, '_>) -> Outcome {
    let mut reads = op.arrays("indices")?;
    reads.push(op.array("values")?);
    let reads: Vec<&Array> = reads.iter().collect();
    written(op, &reads)
}

fn masked_scatter(op: &mut Op<'_, '_>) -> Outcome {
    let (mask, source) = (op.array("mask")?, op.array("source")?);
    written(op, &[&mask, &source])
}

fn unknown_size(_: &mut Op<'_, '_>) -> Outcome {
    Err("the result's size depends on elements of a tensor".into())
}

fn search(op: &mut Op<'_, '_>) -> Outcome {
    let (Ok(sorted), Ok(input)) = (op.array("sorted_sequence"), op.array("input")) else {
        return Err("a number to search for has no rule".into());
    };
    let shape = if op.name == "bucketize" {
        sorted.shape.clone()
    } else {
        input.shape.clone()
    };
    op.made(Made::plain(
        "searchsorted",
        &[&sorted, &input],
        shape,
        DType::I64,
    ))
}

fn histogram(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let bins = op.int("bins")?;
    op.made(Made::plain("histc", &[&input], vec![bins], input.dtype))
}
