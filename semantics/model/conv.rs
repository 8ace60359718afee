//! Convolutions: weights, padding modes, and the operation they run.

use super::layers::{bias, bind, spatial};
use super::{dtype, int, own, parameter, per_dim};
use crate::eval::args::Args;
use crate::eval::object::InstanceId;
use crate::eval::{Evaluator, Object, Outcome, Reason};
use crate::ops;

pub(super) fn conv(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: &Args,
) -> Result<(), Reason> {
    let dims = spatial(evaluator, id);
    let (inputs, outputs, groups) = (
        int(args, "in_channels")?,
        int(args, "out_channels")?,
        int(args, "groups")?,
    );
    if groups < 1 || inputs % groups != 0 || outputs % groups != 0 {
        return Err("the groups don't divide the channels".into());
    }
    let kernel = per_dim(evaluator, args.get("kernel_size"), dims)?;
    let dtype = dtype(evaluator, args)?;
    let shape = [&[outputs, inputs / groups], &kernel[..]].concat();
    normalised(evaluator, id, args, dims)?;
    parameter(evaluator, id, "weight", &shape, dtype)?;
    bias(evaluator, id, args, outputs, dtype)
}

/// A layer holds its sizes as tuples, whatever it was given.
pub(super) fn normalised(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: &Args,
    dims: usize,
) -> Result<(), Reason> {
    for name in [
        "kernel_size",
        "stride",
        "padding",
        "dilation",
        "output_padding",
    ] {
        if matches!(args.get(name), Object::None | Object::Str(_)) {
            continue;
        }
        let sizes = per_dim(evaluator, args.get(name), dims)?;
        let sizes = sizes.into_iter().map(Object::int).collect();
        let sizes = evaluator.heap.tuple(sizes);
        evaluator.set_attribute(id, name, sizes);
    }
    Ok(())
}

pub(super) fn convolve(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Outcome {
    let mut input = bind("input", args, keywords)?.get("input").clone();
    let dims = spatial(evaluator, id);
    let mut padding = own(evaluator, id, "padding");
    let pads_first =
        !matches!(own(evaluator, id, "padding_mode"), Object::Str(mode) if &*mode == "zeros");
    if pads_first && !matches!(padding, Object::Str(_)) {
        let mut pads = Vec::new();
        for pad in per_dim(evaluator, &padding, dims)?.into_iter().rev() {
            pads.extend([Object::int(pad), Object::int(pad)]);
        }
        let pads = evaluator.heap.list(pads);
        input = ops::call(
            evaluator,
            "torch.nn.functional.pad",
            vec![input, pads],
            Vec::new(),
        )?;
        padding = Object::int(0);
    }
    let keywords = vec![
        ("weight", own(evaluator, id, "weight")),
        ("bias", own(evaluator, id, "bias")),
        ("stride", own(evaluator, id, "stride")),
        ("padding", padding),
        ("dilation", own(evaluator, id, "dilation")),
        ("groups", own(evaluator, id, "groups")),
    ];
    let path = format!("torch.nn.functional.conv{dims}d");
    ops::call(evaluator, &path, vec![input], keywords)
}

pub(super) fn transposed(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: &Args,
) -> Result<(), Reason> {
    let dims = spatial(evaluator, id);
    let (inputs, outputs, groups) = (
        int(args, "in_channels")?,
        int(args, "out_channels")?,
        int(args, "groups")?,
    );
    if groups < 1 || inputs % groups != 0 || outputs % groups != 0 {
        return Err("the groups don't divide the channels".into());
    }
    let kernel = per_dim(evaluator, args.get("kernel_size"), dims)?;
    let dtype = dtype(evaluator, args)?;
    let shape = [&[inputs, outputs / groups], &kernel[..]].concat();
    normalised(evaluator, id, args, dims)?;
    parameter(evaluator, id, "weight", &shape, dtype)?;
    bias(evaluator, id, args, outputs, dtype)
}

pub(super) fn convolve_transposed(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Outcome {
    let args = bind("input output_size=None", args, keywords)?;
    let dims = spatial(evaluator, id);
    let mut extra = own(evaluator, id, "output_padding");
    if !matches!(args.get("output_size"), Object::None) {
        extra = wanted_padding(evaluator, id, &args, dims)?;
    }
    let keywords = vec![
        ("weight", own(evaluator, id, "weight")),
        ("bias", own(evaluator, id, "bias")),
        ("stride", own(evaluator, id, "stride")),
        ("padding", own(evaluator, id, "padding")),
        ("output_padding", extra),
        ("groups", own(evaluator, id, "groups")),
        ("dilation", own(evaluator, id, "dilation")),
    ];
    let path = format!("torch.nn.functional.conv_transpose{dims}d");
    ops::call(evaluator, &path, vec![args.get("input").clone()], keywords)
}

/// The output padding that gives a wanted size.
pub(super) fn wanted_padding(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: &Args,
    dims: usize,
) -> Outcome {
    let Object::Array(input) = args.get("input") else {
        return Err("not a tensor".into());
    };
    let lengths = evaluator.heap.array_of(*input).shape.clone();
    let lengths = lengths
        .get(lengths.len().saturating_sub(dims)..)
        .unwrap_or(&[])
        .to_vec();
    let wanted = evaluator.iterate(args.get("output_size"))?;
    let wanted: Option<Vec<i64>> = wanted.iter().map(Object::as_int).collect();
    let wanted = wanted.ok_or("the size is not static")?;
    let wanted = &wanted[wanted.len().saturating_sub(dims)..];
    let mut sizes = Vec::new();
    for name in ["kernel_size", "stride", "padding", "dilation"] {
        let object = own(evaluator, id, name);
        sizes.push(per_dim(evaluator, &object, dims)?);
    }
    let mut extra = Vec::new();
    for (at, (&wanted, &length)) in wanted.iter().zip(&lengths).enumerate() {
        let slide = crate::work::Slide {
            length,
            kernel: sizes[0][at],
            stride: sizes[1][at],
            padding: sizes[2][at],
            dilation: sizes[3][at],
        };
        let least = slide.transposed(0).ok_or("the output has no size")?;
        extra.push(Object::int(wanted - least));
    }
    Ok(evaluator.heap.tuple(extra))
}
