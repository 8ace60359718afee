//! What the name of a column says about it: its unit, its statistic, its part in a table.

use crate::metric::{Quantity, Scale};

/// Spellings of units at the end of column names: last words, and what they mean.
const ENDINGS: &[(&[&str], &str)] = &[
    (&["ms"], "ms"),
    (&["msec"], "ms"),
    (&["millis"], "ms"),
    (&["milliseconds"], "ms"),
    (&["us"], "us"),
    (&["\u{b5}s"], "us"),
    (&["usec"], "us"),
    (&["micros"], "us"),
    (&["microseconds"], "us"),
    (&["ns"], "ns"),
    (&["nsec"], "ns"),
    (&["nanos"], "ns"),
    (&["nanoseconds"], "ns"),
    (&["sec"], "s"),
    (&["secs"], "s"),
    (&["seconds"], "s"),
    (&["tokens", "per", "s"], "tokens/s"),
    (&["tokens", "per", "sec"], "tokens/s"),
    (&["tokens", "per", "second"], "tokens/s"),
    (&["tok", "s"], "tokens/s"),
    (&["tokens", "s"], "tokens/s"),
    (&["samples", "per", "sec"], "samples/s"),
    (&["samples", "per", "second"], "samples/s"),
    (&["gb", "s"], "GB/s"),
    (&["gbs"], "GB/s"),
    (&["gbps"], "GB/s"),
    (&["tb", "s"], "TB/s"),
    (&["gib", "s"], "GiB/s"),
    (&["gflops"], "GFLOP/s"),
    (&["gflop", "s"], "GFLOP/s"),
    (&["gflops", "s"], "GFLOP/s"),
    (&["tflops"], "TFLOP/s"),
    (&["tflop", "s"], "TFLOP/s"),
    (&["tflops", "s"], "TFLOP/s"),
    (&["mib"], "MiB"),
    (&["gib"], "GiB"),
    (&["mb"], "MB"),
    (&["gb"], "GB"),
    (&["bytes"], "B"),
];

/// Words that say that a column is a time, so that a last `s` is its unit.
const TIMES: &[&str] = &["time", "latency", "duration", "elapsed", "runtime", "wall"];

/// The words of a name, in lower case: `kernelTime_ms` is `kernel`, `time`, `ms`.
pub(super) fn tokens(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        let start = c.is_uppercase() && was_lower;
        if (!c.is_alphanumeric() && c != '\u{b5}') || start {
            words.push(String::new());
        }
        if (c.is_alphanumeric() || c == '\u{b5}')
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The unit that a column's name states, and the word that states it: `(ms)` at its end in
/// brackets, or its last words.
pub(super) fn unit_of(name: &str) -> Option<(Scale, String)> {
    let (word, _) = unit_and_rest(name)?;
    Some((Scale::parse(&word)?, word))
}

/// The unit that a name states as it is parsed, and the words before it.
pub(super) fn unit_and_rest(name: &str) -> Option<(String, Vec<String>)> {
    let last = name.trim().rsplit('.').next().unwrap_or_default();
    for (open, close) in [('(', ')'), ('[', ']')] {
        if let Some((rest, inside)) = name
            .trim()
            .strip_suffix(close)
            .and_then(|head| head.rsplit_once(open))
        {
            let inside = inside.trim();
            let words = tokens(inside);
            let known = ENDINGS.iter().find(|(ending, _)| words == *ending);
            let parsed = Scale::parse(inside);
            let plain = parsed.is_some_and(|scale| scale.quantity != Quantity::Throughput);
            let unit = match known {
                Some((_, unit)) if !plain => (*unit).to_owned(),
                _ if Scale::parse(inside).is_some() => inside.to_owned(),
                _ => return None,
            };
            return Some((unit, tokens(rest)));
        }
    }
    let words = tokens(last);
    let longest = ENDINGS
        .iter()
        .filter(|(ending, _)| {
            words.ends_with(
                &ending
                    .iter()
                    .map(|word| (*word).to_owned())
                    .collect::<Vec<_>>(),
            )
        })
        .max_by_key(|(ending, _)| ending.len());
    let all = tokens(name);
    if let Some((ending, unit)) = longest {
        let rest = all.len().saturating_sub(ending.len());
        return Some((
            (*unit).to_owned(),
            all.get(..rest).unwrap_or_default().to_vec(),
        ));
    }
    let (end, rest) = all.split_last()?;
    let timed = rest.iter().any(|word| TIMES.contains(&word.as_str()));
    (end == "s" && timed).then(|| ("s".to_owned(), rest.to_vec()))
}

/// What part of a set of trials a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A value under the name of its statistic; `""` where none is named.
    Value(&'static str),
    Std,
    Min,
    Max,
    Low,
    High,
}

/// The part that a name's words say, and the words that don't.
pub(super) fn part(words: &[String]) -> (Part, Vec<String>) {
    let mut part = Part::Value("");
    let mut rest = Vec::new();
    for word in words {
        let said = match word.as_str() {
            "mean" | "avg" | "average" => Part::Value("mean"),
            "median" | "p50" | "q50" | "50" => Part::Value("median"),
            "p90" => Part::Value("p90"),
            "p95" => Part::Value("p95"),
            "p99" => Part::Value("p99"),
            "std" | "stdev" | "stddev" | "sd" => Part::Std,
            "min" | "minimum" | "best" => Part::Min,
            "max" | "maximum" | "worst" => Part::Max,
            "p20" | "q20" | "20" | "p25" | "q25" => Part::Low,
            "p80" | "q80" | "80" | "p75" | "q75" => Part::High,
            _ => {
                rest.push(word.clone());
                continue;
            }
        };
        part = said;
    }
    (part, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_units() {
        let cases = [
            ("time_ms", Some("ms")),
            ("Runtime (ms)", Some("ms")),
            ("latency[us]", Some("us")),
            ("kernelTimeNs", Some("ns")),
            ("elapsed_s", Some("s")),
            ("num_items_s", None),
            ("tokens_per_s", Some("tokens/s")),
            ("throughput (tok/s)", Some("tokens/s")),
            ("GB/s", Some("GB/s")),
            ("achieved_gbps", Some("GB/s")),
            ("tflops", Some("TFLOP/s")),
            ("timing.median_us", Some("us")),
            ("time", None),
            ("status", None),
            ("Notes (see below)", None),
            ("", None),
        ];
        for (name, unit) in cases {
            let found = unit_of(name);
            assert_eq!(
                found.as_ref().map(|(_, word)| word.as_str()),
                unit,
                "{name}"
            );
        }
    }
}
