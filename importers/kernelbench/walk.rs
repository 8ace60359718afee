//! The walk through a timing file: levels, their entries, and everything else at the top.

use std::collections::HashMap;
use std::sync::Arc;

use crate::json::{Cursor, Document, Kind, Node, Span, Value};
use crate::{Issue, Place, Refused, Severity, SuiteProblem};

use super::SOURCE;
use super::keys::{ProblemKey, field_pointer, hostile, is_level, misspelled_level, quoted};
use super::record::{self, Context, Devices, Fault, Record};
use super::survey::{names_levels, survey};
use super::verdict::not_timings;

/// Levels of the suite as published.
const KNOWN_LEVELS: [&str; 4] = ["level1", "level2", "level3", "level4"];

/// How many different unread fields are remembered.
const KEPT_FIELDS: usize = 100;

/// One entry of a level, usable or not.
#[derive(Debug)]
pub(super) struct Entry {
    /// Index into [`Contents::levels`].
    pub(super) level: usize,
    /// Its name; the file without folders.
    pub(super) problem: SuiteProblem,
    /// Where its key stands.
    pub(super) place: Place,
    /// Byte offset of its key.
    pub(super) offset: usize,
    /// The record, or why it can't be used.
    pub(super) outcome: Result<Record, Issue>,
}

/// What a timing file holds, before entries are held against each other.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// Level keys in the order of their first sight.
    pub(super) levels: Vec<String>,
    /// Entries in the order of the file.
    pub(super) entries: Vec<Entry>,
    /// Issues with the offset they belong to.
    pub(super) issues: Vec<(usize, Issue)>,
    /// Keys of records that were not read, in the order of their first sight.
    pub(super) unknown_fields: Vec<String>,
}

/// Walks a document.
///
/// `level` is the declared level of a file whose problems stand at the top.
///
/// # Errors
///
/// The text is no JSON, is no timing file, or has problems and no level.
pub(super) fn walk(
    document: &Document<'_>,
    context: Context<'_>,
    level: Option<u32>,
) -> Result<Contents, Refused> {
    let mut walk = Walk {
        document,
        context,
        devices: Devices::default(),
        cursor: document.cursor(),
        contents: Contents::default(),
        seen: HashMap::new(),
        strays: Vec::new(),
        others: Vec::new(),
        evaluations: false,
    };
    let kind = walk.cursor.kind()?;
    if kind != Kind::Object {
        walk.cursor.skip()?;
        walk.cursor.finish()?;
        let seen = if kind == Kind::Array {
            "an array"
        } else {
            "a single value"
        };
        return Err(not_timings(document, seen, None));
    }
    match level {
        Some(number) if !names_levels(document)? => {
            walk.problems(&format!("level{number}"), Span { start: 0, end: 0 })?;
        }
        _ => walk.top(level)?,
    }
    walk.cursor.finish()?;
    walk.finish()
}

/// A walk under way.
pub(super) struct Walk<'d, 'a> {
    pub(super) document: &'d Document<'a>,
    context: Context<'d>,
    devices: Devices,
    cursor: Cursor<'d, 'a>,
    pub(super) contents: Contents,
    /// Index and first sight of each level.
    seen: HashMap<String, (usize, Span)>,
    /// Problems at the top, outside any level.
    pub(super) strays: Vec<(Place, usize)>,
    /// Every other key at the top.
    pub(super) others: Vec<String>,
    /// Some entry looks like the suite's evaluation results.
    pub(super) evaluations: bool,
}

impl Walk<'_, '_> {
    /// The keys at the top: levels, and what is none.
    fn top(&mut self, declared: Option<u32>) -> Result<(), Refused> {
        if !self.cursor.enter()? {
            return Ok(());
        }
        while let Some(key) = self.cursor.next_key()? {
            if is_level(&key.name) {
                self.level_at(&key.name, key.span)?;
            } else {
                self.other(&key.name, key.span)?;
            }
        }
        if let Some(number) = declared {
            self.note(
                Severity::Warning,
                "LEVEL_DECLARED",
                self.document.place(String::new(), 0),
                0,
                format!(
                    "level {number} was declared, but the file names its own levels; they were used"
                ),
            );
        }
        Ok(())
    }

    /// A level at the top.
    fn level_at(&mut self, key: &str, span: Span) -> Result<(), Refused> {
        let place = self.document.place(self.cursor.pointer(), span.start);
        if self.cursor.kind()? != Kind::Object {
            let node = self.cursor.value()?;
            self.no_object(key, &node, place, span.start);
            return Ok(());
        }
        if let Some(first) = self.seen.get(key).map(|(_, span)| *span) {
            let message = format!(
                "{key} stands twice, {} and {}; the problems of both were read",
                self.document.spell(first.start),
                self.document.spell(span.start)
            );
            let place = place.clone();
            self.note(
                Severity::Warning,
                "DUPLICATE_LEVEL",
                place,
                span.start,
                message,
            );
        }
        let before = self.contents.entries.len();
        self.problems(key, span)?;
        if self.contents.entries.len() == before {
            let message = format!("{key} holds no problems");
            self.note(Severity::Note, "EMPTY_LEVEL", place, span.start, message);
        }
        Ok(())
    }

    /// A level that is no object of problems: nothing in it can be read.
    fn no_object(&mut self, key: &str, node: &Node<'_>, place: Place, offset: usize) {
        self.others.push(key.to_owned());
        let items = match &node.value {
            Value::Array(items) => items.len(),
            _ => 0,
        };
        let issue = Issue {
            severity: match node.value {
                Value::Null => Severity::Note,
                _ => Severity::Error,
            },
            code: "LEVEL_NOT_OBJECT".to_owned(),
            place,
            message: format!(
                "{key} is {}; an object of problems was expected",
                node.value.describe()
            ),
            hint: None,
            rejects: u32::try_from(items).unwrap_or(u32::MAX),
        };
        self.contents.issues.push((offset, issue));
    }

