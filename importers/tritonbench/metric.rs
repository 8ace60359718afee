//! Which metrics tritonbench writes, which of them are figures, and how they were taken.

use crate::duration::Unit;
use crate::metric::{Metric, Scale};
use crate::{AxisValue, Protocol};

/// Metrics that every operator can have, and `gbps`, which most define.
const KNOWN: &[&str] = &[
    "accuracy",
    "all_configs",
    "att_trace",
    "best_config",
    "compile_time",
    "compile_time_by_stage",
    "compile_trace",
    "cpu_peak_mem",
    "determinism",
    "gbps",
    "gpu_peak_mem",
    "hw_roofline",
    "kernel_source_hash",
    "kineto_trace",
    "latency",
    "mem_footprint_compression_ratio",
    "ncu_rep",
    "ncu_rep_ir",
    "nsys_gpu_speedup",
    "nsys_rep",
    "speedup",
    "tflops",
    "walltime",
    "walltime_kineto_trace",
];

/// Whether tritonbench itself has a metric of that name.
pub(super) fn is_known(metric: &str) -> bool {
    KNOWN.contains(&metric)
}

/// Metrics that the baseline has none of, where others have them.
pub(super) fn skips_baseline(metric: &str) -> bool {
    matches!(metric, "speedup" | "accuracy" | "determinism")
}

/// What a metric is to this importer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Time of the kernels.
    Latency,
    /// Time by the host's clock, calls back to back.
    Walltime,
    /// FLOP a second.
    Compute,
    /// Bytes a second.
    Bandwidth,
    /// Peak memory of the device.
    PeakMemory,
    /// The baseline's latency by the own.
    Speedup,
    /// Whether it computes what the baseline does.
    Accuracy,
    /// Whether it computes the same each time.
    Determinism,
}

impl Kind {
    /// The kind of a metric that is read.
    pub(super) fn of(metric: &str) -> Option<Self> {
        Some(match metric {
            "latency" => Self::Latency,
            "walltime" => Self::Walltime,
            "tflops" => Self::Compute,
            "gbps" => Self::Bandwidth,
            "gpu_peak_mem" => Self::PeakMemory,
            "speedup" => Self::Speedup,
            "accuracy" => Self::Accuracy,
            "determinism" => Self::Determinism,
            _ => return None,
        })
    }

    /// Whether it is a figure, not a word about others.
    pub(super) fn is_figure(self) -> bool {
        !matches!(self, Self::Accuracy | Self::Determinism)
    }

    /// The unit of its figures and the statistic that they are.
    pub(super) fn scale(self) -> Option<(Scale, Metric)> {
        let (scale, statistic) = match self {
            Self::Latency => (Scale::time(Unit::Millisecond), "median"),
            Self::Walltime => (Scale::time(Unit::Millisecond), "walltime"),
            Self::Compute => (Scale::parse("TFLOPS")?, "median"),
            Self::Bandwidth => (Scale::parse("GB/s")?, "median"),
            Self::PeakMemory => (Scale::parse("GB")?, "max"),
            Self::Speedup => (Scale::parse("x")?, "median"),
            Self::Accuracy | Self::Determinism => return None,
        };
        let metric = scale.metric(statistic);
        Some((scale, metric))
    }

    /// How it was taken, where not as the reading says.
    pub(super) fn protocol(self) -> Option<Protocol> {
        match self {
            // All calls without a pause and nothing cleared between them.
            Self::Walltime => Some(Protocol {
                harness: "tritonbench walltime".to_owned(),
                statistic: "walltime".to_owned(),
                timer: Some("host_clock".to_owned()),
                cache: Some("warm".to_owned()),
                ..Protocol::default()
            }),
            Self::PeakMemory => Some(Protocol {
                harness: "torch max_memory_allocated".to_owned(),
                statistic: "max".to_owned(),
                ..Protocol::default()
            }),
            _ => None,
        }
    }
}

/// A whole number that is no less than zero is a size; anything else stays as written,
/// without the quotes of a Python text.
pub(super) fn axis_value(text: &str) -> AxisValue {
    let text = text.trim();
    let size = crate::duration::Decimal::parse(text).and_then(|decimal| decimal.to_count());
    if let Some(size) = size {
        return AxisValue::Size(i64::from(size));
    }
    let bare = ['\'', '"']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    AxisValue::Word(bare.unwrap_or(text).to_owned())
}
