//! Methods that every module has, and the walk over its children.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::{build, containers, forward, is_training};
use crate::eval::object::InstanceId;
use crate::eval::{Evaluator, Object, Outcome, Reason};
use crate::value::DType;

/// Most modules that are walked.
const MAX_MODULES: usize = 20_000;

const METHODS: &[&str] = &[
    "forward",
    "__call__",
    "__init__",
    "register_buffer",
    "register_parameter",
    "add_module",
    "register_module",
    "parameters",
    "named_parameters",
    "buffers",
    "named_buffers",
    "children",
    "named_children",
    "modules",
    "named_modules",
    "eval",
    "train",
    "requires_grad_",
    "to",
    "cuda",
    "cpu",
    "half",
    "float",
    "double",
    "bfloat16",
    "apply",
    "zero_grad",
    "state_dict",
    "load_state_dict",
    "append",
    "extend",
    "insert",
    "keys",
    "values",
    "items",
    "update",
    "register_forward_hook",
    "register_forward_pre_hook",
    "extra_repr",
    "get_submodule",
    "reset_parameters",
    "_reset_parameters",
    "_init_weights",
    "flatten_parameters",
    "type",
    "generate_square_subsequent_mask",
    "share_memory",
];

/// An attribute that `torch.nn.Module` gives; `None` without it.
pub(crate) fn attribute(
    evaluator: &mut Evaluator<'_>,
    builtin: &str,
    id: InstanceId,
    name: &str,
) -> Option<Object> {
    match name {
        "training" => Some(Object::Bool(is_training(evaluator, id))),
        "__class__" => Some(Object::External(
            format!("{}{builtin}", super::PREFIX).into(),
        )),
        "_modules" => {
            let children = containers::children(evaluator, id);
            let pairs = children
                .into_iter()
                .filter(|child| matches!(child.1, Object::Instance(_)))
                .map(|(name, value)| (Object::str(name), value))
                .collect();
            Some(evaluator.heap.dict(pairs))
        }
        name if METHODS.contains(&name) => Some(Object::Method(Rc::new((
            Object::Instance(id),
            name.to_owned(),
        )))),
        _ => None,
    }
}

