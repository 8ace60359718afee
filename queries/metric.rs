//! What a cohort compares, and how its figures read.

use std::sync::Arc;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;

use crate::error::{Error, Result};
use crate::policy::Ns;
use crate::policy::interval::Interval;

/// Which is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Less: time, memory.
    Lower,
    /// More: work or bytes in a second, a speedup.
    Higher,
}

/// A statistic of a quantity in a unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Metric {
    /// What is measured: `latency`, `bandwidth` …
    pub name: String,
    /// `mean`, `median` …
    pub statistic: String,
    /// Unit of `value` and `interval` in answers.
    pub unit: String,
    /// Which is better.
    pub direction: Direction,
    /// Kept whole numbers in one unit.
    #[serde(skip)]
    pub parts: i64,
}

impl Metric {
    /// Of a cohort's key (`latency:mean:ns`), the direction's name and the parts of a unit.
    pub fn of(key: &str, direction: &str, parts: i64) -> Result<Self> {
        let mut words = key.splitn(3, ':').map(str::to_owned);
        let (Some(name), Some(statistic), Some(unit)) = (words.next(), words.next(), words.next())
        else {
            return Err(Error::Damaged(format!("`{key}` is no metric")));
        };
        if parts <= 0 {
            return Err(Error::Damaged(format!("`{key}` has {parts} parts")));
        }
        let direction = match direction {
            "lower" => Direction::Lower,
            "higher" => Direction::Higher,
            other => return Err(Error::Damaged(format!("`{other}` is no direction"))),
        };
        Ok(Self {
            name,
            statistic,
            unit,
            direction,
            parts,
        })
    }

    /// Its key: `latency:mean:ns`.
    pub fn key(&self) -> String {
        format!("{}:{}:{}", self.name, self.statistic, self.unit)
    }

    /// Whether it is a time, of which floors and doubts are known.
    pub fn is_latency(&self) -> bool {
        self.name == "latency"
    }

    /// A kept number in the metric's unit.
    pub fn value(&self, parts: i64) -> f64 {
        parts as f64 / self.parts as f64
    }

    /// An interval in the metric's unit.
    pub fn interval(&self, interval: Interval) -> [f64; 2] {
        [self.value(interval.low), self.value(interval.high)]
    }

    /// A kept number as people read it: `96.0 MB`, `1.48 TB/s`, `2.35×`, `87.5 %`.
    pub fn shown(&self, parts: i64) -> String {
        let value = self.value(parts);
        match self.name.as_str() {
            "latency" => crate::units::latency(parts),
            "speedup" => format!("{}×", digits(value)),
            "utilization" => format!("{} %", digits(value * 100.0)),
            _ => {
                let (scale, prefix) = prefix(value);
                format!("{} {prefix}{}", digits(value / scale), self.unit)
            }
        }
    }

    /// The printed `±`: half an interval's width in the unit that the value reads in.
    pub fn spread(&self, interval: Interval, value: i64) -> String {
        let half = self.value(interval.high.saturating_sub(interval.low)) / 2.0;
        let scale = match self.name.as_str() {
            "speedup" => 1.0,
            "utilization" => 0.01,
            _ => prefix(self.value(value)).0,
        };
        format!("±{:.2}", half / scale)
    }
}

/// Metrics other than latency that have records, and how many.
pub fn others(connection: &Connection) -> Result<Vec<(String, u64)>> {
    let mut statement = connection.prepare_cached(include_str!("metrics.sql"))?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A figure on its way out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Amount {
    /// The figure, if it is a latency; `null` of another metric.
    pub latency_ns: Option<Ns>,
    /// The figure in the metric's unit; `null` where the run has none.
    pub value: Option<Number>,
    #[serde(skip)]
    metric: Arc<Metric>,
    #[serde(skip)]
    parts: Option<i64>,
}

impl Amount {
    /// A kept number of a metric, if there is one.
    pub fn of(metric: &Arc<Metric>, parts: Option<i64>) -> Self {
        let value = parts.map(|parts| {
            let whole = Number::from(parts / metric.parts);
            if parts % metric.parts == 0 {
                whole
            } else {
                // Finite, since both are whole numbers and the divisor isn't zero.
                Number::from_f64(metric.value(parts)).unwrap_or(whole)
            }
        });
        Self {
            latency_ns: parts.filter(|_| metric.is_latency()).map(Ns::from_ps),
            value,
            metric: Arc::clone(metric),
            parts,
        }
    }

    /// Whether it is a time, or the place of one.
    pub fn is_latency(&self) -> bool {
        self.metric.is_latency()
    }

    /// As people read it: `2.79 ms`.
    pub fn shown(&self) -> String {
        self.parts
            .map_or_else(|| "–".to_owned(), |parts| self.metric.shown(parts))
    }
}

/// The power of a thousand in which a number has one to three digits before the point, and
/// its prefix.
fn prefix(value: f64) -> (f64, &'static str) {
    const PREFIXES: [(f64, &str); 6] = [
        (1e15, "P"),
        (1e12, "T"),
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "k"),
        (1.0, ""),
    ];
    // What rounds to 1000 reads as 1 of the next.
    PREFIXES
        .into_iter()
        .find(|(scale, _)| value.abs() >= scale * 0.9995)
        .unwrap_or((1.0, ""))
}

/// Two decimals under 10, one above.
fn digits(value: f64) -> String {
    if value.abs() < 9.995 {
        format!("{value:.2}")
    } else {
        format!("{value:.1}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_as_people_write_them() {
        for (key, direction, parts, kept, shown) in [
            ("latency:mean:ns", "lower", 1000, 2_790_000_000, "2.79 ms"),
            ("memory:median:B", "lower", 1, 96_000_000, "96.0 MB"),
            (
                "bandwidth:mean:B/s",
                "higher",
                1,
                6_696_627_109,
                "6.70 GB/s",
            ),
            (
                "compute:mean:FLOP/s",
                "higher",
                1,
                999_960_000_000,
                "1.00 TFLOP/s",
            ),
            (
                "throughput:mean:tokens/s",
                "higher",
                1000,
                12_500,
                "12.5 tokens/s",
            ),
            (
                "speedup:mean:1",
                "higher",
                1_000_000_000,
                24_870_000_000,
                "24.9×",
            ),
            (
                "utilization:mean:1",
                "higher",
                1_000_000_000,
                875_000_000,
                "87.5 %",
            ),
        ] {
            let metric = Metric::of(key, direction, parts).unwrap();
            assert_eq!(metric.shown(kept), shown, "{key}");
        }
        assert!(Metric::of("latency", "lower", 1).is_err());
        assert!(Metric::of("latency:mean:ns", "up", 1).is_err());
    }

    #[test]
    fn spreads_are_in_the_unit_of_the_value() {
        let memory = Metric::of("memory:median:B", "lower", 1).unwrap();
        let interval = Interval {
            low: 95_000_000,
            high: 97_000_000,
        };
        assert_eq!(memory.spread(interval, 96_000_000), "±1.00");
        let [low, high] = memory.interval(interval);
        assert!((low - 95e6).abs() < 1.0 && (high - 97e6).abs() < 1.0);
    }
}
