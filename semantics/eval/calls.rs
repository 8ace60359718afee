//! Calls: of the module's own functions, and of rules for everything else.

use std::rc::Rc;

use ruff_python_ast::{Expr, ExprCall, Parameters};

use super::expressions::describe;
use super::object::{Body, Function, FunctionId, Object, ScopeId};
use super::rules::{self, known};
use super::statements::Flow;
use super::{Call, Evaluator, Outcome, Reason, Returned};
use crate::value::{DType, Tensor, Unknown};

/// Libraries whose functions leave a caller's lists and dicts alone.
const PURE_LIBRARIES: &[&str] = &["torch", "numpy", "math", "builtins"];

impl<'a> Evaluator<'a> {
    pub(super) fn call(&mut self, call: &'a ExprCall, scope: ScopeId) -> Outcome {
        let callee = self.eval(&call.func, scope);
        let line = self.source.line(call);
        if self.is_following
            && let (Expr::Name(name), Object::External(path)) = (&*call.func, &callee)
            && name.id == "super"
            && &**path == "builtins.super"
            && call.arguments.is_empty()
        {
            return self.bare_super(scope);
        }
        let (mut args, mut keywords) = (Vec::new(), Vec::new());
        if let Err(reason) = self.arguments(call, scope, &mut args, &mut keywords) {
            let why = self.because(reason, &describe(&call.func), line);
            if let Object::Function(id) = callee {
                let bindings = Rc::clone(&self.heap.function_of(id).bindings);
                self.forget_read(&bindings.read, self.module, &why);
            }
            args.push(callee);
            return Err(self.lose(why, &args, &keywords));
        }
        match callee {
            Object::Function(id) => Ok(self.call_function(id, line, args, keywords).value),
            Object::External(path) => self.call_rule(&path, line, args, keywords),
            Object::Method(method) => {
                let (receiver, name) = &*method;
                let path = format!("{}.{name}", receiver.type_name());
                args.insert(0, receiver.clone());
                self.call_rule(&path, line, args, keywords)
            }
            Object::Class(id) if !self.is_following => {
                let name = Rc::clone(&self.heap.class_of(id).name);
                let why = self.record_unknown(&name, line, "instances have no rule");
                Err(self.lose(why, &args, &keywords))
            }
            callee @ (Object::Class(_)
            | Object::Instance(_)
            | Object::Bound(_)
            | Object::Partial(_)
            | Object::Wrapped(..)) => self.call_object(callee, line, args, keywords),
            Object::Unknown(why) => Err(self.lose(why, &args, &keywords)),
            other => Err(format!("{} can't be called", other.type_name()).into()),
        }
    }

    fn arguments(
        &mut self,
        call: &'a ExprCall,
        scope: ScopeId,
        args: &mut Vec<Object>,
        keywords: &mut Vec<(String, Object)>,
    ) -> Result<(), Reason> {
        self.elements_into(args, &call.arguments.args, scope)?;
        for keyword in &call.arguments.keywords {
            let value = self.eval(&keyword.value, scope);
            if let Some(name) = &keyword.arg {
                keywords.push((name.to_string(), value));
                continue;
            }
            let Object::Dict(id) = known(value)? else {
                return Err("`**` of something that is no dict".into());
            };
            for (key, value) in self.heap.pairs(id)? {
                let Object::Str(key) = key else {
                    return Err("a keyword is no string".into());
                };
                keywords.push((key.to_string(), value.clone()));
            }
        }
        Ok(())
    }

    pub(super) fn call_rule(
        &mut self,
        path: &str,
        line: u32,
        args: Vec<Object>,
        mut keywords: Vec<(String, Object)>,
    ) -> Outcome {
        if self.is_following {
            self.line = Some(line);
            if let Some(result) = self.call_outside(path, &args, &keywords) {
                return result;
            }
            for (name, value) in &mut keywords {
                // The types of Python name dtypes, too.
                if let ("dtype", Object::External(kind)) = (name.as_str(), &*value) {
                    *value = match &**kind {
                        "builtins.bool" => Object::DType(DType::Bool),
                        "builtins.int" => Object::DType(DType::I64),
                        "builtins.float" => Object::DType(DType::F64),
                        _ => continue,
                    };
                }
            }
        }
        let Some(apply) = rules::find(path) else {
            let why = self.record_unknown(path, line, "no rule");
            if let Some(Object::Tensor(tensor)) = args.first()
                && path.ends_with('_')
            {
                // PyTorch marks what works in place by the underscore.
                self.replace_tensor(tensor, &Object::Unknown(Rc::clone(&why)))?;
            }
            let library = path.split('.').next().unwrap_or(path);
            return Err(if PURE_LIBRARIES.contains(&library) {
                why.into()
            } else {
                self.lose(why, &args, &keywords)
            });
        };
        let values = self
            .is_following
            .then(|| crate::ops::stated_values(&self.heap, path, &args))
            .flatten();
        let mut call = Call::new(self, path, args, keywords);
        let result = apply(&mut call)?;
        call.finish()?;
        let result = self.followed(result);
        self.set_values(&result, values);
        Ok(result)
    }

