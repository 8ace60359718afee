//! `kidx score`: what an evaluation of generated kernels is worth, by rules that say what
//! they leave out, and by the suite's own beside them.

mod answer;
mod baseline;
mod page;
mod problems;

use std::sync::Arc;

use kidx_importers::kernelbench_eval::{self, Evaluation};
use kidx_importers::{Declared, Severity};
use kidx_queries::cohorts::Cohort;
use kidx_queries::policy::{interval, roofline, score, speedup, suite_rules};
use rusqlite::Connection;

pub use answer::Answer;

use super::context::Context;
use super::inspect::table;
use super::records::{one_item_format, single};
use crate::catalog::suite::{Module, Suite};
use crate::cli;
use crate::error::{EXIT_DONE, EXIT_FOUND, Error, Result};
use crate::fetch::{self, Fetched, Target};
use crate::output::{Format, Ui, visible};
use baseline::{Baseline, Definition, Devices};
use problems::Level;

/// Name of the answer's schema.
const SCHEMA: &str = "kidx/score/1";

/// An evaluation's name in the folder of its run.
const FILE: &str = "eval_results.json";

/// The suite whose evaluations these are.
const SUITE: &str = "kernelbench";

/// An evaluation as it was read.
struct Read {
    path: String,
    run: String,
    level: u32,
    evaluation: Evaluation,
    /// What the suite's own script wrote of pass@k beside it.
    pass_at_k: Option<serde_json::Value>,
}

/// Runs the command.
pub fn run(arguments: &cli::Score, context: &Context, ui: &mut Ui) -> Result<u8> {
    let format = context.format_or(Format::Table);
    one_item_format(format)?;
    let connection = table(context, ui)?;
    let suite = suite(&connection, arguments.suite_version.as_deref())?;
    let mut read = Vec::new();
    for path in &arguments.evaluations {
        let evaluation = self::read(arguments, path)?;
        if let Some(other) = read
            .iter()
            .find(|other: &&Read| other.level == evaluation.level)
        {
            return Err(Error::usage(format!(
                "`{}` and `{}` are both of level {}",
                visible(&other.path),
                visible(&evaluation.path),
                evaluation.level
            ))
            .hint("a score is of one run: give one evaluation a level"));
        }
        read.push(evaluation);
    }
    read.sort_by_key(|evaluation| evaluation.level);
    let unusable = say_issues(&read, ui);
    let devices = Devices::of(&read, arguments.hardware.as_deref());
    say_vain(arguments, &read, &devices, ui);
    let levels: Vec<u32> = read.iter().map(|evaluation| evaluation.level).collect();
    let mut baseline = Baseline::find(
        &connection,
        &arguments.baseline,
        &suite,
        &levels,
        &devices,
        context,
    )?;
    let differs = baseline.check(&connection, &devices, arguments.any_hardware)?;
    let judge = problems::Judge::of(&connection, &devices, context)?;
    let levels = read
        .iter()
        .map(|evaluation| Level::of(&suite, evaluation, &baseline, judge.as_ref()))
        .collect::<Result<Vec<_>>>()?;
    let answer = Answer::of(
        arguments, &suite, &read, &levels, &baseline, &devices, differs,
    );
    match format {
        Format::Table => page::write(&answer, arguments.suite_rules, ui)?,
        format => single(&answer, SCHEMA, policies(), format, context, ui)?,
    }
    Ok(if unusable { EXIT_FOUND } else { EXIT_DONE })
}

fn policies() -> Vec<&'static str> {
    vec![
        score::ID,
        suite_rules::ID,
        speedup::ID,
        interval::ID,
        roofline::ID,
    ]
}

/// The suite's versions, and which of them the problems are of.
struct Version {
    suite: Suite,
    name: String,
}

impl Version {
    /// How the version defines a problem.
    fn module(&self, level: &str, file: &str) -> Option<&Arc<Module>> {
        let version = self.suite.version(&self.name)?;
        self.suite.module_of(version, level, file)
    }

