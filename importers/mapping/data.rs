//! The rows of a file, whatever its format: CSV, a JSON document, JSON Lines.
//!
//! A name means the same in all of them: a column of the header, or a path into a row's
//! object with `.` between keys (a key that itself has a dot is found first). In JSON `@key`
//! is the key under which a row stands, `@1`, `@2` … those of the `*` in `rows`, and `^name`
//! is looked for in the objects around the row, the nearest first.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::json::{self, Document, Node, Value};
use crate::table::{self, Table};
use crate::{Issue, Place, Refused, Severity};

use super::rows::{find, walk};
use super::spec::Format;

/// A file's content as its format has it.
pub(super) enum Data<'a> {
    /// Under a header; columns by name.
    Table(Table, HashMap<String, usize>),
    /// Each document with its value; and whether they are lines of one text.
    Trees(Vec<(Document<'a>, Node<'a>)>, bool),
}

/// What a name found in a row.
#[derive(Debug)]
pub(super) struct Found<'r> {
    pub(super) content: Content<'r>,
    pub(super) place: Place,
}

/// What stands there.
#[derive(Debug)]
pub(super) enum Content<'r> {
    /// A text, a number as written, `true` or `false`; empty for null.
    Text(Cow<'r, str>),
    /// An array or an object.
    Nested(&'r Node<'r>),
}

/// One row.
#[derive(Debug)]
pub(super) struct Row<'r> {
    pub(super) at: At<'r>,
}

#[derive(Debug)]
pub(super) enum At<'r> {
    Cells {
        columns: &'r HashMap<String, usize>,
        index: usize,
        row: &'r table::Row,
    },
    Node {
        document: &'r Document<'r>,
        node: &'r Node<'r>,
        pointer: String,
        /// The nodes around it with their pointers, the outermost first.
        around: Vec<(&'r Node<'r>, String)>,
        /// The keys of the `*` in `rows`, and of the row itself.
        keys: Vec<String>,
    },
}

/// Which format a file is in: as the mapping says, as its name ends, as it begins. JSON Lines
/// are often called `.json` too, so that ending alone decides nothing.
fn format(mapping: Option<Format>, file: Option<&str>, bytes: &[u8]) -> Format {
    if let Some(format) = mapping {
        return format;
    }
    let name = file.unwrap_or_default().to_ascii_lowercase();
    match name.rsplit('.').next() {
        Some("csv" | "tsv") => return Format::Csv,
        Some("jsonl" | "ndjson") => return Format::JsonLines,
        _ => {}
    }
    let head = bytes
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(bytes)
        .trim_ascii_start();
    if !head.starts_with(b"{") && !head.starts_with(b"[") {
        return Format::Csv;
    }
    // A first line that is a whole value, with more behind it.
    let mut lines = json::lines(head);
    let whole = lines
        .next()
        .is_some_and(|line| line.is_ok_and(|line| value(&line).is_ok()));
    if whole && lines.next().is_some() {
        Format::JsonLines
    } else {
        Format::Json
    }
}

/// The delimiter that the header has most of; a comma where it has none.
fn delimiter(file: Option<&str>, bytes: &[u8]) -> u8 {
    if file.is_some_and(|file| file.to_ascii_lowercase().ends_with(".tsv")) {
        return b'\t';
    }
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0), (b'|', 0)];
    let mut in_quotes = false;
    for byte in bytes {
        match byte {
            b'"' => in_quotes = !in_quotes,
            b'\n' if !in_quotes => break,
            _ if in_quotes => {}
            _ => {
                for (delimiter, count) in &mut counts {
                    *count += usize::from(byte == delimiter);
                }
            }
        }
    }
    // The first of those with most.
    let mut best = (b',', 0);
    for (delimiter, count) in counts {
        if count > best.1 {
            best = (delimiter, count);
        }
    }
    best.0
}

fn value<'a>(document: &Document<'a>) -> Result<Node<'a>, Refused> {
    let mut cursor = document.cursor();
    let node = cursor.value()?;
    cursor.finish()?;
    Ok(node)
}

impl<'a> Data<'a> {
    /// Reads a file; lines of JSON Lines that are none go to `issues`.
    ///
    /// # Errors
    ///
    /// It isn't in that format at all.
    pub(super) fn read(
        said: Option<Format>,
        said_delimiter: Option<u8>,
        file: Option<&str>,
        bytes: &'a [u8],
        issues: &mut Vec<Issue>,
    ) -> Result<Self, Refused> {
        match format(said, file, bytes) {
            Format::Csv => {
                let delimiter = said_delimiter.unwrap_or_else(|| delimiter(file, bytes));
                let table = Table::read(bytes, delimiter)?;
                let mut columns = HashMap::new();
                for (index, name) in table.header.iter().enumerate() {
                    columns.entry(name.trim().to_owned()).or_insert(index);
                }
                Ok(Self::Table(table, columns))
            }
            Format::Json => {
                let document = Document::open(bytes)?;
                let node = value(&document).map_err(|refused| Refused {
                    hint: match refused.code {
                        "JSON_LINES" => {
                            Some("`format = \"jsonl\"` reads a value from each line".to_owned())
                        }
                        _ => refused.hint,
                    },
                    ..refused
                })?;
                Ok(Self::Trees(vec![(document, node)], false))
            }
            Format::JsonLines => {
                let mut trees = Vec::new();
                for line in json::lines(bytes) {
                    let read = line.and_then(|document| {
                        let node = value(&document)?;
                        Ok((document, node))
                    });
                    match read {
                        Ok(tree) => trees.push(tree),
                        Err(refused) => issues.push(Issue {
                            severity: Severity::Error,
                            code: refused.code.to_owned(),
                            place: refused.place,
                            message: refused.message,
                            hint: refused.hint,
                            rejects: 1,
                        }),
                    }
                }
                Ok(Self::Trees(trees, true))
            }
        }
    }

