//! Modules of `torch.nn`: what their constructors make and what calling them runs.
//!
//! A row names a class, its constructor's signature, what it makes (parameters, buffers,
//! children) and its `forward`: the functional it calls with its attributes, or a rule.

mod attention;
mod containers;
mod conv;
mod layers;
mod methods;
mod norms;
mod recurrent;
#[cfg(test)]
mod tests;
mod transformer;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::eval::args::{Args, Signature};
use crate::eval::object::{ArrayId, InstanceId};
use crate::eval::{Evaluator, Object, Outcome, Reason};
use crate::ops;
use crate::value::DType;
pub(crate) use containers::{get_item, is_container, items, set_item};
pub(crate) use methods::{attribute, method, tensors};

/// Where layers are found.
pub(crate) const PREFIX: &str = "torch.nn.";

/// What a constructor makes beside the attributes of its signature.
type Build = for<'a> fn(&mut Evaluator<'a>, InstanceId, &Args) -> Result<(), Reason>;

/// What calling a layer does.
type Rule =
    for<'a> fn(&mut Evaluator<'a>, InstanceId, Vec<Object>, Vec<(String, Object)>) -> Outcome;

#[derive(Clone, Copy)]
enum Forward {
    /// Calls an operation with what it is given, and its own attributes by name.
    Calls(&'static str),
    Rule(Rule),
}

/// A row of a table.
struct Row {
    names: &'static str,
    signature: &'static str,
    build: Option<Build>,
    forward: Forward,
}

/// A layer without parameters.
const fn plain(names: &'static str, signature: &'static str, calls: &'static str) -> Row {
    Row {
        names,
        signature,
        build: None,
        forward: Forward::Calls(calls),
    }
}

/// A layer with a rule of its own.
const fn layer(
    names: &'static str,
    signature: &'static str,
    build: Option<Build>,
    forward: Rule,
) -> Row {
    Row {
        names,
        signature,
        build,
        forward: Forward::Rule(forward),
    }
}

/// A layer of `torch.nn`.
pub(crate) struct Layer {
    /// Its last name.
    pub(crate) name: &'static str,
    signature: Signature,
    build: Option<Build>,
    forward: Forward,
}

static TABLE: LazyLock<HashMap<&'static str, Layer>> = LazyLock::new(|| {
    let tables: &[&[Row]] = &[
        attention::TABLE,
        transformer::TABLE,
        containers::TABLE,
        layers::TABLE,
        recurrent::TABLE,
    ];
    let mut table = HashMap::new();
    for row in tables.iter().copied().flatten() {
        for name in row.names.split_whitespace() {
            let layer = Layer {
                name,
                signature: Signature::parse(row.signature),
                build: row.build,
                forward: row.forward,
            };
            table.insert(name, layer);
        }
    }
    table
});

/// The layer of a path: `torch.nn.X`, or `torch.nn.modules.kind.X`.
pub(crate) fn find(path: &str) -> Option<&'static Layer> {
    let rest = path.strip_prefix(PREFIX)?;
    let name = match rest.strip_prefix("modules.") {
        Some(rest) => rest.rsplit('.').next()?,
        None => rest,
    };
    TABLE.get(name)
}

fn named(name: &str) -> Result<&'static Layer, Reason> {
    TABLE
        .get(name)
        .ok_or_else(|| format!("`{PREFIX}{name}` has no rule").into())
}

/// Whether a layer is a kind of another.
pub(crate) fn derives(name: &str, base: &str) -> bool {
    base == "Module" || name == base
}

/// `nn.X(…)`.
pub(crate) fn construct(
    evaluator: &mut Evaluator<'_>,
    layer: &'static Layer,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Outcome {
    evaluator.charge(1)?;
    let id = evaluator.new_instance(None, Some(layer.name));
    build(evaluator, layer.name, id, args, keywords)?;
    Ok(Object::Instance(id))
}

