//! Recurrent layers and their single cells.

use super::{Row, dtype, flag, int, layer, own, parameter};
use crate::eval::args::Args;
use crate::eval::object::InstanceId;
use crate::eval::{Evaluator, Object, Outcome, Reason};
use crate::ops;
use crate::ops::recurrent::Recurrent;
use crate::tensor::Array;

const SIGNATURE: &str = "input_size hidden_size num_layers=1 bias=True batch_first=False dropout=0.0 bidirectional=False proj_size=0 nonlinearity=tanh dtype=None";
const CELL: &str = "input_size hidden_size bias=True nonlinearity=tanh dtype=None";

pub(super) const TABLE: &[Row] = &[
    layer("LSTM GRU RNN", SIGNATURE, Some(build), run),
    layer("LSTMCell GRUCell RNNCell", CELL, Some(build_cell), run_cell),
];

/// Gates of one cell.
fn gates(evaluator: &Evaluator<'_>, id: InstanceId) -> (&'static str, i64) {
    match evaluator.heap.instance_of(id).builtin {
        Some(name) if name.starts_with("LSTM") => ("lstm", 4),
        Some(name) if name.starts_with("GRU") => ("gru", 3),
        _ => ("rnn", 1),
    }
}

fn times(a: i64, b: i64) -> Result<i64, Reason> {
    a.checked_mul(b)
        .ok_or_else(|| "the size doesn't fit".into())
}

fn build(evaluator: &mut Evaluator<'_>, id: InstanceId, args: &Args) -> Result<(), Reason> {
    let (_, gates) = gates(evaluator, id);
    let dtype = dtype(evaluator, args)?;
    let (input, hidden) = (int(args, "input_size")?, int(args, "hidden_size")?);
    let (layers, projection) = (int(args, "num_layers")?, int(args, "proj_size")?);
    let (has_bias, both) = (
        flag(evaluator, args, "bias")?,
        flag(evaluator, args, "bidirectional")?,
    );
    let directions = if both { 2 } else { 1 };
    let out = if projection > 0 { projection } else { hidden };
    if !(1..=1_024).contains(&layers) {
        return Err("such a number of layers has no rule".into());
    }
    let rows = times(gates, hidden)?;
    for layer in 0..layers {
        for direction in 0..directions {
            let width = if layer == 0 {
                input
            } else {
                times(out, directions)?
            };
            let suffix = if direction == 1 { "_reverse" } else { "" };
            let name = |kind: &str| format!("{kind}_l{layer}{suffix}");
            parameter(evaluator, id, &name("weight_ih"), &[rows, width], dtype)?;
            parameter(evaluator, id, &name("weight_hh"), &[rows, out], dtype)?;
            if has_bias {
                parameter(evaluator, id, &name("bias_ih"), &[rows], dtype)?;
                parameter(evaluator, id, &name("bias_hh"), &[rows], dtype)?;
            }
            if projection > 0 {
                parameter(
                    evaluator,
                    id,
                    &name("weight_hr"),
                    &[projection, hidden],
                    dtype,
                )?;
            }
        }
    }
    Ok(())
}

/// The parameters of the layer itself.
fn weights(evaluator: &Evaluator<'_>, id: InstanceId) -> Vec<Array> {
    let attributes = evaluator.heap.instance_of(id).attributes;
    let entries = evaluator.heap.scope_of(attributes).entries().iter();
    entries
        .filter_map(|(_, value)| match value {
            Object::Array(id) => Some(evaluator.heap.array_of(*id).clone()),
            _ => None,
        })
        .collect()
}

fn states(evaluator: &mut Evaluator<'_>, given: &Object) -> Result<Vec<Array>, Reason> {
    let items = match given {
        Object::None => Vec::new(),
        Object::Array(_) => vec![given.clone()],
        other => evaluator.iterate(other)?,
    };
    items
        .iter()
        .map(|item| match item {
            Object::Array(id) => Ok(evaluator.heap.array_of(*id).clone()),
            Object::Unknown(unknown) => Err(Reason::From(unknown.clone())),
            other => Err(format!("a state is {}", other.type_name()).into()),
        })
        .collect()
}

