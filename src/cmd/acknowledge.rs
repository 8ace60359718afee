//! `kidx acknowledge`: lets what the audit found about a run stand, for a reason. It stays
//! visible, and a doubt that is lifted keeps no run from the record any more.

use kidx_queries::policy::audit::Code;
use kidx_queries::view::View;
use schemars::JsonSchema;
use serde::Serialize;

use super::context::Context;
use super::records::{one_item_format, single};
use super::retract::{self, Leader};
use crate::catalog::events::{self, Decision};
use crate::cli;
use crate::error::{EXIT_DONE, Error, Result};
use crate::output::{Format, Ui};

/// Name of the answer's schema.
pub const SCHEMA: &str = "kidx/acknowledge/1";

/// What an acknowledgement changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Answer {
    /// `run:` + digest of the run.
    pub run: String,
    /// Rule that it is about; `null`: whatever is found about the run.
    pub rule: Option<Code>,
    /// Why.
    pub reason: String,
    /// Whether it is new; `false`: it was acknowledged for this reason before.
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
pub fn run(arguments: &cli::Acknowledge, context: &Context, ui: &mut Ui) -> Result<u8> {
    let reason = arguments.reason.trim();
    if reason.is_empty() {
        return Err(Error::usage("an acknowledgement needs a reason")
            .hint("say it with `--reason TEXT`, for whoever reads the audit"));
    }
    let rule = arguments
        .rule
        .as_deref()
        .map(super::audit::code)
        .transpose()?;
    // Found by a reader first: a wrong name must neither make nor touch a file.
    let found = retract::find(&context.reader()?, &arguments.run)?;
    if let Some(copy) = &found.copy {
        ui.note(format_args!(
            "`{copy}` is a copy of `{}`, which is acknowledged instead",
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
    let before = retract::leader(&connection, found.cohort, &view)?;
    let decision = Decision::Acknowledge(rule);
    let new = events::decide(&mut connection, found.id, decision, reason, &context.now())?;
    let answer = Answer {
        record_after: retract::leader(&connection, found.cohort, &view)?,
        record_before: before,
        run: found.run,
        rule,
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

fn told(answer: &Answer) -> String {
    let Answer {
        run,
        operation,
        product,
        ..
    } = answer;
    if !answer.new {
        return format!("{run} was acknowledged for this reason already; nothing changed");
    }
    let what = answer
        .rule
        .map_or_else(String::new, |rule| format!(" for {rule}"));
    let record = retract::passed(answer.record_before.as_ref(), answer.record_after.as_ref());
    format!("{run} acknowledged{what}: {operation} on {product}; {record}")
}
