//! What cohorts and runs refer to: few rows, named by many. Each is read once a question.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rusqlite::{CachedStatement, Connection, named_params};

use crate::cohorts::peaks;
use crate::entities::{
    Environment, Hardware, Implementation, Operation, Peaks, Protocol, Workload,
};
use crate::error::Result;
use crate::hash::Map;
use crate::policy::licence;
use crate::rows::{self, Columns, Fields, Indexed};
use crate::work::Work;

/// Parts by row, read when they are first asked for and shared from then on.
pub(crate) struct Parts<'c> {
    /// Boxed, since there are hundreds and a growing map moves what it holds.
    workloads: Known<'c, Box<AboutWorkload>>,
    environments: Known<'c, AboutEnvironment>,
    protocols: Known<'c, Arc<Protocol>>,
    implementations: Known<'c, Arc<Implementation>>,
    sources: Known<'c, Source>,
    licences: Licences,
}

/// A workload and what it binds.
#[derive(Clone)]
pub(crate) struct AboutWorkload {
    pub(crate) operation_id: i64,
    pub(crate) operation_digest: Arc<str>,
    pub(crate) operation: Arc<Operation>,
    pub(crate) level_key: Arc<str>,
    pub(crate) file: Arc<str>,
    pub(crate) is_current: bool,
    pub(crate) workload: Arc<Workload>,
    pub(crate) input_bytes: Option<i64>,
    pub(crate) work: Option<Arc<Work>>,
}

/// An environment and its product.
#[derive(Clone)]
pub(crate) struct AboutEnvironment {
    pub(crate) hardware: Arc<Hardware>,
    pub(crate) peaks: Arc<Peaks>,
    pub(crate) environment: Arc<Environment>,
}

/// A source as far as it bears on a run; licences as concluded.
pub(crate) struct Source {
    pub(crate) slug: Arc<str>,
    pub(crate) module_license: Option<Arc<str>>,
    pub(crate) data_license: Option<Arc<str>>,
    pub(crate) freshness_days: u32,
}

impl<'c> Parts<'c> {
    pub(crate) fn of(connection: &'c Connection) -> Self {
        Self {
            workloads: Known::by(connection, include_str!("parts/workload.sql")),
            environments: Known::by(connection, include_str!("parts/environment.sql")),
            protocols: Known::by(connection, include_str!("parts/protocol.sql")),
            implementations: Known::by(connection, include_str!("parts/implementation.sql")),
            sources: Known::by(connection, include_str!("parts/source.sql")),
            licences: Licences::default(),
        }
    }

    pub(crate) fn workload(&mut self, id: i64) -> Result<&AboutWorkload> {
        let known = self.workloads.get(id, |row| {
            Ok(Box::new(AboutWorkload {
                operation_id: row.field("operation_id")?,
                operation_digest: row.field("operation_digest")?,
                operation: Arc::new(rows::operation(row)?),
                level_key: row.field("level")?,
                file: row.field("file")?,
                is_current: row.field("is_current")?,
                workload: Arc::new(rows::workload(row)?),
                input_bytes: row.field("input_bytes")?,
                work: row.json::<Option<Work>>("work")?.map(Arc::new),
            }))
        })?;
        Ok(known)
    }

    pub(crate) fn environment(&mut self, id: i64) -> Result<&AboutEnvironment> {
        self.environments.get(id, |row| {
            let hardware = Hardware {
                id: row.field("hardware")?,
                short: row.field("short")?,
                product: row.field("product")?,
                family: row.field("hardware_family")?,
            };
            let provider: Option<String> = row.field("provider")?;
            Ok(AboutEnvironment {
                peaks: Arc::new(peaks(row)?),
                environment: Arc::new(Environment {
                    label: match &provider {
                        Some(provider) => format!("{} · {provider}", hardware.product),
                        None => hardware.product.clone(),
                    },
                    provider,
                    software: row.json("software")?,
                    digest: row.field("environment_digest")?,
                }),
                hardware: Arc::new(hardware),
            })
        })
    }

    pub(crate) fn protocol(&mut self, id: i64) -> Result<&Arc<Protocol>> {
        self.protocols.get(id, |row| {
            Ok(Arc::new(Protocol {
                harness: row.field("harness")?,
                statistic: row.field("statistic")?,
                timer: row.field("timer")?,
                warmups: row.field("warmups")?,
                cache: row.field("cache")?,
                precision: row.field("precision")?,
                autograd: row.field("autograd")?,
                digest: row.field("protocol_digest")?,
            }))
        })
    }

    /// An implementation, its licence concluded.
    pub(crate) fn implementation(&mut self, id: i64) -> Result<&Arc<Implementation>> {
        let licences = &mut self.licences;
        self.implementations.get(id, |row| {
            Ok(Arc::new(Implementation {
                license: licences.concluded(row.field("implementation_license")?),
                ..rows::implementation(row)?
            }))
        })
    }

    pub(crate) fn source(&mut self, id: i64) -> Result<&Source> {
        let licences = &mut self.licences;
        self.sources.get(id, |row| {
            Ok(Source {
                slug: row.field("source")?,
                module_license: licences.concluded(row.field("module_license")?),
                data_license: licences.concluded(row.field("data_license")?),
                freshness_days: row.field("freshness_days")?,
            })
        })
    }

    /// What a licence text comes to.
    pub(crate) fn concluded(&mut self, declared: &str) -> Option<Arc<str>> {
        self.licences.concluded(Some(declared.to_owned()))
    }
}

/// Rows of one statement that were asked for; the statement and where its columns are
/// stay at hand.
struct Known<'c, T> {
    connection: &'c Connection,
    sql: &'static str,
    statement: Option<(CachedStatement<'c>, Columns)>,
    rows: Map<i64, T>,
}

impl<'c, T> Known<'c, T> {
    fn by(connection: &'c Connection, sql: &'static str) -> Self {
        Self {
            connection,
            sql,
            statement: None,
            rows: Map::default(),
        }
    }

    /// What is known of a row, read if it isn't.
    fn get(&mut self, id: i64, read: impl FnOnce(&Indexed<'_, '_>) -> Result<T>) -> Result<&T> {
        let unknown = match self.rows.entry(id) {
            Entry::Occupied(known) => return Ok(known.into_mut()),
            Entry::Vacant(unknown) => unknown,
        };
        let (statement, columns) = match &mut self.statement {
            Some(statement) => statement,
            none => {
                let statement = self.connection.prepare_cached(self.sql)?;
                let columns = Columns::of(&statement);
                none.insert((statement, columns))
            }
        };
        let mut rows = statement.query(named_params! {":id": id})?;
        let row = rows.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        Ok(unknown.insert(read(&columns.row(row))?))
    }
}

/// Conclusions on licence texts, each drawn once a question.
#[derive(Default)]
struct Licences(Map<String, Option<Arc<str>>>);

impl Licences {
    fn concluded(&mut self, declared: Option<String>) -> Option<Arc<str>> {
        let declared = declared?;
        self.0
            .entry(declared)
            .or_insert_with_key(|text| licence::concluded(text).map(Arc::from))
            .clone()
    }
}