fn run(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Outcome {
    let args = super::layers::bind("input hx=None", args, keywords)?;
    let states = states(evaluator, args.get("hx"))?;
    let Object::Array(input) = args.get("input") else {
        return Err("not a tensor".into());
    };
    let input = evaluator.heap.array_of(*input).clone();
    let (op, gates) = gates(evaluator, id);
    let size = |name: &str| {
        own(evaluator, id, name)
            .as_int()
            .ok_or_else(|| Reason::from("a size is not static"))
    };
    let layer = Recurrent {
        op,
        gates,
        input_size: size("input_size")?,
        hidden: size("hidden_size")?,
        layers: size("num_layers")?,
        directions: size("bidirectional")? + 1,
        projection: size("proj_size")?,
        batch_first: size("batch_first")? != 0,
        weights: weights(evaluator, id),
    };
    layer.run(evaluator, &input, &states)
}

fn build_cell(evaluator: &mut Evaluator<'_>, id: InstanceId, args: &Args) -> Result<(), Reason> {
    let (_, gates) = gates(evaluator, id);
    let dtype = dtype(evaluator, args)?;
    let (input, hidden) = (int(args, "input_size")?, int(args, "hidden_size")?);
    let rows = times(gates, hidden)?;
    parameter(evaluator, id, "weight_ih", &[rows, input], dtype)?;
    parameter(evaluator, id, "weight_hh", &[rows, hidden], dtype)?;
    for name in ["bias_ih", "bias_hh"] {
        if flag(evaluator, args, "bias")? {
            parameter(evaluator, id, name, &[rows], dtype)?;
        } else {
            evaluator.set_attribute(id, name, Object::None);
        }
    }
    Ok(())
}

/// One step: both products, then the gates as one operation.
fn run_cell(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Outcome {
    let args = super::layers::bind("input hx=None", args, keywords)?;
    let mut states = states(evaluator, args.get("hx"))?;
    let Object::Array(input) = args.get("input") else {
        return Err("not a tensor".into());
    };
    let input = evaluator.heap.array_of(*input).clone();
    let hidden = own(evaluator, id, "hidden_size")
        .as_int()
        .ok_or("a size is not static")?;
    let mut shape = input.shape.clone();
    if let Some(size) = shape.last_mut() {
        *size = hidden;
    }
    let (op, _) = gates(evaluator, id);
    while states.len() < if op == "lstm" { 2 } else { 1 } {
        let made = evaluator.make(ops::Made::plain("zeros", &[], shape.clone(), input.dtype))?;
        states.extend(made.iter().map(|id| evaluator.heap.array_of(*id).clone()));
    }
    let mut products = Vec::new();
    for (array, kind) in [(&input, "ih"), (&states[0], "hh")] {
        let array = Object::Array(evaluator.heap.array(array.clone()));
        let weight = own(evaluator, id, &format!("weight_{kind}"));
        let bias = own(evaluator, id, &format!("bias_{kind}"));
        let result = ops::call(
            evaluator,
            "torch.nn.functional.linear",
            vec![array, weight, bias],
            Vec::new(),
        )?;
        if let Object::Array(id) = result {
            products.push(evaluator.heap.array_of(id).clone());
        }
    }
    let mut reads: Vec<&Array> = products.iter().collect();
    reads.extend(&states);
    let mut made = ops::Made::plain("cell", &reads, shape.clone(), input.dtype);
    if op == "lstm" {
        made.outputs.push((shape, input.dtype));
    }
    let ids: Vec<Object> = evaluator
        .make(made)?
        .into_iter()
        .map(Object::Array)
        .collect();
    match &ids[..] {
        [one] => Ok(one.clone()),
        _ => Ok(evaluator.heap.tuple(ids)),
    }
}
