//! Columns of a file as a proposal sees them: their names' words and their first values.

use std::collections::BTreeSet;

use crate::duration::Decimal;

use super::data::{Content, Row};
use super::guess::tokens;

/// Rows that are looked at.
const SAMPLE: usize = 1000;

/// Different values that are kept.
const VALUES: usize = 40;

/// One column or path.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) words: Vec<String>,
    /// Different values, as far as they were kept.
    pub(super) values: BTreeSet<String>,
    /// All that say something are numbers.
    pub(super) numeric: bool,
    /// All that say something are whole numbers.
    pub(super) whole: bool,
    /// All that say something are JSON objects in a text.
    pub(super) object: bool,
    /// A place in the proposal was found for it.
    pub(super) used: bool,
}

impl Column {
    pub(super) fn of(name: String, rows: &[Row<'_>]) -> Self {
        let mut column = Self {
            words: tokens(&name),
            name,
            values: BTreeSet::new(),
            numeric: true,
            whole: true,
            object: true,
            used: false,
        };
        let mut any = false;
        for row in rows.iter().take(SAMPLE) {
            let text = match row.get(&column.name).map(|found| found.content) {
                Some(Content::Text(text)) => text.trim().to_owned(),
                Some(Content::Nested(node)) => {
                    column.numeric = false;
                    row.written(node).to_owned()
                }
                None => continue,
            };
            if text.is_empty() {
                continue;
            }
            any = true;
            let number = Decimal::parse(&text);
            let odd = crate::number::is_non_finite(&text);
            column.numeric &= number.is_some() || odd;
            column.whole &= number.is_some() && !text.contains(['.', 'e', 'E']);
            column.object &=
                text.starts_with('{') && serde_json::from_str::<serde_json::Value>(&text).is_ok();
            if column.values.len() < VALUES {
                column.values.insert(text);
            }
        }
        column.numeric &= any;
        column.whole &= any;
        column.object &= any;
        column
    }

    /// Its words without a last `name`, `id` or the like.
    fn core(&self) -> &[String] {
        match self.words.split_last() {
            Some((last, rest))
                if !rest.is_empty() && matches!(last.as_str(), "name" | "slug" | "label") =>
            {
                rest
            }
            _ => &self.words,
        }
    }

    /// How well its name ends with one of some words: lower is better.
    pub(super) fn ends_with(&self, wanted: &[&str]) -> Option<(usize, usize)> {
        let core = self.core();
        let last = core.last()?;
        let rank = wanted.iter().position(|word| word == last)?;
        Some((rank, core.len()))
    }

    /// Whether its texts could be names: neither numbers nor yes and no.
    pub(super) fn names(&self) -> bool {
        let flag = |value: &String| matches!(value.to_lowercase().as_str(), "true" | "false");
        !self.values.is_empty() && !self.numeric && !self.values.iter().all(flag)
    }

    pub(super) fn has(&self, wanted: &[&str]) -> bool {
        self.words
            .iter()
            .any(|word| wanted.contains(&word.as_str()))
    }
}

/// The unused column whose name fits best, among those that a condition lets in.
pub(super) fn best(
    columns: &[Column],
    wanted: &[&str],
    fits: impl Fn(&Column) -> bool,
) -> Option<usize> {
    columns
        .iter()
        .enumerate()
        .filter(|(_, column)| !column.used && fits(column))
        .filter_map(|(index, column)| Some((column.ends_with(wanted)?, index)))
        .min()
        .map(|(_, index)| index)
}
