//! Figures as people write them, the one formatter for tables and for the fields of
//! answers that repeat a page. Inside, times are whole picoseconds and nothing is
//! rounded; rounding happens here and nowhere else.

use serde_json::Number;

const PS_PER_NS: i64 = 1_000;

/// One step of a ladder of units.
struct Unit {
    /// How many base units it holds.
    size: i128,
    /// Symbol as printed after the figure.
    symbol: &'static str,
    /// Printed without decimals: the unit is finer than anyone reads.
    whole: bool,
}

const fn unit(size: i128, symbol: &'static str, whole: bool) -> Unit {
    Unit {
        size,
        symbol,
        whole,
    }
}

const TIMES: [Unit; 4] = [
    unit(1_000, "ns", true),
    unit(1_000_000, "µs", false),
    unit(1_000_000_000, "ms", false),
    unit(1_000_000_000_000, "s", false),
];

const BYTES: [Unit; 6] = [
    unit(1, "B", true),
    unit(1_000, "kB", false),
    unit(1_000_000, "MB", false),
    unit(1_000_000_000, "GB", false),
    unit(1_000_000_000_000, "TB", false),
    unit(1_000_000_000_000_000, "PB", false),
];

/// A duration in picoseconds: `359 ns`, `34.7 µs`, `2.79 ms`, `1.20 s`. Two decimals
/// under ten, one above, none for nanoseconds; more than nothing but less than half
/// a nanosecond reads `<1 ns`.
pub fn latency(ps: i64) -> String {
    let (unit, (figure, decimals)) = scale(i128::from(ps).abs(), &TIMES);
    // Put together by hand, like `decimal`: a listing has thousands of figures.
    let mut text = String::with_capacity(16);
    if ps < 0 {
        text.push('-');
    }
    if ps != 0 && figure == 0 {
        text.push_str("<1");
    } else {
        decimal(&mut text, figure, decimals);
    }
    text.push(' ');
    text.push_str(unit.symbol);
    text
}

/// Half the width of the interval from `low` to `high`, in the unit in which
/// `shown_ps` is printed, two decimals: `±0.05`.
pub fn spread(low: i64, high: i64, shown_ps: i64) -> String {
    let (unit, _) = scale(i128::from(shown_ps).abs(), &TIMES);
    let width = (i128::from(high) - i128::from(low)).max(0);
    let mut text = String::with_capacity(8);
    text.push('±');
    decimal(&mut text, round(width, 2 * unit.size, 2), 2);
    text
}

/// A duration in picoseconds as the number of nanoseconds that JSON and CSV carry:
/// an integer where it is one (`2790000`), else the exact decimal (`359.467`).
pub fn nanoseconds(ps: i64) -> Number {
    let whole = Number::from(ps / PS_PER_NS);
    if ps % PS_PER_NS == 0 {
        return whole;
    }
    // Below 2^53 ps (2.5 hours) the nearest double prints as exactly three decimals.
    Number::from_f64(ps as f64 / PS_PER_NS as f64).unwrap_or(whole)
}

/// A ratio: `2.35×`. One that is not finite is no figure and reads `–`.
pub fn ratio(ratio: f64) -> String {
    if !ratio.is_finite() {
        return "–".to_owned();
    }
    let hundredths = (ratio * 100.0).round();
    // Most ratios are of two decimals already, and then need no exact decimal expansion.
    if (hundredths / 100.0).to_bits() == ratio.to_bits() && (0.0..9e15).contains(&hundredths) {
        let mut text = String::with_capacity(8);
        #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
        decimal(&mut text, hundredths as i128, 2);
        text.push('×');
        return text;
    }
    format!("{ratio:.2}×")
}

/// A share of a whole: `43.0 %`. One that is not finite is no figure and reads `–`.
pub fn share(share: f64) -> String {
    if share.is_finite() {
        format!("{:.1} %", share * 100.0)
    } else {
        "–".to_owned()
    }
}

/// A size in bytes, in powers of ten: `67.1 MB`.
pub fn bytes(bytes: u64) -> String {
    let (unit, (figure, decimals)) = scale(i128::from(bytes), &BYTES);
    let mut text = String::with_capacity(16);
    decimal(&mut text, figure, decimals);
    text.push(' ');
    text.push_str(unit.symbol);
    text
}

