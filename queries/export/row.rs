//! One run as a flat row: keys with their units, nothing nested but lists.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::evidence::{Evidence, Sighting};
use super::{Place, Source};
use crate::age::Age;
use crate::cohorts::{self, Cohort};
use crate::entities::Run;
use crate::floors;
use crate::policy::Ns;
use crate::policy::eligibility::Reason;
use crate::policy::trust::Trust;
use crate::records;

/// Age of a run on the day that was asked for.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Aged {
    /// The day.
    pub as_of: String,
    /// Age on that day.
    #[serde(flatten)]
    pub age: Age,
}

/// A run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "columns of a flat row")]
pub struct Row {
    /// `run:` + digest.
    pub run: String,
    /// Source slug.
    pub source: Arc<str>,
    /// Suite slug.
    pub suite: String,
    /// Suite version whose definitions apply; `null`: shapes unknown.
    pub suite_version: Option<String>,
    /// Level number.
    pub level: Option<i64>,
    /// Problem number within the level.
    pub problem: Option<i64>,
    /// `kernelbench/level2/28`.
    pub operation: String,
    /// Its title.
    pub operation_name: String,
    /// Its content digest.
    pub operation_digest: Arc<str>,
    /// `gemm`, `conv`, `model` …
    pub family: String,
    /// Axes and dtype in one line.
    pub workload: String,
    /// Its content digest.
    pub workload_digest: String,
    /// Whether its shapes are known.
    pub shapes_known: bool,
    /// Dtype of the inputs; `mixed` when they differ.
    pub dtype: Option<String>,
    /// Who computes.
    pub implementation: String,
    /// `baseline`, `reference` or `candidate`.
    pub role: String,
    /// Its software project.
    pub project: String,
    /// Product id: `h100-sxm5-80gb`.
    pub hardware: String,
    /// Product name.
    pub product: String,
    /// Device strings as stated, separated by ` | `.
    pub hardware_stated: String,
    /// Who ran it.
    pub provider: Option<String>,
    /// Software and versions; empty: unknown.
    pub software: BTreeMap<String, String>,
    /// Harness that timed it.
    pub protocol: String,
    /// Content digest of the whole protocol.
    pub protocol_digest: String,
    /// Statistic that `latency_ns` is.
    pub statistic: String,
    /// What is measured: `latency`, `bandwidth` …
    pub metric: String,
    /// Unit of `value`.
    pub unit: String,
    /// The figure in that unit.
    pub value: Option<serde_json::Number>,
    /// Cache state between trials; `null` is unknown.
    pub cache: Option<String>,
    /// Digest of what it may be compared within.
    pub cohort: String,
    /// Status as stated.
    pub status: String,
    /// The statistic's value.
    pub latency_ns: Option<Ns>,
    /// Lower end of its 95 % interval.
    pub interval_low_ns: Option<Ns>,
    /// Upper end.
    pub interval_high_ns: Option<Ns>,
    /// Standard deviation of the trials.
    pub std_ns: Option<Ns>,
    /// Fastest trial.
    pub min_ns: Option<Ns>,
    /// Slowest trial.
    pub max_ns: Option<Ns>,
    /// Trials.
    pub samples: Option<u32>,
    /// The source's printing hides ± this much.
    pub resolution_ns: Option<Ns>,
    /// Day it was observed; `null` is unknown.
    pub observed_on: Option<String>,
    /// The same as precisely as known: a day or an instant.
    pub observed_at: Option<String>,
    /// How that is known.
    pub observed_basis: Option<String>,
    /// Whether it may hold a record.
    pub eligible: bool,
    /// Why not.
    pub reasons: Vec<Reason>,
    /// Dense rank in its cohort; `null` unless eligible.
    pub rank: Option<u32>,
    /// Whether others share the rank.
    pub tied: bool,
    /// Whether it is of rank 1.
    pub is_record: bool,
    /// Latency of the cohort's designated baseline.
    pub baseline_ns: Option<Ns>,
    /// Baseline over own, two decimals.
    pub speedup: Option<f64>,
    /// Lower bound under roofline-v2; `null` where none can be given.
    pub floor_ns: Option<Ns>,
    /// Own latency over the floor, two decimals.
    pub floor_ratio: Option<f64>,
    /// Licence of the published module and figures, SPDX; `null` is unknown.
    pub license: Option<Arc<str>>,
    /// Licence of what ran.
    pub implementation_license: Option<Arc<str>>,
    /// Licence of the data.
    pub data_license: Option<Arc<str>>,
    /// Whom to name.
    pub attribution: String,
    /// Whether it may be passed on; `null` is unknown.
    pub redistribution: Option<bool>,
    /// How far it can be believed.
    pub trust: Trust,
    /// Which content states it, and where.
    pub sightings: BTreeSet<Sighting>,
    /// With `--as-of`: the day and the age on it.
    #[serde(flatten)]
    pub aged: Option<Aged>,
    /// With provenance: when the file first learned of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned_at: Option<String>,
}

