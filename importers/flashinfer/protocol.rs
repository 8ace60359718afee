//! How the harnesses timed, by the instant of a record. Traces say nothing of it but a
//! warning in their log.
//!
//! Read off the harnesses' code at every commit that changed it. `FlashInfer-Bench`:
//! `flashinfer_bench/benchmark.py`, later `bench/timing.py` and `bench/evaluators/`;
//! `SOL-ExecBench`: `core/bench/timing.py` and the driver. Documents of both say "mean"
//! throughout; the code of today takes medians.

use crate::Protocol;
use crate::instant::Instant;

use super::Flavour;

/// A way of timing, and since when the main line had it.
struct Era {
    since: &'static str,
    statistic: &'static str,
    timer: Option<&'static str>,
    warmups: Option<u32>,
    cache: Option<&'static str>,
    autograd: Option<&'static str>,
}

/// What is known of a record without an instant.
const UNKNOWN: Era = Era {
    since: "",
    statistic: "unspecified",
    timer: None,
    warmups: None,
    cache: None,
    autograd: None,
};

/// Oldest first.
const FLASHINFER: &[Era] = &[
    // e0e7dbaa: one pair of CUDA events around all iterations; nothing clears a cache.
    Era {
        since: "2025-07-11T23:00:13Z",
        statistic: "mean",
        timer: Some("cuda_event"),
        warmups: Some(10),
        cache: Some("warm"),
        autograd: Some("off"),
    },
    // d145cc22: Triton's `do_bench`, whose warm-up is a time, not a number of runs.
    Era {
        since: "2025-07-22T16:59:14Z",
        statistic: "mean",
        timer: Some("cuda_event"),
        cache: Some("l2-cleared"),
        ..UNKNOWN
    },
    // 76bb00dd: a loop of its own, the same but for the warm-ups.
    Era {
        since: "2025-12-24T20:55:38Z",
        statistic: "mean",
        timer: Some("cuda_event"),
        warmups: Some(10),
        cache: Some("l2-cleared"),
        ..UNKNOWN
    },
    // 0cd5b6e1: CUPTI where it is installed, else CUDA events; Python warns of that once a
    // process, so that a log without the warning says nothing. Median of each trial's runs,
    // mean of the trials.
    Era {
        since: "2026-02-24T19:26:44Z",
        statistic: MEAN_OF_MEDIANS,
        warmups: Some(10),
        cache: Some("l2-cleared"),
        ..UNKNOWN
    },
];

const MEAN_OF_MEDIANS: &str = "mean-of-medians";

/// Oldest first.
const SOL: &[Era] = &[
    // 534eff03: the first evaluator.
    Era {
        since: "2026-03-18T23:18:12Z",
        statistic: "mean",
        timer: Some("cuda_event"),
        warmups: Some(10),
        cache: Some("l2-cleared"),
        ..UNKNOWN
    },
    // 8d2237d2: CUPTI, without which it doesn't start; one trial, its median.
    Era {
        since: "2026-04-15T17:42:44Z",
        statistic: "median",
        timer: Some("cupti"),
        warmups: Some(10),
        cache: Some("l2-cleared"),
        ..UNKNOWN
    },
];

/// The protocol of a record. `fell_back`: its log has the warning that CUDA events were
/// used, which only the latest `FlashInfer-Bench` writes.
pub(super) fn protocol(flavour: Flavour, at: Option<Instant>, fell_back: bool) -> Protocol {
    let eras = match flavour {
        Flavour::FlashInfer => FLASHINFER,
        Flavour::Sol => SOL,
    };
    let fell_back = fell_back && flavour == Flavour::FlashInfer;
    let era = if fell_back {
        eras.last().unwrap_or(&UNKNOWN)
    } else {
        at.map_or(&UNKNOWN, |at| era(eras, at))
    };
    let timer = if fell_back {
        Some("cuda_event")
    } else {
        era.timer
    };
    Protocol {
        harness: flavour.harness().to_owned(),
        statistic: era.statistic.to_owned(),
        timer: timer.map(str::to_owned),
        warmups: era.warmups,
        cache: era.cache.map(str::to_owned),
        precision: None,
        autograd: era.autograd.map(str::to_owned),
    }
}

/// The era of an instant; unknown where the zone decides and isn't stated.
fn era(eras: &'static [Era], at: Instant) -> &'static Era {
    let of = |at: Instant| {
        let at = at.to_string();
        eras.iter().rposition(|era| era.since <= at.as_str())
    };
    let found = if at.zoned || of(at.later(-14)) == of(at.later(14)) {
        of(at)
    } else {
        None
    };
    found.and_then(|index| eras.get(index)).unwrap_or(&UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::Flavour::{FlashInfer, Sol};
    use super::*;

    #[test]
    fn eras_follow_one_another() {
        for eras in [FLASHINFER, SOL] {
            assert!(eras.is_sorted_by_key(|era| era.since));
        }
        let cases = [
            (
                FlashInfer,
                "2025-07-10T20:30:00Z",
                false,
                "unspecified",
                None,
            ),
            (
                FlashInfer,
                "2025-07-18T08:58:35",
                false,
                "mean",
                Some("cuda_event"),
            ),
            // An hour after the change, if it is UTC.
            (
                FlashInfer,
                "2025-07-22T18:00:00Z",
                false,
                "mean",
                Some("cuda_event"),
            ),
            (
                FlashInfer,
                "2026-02-24T20:00:00",
                false,
                "unspecified",
                None,
            ),
            (
                FlashInfer,
                "2026-02-24T20:00:00Z",
                false,
                "mean-of-medians",
                None,
            ),
            (
                FlashInfer,
                "2026-03-17T14:19:52",
                true,
                "mean-of-medians",
                Some("cuda_event"),
            ),
            (Sol, "2025-06-27T12:45:00Z", false, "unspecified", None),
            (
                Sol,
                "2026-04-01T00:00:00",
                false,
                "mean",
                Some("cuda_event"),
            ),
            (Sol, "2026-05-01T00:00:00", true, "median", Some("cupti")),
        ];
        for (flavour, at, fell_back, statistic, timer) in cases {
            let protocol = protocol(flavour, Instant::parse(at), fell_back);
            assert_eq!(protocol.statistic, statistic, "{at}");
            assert_eq!(protocol.timer.as_deref(), timer, "{at}");
        }
        let bare = protocol(FlashInfer, None, true);
        assert_eq!(bare.statistic, MEAN_OF_MEDIANS);
    }
}
