//! Reductions along dimensions, and what sorts or picks along one.

use super::{Entry, Made, Op, either, floats, op};
use crate::eval::{Object, Outcome, Reason};
use crate::tensor::Array;
use crate::trace::Kind;
use crate::value::DType;

pub(super) const TABLE: &[Entry] = &[
    op(
        "tm",
        "sum nansum",
        "input dim=None keepdim=False dtype=None",
        sum,
    ),
    op("tm", "prod", "input dim=None keepdim=False dtype=None", sum),
    op(
        "tm",
        "mean nanmean",
        "input dim=None keepdim=False dtype=None",
        mean,
    ),
    op(
        "tm",
        "std var",
        "input dim=None unbiased=True keepdim=False correction=None",
        spread,
    ),
    op(
        "t",
        "std_mean var_mean",
        "input dim=None unbiased=True keepdim=False correction=None",
        spread_pair,
    ),
    op("tms", "logsumexp", "input dim keepdim=False", floating),
    op(
        "tm",
        "amax amin",
        "input dim=None keepdim=False",
        extreme_all,
    ),
    op("tm", "aminmax", "input dim=None keepdim=False", both),
    op(
        "tm",
        "argmax argmin",
        "input dim=None keepdim=False",
        argument,
    ),
    op("tm", "max min", "input dim=None keepdim=False", extreme),
    op(
        "tm",
        "median nanmedian mode",
        "input dim=None keepdim=False",
        extreme,
    ),
    op("tm", "any all", "input dim=None keepdim=False", truth),
    op("tm", "count_nonzero", "input dim=None", count),
    op(
        "tm",
        "norm",
        "input p=fro dim=None keepdim=False dtype=None",
        norm,
    ),
    op(
        "l",
        "norm",
        "input p=None dim=None keepdim=False dtype=None",
        norm,
    ),
    op(
        "l",
        "vector_norm",
        "input ord=2 dim=None keepdim=False dtype=None",
        norm,
    ),
    op(
        "tm",
        "sort msort",
        "input dim=-1 descending=False stable=False",
        sort,
    ),
    op(
        "tm",
        "argsort",
        "input dim=-1 descending=False stable=False",
        sort,
    ),
    op(
        "tm",
        "topk",
        "input k dim=-1 largest=True sorted=True",
        topk,
    ),
    op("tm", "kthvalue", "input k dim=-1 keepdim=False", extreme),
    op("tm", "quantile", "input q dim=None keepdim=False", quantile),
    either("tm", "renorm", "input p dim maxnorm", keep),
    op("t", "dist", "input other p=2", dist),
    op("tm", "equal", "input other", unknown_truth),
];

/// The shape without the reduced dimensions.
pub(super) fn reduced(shape: &[i64], dims: &[usize], keeps: bool) -> Vec<i64> {
    let kept = shape.iter().enumerate();
    kept.filter_map(|(at, &size)| match dims.contains(&at) {
        true if keeps => Some(1),
        true => None,
        false => Some(size),
    })
    .collect()
}

fn shape(op: &mut Op<'_, '_>, input: &Array) -> Result<Vec<i64>, Reason> {
    let dims = op.dims("dim", input.dims())?;
    let keeps = op.bool("keepdim")?;
    Ok(reduced(&input.shape, &dims, keeps))
}

fn reduce(op: &mut Op<'_, '_>, dtype: impl Fn(&Op<'_, '_>, DType) -> DType, kind: Kind) -> Outcome {
    let input = op.array("input")?;
    let shape = shape(op, &input)?;
    let dtype = op.dtype("dtype")?.unwrap_or(dtype(op, input.dtype));
    op.result(&[&input], shape, dtype, kind)
}

fn sum(op: &mut Op<'_, '_>) -> Outcome {
    let kind = if op.name == "sum" {
        Kind::Reduction
    } else {
        Kind::Other
    };
    reduce(
        op,
        |_, dtype| {
            if dtype.category() < 2 {
                DType::I64
            } else {
                dtype
            }
        },
        kind,
    )
}

fn mean(op: &mut Op<'_, '_>) -> Outcome {
    reduce(op, |_, dtype| dtype, Kind::Reduction)
}

fn spread(op: &mut Op<'_, '_>) -> Outcome {
    whole_by_flag(op);
    reduce(op, |_, dtype| dtype, Kind::Other)
}

