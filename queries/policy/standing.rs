//! Which run of one implementation in one cohort stands; the others are its history
//! and `SUPERSEDED`.
//!
//! The newest observation stands, whether faster or slower: a record is what was
//! last measured, not the luckiest day.

use std::cmp::Ordering;

use super::observation::Basis;

/// One run of the implementation in the cohort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// Observation instant, `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SSZ`; an undated run
    /// counts as the oldest.
    pub observed: Option<&'a str>,
    /// What the instant rests on.
    pub basis: Option<Basis>,
    /// Primary statistic, less being better; a run without one comes last.
    pub value: Option<i64>,
    /// Digest of the run.
    pub digest: &'a str,
}

/// Orders runs so that the one that stands comes first: later instant, then stronger
/// basis, then lower latency, then digest. Total, if digests differ.
pub fn order(a: &Candidate<'_>, b: &Candidate<'_>) -> Ordering {
    let latency = |run: &Candidate<'_>| run.value.unwrap_or(i64::MAX);
    b.observed
        .cmp(&a.observed)
        .then_with(|| b.basis.cmp(&a.basis))
        .then_with(|| latency(a).cmp(&latency(b)))
        .then_with(|| a.digest.cmp(b.digest))
}

/// Position of the run that stands; `None` if there is none.
pub fn standing(runs: &[Candidate<'_>]) -> Option<usize> {
    (0..runs.len()).min_by(|a, b| order(&runs[*a], &runs[*b]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: Candidate<'static> = Candidate {
        observed: Some("2025-07-21"),
        basis: Some(Basis::Git),
        value: Some(100),
        digest: "b",
    };

    #[test]
    fn each_tie_is_broken_by_the_next_rule() {
        for (what, other, other_stands) in [
            (
                "later, though slower",
                Candidate {
                    observed: Some("2025-12-31"),
                    value: Some(900),
                    ..RUN
                },
                true,
            ),
            (
                "later the same day",
                Candidate {
                    observed: Some("2025-07-21T08:00:00Z"),
                    ..RUN
                },
                true,
            ),
            (
                "earlier, though faster",
                Candidate {
                    observed: Some("2025-01-01"),
                    value: Some(1),
                    ..RUN
                },
                false,
            ),
            (
                "undated",
                Candidate {
                    observed: None,
                    basis: None,
                    ..RUN
                },
                false,
            ),
            (
                "stronger basis, though slower",
                Candidate {
                    basis: Some(Basis::Declared),
                    value: Some(900),
                    ..RUN
                },
                true,
            ),
            (
                "weaker basis",
                Candidate {
                    basis: Some(Basis::FileTime),
                    value: Some(1),
                    ..RUN
                },
                false,
            ),
            (
                "lower latency",
                Candidate {
                    value: Some(99),
                    digest: "c",
                    ..RUN
                },
                true,
            ),
            (
                "no figure",
                Candidate {
                    value: None,
                    digest: "a",
                    ..RUN
                },
                false,
            ),
            ("smaller digest", Candidate { digest: "a", ..RUN }, true),
        ] {
            assert_eq!(
                standing(&[RUN, other]),
                Some(usize::from(other_stands)),
                "{what}"
            );
            assert_eq!(
                standing(&[other, RUN]),
                Some(usize::from(!other_stands)),
                "{what}, turned"
            );
        }
        assert_eq!(standing(&[]), None);
    }
}
