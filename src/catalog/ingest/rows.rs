//! Entities and runs: found by digest, or made. Rows met before are remembered, so that
//! a run costs one insert.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kidx_importers::{
    Declared, Implementation, Metric, Observation, Protocol, Role, Source, Subject,
};
use kidx_queries::policy::observation::Basis;
use rusqlite::{CachedStatement, Connection, OptionalExtension, named_params, params};

use super::reading::json_text;
use crate::catalog::derive::{self, Observed};
use crate::catalog::hardware::Products;
use crate::catalog::identity::{self, MeasurementKey};
use crate::catalog::suite::{self, Belonging, Suite, Workloads};
use crate::error::Result;
use kidx_queries::hash::{Map, Set};

/// Cohorts remembered at once.
const REMEMBERED: usize = 20_000;

/// Device string, provider and software: what an environment is made of.
type Place = (String, Option<String>, BTreeMap<String, String>);

/// A row and the digest it stands for.
type Row = (i64, Arc<str>);

/// Makes and finds rows of one source under one set of declared facts.
pub(super) struct Rows {
    /// Whose runs they are.
    pub(super) source: &'static Source,
    software: BTreeMap<String, String>,
    /// What is known of the suite's versions.
    pub(super) suite: Suite,
    /// Products by device string.
    pub(super) products: Products,
    /// By what problems are named.
    pub(super) workloads: Workloads,
    implementations: Map<Arc<Implementation>, Row>,
    /// The one asked for last.
    last_implementation: Option<(Arc<Implementation>, Row)>,
    /// Those of them that are baselines, whatever each record called them.
    baselines: Set<i64>,
    /// Known ones that took another role: records of their cohorts may name another baseline.
    pub(super) redesignated: BTreeSet<i64>,
    environments: Map<Place, Row>,
    /// The one asked for last: a file has few, and its records come one after the other.
    last_environment: Option<(Arc<str>, Option<String>, Row)>,
    /// The protocol of the reading before: the files of an import are mostly timed alike.
    last_protocol: Option<(Protocol, Row)>,
    /// Protocols of single records.
    protocols: Map<Arc<Protocol>, Row>,
    /// Metrics by number, with their keys.
    metrics: Vec<(Arc<Metric>, Arc<str>)>,
    cohorts: Map<(i64, i64, i64, usize), Row>,
}

/// What all runs of one reading share.
pub(super) struct Shared<'a> {
    /// Row of the source.
    pub(super) source: i64,
    /// How they were timed.
    pub(super) protocol: Row,
    /// Which definitions their problems have.
    pub(super) belonging: &'a Belonging,
    /// Who ran them.
    pub(super) provider: Option<&'a str>,
    /// When they were observed.
    pub(super) observed: &'a Observed,
}

/// A run's row, its cohort's and its implementation's, its digest, and what was known of it.
pub(super) struct Put {
    pub(super) run: i64,
    pub(super) cohort: i64,
    pub(super) implementation: i64,
    pub(super) is_baseline: bool,
    pub(super) digest: [u8; 32],
    /// `None`: it is new.
    pub(super) known: Option<Known>,
}

/// A run that was known before this reading.
pub(super) struct Known {
    pub(super) observed: Observed,
    pub(super) copy_of: Option<i64>,
    /// It was more finely stated than here.
    pub(super) is_coarser: bool,
}

/// The statements that each run takes, prepared once a reading.
pub(super) struct Statements<'c> {
    put_run: CachedStatement<'c>,
    known_run: CachedStatement<'c>,
}

impl<'c> Statements<'c> {
    pub(super) fn prepare(connection: &'c Connection) -> Result<Self> {
        Ok(Self {
            put_run: connection.prepare_cached(include_str!("../sql/put_measurement.sql"))?,
            known_run: connection.prepare_cached(
                "SELECT id, observed_at, observed_basis, copy_of, resolution
                 FROM measurement
                 WHERE cohort_id = ?1 AND implementation_id = ?2 AND value IS ?3 AND digest = ?4",
            )?,
        })
    }
}

