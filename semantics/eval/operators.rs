//! Operators on values of any kind: arithmetic, truth, equality and membership.

use std::cmp::Ordering;

use ruff_python_ast::Operator;

use super::arithmetic::{join, numbers, order, range_len};
use super::rules::known;
use super::{Evaluator, MAX_LENGTH, Object, Outcome, Reason};
use crate::torch;

impl Evaluator<'_> {
    /// `left op right`.
    pub(crate) fn binary(&mut self, op: Operator, left: Object, right: Object) -> Outcome {
        let (left, right) = (known(left)?, known(right)?);
        match (&left, &right) {
            (Object::Array(_), _) | (_, Object::Array(_)) => {
                crate::ops::binary(self, op, left, right)
            }
            (Object::Tensor(_), _) | (_, Object::Tensor(_)) => {
                torch::binary(op, &left, &right, self.default_dtype)
            }
            (Object::Str(a), Object::Str(b)) if op == Operator::Add => {
                self.charge((a.len() + b.len()) / 64)?;
                if a.len() + b.len() > MAX_LENGTH {
                    return Err("the string is too long".into());
                }
                Ok(Object::str(format!("{a}{b}")))
            }
            (Object::Tuple(_), Object::Tuple(_)) | (Object::List(_), Object::List(_))
                if op == Operator::Add =>
            {
                let mut items = self.iterate(&left)?;
                items.extend(self.iterate(&right)?);
                self.like(&left, items)
            }
            (Object::Tuple(_) | Object::List(_) | Object::Str(_), times)
                if op == Operator::Mult =>
            {
                let times = times
                    .as_int()
                    .ok_or("repeated by something that is no integer")?;
                self.repeat(&left, times)
            }
            (times, Object::Tuple(_) | Object::List(_) | Object::Str(_))
                if op == Operator::Mult =>
            {
                let times = times
                    .as_int()
                    .ok_or("repeated by something that is no integer")?;
                self.repeat(&right, times)
            }
            _ => numbers(op, &left, &right),
        }
    }

    /// A sequence of the same kind with other items, within the limit.
    fn like(&mut self, kind: &Object, items: Vec<Object>) -> Outcome {
        if items.len() > MAX_LENGTH {
            return Err("the sequence is too long".into());
        }
        Ok(match kind {
            Object::Tuple(_) => self.heap.tuple(items),
            Object::Str(_) => join(&items),
            _ => self.heap.list(items),
        })
    }

    fn repeat(&mut self, sequence: &Object, times: i64) -> Outcome {
        let items = self.iterate(sequence)?;
        let times = usize::try_from(times).unwrap_or(0);
        let length = items.len().saturating_mul(times);
        if length > MAX_LENGTH {
            return Err("the sequence is too long".into());
        }
        self.charge(length)?;
        let items = items.iter().cycle().take(length).cloned().collect();
        self.like(sequence, items)
    }

    /// Whether a value counts as true.
    pub(crate) fn truth(&self, object: &Object) -> Result<bool, Reason> {
        Ok(match object {
            Object::None => false,
            Object::Bool(value) => *value,
            Object::Int(value, _) => *value != 0,
            Object::Float(value) => *value != 0.0,
            Object::Str(text) => !text.is_empty(),
            Object::Tuple(id) | Object::List(id) => !self.heap.items(*id)?.is_empty(),
            Object::Dict(id) => !self.heap.pairs(*id)?.is_empty(),
            Object::Range(start, end, step) => range_len(*start, *end, *step) > 0,
            Object::Unknown(unknown) => return Err(unknown.clone().into()),
            Object::Tensor(_) => return Err("depends on elements of a tensor".into()),
            Object::Array(id) => match self.heap.array_of(*id).values.as_deref() {
                Some([value]) => *value != 0.0,
                _ => return Err("depends on elements of a tensor".into()),
            },
            Object::Instance(id) => self.truth_of(*id),
            Object::Ellipsis
            | Object::DType(_)
            | Object::Function(_)
            | Object::Class(_)
            | Object::Bound(_)
            | Object::Wrapped(..)
            | Object::Partial(_)
            | Object::Super(_)
            | Object::Slice(..) => true,
            Object::External(_) | Object::Method(_) => {
                return Err("depends on something defined elsewhere".into());
            }
        })
    }

    /// `left == right`.
    pub(crate) fn equal(&mut self, left: &Object, right: &Object) -> Result<bool, Reason> {
        self.deeper(|evaluator| {
            Ok(match (left, right) {
                (Object::Unknown(unknown), _) | (_, Object::Unknown(unknown)) => {
                    return Err(unknown.clone().into());
                }
                (Object::None, Object::None) => true,
                (Object::Str(a), Object::Str(b)) => a == b,
                (Object::DType(a), Object::DType(b)) => a == b,
                (Object::Tuple(_), Object::Tuple(_)) | (Object::List(_), Object::List(_)) => {
                    let (left, right) = (evaluator.iterate(left)?, evaluator.iterate(right)?);
                    if left.len() != right.len() {
                        return Ok(false);
                    }
                    for (left, right) in left.iter().zip(&right) {
                        if !evaluator.equal(left, right)? {
                            return Ok(false);
                        }
                    }
                    true
                }
                (left, right) if left.as_float().is_some() && right.as_float().is_some() => {
                    order(left, right).is_ok_and(Ordering::is_eq)
                }
                (left, right) if is_comparable(left) && is_comparable(right) => false,
                (Object::External(a), Object::External(b)) if a == b => true,
                (left, right) if evaluator.is_following => return evaluator.same(left, right),
                _ => return Err("equality of such values has no rule".into()),
            })
        })
    }

    /// `left is right`.
    pub(super) fn same(&self, left: &Object, right: &Object) -> Result<bool, Reason> {
        if !self.is_following {
            return same(left, right);
        }
        match (left, right) {
            (Object::Array(a), Object::Array(b)) => Ok(a == b),
            (Object::Instance(a), Object::Instance(b)) => Ok(a == b),
            (Object::Class(a), Object::Class(b)) => Ok(a == b),
            (Object::Function(a), Object::Function(b)) => Ok(a == b),
            (Object::External(a), Object::External(b)) | (Object::Str(a), Object::Str(b)) => {
                Ok(a == b)
            }
            // What PyTorch calls by name is there.
            (Object::External(path), Object::None) | (Object::None, Object::External(path))
                if path.starts_with("torch.") =>
            {
                Ok(false)
            }
            (Object::Int(a, _), Object::Int(b, _)) => Ok(a == b),
            (
                Object::Array(_) | Object::Instance(_) | Object::Class(_) | Object::Function(_),
                b,
            ) if !matches!(b, Object::Unknown(_) | Object::External(_))
                && std::mem::discriminant(left) != std::mem::discriminant(b) =>
            {
                Ok(false)
            }
            _ => same(left, right),
        }
    }

    /// `item in container`.
    pub(super) fn contains(&mut self, container: &Object, item: &Object) -> Result<bool, Reason> {
        if let (Object::Str(text), Object::Str(part)) = (container, item) {
            return Ok(text.contains(&**part));
        }
        if let Object::Instance(id) = container {
            return self.holds_child(*id, item);
        }
        if let (Object::Range(start, end, step), Some(at)) = (container, item.as_int()) {
            let offset = i128::from(at) - i128::from(*start);
            let nth = offset / i128::from(*step);
            let len = range_len(*start, *end, *step);
            return Ok(
                offset % i128::from(*step) == 0 && usize::try_from(nth).is_ok_and(|nth| nth < len)
            );
        }
        for candidate in self.iterate(container)? {
            if self.equal(&candidate, item)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// `left is right`, where that can be told by value.
pub(super) fn same(left: &Object, right: &Object) -> Result<bool, Reason> {
    match (left, right) {
        (Object::None, Object::None) => Ok(true),
        (Object::Bool(a), Object::Bool(b)) => Ok(a == b),
        (Object::DType(a), Object::DType(b)) => Ok(a == b),
        (Object::List(a), Object::List(b)) => Ok(a == b),
        (Object::Dict(a), Object::Dict(b)) => Ok(a == b),
        // An external thing could be anything, `None` included.
        (Object::External(_), _) | (_, Object::External(_)) => {
            Err("identity of something defined elsewhere".into())
        }
        (Object::None | Object::Bool(_), _) | (_, Object::None | Object::Bool(_)) => Ok(false),
        _ => Err("identity of such values has no rule".into()),
    }
}

/// Values whose comparison with a value of another kind is simply false.
fn is_comparable(object: &Object) -> bool {
    matches!(
        object,
        Object::None
            | Object::Bool(_)
            | Object::Int(..)
            | Object::Float(_)
            | Object::Str(_)
            | Object::Tuple(_)
            | Object::List(_)
            | Object::DType(_)
    )
}
