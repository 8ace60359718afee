//! `coverage-v1`: which watched hardware a workload was never measured on. Any form
//! factor of a family counts as measured.

use schemars::JsonSchema;
use serde::Serialize;

/// Name of the policy.
pub const ID: &str = "coverage-v1";

/// A hardware family that people ask about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct Watched {
    /// Family id as in the hardware table (`b200`).
    pub family: String,
    /// As answers name it (`B200`).
    pub label: String,
}

/// The watch list where the user gives none.
pub fn default_watch() -> Vec<Watched> {
    [("h100", "H100"), ("b200", "B200")]
        .map(|(family, label)| Watched {
            family: family.to_owned(),
            label: label.to_owned(),
        })
        .into()
}

/// The watched hardware that none of the measured families is, in the list's order.
pub fn not_measured_on<'a>(watch: &'a [Watched], measured_families: &[&str]) -> Vec<&'a Watched> {
    watch
        .iter()
        .filter(|watched| !measured_families.contains(&watched.family.as_str()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps() {
        let watch = default_watch();
        for (measured, gaps) in [
            (&["h100"][..], &["B200"][..]),
            (&["h100", "h100", "l40s"], &["B200"]),
            (&[], &["H100", "B200"]),
            (&["b200", "h100"], &[]),
            // A superchip is a family of its own.
            (&["gb200", "h100"], &["B200"]),
        ] {
            let labels: Vec<_> = not_measured_on(&watch, measured)
                .iter()
                .map(|watched| watched.label.as_str())
                .collect();
            assert_eq!(labels, gaps, "{measured:?}");
        }
    }
}
