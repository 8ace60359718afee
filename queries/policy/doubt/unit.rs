//! `unit-v1`: is a reading in the unit it was taken to be in?
//!
//! Readings of one suite on one hardware product are compared by twos over the
//! problems both have, unless they are known to be of different sizes. A median ratio of
//! 200 or more is no difference between implementations, but the wrong power of a thousand. Of two that disagree, the doubted one has fewer
//! agreeing readings; among equals the one farther from what the suite's timings
//! usually are; then the larger digest. A stated unit is never doubted.

use std::collections::BTreeMap;

use super::median;

/// Name of the policy.
pub const ID: &str = "unit-v1";

/// Median ratio from which two readings disagree.
pub const DISAGREE: f64 = 200.0;

/// Problems that two readings must share, unless one of them has fewer.
const MIN_SHARED: usize = 2;

/// Three milliseconds: the middle of the suite's published timings.
const USUAL_PS: f64 = 3e9;

/// One reading of a suite on one product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading<'a> {
    /// Digest of what was read.
    pub digest: &'a str,
    /// Whether the unit was stated by the input or the user.
    pub unit_declared: bool,
    /// Mean by problem; figures that aren't positive are ignored.
    pub means: BTreeMap<&'a str, Mean<'a>>,
}

/// A figure, and of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mean<'a> {
    /// Picoseconds.
    pub ps: i64,
    /// The workload; `None` if its shapes are unknown.
    pub workload: Option<&'a str>,
}

impl Mean<'_> {
    /// Whether two figures under one name are of different sizes.
    fn differs(&self, other: &Self) -> bool {
        self.workload
            .zip(other.workload)
            .is_some_and(|(own, other)| own != other)
    }
}

/// A reading whose unit is doubted.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitDoubt<'a> {
    /// Digest of the doubted reading.
    pub reading: &'a str,
    /// Digest of the reading it was held against.
    pub against: &'a str,
    /// Median ratio of its figures to those (`0.001`: a thousand times faster).
    pub factor: f64,
    /// How many problems that median is over.
    pub shared: usize,
}

/// The doubted readings by digest, each with the strongest witness against it: the
/// one that most others agree with.
pub fn doubts<'a>(readings: &[Reading<'a>]) -> Vec<UnitDoubt<'a>> {
    let count = readings.len();
    let pairs: Vec<Pair> = (0..count)
        .flat_map(|a| (a + 1..count).map(move |b| (a, b)))
        .filter_map(|(a, b)| compare(readings, a, b))
        .collect();

    let mut agreeing = vec![0_usize; count];
    for pair in pairs.iter().filter(|pair| !pair.disagrees()) {
        agreeing[pair.a] += 1;
        agreeing[pair.b] += 1;
    }

    let mut doubted: BTreeMap<&str, (usize, UnitDoubt<'a>)> = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| pair.disagrees()) {
        let Some((loser, witness)) = judge(readings, &agreeing, pair) else {
            continue;
        };
        let doubt = UnitDoubt {
            reading: readings[loser].digest,
            against: readings[witness].digest,
            factor: if loser == pair.a {
                pair.ratio
            } else {
                1.0 / pair.ratio
            },
            shared: pair.shared,
        };
        let support = agreeing[witness];
        let known = doubted.get(doubt.reading);
        if known.is_none_or(|(other, known)| {
            support > *other || (support == *other && doubt.against < known.against)
        }) {
            doubted.insert(doubt.reading, (support, doubt));
        }
    }
    doubted.into_values().map(|(_, doubt)| doubt).collect()
}

/// Two readings with enough in common.
struct Pair {
    a: usize,
    b: usize,
    /// Median of a's figures over b's.
    ratio: f64,
    shared: usize,
}

impl Pair {
    fn disagrees(&self) -> bool {
        self.ratio >= DISAGREE || self.ratio <= 1.0 / DISAGREE
    }
}

