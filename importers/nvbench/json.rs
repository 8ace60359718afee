//! JSON of nvbench, 1.x and before.
//!
//! 1.x has arrays of `{name, type, value}` where older files have objects by name; both have
//! every number as a string. What is optional may be null, empty or absent.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::json::{Cursor, Document, Kind, Node, Object, Value, escape_pointer};
use crate::names::{hostile, quoted};
use crate::{Issue, Place, Refused, Severity};

use super::state::{Contents, Outcome, State, Summary, is_derived, known};

/// Whether the bytes could be a JSON document at all.
pub(super) fn begins_like_json(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    bytes.trim_ascii_start().starts_with(b"{")
}

/// Whether it has benchmarks, and devices or a version as nvbench writes them.
pub(super) fn recognises(bytes: &[u8]) -> bool {
    // There are three; a foreign file isn't read to its end.
    const LOOKED_AT: usize = 4;
    let look = || -> Result<bool, Refused> {
        let document = Document::open(bytes)?;
        let mut cursor = document.cursor();
        let (mut benchmarks, mut nvbench) = (false, false);
        if !cursor.enter()? {
            return Ok(false);
        }
        for _ in 0..LOOKED_AT {
            let Some(key) = cursor.next_key()? else { break };
            match key.name.as_ref() {
                "meta" => {
                    let meta = cursor.value()?;
                    nvbench |= at(&meta, &["version", "nvbench"]).is_some();
                }
                "devices" => {
                    let devices = cursor.value()?;
                    nvbench |=
                        items(&devices).any(|(_, device)| at(device, &["sm_version"]).is_some());
                }
                "benchmarks" => {
                    benchmarks = cursor.kind()? == Kind::Array;
                    if benchmarks && nvbench {
                        break;
                    }
                    cursor.skip()?;
                }
                _ => {
                    cursor.skip()?;
                }
            }
        }
        Ok(benchmarks && nvbench)
    };
    look().unwrap_or(false)
}

/// Reads a document.
pub(super) fn read(bytes: &[u8]) -> Result<Contents, Refused> {
    let document = Document::open(bytes)?;
    let mut cursor: Cursor<'_, '_> = document.cursor();
    let root = cursor.value()?;
    cursor.finish()?;
    let benchmarks = at(&root, &["benchmarks"]);
    let Some(benchmarks) = benchmarks.filter(|node| matches!(node.value, Value::Array(_))) else {
        return Err(Refused {
            code: "NO_BENCHMARKS",
            place: document.place(String::new(), root.span.start),
            message: "no array `benchmarks`: this is no result of nvbench".to_owned(),
            hint: None,
        });
    };
    let mut reader = Reader {
        document: &document,
        devices: devices(&root),
        contents: Contents {
            program: program(&root),
            harness: harness(&root),
            ..Contents::default()
        },
    };
    for (index, benchmark) in items(benchmarks) {
        reader.benchmark(benchmark, &format!("/benchmarks/{index}"));
    }
    Ok(reader.contents)
}

struct Reader<'d, 'a> {
    document: &'d Document<'a>,
    /// Product names by id.
    devices: HashMap<String, String>,
    contents: Contents,
}

impl Reader<'_, '_> {
    fn benchmark(&mut self, node: &Node<'_>, pointer: &str) {
        let states = at(node, &["states"]);
        let name = at(node, &["name"]).and_then(text);
        let fault = match name.map(|name| (name, hostile(name))) {
            Some((_, None)) => None,
            Some((name, Some(why))) => Some((
                "HOSTILE_NAME",
                format!("the name {} of a benchmark {why}", quoted(name)),
            )),
            None => Some(("NO_NAME", "a benchmark without `name`".to_owned())),
        };
        let Some(states) = states else { return };
        if let Some((code, message)) = fault {
            let lost = items(states).count();
            if lost > 0 {
                let place = self.place(pointer, node);
                self.reject(code, place, message, lost);
            }
            return;
        }
        let name = name.unwrap_or_default();
        let twice = repeated(states);
        for (key, state) in items(states) {
            let pointer = format!("{pointer}/states/{}", escape_pointer(&key));
            let place = self.place(&pointer, state);
            if twice.contains(&key) {
                let message = format!(
                    "two states have the name {}: which one counts isn't said",
                    quoted(&key)
                );
                self.reject("DUPLICATE_KEY", place, message, 1);
                continue;
            }
            match self.state(name, state, &pointer, place.clone()) {
                Ok(state) => self.contents.states.push(state),
                Err((code, message)) => self.reject(code, place, message, 1),
            }
        }
    }

