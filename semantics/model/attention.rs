//! Multi-head attention and the transformer layers made of it, in training mode.

use super::{Row, call_child, child, dtype, flag, int, is_training, layer, named, own, parameter};
use crate::eval::args::Args;
use crate::eval::object::InstanceId;
use crate::eval::{Evaluator, Object, Outcome, Reason};
use crate::ops;

const HEADS: &str = "embed_dim num_heads dropout=0.0 bias=True add_bias_kv=False add_zero_attn=False kdim=None vdim=None batch_first=False dtype=None";
const BLOCK: &str = "d_model nhead dim_feedforward=2048 dropout=0.1 activation=relu layer_norm_eps=1e-5 batch_first=False norm_first=False bias=True dtype=None";

pub(super) const TABLE: &[Row] = &[
    layer("MultiheadAttention", HEADS, Some(heads), attend),
    layer(
        "TransformerEncoderLayer",
        BLOCK,
        Some(encoder_layer),
        encode_layer,
    ),
    layer(
        "TransformerDecoderLayer",
        BLOCK,
        Some(decoder_layer),
        decode_layer,
    ),
    layer(
        "TransformerEncoder",
        "encoder_layer num_layers norm=None enable_nested_tensor=True mask_check=True",
        Some(stack),
        encode,
    ),
    layer(
        "TransformerDecoder",
        "decoder_layer num_layers norm=None",
        Some(stack),
        decode,
    ),
    layer(
        "Transformer",
        "d_model=512 nhead=8 num_encoder_layers=6 num_decoder_layers=6 dim_feedforward=2048 dropout=0.1 activation=relu custom_encoder=None custom_decoder=None layer_norm_eps=1e-5 batch_first=False norm_first=False bias=True dtype=None",
        Some(both),
        run_both,
    ),
];

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
fn op(evaluator: &mut Evaluator<'_>, path: &str, args: Vec<Object>) -> Outcome {
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

/// What encoder and decoder layers have in common.
fn block(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: &Args,
    norms: i64,
) -> Result<(), Reason> {
    let (width, inner) = (
        args.get("d_model").clone(),
        args.get("dim_feedforward").clone(),
    );
    let (bias, dtype, dropout) = (
        args.get("bias").clone(),
        args.get("dtype").clone(),
        args.get("dropout").clone(),
    );
    let attention = |evaluator: &mut Evaluator<'_>, name: &str| {
        let keywords = vec![
            ("dropout", dropout.clone()),
            ("bias", bias.clone()),
            ("batch_first", args.get("batch_first").clone()),
            ("dtype", dtype.clone()),
        ];
        child(
            evaluator,
            id,
            name,
            "MultiheadAttention",
            vec![width.clone(), args.get("nhead").clone()],
            keywords,
        )
    };
    attention(evaluator, "self_attn")?;
    if norms == 3 {
        attention(evaluator, "multihead_attn")?;
    }
    let keywords = || vec![("bias", bias.clone()), ("dtype", dtype.clone())];
    child(
        evaluator,
        id,
        "linear1",
        "Linear",
        vec![width.clone(), inner.clone()],
        keywords(),
    )?;
    child(
        evaluator,
        id,
        "dropout",
        "Dropout",
        vec![dropout.clone()],
        Vec::new(),
    )?;
    child(
        evaluator,
        id,
        "linear2",
        "Linear",
        vec![inner, width.clone()],
        keywords(),
    )?;
    for at in 1..=norms {
        let mut keywords = keywords();
        keywords.push(("eps", args.get("layer_norm_eps").clone()));
        child(
            evaluator,
            id,
            &format!("norm{at}"),
            "LayerNorm",
            vec![width.clone()],
            keywords,
        )?;
        child(
            evaluator,
            id,
            &format!("dropout{at}"),
            "Dropout",
            vec![dropout.clone()],
            Vec::new(),
        )?;
    }
    Ok(())
}

fn encoder_layer(evaluator: &mut Evaluator<'_>, id: InstanceId, args: &Args) -> Result<(), Reason> {
    block(evaluator, id, args, 2)
}

fn decoder_layer(evaluator: &mut Evaluator<'_>, id: InstanceId, args: &Args) -> Result<(), Reason> {
    block(evaluator, id, args, 3)
}

