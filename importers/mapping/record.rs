//! One figure of one row, taken whole or not at all.

use std::collections::{BTreeMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use crate::metric::Scale;
use crate::names::{hostile, quoted};
use crate::{
    Circumstances, Declared, Figures, Implementation, Issue, Metric, NO_HARDWARE, Observation,
    Place, Protocol, Role, Severity, Status,
};

use super::data::{Content, Row, rejected};
use super::parse::{STATISTICS, role_of, statistic_of};
use super::spec::{Field, From, Mapping, MetricSpec};
use super::words;

/// Longest text kept as evidence, in characters.
const LONGEST_TEXT: usize = 200;

/// A record that could be used, and what was assumed for it.
pub(super) struct Record {
    pub(super) observation: Observation,
    /// The unit as the mapping or the file names it.
    pub(super) unit: String,
    pub(super) provider: Option<String>,
    pub(super) hardware_declared: bool,
    pub(super) zone_assumed: bool,
}

/// What many records of a file share, kept once.
#[derive(Default)]
pub(super) struct Pools {
    implementations: HashSet<Arc<Implementation>>,
    devices: HashSet<Arc<str>>,
    metrics: HashSet<Arc<Metric>>,
}

fn shared<T: Eq + Hash>(pool: &mut HashSet<Arc<T>>, value: T) -> Arc<T> {
    if let Some(known) = pool.get(&value) {
        return Arc::clone(known);
    }
    let value = Arc::new(value);
    pool.insert(Arc::clone(&value));
    value
}

/// Whether a metric's conditions let it read a row.
pub(super) fn wants(metric: &MetricSpec, row: &Row<'_>) -> bool {
    metric.facts.conditions.iter().all(|condition| {
        let found = row.get(&condition.column);
        let text = match found.as_ref().map(|found| &found.content) {
            Some(Content::Text(text)) => text.trim(),
            Some(Content::Nested(_)) | None => "",
        };
        condition.texts.iter().any(|wanted| wanted.trim() == text) == condition.wanted
    })
}

/// Reads records under one mapping.
pub(super) struct Reader<'m> {
    pub(super) mapping: &'m Mapping,
    pub(super) declared: &'m Declared,
    pub(super) declared_unit: Option<Scale>,
}

pub(super) type Fault = Box<Issue>;

pub(super) fn fault(code: &str, place: Place, message: impl Into<String>) -> Fault {
    Box::new(rejected(Severity::Error, code, place, message.into()))
}

pub(super) fn hinted(mut fault: Fault, hint: &str) -> Fault {
    fault.hint = Some(hint.to_owned());
    fault
}

/// A text of a row and where it stands.
pub(super) struct Said {
    pub(super) text: String,
    pub(super) place: Place,
}

