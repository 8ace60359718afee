//! The small tree of one record.

use std::borrow::Cow;
use std::collections::HashMap;

/// Bytes of a value in the document's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node<'a> {
    /// Its bytes.
    pub span: Span,
    /// What it is.
    pub value: Value<'a>,
}

/// A JSON value that keeps the source's own text of every number.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, exactly as it is written.
    Number(&'a str),
    /// Python's `NaN`, `Infinity` or `-Infinity`, as written.
    NonFinite(&'a str),
    /// A string, escapes resolved.
    String(Cow<'a, str>),
    /// An array.
    Array(Vec<Node<'a>>),
    /// An object, duplicates included.
    Object(Object<'a>),
}

impl Value<'_> {
    /// What it is, in words: `a number`, `null`.
    pub fn describe(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::NonFinite(_) => "a non-finite number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        }
    }
}

/// An object's key and where it stands (quotes included).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key<'a> {
    /// The key, escapes resolved.
    pub name: Cow<'a, str>,
    /// Its bytes.
    pub span: Span,
}

/// One key with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Member<'a> {
    /// The key.
    pub key: Key<'a>,
    /// The value.
    pub node: Node<'a>,
}

/// An object's members in the order of the text, duplicates included.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Object<'a> {
    /// The members.
    pub members: Vec<Member<'a>>,
}

impl<'a> Object<'a> {
    /// The first member of that name. Ask [`Object::duplicate`] before believing it.
    pub fn get(&self, name: &str) -> Option<&Node<'a>> {
        self.members
            .iter()
            .find(|member| member.key.name == name)
            .map(|member| &member.node)
    }

    /// The first key that stands twice, with both places.
    pub fn duplicate(&self) -> Option<(&Key<'a>, &Key<'a>)> {
        let mut seen: HashMap<&str, &Key<'a>> = HashMap::with_capacity(self.members.len());
        self.members.iter().find_map(|member| {
            seen.insert(&member.key.name, &member.key)
                .map(|first| (first, &member.key))
        })
    }
}
