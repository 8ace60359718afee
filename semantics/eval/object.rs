//! Values while a module is evaluated. What Python passes by reference (sequences,
//! dicts, functions, scopes) lives in a [`Heap`] and is passed as an index: sharing and
//! cycles need no counting, and dropping a deep structure needs no recursion.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use ruff_python_ast::{Expr, Parameters, Stmt};

use crate::names::Bindings;
use crate::tensor::Array;
use crate::value::{DType, Origin, Tensor, Unknown, Value};

/// Index of a list's or tuple's items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SeqId(usize);
/// Index of a dict's items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DictId(usize);
/// Index of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FunctionId(usize);
/// Index of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScopeId(usize);
/// Index of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClassId(usize);
/// Index of an instance of a class, of this module or of `torch.nn`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct InstanceId(usize);
/// Index of a tensor that is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ArrayId(usize);

/// A Python object.
#[derive(Debug, Clone)]
pub(crate) enum Object {
    None,
    Ellipsis,
    Bool(bool),
    Int(i64, Origin),
    Float(f64),
    Str(Rc<str>),
    Tuple(SeqId),
    List(SeqId),
    Dict(DictId),
    /// Start, end and step; the step is never zero.
    Range(i64, i64, i64),
    Tensor(Rc<Tensor>),
    DType(DType),
    /// Something defined elsewhere, by its dotted path (`torch.nn.functional.relu`).
    External(Rc<str>),
    /// A method of a value, not called yet; the value is never itself a method.
    Method(Rc<(Object, String)>),
    Function(FunctionId),
    /// A class of this module.
    Class(ClassId),
    /// A tensor that is followed by identity.
    Array(ArrayId),
    /// An instance.
    Instance(InstanceId),
    /// A function of the module and what it is bound to.
    Bound(Rc<(Object, FunctionId)>),
    /// A function that a class treats in a way of its own.
    Wrapped(Wrap, FunctionId),
    /// `functools.partial`: what is called, and the arguments it has already.
    Partial(Rc<Partial>),
    /// `super()` of an instance (or class), seen from a class.
    Super(Rc<(Object, ClassId)>),
    /// `lower:upper:step` in a subscript.
    Slice(Option<i64>, Option<i64>, Option<i64>),
    Unknown(Rc<Unknown>),
}

/// What is called, its first arguments and its keywords.
pub(crate) type Partial = (Object, Vec<Object>, Vec<(String, Object)>);

/// How a class treats a function in its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrap {
    /// `@staticmethod`.
    Static,
    /// `@classmethod`.
    Class,
    /// `@property`.
    Property,
}

impl Object {
    /// An integer that was computed.
    pub(crate) fn int(value: i64) -> Self {
        Self::Int(value, Origin::Derived)
    }

    pub(crate) fn str(text: impl Into<Rc<str>>) -> Self {
        Self::Str(text.into())
    }

    pub(crate) fn tensor(tensor: Tensor) -> Self {
        Self::Tensor(Rc::new(tensor))
    }

    /// An integer; a bool counts as one, as in Python.
    pub(crate) fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(value, _) => Some(*value),
            Self::Bool(value) => Some(i64::from(*value)),
            _ => None,
        }
    }

    /// A number as float.
    pub(crate) fn as_float(&self) -> Option<f64> {
        match self {
            Self::Float(value) => Some(*value),
            _ => self.as_int().map(|value| value as f64),
        }
    }

    /// What Python calls its type, for messages and method names.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Ellipsis => "ellipsis",
            Self::Bool(_) => "bool",
            Self::Int(..) => "int",
            Self::Float(_) => "float",
            Self::Str(_) => "str",
            Self::Tuple(_) => "tuple",
            Self::List(_) => "list",
            Self::Dict(_) => "dict",
            Self::Range(..) => "range",
            Self::Tensor(_) | Self::Array(_) => "Tensor",
            Self::DType(_) => "dtype",
            Self::External(_) => "external",
            Self::Method(_) | Self::Bound(_) => "method",
            Self::Function(_) | Self::Wrapped(..) => "function",
            Self::Class(_) => "class",
            Self::Instance(_) => "instance",
            Self::Partial(_) => "partial",
            Self::Super(_) => "super",
            Self::Slice(..) => "slice",
            Self::Unknown(_) => "unknown",
        }
    }
}

