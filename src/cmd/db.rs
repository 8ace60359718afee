//! `kidx db`: the file itself.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kidx_queries::info::{self, Info};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use schemars::JsonSchema;
use serde::Serialize;

use super::context::{Context, must_not_exist};
use super::records::single;
use crate::cli::{Db, DbCommand};
use crate::error::{EXIT_DONE, Error, Result};
use crate::output::{Format, Mark, Page, Ui, units};

/// Name of the schema of `db info`.
pub const SCHEMA: &str = "kidx/db-info/1";

/// Pages copied in one step; between steps others may write.
const PAGES: i32 = 2_048;

/// How long a backup waits for a writer before it tries again.
const PAUSE: Duration = Duration::from_millis(50);

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
    let name = to
        .file_name()
        .ok_or_else(|| Error::usage(format!("`{}` names no file", to.display())))?;
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return Err(
            Error::failed(format!("the folder `{}` does not exist", folder.display()))
                .hint("create it, or name another file"),
        );
    }
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.tmp", std::process::id()));
    let pending = Pending(to.with_file_name(hidden));
    let source = context.reader()?;
    let progress = ui.progress(None, "copying");
    let bytes = copy(&source, &pending.0)
        .and_then(|()| place(&pending.0, to))
        .map_err(|mut error| {
            error.message = format!("backup to `{}`: {}", to.display(), error.message);
            error
        })?;
    drop(progress);
    ui.note(format_args!(
        "{} copied to `{}`",
        units::bytes(bytes),
        to.display()
    ));
    Ok(())
}

/// Gives a finished copy its name and returns its size. A link fails where a rename
/// would replace a file made meanwhile; where links aren't to be had, a rename does.
fn place(pending: &Path, to: &Path) -> Result<u64> {
    match fs::hard_link(pending, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error.into()),
        Err(_) => fs::rename(pending, to)?,
        Ok(()) => {}
    }
    Ok(fs::metadata(to)?.len())
}

fn copy(source: &Connection, to: &Path) -> Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut target = Connection::open_with_flags(to, flags)?;
    let backup = Backup::new(source, &mut target)?;
    loop {
        match backup.step(PAGES)? {
            StepResult::Done => break,
            StepResult::More => {}
            _ => std::thread::sleep(PAUSE),
        }
    }
    drop(backup);
    // One file, without a log beside it.
    target.pragma_update(None, "journal_mode", "DELETE")?;
    target.close().map_err(|(_, error)| error)?;
    fs::File::open(to)?.sync_all()?;
    Ok(())
}

/// A file on its way, removed with whatever SQLite put beside it.
struct Pending(PathBuf);

impl Drop for Pending {
    fn drop(&mut self) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            // What isn't there needs no removing.
            let _ = fs::remove_file(beside(&self.0, suffix));
        }
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_one_file_with_everything_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from.db"), folder.path().join("to.db"));
        let source = Connection::open(&from).unwrap();
        source
            .execute_batch(
                "PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (7)",
            )
            .unwrap();
        let pending = Pending(folder.path().join(".to.db.tmp"));
        copy(&source, &pending.0).unwrap();
        assert!(place(&pending.0, &to).unwrap() > 0);
        drop(pending);
        let mut names: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.starts_with("from.db"))
            .collect();
        names.sort();
        assert_eq!(names, ["to.db"]);
        let copied = Connection::open_with_flags(&to, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        let x: i64 = copied
            .query_row("SELECT x FROM t", [], |row| row.get(0))
            .unwrap();
        assert_eq!(x, 7);
        // What is there already stays.
        let late = Pending(folder.path().join(".late.tmp"));
        copy(&source, &late.0).unwrap();
        assert!(place(&late.0, &to).is_err());
    }
}
