//! What a row computed: its operation, and the axes that make it this workload.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::json::{Document, Node, Value};
use crate::names::{hostile, quoted};
use crate::{AxisValue, Operation, Place, Subject, Workload};

use super::data::{Content, Row};
use super::record::{Fault, Reader, fault};
use super::spec::{AxisNames, Field, From, MetricSpec};
use super::words;

impl Reader<'_> {
    pub(super) fn subject(&self, metric: &MetricSpec, row: &Row<'_>) -> Result<Subject, Fault> {
        let facts = &metric.facts;
        let Some(stated) = self.optional(facts.operation.as_ref(), row, "operation")? else {
            return Err(fault(
                "NO_OPERATION",
                row.place(),
                "what was computed is not said",
            ));
        };
        let group = self.optional(facts.group.as_ref(), row, "group")?;
        // A name is one part of a path that users type. Two names that become one this way
        // still are two operations.
        let (name, plain) = (part(&stated), group.as_deref().map(part));
        let altered = name != stated || plain != group;
        let definition = altered.then(|| match &group {
            Some(group) => serde_json::json!({"group": group, "name": stated}).to_string(),
            None => serde_json::json!({"name": stated}).to_string(),
        });
        let family = self.optional(facts.family.as_ref(), row, "family")?;
        let title = self.optional(facts.title.as_ref(), row, "title")?;
        Ok(Subject::Stated(Arc::new(Workload {
            operation: Arc::new(Operation {
                suite: self.mapping.suite.clone(),
                group: plain,
                name,
                title: title.unwrap_or(stated),
                family: family.unwrap_or_else(|| "unknown".to_owned()),
                definition,
            }),
            axes: self.axes(metric, row)?,
            dtype: self
                .optional(facts.dtype.as_ref(), row, "dtype")?
                .map(|word| words::dtype(&word)),
            inputs: None,
            outputs: Vec::new(),
        })))
    }

    fn axes(
        &self,
        metric: &MetricSpec,
        row: &Row<'_>,
    ) -> Result<BTreeMap<String, AxisValue>, Fault> {
        let mut axes = BTreeMap::new();
        let mut put = |name: &str, text: &str, place: &Place| -> Result<(), Fault> {
            let Some(text) = self.kept(text) else {
                return Ok(());
            };
            for shown in [name, text] {
                if let Some(why) = hostile(shown) {
                    return Err(fault(
                        "HOSTILE_NAME",
                        place.clone(),
                        format!("axis {} {why}", quoted(shown)),
                    ));
                }
            }
            match axes.insert(name.to_owned(), axis_value(text)) {
                None => Ok(()),
                Some(_) => Err(fault(
                    "DUPLICATE_AXIS",
                    place.clone(),
                    format!("axis {} is said twice", quoted(name)),
                )),
            }
        };
        for axis in &metric.facts.axes {
            let (content, place) = match &axis.field.from {
                From::Constant(text) => (Content::Text(text.as_str().into()), row.place()),
                From::Column(column) => match row.get(column) {
                    None => continue,
                    Some(found) => (found.content, found.place),
                },
            };
            let content = match content {
                Content::Text(text) => match axis.field.words.get(text.trim()) {
                    Some(meant) => Content::Text(meant.clone().into()),
                    None => Content::Text(text),
                },
                nested @ Content::Nested(_) => nested,
            };
            match (&axis.names, content) {
                (AxisNames::One(name), Content::Text(text)) => put(name, &text, &place)?,
                (AxisNames::One(name), Content::Nested(node)) => {
                    put(name, row.written(node), &place)?;
                }
                (AxisNames::By(column), content) => {
                    let Some(name) = self.said(&Field::column(column.clone()), row, "axis")? else {
                        let message = format!(
                            "{} is empty: which axis this is is not said",
                            quoted(column)
                        );
                        return Err(fault("BAD_AXIS", place, message));
                    };
                    match content {
                        Content::Text(text) => put(&name.text, &text, &place)?,
                        Content::Nested(node) => put(&name.text, row.written(node), &place)?,
                    }
                }
                (AxisNames::Split(names, between), content) => {
                    let parts: Vec<String> = match &content {
                        Content::Text(text) if self.kept(text).is_none() => continue,
                        Content::Text(text) if between.is_empty() => vec![text.trim().to_owned()],
                        Content::Text(text) => text
                            .trim()
                            .split(between.as_str())
                            .map(|part| part.trim().to_owned())
                            .collect(),
                        Content::Nested(node) => match &node.value {
                            Value::Array(items) => items
                                .iter()
                                .map(|item| {
                                    scalar(item)
                                        .map_or_else(|| row.written(item).to_owned(), str::to_owned)
                                })
                                .collect(),
                            _ => Vec::new(),
                        },
                    };
                    if parts.len() != names.len() {
                        let message = format!(
                            "{} parts where {} ({}) were expected",
                            parts.len(),
                            names.len(),
                            names.join(", ")
                        );
                        return Err(fault("BAD_AXIS", place, message));
                    }
                    for (name, part) in names.iter().zip(&parts) {
                        put(name, part, &place)?;
                    }
                }
                (AxisNames::Members, Content::Nested(node)) => {
                    members(node, |text| row.written(text), &place, &mut put)?;
                }
                (AxisNames::Members, Content::Text(text)) => {
                    if self.kept(&text).is_none() {
                        continue;
                    }
                    let bad = |what: &str| {
                        fault(
                            "BAD_AXIS",
                            place.clone(),
                            format!("{} is no JSON object{what}", quoted(&text)),
                        )
                    };
                    let document = Document::open(text.as_bytes()).map_err(|_| bad(""))?;
                    let mut cursor = document.cursor();
                    let node = cursor.value().map_err(|_| bad(""))?;
                    cursor.finish().map_err(|_| bad(": something follows it"))?;
                    let written = |node: &Node<'_>| {
                        document
                            .text()
                            .get(node.span.start..node.span.end)
                            .unwrap_or_default()
                    };
                    members(&node, written, &place, &mut put)?;
                }
            }
        }
        Ok(axes)
    }
}

/// The members of an object as axes.
fn members<'w>(
    node: &Node<'_>,
    written: impl Fn(&Node<'_>) -> &'w str,
    place: &Place,
    put: &mut impl FnMut(&str, &str, &Place) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let Value::Object(object) = &node.value else {
        let message = format!(
            "{} where an object of axes was expected",
            node.value.describe()
        );
        return Err(fault("BAD_AXIS", place.clone(), message));
    };
    for member in &object.members {
        match scalar(&member.node) {
            Some(text) => put(&member.key.name, text, place)?,
            None => put(&member.key.name, written(&member.node), place)?,
        }
    }
    Ok(())
}

/// The text of a value that is neither array nor object.
fn scalar<'n>(node: &'n Node<'_>) -> Option<&'n str> {
    match &node.value {
        Value::Null => Some(""),
        Value::Bool(true) => Some("true"),
        Value::Bool(false) => Some("false"),
        Value::Number(text) | Value::NonFinite(text) => Some(text),
        Value::String(text) => Some(text),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// A whole number is a size (`4096`, and `4096.0` as tables with gaps print it).
fn axis_value(text: &str) -> AxisValue {
    let text = text.trim();
    let whole = text.strip_suffix(".0").unwrap_or(text);
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let plain = digits == "0"
        || (!digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit()));
    match whole.parse() {
        Ok(size) if plain => AxisValue::Size(size),
        _ => AxisValue::Word(text.to_owned()),
    }
}

/// A name as one part of a path.
fn part(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join("-").replace('/', "-")
}