impl Rows {
    pub(super) fn new(
        connection: &Connection,
        source: &'static Source,
        declared: &Declared,
    ) -> Result<Self> {
        Ok(Self {
            source,
            software: declared.software.clone(),
            suite: match source.suite {
                Some(suite) => Suite::known(connection, suite)?,
                None => Suite::default(),
            },
            products: Products::default(),
            workloads: Workloads::default(),
            implementations: Map::default(),
            last_implementation: None,
            baselines: Set::default(),
            redesignated: BTreeSet::new(),
            environments: Map::default(),
            last_environment: None,
            last_protocol: None,
            protocols: Map::default(),
            metrics: Vec::new(),
            cohorts: Map::default(),
        })
    }

    /// How many names of problems were looked up so far.
    pub(super) fn names(&self) -> usize {
        self.workloads.looked_up()
    }

    pub(super) fn source(&self, connection: &Connection) -> Result<i64> {
        let source = self.source;
        connection
            .prepare_cached(include_str!("../sql/put_source.sql"))?
            .execute(named_params! {
                ":slug": source.slug,
                ":name": source.name,
                ":home": source.home,
                ":data_license": source.data_license,
                ":module_license": source.module_license,
                ":attribution": source.attribution,
                ":terms": source.terms,
                ":redistribution": source.redistribution,
                ":freshness_days": source.freshness_days,
            })?;
        Ok(connection
            .prepare_cached("SELECT id FROM source WHERE slug = ?1")?
            .query_row([source.slug], |row| row.get(0))?)
    }

    /// How a reading was timed.
    pub(super) fn protocol(&mut self, connection: &Connection, protocol: &Protocol) -> Result<Row> {
        if let Some((last, row)) = &self.last_protocol
            && last == protocol
        {
            return Ok(row.clone());
        }
        let row = Self::put_protocol(connection, protocol)?;
        self.last_protocol = Some((protocol.clone(), row.clone()));
        Ok(row)
    }

    fn put_protocol(connection: &Connection, protocol: &Protocol) -> Result<Row> {
        let identity = identity::protocol(protocol)?;
        connection
            .prepare_cached(
                "INSERT INTO protocol (digest, spec, harness, statistic, timer, warmups, cache, precision, autograd)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (digest) DO NOTHING",
            )?
            .execute(params![
                identity.digest,
                identity.spec,
                protocol.harness,
                protocol.statistic,
                protocol.timer,
                protocol.warmups,
                protocol.cache,
                protocol.precision,
                protocol.autograd
            ])?;
        Ok((
            suite::row_of(connection, "protocol", &identity.digest)?,
            Arc::from(identity.digest),
        ))
    }

