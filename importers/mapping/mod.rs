//! Results of any harness, by a mapping: a small TOML file that says which column or path
//! of a file is what. `docs/mapping.md` describes every key.
//!
//! - Upstream: none; the file is the user's own, or of a project that has no importer.
//! - Format: CSV (any delimiter), JSON, JSON Lines; see `data.rs`.
//! - Licence: unknown unless the mapping says it.
//! - Unit: as the mapping or a column says; never assumed.
//! - Statistic: as the mapping says, else `unspecified`.
//! - Date seen: 2026-11-30, with files of eight projects.

mod columns;
mod data;
mod entries;
mod explain;
mod figures;
mod guess;
mod layout;
mod measure;
mod near;
mod parse;
mod propose;
mod record;
mod rows;
mod spec;
mod subject;
mod there;
mod vocabulary;
mod words;

use std::collections::HashSet;

use crate::metric::Scale;
use crate::names::{hostile, quoted};
use crate::{
    Basis, Declared, Importer, Input, Issue, Place, Protocol, Reading, Refused, Severity, Source,
};

pub use explain::{Entry, Explanation, explain};
pub use propose::propose;

use data::Data;
use record::{Pools, Reader, Record};
use spec::{Mapping, UnitSpec};

/// Name under which an input's mapping is handed in beside it.
pub const BESIDE: &str = "mapping.toml";

/// The importer of any file by a mapping.
#[derive(Debug, Clone, Copy)]
pub struct ByMapping;

static SOURCE: Source = Source {
    slug: "mapping",
    name: "Your own results, by mapping",
    home: "",
    data_license: None,
    module_license: None,
    attribution: "as the mapping says",
    terms: "Unknown unless the mapping says it.",
    redistribution: None,
    freshness_days: 180,
    suite: None,
    repository: None,
};

impl Importer for ByMapping {
    fn source(&self) -> &'static Source {
        &SOURCE
    }

    /// Never: what a file's columns mean is the user's to say.
    fn recognises(&self, _: &Input<'_>) -> Option<String> {
        None
    }

    fn beside(&self, _: &Input<'_>) -> Vec<String> {
        vec![BESIDE.to_owned()]
    }

    fn read(&self, input: &Input<'_>, declared: &Declared) -> Result<Reading, Refused> {
        let Some(mapping) = input.beside(BESIDE) else {
            return Err(entries::refused(
                "MAPPING_MISSING",
                "no mapping was given: which column is what is not known",
                Some(
                    "`kidx import mapping MAPPING.toml FILE`; `kidx mapping new FILE` proposes one"
                        .to_owned(),
                ),
            ));
        };
        let mapping = parse::parse(mapping, declared)?;
        let mut reading = Reading::default();
        let mut providers = HashSet::new();
        let (mut filled, mut zones) = (0_usize, 0_usize);
        let taken = take(
            &mapping,
            declared,
            input.file,
            input.bytes,
            |taken| match taken {
                Ok(record) => {
                    filled += usize::from(record.hardware_declared);
                    zones += usize::from(record.zone_assumed);
                    providers.insert(record.provider);
                    reading.observations.push(record.observation);
                }
                Err(issue) => reading.issues.push(issue),
            },
        )?;
        reading.issues.extend(of_file(&mapping, declared, &taken));
        reading.issues.extend(absent_baselines(&mapping, &reading));
        let provider = declared.provider.clone();
        reading.provider = match (provider, providers.len()) {
            (None, 1) => providers.into_iter().next().flatten(),
            (None, 2..) => {
                let message =
                    "rows were run by different providers: an input has one, so none is kept";
                let hint = "import the file once for each, with a `where`";
                reading.issues.push(Issue {
                    hint: Some(hint.to_owned()),
                    ..noted(Severity::Warning, "PROVIDERS_DIFFER", message.to_owned(), 0)
                });
                None
            }
            (declared, _) => declared,
        };
        let rejected = Issue::rejected(&reading.issues);
        reading.records = reading.observations.len() as u64 + rejected;
        if mapping
            .metrics
            .iter()
            .any(|metric| metric.facts.statuses.is_empty())
        {
            let said =
                "the mapping names no `status`: a row with a figure is taken for a run that passed";
            reading.assumptions.push(said.to_owned());
        }
        if let (Some(device), 1..) = (&declared.hardware, filled) {
            reading.assumptions.push(format!(
                "{filled} of {} records name no device: {} as declared",
                reading.observations.len(),
                quoted(device)
            ));
        }
        if zones > 0 {
            reading
                .assumptions
                .push("dates without a zone are taken as UTC".to_owned());
        }
        let statistic = mapping
            .metrics
            .first()
            .and_then(|metric| match &metric.statistic.from {
                spec::From::Constant(statistic) => Some(statistic.clone()),
                spec::From::Column(_) => None,
            });
        reading.basis = Basis::Declared;
        reading.unit_declared = true;
        reading.protocol = Protocol {
            statistic: statistic.unwrap_or_else(|| "unspecified".to_owned()),
            ..mapping.protocol.clone()
        };
        reading.terms = mapping.terms;
        Ok(reading)
    }
}

