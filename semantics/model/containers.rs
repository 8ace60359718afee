//! Modules that hold modules: their children are attributes named by position or key.

use super::{Row, layer};
use crate::eval::args::Args;
use crate::eval::object::InstanceId;
use crate::eval::{Evaluator, Object, Outcome, Reason};

pub(super) const TABLE: &[Row] = &[
    layer("Module", "*args **keywords", None, not_callable),
    layer("Sequential", "*modules", Some(sequential), in_turn),
    layer(
        "ModuleList ParameterList",
        "modules=None",
        Some(list),
        not_callable,
    ),
    layer(
        "ModuleDict ParameterDict",
        "modules=None",
        Some(dict),
        not_callable,
    ),
];

/// Whether a layer is one of these.
pub(crate) fn is_container(name: &str) -> bool {
    matches!(
        name,
        "Sequential" | "ModuleList" | "ParameterList" | "ModuleDict" | "ParameterDict"
    )
}

fn not_callable(
    _: &mut Evaluator<'_>,
    _: InstanceId,
    _: Vec<Object>,
    _: Vec<(String, Object)>,
) -> Outcome {
    Err("the module has no `forward`".into())
}

/// Children one by one, or a dict of them.
fn sequential(evaluator: &mut Evaluator<'_>, id: InstanceId, args: &Args) -> Result<(), Reason> {
    if let [Object::Dict(pairs)] = &args.rest[..] {
        let pairs = evaluator.heap.pairs(*pairs)?.to_vec();
        return set_pairs(evaluator, id, pairs);
    }
    set_all(evaluator, id, &args.rest)
}

fn set_all(evaluator: &mut Evaluator<'_>, id: InstanceId, items: &[Object]) -> Result<(), Reason> {
    for (at, item) in items.iter().enumerate() {
        if let Object::Unknown(unknown) = item {
            return Err(Reason::From(unknown.clone()));
        }
        let item = kept(evaluator, id, item);
        evaluator.set_attribute(id, &at.to_string(), item);
    }
    Ok(())
}

/// A list of parameters makes parameters of its tensors.
fn kept(evaluator: &mut Evaluator<'_>, id: InstanceId, item: &Object) -> Object {
    let name = evaluator.heap.instance_of(id).builtin;
    if let (Some("ParameterList" | "ParameterDict"), Object::Array(array)) = (name, item) {
        evaluator.heap.array_mut(*array).is_parameter = true;
    }
    item.clone()
}

fn set_pairs(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    pairs: Vec<(Object, Object)>,
) -> Result<(), Reason> {
    for (key, value) in pairs {
        match (key, value) {
            (_, Object::Unknown(unknown)) => return Err(Reason::From(unknown)),
            (Object::Str(name), value) => {
                let value = kept(evaluator, id, &value);
                evaluator.set_attribute(id, &name, value);
            }
            _ => return Err("a key is no string".into()),
        }
    }
    Ok(())
}

fn list(evaluator: &mut Evaluator<'_>, id: InstanceId, args: &Args) -> Result<(), Reason> {
    // The argument is no attribute.
    clear(evaluator, id);
    match args.get("modules") {
        Object::None => Ok(()),
        given => {
            let items = evaluator.iterate(given)?;
            set_all(evaluator, id, &items)
        }
    }
}

fn dict(evaluator: &mut Evaluator<'_>, id: InstanceId, args: &Args) -> Result<(), Reason> {
    clear(evaluator, id);
    update(evaluator, id, args.get("modules"))
}

fn clear(evaluator: &mut Evaluator<'_>, id: InstanceId) {
    let attributes = evaluator.heap.instance_of(id).attributes;
    evaluator
        .heap
        .scope_mut(attributes)
        .replace_entries(Vec::new());
}

fn update(evaluator: &mut Evaluator<'_>, id: InstanceId, given: &Object) -> Result<(), Reason> {
    match given {
        Object::None => Ok(()),
        Object::Dict(pairs) => {
            let pairs = evaluator.heap.pairs(*pairs)?.to_vec();
            set_pairs(evaluator, id, pairs)
        }
        other => {
            let mut pairs = Vec::new();
            for item in evaluator.iterate(other)? {
                match &evaluator.iterate(&item)?[..] {
                    [key, value] => pairs.push((key.clone(), value.clone())),
                    _ => return Err("an item is no pair".into()),
                }
            }
            set_pairs(evaluator, id, pairs)
        }
    }
}