    pub(super) fn run(
        &mut self,
        connection: &Connection,
        statements: &mut Statements<'_>,
        shared: &Shared<'_>,
        (ordinal, observation): (usize, &Observation),
    ) -> Result<Put> {
        let workload = match &observation.subject {
            Subject::Problem(problem) => self.workloads.resolve(
                connection,
                &self.suite,
                shared.belonging,
                (ordinal, problem),
            )?,
            Subject::Stated(stated) => self.workloads.stated(connection, stated)?,
        };
        let implementation = self.implementation(connection, &observation.implementation)?;
        let circumstances = observation.circumstances.as_deref();
        let environment = match circumstances.and_then(|more| more.software.as_ref()) {
            None => self.environment(connection, &observation.hardware, shared.provider)?,
            Some(stated) => {
                // What the user declares counts before what the record states.
                let mut software = (**stated).clone();
                software.extend(self.software.clone());
                self.find_environment(connection, &observation.hardware, shared.provider, software)?
            }
        };
        let protocol = match circumstances.and_then(|more| more.protocol.as_ref()) {
            None => shared.protocol.clone(),
            Some(own) => self.own_protocol(connection, own)?,
        };
        let metric = self.metric(&observation.metric);
        let cohort = self.cohort(
            connection,
            (workload.id, &workload.digest),
            (environment.0, &environment.1),
            (protocol.0, &protocol.1),
            metric,
        )?;
        let figures = &observation.figures;
        let key = MeasurementKey::of(
            self.source.slug,
            &implementation.1,
            &cohort.1,
            (observation.status.as_str(), observation.metric.quantity),
            figures,
        );
        let digest = key.digest();
        let [value, std, min, max] = key.figures;
        let own = observed(observation, shared.observed);
        let observed = Option::as_ref(&own);
        // By position: looking names up costs as much as the insert.
        let inserted = statements.put_run.execute(params![
            digest,
            shared.source,
            cohort.0,
            implementation.0,
            key.status,
            value,
            std,
            min,
            max,
            key.range.map(|range| range.0),
            key.range.map(|range| range.1),
            key.samples,
            figures.resolution,
            observed.map(|o| o.0.as_str()),
            observed.map(|o| o.1.as_str()),
        ])?;
        let (run, known) = if inserted > 0 {
            (connection.last_insert_rowid(), None)
        } else {
            let mut rows =
                statements
                    .known_run
                    .query(params![cohort.0, implementation.0, value, digest])?;
            let row = rows.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
            let known = Known {
                observed: derive::observed(row.get(1)?, row.get(2)?)?,
                copy_of: row.get(3)?,
                is_coarser: row.get::<_, i64>(4)? < figures.resolution,
            };
            let run: i64 = row.get(0)?;
            if known.is_coarser {
                // The coarsest text counts, whatever came first: `2.790` adds nothing to
                // `2.79`.
                connection
                    .prepare_cached("UPDATE measurement SET resolution = ?2 WHERE id = ?1")?
                    .execute([run, figures.resolution])?;
            }
            (run, Some(known))
        };
        Ok(Put {
            run,
            cohort: cohort.0,
            implementation: implementation.0,
            is_baseline: self.baselines.contains(&implementation.0),
            digest,
            known,
        })
    }

    fn own_protocol(&mut self, connection: &Connection, own: &Arc<Protocol>) -> Result<Row> {
        if let Some(known) = self.protocols.get(own) {
            return Ok(known.clone());
        }
        let row = Self::put_protocol(connection, own)?;
        self.protocols.insert(Arc::clone(own), row.clone());
        Ok(row)
    }

    /// Forgets who is whose baseline: another process may have made one of them a baseline.
    pub(super) fn forget_roles(&mut self) {
        self.implementations.clear();
        self.last_implementation = None;
        self.baselines.clear();
    }

    /// The number of a metric.
    fn metric(&mut self, of: &Arc<Metric>) -> usize {
        let known = self
            .metrics
            .iter()
            .position(|(known, _)| Arc::ptr_eq(known, of) || known == of);
        known.unwrap_or_else(|| {
            self.metrics.push((Arc::clone(of), Arc::from(of.key())));
            self.metrics.len() - 1
        })
    }

    fn cohort(
        &mut self,
        connection: &Connection,
        workload: (i64, &str),
        environment: (i64, &str),
        protocol: (i64, &str),
        metric: usize,
    ) -> Result<Row> {
        let key = (workload.0, environment.0, protocol.0, metric);
        if let Some(known) = self.cohorts.get(&key) {
            return Ok(known.clone());
        }
        let (metric, name) = &self.metrics[metric];
        let digest = identity::cohort(workload.1, environment.1, protocol.1, name)?;
        connection
            .prepare_cached(
                "INSERT INTO cohort
                     (digest, workload_id, environment_id, protocol_id, metric, quantity)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (digest) DO NOTHING",
            )?
            .execute(params![
                digest,
                key.0,
                key.1,
                key.2,
                &**name,
                metric.quantity.name()
            ])?;
        let row = (
            suite::row_of(connection, "cohort", &digest)?,
            Arc::from(digest),
        );
        if self.cohorts.len() >= REMEMBERED {
            self.cohorts.clear();
        }
        self.cohorts.insert(key, row.clone());
        Ok(row)
    }

