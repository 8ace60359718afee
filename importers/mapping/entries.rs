//! Entries of a mapping's TOML: their kinds, and what is wrong with them by line.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::names::{hostile, quoted};
use crate::{Declared, Place, Refused};

use super::near::nearest;
use super::spec::{Field, From};

pub(super) type Entry<'t> = Spanned<DeValue<'t>>;

/// Reads entries of one text.
pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) declared: &'t Declared,
}

impl<'t> Parser<'t> {
    /// A fact of a row: a plain text names a column.
    pub(super) fn field(&self, table: &DeTable<'t>, key: &str) -> Result<Option<Field>, Refused> {
        table
            .get(key)
            .map(|entry| self.field_of(key, entry, &[]))
            .transpose()
    }

    /// One of a list of words: a plain text is the word.
    pub(super) fn chosen(&self, table: &DeTable<'t>, key: &str) -> Result<Option<Field>, Refused> {
        match table.get(key) {
            Some(entry) if entry.get_ref().is_str() => {
                Ok(self.word(table, key)?.map(Field::constant))
            }
            Some(entry) => self.field_of(key, entry, &[]).map(Some),
            None => Ok(None),
        }
    }

    pub(super) fn field_of(
        &self,
        key: &str,
        entry: &Entry<'t>,
        more: &[&str],
    ) -> Result<Field, Refused> {
        match entry.get_ref() {
            DeValue::String(_) => Ok(Field::column(self.text_of(key, entry)?)),
            DeValue::Table(table) => {
                let known: Vec<&str> = ["column", "value", "words"]
                    .iter()
                    .chain(more)
                    .copied()
                    .collect();
                self.known(table, &known, &format!("`{key}`"))?;
                let words = match table.get("words") {
                    None => BTreeMap::new(),
                    Some(entry) => self.translations(entry)?,
                };
                let from = match (self.column(table, "column")?, table.get("value")) {
                    (Some(column), None) => From::Column(column),
                    (None, Some(value)) => From::Constant(self.scalar(key, value)?),
                    _ => {
                        let message = format!(
                            "`{key}` takes a `column` or, the same for every row, a `value`"
                        );
                        return Err(self.bad(Some(entry.span()), message));
                    }
                };
                Ok(Field { from, words })
            }
            other => {
                let message = format!(
                    "`{key}` is {}; a column's name was expected, or {{ value = … }} for the same in every row",
                    a(other)
                );
                Err(self.bad(Some(entry.span()), message))
            }
        }
    }

    pub(super) fn translations(
        &self,
        entry: &Entry<'t>,
    ) -> Result<BTreeMap<String, String>, Refused> {
        let Some(table) = entry.get_ref().as_table() else {
            return Err(self.bad(
                Some(entry.span()),
                "`words` is a table: the file's word = what it stands for",
            ));
        };
        table
            .iter()
            .map(|(word, meant)| {
                Ok((
                    word.get_ref().to_string(),
                    self.text_of(word.get_ref(), meant)?,
                ))
            })
            .collect()
    }

    /// The same for every row: a text, a number or a boolean.
    pub(super) fn scalar(&self, key: &str, entry: &Entry<'t>) -> Result<String, Refused> {
        let text = match entry.get_ref() {
            DeValue::String(_) => self.text_of(key, entry)?,
            DeValue::Integer(number) => number.as_str().to_owned(),
            DeValue::Float(number) => number.as_str().to_owned(),
            DeValue::Boolean(flag) => flag.to_string(),
            DeValue::Datetime(date) => date.to_string(),
            other => {
                let message = format!("the value of `{key}` is {}; a text was expected", a(other));
                return Err(self.bad(Some(entry.span()), message));
            }
        };
        match hostile(&text) {
            Some(why) => Err(self.bad(
                Some(entry.span()),
                format!("the value of `{key}`, {}, {why}", quoted(&text)),
            )),
            None => Ok(text),
        }
    }

    /// A column's name or a path.
    pub(super) fn column(&self, table: &DeTable<'t>, key: &str) -> Result<Option<String>, Refused> {
        let Some(name) = self.text(table, key)? else {
            return Ok(None);
        };
        if name.trim().is_empty() {
            let span = table.get(key).map(Spanned::span);
            return Err(self.bad(
                span,
                format!("`{key}` is blank; a column's name was expected"),
            ));
        }
        Ok(Some(name))
    }

    /// A text that will be shown: not blank, and harmless.
    pub(super) fn word(&self, table: &DeTable<'t>, key: &str) -> Result<Option<String>, Refused> {
        let Some(word) = self.text(table, key)? else {
            return Ok(None);
        };
        match hostile(&word) {
            Some(why) => Err(self.bad(
                table.get(key).map(Spanned::span),
                format!("`{key}` {} {why}", quoted(&word)),
            )),
            None => Ok(Some(word)),
        }
    }

    pub(super) fn text(&self, table: &DeTable<'t>, key: &str) -> Result<Option<String>, Refused> {
        table
            .get(key)
            .map(|entry| self.text_of(key, entry))
            .transpose()
    }

