//! What is measured: quantities with a direction and a unit, and the units that sources
//! print figures in.
//!
//! The rows of table `metric` in `schema.sql` say the same of each quantity; a test holds
//! the two together.

use crate::duration::{Decimal, Unit};

/// Whether less or more of something is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Less is better: time, memory.
    Lower,
    /// More is better: work or bytes in a second, a speedup.
    Higher,
}

impl Direction {
    /// `lower` or `higher`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lower => "lower",
            Self::Higher => "higher",
        }
    }
}

/// What kind of thing is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quantity {
    /// Time of one run.
    Latency,
    /// Bytes moved in a second.
    Bandwidth,
    /// Floating-point operations in a second.
    Compute,
    /// Other things done in a second: tokens, samples, elements.
    Throughput,
    /// Memory taken.
    Memory,
    /// How many times faster than something that the source names.
    Speedup,
    /// The fraction of a limit that was reached.
    Utilization,
}

impl Quantity {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 7] = [
        Self::Latency,
        Self::Bandwidth,
        Self::Compute,
        Self::Throughput,
        Self::Memory,
        Self::Speedup,
        Self::Utilization,
    ];

    /// Its name, as `--metric` takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Bandwidth => "bandwidth",
            Self::Compute => "compute",
            Self::Throughput => "throughput",
            Self::Memory => "memory",
            Self::Speedup => "speedup",
            Self::Utilization => "utilization",
        }
    }

    /// The quantity of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }

    /// Whether less or more is better.
    pub const fn direction(self) -> Direction {
        match self {
            Self::Latency | Self::Memory => Direction::Lower,
            _ => Direction::Higher,
        }
    }

    /// The unit that figures leave in; a throughput names what is counted (`tokens/s`).
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Latency => "ns",
            Self::Bandwidth => "B/s",
            Self::Compute => "FLOP/s",
            Self::Throughput => "items/s",
            Self::Memory => "B",
            Self::Speedup | Self::Utilization => "1",
        }
    }

    /// Figures are kept as whole numbers of this fraction of the unit: 10 to the power of
    /// this many parts make one.
    pub const fn parts(self) -> u32 {
        match self {
            Self::Latency | Self::Throughput => 3,
            Self::Bandwidth | Self::Compute | Self::Memory => 0,
            Self::Speedup | Self::Utilization => 9,
        }
    }
}

/// What a cohort compares: a statistic of a quantity in a unit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Metric {
    /// What is measured.
    pub quantity: Quantity,
    /// Which statistic of the trials the value is: `mean`, `median` …; `unspecified` where
    /// nothing says so.
    pub statistic: String,
    /// The unit that figures leave in.
    pub unit: String,
}

impl Metric {
    /// A statistic of a quantity in that quantity's own unit.
    pub fn of(quantity: Quantity, statistic: &str) -> Self {
        Self {
            quantity,
            statistic: statistic.to_owned(),
            unit: quantity.unit().to_owned(),
        }
    }

    /// A statistic of a latency.
    pub fn latency(statistic: &str) -> Self {
        Self::of(Quantity::Latency, statistic)
    }

    /// Its key: `latency:mean:ns`.
    pub fn key(&self) -> String {
        format!("{}:{}:{}", self.quantity.name(), self.statistic, self.unit)
    }
}

/// A unit that a source prints figures in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scale {
    /// What such figures are.
    pub quantity: Quantity,
    /// The unit that they leave in.
    pub unit: String,
    /// One of the source's unit is `factor` × 10^`exponent` of that.
    factor: u64,
    exponent: i64,
}

/// Decimal and binary multiples: word, factor, power of ten.
const MULTIPLES: &[(&str, u64, i64)] = &[
    ("", 1, 0),
    ("k", 1, 3),
    ("K", 1, 3),
    ("M", 1, 6),
    ("G", 1, 9),
    ("T", 1, 12),
    ("P", 1, 15),
    ("Ki", 1 << 10, 0),
    ("Mi", 1 << 20, 0),
    ("Gi", 1 << 30, 0),
    ("Ti", 1 << 40, 0),
];

impl Scale {
    /// The spellings that are understood, for messages.
    pub const SPELLINGS: &'static str = "a time (`s`, `ms`, `us`, `ns`), bytes (`B`, `MB`, `MiB` …), bytes a second (`GB/s`, `GiB/s` …), FLOP a second (`GFLOP/s`, `TFLOPS` …), things a second (`tokens/s`), a ratio (`x`) or a share (`%`, `fraction`)";

