//! Definition files: what an operation's axes, inputs and outputs are.
//!
//! `{"name", "op_type", "axes": {"M": {"type": "var"}, "K": {"type": "const", "value": 4096},
//! "half": {"type": "expr", "expression": "K // 2"}}, "inputs": {"A": {"shape": ["M", "K"],
//! "dtype": "float16"}}, "outputs": {…}, "reference": "<Python>"}`; `"shape": null` is a
//! scalar. Before September 2025 `op_type` was `type`, and a file could hold a list of them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::Tensor;
use crate::json::{Document, Node, Object, Value};
use crate::names::hostile;

use super::expression;

/// A definition, as far as it says what is computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Definition {
    /// Its category (`gemm`, `gqa_paged`).
    pub(super) op_type: Option<String>,
    /// All of its identity.
    facts: Facts,
}

/// What identifies a definition. The order of fields is that of their names, so that the
/// text of it is canonical.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Facts {
    axes: BTreeMap<String, Axis>,
    inputs: Vec<Spec>,
    outputs: Vec<Spec>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Axis {
    Const(i64),
    Expr(String),
    Var,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Spec {
    dtype: Option<String>,
    name: String,
    /// `None` is a scalar.
    shape: Option<Vec<String>>,
}

/// A definition with every axis bound.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Bound {
    /// The axes that the definition itself gives a value.
    pub(super) given: BTreeMap<String, i64>,
    pub(super) inputs: Option<Vec<Tensor>>,
    pub(super) outputs: Option<Vec<Tensor>>,
    pub(super) dtype: Option<String>,
}

impl Definition {
    /// The definition of that name in a file; `None` if the file holds another.
    ///
    /// # Errors
    ///
    /// Why the file can't be read, or what in the definition can't be.
    pub(super) fn find(bytes: &[u8], name: &str) -> Result<Option<Self>, String> {
        let document = Document::open(bytes).map_err(|refused| refused.message)?;
        let mut cursor = document.cursor();
        let read = cursor
            .value()
            .and_then(|node| cursor.finish().map(|()| node));
        let node = read.map_err(|refused| refused.message)?;
        let all: Vec<&Node<'_>> = match &node.value {
            Value::Array(items) => items.iter().collect(),
            _ => vec![&node],
        };
        let named = all.into_iter().find_map(|node| match &node.value {
            Value::Object(object) if text(object, "name") == Some(name) => Some(object),
            _ => None,
        });
        named.map(Self::read).transpose()
    }

    fn read(object: &Object<'_>) -> Result<Self, String> {
        if let Some((key, _)) = object.duplicate() {
            return Err(format!("`{}` stands twice", key.name.escape_debug()));
        }
        let mut axes = BTreeMap::new();
        for (name, axis) in members(object, "axes")? {
            let read = Axis::read(axis).ok_or_else(|| format!("axis `{name}` can't be read"))?;
            axes.insert(name.to_owned(), read);
        }
        let specs = |field| -> Result<Vec<Spec>, String> {
            members(object, field)?
                .into_iter()
                .map(|(name, spec)| {
                    Spec::read(name, spec)
                        .ok_or_else(|| format!("tensor `{name}` of `{field}` can't be read"))
                })
                .collect()
        };
        let op_type = text(object, "op_type").or_else(|| text(object, "type"));
        Ok(Self {
            op_type: op_type
                .filter(|word| hostile(word).is_none())
                .map(str::to_owned),
            facts: Facts {
                axes,
                inputs: specs("inputs")?,
                outputs: specs("outputs")?,
                reference: text(object, "reference")
                    .map(|source| kidx_semantics::digest(source.as_bytes())),
            },
        })
    }

    /// What defines the operation, as a canonical text.
    pub(super) fn facts(&self) -> Option<String> {
        serde_json::to_string(&self.facts).ok()
    }

    /// The definition under the axes that a workload states.
    pub(super) fn bind(&self, stated: &BTreeMap<String, i64>) -> Bound {
        let mut sizes = stated.clone();
        let mut given = BTreeMap::new();
        for (name, axis) in &self.facts.axes {
            if let Axis::Const(size) = axis {
                sizes.insert(name.clone(), *size);
                given.insert(name.clone(), *size);
            }
        }
        // An expression may name another, in any order: a round for each is enough.
        for _ in 0..self.facts.axes.len() {
            for (name, axis) in &self.facts.axes {
                if let Axis::Expr(text) = axis
                    && !sizes.contains_key(name)
                    && let Some(size) = expression::value(text, &sizes)
                {
                    sizes.insert(name.clone(), size);
                    given.insert(name.clone(), size);
                }
            }
        }
        let bound = |specs: &[Spec]| -> Option<Vec<Tensor>> {
            specs.iter().map(|spec| spec.bind(&sizes)).collect()
        };
        Bound {
            given,
            dtype: self.dtype(),
            inputs: bound(&self.facts.inputs),
            outputs: bound(&self.facts.outputs),
        }
    }

    /// The element type of the input tensors: of those of floating point, if there are any
    /// (index tensors say nothing of the computation).
    fn dtype(&self) -> Option<String> {
        let tensors = || {
            let specs = self.facts.inputs.iter();
            specs.filter(|spec| spec.shape.as_ref().is_some_and(|shape| !shape.is_empty()))
        };
        let mut all = tensors()
            .map(|spec| spec.dtype.as_deref())
            .collect::<Option<Vec<_>>>()?;
        if all.iter().any(|dtype| dtype.contains("float")) {
            all.retain(|dtype| dtype.contains("float"));
        }
        all.sort_unstable();
        all.dedup();
        match all.as_slice() {
            [] => None,
            [one] => Some((*one).to_owned()),
            _ => Some("mixed".to_owned()),
        }
    }
}