    /// A call that can't be followed may change the lists and dicts it is given.
    fn lose(&mut self, why: Rc<Unknown>, args: &[Object], keywords: &[(String, Object)]) -> Reason {
        for object in args.iter().chain(keywords.iter().map(|(_, object)| object)) {
            self.heap.forget(object, &why);
            if let Object::Method(method) = object {
                self.heap.forget(&method.0, &why);
            }
        }
        why.into()
    }

    /// Puts another value in the place of a tensor that was changed in place, under
    /// every name and in every container that holds it.
    pub(crate) fn replace_tensor(
        &mut self,
        tensor: &Rc<Tensor>,
        with: &Object,
    ) -> Result<(), Reason> {
        let looked_at = self.heap.replace_tensor(tensor, with);
        self.charge(looked_at)
    }

    /// Calls a function of the module. What can't be followed to its end has an unknown
    /// result, and what it may have changed is given up.
    pub(crate) fn call_function(
        &mut self,
        id: FunctionId,
        line: impl Into<Option<u32>>,
        args: Vec<Object>,
        keywords: Vec<(String, Object)>,
    ) -> Returned<'a> {
        let function = self.heap.function_of(id).clone();
        let given: Vec<Object> = args
            .iter()
            .chain(keywords.iter().map(|(_, object)| object))
            .cloned()
            .collect();
        let globals = function.bindings.globals.iter().copied().collect();
        let scope = self.heap.scope(Some(function.scope), globals);
        let flow = self.deeper(|evaluator| {
            if function.bindings.is_generator {
                return Err("generators have no rule".into());
            }
            if let Some(owner) = function.owner {
                // What `super()` without arguments goes by.
                evaluator.bind(scope, "__class__", Object::Class(owner));
                if let Some(first) = args.first() {
                    evaluator.bind(scope, "__self__", first.clone());
                }
            }
            evaluator.bind_parameters(&function, args, keywords, scope)?;
            Ok(match function.body {
                Body::Statements(body) => evaluator.block(body, scope),
                Body::Expression(expr) => Flow::Return(evaluator.eval(expr, scope), Some(expr)),
            })
        });
        let why = match flow {
            Ok(Flow::Return(value, expr)) => return Returned { value, expr },
            Ok(Flow::Lost(unknown)) => unknown,
            Ok(_) => {
                return Returned {
                    value: Object::None,
                    expr: None,
                };
            }
            Err(reason) => self.because(reason, function.name, line),
        };
        for object in &given {
            self.heap.forget(object, &why);
        }
        self.forget_read(&function.bindings.read, scope, &why);
        for name in &function.bindings.globals {
            self.bind(scope, name, Object::Unknown(Rc::clone(&why)));
        }
        Returned {
            value: Object::Unknown(why),
            expr: None,
        }
    }

    fn bind_parameters(
        &mut self,
        function: &Function<'a>,
        args: Vec<Object>,
        mut keywords: Vec<(String, Object)>,
        scope: ScopeId,
    ) -> Result<(), Reason> {
        let nothing = Parameters::default();
        let parameters: &Parameters = function.parameters.unwrap_or(&nothing);
        let mut args = args.into_iter();
        let positional = parameters.posonlyargs.iter().chain(&parameters.args);
        let named = positional.map(|parameter| (parameter, true));
        let keyword_only = parameters.kwonlyargs.iter().map(|p| (p, false));
        for (parameter, is_positional) in named.chain(keyword_only) {
            let name = parameter.parameter.name.as_str();
            let mut value = if is_positional { args.next() } else { None };
            if value.is_none() {
                let at = keywords.iter().position(|(keyword, _)| keyword == name);
                value = at.map(|at| keywords.remove(at).1);
            }
            let value = value
                .or_else(|| function.defaults.get(name).cloned())
                .ok_or_else(|| Reason::from(format!("argument `{name}` is missing")))?;
            self.bind(scope, name, value);
        }
        let rest: Vec<Object> = args.collect();
        match &parameters.vararg {
            Some(vararg) => {
                let rest = self.heap.tuple(rest);
                self.bind(scope, &vararg.name, rest);
            }
            None if rest.is_empty() => {}
            None => return Err("more arguments than parameters".into()),
        }
        match &parameters.kwarg {
            Some(kwarg) => {
                let pairs = keywords
                    .into_iter()
                    .map(|(name, value)| (Object::str(name), value))
                    .collect();
                let rest = self.heap.dict(pairs);
                self.bind(scope, &kwarg.name, rest);
            }
            None if keywords.is_empty() => {}
            None => return Err("a keyword that no parameter takes".into()),
        }
        Ok(())
    }
}
