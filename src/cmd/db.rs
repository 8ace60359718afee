//! `kidx db`: the file itself.

use std::fs;
use std::path::{Path, PathBuf};

use kidx_queries::info::{self, Info};
use schemars::JsonSchema;
use serde::Serialize;

use super::context::{Context, must_not_exist};
use super::records::single;
use crate::catalog;
use crate::cli::{Db, DbCommand};
use crate::error::{EXIT_DONE, Result};
use crate::output::{Format, Mark, Page, Ui, units};

/// Name of the schema of `db info`.
pub const SCHEMA: &str = "kidx/db-info/1";

/// The file and what it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Answer {
    /// Where it is.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Size of the write-ahead log beside it; `null`: none is there.
    pub wal_bytes: Option<u64>,
    /// What it holds.
    #[serde(flatten)]
    pub info: Info,
}

/// Runs the command.
pub fn run(arguments: &Db, context: &Context, ui: &mut Ui) -> Result<u8> {
    match &arguments.command {
        DbCommand::Info => show(context, ui)?,
        DbCommand::Backup { to } => backup(to, context, ui)?,
        DbCommand::Path => path(context, ui)?,
    }
    Ok(EXIT_DONE)
}

fn path(context: &Context, ui: &mut Ui) -> Result<()> {
    let path = context.path()?;
    writeln!(ui.out(), "{}", path.display())?;
    if !path.exists() {
        ui.note("no file is there yet; the first import creates it");
    }
    ui.finish()?;
    Ok(())
}

fn show(context: &Context, ui: &mut Ui) -> Result<()> {
    let path = context.path()?;
    let connection = context.reader()?;
    let size = |path: &Path| fs::metadata(path).map(|found| found.len());
    let answer = Answer {
        path: path.display().to_string(),
        bytes: size(&path)?,
        wal_bytes: size(&beside(&path, "-wal")).ok(),
        info: info::info(&connection)?,
    };
    match context.format_or(Format::Table) {
        Format::Table => page(&answer, ui),
        format => single(&answer, SCHEMA, Vec::new(), format, context, ui),
    }
}

fn page(answer: &Answer, ui: &mut Ui) -> Result<()> {
    let Answer { info, .. } = answer;
    let known = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".to_owned());
    let log = match answer.wal_bytes {
        Some(0) | None => info.journal_mode.clone(),
        Some(bytes) => format!("{}, {} in the log", info.journal_mode, units::bytes(bytes)),
    };
    let mut page = Page::new(ui.width(), ui.paint());
    page.title(&answer.path);
    page.pairs(&[
        ("size", Mark::Plain, units::bytes(answer.bytes)),
        (
            "schema version",
            Mark::Plain,
            info.schema_version.to_string(),
        ),
        ("journal", Mark::Plain, log),
        (
            "oldest observation",
            Mark::Plain,
            known(&info.oldest_observation),
        ),
        (
            "newest observation",
            Mark::Plain,
            known(&info.newest_observation),
        ),
        ("last import", Mark::Plain, known(&info.last_import)),
    ]);
    page.section("Rows");
    let counts: Vec<_> = info
        .tables
        .iter()
        .map(|table| (table.name.as_str(), Mark::Plain, units::count(table.rows)))
        .collect();
    page.pairs(&counts);
    page.section("Reference data");
    let references: Vec<_> = info
        .references
        .iter()
        .map(|(name, digest)| (name.as_str(), Mark::Dim, digest.clone()))
        .collect();
    page.pairs(&references);
    ui.page(page)?;
    Ok(())
}

/// Copies the file while others may use it: complete under its name, or not there.
fn backup(to: &Path, context: &Context, ui: &mut Ui) -> Result<()> {
    must_not_exist(to)?;
    let source = context.reader()?;
    let progress = ui.progress(None, "copying");
    let bytes = catalog::backup(&source, to)?;
    drop(progress);
    ui.note(format_args!(
        "{} copied to `{}`",
        units::bytes(bytes),
        to.display()
    ));
    Ok(())
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
