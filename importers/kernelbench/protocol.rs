//! How the suite's scripts timed, by the instant at which the suite's repository first
//! had the figures. The files themselves say nothing of it.
//!
//! Read off `scripts/generate_baseline_time*.py`, `src/eval.py` and `src/timing.py` at
//! every commit of the main line. Constant over all of them: CUDA events, the mean of
//! (by default) 100 trials, TF32 flags never touched.

use crate::Protocol;

/// What changed, and when the main line had it.
struct Era {
    /// Author date of the commit.
    since: &'static str,
    warmups: Option<u32>,
    cache: Option<&'static str>,
    precision: Option<&'static str>,
    autograd: Option<&'static str>,
}

/// The flags as `PyTorch` sets them: convolutions of fp32 tensors may use TF32, matrix
/// products don't.
const DEFAULTS: Option<&str> = Some("torch-default");

/// Oldest first.
const ERAS: &[Era] = &[
    // c6f781f0: the first script.
    Era {
        since: "2024-11-02T04:55:44Z",
        warmups: Some(3),
        cache: Some("warm"),
        precision: DEFAULTS,
        autograd: Some("recorded"),
    },
    // 4470853b: everything under `torch.no_grad()`.
    Era {
        since: "2024-11-10T04:11:00Z",
        warmups: Some(3),
        cache: Some("warm"),
        precision: DEFAULTS,
        autograd: Some("off"),
    },
    // 737c1eb2: the L2 cache is cleared before each trial, and the first trial dropped.
    // (Written on a branch on 2025-12-12; no figures were committed in between.)
    Era {
        since: "2025-12-16T01:34:48Z",
        warmups: Some(3),
        cache: Some("l2-cleared"),
        precision: DEFAULTS,
        autograd: Some("off"),
    },
    // b6c52595: the local script times bf16 with 5 warm-ups, the Modal script fp32 with 3,
    // and figures don't say which of the two made them.
    Era {
        since: "2026-01-20T05:15:41Z",
        warmups: None,
        cache: Some("l2-cleared"),
        precision: None,
        autograd: Some("off"),
    },
];

/// The protocol of figures that were first committed at an instant; where that isn't
/// known, what changed over time isn't either.
pub(super) fn protocol(committed_at: Option<&str>) -> Protocol {
    let era = committed_at.and_then(|at| ERAS.iter().rev().find(|era| era.since <= at));
    let text = |of: fn(&Era) -> Option<&'static str>| era.and_then(of).map(str::to_owned);
    Protocol {
        harness: "KernelBench timing scripts".to_owned(),
        statistic: "mean".to_owned(),
        timer: Some("cuda_event".to_owned()),
        warmups: era.and_then(|era| era.warmups),
        cache: text(|era| era.cache),
        precision: text(|era| era.precision),
        autograd: text(|era| era.autograd),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eras_follow_one_another() {
        assert!(ERAS.is_sorted_by_key(|era| era.since));
        let cases = [
            (None, None, None, None),
            (Some("2024-10-01T00:00:00Z"), None, None, None),
            (
                Some("2024-11-09T02:22:14Z"),
                Some(3),
                Some("warm"),
                Some("recorded"),
            ),
            (
                Some("2024-11-10T04:11:00Z"),
                Some(3),
                Some("warm"),
                Some("off"),
            ),
            (
                Some("2025-12-16T01:34:47Z"),
                Some(3),
                Some("warm"),
                Some("off"),
            ),
            (
                Some("2025-12-31T17:28:01Z"),
                Some(3),
                Some("l2-cleared"),
                Some("off"),
            ),
            (
                Some("2026-02-01T00:00:00Z"),
                None,
                Some("l2-cleared"),
                Some("off"),
            ),
        ];
        for (at, warmups, cache, autograd) in cases {
            let found = protocol(at);
            assert_eq!(found.warmups, warmups, "{at:?}");
            assert_eq!(found.cache.as_deref(), cache, "{at:?}");
            assert_eq!(found.autograd.as_deref(), autograd, "{at:?}");
        }
    }
}
