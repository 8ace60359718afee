//! Pooling.

use super::conv::spatial;
use super::{Entry, Made, Op, op};
use crate::eval::{Object, Outcome, Reason};
use crate::region::Window;
use crate::tensor::Array;
use crate::trace::Kind;
use crate::value::DType;
use crate::work::Slide;

pub(super) const TABLE: &[Entry] = &[
    op(
        "tf",
        "max_pool1d max_pool2d max_pool3d",
        "input kernel_size stride=None padding=0 dilation=1 ceil_mode=False return_indices=False",
        pool,
    ),
    op(
        "tf",
        "avg_pool1d",
        "input kernel_size stride=None padding=0 ceil_mode=False count_include_pad=True",
        pool,
    ),
    op(
        "tf",
        "avg_pool2d avg_pool3d",
        "input kernel_size stride=None padding=0 ceil_mode=False count_include_pad=True divisor_override=None",
        pool,
    ),
    op(
        "f",
        "lp_pool1d lp_pool2d lp_pool3d",
        "input norm_type kernel_size stride=None ceil_mode=False",
        pool,
    ),
    op(
        "tf",
        "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d",
        "input output_size",
        adaptive,
    ),
    op(
        "tf",
        "adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d",
        "input output_size return_indices=False",
        adaptive,
    ),
    op(
        "f",
        "max_unpool1d max_unpool2d max_unpool3d",
        "input indices kernel_size stride=None padding=0 output_size=None",
        unpool,
    ),
];

fn leading(input: &Array, dims: usize) -> Result<usize, Reason> {
    match input.dims() {
        have if have == dims + 1 || have == dims + 2 => Ok(have - dims),
        have => Err(format!("{have} dimensions where {} are meant", dims + 2).into()),
    }
}

fn pool(op: &mut Op<'_, '_>) -> Outcome {
    let dims = spatial(op.name);
    let input = op.array("input")?;
    let leading = leading(&input, dims)?;
    let kernel = op.per_dim("kernel_size", dims)?;
    let stride = match op.arg("stride").clone() {
        Object::None => kernel.clone(),
        Object::List(_) | Object::Tuple(_) if op.ints("stride")?.is_empty() => kernel.clone(),
        _ => op.per_dim("stride", dims)?,
    };
    let zeros = vec![0; dims];
    let padding = if op.is_given("padding") {
        op.per_dim("padding", dims)?
    } else {
        zeros
    };
    let dilation = if op.is_given("dilation") {
        op.per_dim("dilation", dims)?
    } else {
        vec![1; dims]
    };
    let rounds_up = op.bool("ceil_mode")?;
    let mut shape = input.shape[..leading].to_vec();
    let mut windows = vec![Window::All; leading];
    for at in 0..dims {
        let slide = Slide {
            length: input.shape[leading + at],
            kernel: kernel[at],
            stride: stride[at],
            padding: padding[at],
            dilation: dilation[at],
        };
        let total = slide
            .padding
            .checked_mul(2)
            .ok_or("the padding is too large")?;
        let count = slide
            .windows_of(total, rounds_up)
            .ok_or("the window doesn't fit the input")?;
        shape.push(count);
        windows.push(op.window(&input, &slide, count)?);
    }
    let is_max = op.name.starts_with("max");
    let name = op.name;
    let kind = if name.starts_with("avg") {
        Kind::Reduction
    } else {
        Kind::Other
    };
    let reads = [&input];
    let mut made = Made::plain(name, &reads, shape.clone(), input.dtype).kind(kind);
    made.windows = Some(windows);
    if is_max && op.bool("return_indices")? {
        made.outputs.push((shape, DType::I64));
        return op.made_tuple(made);
    }
    op.made(made)
}

fn adaptive(op: &mut Op<'_, '_>) -> Outcome {
    let dims = spatial(op.name);
    let input = op.array("input")?;
    let leading = leading(&input, dims)?;
    let mut shape = input.shape.clone();
    let sizes = match op.arg("output_size").clone() {
        sizes @ (Object::Tuple(_) | Object::List(_)) => op.evaluator.iterate(&sizes)?,
        size => vec![size; dims],
    };
    let sizes = if sizes.len() == 1 {
        vec![sizes[0].clone(); dims]
    } else {
        sizes
    };
    if sizes.len() != dims {
        return Err("the output size doesn't fit the input".into());
    }
    for (size, given) in shape[leading..].iter_mut().zip(&sizes) {
        if !matches!(given, Object::None) {
            *size = op.int_in(given)?;
        }
    }
    let name = op.name;
    let kind = if name.starts_with("adaptive_avg") {
        Kind::Reduction
    } else {
        Kind::Other
    };
    let reads = [&input];
    let mut made = Made::plain(name, &reads, shape.clone(), input.dtype).kind(kind);
    if op.bool("return_indices")? {
        made.outputs.push((shape, DType::I64));
        return op.made_tuple(made);
    }
    op.made(made)
}

fn unpool(op: &mut Op<'_, '_>) -> Outcome {
    let dims = spatial(op.name);
    let (input, indices) = (op.array("input")?, op.array("indices")?);
    let leading = leading(&input, dims)?;
    let kernel = op.per_dim("kernel_size", dims)?;
    let stride = if op.is_given("stride") {
        op.per_dim("stride", dims)?
    } else {
        kernel.clone()
    };
    let padding = op.per_dim("padding", dims)?;
    let mut shape = input.shape.clone();
    if op.is_given("output_size") {
        let sizes = op.ints("output_size")?;
        let from = sizes
            .len()
            .checked_sub(dims)
            .ok_or("the output size doesn't fit")?;
        shape[leading..].copy_from_slice(&sizes[from..]);
    } else {
        for at in 0..dims {
            let size = &mut shape[leading + at];
            *size = (*size - 1)
                .checked_mul(stride[at])
                .and_then(|size| size.checked_sub(padding[at].checked_mul(2)?))
                .and_then(|size| size.checked_add(kernel[at]))
                .ok_or("the output has no size")?;
        }
    }
    op.flag(
        "data-dependent",
        "where elements go depends on indices".to_owned(),
    );
    op.result(&[&input, &indices], shape, input.dtype, Kind::Other)
}
