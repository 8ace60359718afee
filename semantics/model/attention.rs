//! Multi-head attention, in training mode.

use super::{Row, call_child, child, dtype, flag, int, is_training, layer, own, parameter};
use crate::eval::args::Args;
use crate::eval::object::InstanceId;
use crate::eval::{Evaluator, Object, Outcome, Reason};
use crate::ops;

const HEADS: &str = "embed_dim num_heads dropout=0.0 bias=True add_bias_kv=False add_zero_attn=False kdim=None vdim=None batch_first=False dtype=None";

pub(super) const TABLE: &[Row] = &[layer("MultiheadAttention", HEADS, Some(heads), attend)];

fn heads(evaluator: &mut Evaluator<'_>, id: InstanceId, args: &Args) -> Result<(), Reason> {
    let dtype = dtype(evaluator, args)?;
    let width = int(args, "embed_dim")?;
    let size = |name: &str| args.get(name).as_int().unwrap_or(width);
    let (keys, values) = (size("kdim"), size("vdim"));
    if flag(evaluator, args, "add_bias_kv")? || flag(evaluator, args, "add_zero_attn")? {
        return Err("added keys and values have no rule".into());
    }
    let tripled = width.checked_mul(3).ok_or("the size doesn't fit")?;
    if (keys, values) == (width, width) {
        parameter(evaluator, id, "in_proj_weight", &[tripled, width], dtype)?;
    } else {
        parameter(evaluator, id, "q_proj_weight", &[width, width], dtype)?;
        parameter(evaluator, id, "k_proj_weight", &[width, keys], dtype)?;
        parameter(evaluator, id, "v_proj_weight", &[width, values], dtype)?;
    }
    if flag(evaluator, args, "bias")? {
        parameter(evaluator, id, "in_proj_bias", &[tripled], dtype)?;
    } else {
        evaluator.set_attribute(id, "in_proj_bias", Object::None);
    }
    let keywords = vec![
        ("bias", args.get("bias").clone()),
        ("dtype", args.get("dtype").clone()),
    ];
    child(
        evaluator,
        id,
        "out_proj",
        "Linear",
        vec![Object::int(width), Object::int(width)],
        keywords,
    )?;
    Ok(())
}

/// Short for an operation on objects.
pub(super) fn op(evaluator: &mut Evaluator<'_>, path: &str, args: Vec<Object>) -> Outcome {
    ops::call(evaluator, path, args, Vec::new())
}

fn shape(evaluator: &Evaluator<'_>, object: &Object) -> Result<Vec<i64>, Reason> {
    match object {
        Object::Array(id) => Ok(evaluator.heap.array_of(*id).shape.clone()),
        Object::Unknown(unknown) => Err(Reason::From(unknown.clone())),
        other => Err(format!("not a tensor but {}", other.type_name()).into()),
    }
}

fn reshaped(evaluator: &mut Evaluator<'_>, object: Object, sizes: &[i64]) -> Outcome {
    let sizes = sizes.iter().map(|&size| Object::int(size)).collect();
    let sizes = evaluator.heap.tuple(sizes);
    op(evaluator, "torch.reshape", vec![object, sizes])
}

/// The projections of query, key and value: one product where they are the same tensor.
fn projections(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    inputs: &[Object; 3],
    width: i64,
) -> Result<Vec<Object>, Reason> {
    let (weight, bias) = (
        own(evaluator, id, "in_proj_weight"),
        own(evaluator, id, "in_proj_bias"),
    );
    let same =
        |a: &Object, b: &Object| matches!((a, b), (Object::Array(a), Object::Array(b)) if a == b);
    let linear = "torch.nn.functional.linear";
    if !matches!(weight, Object::None)
        && same(&inputs[0], &inputs[1])
        && same(&inputs[1], &inputs[2])
    {
        let all = op(evaluator, linear, vec![inputs[0].clone(), weight, bias])?;
        let parts = op(
            evaluator,
            "torch.chunk",
            vec![all, Object::int(3), Object::int(-1)],
        )?;
        return evaluator.iterate(&parts);
    }
    let mut projected = Vec::new();
    for (at, input) in (0_i64..).zip(inputs) {
        let from = width.checked_mul(at).ok_or("the size doesn't fit")?;
        let part = |evaluator: &mut Evaluator<'_>, tensor: Object| match tensor {
            Object::None => Ok(Object::None),
            tensor => op(
                evaluator,
                "torch.narrow",
                vec![
                    tensor,
                    Object::int(0),
                    Object::int(from),
                    Object::int(width),
                ],
            ),
        };
        let weight = match weight {
            Object::None => own(
                evaluator,
                id,
                ["q_proj_weight", "k_proj_weight", "v_proj_weight"]
                    [usize::try_from(at).unwrap_or(0).min(2)],
            ),
            ref weight => part(evaluator, weight.clone())?,
        };
        let bias = part(evaluator, bias.clone())?;
        projected.push(op(evaluator, linear, vec![input.clone(), weight, bias])?);
    }
    Ok(projected)
}

