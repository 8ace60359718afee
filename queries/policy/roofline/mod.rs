//! `roofline-v2`: three floors and the flags that say how firmly they stand.
//!
//! - `fused`: every distinct byte once at the device's DRAM peak, the matrix work at
//!   the dense peak that the precision policy permits; the larger of the two;
//! - `hard`: the same less what a cache may have kept, at the maximum clock, and
//!   without matrix work that another algorithm or the algebra could remove: no
//!   correct kernel beats it;
//! - `unfused`: each operation alone, summed. A bound on op-by-op execution only.
//!
//! Unknown is left out, never guessed: without outputs or parameters the floor is
//! that of the declared inputs, without a peak there is no such term.

mod cache;
mod known;
mod peaks;
mod verdict;

pub use cache::{Cache, Timing};
pub use known::{Judged, Known, below_hard, explain, judge};
pub use peaks::{Class, Confidence, Hardware, clock_ceiling};
pub use verdict::Measured;

use std::borrow::Cow;

use serde::Deserialize;

use super::floor::{Bound, Flag, FlagCode, Floor, Precision, Terms, compute_ns, dram_ns, grouped};
use super::ns::Ns;
use super::two_decimals;
use verdict::Lines;

/// Name of the policy.
pub const ID: &str = "roofline-v2";

/// Fused floors under five microseconds say nothing about a kernel's quality.
const LATENCY_BOUND_NS: f64 = 5_000.0;

/// One operation run alone; kept as a list of the three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Operation {
    /// How often it runs.
    pub calls: u64,
    /// Its own inputs and outputs, in bytes.
    pub bytes: u64,
    /// Its matrix work, in FLOP.
    pub flops: u64,
}

/// What a workload must move and compute. `None` is unknown.
#[derive(Debug, Clone, Copy)]
pub struct Work<'a> {
    /// Distinct declared inputs, in bytes that are touched.
    pub input_bytes: u64,
    /// Parameters and buffers that the outputs depend on, in bytes.
    pub parameter_bytes: Option<u64>,
    /// Distinct outputs, in bytes.
    pub output_bytes: Option<u64>,
    /// Matrix work that the outputs need, in FLOP (2 a multiply-add).
    pub matrix_flops: Option<u64>,
    /// Dtype class of that work.
    pub class: Class,
    /// The operations as declared, where all of them are understood.
    pub operations: Option<&'a [Operation]>,
    /// What is known of the work itself (`algorithm-class`, `partial` …).
    pub flags: &'a [Flag],
}

impl Work<'_> {
    /// Everything read: inputs, parameters and buffers.
    fn read(&self) -> f64 {
        self.input_bytes as f64 + self.parameter_bytes.unwrap_or(0) as f64
    }

    fn written(&self) -> f64 {
        self.output_bytes.unwrap_or(0) as f64
    }

    fn inputs_only(&self) -> bool {
        self.parameter_bytes.is_none() || self.output_bytes.is_none()
    }

    /// Whether a correct kernel may do without the matrix work as counted.
    fn removable(&self) -> bool {
        self.class == Class::Fp64
            || self.flags.iter().any(|flag| {
                matches!(
                    flag.code,
                    FlagCode::AlgorithmClass | FlagCode::AlgebraReducible
                )
            })
    }
}

/// The floors of a workload on a device, and the verdict on a measured time. A device
/// that isn't known, or whose bandwidth isn't, has no floor; the rules say so.
pub fn floor(
    work: &Work<'_>,
    hardware: Option<&Hardware<'_>>,
    precision: Precision,
    timing: Timing,
    measured: Option<Measured>,
) -> Floor {
    let mut floor = figures(work, hardware, precision, timing, measured);
    if let Some(device) = hardware.filter(|_| floor.bound.is_some()) {
        floor.rules = rules(work, device, precision, timing);
    }
    floor
}