    pub(super) fn text_of(&self, key: &str, entry: &Entry<'t>) -> Result<String, Refused> {
        match entry.get_ref() {
            DeValue::String(text) if text.trim() == "?" => Err(Refused {
                hint: Some("write what it is; `kidx mapping new` left it open because the file doesn't say".to_owned()),
                ..self.refused_at("LEFT_OPEN", Some(entry.span()), format!("`{key}` is left open (`?`)"))
            }),
            DeValue::String(text) => Ok(text.to_string()),
            other => Err(self.bad(Some(entry.span()), format!("`{key}` is {}; a text was expected", a(other)))),
        }
    }

    /// A text or a list of texts.
    pub(super) fn words(&self, table: &DeTable<'t>, key: &str) -> Result<Vec<String>, Refused> {
        match table.get(key) {
            None => Ok(Vec::new()),
            Some(entry) => self.words_of(key, entry),
        }
    }

    pub(super) fn words_of(&self, key: &str, entry: &Entry<'t>) -> Result<Vec<String>, Refused> {
        let one = |entry: &Entry<'t>| match entry.get_ref() {
            DeValue::Integer(number) => Ok(number.as_str().to_owned()),
            DeValue::Boolean(flag) => Ok(flag.to_string()),
            _ => self.text_of(key, entry),
        };
        match entry.get_ref() {
            DeValue::Array(items) => items.iter().map(one).collect(),
            _ => Ok(vec![one(entry)?]),
        }
    }

    pub(super) fn flag(&self, table: &DeTable<'t>, key: &str) -> Result<Option<bool>, Refused> {
        match table.get(key) {
            None => Ok(None),
            Some(entry) => match entry.get_ref().as_bool() {
                Some(flag) => Ok(Some(flag)),
                None => Err(self.bad(Some(entry.span()), format!("`{key}` is true or false"))),
            },
        }
    }

    pub(super) fn choice<T>(
        &self,
        table: &DeTable<'t>,
        key: &str,
        of: impl Fn(&str) -> Option<T>,
        choices: &str,
    ) -> Result<Option<T>, Refused> {
        let Some(word) = self.text(table, key)? else {
            return Ok(None);
        };
        match of(&word) {
            Some(choice) => Ok(Some(choice)),
            None => Err(self.bad(
                table.get(key).map(Spanned::span),
                format!("{key} {} is none of {choices}", quoted(&word)),
            )),
        }
    }

    pub(super) fn tables<'a>(
        &self,
        table: &'a DeTable<'t>,
        key: &str,
    ) -> Result<Vec<(&'a DeTable<'t>, Range<usize>)>, Refused> {
        let wrong = |entry: &Entry<'t>| {
            self.bad(
                Some(entry.span()),
                format!("each {key} begins with `[[{key}]]`"),
            )
        };
        let Some(entry) = table.get(key) else {
            return Ok(Vec::new());
        };
        let Some(items) = entry.get_ref().as_array() else {
            return Err(wrong(entry));
        };
        let mut found = Vec::new();
        for item in items {
            match item.get_ref().as_table() {
                Some(inner) => found.push((inner, item.span())),
                None => return Err(wrong(item)),
            }
        }
        Ok(found)
    }

    /// Refuses keys that mean nothing here.
    pub(super) fn known(
        &self,
        table: &DeTable<'t>,
        known: &[&str],
        what: &str,
    ) -> Result<(), Refused> {
        let stray = table
            .keys()
            .filter(|key| !known.contains(&&**key.get_ref()))
            .min_by_key(|key| key.span().start);
        let Some(key) = stray else {
            return Ok(());
        };
        let hint = match nearest(key.get_ref(), known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it may have: {}", known.join(", ")),
        };
        Err(Refused {
            hint: Some(hint),
            ..self.bad(
                Some(key.span()),
                format!("{} is no key of {what}", quoted(key.get_ref())),
            )
        })
    }

    pub(super) fn bad(&self, span: Option<Range<usize>>, message: impl Into<String>) -> Refused {
        self.refused_at("BAD_MAPPING", span, message)
    }

    pub(super) fn refused_at(
        &self,
        code: &'static str,
        span: Option<Range<usize>>,
        message: impl Into<String>,
    ) -> Refused {
        let before = span.and_then(|span| self.text.get(..span.start));
        let message = message.into();
        let message = match before {
            Some(before) => format!(
                "line {} of the mapping: {message}",
                before.matches('\n').count() + 1
            ),
            None => format!("the mapping: {message}"),
        };
        refused(code, message, None)
    }
}

pub(super) fn refused(
    code: &'static str,
    message: impl Into<String>,
    hint: Option<String>,
) -> Refused {
    Refused {
        code,
        place: Place::default(),
        message: message.into(),
        hint,
    }
}

/// A kind of TOML value with its article.
pub(super) fn a(value: &DeValue<'_>) -> String {
    let kind = value.type_str();
    let article = if kind.starts_with(['a', 'i']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {kind}")
}
