//! What follows from the stated tables: observation dates, copies, doubts, standings
//! and records. Kept up to date for what an import touches; `verify` rebuilds all of it.
//! Every rule depends on the content alone, so the order of imports never matters.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::str::FromStr;

use kidx_queries::json_array;
use kidx_queries::policy::eligibility::{self, Facts};
use kidx_queries::policy::interval::{self, Stats};
use kidx_queries::policy::observation::{self, Basis, Sighting};
use kidx_queries::policy::ranking;
use kidx_queries::policy::resolution::Figure;
use kidx_queries::policy::standing::{self, Candidate};
use kidx_queries::policy::trust::Trust;
use rusqlite::{Connection, OptionalExtension, named_params, params};

use super::identity::hex;
use super::{doubts, hard};
use crate::error::{Error, Result};

/// An instant or date, and how it is known.
pub type Observed = Option<(String, Basis)>;

/// Which runs held the records that changed, before they did.
#[derive(Debug, Default, Clone)]
pub struct Changes(BTreeMap<i64, Option<i64>>);

/// Records that are there now and were not, and records that another run took over.
#[derive(Debug, Default, Clone)]
pub struct Changed {
    /// Cohorts that got their first record.
    pub set: BTreeSet<i64>,
    /// Cohorts whose record was beaten or replaced.
    pub broken: BTreeSet<i64>,
}

impl Changes {
    fn note(&mut self, cohort: i64, before: Option<i64>) {
        self.0.entry(cohort).or_insert(before);
    }

    /// What that comes to now. A record that is gone again, because a later input shows its
    /// run to be a copy, was neither set nor broken.
    pub fn until_now(&self, connection: &Connection) -> Result<Changed> {
        let mut changed = Changed::default();
        for (&cohort, &before) in &self.0 {
            match (
                before,
                record_of(connection, cohort)?.map(|record| record.holder),
            ) {
                (None, Some(_)) => {
                    changed.set.insert(cohort);
                }
                (Some(old), Some(new)) if old != new => {
                    changed.broken.insert(cohort);
                }
                _ => {}
            }
        }
        Ok(changed)
    }
}

/// Reads an observation instant off two columns.
pub fn observed(at: Option<String>, basis: Option<String>) -> Result<Observed> {
    at.zip(basis)
        .map(|(at, basis)| {
            let basis = Basis::from_str(&basis)
                .map_err(|error| Error::failed("an observation date is damaged").because(error))?;
            Ok((at, basis))
        })
        .transpose()
}

fn best(candidates: &[(String, Basis)]) -> Observed {
    let sightings: Vec<Sighting<'_>> = candidates
        .iter()
        .map(|(observed, basis)| Sighting {
            observed,
            basis: *basis,
        })
        .collect();
    observation::instant(&sightings).map(|s| (s.observed.to_owned(), s.basis))
}

/// The better of two observation dates.
pub fn better(one: Observed, other: Observed) -> Observed {
    let both: Vec<(String, Basis)> = one.into_iter().chain(other).collect();
    best(&both)
}

/// Whether a run of a known date is dated anew by one more sighting.
pub fn dates(sighting: &Observed, known: &Observed) -> bool {
    let both: Vec<(String, Basis)> = known.iter().chain(sighting).cloned().collect();
    best(&both) != *known
}

fn instants(connection: &Connection, sql: &str, id: i64) -> Result<Vec<(String, Basis)>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([id])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.extend(observed(row.get(0)?, row.get(1)?)?);
    }
    Ok(found)
}

/// Dates a reading by its origins. Returns the date and whether it changed.
pub fn date_reading(connection: &Connection, reading: i64) -> Result<(Observed, bool)> {
    let found = instants(
        connection,
        "SELECT observed_at, observed_basis FROM origin WHERE reading_id = ?1",
        reading,
    )?;
    let date = best(&found);
    let changed = connection
        .prepare_cached(
            "UPDATE reading SET observed_at = ?2, observed_basis = ?3
             WHERE id = ?1 AND (observed_at IS NOT ?2 OR observed_basis IS NOT ?3)",
        )?
        .execute(params![
            reading,
            date.as_ref().map(|d| &d.0),
            date.as_ref().map(|d| d.1.as_str())
        ])?;
    Ok((date, changed > 0))
}

