//! Operations that make tensors out of sizes or Python values.

use std::sync::Arc;

use super::{MAX_DIMS, checked, size, tensor_of};
use crate::eval::{Call, Object, Outcome, Reason, Rule, no_effect};
use crate::value::{DType, Dim, Origin, Tensor};

pub(super) const RULES: &[Rule] = &[
    Rule {
        // `rand_mix` is added to torch by suites that mix distributions.
        names: &[
            "torch.rand",
            "torch.randn",
            "torch.rand_mix",
            "torch.zeros",
            "torch.ones",
            "torch.empty",
            "torch.Tensor",
            "torch.FloatTensor",
        ],
        apply: sized,
    },
    Rule {
        names: &["torch.full"],
        apply: full,
    },
    Rule {
        names: &["torch.randint"],
        apply: randint,
    },
    Rule {
        names: &["torch.randperm"],
        apply: randperm,
    },
    Rule {
        names: &["torch.arange"],
        apply: arange,
    },
    Rule {
        names: &["torch.linspace"],
        apply: linspace,
    },
    Rule {
        names: &["torch.eye"],
        apply: eye,
    },
    Rule {
        names: &["torch.normal"],
        apply: normal,
    },
    Rule {
        names: &["torch.tensor", "torch.as_tensor"],
        apply: tensor,
    },
    Rule {
        names: &[
            "torch.rand_like",
            "torch.randn_like",
            "torch.randint_like",
            "torch.zeros_like",
            "torch.ones_like",
            "torch.empty_like",
            "torch.full_like",
        ],
        apply: like,
    },
    Rule {
        names: &[
            "torch.manual_seed",
            "torch.seed",
            "torch.cuda.manual_seed",
            "torch.cuda.manual_seed_all",
            "torch.set_printoptions",
        ],
        apply: no_effect,
    },
    Rule {
        names: &["torch.set_default_dtype"],
        apply: set_default_dtype,
    },
    Rule {
        names: &["torch.device"],
        apply: device,
    },
];

/// Arguments that change neither shape, dtype nor draw.
const PLACEMENT: &[&str] = &[
    "device",
    "generator",
    "layout",
    "memory_format",
    "pin_memory",
    "requires_grad",
];

/// The dtype a call states, or the one it has by default.
fn dtype(call: &mut Call<'_, '_>, default: DType) -> Result<DType, Reason> {
    call.ignore(PLACEMENT);
    match call.keyword("dtype")? {
        None | Some(Object::None) => Ok(default),
        Some(Object::DType(dtype)) => Ok(dtype),
        Some(other) => Err(format!("not a dtype but {}", other.type_name()).into()),
    }
}

/// Sizes given one by one or as one sequence.
fn shape(call: &mut Call<'_, '_>, from: usize) -> Result<Vec<Dim>, Reason> {
    let mut sizes = call.rest(from)?;
    if sizes.is_empty() {
        sizes.extend(call.keyword("size")?);
    }
    if let [only @ (Object::Tuple(_) | Object::List(_))] = &sizes[..] {
        sizes = call
            .evaluator
            .items_of(only)
            .ok_or("the size is not static")?;
    }
    sizes.iter().map(size).collect()
}

fn made(shape: Vec<Dim>, dtype: DType, draw: &str) -> Outcome {
    checked(Tensor {
        shape,
        dtype,
        draw: Arc::from(draw),
    })
}

/// Counts a random tensor.
fn drawn(call: &mut Call<'_, '_>) {
    call.evaluator.drawn += 1;
}

fn sized(call: &mut Call<'_, '_>) -> Outcome {
    let default = call.evaluator.default_dtype;
    let dtype = dtype(call, default)?;
    let shape = shape(call, 0)?;
    let draw = match call.name {
        "Tensor" | "FloatTensor" => "empty",
        name => name,
    };
    if draw.starts_with("rand") {
        drawn(call);
    }
    made(shape, dtype, draw)
}

/// The dtype torch infers from a Python number.
fn dtype_of(call: &Call<'_, '_>, value: &Object) -> Result<DType, Reason> {
    Ok(match value {
        Object::Bool(_) => DType::Bool,
        Object::Int(..) => DType::I64,
        Object::Float(_) => call.evaluator.default_dtype,
        other => return Err(format!("not a number but {}", other.type_name()).into()),
    })
}

fn full(call: &mut Call<'_, '_>) -> Outcome {
    let sizes = call.need(0, "size")?;
    let value = call.need(1, "fill_value")?;
    let default = dtype_of(call, &value)?;
    let dtype = dtype(call, default)?;
    let sizes = call
        .evaluator
        .items_of(&sizes)
        .ok_or("the size is not static")?;
    made(
        sizes.iter().map(size).collect::<Result<_, _>>()?,
        dtype,
        "full",
    )
}

/// `randint(high, size)` or `randint(low, high, size)`; the bounds, known or not, change
/// nothing that is kept.
fn randint(call: &mut Call<'_, '_>) -> Outcome {
    let dtype = dtype(call, DType::I64)?;
    let size_keyword = call.keyword("size")?;
    let mut args = call.rest_unchecked(0);
    call.ignore(&["low", "high"]);
    let sizes = match size_keyword.or_else(|| args.pop()) {
        Some(Object::Unknown(unknown)) => return Err(unknown.into()),
        sizes => sizes.and_then(|sizes| call.evaluator.items_of(&sizes)),
    };
    let sizes = sizes.ok_or("the size is not static")?;
    drawn(call);
    made(
        sizes.iter().map(size).collect::<Result<_, _>>()?,
        dtype,
        "randint",
    )
}

