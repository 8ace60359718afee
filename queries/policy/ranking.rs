//! `ranking-v1`: eligible runs of one cohort by latency, in dense ranks, where runs
//! that can't be told apart share one.
//!
//! Taken fastest first, a run joins the rank before it only if it ties with every
//! run there: ties aren't transitive, and a chain of small steps must not make the
//! slow end equal to the fast one. Within a rank: higher trust, lower latency, newer
//! observation, digest.

use std::cmp::{Ordering, Reverse};

use super::resolution::Figure;
use super::trust::Trust;

/// Name of the policy.
pub const ID: &str = "ranking-v1";

/// An eligible run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run<'a> {
    /// Latency with its precision.
    pub figure: Figure,
    /// Derived trust.
    pub trust: Trust,
    /// Observation instant, `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SSZ`.
    pub observed: Option<&'a str>,
    /// Digest of the run, the last word on order.
    pub digest: &'a str,
}

/// A run's place in the ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// Position in the input.
    pub index: usize,
    /// Dense rank, 1 for the record.
    pub rank: u32,
    /// Whether the rank is shared, shown as `1=`.
    pub tied: bool,
}

/// The ranking, best first; the same whatever the order of the input.
pub fn rank(runs: &[Run<'_>]) -> Vec<Place> {
    let mut by_latency: Vec<usize> = (0..runs.len()).collect();
    by_latency.sort_by(|a, b| ascending(&runs[*a], &runs[*b]));

    let mut groups: Vec<Vec<usize>> = Vec::new();
    for index in by_latency {
        let figure = &runs[index].figure;
        match groups.last_mut() {
            Some(group) if group.iter().all(|other| runs[*other].figure.ties(figure)) => {
                group.push(index);
            }
            _ => groups.push(vec![index]),
        }
    }

    let mut places = Vec::with_capacity(runs.len());
    for (rank, mut group) in (1..).zip(groups) {
        group.sort_by(|a, b| within_tie(&runs[*a], &runs[*b]));
        let tied = group.len() > 1;
        places.extend(group.into_iter().map(|index| Place { index, rank, tied }));
    }
    places
}

/// Whether the designated baseline is among the runs of rank 1. `is_baseline` is
/// asked by position in the input of [`rank`].
pub fn unbeaten(places: &[Place], is_baseline: impl Fn(usize) -> bool) -> bool {
    places
        .iter()
        .take_while(|place| place.rank == 1)
        .any(|place| is_baseline(place.index))
}

/// The order in which runs are offered a place in a tie. Ranges come before digests,
/// so that the narrower of equal figures is placed first.
fn ascending(a: &Run<'_>, b: &Run<'_>) -> Ordering {
    let key = |run: &Run<'_>| (run.figure.value, run.figure.range().high);
    key(a).cmp(&key(b)).then_with(|| a.digest.cmp(b.digest))
}

fn within_tie(a: &Run<'_>, b: &Run<'_>) -> Ordering {
    let key = |run: &Run<'_>| (Reverse(run.trust), run.figure.value);
    key(a)
        .cmp(&key(b))
        .then_with(|| b.observed.cmp(&a.observed))
        .then_with(|| a.digest.cmp(b.digest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::interval::Interval;
    use super::*;

    fn run(value: i64, half_ps: i64, digest: &str) -> Run<'_> {
        Run {
            figure: Figure {
                value,
                interval: Some(Interval {
                    low: value - half_ps,
                    high: value + half_ps,
                }),
                resolution: 0,
            },
            trust: Trust::Reported,
            observed: None,
            digest,
        }
    }

    /// The ranking as people read it: `1=a 1=b 2c`.
    fn shown(runs: &[Run<'_>]) -> String {
        rank(runs)
            .iter()
            .map(|place| {
                let mark = if place.tied { "=" } else { "" };
                format!("{}{mark}{}", place.rank, runs[place.index].digest)
            })
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn ranks() {
        let mut bare = run(100, 0, "b");
        bare.figure.interval = None;
        let mut coarse = run(109, 0, "a");
        coarse.figure = Figure {
            value: 109,
            interval: None,
            resolution: 5,
        };
        let mut wide = bare;
        wide.figure.resolution = 5;

        for (what, runs, expected) in [
            ("nothing", vec![], ""),
            ("one", vec![run(100, 5, "a")], "1a"),
            ("apart", vec![run(200, 5, "a"), run(100, 5, "b")], "1b 2a"),
            (
                "dense after a tie",
                vec![run(100, 5, "a"), run(105, 5, "b"), run(200, 5, "c")],
                "1=a 1=b 2c",
            ),
            (
                "a chain breaks where the ends part",
                vec![run(100, 5, "a"), run(108, 5, "b"), run(116, 5, "c")],
                "1=a 1=b 2c",
            ),
            (
                "the next chain starts at the break",
                vec![
                    run(100, 5, "a"),
                    run(108, 5, "b"),
                    run(116, 5, "c"),
                    run(124, 5, "d"),
                ],
                "1=a 1=b 2=c 2=d",
            ),
            (
                "no interval: the figure",
                vec![bare, run(104, 5, "c")],
                "1=b 1=c",
            ),
            ("rounding ties", vec![wide, coarse], "1=b 1=a"),
        ] {
            assert_eq!(shown(&runs), expected, "{what}");
        }
    }

    #[test]
    fn order_within_a_tie() {
        let base = run(100, 50, "m");
        for (what, other, expected) in [
            (
                "higher trust, though slower",
                Run {
                    trust: Trust::Reproducible,
                    digest: "z",
                    ..run(110, 50, "")
                },
                "1=z 1=m",
            ),
            ("lower latency", run(99, 50, "z"), "1=z 1=m"),
            (
                "newer",
                Run {
                    observed: Some("2025-01-01"),
                    digest: "z",
                    ..base
                },
                "1=z 1=m",
            ),
            (
                "digest",
                Run {
                    digest: "a",
                    ..base
                },
                "1=a 1=m",
            ),
        ] {
            assert_eq!(shown(&[base, other]), expected, "{what}");
        }
    }

    #[test]
    fn a_baseline_in_the_tie_is_unbeaten() {
        let runs = [run(100, 5, "new"), run(104, 5, "base"), run(200, 5, "slow")];
        let places = rank(&runs);
        assert!(unbeaten(&places, |index| runs[index].digest == "base"));
        assert!(!unbeaten(&places, |index| runs[index].digest == "slow"));
        assert!(!unbeaten(&[], |_| true));
    }

    proptest! {
        #[test]
        fn input_order_never_matters(
            figures in prop::collection::vec((90_i64..120, 0_i64..8, 0_i64..4, 0_usize..3), 0..12),
            seed in any::<u64>(),
        ) {
            let digests: Vec<String> = (0..figures.len()).map(|i| format!("{i:02}")).collect();
            let trusts = [Trust::Reported, Trust::Reproducible, Trust::Replicated];
            let runs: Vec<Run<'_>> = figures.iter().zip(&digests).map(|((latency, half, resolution, trust), digest)| {
                let mut run = run(*latency, *half, digest);
                run.figure.resolution = *resolution;
                run.trust = trusts[*trust];
                run
            }).collect();

            let mut shuffled = runs.clone();
            shuffled.sort_by_key(|run| {
                let index: u64 = run.digest.parse().unwrap();
                (index + 1).wrapping_mul(seed | 1).rotate_left(17)
            });
            prop_assert_eq!(shown(&runs), shown(&shuffled));

            let places = rank(&runs);
            for pair in places.windows(2) {
                prop_assert!(pair[1].rank == pair[0].rank || pair[1].rank == pair[0].rank + 1);
            }
            for (a, b) in places.iter().flat_map(|a| places.iter().map(move |b| (a, b))) {
                if a.rank == b.rank {
                    prop_assert!(runs[a.index].figure.ties(&runs[b.index].figure));
                }
            }
        }
    }
}