    fn state(
        &mut self,
        benchmark: &str,
        node: &Node<'_>,
        pointer: &str,
        place: Place,
    ) -> Result<State, (&'static str, String)> {
        if !matches!(node.value, Value::Object(_)) {
            return Err((
                "BAD_RECORD",
                format!(
                    "a state is {}; an object was expected",
                    node.value.describe()
                ),
            ));
        }
        let id = at(node, &["device"]).and_then(number);
        let device = id.and_then(|id| self.devices.get(id)).cloned();
        let skipped = at(node, &["is_skipped"]).is_some_and(|node| node.value == Value::Bool(true));
        let outcome = if skipped {
            let reason = at(node, &["skip_reason"]).and_then(text);
            Outcome::Skipped(reason.map(str::to_owned))
        } else {
            Outcome::Ran(self.summaries(node, pointer))
        };
        Ok(State {
            place,
            benchmark: benchmark.to_owned(),
            device,
            axes: axes(node)?,
            outcome,
        })
    }

    fn summaries(&mut self, state: &Node<'_>, pointer: &str) -> Vec<Summary> {
        let Some(node) = at(state, &["summaries"]) else {
            return Vec::new();
        };
        let mut summaries: Vec<Summary> = Vec::new();
        for (key, summary) in items(node) {
            let stated = at(summary, &["tag"]).and_then(text);
            let name = stated.unwrap_or(&key);
            let Some(tag) = known(name) else {
                // Side files are named, not read; what has no value has nothing to lose.
                if !is_derived(name) && value(summary).is_some() {
                    self.contents.unread.insert(name.to_owned());
                }
                continue;
            };
            let pointer = format!("{pointer}/summaries/{}", escape_pointer(&key));
            let mut twice = false;
            for other in summaries.iter_mut().filter(|other| other.tag == tag) {
                other.twice = true;
                twice = true;
            }
            if twice {
                continue;
            }
            summaries.push(Summary {
                tag,
                text: value(summary).map(str::to_owned),
                place: self.place(&pointer, summary),
                twice,
            });
        }
        summaries
    }

    fn place(&self, pointer: &str, node: &Node<'_>) -> Place {
        self.document.place(pointer, node.span.start)
    }

    fn reject(&mut self, code: &str, place: Place, message: String, rejects: usize) {
        self.contents.issues.push(Issue {
            severity: Severity::Error,
            code: code.to_owned(),
            place,
            message,
            hint: None,
            rejects: u32::try_from(rejects).unwrap_or(u32::MAX),
        });
    }
}

/// Product names by device id. Two devices of one name are one product.
fn devices(root: &Node<'_>) -> HashMap<String, String> {
    at(root, &["devices"])
        .into_iter()
        .flat_map(items)
        .filter_map(|(_, device)| {
            let id = at(device, &["id"]).and_then(number)?;
            let name = at(device, &["name"]).and_then(text)?;
            Some((id.to_owned(), name.to_owned()))
        })
        .collect()
}

/// The last part of the path that the program was started by.
fn program(root: &Node<'_>) -> Option<String> {
    let argv = at(root, &["meta", "argv"])?;
    let (_, first) = items(argv).next()?;
    let name = text(first)?.rsplit(['/', '\\']).next()?;
    let name = name.strip_suffix(".exe").unwrap_or(name);
    hostile(name).is_none().then(|| name.to_owned())
}

