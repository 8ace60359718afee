//! What is said of an input as a whole.

use std::collections::BTreeSet;

use crate::names::quoted;
use crate::{Declared, Issue, Place, Refused, Severity};

use super::Flavour;

/// What was met on the way, for what is said of the whole.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) traces: usize,
    /// Why the first value that is no trace is none.
    pub(super) other: Option<Refused>,
    /// Why the first line is no JSON.
    pub(super) broken: Option<Refused>,
    pub(super) without_zone: usize,
    pub(super) without_device: usize,
    pub(super) cuda_by_driver: bool,
    /// The protocol of some record follows from its date.
    pub(super) dated: bool,
    /// Definitions whose shapes couldn't be bound, said once each.
    pub(super) unbound: BTreeSet<String>,
}

impl Seen {
    /// What was relied on and isn't stated.
    pub(super) fn assumptions(&self, flavour: Flavour, declared: &Declared) -> Vec<String> {
        let mut assumptions = Vec::new();
        if self.dated {
            assumptions.push(format!(
                "timed as {} did by default on the day of each record",
                flavour.harness()
            ));
        }
        if self.without_zone > 0 {
            assumptions.push(format!(
                "{} of {} timestamps have no zone: taken as UTC",
                self.without_zone, self.traces
            ));
        }
        if self.cuda_by_driver {
            assumptions.push(
                "`driver_version` is the version of CUDA, as the harness of that time wrote it"
                    .to_owned(),
            );
        }
        if let (Some(device), 1..) = (&declared.hardware, self.without_device) {
            assumptions.push(format!(
                "{} of {} traces name no device: {} as declared",
                self.without_device,
                self.traces,
                quoted(device)
            ));
        }
        assumptions
    }
}

/// Issues with the input as a whole: facts that were declared in vain, and fields that
/// nobody reads.
pub(super) fn issues(declared: &Declared, unread: &BTreeSet<String>) -> Vec<Issue> {
    const LISTED: usize = 10;
    let issue = |severity, code: &str, message| Issue {
        severity,
        code: code.to_owned(),
        place: Place {
            line: Some(1),
            column: Some(1),
            ..Place::default()
        },
        message,
        hint: None,
        rejects: 0,
    };
    let declared = [
        ("--implementation", declared.implementation.is_some()),
        ("--level", declared.level.is_some()),
        ("--suite-version", declared.suite_version.is_some()),
    ];
    let in_vain = declared.iter().filter(|(_, given)| *given);
    let mut issues: Vec<Issue> = in_vain
        .map(|(option, _)| {
            let message = format!("`{option}` was not used: each trace states what it is of");
            issue(Severity::Warning, "DECLARED_IGNORED", message)
        })
        .collect();
    if !unread.is_empty() {
        let mut names: Vec<String> = unread
            .iter()
            .take(LISTED)
            .map(|name| quoted(name))
            .collect();
        if unread.len() > LISTED {
            names.push("more".to_owned());
        }
        let message = format!("traces have fields that are not read: {}", names.join(", "));
        issues.push(issue(Severity::Note, "FIELDS_IGNORED", message));
    }
    issues
}
