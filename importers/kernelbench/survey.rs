//! Looking at parts of a document that may be no timings at all.

use crate::Refused;
use crate::json::{Cursor, Document, Kind, Node, Value};

use super::keys::is_level;

/// What a value looks like, without reading it.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) is_object: bool,
    /// It has a `mean`, as a record has.
    pub(super) is_record: bool,
    /// It, or something in it, looks like a result of an evaluation run.
    pub(super) is_evaluation: bool,
    pub(super) members: u32,
    /// How many members are objects with a `mean`.
    pub(super) records: u32,
}

/// Looks at the value that comes next and passes over it.
pub(super) fn survey(cursor: &mut Cursor<'_, '_>) -> Result<Survey, Refused> {
    let mut survey = Survey::default();
    if !cursor.enter()? {
        // A list of evaluation results, one a sample; small enough to look at one.
        if cursor.kind()? == Kind::Array {
            let node = cursor.value()?;
            survey.is_evaluation = first_is_evaluation(&node);
        } else {
            cursor.skip()?;
        }
        return Ok(survey);
    }
    survey.is_object = true;
    while let Some(key) = cursor.next_key()? {
        survey.members = survey.members.saturating_add(1);
        survey.is_record |= key.name == "mean";
        survey.is_evaluation |= key.name == "compiled" || key.name == "correctness";
        let mut has_mean = false;
        if cursor.enter()? {
            while let Some(inner) = cursor.next_key()? {
                has_mean |= inner.name == "mean";
                cursor.skip()?;
            }
        } else {
            cursor.skip()?;
        }
        survey.records = survey.records.saturating_add(u32::from(has_mean));
    }
    if survey.is_evaluation {
        // Its `runtime_stats` has a mean, but isn't a baseline's timing.
        survey.records = 0;
    }
    Ok(survey)
}

fn first_is_evaluation(node: &Node<'_>) -> bool {
    let Value::Array(items) = &node.value else {
        return false;
    };
    items.first().is_some_and(
        |item| matches!(&item.value, Value::Object(object) if object.get("compiled").is_some()),
    )
}

/// Whether a document begins like a timing file: a level, and in it nothing but records.
pub(super) fn begins_like_timings(document: &Document<'_>) -> bool {
    /// Entries looked at before believing it.
    const ENOUGH: u32 = 8;
    let look = || -> Result<bool, Refused> {
        let mut cursor = document.cursor();
        if !cursor.enter()? {
            return Ok(false);
        }
        let first = cursor.next_key()?;
        if !first.is_some_and(|key| is_level(&key.name)) || !cursor.enter()? {
            return Ok(false);
        }
        let mut seen = 0;
        while seen < ENOUGH && cursor.next_key()?.is_some() {
            let looks_right = match cursor.value()?.value {
                Value::Null => true,
                Value::Object(object) => object.get("mean").is_some(),
                _ => false,
            };
            if !looks_right {
                return Ok(false);
            }
            seen += 1;
        }
        Ok(seen > 0)
    };
    look().unwrap_or(false)
}

/// Whether any key at the top names a level.
pub(super) fn names_levels(document: &Document<'_>) -> Result<bool, Refused> {
    let mut cursor = document.cursor();
    if cursor.enter()? {
        while let Some(key) = cursor.next_key()? {
            if is_level(&key.name) {
                return Ok(true);
            }
            cursor.skip()?;
        }
    }
    Ok(false)
}