/// Dates a run by its sightings and those of its copies. Returns whether it changed.
pub fn date_run(connection: &Connection, measurement: i64) -> Result<bool> {
    let found = instants(
        connection,
        include_str!("sql/run_instants.sql"),
        measurement,
    )?;
    let date = best(&found);
    let changed = connection
        .prepare_cached(
            "UPDATE measurement SET observed_at = ?2, observed_basis = ?3
             WHERE id = ?1 AND (observed_at IS NOT ?2 OR observed_basis IS NOT ?3)",
        )?
        .execute(params![
            measurement,
            date.as_ref().map(|d| &d.0),
            date.as_ref().map(|d| d.1.as_str())
        ])?;
    Ok(changed > 0)
}

/// One measurement that a place in a snapshot is read as, with what decides which of
/// several readings of that place counts.
struct Claim {
    place: (i64, String),
    measurement: i64,
    /// Greater is firmer.
    firmness: (u8, bool, bool, bool, Option<Basis>),
    observed: Option<String>,
    provider: Option<String>,
    digest: Vec<u8>,
}

impl Claim {
    /// The firmest first: declared over path over assumed; a stated over an assumed unit;
    /// one whose suite version was declared or that was read with
    /// its definitions; one whose commit is known; then the stronger, then
    /// the earlier date; then the shorter provider name.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let late = |c: &Self| c.observed.clone().unwrap_or_else(|| "~".to_owned());
        let name = |c: &Self| {
            (
                c.provider.as_ref().map_or(0, String::len),
                c.provider.clone(),
            )
        };
        other
            .firmness
            .cmp(&self.firmness)
            .then_with(|| late(self).cmp(&late(other)))
            .then_with(|| name(self).cmp(&name(other)))
            .then_with(|| self.digest.cmp(&other.digest))
    }
}

/// Finds places that different names turned into different runs. Runs that share a place,
/// directly or through a third, are one measurement: the firmest of them counts, the
/// others are copies of it. Returns the runs concerned and whether each one's mark changed.
pub fn mark_copies(connection: &Connection, snapshot: i64) -> Result<BTreeMap<i64, bool>> {
    let claims = related_claims(connection, snapshot)?;
    // Runs joined by the places they share, each group named by its least row.
    let mut group: BTreeMap<i64, i64> = claims
        .iter()
        .map(|c| (c.measurement, c.measurement))
        .collect();
    let mut at_place: HashMap<&(i64, String), i64> = HashMap::new();
    for claim in &claims {
        let first = *at_place.entry(&claim.place).or_insert(claim.measurement);
        let (a, b) = (root(&group, first), root(&group, claim.measurement));
        group.insert(a.max(b), a.min(b));
    }
    let mut original: BTreeMap<i64, &Claim> = BTreeMap::new();
    for claim in &claims {
        let known = original
            .entry(root(&group, claim.measurement))
            .or_insert(claim);
        if claim.order(known).is_lt() {
            *known = claim;
        }
    }
    let mut update = connection.prepare_cached(
        "UPDATE measurement SET copy_of = ?2 WHERE id = ?1 AND copy_of IS NOT ?2",
    )?;
    let mut undoubt = connection.prepare_cached("DELETE FROM doubt WHERE measurement_id = ?1")?;
    let mut concerned = BTreeMap::new();
    for measurement in claims.iter().map(|claim| claim.measurement) {
        let counts = original
            .get(&root(&group, measurement))
            .map(|claim| claim.measurement);
        let copy_of = counts.filter(|counts| *counts != measurement);
        let changed = update.execute(params![measurement, copy_of])? > 0;
        if copy_of.is_some() {
            // A copy is no run, so nothing is said about it.
            undoubt.execute([measurement])?;
        }
        *concerned.entry(measurement).or_insert(false) |= changed;
    }
    Ok(concerned)
}

fn root(group: &BTreeMap<i64, i64>, of: i64) -> i64 {
    let mut at = of;
    while let Some(&up) = group.get(&at)
        && up != at
    {
        at = up;
    }
    at
}

/// All claims on the places of a snapshot that was read several ways, and of every such
/// snapshot that states one of the same runs.
fn related_claims(connection: &Connection, snapshot: i64) -> Result<Vec<Claim>> {
    let mut claims: Vec<Claim> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![snapshot];
    let mut others = connection.prepare_cached(include_str!("sql/other_snapshots.sql"))?;
    while let Some(snapshot) = open.pop() {
        if !seen.insert(snapshot) || readings(connection, snapshot)? < 2 {
            continue;
        }
        claims.extend(claims_of(connection, snapshot)?);
        let found = others.query_map(named_params! {":snapshot": snapshot}, |row| row.get(0))?;
        open.extend(found.collect::<rusqlite::Result<Vec<i64>>>()?);
    }
    Ok(claims)
}

