//! When a run was observed: which of its sightings dates it, and how well.
//!
//! A dated sighting says "by then the figure existed". The firmest basis decides, and
//! among equally firm ones the earliest: a figure seen twice was measured before the
//! first time.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an observation date rests on, weakest first: a later variant is the firmer.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Modification time of the file.
    FileTime,
    /// `Last-Modified` of the response it was fetched from.
    HttpLastModified,
    /// The revision that it was read at: an upper bound only.
    Revision,
    /// Author date of the commit that first brought these exact bytes.
    Git,
    /// A timestamp in the data.
    Record,
    /// The user declared it.
    Declared,
}

impl Basis {
    /// Every basis, strongest first.
    pub const ALL: [Self; 6] = [
        Self::Declared,
        Self::Record,
        Self::Git,
        Self::Revision,
        Self::HttpLastModified,
        Self::FileTime,
    ];

    /// The stable name (`http-last-modified`).
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Declared => "declared",
            Self::Record => "record",
            Self::Git => "git",
            Self::Revision => "revision",
            Self::HttpLastModified => "http-last-modified",
            Self::FileTime => "file-time",
        }
    }

    /// Whether a date on this basis may be much later than the measurement.
    pub fn is_weak(self) -> bool {
        self < Self::Git
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no basis.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no basis of an observation date")]
pub struct UnknownBasis(String);

impl FromStr for Basis {
    type Err = UnknownBasis;

    fn from_str(text: &str) -> Result<Self, UnknownBasis> {
        Self::ALL
            .into_iter()
            .find(|basis| basis.as_str() == text)
            .ok_or_else(|| UnknownBasis(text.to_owned()))
    }
}

/// One dated sighting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sighting<'a> {
    /// `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SSZ`; text order is time order.
    pub observed: &'a str,
    /// What the date rests on.
    pub basis: Basis,
}

/// The sighting that dates the run: strongest basis, then earliest. `None` if there
/// is none.
pub fn instant<'a>(sightings: &[Sighting<'a>]) -> Option<Sighting<'a>> {
    sightings
        .iter()
        .copied()
        .min_by(|a, b| b.basis.cmp(&a.basis).then(a.observed.cmp(b.observed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_order_by_strength() {
        for pair in Basis::ALL.windows(2) {
            assert!(pair[0] > pair[1], "{} over {}", pair[0], pair[1]);
        }
        for basis in Basis::ALL {
            assert_eq!(basis.as_str().parse(), Ok(basis));
            let json = serde_json::to_string(&basis).unwrap();
            assert_eq!(json, format!("\"{basis}\""));
        }
        assert_eq!(
            "mtime".parse::<Basis>().unwrap_err().to_string(),
            "`mtime` is no basis of an observation date"
        );
        assert!(Basis::Revision.is_weak() && !Basis::Git.is_weak());
    }

    #[test]
    fn strongest_then_earliest() {
        let git = |observed| Sighting {
            observed,
            basis: Basis::Git,
        };
        let declared = |observed| Sighting {
            observed,
            basis: Basis::Declared,
        };
        for (what, sightings, expected) in [
            ("none", vec![], None),
            (
                "earliest of one basis",
                vec![git("2025-07-21"), git("2025-07-15")],
                Some(git("2025-07-15")),
            ),
            (
                "a date precedes its own hours",
                vec![git("2025-07-15T10:00:00Z"), git("2025-07-15")],
                Some(git("2025-07-15")),
            ),
            (
                "stronger though later",
                vec![git("2025-07-15"), declared("2026-03-05")],
                Some(declared("2026-03-05")),
            ),
        ] {
            assert_eq!(instant(&sightings), expected, "{what}");
            let turned: Vec<_> = sightings.into_iter().rev().collect();
            assert_eq!(instant(&turned), expected, "{what}, turned");
        }
    }
}
