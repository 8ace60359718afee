//! Durations as sources print them: decimal text and a unit in, whole picoseconds out.
//!
//! The text is never read as a binary float on the way, so `0.00279` s is 2,790,000 ns
//! and not a neighbour of it.

/// The largest duration taken for a time of a kernel: 10⁶ seconds, in picoseconds.
pub const LONGEST_PS: i64 = 1_000_000_000_000_000_000;

/// Significant digits from which a text shows a binary float in full.
const FULL_PRECISION: usize = 15;

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// `s`.
    Second,
    /// `ms`.
    Millisecond,
    /// `us` or `µs`.
    Microsecond,
    /// `ns`.
    Nanosecond,
}

impl Unit {
    /// The spellings that are understood, for messages.
    pub const SPELLINGS: &'static str = "`s`, `ms`, `us` or `ns`";

    /// The unit of that name. `µ` may be the micro sign or the Greek letter.
    pub fn parse(word: &str) -> Option<Self> {
        match word.trim() {
            "s" => Some(Self::Second),
            "ms" => Some(Self::Millisecond),
            "us" | "\u{b5}s" | "\u{3bc}s" => Some(Self::Microsecond),
            "ns" => Some(Self::Nanosecond),
            _ => None,
        }
    }

    /// Its symbol.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Second => "s",
            Self::Millisecond => "ms",
            Self::Microsecond => "µs",
            Self::Nanosecond => "ns",
        }
    }

    /// The power of ten that makes picoseconds of it.
    pub(crate) fn exponent(self) -> i64 {
        match self {
            Self::Second => 12,
            Self::Millisecond => 9,
            Self::Microsecond => 6,
            Self::Nanosecond => 3,
        }
    }
}

/// A decimal number as written: `±digits × 10^exponent`.
///
/// Digits hold no leading zeros. Zeros at the end stay where the text means them: those
/// of a written fraction (`2.40`), but not those of a whole number (`2090`) nor the
/// `.0` that Python prints after one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// Reads a JSON number; `None` if the text is none.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, power) = match text.split_once(['e', 'E']) {
            Some((mantissa, power)) => (mantissa, power_of_ten(power)?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let fraction = if fraction == "0" { "" } else { fraction };
        let mut digits = format!("{whole}{fraction}");
        let mut exponent = power.saturating_sub(i64::try_from(fraction.len()).ok()?);
        if fraction.is_empty() {
            let kept = digits.trim_end_matches('0').len();
            exponent = exponent.saturating_add(i64::try_from(digits.len() - kept).ok()?);
            digits.truncate(kept);
        }
        let digits = digits.trim_start_matches('0').to_owned();
        Some(Self {
            negative,
            digits,
            exponent,
        })
    }

    /// Whether it is zero, of either sign.
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.negative && !self.is_zero()
    }

    /// Its value in picoseconds, what lies below one rounded half to even; `None` beyond
    /// [`LONGEST_PS`].
    pub fn to_ps(&self, unit: Unit) -> Option<i64> {
        self.scaled_by(1, unit.exponent())
            .filter(|ps| *ps <= LONGEST_PS)
    }

    /// `factor × 10^shift` of it as a whole number, rounded half to even; `None` if that
    /// can't be kept.
    pub(crate) fn scaled_by(&self, factor: u64, shift: i64) -> Option<i64> {
        let magnitude = if factor == 1 {
            self.scaled(shift)?
        } else {
            let digits: u128 = self.digits.parse().unwrap_or_default();
            let multiplied = Self {
                negative: false,
                digits: digits.checked_mul(u128::from(factor))?.to_string(),
                exponent: self.exponent,
            };
            if self.is_zero() {
                0
            } else {
                multiplied.scaled(shift)?
            }
        };
        let amount = i64::try_from(magnitude).ok()?;
        Some(if self.negative { -amount } else { amount })
    }

    /// Its value if it is a whole number that is not negative and fits.
    pub fn to_count(&self) -> Option<u32> {
        if self.is_negative() {
            return None;
        }
        let digits = self.digits.trim_end_matches('0');
        let zeros = i64::try_from(self.digits.len() - digits.len()).ok()?;
        if !digits.is_empty() && self.exponent.saturating_add(zeros) < 0 {
            return None;
        }
        u32::try_from(self.scaled(0)?).ok()
    }

    /// How finely the text states the figure: ± this many picoseconds; see
    /// `Decimal::half_of_last`.
    pub fn resolution_ps(&self, unit: Unit, least: usize) -> i64 {
        self.half_of_last(least)
            .map_or(0, |half| half.to_ps(unit).unwrap_or(LONGEST_PS))
    }

    /// Half a unit of the last digit; a text of fewer than `least` significant digits
    /// counts as one of `least`, for a source that rounds to so many and drops zeros.
    /// `None` when the text shows a binary float in full: nothing was rounded for print.
    pub(crate) fn half_of_last(&self, least: usize) -> Option<Self> {
        if self.digits.len() >= FULL_PRECISION || self.is_zero() {
            return None;
        }
        let missing = i64::try_from(least.saturating_sub(self.digits.len())).unwrap_or_default();
        // Half a unit of a digit is 5 units of the digit after it.
        Some(Self {
            negative: false,
            digits: "5".to_owned(),
            exponent: self.exponent.saturating_sub(missing).saturating_sub(1),
        })
    }

    /// `digits × 10^(exponent + shift)`, rounded half to even; `None` beyond 38 digits.
    fn scaled(&self, shift: i64) -> Option<u128> {
        if self.is_zero() {
            return Some(0);
        }
        let power = self.exponent.saturating_add(shift);
        if let Ok(zeros) = u32::try_from(power) {
            let value: u128 = self.digits.parse().ok()?;
            return value.checked_mul(10_u128.checked_pow(zeros)?);
        }
        let length = i64::try_from(self.digits.len()).ok()?;
        if power > 0 {
            return None;
        }
        let Some(kept) = length
            .checked_add(power)
            .and_then(|kept| usize::try_from(kept).ok())
        else {
            return Some(0);
        };
        let (whole, rest) = self.digits.split_at_checked(kept)?;
        let whole: u128 = if whole.is_empty() {
            0
        } else {
            whole.parse().ok()?
        };
        let exactly_half = rest.starts_with('5') && rest.bytes().skip(1).all(|byte| byte == b'0');
        let up = if exactly_half {
            whole % 2 == 1
        } else {
            rest.as_bytes().first() >= Some(&b'5')
        };
        whole.checked_add(u128::from(up))
    }
}

