//! Rules about one run alone or beside the baseline of its cohort.

use std::collections::HashMap;

use rusqlite::Connection;

use super::board::Board;
use super::{Draft, Reach, Seen};
use crate::cohorts::Cohort;
use crate::entities::Run;
use crate::error::Result;
use crate::floors;
use crate::policy::audit::spread::Impossible;
use crate::policy::audit::weak::Weak;
use crate::policy::audit::{Code, excess, launch, peak, spread, weak};
use crate::policy::floor::{Floor, Verdict};
use crate::policy::interval::Stats;
use crate::policy::{Ns, roofline};
use crate::units;

/// What one rule says about a run.
pub(super) struct Said {
    pub(super) code: Code,
    pub(super) saw: Seen,
    pub(super) against: Seen,
    pub(super) factor: Option<f64>,
}

/// The rules that need nothing beyond the run's cohort and its floor under roofline-v2, as
/// records are marked with them.
pub fn codes(cohort: &Cohort, run: &Run, floor: Option<&Floor>, known: &[Weak]) -> Vec<Code> {
    let mut codes: Vec<Code> = own(cohort, run, floor)
        .into_iter()
        .map(|said| said.code)
        .collect();
    codes.extend(weak_problem(cohort, known).map(|_| Code::WeakProblem));
    codes.sort_unstable();
    codes
}

pub(super) fn drafts(connection: &Connection, board: &Board) -> Result<Vec<Draft>> {
    let mut drafts = Vec::new();
    let doubts = doubts(connection)?;
    for (at, cohort, run) in board.runs() {
        let mut said = own(cohort, run, floors::figures(cohort, run).as_ref());
        // What was derived decides who leads; figures that a user gave don't.
        said.retain(|said| said.code != Code::BelowHard);
        said.extend(
            doubts
                .get(&run.id)
                .into_iter()
                .flatten()
                .filter_map(|doubt| doubted(run, doubt)),
        );
        drafts.extend(said.into_iter().map(|said| Draft {
            code: said.code,
            at,
            saw: said.saw,
            against: said.against,
            factor: said.factor,
            reach: Reach::Run,
        }));
    }
    drafts.extend(weak_problems(board)?);
    Ok(drafts)
}

fn own(cohort: &Cohort, run: &Run, floor: Option<&Floor>) -> Vec<Said> {
    let mut said = trials(run);
    if !run.metric.is_latency() {
        // Floors, launches and baselines are about times.
        return said;
    }
    if let Some(floor) = floor {
        said.extend(against_floor(cohort, run, floor));
    }
    said.extend(beside_baseline(cohort, run));
    let floor_ps = floor.and_then(|floor| floor.floor_ns).map(Ns::ps);
    if launch::is_bound(run.value, floor_ps) {
        said.push(Said {
            code: Code::LaunchBound,
            saw: mean(run),
            against: Seen::time("what a launch and its timing take", launch::LAUNCH_PS),
            factor: over(run.value, launch::LAUNCH_PS),
        });
    }
    said
}

fn mean(run: &Run) -> Seen {
    let what = match run.samples {
        Some(samples) => format!("mean of {samples}"),
        None => "mean".to_owned(),
    };
    Seen::time(what, run.value)
}

fn over(own: i64, other: i64) -> Option<f64> {
    (other > 0).then(|| own as f64 / other as f64)
}

fn against_floor(cohort: &Cohort, run: &Run, floor: &Floor) -> Vec<Said> {
    let mut said = Vec::new();
    if let (Some(hard), Some(factor)) = (floor.hard_ns, roofline::below_hard(floor, run.value)) {
        said.push(Said {
            code: Code::BelowHard,
            saw: mean(run),
            against: Seen::time("hard floor", hard.ps()),
            factor: Some(factor),
        });
    }
    if let Some(fused) = floor.floor_ns
        && floor.verdict == Some(Verdict::BelowFusedUnexplained)
    {
        said.push(Said {
            code: Code::BelowFusedUnexplained,
            saw: mean(run),
            against: Seen::time("fused floor", fused.ps()),
            factor: over(run.value, fused.ps()),
        });
    }
    let rate = match peak::above(floor, run.value, run.resolution) {
        Some(peak::Above::Bandwidth(times)) => cohort.peaks.bandwidth_gbs.map(|gbs| {
            let figure = |what: &str, gbs: f64| Seen {
                unit: "GB/s",
                text: format!("{gbs:.0} GB/s"),
                ..Seen::ratio(what, gbs)
            };
            (
                times,
                figure("bytes that must move, a second", gbs * times),
                figure("DRAM peak", gbs),
            )
        }),
        Some(peak::Above::Compute(times)) => Some((
            times,
            Seen::ratio("matrix work a second over the peak", times),
            Seen::ratio("dense peak", 1.0),
        )),
        None => None,
    };
    said.extend(rate.map(|(times, saw, against)| Said {
        code: Code::AbovePeak,
        saw,
        against,
        factor: Some(times),
    }));
    said
}

