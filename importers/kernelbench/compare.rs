//! Entries of one file held against each other: duplicates, look-alikes, devices.

use std::collections::{BTreeMap, HashMap};

use unicode_normalization::UnicodeNormalization;

use crate::json::Document;
use crate::{Issue, Observation, Place, Severity};

use super::keys::{hostile, quoted, spelled_out};
use super::walk::{Contents, Entry};

/// How many places or devices a message lists.
const LISTED: usize = 5;

/// The name without `.py`: a problem is the same with and without it.
fn stem(file: &str) -> &str {
    file.strip_suffix(".py").unwrap_or(file)
}

/// Rejects every entry whose problem stands more than once in its level, with one issue
/// a problem: which of them counts is not said, and neither first nor last is a reason.
pub(super) fn reject_duplicates(contents: &mut Contents, document: &Document<'_>) {
    let mut first: HashMap<(usize, &str), usize> = HashMap::with_capacity(contents.entries.len());
    // By the first of them.
    let mut duplicates: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    // A name that can't be used is rejected as such, each time it stands there.
    let usable = |(_, entry): &(usize, &Entry)| hostile(&entry.problem.file).is_none();
    for (index, entry) in contents.entries.iter().enumerate().filter(usable) {
        let first = *first
            .entry((entry.level, stem(&entry.problem.file)))
            .or_insert(index);
        if first != index {
            let group = duplicates.entry(first).or_insert_with(|| vec![first]);
            group.push(index);
        }
    }
    if duplicates.is_empty() {
        return;
    }
    let mut dropped = vec![false; contents.entries.len()];
    for group in duplicates.values() {
        let entries: Vec<&Entry> = group
            .iter()
            .filter_map(|&i| contents.entries.get(i))
            .collect();
        let Some(first) = entries.first() else {
            continue;
        };
        let level = &first.problem.level;
        let mut places: Vec<String> = entries
            .iter()
            .take(LISTED)
            .map(|entry| document.spell(entry.offset))
            .collect();
        if entries.len() > LISTED {
            places.push(format!("{} more", entries.len() - LISTED));
        }
        let issue = Issue {
            severity: Severity::Error,
            code: "DUPLICATE_KEY".to_owned(),
            place: first.place.clone(),
            message: format!(
                "problem {} stands {} times in {level}: {}; which one counts is not said",
                quoted(&first.problem.file),
                entries.len(),
                places.join(" and ")
            ),
            hint: None,
            rejects: u32::try_from(entries.len()).unwrap_or(u32::MAX),
        };
        contents.issues.push((first.offset, issue));
        for &index in group {
            if let Some(flag) = dropped.get_mut(index) {
                *flag = true;
            }
        }
    }
    let mut flags = dropped.into_iter();
    contents.entries.retain(|_| !flags.next().unwrap_or(false));
}

/// Warns of problem names that are one text in two Unicode forms. Both are kept: names
/// are taken byte for byte, and a reader should know that two rows look the same.
pub(super) fn warn_of_look_alikes(contents: &mut Contents, document: &Document<'_>) {
    let mut seen: HashMap<(usize, String), &Entry> = HashMap::new();
    for entry in contents
        .entries
        .iter()
        .filter(|entry| !entry.problem.file.is_ascii())
    {
        let normal: String = entry.problem.file.nfc().collect();
        let first = *seen.entry((entry.level, normal)).or_insert(entry);
        if first.problem.file != entry.problem.file {
            let issue = Issue {
                severity: Severity::Warning,
                code: "LOOK_ALIKE".to_owned(),
                place: entry.place.clone(),
                message: format!(
                    "{} looks like {} {}: one text in two Unicode forms; kept as two problems",
                    spelled_out(&entry.problem.file),
                    spelled_out(&first.problem.file),
                    document.spell(first.offset)
                ),
                hint: None,
                rejects: 0,
            };
            contents.issues.push((entry.offset, issue));
        }
    }
}

/// Warns of a file whose records ran on several devices; blanks around a name and upper
/// or lower case make no other device.
pub(super) fn mixed_hardware(observations: &[Observation], top: Place) -> Option<Issue> {
    let mut order: Vec<(&str, u64)> = Vec::new();
    let mut index: HashMap<String, usize> = HashMap::new();
    // Equal texts share one allocation, so most rows need no look at the text.
    let mut last: Option<(&std::sync::Arc<str>, usize)> = None;
    for observation in observations {
        let at = match last {
            Some((text, at)) if std::sync::Arc::ptr_eq(text, &observation.hardware) => at,
            _ => *index
                .entry(observation.hardware.trim().to_lowercase())
                .or_insert(order.len()),
        };
        last = Some((&observation.hardware, at));
        match order.get_mut(at) {
            Some((_, count)) => *count += 1,
            None => order.push((observation.hardware.trim(), 1)),
        }
    }
    if order.len() < 2 {
        return None;
    }
    order.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut devices: Vec<String> = order
        .iter()
        .take(LISTED)
        .map(|(name, count)| format!("{} ({count})", quoted(name)))
        .collect();
    if order.len() > LISTED {
        devices.push(format!("{} more", order.len() - LISTED));
    }
    Some(Issue {
        severity: Severity::Warning,
        code: "MIXED_HARDWARE".to_owned(),
        place: top,
        message: format!(
            "the file mixes {} devices: {}; each record keeps its own",
            order.len(),
            devices.join(", ")
        ),
        hint: None,
        rejects: 0,
    })
}