/// The same without the rules of a floor that there is: writing them takes longer than
/// working it out.
fn figures(
    work: &Work<'_>,
    hardware: Option<&Hardware<'_>>,
    precision: Precision,
    timing: Timing,
    measured: Option<Measured>,
) -> Floor {
    let mut floor = Floor {
        precision: Some(precision),
        hardware: hardware.map(|device| device.id.to_owned()),
        ..Floor::none(ID)
    };
    let Some(device) = hardware else {
        floor
            .rules
            .push("no floor: the device is not in the hardware table".to_owned());
        return floor;
    };
    let Some((gbs, dram)) = device
        .bandwidth_gbs
        .and_then(|gbs| Some((gbs, dram_ns(work.read() + work.written(), gbs)?)))
    else {
        floor.rules.push(format!(
            "no floor: the DRAM bandwidth of {} is not known",
            device.id
        ));
        return floor;
    };

    if work.read() + work.written() <= 0.0
        && let Some(flag) = work
            .flags
            .iter()
            .find(|flag| flag.code == FlagCode::Partial)
    {
        floor
            .rules
            .push("no floor: nothing of the module was followed".to_owned());
        floor.flags.push(flag.clone());
        return floor;
    }

    let peak = device.peak(work.class, precision);
    let compute = work
        .matrix_flops
        .zip(peak)
        .and_then(|(flops, (_, peak))| compute_ns(flops as f64, peak));
    let at_ceiling = compute
        .zip(device.clock_ceiling)
        .map(|(ns, over)| ns / over);
    let cache_bytes = device.cache_bytes();
    let hard = [
        cache::compulsory_bytes(work.read(), work.written(), cache_bytes, timing)
            .and_then(|bytes| dram_ns(bytes, gbs)),
        at_ceiling.filter(|_| !work.removable()),
    ]
    .into_iter()
    .flatten()
    .reduce(f64::max);
    let fused = compute.map_or(dram, |compute| compute.max(dram));

    floor.floor_ns = Ns::from_ns(fused);
    floor.bound = Some(match compute {
        Some(compute) if compute >= dram => Bound::Compute,
        _ => Bound::Bandwidth,
    });
    floor.terms = Terms {
        dram_ns: Ns::from_ns(dram),
        compute_ns: compute.and_then(Ns::from_ns),
    };
    floor.hard_ns = hard.and_then(Ns::from_ns);
    floor.unfused_ns = unfused(work, gbs, peak).and_then(Ns::from_ns);
    floor.flags = flags(work, device, precision, timing, fused, compute);
    if let Some(measured) = measured {
        let codes: Vec<FlagCode> = floor.flags.iter().map(|flag| flag.code).collect();
        let lines = Lines {
            hard,
            dram,
            compute,
            compute_at_ceiling: at_ceiling,
        };
        floor.verdict = Some(verdict::verdict(measured, &lines, &codes));
        let mean_ns = Ns::from_ps(measured.value).ns();
        floor.ratio = (fused > 0.0).then(|| two_decimals(mean_ns / fused));
    }
    floor
}

/// Σ max(compute, memory) over the operations; `None` where one computes and its peak
/// isn't known.
fn unfused(work: &Work<'_>, gbs: f64, peak: Option<(&'static str, f64)>) -> Option<f64> {
    work.operations?.iter().try_fold(0.0, |sum, operation| {
        let memory = dram_ns(operation.bytes as f64, gbs)?;
        let compute = match operation.flops {
            0 => 0.0,
            flops => compute_ns(flops as f64, peak?.1)?,
        };
        Some(sum + operation.calls as f64 * memory.max(compute))
    })
}

