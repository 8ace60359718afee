//! What answers name again and again: operations, workloads, hardware, environments,
//! protocols, implementations. One type each, the same in every answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::axes::Axes;
use crate::metric::{Amount, Direction, Metric};
use crate::policy::Ns;
use crate::policy::eligibility::stats_contradict;
use crate::policy::interval::{Interval, Stats, interval};
use crate::policy::observation::Basis;
use crate::policy::resolution::Figure;
use crate::policy::trust::{Evidence, Trust, trust};
use crate::units;

/// An operation as listings name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Operation {
    /// `kernelbench/level2/28`.
    pub slug: String,
    /// Title.
    pub name: String,
    /// Suite slug.
    pub suite: String,
    /// Level number; `null` for levels without one.
    pub level: Option<i64>,
    /// Problem number within the level.
    pub problem: Option<i64>,
    /// `gemm`, `conv`, `model` …; `unknown` where the definition is.
    pub family: String,
}

/// A workload as listings name it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Workload {
    /// `batch_size=1024 in_features=8192 out_features=8192 fp32`, or `shape unknown`.
    pub summary: String,
    /// Bound axes by name.
    pub axes: Axes,
    /// Dtype of the inputs; `mixed` when they differ.
    pub dtype: Option<String>,
    /// Content digest.
    pub digest: String,
    /// Whether its shapes are known.
    pub shapes_known: bool,
    /// Suite version whose definitions apply.
    pub suite_version: Option<String>,
}

/// A hardware product as listings name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hardware {
    /// `h100-sxm5-80gb`.
    pub id: String,
    /// `h100-sxm`: the id without what is unambiguous anyway.
    pub short: String,
    /// Full name.
    pub product: String,
    /// `h100`; `null` where unknown.
    pub family: Option<String>,
}

/// Where a run ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Environment {
    /// Product and provider in one line.
    pub label: String,
    /// Who ran it; `null` where unknown.
    pub provider: Option<String>,
    /// Software versions as far as stated; empty: unknown.
    pub software: BTreeMap<String, String>,
    /// Content digest.
    pub digest: String,
}

/// How a run was timed; `null` is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Protocol {
    /// Harness.
    pub harness: String,
    /// Primary statistic.
    pub statistic: String,
    /// Timer.
    pub timer: Option<String>,
    /// Warm-up runs.
    pub warmups: Option<i64>,
    /// Cache state between trials.
    pub cache: Option<String>,
    /// Precision mode.
    pub precision: Option<String>,
    /// Gradients while timing: `recorded` or `off`.
    pub autograd: Option<String>,
    /// Content digest.
    pub digest: String,
}

/// Who computes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Implementation {
    /// `torch.compile (inductor)`.
    pub name: String,
    /// Short name.
    pub slug: String,
    /// Software project.
    pub project: String,
    /// Language.
    pub language: String,
    /// How it is called.
    pub interface: String,
    /// `baseline`, `reference` or `candidate`.
    pub role: String,
    /// Licence of what runs, SPDX; `null` is unknown.
    pub license: Option<Arc<str>>,
    /// Content digest.
    pub digest: String,
}

/// One run, with the figures it states.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, each named by a policy"
)]
pub struct Run {
    /// Row.
    pub id: i64,
    /// Row of its cohort.
    pub cohort_id: i64,
    /// 64 hex digits.
    pub digest: String,
    /// Who computes.
    pub implementation: Arc<Implementation>,
    /// Source slug.
    pub source: Arc<str>,
    /// `passed` …
    pub status: String,
    /// What was measured.
    pub metric: Arc<Metric>,
    /// The figure, in parts of the metric's unit: picoseconds of a latency. 0 where there is
    /// none, and then it is never eligible.
    pub value: i64,
    /// Whether there is a figure.
    pub has_figure: bool,
    /// Standard deviation, in parts too.
    pub std: Option<i64>,
    /// Least trial.
    pub min: Option<i64>,
    /// Greatest trial.
    pub max: Option<i64>,
    /// Interval that the source states.
    pub stated: Option<(i64, i64)>,
    /// Trials.
    pub samples: Option<u32>,
    /// The source's printing hides ± this much.
    pub resolution: i64,
    /// When it was observed, and how that is known.
    pub observed: Option<(String, Basis)>,
    /// Doubts about it.
    pub doubts: Vec<String>,
    /// An event retracted it.
    pub retracted: bool,
    /// Licence of the published module, SPDX.
    pub license: Option<Arc<str>>,
    /// Licence of the data, SPDX.
    pub data_license: Option<Arc<str>>,
    /// Days after which its source's figures are stale.
    pub freshness_days: u32,
    /// Whether its workload's shapes are known.
    pub shapes_known: bool,
    /// Whether timer, warm-ups and cache state are known.
    pub protocol_known: bool,
    /// Whether software versions are known.
    pub software_known: bool,
}

