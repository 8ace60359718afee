//! Transformer layers, their stacks and the whole, made of attention, in training mode.

use super::attention::op;
use super::{Row, call_child, child, int, layer, named, own};
use crate::eval::args::Args;
use crate::eval::object::InstanceId;
use crate::eval::{Evaluator, Object, Outcome, Reason};

const BLOCK: &str = "d_model nhead dim_feedforward=2048 dropout=0.1 activation=relu layer_norm_eps=1e-5 batch_first=False norm_first=False bias=True dtype=None";

pub(super) const TABLE: &[Row] = &[
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
