//! What a trace states beyond its figures: kept as evidence, or named as not read.

use std::collections::BTreeSet;

use crate::Status;
use crate::json::{Node, Object, Value};
use crate::names::hostile;

use super::performance;
use super::site::{Site, member};

/// Most bytes of a text that is kept as evidence.
pub(super) const SHORT: usize = 200;

/// How many different unread fields are remembered.
const KEPT_FIELDS: usize = 100;

/// Keys that are read, by the object they stand in.
const KNOWN: &[(&str, &[&str])] = &[
    ("", &["definition", "solution", "workload", "evaluation"]),
    ("workload", &["uuid", "axes", "inputs", "tolerance"]),
    (
        "evaluation",
        &[
            "status",
            "environment",
            "timestamp",
            "log",
            "log_file",
            "correctness",
            "performance",
        ],
    ),
    ("evaluation.environment", &["hardware", "device", "libs"]),
    (
        "evaluation.performance",
        &["latency_ms", "reference_latency_ms", "speedup_factor"],
    ),
    (
        "evaluation.correctness",
        &[
            "max_relative_error",
            "max_absolute_error",
            "has_nan",
            "has_inf",
        ],
    ),
];

/// Adds the names of what a trace states and nobody reads.
pub(super) fn unread(node: &Node<'_>, names: &mut BTreeSet<String>) {
    for (path, known) in KNOWN {
        let mut at = Some(node);
        for field in path.split('.').filter(|field| !field.is_empty()) {
            at = at.and_then(|node| member(node, field));
        }
        let Some(Value::Object(object)) = at.map(|node| &node.value) else {
            continue;
        };
        for found in &object.members {
            let name = &*found.key.name;
            let stated = !matches!(found.node.value, Value::Null);
            if stated && !known.contains(&name) && names.len() < KEPT_FIELDS {
                names.insert(if path.is_empty() {
                    name.to_owned()
                } else {
                    format!("{path}.{name}")
                });
            }
        }
    }
}

/// Stated numbers that are no figures of ours.
pub(super) fn evidence(
    texts: &mut Vec<(String, String)>,
    status: Status,
    performance: Option<&Object<'_>>,
    correctness: Option<&Object<'_>>,
) {
    let mut keep = |object: &Object<'_>, field: &str| {
        let word = match object.get(field).map(|node| &node.value) {
            Some(Value::Number(text) | Value::NonFinite(text)) => (*text).to_owned(),
            Some(Value::String(text)) => text.clone().into_owned(),
            Some(Value::Bool(true)) => "true".to_owned(),
            _ => return false,
        };
        let fits = word.len() <= SHORT && hostile(&word).is_none();
        if fits {
            texts.push((field.to_owned(), word));
        }
        fits
    };
    if let Some(performance) = performance {
        let finite = |field: &str| {
            let node = performance.get(field);
            node.is_some_and(|node| matches!(node.value, Value::Number(_)))
                && !performance::is_zero(performance, field)
        };
        if status != Status::Passed {
            for field in ["latency_ms", "reference_latency_ms"] {
                if finite(field) {
                    keep(performance, field);
                }
            }
        }
        if finite("speedup_factor") {
            keep(performance, "speedup_factor");
        }
    }
    if let Some(correctness) = correctness {
        // With a flag the errors are zeros that mean nothing.
        let flagged = [keep(correctness, "has_nan"), keep(correctness, "has_inf")];
        if flagged == [false, false] {
            keep(correctness, "max_relative_error");
            keep(correctness, "max_absolute_error");
        }
    }
}

/// Within which tolerance it counts as correct, on one line.
pub(super) fn tolerance(site: &Site<'_, '_>, node: &Node<'_>) -> Option<(String, String)> {
    let stated = member(member(node, "workload")?, "tolerance")?;
    let text = site
        .document
        .text()
        .get(stated.span.start..stated.span.end)?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    (text.len() <= SHORT && hostile(&text).is_none()).then(|| ("tolerance".to_owned(), text))
}