impl Reader<'_> {
    /// Reads one metric of one row.
    pub(super) fn record(
        &self,
        metric: &MetricSpec,
        row: &Row<'_>,
        pools: &mut Pools,
    ) -> Result<Record, Fault> {
        let mut texts = Vec::new();
        let status = status(metric, row, &mut texts)?;
        let cell = row.get(&metric.value);
        let place = cell
            .as_ref()
            .map_or_else(|| row.place(), |cell| cell.place.clone());
        let value = match cell.map(|cell| cell.content) {
            None => None,
            Some(Content::Nested(node)) => {
                let message = format!(
                    "{} is {}; a number was expected",
                    quoted(&metric.value),
                    node.value.describe()
                );
                return Err(fault("NOT_A_NUMBER", place, message));
            }
            Some(Content::Text(text)) => self.kept(&text).map(str::to_owned),
        };
        if value.is_none() && status == Status::Passed {
            let message = format!(
                "{} is empty: the file has no figure here",
                quoted(&metric.value)
            );
            return Err(Box::new(rejected(
                Severity::Note,
                "NO_FIGURE",
                place,
                message,
            )));
        }
        let (scale, unit) = self.scale(metric, row, &place)?;
        let statistic = self.said(&metric.statistic, row, "statistic")?;
        let statistic = match statistic {
            None => "unspecified".to_owned(),
            Some(said) => statistic_of(&said.text).ok_or_else(|| {
                let message = format!("statistic {} is none of {STATISTICS}", quoted(&said.text));
                fault("UNKNOWN_STATISTIC", said.place, message)
            })?,
        };
        let figures = match (status, &value) {
            (Status::Passed, Some(text)) => {
                self.figures(metric, row, text, &scale, &unit, &place)?
            }
            (_, text) => {
                // A time of a failed run is no time, but what was written stays visible.
                if let Some(text) = text {
                    texts.push((metric.value.clone(), short(text)));
                }
                Figures::default()
            }
        };
        let implementation = self.implementation(metric, row)?;
        let (hardware, hardware_declared) = self.hardware(metric, row, status)?;
        let subject = self.subject(metric, row)?;
        let (recorded_at, zone_assumed) = self.date(row)?;
        let software = self.software(row)?;
        let provider = self.optional(self.mapping.provider.as_ref(), row, "provider")?;
        for column in &self.mapping.texts {
            if let Some(found) = row.get(column) {
                let text = match &found.content {
                    Content::Text(text) => text.trim(),
                    Content::Nested(node) => row.written(node),
                };
                if self.kept(text).is_some() {
                    texts.push((column.clone(), short(text)));
                }
            }
        }
        let protocol = (Some(&statistic) != self.first_statistic()).then(|| {
            Arc::new(Protocol {
                statistic: statistic.clone(),
                ..self.mapping.protocol.clone()
            })
        });
        let circumstances = Circumstances {
            recorded_at,
            software: (!software.is_empty()).then(|| Arc::new(software)),
            protocol,
            texts,
        };
        let device = match pools.devices.get(&*hardware) {
            Some(known) => Arc::clone(known),
            None => Arc::from(hardware),
        };
        pools.devices.insert(Arc::clone(&device));
        Ok(Record {
            observation: Observation {
                place,
                subject,
                implementation: shared(&mut pools.implementations, implementation),
                hardware: device,
                status,
                metric: shared(&mut pools.metrics, scale.metric(&statistic)),
                figures,
                circumstances: (circumstances != Circumstances::default())
                    .then(|| Box::new(circumstances)),
            },
            unit,
            provider,
            hardware_declared,
            zone_assumed,
        })
    }

    /// The statistic of the first metric, if it is the same for all rows: the reading's own.
    pub(super) fn first_statistic(&self) -> Option<&String> {
        match &self.mapping.metrics.first()?.statistic.from {
            From::Constant(statistic) => Some(statistic),
            From::Column(_) => None,
        }
    }

    /// A text that says something.
    pub(super) fn kept<'t>(&self, text: &'t str) -> Option<&'t str> {
        let text = text.trim();
        let absent = text.is_empty() || self.mapping.absent.iter().any(|word| word.trim() == text);
        (!absent).then_some(text)
    }

    /// What a field says of a row, as a name that can be shown.
    pub(super) fn said(
        &self,
        field: &Field,
        row: &Row<'_>,
        what: &str,
    ) -> Result<Option<Said>, Fault> {
        let (text, place) = match &field.from {
            From::Constant(text) => (text.clone(), row.place()),
            From::Column(column) => match row.get(column) {
                None => return Ok(None),
                Some(found) => match found.content {
                    Content::Text(text) => match self.kept(&text) {
                        None => return Ok(None),
                        Some(text) => (text.to_owned(), found.place),
                    },
                    Content::Nested(node) => {
                        let message = format!(
                            "the {what} is {}; a text was expected",
                            node.value.describe()
                        );
                        return Err(fault("NOT_A_TEXT", found.place, message));
                    }
                },
            },
        };
        let text = field.words.get(&text).cloned().unwrap_or(text);
        match hostile(&text) {
            None => Ok(Some(Said { text, place })),
            Some(why) => Err(fault(
                "HOSTILE_NAME",
                place,
                format!("the {what} {} {why}", quoted(&text)),
            )),
        }
    }

    pub(super) fn optional(
        &self,
        field: Option<&Field>,
        row: &Row<'_>,
        what: &str,
    ) -> Result<Option<String>, Fault> {
        match field {
            None => Ok(None),
            Some(field) => Ok(self.said(field, row, what)?.map(|said| said.text)),
        }
    }

    fn implementation(&self, metric: &MetricSpec, row: &Row<'_>) -> Result<Implementation, Fault> {
        let facts = &metric.facts;
        let own = self.optional(facts.implementation.as_ref(), row, "implementation")?;
        let Some(name) = own.or_else(|| self.declared.implementation.clone()) else {
            let column = facts
                .implementation
                .as_ref()
                .and_then(Field::reads)
                .unwrap_or_default();
            let message = format!("{} is empty: who computed is not said", quoted(column));
            return Err(fault("NO_IMPLEMENTATION", row.place(), message));
        };
        let version = self.optional(facts.version.as_ref(), row, "version")?;
        let stated = self.optional(facts.role.as_ref(), row, "role")?;
        let role = match stated {
            Some(word) => role_of(&word).ok_or_else(|| {
                let message = format!(
                    "role {} is none of baseline, reference, candidate",
                    quoted(&word)
                );
                fault("UNKNOWN_ROLE", row.place(), message)
            })?,
            None if self.mapping.baseline.contains(&name) => Role::Baseline,
            None => Role::Candidate,
        };
        let slug = words::slug(&name);
        let interface = self.optional(facts.interface.as_ref(), row, "interface")?;
        Ok(Implementation {
            interface: interface.unwrap_or_else(|| slug.replace('-', "_")),
            slug: match &version {
                Some(version) => format!("{slug}-{}", words::slug(version)),
                None => slug,
            },
            project: self
                .optional(facts.project.as_ref(), row, "project")?
                .unwrap_or_else(|| name.clone()),
            language: self
                .optional(facts.language.as_ref(), row, "language")?
                .unwrap_or_else(|| "unknown".to_owned()),
            name: match version {
                Some(version) => format!("{name} {version}"),
                None => name,
            },
            role,
            license: self.optional(facts.implementation_license.as_ref(), row, "licence")?,
        })
    }

    fn hardware(
        &self,
        metric: &MetricSpec,
        row: &Row<'_>,
        status: Status,
    ) -> Result<(String, bool), Fault> {
        // Words that say there is no name are no device.
        const NO_NAME: [&str; 6] = ["-", "n/a", "na", "none", "null", "unknown"];
        let named = self
            .optional(metric.facts.hardware.as_ref(), row, "device")?
            .filter(|name| !NO_NAME.contains(&name.to_lowercase().as_str()));
        match (named, &self.declared.hardware) {
            (Some(name), _) => Ok((name, false)),
            (None, Some(declared)) => Ok((declared.clone(), true)),
            (None, None) if status != Status::Passed => Ok((NO_HARDWARE.to_owned(), false)),
            (None, None) => {
                let hint = "`hardware = { value = \"NVIDIA L40S\" }` in the mapping, or `--hardware NAME`, names the device of rows that have none";
                Err(hinted(
                    fault(
                        "NO_HARDWARE",
                        row.place(),
                        "which device ran this is not said",
                    ),
                    hint,
                ))
            }
        }
    }

    fn date(&self, row: &Row<'_>) -> Result<(Option<String>, bool), Fault> {
        let Some(date) = &self.mapping.date else {
            return Ok((None, false));
        };
        let Some(said) = self.said(&date.field, row, "date")? else {
            return Ok((None, false));
        };
        let Some((date, assumed)) = words::date(&said.text, date.format.as_deref()) else {
            let message = format!(
                "{} is no date; `2026-03-05` or `2026-03-05T12:30:00Z` was expected",
                quoted(&said.text)
            );
            let hint = "`date = { column = \"…\", format = \"%Y%m%d_%H%M%S\" }` says how dates are written; `unix` and `unix-ms` count seconds and milliseconds";
            return Err(hinted(fault("BAD_DATE", said.place, message), hint));
        };
        Ok((Some(date), assumed))
    }

    fn software(&self, row: &Row<'_>) -> Result<BTreeMap<String, String>, Fault> {
        let mut software = BTreeMap::new();
        for (name, field) in &self.mapping.software {
            if let Some(said) = self.said(field, row, "software version")? {
                software.insert(name.clone(), said.text);
            }
        }
        Ok(software)
    }
}

