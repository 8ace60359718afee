//! Binding of targets: names, unpacking, items.

use std::rc::Rc;

use ruff_python_ast::{Expr, StmtAugAssign};

use super::object::{Object, ScopeId};
use super::rules::known;
use super::{Evaluator, Reason};
use crate::torch;

impl<'a> Evaluator<'a> {
    pub(super) fn assign(&mut self, target: &'a Expr, value: Object, scope: ScopeId) {
        let assigned = self.deeper(|evaluator| match target {
            Expr::Name(name) => {
                let value = evaluator.overridden(&name.id, value, scope);
                evaluator.bind(scope, &name.id, value);
                Ok(())
            }
            Expr::Tuple(tuple) => {
                evaluator.unpack(&tuple.elts, &value, scope);
                Ok(())
            }
            Expr::List(list) => {
                evaluator.unpack(&list.elts, &value, scope);
                Ok(())
            }
            Expr::Starred(starred) => {
                evaluator.assign(&starred.value, value, scope);
                Ok(())
            }
            Expr::Subscript(subscript) => {
                let container = evaluator.eval(&subscript.value, scope);
                let index = evaluator.eval(&subscript.slice, scope);
                let line = evaluator.source.line(target);
                evaluator.set_item(&container, index, value, line)
            }
            Expr::Attribute(attribute) => {
                match known(evaluator.eval(&attribute.value, scope))? {
                    // Settings of a library (`torch.backends…`) change no shape.
                    Object::External(_) => Ok(()),
                    Object::Instance(id) => {
                        evaluator.set_attribute(id, &attribute.attr, value);
                        Ok(())
                    }
                    Object::Class(id) if evaluator.is_following => {
                        if let Some(scope) = evaluator.heap.class_of(id).scope {
                            evaluator.bind(scope, &attribute.attr, value);
                        }
                        Ok(())
                    }
                    Object::Array(id) => {
                        // `x.data = y` makes `x` look at the elements of `y`.
                        if let (Object::Array(given), "data") = (&value, attribute.attr.as_str()) {
                            let given = evaluator.heap.array_of(*given).clone();
                            let array = evaluator.heap.array_mut(id);
                            let is_parameter = array.is_parameter;
                            *array = given;
                            array.is_parameter = is_parameter;
                        }
                        Ok(())
                    }
                    _ => Err("assigning to an attribute has no rule".into()),
                }
            }
            _ => Err("the target has no rule".into()),
        });
        if let Err(reason) = assigned {
            let line = self.source.line(target);
            self.because(reason, "assignment", line);
        }
    }

    /// The value that is given from outside for a module constant, or the one assigned.
    fn overridden(&mut self, name: &str, value: Object, scope: ScopeId) -> Object {
        if scope != self.module {
            return value;
        }
        let Some(given) = self.overrides.get(name).cloned() else {
            return value;
        };
        self.overridden.insert(name.to_owned());
        self.object_of(&given)
    }

    /// `a, *b = value`. When the value can't be taken apart, every target is unknown.
    fn unpack(&mut self, targets: &'a [Expr], value: &Object, scope: ScopeId) {
        let star = targets.iter().position(Expr::is_starred_expr);
        let parts = self.iterate(value).and_then(|items| {
            let fits = match star {
                Some(_) => items.len() + 1 >= targets.len(),
                None => items.len() == targets.len(),
            };
            if fits {
                Ok(items)
            } else {
                Err("the number of values doesn't fit the targets".into())
            }
        });
        let mut items = match parts {
            Ok(items) => items.into_iter(),
            Err(reason) => {
                let line = targets.first().map(|target| self.source.line(target));
                let why = self.because(reason, "unpacking", line);
                for target in targets {
                    self.assign(target, Object::Unknown(Rc::clone(&why)), scope);
                }
                return;
            }
        };
        let extra = (items.len() + 1).saturating_sub(targets.len());
        for (at, target) in targets.iter().enumerate() {
            let value = if star == Some(at) {
                let taken = items.by_ref().take(extra).collect();
                self.heap.list(taken)
            } else {
                items.next().unwrap_or(Object::None)
            };
            self.assign(target, value, scope);
        }
    }

    fn set_item(
        &mut self,
        container: &Object,
        index: Object,
        value: Object,
        line: u32,
    ) -> Result<(), Reason> {
        let index = match known(index) {
            Err(Reason::From(why)) => {
                self.heap.forget(container, &why);
                return Ok(());
            }
            index => index?,
        };
        match container {
            Object::List(id) => {
                let len = self.heap.items(*id)?.len();
                let Some(at) = index.as_int().and_then(|at| position(at, len)) else {
                    let why = self.record_unknown("[…] =", line, "not an index of the list");
                    self.heap.forget(container, &why);
                    return Ok(());
                };
                self.heap.items_mut(*id)?[at] = value;
                Ok(())
            }
            Object::Dict(id) => {
                let at = self.find_key(*id, &index)?;
                let pairs = self.heap.pairs_mut(*id)?;
                match at.and_then(|at| pairs.get_mut(at)) {
                    Some(pair) => pair.1 = value,
                    None => pairs.push((index, value)),
                }
                Ok(())
            }
            Object::Tensor(tensor) => {
                let changed = torch::in_place("set", tensor);
                self.replace_tensor(tensor, &changed)
            }
            Object::Unknown(_) => Ok(()),
            Object::Array(_) | Object::Instance(_) => self.set_item_of(container, &index, value),
            other => Err(format!("items of {} can't be set", other.type_name()).into()),
        }
    }

    /// `x += y`: in place for lists and tensors, as Python does.
    pub(super) fn augmented(&mut self, stmt: &'a StmtAugAssign, scope: ScopeId) {
        let line = self.source.line(stmt);
        let right = self.eval(&stmt.value, scope);
        let left = match &*stmt.target {
            Expr::Name(name) => self.name(&name.id, line, scope),
            target => self.eval(target, scope),
        };
        let result = match (&left, stmt.op) {
            (Object::List(id), ruff_python_ast::Operator::Add) => {
                self.iterate(&right).and_then(|items| {
                    self.heap.items_mut(*id)?.extend(items);
                    self.check_length(left.clone())
                })
            }
            (Object::Tensor(tensor), _) => self
                .binary(stmt.op, left.clone(), right)
                .map(|result| torch::keep_type(tensor, result))
                .and_then(|result| {
                    self.replace_tensor(tensor, &result)?;
                    Ok(result)
                }),
            (Object::Array(_), _) => {
                self.line = Some(line);
                known(right).and_then(|right| crate::ops::in_place(self, stmt.op, &left, &right))
            }
            _ => self.binary(stmt.op, left.clone(), right),
        };
        // The element of a tensor is written already.
        if let (Object::Array(_), Ok(_), Expr::Subscript(_)) = (&left, &result, &*stmt.target) {
            return;
        }
        let value = match result {
            Ok(value) => value,
            Err(reason) => {
                let why = self.because(reason, stmt.op.as_str(), line);
                self.heap.forget(&left, &why);
                Object::Unknown(why)
            }
        };
        self.assign(&stmt.target, value, scope);
    }
}

/// A Python index as position; negative ones count from the end.
pub(crate) fn position(index: i64, len: usize) -> Option<usize> {
    let at = if index < 0 {
        len.checked_sub(usize::try_from(index.unsigned_abs()).ok()?)?
    } else {
        usize::try_from(index).ok()?
    };
    (at < len).then_some(at)
}
