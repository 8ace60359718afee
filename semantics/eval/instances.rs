//! What is asked of instances and of things defined elsewhere while a module is followed.

use std::collections::HashMap;

use super::object::{ArrayId, InstanceId, Object};
use super::rules::known;
use super::{Evaluator, Outcome, Reason};
use crate::tensor::{Array, contiguous};
use crate::{model, ops};

/// Deepest nesting that `copy.deepcopy` follows.
const MAX_COPY_DEPTH: usize = 64;

/// Built-in names that are known only while a module is followed: rules of
/// [`ops`], decorators and types.
pub(super) fn is_builtin(path: &str) -> bool {
    ops::find(path).is_some()
        || matches!(
            path.strip_prefix("builtins."),
            Some(
                "staticmethod"
                    | "classmethod"
                    | "property"
                    | "object"
                    | "Exception"
                    | "ValueError"
                    | "TypeError"
                    | "RuntimeError"
                    | "NotImplementedError"
                    | "AssertionError"
                    | "ImportError"
                    | "KeyError"
                    | "AttributeError"
                    | "IndexError"
                    | "NotImplemented"
            )
        )
}

impl Evaluator<'_> {
    /// An attribute of a value by name, as `getattr` asks.
    pub(crate) fn get_attribute(&mut self, object: &Object, name: &str) -> Outcome {
        match self.attribute_of(object, name) {
            Some(found) => found,
            None => match object {
                Object::External(path) => {
                    Ok(super::expressions::external(format!("{path}.{name}")))
                }
                Object::Array(_) | Object::List(_) | Object::Dict(_) => Ok(Object::Method(
                    std::rc::Rc::new((object.clone(), name.to_owned())),
                )),
                other => Err(format!("{} has no attribute `{name}`", other.type_name()).into()),
            },
        }
    }

    /// `instance.name = value`.
    pub(crate) fn set_attribute(&mut self, id: InstanceId, name: &str, value: Object) {
        let attributes = self.heap.instance_of(id).attributes;
        self.heap.scope_mut(attributes).set(name, value);
    }

    /// Calls what `ops` and `model` know; `None` leaves the call to the other rules.
    pub(super) fn call_outside(
        &mut self,
        path: &str,
        args: &[Object],
        keywords: &[(String, Object)],
    ) -> Option<Outcome> {
        // A method of tensors by its class.
        let path = match path.strip_prefix("torch.Tensor.") {
            Some(name) => &format!("Tensor.{name}"),
            None => path,
        };
        if let Some(name) = path.strip_prefix("instance.") {
            return Some(model::method(self, name, args.to_vec(), keywords.to_vec()));
        }
        // An unbound method of a layer: `nn.Module.__init__(self)`.
        if let Some((layer, "__init__")) = path.rsplit_once('.')
            && let (Some(layer), Some(Object::Instance(id))) = (model::find(layer), args.first())
        {
            let built = model::build(self, layer.name, *id, args[1..].to_vec(), keywords.to_vec());
            return Some(built.map(|()| Object::None));
        }
        if let Some(found) = ops::find(path) {
            return Some(ops::apply(self, found, args.to_vec(), keywords.to_vec()));
        }
        if path.starts_with("torch.nn.init.") {
            // Values change, nothing else.
            return Some(
                args.first()
                    .cloned()
                    .ok_or_else(|| "of nothing".into())
                    .and_then(known),
            );
        }
        let layer = model::find(path)?;
        Some(model::construct(
            self,
            layer,
            args.to_vec(),
            keywords.to_vec(),
        ))
    }

    /// A declared tensor as one that is followed.
    pub(super) fn followed(&mut self, object: Object) -> Object {
        let Object::Tensor(tensor) = &object else {
            return object;
        };
        if !self.is_following {
            return object;
        }
        let made = ops::Made::plain(&tensor.draw, &[], tensor.sizes(), tensor.dtype);
        match self.make(made).map(|ids| ids.first().copied()) {
            Ok(Some(id)) => Object::Array(id),
            Ok(None) => object,
            Err(reason) => Object::Unknown(self.because(reason, "tensor", None)),
        }
    }

    /// `container[index]` of what is followed.
    pub(crate) fn item_of(&mut self, container: &Object, index: &Object) -> Outcome {
        match container {
            Object::Array(_) => ops::get_item(self, container, index),
            Object::Instance(id) => model::get_item(self, *id, index),
            // Annotations such as `List[int]`.
            Object::External(path)
                if path.starts_with("typing.") || path.starts_with("builtins.") =>
            {
                Ok(container.clone())
            }
            other => Err(format!("indexing {} has no rule", other.type_name()).into()),
        }
    }

    pub(super) fn set_item_of(
        &mut self,
        container: &Object,
        index: &Object,
        value: Object,
    ) -> Result<(), Reason> {
        let value = known(value)?;
        match container {
            Object::Array(_) => ops::set_item(self, container, index, value).map(|_| ()),
            Object::Instance(id) => model::set_item(self, *id, index, value),
            other => Err(format!("items of {} can't be set", other.type_name()).into()),
        }
    }

    pub(super) fn items_along(&mut self, object: &Object) -> Result<Vec<Object>, Reason> {
        match object {
            Object::Instance(id) => model::items(self, *id),
            array => {
                let views = ops::unbound(self, array)?;
                self.items_of(&views).ok_or_else(|| "not a sequence".into())
            }
        }
    }

    pub(super) fn length_of(&mut self, object: &Object) -> Outcome {
        match object {
            Object::Array(id) => ops::length(self, *id),
            other => {
                let len = self.items_along(other)?.len();
                Ok(Object::int(i64::try_from(len).unwrap_or(i64::MAX)))
            }
        }
    }

    /// A module with children is true if it has some; any other object is.
    pub(super) fn truth_of(&self, id: InstanceId) -> bool {
        let instance = self.heap.instance_of(id);
        match instance.builtin {
            Some(builtin) if model::is_container(builtin) => {
                !self.heap.scope_of(instance.attributes).entries().is_empty()
            }
            _ => true,
        }
    }

    /// `name in nn.ModuleDict(…)`.
    pub(super) fn holds_child(&mut self, id: InstanceId, item: &Object) -> Result<bool, Reason> {
        let instance = self.heap.instance_of(id);
        match (instance.builtin, item) {
            (Some("ModuleDict" | "ParameterDict"), Object::Str(name)) => {
                Ok(self.heap.scope_of(instance.attributes).get(name).is_some())
            }
            _ => Err("membership has no rule".into()),
        }
    }

    /// A list without repetitions, which stands for a set.
    pub(crate) fn without_duplicates(&mut self, list: &Object) -> Outcome {
        let mut kept: Vec<Object> = Vec::new();
        for item in self.iterate(list)? {
            let mut is_new = true;
            for known in &kept {
                if self.equal(known, &item)? {
                    is_new = false;
                    break;
                }
            }
            if is_new {
                kept.push(item);
            }
        }
        Ok(self.heap.list(kept))
    }

    /// A copy with storages of its own.
    pub(crate) fn deep_copy(&mut self, object: &Object) -> Outcome {
        self.copy_at(object, &mut HashMap::new(), &mut HashMap::new(), 0)
    }

    fn copy_at(
        &mut self,
        object: &Object,
        instances: &mut HashMap<InstanceId, InstanceId>,
        arrays: &mut HashMap<ArrayId, ArrayId>,
        depth: usize,
    ) -> Outcome {
        self.charge(1)?;
        if depth > MAX_COPY_DEPTH {
            return Err("nested too deep to copy".into());
        }
        Ok(match object {
            Object::Array(id) => {
                if let Some(copy) = arrays.get(id) {
                    return Ok(Object::Array(*copy));
                }
                let array = self.heap.array_of(*id).clone();
                let storage = self
                    .trace
                    .storage(&array.shape, array.elements(), array.dtype);
                let copy = self.heap.array(Array {
                    strides: contiguous(&array.shape),
                    offset: 0,
                    storage,
                    ..array
                });
                arrays.insert(*id, copy);
                Object::Array(copy)
            }
            Object::Instance(id) => {
                if let Some(copy) = instances.get(id) {
                    return Ok(Object::Instance(*copy));
                }
                let instance = self.heap.instance_of(*id).clone();
                let copy = self.new_instance(instance.class, instance.builtin);
                self.heap.instance_mut(copy).buffers = instance.buffers;
                instances.insert(*id, copy);
                let entries = self.heap.scope_of(instance.attributes).entries().to_vec();
                for (name, value) in entries {
                    let value = self.copy_at(&value, instances, arrays, depth + 1)?;
                    self.set_attribute(copy, &name, value);
                }
                Object::Instance(copy)
            }
            Object::List(_) | Object::Tuple(_) => {
                let mut items = Vec::new();
                for item in self.iterate(object)? {
                    items.push(self.copy_at(&item, instances, arrays, depth + 1)?);
                }
                match object {
                    Object::List(_) => self.heap.list(items),
                    _ => self.heap.tuple(items),
                }
            }
            Object::Dict(id) => {
                let mut pairs = Vec::new();
                for (key, value) in self.heap.pairs(*id)?.to_vec() {
                    pairs.push((key, self.copy_at(&value, instances, arrays, depth + 1)?));
                }
                self.heap.dict(pairs)
            }
            other => other.clone(),
        })
    }
}
