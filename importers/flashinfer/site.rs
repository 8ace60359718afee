//! Where a trace stands, and what can be wrong with it.

use std::borrow::Cow;

use crate::json::{Document, Node, Object, Value};
use crate::names::quoted;
use crate::{Issue, Place, Severity};

/// A trace's place: its text and the pointer to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site<'s, 'a> {
    pub(super) document: &'s Document<'a>,
    /// `/3` for the fourth trace; empty where the text is one trace.
    pub(super) pointer: &'s str,
}

impl Site<'_, '_> {
    /// The place of a value below the trace (`/evaluation/status`).
    pub(super) fn place(&self, path: &str, offset: usize) -> Place {
        self.document
            .place(format!("{}{path}", self.pointer), offset)
    }

    /// A fault at its place.
    pub(super) fn issue(&self, fault: Fault, rejects: u32) -> Issue {
        Issue {
            severity: fault.severity,
            code: fault.code.to_owned(),
            place: self.place(&fault.path, fault.offset),
            message: fault.message,
            hint: fault.hint.map(str::to_owned),
            rejects,
        }
    }
}

/// What is wrong with a trace, before it is given its place.
#[derive(Debug)]
pub(super) struct Fault {
    severity: Severity,
    code: &'static str,
    path: String,
    offset: usize,
    message: String,
    hint: Option<&'static str>,
}

impl Fault {
    pub(super) fn error(
        code: &'static str,
        path: impl Into<String>,
        node: &Node<'_>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity: Severity::Error,
            code,
            path: path.into(),
            offset: node.span.start,
            message: message.into(),
            hint: None,
        }
    }

    pub(super) fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    pub(super) fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }
}

/// A member that is there and not null.
pub(super) fn present<'n, 'a>(object: &'n Object<'a>, field: &str) -> Option<&'n Node<'a>> {
    let there = |node: &&Node<'_>| !matches!(node.value, Value::Null);
    object.get(field).filter(there)
}

/// A member of what may be an object, that is there and not null.
pub(super) fn member<'n, 'a>(node: &'n Node<'a>, field: &str) -> Option<&'n Node<'a>> {
    match &node.value {
        Value::Object(object) => present(object, field),
        _ => None,
    }
}

/// A member's text, if it is a string.
pub(super) fn text<'n>(object: &'n Object<'_>, field: &str) -> Option<&'n str> {
    match &object.get(field)?.value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// A node as an object; its pointer is `path`.
pub(super) fn object<'n, 'a>(node: &'n Node<'a>, path: &str) -> Result<&'n Object<'a>, Fault> {
    let Value::Object(object) = &node.value else {
        let message = format!("{} where an object was expected", node.value.describe());
        return Err(Fault::error("NOT_A_RECORD", path, node, message));
    };
    match object.duplicate() {
        None => Ok(object),
        Some((first, _)) => Err(Fault::error(
            "DUPLICATE_KEY",
            path,
            node,
            format!(
                "field {} stands twice; which one counts is not said",
                quoted(&first.name)
            ),
        )),
    }
}

/// The object that stands in a member; `None` if it is absent or null.
pub(super) fn inner<'n, 'a>(
    outer: &'n Object<'a>,
    path: &str,
    field: &str,
) -> Result<Option<&'n Object<'a>>, Fault> {
    present(outer, field)
        .map(|node| object(node, &format!("{path}/{field}")))
        .transpose()
}

/// A value as it is written, for messages.
pub(super) fn shown(value: &Value<'_>) -> Cow<'static, str> {
    const SHOWN: usize = 30;
    match value {
        Value::String(text) => format!("the string {}", quoted(text)).into(),
        Value::Number(text) | Value::NonFinite(text) => match text.get(..SHOWN) {
            Some(head) if text.len() > SHOWN => format!("{head}…").into(),
            _ => (*text).to_owned().into(),
        },
        other => other.describe().into(),
    }
}