fn in_turn(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Outcome {
    let args = super::layers::bind("input", args, keywords)?;
    let mut value = args.get("input").clone();
    let line = evaluator.line.unwrap_or(0);
    for child in children(evaluator, id) {
        value = evaluator.call_value(&child.1, line, vec![value], Vec::new())?;
        if let Object::Unknown(unknown) = value {
            return Err(Reason::From(unknown));
        }
    }
    Ok(value)
}

/// Children in order, by name.
pub(super) fn children(evaluator: &Evaluator<'_>, id: InstanceId) -> Vec<(String, Object)> {
    let instance = evaluator.heap.instance_of(id);
    let entries = evaluator
        .heap
        .scope_of(instance.attributes)
        .entries()
        .iter();
    entries
        .filter(|(name, value)| {
            name != "training"
                && matches!(value, Object::Instance(_) | Object::Array(_) | Object::None)
        })
        .cloned()
        .collect()
}

/// What iterating over a container gives.
pub(crate) fn items(evaluator: &mut Evaluator<'_>, id: InstanceId) -> Result<Vec<Object>, Reason> {
    let builtin = evaluator.heap.instance_of(id).builtin;
    match builtin {
        Some("Sequential" | "ModuleList" | "ParameterList") => Ok(children(evaluator, id)
            .into_iter()
            .map(|child| child.1)
            .collect()),
        Some("ModuleDict" | "ParameterDict") => Ok(children(evaluator, id)
            .into_iter()
            .map(|child| Object::str(child.0))
            .collect()),
        _ => Err("iterating over the instance has no rule".into()),
    }
}

/// `container[index]`.
pub(crate) fn get_item(evaluator: &mut Evaluator<'_>, id: InstanceId, index: &Object) -> Outcome {
    let instance = evaluator.heap.instance_of(id);
    let builtin = instance.builtin;
    let (Some(builtin), true) = (builtin, builtin.is_some_and(is_container)) else {
        return Err("indexing the instance has no rule".into());
    };
    if let Object::Str(name) = index {
        return evaluator
            .heap
            .scope_of(instance.attributes)
            .get(name)
            .cloned()
            .ok_or_else(|| "the key is missing".into());
    }
    let all: Vec<Object> = children(evaluator, id)
        .into_iter()
        .map(|child| child.1)
        .collect();
    if let Object::Slice(lower, upper, step) = index {
        let picked = crate::eval::sliced(all.len(), *lower, *upper, step.unwrap_or(1))?;
        let part = evaluator.new_instance(None, Some(builtin));
        let items: Vec<Object> = picked
            .into_iter()
            .filter_map(|at| all.get(at).cloned())
            .collect();
        set_all(evaluator, part, &items)?;
        return Ok(Object::Instance(part));
    }
    let at = index.as_int().ok_or("the index is no integer")?;
    crate::eval::position(at, all.len())
        .and_then(|at| all.get(at).cloned())
        .ok_or_else(|| "the index is out of range".into())
}

/// `container[index] = module`.
pub(crate) fn set_item(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    index: &Object,
    value: Object,
) -> Result<(), Reason> {
    if !evaluator
        .heap
        .instance_of(id)
        .builtin
        .is_some_and(is_container)
    {
        return Err("items of the instance can't be set".into());
    }
    if let Object::Str(name) = index {
        evaluator.set_attribute(id, name, value);
        return Ok(());
    }
    let names: Vec<String> = children(evaluator, id)
        .into_iter()
        .map(|child| child.0)
        .collect();
    let at = index.as_int().ok_or("the index is no integer")?;
    let at = crate::eval::position(at, names.len()).ok_or("the index is out of range")?;
    evaluator.set_attribute(id, &names[at], value);
    Ok(())
}

/// `append`, `extend`, `insert`, `keys` and the like.
pub(super) fn method(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    name: &str,
    args: &[Object],
) -> Option<Outcome> {
    let builtin = evaluator.heap.instance_of(id).builtin?;
    if !is_container(builtin) {
        return None;
    }
    let all = children(evaluator, id);
    let this = Object::Instance(id);
    Some(match (name, args) {
        ("append", [item]) => {
            let item = kept(evaluator, id, item);
            evaluator.set_attribute(id, &all.len().to_string(), item);
            Ok(this)
        }
        ("extend", [items]) => evaluator.iterate(items).map(|items| {
            for (at, item) in items.iter().enumerate() {
                let item = kept(evaluator, id, item);
                evaluator.set_attribute(id, &(all.len() + at).to_string(), item);
            }
            this
        }),
        ("insert", [at, item]) => {
            let mut items: Vec<Object> = all.into_iter().map(|child| child.1).collect();
            let at = at
                .as_int()
                .and_then(|at| usize::try_from(at).ok())
                .unwrap_or(0);
            items.insert(at.min(items.len()), item.clone());
            set_all(evaluator, id, &items).map(|()| Object::None)
        }
        ("add_module" | "register_module", [Object::Str(name), item]) => {
            evaluator.set_attribute(id, name, item.clone());
            Ok(Object::None)
        }
        ("update", [given]) => update(evaluator, id, given).map(|()| Object::None),
        ("keys", []) => {
            let names = all.into_iter().map(|child| Object::str(child.0)).collect();
            Ok(evaluator.heap.list(names))
        }
        ("values", []) => {
            let values = all.into_iter().map(|child| child.1).collect();
            Ok(evaluator.heap.list(values))
        }
        ("items", []) => {
            let pairs = all
                .into_iter()
                .map(|(name, value)| evaluator.heap.tuple(vec![Object::str(name), value]))
                .collect();
            Ok(evaluator.heap.list(pairs))
        }
        _ => return None,
    })
}
