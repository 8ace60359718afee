//! What both forms of a result state.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::duration::Decimal;
use crate::number;
use crate::{Issue, Place, Workload};

use super::metric::{Kind, skips_baseline};

/// One result: operators, and what is said about all of them.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) operators: Vec<Operator>,
    pub(super) environment: Environment,
    pub(super) issues: Vec<Issue>,
    pub(super) assumptions: Vec<String>,
}

/// Where and when a result was made, as far as it says.
#[derive(Debug, Default)]
pub(super) struct Environment {
    pub(super) device: Option<String>,
    pub(super) recorded_at: Option<String>,
    pub(super) software: Option<Arc<BTreeMap<String, String>>>,
}

/// The inputs on which one operator was measured.
#[derive(Debug, Default)]
pub(super) struct Operator {
    pub(super) inputs: Vec<Inputs>,
}

impl Operator {
    /// The designated baseline: the writer puts it first, and leaves out of its columns what
    /// would compare it with itself. `None` where nothing was compared.
    pub(super) fn baseline(&self) -> Option<&str> {
        let has_claims =
            |group: &&Group| group.cells.iter().any(|cell| skips_baseline(&cell.metric));
        let all = || self.inputs.iter().flat_map(|inputs| &inputs.groups);
        let compared: BTreeSet<&str> = all()
            .filter(has_claims)
            .map(|group| group.provider.as_str())
            .collect();
        all()
            .map(|group| group.provider.as_str())
            .find(|label| !compared.is_empty() && !compared.contains(label))
    }
}

/// One input: each provider's cells on it.
#[derive(Debug)]
pub(super) struct Inputs {
    pub(super) workload: Arc<Workload>,
    pub(super) groups: Vec<Group>,
}

/// The cells of one provider on one input, in the writer's order.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) provider: String,
    pub(super) cells: Vec<Cell>,
}

/// One cell.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) metric: String,
    /// As written; empty where the writer had nothing.
    pub(super) text: String,
    pub(super) place: Place,
}

impl Cell {
    /// What its metric is, if that is read.
    pub(super) fn kind(&self) -> Option<Kind> {
        Kind::of(&self.metric)
    }

    /// Whether it holds what can only be a text: no number and no word for none.
    fn is_words(&self) -> bool {
        let text = self.text.trim();
        !text.is_empty()
            && !number::is_non_finite(text)
            && Decimal::parse(text).is_none()
            && !matches!(text, "True" | "False")
    }
}

impl Group {
    /// The cell of a metric, if something stands in it.
    pub(super) fn cell(&self, kind: Kind) -> Option<&Cell> {
        self.cells
            .iter()
            .find(|cell| cell.kind() == Some(kind) && !cell.text.is_empty())
    }

    /// The first cell where it holds why the provider failed: all others are empty then.
    pub(super) fn error(&self) -> Option<&Cell> {
        let (first, others) = self.cells.split_first()?;
        let figures = self
            .cells
            .iter()
            .filter_map(Cell::kind)
            .any(Kind::is_figure);
        let alone = others.iter().all(|cell| cell.text.is_empty());
        let numeric = first.kind().is_some_and(|kind| kind != Kind::Determinism);
        (figures && alone && first.is_words() && (numeric || !others.is_empty())).then_some(first)
    }
}
