//! The evaluator: runs the statements of a module on values that are known without
//! running Python. What it can't follow becomes an unknown with a name, a line and a
//! reason; it never guesses, and budgets make every module terminate.

pub(crate) mod args;
mod arithmetic;
mod assignments;
mod builtins;
mod calls;
mod classes;
mod expressions;
mod instances;
mod items;
pub(crate) mod object;
mod operators;
mod rules;
mod sequences;
mod statements;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use ruff_python_ast::Expr;

use crate::source::Source;
use crate::trace::Trace;
use crate::value::{DType, Unknown, Value};
pub(crate) use arithmetic::python_slice as sliced;
pub(crate) use assignments::position;
pub(crate) use object::Object;
use object::{Freezer, Heap, ScopeId};
pub(crate) use rules::{Call, Outcome, Rule, no_effect};
use statements::Flow;

/// Evaluated expressions, statements and elements after which evaluation gives up.
const MAX_STEPS: usize = 1_000_000;

/// Lists, tuples, dicts, functions and scopes after which evaluation gives up.
const MAX_OBJECTS: usize = 100_000;

/// Elements of one sequence and characters of one string that are kept.
pub(crate) const MAX_LENGTH: usize = 65_536;

/// Deepest recursion of the evaluator itself.
const MAX_DEPTH: usize = 1_500;

/// Parts of all values that are written out.
const MAX_PARTS: usize = 200_000;

/// Why an operation has no value.
#[derive(Debug, Clone)]
pub(crate) enum Reason {
    /// Newly found here; whoever knows the place records it.
    New(String),
    /// It follows from something that is recorded already.
    From(Rc<Unknown>),
}

impl From<&str> for Reason {
    fn from(text: &str) -> Self {
        Self::New(text.to_owned())
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Self::New(text)
    }
}

impl From<Rc<Unknown>> for Reason {
    fn from(unknown: Rc<Unknown>) -> Self {
        Self::From(unknown)
    }
}

/// What a call of a module function gave, and the expression it returned.
pub(crate) struct Returned<'a> {
    pub(crate) value: Object,
    pub(crate) expr: Option<&'a Expr>,
}

/// A module being evaluated.
pub(crate) struct Evaluator<'a> {
    source: &'a Source,
    pub(crate) heap: Heap<'a>,
    module: ScopeId,
    steps: usize,
    depth: usize,
    parts_left: usize,
    exhausted: Option<Rc<Unknown>>,
    unknown: Vec<Unknown>,
    recorded: HashSet<(String, String)>,
    /// Random tensors drawn so far.
    pub(crate) drawn: usize,
    /// Element type of a float tensor that states none.
    pub(crate) default_dtype: DType,
    /// Whether classes and tensors are followed, and not only declared.
    pub(crate) is_following: bool,
    /// What `forward` does.
    pub(crate) trace: Trace,
    /// Line of the call or operator being evaluated.
    pub(crate) line: Option<u32>,
    /// Module constants that are given from outside.
    overrides: HashMap<String, Value>,
    overridden: HashSet<String>,
    /// How many expressions had no known value.
    pub(crate) unknown_met: usize,
}

impl<'a> Evaluator<'a> {
    /// Runs the module's statements, for what it declares.
    pub(crate) fn run(source: &'a Source, set: &[(String, Value)]) -> Self {
        Self::start(source, set, false)
    }

    /// Runs the module's statements, ready to follow what it defines.
    pub(crate) fn follow(source: &'a Source, set: &[(String, Value)]) -> Self {
        Self::start(source, set, true)
    }

    fn start(source: &'a Source, set: &[(String, Value)], is_following: bool) -> Self {
        let mut heap = Heap::default();
        let module = heap.scope(None, Vec::new());
        let mut evaluator = Self {
            source,
            heap,
            module,
            steps: 0,
            depth: 0,
            parts_left: MAX_PARTS,
            exhausted: None,
            unknown: Vec::new(),
            recorded: HashSet::new(),
            drawn: 0,
            default_dtype: DType::F32,
            is_following,
            trace: Trace::default(),
            line: None,
            overrides: set.iter().cloned().collect(),
            overridden: HashSet::new(),
            unknown_met: 0,
        };
        // What a module that is imported sees: its `__main__` part doesn't run.
        evaluator.bind(module, "__name__", Object::str("module"));
        for stmt in &source.suite {
            if let Flow::Lost(unknown) = evaluator.statement(stmt, module) {
                evaluator.forget_effects(std::slice::from_ref(stmt), module, &unknown);
            }
        }
        for (name, _) in set {
            if !evaluator.overridden.contains(name) {
                evaluator.record(name, None, "no such module constant to override");
            }
        }
        evaluator
    }