/// Attention of `query` over `memory`, with its dropout.
fn attention_part(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    name: &str,
    dropout: &str,
    [query, memory]: [Object; 2],
    mask: Object,
    is_causal: Object,
) -> Outcome {
    let callee = own(evaluator, id, name);
    let line = evaluator.line.unwrap_or(0);
    let keywords = vec![
        ("need_weights".to_owned(), Object::Bool(false)),
        ("attn_mask".to_owned(), mask),
        ("is_causal".to_owned(), is_causal),
    ];
    let result =
        evaluator.call_value(&callee, line, vec![query, memory.clone(), memory], keywords)?;
    let mixed = evaluator
        .iterate(&result)?
        .into_iter()
        .next()
        .unwrap_or(Object::None);
    call_child(evaluator, id, dropout, vec![mixed])
}

fn feed_forward(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    dropout: &str,
    input: Object,
) -> Outcome {
    let inner = call_child(evaluator, id, "linear1", vec![input])?;
    let activation = own(evaluator, id, "activation");
    let inner = match activation {
        Object::Str(name) => op(
            evaluator,
            &format!("torch.nn.functional.{name}"),
            vec![inner],
        )?,
        callee => {
            let line = evaluator.line.unwrap_or(0);
            evaluator.call_value(&callee, line, vec![inner], Vec::new())?
        }
    };
    let inner = call_child(evaluator, id, "dropout", vec![inner])?;
    let outer = call_child(evaluator, id, "linear2", vec![inner])?;
    call_child(evaluator, id, dropout, vec![outer])
}