    /// The unit of that name. Letters count as the field writes them: `MB` is 10⁶ bytes and
    /// `MiB` 2²⁰.
    pub fn parse(word: &str) -> Option<Self> {
        let word = word.trim();
        let of = |quantity: Quantity, factor, exponent| Self {
            quantity,
            unit: quantity.unit().to_owned(),
            factor,
            exponent,
        };
        if let Some(unit) = Unit::parse(word) {
            return Some(Self::time(unit));
        }
        match word {
            "x" | "\u{d7}" | "1" | "ratio" => return Some(of(Quantity::Speedup, 1, 0)),
            "%" => return Some(of(Quantity::Utilization, 1, -2)),
            "fraction" => return Some(of(Quantity::Utilization, 1, 0)),
            _ => {}
        }
        for (multiple, factor, exponent) in MULTIPLES {
            let Some(base) = word.strip_prefix(multiple) else {
                continue;
            };
            let quantity = match base {
                "B" | "bytes" => Quantity::Memory,
                "B/s" | "Bps" | "bytes/s" => Quantity::Bandwidth,
                "FLOP/s" | "FLOPS" | "FLOPs" | "FLOPs/s" | "flops" | "FLOPS/s" => Quantity::Compute,
                _ => continue,
            };
            return Some(of(quantity, *factor, *exponent));
        }
        let item = word.strip_suffix("/s")?.trim();
        let plain = !item.is_empty() && item.chars().all(|c| c.is_alphanumeric() || c == '_');
        plain.then(|| Self {
            unit: format!("{}/s", item.to_lowercase()),
            ..of(Quantity::Throughput, 1, 0)
        })
    }

    /// A unit of time.
    pub fn time(unit: Unit) -> Self {
        Self {
            quantity: Quantity::Latency,
            unit: Quantity::Latency.unit().to_owned(),
            factor: 1,
            exponent: unit.exponent() - i64::from(Quantity::Latency.parts()),
        }
    }

    /// The same unit, of another quantity: a ratio that is no speedup, a throughput in `B/s`.
    #[must_use]
    pub fn as_quantity(mut self, quantity: Quantity) -> Self {
        self.quantity = quantity;
        self
    }

    /// The metric that a statistic in this unit is.
    pub fn metric(&self, statistic: &str) -> Metric {
        Metric {
            quantity: self.quantity,
            statistic: statistic.to_owned(),
            unit: self.unit.clone(),
        }
    }

    /// A figure in whole parts of the metric's unit, what lies below one rounded half to
    /// even; `None` where it is too large to keep.
    pub fn amount(&self, decimal: &Decimal) -> Option<i64> {
        decimal.scaled_by(self.factor, self.shift())
    }

    /// How finely the text states a figure: ± this many parts. `least` as in
    /// `Decimal::half_of_last`.
    pub fn resolution(&self, decimal: &Decimal, least: usize) -> i64 {
        decimal.half_of_last(least).map_or(0, |half| {
            half.scaled_by(self.factor, self.shift())
                .unwrap_or(i64::MAX)
        })
    }

    fn shift(&self) -> i64 {
        self.exponent + i64::from(self.quantity.parts())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_become_whole_parts() {
        let cases = [
            ("ms", "2.79", "latency", "ns", 2_790_000_000),
            ("s", "0.00279", "latency", "ns", 2_790_000_000),
            ("MB", "96.0", "memory", "B", 96_000_000),
            ("MiB", "1.5", "memory", "B", 1_572_864),
            ("GiB/s", "6.23672", "bandwidth", "B/s", 6_696_627_109),
            ("GB/s", "6.23672", "bandwidth", "B/s", 6_236_720_000),
            ("GFLOPS", "18287.4", "compute", "FLOP/s", 18_287_400_000_000),
            ("TFLOP/s", "0.5", "compute", "FLOP/s", 500_000_000_000),
            ("Tokens/s", "12.5", "throughput", "tokens/s", 12_500),
            ("x", "24.87", "speedup", "1", 24_870_000_000),
            ("%", "87.5", "utilization", "1", 875_000_000),
        ];
        for (unit, text, quantity, leaves, amount) in cases {
            let scale = Scale::parse(unit).unwrap();
            let decimal = Decimal::parse(text).unwrap();
            assert_eq!(scale.quantity.name(), quantity, "{unit}");
            assert_eq!(scale.unit, leaves, "{unit}");
            let exact = scale.amount(&decimal).unwrap();
            assert_eq!(exact, amount, "{text} {unit}");
        }
        for word in ["", "sec", "gb", "furlongs", "/s", "a b/s"] {
            assert_eq!(Scale::parse(word), None, "{word}");
        }
    }

    #[test]
    fn resolution_is_half_a_unit_of_the_last_digit() {
        let of = |unit: &str, text: &str| {
            Scale::parse(unit)
                .unwrap()
                .resolution(&Decimal::parse(text).unwrap(), 1)
        };
        assert_eq!(of("ms", "2.79"), 5_000_000);
        assert_eq!(of("MB", "96"), 500_000);
        assert_eq!(of("ms", "0.013632000423967838"), 0);
    }

    #[test]
    fn names_are_found_again() {
        for quantity in Quantity::ALL {
            assert_eq!(Quantity::parse(quantity.name()), Some(quantity));
        }
    }
}