fn readings(connection: &Connection, snapshot: i64) -> Result<i64> {
    Ok(connection
        .prepare_cached("SELECT count(*) FROM reading WHERE snapshot_id = ?1")?
        .query_row([snapshot], |row| row.get(0))?)
}

fn claims_of(connection: &Connection, snapshot: i64) -> Result<Vec<Claim>> {
    let mut claims = Vec::new();
    let mut statement = connection.prepare_cached(include_str!("sql/claims.sql"))?;
    let mut rows = statement.query(named_params! {":snapshot": snapshot})?;
    while let Some(row) = rows.next()? {
        let date = observed(row.get("observed_at")?, row.get("observed_basis")?)?;
        let basis = match row.get_ref("basis")?.as_str().unwrap_or_default() {
            "declared" => 2,
            "path" => 1,
            _ => 0,
        };
        claims.push(Claim {
            place: (snapshot, row.get("pointer")?),
            measurement: row.get("measurement_id")?,
            firmness: (
                basis,
                row.get("unit_declared")?,
                row.get("versioned")?,
                row.get("committed")?,
                date.as_ref().map(|d| d.1),
            ),
            observed: date.map(|d| d.0),
            provider: row.get("provider")?,
            digest: row.get("digest")?,
        });
    }
    Ok(claims)
}

/// A run of a cohort as ranking sees it.
#[derive(Debug, Clone)]
pub struct Run {
    /// Row.
    pub id: i64,
    /// Row of who computed.
    pub implementation: i64,
    /// Whether that is the designated baseline.
    pub is_baseline: bool,
    /// Its digest in hex.
    pub digest: String,
    /// When it was observed.
    pub observed: Observed,
    /// What it states.
    pub figure: Figure,
}

/// Runs whose standing is to be decided again, by cohort.
#[derive(Debug, Default, Clone)]
pub struct Touched(BTreeMap<i64, Scope>);

/// Which runs of a touched cohort count.
#[derive(Debug, Clone)]
enum Scope {
    /// All of them: something about old runs changed.
    All,
    /// Those that stand and these new ones. The older rest can't stand: of an
    /// implementation's eligible runs the first in one total order does.
    New(Vec<i64>),
}

impl Touched {
    /// A new run in a cohort.
    pub fn add_new(&mut self, cohort: i64, run: i64) {
        if let Scope::New(runs) = self.0.entry(cohort).or_insert(Scope::New(Vec::new())) {
            runs.push(run);
        }
    }

    /// Whether all runs of a cohort count.
    pub fn has_all(&self, cohort: i64) -> bool {
        matches!(self.0.get(&cohort), Some(Scope::All))
    }

    /// A cohort in which something about known runs changed.
    pub fn add_all(&mut self, cohort: i64) {
        self.0.insert(cohort, Scope::All);
    }

    /// The cohorts.
    pub fn cohorts(&self) -> BTreeSet<i64> {
        self.0.keys().copied().collect()
    }
}

/// Stands and ranks the runs of touched cohorts again, notes whose records changed, and
/// returns the runs that stood before and don't any more.
pub fn rank(
    connection: &Connection,
    touched: &Touched,
    changes: &mut Changes,
) -> Result<BTreeSet<i64>> {
    let mut fallen = BTreeSet::new();
    for (&cohort, scope) in &touched.0 {
        let mut kept = Kept::load(connection, cohort)?;
        fallen.extend(kept.places.values().map(|place| place.run));
        let standing = standing_runs(eligible_runs(connection, cohort, scope)?);
        for run in &standing {
            fallen.remove(&run.id);
        }
        place(connection, cohort, &standing, &mut kept, changes)?;
    }
    Ok(fallen)
}

/// What the file keeps of a cohort's ranking.
#[derive(Debug, Default)]
pub struct Kept {
    /// By row of the implementation.
    places: BTreeMap<i64, Place>,
    record: Option<Record>,
}

/// A row of `standing`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    run: i64,
    position: usize,
    rank: u32,
    tied: bool,
}

/// A row of `record`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Record {
    holder: i64,
    baseline: Option<i64>,
    unbeaten: bool,
    runs: usize,
}

impl Kept {
    /// As the file has it.
    pub fn load(connection: &Connection, cohort: i64) -> Result<Self> {
        let mut statement = connection.prepare_cached(
            "SELECT implementation_id, measurement_id, position, rank, tied
             FROM standing WHERE cohort_id = ?1",
        )?;
        let places = statement.query_map([cohort], |row| {
            Ok((
                row.get(0)?,
                Place {
                    run: row.get(1)?,
                    position: row.get(2)?,
                    rank: row.get(3)?,
                    tied: row.get(4)?,
                },
            ))
        })?;
        Ok(Self {
            places: places.collect::<rusqlite::Result<_>>()?,
            record: record_of(connection, cohort)?,
        })
    }
}