impl Axis {
    fn read(node: &Node<'_>) -> Option<Self> {
        let Value::Object(object) = &node.value else {
            return None;
        };
        match text(object, "type")? {
            "var" => Some(Self::Var),
            "expr" => Some(Self::Expr(text(object, "expression")?.to_owned())),
            "const" => match object.get("value")?.value {
                Value::Number(size) => size.parse().ok().map(Self::Const),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Spec {
    fn read(name: &str, node: &Node<'_>) -> Option<Self> {
        let Value::Object(object) = &node.value else {
            return None;
        };
        let shape = match &object.get("shape")?.value {
            Value::Null => None,
            Value::Array(axes) => Some(axes.iter().map(size).collect::<Option<_>>()?),
            _ => return None,
        };
        let dtype = text(object, "dtype").filter(|dtype| hostile(dtype).is_none());
        Some(Self {
            dtype: dtype.map(str::to_owned),
            name: name.to_owned(),
            shape,
        })
    }

    fn bind(&self, sizes: &BTreeMap<String, i64>) -> Option<Tensor> {
        let shape = self.shape.iter().flatten();
        Some(Tensor {
            name: self.name.clone(),
            dtype: self.dtype.clone()?,
            shape: shape
                .map(|axis| expression::value(axis, sizes))
                .collect::<Option<_>>()?,
        })
    }
}

/// An entry of a shape: an axis by name, or a number.
fn size(node: &Node<'_>) -> Option<String> {
    match &node.value {
        Value::String(axis) => Some(axis.clone().into_owned()),
        Value::Number(text) => Some((*text).to_owned()),
        _ => None,
    }
}

fn text<'o>(object: &'o Object<'_>, field: &str) -> Option<&'o str> {
    match &object.get(field)?.value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// The members of an object's object.
fn members<'o, 'a>(
    object: &'o Object<'a>,
    field: &str,
) -> Result<Vec<(&'o str, &'o Node<'a>)>, String> {
    let Some(Value::Object(inner)) = object.get(field).map(|node| &node.value) else {
        return Err(format!("`{field}` is no object"));
    };
    if let Some((key, _)) = inner.duplicate() {
        let key = key.name.escape_debug();
        return Err(format!("`{key}` stands twice in `{field}`"));
    }
    let members = inner.members.iter();
    members
        .map(|member| match hostile(&member.key.name) {
            None => Ok((&*member.key.name, &member.node)),
            Some(why) => Err(format!("a name in `{field}` {why}")),
        })
        .collect()
}
