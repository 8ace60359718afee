//! Which columns of a file look like figures, and which belong together.

use crate::metric::{Quantity, Scale};

use super::columns::Column;
use super::guess::{Part, part, tokens, unit_and_rest};

/// A figure with its companions.
#[derive(Debug, Default, Clone)]
pub(super) struct Metric {
    pub(super) value: String,
    pub(super) unit: Option<String>,
    pub(super) unit_column: Option<String>,
    pub(super) statistic: String,
    pub(super) std: Option<String>,
    pub(super) min: Option<String>,
    pub(super) max: Option<String>,
    pub(super) range: Option<(String, String)>,
    /// Whose figure it is, where the name has more than says what it is.
    pub(super) who: Option<String>,
    /// That is what others are held against.
    pub(super) baseline: bool,
}

/// Words that say what a figure is, not whose.
const GENERIC: &[&str] = &[
    "time",
    "latency",
    "duration",
    "elapsed",
    "runtime",
    "wall",
    "kernel",
    "gpu",
    "cuda",
    "value",
    "y",
    "throughput",
    "bandwidth",
    "memory",
    "mem",
    "peak",
    "perf",
    "performance",
    "result",
    "measurement",
    "e2e",
    "total",
    "exec",
    "execution",
    "timing",
    "stats",
    "per",
    "iter",
];

/// Words by which a column without a unit looks like a figure.
const FIGURES: &[&str] = &[
    "time",
    "latency",
    "duration",
    "elapsed",
    "runtime",
    "throughput",
    "bandwidth",
    "value",
    "result",
    "measurement",
    "score",
];

/// Words by which a number is something else.
const OTHER: &[&str] = &[
    "cost",
    "usd",
    "price",
    "loss",
    "diff",
    "tol",
    "tolerance",
    "id",
    "seed",
    "speedup",
    "rank",
    "turns",
    "inputs",
    "eps",
    "err",
    "count",
    "power",
    "energy",
    "temperature",
    "limit",
    "timeout",
    "x",
    "warmup",
    "index",
];

const BASELINES: &[&str] = &[
    "torch",
    "pytorch",
    "eager",
    "ref",
    "reference",
    "baseline",
    "native",
];

struct Candidate {
    index: usize,
    unit: Option<String>,
    unit_column: Option<String>,
    /// Its name alone says that it is a figure.
    sure: bool,
    part: Part,
    who: Vec<String>,
}

/// Finds figures, marks their columns as used.
pub(super) fn find(columns: &mut [Column]) -> Vec<Metric> {
    let units = take_units(columns);
    let mut candidates = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        if column.used || !column.numeric || column.has(OTHER) || column.name.starts_with('^') {
            continue;
        }
        let (unit, rest) = match unit_and_rest(&column.name) {
            Some((unit, rest)) => (Some(unit), rest),
            None => (None, column.words.clone()),
        };
        let scale = unit.as_deref().and_then(Scale::parse);
        let memory = scale.is_some_and(|scale| scale.quantity == Quantity::Memory);
        if memory && !column.has(&["memory", "mem", "peak", "vram"]) {
            continue;
        }
        let beside = units
            .iter()
            .find(|unit| !unit.prefix.is_empty() && column.words.starts_with(&unit.prefix));
        let (part, rest) = part(&rest);
        let last = tokens(column.name.rsplit('.').next().unwrap_or_default());
        let hinted = last.iter().any(|word| FIGURES.contains(&word.as_str()));
        if unit.is_some() || hinted || beside.is_some() || part != Part::Value("") {
            candidates.push(Candidate {
                index,
                unit_column: beside
                    .filter(|_| unit.is_none())
                    .map(|unit| unit.name.clone()),
                sure: unit.is_some() || hinted || beside.is_some(),
                unit,
                part,
                who: rest
                    .into_iter()
                    .filter(|word| !GENERIC.contains(&word.as_str()))
                    .collect(),
            });
        }
    }
    // `min_cc` is no figure; `min` beside `mean` is.
    let valued: Vec<Vec<String>> = candidates
        .iter()
        .filter(|candidate| matches!(candidate.part, Part::Value(_)))
        .map(|candidate| candidate.who.clone())
        .collect();
    candidates.retain(|candidate| candidate.sure || valued.contains(&candidate.who));
    // A column of units that stands beside no figure in particular is that of all.
    if let [unit] = units.as_slice()
        && !candidates
            .iter()
            .any(|candidate| candidate.unit_column.is_some())
    {
        for candidate in candidates
            .iter_mut()
            .filter(|candidate| candidate.unit.is_none())
        {
            candidate.unit_column = Some(unit.name.clone());
        }
    }
    without_common_words(&mut candidates);
    let metrics = group(&candidates, columns);
    if !metrics.is_empty() {
        return metrics;
    }
    // Nothing in any name: columns of broken numbers, each by its own name, unit unknown.
    let speedups = columns
        .iter()
        .any(|column| column.numeric && column.has(&["speedup"]));
    let mut metrics = Vec::new();
    for column in columns.iter_mut() {
        let named = column.has(&["speedup"]);
        if column.used
            || !column.numeric
            || column.whole
            || (speedups && !named)
            || (!named && column.has(OTHER))
        {
            continue;
        }
        column.used = true;
        metrics.push(Metric {
            value: column.name.clone(),
            unit: named.then(|| "x".to_owned()),
            who: (!named).then(|| column.name.clone()),
            baseline: column.has(BASELINES) && !named,
            ..Metric::default()
        });
    }
    metrics
}

