//! Traces in a text: a trace a line, or one trace or an array of them over many lines.

use crate::json::{self, Document, Node, Object, Value};
use crate::names::quoted;
use crate::{Place, Refused};

use super::site::{Site, present, text};

/// Lines that are looked at to say what a text is.
const GLANCE: usize = 5;

/// Bytes in which a trace's first keys stand.
const HEAD: usize = 64 * 1024;

/// Hands over each value of a text with its place, or why a line holds none. `each` may
/// stop by returning `false`.
///
/// # Errors
///
/// The text as a whole can't be read.
pub(super) fn each(
    bytes: &[u8],
    mut each: impl FnMut(&Site<'_, '_>, Result<&Node<'_>, Refused>) -> bool,
) -> Result<(), Refused> {
    if !in_lines(bytes) {
        let document = Document::open(bytes)?;
        let node = value(&document)?;
        if let Value::Array(items) = &node.value {
            for (index, item) in items.iter().enumerate() {
                let site = Site {
                    document: &document,
                    pointer: &format!("/{index}"),
                };
                if !each(&site, Ok(item)) {
                    break;
                }
            }
        } else {
            let site = Site {
                document: &document,
                pointer: "",
            };
            each(&site, Ok(&node));
        }
        return Ok(());
    }
    let nothing = Document::open(b"{}")?;
    for (index, line) in json::lines(bytes).enumerate() {
        let (document, read) = match &line {
            Ok(document) => (document, value(document)),
            Err(refused) => (&nothing, Err(refused.clone())),
        };
        let site = Site {
            document,
            pointer: &format!("/{index}"),
        };
        if !each(&site, read.as_ref().map_err(Clone::clone)) {
            break;
        }
    }
    Ok(())
}

/// The one value of a document.
fn value<'a>(document: &Document<'a>) -> Result<Node<'a>, Refused> {
    let mut cursor = document.cursor();
    let node = cursor.value()?;
    cursor.finish()?;
    Ok(node)
}

/// Whether some of the first lines holds an object of its own. A text over many lines has
/// brackets there, or pieces of an object.
fn in_lines(bytes: &[u8]) -> bool {
    if begins_with(bytes, b"[") {
        return false;
    }
    json::lines(bytes).take(GLANCE).any(|line| {
        line.and_then(|document| {
            value(&document).map(|node| matches!(node.value, Value::Object(_)))
        })
        .unwrap_or(false)
    })
}

/// Whether a value is a trace with a result.
pub(super) fn is_trace(node: &Node<'_>) -> bool {
    let Value::Object(object) = &node.value else {
        return false;
    };
    let workload = object.get("workload").map(|node| &node.value);
    let Some(Value::Object(evaluation)) = object.get("evaluation").map(|node| &node.value) else {
        return false;
    };
    text(object, "definition").is_some()
        && matches!(workload, Some(Value::Object(_)))
        && text(evaluation, "status").is_some()
        && evaluation.get("environment").is_some()
}

/// Whether the beginning of a text holds a trace.
pub(super) fn begins_like_traces(bytes: &[u8]) -> bool {
    // Parsing is for what could be traces at all.
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    let has = |key: &[u8]| head.windows(key.len()).any(|window| window == key);
    if !has(b"\"definition\"") || !has(b"\"evaluation\"") {
        return false;
    }
    let mut looked = 0;
    let mut found = false;
    let read = each(bytes, |_, node| {
        looked += 1;
        found = node.is_ok_and(is_trace);
        !found && looked < GLANCE
    });
    read.is_ok() && found
}

/// Whether a text begins so, blanks aside.
fn begins_with(bytes: &[u8], head: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    text.trim_ascii_start().starts_with(head)
}

/// What a value is that is no trace, and what to import instead.
pub(super) fn other(object: &Object<'_>) -> (String, &'static str) {
    let has = |field: &str| present(object, field).is_some();
    if has("axes") && has("inputs") && has("outputs") {
        (
            "a definition, which says what is computed and holds no results".to_owned(),
            "import the traces: a definition is read with those that lie beside it",
        )
    } else if (has("axes") && has("inputs")) || (has("definition") && has("workload")) {
        (
            "workload cases, which hold no results".to_owned(),
            "import the traces that the harness writes for them",
        )
    } else if has("sources") || has("spec") {
        (
            "a solution, which holds code and no results".to_owned(),
            "import the traces that the harness writes for it",
        )
    } else {
        let keys = object.members.iter().take(5);
        let keys: Vec<String> = keys.map(|member| quoted(&member.key.name)).collect();
        let what = if keys.is_empty() {
            "an empty object".to_owned()
        } else {
            format!("an object with {}", keys.join(", "))
        };
        (
            what,
            "a trace has `definition`, `workload`, `solution` and `evaluation`",
        )
    }
}

/// A text without any trace.
pub(super) fn not_traces(place: Place, what: &str, hint: &str) -> Refused {
    Refused {
        code: "NOT_TRACES",
        place,
        message: format!("no traces: {what}"),
        hint: Some(hint.to_owned()),
    }
}