/// The constructor of a layer, on an instance that may be of a class derived from it.
pub(crate) fn build(
    evaluator: &mut Evaluator<'_>,
    name: &str,
    id: InstanceId,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Result<(), Reason> {
    let layer = named(name)?;
    let args = layer.signature.bind(args, keywords)?;
    for (name, value) in &args.values {
        if *name != "dtype" {
            evaluator.set_attribute(id, name, value.clone());
        }
    }
    match layer.build {
        Some(build) => build(evaluator, id, &args),
        None => Ok(()),
    }
}

/// Calls a layer.
pub(crate) fn forward(
    evaluator: &mut Evaluator<'_>,
    name: &str,
    id: InstanceId,
    args: Vec<Object>,
    mut keywords: Vec<(String, Object)>,
) -> Outcome {
    match named(name)?.forward {
        Forward::Rule(rule) => rule(evaluator, id, args, keywords),
        Forward::Calls(path) => {
            let found = ops::find(path).ok_or_else(|| format!("{path} has no rule"))?;
            let attributes = evaluator.heap.instance_of(id).attributes;
            let own = evaluator.heap.scope_of(attributes).entries().to_vec();
            for (name, value) in own {
                if found.signature.takes(&name) && !keywords.iter().any(|(given, _)| *given == name)
                {
                    keywords.push((name, value));
                }
            }
            if found.signature.takes("training") {
                let training = is_training(evaluator, id);
                keywords.retain(|(name, _)| name != "training");
                keywords.push(("training".to_owned(), Object::Bool(training)));
            }
            ops::apply(evaluator, found, args, keywords)
        }
    }
}

/// `self.training`, true until `eval()`.
fn is_training(evaluator: &Evaluator<'_>, id: InstanceId) -> bool {
    !matches!(own(evaluator, id, "training"), Object::Bool(false))
}

/// An attribute of an instance, `None` without it.
fn own(evaluator: &Evaluator<'_>, id: InstanceId, name: &str) -> Object {
    let attributes = evaluator.heap.instance_of(id).attributes;
    evaluator
        .heap
        .scope_of(attributes)
        .get(name)
        .cloned()
        .unwrap_or(Object::None)
}

fn int(args: &Args, name: &str) -> Result<i64, Reason> {
    args.get(name)
        .as_int()
        .ok_or_else(|| format!("`{name}` is no integer but {}", args.get(name).type_name()).into())
}

fn flag(evaluator: &Evaluator<'_>, args: &Args, name: &str) -> Result<bool, Reason> {
    evaluator.truth(args.get(name))
}

/// As many integers as there are dimensions; one stands for all.
fn per_dim(
    evaluator: &mut Evaluator<'_>,
    object: &Object,
    dims: usize,
) -> Result<Vec<i64>, Reason> {
    let items = match object {
        Object::Tuple(_) | Object::List(_) => evaluator.iterate(object)?,
        one => vec![one.clone(); dims],
    };
    let ints: Option<Vec<i64>> = items.iter().map(Object::as_int).collect();
    match ints {
        Some(ints) if ints.len() == dims => Ok(ints),
        Some(ints) if ints.len() == 1 => Ok(vec![ints[0]; dims]),
        _ => Err("not as many integers as dimensions".into()),
    }
}

/// The dtype a layer is told, or the one by default.
fn dtype(evaluator: &Evaluator<'_>, args: &Args) -> Result<DType, Reason> {
    match args.get("dtype") {
        Object::None => Ok(evaluator.default_dtype),
        Object::DType(dtype) => Ok(*dtype),
        other => Err(format!("not a dtype but {}", other.type_name()).into()),
    }
}

fn make(evaluator: &mut Evaluator<'_>, shape: &[i64], dtype: DType) -> Result<ArrayId, Reason> {
    let ids = evaluator.make(ops::Made::plain("empty", &[], shape.to_vec(), dtype))?;
    ids.first()
        .copied()
        .ok_or_else(|| "the operation gives nothing".into())
}

/// Gives an instance a parameter.
fn parameter(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    name: &str,
    shape: &[i64],
    dtype: DType,
) -> Result<(), Reason> {
    let array = make(evaluator, shape, dtype)?;
    evaluator.heap.array_mut(array).is_parameter = true;
    evaluator.set_attribute(id, name, Object::Array(array));
    Ok(())
}

/// Gives an instance a buffer.
fn buffer(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    name: &str,
    shape: &[i64],
    dtype: DType,
) -> Result<(), Reason> {
    let array = make(evaluator, shape, dtype)?;
    evaluator.set_attribute(id, name, Object::Array(array));
    evaluator
        .heap
        .instance_mut(id)
        .buffers
        .push(name.to_owned());
    Ok(())
}

/// Gives an instance a child.
fn child(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    name: &str,
    layer: &str,
    args: Vec<Object>,
    keywords: Vec<(&str, Object)>,
) -> Result<InstanceId, Reason> {
    let keywords = keywords
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let made = construct(evaluator, named(layer)?, args, keywords)?;
    let Object::Instance(made_id) = made else {
        return Err("no instance".into());
    };
    evaluator.set_attribute(id, name, made);
    Ok(made_id)
}

/// Calls a child on one tensor.
fn call_child(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    name: &str,
    args: Vec<Object>,
) -> Outcome {
    let callee = own(evaluator, id, name);
    let line = evaluator.line.unwrap_or(0);
    match evaluator.call_value(&callee, line, args, Vec::new())? {
        Object::Unknown(unknown) => Err(Reason::From(unknown)),
        result => Ok(result),
    }
}