/// What the stated statistics say.
fn trials(run: &Run) -> Vec<Said> {
    let stats = Stats {
        value: run.value,
        std: run.std,
        min: run.min,
        samples: run.samples,
        stated: run.stated,
    };
    let std = || Seen::time("standard deviation", run.std.unwrap_or_default());
    let mut said = Vec::new();
    if run.stats_contradict() {
        let (what, other) = match (run.min, run.max) {
            (Some(min), _) if min > run.value => ("fastest trial", min),
            (_, Some(max)) => ("slowest trial", max),
            (min, None) => ("fastest trial", min.unwrap_or_default()),
        };
        said.push(Said {
            code: Code::StatsContradict,
            saw: mean(run),
            against: Seen::time(what, other),
            factor: over(run.value, other),
        });
    }
    if spread::zero(&stats) {
        said.push(Said {
            code: Code::ZeroSpread,
            saw: std(),
            against: mean(run),
            factor: None,
        });
    }
    if let Some(bound) = spread::impossible(&stats, run.max, run.resolution) {
        let (what, bound) = match bound {
            Impossible::TooLarge(bound) => ("most that its trials allow", bound),
            Impossible::TooSmall(bound) => ("least that its trials cause", bound),
        };
        let bound_ps = Ns::from_ns(bound / 1e3).map_or(0, Ns::ps);
        said.push(Said {
            code: Code::SpreadImpossible,
            saw: std(),
            against: Seen::time(what, bound_ps),
            factor: run.std.and_then(|std| over(std, bound_ps)),
        });
    }
    if let Some(share) = spread::noisy(&stats) {
        let percent = |what: &str, share: f64| Seen {
            text: units::share(share),
            ..Seen::ratio(what, share)
        };
        said.push(Said {
            code: Code::Noisy,
            saw: percent("standard deviation over mean", share),
            against: percent("bound", spread::NOISE),
            factor: Some(share / spread::NOISE),
        });
    }
    said
}

fn beside_baseline(cohort: &Cohort, run: &Run) -> Vec<Said> {
    let Some(baseline) = cohort.baseline().filter(|_| !run.is_baseline()) else {
        return Vec::new();
    };
    let held = || {
        Seen::time(
            format!("baseline, {}", baseline.implementation.name),
            baseline.value,
        )
        .of(baseline.id_text())
    };
    let mut said = Vec::new();
    // A doubted unit or shape says already why the two don't compare.
    if let Some(times) = excess::too_fast(&baseline.figure(), &run.figure())
        && run.doubts.is_empty()
    {
        said.push(Said {
            code: Code::SpeedupOver10,
            saw: mean(run),
            against: held(),
            factor: Some(times),
        });
    }
    let stands = || {
        cohort
            .standings
            .iter()
            .any(|standing| standing.run.id == run.id)
    };
    if let Some(times) = excess::slower(&baseline.figure(), &run.figure())
        && run.implementation.interface.starts_with("torch_compile")
        && stands()
    {
        said.push(Said {
            code: Code::CompileRegression,
            saw: mean(run),
            against: held(),
            factor: Some(times),
        });
    }
    said
}

/// A row of `doubt`.
struct Doubt {
    code: String,
    factor: f64,
    against: String,
}

fn doubts(connection: &Connection) -> Result<HashMap<i64, Vec<Doubt>>> {
    let mut statement = connection.prepare_cached(include_str!("doubts.sql"))?;
    let mut rows = statement.query([])?;
    let mut doubts: HashMap<i64, Vec<Doubt>> = HashMap::new();
    while let Some(row) = rows.next()? {
        doubts
            .entry(row.get("measurement_id")?)
            .or_default()
            .push(Doubt {
                code: row.get("code")?,
                factor: row.get("factor")?,
                against: row.get("against")?,
            });
    }
    Ok(doubts)
}

/// What the file derived about a run.
fn doubted(run: &Run, doubt: &Doubt) -> Option<Said> {
    let code = doubt.code.parse().ok()?;
    let what = match code {
        // A reading's key: digest, name, declared facts.
        Code::UnitDoubted => {
            let file = doubt.against.split(' ').nth(1).unwrap_or(&doubt.against);
            format!("at the ratio of {file}")
        }
        Code::BelowHard => "hard floor".to_owned(),
        _ => doubt.against.clone(),
    };
    let other = Ns::from_ns(Ns::from_ps(run.value).ns() / doubt.factor).map_or(0, Ns::ps);
    Some(Said {
        code,
        saw: mean(run),
        against: Seen::time(what, other),
        factor: Some(doubt.factor),
    })
}

fn weak_problem<'a>(cohort: &Cohort, known: &'a [Weak]) -> Option<&'a Weak> {
    weak::of(
        known,
        &cohort.operation.suite,
        &cohort.level_key,
        &cohort.file,
        cohort.is_current && cohort.workload.shapes_known,
    )
}

/// One finding an operation, about the first record of it.
fn weak_problems(board: &Board) -> Result<Vec<Draft>> {
    let known = weak::known()?;
    let mut drafts: Vec<Draft> = Vec::new();
    for (at, cohort) in board.cohorts() {
        let reach = Reach::Operation(cohort.operation_id);
        if drafts.iter().any(|draft| draft.reach == reach) {
            continue;
        }
        let leader = cohort
            .leader()
            .and_then(|leader| board.place(at, &leader.run));
        drafts.extend(
            weak_problem(cohort, &known)
                .zip(leader)
                .map(|(weak, at)| Draft {
                    code: Code::WeakProblem,
                    at,
                    saw: Seen::words("weakness", &weak.why),
                    against: Seen::words(format!("reported {}", weak.date), &weak.source),
                    factor: None,
                    reach,
                }),
        );
    }
    Ok(drafts)
}