fn record_of(connection: &Connection, cohort: i64) -> Result<Option<Record>> {
    Ok(connection
        .prepare_cached(
            "SELECT measurement_id, baseline_id, unbeaten, runs FROM record WHERE cohort_id = ?1",
        )?
        .query_row([cohort], |row| {
            Ok(Record {
                holder: row.get(0)?,
                baseline: row.get(1)?,
                unbeaten: row.get(2)?,
                runs: row.get(3)?,
            })
        })
        .optional()?)
}

/// Runs that may stand: everything but superseded ones, which standing decides.
fn eligible_runs(connection: &Connection, cohort: i64, scope: &Scope) -> Result<Vec<Run>> {
    let new = match scope {
        Scope::All => None,
        Scope::New(runs) => Some(json_array(runs)),
    };
    let mut statement = connection.prepare_cached(include_str!("sql/cohort_runs.sql"))?;
    let mut rows = statement.query(named_params! {":cohort": cohort, ":new": new})?;
    let mut runs = Vec::new();
    while let Some(row) = rows.next()? {
        let value: Option<i64> = row.get("value")?;
        let (min, max) = (row.get("min")?, row.get("max")?);
        let resolution = row.get("resolution")?;
        let doubts: String = row.get("doubts")?;
        let status: String = row.get("status")?;
        let reasons = eligibility::reasons(&Facts {
            status: &status,
            retracted: row.get("retracted")?,
            superseded: false,
            has_primary: value.is_some(),
            hardware_known: true,
            stats_contradict: value
                .is_some_and(|mean| eligibility::stats_contradict(mean, min, max, resolution)),
            unit_doubted: doubts.contains(doubts::UNIT),
            shape_doubted: doubts.contains(doubts::SHAPE),
            marked_excessive: doubts.contains(doubts::MARKED),
            below_hard: doubts.contains(hard::CODE),
        });
        let Some(value) = value.filter(|_| reasons.is_empty()) else {
            continue;
        };
        runs.push(Run {
            id: row.get("id")?,
            implementation: row.get("implementation_id")?,
            is_baseline: row.get("is_baseline")?,
            digest: hex(row.get_ref("digest")?.as_blob().unwrap_or_default()),
            observed: observed(row.get("observed_at")?, row.get("observed_basis")?)?,
            figure: figure(
                &Stats {
                    value,
                    std: row.get("std")?,
                    min,
                    samples: row.get("samples")?,
                    stated: row
                        .get::<_, Option<i64>>("low")?
                        .zip(row.get::<_, Option<i64>>("high")?),
                },
                resolution,
                row.get("more_is_better")?,
            ),
        });
    }
    Ok(runs)
}

/// What a run states, with its interval, as ranking wants it: less is better.
pub fn figure(stats: &Stats, resolution: i64, more_is_better: bool) -> Figure {
    let figure = Figure {
        value: stats.value,
        interval: interval::interval(stats),
        resolution,
    };
    if more_is_better {
        figure.turned()
    } else {
        figure
    }
}

/// The runs that stand in a cohort, as the file has them.
pub fn standing_in(connection: &Connection, cohort: i64) -> Result<Vec<Run>> {
    eligible_runs(connection, cohort, &Scope::New(Vec::new()))
}

/// One run per implementation: the newest.
fn standing_runs(runs: Vec<Run>) -> Vec<Run> {
    let mut by_implementation: HashMap<i64, Run> = HashMap::new();
    for run in runs {
        match by_implementation.entry(run.implementation) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(run);
            }
            std::collections::hash_map::Entry::Occupied(mut entry) => {
                if stands_before(&run, entry.get()) {
                    entry.insert(run);
                }
            }
        }
    }
    by_implementation.into_values().collect()
}

/// Whether `a` stands rather than `b`, both of one implementation in one cohort.
pub fn stands_before(a: &Run, b: &Run) -> bool {
    standing::order(&candidate(a), &candidate(b)).is_lt()
}

fn candidate(run: &Run) -> Candidate<'_> {
    Candidate {
        observed: run.observed.as_ref().map(|o| o.0.as_str()),
        basis: run.observed.as_ref().map(|o| o.1),
        value: Some(run.figure.value),
        digest: &run.digest,
    }
}

