//! Normalisation.

use super::{Entry, Made, Op, op};
use crate::eval::Outcome;
use crate::tensor::Array;
use crate::trace::Kind;

pub(super) const TABLE: &[Entry] = &[
    op(
        "tf",
        "batch_norm",
        "input running_mean=None running_var=None weight=None bias=None training=False momentum=0.1 eps=1e-5",
        batch_norm,
    ),
    op(
        "tf",
        "instance_norm",
        "input running_mean=None running_var=None weight=None bias=None use_input_stats=True momentum=0.1 eps=1e-5",
        batch_norm,
    ),
    op(
        "tf",
        "group_norm",
        "input num_groups weight=None bias=None eps=1e-5",
        group_norm,
    ),
    op(
        "tf",
        "layer_norm rms_norm",
        "input normalized_shape weight=None bias=None eps=None",
        layer_norm,
    ),
    op("f", "normalize", "input p=2.0 dim=1 eps=1e-12", normalize),
    op(
        "f",
        "local_response_norm",
        "input size alpha=0.0001 beta=0.75 k=1.0",
        local,
    ),
];

/// With statistics of the batch, the running ones are written and not read for the result.
fn batch_norm(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let is_batch = op.name == "batch_norm";
    let of_batch = op.bool(if is_batch {
        "training"
    } else {
        "use_input_stats"
    })?;
    let (weight, bias) = (op.opt_array("weight")?, op.opt_array("bias")?);
    let (mean, var) = (op.opt_array("running_mean")?, op.opt_array("running_var")?);
    if input.dims() < 2 {
        return Err("a batch needs a channel dimension".into());
    }
    let channels = input.shape[1];
    let fits = |array: &Option<Array>| array.as_ref().is_none_or(|array| array.shape == [channels]);
    let fits_all = if is_batch {
        fits(&weight) && fits(&mean)
    } else {
        weight.is_none() || fits(&weight)
    };
    if !fits_all {
        return Err("the statistics don't fit the channels".into());
    }
    let mut reads = vec![&input];
    reads.extend(weight.iter().chain(&bias));
    if !of_batch {
        reads.extend(mean.iter().chain(&var));
    }
    let name = if is_batch {
        "native_batch_norm"
    } else {
        "instance_norm"
    };
    let made = Made::plain(name, &reads, input.shape.clone(), input.dtype);
    let result = op.made(made)?;
    if of_batch {
        for running in mean.iter().chain(&var) {
            op.evaluator
                .write(running, "running_statistics", &[&input], true)?;
        }
    }
    Ok(result)
}

fn affine(op: &mut Op<'_, '_>, name: &str) -> Outcome {
    let input = op.array("input")?;
    let (weight, bias) = (op.opt_array("weight")?, op.opt_array("bias")?);
    let mut reads = vec![&input];
    reads.extend(weight.iter().chain(&bias));
    op.made(Made::plain(name, &reads, input.shape.clone(), input.dtype))
}

fn group_norm(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let groups = op.int("num_groups")?;
    if input.dims() < 2 || groups < 1 || input.shape[1] % groups != 0 {
        return Err("the groups don't divide the channels".into());
    }
    affine(op, "native_group_norm")
}

fn layer_norm(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let normalized = op.ints("normalized_shape")?;
    if !input.shape.ends_with(&normalized) {
        return Err("the shape to normalise is not the input's last".into());
    }
    let name = if op.name == "layer_norm" {
        "native_layer_norm"
    } else {
        "rms_norm"
    };
    affine(op, name)
}

fn normalize(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let dims = op.dims("dim", input.dims())?;
    let shape = super::reduce::reduced(&input.shape, &dims, true);
    op.name = "linalg_vector_norm";
    let length = op.result(&[&input], shape, input.dtype, Kind::Other)?;
    let length = op.array_in(&length)?;
    op.name = "div";
    op.result(
        &[&input, &length],
        input.shape.clone(),
        input.dtype,
        Kind::Other,
    )
}

fn local(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    op.result(&[&input], input.shape.clone(), input.dtype, Kind::Other)
}