/// The code of a function.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Body<'a> {
    Statements(&'a [Stmt]),
    Expression(&'a Expr),
}

/// A function or lambda of the module.
#[derive(Debug, Clone)]
pub(crate) struct Function<'a> {
    pub(crate) name: &'a str,
    pub(crate) parameters: Option<&'a Parameters>,
    /// Default values, evaluated where the function was defined.
    pub(crate) defaults: Rc<HashMap<&'a str, Object>>,
    pub(crate) body: Body<'a>,
    pub(crate) bindings: Rc<Bindings<'a>>,
    /// The scope it was defined in.
    pub(crate) scope: ScopeId,
    /// The class whose body it was defined in.
    pub(crate) owner: Option<ClassId>,
}

/// A class of the module.
#[derive(Debug, Clone)]
pub(crate) struct Class {
    pub(crate) name: Rc<str>,
    pub(crate) bases: Vec<Object>,
    /// Itself and its bases in the module, nearest first.
    pub(crate) ancestry: Vec<ClassId>,
    /// What its body bound; none where bodies aren't run.
    pub(crate) scope: Option<ScopeId>,
    /// Fields of a dataclass, in order.
    pub(crate) fields: Option<Vec<String>>,
}

/// An instance of a class.
#[derive(Debug, Clone)]
pub(crate) struct Instance {
    /// Its class, if that is one of the module's.
    pub(crate) class: Option<ClassId>,
    /// The class of `torch.nn` it is or derives from, by its last name.
    pub(crate) builtin: Option<&'static str>,
    /// Its attributes.
    pub(crate) attributes: ScopeId,
    /// Attributes that were registered as buffers.
    pub(crate) buffers: Vec<String>,
}

/// Names and their values, in order of first binding.
#[derive(Debug, Default)]
pub(crate) struct Scope<'a> {
    /// The scope around it; none for the module.
    pub(crate) parent: Option<ScopeId>,
    /// The body of a class: functions defined in it don't see its names.
    pub(crate) is_class: bool,
    /// Names that the function declares `global`.
    pub(crate) globals: Vec<&'a str>,
    index: HashMap<String, usize>,
    entries: Vec<(String, Object)>,
}

impl Scope<'_> {
    pub(crate) fn get(&self, name: &str) -> Option<&Object> {
        let at = *self.index.get(name)?;
        self.entries.get(at).map(|entry| &entry.1)
    }

    pub(crate) fn set(&mut self, name: &str, value: Object) {
        if let Some(entry) = self
            .index
            .get(name)
            .and_then(|&at| self.entries.get_mut(at))
        {
            entry.1 = value;
            return;
        }
        self.index.insert(name.to_owned(), self.entries.len());
        self.entries.push((name.to_owned(), value));
    }

    /// Keeps these entries alone.
    pub(crate) fn replace_entries(&mut self, entries: Vec<(String, Object)>) {
        self.index = entries
            .iter()
            .enumerate()
            .map(|(at, (name, _))| (name.clone(), at))
            .collect();
        self.entries = entries;
    }

    pub(crate) fn entries(&self) -> &[(String, Object)] {
        &self.entries
    }
}

/// Items of a list, tuple or dict, or why they are no longer known.
type Items<T> = Result<Vec<T>, Rc<Unknown>>;

/// Most classes above one that are looked at.
const MAX_ANCESTRY: usize = 64;

/// Everything that is passed by reference.
#[derive(Debug, Default)]
pub(crate) struct Heap<'a> {
    seqs: Vec<Items<Object>>,
    dicts: Vec<Items<(Object, Object)>>,
    functions: Vec<Function<'a>>,
    scopes: Vec<Scope<'a>>,
    classes: Vec<Class>,
    instances: Vec<Instance>,
    arrays: Vec<Array>,
}

impl<'a> Heap<'a> {
    pub(crate) fn tuple(&mut self, items: Vec<Object>) -> Object {
        self.seqs.push(Ok(items));
        Object::Tuple(SeqId(self.seqs.len() - 1))
    }

    pub(crate) fn list(&mut self, items: Vec<Object>) -> Object {
        self.seqs.push(Ok(items));
        Object::List(SeqId(self.seqs.len() - 1))
    }

    pub(crate) fn dict(&mut self, items: Vec<(Object, Object)>) -> Object {
        self.dicts.push(Ok(items));
        Object::Dict(DictId(self.dicts.len() - 1))
    }

    pub(crate) fn function(&mut self, function: Function<'a>) -> Object {
        self.functions.push(function);
        Object::Function(FunctionId(self.functions.len() - 1))
    }