/// The exponent of a number in scientific notation; one too long to matter saturates.
fn power_of_ten(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse().unwrap_or(i64::MAX / 2);
    Some(if text.starts_with('-') { -size } else { size })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ps(text: &str, unit: Unit) -> Option<i64> {
        Decimal::parse(text).unwrap().to_ps(unit)
    }

    #[test]
    fn texts_become_exact_picoseconds() {
        use Unit::{Microsecond as Us, Millisecond as Ms, Nanosecond as Ns, Second as S};
        let cases = [
            ("2.79", Ms, Some(2_790_000_000)),
            ("0.00279", S, Some(2_790_000_000)),
            ("4.1e-05", S, Some(41_000_000)),
            ("2090.0", Ms, Some(2_090_000_000_000)),
            ("33179.262129999996", Us, Some(33_179_262_130)),
            ("1E+3", Ns, Some(1_000_000)),
            ("-1.0", Ms, Some(-1_000_000_000)),
            ("0.0", Ms, Some(0)),
            ("0.0005", Ns, Some(0)),
            ("0.0015", Ns, Some(2)),
            ("0.0025", Ns, Some(2)),
            ("0.00250001", Ns, Some(3)),
            ("0.00025", Ns, Some(0)),
            ("1e-400", S, Some(0)),
            ("1e6", S, Some(LONGEST_PS)),
            ("1000000.000000000001", S, None),
            ("1e400", Ms, None),
            ("1e99999999999999999999", Ms, None),
            ("1e-99999999999999999999", Ms, Some(0)),
            ("0e99999999999999999999", Ms, Some(0)),
        ];
        for (text, unit, expected) in cases {
            assert_eq!(ps(text, unit), expected, "{text} {}", unit.symbol());
        }
        for text in ["", "-", ".5", "1e", "1e+", "NaN", "0x1", "1 ", "1.2.3", "٣"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn resolution_follows_the_digits_that_were_printed() {
        let cases = [
            ("2.79", 5_000_000),
            ("2.4", 5_000_000),
            ("3.0", 5_000_000),
            ("13.3", 50_000_000),
            ("2090.0", 5_000_000_000),
            ("100.0", 500_000_000),
            ("0.0898", 50_000),
            ("1e-05", 50),
            ("2.795", 500_000),
            ("2.7900", 50_000),
            ("12345", 500_000_000),
            ("0.123456789012", 0),
            ("33179.262129999996", 0),
            ("0.0", 0),
        ];
        for (text, expected) in cases {
            let decimal = Decimal::parse(text).unwrap();
            assert_eq!(
                decimal.resolution_ps(Unit::Millisecond, 3),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn counts_are_whole_numbers() {
        let cases = [
            ("100", Some(100)),
            ("100.0", Some(100)),
            ("1e2", Some(100)),
            ("2.50e1", Some(25)),
            ("0", Some(0)),
            ("0.00", Some(0)),
            ("1.5", None),
            ("-1", None),
            ("1e-3", None),
            ("5000000000", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Decimal::parse(text).unwrap().to_count(), expected, "{text}");
        }
    }

    #[test]
    fn units_have_the_spellings_of_the_field() {
        for word in ["us", "µs", "μs", " us "] {
            assert_eq!(Unit::parse(word), Some(Unit::Microsecond), "{word}");
        }
        for word in ["", "sec", "MS", "m", "µ"] {
            assert_eq!(Unit::parse(word), None, "{word}");
        }
    }

    proptest! {
        #[test]
        fn any_number_is_read_without_panic(text in r"-?[0-9]{1,40}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,25})?") {
            let decimal = Decimal::parse(&text).unwrap();
            let _ = (decimal.to_count(), decimal.resolution_ps(Unit::Second, 3));
            if let Some(ps) = decimal.to_ps(Unit::Second) {
                let float: f64 = text.parse().unwrap();
                prop_assert!((ps as f64 - float * 1e12).abs() <= 0.5 + float.abs() * 1e-3);
            }
        }
    }
}
