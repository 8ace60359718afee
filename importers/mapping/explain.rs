//! What a mapping makes of a file, row by row.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use crate::{Circumstances, Declared, Issue, Place, Refused, Severity, Subject};

use super::record::Record;
use super::{of_file, parse, take};

/// What a mapping makes of a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// Why nothing could be read, if so; there are no entries then.
    pub refused: Option<Issue>,
    /// Each record, or why it is none, in the file's order.
    pub entries: Vec<Entry>,
    /// Issues with the file as a whole.
    pub issues: Vec<Issue>,
    /// Rows of the file.
    pub rows: u64,
    /// Records that can be used.
    pub usable: u64,
    /// Of those, runs that failed or were not run, and have no figure.
    pub without_figure: u64,
    /// Records that can't be used, rows left out included.
    pub rejected: u64,
    /// How often each issue occurs, by code.
    pub codes: BTreeMap<String, u64>,
    /// Columns and paths that the mapping doesn't read.
    pub unused: Vec<String>,
    /// Records with an earlier one of the same operation, axes, implementation, device and
    /// metric. Many of them mean that a column is missing from `axes`.
    pub repeated: u64,
}

/// A record, or what stood in its place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// Where its figure stands.
    pub place: Place,
    /// What was computed: `suite/group/name`.
    pub operation: Option<String>,
    /// The axes of the workload, as texts.
    pub axes: BTreeMap<String, String>,
    /// Element type.
    pub dtype: Option<String>,
    /// Who computed it.
    pub implementation: Option<String>,
    /// Its role: `baseline`, `reference`, `candidate`.
    pub role: Option<String>,
    /// The device.
    pub hardware: Option<String>,
    /// When it was measured.
    pub recorded_at: Option<String>,
    /// What was measured: `latency`, `throughput` …
    pub quantity: Option<String>,
    /// Which statistic of it.
    pub statistic: Option<String>,
    /// The figure as the file writes it.
    pub value: Option<String>,
    /// Its unit as the mapping or the file names it.
    pub unit: Option<String>,
    /// The figure in whole parts of what `kidx` keeps: picoseconds for a latency, bytes.
    pub amount: Option<i64>,
    /// What became of the run.
    pub status: Option<String>,
    /// Why this is no record, if so.
    pub issue: Option<Issue>,
}

/// Explains a file by a mapping; never fails, but says why nothing could be read.
pub fn explain(mapping: &[u8], file_name: &str, bytes: &[u8]) -> Explanation {
    let mut explanation = Explanation {
        refused: None,
        entries: Vec::new(),
        issues: Vec::new(),
        rows: 0,
        usable: 0,
        without_figure: 0,
        rejected: 0,
        codes: BTreeMap::new(),
        unused: Vec::new(),
        repeated: 0,
    };
    if let Err(refused) = fill(&mut explanation, mapping, file_name, bytes) {
        explanation.entries.clear();
        explanation.refused = Some(Issue {
            severity: Severity::Error,
            code: refused.code.to_owned(),
            place: refused.place,
            message: refused.message,
            hint: refused.hint,
            rejects: 0,
        });
    }
    explanation
}

fn fill(
    explanation: &mut Explanation,
    mapping: &[u8],
    file: &str,
    bytes: &[u8],
) -> Result<(), Refused> {
    let declared = Declared::default();
    let mapping = parse::parse(mapping, &declared)?;
    let entries = &mut explanation.entries;
    let mut repeated = 0;
    let mut seen: HashSet<(Subject, String, String, String)> = HashSet::new();
    let taken = take(&mapping, &declared, Some(file), bytes, |taken| {
        if let Ok(Record { observation, .. }) = &taken {
            let key = (
                observation.subject.clone(),
                observation.implementation.slug.clone(),
                observation.hardware.to_string(),
                observation.metric.key(),
            );
            repeated += u64::from(!seen.insert(key));
        }
        entries.push(match taken {
            Ok(record) => of_record(record),
            Err(issue) => of_issue(issue),
        });
    })?;
    explanation.repeated = repeated;
    explanation.rows = taken.rows;
    explanation.issues = of_file(&mapping, &declared, &taken);
    explanation.unused = taken.unused;
    for entry in &explanation.entries {
        match &entry.issue {
            None => {
                explanation.usable += 1;
                explanation.without_figure += u64::from(entry.amount.is_none());
            }
            Some(issue) => explanation.rejected += u64::from(issue.rejects),
        }
    }
    explanation.rejected += Issue::rejected(&explanation.issues);
    let issues = explanation
        .entries
        .iter()
        .filter_map(|entry| entry.issue.as_ref());
    for issue in issues.chain(&explanation.issues) {
        *explanation.codes.entry(issue.code.clone()).or_default() += 1;
    }
    Ok(())
}

fn of_record(record: Record) -> Entry {
    let observation = record.observation;
    let mut entry = of_issue_free(observation.place);
    if let Subject::Stated(workload) = &observation.subject {
        let operation = &workload.operation;
        let parts = [
            Some(&operation.suite),
            operation.group.as_ref(),
            Some(&operation.name),
        ];
        let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        entry.operation = Some(parts.join("/"));
        entry.axes = workload
            .axes
            .iter()
            .map(|(name, value)| (name.clone(), value.to_string()))
            .collect();
        entry.dtype.clone_from(&workload.dtype);
    }
    entry.implementation = Some(observation.implementation.name.clone());
    entry.role = Some(
        match observation.implementation.role {
            crate::Role::Baseline => "baseline",
            crate::Role::Reference => "reference",
            crate::Role::Candidate => "candidate",
        }
        .to_owned(),
    );
    entry.hardware = Some(observation.hardware.to_string());
    entry.recorded_at = observation.circumstances.and_then(|more| {
        let Circumstances { recorded_at, .. } = *more;
        recorded_at
    });
    entry.quantity = Some(observation.metric.quantity.name().to_owned());
    entry.statistic = Some(observation.metric.statistic.clone());
    entry.unit = Some(record.unit);
    entry.status = Some(observation.status.as_str().to_owned());
    if let Some(value) = &observation.figures.value {
        entry.value = Some(value.text.to_string());
        entry.amount = Some(value.amount);
    }
    entry
}

fn of_issue(issue: Issue) -> Entry {
    Entry {
        issue: Some(issue.clone()),
        ..of_issue_free(issue.place)
    }
}

fn of_issue_free(place: Place) -> Entry {
    Entry {
        place,
        operation: None,
        axes: BTreeMap::new(),
        dtype: None,
        implementation: None,
        role: None,
        hardware: None,
        recorded_at: None,
        quantity: None,
        statistic: None,
        value: None,
        unit: None,
        amount: None,
        status: None,
        issue: None,
    }
}
