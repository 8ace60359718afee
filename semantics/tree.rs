//! The digest of what `Model` executes.
//!
//! The canonical syntax tree of the class `Model` and of every module-level name that it
//! reaches, written out in a form of our own: layout, comments, docstrings, quotes and
//! parentheses leave no trace, and neither does the parser's version. A module constant
//! counts by its value, something imported by its full path, anything else by the
//! statements that bind it.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::{Stmt, StmtClassDef};
use sha2::{Digest, Sha256};

use crate::canonical::Writer;
use crate::eval::{Evaluator, Object};
use crate::names::{Bindings, free_names};
use crate::value::Value;

/// First line of what is digested; a change of the form is a new version.
const VERSION: &str = "kidx-tree/1\n";

/// `sha256:` and the digest in hex; `None` without a module-level class `Model`.
pub(crate) fn digest(suite: &[Stmt], evaluator: &mut Evaluator<'_>) -> Option<String> {
    let model = suite.iter().rev().find(|stmt| is_model(stmt))?;
    let mut binders: BTreeMap<&str, Vec<&Stmt>> = BTreeMap::new();
    for stmt in suite {
        for name in Bindings::of(std::slice::from_ref(stmt)).bound {
            binders.entry(name).or_default().push(stmt);
        }
    }

    let mut writer = Writer::new(VERSION);
    writer.stmt(model);
    let mut reached: BTreeMap<&str, Reached> = BTreeMap::new();
    let mut todo: BTreeSet<&str> = free_names(model);
    while let Some(name) = todo.pop_first() {
        let Some(stmts) = binders.get(name).filter(|_| !reached.contains_key(name)) else {
            continue;
        };
        let what = reach(name, evaluator);
        if matches!(what, Reached::Statements) {
            todo.extend(stmts.iter().flat_map(|stmt| free_names(stmt)));
        }
        reached.insert(name, what);
    }
    for (name, what) in &reached {
        match what {
            Reached::Value(value) => writer.named("value", name, |w| w.value(value)),
            Reached::Path(path) => writer.named("path", name, |w| w.text(path)),
            Reached::Statements => writer.named("code", name, |w| {
                for stmt in binders.get(name).into_iter().flatten() {
                    w.stmt(stmt);
                }
            }),
        }
    }

    let digest = Sha256::digest(writer.finish().as_bytes());
    Some(crate::hex_digest(&digest))
}

fn is_model(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::ClassDef(StmtClassDef { name, .. }) if name.as_str() == "Model")
}

enum Reached {
    /// A constant.
    Value(Value),
    /// Something imported.
    Path(String),
    /// Code: a function, a class, or what has no static value.
    Statements,
}

fn reach(name: &str, evaluator: &mut Evaluator<'_>) -> Reached {
    match evaluator.global(name).cloned() {
        Some(Object::External(path)) => Reached::Path(path.to_string()),
        Some(Object::Function(_) | Object::Class(_)) | None => Reached::Statements,
        Some(object) => {
            let value = evaluator.value_of(&object);
            if value.is_plain() {
                Reached::Value(value)
            } else {
                Reached::Statements
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::analyse;

    fn digest(text: &str) -> String {
        analyse(text.as_bytes()).unwrap().tree_digest.unwrap()
    }

    const BASE: &str = "
import torch.nn as nn
scale = 4
def helper(x):
    return x * scale
def unused(x):
    return x
class Model(nn.Module):
    def forward(self, x, size=(1, 2)):
        return helper(x) + 'a' + 1
size = 10
def get_inputs():
    return [size]
";

    #[test]
    fn the_digest_is_stable() {
        assert_eq!(
            digest(BASE),
            "sha256:9ca70527cf58cdc6a7de45b713235fe4517922d06db66b4f3c342e9a05d3efa1"
        );
    }

    #[test]
    fn what_model_does_not_execute_does_not_count() {
        let same: &[(&str, &str)] = &[
            ("scale = 4", "scale = 2 + 2  # twice two"),
            (
                "return x * scale",
                "\"\"\"Doc.\"\"\"\n    return (x\n        * scale)",
            ),
            ("'a' + 1", "\"a\" + 1"),
            ("size=(1, 2)", "size=(1, 2,)"),
            (
                "def unused(x):\n    return x",
                "def unused(x):\n    return 7",
            ),
            ("size = 10", "size = 11"),
            ("return [size]", "return [size, size]"),
            ("import torch.nn as nn", "from torch import nn"),
        ];
        for (from, to) in same {
            let changed = BASE.replace(from, to);
            assert_ne!(changed, BASE);
            assert_eq!(digest(&changed), digest(BASE), "{from} -> {to}");
        }
    }

    #[test]
    fn what_model_executes_counts() {
        let other: &[(&str, &str)] = &[
            ("scale = 4", "scale = 5"),
            ("scale = 4", "scale = 4.0"),
            ("return x * scale", "return x / scale"),
            ("'a' + 1", "'b' + 1"),
            ("'a' + 1", "'a' + 1.0"),
            ("size=(1, 2)", "size=[1, 2]"),
            ("helper(x) + 'a' + 1", "helper(x) + ('a' + 1)"),
            ("import torch.nn as nn", "import other.nn as nn"),
        ];
        for (from, to) in other {
            let changed = BASE.replace(from, to);
            assert_ne!(digest(&changed), digest(BASE), "{from} -> {to}");
        }
    }

    #[test]
    fn without_model_there_is_no_digest() {
        assert_eq!(analyse(b"x = 1\n").unwrap().tree_digest, None);
    }
}
