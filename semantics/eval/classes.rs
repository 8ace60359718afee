//! Classes of the module: bodies, bases, instances, and what an attribute is.

use std::rc::Rc;

use ruff_python_ast::{Expr, Stmt, StmtClassDef};

use super::object::{Class, ClassId, Instance, InstanceId, Object, ScopeId, Wrap};
use super::rules::known;
use super::statements::Flow;
use super::{Evaluator, Outcome, Reason};
use crate::model;

impl<'a> Evaluator<'a> {
    /// The scope that a function defined here sees: not a class's.
    pub(super) fn closure(&self, scope: ScopeId) -> ScopeId {
        let here = self.heap.scope_of(scope);
        match here.parent {
            Some(parent) if here.is_class => parent,
            _ => scope,
        }
    }

    pub(super) fn define_class(&mut self, def: &'a StmtClassDef, scope: ScopeId) {
        let bases = def.arguments.iter().flat_map(|arguments| &arguments.args);
        let bases: Vec<Object> = bases.map(|base| self.eval(base, scope)).collect();
        let body = self.heap.scope(Some(scope), Vec::new());
        self.heap.scope_mut(body).is_class = true;
        let flow = self.block(&def.body, body);
        let is_dataclass = def.decorator_list.iter().any(|decorator| {
            let expr = match &decorator.expression {
                Expr::Call(call) => &*call.func,
                expr => expr,
            };
            matches!(self.eval(expr, scope), Object::External(path)
                if &*path == "dataclasses.dataclass")
        });
        let fields = is_dataclass.then(|| {
            let fields = def.body.iter().filter_map(|stmt| match stmt {
                Stmt::AnnAssign(field) => field.target.as_name_expr(),
                _ => None,
            });
            fields.map(|name| name.id.to_string()).collect()
        });
        let value = match flow {
            Flow::Lost(unknown) => Object::Unknown(unknown),
            _ if !def.decorator_list.is_empty() && !is_dataclass => self.record(
                &def.name,
                self.source.line(def),
                "the decorator has no rule",
            ),
            _ => {
                let class = self.heap.class(Class {
                    name: def.name.as_str().into(),
                    bases,
                    ancestry: Vec::new(),
                    scope: Some(body),
                    fields,
                });
                let bound: Vec<Object> = self
                    .heap
                    .scope_of(body)
                    .entries()
                    .iter()
                    .map(|e| e.1.clone())
                    .collect();
                for object in bound {
                    if let Object::Function(id) | Object::Wrapped(_, id) = object {
                        self.heap.function_mut(id).owner.get_or_insert(class);
                    }
                }
                Object::Class(class)
            }
        };
        self.bind(scope, &def.name, value);
    }

    /// A class and its bases in the module, nearest first.
    fn ancestry(&self, class: ClassId) -> &[ClassId] {
        &self.heap.class_of(class).ancestry
    }