/// Keys of a row in their order, and whether they hold figures.
pub const COLUMNS: &[(&str, bool)] = &[
    ("run", false),
    ("source", false),
    ("suite", false),
    ("suite_version", false),
    ("level", true),
    ("problem", true),
    ("operation", false),
    ("operation_name", false),
    ("operation_digest", false),
    ("family", false),
    ("workload", false),
    ("workload_digest", false),
    ("shapes_known", false),
    ("dtype", false),
    ("implementation", false),
    ("role", false),
    ("project", false),
    ("hardware", false),
    ("product", false),
    ("hardware_stated", false),
    ("provider", false),
    ("software", false),
    ("protocol", false),
    ("protocol_digest", false),
    ("statistic", false),
    ("metric", false),
    ("unit", false),
    ("value", true),
    ("cache", false),
    ("cohort", false),
    ("status", false),
    ("latency_ns", true),
    ("interval_low_ns", true),
    ("interval_high_ns", true),
    ("std_ns", true),
    ("min_ns", true),
    ("max_ns", true),
    ("samples", true),
    ("resolution_ns", true),
    ("observed_on", false),
    ("observed_at", false),
    ("observed_basis", false),
    ("eligible", false),
    ("reasons", false),
    ("rank", true),
    ("tied", false),
    ("is_record", false),
    ("baseline_ns", true),
    ("speedup", true),
    ("floor_ns", true),
    ("floor_ratio", true),
    ("license", false),
    ("implementation_license", false),
    ("data_license", false),
    ("attribution", false),
    ("redistribution", false),
    ("trust", false),
    ("sightings", false),
];

/// Keys that `--as-of` adds.
pub const AGE_COLUMNS: &[(&str, bool)] = &[
    ("as_of", false),
    ("age_days", true),
    ("stale", false),
    ("stale_reasons", false),
];

/// Keys that provenance adds.
pub const PROVENANCE_COLUMNS: &[(&str, bool)] = &[("learned_at", false)];