    /// The index of a level, new at its first sight.
    fn level_index(&mut self, key: &str, span: Span) -> usize {
        if let Some((index, _)) = self.seen.get(key) {
            return *index;
        }
        let index = self.contents.levels.len();
        self.contents.levels.push(key.to_owned());
        self.seen.insert(key.to_owned(), (index, span));
        if !KNOWN_LEVELS.contains(&key) {
            let place = self.document.place(self.cursor.pointer(), span.start);
            let message =
                format!("{key} is not one of the suite's levels 1 to 4; its records were used");
            self.note(Severity::Note, "NEW_LEVEL", place, span.start, message);
        }
        index
    }

    /// Reads the object that comes next as the problems of a level.
    fn problems(&mut self, key: &str, span: Span) -> Result<(), Refused> {
        let level = self.level_index(key, span);
        let (suite, key): (Arc<str>, Arc<str>) = (Arc::from(SOURCE.slug), Arc::from(key));
        if !self.cursor.enter()? {
            return Ok(());
        }
        while let Some(problem) = self.cursor.next_key()? {
            let node = self.cursor.value()?;
            let pointer = self.cursor.pointer();
            let place = self.document.place(pointer, problem.span.start);
            let named = ProblemKey::new(&problem.name);
            let outcome = match bad_name(&named, &key) {
                Some(fault) => Err(fault),
                None => record::read(&node, self.document, self.context, &mut self.devices),
            };
            let outcome = outcome.map_err(|fault| issue(fault, &place, self.document, 1));
            for field in record::unknown_fields(&node) {
                let fields = &mut self.contents.unknown_fields;
                if fields.len() < KEPT_FIELDS && !fields.iter().any(|known| known == field) {
                    fields.push(field.to_owned());
                }
            }
            self.contents.entries.push(Entry {
                level,
                problem: SuiteProblem {
                    suite: Arc::clone(&suite),
                    level: Arc::clone(&key),
                    file: Arc::from(named.file),
                },
                place,
                offset: problem.span.start,
                outcome,
            });
        }
        Ok(())
    }

    /// A key at the top that names no level.
    fn other(&mut self, key: &str, span: Span) -> Result<(), Refused> {
        let place = self.document.place(self.cursor.pointer(), span.start);
        let survey = survey(&mut self.cursor)?;
        self.evaluations |= survey.is_evaluation;
        let shown = quoted(key);
        if let (Some(meant), true) = (misspelled_level(key), survey.is_object) {
            self.reject(
                Issue {
                    severity: Severity::Error,
                    code: "LEVEL_MISSPELLED".to_owned(),
                    place,
                    message: format!(
                        "{shown} looks like a misspelling of {meant}; its records were not read"
                    ),
                    hint: Some(format!("rename the key to `{meant}` if that is meant")),
                    rejects: survey.members,
                },
                span.start,
            );
        } else if survey.is_record || names_module(key) {
            self.strays.push((place, span.start));
        } else if survey.records > 0 {
            self.reject(
                Issue {
                    severity: Severity::Error,
                    code: "LEVEL_UNKNOWN".to_owned(),
                    place,
                    message: format!(
                        "{shown} holds timings but names no level (level1 …); they were not read"
                    ),
                    hint: Some("rename the key to the level that is meant".to_owned()),
                    rejects: survey.members,
                },
                span.start,
            );
        } else {
            self.others.push(key.to_owned());
            let message = format!("{shown} is no level and holds no timings; ignored");
            self.note(Severity::Note, "KEY_IGNORED", place, span.start, message);
        }
        Ok(())
    }

    fn note(
        &mut self,
        severity: Severity,
        code: &str,
        place: Place,
        offset: usize,
        message: String,
    ) {
        self.reject(
            Issue {
                severity,
                code: code.to_owned(),
                place,
                message,
                hint: None,
                rejects: 0,
            },
            offset,
        );
    }

    pub(super) fn reject(&mut self, issue: Issue, offset: usize) {
        self.contents.issues.push((offset, issue));
    }
}

/// Why a problem key can't be used, if so.
fn bad_name(named: &ProblemKey<'_>, level: &str) -> Option<Fault> {
    let fault = |code, message| Fault {
        severity: Severity::Error,
        code,
        field: None,
        message,
        hint: None,
    };
    if let Some(why) = hostile(named.file) {
        return Some(fault(
            "HOSTILE_NAME",
            format!("problem name {} {why}", quoted(named.file)),
        ));
    }
    let other = named.level.filter(|stated| *stated != level)?;
    Some(fault(
        "LEVEL_CONTRADICTS",
        format!(
            "the key's path says {}, but it stands in {level}",
            quoted(other)
        ),
    ))
}

/// A fault at its place in the file.
pub(super) fn issue(fault: Fault, record: &Place, document: &Document<'_>, rejects: u32) -> Issue {
    let place = match fault.field {
        Some((field, span)) => document.place(field_pointer(&record.pointer, field), span.start),
        None => record.clone(),
    };
    Issue {
        severity: fault.severity,
        code: fault.code.to_owned(),
        place,
        message: fault.message,
        hint: fault.hint.map(str::to_owned),
        rejects,
    }
}

/// Whether a key is the file name of a problem module.
fn names_module(key: &str) -> bool {
    key.strip_suffix(".py").is_some_and(|stem| !stem.is_empty())
}