/// Calls a method of a module: the receiver is the first argument.
pub(crate) fn method(
    evaluator: &mut Evaluator<'_>,
    name: &str,
    mut args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Outcome {
    if args.is_empty() {
        return Err("a method of nothing".into());
    }
    let this = args.remove(0);
    let Object::Instance(id) = this else {
        return Err("not an instance".into());
    };
    let builtin = evaluator.heap.instance_of(id).builtin;
    let builtin = builtin.ok_or("the class has no such method")?;
    if let Some(result) = containers::method(evaluator, id, name, &args) {
        return result;
    }
    if name.contains("modules")
        || name.contains("parameters")
        || name.contains("children")
        || name == "apply"
    {
        let count = modules(evaluator, id)?.len();
        evaluator.charge(count)?;
    }
    let list = |evaluator: &mut Evaluator<'_>, items: Vec<Object>| Ok(evaluator.heap.list(items));
    match name {
        "super.__init__" | "__init__" => {
            build(evaluator, builtin, id, args, keywords)?;
            Ok(Object::None)
        }
        "forward" | "super.forward" | "__call__" | "super.__call__" => {
            forward(evaluator, builtin, id, args, keywords)
        }
        "register_buffer" | "register_parameter" | "add_module" | "register_module" => {
            let given = super::layers::bind(
                "name value=None tensor=None param=None module=None persistent=True",
                args,
                keywords,
            )?;
            let Object::Str(attribute) = given.get("name").clone() else {
                return Err("the name is not static".into());
            };
            let value = ["value", "tensor", "param", "module"]
                .iter()
                .map(|name| given.get(name))
                .find(|value| !matches!(value, Object::None))
                .cloned()
                .unwrap_or(Object::None);
            evaluator.set_attribute(id, &attribute, value);
            if name == "register_buffer" {
                evaluator
                    .heap
                    .instance_mut(id)
                    .buffers
                    .push(attribute.to_string());
            }
            Ok(Object::None)
        }
        "parameters" => {
            let found = tensors(evaluator, id, true)?;
            list(evaluator, found.into_iter().map(|found| found.1).collect())
        }
        "buffers" => {
            let found = tensors(evaluator, id, false)?;
            list(evaluator, found.into_iter().map(|found| found.1).collect())
        }
        "named_parameters" | "named_buffers" => {
            let found = tensors(evaluator, id, name == "named_parameters")?;
            let pairs = found
                .into_iter()
                .map(|(name, value)| evaluator.heap.tuple(vec![Object::str(name), value]))
                .collect();
            list(evaluator, pairs)
        }
        "children" => {
            let children = containers::children(evaluator, id);
            let modules = children.into_iter().map(|child| child.1);
            list(
                evaluator,
                modules
                    .filter(|child| matches!(child, Object::Instance(_)))
                    .collect(),
            )
        }
        "named_children" => {
            let children = containers::children(evaluator, id);
            let pairs = children
                .into_iter()
                .filter(|child| matches!(child.1, Object::Instance(_)))
                .map(|(name, value)| evaluator.heap.tuple(vec![Object::str(name), value]))
                .collect();
            list(evaluator, pairs)
        }
        "modules" => {
            let all = modules(evaluator, id)?;
            list(
                evaluator,
                all.into_iter()
                    .map(|found| Object::Instance(found.1))
                    .collect(),
            )
        }
        "named_modules" => {
            let all = modules(evaluator, id)?;
            let pairs = all
                .into_iter()
                .map(|(name, id)| {
                    evaluator
                        .heap
                        .tuple(vec![Object::str(name), Object::Instance(id)])
                })
                .collect();
            list(evaluator, pairs)
        }
        "eval" | "train" => {
            let mode = match args.first() {
                None => name == "train",
                Some(mode) => evaluator.truth(mode)?,
            };
            for (_, module) in modules(evaluator, id)? {
                evaluator.set_attribute(module, "training", Object::Bool(mode));
            }
            Ok(this)
        }
        "half" | "float" | "double" | "bfloat16" | "to" | "cuda" | "cpu" | "type" => {
            let stated = args
                .iter()
                .chain(keywords.iter().map(|(_, value)| value))
                .find_map(|arg| match arg {
                    Object::DType(dtype) => Some(*dtype),
                    Object::Array(id) => Some(evaluator.heap.array_of(*id).dtype),
                    _ => None,
                });
            if let Some(dtype) = stated.or(DType::from_torch(name).filter(|_| name != "type")) {
                cast(evaluator, id, dtype)?;
            }
            Ok(this)
        }
        "apply" => {
            let function = args.first().cloned().ok_or("of nothing")?;
            let line = evaluator.line.unwrap_or(0);
            for (_, module) in modules(evaluator, id)?.into_iter().rev() {
                evaluator.call_value(
                    &function,
                    line,
                    vec![Object::Instance(module)],
                    Vec::new(),
                )?;
            }
            Ok(this)
        }
        "requires_grad_" => Ok(this),
        "zero_grad" | "flatten_parameters" | "reset_parameters" | "_reset_parameters"
        | "share_memory" | "extra_repr" => Ok(Object::None),
        "get_submodule" => {
            let Some(Object::Str(path)) = args.first() else {
                return Err("the name is not static".into());
            };
            let mut at = this;
            for name in path.split('.') {
                at = evaluator.get_attribute(&at, name)?;
            }
            Ok(at)
        }
        "generate_square_subsequent_mask" => crate::ops::call(
            evaluator,
            "torch.nn.Transformer.generate_square_subsequent_mask",
            args,
            Vec::new(),
        ),
        name => Err(format!("the method `{name}` has no rule").into()),
    }
}

/// All modules under one, itself first, each once.
pub(crate) fn modules(
    evaluator: &Evaluator<'_>,
    id: InstanceId,
) -> Result<Vec<(String, InstanceId)>, Reason> {
    let mut seen: BTreeSet<InstanceId> = BTreeSet::from([id]);
    let mut found = Vec::new();
    let mut todo = vec![(String::new(), id)];
    while let Some((path, at)) = todo.pop() {
        if found.len() >= MAX_MODULES {
            return Err("too many modules".into());
        }
        let mut below = Vec::new();
        for (name, value) in containers::children(evaluator, at) {
            if let Object::Instance(child) = value
                && evaluator.heap.instance_of(child).builtin.is_some()
                && seen.insert(child)
            {
                let path = if path.is_empty() {
                    name
                } else {
                    format!("{path}.{name}")
                };
                below.push((path, child));
            }
        }
        found.push((path, at));
        todo.extend(below.into_iter().rev());
    }
    Ok(found)
}

/// Parameters or buffers under a module, each tensor once.
pub(crate) fn tensors(
    evaluator: &Evaluator<'_>,
    id: InstanceId,
    parameters: bool,
) -> Result<Vec<(String, Object)>, Reason> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (path, module) in modules(evaluator, id)? {
        let instance = evaluator.heap.instance_of(module);
        for (name, value) in evaluator.heap.scope_of(instance.attributes).entries() {
            let Object::Array(array) = value else {
                continue;
            };
            let is_parameter = evaluator.heap.array_of(*array).is_parameter;
            let is_meant = if parameters {
                is_parameter
            } else {
                !is_parameter && instance.buffers.contains(name)
            };
            if is_meant && seen.insert(*array) {
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                found.push((path, value.clone()));
            }
        }
    }
    Ok(found)
}

/// Floats among a module's tensors in another dtype.
fn cast(evaluator: &mut Evaluator<'_>, id: InstanceId, dtype: DType) -> Result<(), Reason> {
    for is_parameter in [true, false] {
        for (_, tensor) in tensors(evaluator, id, is_parameter)? {
            let Object::Array(array) = tensor else {
                continue;
            };
            let known = evaluator.heap.array_of(array).clone();
            if known.dtype.category() == 2 {
                let storage = evaluator
                    .trace
                    .storage(&known.shape, known.elements(), dtype);
                let array = evaluator.heap.array_mut(array);
                array.dtype = dtype;
                array.storage = storage;
            }
        }
    }
    Ok(())
}