fn randperm(call: &mut Call<'_, '_>) -> Outcome {
    let dtype = dtype(call, DType::I64)?;
    let n = size(&call.need(0, "n")?)?;
    drawn(call);
    made(vec![n], dtype, "randperm")
}

fn arange(call: &mut Call<'_, '_>) -> Outcome {
    let mut bounds = call.rest(0)?;
    for bound in ["start", "end", "step"] {
        bounds.extend(call.keyword(bound)?);
    }
    let is_float = bounds.iter().any(|bound| matches!(bound, Object::Float(_)));
    let default = if is_float {
        call.evaluator.default_dtype
    } else {
        DType::I64
    };
    let dtype = dtype(call, default)?;
    let dim = if let [end @ Object::Int(end_value, _)] = &bounds[..] {
        if *end_value < 0 {
            return Err("a size is negative".into());
        }
        size(end)?
    } else {
        let numbers: Option<Vec<f64>> = bounds.iter().map(Object::as_float).collect();
        let (start, end, step) = match numbers.as_deref() {
            Some([end]) => (0.0, *end, 1.0),
            Some([start, end]) => (*start, *end, 1.0),
            Some([start, end, step]) if *step != 0.0 => (*start, *end, *step),
            _ => return Err("the bounds have no rule".into()),
        };
        let count = ((end - start) / step).ceil();
        // Up to 2^53 a float counts exactly.
        if !(0.0..9_007_199_254_740_992.0).contains(&count) {
            return Err("the bounds have no rule".into());
        }
        #[expect(clippy::cast_possible_truncation, reason = "the bounds are checked")]
        let count = count as i64;
        Dim::derived(count)
    };
    made(vec![dim], dtype, "arange")
}

fn linspace(call: &mut Call<'_, '_>) -> Outcome {
    let default = call.evaluator.default_dtype;
    let dtype = dtype(call, default)?;
    call.need(0, "start")?;
    call.need(1, "end")?;
    let steps = size(&call.need(2, "steps")?)?;
    made(vec![steps], dtype, "linspace")
}

fn eye(call: &mut Call<'_, '_>) -> Outcome {
    let default = call.evaluator.default_dtype;
    let dtype = dtype(call, default)?;
    let n = size(&call.need(0, "n")?)?;
    let m = match call.take(1, "m")? {
        Some(m) => size(&m)?,
        None => n.clone(),
    };
    made(vec![n, m], dtype, "eye")
}

fn normal(call: &mut Call<'_, '_>) -> Outcome {
    let default = call.evaluator.default_dtype;
    let dtype = dtype(call, default)?;
    for (at, name) in ["mean", "std"].into_iter().enumerate() {
        if call.need(at, name)?.as_float().is_none() {
            return Err("the bounds have no rule".into());
        }
    }
    let sizes = call.need(2, "size")?;
    let sizes = call
        .evaluator
        .items_of(&sizes)
        .ok_or("the size is not static")?;
    drawn(call);
    made(
        sizes.iter().map(size).collect::<Result<_, _>>()?,
        dtype,
        "normal",
    )
}

/// Of a number, or of nested sequences of numbers of equal lengths.
fn tensor(call: &mut Call<'_, '_>) -> Outcome {
    let data = call.need(0, "data")?;
    if let Object::Tensor(given) = &data {
        let dtype = dtype(call, given.dtype)?;
        return Ok(Object::tensor(Tensor {
            dtype,
            ..(**given).clone()
        }));
    }
    let mut shape = Vec::new();
    let mut level = vec![data];
    while matches!(level.first(), Some(Object::List(_) | Object::Tuple(_))) {
        if shape.len() == MAX_DIMS {
            return Err("the tensor has too many dimensions".into());
        }
        let mut next = Vec::new();
        let mut length = None;
        for item in &level {
            let items = call
                .evaluator
                .items_of(item)
                .ok_or("the data are not regular")?;
            call.evaluator.charge(items.len() + 1)?;
            if length.is_some_and(|length| length != items.len()) {
                return Err("the data are not regular".into());
            }
            length = Some(items.len());
            next.extend(items);
        }
        shape.push(Dim {
            size: i64::try_from(length.unwrap_or(0)).unwrap_or(i64::MAX),
            origin: Origin::Derived,
        });
        level = next;
    }
    let mut default = None;
    for value in &level {
        let found = match value {
            Object::Unknown(unknown) => return Err(unknown.clone().into()),
            value => dtype_of(call, value)?,
        };
        if default.is_none_or(|known: DType| known.category() < found.category()) {
            default = Some(found);
        }
    }
    let default = default.unwrap_or(call.evaluator.default_dtype);
    let dtype = dtype(call, default)?;
    made(shape, dtype, "tensor")
}

fn like(call: &mut Call<'_, '_>) -> Outcome {
    let given = tensor_of(call.need(0, "input")?)?;
    let dtype = dtype(call, given.dtype)?;
    // Bounds and fill values, which change no shape.
    call.rest(1)?;
    call.ignore(&["fill_value", "low", "high"]);
    let draw = call.name.trim_end_matches("_like").to_owned();
    if draw.starts_with("rand") {
        drawn(call);
    }
    made(given.shape.iter().map(Dim::carried).collect(), dtype, &draw)
}

fn set_default_dtype(call: &mut Call<'_, '_>) -> Outcome {
    let Object::DType(dtype) = call.need(0, "d")? else {
        return Err("the dtype is not static".into());
    };
    call.evaluator.default_dtype = dtype;
    Ok(Object::None)
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of a rule")]
fn device(call: &mut Call<'_, '_>) -> Outcome {
    call.discard();
    Ok(Object::External("torch.device".into()))
}
