//! Convolutions and their transposes.
//!
//! Counted: `2·B·Cout·(Cin/g)·∏O·∏K` (transposed: `∏L` in place of `∏O`), as PyTorch's
//! counter has it. Needed: per dimension the pairs of window and tap that fall inside.

use super::{Entry, Made, Op, op, product};
use crate::eval::{Object, Outcome, Reason};
use crate::region::Window;
use crate::tensor::Array;
use crate::work::Slide;

pub(super) const TABLE: &[Entry] = &[
    op(
        "tf",
        "conv1d conv2d conv3d",
        "input weight bias=None stride=1 padding=0 dilation=1 groups=1",
        conv,
    ),
    op(
        "tf",
        "conv_transpose1d conv_transpose2d conv_transpose3d",
        "input weight bias=None stride=1 padding=0 output_padding=0 groups=1 dilation=1",
        transposed,
    ),
];

/// Number of spatial dimensions: the digit in the name.
pub(super) fn spatial(name: &str) -> usize {
    name.chars()
        .find_map(|c| c.to_digit(10))
        .and_then(|digit| usize::try_from(digit).ok())
        .unwrap_or(1)
}

/// Batch, channels and lengths; without a batch dimension the batch is one.
fn parts(input: &Array, dims: usize) -> Result<(i64, i64, Vec<i64>), Reason> {
    let lengths = input.shape[input.dims().saturating_sub(dims)..].to_vec();
    match (&input.shape[..], input.dims()) {
        ([batch, channels, ..], have) if have == dims + 2 => Ok((*batch, *channels, lengths)),
        ([channels, ..], have) if have == dims + 1 => Ok((1, *channels, lengths)),
        _ => Err(format!("{} dimensions where {} are meant", input.dims(), dims + 2).into()),
    }
}

fn check_dtype(arrays: &[&Array]) -> Result<(), Reason> {
    let first = arrays.first().map(|array| array.dtype);
    if arrays.iter().all(|array| Some(array.dtype) == first) {
        Ok(())
    } else {
        Err("the operands differ in dtype".into())
    }
}

/// Padding in front and in total, per dimension.
fn paddings(
    op: &mut Op<'_, '_>,
    kernel: &[i64],
    dilation: &[i64],
) -> Result<Vec<(i64, i64)>, Reason> {
    if let Object::Str(text) = op.arg("padding") {
        return match &**text {
            "valid" => Ok(vec![(0, 0); kernel.len()]),
            "same" => kernel
                .iter()
                .zip(dilation)
                .map(|(&kernel, &dilation)| {
                    let total = dilation.checked_mul(kernel - 1).ok_or("too large")?;
                    Ok((total / 2, total))
                })
                .collect(),
            other => Err(format!("padding `{other}` has no rule").into()),
        };
    }
    let padding = op.per_dim("padding", kernel.len())?;
    Ok(padding
        .into_iter()
        .map(|padding| (padding, padding.saturating_mul(2)))
        .collect())
}