/// Names of baselines that no row has: nothing is held against them then.
fn absent_baselines(mapping: &Mapping, reading: &Reading) -> Vec<Issue> {
    let met: HashSet<&str> = reading
        .observations
        .iter()
        .map(|run| run.implementation.name.as_str())
        .collect();
    // A version stands behind the name.
    let is = |met: &str, name: &str| {
        met.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let absent = mapping
        .baseline
        .iter()
        .filter(|name| !met.iter().any(|met| is(met, name)));
    absent
        .map(|name| {
            let message = format!(
                "the baseline {} is the implementation of no record",
                quoted(name)
            );
            noted(Severity::Warning, "BASELINE_ABSENT", message, 0)
        })
        .collect()
}

/// What was found beside the records.
struct Taken {
    rows: u64,
    /// Rows that no metric's `where` lets in.
    left_out: u32,
    /// Columns and paths that the mapping doesn't read.
    unused: Vec<String>,
}

/// Reads a file by a mapping, handing each record or the reason why not to `each`, in order.
fn take(
    mapping: &Mapping,
    declared: &Declared,
    file: Option<&str>,
    bytes: &[u8],
    mut each: impl FnMut(Result<Record, Issue>),
) -> Result<Taken, Refused> {
    let names = [
        ("device", &declared.hardware),
        ("implementation", &declared.implementation),
    ];
    for (what, name) in names {
        if let Some((name, why)) = name
            .as_deref()
            .and_then(|name| Some((name, hostile(name)?)))
        {
            let message = format!("the declared {what} name {} {why}", quoted(name));
            return Err(entries::refused("HOSTILE_NAME", message, None));
        }
    }
    let declared_unit = match declared.unit.as_deref() {
        None => None,
        Some(word) => Some(Scale::parse(word).ok_or_else(|| {
            let message = format!("unit {} was declared and is not known", quoted(word));
            entries::refused(
                "UNKNOWN_UNIT",
                message,
                Some(format!("it may be {}", Scale::SPELLINGS)),
            )
        })?),
    };
    let mut issues = Vec::new();
    let data = Data::read(mapping.format, mapping.delimiter, file, bytes, &mut issues)?;
    let rows = data.rows(mapping.rows.as_deref(), &mut issues)?;
    there::check_names(mapping, &data, &rows)?;
    for issue in issues.drain(..) {
        each(Err(issue));
    }
    let reader = Reader {
        mapping,
        declared,
        declared_unit,
    };
    let mut pools = Pools::default();
    let mut seen = HashSet::new();
    let mut left_out = 0;
    for row in &rows {
        let mut wanted = false;
        for metric in &mapping.metrics {
            if !record::wants(metric, row) {
                continue;
            }
            wanted = true;
            let mut taken = reader.record(metric, row, &mut pools);
            if let Ok(record) = &taken {
                let place = &record.observation.place;
                if !seen.insert(place.pointer.clone()) {
                    let message = format!(
                        "{} was read already, and a figure is one record",
                        quoted(&metric.value)
                    );
                    taken = Err(Box::new(data::rejected(
                        Severity::Error,
                        "DUPLICATE_KEY",
                        place.clone(),
                        message,
                    )));
                }
            }
            each(taken.map_err(|issue| *issue));
        }
        left_out += u32::from(!wanted);
    }
    let reads = mapping.reads();
    let mut unused = data.names(&rows);
    unused.retain(|name| {
        !name.is_empty()
            && !name.starts_with(['@', '^'])
            && !reads.iter().any(|read| {
                name == read.trim()
                    || name
                        .strip_prefix(*read)
                        .is_some_and(|rest| rest.starts_with('.'))
            })
    });
    Ok(Taken {
        rows: rows.len() as u64,
        left_out,
        unused,
    })
}

/// Issues with the file as a whole, or with what was said of it.
fn of_file(mapping: &Mapping, declared: &Declared, taken: &Taken) -> Vec<Issue> {
    let mut issues = Vec::new();
    if taken.left_out > 0 {
        let message = format!(
            "{} of {} rows don't meet the mapping's `where`",
            taken.left_out, taken.rows
        );
        issues.push(noted(Severity::Note, "LEFT_OUT", message, taken.left_out));
    }
    for metric in &mapping.metrics {
        if let (UnitSpec::Stated(scale, word), Some((own, said))) =
            (&metric.unit, guess::unit_of(&metric.value))
            && own.clone().as_quantity(scale.quantity) != *scale
        {
            let message = format!(
                "{} is read in {}, but its name says {}",
                quoted(&metric.value),
                quoted(word),
                quoted(&said)
            );
            issues.push(noted(Severity::Warning, "UNIT_CONFLICT", message, 0));
        }
    }
    // A file has rows of several implementations: a name for all would make them one.
    let named = mapping
        .metrics
        .iter()
        .all(|metric| metric.facts.implementation.is_some());
    let in_vain = [
        ("--level", declared.level.is_some()),
        ("--suite-version", declared.suite_version.is_some()),
        (
            "--implementation",
            declared.implementation.is_some() && named,
        ),
    ];
    for (option, _) in in_vain.iter().filter(|(_, given)| *given) {
        let message = format!("`{option}` changed nothing that the mapping says itself");
        issues.push(noted(Severity::Warning, "DECLARED_IGNORED", message, 0));
    }
    if !taken.unused.is_empty() {
        const LISTED: usize = 10;
        let mut unread: Vec<String> = taken
            .unused
            .iter()
            .take(LISTED)
            .map(|name| quoted(name))
            .collect();
        if taken.unused.len() > LISTED {
            unread.push("more".to_owned());
        }
        let message = format!("rows have fields that are not read: {}", unread.join(", "));
        issues.push(noted(Severity::Note, "FIELDS_IGNORED", message, 0));
    }
    issues
}

fn noted(severity: Severity, code: &str, message: String, rejects: u32) -> Issue {
    Issue {
        severity,
        code: code.to_owned(),
        place: Place::default(),
        message,
        hint: None,
        rejects,
    }
}

#[cfg(test)]
mod tests;