/// A count with its thousands apart: `1,234,567`.
pub fn count(count: u64) -> String {
    grouped(&count.to_string())
}

/// How many there are of something whose plural is regular: `1 run`, `1,234 runs`.
pub fn counted(number: u64, word: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {word}{plural}", count(number))
}

/// Digits in groups of three from the end.
pub(crate) fn grouped(digits: &str) -> String {
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    let (first, rest) = digits.split_at(digits.len() % 3);
    grouped.push_str(first);
    for at in (0..rest.len()).step_by(3) {
        if !grouped.is_empty() {
            grouped.push(',');
        }
        grouped.push_str(&rest[at..at + 3]);
    }
    grouped
}

/// An age in whole days: `194 d`.
pub fn age(days: i64) -> String {
    format!("{days} d")
}

/// The unit that `value` is printed in, and the figure with how many decimals: the first
/// unit in which the *rounded* figure stays below a thousand, so that no boundary reads
/// `1000.0 µs`.
fn scale(value: i128, ladder: &'static [Unit]) -> (&'static Unit, (i128, usize)) {
    let mut last = (&ladder[0], (0, 0));
    for unit in ladder {
        let (figure, fits) = figure(value, unit);
        last = (unit, figure);
        if fits {
            break;
        }
    }
    last
}

/// `value` in `unit` with how many decimals, and whether it is below a thousand of them.
fn figure(value: i128, unit: &Unit) -> ((i128, usize), bool) {
    if unit.whole {
        let whole = round(value, unit.size, 0);
        return ((whole, 0), whole < 1_000);
    }
    let hundredths = round(value, unit.size, 2);
    if hundredths < 1_000 {
        return ((hundredths, 2), true);
    }
    let tenths = round(value, unit.size, 1);
    ((tenths, 1), tenths < 10_000)
}

/// `value / size` in units of the last of `decimals` places, half rounded up.
fn round(value: i128, size: i128, decimals: u32) -> i128 {
    (2 * value * 10_i128.pow(decimals) + size).div_euclid(2 * size)
}