/// nvbench's own version and commit.
fn harness(root: &Node<'_>) -> Option<String> {
    let nvbench = at(root, &["meta", "version", "nvbench"])?;
    let part = |name| at(nvbench, &[name]).and_then(text);
    let parts: Vec<&str> = [part("string"), part("git_sha")]
        .into_iter()
        .flatten()
        .collect();
    let dirty = at(nvbench, &["git_is_dirty"]).is_some_and(|node| node.value == Value::Bool(true));
    let dirty = if dirty { " (dirty)" } else { "" };
    let said = format!("{}{dirty}", parts.join(" "));
    hostile(&said).is_none().then_some(said)
}

/// Axes by name, values as written.
fn axes(state: &Node<'_>) -> Result<Vec<(String, String)>, (&'static str, String)> {
    let Some(node) = at(state, &["axis_values"]) else {
        return Ok(Vec::new());
    };
    let mut axes: BTreeMap<String, String> = BTreeMap::new();
    for (key, axis) in items(node) {
        let name = at(axis, &["name"]).and_then(text).unwrap_or(&key);
        let Some(value) = at(axis, &["value"]).and_then(scalar) else {
            return Err(("NO_AXIS", format!("axis {} has no value", quoted(name))));
        };
        for part in [name, value] {
            if let Some(why) = hostile(part).filter(|_| !part.is_empty()) {
                return Err(("HOSTILE_NAME", format!("axis text {} {why}", quoted(part))));
            }
        }
        if axes.insert(name.to_owned(), value.to_owned()).is_some() {
            return Err((
                "DUPLICATE_KEY",
                format!("axis {} stands twice", quoted(name)),
            ));
        }
    }
    Ok(axes.into_iter().collect())
}

/// The text of a summary's `value`: `data: [{name: "value", value}]`, before 1.0
/// `value: {type, value}`, between the two `values: [{name: "value", value}]`.
fn value<'n>(summary: &'n Node<'_>) -> Option<&'n str> {
    if let Some(plain) = at(summary, &["value"]) {
        return scalar(plain).or_else(|| at(plain, &["value"]).and_then(scalar));
    }
    let named = at(summary, &["data"]).or_else(|| at(summary, &["values"]))?;
    items(named)
        .find(|(_, item)| at(item, &["name"]).and_then(text) == Some("value"))
        .and_then(|(_, item)| at(item, &["value"]).and_then(scalar))
}

/// Keys of an object that stand more than once.
fn repeated(node: &Node<'_>) -> HashSet<String> {
    let Value::Object(Object { members }) = &node.value else {
        return HashSet::new();
    };
    let mut seen: HashMap<&str, u32> = HashMap::new();
    for member in members {
        *seen.entry(&member.key.name).or_default() += 1;
    }
    let twice = seen.into_iter().filter(|(_, times)| *times > 1);
    twice.map(|(key, _)| key.to_owned()).collect()
}

/// The members of an object by key, or the items of an array by index.
fn items<'n, 'a>(node: &'n Node<'a>) -> Box<dyn Iterator<Item = (String, &'n Node<'a>)> + 'n> {
    match &node.value {
        Value::Array(items) => Box::new(
            items
                .iter()
                .enumerate()
                .map(|(at, node)| (at.to_string(), node)),
        ),
        Value::Object(object) => Box::new(
            object
                .members
                .iter()
                .map(|member| (member.key.name.to_string(), &member.node)),
        ),
        _ => Box::new(std::iter::empty()),
    }
}

/// What stands under a path of keys, if it is there and not null.
fn at<'n, 'a>(node: &'n Node<'a>, path: &[&str]) -> Option<&'n Node<'a>> {
    path.iter().try_fold(node, |node, key| match &node.value {
        Value::Object(object) => object.get(key).filter(|node| node.value != Value::Null),
        _ => None,
    })
}

fn text<'n>(node: &'n Node<'_>) -> Option<&'n str> {
    match &node.value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn number<'n>(node: &'n Node<'_>) -> Option<&'n str> {
    match &node.value {
        Value::Number(text) => Some(text),
        _ => text(node),
    }
}

/// A string, or a number's text: nvbench writes numbers as strings since 2021-02.
fn scalar<'n>(node: &'n Node<'_>) -> Option<&'n str> {
    match &node.value {
        Value::NonFinite(text) => Some(text),
        _ => number(node),
    }
}
