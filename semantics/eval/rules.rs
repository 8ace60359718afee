//! Calls of things defined outside the module: a rule for each, found by name.
//!
//! An entry is the names a thing goes by (`torch.tril` and `Tensor.tril`) and what it
//! does with its arguments. A method's receiver is its first argument.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{Evaluator, Object, Reason, builtins, sequences};
use crate::torch;

/// What a rule gives.
pub(crate) type Outcome = Result<Object, Reason>;

/// What a rule does.
pub(crate) type Apply = for<'e, 'a> fn(&mut Call<'e, 'a>) -> Outcome;

/// One entry of the table.
pub(crate) struct Rule {
    pub(crate) names: &'static [&'static str],
    pub(crate) apply: Apply,
}

static TABLE: LazyLock<HashMap<&'static str, Apply>> = LazyLock::new(|| {
    [builtins::RULES, sequences::RULES]
        .iter()
        .chain(torch::RULES)
        .flat_map(|rules| rules.iter())
        .flat_map(|rule| rule.names.iter().map(|name| (*name, rule.apply)))
        .collect()
});

/// The rule of a name.
pub(super) fn find(name: &str) -> Option<Apply> {
    TABLE.get(name).copied()
}

/// Arguments of a call to a rule; each is taken once.
pub(crate) struct Call<'e, 'a> {
    pub(crate) evaluator: &'e mut Evaluator<'a>,
    /// Last part of the name it was called by.
    pub(crate) name: &'e str,
    path: &'e str,
    args: Vec<Option<Object>>,
    keywords: Vec<(String, Object)>,
}

impl<'e, 'a> Call<'e, 'a> {
    pub(super) fn new(
        evaluator: &'e mut Evaluator<'a>,
        path: &'e str,
        args: Vec<Object>,
        keywords: Vec<(String, Object)>,
    ) -> Self {
        Self {
            evaluator,
            name: path.rsplit('.').next().unwrap_or(path),
            path,
            args: args.into_iter().map(Some).collect(),
            keywords,
        }
    }

    /// The argument at a position or under a name, if it was given.
    pub(crate) fn take(&mut self, at: usize, name: &str) -> Result<Option<Object>, Reason> {
        let given = match self.args.get_mut(at).and_then(Option::take) {
            Some(object) => Some(object),
            None => self.keyword(name)?,
        };
        given.map(known).transpose()
    }

    /// An argument that must be given.
    pub(crate) fn need(&mut self, at: usize, name: &str) -> Result<Object, Reason> {
        self.take(at, name)?
            .ok_or_else(|| format!("argument `{name}` is missing").into())
    }

    /// A keyword argument, if it was given.
    pub(crate) fn keyword(&mut self, name: &str) -> Result<Option<Object>, Reason> {
        let Some(at) = self
            .keywords
            .iter()
            .position(|(keyword, _)| keyword == name)
        else {
            return Ok(None);
        };
        known(self.keywords.remove(at).1).map(Some)
    }

    /// All positional arguments from a position on.
    pub(crate) fn rest(&mut self, from: usize) -> Result<Vec<Object>, Reason> {
        self.rest_unchecked(from).into_iter().map(known).collect()
    }

    /// The same for a rule that some unknown arguments don't matter to.
    pub(crate) fn rest_unchecked(&mut self, from: usize) -> Vec<Object> {
        let args = self.args.iter_mut().skip(from);
        args.filter_map(Option::take).collect()
    }

    /// Positional arguments that are still there, however they are known.
    pub(crate) fn positional(&self) -> usize {
        self.args.iter().filter(|arg| arg.is_some()).count()
    }

    /// Drops keyword arguments that don't change shape, dtype or draw.
    pub(crate) fn ignore(&mut self, names: &[&str]) {
        self.keywords
            .retain(|(keyword, _)| !names.contains(&keyword.as_str()));
    }

    /// Whether it was called by a name of this library.
    pub(crate) fn is_from(&self, library: &str) -> bool {
        self.path.split('.').next() == Some(library)
    }

    /// The name of a keyword argument that is still there.
    pub(crate) fn next_keyword(&self) -> Option<String> {
        self.keywords.first().map(|(name, _)| name.clone())
    }

    /// Drops all arguments.
    pub(crate) fn discard(&mut self) {
        self.args.clear();
        self.keywords.clear();
    }

    /// Refuses whatever the rule did not look at.
    pub(crate) fn finish(&self) -> Result<(), Reason> {
        if let Some((name, _)) = self.keywords.first() {
            return Err(format!("argument `{name}` has no rule").into());
        }
        if self.positional() > 0 {
            return Err("more arguments than the rule knows".into());
        }
        Ok(())
    }
}

/// The object, unless it is unknown.
pub(crate) fn known(object: Object) -> Result<Object, Reason> {
    match object {
        Object::Unknown(unknown) => Err(Reason::From(unknown)),
        object => Ok(object),
    }
}

/// What has no effect on values, whatever its arguments.
#[expect(clippy::unnecessary_wraps, reason = "the signature of a rule")]
pub(crate) fn no_effect(call: &mut Call<'_, '_>) -> Outcome {
    call.discard();
    Ok(Object::None)
}
