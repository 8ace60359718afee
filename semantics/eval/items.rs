//! Taking values apart and building them up: subscripts and comprehensions.

use ruff_python_ast::{Comprehension, Expr, ExprSubscript};

use super::arithmetic::{join, python_slice};
use super::assignments::position;
use super::object::{Object, ScopeId};
use super::rules::known;
use super::{Evaluator, MAX_LENGTH, Outcome, Reason};

impl<'a> Evaluator<'a> {
    pub(super) fn subscript(&mut self, subscript: &'a ExprSubscript, scope: ScopeId) -> Outcome {
        let value = known(self.eval(&subscript.value, scope))?;
        if let Object::Array(_) | Object::Instance(_) | Object::External(_) = value
            && self.is_following
        {
            let index = known(self.eval(&subscript.slice, scope))?;
            self.line = Some(self.source.line(subscript));
            return self.item_of(&value, &index);
        }
        if let Expr::Slice(slice) = &*subscript.slice {
            let mut bound = |expr: &'a Option<Box<Expr>>| match expr {
                None => Ok(None),
                Some(expr) => self.slice_bound(expr, scope),
            };
            let (lower, upper, step) = (
                bound(&slice.lower)?,
                bound(&slice.upper)?,
                bound(&slice.step)?,
            );
            return match &value {
                Object::Tuple(_) | Object::List(_) | Object::Range(..) | Object::Str(_) => {
                    let items = self.iterate(&value)?;
                    let picked = python_slice(items.len(), lower, upper, step.unwrap_or(1))?
                        .into_iter()
                        .filter_map(|at| items.get(at).cloned())
                        .collect::<Vec<_>>();
                    Ok(match value {
                        Object::Tuple(_) => self.heap.tuple(picked),
                        Object::Str(_) => join(&picked),
                        _ => self.heap.list(picked),
                    })
                }
                other => Err(format!("slicing {} has no rule", other.type_name()).into()),
            };
        }
        let index = known(self.eval(&subscript.slice, scope))?;
        if let Object::Dict(id) = value {
            let at = self.find_key(id, &index)?.ok_or("the key is missing")?;
            let pair = self.heap.pairs(id)?.get(at).cloned();
            return pair
                .map(|pair| pair.1)
                .ok_or_else(|| "the key is missing".into());
        }
        if matches!(value, Object::Tensor(_) | Object::External(_)) {
            return Err(format!("indexing {} has no rule", value.type_name()).into());
        }
        let at = index.as_int().ok_or("the index is no integer")?;
        let found = match &value {
            Object::Tuple(id) | Object::List(id) => {
                let items = self.heap.items(*id)?;
                position(at, items.len()).and_then(|at| items.get(at).cloned())
            }
            _ => {
                let items = self.iterate(&value)?;
                position(at, items.len()).and_then(|at| items.get(at).cloned())
            }
        };
        found.ok_or_else(|| "the index is out of range".into())
    }

    pub(super) fn slice_bound(
        &mut self,
        expr: &'a Expr,
        scope: ScopeId,
    ) -> Result<Option<i64>, Reason> {
        match known(self.eval(expr, scope))? {
            Object::None => Ok(None),
            object => object
                .as_int()
                .map(Some)
                .ok_or_else(|| Reason::from("a slice bound is no integer")),
        }
    }

    pub(super) fn collect(
        &mut self,
        generators: &'a [Comprehension],
        element: &'a Expr,
        scope: ScopeId,
    ) -> Outcome {
        let mut items = Vec::new();
        let inner = self.heap.scope(Some(scope), Vec::new());
        self.comprehend(generators, inner, &mut |evaluator, inner| {
            items.push(evaluator.eval(element, inner));
            if items.len() > MAX_LENGTH {
                return Err("the sequence is too long".into());
            }
            Ok(())
        })?;
        Ok(self.heap.list(items))
    }

    /// Runs `each` for every combination that the generators give.
    pub(super) fn comprehend(
        &mut self,
        generators: &'a [Comprehension],
        scope: ScopeId,
        each: &mut dyn FnMut(&mut Self, ScopeId) -> Result<(), Reason>,
    ) -> Result<(), Reason> {
        let Some((first, rest)) = generators.split_first() else {
            return each(self, scope);
        };
        if first.is_async {
            return Err("asynchronous iteration has no rule".into());
        }
        let iterable = self.eval(&first.iter, scope);
        'items: for item in self.iterate(&iterable)? {
            self.assign(&first.target, item, scope);
            for condition in &first.ifs {
                let value = self.eval(condition, scope);
                if !self.truth(&value)? {
                    continue 'items;
                }
            }
            self.deeper(|evaluator| evaluator.comprehend(rest, scope, each))?;
        }
        Ok(())
    }
}