    /// Whether a cohort's figures are of the problem as the version defines it.
    fn definition(&self, cohort: &Cohort) -> Definition {
        let wanted = self.module(&cohort.level_key, &cohort.file);
        let wanted = wanted.and_then(|module| module.operation.as_deref());
        let named = cohort.workload.suite_version.as_deref();
        if wanted == Some(&*cohort.operation_digest)
            || !cohort.workload.shapes_known && named == Some(&self.name)
        {
            Definition::Same
        } else if cohort.workload.shapes_known {
            Definition::Other
        } else {
            Definition::Undeclared
        }
    }
}

fn suite(connection: &Connection, named: Option<&str>) -> Result<Version> {
    let suite = Suite::known(connection, SUITE)?;
    let name = match named {
        Some(name) => suite.version(name).map(|version| &version.header.version),
        None => suite.current().map(|version| &version.header.version),
    };
    let Some(name) = name.cloned() else {
        let known: Vec<&str> = suite
            .versions()
            .iter()
            .map(|version| version.header.version.as_str())
            .collect();
        return Err(Error::usage(format!(
            "no suite version `{}` is known",
            named.unwrap_or_default()
        ))
        .hint(format!("known: {}", known.join(", "))));
    };
    Ok(Version { suite, name })
}

fn read(arguments: &cli::Score, path: &std::path::Path) -> Result<Read> {
    let target = if path.as_os_str() == "-" {
        Target::Stdin
    } else if path.is_dir() {
        Target::Named(path.join(FILE), None)
    } else {
        Target::Named(path.to_owned(), None)
    };
    let fetched = fetch::read(&target)?;
    let declared = Declared {
        level: arguments.level,
        ..Declared::default()
    };
    let level = kernelbench_eval::level(fetched.folder.as_deref(), &declared).ok_or_else(|| {
        Error::usage(format!(
            "which level `{}` is of isn't said: its folder has no `level1` or `_l1` in its name",
            target.display()
        ))
        .hint("`--level N` says it")
    })?;
    let evaluation = kernelbench_eval::evaluation(&fetched.content).map_err(|refused| {
        let error = Error::failed(format!("`{}`: {refused}", target.display()));
        match refused.hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    })?;
    Ok(Read {
        path: target.display(),
        run: fetched
            .folder
            .clone()
            .unwrap_or_else(|| "an evaluation".to_owned()),
        level,
        pass_at_k: sidecar(&target, &fetched)?,
        evaluation,
    })
}

/// What the suite's script wrote of pass@k, if it lies beside the evaluation.
fn sidecar(target: &Target, fetched: &Fetched) -> Result<Option<serde_json::Value>> {
    const NAME: &str = "pass_at_k_results.json";
    if fetched.file.is_none() {
        return Ok(None);
    }
    let found = fetch::beside(target, &[NAME.to_owned()])?;
    let Some(file) = found.first() else {
        return Ok(None);
    };
    serde_json::from_slice(&file.bytes)
        .map(Some)
        .map_err(|error| {
            Error::failed(format!("`{NAME}` beside the evaluation is no JSON")).because(error)
        })
}

/// Says which options the evaluations' own word overrules, or contradicts.
fn say_vain(arguments: &cli::Score, read: &[Read], devices: &Devices, ui: &mut Ui) {
    if let Some(given) = &arguments.hardware
        && !devices.0.contains(given)
    {
        let named: Vec<&str> = devices.0.iter().map(String::as_str).collect();
        ui.warning(format_args!(
            "`--hardware {}` was not used: the samples name {}",
            visible(given),
            named.join(", ")
        ));
    }
    for evaluation in read {
        let named = kernelbench_eval::level(Some(&evaluation.run), &Declared::default());
        if let Some(named) = named.filter(|named| *named != evaluation.level) {
            ui.warning(format_args!(
                "`{}` is scored as level {}, though its name says level {named}",
                visible(&evaluation.run),
                evaluation.level
            ));
        }
    }
}

/// Says what of the evaluations can't be used; whether that was anything.
fn say_issues(read: &[Read], ui: &mut Ui) -> bool {
    let mut unusable = false;
    for evaluation in read {
        for issue in &evaluation.evaluation.issues {
            unusable |= issue.severity == Severity::Error;
            ui.warning(format_args!(
                "{} {}: {} [{}]",
                visible(&evaluation.path),
                issue.place.pointer,
                issue.message,
                issue.code
            ));
        }
    }
    unusable
}