impl Run {
    /// `run:` and the digest.
    pub fn id_text(&self) -> String {
        ["run:", &self.digest].concat()
    }

    /// Whether it is the source's designated baseline.
    pub fn is_baseline(&self) -> bool {
        self.implementation.role == "baseline"
    }

    /// 95 % interval of the mean (interval-v1).
    pub fn interval(&self) -> Option<Interval> {
        interval(&Stats {
            value: self.value,
            std: self.std,
            min: self.min,
            samples: self.samples,
            stated: self.stated,
        })
    }

    /// The figure with all that is known about its precision, as policies want it: less is
    /// better.
    pub fn figure(&self) -> Figure {
        let figure = Figure {
            value: self.value,
            interval: self.interval(),
            resolution: self.resolution,
        };
        if self.metric.direction == Direction::Higher {
            figure.turned()
        } else {
            figure
        }
    }

    /// The printed `±`: half the interval's width in the unit the value reads best in.
    pub fn spread(&self) -> Option<String> {
        let interval = self.interval()?;
        Some(if self.metric.is_latency() {
            units::spread(interval.low, interval.high, self.value)
        } else {
            self.metric.spread(interval, self.value)
        })
    }

    /// Day of the observation.
    pub fn observed_on(&self) -> Option<String> {
        let (at, _) = self.observed.as_ref()?;
        Some(at.get(..10).unwrap_or(at).to_owned())
    }

    /// Trust, from what evidence there is. Sources of reference timings publish no
    /// code of what ran and no single trials; replication is looked for where a page
    /// compares sources.
    pub fn trust(&self) -> Trust {
        trust(&Evidence {
            exact_workload: self.shapes_known,
            protocol: self.protocol_known,
            environment: self.software_known,
            ..Evidence::default()
        })
    }

    /// Whether its statistics contradict each other.
    pub fn stats_contradict(&self) -> bool {
        self.has_figure && stats_contradict(self.value, self.min, self.max, self.resolution)
    }

    /// The figure, on its way out.
    pub fn amount(&self) -> Amount {
        Amount::of(&self.metric, self.has_figure.then_some(self.value))
    }

    /// A latency, on its way out; `None` of another metric.
    pub fn latency(&self) -> Option<Ns> {
        (self.has_figure && self.metric.is_latency()).then(|| Ns::from_ps(self.value))
    }
}

/// Peaks and cache of a product, as floors use them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Peaks {
    /// DRAM, GB/s.
    pub bandwidth_gbs: Option<f64>,
    /// TFLOP/s, vector.
    pub fp64: Option<f64>,
    /// TFLOP/s.
    pub fp64_tensor: Option<f64>,
    /// TFLOP/s, vector.
    pub fp32: Option<f64>,
    /// TFLOP/s.
    pub tf32_tensor: Option<f64>,
    /// TFLOP/s.
    pub fp16_tensor: Option<f64>,
    /// TFLOP/s.
    pub bf16_tensor: Option<f64>,
    /// TFLOP/s.
    pub fp8_tensor: Option<f64>,
    /// TOPS.
    pub int8_tensor: Option<f64>,
    /// TFLOP/s.
    pub fp4_tensor: Option<f64>,
    /// L2, MiB.
    pub l2_mib: Option<f64>,
    /// Memory-side cache behind L2, MiB.
    pub llc_mib: Option<f64>,
    /// How far the matrix units at the maximum clock exceed the published peaks.
    pub clock_ceiling: Option<f64>,
    /// `high`, `medium` or `low`.
    pub confidence: Option<String>,
    /// File in which the user gave some of them; `null`: none.
    pub given: Option<String>,
}
