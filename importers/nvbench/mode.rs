//! Ways in which nvbench measures: their tags and their protocols.

use crate::Protocol;

/// A way of measuring. Figures of two never meet: their protocols differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Each run by itself, the L2 cache flushed before it, timed on the device.
    Isolated,
    /// The same runs as the host saw them.
    IsolatedHost,
    /// Runs back to back, timed together on the device.
    Batch,
    /// A benchmark that times host code.
    HostOnly,
}

impl Mode {
    pub(super) const ALL: [Self; 4] = [
        Self::Isolated,
        Self::IsolatedHost,
        Self::Batch,
        Self::HostOnly,
    ];

    /// Beginning of the tags of its times.
    pub(super) const fn times(self) -> &'static str {
        match self {
            Self::Isolated => "nv/cold/time/gpu",
            Self::IsolatedHost => "nv/cold/time/cpu",
            Self::Batch => "nv/batch/time/gpu",
            Self::HostOnly => "nv/cpu_only/time/cpu",
        }
    }

    pub(super) const fn samples(self) -> &'static str {
        match self {
            Self::Isolated | Self::IsolatedHost => "nv/cold/sample_size",
            Self::Batch => "nv/batch/sample_size",
            Self::HostOnly => "nv/cpu_only/sample_size",
        }
    }

    /// Tags of the rates that its mean gives, with their units.
    pub(super) const fn rates(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Isolated => &[
                ("nv/cold/bw/item_rate", "items/s"),
                ("nv/cold/bw/global/bytes_per_second", "B/s"),
                ("nv/cold/bw/global/utilization", "fraction"),
            ],
            Self::HostOnly => &[
                ("nv/cpu_only/bw/item_rate", "items/s"),
                ("nv/cpu_only/bw/global/bytes_per_second", "B/s"),
            ],
            Self::IsolatedHost | Self::Batch => &[],
        }
    }

    /// How it times. How often it warms up before is not said (at least once).
    pub(super) fn protocol(self, statistic: &str) -> Protocol {
        let (harness, timer, cache) = match self {
            Self::Isolated => ("nvbench", "cuda_event", Some("l2-cleared")),
            Self::IsolatedHost => ("nvbench", "host_clock", Some("l2-cleared")),
            Self::Batch => ("nvbench (batch)", "cuda_event", Some("warm")),
            Self::HostOnly => ("nvbench (cpu only)", "host_clock", None),
        };
        Protocol {
            harness: harness.to_owned(),
            statistic: statistic.to_owned(),
            timer: Some(timer.to_owned()),
            cache: cache.map(str::to_owned),
            ..Protocol::default()
        }
    }
}
