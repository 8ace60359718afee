//! Durations on their way out: whole picoseconds inside, nanoseconds in JSON.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// Picoseconds in one nanosecond.
pub const PS_PER_NS: i64 = 1_000;

/// A duration that serialises as a number of nanoseconds: an integer where it is
/// one (`2790000`), else the decimal (`359.467`). Exact below 10^15 ps, a quarter of
/// an hour; beyond that the nearest double.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Ns(i64);

impl Ns {
    /// From whole picoseconds.
    pub const fn from_ps(ps: i64) -> Self {
        Self(ps)
    }

    /// From computed nanoseconds, rounded to the nearest picosecond. `None` if the
    /// value isn't finite.
    pub fn from_ns(ns: f64) -> Option<Self> {
        let ps = ns * PS_PER_NS as f64;
        ps.is_finite().then(|| Self(round_ps(ps)))
    }

    /// Whole picoseconds.
    pub const fn ps(self) -> i64 {
        self.0
    }

    /// Nanoseconds, for arithmetic.
    pub fn ns(self) -> f64 {
        self.0 as f64 / PS_PER_NS as f64
    }
}

impl Serialize for Ns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % PS_PER_NS == 0 {
            serializer.serialize_i64(self.0 / PS_PER_NS)
        } else {
            serializer.serialize_f64(self.ns())
        }
    }
}

impl JsonSchema for Ns {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Ns".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "description": "nanoseconds" })
    }
}

/// The nearest whole picosecond; saturates at the ends of `i64`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "rounded before; a float cast saturates"
)]
pub(crate) fn round_ps(ps: f64) -> i64 {
    ps.round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialises_as_the_exact_decimal() {
        for (ps, text) in [
            (2_790_000_000, "2790000"),
            (359_467, "359.467"),
            (359_460, "359.46"),
            (1, "0.001"),
            (0, "0"),
            (-1_500, "-1.5"),
            (999_999_999_999_999, "999999999999.999"),
        ] {
            let json = serde_json::to_string(&Ns::from_ps(ps)).unwrap();
            assert_eq!(json, text, "{ps} ps");
        }
    }

    #[test]
    fn computed_values_round_to_the_picosecond() {
        assert_eq!(Ns::from_ns(20_032.496_7), Some(Ns::from_ps(20_032_497)));
        assert_eq!(Ns::from_ns(f64::INFINITY), None);
        assert_eq!(Ns::from_ns(f64::NAN), None);
    }
}
