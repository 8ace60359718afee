//! Runs whose figures contradict the rest of the file or the hardware: wrong unit, other
//! shapes, faster than possible.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use kidx_importers::{Issue, Observation, Place, Severity};
use kidx_queries::json_array;
use kidx_queries::policy::Ns;
use kidx_queries::policy::doubt::{shape, unit};
use rusqlite::{Connection, named_params, params};

use super::hard;
use crate::error::Result;

/// Code of `unit-v1`.
pub const UNIT: &str = "UNIT_DOUBTED";
/// Code of `shape-v1`.
pub const SHAPE: &str = "SHAPE_DOUBTED";
/// Code of what a source itself marked as too fast.
pub const MARKED: &str = "MARKED_EXCESSIVE";

/// The mark in what a record states: KernelBench's evaluation sets it where a kernel is more
/// than ten times as fast as the reference that it was timed beside.
const MARK: (&str, &str) = ("excessive_speedup", "true");
/// Own time over the reference's, at most.
const MARK_FACTOR: f64 = 0.1;

/// A doubt as it is kept: own figure over the other's, and what the other is.
pub type Doubt = (f64, String);

/// Looks again at the products and workloads of some cohorts; returns the cohorts in
/// which a run's doubts changed.
pub fn derive(connection: &Connection, touched: &BTreeSet<i64>) -> Result<BTreeSet<i64>> {
    let mut products = BTreeSet::new();
    for cohort in touched {
        products.insert(setting(connection, *cohort)?.product);
    }
    let (in_doubt, shapes_in_doubt) = subjects(connection)?;
    let mut changed = BTreeSet::new();
    for product in products {
        if in_doubt.contains(&product) || !alike(connection, product, touched)? {
            changed.extend(units(connection, product)?);
        }
    }
    // A run in a doubtful unit is no witness for shapes, so its workload is looked at
    // again as well.
    let mut groups = BTreeSet::new();
    for cohort in touched.union(&changed) {
        let place = setting(connection, *cohort)?;
        if place.shapes_inferred {
            groups.insert((place.workload, place.kin));
        }
    }
    for (workload, kin) in groups {
        if shapes_in_doubt.contains(&workload) || !plainly_fitting(connection, workload, &kin)? {
            changed.extend(shapes(connection, workload, &kin)?);
        }
    }
    changed.extend(write(
        connection,
        hard::CODE,
        &hard::doubts(connection, touched)?,
    )?);
    Ok(changed)
}

/// Whether the figures of the touched problems on a product lie so close together that no
/// two readings can disagree: where no unit is doubted now, none will be. Extremes come from
/// an index, so that this costs the same however many runs there are.
fn alike(connection: &Connection, product: i64, touched: &BTreeSet<i64>) -> Result<bool> {
    let cohorts: Vec<i64> = touched.iter().copied().collect();
    let spread: Option<f64> = connection
        .prepare_cached(include_str!("sql/unit_spread.sql"))?
        .query_row(
            named_params! {":hardware": product, ":cohorts": json_array(&cohorts)},
            |row| row.get(0),
        )?;
    Ok(spread.is_none_or(|spread| spread < unit::DISAGREE))
}

