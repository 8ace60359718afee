//! Normalisations: their weights and running statistics, and the operation they run.

use super::layers::{bind, spatial};
use super::{buffer, dtype, flag, int, is_training, own, parameter};
use crate::eval::args::Args;
use crate::eval::object::InstanceId;
use crate::eval::{Evaluator, Object, Outcome, Reason};
use crate::ops;
use crate::value::DType;

pub(super) fn batch_norm(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: &Args,
) -> Result<(), Reason> {
    let size = [int(args, "num_features")?];
    let dtype = dtype(evaluator, args)?;
    for name in ["weight", "bias"] {
        if flag(evaluator, args, "affine")? {
            parameter(evaluator, id, name, &size, dtype)?;
        } else {
            evaluator.set_attribute(id, name, Object::None);
        }
    }
    let tracks = flag(evaluator, args, "track_running_stats")?;
    for name in ["running_mean", "running_var"] {
        if tracks {
            buffer(evaluator, id, name, &size, dtype)?;
        } else {
            evaluator.set_attribute(id, name, Object::None);
        }
    }
    if tracks {
        buffer(evaluator, id, "num_batches_tracked", &[], DType::I64)?;
    }
    Ok(())
}

pub(super) fn normalise(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    input: Object,
    path: &str,
    switch: &str,
) -> Outcome {
    let has_statistics = !matches!(own(evaluator, id, "running_mean"), Object::None);
    let of_batch = is_training(evaluator, id) || !has_statistics;
    if of_batch
        && has_statistics
        && let Object::Array(count) = own(evaluator, id, "num_batches_tracked")
    {
        let count = evaluator.heap.array_of(count).clone();
        evaluator.write(&count, "add", &[&count], true)?;
    }
    let keywords = vec![
        ("running_mean", own(evaluator, id, "running_mean")),
        ("running_var", own(evaluator, id, "running_var")),
        ("weight", own(evaluator, id, "weight")),
        ("bias", own(evaluator, id, "bias")),
        (switch, Object::Bool(of_batch)),
    ];
    ops::call(evaluator, path, vec![input], keywords)
}

pub(super) fn normalise_batch(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Outcome {
    let input = bind("input", args, keywords)?.get("input").clone();
    normalise(
        evaluator,
        id,
        input,
        "torch.nn.functional.batch_norm",
        "training",
    )
}

/// A tensor without a batch dimension gets one on the way.
pub(super) fn normalise_instance(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Outcome {
    let input = bind("input", args, keywords)?.get("input").clone();
    let path = "torch.nn.functional.instance_norm";
    let dims = spatial(evaluator, id);
    let Object::Array(array) = input else {
        return Err("not a tensor".into());
    };
    if evaluator.heap.array_of(array).dims() != dims + 1 {
        return normalise(evaluator, id, input, path, "use_input_stats");
    }
    let batched = ops::call(
        evaluator,
        "torch.unsqueeze",
        vec![input, Object::int(0)],
        Vec::new(),
    )?;
    let result = normalise(evaluator, id, batched, path, "use_input_stats")?;
    ops::call(
        evaluator,
        "torch.squeeze",
        vec![result, Object::int(0)],
        Vec::new(),
    )
}

pub(super) fn group_norm(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: &Args,
) -> Result<(), Reason> {
    let size = [int(args, "num_channels")?];
    affine(
        evaluator,
        id,
        args,
        &size,
        flag(evaluator, args, "affine")?,
        true,
    )
}

pub(super) fn layer_norm(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: &Args,
) -> Result<(), Reason> {
    let shape = match args.get("normalized_shape") {
        list @ (Object::List(_) | Object::Tuple(_)) => {
            let items = evaluator.iterate(list)?;
            let ints: Option<Vec<i64>> = items.iter().map(Object::as_int).collect();
            ints.ok_or("the shape is not static")?
        }
        _ => vec![int(args, "normalized_shape")?],
    };
    let has_bias = matches!(args.get("bias"), Object::Bool(true));
    let is_affine = flag(evaluator, args, "elementwise_affine")?;
    affine(evaluator, id, args, &shape, is_affine, has_bias)?;
    let sizes = shape.into_iter().map(Object::int).collect();
    let sizes = evaluator.heap.tuple(sizes);
    evaluator.set_attribute(id, "normalized_shape", sizes);
    Ok(())
}

pub(super) fn affine(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: &Args,
    shape: &[i64],
    is_affine: bool,
    has_bias: bool,
) -> Result<(), Reason> {
    let dtype = dtype(evaluator, args)?;
    for (name, is_there) in [("weight", is_affine), ("bias", is_affine && has_bias)] {
        if is_there {
            parameter(evaluator, id, name, shape, dtype)?;
        } else {
            evaluator.set_attribute(id, name, Object::None);
        }
    }
    Ok(())
}
