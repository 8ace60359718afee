//! Expressions.

use std::rc::Rc;

use ruff_python_ast::{
    BoolOp, CmpOp, Expr, ExprAttribute, ExprCompare, ExprDict, FStringPart,
    InterpolatedStringElement, Number, UnaryOp,
};

use super::arithmetic;
use super::object::{Body, Object, ScopeId, symbol};
use super::rules::{self, known};
use super::{Evaluator, MAX_LENGTH, Outcome, Reason};
use crate::torch;
use crate::value::Origin;

impl<'a> Evaluator<'a> {
    /// The value of an expression; what has none is recorded and unknown.
    pub(super) fn eval(&mut self, expr: &'a Expr, scope: ScopeId) -> Object {
        match self.deeper(|evaluator| evaluator.try_eval(expr, scope)) {
            Ok(object) => {
                if matches!(object, Object::Unknown(_)) {
                    self.unknown_met += 1;
                }
                object
            }
            Err(Reason::From(unknown)) => {
                self.unknown_met += 1;
                Object::Unknown(unknown)
            }
            Err(Reason::New(reason)) => {
                self.unknown_met += 1;
                let line = self.source.line(expr);
                self.record(&describe(expr), line, &reason)
            }
        }
    }

    fn try_eval(&mut self, expr: &'a Expr, scope: ScopeId) -> Outcome {
        Ok(match expr {
            Expr::NoneLiteral(_) => Object::None,
            Expr::EllipsisLiteral(_) => Object::Ellipsis,
            Expr::BooleanLiteral(literal) => Object::Bool(literal.value),
            Expr::StringLiteral(literal) => {
                let text = literal.value.to_str();
                if text.len() > MAX_LENGTH {
                    return Err("the string is too long".into());
                }
                self.charge(text.len() / 64)?;
                Object::str(text)
            }
            Expr::NumberLiteral(literal) => match &literal.value {
                Number::Int(value) => value
                    .as_i64()
                    .map(|value| Object::Int(value, Origin::Literal))
                    .ok_or("the integer doesn't fit 64 bits")?,
                Number::Float(value) => Object::Float(*value),
                Number::Complex { .. } => return Err("complex numbers have no rule".into()),
            },
            Expr::Name(name) => self.name(&name.id, self.source.line(expr), scope),
            Expr::Tuple(tuple) => {
                let items = self.elements(&tuple.elts, scope)?;
                self.heap.tuple(items)
            }
            Expr::List(list) => {
                let items = self.elements(&list.elts, scope)?;
                self.heap.list(items)
            }
            Expr::Dict(dict) => self.dict(dict, scope)?,
            Expr::UnaryOp(unary) => {
                let operand = known(self.eval(&unary.operand, scope))?;
                match unary.op {
                    UnaryOp::Not => Object::Bool(!self.truth(&operand)?),
                    op => match operand {
                        Object::Tensor(tensor) => torch::unary(op, &tensor)?,
                        Object::Array(_) => {
                            self.line = Some(self.source.line(expr));
                            crate::ops::unary(self, op, operand)?
                        }
                        operand => arithmetic::unary(op, &operand)?,
                    },
                }
            }
            Expr::BinOp(binary) => {
                let left = self.eval(&binary.left, scope);
                let right = self.eval(&binary.right, scope);
                if matches!(left, Object::Array(_)) || matches!(right, Object::Array(_)) {
                    self.line = Some(self.source.line(expr));
                }
                self.binary(binary.op, left, right)?
            }
            Expr::BoolOp(bool_op) => {
                let mut last = Object::None;
                for value in &bool_op.values {
                    last = known(self.eval(value, scope))?;
                    // `and` stops at the first false value, `or` at the first true one.
                    if self.truth(&last)? == (bool_op.op == BoolOp::Or) {
                        break;
                    }
                }
                last
            }
            Expr::Compare(compare) => self.compare(compare, scope)?,
            Expr::If(conditional) => {
                let test = self.eval(&conditional.test, scope);
                if self.truth(&test)? {
                    self.eval(&conditional.body, scope)
                } else {
                    self.eval(&conditional.orelse, scope)
                }
            }
            Expr::Named(named) => {
                let value = self.eval(&named.value, scope);
                self.assign(&named.target, value.clone(), scope);
                value
            }
            Expr::Lambda(lambda) => self.make_function(
                "lambda",
                lambda.parameters.as_deref(),
                Body::Expression(&lambda.body),
                scope,
            ),
            Expr::Call(call) => self.call(call, scope)?,
            Expr::Attribute(attribute) => self.attribute(attribute, scope)?,
            Expr::Subscript(subscript) => self.subscript(subscript, scope)?,
            Expr::ListComp(c) => self.collect(&c.generators, &c.elt, scope)?,
            // Eager, which only shows where a generator is left unfinished.
            Expr::Generator(c) => self.collect(&c.generators, &c.elt, scope)?,
            Expr::DictComp(c) => {
                let key = c.key.as_deref().ok_or("the comprehension has no rule")?;
                let mut pairs = Vec::new();
                let inner = self.heap.scope(Some(scope), Vec::new());
                self.comprehend(&c.generators, inner, &mut |evaluator, inner| {
                    let key = known(evaluator.eval(key, inner))?;
                    pairs.push((key, evaluator.eval(&c.value, inner)));
                    Ok(())
                })?;
                self.make_dict(pairs)?
            }
            Expr::Slice(slice) if self.is_following => {
                let bound = |evaluator: &mut Self, expr: &'a Option<Box<Expr>>| match expr {
                    None => Ok(None),
                    Some(expr) => evaluator.slice_bound(expr, scope),
                };
                let lower = bound(self, &slice.lower)?;
                let upper = bound(self, &slice.upper)?;
                Object::Slice(lower, upper, bound(self, &slice.step)?)
            }
            Expr::SetComp(c) if self.is_following => {
                let items = self.collect(&c.generators, &c.elt, scope)?;
                self.without_duplicates(&items)?
            }
            Expr::Set(set) if self.is_following => {
                let items = self.elements(&set.elts, scope)?;
                let items = self.heap.list(items);
                self.without_duplicates(&items)?
            }
            Expr::FString(f) => self.f_string(f.value.as_slice(), scope)?,
            _ => return Err("the expression has no rule".into()),
        })
    }

    /// What a name is bound to, and where: here, in a scope around here, or in the module.
    pub(super) fn lookup(&self, name: &str, scope: ScopeId) -> Option<(ScopeId, &Object)> {
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = self.heap.scope_of(id);
            if scope.globals.contains(&name) {
                return Some((self.module, self.global(name)?));
            }
            if let Some(object) = scope.get(name) {
                return Some((id, object));
            }
            at = scope.parent;
        }
        None
    }

    pub(super) fn name(&mut self, name: &str, line: u32, scope: ScopeId) -> Object {
        match self.lookup(name, scope) {
            // The bare name of a module constant: what a dimension is called by.
            Some((at, Object::Int(value, _))) if at == self.module => {
                Object::Int(*value, symbol(name))
            }
            Some((_, object)) => object.clone(),
            None => {
                let builtin = format!("builtins.{name}");
                if rules::find(&builtin).is_some()
                    || (self.is_following && super::instances::is_builtin(&builtin))
                {
                    Object::External(builtin.into())
                } else {
                    self.record(name, line, "not defined")
                }
            }
        }
    }

    /// Elements of a display, `*` taken apart.
    fn elements(&mut self, elements: &'a [Expr], scope: ScopeId) -> Result<Vec<Object>, Reason> {
        let mut items = Vec::with_capacity(elements.len());
        self.elements_into(&mut items, elements, scope)?;
        Ok(items)
    }

    /// The same, keeping what was evaluated before something failed.
    pub(super) fn elements_into(
        &mut self,
        items: &mut Vec<Object>,
        elements: &'a [Expr],
        scope: ScopeId,
    ) -> Result<(), Reason> {
        for element in elements {
            if let Expr::Starred(starred) = element {
                let value = self.eval(&starred.value, scope);
                items.extend(self.iterate(&value)?);
            } else {
                items.push(self.eval(element, scope));
            }
        }
        if items.len() > MAX_LENGTH {
            return Err("the sequence is too long".into());
        }
        Ok(())
    }

    fn dict(&mut self, dict: &'a ExprDict, scope: ScopeId) -> Outcome {
        let mut pairs = Vec::with_capacity(dict.items.len());
        for item in &dict.items {
            let value = self.eval(&item.value, scope);
            if let Some(key) = &item.key {
                pairs.push((known(self.eval(key, scope))?, value));
            } else if let Object::Dict(id) = known(value)? {
                pairs.extend(self.heap.pairs(id)?.iter().cloned());
            } else {
                return Err("`**` of something that is no dict".into());
            }
        }
        self.make_dict(pairs)
    }

    fn compare(&mut self, compare: &'a ExprCompare, scope: ScopeId) -> Outcome {
        let mut left = known(self.eval(&compare.left, scope))?;
        for (op, right) in compare.ops.iter().zip(&compare.comparators) {
            let right = known(self.eval(right, scope))?;
            if (matches!(left, Object::Array(_)) || matches!(right, Object::Array(_)))
                && !matches!(op, CmpOp::Is | CmpOp::IsNot | CmpOp::In | CmpOp::NotIn)
                && compare.ops.len() == 1
            {
                self.line = Some(self.source.line(compare));
                return crate::ops::compare(self, *op, left, right);
            }
            if (matches!(left, Object::Tensor(_)) || matches!(right, Object::Tensor(_)))
                && !matches!(op, CmpOp::Is | CmpOp::IsNot)
            {
                if compare.ops.len() > 1 || matches!(op, CmpOp::In | CmpOp::NotIn) {
                    return Err("depends on elements of a tensor".into());
                }
                return torch::compare(&left, &right);
            }
            if !self.holds(*op, &left, &right)? {
                return Ok(Object::Bool(false));
            }
            left = right;
        }
        Ok(Object::Bool(true))
    }

    fn holds(&mut self, op: CmpOp, left: &Object, right: &Object) -> Result<bool, Reason> {
        Ok(match op {
            CmpOp::Eq => self.equal(left, right)?,
            CmpOp::NotEq => !self.equal(left, right)?,
            CmpOp::Is => self.same(left, right)?,
            CmpOp::IsNot => !self.same(left, right)?,
            CmpOp::In => self.contains(right, left)?,
            CmpOp::NotIn => !self.contains(right, left)?,
            CmpOp::Lt => arithmetic::order(left, right)?.is_lt(),
            CmpOp::LtE => arithmetic::order(left, right)?.is_le(),
            CmpOp::Gt => arithmetic::order(left, right)?.is_gt(),
            CmpOp::GtE => arithmetic::order(left, right)?.is_ge(),
        })
    }

    fn attribute(&mut self, attribute: &'a ExprAttribute, scope: ScopeId) -> Outcome {
        let value = known(self.eval(&attribute.value, scope))?;
        let name = attribute.attr.as_str();
        if self.is_following {
            self.line = Some(self.source.line(attribute));
            if let Some(found) = self.attribute_of(&value, name) {
                return found;
            }
        }
        match &value {
            Object::External(path) => Ok(external(format!("{path}.{name}"))),
            Object::Tensor(tensor) => {
                if let Some(found) = torch::attribute(&mut self.heap, tensor, name) {
                    return Ok(found);
                }
                Ok(Object::Method(Rc::new((value, name.to_owned()))))
            }
            Object::Str(_)
            | Object::Tuple(_)
            | Object::List(_)
            | Object::Dict(_)
            | Object::Array(_) => Ok(Object::Method(Rc::new((value, name.to_owned())))),
            other => Err(format!("attribute of {} has no rule", other.type_name()).into()),
        }
    }

    fn f_string(&mut self, parts: &'a [FStringPart], scope: ScopeId) -> Outcome {
        let mut text = String::new();
        for part in parts {
            let elements = match part {
                FStringPart::Literal(literal) => {
                    text.push_str(&literal.value);
                    continue;
                }
                FStringPart::FString(f) => &f.elements,
            };
            for element in elements {
                match element {
                    InterpolatedStringElement::Literal(literal) => text.push_str(&literal.value),
                    InterpolatedStringElement::Interpolation(element) => {
                        let value = known(self.eval(&element.expression, scope))?;
                        let is_plain = element.debug_text.is_none()
                            && element.format_spec.is_none()
                            && element.conversion.to_byte().is_none();
                        let shown = arithmetic::to_text(&value).filter(|_| is_plain);
                        text.push_str(&shown.ok_or("the format has no rule")?);
                    }
                }
            }
        }
        self.charge(text.len() / 64)?;
        if text.len() > MAX_LENGTH {
            return Err("the string is too long".into());
        }
        Ok(Object::str(text))
    }
}

