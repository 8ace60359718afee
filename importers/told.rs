//! What a reading says, as a text for snapshots: nothing of it left out.

use std::collections::HashSet;
use std::fmt::Write;

use crate::{
    AxisValue, Circumstances, Declared, Figure, Importer, Input, Issue, Place, Reading, Refused,
    Status, Subject,
};

/// Reads one input without anything beside it and tells what came of it.
pub fn read(importer: &dyn Importer, file: &str, text: &str, declared: &Declared) -> String {
    let input = Input {
        folder: None,
        file: Some(file),
        bytes: text.as_bytes(),
        committed_at: None,
        beside: &[],
    };
    told(&importer.read(&input, declared))
}

/// Holds a reading to what holds for all of them: every record is used or rejected, each
/// run has a place of its own, and only a run that passed has a figure.
pub fn counts_add_up(reading: &Reading) {
    assert_eq!(
        reading.records,
        reading.observations.len() as u64 + Issue::rejected(&reading.issues)
    );
    let mut places = HashSet::new();
    for run in &reading.observations {
        let place = &run.place.pointer;
        assert!(places.insert(place), "two runs at {place}");
        assert!(
            run.status == Status::Passed || run.figures.value.is_none(),
            "{place} failed with a figure"
        );
    }
}

/// A reading or its refusal as text.
pub fn told(reading: &Result<Reading, Refused>) -> String {
    let mut text = String::new();
    let reading = match reading {
        Ok(reading) => reading,
        Err(refused) => {
            let hint = refused.hint.as_deref().unwrap_or("no hint");
            return format!(
                "REFUSED {} @{}: {} [{hint}]\n",
                refused.code,
                place(&refused.place),
                refused.message
            );
        }
    };
    let _ = writeln!(
        text,
        "{} records; provider {:?} ({:?}); unit stated: {}; {:?}",
        reading.records, reading.provider, reading.basis, reading.unit_declared, reading.protocol
    );
    for assumption in &reading.assumptions {
        let _ = writeln!(text, "assumes: {assumption}");
    }
    for run in &reading.observations {
        let figures = &run.figures;
        let of = |figure: &Option<Figure>| {
            figure
                .as_ref()
                .map_or("-".to_owned(), |f| format!("{} ({})", f.amount, &*f.text))
        };
        let range = figures.range.as_ref().map_or("-".to_owned(), |range| {
            format!("{}..{}", range.0.amount, range.1.amount)
        });
        let samples = figures.samples.map_or("-".to_owned(), |n| n.to_string());
        let who = &run.implementation;
        let _ = writeln!(
            text,
            "run @{} {}\n  by {} ({}, {}, {}, {:?}, {:?}) on {:?}: {} {} {} ±{}, std {}, min {}, max {}, range {range}, n {samples}",
            place(&run.place),
            subject(&run.subject),
            who.name,
            who.project,
            who.language,
            who.interface,
            who.role,
            who.license,
            run.hardware,
            run.status.as_str(),
            run.metric.key(),
            of(&figures.value),
            figures.resolution,
            of(&figures.std),
            of(&figures.min),
            of(&figures.max),
        );
        if let Some(more) = &run.circumstances {
            let Circumstances {
                recorded_at,
                software,
                protocol,
                texts,
            } = &**more;
            let _ = writeln!(
                text,
                "  at {recorded_at:?}, {software:?}, {protocol:?}, {texts:?}"
            );
        }
    }
    for issue in &reading.issues {
        let hint = issue.hint.as_deref().unwrap_or("no hint");
        let _ = writeln!(
            text,
            "{:?} {} -{} @{}: {} [{hint}]",
            issue.severity,
            issue.code,
            issue.rejects,
            place(&issue.place),
            issue.message
        );
    }
    text
}

fn subject(subject: &Subject) -> String {
    match subject {
        Subject::Problem(problem) => {
            format!("{}/{}/{}", problem.suite, problem.level, problem.file)
        }
        Subject::Stated(workload) => {
            let operation = &workload.operation;
            let axes: Vec<String> = workload
                .axes
                .iter()
                .map(|(name, value)| match value {
                    AxisValue::Size(size) => format!("{name}={size}"),
                    AxisValue::Word(word) => format!("{name}={word:?}"),
                })
                .collect();
            format!(
                "{}/{}/{} ({}, {}) {} {:?} in {:?} out {:?} defined by {:?}",
                operation.suite,
                operation.group.as_deref().unwrap_or("-"),
                operation.name,
                operation.title,
                operation.family,
                axes.join(" "),
                workload.dtype,
                workload.inputs,
                workload.outputs,
                operation.definition
            )
        }
    }
}

fn place(place: &Place) -> String {
    let number = |n: Option<u64>| n.map_or("-".to_owned(), |n| n.to_string());
    format!(
        "{}:{}:{}",
        place.pointer,
        number(place.line),
        number(place.column)
    )
}
