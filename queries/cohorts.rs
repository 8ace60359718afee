//! Cohorts with the runs that stand in them: what most questions start from.

use std::cmp::Ordering;
use std::str::FromStr;
use std::sync::Arc;

use rusqlite::{Connection, named_params};

use crate::entities::{Environment, Hardware, Operation, Peaks, Protocol, Run, Workload};
use crate::error::{Error, Result};
use crate::filter::Selection;
use crate::hash::Map;
use crate::metric::Metric;
use crate::parts::Parts;
use crate::policy::eligibility::{self, Reason};
use crate::policy::observation::{self, Basis, Sighting};
use crate::policy::ranking;
use crate::policy::roofline;
use crate::policy::standing::{self, Candidate};
use crate::rows::{self, Columns, Fields, Hex};
use crate::view::View;
use crate::work::Work;

/// What may be compared, and what stands in it.
#[derive(Debug, Clone)]
pub struct Cohort {
    /// Row.
    pub id: i64,
    /// Content digest.
    pub digest: String,
    /// What is measured.
    pub metric: Arc<Metric>,
    /// Row of the operation.
    pub operation_id: i64,
    /// Digest of the operation.
    pub operation_digest: Arc<str>,
    /// What is computed.
    pub operation: Arc<Operation>,
    /// Level key as the suite writes it.
    pub level_key: Arc<str>,
    /// File name of the problem.
    pub file: Arc<str>,
    /// Whether the operation is the suite's own today.
    pub is_current: bool,
    /// Row of the workload.
    pub workload_id: i64,
    /// With every axis bound.
    pub workload: Arc<Workload>,
    /// Every declared input once.
    pub input_bytes: Option<i64>,
    /// What the module moves and computes; `None`: unknown.
    pub work: Option<Arc<Work>>,
    /// Product.
    pub hardware: Arc<Hardware>,
    /// Its peaks.
    pub peaks: Arc<Peaks>,
    /// Where.
    pub environment: Arc<Environment>,
    /// How.
    pub protocol: Arc<Protocol>,
    /// Runs that stand, best first: all, or those that were asked for.
    pub standings: Vec<Standing>,
    /// How many stand, where `standing` or `leading` looked.
    pub eligible: usize,
}

/// A run that stands in its cohort.
#[derive(Debug, Clone)]
pub struct Standing {
    /// The run.
    pub run: Run,
    /// Dense rank.
    pub rank: u32,
    /// Whether another run shares the rank.
    pub tied: bool,
}

impl Cohort {
    /// Who leads, if anyone is eligible.
    pub fn leader(&self) -> Option<&Standing> {
        self.standings.first()
    }

    /// The designated baseline's standing run.
    pub fn baseline(&self) -> Option<&Run> {
        self.standings
            .iter()
            .map(|standing| &standing.run)
            .find(|run| run.is_baseline())
    }

    /// Whether the designated baseline shares the first rank.
    pub fn unbeaten(&self) -> bool {
        self.standings
            .iter()
            .any(|standing| standing.rank == 1 && standing.run.is_baseline())
    }

    /// Order of listings: suite, level, problem, then the workload's axes, product,
    /// provider, digest.
    pub fn listing_order(&self, other: &Self) -> Ordering {
        fn key(cohort: &Cohort) -> impl Ord + '_ {
            let operation = &cohort.operation;
            (
                &operation.suite,
                operation.level.unwrap_or(i64::MAX),
                &cohort.level_key,
                operation.problem.unwrap_or(i64::MAX),
                &cohort.file,
                &cohort.operation_digest,
            )
        }
        fn place(cohort: &Cohort) -> impl Ord + '_ {
            let environment = &cohort.environment;
            (&cohort.hardware.id, &environment.provider, &cohort.digest)
        }
        key(self)
            .cmp(&key(other))
            .then_with(|| by_axes(&self.workload, &other.workload))
            .then_with(|| place(self).cmp(&place(other)))
    }
}

/// Workloads of one operation by their axes in turn, sizes by their size.
pub fn by_axes(a: &Workload, b: &Workload) -> Ordering {
    if a.digest == b.digest {
        return Ordering::Equal;
    }
    let mut axes = a.axes.iter().zip(b.axes.iter());
    let differs = axes.find_map(|((name, value), (other_name, other))| {
        let order = name
            .cmp(other_name)
            .then_with(|| match (value.as_i64(), other.as_i64()) {
                (Some(size), Some(other)) => size.cmp(&other),
                _ => value.to_string().cmp(&other.to_string()),
            });
        (order != Ordering::Equal).then_some(order)
    });
    differs
        .unwrap_or_else(|| a.axes.len().cmp(&b.axes.len()))
        .then_with(|| a.digest.cmp(&b.digest))
}