/// The row of a run.
pub(super) fn row(
    cohort: &Cohort,
    place: &Place,
    source: &Source,
    evidence: Evidence,
    aged: Option<Aged>,
) -> Row {
    let standing = &place.standing;
    let run = &standing.run;
    let reasons = cohorts::reasons(run, place.superseded);
    let interval = run.interval();
    let baseline = cohort.baseline();
    let floor = Some(run)
        .filter(|run| run.has_figure)
        .and_then(|run| floors::figures(cohort, run));
    let is_time = run.has_figure && run.metric.is_latency();
    let ns = |parts: Option<i64>| parts.filter(|_| is_time).map(Ns::from_ps);
    Row {
        run: run.id_text(),
        source: run.source.clone(),
        suite: cohort.operation.suite.clone(),
        suite_version: cohort.workload.suite_version.clone(),
        level: cohort.operation.level,
        problem: cohort.operation.problem,
        operation: cohort.operation.slug.clone(),
        operation_name: cohort.operation.name.clone(),
        operation_digest: cohort.operation_digest.clone(),
        family: cohort.operation.family.clone(),
        workload: cohort.workload.summary.clone(),
        workload_digest: cohort.workload.digest.clone(),
        shapes_known: cohort.workload.shapes_known,
        dtype: cohort.workload.dtype.clone(),
        implementation: run.implementation.name.clone(),
        role: run.implementation.role.clone(),
        project: run.implementation.project.clone(),
        hardware: cohort.hardware.id.clone(),
        product: cohort.hardware.product.clone(),
        hardware_stated: joined(&evidence.hardware),
        provider: cohort.environment.provider.clone(),
        software: cohort.environment.software.clone(),
        protocol: cohort.protocol.harness.clone(),
        protocol_digest: cohort.protocol.digest.clone(),
        statistic: run.metric.statistic.clone(),
        metric: run.metric.name.clone(),
        unit: run.metric.unit.clone(),
        value: run.amount().value,
        cache: cohort.protocol.cache.clone(),
        cohort: cohort.digest.clone(),
        status: run.status.clone(),
        latency_ns: run.latency(),
        interval_low_ns: interval.and_then(|interval| ns(Some(interval.low))),
        interval_high_ns: interval.and_then(|interval| ns(Some(interval.high))),
        std_ns: ns(run.std),
        min_ns: ns(run.min),
        max_ns: ns(run.max),
        samples: run.samples,
        resolution_ns: ns(Some(run.resolution)),
        observed_on: run.observed_on(),
        observed_at: run.observed.as_ref().map(|(at, _)| at.clone()),
        observed_basis: run.observed.as_ref().map(|o| o.1.as_str().to_owned()),
        eligible: reasons.is_empty(),
        reasons,
        rank: place.stands.then_some(standing.rank),
        tied: standing.tied,
        is_record: place.stands && standing.rank == 1,
        baseline_ns: baseline.and_then(Run::latency),
        speedup: baseline
            .filter(|_| run.has_figure)
            .and_then(|baseline| records::ratio(baseline, run)),
        floor_ns: floor.as_ref().and_then(|floor| floor.floor_ns),
        floor_ratio: floor.as_ref().and_then(|floor| floor.ratio),
        license: run.license.clone(),
        implementation_license: run.implementation.license.clone(),
        data_license: run.data_license.clone(),
        attribution: evidence.attribution(source),
        redistribution: evidence.redistribution(source),
        trust: run.trust(),
        sightings: evidence.sightings,
        aged,
        learned_at: evidence.learned_at,
    }
}

fn joined(texts: &BTreeSet<String>) -> String {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    texts.join(" | ")
}

#[cfg(test)]
mod tests {
    use schemars::generate::SchemaSettings;

    use super::*;

    /// The properties that the type declares, in order.
    fn properties<T: JsonSchema>() -> Vec<String> {
        let generator = SchemaSettings::draft2020_12()
            .for_serialize()
            .into_generator();
        let schema = generator.into_root_schema_for::<T>();
        let properties = schema.get("properties").and_then(|p| p.as_object());
        properties.unwrap().keys().cloned().collect()
    }

    #[test]
    fn columns_are_the_keys_of_a_row() {
        let columns: Vec<&str> = [COLUMNS, PROVENANCE_COLUMNS, AGE_COLUMNS]
            .concat()
            .iter()
            .map(|column| column.0)
            .collect();
        let mut keys = properties::<Row>();
        let mut sorted = columns.clone();
        sorted.sort_unstable();
        let in_order = keys
            .iter()
            .filter(|key| COLUMNS.iter().any(|c| c.0 == **key));
        assert!(in_order.eq(COLUMNS.iter().map(|column| column.0)));
        keys.sort_unstable();
        assert_eq!(keys, sorted);
    }
}
