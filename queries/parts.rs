//! What cohorts and runs refer to: few rows, named by many. Each is read once a question.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::{Connection, named_params};

use crate::cohorts::peaks;
use crate::entities::{
    Environment, Hardware, Implementation, Operation, Peaks, Protocol, Workload,
};
use crate::error::Result;
use crate::policy::licence;
use crate::rows::{self, Fields};
use crate::work::Work;

/// Parts by row, read when they are first asked for.
pub(crate) struct Parts<'c> {
    connection: &'c Connection,
    workloads: HashMap<i64, AboutWorkload>,
    environments: HashMap<i64, AboutEnvironment>,
    protocols: HashMap<i64, Protocol>,
    implementations: HashMap<i64, Implementation>,
    sources: HashMap<i64, Source>,
    licences: Licences,
}

/// A workload and what it binds.
#[derive(Clone)]
pub(crate) struct AboutWorkload {
    pub(crate) operation_id: i64,
    pub(crate) operation_digest: String,
    pub(crate) operation: Operation,
    pub(crate) level_key: String,
    pub(crate) file: String,
    pub(crate) facts: Option<Arc<str>>,
    pub(crate) is_current: bool,
    pub(crate) workload: Workload,
    pub(crate) input_bytes: Option<i64>,
    pub(crate) work: Option<Arc<Work>>,
}

/// An environment and its product.
#[derive(Clone)]
pub(crate) struct AboutEnvironment {
    pub(crate) hardware: Hardware,
    pub(crate) peaks: Peaks,
    pub(crate) environment: Environment,
}

/// A source as far as it bears on a run; licences as concluded.
pub(crate) struct Source {
    pub(crate) slug: String,
    pub(crate) module_license: Option<String>,
    pub(crate) data_license: Option<String>,
    pub(crate) freshness_days: u32,
}

impl<'c> Parts<'c> {
    pub(crate) fn of(connection: &'c Connection) -> Self {
        Self {
            connection,
            workloads: HashMap::new(),
            environments: HashMap::new(),
            protocols: HashMap::new(),
            implementations: HashMap::new(),
            sources: HashMap::new(),
            licences: Licences::default(),
        }
    }

    pub(crate) fn workload(&mut self, id: i64) -> Result<AboutWorkload> {
        let sql = include_str!("parts/workload.sql");
        once(self.connection, &mut self.workloads, id, sql, |row| {
            Ok(AboutWorkload {
                operation_id: row.field("operation_id")?,
                operation_digest: row.field("operation_digest")?,
                operation: rows::operation(row)?,
                level_key: row.field("level")?,
                file: row.field("file")?,
                facts: row.field("facts")?,
                is_current: row.field("is_current")?,
                workload: rows::workload(row)?,
                input_bytes: row.field("input_bytes")?,
                work: Work::parse(row.field("work")?)?,
            })
        })
        .cloned()
    }

    pub(crate) fn environment(&mut self, id: i64) -> Result<AboutEnvironment> {
        let sql = include_str!("parts/environment.sql");
        once(self.connection, &mut self.environments, id, sql, |row| {
            let hardware = Hardware {
                id: row.field("hardware")?,
                short: row.field("short")?,
                product: row.field("product")?,
                family: row.field("hardware_family")?,
            };
            let provider: Option<String> = row.field("provider")?;
            Ok(AboutEnvironment {
                peaks: peaks(row)?,
                environment: Environment {
                    label: match &provider {
                        Some(provider) => format!("{} · {provider}", hardware.product),
                        None => hardware.product.clone(),
                    },
                    provider,
                    software: serde_json::from_str(&row.field::<String>("software")?)?,
                    digest: row.field("environment_digest")?,
                },
                hardware,
            })
        })
        .cloned()
    }

    pub(crate) fn protocol(&mut self, id: i64) -> Result<Protocol> {
        let sql = include_str!("parts/protocol.sql");
        once(self.connection, &mut self.protocols, id, sql, |row| {
            Ok(Protocol {
                harness: row.field("harness")?,
                statistic: row.field("statistic")?,
                timer: row.field("timer")?,
                warmups: row.field("warmups")?,
                cache: row.field("cache")?,
                precision: row.field("precision")?,
                autograd: row.field("autograd")?,
                digest: row.field("protocol_digest")?,
            })
        })
        .cloned()
    }

    /// An implementation, its licence concluded.
    pub(crate) fn implementation(&mut self, id: i64) -> Result<Implementation> {
        let sql = include_str!("parts/implementation.sql");
        let licences = &mut self.licences;
        once(self.connection, &mut self.implementations, id, sql, |row| {
            Ok(Implementation {
                license: licences.concluded(row.field("implementation_license")?),
                ..rows::implementation(row)?
            })
        })
        .cloned()
    }

    pub(crate) fn source(&mut self, id: i64) -> Result<&Source> {
        let sql = include_str!("parts/source.sql");
        let licences = &mut self.licences;
        once(self.connection, &mut self.sources, id, sql, |row| {
            Ok(Source {
                slug: row.field("source")?,
                module_license: licences.concluded(row.field("module_license")?),
                data_license: licences.concluded(row.field("data_license")?),
                freshness_days: row.field("freshness_days")?,
            })
        })
    }

    /// What a licence text comes to.
    pub(crate) fn concluded(&mut self, declared: &str) -> Option<String> {
        self.licences.concluded(Some(declared.to_owned()))
    }
}

/// What is known of a row, read if it isn't.
fn once<'k, T>(
    connection: &Connection,
    known: &'k mut HashMap<i64, T>,
    id: i64,
    sql: &str,
    read: impl FnOnce(&rusqlite::Row<'_>) -> Result<T>,
) -> Result<&'k T> {
    use std::collections::hash_map::Entry;
    Ok(match known.entry(id) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(unknown) => {
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query(named_params! {":id": id})?;
            let row = rows.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
            unknown.insert(read(row)?)
        }
    })
}

/// Conclusions on licence texts, each drawn once a question.
#[derive(Default)]
struct Licences(HashMap<String, Option<String>>);

impl Licences {
    fn concluded(&mut self, declared: Option<String>) -> Option<String> {
        let declared = declared?;
        self.0
            .entry(declared)
            .or_insert_with_key(|text| licence::concluded(text))
            .clone()
    }
}