/// The cohorts a selection names, in listing order, each with what stands in it under
/// the view. Cohorts without an eligible run are left out.
pub fn standing(
    connection: &Connection,
    selection: &Selection,
    view: &View,
) -> Result<Vec<Cohort>> {
    stand(connection, selection, view, false)
}

/// The same with no more than what a record is told by: who shares the first rank, and the
/// designated baseline. Under a limited view the others may be there too.
pub fn leading(connection: &Connection, selection: &Selection, view: &View) -> Result<Vec<Cohort>> {
    stand(connection, selection, view, true)
}

fn stand(
    connection: &Connection,
    selection: &Selection,
    view: &View,
    leading: bool,
) -> Result<Vec<Cohort>> {
    let ids = selection.cohorts(connection)?;
    let mut cohorts = load(connection, &ids)?;
    if view.is_limited(connection)? {
        ranked_under(connection, &ids, view, &mut cohorts)?;
    } else {
        kept(connection, &mut cohorts, leading)?;
    }
    cohorts.retain(|cohort| !cohort.standings.is_empty());
    // Cohorts are large, so each is moved once its place is known.
    let mut order: Vec<usize> = (0..cohorts.len()).collect();
    order.sort_by(|a, b| cohorts[*a].listing_order(&cohorts[*b]));
    for place in 0..order.len() {
        let mut at = order[place];
        // What stood at an earlier place has since changed places with what belongs there.
        while at < place {
            at = order[at];
        }
        cohorts.swap(place, at);
    }
    Ok(cohorts)
}

/// What cohorts are, without their runs.
pub fn load(connection: &Connection, ids: &[i64]) -> Result<Vec<Cohort>> {
    let mut statement = connection.prepare_cached(include_str!("cohorts.sql"))?;
    let columns = Columns::of(&statement);
    let mut rows = statement.query(named_params! {":cohorts": rows::json_array(ids)})?;
    let mut parts = Parts::of(connection);
    let mut cohorts = Vec::with_capacity(ids.len());
    let mut metrics: Map<String, Arc<Metric>> = Map::default();
    while let Some(row) = rows.next()? {
        let row = columns.row(row);
        let id = row.field("id")?;
        let digest = row.field("digest")?;
        let key = row.text("metric")?.unwrap_or_default();
        let metric = if let Some(known) = metrics.get(key) {
            Arc::clone(known)
        } else {
            let direction: String = row.field("direction")?;
            let metric = Arc::new(Metric::of(key, &direction, row.field("parts")?)?);
            metrics.insert(key.to_owned(), Arc::clone(&metric));
            metric
        };
        let workload_id = row.field("workload_id")?;
        let what = parts.workload(workload_id)?.clone();
        let place = parts.environment(row.field("environment_id")?)?.clone();
        cohorts.push(Cohort {
            id,
            digest,
            metric,
            operation_id: what.operation_id,
            operation_digest: what.operation_digest,
            operation: what.operation,
            level_key: what.level_key,
            file: what.file,
            is_current: what.is_current,
            workload_id,
            workload: what.workload,
            input_bytes: what.input_bytes,
            work: what.work,
            hardware: place.hardware,
            peaks: place.peaks,
            environment: place.environment,
            protocol: Arc::clone(parts.protocol(row.field("protocol_id")?)?),
            standings: Vec::new(),
            eligible: 0,
        });
    }
    Ok(cohorts)
}

/// The peak columns of a row.
pub(crate) fn peaks(row: &impl Fields) -> Result<Peaks> {
    Ok(Peaks {
        bandwidth_gbs: row.field("bandwidth_gbs")?,
        fp64: row.field("fp64")?,
        fp64_tensor: row.field("fp64_tensor")?,
        fp32: row.field("fp32")?,
        tf32_tensor: row.field("tf32_tensor")?,
        fp16_tensor: row.field("fp16_tensor")?,
        bf16_tensor: row.field("bf16_tensor")?,
        fp8_tensor: row.field("fp8_tensor")?,
        int8_tensor: row.field("int8_tensor")?,
        fp4_tensor: row.field("fp4_tensor")?,
        l2_mib: row.field("l2_mib")?,
        llc_mib: row.field("llc_mib")?,
        clock_ceiling: roofline::clock_ceiling(
            row.field::<Option<String>>("capability")?
                .as_deref()
                .unwrap_or_default(),
            row.field("units")?,
            row.field::<Option<f64>>("boost_mhz")?,
            row.field("fp16_tensor")?,
        ),
        confidence: row.field("confidence")?,
        given: row.field("given")?,
    })
}

