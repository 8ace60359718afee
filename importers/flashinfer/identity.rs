//! Who computes, and what kind of computation a name stands for.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use crate::{Implementation, Role};

use super::Flavour;

/// The family of what nothing is known of.
pub(super) const UNKNOWN: &str = "unknown";

/// What an op type, or a definition's name that begins with one, says of the computation.
const FAMILIES: &[(&str, &str)] = &[
    ("gemm", "gemm"),
    ("grouped_gemm", "gemm"),
    ("quantized_gemm", "gemm"),
    ("gqa", "attention"),
    ("mha", "attention"),
    ("mla", "attention"),
    ("dsa", "attention"),
    ("rmsnorm", "norm"),
    ("fused_add_rmsnorm", "norm"),
    ("layernorm", "norm"),
    ("moe", "moe"),
    ("rope", "rope"),
    ("sampling", "sampling"),
    ("softmax", "softmax"),
];

/// Equal values share one allocation.
#[derive(Debug)]
pub(super) struct Pool<T: ?Sized>(HashSet<Arc<T>>);

impl<T: ?Sized> Default for Pool<T> {
    fn default() -> Self {
        Self(HashSet::new())
    }
}

impl<T: Eq + Hash> Pool<T> {
    /// The value, shared.
    pub(super) fn share(&mut self, value: T) -> Arc<T> {
        if let Some(known) = self.0.get(&value) {
            return Arc::clone(known);
        }
        let shared = Arc::new(value);
        self.0.insert(Arc::clone(&shared));
        shared
    }
}

impl Pool<str> {
    /// The text, shared.
    pub(super) fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let shared: Arc<str> = Arc::from(text);
        self.0.insert(Arc::clone(&shared));
        shared
    }
}

/// A solution; its name is all that a trace says of it.
pub(super) fn solution(name: &str) -> Implementation {
    let words: Vec<String> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    Implementation {
        slug: if words.is_empty() {
            "unnamed".to_owned()
        } else {
            words.join("-")
        },
        name: name.to_owned(),
        project: name.to_owned(),
        language: "unknown".to_owned(),
        interface: name.to_owned(),
        role: Role::Candidate,
        license: None,
    }
}

/// The reference of a definition: plain PyTorch in both suites.
pub(super) fn reference_of(flavour: Flavour) -> Implementation {
    Implementation {
        slug: format!("{}-reference", flavour.source().slug),
        name: format!("{} reference", flavour.harness()),
        project: "PyTorch".to_owned(),
        language: "python".to_owned(),
        interface: "reference".to_owned(),
        role: Role::Baseline,
        license: Some("BSD-3-Clause".to_owned()),
    }
}

/// The family of an op type, or of a definition named after its own.
pub(super) fn family(word: &str) -> &'static str {
    let known = FAMILIES.iter().find(|(known, _)| {
        let rest = word.strip_prefix(known);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    });
    known.map_or(UNKNOWN, |(_, family)| *family)
}
