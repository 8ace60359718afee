//! Where in a JSON document rows are, and what a path leads to.

use crate::json::{Document, Node, Value, escape_pointer};
use crate::names::quoted;
use crate::{Issue, Refused, Severity};

use super::data::{At, Row, rejected};
use super::there::holds_rows;

/// Follows the path to the rows and lists them.
pub(super) fn walk<'r>(
    document: &'r Document<'r>,
    root: &'r Node<'r>,
    pointer: String,
    path: Option<&str>,
    line: bool,
    rows: &mut Vec<Row<'r>>,
    issues: &mut Vec<Issue>,
) -> Result<(), Refused> {
    struct Stand<'r> {
        node: &'r Node<'r>,
        pointer: String,
        around: Vec<(&'r Node<'r>, String)>,
        keys: Vec<String>,
    }
    let mut stands = vec![Stand {
        node: root,
        pointer,
        around: Vec::new(),
        keys: Vec::new(),
    }];
    // Several stretches between `*`, each followed by key.
    let stretches: Vec<&str> = match path {
        None | Some("") => Vec::new(),
        Some(path) => path.split('*').map(|part| part.trim_matches('.')).collect(),
    };
    let count = stretches.len();
    for (number, stretch) in stretches.into_iter().enumerate() {
        let mut next = Vec::new();
        for stand in stands {
            let mut stand = stand;
            if !stretch.is_empty() {
                let mut visited = Vec::new();
                let Some((node, pointer)) = find(stand.node, &stand.pointer, stretch, &mut visited)
                else {
                    if number == 0 && !line {
                        return Err(no_rows(document, &stand.node.value, stretch));
                    }
                    let place = document.place(stand.pointer, stand.node.span.start);
                    let message = format!("nothing at {}", quoted(stretch));
                    issues.push(rejected(Severity::Error, "NO_ROWS", place, message));
                    continue;
                };
                stand.around.extend(visited);
                stand.node = node;
                stand.pointer = pointer;
            }
            if number + 1 == count {
                next.push(stand);
                continue;
            }
            for (key, node, pointer) in children(stand.node, &stand.pointer) {
                let mut around = stand.around.clone();
                around.push((stand.node, stand.pointer.clone()));
                let mut keys = stand.keys.clone();
                keys.push(key);
                next.push(Stand {
                    node,
                    pointer,
                    around,
                    keys,
                });
            }
        }
        stands = next;
    }
    for stand in stands {
        let Stand {
            node,
            pointer,
            around,
            keys,
        } = stand;
        let own = match (&node.value, path) {
            (_, Some("")) => true,
            (Value::Object(_), None) if line => true,
            (Value::Object(object), _) => !holds_rows(&object.members),
            _ => false,
        };
        if own {
            rows.push(Row {
                at: At::Node {
                    document,
                    node,
                    pointer,
                    around,
                    keys,
                },
            });
            continue;
        }
        if !matches!(node.value, Value::Array(_) | Value::Object(_)) {
            let place = document.place(pointer, node.span.start);
            let message = format!("{} where rows were expected", node.value.describe());
            issues.push(rejected(Severity::Error, "NOT_A_RECORD", place, message));
            continue;
        }
        let in_object = matches!(node.value, Value::Object(_));
        for (key, child, pointer_of_child) in children(node, &pointer) {
            let place = || document.place(pointer_of_child.clone(), child.span.start);
            match &child.value {
                Value::Array(_) => {}
                Value::Object(object) => {
                    if let Some((_, second)) = object.duplicate() {
                        let message =
                            format!("key {} stands twice in one row", quoted(&second.name));
                        issues.push(rejected(
                            Severity::Error,
                            "DUPLICATE_KEY",
                            document.place(pointer_of_child.clone(), second.span.start),
                            message,
                        ));
                        continue;
                    }
                }
                Value::Null => {
                    issues.push(rejected(
                        Severity::Note,
                        "NO_FIGURE",
                        place(),
                        "null: the file has nothing here".to_owned(),
                    ));
                    continue;
                }
                other => {
                    let message = format!("{} where a row was expected", other.describe());
                    issues.push(rejected(Severity::Error, "NOT_A_RECORD", place(), message));
                    continue;
                }
            }
            // What holds the rows and nothing else says nothing about them.
            let around = around.clone();
            let mut keys = keys.clone();
            if in_object {
                keys.push(key);
            }
            rows.push(Row {
                at: At::Node {
                    document,
                    node: child,
                    pointer: pointer_of_child,
                    around,
                    keys,
                },
            });
        }
    }
    Ok(())
}

fn no_rows(document: &Document<'_>, value: &Value<'_>, path: &str) -> Refused {
    let there: Vec<String> = match value {
        Value::Object(object) => object
            .members
            .iter()
            .map(|member| quoted(&member.key.name))
            .take(20)
            .collect(),
        _ => Vec::new(),
    };
    let hint = match value {
        Value::Object(_) => format!("it has: {}", there.join(", ")),
        other => format!("the document is {}", other.describe()),
    };
    Refused {
        code: "NO_ROWS",
        place: document.place("", 0),
        message: format!(
            "`rows` leads to nothing: no {} in the document",
            quoted(path)
        ),
        hint: Some(hint),
    }
}

/// Members or items with their keys and pointers.
fn children<'r>(node: &'r Node<'r>, pointer: &str) -> Vec<(String, &'r Node<'r>, String)> {
    match &node.value {
        Value::Object(object) => object
            .members
            .iter()
            .map(|member| {
                let pointer = format!("{pointer}/{}", escape_pointer(&member.key.name));
                (member.key.name.to_string(), &member.node, pointer)
            })
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, item)| (index.to_string(), item, format!("{pointer}/{index}")))
            .collect(),
        _ => Vec::new(),
    }
}

/// The node at a path, with the nodes on the way to it.
pub(super) fn find<'r>(
    node: &'r Node<'r>,
    pointer: &str,
    path: &str,
    visited: &mut Vec<(&'r Node<'r>, String)>,
) -> Option<(&'r Node<'r>, String)> {
    let step = |key: &str| -> Option<(&'r Node<'r>, String)> {
        let inner = match &node.value {
            Value::Object(object) => object.get(key)?,
            Value::Array(items) => items.get(key.parse::<usize>().ok()?)?,
            _ => return None,
        };
        Some((inner, format!("{pointer}/{}", escape_pointer(key))))
    };
    let here = (node, pointer.to_owned());
    if let Some(found) = step(path) {
        visited.push(here);
        return Some(found);
    }
    for (dot, _) in path.match_indices('.') {
        let (Some(head), Some(tail)) = (path.get(..dot), path.get(dot + 1..)) else {
            continue;
        };
        let Some((inner, inner_pointer)) = step(head) else {
            continue;
        };
        let before = visited.len();
        visited.push(here.clone());
        if let Some(found) = find(inner, &inner_pointer, tail, visited) {
            return Some(found);
        }
        visited.truncate(before);
    }
    None
}
