//! A copy of the file, made while others use it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use crate::error::{Error, Result};

/// Pages copied in one step; between steps others may write.
const PAGES: i32 = 2_048;

/// How long a backup waits for a writer before it tries again.
const PAUSE: Duration = Duration::from_millis(50);

/// Copies an open catalogue to a new file and returns its size: complete under its name,
/// or not there.
pub fn backup(source: &Connection, to: &Path) -> Result<u64> {
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
    copy(source, &pending.0)
        .and_then(|()| place(&pending.0, to))
        .map_err(|mut error| {
            error.message = format!("backup to `{}`: {}", to.display(), error.message);
            error
        })
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