fn flags(
    work: &Work<'_>,
    device: &Hardware<'_>,
    precision: Precision,
    timing: Timing,
    fused: f64,
    compute: Option<f64>,
) -> Vec<Flag> {
    let mut flags = work.flags.to_vec();
    let mut set = |code, reason: Cow<'static, str>| {
        if flags.iter().all(|flag| flag.code != code) {
            flags.push(Flag { code, reason });
        }
    };
    let computes = compute.is_some_and(|ns| ns > 0.0);
    if work.inputs_only() {
        set(
            FlagCode::InputsOnly,
            "outputs and parameters are not known and not counted".into(),
        );
    }
    let cache_bytes = device.cache_bytes();
    if cache::is_ambiguous(work.read() + work.written(), cache_bytes, timing) {
        set(
            FlagCode::CacheAmbiguous,
            cache_bytes.map_or_else(
                || format!("the cache size of {} is not known", device.id).into(),
                |cache| format!("the working set fits in twice {}", mib(cache)).into(),
            ),
        );
    }
    if fused < LATENCY_BOUND_NS {
        set(
            FlagCode::LatencyBound,
            "under 5 µs a launch costs more than the work".into(),
        );
    }
    if computes && work.class == Class::Fp64 {
        set(
            FlagCode::AlgorithmClass,
            "fp64 products can be composed of int8 ones".into(),
        );
    }
    if precision == Precision::Any {
        set(
            FlagCode::PrecisionAny,
            "holds only where the checker accepts the lowest precision".into(),
        );
    }
    if computes {
        set(
            FlagCode::ClocksUnknown,
            "the peak is at the published clock; the run's clocks are not stated".into(),
        );
    }
    let source = match device.confidence {
        Some(Confidence::High) | None => None,
        Some(Confidence::Medium) => Some((FlagCode::PeakMedium, "medium")),
        Some(Confidence::Low) => Some((FlagCode::PeakLow, "low")),
    };
    if let Some((code, level)) = source {
        set(
            code,
            format!("confidence in the peaks of {} is {level}", device.id).into(),
        );
    }
    if let Some(file) = device.given {
        set(
            FlagCode::PeakGiven,
            format!("figures of {} are from {file}", device.id).into(),
        );
    }
    if device.is_split_package() {
        set(
            FlagCode::PackageSplit,
            "the peaks are the whole package's; a run on one of its two devices has half".into(),
        );
    }
    flags
}

fn rules(
    work: &Work<'_>,
    device: &Hardware<'_>,
    precision: Precision,
    timing: Timing,
) -> Vec<String> {
    let counted = match (work.parameter_bytes, work.output_bytes) {
        (Some(_), Some(_)) => "inputs, used parameters and outputs",
        (Some(_), None) => "inputs and used parameters",
        (None, Some(_)) => "inputs and outputs",
        (None, None) => "inputs",
    };
    let memory = format!(
        "{counted}, {} bytes, cross DRAM once at {} GB/s ({})",
        grouped(work.read() + work.written()),
        grouped(device.bandwidth_gbs.unwrap_or_default()),
        device.id
    );
    let policy = match precision {
        Precision::Declared => "declared",
        Precision::Strict => "strict",
        Precision::Any => "any",
    };
    let peak = device.peak(work.class, precision);
    let compute = match (work.matrix_flops, peak) {
        (Some(flops), Some((name, tflops))) => format!(
            "{} FLOP of matrix work at the dense {name} peak, {} TFLOP/s (precision: {policy})",
            grouped(flops as f64),
            grouped(two_decimals(tflops))
        ),
        (Some(_), None) => format!("no compute floor: no such peak is known for {}", device.id),
        (None, _) => "no compute floor: the matrix work is not known".to_owned(),
    };
    let size = device
        .cache_bytes()
        .map_or_else(|| "a cache of unknown size".to_owned(), mib);
    let calls = timing.samples.unwrap_or(1).max(1);
    let cache = match timing.cache {
        Some(Cache::Cleared) => format!("hard: inputs cold, outputs may stay in {size}"),
        Some(Cache::Warm) => format!("hard: mean of {calls} back-to-back calls, {size} stays warm"),
        None => format!(
            "hard: cache state unknown, mean of {calls} back-to-back calls, {size} may stay warm"
        ),
    };
    vec![memory, compute, cache]
}

fn mib(bytes: f64) -> String {
    format!("{} MiB of cache", grouped(bytes / (1024.0 * 1024.0)))
}

#[cfg(test)]
mod tests;
