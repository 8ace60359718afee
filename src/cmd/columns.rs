//! Columns that listings about measured workloads share.

use kidx_queries::entities::{Environment, Hardware, Operation, Protocol, Workload};
use kidx_queries::hash::Map;
use kidx_queries::metric::Amount;

use crate::output::{Cell, Column, Mark};

/// An item that is about an operation's workload on a product.
pub trait Subject {
    /// What is computed.
    fn operation(&self) -> &Operation;
    /// With every axis bound.
    fn workload(&self) -> &Workload;
    /// On what.
    fn hardware(&self) -> &Hardware;
    /// Where.
    fn environment(&self) -> &Environment;
    /// Whether items say how they were timed.
    const TIMED: bool = false;
    /// How it was timed, where items say so.
    fn protocol(&self) -> Option<&Protocol> {
        None
    }
}

macro_rules! subject {
    ($($item:ty $(, $protocol:ident)?);*) => {$(
        impl Subject for $item {
            fn operation(&self) -> &Operation {
                &self.operation
            }
            fn workload(&self) -> &Workload {
                &self.workload
            }
            fn hardware(&self) -> &Hardware {
                &self.hardware
            }
            fn environment(&self) -> &Environment {
                &self.environment
            }
            $(const TIMED: bool = true;
            fn protocol(&self) -> Option<&Protocol> {
                Some(&self.$protocol)
            })?
        }
    )*};
}

subject!(
    kidx_queries::audit::Finding;
    kidx_queries::floors::Answer;
    kidx_queries::history::Step, protocol;
    kidx_queries::records::Record, protocol;
    kidx_queries::speedups::Comparison, protocol;
    kidx_queries::stale::Stale
);

/// What tells the rows of a listing apart, beyond operation and product.
#[derive(Default)]
struct Apart {
    workload: bool,
    provider: bool,
    protocol: bool,
}

impl Apart {
    /// Looks for rows that would read the same without a column.
    fn of<T: Subject>(items: &[T]) -> Self {
        let mut apart = Self::default();
        let mut first: Map<(&str, &str), &T> = Map::default();
        for item in items {
            let key = (item.operation().slug.as_str(), item.hardware().id.as_str());
            let other = *first.entry(key).or_insert(item);
            if other.workload().digest != item.workload().digest {
                apart.workload = true;
            } else if other.environment().provider != item.environment().provider {
                apart.provider = true;
            } else if digest(other) != digest(item) {
                apart.protocol = true;
            }
        }
        apart
    }
}

/// What tells one way of timing from another.
fn digest<T: Subject>(item: &T) -> Option<&str> {
    item.protocol().map(|protocol| protocol.digest.as_str())
}

/// Key and title of a listing's column of figures: times, or of whatever metric.
pub fn figures<'a>(mut amounts: impl Iterator<Item = &'a Amount>) -> (&'static str, &'static str) {
    if amounts.all(Amount::is_latency) {
        ("latency_ns", "Latency")
    } else {
        ("value", "Figure")
    }
}

/// What and where, in the order listings begin with. On a narrow terminal the title
/// gives way after what each command has to say, the workload first; but not what tells
/// rows apart.
pub fn subject<T: Subject>(items: &[T]) -> Vec<Column<T>> {
    let apart = Apart::of(items);
    let unless = |needed: bool, priority: u8| if needed { 0 } else { priority };
    let mut columns = vec![
        Column::text("operation", "Operation", |item: &T| {
            Cell::text(&item.operation().slug)
        })
        .min_width(21),
        Column::text("name", "Name", |item: &T| {
            Cell::text(&item.operation().name)
        })
        .min_width(16)
        .may_go(5),
        Column::fixed("family", "Family", |item: &T| {
            Cell::text(&item.operation().family)
        })
        .hidden(),
        Column::text("workload", "Workload", |item: &T| {
            Cell::text(&item.workload().summary).mark(if item.workload().shapes_known {
                Mark::Dim
            } else {
                Mark::Doubt
            })
        })
        .min_width(if apart.workload { 12 } else { 24 })
        .may_go(unless(apart.workload, 8)),
        Column::id("hardware", "Hardware", |item: &T| {
            Cell::text(&item.hardware().id).shown(&item.hardware().short)
        })
        .min_width(9),
        Column::text("provider", "Provider", |item: &T| {
            item.environment()
                .provider
                .as_ref()
                .map_or_else(Cell::unknown, Cell::text)
        })
        .min_width(8)
        .may_go(unless(apart.provider, 6)),
    ];
    let protocol = Column::text("protocol", "Timed by", |item: &T| {
        item.protocol().map_or_else(Cell::none, timing)
    })
    .min_width(10);
    if T::TIMED {
        columns.push(if apart.protocol {
            protocol
        } else {
            protocol.hidden()
        });
    }
    columns
}

/// How runs were timed, as briefly as tells methods apart.
fn timing(protocol: &Protocol) -> Cell {
    let parts = [
        Some(protocol.statistic.clone()),
        protocol.cache.clone(),
        protocol.timer.clone(),
        protocol.warmups.map(|n| format!("{n} warm-ups")),
        Some(protocol.harness.clone()),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    Cell::text(parts.join(", ")).mark(Mark::Dim)
}
