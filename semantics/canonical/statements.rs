//! Statements, definitions and patterns.

use ruff_python_ast::{
    Arguments, Decorator, ElifElseClause, ExceptHandler, Parameter, ParameterWithDefault,
    Parameters, Pattern, Singleton, Stmt, TypeParam, TypeParams,
};

use super::Writer;

impl Writer {
    fn body(&mut self, body: &[Stmt]) {
        self.list(
            "do",
            body.iter().filter(|stmt| has_effect(stmt)),
            Self::stmt,
        );
    }

    /// A statement.
    pub(crate) fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => self.named("def", &def.name, |w| {
                w.flag(def.is_async, "async");
                w.decorators(&def.decorator_list);
                w.type_params(def.type_params.as_deref());
                w.parameters(&def.parameters);
                w.maybe(def.returns.as_deref());
                w.body(&def.body);
            }),
            Stmt::ClassDef(def) => self.named("class", &def.name, |w| {
                w.decorators(&def.decorator_list);
                w.type_params(def.type_params.as_deref());
                if let Some(arguments) = &def.arguments {
                    w.arguments(arguments);
                }
                w.body(&def.body);
            }),
            Stmt::Return(s) => self.node("return", |w| w.maybe(s.value.as_deref())),
            Stmt::Delete(s) => self.exprs("del", &s.targets),
            Stmt::TypeAlias(s) => self.node("type", |w| {
                w.expr(&s.name);
                w.type_params(s.type_params.as_deref());
                w.expr(&s.value);
            }),
            Stmt::Assign(s) => self.node("=", |w| {
                w.exprs("to", &s.targets);
                w.expr(&s.value);
            }),
            Stmt::AugAssign(s) => self.named("op=", s.op.as_str(), |w| {
                w.expr(&s.target);
                w.expr(&s.value);
            }),
            Stmt::AnnAssign(s) => self.node(":=", |w| {
                w.expr(&s.target);
                w.expr(&s.annotation);
                w.maybe(s.value.as_deref());
            }),
            Stmt::For(s) => self.node("for", |w| {
                w.flag(s.is_async, "async");
                w.expr(&s.target);
                w.expr(&s.iter);
                w.body(&s.body);
                w.body(&s.orelse);
            }),
            Stmt::While(s) => self.node("while", |w| {
                w.expr(&s.test);
                w.body(&s.body);
                w.body(&s.orelse);
            }),
            Stmt::If(s) => self.node("if", |w| {
                w.expr(&s.test);
                w.body(&s.body);
                w.list("else", &s.elif_else_clauses, Self::clause);
            }),
            Stmt::With(s) => self.node("with", |w| {
                w.flag(s.is_async, "async");
                w.list("as", &s.items, |w, item| {
                    w.expr(&item.context_expr);
                    w.maybe(item.optional_vars.as_deref());
                });
                w.body(&s.body);
            }),
            Stmt::Match(s) => self.node("match", |w| {
                w.expr(&s.subject);
                w.list("cases", &s.cases, |w, case| {
                    w.pattern(&case.pattern);
                    w.maybe(case.guard.as_deref());
                    w.body(&case.body);
                });
            }),
            Stmt::Raise(s) => self.node("raise", |w| {
                w.maybe(s.exc.as_deref());
                w.maybe(s.cause.as_deref());
            }),
            Stmt::Try(s) => self.node("try", |w| {
                w.flag(s.is_star, "star");
                w.body(&s.body);
                w.list("except", &s.handlers, |w, handler| {
                    let ExceptHandler::ExceptHandler(handler) = handler;
                    w.maybe(handler.type_.as_deref());
                    w.text(handler.name.as_ref().map_or("", |name| name.as_str()));
                    w.body(&handler.body);
                });
                w.body(&s.orelse);
                w.body(&s.finalbody);
            }),
            Stmt::Assert(s) => self.node("assert", |w| {
                w.expr(&s.test);
                w.maybe(s.msg.as_deref());
            }),
            Stmt::Import(s) => self.list("import", &s.names, |w, alias| {
                w.text(&alias.name);
                w.text(alias.asname.as_ref().map_or("", |name| name.as_str()));
            }),
            Stmt::ImportFrom(s) => self.node("from", |w| {
                w.text(&s.level.to_string());
                w.text(s.module.as_ref().map_or("", |module| module.as_str()));
                for alias in &s.names {
                    w.text(&alias.name);
                    w.text(alias.asname.as_ref().map_or("", |name| name.as_str()));
                }
            }),
            Stmt::Global(s) => self.list("global", &s.names, |w, name| w.text(name)),
            Stmt::Nonlocal(s) => self.list("nonlocal", &s.names, |w, name| w.text(name)),
            Stmt::Expr(s) => self.node("expr", |w| w.expr(&s.value)),
            Stmt::Pass(_) => self.node("pass", |_| {}),
            Stmt::Break(_) => self.node("break", |_| {}),
            Stmt::Continue(_) => self.node("continue", |_| {}),
            Stmt::IpyEscapeCommand(s) => self.node("escape", |w| w.text(&s.value)),
        }
    }

    fn clause(&mut self, clause: &ElifElseClause) {
        self.maybe(clause.test.as_ref());
        self.body(&clause.body);
    }

    fn decorators(&mut self, decorators: &[Decorator]) {
        self.exprs(
            "@",
            decorators.iter().map(|decorator| &decorator.expression),
        );
    }

    fn type_params(&mut self, params: Option<&TypeParams>) {
        let params = params.map_or(&[][..], |params| &params.type_params);
        self.list("types", params, |w, param| {
            let (kind, name, bound, default) = match param {
                TypeParam::TypeVar(p) => ("", &p.name, p.bound.as_deref(), &p.default),
                TypeParam::TypeVarTuple(p) => ("*", &p.name, None, &p.default),
                TypeParam::ParamSpec(p) => ("**", &p.name, None, &p.default),
            };
            w.text(kind);
            w.text(name);
            w.maybe(bound);
            w.maybe(default.as_deref());
        });
    }

    pub(super) fn parameters(&mut self, parameters: &Parameters) {
        self.node("takes", |w| {
            w.list("/", &parameters.posonlyargs, Self::parameter_with_default);
            w.list("args", &parameters.args, Self::parameter_with_default);
            w.list("*", parameters.vararg.as_deref(), Self::parameter);
            w.list("kw", &parameters.kwonlyargs, Self::parameter_with_default);
            w.list("**", parameters.kwarg.as_deref(), Self::parameter);
        });
    }

    fn parameter_with_default(&mut self, parameter: &ParameterWithDefault) {
        self.parameter(&parameter.parameter);
        self.maybe(parameter.default.as_deref());
    }

    fn parameter(&mut self, parameter: &Parameter) {
        self.text(&parameter.name);
        self.maybe(parameter.annotation.as_deref());
    }

    pub(super) fn arguments(&mut self, arguments: &Arguments) {
        self.exprs("with", &arguments.args);
        self.list("named", &arguments.keywords, |w, keyword| {
            w.text(keyword.arg.as_ref().map_or("**", |name| name.as_str()));
            w.expr(&keyword.value);
        });
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::MatchValue(p) => self.node("value", |w| w.expr(&p.value)),
            Pattern::MatchSingleton(p) => self.node("is", |w| {
                w.text(match p.value {
                    Singleton::None => "None",
                    Singleton::True => "True",
                    Singleton::False => "False",
                });
            }),
            Pattern::MatchSequence(p) => self.list("seq", &p.patterns, Self::pattern),
            Pattern::MatchMapping(p) => self.node("map", |w| {
                w.exprs("keys", &p.keys);
                w.list("values", &p.patterns, Self::pattern);
                w.text(p.rest.as_ref().map_or("", |name| name.as_str()));
            }),
            Pattern::MatchClass(p) => self.node("class", |w| {
                w.expr(&p.cls);
                w.list("with", &p.arguments.patterns, Self::pattern);
                w.list("named", &p.arguments.keywords, |w, keyword| {
                    w.text(&keyword.attr);
                    w.pattern(&keyword.pattern);
                });
            }),
            Pattern::MatchStar(p) => self.node("star", |w| {
                w.text(p.name.as_ref().map_or("_", |name| name.as_str()));
            }),
            Pattern::MatchAs(p) => self.node("as", |w| {
                w.text(p.name.as_ref().map_or("_", |name| name.as_str()));
                w.list("of", p.pattern.as_deref(), Self::pattern);
            }),
            Pattern::MatchOr(p) => self.list("or", &p.patterns, Self::pattern),
        }
    }
}

/// Whether a statement does anything: a lone string and `pass` don't.
fn has_effect(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Pass(_) => false,
        Stmt::Expr(s) => !s.value.is_string_literal_expr(),
        _ => true,
    }
}
