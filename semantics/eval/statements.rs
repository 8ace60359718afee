//! Statements: what they bind, and what happens when a branch can't be decided.

use std::collections::BTreeSet;
use std::rc::Rc;

use ruff_python_ast::{
    ElifElseClause, Expr, Stmt, StmtClassDef, StmtFor, StmtFunctionDef, StmtIf, StmtImport,
    StmtImportFrom, StmtTry, StmtWhile,
};

use super::object::{Body, Class, Function, Object, ScopeId, Wrap};
use super::{Evaluator, Reason};
use crate::names::{Bindings, imported_name};
use crate::value::Unknown;

/// Decorators that leave a function's result as it is.
const TRANSPARENT_DECORATORS: &[&str] = &[
    "builtins.staticmethod",
    "functools.cache",
    "functools.lru_cache",
    "torch.inference_mode",
    "torch.no_grad",
];

/// The wrapper that a decorator of this name makes.
fn wrap(path: &str) -> Option<Wrap> {
    Some(match path {
        "builtins.staticmethod" => Wrap::Static,
        "builtins.classmethod" => Wrap::Class,
        "builtins.property" | "functools.cached_property" => Wrap::Property,
        _ => return None,
    })
}

/// Where control goes after a statement.
pub(super) enum Flow<'a> {
    Next,
    Break,
    Continue,
    Return(Object, Option<&'a Expr>),
    /// Not known: what follows in this block can't be followed either.
    Lost(Rc<Unknown>),
}

