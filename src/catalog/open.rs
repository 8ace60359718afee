//! Opening the file: ours or not, newer or older, readable or writable.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::migrate;
use crate::error::{Error, Result};

/// Marks a SQLite file as ours (`kidx` in ASCII).
pub const APPLICATION_ID: i32 = 0x6b69_6478;

/// Bytes of the file that a question maps.
const MAPPED: i64 = 1 << 30;

/// Opens the database for writing, creates and migrates it as needed. A statement waits
/// `wait` for another process's lock; an import gives it up every few seconds.
pub fn writer(path: &Path, wait: Duration) -> Result<Connection> {
    refuse_what_is_no_file(path)?;
    let exists = path.exists();
    if exists && std::fs::metadata(path).is_ok_and(|meta| meta.permissions().readonly()) {
        return Err(read_only(path));
    }
    if let Some(parent) = path.parent().filter(|p| !p.as_os_str().is_empty())
        && !parent.is_dir()
    {
        return Err(
            Error::failed(format!("the folder `{}` does not exist", parent.display()))
                .hint("create it, or name another file with `--db`"),
        );
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection =
        Connection::open_with_flags(path, flags).map_err(|error| named(path, error))?;
    connection.busy_timeout(wait)?;
    let version = recognise(&connection, path)?;
    if connection.is_readonly("main")? {
        return Err(read_only(path));
    }
    // Counts for a new file only. Shallower trees, and half as many reads and writes, as with
    // pages of 4 KiB; larger ones than this write more than they save.
    connection.pragma_update(None, "page_size", 8192)?;
    connection
        .pragma_update(None, "journal_mode", "WAL")
        .map_err(|error| named(path, error))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // A larger one saves an import nothing, and fills the memory.
    connection.pragma_update(None, "cache_size", -16_000)?;
    reuse_statements(&connection)?;
    migrate::migrate(&mut connection, version)?;
    Ok(connection)
}

/// Keeps prepared statements, and keeps their plans: without the stability guarantee SQLite
/// looks at bound values and compiles a statement again whenever they change, which is
/// more than half of an import's time.
fn reuse_statements(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(128);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// An empty catalogue in memory, for a dry run where no file exists.
pub fn in_memory() -> Result<Connection> {
    private(Connection::open_in_memory()?)
}

/// An empty catalogue in a private temporary file, which SQLite keeps in memory while it
/// is small.
pub fn temporary() -> Result<Connection> {
    private(Connection::open("")?)
}

fn private(mut connection: Connection) -> Result<Connection> {
    connection.pragma_update(None, "foreign_keys", true)?;
    reuse_statements(&connection)?;
    migrate::migrate(&mut connection, 0)?;
    Ok(connection)
}

/// Opens the database for questions; never writes to it or beside it where it can't.
pub fn reader(path: &Path, wait: Duration) -> Result<Connection> {
    refuse_what_is_no_file(path)?;
    if !path.exists() {
        return Err(
            Error::failed(format!("there is no database at `{}`", path.display())).hint(
                "`kidx import SOURCE PATH` creates it; `--db FILE` or `KIDX_DB` names another",
            ),
        );
    }
    match try_reader(path, wait, false) {
        // In a folder that can't be written, the shared-memory file of a WAL database
        // can't be made. With no log beside it nobody is writing, so the file itself
        // is the whole truth and may be read as it stands.
        Err(error) if error.kind_is_unwritable_folder() && !log_beside(path) => {
            try_reader(path, wait, true).map_err(|error| error.0)
        }
        other => other.map_err(|error| error.0),
    }
}

/// An error with what SQLite called it, so that one case can be told apart.
struct Opening(Error, Option<rusqlite::ErrorCode>);

impl Opening {
    fn kind_is_unwritable_folder(&self) -> bool {
        use rusqlite::ErrorCode as Code;
        matches!(
            self.1,
            Some(Code::CannotOpen | Code::ReadOnly | Code::SystemIoFailure)
        )
    }
}

fn try_reader(
    path: &Path,
    wait: Duration,
    immutable: bool,
) -> std::result::Result<Connection, Opening> {
    let failed = |error: rusqlite::Error| {
        let code = error.sqlite_error_code();
        Opening(named(path, error), code)
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut uri = format!("file:{}?mode=ro", percent_encoded(path));
    if immutable {
        uri.push_str("&immutable=1");
    }
    let connection = Connection::open_with_flags(uri, flags).map_err(failed)?;
    connection.busy_timeout(wait).map_err(failed)?;
    // The first read is where a file that can't be used says so.
    connection
        .pragma_query_value(None, "schema_version", |row| row.get::<_, i64>(0))
        .map_err(failed)?;
    let version = recognise(&connection, path).map_err(|error| Opening(error, None))?;
    if version < migrate::LATEST {
        let what = if version == 0 {
            Error::failed(format!("`{}` holds nothing yet", path.display()))
                .hint("`kidx import SOURCE PATH` fills it")
        } else {
            Error::failed(format!(
                "`{}` has schema version {version}; this kidx reads version {}",
                path.display(),
                migrate::LATEST
            ))
            .hint("any import upgrades the file; `kidx db backup` keeps a copy first")
        };
        return Err(Opening(what, None));
    }
    connection
        .pragma_update(None, "query_only", true)
        .map_err(failed)?;
    // Pages are read where the system keeps them instead of being copied.
    connection
        .pragma_update(None, "mmap_size", MAPPED)
        .map_err(failed)?;
    reuse_statements(&connection).map_err(failed)?;
    Ok(connection)
}

/// Reads whose file it is; returns its schema version (0: empty).
fn recognise(connection: &Connection, path: &Path) -> Result<i32> {
    let pragma = |name: &str| -> Result<i32> {
        connection
            .pragma_query_value(None, name, |row| row.get(0))
            .map_err(|error| named(path, error))
    };
    let application = pragma("application_id")?;
    let version = pragma("user_version")?;
    let empty = connection
        .query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| {
            row.get::<_, bool>(0)
        })
        .map_err(|error| named(path, error))?;
    if application == APPLICATION_ID {
        if version > migrate::LATEST {
            return Err(Error::failed(format!(
                "`{}` was written by a newer kidx (schema version {version}; this one knows up to {})",
                path.display(),
                migrate::LATEST
            ))
            .hint("upgrade kidx, or name another file with `--db`"));
        }
        return Ok(version);
    }
    if empty && application == 0 && version == 0 {
        return Ok(0);
    }
    Err(Error::failed(format!(
        "`{}` is another program's database (application id {application}); nothing was changed",
        path.display()
    ))
    .hint("name another file with `--db`"))
}

fn refuse_what_is_no_file(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Err(Error::failed(format!(
            "`{}` is a folder; the database is one file",
            path.display()
        ))
        .hint(format!("try `--db {}`", path.join("kidx.db").display())));
    }
    Ok(())
}

fn read_only(path: &Path) -> Error {
    Error::failed(format!("`{}` is read-only", path.display()))
        .hint("questions work on it; writing needs write permission or another file (`--db`)")
}

fn named(path: &Path, error: rusqlite::Error) -> Error {
    let mut error = Error::from(error);
    error.message = format!("`{}`: {}", path.display(), error.message);
    error
}

fn log_beside(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).is_ok_and(|meta| meta.len() > 0)
}

/// The path inside a `file:` URI: everything but unreserved characters and `/` escaped.
fn percent_encoded(path: &Path) -> String {
    use std::fmt::Write;
    path.as_os_str()
        .as_encoded_bytes()
        .iter()
        .fold(String::new(), |mut out, &byte| {
            if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
                out.push(char::from(byte));
            } else {
                // Writing to a String can't fail.
                let _ = write!(out, "%{byte:02X}");
            }
            out
        })
}
