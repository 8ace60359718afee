//! Which names a piece of code binds, and which it takes from outside.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{
    Alias, Comprehension, ExceptHandler, Expr, ExprContext, Parameters, Pattern, Stmt,
};

/// What the statements of one scope do with names. Nested functions, classes and
/// lambdas are scopes of their own and not looked into.
#[derive(Debug, Default)]
pub(crate) struct Bindings<'a> {
    /// Names bound here.
    pub(crate) bound: BTreeSet<&'a str>,
    /// Names declared `global`.
    pub(crate) globals: BTreeSet<&'a str>,
    /// Names read here.
    pub(crate) read: BTreeSet<&'a str>,
    /// Holds a `yield`: calling the function runs nothing.
    pub(crate) is_generator: bool,
    /// Holds a `return`, `break` or `continue`: what runs next depends on it.
    pub(crate) leaves: bool,
}

impl<'a> Bindings<'a> {
    /// Of these statements.
    pub(crate) fn of(body: &'a [Stmt]) -> Self {
        let mut bindings = Self::default();
        bindings.visit_body(body);
        bindings
    }

    /// Of one expression.
    fn of_expr(expr: &'a Expr) -> Self {
        let mut bindings = Self::default();
        bindings.visit_expr(expr);
        bindings
    }
}

/// The name that an import binds: the alias, or the first part of a dotted path.
pub(crate) fn imported_name(alias: &Alias) -> &str {
    alias.asname.as_ref().map_or_else(
        || alias.name.split('.').next().unwrap_or(&alias.name),
        |name| name.as_str(),
    )
}

impl<'a> Visitor<'a> for Bindings<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => {
                self.bound.insert(&def.name);
            }
            Stmt::ClassDef(def) => {
                self.bound.insert(&def.name);
            }
            Stmt::Return(_) | Stmt::Break(_) | Stmt::Continue(_) => {
                self.leaves = true;
                visitor::walk_stmt(self, stmt);
            }
            Stmt::Global(global) => self
                .globals
                .extend(global.names.iter().map(ruff_python_ast::Identifier::as_str)),
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        self.bound.insert(imported_name(alias));
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        self.bound
            .extend(inner.name.as_ref().map(ruff_python_ast::Identifier::as_str));
        visitor::walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        let name = match pattern {
            Pattern::MatchAs(p) => p.name.as_ref(),
            Pattern::MatchStar(p) => p.name.as_ref(),
            Pattern::MatchMapping(p) => p.rest.as_ref(),
            _ => None,
        };
        self.bound
            .extend(name.map(ruff_python_ast::Identifier::as_str));
        visitor::walk_pattern(self, pattern);
    }

    fn visit_comprehension(&mut self, comprehension: &'a Comprehension) {
        // The targets belong to the comprehension alone.
        self.visit_expr(&comprehension.iter);
        for condition in &comprehension.ifs {
            self.visit_expr(condition);
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Lambda(_) => {}
            Expr::Name(name) if name.ctx == ExprContext::Load => {
                self.read.insert(&name.id);
            }
            Expr::Name(name) => {
                self.bound.insert(&name.id);
            }
            Expr::Yield(_) | Expr::YieldFrom(_) => {
                self.is_generator = true;
                visitor::walk_expr(self, expr);
            }
            _ => visitor::walk_expr(self, expr),
        }
    }
}

/// The names that a statement takes from outside itself.
pub(crate) fn free_names(stmt: &Stmt) -> BTreeSet<&str> {
    let mut free = Free::default();
    free.visit_stmt(stmt);
    free.names
}

struct Scope<'a> {
    bound: BTreeSet<&'a str>,
    is_class: bool,
}

#[derive(Default)]
struct Free<'a> {
    scopes: Vec<Scope<'a>>,
    names: BTreeSet<&'a str>,
}

impl<'a> Free<'a> {
    fn read(&mut self, name: &'a str) {
        // Names of a class body are seen there, but not by its methods.
        let innermost = self.scopes.len();
        let is_bound = self.scopes.iter().enumerate().any(|(at, scope)| {
            (at + 1 == innermost || !scope.is_class) && scope.bound.contains(name)
        });
        if !is_bound {
            self.names.insert(name);
        }
    }