impl<'a> Evaluator<'a> {
    pub(super) fn block(&mut self, body: &'a [Stmt], scope: ScopeId) -> Flow<'a> {
        for stmt in body {
            match self.statement(stmt, scope) {
                Flow::Next => {}
                flow => return flow,
            }
        }
        Flow::Next
    }

    pub(super) fn statement(&mut self, stmt: &'a Stmt, scope: ScopeId) -> Flow<'a> {
        match self.deeper(|evaluator| evaluator.try_statement(stmt, scope)) {
            Ok(flow) => flow,
            Err(Reason::From(unknown)) => Flow::Lost(unknown),
            Err(Reason::New(reason)) => {
                Flow::Lost(self.record_unknown(describe(stmt), self.source.line(stmt), &reason))
            }
        }
    }

    fn try_statement(&mut self, stmt: &'a Stmt, scope: ScopeId) -> Result<Flow<'a>, Reason> {
        match stmt {
            Stmt::FunctionDef(def) => self.function_def(def, scope),
            Stmt::ClassDef(def) => self.class_def(def, scope),
            Stmt::Return(stmt) => {
                let expr = stmt.value.as_deref();
                let value = expr.map_or(Object::None, |expr| self.eval(expr, scope));
                return Ok(Flow::Return(value, expr));
            }
            Stmt::Assign(stmt) => {
                let value = self.eval(&stmt.value, scope);
                for target in &stmt.targets {
                    self.assign(target, value.clone(), scope);
                }
            }
            Stmt::AnnAssign(stmt) => {
                if let Some(value) = &stmt.value {
                    let value = self.eval(value, scope);
                    self.assign(&stmt.target, value, scope);
                }
            }
            Stmt::AugAssign(stmt) => self.augmented(stmt, scope),
            Stmt::Expr(stmt) => {
                self.eval(&stmt.value, scope);
            }
            Stmt::If(stmt) => return self.conditional(stmt, scope),
            Stmt::For(stmt) if !stmt.is_async => return self.for_loop(stmt, scope),
            Stmt::While(stmt) => return self.while_loop(stmt, scope),
            Stmt::With(stmt) if !stmt.is_async => {
                for item in &stmt.items {
                    // Context managers as used here (`torch.no_grad`) change no value.
                    let context = self.eval(&item.context_expr, scope);
                    if let Some(target) = &item.optional_vars {
                        self.assign(target, context, scope);
                    }
                }
                return Ok(self.block(&stmt.body, scope));
            }
            Stmt::Try(stmt) => return Ok(self.try_block(stmt, scope)),
            Stmt::Assert(stmt) => {
                // A module that runs at all passes its assertions.
                self.eval(&stmt.test, scope);
            }
            Stmt::Import(import) => self.import(import, scope),
            Stmt::ImportFrom(import) => self.import_from(import, scope),
            Stmt::Delete(stmt) => {
                for target in &stmt.targets {
                    let gone = self.record("del", self.source.line(target), "deleted");
                    self.assign(target, gone, scope);
                }
            }
            // Declarations of names; `global` is read off the function's bindings.
            Stmt::Global(_) | Stmt::Pass(_) | Stmt::TypeAlias(_) => {}
            Stmt::Break(_) => return Ok(Flow::Break),
            Stmt::Continue(_) => return Ok(Flow::Continue),
            Stmt::Raise(_) => return Err("an exception is raised".into()),
            _ => return Err("the statement has no rule".into()),
        }
        Ok(Flow::Next)
    }

    fn function_def(&mut self, def: &'a StmtFunctionDef, scope: ScopeId) {
        let mut value = self.make_function(
            &def.name,
            Some(&def.parameters),
            Body::Statements(&def.body),
            scope,
        );
        for decorator in &def.decorator_list {
            let line = self.source.line(decorator);
            let callee = match &decorator.expression {
                Expr::Call(call) => &call.func,
                expr => expr,
            };
            value = match self.eval(callee, scope) {
                Object::External(path) if self.is_following && wrap(&path).is_some() => {
                    match (wrap(&path), value) {
                        (Some(wrap), Object::Function(id)) => Object::Wrapped(wrap, id),
                        (_, value) => value,
                    }
                }
                Object::External(path) if TRANSPARENT_DECORATORS.contains(&&*path) => value,
                Object::Unknown(unknown) => Object::Unknown(unknown),
                Object::External(path) => self.record(&path, line, "the decorator has no rule"),
                _ => self.record(&def.name, line, "the decorator has no rule"),
            };
        }
        self.bind(scope, &def.name, value);
    }

    pub(super) fn make_function(
        &mut self,
        name: &'a str,
        parameters: Option<&'a ruff_python_ast::Parameters>,
        body: Body<'a>,
        scope: ScopeId,
    ) -> Object {
        let mut defaults = std::collections::HashMap::new();
        for parameter in parameters
            .iter()
            .flat_map(|parameters| parameters.iter_non_variadic_params())
        {
            if let Some(default) = &parameter.default {
                defaults.insert(parameter.parameter.name.as_str(), self.eval(default, scope));
            }
        }
        let bindings = match body {
            Body::Statements(body) => Bindings::of(body),
            Body::Expression(_) => Bindings::default(),
        };
        self.heap.function(Function {
            name,
            parameters,
            defaults: Rc::new(defaults),
            body,
            bindings: Rc::new(bindings),
            scope: self.closure(scope),
            owner: None,
        })
    }

    fn class_def(&mut self, def: &'a StmtClassDef, scope: ScopeId) {
        if self.is_following {
            self.define_class(def, scope);
            return;
        }
        let class = self.heap.class(Class {
            name: def.name.as_str().into(),
            bases: Vec::new(),
            ancestry: Vec::new(),
            scope: None,
            fields: None,
        });
        self.bind(scope, &def.name, Object::Class(class));
    }

    fn conditional(&mut self, stmt: &'a StmtIf, scope: ScopeId) -> Result<Flow<'a>, Reason> {
        let mut branch: &'a [Stmt] = &stmt.body;
        let mut test = Some(&*stmt.test);
        let mut clauses: &'a [ElifElseClause] = &stmt.elif_else_clauses;
        loop {
            let Some(expr) = test else {
                return Ok(self.block(branch, scope));
            };
            let value = self.eval(expr, scope);
            match self.truth(&value) {
                Ok(true) => return Ok(self.block(branch, scope)),
                Ok(false) => {}
                Err(reason) => {
                    let why = self.because(reason, "if", self.source.line(expr));
                    let mut leaves = self.undecided(branch, scope, &why);
                    for clause in clauses {
                        leaves |= self.undecided(&clause.body, scope, &why);
                    }
                    return if leaves {
                        Err(why.into())
                    } else {
                        Ok(Flow::Next)
                    };
                }
            }
            let Some((next, rest)) = clauses.split_first() else {
                return Ok(Flow::Next);
            };
            branch = &next.body;
            test = next.test.as_ref();
            clauses = rest;
        }
    }

    fn for_loop(&mut self, stmt: &'a StmtFor, scope: ScopeId) -> Result<Flow<'a>, Reason> {
        let iterable = self.eval(&stmt.iter, scope);
        let items = match self.iterate(&iterable) {
            Ok(items) => items,
            Err(reason) => {
                let why = self.because(reason, "for", self.source.line(&*stmt.iter));
                self.assign(&stmt.target, Object::Unknown(Rc::clone(&why)), scope);
                let leaves = self.undecided(&stmt.body, scope, &why)
                    | self.undecided(&stmt.orelse, scope, &why);
                return if leaves {
                    Err(why.into())
                } else {
                    Ok(Flow::Next)
                };
            }
        };
        for item in items {
            self.charge(1)?;
            self.assign(&stmt.target, item, scope);
            match self.block(&stmt.body, scope) {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                flow => return Ok(flow),
            }
        }
        Ok(self.block(&stmt.orelse, scope))
    }

    fn while_loop(&mut self, stmt: &'a StmtWhile, scope: ScopeId) -> Result<Flow<'a>, Reason> {
        loop {
            self.charge(1)?;
            let test = self.eval(&stmt.test, scope);
            match self.truth(&test) {
                Ok(true) => {}
                Ok(false) => return Ok(self.block(&stmt.orelse, scope)),
                Err(reason) => {
                    let why = self.because(reason, "while", self.source.line(&*stmt.test));
                    let leaves = self.undecided(&stmt.body, scope, &why)
                        | self.undecided(&stmt.orelse, scope, &why);
                    return if leaves {
                        Err(why.into())
                    } else {
                        Ok(Flow::Next)
                    };
                }
            }
            match self.block(&stmt.body, scope) {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                flow => return Ok(flow),
            }
        }
    }

    /// The body runs as if nothing was raised; what a handler would bind is not known.
    fn try_block(&mut self, stmt: &'a StmtTry, scope: ScopeId) -> Flow<'a> {
        let mut flow = self.block(&stmt.body, scope);
        if !stmt.handlers.is_empty() {
            let line = self.source.line(stmt);
            for handler in &stmt.handlers {
                let ruff_python_ast::ExceptHandler::ExceptHandler(handler) = handler;
                if Bindings::of(&handler.body).bound.is_empty() {
                    continue;
                }
                let why = self.record_unknown("try", line, "depends on an exception");
                self.undecided(&handler.body, scope, &why);
            }
        }
        if matches!(flow, Flow::Next) {
            flow = self.block(&stmt.orelse, scope);
        }
        match self.block(&stmt.finalbody, scope) {
            Flow::Next => flow,
            last => last,
        }
    }

    fn import(&mut self, import: &'a StmtImport, scope: ScopeId) {
        for alias in &import.names {
            let name = imported_name(alias);
            let path = if alias.asname.is_some() {
                &alias.name
            } else {
                name
            };
            self.bind(scope, name, Object::External(path.into()));
        }
    }

    fn import_from(&mut self, import: &'a StmtImportFrom, scope: ScopeId) {
        let module = import.module.as_ref().map_or("", |module| module.as_str());
        let dots = ".".repeat(usize::try_from(import.level).unwrap_or(usize::MAX).min(16));
        for alias in import
            .names
            .iter()
            .filter(|alias| alias.name.as_str() != "*")
        {
            let path = format!("{dots}{module}.{}", alias.name);
            let value = super::expressions::external(path);
            self.bind(scope, imported_name(alias), value);
        }
    }

    /// A branch that may or may not run: gives up what it would change, and says whether
    /// it may leave the block around it.
    fn undecided(&mut self, body: &'a [Stmt], scope: ScopeId, why: &Rc<Unknown>) -> bool {
        self.forget_effects(body, scope, why);
        Bindings::of(body).leaves
    }

    /// Gives up what statements that could not be followed may have changed: the names
    /// they bind, and the lists and dicts they mention or reach through functions.
    pub(super) fn forget_effects(&mut self, body: &'a [Stmt], scope: ScopeId, why: &Rc<Unknown>) {
        let bindings = Bindings::of(body);
        self.forget_read(&bindings.read, scope, why);
        for name in bindings.bound {
            self.bind(scope, name, Object::Unknown(Rc::clone(why)));
        }
    }

    pub(super) fn forget_read(
        &mut self,
        names: &BTreeSet<&'a str>,
        scope: ScopeId,
        why: &Rc<Unknown>,
    ) {
        let mut todo: Vec<&str> = names.iter().copied().collect();
        let mut seen: BTreeSet<&str> = names.clone();
        while let Some(name) = todo.pop() {
            match self.lookup(name, scope).map(|found| found.1.clone()) {
                Some(Object::Function(id)) => {
                    let bindings = Rc::clone(&self.heap.function_of(id).bindings);
                    todo.extend(bindings.read.iter().filter(|name| seen.insert(name)));
                    for name in &bindings.globals {
                        self.bind(self.module, name, Object::Unknown(Rc::clone(why)));
                    }
                }
                Some(object) => self.heap.forget(&object, why),
                None => {}
            }
        }
    }

    /// The recorded unknown behind a reason.
    pub(super) fn because(
        &mut self,
        reason: Reason,
        what: &str,
        line: impl Into<Option<u32>>,
    ) -> Rc<Unknown> {
        match reason {
            Reason::From(unknown) => unknown,
            Reason::New(reason) => self.record_unknown(what, line, &reason),
        }
    }
}

fn describe(stmt: &Stmt) -> &'static str {
    match stmt {
        Stmt::FunctionDef(_) => "def",
        Stmt::ClassDef(_) => "class",
        Stmt::For(_) => "for",
        Stmt::While(_) => "while",
        Stmt::With(_) => "with",
        Stmt::Match(_) => "match",
        Stmt::Raise(_) => "raise",
        Stmt::Nonlocal(_) => "nonlocal",
        _ => "statement",
    }
}