fn conv(op: &mut Op<'_, '_>) -> Outcome {
    let dims = spatial(op.name);
    let (input, weight, bias) = (
        op.array("input")?,
        op.array("weight")?,
        op.opt_array("bias")?,
    );
    let (batch, channels, lengths) = parts(&input, dims)?;
    let [out, per_group, ref kernel @ ..] = weight.shape[..] else {
        return Err("the weight is no kernel".into());
    };
    let (stride, dilation) = (op.per_dim("stride", dims)?, op.per_dim("dilation", dims)?);
    let groups = op.int("groups")?;
    if kernel.len() != dims
        || per_group.checked_mul(groups) != Some(channels)
        || groups < 1
        || out % groups != 0
    {
        return Err("the weight doesn't fit the input".into());
    }
    let padding = paddings(op, kernel, &dilation)?;
    let mut shape = if input.dims() == dims + 2 {
        vec![batch, out]
    } else {
        vec![out]
    };
    let mut counted = vec![2, batch, out, per_group];
    let mut needed = product(&counted)?;
    let mut windows = vec![Window::All; input.dims() - dims];
    for at in 0..dims {
        let slide = Slide {
            length: lengths[at],
            kernel: kernel[at],
            stride: stride[at],
            padding: padding[at].0,
            dilation: dilation[at],
        };
        let count = slide
            .windows_of(padding[at].1, false)
            .ok_or("the window doesn't fit the input")?;
        shape.push(count);
        counted.extend([count, kernel[at]]);
        let taps = slide.taps(count).ok_or("the work doesn't fit 64 bits")?;
        needed = needed
            .checked_mul(taps)
            .ok_or("the work doesn't fit 64 bits")?;
        windows.push(op.window(&input, &slide, count)?);
    }
    if kernel.iter().all(|&kernel| kernel == 3)
        && dims > 1
        && stride.iter().chain(&dilation).all(|&one| one == 1)
        && groups == 1
    {
        op.flag("algorithm-class", format!("a convolution of {dims}-dimensional 3-wide windows: Winograd's algorithm multiplies less"));
    }
    finish(
        op,
        &input,
        &weight,
        bias.as_ref(),
        shape,
        product(&counted)?,
        needed,
        windows,
    )
}

fn transposed(op: &mut Op<'_, '_>) -> Outcome {
    let dims = spatial(&op.name["conv_transpose".len()..]);
    let (input, weight, bias) = (
        op.array("input")?,
        op.array("weight")?,
        op.opt_array("bias")?,
    );
    let (batch, channels, lengths) = parts(&input, dims)?;
    let [given, per_group, ref kernel @ ..] = weight.shape[..] else {
        return Err("the weight is no kernel".into());
    };
    let (stride, dilation) = (op.per_dim("stride", dims)?, op.per_dim("dilation", dims)?);
    let (padding, extra) = (
        op.per_dim("padding", dims)?,
        op.per_dim("output_padding", dims)?,
    );
    let groups = op.int("groups")?;
    if kernel.len() != dims || given != channels || groups < 1 || channels % groups != 0 {
        return Err("the weight doesn't fit the input".into());
    }
    let out = per_group
        .checked_mul(groups)
        .ok_or("the work doesn't fit 64 bits")?;
    let mut shape = if input.dims() == dims + 2 {
        vec![batch, out]
    } else {
        vec![out]
    };
    let mut counted = vec![2, batch, channels, per_group];
    let mut needed = product(&counted)?;
    for at in 0..dims {
        let slide = Slide {
            length: lengths[at],
            kernel: kernel[at],
            stride: stride[at],
            padding: padding[at],
            dilation: dilation[at],
        };
        if slide.stride < 1 || slide.dilation < 1 {
            return Err("a stride or dilation below one".into());
        }
        let length = slide
            .transposed(extra[at])
            .ok_or("the output has no size")?;
        shape.push(length);
        counted.extend([slide.length, slide.kernel]);
        // Seen from the output, the input's positions are the windows.
        let taps = Slide { length, ..slide }
            .taps(slide.length)
            .ok_or("the work doesn't fit 64 bits")?;
        needed = needed
            .checked_mul(taps)
            .ok_or("the work doesn't fit 64 bits")?;
    }
    let windows = vec![Window::All; input.dims()];
    finish(
        op,
        &input,
        &weight,
        bias.as_ref(),
        shape,
        product(&counted)?,
        needed,
        windows,
    )
}

#[expect(clippy::too_many_arguments, reason = "the parts of one convolution")]
fn finish(
    op: &mut Op<'_, '_>,
    input: &Array,
    weight: &Array,
    bias: Option<&Array>,
    shape: Vec<i64>,
    counted: u64,
    needed: u64,
    windows: Vec<Window>,
) -> Outcome {
    let mut reads = vec![input, weight];
    reads.extend(bias);
    check_dtype(&reads)?;
    let mut made = Made::plain("convolution", &reads, shape, input.dtype).work(counted, needed);
    made.windows = Some(windows);
    op.made(made)
}
