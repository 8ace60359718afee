//! Rules that hold runs of different cohorts against each other.

use std::collections::BTreeMap;

use super::board::Board;
use super::{Draft, Reach, Seen};
use crate::cohorts::Cohort;
use crate::entities::Run;
use crate::policy::audit::{Code, environments, replicates};

/// A place on the board.
type At = (usize, usize);

pub(super) fn drafts(board: &Board) -> Vec<Draft> {
    let mut drafts = environments_disagree(board);
    drafts.extend(replicates_disagree(board));
    drafts.extend(workload_changed(board));
    drafts
}

fn environments_disagree(board: &Board) -> Vec<Draft> {
    // By family: workload and implementation, then where and how they were timed. How may
    // differ: what that usually makes is part of the usual ratio.
    type Setting<'a> = (&'a str, &'a str);
    type Points<'a> = BTreeMap<(i64, &'a str), BTreeMap<Setting<'a>, At>>;
    let mut families: BTreeMap<&str, Points<'_>> = BTreeMap::new();
    for (index, cohort) in board
        .cohorts()
        .filter(|(_, cohort)| cohort.workload.shapes_known)
    {
        let Some(family) = cohort.hardware.family.as_deref() else {
            continue;
        };
        for standing in &cohort.standings {
            let Some(at) = board.place(index, &standing.run) else {
                continue;
            };
            let run = board.run(at);
            families
                .entry(family)
                .or_default()
                .entry((cohort.workload_id, &run.implementation.digest))
                .or_default()
                .insert((&cohort.environment.digest, &cohort.protocol.digest), at);
        }
    }
    let mut drafts = Vec::new();
    for points in families.values() {
        let mut pairs: BTreeMap<(Setting<'_>, Setting<'_>), Vec<(At, At)>> = BTreeMap::new();
        for places in points.values() {
            for (one, first) in places {
                for (other, second) in places.iter().filter(|(other, _)| *other > one) {
                    // The same machine timed differently is no witness against itself.
                    if one.0 != other.0 {
                        pairs
                            .entry((*one, *other))
                            .or_default()
                            .push((*first, *second));
                    }
                }
            }
        }
        for pair in pairs.values() {
            drafts.extend(odd_ones(board, pair));
        }
    }
    drafts
}

/// The odd workloads of two environments; the run that is faster than usual is named.
fn odd_ones(board: &Board, pair: &[(At, At)]) -> Vec<Draft> {
    let ratios: Vec<f64> = pair
        .iter()
        .map(|(first, second)| board.run(*first).value as f64 / board.run(*second).value as f64)
        .collect();
    let finding = |odd: environments::Odd| {
        let (first, second) = pair[odd.index];
        let (at, other, ratio, usual) = if odd.ratio < odd.usual {
            (first, second, odd.ratio, odd.usual)
        } else {
            (second, first, 1.0 / odd.ratio, 1.0 / odd.usual)
        };
        let label = &board.cohort(other).environment.label;
        Draft {
            code: Code::EnvironmentsDisagree,
            at,
            saw: Seen::ratio(format!("time over that on {label}"), ratio),
            against: Seen::ratio(
                format!("usual between the two, over {} runs", pair.len()),
                usual,
            )
            .of(board.run(other).id_text()),
            factor: Some(ratio / usual),
            reach: Reach::Pair(board.run(other).id),
        }
    };
    environments::odd(&ratios)
        .into_iter()
        .map(finding)
        .collect()
}

fn replicates_disagree(board: &Board) -> Vec<Draft> {
    let mut groups: BTreeMap<(i64, &str, &str, &str), Vec<At>> = BTreeMap::new();
    for (at, cohort, run) in board.runs() {
        if cohort.workload.shapes_known && run.doubts.is_empty() && !run.stats_contradict() {
            let key = (
                cohort.workload_id,
                cohort.hardware.id.as_str(),
                cohort.protocol.digest.as_str(),
                run.implementation.digest.as_str(),
            );
            groups.entry(key).or_default().push(at);
        }
    }
    let elsewhere = |a: At, b: At| {
        board.cohort(a).environment.digest != board.cohort(b).environment.digest
            || board.run(a).observed_on() != board.run(b).observed_on()
    };
    let told = |run: &Run, cohort: &Cohort| {
        let day = run
            .observed_on()
            .unwrap_or_else(|| "unknown day".to_owned());
        match &cohort.environment.provider {
            Some(provider) => format!("{provider}, {day}"),
            None => day,
        }
    };
    let seen = |at: At| {
        let run = board.run(at);
        Seen::time(told(run, board.cohort(at)), run.value)
    };
    groups
        .values()
        .filter_map(|group| {
            let figures: Vec<_> = group.iter().map(|at| board.run(*at).figure()).collect();
            let (fast, slow, factor) = replicates::apart(&figures)?;
            let (fast, slow) = (group[fast], group[slow]);
            elsewhere(fast, slow).then(|| Draft {
                code: Code::ReplicatesDisagree,
                at: fast,
                saw: seen(fast),
                against: seen(slow).of(board.run(slow).id_text()),
                factor: Some(1.0 / factor),
                reach: Reach::Pair(board.run(slow).id),
            })
        })
        .collect()
}

/// One finding a problem and product that has records of several definitions.
fn workload_changed(board: &Board) -> Vec<Draft> {
    // Suite, level, file, product.
    type Name<'a> = (&'a str, &'a str, &'a str, &'a str);
    let mut names: BTreeMap<Name<'_>, Vec<(usize, &Run)>> = BTreeMap::new();
    for (index, cohort) in board
        .cohorts()
        .filter(|(_, cohort)| cohort.workload.shapes_known)
    {
        let key = (
            cohort.operation.suite.as_str(),
            &*cohort.level_key,
            &*cohort.file,
            cohort.hardware.id.as_str(),
        );
        if let Some(leader) = cohort.leader() {
            names.entry(key).or_default().push((index, &leader.run));
        }
    }
    let about = |index: usize| board.cohort((index, 0));
    let newness = |(index, run): &(usize, &Run)| {
        let cohort = about(*index);
        (
            cohort.is_current,
            cohort.workload.suite_version.clone(),
            run.observed.as_ref().map(|observed| observed.0.clone()),
            std::cmp::Reverse(run.value),
            run.digest.clone(),
        )
    };
    names
        .values()
        .filter_map(|records| {
            let now = records.iter().max_by_key(|record| newness(record))?;
            let workload = about(now.0).workload_id;
            let before = records
                .iter()
                .filter(|(index, _)| about(*index).workload_id != workload)
                .max_by_key(|record| newness(record))?;
            let seen = |(index, run): &(usize, &Run)| {
                let workload = &about(*index).workload;
                Seen::time(format!("record of {}", workload.summary), run.value)
            };
            let at = board.place(now.0, now.1)?;
            Some(Draft {
                code: Code::WorkloadChanged,
                at,
                saw: seen(now),
                against: seen(before).of(before.1.id_text()),
                factor: Some(now.1.value as f64 / before.1.value as f64),
                reach: Reach::Pair(before.1.id),
            })
        })
        .collect()
}