fn spread_pair(op: &mut Op<'_, '_>) -> Outcome {
    whole_by_flag(op);
    let input = op.array("input")?;
    let shape = shape(op, &input)?;
    let name = op.name;
    let reads = [&input];
    let mut made = Made::plain(name, &reads, shape.clone(), input.dtype);
    made.outputs.push((shape, input.dtype));
    op.made_tuple(made)
}

/// `x.std(False)`: a bool in the place of the dimension says whether to correct.
fn whole_by_flag(op: &mut Op<'_, '_>) {
    for (name, value) in &mut op.args.values {
        if *name == "dim" && matches!(value, Object::Bool(_)) {
            *value = Object::None;
        }
    }
}

fn floating(op: &mut Op<'_, '_>) -> Outcome {
    reduce(op, floats, Kind::Other)
}

fn extreme_all(op: &mut Op<'_, '_>) -> Outcome {
    reduce(op, |_, dtype| dtype, Kind::Extreme)
}

fn truth(op: &mut Op<'_, '_>) -> Outcome {
    reduce(op, |_, _| DType::Bool, Kind::Other)
}

fn count(op: &mut Op<'_, '_>) -> Outcome {
    reduce(op, |_, _| DType::I64, Kind::Other)
}

fn norm(op: &mut Op<'_, '_>) -> Outcome {
    op.name = "linalg_vector_norm";
    reduce(op, floats, Kind::Other)
}

fn argument(op: &mut Op<'_, '_>) -> Outcome {
    reduce(op, |_, _| DType::I64, Kind::Other)
}

fn both(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let shape = shape(op, &input)?;
    let reads = [&input];
    let mut made = Made::plain("aminmax", &reads, shape.clone(), input.dtype);
    made.outputs.push((shape, input.dtype));
    op.made_tuple(made)
}

/// Of all elements, of two tensors, or along a dimension with the positions.
fn extreme(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    if let Object::Array(_) = op.arg("dim") {
        let path = if op.name == "max" {
            "torch.maximum"
        } else {
            "torch.minimum"
        };
        let args = vec![op.arg("input").clone(), op.arg("dim").clone()];
        return op.call(path, args, Vec::new());
    }
    if !op.is_given("dim") {
        return op.result(&[&input], Vec::new(), input.dtype, Kind::Extreme);
    }
    let at = op.dim("dim", input.dims())?;
    let shape = reduced(&input.shape, &[at], op.bool("keepdim")?);
    let name = op.name;
    let reads = [&input];
    let mut made = Made::plain(name, &reads, shape.clone(), input.dtype).kind(Kind::Extreme);
    made.outputs.push((shape, DType::I64));
    op.made_tuple(made)
}

fn sort(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let reads = [&input];
    let shape = input.shape.clone();
    if op.name == "argsort" {
        return op.made(Made::plain("sort", &reads, shape, DType::I64));
    }
    let mut made = Made::plain("sort", &reads, shape.clone(), input.dtype);
    if op.name == "msort" {
        return op.made(made);
    }
    made.outputs.push((shape, DType::I64));
    op.made_tuple(made)
}

fn topk(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    let at = op.dim("dim", input.dims())?;
    let k = op.int("k")?;
    let mut shape = input.shape.clone();
    match shape.get_mut(at) {
        Some(size) if (0..=*size).contains(&k) => *size = k,
        _ => return Err("`k` is out of range".into()),
    }
    let reads = [&input];
    let mut made = Made::plain("topk", &reads, shape.clone(), input.dtype);
    made.outputs.push((shape, DType::I64));
    op.made_tuple(made)
}

fn quantile(op: &mut Op<'_, '_>) -> Outcome {
    if op.arg("q").as_float().is_none() {
        return Err("a tensor of quantiles has no rule".into());
    }
    reduce(op, |_, dtype| dtype, Kind::Other)
}

fn keep(op: &mut Op<'_, '_>) -> Outcome {
    let input = op.array("input")?;
    op.result(&[&input], input.shape.clone(), input.dtype, Kind::Other)
}

fn dist(op: &mut Op<'_, '_>) -> Outcome {
    let (input, other) = (op.array("input")?, op.array("other")?);
    op.result(&[&input, &other], Vec::new(), input.dtype, Kind::Other)
}

fn unknown_truth(_: &mut Op<'_, '_>) -> Outcome {
    Err("depends on elements of a tensor".into())
}