/// A column whose texts are units, and the words before `unit` in its name.
struct Units {
    name: String,
    prefix: Vec<String>,
}

fn take_units(columns: &mut [Column]) -> Vec<Units> {
    let mut units = Vec::new();
    for column in columns {
        let Some((last, prefix)) = column.words.split_last() else {
            continue;
        };
        let known = |word: &String| Scale::parse(word).is_some() || unit_and_rest(word).is_some();
        if matches!(last.as_str(), "unit" | "units") && column.values.iter().any(known) {
            units.push(Units {
                name: column.name.clone(),
                prefix: prefix.to_vec(),
            });
            column.used = true;
        }
    }
    units
}

/// What all names begin with says nothing of whose each is.
fn without_common_words(candidates: &mut [Candidate]) {
    loop {
        let mut firsts = candidates.iter().map(|candidate| candidate.who.first());
        let Some(Some(first)) = firsts.next().map(Option::<&String>::cloned) else {
            return;
        };
        let others = candidates
            .iter()
            .any(|candidate| candidate.who != candidates[0].who);
        if !others
            || !candidates
                .iter()
                .all(|candidate| candidate.who.first() == Some(&first))
        {
            return;
        }
        for candidate in candidates.iter_mut() {
            candidate.who.remove(0);
        }
    }
}

/// Figures of one prefix and unit belong together.
fn group(candidates: &[Candidate], columns: &mut [Column]) -> Vec<Metric> {
    let mut metrics = Vec::new();
    let mut done: Vec<(&[String], Option<&str>)> = Vec::new();
    for candidate in candidates {
        let key = (candidate.who.as_slice(), candidate.unit.as_deref());
        if done.contains(&key) {
            continue;
        }
        done.push(key);
        let own: Vec<&Candidate> = candidates
            .iter()
            .filter(|other| (other.who.as_slice(), other.unit.as_deref()) == key)
            .collect();
        let name = |candidate: &&&Candidate| {
            columns
                .get(candidate.index)
                .map(|column| column.name.clone())
                .unwrap_or_default()
        };
        let of = |part: Part| {
            own.iter()
                .find(|candidate| candidate.part == part)
                .map(|candidate| name(&candidate))
        };
        let mut values: Vec<(String, &str)> = own
            .iter()
            .filter_map(|candidate| match candidate.part {
                Part::Value(statistic) => Some((name(&candidate), statistic)),
                _ => None,
            })
            .collect();
        // Percentiles of the same trials come after the value that they belong to.
        values.sort_by_key(|(_, statistic)| statistic.starts_with("p9"));
        let lone = match (values.is_empty(), of(Part::Min)) {
            (true, Some(min)) => Some((min, "min")),
            _ => None,
        };
        let companions = lone.is_none();
        values.extend(lone);
        let who = (!candidate.who.is_empty()).then(|| candidate.who.join("-"));
        let baseline = candidate
            .who
            .iter()
            .any(|word| BASELINES.contains(&word.as_str()));
        let with_spread = values
            .iter()
            .position(|(_, statistic)| *statistic == "mean")
            .unwrap_or_default();
        let with_range = values
            .iter()
            .position(|(_, statistic)| *statistic == "median")
            .unwrap_or_default();
        for (number, (value, statistic)) in values.into_iter().enumerate() {
            let spread = companions && number == with_spread;
            metrics.push(Metric {
                value,
                unit: candidate.unit.clone(),
                unit_column: candidate.unit_column.clone(),
                statistic: statistic.to_owned(),
                std: of(Part::Std).filter(|_| spread),
                min: of(Part::Min).filter(|_| spread),
                max: of(Part::Max).filter(|_| spread),
                range: of(Part::Low)
                    .zip(of(Part::High))
                    .filter(|_| companions && number == with_range),
                who: who.clone(),
                baseline,
            });
        }
    }
    for candidate in candidates {
        if let Some(column) = columns.get_mut(candidate.index) {
            column.used = true;
        }
    }
    metrics
}