/// Standings as imports keep them.
fn kept(connection: &Connection, cohorts: &mut [Cohort], leading: bool) -> Result<()> {
    let ids: Vec<i64> = cohorts.iter().map(|cohort| cohort.id).collect();
    let mut statement = connection.prepare_cached(include_str!("standings.sql"))?;
    let columns = Columns::of(&statement);
    let mut rows = statement.query(named_params! {
        ":cohorts": rows::json_array(&ids),
        ":leading": leading,
    })?;
    // Of the cohort that rows are of just now.
    let mut positions: Vec<i64> = Vec::new();
    let mut parts = Parts::of(connection);
    while let Some(row) = rows.next()? {
        let row = columns.row(row);
        let at: usize = row.field("at")?;
        let cohort = cohorts
            .get_mut(at)
            .ok_or_else(|| Error::Damaged(format!("no cohort at {at}")))?;
        let (position, rank, tied) = (
            row.field("position")?,
            row.field("rank")?,
            row.field("tied")?,
        );
        cohort.eligible = row.field("runs")?;
        let run = run(&row, cohort, &mut parts)?;
        positions.truncate(cohort.standings.len());
        let place = positions.partition_point(|known| *known < position);
        positions.insert(place, position);
        // Runs are wide, and most cohorts are asked for one or two.
        if cohort.standings.len() < 2 {
            cohort.standings.reserve_exact(1);
        }
        cohort.standings.insert(place, Standing { run, rank, tied });
    }
    Ok(())
}

/// Every run of some cohorts, dated by what the view lets in; runs that it doesn't let
/// in are left out.
pub fn runs_under(
    connection: &Connection,
    ids: &[i64],
    view: &View,
    cohorts: &[Cohort],
) -> Result<Vec<Run>> {
    let about: Map<i64, &Cohort> = cohorts.iter().map(|cohort| (cohort.id, cohort)).collect();
    let horizon = view.horizon();
    let mut statement = connection.prepare_cached(include_str!("runs.sql"))?;
    let columns = Columns::of(&statement);
    let mut rows = statement.query(named_params! {
        ":cohorts": rows::json_array(ids),
        ":known_at": view.known_at,
    })?;
    let mut runs = Vec::new();
    let mut parts = Parts::of(connection);
    while let Some(row) = rows.next()? {
        let seen: Vec<(Option<String>, Option<String>)> =
            serde_json::from_str(row.get_ref("observations")?.as_str().unwrap_or("[]"))?;
        if seen.is_empty() {
            continue;
        }
        let dated = seen
            .into_iter()
            .filter_map(|(at, basis)| at.zip(basis))
            .map(|(at, basis)| Ok((at, basis_of(&basis)?)))
            .collect::<Result<Vec<_>>>()?;
        let sightings: Vec<Sighting<'_>> = dated
            .iter()
            .map(|(observed, basis)| Sighting {
                observed,
                basis: *basis,
            })
            .collect();
        let observed = observation::instant(&sightings).map(|s| (s.observed.to_owned(), s.basis));
        // A run of unknown date can't be said to be later than any day.
        if observed.as_ref().is_some_and(|(at, _)| *at > horizon) {
            continue;
        }
        let row = columns.row(row);
        let cohort_id: i64 = row.field("cohort_id")?;
        let cohort = about
            .get(&cohort_id)
            .ok_or_else(|| Error::Damaged(format!("run of an unknown cohort {cohort_id}")))?;
        runs.push(Run {
            observed,
            doubts: row
                .text("doubts")?
                .map(|codes| codes.split(',').map(str::to_owned).collect())
                .unwrap_or_default(),
            retracted: row.field("retracted")?,
            ..run(&row, cohort, &mut parts)?
        });
    }
    Ok(runs)
}