/// Appends an integer of at least 0 that counts the last of `decimals` places.
fn decimal(text: &mut String, value: i128, decimals: usize) {
    // Nearly all fit, and are written a good deal faster.
    let digits = u64::try_from(value).map_or_else(|_| value.to_string(), |value| value.to_string());
    let whole = digits.len().saturating_sub(decimals);
    text.push_str(if whole == 0 { "0" } else { &digits[..whole] });
    if decimals > 0 {
        text.push('.');
        text.extend(std::iter::repeat_n(
            '0',
            decimals.saturating_sub(digits.len()),
        ));
        text.push_str(&digits[whole..]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn latencies_read_as_people_write_them() {
        let cases = [
            (0, "0 ns"),
            (499, "<1 ns"),
            (500, "1 ns"),
            (-499, "-<1 ns"),
            (359_470, "359 ns"),
            (999_499, "999 ns"),
            (999_500, "1.00 µs"),
            (1_000_000, "1.00 µs"),
            (9_994_999, "9.99 µs"),
            (9_995_000, "10.0 µs"),
            (20_032_500, "20.0 µs"),
            (34_706_800, "34.7 µs"),
            (160_260_300, "160.3 µs"),
            (999_949_999, "999.9 µs"),
            (999_950_000, "1.00 ms"),
            (1_282_079_800, "1.28 ms"),
            (2_400_000_000, "2.40 ms"),
            (2_790_000_000, "2.79 ms"),
            (9_996_000_000, "10.0 ms"),
            (13_300_000_000, "13.3 ms"),
            (47_000_000_000, "47.0 ms"),
            (1_200_000_000_000, "1.20 s"),
            (1_234_560_000_000_000, "1234.6 s"),
            (-2_790_000_000, "-2.79 ms"),
            (i64::MAX, "9223372.0 s"),
            (i64::MIN, "-9223372.0 s"),
        ];
        for (ps, text) in cases {
            assert_eq!(latency(ps), text, "{ps} ps");
        }
    }

    #[test]
    fn spreads_are_in_the_unit_of_the_figure() {
        let ms = 1_000_000_000;
        let cases = [
            // mean, low and high of ten published rows, all in milliseconds
            (2.79, 2.79, 2.790_803_6, "±0.00"),
            (2.82, 2.817_079_6, 2.822_920_4, "±0.00"),
            (4.66, 4.609_236, 4.710_764, "±0.05"),
            (13.3, 13.3, 13.335_084, "±0.02"),
            (2.40, 2.386_593_6, 2.413_406_4, "±0.01"),
            (5.65, 5.646_668, 5.653_332, "±0.00"),
            (1.39, 1.372_987_2, 1.407_012_8, "±0.02"),
            (1.52, 1.515_864_4, 1.524_135_6, "±0.00"),
            (5.47, 5.462_591_2, 5.477_408_8, "±0.01"),
            (6.57, 6.567_118_8, 6.572_881_2, "±0.00"),
            // another unit than the interval's own
            (1200.0, 1190.0, 1210.0, "±0.01"),
            (0.0004, 0.0003, 0.0005, "±100.00"),
        ];
        #[expect(clippy::cast_possible_truncation)]
        let ps = |figure: f64| (figure * f64::from(ms)).round() as i64;
        for (mean, low, high, text) in cases {
            assert_eq!(spread(ps(low), ps(high), ps(mean)), text, "{mean}");
        }
        assert_eq!(spread(5, 3, 4), "±0.00");
    }

    #[test]
    fn nanoseconds_are_exact() {
        let cases = [
            (0, "0"),
            (2_790_000_000, "2790000"),
            (359_467, "359.467"),
            (359_460, "359.46"),
            (-1, "-0.001"),
            (999_999_999_999_999, "999999999999.999"),
            (i64::MAX - 807, "9223372036854775"),
        ];
        for (ps, text) in cases {
            assert_eq!(nanoseconds(ps).to_string(), text);
        }
    }

    #[test]
    fn other_figures() {
        assert_eq!(ratio(80.388_4), "80.39×");
        assert_eq!(ratio(3866.813), "3866.81×");
        assert_eq!(ratio(1.0), "1.00×");
        assert_eq!(ratio(f64::INFINITY), "–");
        assert_eq!(ratio(f64::NAN), "–");
        assert_eq!(share(0.43), "43.0 %");
        assert_eq!(share(1.0), "100.0 %");
        assert_eq!(share(f64::NAN), "–");
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_204_224), "1.20 MB");
        assert_eq!(bytes(67_108_864), "67.1 MB");
        assert_eq!(bytes(999_960), "1.00 MB");
        assert_eq!(bytes(u64::MAX), "18446.7 PB");
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(counted(0, "run"), "0 runs");
        assert_eq!(counted(1, "run"), "1 run");
        assert_eq!(counted(1_234, "run"), "1,234 runs");
        assert_eq!(age(194), "194 d");
    }

    proptest! {
        #[test]
        fn a_ratio_reads_as_rounded_to_two_decimals(any in 0.0..1e6_f64, hundredths in 0_u32..) {
            for figure in [any, f64::from(hundredths) / 100.0, any * 1e12] {
                prop_assert_eq!(ratio(figure), format!("{figure:.2}×"));
            }
        }

        #[test]
        fn a_printed_latency_is_within_half_of_its_last_place(ps in 500_i64..=i64::MAX) {
            let text = latency(ps);
            let (figure, symbol) = text.split_once(' ').unwrap();
            let size = TIMES.iter().find(|unit| unit.symbol == symbol).unwrap().size;
            let decimals = figure.split_once('.').map_or(0, |(_, places)| places.len());
            let place = size / 10_i128.pow(u32::try_from(decimals).unwrap());
            let back = figure.replace('.', "").parse::<i128>().unwrap() * place;
            prop_assert!(2 * (back - i128::from(ps)).abs() <= place, "{text} for {ps} ps");
            prop_assert!(symbol == "s" || back < 1_000 * size, "{text} for {ps} ps");
        }

        #[test]
        fn nanoseconds_come_back(ps in -(1_i64 << 52)..(1_i64 << 52)) {
            let text = nanoseconds(ps).to_string();
            let (whole, places) = text.split_once('.').unwrap_or((&text, ""));
            let back: i64 = format!("{whole}{places:0<3}").parse().unwrap();
            prop_assert_eq!(back, ps);
        }

        #[test]
        fn a_count_is_its_digits(n: u64) {
            prop_assert_eq!(count(n).replace(',', ""), n.to_string());
        }
    }
}
