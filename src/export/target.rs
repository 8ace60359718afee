//! Where an export goes. A file appears complete or not at all: it is written beside
//! its place under another name and moved there at the end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Where to write: standard output for `-` or nothing, else a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// Standard output.
    Stdout,
    /// A file, replaced if it exists.
    File(PathBuf),
}

impl Target {
    /// The target that `--output` names.
    pub(crate) fn named(path: Option<&Path>) -> Self {
        match path {
            Some(path) if path != Path::new("-") => Self::File(path.to_owned()),
            _ => Self::Stdout,
        }
    }
}

/// Runs `write` on the target, which is opened first: a bad path fails before any
/// work is done. When `write` fails, a file that was there is still as it was.
pub(crate) fn with_target<R, E: From<io::Error>>(
    target: &Target,
    stdout: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> Result<R, E>,
) -> Result<R, E> {
    match target {
        Target::Stdout => write(stdout),
        Target::File(path) if is_special(path) => {
            let mut out = BufWriter::new(OpenOptions::new().write(true).open(path)?);
            let done = write(&mut out)?;
            out.flush()?;
            Ok(done)
        }
        Target::File(path) => {
            let pending = Pending::beside(path)?;
            let mut out = BufWriter::new(&pending.file);
            let done = write(&mut out)?;
            out.flush()?;
            drop(out);
            pending.place()?;
            Ok(done)
        }
    }
}

/// Pipes and devices (`/dev/null`) are written to, never replaced.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// A file on its way; removed when dropped before it is placed.
struct Pending {
    file: File,
    here: PathBuf,
    there: PathBuf,
    placed: bool,
}

impl Pending {
    fn beside(path: &Path) -> io::Result<Self> {
        // A link stays a link: what it points to is replaced.
        let there = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let found = fs::metadata(&there).ok();
        if found.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if found
            .as_ref()
            .is_some_and(|found| found.permissions().readonly())
        {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let name = there.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.tmp", std::process::id()));
        let here = there.with_file_name(hidden);
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&here)?;
        let pending = Self {
            file,
            here,
            there,
            placed: false,
        };
        if let Some(found) = found {
            fs::set_permissions(&pending.here, found.permissions())?;
        }
        Ok(pending)
    }

    fn place(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.here, &self.there)?;
        self.placed = true;
        Ok(())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.placed {
            // Nothing more can be done about a file that will not go away.
            let _ = fs::remove_file(&self.here);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    fn write(target: &Target, text: &str, fail: bool) -> io::Result<()> {
        let mut stdout = Vec::new();
        with_target(target, &mut stdout, |out| {
            out.write_all(text.as_bytes())?;
            if fail {
                Err(io::ErrorKind::StorageFull.into())
            } else {
                Ok(())
            }
        })
    }

    #[test]
    fn a_dash_or_nothing_is_standard_output() {
        assert_eq!(Target::named(None), Target::Stdout);
        assert_eq!(Target::named(Some(Path::new("-"))), Target::Stdout);
        let mut stdout = Vec::new();
        let done: io::Result<()> =
            with_target(&Target::Stdout, &mut stdout, |out| out.write_all(b"x"));
        done.unwrap();
        assert_eq!(stdout, b"x");
    }

    #[test]
    fn a_file_is_complete_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let target = Target::named(Some(&path));
        assert!(write(&target, "half", true).is_err());
        assert!(names(folder.path()).is_empty());
        write(&target, "one", false).unwrap();
        assert!(write(&target, "half", true).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        write(&target, "two", false).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(names(folder.path()), ["out.csv"]);
    }

    #[test]
    fn a_bad_path_fails_before_any_work() {
        let folder = tempfile::tempdir().unwrap();
        let read_only = folder.path().join("kept.csv");
        fs::write(&read_only, "kept").unwrap();
        let mut permissions = fs::metadata(&read_only).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&read_only, permissions).unwrap();
        for path in [
            folder.path(),
            &folder.path().join("no/such.csv"),
            &read_only,
        ] {
            let target = Target::File(path.to_owned());
            let mut worked = false;
            let done: io::Result<()> = with_target(&target, &mut Vec::new(), |_| {
                worked = true;
                Ok(())
            });
            assert!(done.is_err() && !worked, "{}", path.display());
        }
        assert_eq!(fs::read_to_string(&read_only).unwrap(), "kept");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_and_a_device_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        write(&Target::File(link.clone()), "new", false).unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        write(&Target::File("/dev/null".into()), "gone", false).unwrap();
        assert!(is_special(Path::new("/dev/null")));
    }
}
