//! From the outside in: files, folders and standard input become bytes with a name, a
//! date and a digest. Compression is undone here, recognised by content, not by name.

mod unpack;

use std::io::Read;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use walkdir::WalkDir;

use crate::catalog::identity;
use crate::error::{Error, Result};

/// Content larger than this is refused: whole-document formats are held in memory.
pub const MAX_CONTENT: u64 = 1 << 30;

/// Something to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Standard input (`-`).
    Stdin,
    /// A file that the user named.
    Named(PathBuf),
    /// A file found in a folder that the user named.
    Found(PathBuf),
    /// A part of such a folder that can't be walked, and why.
    Unwalkable(PathBuf, String),
}

impl Target {
    /// As messages and reports print it.
    pub fn display(&self) -> String {
        match self {
            Self::Stdin => "-".to_owned(),
            Self::Named(path) | Self::Found(path) | Self::Unwalkable(path, _) => {
                path.display().to_string()
            }
        }
    }
}

/// Bytes with what is known about them.
#[derive(Debug)]
pub struct Fetched {
    /// Absolute path, or `-`.
    pub location: String,
    /// Name of the folder that holds the file.
    pub folder: Option<String>,
    /// File name without compression suffix.
    pub file: Option<String>,
    /// The decompressed content.
    pub content: Vec<u8>,
    /// Compression around it, and the digest of the compressed bytes.
    pub container: Option<(&'static str, String)>,
    /// When the file was last modified, `YYYY-MM-DDTHH:MM:SSZ`.
    pub modified: Option<String>,
}

/// Turns arguments into things to read; folders are walked, in name order.
pub fn targets(arguments: &[PathBuf]) -> Result<Vec<Target>> {
    let mut targets = Vec::new();
    for argument in arguments {
        if argument.as_os_str() == "-" {
            if !targets.contains(&Target::Stdin) {
                targets.push(Target::Stdin);
            }
        } else if argument.is_dir() {
            let before = targets.len();
            for entry in WalkDir::new(argument)
                .sort_by_file_name()
                .into_iter()
                .filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.file_name()))
            {
                match entry {
                    Ok(entry) if entry.file_type().is_file() && is_candidate(entry.path()) => {
                        targets.push(Target::Found(entry.into_path()));
                    }
                    Ok(_) => {}
                    Err(error) => {
                        let path = error.path().unwrap_or(argument).to_owned();
                        targets.push(Target::Unwalkable(path, error.to_string()));
                    }
                }
            }
            if targets.len() == before {
                return Err(Error::failed(format!(
                    "the folder `{}` holds no `.json`, `.json.gz` or `.json.zst` file",
                    argument.display()
                )));
            }
        } else {
            targets.push(Target::Named(argument.clone()));
        }
    }
    Ok(targets)
}

fn is_hidden(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

fn is_candidate(path: &Path) -> bool {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    [".json", ".json.gz", ".json.zst"]
        .iter()
        .any(|suffix| name.ends_with(suffix))
}

/// Reads one target whole.
pub fn read(target: &Target) -> Result<Fetched> {
    match target {
        Target::Stdin => {
            let mut raw = Vec::new();
            std::io::stdin()
                .lock()
                .take(MAX_CONTENT + 1)
                .read_to_end(&mut raw)
                .map_err(|error| Error::failed("standard input can't be read").because(error))?;
            unpacked(raw, "-".to_owned(), None, None, None)
        }
        Target::Named(path) | Target::Found(path) => read_file(path),
        Target::Unwalkable(path, why) => Err(Error::failed(format!(
            "`{}` can't be walked",
            path.display()
        ))
        .because(why)
        .hint("the rest of the folder was read; this part needs permission")),
    }
}

fn read_file(path: &Path) -> Result<Fetched> {
    let failed = |error: std::io::Error| {
        let hint = match error.kind() {
            std::io::ErrorKind::NotFound => Some("is the path right? was it moved meanwhile?"),
            std::io::ErrorKind::PermissionDenied => Some("reading it needs permission"),
            _ => None,
        };
        let failed = Error::failed(format!("`{}` can't be read", path.display())).because(error);
        match hint {
            Some(hint) => failed.hint(hint),
            None => failed,
        }
    };
    let file = std::fs::File::open(path).map_err(failed)?;
    let meta = file.metadata().map_err(failed)?;
    if meta.is_file() && meta.len() > MAX_CONTENT {
        return Err(too_large(path));
    }
    let mut raw = Vec::new();
    file.take(MAX_CONTENT + 1)
        .read_to_end(&mut raw)
        .map_err(failed)?;
    // Only a file at rest has a time that says anything about its content.
    let at_rest = meta.is_file().then(|| meta.modified().ok()).flatten();
    let modified = at_rest.map(|time| {
        DateTime::<Utc>::from(time)
            .format("%Y-%m-%dT%H:%M:%SZ")
            .to_string()
    });
    let absolute = std::path::absolute(path).map_err(failed)?;
    let name = |path: Option<&Path>| {
        path.and_then(Path::file_name)
            .map(|name| name.to_string_lossy().into_owned())
    };
    unpacked(
        raw,
        absolute.display().to_string(),
        name(absolute.parent()),
        name(Some(&absolute)),
        modified,
    )
}

fn unpacked(
    raw: Vec<u8>,
    location: String,
    folder: Option<String>,
    file: Option<String>,
    modified: Option<String>,
) -> Result<Fetched> {
    if raw.len() as u64 > MAX_CONTENT {
        return Err(too_large(Path::new(&location)));
    }
    let Some(container) = unpack::container(&raw) else {
        return Ok(Fetched {
            location,
            folder,
            file,
            content: raw,
            container: None,
            modified,
        });
    };
    let content = unpack::unpack(container, &raw, MAX_CONTENT).map_err(|error| {
        Error::failed(format!("`{location}` can't be unpacked"))
            .because(error)
            .hint("the file is cut short or damaged: fetch it again; nothing of it was used")
    })?;
    let suffix = match container {
        "gzip" => ".gz",
        _ => ".zst",
    };
    Ok(Fetched {
        location,
        folder,
        file: file.map(|name| match name.len().checked_sub(suffix.len()) {
            Some(at) if name.is_char_boundary(at) && name[at..].eq_ignore_ascii_case(suffix) => {
                name[..at].to_owned()
            }
            _ => name,
        }),
        content,
        container: Some((container, identity::sha256(&raw))),
        modified,
    })
}

fn too_large(path: &Path) -> Error {
    Error::failed(format!(
        "`{}` holds more than {} MiB",
        path.display(),
        MAX_CONTENT >> 20
    ))
    .hint("split it; a whole JSON document is held in memory")
}
