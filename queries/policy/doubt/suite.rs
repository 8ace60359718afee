//! `suite-v1`: do the figures of one file contradict the suite version that it would
//! be read under?
//!
//! A file whose problems are named as in a version may still have measured smaller
//! shapes. Then many of its rows are faster than that version's inputs can be read
//! from DRAM. Files that did measure the version have no row below that time; those
//! of the earlier sizes have 13 to 38 % of theirs below half of it.

/// Name of the policy.
pub const ID: &str = "suite-v1";

/// Rows that must lie below: one or two may be wrong in themselves.
const MIN_ROWS: usize = 3;

/// Rows below, one in this many of those that have a bound.
const ONE_IN: usize = 50;

/// One row of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Mean, in picoseconds.
    pub value: i64,
    /// Time the version's declared inputs take at the device's DRAM peak, in
    /// picoseconds; `None` where the problem or the device is unknown.
    pub bound_ps: Option<i64>,
}

/// What the figures say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Witness {
    /// Rows that have a bound.
    pub bounded: usize,
    /// Those below half of it.
    pub below: usize,
}

impl Witness {
    /// Whether the file can't have measured this version: three rows and 2 % of those
    /// with a bound lie below half of it.
    pub const fn contradicts(self) -> bool {
        self.below >= MIN_ROWS && self.below.saturating_mul(ONE_IN) >= self.bounded
    }
}

/// Holds each row against its bound. Half of it leaves room for inputs that stay in
/// the cache and for peaks that are a little high.
pub fn witness(rows: impl IntoIterator<Item = Row>) -> Witness {
    let mut witness = Witness::default();
    for row in rows {
        let Some(bound_ps) = row.bound_ps else {
            continue;
        };
        witness.bounded += 1;
        witness.below += usize::from(row.value < bound_ps / 2);
    }
    witness
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradictions() {
        for (what, below, above, unbounded, expected) in [
            ("nothing known", 0, 0, 250, false),
            ("all above", 0, 250, 0, false),
            ("two rows of few", 2, 3, 0, false),
            ("three rows of few", 3, 3, 0, true),
            ("three of 150", 3, 147, 0, true),
            ("three of 250", 3, 247, 0, false),
            ("five of 250", 5, 245, 0, true),
            ("unbounded rows don't count", 3, 147, 1_000, true),
        ] {
            let row = |value, bound_ps| Row { value, bound_ps };
            let rows = std::iter::repeat_n(row(49, Some(100)), below)
                .chain(std::iter::repeat_n(row(50, Some(100)), above))
                .chain(std::iter::repeat_n(row(1, None), unbounded));
            let found = witness(rows);
            assert_eq!(
                found,
                Witness {
                    bounded: below + above,
                    below
                }
            );
            assert_eq!(found.contradicts(), expected, "{what}");
        }
    }
}
