//! One input, one transaction: the bytes, how they were read, and every run they state.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use kidx_importers::{
    Basis as NameBasis, Declared, Implementation, Issue, Observation, Place, Reading, Role,
    Severity, Source,
};
use kidx_queries::policy::observation::Basis;
use rusqlite::{Connection, OptionalExtension, params};

use super::derive::{self, Changes};
use super::hardware::Products;
use super::identity::{self, MeasurementKey};
use super::suite::{self, Belonging, Version, Workloads};
use super::{doubts, snapshot};
use crate::error::{Error, Result};

/// The one metric so far, as cohorts name it.
const METRIC: &str = "latency:mean:ns";

/// An input as it was fetched.
#[derive(Debug, Clone)]
pub struct Incoming<'a> {
    /// Path, URL or `-`.
    pub location: &'a str,
    /// Name of the folder that holds it.
    pub folder: Option<&'a str>,
    /// File name without compression suffix.
    pub file: Option<&'a str>,
    /// The decompressed content.
    pub content: &'a [u8],
    /// Compression around it (`gzip`, `zstd`) and the digest of the compressed bytes.
    pub container: Option<(&'static str, String)>,
    /// When the figures were observed, and how that is known.
    pub observed: Option<(String, Basis)>,
}

/// What became of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Read and kept.
    Imported,
    /// The same bytes were known under another name.
    Copy,
    /// Could not be read; nothing of it was kept.
    Refused,
    /// Found in a folder, and not this source's.
    Ignored,
}

/// What one input brought.
#[derive(Debug, Clone)]
pub struct Ingested {
    /// Digest of the content.
    pub sha256: String,
    /// Imported or copy.
    pub outcome: Outcome,
    /// Where the same bytes were met first.
    pub copy_of: Option<String>,
    /// Runs that were new.
    pub inserted: u64,
    /// Runs that were known already.
    pub unchanged: u64,
    /// Records not used.
    pub rejected: u64,
    /// Runs that stood before and don't any more, or never did.
    pub superseded: u64,
    /// Problems of the file's previous content that this one doesn't state.
    pub gone: u64,
    /// The reading's observation date.
    pub observed: derive::Observed,
    /// Suite version whose definitions apply.
    pub suite_version: Option<String>,
    /// What was relied on unsaid.
    pub assumptions: Vec<String>,
    /// Issues of the importer and of the catalogue.
    pub issues: Vec<Issue>,
}

/// Takes inputs of one source, one after the other.
pub struct Ingest<'a> {
    source: &'static Source,
    importer: String,
    declared: &'a Declared,
    learned_at: &'a str,
    current: Option<Version>,
    products: Products,
    workloads: Workloads,
    cache: Cache,
    /// Changes of records over all inputs taken so far.
    pub changes: Changes,
}

/// Rows found or made during this run of the program, by what identifies them.
#[derive(Default)]
struct Cache {
    implementations: HashMap<Arc<Implementation>, (i64, String)>,
    environments: HashMap<(String, Option<String>), (i64, String)>,
    cohorts: HashMap<(i64, i64, i64), (i64, String)>,
}

impl<'a> Ingest<'a> {
    /// Prepares taking inputs of `source` under the declared facts.
    pub fn new(
        connection: &Connection,
        source: &'static Source,
        declared: &'a Declared,
        learned_at: &'a str,
    ) -> Result<Self> {
        Ok(Self {
            source,
            importer: format!("{}/1", source.slug),
            declared,
            learned_at,
            current: Version::current(connection, source.slug)?,
            products: Products::default(),
            workloads: Workloads::default(),
            cache: Cache::default(),
            changes: Changes::default(),
        })
    }

