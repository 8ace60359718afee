//! Where the rows of a JSON document seem to be.

use crate::json::{Node, Value};

/// Where the rows of a document are; `None` where its top has them.
pub(super) fn rows_path(root: &Node<'_>) -> Option<String> {
    match rows_in(root) {
        None => Some(String::new()),
        Some((_, path)) => (!path.is_empty()).then_some(path),
    }
}

/// How many rows seem to be in a node, and the path to them from there.
fn rows_in(node: &Node<'_>) -> Option<(usize, String)> {
    let object = match &node.value {
        Value::Array(items) => {
            return is_rows(node).then(|| (items.len(), below(node, String::new())));
        }
        Value::Object(object) => object,
        _ => return None,
    };
    let join = |head: &str, tail: &str| match (head, tail) {
        (head, "") => head.to_owned(),
        (head, tail) => format!("{head}.{tail}"),
    };
    let members = &object.members;
    if members.len() > 1 && members.iter().all(|member| is_rows(&member.node)) {
        let rows = members.iter().filter_map(|member| rows_in(&member.node));
        let first = members
            .first()
            .map(|member| below(&member.node, String::new()));
        return Some((
            rows.map(|(rows, _)| rows).sum(),
            join("*", &first.unwrap_or_default()),
        ));
    }
    let objects: Vec<_> = members
        .iter()
        .filter_map(|member| match &member.node.value {
            Value::Object(inner) => Some((member, inner)),
            _ => None,
        })
        .collect();
    let nulls = members
        .iter()
        .filter(|member| matches!(member.node.value, Value::Null))
        .count();
    if let Some((first, inner)) = objects.first()
        && members.len() > 1
        && objects.len() + nulls == members.len()
    {
        // Rows are alike: they share a key.
        let alike = objects.iter().all(|(_, other)| {
            inner
                .members
                .iter()
                .any(|member| other.get(&member.key.name).is_some())
        });
        if alike {
            let nested = inner.members.iter().all(|member| {
                matches!(
                    member.node.value,
                    Value::Object(_) | Value::Array(_) | Value::Null
                )
            });
            return match rows_in(&first.node).filter(|_| nested) {
                Some((rows, path)) => Some((rows * objects.len(), join("*", &path))),
                None => Some((objects.len(), String::new())),
            };
        }
    }
    members
        .iter()
        .filter_map(|member| {
            let (rows, path) = rows_in(&member.node)?;
            Some((rows, join(&member.key.name, &path)))
        })
        .max_by_key(|(rows, _)| *rows)
}

/// Whether a node is an array of objects.
fn is_rows(node: &Node<'_>) -> bool {
    matches!(&node.value, Value::Array(items)
        if !items.is_empty() && items.iter().all(|item| matches!(item.value, Value::Object(_))))
}

/// The path of the innermost arrays of objects.
fn below(node: &Node<'_>, path: String) -> String {
    if let Value::Array(items) = &node.value
        && let Some(Value::Object(first)) = items.first().map(|item| &item.value)
        && let Some(inner) = first.members.iter().find(|member| is_rows(&member.node))
    {
        let dot = if path.is_empty() { "" } else { "." };
        return below(&inner.node, format!("{path}{dot}*.{}", inner.key.name));
    }
    path
}
