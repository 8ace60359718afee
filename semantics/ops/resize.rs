//! Operations that change a picture's size or lay its patches out.

use super::{Entry, Made, Op, op};
use crate::eval::{Object, Outcome};
use crate::trace::Kind;
use crate::work::Slide;

pub(super) const TABLE: &[Entry] = &[
    op(
        "f",
        "interpolate upsample",
        "input size=None scale_factor=None mode=nearest align_corners=None recompute_scale_factor=None antialias=False",
        interpolate,
    ),
    op("tf", "pixel_shuffle", "input upscale_factor", pixel_shuffle),
    op(
        "tf",
        "pixel_unshuffle",
        "input downscale_factor",
        pixel_unshuffle,
    ),
    op(
        "tf",
        "channel_shuffle native_channel_shuffle",
        "input groups",
        keep,
    ),
    op(
        "f",
        "grid_sample",
        "input grid mode=bilinear padding_mode=zeros align_corners=None",
        grid_sample,
    ),
    op(
        "f",
        "affine_grid",
        "theta size align_corners=None",
        affine_grid,
    ),
    op(
        "f",
        "unfold",
        "input kernel_size dilation=1 padding=0 stride=1",
        unfold,
    ),
    op(
        "f",
        "fold",
        "input output_size kernel_size dilation=1 padding=0 stride=1",
        fold,
    ),
];

fn keep(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    op.result(&[&input], input.shape.clone(), input.dtype, Kind::Linear)
}

fn interpolate(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let dims = input
        .dims()
        .checked_sub(2)
        .filter(|&dims| dims > 0)
        .ok_or("no spatial dimensions")?;
    let mut shape = input.shape[..2].to_vec();
    if op.is_given("size") {
        shape.extend(op.per_dim("size", dims)?);
    } else {
        let factors = match op.arg("scale_factor").clone() {
            list @ (Object::Tuple(_) | Object::List(_)) => op.evaluator.iterate(&list)?,
            one => vec![one; dims],
        };
        if factors.len() != dims {
            return Err("the factors don't fit the input".into());
        }
        for (&size, factor) in input.shape[2..].iter().zip(&factors) {
            let factor = factor.as_float().ok_or("a factor is no number")?;
            let scaled = (size as f64 * factor).floor();
            if !(0.0..9e15).contains(&scaled) {
                return Err("the size doesn't fit".into());
            }
            #[expect(clippy::cast_possible_truncation, reason = "the bounds are checked")]
            shape.push(scaled as i64);
        }
    }
    op.name = "interpolate";
    op.result(&[&input], shape, input.dtype, Kind::Linear)
}

fn pixel_shuffle(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let factor = op.int("upscale_factor")?;
    let area = factor
        .checked_mul(factor)
        .filter(|&area| area > 0)
        .ok_or("no such factor")?;
    let dims = input.dims();
    if dims < 3 || input.shape[dims - 3] % area != 0 {
        return Err("the channels don't fit the factor".into());
    }
    let mut shape = input.shape.clone();
    shape[dims - 3] /= area;
    for size in &mut shape[dims - 2..] {
        *size = size.checked_mul(factor).ok_or("the size doesn't fit")?;
    }
    op.made(Made::plain("pixel_shuffle", &[&input], shape, input.dtype).kind(Kind::Linear))
}

fn pixel_unshuffle(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let factor = op.int("downscale_factor")?;
    let dims = input.dims();
    if dims < 3
        || factor < 1
        || input.shape[dims - 2..]
            .iter()
            .any(|size| size % factor != 0)
    {
        return Err("the sizes don't fit the factor".into());
    }
    let mut shape = input.shape.clone();
    let channels = shape[dims - 3]
        .checked_mul(factor)
        .and_then(|c| c.checked_mul(factor));
    shape[dims - 3] = channels.ok_or("the size doesn't fit")?;
    for size in &mut shape[dims - 2..] {
        *size /= factor;
    }
    op.made(Made::plain("pixel_unshuffle", &[&input], shape, input.dtype).kind(Kind::Linear))
}

fn grid_sample(op: &mut Op<'_, '_>) -> Outcome {
    let (input, grid) = (op.array("input")?, op.array("grid")?);
    if input.dims() < 4 || grid.dims() != input.dims() {
        return Err("the grid doesn't fit the input".into());
    }
    let mut shape = input.shape[..2].to_vec();
    shape.extend(&grid.shape[1..grid.dims() - 1]);
    op.flag(
        "data-dependent",
        "which elements are read depends on the grid".to_owned(),
    );
    op.made(Made::plain(
        "grid_sampler",
        &[&input, &grid],
        shape,
        input.dtype,
    ))
}

fn affine_grid(op: &mut Op<'_, '_>) -> Outcome {
    let theta = op.array("theta")?;
    let size = op.ints("size")?;
    if size.len() < 4 {
        return Err("the size doesn't fit".into());
    }
    let mut shape = vec![size[0]];
    shape.extend(&size[2..]);
    shape.push(i64::try_from(size.len() - 2).unwrap_or(i64::MAX));
    op.made(Made::plain(
        "affine_grid_generator",
        &[&theta],
        shape,
        theta.dtype,
    ))
}

fn unfold(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let (shape, blocks) = blocks(op, &input.shape, input.dims().checked_sub(3))?;
    let leading = &input.shape[..input.dims() - 2];
    let mut result = leading.to_vec();
    if let Some(channels) = result.last_mut() {
        *channels = channels.checked_mul(shape).ok_or("the size doesn't fit")?;
    }
    result.push(blocks);
    op.made(Made::plain("im2col", &[&input], result, input.dtype).kind(Kind::Linear))
}

/// Elements of a block, and number of blocks, over the last two dimensions.
fn blocks(
    op: &mut Op<'_, '_>,
    shape: &[i64],
    leading: Option<usize>,
) -> Result<(i64, i64), crate::eval::Reason> {
    if !matches!(leading, Some(0 | 1)) {
        return Err("not a picture".into());
    }
    let kernel = op.per_dim("kernel_size", 2)?;
    let (stride, padding, dilation) = (
        op.per_dim("stride", 2)?,
        op.per_dim("padding", 2)?,
        op.per_dim("dilation", 2)?,
    );
    let mut blocks = 1_i64;
    for at in 0..2 {
        let slide = Slide {
            length: shape[shape.len() - 2 + at],
            kernel: kernel[at],
            stride: stride[at],
            padding: padding[at],
            dilation: dilation[at],
        };
        let count = slide.windows().ok_or("the window doesn't fit the input")?;
        blocks = blocks.checked_mul(count).ok_or("the size doesn't fit")?;
    }
    let block = kernel[0]
        .checked_mul(kernel[1])
        .ok_or("the size doesn't fit")?;
    Ok((block, blocks))
}

fn fold(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let size = op.per_dim("output_size", 2)?;
    let dims = input.dims();
    if !(2..=3).contains(&dims) {
        return Err("not blocks of a picture".into());
    }
    let (block, count) = blocks(op, &size, Some(0))?;
    if input.shape[dims - 1] != count || input.shape[dims - 2] % block != 0 {
        return Err("the blocks don't fit the output".into());
    }
    let mut shape = input.shape[..dims - 2].to_vec();
    shape.push(input.shape[dims - 2] / block);
    shape.extend(size);
    op.made(Made::plain("col2im", &[&input], shape, input.dtype).kind(Kind::Linear))
}
