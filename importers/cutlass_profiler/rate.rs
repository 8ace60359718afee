//! Whether a stated rate is what bytes and time make.

use crate::duration::{Decimal, Unit};
use crate::metric::Scale;

/// Whether a bandwidth in a unit is `bytes` in `runtime` (ms), as far as their digits can tell.
pub(super) fn fits(stated: &Decimal, scale: &Scale, bytes: u64, runtime: &Decimal) -> bool {
    const PS_PER_S: u128 = 1_000_000_000_000;
    let time = Scale::time(Unit::Millisecond);
    let positive = |amount: Option<i64>| amount.and_then(|amount| u128::try_from(amount).ok());
    let (Some(amount), Some(ps)) = (
        positive(scale.amount(stated)),
        positive(time.amount(runtime)),
    ) else {
        return false;
    };
    let Some(expected) = (u128::from(bytes) * PS_PER_S).checked_div(ps) else {
        return false;
    };
    let of_time = u128::try_from(time.resolution(runtime, 1)).unwrap_or_default();
    let of_rate = u128::try_from(scale.resolution(stated, 1)).unwrap_or_default();
    let slack = expected.saturating_mul(of_time) / ps + of_rate + 1;
    amount.abs_diff(expected) <= slack
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_fits_one_of_the_two_units() {
        let cases = [
            ("6.23672", "GiB/s", true),
            ("6.2367", "GiB/s", true),
            ("6.24", "GiB/s", true),
            ("6.23672", "GB/s", false),
            ("6.69663", "GB/s", true),
            ("6.69663", "GiB/s", false),
            ("0", "GiB/s", false),
            ("-6.23672", "GiB/s", false),
        ];
        let runtime = Decimal::parse("481.022").unwrap();
        for (text, unit, expected) in cases {
            let (stated, scale) = (Decimal::parse(text).unwrap(), Scale::parse(unit).unwrap());
            let fits = fits(&stated, &scale, 3_221_225_472, &runtime);
            assert_eq!(fits, expected, "{text} {unit}");
        }
    }
}
