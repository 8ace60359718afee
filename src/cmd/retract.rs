//! `kidx retract`: takes a run out of the answers, for a reason. Nothing is deleted.

use kidx_queries::filter::Selection;
use kidx_queries::lookup;
use kidx_queries::metric::Amount;
use kidx_queries::records::{self, Options};
use kidx_queries::view::View;
use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

use super::context::Context;
use super::records::{one_item_format, single};
use crate::catalog::events::{self, Decision, Found};
use crate::cli;
use crate::error::{EXIT_DONE, Error, Result};
use crate::output::{Format, Ui};

/// Name of the answer's schema.
pub const SCHEMA: &str = "kidx/retract/1";

/// Who leads a cohort.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Leader {
    /// `run:` + digest.
    pub run: String,
    /// Who computes.
    pub implementation: String,
    /// Its latency.
    #[serde(flatten)]
    pub amount: Amount,
}

/// What a retraction changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Answer {
    /// `run:` + digest of the retracted run.
    pub run: String,
    /// Why.
    pub reason: String,
    /// Whether it is new; `false`: it was retracted for this reason before.
    pub new: bool,
    /// Operation that it is a run of.
    pub operation: String,
    /// Product that it ran on.
    pub product: String,
    /// Who held the record of its cohort; `null`: nobody.
    pub record_before: Option<Leader>,
    /// Who holds it now; `null`: no run of the cohort is eligible.
    pub record_after: Option<Leader>,
}

/// Runs the command.
pub fn run(arguments: &cli::Retract, context: &Context, ui: &mut Ui) -> Result<u8> {
    let reason = arguments.reason.trim();
    if reason.is_empty() {
        return Err(Error::usage("a retraction needs a reason")
            .hint("say it with `--reason TEXT`, for whoever reads the history"));
    }
    // Found by a reader first: a wrong name must neither make nor touch a file.
    let found = find(&context.reader()?, &arguments.run)?;
    if let Some(copy) = &found.copy {
        ui.note(format_args!(
            "`{copy}` is a copy of `{}`, which is retracted instead",
            found.run
        ));
    }
    // Asked for before anything is written.
    one_item_format(context.format_or(Format::Table))?;
    let mut connection = context.writer()?;
    let view = View {
        as_of: context.today(),
        known_at: None,
    };
    let before = leader(&connection, found.cohort, &view)?;
    let new = events::decide(
        &mut connection,
        found.id,
        Decision::Retract,
        reason,
        &context.now(),
    )?;
    let answer = Answer {
        record_after: leader(&connection, found.cohort, &view)?,
        record_before: before,
        run: found.run,
        reason: reason.to_owned(),
        new,
        operation: found.operation,
        product: found.product,
    };
    match context.format_or(Format::Table) {
        Format::Table => {
            writeln!(ui.out(), "{}", told(&answer))?;
            ui.finish()?;
        }
        format => single(&answer, SCHEMA, Vec::new(), format, context, ui)?,
    }
    Ok(EXIT_DONE)
}

/// The run that is meant.
pub(super) fn find(connection: &Connection, asked: &str) -> Result<Found> {
    let prefix = asked.strip_prefix("run:").unwrap_or(asked);
    events::find(connection, lookup::run(connection, asked, prefix)?)
}

/// Who holds the record of a cohort.
pub(super) fn leader(connection: &Connection, cohort: i64, view: &View) -> Result<Option<Leader>> {
    let mut selection = Selection::default();
    selection.cohorts = Some(vec![cohort]);
    let records = records::records(connection, &selection, view, Options::default())?;
    Ok(records.into_iter().next().map(|record| Leader {
        run: record.record.run,
        implementation: record.record.implementation,
        amount: record.record.amount,
    }))
}

fn told(answer: &Answer) -> String {
    let Answer {
        run,
        operation,
        product,
        ..
    } = answer;
    if !answer.new {
        return format!("{run} was retracted for this reason already; nothing changed");
    }
    let record = passed(answer.record_before.as_ref(), answer.record_after.as_ref());
    format!("{run} retracted: {operation} on {product}; {record}")
}

/// What a decision did to the record of its cohort.
pub(super) fn passed(before: Option<&Leader>, after: Option<&Leader>) -> String {
    let named = |leader: &Leader| format!("{} ({})", leader.implementation, leader.amount.shown());
    match (before, after) {
        (before, after) if before == after => "the record stays".to_owned(),
        (Some(before), Some(after)) => {
            format!(
                "the record passes from {} to {}",
                named(before),
                named(after)
            )
        }
        (Some(before), None) => format!("{} held the only record", named(before)),
        (None, Some(after)) => format!("{} holds the record now", named(after)),
        (None, None) => "there was no record".to_owned(),
    }
}