/// The first status that isn't `passed` decides.
fn status(
    metric: &MetricSpec,
    row: &Row<'_>,
    texts: &mut Vec<(String, String)>,
) -> Result<Status, Fault> {
    for field in &metric.facts.statuses {
        let (word, place) = match &field.from {
            From::Constant(word) => (word.clone(), row.place()),
            From::Column(column) => match row.get(column) {
                Some(found) => match found.content {
                    Content::Text(text) => (text.trim().to_owned(), found.place),
                    Content::Nested(_) => (String::new(), found.place),
                },
                None => (String::new(), row.place()),
            },
        };
        let meant = field.words.get(&word).map_or(word.as_str(), String::as_str);
        match words::status(meant) {
            Some(Status::Passed) => {}
            Some(status) => {
                if let Some(column) = field.reads() {
                    texts.push((column.to_owned(), short(&word)));
                }
                return Ok(status);
            }
            None => {
                let of = field.reads().unwrap_or("status");
                let message = format!(
                    "{} is {}: what became of the run is not known",
                    quoted(of),
                    quoted(&word)
                );
                let hint = "`status = { column = \"…\", words = { … = \"passed\" } }` says what the file's words stand for";
                return Err(hinted(fault("UNKNOWN_STATUS", place, message), hint));
            }
        }
    }
    Ok(Status::Passed)
}

fn short(text: &str) -> String {
    let text = text.trim();
    let plain: String = text
        .chars()
        .take(LONGEST_TEXT)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(LONGEST_TEXT).is_some() {
        format!("{plain}…")
    } else {
        plain
    }
}