    /// Writes one input inside the caller's transaction. After an error the transaction
    /// must be rolled back and this value dropped: it remembers rows that are gone then.
    pub fn take(
        &mut self,
        connection: &Connection,
        incoming: &Incoming<'_>,
        reading: &Reading,
    ) -> Result<Ingested> {
        let source_id = self.put_source(connection)?;
        let sha256 = identity::sha256(incoming.content);
        let known = snapshot::find(connection, &sha256)?;
        let first_met = known
            .map(|id| first_location(connection, id))
            .transpose()?
            .flatten();
        let snapshot_id = match known {
            Some(id) => id,
            None => snapshot::store(connection, &sha256, incoming.content)?,
        };
        let current = self.current.as_ref();
        let belonging = match current {
            Some(current) => suite::belonging(
                connection,
                &mut self.products,
                current,
                reading,
                self.declared.suite_version.as_deref(),
            )?,
            None => Belonging {
                version: None,
                label: suite::UNDECLARED.to_owned(),
                statement: None,
            },
        };
        let assumptions: Vec<String> = reading
            .assumptions
            .iter()
            .cloned()
            .chain(belonging.statement.clone())
            .collect();
        let (reading_id, is_new) = self.put_reading(
            connection,
            (snapshot_id, source_id),
            incoming,
            reading,
            &belonging,
            &assumptions,
        )?;
        let new_origin = self.put_origin(connection, reading_id, incoming)?;
        let (observed, redated) = derive::date_reading(connection, reading_id)?;

        let mut touched = BTreeSet::new();
        let mut fresh = BTreeSet::new();
        let mut runs = 0_u64;
        if is_new {
            for issue in &reading.issues {
                put_issue(connection, reading_id, issue)?;
            }
            let protocol = self.put_protocol(connection, reading)?;
            for (ordinal, observation) in reading.observations.iter().enumerate() {
                let (run, cohort, new) = self.put_run(
                    connection,
                    source_id,
                    &protocol,
                    &belonging,
                    reading,
                    observation,
                    &observed,
                )?;
                put_sighting(connection, reading_id, ordinal, run, observation)?;
                touched.insert(cohort);
                runs += 1;
                if new {
                    fresh.insert(run);
                } else {
                    derive::date_run(connection, run)?;
                }
            }
        } else {
            runs = reading.observations.len() as u64;
            if new_origin && redated {
                for (run, cohort) in runs_of(connection, reading_id)? {
                    if derive::date_run(connection, run)? {
                        touched.insert(cohort);
                    }
                }
            }
        }

        let is_copy = first_met
            .as_ref()
            .is_some_and(|location| new_origin && location != incoming.location);
        for run in derive::mark_copies(connection, snapshot_id)? {
            derive::date_run(connection, run)?;
            touched.insert(cohort_of(connection, run)?);
            if let Some(original) = copy_of(connection, run)? {
                derive::date_run(connection, original)?;
                touched.insert(cohort_of(connection, original)?);
            }
        }
        let mut issues = reading.issues.clone();
        if is_new {
            let doubted = doubts::derive(connection, &touched)?;
            issues.extend(doubts::warnings(connection, &doubted)?);
            touched.extend(doubted);
        }
        let mut changes = Changes::default();
        derive::rank(connection, &touched, &mut changes)?;
        let fallen: BTreeSet<i64> = if is_copy {
            changes.superseded.clone()
        } else {
            changes.superseded.union(&fresh).copied().collect()
        };
        let superseded = superseded_among(connection, &fallen)?;
        self.remember(&changes);

        if is_copy {
            issues.push(copy_warning(&sha256, first_met.as_deref(), incoming));
        }
        let gone = if is_new && !is_copy {
            gone(connection, reading_id, &observed)?
        } else {
            0
        };
        let mut inserted = 0;
        for run in &fresh {
            if !is_copy && copy_of(connection, *run)?.is_none() {
                inserted += 1;
            }
        }
        Ok(Ingested {
            sha256,
            outcome: if is_copy { Outcome::Copy } else { Outcome::Imported },
            copy_of: if is_copy { first_met } else { None },
            inserted,
            unchanged: runs - inserted,
            rejected: reading.records.saturating_sub(runs),
            superseded,
            gone,
            observed,
            suite_version: belonging.version,
            assumptions,
            issues,
        })
    }

    fn remember(&mut self, changes: &Changes) {
        for cohort in &changes.broken {
            if !self.changes.set.contains(cohort) {
                self.changes.broken.insert(*cohort);
            }
        }
        self.changes.set.extend(&changes.set);
        self.changes.superseded.extend(&changes.superseded);
    }