    /// The object of a value that is given from outside.
    pub(crate) fn object_of(&mut self, value: &Value) -> Object {
        match value {
            Value::None => Object::None,
            Value::Bool(value) => Object::Bool(*value),
            Value::Int(value) => Object::int(*value),
            Value::Float(value) => Object::Float(*value),
            Value::Str(text) => Object::str(text.as_str()),
            Value::Tuple(items) => {
                let items = items.iter().map(|item| self.object_of(item)).collect();
                self.heap.tuple(items)
            }
            Value::List(items) => {
                let items = items.iter().map(|item| self.object_of(item)).collect();
                self.heap.list(items)
            }
            Value::Dict(pairs) => {
                let pairs = pairs
                    .iter()
                    .map(|(key, value)| (self.object_of(key), self.object_of(value)))
                    .collect();
                self.heap.dict(pairs)
            }
            Value::Range(start, end, step) if *step != 0 => Object::Range(*start, *end, *step),
            Value::DType(dtype) => Object::DType(*dtype),
            Value::Range(..) | Value::Tensor(_) => {
                self.record("override", None, "no value that a constant can be set to")
            }
            Value::Unknown(unknown) => Object::Unknown(Rc::new(unknown.clone())),
        }
    }

    /// The value of a module-level name.
    pub(crate) fn global(&self, name: &str) -> Option<&Object> {
        self.heap.scope_of(self.module).get(name)
    }

    /// Calls a module-level function without arguments; `None` if there is no such name.
    pub(crate) fn call_global(&mut self, name: &'a str) -> Option<Returned<'a>> {
        match self.global(name)?.clone() {
            Object::Function(id) => Some(self.call_function(id, None, Vec::new(), Vec::new())),
            Object::Unknown(unknown) => Some(Returned {
                value: Object::Unknown(unknown),
                expr: None,
            }),
            _ => Some(Returned {
                value: self.record(name, None, "not a function"),
                expr: None,
            }),
        }
    }

    /// Module-level names with values that can be written out, in order.
    pub(crate) fn constants(&mut self) -> Vec<(String, Value)> {
        let mut freezer = Freezer {
            heap: &self.heap,
            parts_left: self.parts_left,
        };
        let entries = self.heap.scope_of(self.module).entries();
        let constants = entries
            .iter()
            .filter(|(name, _)| name != "__name__")
            .filter_map(|(name, object)| Some((name.clone(), freezer.freeze(object)?)))
            .collect();
        self.parts_left = freezer.parts_left;
        constants
    }

    /// The plain value of an object; a function or the like is an unknown.
    pub(crate) fn value_of(&mut self, object: &Object) -> Value {
        let mut freezer = Freezer {
            heap: &self.heap,
            parts_left: self.parts_left,
        };
        let value = freezer.freeze(object);
        self.parts_left = freezer.parts_left;
        value.unwrap_or_else(|| {
            Value::Unknown(Unknown {
                what: object.type_name().to_owned(),
                line: None,
                reason: "not a plain value".to_owned(),
            })
        })
    }

    /// The items of a list or tuple.
    pub(crate) fn items_of(&self, object: &Object) -> Option<Vec<Object>> {
        match object {
            Object::List(id) | Object::Tuple(id) => self.heap.items(*id).ok().map(<[_]>::to_vec),
            _ => None,
        }
    }

    /// Everything that was not understood, in the order it was met.
    pub(crate) fn into_unknown(self) -> Vec<Unknown> {
        self.unknown
    }

    /// Records something unknown, once by name and reason, and gives it as an object.
    pub(crate) fn record(
        &mut self,
        what: &str,
        line: impl Into<Option<u32>>,
        reason: &str,
    ) -> Object {
        Object::Unknown(self.record_unknown(what, line, reason))
    }

    pub(crate) fn record_unknown(
        &mut self,
        what: &str,
        line: impl Into<Option<u32>>,
        reason: &str,
    ) -> Rc<Unknown> {
        self.unknown_met += 1;
        let unknown = Unknown {
            what: what.to_owned(),
            line: line.into(),
            reason: reason.to_owned(),
        };
        if self.recorded.insert((what.to_owned(), reason.to_owned())) {
            self.unknown.push(unknown.clone());
        }
        Rc::new(unknown)
    }

    /// Takes steps from the budget, and looks after the number of objects.
    pub(crate) fn charge(&mut self, steps: usize) -> Result<(), Reason> {
        if let Some(unknown) = &self.exhausted {
            return Err(Reason::From(Rc::clone(unknown)));
        }
        self.steps = self.steps.saturating_add(steps);
        if self.steps > MAX_STEPS || self.heap.len() > MAX_OBJECTS {
            let unknown = self.record_unknown("evaluation", None, "the budget is used up");
            self.exhausted = Some(Rc::clone(&unknown));
            return Err(Reason::From(unknown));
        }
        Ok(())
    }

    /// Runs something one level deeper.
    fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T, Reason>) -> Result<T, Reason> {
        self.charge(1)?;
        if self.depth >= MAX_DEPTH {
            return Err("recursion is too deep".into());
        }
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        result
    }

    fn bind(&mut self, scope: ScopeId, name: &str, value: Object) {
        let target = if self.heap.scope_of(scope).globals.contains(&name) {
            self.module
        } else {
            scope
        };
        self.heap.scope_mut(target).set(name, value);
    }
}
