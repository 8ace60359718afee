//! A syntax tree written out in a form that depends on nothing but what it says.
//!
//! A node is `(kind child …)`, a text is its length in bytes, a colon and itself, so that
//! no two trees give the same output. Statements without effect (docstrings, `pass`) are
//! left out.

mod expressions;
mod statements;

use std::fmt::Write as _;

use ruff_python_ast::Expr;

use crate::value::Value;

/// Writes nodes one after another.
#[derive(Debug)]
pub(crate) struct Writer {
    out: String,
}

impl Writer {
    pub(crate) fn new(prefix: &str) -> Self {
        Self {
            out: prefix.to_owned(),
        }
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }

    fn node(&mut self, kind: &str, children: impl FnOnce(&mut Self)) {
        self.out.push('(');
        self.out.push_str(kind);
        children(self);
        self.out.push(')');
    }

    pub(crate) fn named(&mut self, kind: &str, name: &str, children: impl FnOnce(&mut Self)) {
        self.node(kind, |w| {
            w.text(name);
            children(w);
        });
    }

    pub(crate) fn text(&mut self, text: &str) {
        // Writing to a string can't fail.
        let _ = write!(self.out, " {}:{text}", text.len());
    }

    fn flag(&mut self, flag: bool, name: &str) {
        if flag {
            self.text(name);
        }
    }

    fn float(&mut self, value: f64) {
        self.text(&format!("{:016x}", value.to_bits()));
    }

    fn list<T>(
        &mut self,
        kind: &str,
        items: impl IntoIterator<Item = T>,
        each: impl Fn(&mut Self, T),
    ) {
        self.node(kind, |w| {
            for item in items {
                each(w, item);
            }
        });
    }

    fn exprs<'a>(&mut self, kind: &str, exprs: impl IntoIterator<Item = &'a Expr>) {
        self.list(kind, exprs, Self::expr);
    }

    fn maybe(&mut self, expr: Option<&Expr>) {
        match expr {
            Some(expr) => self.expr(expr),
            None => self.node("-", |_| {}),
        }
    }

    /// A constant value.
    pub(crate) fn value(&mut self, value: &Value) {
        match value {
            Value::None => self.node("none", |_| {}),
            Value::Bool(value) => self.node("bool", |w| w.text(&value.to_string())),
            Value::Int(value) => self.node("int", |w| w.text(&value.to_string())),
            Value::Float(value) => self.node("float", |w| w.float(*value)),
            Value::Str(text) => self.node("str", |w| w.text(text)),
            Value::Tuple(items) => self.list("tuple", items, Self::value),
            Value::List(items) => self.list("list", items, Self::value),
            Value::Dict(pairs) => self.list("dict", pairs, |w, (key, value)| {
                w.value(key);
                w.value(value);
            }),
            Value::Range(start, end, step) => self.node("range", |w| {
                for bound in [start, end, step] {
                    w.text(&bound.to_string());
                }
            }),
            Value::DType(dtype) => self.node("dtype", |w| w.text(dtype.short_name())),
            // Neither is a constant; callers write code instead.
            Value::Tensor(_) | Value::Unknown(_) => self.node("unknown", |_| {}),
        }
    }
}