    fn put_source(&self, connection: &Connection) -> Result<i64> {
        let source = self.source;
        connection
            .prepare_cached(include_str!("sql/put_source.sql"))?
            .execute(rusqlite::named_params! {
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

    fn put_reading(
        &self,
        connection: &Connection,
        (snapshot_id, source_id): (i64, i64),
        incoming: &Incoming<'_>,
        reading: &Reading,
        belonging: &Belonging,
        assumptions: &[String],
    ) -> Result<(i64, bool)> {
        let declared = json_text(self.declared)?;
        let known: Option<i64> = connection
            .prepare_cached(
                "SELECT id FROM reading WHERE snapshot_id = ?1 AND importer = ?2
                 AND folder IS ?3 AND file IS ?4 AND declared = ?5",
            )?
            .query_row(
                params![
                    snapshot_id,
                    self.importer,
                    incoming.folder,
                    incoming.file,
                    declared
                ],
                |row| row.get(0),
            )
            .optional()?;
        if let Some(id) = known {
            return Ok((id, false));
        }
        let basis = match reading.basis {
            NameBasis::Assumed => "assumed",
            NameBasis::Path => "path",
            NameBasis::Declared => "declared",
        };
        let used = reading.observations.len() as u64;
        connection
            .prepare_cached(include_str!("sql/put_reading.sql"))?
            .execute(rusqlite::named_params! {
                ":snapshot_id": snapshot_id,
                ":source_id": source_id,
                ":importer": self.importer,
                ":folder": incoming.folder,
                ":file": incoming.file,
                ":declared": declared,
                ":provider": reading.provider,
                ":basis": basis,
                ":assumptions": json_text(assumptions)?,
                ":unit_declared": reading.unit_declared,
                ":suite_version": belonging.version,
                ":license": self.declared.license,
                ":records": reading.records as i64,
                ":rejected": reading.records.saturating_sub(used) as i64,
                ":learned_at": self.learned_at,
            })?;
        Ok((connection.last_insert_rowid(), true))
    }

    fn put_origin(
        &self,
        connection: &Connection,
        reading: i64,
        incoming: &Incoming<'_>,
    ) -> Result<bool> {
        let observed_at = incoming.observed.as_ref().map(|o| o.0.as_str());
        let observed_basis = incoming.observed.as_ref().map(|o| o.1.as_str());
        let container = incoming.container.as_ref().map(|c| c.0);
        let known: bool = connection
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM origin WHERE reading_id = ?1 AND location = ?2
                 AND observed_at IS ?3 AND observed_basis IS ?4 AND container IS ?5)",
            )?
            .query_row(
                params![
                    reading,
                    incoming.location,
                    observed_at,
                    observed_basis,
                    container
                ],
                |row| row.get(0),
            )?;
        if known {
            return Ok(false);
        }
        connection
            .prepare_cached(
                "INSERT INTO origin (reading_id, location, container, container_sha256,
                                     observed_at, observed_basis, learned_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                reading,
                incoming.location,
                container,
                incoming.container.as_ref().map(|c| c.1.as_str()),
                observed_at,
                observed_basis,
                self.learned_at
            ])?;
        Ok(true)
    }

    fn put_protocol(&self, connection: &Connection, reading: &Reading) -> Result<(i64, String)> {
        let protocol = &reading.protocol;
        let identity = identity::protocol(protocol)?;
        connection
            .prepare_cached(
                "INSERT INTO protocol (digest, spec, harness, statistic, timer, warmups, cache, precision)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (digest) DO NOTHING",
            )?
            .execute(params![
                identity.digest,
                identity.spec,
                protocol.harness,
                protocol.statistic,
                protocol.timer,
                protocol.warmups,
                protocol.cache,
                protocol.precision
            ])?;
        Ok((
            suite::row_of(connection, "protocol", &identity.digest)?,
            identity.digest,
        ))
    }