fn compare(readings: &[Reading<'_>], a: usize, b: usize) -> Option<Pair> {
    let (left, right) = (&readings[a].means, &readings[b].means);
    let ratios: Vec<f64> = left
        .iter()
        .filter_map(|(problem, mean)| Some((*mean, *right.get(problem)?)))
        .filter(|(own, other)| own.ps > 0 && other.ps > 0 && !own.differs(other))
        .map(|(own, other)| own.ps as f64 / other.ps as f64)
        .collect();
    let shared = ratios.len();
    let enough = MIN_SHARED.min(left.len()).min(right.len());
    let ratio = median(ratios).filter(|_| shared >= enough)?;
    Some(Pair {
        a,
        b,
        ratio,
        shared,
    })
}

/// The doubted one of a disagreeing pair and its witness; `None` if both state their
/// unit.
fn judge(readings: &[Reading<'_>], agreeing: &[usize], pair: &Pair) -> Option<(usize, usize)> {
    let (a, b) = (pair.a, pair.b);
    let first_loses = match (readings[a].unit_declared, readings[b].unit_declared) {
        (true, true) => return None,
        (true, false) => false,
        (false, true) => true,
        (false, false) => agreeing[a]
            .cmp(&agreeing[b])
            .then_with(|| unusual(&readings[b]).total_cmp(&unusual(&readings[a])))
            .then_with(|| readings[b].digest.cmp(readings[a].digest))
            .is_lt(),
    };
    Some(if first_loses { (a, b) } else { (b, a) })
}

/// How far, as a factor on a log scale, a reading's own median is from the usual.
fn unusual(reading: &Reading<'_>) -> f64 {
    let means = reading.means.values().filter(|mean| mean.ps > 0);
    median(means.map(|mean| mean.ps as f64).collect())
        .map_or(f64::INFINITY, |own| (own / USUAL_PS).ln().abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading<'a>(
        digest: &'a str,
        unit_declared: bool,
        means_us: &[(&'a str, i64)],
    ) -> Reading<'a> {
        Reading {
            digest,
            unit_declared,
            means: means_us
                .iter()
                .map(|(problem, us)| {
                    let ps = us * 1_000_000;
                    (*problem, Mean { ps, workload: None })
                })
                .collect(),
        }
    }

    fn ms(digest: &str) -> Reading<'_> {
        reading(digest, false, &[("1", 2_810), ("2", 4_610), ("3", 900)])
    }

    /// Seconds taken as milliseconds: a thousand times too fast.
    fn seconds(digest: &str) -> Reading<'_> {
        reading(digest, false, &[("1", 3), ("2", 13)])
    }

    #[test]
    fn who_is_doubted() {
        let declared = Reading {
            unit_declared: true,
            ..seconds("s")
        };
        let micro = reading("u", false, &[("1", 2_810_000), ("2", 4_610_000)]);
        let one = reading("o", false, &[("1", 3)]);
        let elsewhere = reading("e", false, &[("7", 3), ("8", 3)]);
        let half_shared = reading("h", false, &[("1", 3), ("8", 3)]);
        let far = reading("f", false, &[("1", 3), ("2", 3)]);
        for (what, readings, expected) in [
            (
                "seconds beside ms",
                vec![ms("m"), seconds("s")],
                vec![("s", "m")],
            ),
            ("µs beside ms", vec![micro, ms("m")], vec![("u", "m")]),
            (
                "one problem is all it has",
                vec![ms("m"), one],
                vec![("o", "m")],
            ),
            ("nothing shared", vec![ms("m"), elsewhere], vec![]),
            ("too little shared", vec![ms("m"), half_shared], vec![]),
            (
                "a stated unit holds",
                vec![ms("m"), declared.clone()],
                vec![("m", "s")],
            ),
            (
                "both stated",
                vec![
                    Reading {
                        unit_declared: true,
                        ..ms("m")
                    },
                    declared,
                ],
                vec![],
            ),
            (
                "the many against one",
                vec![seconds("s"), seconds("t"), ms("m")],
                vec![("m", "s")],
            ),
            (
                "each held against the best supported",
                vec![seconds("s"), ms("m"), ms("n"), ms("l")],
                vec![("s", "l")],
            ),
            (
                "equals and equally far",
                vec![
                    far,
                    reading("g", false, &[("1", 3_000_000), ("2", 3_000_000)]),
                ],
                vec![("g", "f")],
            ),
            (
                "a slow implementation",
                vec![
                    ms("m"),
                    reading("w", false, &[("1", 281_000), ("2", 461_000)]),
                ],
                vec![],
            ),
            ("alone", vec![seconds("s")], vec![]),
        ] {
            let found: Vec<_> = doubts(&readings)
                .iter()
                .map(|d| (d.reading, d.against))
                .collect();
            assert_eq!(found, expected, "{what}");
            let turned: Vec<_> = readings.into_iter().rev().collect();
            let found: Vec<_> = doubts(&turned)
                .iter()
                .map(|d| (d.reading, d.against))
                .collect();
            assert_eq!(found, expected, "{what}, turned");
        }
    }

    /// The suite grew its sizes under the same names: that is no other unit.
    #[test]
    fn other_sizes_are_not_compared() {
        let sized = |digest, us, size| {
            let mut reading = reading(digest, false, &[("1", us), ("2", us), ("3", us)]);
            for mean in reading.means.values_mut() {
                mean.workload = size;
            }
            reading
        };
        let old = sized("a", 10, Some("128x64"));
        for (new, expected) in [
            (sized("b", 2_100, Some("1024x8192")), 0),
            (sized("b", 2_100, Some("128x64")), 1),
            (sized("b", 2_100, None), 1),
        ] {
            assert_eq!(doubts(&[old.clone(), new]).len(), expected);
        }
    }

    #[test]
    fn the_factor_is_the_doubted_readings() {
        let found = doubts(&[ms("m"), seconds("s")]);
        assert_eq!(found[0].shared, 2);
        assert!(found[0].factor < 1.0 / 200.0, "{}", found[0].factor);
        let micro = reading("u", false, &[("1", 2_810_000), ("2", 4_610_000)]);
        let found = doubts(&[ms("m"), micro]);
        assert!((found[0].factor - 1000.0).abs() < 1e-6);
    }
}