/// Ranks the runs that stand in a cohort and writes what differs from what is kept.
pub fn place(
    connection: &Connection,
    cohort: i64,
    runs: &[Run],
    kept: &mut Kept,
    changes: &mut Changes,
) -> Result<()> {
    let ranked: Vec<ranking::Run<'_>> = runs
        .iter()
        .map(|run| ranking::Run {
            figure: run.figure,
            // Within one file's cohorts no run has more than its source's word yet.
            trust: Trust::Reported,
            observed: run.observed.as_ref().map(|o| o.0.as_str()),
            digest: &run.digest,
        })
        .collect();
    let ranks = ranking::rank(&ranked);
    let places: BTreeMap<i64, Place> = (1..)
        .zip(&ranks)
        .map(|(position, place)| {
            let run = &runs[place.index];
            let place = Place {
                run: run.id,
                position,
                rank: place.rank,
                tied: place.tied,
            };
            (run.implementation, place)
        })
        .collect();
    write_places(connection, cohort, &places, &kept.places)?;
    let record = ranks.first().map(|leads| Record {
        holder: runs[leads.index].id,
        // Of several the one that leads, whatever came first.
        baseline: ranks
            .iter()
            .map(|place| &runs[place.index])
            .find(|run| run.is_baseline)
            .map(|run| run.id),
        unbeaten: ranking::unbeaten(&ranks, |index| runs[index].is_baseline),
        runs: runs.len(),
    });
    let holder = |record: Option<Record>| record.map(|record| record.holder);
    if holder(record) != holder(kept.record) {
        changes.note(cohort, holder(kept.record));
    }
    if record != kept.record {
        write_record(connection, cohort, record)?;
    }
    *kept = Kept { places, record };
    Ok(())
}

fn write_places(
    connection: &Connection,
    cohort: i64,
    places: &BTreeMap<i64, Place>,
    kept: &BTreeMap<i64, Place>,
) -> Result<()> {
    let mut put = connection.prepare_cached(
        "INSERT INTO standing (cohort_id, implementation_id, measurement_id, position, rank, tied)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (cohort_id, implementation_id) DO UPDATE SET
             measurement_id = excluded.measurement_id, position = excluded.position,
             rank = excluded.rank, tied = excluded.tied",
    )?;
    for (implementation, place) in places {
        if kept.get(implementation) != Some(place) {
            put.execute(params![
                cohort,
                implementation,
                place.run,
                place.position,
                place.rank,
                place.tied
            ])?;
        }
    }
    let gone = kept.keys().filter(|known| !places.contains_key(known));
    for implementation in gone {
        connection
            .prepare_cached("DELETE FROM standing WHERE cohort_id = ?1 AND implementation_id = ?2")?
            .execute([cohort, *implementation])?;
    }
    Ok(())
}

fn write_record(connection: &Connection, cohort: i64, record: Option<Record>) -> Result<()> {
    match record {
        Some(record) => connection
            .prepare_cached(
                "INSERT INTO record (cohort_id, measurement_id, baseline_id, unbeaten, runs)
                 VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (cohort_id) DO UPDATE SET
                     measurement_id = excluded.measurement_id, baseline_id = excluded.baseline_id,
                     unbeaten = excluded.unbeaten, runs = excluded.runs",
            )?
            .execute(params![
                cohort,
                record.holder,
                record.baseline,
                record.unbeaten,
                record.runs
            ])?,
        None => connection
            .prepare_cached("DELETE FROM record WHERE cohort_id = ?1")?
            .execute([cohort])?,
    };
    Ok(())
}

/// Derives everything again from the stated tables, as if all had just been imported.
pub fn rebuild(connection: &Connection) -> Result<()> {
    connection.execute_batch(
        "DELETE FROM record; DELETE FROM standing; DELETE FROM doubt;
         UPDATE measurement SET copy_of = NULL, observed_at = NULL, observed_basis = NULL;",
    )?;
    let ids = |sql: &str| -> Result<Vec<i64>> {
        let mut statement = connection.prepare(sql)?;
        let ids = statement.query_map([], |row| row.get(0))?;
        Ok(ids.collect::<rusqlite::Result<_>>()?)
    };
    for reading in ids("SELECT id FROM reading")? {
        date_reading(connection, reading)?;
    }
    for snapshot in ids("SELECT id FROM snapshot")? {
        mark_copies(connection, snapshot)?;
    }
    for measurement in ids("SELECT id FROM measurement")? {
        date_run(connection, measurement)?;
    }
    doubts::derive_all(connection)?;
    let mut touched = Touched::default();
    for cohort in ids("SELECT id FROM cohort")? {
        touched.add_all(cohort);
    }
    rank(connection, &touched, &mut Changes::default())?;
    Ok(())
}
