//! Columns that listings about measured workloads share.

use kidx_queries::entities::{Environment, Hardware, Operation, Workload};

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
}

macro_rules! subject {
    ($($item:ty),*) => {$(
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
        }
    )*};
}

subject!(
    kidx_queries::audit::Finding,
    kidx_queries::floors::Answer,
    kidx_queries::history::Step,
    kidx_queries::records::Record,
    kidx_queries::speedups::Comparison,
    kidx_queries::stale::Stale
);

/// What and where, in the order listings begin with. On a narrow terminal the title
/// gives way after what each command has to say, the workload first.
pub fn subject<T: Subject>() -> Vec<Column<T>> {
    vec![
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
        .min_width(24)
        .may_go(8),
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
        .may_go(6),
    ]
}