    #[expect(clippy::too_many_arguments, reason = "what a run is made of, each once")]
    fn put_run(
        &mut self,
        connection: &Connection,
        source_id: i64,
        protocol: &(i64, String),
        belonging: &Belonging,
        reading: &Reading,
        observation: &Observation,
        observed: &derive::Observed,
    ) -> Result<(i64, i64, bool)> {
        let workload = self.workloads.resolve(
            connection,
            self.current.as_ref(),
            belonging,
            &observation.problem,
        )?;
        let implementation = self.put_implementation(connection, &observation.implementation)?;
        let environment =
            self.put_environment(connection, &observation.hardware, reading.provider.as_deref())?;
        let key = (workload.id, environment.0, protocol.0);
        let cohort = match self.cache.cohorts.get(&key) {
            Some(cohort) => cohort.clone(),
            None => {
                let digest =
                    identity::cohort(&workload.digest, &environment.1, &protocol.1, METRIC)?;
                connection
                    .prepare_cached(
                        "INSERT INTO cohort (digest, workload_id, environment_id, protocol_id, metric)
                         VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (digest) DO NOTHING",
                    )?
                    .execute(params![digest, key.0, key.1, key.2, METRIC])?;
                let cohort = (suite::row_of(connection, "cohort", &digest)?, digest);
                self.cache.cohorts.insert(key, cohort.clone());
                cohort
            }
        };
        let latency = &observation.latency;
        let measurement =
            MeasurementKey::of(self.source.slug, &implementation.1, &cohort.1, latency);
        let digest = measurement.digest();
        let [value, std, min, max] = measurement.figures;
        let inserted = connection
            .prepare_cached(include_str!("sql/put_measurement.sql"))?
            .execute(rusqlite::named_params! {
                ":digest": digest,
                ":source_id": source_id,
                ":cohort_id": cohort.0,
                ":implementation_id": implementation.0,
                ":status": measurement.status,
                ":value_ps": value,
                ":std_ps": std,
                ":min_ps": min,
                ":max_ps": max,
                ":samples": measurement.samples,
                ":resolution_ps": latency.resolution_ps,
                ":observed_at": observed.as_ref().map(|o| o.0.as_str()),
                ":observed_basis": observed.as_ref().map(|o| o.1.as_str()),
            })?;
        let id = if inserted > 0 {
            connection.last_insert_rowid()
        } else {
            connection
                .prepare_cached("SELECT id FROM measurement WHERE digest = ?1")?
                .query_row([digest], |row| row.get(0))?
        };
        Ok((id, cohort.0, inserted > 0))
    }

    fn put_implementation(
        &mut self,
        connection: &Connection,
        of: &Arc<Implementation>,
    ) -> Result<(i64, String)> {
        if let Some(known) = self.cache.implementations.get(of) {
            return Ok(known.clone());
        }
        let identity = identity::implementation(of)?;
        let role = match of.role {
            Role::Baseline => "baseline",
            Role::Reference => "reference",
            Role::Candidate => "candidate",
        };
        connection.execute(
            "INSERT INTO implementation
                 (digest, spec, slug, name, project, language, interface, role, license)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (digest) DO NOTHING",
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
        let row = (
            suite::row_of(connection, "implementation", &identity.digest)?,
            identity.digest,
        );
        self.cache
            .implementations
            .insert(Arc::clone(of), row.clone());
        Ok(row)
    }

    fn put_environment(
        &mut self,
        connection: &Connection,
        hardware: &str,
        provider: Option<&str>,
    ) -> Result<(i64, String)> {
        let key = (hardware.to_owned(), provider.map(str::to_owned));
        if let Some(known) = self.cache.environments.get(&key) {
            return Ok(known.clone());
        }
        let product = self.products.resolve(connection, hardware)?;
        let software = &self.declared.software;
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
            identity.digest,
        );
        self.cache.environments.insert(key, row.clone());
        Ok(row)
    }
}

fn json_text(value: &(impl serde::Serialize + ?Sized)) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Error::failed("a value has no JSON form").because(error))
}

fn put_issue(connection: &Connection, reading: i64, issue: &Issue) -> Result<()> {
    let severity = match issue.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    connection
        .prepare_cached(
            "INSERT INTO issue (reading_id, severity, code, pointer, line, col, message, hint, rejects)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            reading,
            severity,
            issue.code,
            issue.place.pointer,
            issue.place.line.map(|line| line as i64),
            issue.place.column.map(|column| column as i64),
            issue.message,
            issue.hint,
            issue.rejects
        ])?;
    Ok(())
}