    fn within(&mut self, bound: BTreeSet<&'a str>, is_class: bool, walk: impl FnOnce(&mut Self)) {
        self.scopes.push(Scope { bound, is_class });
        walk(self);
        self.scopes.pop();
    }

    fn function(&mut self, parameters: Option<&'a Parameters>, body: &'a [Stmt]) {
        let bindings = Bindings::of(body);
        let mut bound = bindings.bound;
        if let Some(parameters) = parameters {
            bound.extend(parameters.iter().map(|p| p.name().as_str()));
        }
        for name in bindings.globals {
            bound.remove(name);
            self.names.insert(name);
        }
        self.within(bound, false, |free| free.visit_body(body));
    }

    fn comprehension(&mut self, generators: &'a [Comprehension], results: &[&'a Expr]) {
        if let Some(first) = generators.first() {
            self.visit_expr(&first.iter);
        }
        let mut bound = BTreeSet::new();
        for generator in generators {
            bound.extend(Bindings::of_expr(&generator.target).bound);
        }
        self.within(bound, false, |free| {
            for (at, generator) in generators.iter().enumerate() {
                if at > 0 {
                    free.visit_expr(&generator.iter);
                }
                for condition in &generator.ifs {
                    free.visit_expr(condition);
                }
            }
            for result in results {
                free.visit_expr(result);
            }
        });
    }
}

impl<'a> Visitor<'a> for Free<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => {
                for decorator in &def.decorator_list {
                    self.visit_decorator(decorator);
                }
                self.visit_parameters(&def.parameters);
                if let Some(returns) = &def.returns {
                    self.visit_annotation(returns);
                }
                self.function(Some(&def.parameters), &def.body);
            }
            Stmt::ClassDef(def) => {
                for decorator in &def.decorator_list {
                    self.visit_decorator(decorator);
                }
                if let Some(arguments) = &def.arguments {
                    self.visit_arguments(arguments);
                }
                let bound = Bindings::of(&def.body).bound;
                self.within(bound, true, |free| free.visit_body(&def.body));
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) if name.ctx == ExprContext::Load => self.read(&name.id),
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.visit_parameters(parameters);
                }
                let parameters = lambda.parameters.as_deref();
                let bound = parameters.map_or_else(BTreeSet::new, |parameters| {
                    parameters.iter().map(|p| p.name().as_str()).collect()
                });
                self.within(bound, false, |free| free.visit_expr(&lambda.body));
            }
            Expr::ListComp(c) => self.comprehension(&c.generators, &[&c.elt]),
            Expr::SetComp(c) => self.comprehension(&c.generators, &[&c.elt]),
            Expr::Generator(c) => self.comprehension(&c.generators, &[&c.elt]),
            Expr::DictComp(c) => {
                let mut results: Vec<&Expr> = c.key.iter().map(|key| &**key).collect();
                results.push(&c.value);
                self.comprehension(&c.generators, &results);
            }
            _ => visitor::walk_expr(self, expr),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    #[test]
    fn free_names_follow_pythons_scopes() {
        let cases: &[(&str, &[&str])] = &[
            ("def f(a, b=c): return a + b + d", &["c", "d"]),
            ("def f():\n x = y\n return x", &["y"]),
            ("def f():\n global g\n g = 1", &["g"]),
            (
                "def f(): return [i * n for i in m if i > k]",
                &["k", "m", "n"],
            ),
            ("def f(): return lambda q, r=s: q + t", &["s", "t"]),
            (
                "class C(B):\n w = 1\n v = w\n def m(self): return w",
                &["B", "w"],
            ),
            ("def f():\n def g(): return x\n x = 1\n return g", &[]),
            ("def f():\n import a.b as c\n return c, a", &["a"]),
            (
                "def f():\n try: pass\n except E as e: print(e)",
                &["E", "print"],
            ),
        ];
        for (text, expected) in cases {
            let source = Source::parse(text.as_bytes()).unwrap();
            let found: Vec<&str> = free_names(&source.suite[0]).into_iter().collect();
            assert_eq!(&found, expected, "{text}");
        }
    }
}