/// Something defined outside: a constant where its value is known, else its path.
pub(super) fn external(path: String) -> Object {
    torch::constant(&path)
        .or_else(|| arithmetic::constant(&path))
        .unwrap_or_else(|| Object::External(path.into()))
}

/// What an unknown expression is called: its dotted name, or its kind.
pub(super) fn describe(expr: &Expr) -> String {
    match expr {
        Expr::Call(call) => describe(&call.func),
        Expr::Name(name) => name.id.to_string(),
        Expr::Attribute(attribute) => {
            let mut parts = vec![attribute.attr.as_str()];
            let mut value = &*attribute.value;
            while let Expr::Attribute(inner) = value {
                parts.push(inner.attr.as_str());
                value = &inner.value;
            }
            parts.push(match value {
                Expr::Name(name) => name.id.as_str(),
                _ => "…",
            });
            parts.reverse();
            parts.join(".")
        }
        Expr::BinOp(binary) => binary.op.as_str().to_owned(),
        Expr::UnaryOp(unary) => unary.op.as_str().to_owned(),
        Expr::BoolOp(bool_op) => bool_op.op.as_str().to_owned(),
        Expr::Compare(compare) => compare.ops.first().map_or("", CmpOp::as_str).to_owned(),
        Expr::Subscript(_) => "[…]".to_owned(),
        Expr::If(_) => "if".to_owned(),
        Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => {
            "comprehension".to_owned()
        }
        Expr::FString(_) => "f-string".to_owned(),
        Expr::NumberLiteral(_) => "number".to_owned(),
        _ => "expression".to_owned(),
    }
}
