//! Expressions.

use ruff_python_ast::{Comprehension, Expr, FStringPart, InterpolatedStringElement, Number};

use super::Writer;

impl Writer {
    pub(super) fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::BoolOp(e) => self.exprs(e.op.as_str(), &e.values),
            Expr::Named(e) => self.node("walrus", |w| {
                w.expr(&e.target);
                w.expr(&e.value);
            }),
            Expr::BinOp(e) => self.named("op", e.op.as_str(), |w| {
                w.expr(&e.left);
                w.expr(&e.right);
            }),
            Expr::UnaryOp(e) => self.named("unary", e.op.as_str(), |w| w.expr(&e.operand)),
            Expr::Lambda(e) => self.node("lambda", |w| {
                if let Some(parameters) = &e.parameters {
                    w.parameters(parameters);
                }
                w.expr(&e.body);
            }),
            Expr::If(e) => self.exprs("ifelse", [&*e.test, &*e.body, &*e.orelse]),
            Expr::Dict(e) => self.list("dict", &e.items, |w, item| {
                w.maybe(item.key.as_ref());
                w.expr(&item.value);
            }),
            Expr::Set(e) => self.exprs("set", &e.elts),
            Expr::ListComp(e) => self.comprehension("listcomp", &[&e.elt], &e.generators),
            Expr::SetComp(e) => self.comprehension("setcomp", &[&e.elt], &e.generators),
            Expr::Generator(e) => self.comprehension("generator", &[&e.elt], &e.generators),
            Expr::DictComp(e) => self.node("dictcomp", |w| {
                w.maybe(e.key.as_deref());
                w.comprehension("of", &[&e.value], &e.generators);
            }),
            Expr::Await(e) => self.node("await", |w| w.expr(&e.value)),
            Expr::Yield(e) => self.node("yield", |w| w.maybe(e.value.as_deref())),
            Expr::YieldFrom(e) => self.node("yieldfrom", |w| w.expr(&e.value)),
            Expr::Compare(e) => self.node("compare", |w| {
                w.expr(&e.left);
                for (op, right) in e.ops.iter().zip(&e.comparators) {
                    w.text(op.as_str());
                    w.expr(right);
                }
            }),
            Expr::Call(e) => self.node("call", |w| {
                w.expr(&e.func);
                w.arguments(&e.arguments);
            }),
            Expr::FString(e) => self.f_string(e.value.as_slice()),
            Expr::TString(e) => self.list("tstring", e.value.as_slice(), |w, part| {
                w.interpolated(&part.elements);
            }),
            Expr::StringLiteral(e) => self.node("str", |w| w.text(e.value.to_str())),
            Expr::BytesLiteral(e) => self.node("bytes", |w| {
                w.text(&crate::hex(e.value.bytes()));
            }),
            Expr::NumberLiteral(e) => match &e.value {
                Number::Int(value) => self.node("int", |w| w.text(&value.to_string())),
                Number::Float(value) => self.node("float", |w| w.float(*value)),
                Number::Complex { real, imag } => self.node("complex", |w| {
                    w.float(*real);
                    w.float(*imag);
                }),
            },
            Expr::BooleanLiteral(e) => self.node("bool", |w| w.text(&e.value.to_string())),
            Expr::NoneLiteral(_) => self.node("none", |_| {}),
            Expr::EllipsisLiteral(_) => self.node("...", |_| {}),
            Expr::Attribute(e) => self.named("attr", &e.attr, |w| w.expr(&e.value)),
            Expr::Subscript(e) => self.exprs("item", [&*e.value, &*e.slice]),
            Expr::Starred(e) => self.node("star", |w| w.expr(&e.value)),
            Expr::Name(e) => self.node("name", |w| w.text(&e.id)),
            Expr::List(e) => self.exprs("list", &e.elts),
            Expr::Tuple(e) => self.exprs("tuple", &e.elts),
            Expr::Slice(e) => self.node("slice", |w| {
                w.maybe(e.lower.as_deref());
                w.maybe(e.upper.as_deref());
                w.maybe(e.step.as_deref());
            }),
            Expr::IpyEscapeCommand(e) => self.node("escape", |w| w.text(&e.value)),
        }
    }

    fn comprehension(&mut self, kind: &str, results: &[&Expr], generators: &[Comprehension]) {
        self.node(kind, |w| {
            w.exprs("of", results.iter().copied());
            w.list("for", generators, |w, generator| {
                w.flag(generator.is_async, "async");
                w.expr(&generator.target);
                w.expr(&generator.iter);
                w.exprs("if", &generator.ifs);
            });
        });
    }

    /// Adjacent pieces of text are one: how a string is split says nothing.
    fn f_string(&mut self, parts: &[FStringPart]) {
        self.node("fstring", |w| {
            let mut text = String::new();
            for part in parts {
                match part {
                    FStringPart::Literal(literal) => text.push_str(&literal.value),
                    FStringPart::FString(f) => w.pieces(&f.elements, &mut text),
                }
            }
            w.piece(&mut text);
        });
    }

    fn interpolated(&mut self, elements: &[InterpolatedStringElement]) {
        let mut text = String::new();
        self.pieces(elements, &mut text);
        self.piece(&mut text);
    }

    fn pieces(&mut self, elements: &[InterpolatedStringElement], text: &mut String) {
        for element in elements {
            match element {
                InterpolatedStringElement::Literal(literal) => text.push_str(&literal.value),
                InterpolatedStringElement::Interpolation(element) => {
                    self.piece(text);
                    self.node("{}", |w| {
                        w.expr(&element.expression);
                        let conversion = element.conversion.to_byte().map(char::from);
                        w.text(&conversion.map_or_else(String::new, String::from));
                        if let Some(spec) = &element.format_spec {
                            w.interpolated(&spec.elements);
                        }
                        if let Some(debug) = &element.debug_text {
                            w.text(debug.leading());
                            w.text(debug.trailing());
                        }
                    });
                }
            }
        }
    }

    fn piece(&mut self, text: &mut String) {
        if !text.is_empty() {
            self.text(text);
            text.clear();
        }
    }
}
