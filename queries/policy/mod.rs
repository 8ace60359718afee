//! Policies: one small pure function a file, each under a name that answers repeat.
//! A changed rule gets a new name, so that an old answer still says what it meant.
//! Nothing here reads a database, a file or a clock.

pub mod audit;
pub mod coverage;
pub mod doubt;
pub mod dtype;
pub mod eligibility;
pub mod fast_p;
pub mod floor;
pub mod headroom;
pub mod history;
pub mod interval;
pub mod licence;
pub mod ns;
pub mod observation;
pub mod ranking;
pub mod resolution;
pub mod roofline;
pub mod score;
pub mod speedup;
pub mod staleness;
pub mod standing;
pub mod suite_rules;
pub mod trust;
pub mod work;

pub use ns::Ns;

/// Rounds to two decimals, the precision in which ratios are given.
pub(crate) fn two_decimals(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// Rounds to four decimals, the precision of figures that are compared further.
pub(crate) fn four_decimals(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}