    /// The rows, in order; what is in their place and is none goes to `issues`.
    ///
    /// # Errors
    ///
    /// `NO_ROWS`: the path leads to nothing.
    pub(super) fn rows<'r>(
        &'r self,
        path: Option<&str>,
        issues: &mut Vec<Issue>,
    ) -> Result<Vec<Row<'r>>, Refused> {
        match self {
            Self::Table(table, columns) => {
                let width = table.header.len();
                let mut rows = Vec::with_capacity(table.rows.len());
                for (index, row) in table.rows.iter().enumerate() {
                    if row.cells.len() == width {
                        rows.push(Row {
                            at: At::Cells {
                                columns,
                                index,
                                row,
                            },
                        });
                        continue;
                    }
                    let message = format!("{} cells under a header of {width}", row.cells.len());
                    issues.push(rejected(
                        Severity::Error,
                        "ROW_WIDTH",
                        row.place(index, ""),
                        message,
                    ));
                }
                Ok(rows)
            }
            Self::Trees(trees, lines) => {
                let mut rows = Vec::new();
                for (index, (document, node)) in trees.iter().enumerate() {
                    // A line has no pointer of its own; its number stands for one.
                    let pointer = if *lines {
                        format!("/{index}")
                    } else {
                        String::new()
                    };
                    walk(document, node, pointer, path, *lines, &mut rows, issues)?;
                }
                Ok(rows)
            }
        }
    }
}

impl<'r> Row<'r> {
    /// What a name finds; `None` if the row has no such thing.
    pub(super) fn get(&self, name: &str) -> Option<Found<'r>> {
        match &self.at {
            At::Cells {
                columns,
                index,
                row,
            } => {
                let cell = row.cells.get(*columns.get(name.trim())?)?;
                Some(Found {
                    content: Content::Text(Cow::Borrowed(cell)),
                    place: row.place(*index, name.trim()),
                })
            }
            At::Node {
                document,
                node,
                pointer,
                around,
                keys,
            } => {
                if let Some(number) = name.strip_prefix('@') {
                    let key = match number {
                        "key" => keys.last(),
                        number => keys.get(number.parse::<usize>().ok()?.checked_sub(1)?),
                    };
                    return key.map(|key| Found {
                        content: Content::Text(Cow::Owned(key.clone())),
                        place: document.place(pointer.clone(), node.span.start),
                    });
                }
                let mut visited = Vec::new();
                let (found, pointer) = match name.strip_prefix('^') {
                    Some(name) => around
                        .iter()
                        .rev()
                        .find_map(|(node, pointer)| find(node, pointer, name, &mut visited))?,
                    None => find(node, pointer, name, &mut visited)?,
                };
                let content = match &found.value {
                    Value::Null => Content::Text(Cow::Borrowed("")),
                    Value::Bool(flag) => {
                        Content::Text(Cow::Borrowed(if *flag { "true" } else { "false" }))
                    }
                    Value::Number(text) | Value::NonFinite(text) => {
                        Content::Text(Cow::Borrowed(text))
                    }
                    Value::String(text) => Content::Text(Cow::Borrowed(text)),
                    Value::Array(_) | Value::Object(_) => Content::Nested(found),
                };
                Some(Found {
                    content,
                    place: document.place(pointer, found.span.start),
                })
            }
        }
    }

    /// Where it stands.
    pub(super) fn place(&self) -> Place {
        match &self.at {
            At::Cells { index, row, .. } => row.place(*index, ""),
            At::Node {
                document,
                node,
                pointer,
                ..
            } => document.place(pointer.clone(), node.span.start),
        }
    }

    /// The text of a node of this row, as it is written.
    pub(super) fn written(&self, node: &Node<'_>) -> &'r str {
        match &self.at {
            At::Node { document, .. } => document
                .text()
                .get(node.span.start..node.span.end)
                .unwrap_or_default(),
            At::Cells { .. } => "",
        }
    }
}

/// An issue that keeps one record out.
pub(super) fn rejected(severity: Severity, code: &str, place: Place, message: String) -> Issue {
    Issue {
        severity,
        code: code.to_owned(),
        place,
        message,
        hint: None,
        rejects: 1,
    }
}