/// One residual part: `x + f(norm(x))` or `norm(x + f(x))`.
fn residual(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    norm: &str,
    input: Object,
    part: impl FnOnce(&mut Evaluator<'_>, Object) -> Outcome,
) -> Outcome {
    if evaluator.truth(&own(evaluator, id, "norm_first"))? {
        let normed = call_child(evaluator, id, norm, vec![input.clone()])?;
        let result = part(evaluator, normed)?;
        return op(evaluator, "torch.add", vec![input, result]);
    }
    let result = part(evaluator, input.clone())?;
    let sum = op(evaluator, "torch.add", vec![input, result])?;
    call_child(evaluator, id, norm, vec![sum])
}

fn encode_layer(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Outcome {
    let args = super::layers::bind(
        "src src_mask=None src_key_padding_mask=None is_causal=False",
        args,
        keywords,
    )?;
    let (mask, causal) = (args.get("src_mask").clone(), args.get("is_causal").clone());
    let x = residual(
        evaluator,
        id,
        "norm1",
        args.get("src").clone(),
        |evaluator, x| {
            attention_part(
                evaluator,
                id,
                "self_attn",
                "dropout1",
                [x.clone(), x],
                mask,
                causal,
            )
        },
    )?;
    residual(evaluator, id, "norm2", x, |evaluator, x| {
        feed_forward(evaluator, id, "dropout2", x)
    })
}

fn decode_layer(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Outcome {
    let args = super::layers::bind(
        "tgt memory tgt_mask=None memory_mask=None tgt_key_padding_mask=None memory_key_padding_mask=None tgt_is_causal=False memory_is_causal=False",
        args,
        keywords,
    )?;
    let (mask, causal) = (
        args.get("tgt_mask").clone(),
        args.get("tgt_is_causal").clone(),
    );
    let x = residual(
        evaluator,
        id,
        "norm1",
        args.get("tgt").clone(),
        |evaluator, x| {
            attention_part(
                evaluator,
                id,
                "self_attn",
                "dropout1",
                [x.clone(), x],
                mask,
                causal,
            )
        },
    )?;
    let (mask, memory) = (args.get("memory_mask").clone(), args.get("memory").clone());
    let x = residual(evaluator, id, "norm2", x, |evaluator, x| {
        attention_part(
            evaluator,
            id,
            "multihead_attn",
            "dropout2",
            [x, memory],
            mask,
            Object::Bool(false),
        )
    })?;
    residual(evaluator, id, "norm3", x, |evaluator, x| {
        feed_forward(evaluator, id, "dropout3", x)
    })
}

/// Copies of one layer.
fn stack(evaluator: &mut Evaluator<'_>, id: InstanceId, args: &Args) -> Result<(), Reason> {
    let name = if matches!(args.get("encoder_layer"), Object::None) {
        "decoder_layer"
    } else {
        "encoder_layer"
    };
    let original = args.get(name).clone();
    let count = int(args, "num_layers")?;
    if !(0..=1_024).contains(&count) {
        return Err("such a number of layers has no rule".into());
    }
    let mut layers = Vec::new();
    for _ in 0..count {
        layers.push(evaluator.deep_copy(&original)?);
    }
    let list = evaluator.heap.list(layers);
    child(
        evaluator,
        id,
        "layers",
        "ModuleList",
        vec![list],
        Vec::new(),
    )?;
    // The layer they are copied from is no child.
    evaluator.set_attribute(id, name, Object::Bool(true));
    Ok(())
}

fn run_stack(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    mut x: Object,
    rest: &[Object],
    keywords: &[(String, Object)],
) -> Outcome {
    let Object::Instance(layers) = own(evaluator, id, "layers") else {
        return Err("the layers are gone".into());
    };
    let line = evaluator.line.unwrap_or(0);
    for layer in super::items(evaluator, layers)? {
        let mut args = vec![x];
        args.extend(rest.iter().cloned());
        x = evaluator.call_value(&layer, line, args, keywords.to_vec())?;
        if let Object::Unknown(unknown) = x {
            return Err(Reason::From(unknown));
        }
    }
    match own(evaluator, id, "norm") {
        Object::None => Ok(x),
        _ => call_child(evaluator, id, "norm", vec![x]),
    }
}

fn encode(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Outcome {
    let args = super::layers::bind(
        "src mask=None src_key_padding_mask=None is_causal=None",
        args,
        keywords,
    )?;
    let causal = match args.get("is_causal") {
        Object::None => Object::Bool(false),
        given => given.clone(),
    };
    let keywords = vec![
        ("src_mask".to_owned(), args.get("mask").clone()),
        ("is_causal".to_owned(), causal),
    ];
    run_stack(evaluator, id, args.get("src").clone(), &[], &keywords)
}

fn decode(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Outcome {
    let args = super::layers::bind(
        "tgt memory tgt_mask=None memory_mask=None tgt_key_padding_mask=None memory_key_padding_mask=None tgt_is_causal=None memory_is_causal=False",
        args,
        keywords,
    )?;
    let keywords = vec![
        ("tgt_mask".to_owned(), args.get("tgt_mask").clone()),
        ("memory_mask".to_owned(), args.get("memory_mask").clone()),
    ];
    run_stack(
        evaluator,
        id,
        args.get("tgt").clone(),
        &[args.get("memory").clone()],
        &keywords,
    )
}

fn both(evaluator: &mut Evaluator<'_>, id: InstanceId, args: &Args) -> Result<(), Reason> {
    for (name, layer, stack, count) in [
        (
            "encoder",
            "TransformerEncoderLayer",
            "TransformerEncoder",
            "num_encoder_layers",
        ),
        (
            "decoder",
            "TransformerDecoderLayer",
            "TransformerDecoder",
            "num_decoder_layers",
        ),
    ] {
        let passed = [
            "d_model",
            "nhead",
            "dim_feedforward",
            "dropout",
            "activation",
            "layer_norm_eps",
            "batch_first",
            "norm_first",
            "bias",
            "dtype",
        ];
        let keywords = passed
            .iter()
            .map(|&name| (name.to_owned(), args.get(name).clone()))
            .collect();
        let block = super::construct(evaluator, named(layer)?, Vec::new(), keywords)?;
        let keywords = vec![
            ("eps".to_owned(), args.get("layer_norm_eps").clone()),
            ("bias".to_owned(), args.get("bias").clone()),
        ];
        let norm = super::construct(
            evaluator,
            named("LayerNorm")?,
            vec![args.get("d_model").clone()],
            keywords,
        )?;
        child(
            evaluator,
            id,
            name,
            stack,
            vec![block, args.get(count).clone(), norm],
            Vec::new(),
        )?;
    }
    Ok(())
}

fn run_both(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Outcome {
    let args = super::layers::bind(
        "src tgt src_mask=None tgt_mask=None memory_mask=None src_key_padding_mask=None tgt_key_padding_mask=None memory_key_padding_mask=None src_is_causal=None tgt_is_causal=None memory_is_causal=False",
        args,
        keywords,
    )?;
    let memory = call_child(
        evaluator,
        id,
        "encoder",
        vec![args.get("src").clone(), args.get("src_mask").clone()],
    )?;
    call_child(
        evaluator,
        id,
        "decoder",
        vec![
            args.get("tgt").clone(),
            memory,
            args.get("tgt_mask").clone(),
        ],
    )
}