    pub(crate) fn scope(&mut self, parent: Option<ScopeId>, globals: Vec<&'a str>) -> ScopeId {
        self.scopes.push(Scope {
            parent,
            globals,
            ..Scope::default()
        });
        ScopeId(self.scopes.len() - 1)
    }

    pub(crate) fn class(&mut self, mut class: Class) -> ClassId {
        let id = ClassId(self.classes.len());
        let mut ancestry = vec![id];
        for base in &class.bases {
            let Object::Class(base) = base else {
                continue;
            };
            for above in &self.classes[base.0].ancestry {
                // A base shared by several comes after all of them.
                ancestry.retain(|known| known != above);
                ancestry.push(*above);
            }
        }
        ancestry.truncate(MAX_ANCESTRY);
        class.ancestry = ancestry;
        self.classes.push(class);
        id
    }

    pub(crate) fn instance(&mut self, instance: Instance) -> InstanceId {
        self.instances.push(instance);
        InstanceId(self.instances.len() - 1)
    }

    pub(crate) fn array(&mut self, array: Array) -> ArrayId {
        self.arrays.push(array);
        ArrayId(self.arrays.len() - 1)
    }

    // An id is only ever made by the heap that is asked, so the indices below hold.

    pub(crate) fn items(&self, id: SeqId) -> Result<&[Object], Rc<Unknown>> {
        self.seqs[id.0].as_deref().map_err(Rc::clone)
    }

    pub(crate) fn items_mut(&mut self, id: SeqId) -> Result<&mut Vec<Object>, Rc<Unknown>> {
        self.seqs[id.0]
            .as_mut()
            .map_err(|unknown| Rc::clone(unknown))
    }

    pub(crate) fn pairs(&self, id: DictId) -> Result<&[(Object, Object)], Rc<Unknown>> {
        self.dicts[id.0].as_deref().map_err(Rc::clone)
    }

    pub(crate) fn pairs_mut(
        &mut self,
        id: DictId,
    ) -> Result<&mut Vec<(Object, Object)>, Rc<Unknown>> {
        self.dicts[id.0]
            .as_mut()
            .map_err(|unknown| Rc::clone(unknown))
    }

    pub(crate) fn function_of(&self, id: FunctionId) -> &Function<'a> {
        &self.functions[id.0]
    }

    pub(crate) fn function_mut(&mut self, id: FunctionId) -> &mut Function<'a> {
        &mut self.functions[id.0]
    }

    pub(crate) fn class_of(&self, id: ClassId) -> &Class {
        &self.classes[id.0]
    }

    pub(crate) fn instance_of(&self, id: InstanceId) -> &Instance {
        &self.instances[id.0]
    }

    pub(crate) fn instance_mut(&mut self, id: InstanceId) -> &mut Instance {
        &mut self.instances[id.0]
    }

    pub(crate) fn array_of(&self, id: ArrayId) -> &Array {
        &self.arrays[id.0]
    }

    pub(crate) fn array_mut(&mut self, id: ArrayId) -> &mut Array {
        &mut self.arrays[id.0]
    }

    pub(crate) fn scope_of(&self, id: ScopeId) -> &Scope<'a> {
        &self.scopes[id.0]
    }

    pub(crate) fn scope_mut(&mut self, id: ScopeId) -> &mut Scope<'a> {
        &mut self.scopes[id.0]
    }

    /// How many objects live here: what the size budget bounds.
    pub(crate) fn len(&self) -> usize {
        self.seqs.len()
            + self.dicts.len()
            + self.functions.len()
            + self.scopes.len()
            + self.instances.len()
            + self.arrays.len()
    }

    /// Replaces a tensor wherever it is held, and says how many places were looked at.
    pub(crate) fn replace_tensor(&mut self, tensor: &Rc<Tensor>, with: &Object) -> usize {
        let scopes = self.scopes.iter_mut();
        let named = scopes.flat_map(|scope| scope.entries.iter_mut().map(|entry| &mut entry.1));
        let items = self.seqs.iter_mut().flatten().flatten();
        let values = self.dicts.iter_mut().flatten().flatten();
        let mut looked_at = 0;
        for place in named.chain(items).chain(values.map(|pair| &mut pair.1)) {
            looked_at += 1;
            if matches!(place, Object::Tensor(held) if Rc::ptr_eq(held, tensor)) {
                *place = with.clone();
            }
        }
        looked_at
    }

    /// Gives up what is known of a list or dict and of all it holds, because code that
    /// could not be followed may have changed it.
    pub(crate) fn forget(&mut self, object: &Object, why: &Rc<Unknown>) {
        let mut todo = vec![object.clone()];
        while let Some(object) = todo.pop() {
            match object {
                Object::List(id) => {
                    let old = std::mem::replace(&mut self.seqs[id.0], Err(Rc::clone(why)));
                    todo.extend(old.into_iter().flatten());
                }
                Object::Dict(id) => {
                    let old = std::mem::replace(&mut self.dicts[id.0], Err(Rc::clone(why)));
                    todo.extend(old.into_iter().flatten().map(|(_, value)| value));
                }
                // A tuple can't change, but what it holds can. Forgetting it as well
                // keeps shared ones from being walked again and again.
                Object::Tuple(id) => {
                    let holds_mutable = self.seqs[id.0].as_ref().is_ok_and(|items| {
                        items.iter().any(|item| {
                            matches!(item, Object::List(_) | Object::Dict(_) | Object::Tuple(_))
                        })
                    });
                    if holds_mutable {
                        let old = std::mem::replace(&mut self.seqs[id.0], Err(Rc::clone(why)));
                        todo.extend(old.into_iter().flatten());
                    }
                }
                _ => {}
            }
        }
    }
}