    /// The layer of `torch.nn` that a class derives from; an error names a base without
    /// a rule.
    fn builtin_base(&self, class: ClassId) -> Result<Option<&'static str>, Reason> {
        let mut found = None;
        for class in self.ancestry(class) {
            for base in &self.heap.class_of(*class).bases {
                match base {
                    Object::Unknown(unknown) => return Err(Reason::From(unknown.clone())),
                    Object::External(path) => match &**path {
                        "builtins.object" | "abc.ABC" => {}
                        path if path.starts_with("typing.") => {}
                        path => {
                            let layer = model::find(path)
                                .ok_or_else(|| format!("the base `{path}` has no rule"))?;
                            found = found.or(Some(layer.name));
                        }
                    },
                    Object::Class(_) => {}
                    other => {
                        return Err(format!("a base is {}", other.type_name()).into());
                    }
                }
            }
        }
        Ok(found)
    }

    /// What a class binds a name to, itself or through its bases in the module.
    fn class_attribute(
        &self,
        class: ClassId,
        after: Option<ClassId>,
        name: &str,
    ) -> Option<Object> {
        let ancestry = self.ancestry(class);
        let from = after.map_or(0, |after| {
            ancestry
                .iter()
                .position(|id| *id == after)
                .map_or(ancestry.len(), |at| at + 1)
        });
        ancestry.get(from..)?.iter().find_map(|id| {
            let scope = self.heap.class_of(*id).scope?;
            self.heap.scope_of(scope).get(name).cloned()
        })
    }

    /// Calls what is neither a plain function nor a rule.
    pub(super) fn call_object(
        &mut self,
        callee: Object,
        line: u32,
        mut args: Vec<Object>,
        keywords: Vec<(String, Object)>,
    ) -> Outcome {
        match callee {
            Object::Class(id) => self.instantiate(id, line, args, keywords),
            Object::Bound(bound) => {
                args.insert(0, bound.0.clone());
                Ok(self.call_function(bound.1, line, args, keywords).value)
            }
            Object::Wrapped(_, id) => Ok(self.call_function(id, line, args, keywords).value),
            Object::Instance(id) => self.call_instance(id, line, args, keywords),
            other => self.call_value(&other, line, args, keywords),
        }
    }

    /// Calls any object, as a rule that is handed a function does.
    pub(crate) fn call_value(
        &mut self,
        callee: &Object,
        line: u32,
        mut args: Vec<Object>,
        keywords: Vec<(String, Object)>,
    ) -> Outcome {
        match callee {
            Object::Function(id) => Ok(self.call_function(*id, line, args, keywords).value),
            Object::External(path) => self.call_rule(path, line, args, keywords),
            Object::Method(method) => {
                let path = format!("{}.{}", method.0.type_name(), method.1);
                args.insert(0, method.0.clone());
                self.call_rule(&path, line, args, keywords)
            }
            Object::Class(_) | Object::Bound(_) | Object::Wrapped(..) | Object::Instance(_) => {
                self.deeper(|evaluator| evaluator.call_object(callee.clone(), line, args, keywords))
            }
            Object::Partial(partial) => {
                let mut all = partial.1.clone();
                all.append(&mut args);
                let mut named = keywords;
                for (name, value) in &partial.2 {
                    if !named.iter().any(|(given, _)| given == name) {
                        named.push((name.clone(), value.clone()));
                    }
                }
                self.deeper(|evaluator| evaluator.call_value(&partial.0, line, all, named))
            }
            Object::Unknown(unknown) => Err(Reason::From(unknown.clone())),
            other => Err(format!("{} can't be called", other.type_name()).into()),
        }
    }

    fn call_instance(
        &mut self,
        id: InstanceId,
        line: u32,
        args: Vec<Object>,
        keywords: Vec<(String, Object)>,
    ) -> Outcome {
        let instance = self.heap.instance_of(id).clone();
        // `self.forward = …` in an instance comes first.
        let own = self
            .heap
            .scope_of(instance.attributes)
            .get("forward")
            .cloned();
        if let Some(own) = own {
            return self.call_value(&own, line, args, keywords);
        }
        if let Some(class) = instance.class {
            for name in ["__call__", "forward"] {
                if let Some(found) = self.class_attribute(class, None, name) {
                    let bound = self.bound(&Object::Instance(id), found)?;
                    return self.call_value(&bound, line, args, keywords);
                }
            }
        }
        let Some(builtin) = instance.builtin else {
            return Err("the instance can't be called".into());
        };
        self.line = Some(line);
        model::forward(self, builtin, id, args, keywords)
    }

    fn instantiate(
        &mut self,
        id: ClassId,
        line: u32,
        args: Vec<Object>,
        keywords: Vec<(String, Object)>,
    ) -> Outcome {
        let builtin = self.builtin_base(id)?;
        let instance = self.new_instance(Some(id), builtin);
        let object = Object::Instance(instance);
        self.charge(1)?;
        if let Some(init) = self.class_attribute(id, None, "__init__") {
            let bound = self.bound(&object, init)?;
            let unknown_before = self.unknown_met;
            let result = self.call_value(&bound, line, args, keywords)?;
            if let Object::Unknown(unknown) = result {
                // What the constructor would have set is not there.
                return if self.unknown_met > unknown_before || unknown.line.is_some() {
                    Err(Reason::From(unknown))
                } else {
                    Ok(object)
                };
            }
        } else if let Some(fields) = self.heap.class_of(id).fields.clone() {
            self.set_fields(instance, id, &fields, args, keywords)?;
        } else if let Some(builtin) = builtin {
            model::build(self, builtin, instance, args, keywords)?;
        } else if !args.is_empty() || !keywords.is_empty() {
            return Err("the class takes no arguments".into());
        }
        Ok(object)
    }

    /// The constructor that a dataclass has by its fields.
    fn set_fields(
        &mut self,
        instance: InstanceId,
        class: ClassId,
        fields: &[String],
        args: Vec<Object>,
        mut keywords: Vec<(String, Object)>,
    ) -> Result<(), Reason> {
        let mut args = args.into_iter();
        for field in fields {
            let named = keywords.iter().position(|(name, _)| name == field);
            let given = args
                .next()
                .or_else(|| named.map(|at| keywords.remove(at).1));
            let value = given
                .or_else(|| self.class_attribute(class, None, field))
                .ok_or_else(|| Reason::from(format!("argument `{field}` is missing")))?;
            self.set_attribute(instance, field, value);
        }
        if args.next().is_some() || !keywords.is_empty() {
            return Err("more arguments than fields".into());
        }
        if let Some(init) = self.class_attribute(class, None, "__post_init__") {
            let bound = self.bound(&Object::Instance(instance), init)?;
            let line = self.line.unwrap_or(0);
            known(self.call_value(&bound, line, Vec::new(), Vec::new())?)?;
        }
        Ok(())
    }

    pub(crate) fn new_instance(
        &mut self,
        class: Option<ClassId>,
        builtin: Option<&'static str>,
    ) -> InstanceId {
        let attributes = self.heap.scope(None, Vec::new());
        self.heap.instance(Instance {
            class,
            builtin,
            attributes,
            buffers: Vec::new(),
        })
    }

    /// A function of a class as an attribute of an instance gives it.
    fn bound(&mut self, to: &Object, found: Object) -> Outcome {
        Ok(match found {
            Object::Function(id) => Object::Bound(Rc::new((to.clone(), id))),
            Object::Wrapped(Wrap::Static, id) => Object::Function(id),
            Object::Wrapped(Wrap::Class, id) => {
                let class = match to {
                    Object::Instance(instance) => self
                        .heap
                        .instance_of(*instance)
                        .class
                        .map_or(Object::None, Object::Class),
                    other => other.clone(),
                };
                Object::Bound(Rc::new((class, id)))
            }
            Object::Wrapped(Wrap::Property, id) => {
                let line = self.line;
                let result = self.call_function(id, line, vec![to.clone()], Vec::new());
                known(result.value)?
            }
            other => other,
        })
    }

    /// `super()` by the names that the call of a method bound.
    pub(super) fn bare_super(&mut self, scope: ScopeId) -> Outcome {
        let class = self.lookup("__class__", scope).map(|found| found.1.clone());
        let this = self.lookup("__self__", scope).map(|found| found.1.clone());
        match (class, this) {
            (Some(Object::Class(class)), Some(this)) => Ok(Object::Super(Rc::new((this, class)))),
            _ => Err("`super()` outside a method".into()),
        }
    }

    /// An attribute of what is followed; `None` leaves it to the other rules.
    pub(super) fn attribute_of(&mut self, value: &Object, name: &str) -> Option<Outcome> {
        match value {
            Object::Instance(id) => Some(self.instance_attribute(*id, name)),
            Object::Class(id) => Some(match self.class_attribute(*id, None, name) {
                Some(found @ Object::Wrapped(..)) => self.bound(value, found),
                Some(found) => Ok(found),
                None if name == "__name__" => {
                    Ok(Object::str(Rc::clone(&self.heap.class_of(*id).name)))
                }
                None => match self.builtin_base(*id) {
                    Ok(Some(layer)) => Ok(Object::External(
                        format!("{}{layer}.{name}", model::PREFIX).into(),
                    )),
                    Ok(None) => Err(format!("the class has no attribute `{name}`").into()),
                    Err(reason) => Err(reason),
                },
            }),
            // Results with names, as `torch.max` along a dimension gives.
            Object::Tuple(id) if matches!(name, "values" | "indices" | "min" | "max") => {
                let at = usize::from(matches!(name, "indices" | "max"));
                let items = self.heap.items(*id).ok()?;
                let item = items
                    .get(at)
                    .filter(|item| matches!(item, Object::Array(_)));
                Some(Ok(item?.clone()))
            }
            Object::External(path) if &**path == "torch.finfo" => {
                Some(Ok(Object::Float(match name {
                    "min" => f64::from(f32::MIN),
                    "max" => f64::from(f32::MAX),
                    "eps" => f64::from(f32::EPSILON),
                    "tiny" | "smallest_normal" => f64::from(f32::MIN_POSITIVE),
                    _ => return None,
                })))
            }
            Object::Super(parts) => Some(self.super_attribute(&parts.0, parts.1, name)),
            Object::Array(id) => crate::ops::attribute(self, *id, name),
            Object::Function(id) if name == "__name__" => {
                Some(Ok(Object::str(self.heap.function_of(*id).name)))
            }
            _ => None,
        }
    }

    fn instance_attribute(&mut self, id: InstanceId, name: &str) -> Outcome {
        let instance = self.heap.instance_of(id).clone();
        let own = self.heap.scope_of(instance.attributes).get(name).cloned();
        if let Some(own) = own {
            return Ok(own);
        }
        let this = Object::Instance(id);
        if let Some(class) = instance.class {
            if let Some(found) = self.class_attribute(class, None, name) {
                return self.bound(&this, found);
            }
            if name == "__class__" {
                return Ok(Object::Class(class));
            }
        }
        let Some(builtin) = instance.builtin else {
            return Err(format!("the instance has no attribute `{name}`").into());
        };
        model::attribute(self, builtin, id, name)
            .ok_or_else(|| format!("the module has no attribute `{name}`").into())
    }

    fn super_attribute(&mut self, this: &Object, class: ClassId, name: &str) -> Outcome {
        let (start, builtin) = match this {
            Object::Instance(id) => {
                let instance = self.heap.instance_of(*id);
                (instance.class, instance.builtin)
            }
            Object::Class(id) => (Some(*id), None),
            other => return Err(format!("`super()` of {}", other.type_name()).into()),
        };
        if let Some(start) = start
            && let Some(found) = self.class_attribute(start, Some(class), name)
        {
            return self.bound(this, found);
        }
        let (Object::Instance(id), Some(builtin)) = (this, builtin) else {
            if name == "__init__" {
                return Ok(Object::External("builtins.object.__init__".into()));
            }
            return Err(format!("`super()` has no attribute `{name}`").into());
        };
        if name == "__init__" || name == "forward" || name == "__call__" {
            return Ok(Object::Method(Rc::new((
                this.clone(),
                format!("super.{name}"),
            ))));
        }
        model::attribute(self, builtin, *id, name)
            .ok_or_else(|| format!("`super()` has no attribute `{name}`").into())
    }

    /// Whether an object is an instance of a class of the module.
    pub(crate) fn is_of_class(&self, object: &Object, class: ClassId) -> bool {
        match object {
            Object::Instance(id) => self
                .heap
                .instance_of(*id)
                .class
                .is_some_and(|own| self.ancestry(own).contains(&class)),
            _ => false,
        }
    }
}