/// Whether the runs of a workload on a family's products lie so close together, above the
/// time that its inputs take, that no shape can come into doubt.
fn plainly_fitting(connection: &Connection, workload: i64, kin: &str) -> Result<bool> {
    let (spread, least): (Option<f64>, Option<f64>) = connection
        .prepare_cached(include_str!("sql/shape_spread.sql"))?
        .query_row(named_params! {":workload": workload, ":kin": kin}, |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    Ok(spread.is_none_or(|spread| spread < shape::OFF) && least.is_none_or(|least| least > 1.0))
}

/// What a cohort's runs are held against.
struct Setting {
    product: i64,
    /// The product's family, or the product itself: whose figures are related.
    kin: String,
    workload: i64,
    /// Its shapes are known, by inference from a name.
    shapes_inferred: bool,
}

fn setting(connection: &Connection, cohort: i64) -> Result<Setting> {
    Ok(connection
        .prepare_cached(
            "SELECT e.hardware_id, coalesce(h.family, h.slug), c.workload_id,
                    o.shapes_known AND o.inferred AND c.quantity = 'latency'
             FROM cohort c
             JOIN environment e ON e.id = c.environment_id
             JOIN hardware h ON h.id = e.hardware_id
             JOIN workload w ON w.id = c.workload_id
             JOIN operation o ON o.id = w.operation_id
             WHERE c.id = ?1",
        )?
        .query_row([cohort], |row| {
            Ok(Setting {
                product: row.get(0)?,
                kin: row.get(1)?,
                workload: row.get(2)?,
                shapes_inferred: row.get(3)?,
            })
        })?)
}

/// Products of which a unit is doubted, and workloads of which a shape is.
pub fn subjects(connection: &Connection) -> Result<(HashSet<i64>, HashSet<i64>)> {
    let mut statement = connection.prepare_cached(
        "SELECT d.code = ?1, e.hardware_id, c.workload_id
         FROM doubt d
         JOIN measurement m ON m.id = d.measurement_id
         JOIN cohort c ON c.id = m.cohort_id
         JOIN environment e ON e.id = c.environment_id
         WHERE d.code IN (?1, ?2)",
    )?;
    let mut rows = statement.query([UNIT, SHAPE])?;
    let (mut products, mut workloads) = (HashSet::new(), HashSet::new());
    while let Some(row) = rows.next()? {
        if row.get(0)? {
            products.insert(row.get(1)?);
        } else {
            workloads.insert(row.get(2)?);
        }
    }
    Ok((products, workloads))
}

/// Whether a record carries its source's mark.
pub fn is_marked(observation: &Observation) -> bool {
    observation
        .circumstances
        .iter()
        .flat_map(|circumstances| &circumstances.texts)
        .any(|(name, text)| (name.as_str(), text.as_str()) == MARK)
}

/// Doubts runs that carry it, wherever else they stand without; returns the cohorts in which
/// a run's doubts changed.
pub fn mark(connection: &Connection, runs: &[i64]) -> Result<BTreeSet<i64>> {
    let against = "its reference in the same evaluation, at least: the source's own mark";
    let found = runs
        .iter()
        .map(|run| (*run, Some((MARK_FACTOR, against.to_owned()))))
        .collect();
    write(connection, MARKED, &found)
}

/// Looks at everything.
pub fn derive_all(connection: &Connection) -> Result<()> {
    let mut statement = connection.prepare("SELECT id FROM cohort")?;
    let cohorts = statement
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    derive(connection, &cohorts)?;
    let mut statement = connection.prepare(
        "SELECT DISTINCT measurement_id FROM sighting
         WHERE instr(stated, ?1) AND json_extract(stated, '$.' || ?1) = ?2",
    )?;
    let marked: Vec<i64> = statement
        .query_map([MARK.0, MARK.1], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    mark(connection, &marked)?;
    Ok(())
}

/// One reading's runs on one product.
struct Read {
    key: String,
    unit_declared: bool,
    means: BTreeMap<String, (i64, Option<String>)>,
    runs: Vec<(i64, String)>,
}

/// Readings of one suite, by the row of the reading.
type Readings = BTreeMap<i64, Read>;

fn units(connection: &Connection, product: i64) -> Result<BTreeSet<i64>> {
    let mut suites: BTreeMap<String, Readings> = BTreeMap::new();
    let mut statement = connection.prepare_cached(include_str!("sql/product_readings.sql"))?;
    let mut rows = statement.query(named_params! {":hardware": product})?;
    while let Some(row) = rows.next()? {
        let readings = suites.entry(row.get("suite")?).or_default();
        let reading = readings.entry(row.get("reading_id")?).or_insert(Read {
            key: row.get("reading_key")?,
            unit_declared: row.get("unit_declared")?,
            means: BTreeMap::new(),
            runs: Vec::new(),
        });
        let problem: String = row.get("problem")?;
        let mean = (row.get("value")?, row.get("workload")?);
        reading.means.insert(problem.clone(), mean);
        reading.runs.push((row.get("measurement_id")?, problem));
    }
    let mut found: BTreeMap<i64, Option<Doubt>> = BTreeMap::new();
    for readings in suites.values() {
        let policy_readings: Vec<unit::Reading<'_>> = readings
            .values()
            .map(|reading| unit::Reading {
                digest: &reading.key,
                unit_declared: reading.unit_declared,
                means: reading
                    .means
                    .iter()
                    .map(|(problem, (ps, workload))| {
                        let workload = workload.as_deref();
                        (problem.as_str(), unit::Mean { ps: *ps, workload })
                    })
                    .collect(),
            })
            .collect();
        let doubts = unit::doubts(&policy_readings);
        for reading in readings.values() {
            let doubt = doubts.iter().find(|doubt| doubt.reading == reading.key);
            for (run, _) in &reading.runs {
                // A run that any sound reading states as well is sound.
                let doubt = doubt.map(|doubt| (doubt.factor, doubt.against.to_owned()));
                found
                    .entry(*run)
                    .and_modify(|known| {
                        if doubt.is_none() || known.as_ref() > doubt.as_ref() {
                            known.clone_from(&doubt);
                        }
                    })
                    .or_insert(doubt);
            }
        }
    }
    write(connection, UNIT, &found)
}

/// Runs of one implementation on one product.
type Group = Vec<(i64, shape::Run)>;

fn shapes(connection: &Connection, workload: i64, kin: &str) -> Result<BTreeSet<i64>> {
    let mut groups: BTreeMap<(i64, i64), Group> = BTreeMap::new();
    let mut statement = connection.prepare_cached(include_str!("sql/workload_runs.sql"))?;
    let mut rows = statement.query(named_params! {":workload": workload, ":kin": kin})?;
    while let Some(row) = rows.next()? {
        let bytes: Option<f64> = row.get("input_bytes")?;
        let gbs: Option<f64> = row.get("bandwidth_gbs")?;
        // Back-to-back calls find in the cache what fits there.
        let cache: f64 = row.get::<_, Option<f64>>("cache_bytes")?.unwrap_or(0.0);
        groups
            .entry((row.get("hardware_id")?, row.get("implementation_id")?))
            .or_default()
            .push((
                row.get("id")?,
                shape::Run {
                    value: row.get("value")?,
                    bound_ps: bytes
                        .zip(gbs)
                        .map(|(bytes, gbs)| bound_ps((bytes - cache).max(0.0), gbs)),
                },
            ));
    }
    let mut found = BTreeMap::new();
    for (key, runs) in &groups {
        let related: Vec<i64> = groups
            .iter()
            .filter(|(other, _)| *other != key)
            .flat_map(|(_, runs)| runs.iter().map(|(_, run)| run.value))
            .collect();
        let policy_runs: Vec<shape::Run> = runs.iter().map(|(_, run)| *run).collect();
        for ((id, run), doubt) in runs.iter().zip(shape::doubts(&policy_runs, &related)) {
            found.insert(
                *id,
                doubt.map(|doubt| match doubt {
                    shape::ShapeDoubt::BelowInputs { bound_ps } => (
                        run.value as f64 / bound_ps as f64,
                        "the time its declared inputs, less what the cache holds, take at the device's DRAM peak".to_owned(),
                    ),
                    shape::ShapeDoubt::Apart { factor } => (
                        factor,
                        "the median of the implementation's other runs on this product".to_owned(),
                    ),
                }),
            );
        }
    }
    write(connection, SHAPE, &found)
}

/// Picoseconds that some bytes take at a rate in GB/s.
pub fn bound_ps(bytes: f64, gbs: f64) -> i64 {
    Ns::from_ns(bytes / gbs).map_or(0, Ns::ps)
}

/// Writes the doubts of one kind about some runs; returns the cohorts that changed.
fn write(
    connection: &Connection,
    code: &str,
    found: &BTreeMap<i64, Option<Doubt>>,
) -> Result<BTreeSet<i64>> {
    let mut remove =
        connection.prepare_cached("DELETE FROM doubt WHERE measurement_id = ?1 AND code = ?2")?;
    let mut put = connection.prepare_cached(
        "INSERT INTO doubt (measurement_id, code, factor, against) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (measurement_id, code) DO UPDATE
         SET factor = excluded.factor, against = excluded.against
         WHERE factor <> excluded.factor OR against <> excluded.against",
    )?;
    let mut cohort =
        connection.prepare_cached("SELECT cohort_id FROM measurement WHERE id = ?1")?;
    let mut changed = BTreeSet::new();
    for (run, doubt) in found {
        let rows = match doubt {
            None => remove.execute(params![run, code])?,
            Some((factor, against)) => put.execute(params![run, code, factor, against])?,
        };
        if rows > 0 {
            changed.insert(cohort.query_row([run], |row| row.get(0))?);
        }
    }
    Ok(changed)
}

/// What to tell the user about doubts in some cohorts, one warning a file and kind.
pub fn warnings(connection: &Connection, cohorts: &BTreeSet<i64>) -> Result<Vec<Issue>> {
    let ids: Vec<i64> = cohorts.iter().copied().collect();
    let mut statement = connection.prepare_cached(include_str!("sql/doubt_summary.sql"))?;
    let mut rows = statement.query(named_params! {":cohorts": json_array(&ids)})?;
    let mut issues = Vec::new();
    while let Some(row) = rows.next()? {
        let code: String = row.get("code")?;
        let (runs, factor): (i64, f64) = (row.get("runs")?, row.get("factor")?);
        let (name, against): (String, String) = (row.get("name")?, row.get("against")?);
        let times = if factor >= 1.0 {
            format!("{factor:.0}× larger")
        } else {
            format!("{:.0}× smaller", 1.0 / factor)
        };
        let (message, hint) = if code == UNIT {
            // `against` is a reading's key: digest, name, declared facts.
            let other = against.split(' ').nth(1).unwrap_or(&against).to_owned();
            (
                format!(
                    "{runs} figures of `{name}` are about {times} than those of `{other}` on the same hardware: the unit is doubted and they hold no record"
                ),
                "if the figures are not in milliseconds, import the file again with `--unit s|ms|us|ns`",
            )
        } else if code == MARKED {
            (
                format!(
                    "`{name}` itself marks {runs} of its runs as too fast to believe (`excessive_speedup`): no record is theirs"
                ),
                "`kidx audit --rule MARKED_EXCESSIVE` shows them; `kidx acknowledge RUN --reason TEXT` lifts it",
            )
        } else if code == hard::CODE {
            (
                format!(
                    "{runs} figures of `{name}` are below what the hardware can do (the first is {factor:.2}× {against}): they hold no record"
                ),
                "`kidx audit --rule BELOW_HARD` shows them; `kidx acknowledge RUN --reason TEXT` lifts it",
            )
        } else {
            (
                format!(
                    "{runs} figures of `{name}` don't fit their workload (the first is {factor:.2}× {against}): the shapes are doubted and they hold no record"
                ),
                "if the file timed another version of the suite, say which with `--suite-version`",
            )
        };
        issues.push(Issue {
            severity: Severity::Warning,
            code,
            place: Place::default(),
            message,
            hint: Some(hint.to_owned()),
            rejects: 0,
        });
    }
    Ok(issues)
}