fn ranked_under(
    connection: &Connection,
    ids: &[i64],
    view: &View,
    cohorts: &mut [Cohort],
) -> Result<()> {
    let mut by_cohort: Map<i64, Vec<Run>> = Map::default();
    for run in runs_under(connection, ids, view, cohorts)? {
        if reasons(&run, false).is_empty() {
            by_cohort.entry(run.cohort_id).or_default().push(run);
        }
    }
    for cohort in cohorts {
        cohort.standings = rank(by_cohort.remove(&cohort.id).unwrap_or_default());
        cohort.eligible = cohort.standings.len();
    }
    Ok(())
}

/// Why a run may not hold a record; empty: it may.
pub fn reasons(run: &Run, superseded: bool) -> Vec<Reason> {
    let doubted = |code: &str| run.doubts.iter().any(|doubt| doubt == code);
    eligibility::reasons(&eligibility::Facts {
        status: &run.status,
        retracted: run.retracted,
        superseded,
        has_primary: run.has_figure,
        hardware_known: true,
        stats_contradict: run.stats_contradict(),
        unit_doubted: doubted("UNIT_DOUBTED"),
        shape_doubted: doubted("SHAPE_DOUBTED"),
        marked_excessive: doubted("MARKED_EXCESSIVE"),
        below_hard: doubted("BELOW_HARD"),
    })
}

/// Whether `a` stands rather than `b`, both of one implementation in one cohort.
pub fn stands_before(a: &Run, b: &Run) -> Ordering {
    fn candidate(run: &Run) -> Candidate<'_> {
        Candidate {
            observed: run.observed.as_ref().map(|o| o.0.as_str()),
            basis: run.observed.as_ref().map(|o| o.1),
            value: Some(run.figure().value),
            digest: &run.digest,
        }
    }
    standing::order(&candidate(a), &candidate(b))
}

/// Stands and ranks the eligible runs of one cohort.
pub fn rank(mut runs: Vec<Run>) -> Vec<Standing> {
    runs.sort_by(|a, b| {
        a.implementation
            .digest
            .cmp(&b.implementation.digest)
            .then_with(|| stands_before(a, b))
    });
    runs.dedup_by(|later, first| later.implementation.digest == first.implementation.digest);
    let ranked: Vec<ranking::Run<'_>> = runs
        .iter()
        .map(|run| ranking::Run {
            figure: run.figure(),
            trust: run.trust(),
            observed: run.observed.as_ref().map(|o| o.0.as_str()),
            digest: &run.digest,
        })
        .collect();
    ranking::rank(&ranked)
        .into_iter()
        .map(|place| Standing {
            run: runs[place.index].clone(),
            rank: place.rank,
            tied: place.tied,
        })
        .collect()
}

fn basis_of(text: &str) -> Result<Basis> {
    Basis::from_str(text).map_err(|error| Error::Damaged(error.to_string()))
}

fn run(row: &impl Fields, cohort: &Cohort, parts: &mut Parts<'_>) -> Result<Run> {
    let at: Option<String> = row.field("observed_at")?;
    let basis = row.text("observed_basis")?.map(basis_of).transpose()?;
    let protocol = &cohort.protocol;
    let file_license = row.text("file_license")?.map(|text| parts.concluded(text));
    let value: Option<i64> = row.field("value")?;
    let implementation = Arc::clone(parts.implementation(row.field("implementation_id")?)?);
    let source = parts.source(row.field("source_id")?)?;
    Ok(Run {
        id: row.field("id")?,
        cohort_id: cohort.id,
        digest: row.field::<Hex>("digest")?.0,
        implementation,
        source: Arc::clone(&source.slug),
        status: row.field("status")?,
        metric: Arc::clone(&cohort.metric),
        value: value.unwrap_or_default(),
        has_figure: value.is_some(),
        std: row.field("std")?,
        min: row.field("min")?,
        max: row.field("max")?,
        stated: row
            .field::<Option<i64>>("low")?
            .zip(row.field::<Option<i64>>("high")?),
        samples: row.field("samples")?,
        resolution: row.field("resolution")?,
        observed: at.zip(basis),
        doubts: Vec::new(),
        retracted: false,
        // A licence declared for a file is the one that counts, known or not.
        license: match &file_license {
            Some(own) => own.clone(),
            None => source.module_license.clone(),
        },
        data_license: file_license.unwrap_or_else(|| source.data_license.clone()),
        freshness_days: source.freshness_days,
        shapes_known: cohort.workload.shapes_known,
        protocol_known: protocol.timer.is_some()
            && protocol.warmups.is_some()
            && protocol.cache.is_some(),
        software_known: !cohort.environment.software.is_empty(),
    })
}