fn put_sighting(
    connection: &Connection,
    reading: i64,
    ordinal: usize,
    run: i64,
    observation: &Observation,
) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO sighting (reading_id, ordinal, measurement_id, pointer, line, hardware, stated)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            reading,
            ordinal as i64,
            run,
            observation.place.pointer,
            observation.place.line.map(|line| line as i64),
            &*observation.hardware,
            stated(observation)?
        ])?;
    Ok(())
}

/// Each figure's own text, as a JSON object.
pub fn stated(observation: &Observation) -> Result<String> {
    let latency = &observation.latency;
    let mut texts = BTreeMap::new();
    texts.insert("mean", latency.mean.text.clone());
    for (name, figure) in [
        ("std", &latency.std),
        ("min", &latency.min),
        ("max", &latency.max),
    ] {
        if let Some(figure) = figure {
            texts.insert(name, figure.text.clone());
        }
    }
    if let Some(samples) = latency.samples {
        texts.insert("num_trials", samples.to_string());
    }
    json_text(&texts)
}

fn first_location(connection: &Connection, snapshot: i64) -> Result<Option<String>> {
    Ok(connection
        .prepare_cached(
            "SELECT o.location FROM origin o JOIN reading r ON r.id = o.reading_id
             WHERE r.snapshot_id = ?1 ORDER BY o.id LIMIT 1",
        )?
        .query_row([snapshot], |row| row.get(0))
        .optional()?)
}

fn runs_of(connection: &Connection, reading: i64) -> Result<Vec<(i64, i64)>> {
    let mut statement = connection.prepare_cached(
        "SELECT m.id, m.cohort_id FROM sighting s JOIN measurement m ON m.id = s.measurement_id
         WHERE s.reading_id = ?1",
    )?;
    let rows = statement.query_map([reading], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn cohort_of(connection: &Connection, run: i64) -> Result<i64> {
    Ok(connection
        .prepare_cached("SELECT cohort_id FROM measurement WHERE id = ?1")?
        .query_row([run], |row| row.get(0))?)
}

fn copy_of(connection: &Connection, run: i64) -> Result<Option<i64>> {
    Ok(connection
        .prepare_cached("SELECT copy_of FROM measurement WHERE id = ?1")?
        .query_row([run], |row| row.get(0))?)
}

/// How many of these runs are in a cohort where another run of their implementation
/// stands.
fn superseded_among(connection: &Connection, runs: &BTreeSet<i64>) -> Result<u64> {
    let mut statement = connection.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM measurement m JOIN standing s
             ON s.cohort_id = m.cohort_id AND s.implementation_id = m.implementation_id
             WHERE m.id = ?1 AND s.measurement_id <> m.id)",
    )?;
    let mut count = 0;
    for run in runs {
        if statement.query_row([run], |row| row.get::<_, bool>(0))? {
            count += 1;
        }
    }
    Ok(count)
}

/// Problems that the previous content of the same file stated and this one doesn't.
fn gone(connection: &Connection, reading: i64, observed: &derive::Observed) -> Result<u64> {
    let count: i64 = connection
        .prepare_cached(include_str!("sql/gone.sql"))?
        .query_row(
            rusqlite::named_params! {
                ":reading": reading,
                ":observed_at": observed.as_ref().map(|o| o.0.as_str()),
            },
            |row| row.get(0),
        )?;
    Ok(u64::try_from(count).unwrap_or_default())
}

fn copy_warning(sha256: &str, first: Option<&str>, incoming: &Incoming<'_>) -> Issue {
    Issue {
        severity: Severity::Warning,
        code: "COPY".to_owned(),
        place: Place::default(),
        message: format!(
            "the same bytes ({}) are known from `{}`: one measurement seen twice, not two",
            &sha256[..15.min(sha256.len())],
            first.unwrap_or("elsewhere")
        ),
        hint: (incoming.folder.is_some()).then(|| {
            "if the two folders are two machines, one of the files is in the wrong place".to_owned()
        }),
        rejects: 0,
    }
}
