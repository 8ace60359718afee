//! Which columns and paths a file has, and whether those that a mapping names are there.

use std::collections::{BTreeSet, HashSet};

use crate::Refused;
use crate::json::{self, Node, Value};
use crate::names::quoted;

use super::data::{At, Data, Row};
use super::entries::refused;
use super::near::nearest;
use super::spec::Mapping;

impl Data<'_> {
    /// Names that stand twice in the header.
    pub(super) fn doubled(&self) -> Vec<&str> {
        let Self::Table(table, columns) = self else {
            return Vec::new();
        };
        let cells = table.header.iter().enumerate();
        cells
            .filter(|(index, name)| columns.get(name.trim()) != Some(index))
            .map(|(_, name)| name.trim())
            .collect()
    }

    /// Every name that rows have: the header, or the paths of all scalars and arrays.
    pub(super) fn names(&self, rows: &[Row<'_>]) -> Vec<String> {
        match self {
            Self::Table(table, _) => table
                .header
                .iter()
                .map(|name| name.trim().to_owned())
                .collect(),
            Self::Trees(..) => {
                let mut seen = BTreeSet::new();
                let mut names = Vec::new();
                // Each once, however many rows it is around.
                let mut asked = HashSet::new();
                let mut add = |name: String| {
                    if seen.insert(name.clone()) {
                        names.push(name);
                    }
                };
                for row in rows {
                    let At::Node {
                        node, around, keys, ..
                    } = &row.at
                    else {
                        continue;
                    };
                    if !keys.is_empty() {
                        add("@key".to_owned());
                    }
                    for number in 1..=keys.len() {
                        add(format!("@{number}"));
                    }
                    paths(node, "", &mut add);
                    // Of what is around, only what isn't the rows themselves.
                    for (node, _) in around {
                        if !asked.insert(std::ptr::from_ref(*node)) {
                            continue;
                        }
                        if let Value::Object(object) = &node.value
                            && !holds_rows(&object.members)
                        {
                            for member in &object.members {
                                aside(&member.key.name, &member.node, &mut add);
                            }
                        }
                    }
                }
                names
            }
        }
    }
}

/// Whether members are rows by their keys and nothing else.
pub(super) fn holds_rows(members: &[json::Member<'_>]) -> bool {
    members
        .iter()
        .all(|member| matches!(member.node.value, Value::Object(_) | Value::Null))
}

/// Facts beside the rows: scalars, and objects of nothing but scalars.
fn aside(name: &str, node: &Node<'_>, add: &mut impl FnMut(String)) {
    let scalar = |node: &Node<'_>| !matches!(node.value, Value::Array(_) | Value::Object(_));
    match &node.value {
        Value::Object(object) if object.members.iter().all(|member| scalar(&member.node)) => {
            for member in &object.members {
                add(format!("^{name}.{}", member.key.name));
            }
        }
        _ if scalar(node) => add(format!("^{name}")),
        _ => {}
    }
}

fn paths(node: &Node<'_>, prefix: &str, add: &mut impl FnMut(String)) {
    match &node.value {
        Value::Object(object) => {
            for member in &object.members {
                let dot = if prefix.is_empty() { "" } else { "." };
                paths(
                    &member.node,
                    &format!("{prefix}{dot}{}", member.key.name),
                    add,
                );
            }
        }
        _ if prefix.is_empty() => {}
        _ => add(prefix.to_owned()),
    }
}

/// Refuses names that no row has.
pub(super) fn check_names(
    mapping: &Mapping,
    data: &Data<'_>,
    rows: &[Row<'_>],
) -> Result<(), Refused> {
    let doubled = data.doubled();
    let is_table = matches!(data, Data::Table(..));
    for wanted in mapping.reads() {
        if doubled.contains(&wanted.trim()) {
            return Err(refused(
                "DUPLICATE_COLUMN",
                format!(
                    "the header has {} twice: which one is meant can't be said",
                    quoted(wanted)
                ),
                Some("rename one of the two".to_owned()),
            ));
        }
        let there = match data {
            Data::Table(_, columns) => columns.contains_key(wanted.trim()),
            Data::Trees(..) => rows.is_empty() || rows.iter().any(|row| row.get(wanted).is_some()),
        };
        if there {
            continue;
        }
        let names = data.names(rows);
        let near = nearest(wanted, names.iter().map(String::as_str));
        let what = if is_table { "column" } else { "path" };
        let listed: Vec<String> = names.iter().take(40).map(|name| quoted(name)).collect();
        let more = if names.len() > listed.len() {
            ", …"
        } else {
            ""
        };
        let meant = near.map_or(String::new(), |near| {
            format!("did you mean {}? ", quoted(near))
        });
        return Err(refused(
            "COLUMN_MISSING",
            format!("the file has no {what} {}", quoted(wanted)),
            Some(format!("{meant}It has: {}{more}", listed.join(", "))),
        ));
    }
    Ok(())
}