    fn implementation(&mut self, connection: &Connection, of: &Arc<Implementation>) -> Result<Row> {
        if let Some((last, row)) = &self.last_implementation
            && Arc::ptr_eq(last, of)
        {
            return Ok(row.clone());
        }
        let row = self.find_implementation(connection, of)?;
        self.last_implementation = Some((Arc::clone(of), row.clone()));
        Ok(row)
    }

    fn find_implementation(
        &mut self,
        connection: &Connection,
        of: &Arc<Implementation>,
    ) -> Result<Row> {
        if let Some(known) = self.implementations.get(of) {
            return Ok(known.clone());
        }
        let identity = identity::implementation(of)?;
        let role = match of.role {
            Role::Baseline => "baseline",
            Role::Reference => "reference",
            Role::Candidate => "candidate",
        };
        let mut role_of =
            connection.prepare_cached("SELECT id, role FROM implementation WHERE digest = ?1")?;
        let mut known = || {
            role_of
                .query_row([&identity.digest], |row| {
                    Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
                })
                .optional()
        };
        let before = known()?;
        // One implementation under several names: the smallest shows, whichever came first.
        connection.execute(
            include_str!("../sql/put_implementation.sql"),
            params![
                identity.digest,
                identity.spec,
                of.slug,
                of.name,
                of.project,
                of.language,
                of.interface,
                role,
                of.license
            ],
        )?;
        let (id, role) = known()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        if role == "baseline" {
            self.baselines.insert(id);
        }
        if before.is_some_and(|(_, before)| before != role) {
            self.redesignated.insert(id);
        }
        let row = (id, Arc::from(identity.digest));
        self.implementations.insert(Arc::clone(of), row.clone());
        Ok(row)
    }

    fn environment(
        &mut self,
        connection: &Connection,
        hardware: &Arc<str>,
        provider: Option<&str>,
    ) -> Result<Row> {
        if let Some((device, by, row)) = &self.last_environment
            && device == hardware
            && by.as_deref() == provider
        {
            return Ok(row.clone());
        }
        let software = self.software.clone();
        let row = self.find_environment(connection, hardware, provider, software)?;
        let by = provider.map(str::to_owned);
        self.last_environment = Some((Arc::clone(hardware), by, row.clone()));
        Ok(row)
    }

    fn find_environment(
        &mut self,
        connection: &Connection,
        hardware: &str,
        provider: Option<&str>,
        software: BTreeMap<String, String>,
    ) -> Result<Row> {
        let key = (hardware.to_string(), provider.map(str::to_owned), software);
        if let Some(known) = self.environments.get(&key) {
            return Ok(known.clone());
        }
        let product = self.products.resolve(connection, hardware)?;
        let software = &key.2;
        let identity = identity::environment(&product.slug, provider, software)?;
        // One environment, several spellings of its provider: the smaller text shows,
        // whichever came first.
        connection.execute(
            "INSERT INTO environment (digest, spec, hardware_id, provider, software)
             VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (digest) DO UPDATE SET provider = min(provider, excluded.provider)",
            params![
                identity.digest,
                identity.spec,
                product.id,
                provider,
                json_text(software)?
            ],
        )?;
        let row = (
            suite::row_of(connection, "environment", &identity.digest)?,
            Arc::from(identity.digest),
        );
        self.environments.insert(key, row.clone());
        Ok(row)
    }
}

/// When a record was observed: by what it says itself and by what is known of its reading.
pub(super) fn observed<'a>(observation: &Observation, reading: &'a Observed) -> Cow<'a, Observed> {
    let recorded = observation
        .circumstances
        .as_deref()
        .and_then(|more| more.recorded_at.clone());
    match recorded {
        None => Cow::Borrowed(reading),
        Some(at) => Cow::Owned(derive::better(Some((at, Basis::Record)), reading.clone())),
    }
}