fn attend(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Outcome {
    let args = super::layers::bind(
        "query key value key_padding_mask=None need_weights=True attn_mask=None average_attn_weights=True is_causal=False",
        args,
        keywords,
    )?;
    let given = [
        args.get("query").clone(),
        args.get("key").clone(),
        args.get("value").clone(),
    ];
    let needs_weights = evaluator.truth(args.get("need_weights"))?;
    let averages = evaluator.truth(args.get("average_attn_weights"))?;
    let width = own(evaluator, id, "embed_dim")
        .as_int()
        .ok_or("a size is not static")?;
    let heads = own(evaluator, id, "num_heads")
        .as_int()
        .filter(|&heads| heads > 0)
        .ok_or("a size is not static")?;
    let batch_first = evaluator.truth(&own(evaluator, id, "batch_first"))?;
    let is_batched = shape(evaluator, &given[0])?.len() == 3;
    let depth = width / heads;
    let projected = projections(evaluator, id, &given, width)?;
    // To [batch, heads, steps, depth].
    let mut split = Vec::new();
    let mut steps = Vec::new();
    let mut batch = 1;
    for tensor in projected {
        let sizes = shape(evaluator, &tensor)?;
        let (b, s) = match (&sizes[..], batch_first) {
            ([b, s, _], true) | ([s, b, _], false) => (*b, *s),
            ([s, _], _) => (1, *s),
            _ => return Err("two or three dimensions are meant".into()),
        };
        let tensor = if is_batched && !batch_first {
            op(
                evaluator,
                "torch.transpose",
                vec![tensor, Object::int(0), Object::int(1)],
            )?
        } else {
            tensor
        };
        let tensor = reshaped(evaluator, tensor, &[b, s, heads, depth])?;
        split.push(op(
            evaluator,
            "torch.transpose",
            vec![tensor, Object::int(1), Object::int(2)],
        )?);
        steps.push(s);
        batch = b;
    }
    let [query, key, value] = &split[..] else {
        return Err("not three tensors".into());
    };
    let mask = args.get("attn_mask").clone();
    let mut weights = Object::None;
    let mixed = if needs_weights {
        let transposed = op(
            evaluator,
            "torch.transpose",
            vec![key.clone(), Object::int(-2), Object::int(-1)],
        )?;
        let mut scores = op(evaluator, "torch.matmul", vec![query.clone(), transposed])?;
        for mask in [mask, args.get("key_padding_mask").clone()] {
            scores = masked(evaluator, scores, &mask, batch)?;
        }
        scores = ops::call(
            evaluator,
            "torch.softmax",
            vec![scores],
            vec![("dim", Object::int(-1))],
        )?;
        let p = own(evaluator, id, "dropout");
        let training = Object::Bool(is_training(evaluator, id));
        let dropped = op(
            evaluator,
            "torch.nn.functional.dropout",
            vec![scores.clone(), p, training],
        )?;
        weights = dropped.clone();
        op(evaluator, "torch.matmul", vec![dropped, value.clone()])?
    } else {
        let causal = args.get("is_causal").clone();
        let mut keywords = Vec::new();
        if let Object::Array(_) = mask {
            keywords.push(("attn_mask", mask));
        } else {
            keywords.push(("is_causal", causal));
        }
        ops::call(
            evaluator,
            "torch.nn.functional.scaled_dot_product_attention",
            vec![query.clone(), key.clone(), value.clone()],
            keywords,
        )?
    };
    let mixed = op(
        evaluator,
        "torch.transpose",
        vec![mixed, Object::int(1), Object::int(2)],
    )?;
    let mixed = reshaped(evaluator, mixed, &[batch, steps[0], width])?;
    let mixed = call_child(evaluator, id, "out_proj", vec![mixed])?;
    let mixed = if !is_batched {
        reshaped(evaluator, mixed, &[steps[0], width])?
    } else if batch_first {
        mixed
    } else {
        op(
            evaluator,
            "torch.transpose",
            vec![mixed, Object::int(0), Object::int(1)],
        )?
    };
    if needs_weights && averages {
        weights = ops::call(
            evaluator,
            "torch.mean",
            vec![weights],
            vec![("dim", Object::int(1))],
        )?;
    }
    if needs_weights && !is_batched {
        weights = op(evaluator, "torch.squeeze", vec![weights, Object::int(0)])?;
    }
    Ok(evaluator.heap.tuple(vec![mixed, weights]))
}

/// A mask added to scores: of bools it is one that fills.
fn masked(evaluator: &mut Evaluator<'_>, scores: Object, mask: &Object, batch: i64) -> Outcome {
    let Object::Array(id) = mask else {
        return Ok(scores);
    };
    let array = evaluator.heap.array_of(*id).clone();
    // A padding mask has a batch dimension and one of keys.
    let mask = match array.shape[..] {
        [b, keys] if b == batch && shape(evaluator, &scores)?.get(2) != Some(&b) => {
            reshaped(evaluator, mask.clone(), &[b, 1, 1, keys])?
        }
        [both, queries, keys] if both != 1 && both != batch => {
            reshaped(evaluator, mask.clone(), &[batch, -1, queries, keys])?
        }
        _ => mask.clone(),
    };
    if array.dtype == crate::value::DType::Bool {
        return op(
            evaluator,
            "torch.masked_fill",
            vec![scores, mask, Object::Float(f64::NEG_INFINITY)],
        );
    }
    op(evaluator, "torch.add", vec![scores, mask])
}
