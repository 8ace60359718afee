//! Bytes that must cross DRAM while the clock runs, given what a cache may hold.
//!
//! At most `C` input bytes can lie in the cache when the clock starts, and up to `C`
//! output bytes may still be dirty in it when the clock stops. With `n` calls timed
//! back to back on the same buffers both savings share one cache, so that they come
//! to `C` a call, and the first call adds what was there before:
//!
//! - inputs cold: `B_in + max(0, B_out − C)`;
//! - mean of n calls: `max(0, B_in + B_out − C·(1 + 1/n))`.

/// Cache state between trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cache {
    /// The cache was overwritten before each trial: reads are cold, while new
    /// outputs may still stay.
    Cleared,
    /// Trials follow each other on the same buffers.
    Warm,
}

/// How a time was taken, as far as it bears on the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Timing {
    /// Cache state; `None` is unknown, and judged as warm.
    pub cache: Option<Cache>,
    /// Trials behind the mean; `None` is judged as one, which leaves most room.
    pub samples: Option<u32>,
}

/// Compulsory bytes. `None` where they depend on a cache of unknown size.
pub(super) fn compulsory_bytes(
    inputs: f64,
    outputs: f64,
    cache_bytes: Option<f64>,
    timing: Timing,
) -> Option<f64> {
    match timing.cache {
        Some(Cache::Cleared) => {
            let written = cache_bytes.map_or(0.0, |cache| (outputs - cache).max(0.0));
            Some(inputs + written)
        }
        Some(Cache::Warm) | None => {
            let calls = f64::from(timing.samples.unwrap_or(1).max(1));
            let kept = cache_bytes? * (1.0 + 1.0 / calls);
            Some((inputs + outputs - kept).max(0.0))
        }
    }
}

/// Whether the whole working set may never have crossed DRAM: it fits in what the
/// cache can save, or the size of the cache is unknown, and nothing cleared it.
pub(super) fn is_ambiguous(working_set: f64, cache_bytes: Option<f64>, timing: Timing) -> bool {
    timing.cache != Some(Cache::Cleared)
        && cache_bytes.is_none_or(|cache| working_set <= 2.0 * cache)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compulsory() {
        let timing = |cache, samples| Timing { cache, samples };
        for (what, inputs, outputs, cache, timing, expected) in [
            (
                "cold, outputs fit",
                100.0,
                40.0,
                Some(50.0),
                timing(Some(Cache::Cleared), None),
                Some(100.0),
            ),
            (
                "cold, outputs don't fit",
                100.0,
                80.0,
                Some(50.0),
                timing(Some(Cache::Cleared), None),
                Some(130.0),
            ),
            (
                "cold, cache unknown",
                100.0,
                80.0,
                None,
                timing(Some(Cache::Cleared), None),
                Some(100.0),
            ),
            (
                "warm, one call",
                100.0,
                80.0,
                Some(50.0),
                timing(Some(Cache::Warm), Some(1)),
                Some(80.0),
            ),
            (
                "warm, a hundred",
                100.0,
                80.0,
                Some(50.0),
                timing(Some(Cache::Warm), Some(100)),
                Some(129.5),
            ),
            (
                "unknown is warm",
                100.0,
                80.0,
                Some(50.0),
                timing(None, Some(100)),
                Some(129.5),
            ),
            (
                "no trials said",
                100.0,
                80.0,
                Some(50.0),
                timing(None, None),
                Some(80.0),
            ),
            (
                "zero trials said",
                100.0,
                80.0,
                Some(50.0),
                timing(None, Some(0)),
                Some(80.0),
            ),
            (
                "all of it fits",
                30.0,
                20.0,
                Some(50.0),
                timing(None, Some(100)),
                Some(0.0),
            ),
            (
                "warm, cache unknown",
                100.0,
                80.0,
                None,
                timing(None, Some(100)),
                None,
            ),
        ] {
            assert_eq!(
                compulsory_bytes(inputs, outputs, cache, timing),
                expected,
                "{what}"
            );
        }
    }

    #[test]
    fn ambiguity() {
        let state = |cache| Timing {
            cache,
            samples: Some(100),
        };
        for (set, cache, timing, expected) in [
            (100.0, Some(50.0), state(None), true),
            (101.0, Some(50.0), state(None), false),
            (100.0, Some(50.0), state(Some(Cache::Warm)), true),
            (100.0, Some(50.0), state(Some(Cache::Cleared)), false),
            (1e12, None, state(None), true),
        ] {
            assert_eq!(
                is_ambiguous(set, cache, timing),
                expected,
                "{set} {cache:?} {timing:?}"
            );
        }
    }
}