/// Turns objects into plain values, within a number of parts: shared objects are
/// written out, and a list may hold itself.
pub(crate) struct Freezer<'h, 'a> {
    pub(crate) heap: &'h Heap<'a>,
    pub(crate) parts_left: usize,
}

/// Deepest nesting of a value that is written out.
const MAX_VALUE_DEPTH: usize = 64;

impl Freezer<'_, '_> {
    /// The plain value of an object; `None` for functions, classes and the like.
    pub(crate) fn freeze(&mut self, object: &Object) -> Option<Value> {
        self.freeze_at(object, 0)
    }

    fn freeze_at(&mut self, object: &Object, depth: usize) -> Option<Value> {
        if depth > MAX_VALUE_DEPTH || self.parts_left == 0 {
            return Some(Value::Unknown(Unknown {
                what: object.type_name().to_owned(),
                line: None,
                reason: "too large to write out".to_owned(),
            }));
        }
        self.parts_left -= 1;
        Some(match object {
            Object::None => Value::None,
            Object::Bool(value) => Value::Bool(*value),
            Object::Int(value, _) => Value::Int(*value),
            Object::Float(value) => Value::Float(*value),
            Object::Str(text) => Value::Str(text.to_string()),
            Object::Tuple(id) => self.sequence(*id, depth, Value::Tuple)?,
            Object::List(id) => self.sequence(*id, depth, Value::List)?,
            Object::Dict(id) => match self.heap.pairs(*id) {
                Ok(pairs) => Value::Dict(
                    pairs
                        .iter()
                        .map(|(key, value)| {
                            Some((
                                self.freeze_at(key, depth + 1)?,
                                self.freeze_at(value, depth + 1)?,
                            ))
                        })
                        .collect::<Option<_>>()?,
                ),
                Err(unknown) => Value::Unknown((*unknown).clone()),
            },
            Object::Range(start, end, step) => Value::Range(*start, *end, *step),
            Object::Tensor(tensor) => Value::Tensor((**tensor).clone()),
            Object::DType(dtype) => Value::DType(*dtype),
            Object::Unknown(unknown) => Value::Unknown((**unknown).clone()),
            Object::Ellipsis
            | Object::External(_)
            | Object::Method(_)
            | Object::Function(_)
            | Object::Class(_)
            | Object::Array(_)
            | Object::Instance(_)
            | Object::Bound(_)
            | Object::Wrapped(..)
            | Object::Partial(_)
            | Object::Super(_)
            | Object::Slice(..) => return None,
        })
    }

    fn sequence(
        &mut self,
        id: SeqId,
        depth: usize,
        wrap: fn(Vec<Value>) -> Value,
    ) -> Option<Value> {
        match self.heap.items(id) {
            Ok(items) => items
                .iter()
                .map(|item| self.freeze_at(item, depth + 1))
                .collect::<Option<_>>()
                .map(wrap),
            Err(unknown) => Some(Value::Unknown((*unknown).clone())),
        }
    }
}

/// A constant's name as symbols carry it.
pub(crate) fn symbol(name: &str) -> Origin {
    Origin::Constant(Arc::from(name))
}
