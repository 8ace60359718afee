//! From the outside in: files, folders, standard input and git repositories become bytes
//! with a name, a date and a digest. Compression is undone here, recognised by content,
//! not by name.

pub mod git;
pub mod problems;
mod repositories;
mod targets;
mod unpack;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use chrono::{DateTime, Utc};
use kidx_importers::Beside;

use crate::catalog::identity;
use crate::error::{Error, Result};

/// Content larger than this is refused: whole-document formats are held in memory.
pub const MAX_CONTENT: u64 = 1 << 30;

pub use targets::{Reach, targets};

/// Something to read.
#[derive(Debug, Clone)]
pub enum Target {
    /// Standard input (`-`).
    Stdin,
    /// A file that the user named, and the commit that dates its bytes.
    Named(PathBuf, Option<Committed>),
    /// A file found in a folder that the user named.
    Found(PathBuf, Option<Committed>),
    /// A file that some commit of a repository holds.
    Stored(String, gix::ObjectId, Committed),
    /// A part of such a folder that can't be walked, and why.
    Unwalkable(PathBuf, String),
}

impl Target {
    /// As messages and reports print it.
    pub fn display(&self) -> String {
        match self {
            Self::Stdin => "-".to_owned(),
            Self::Named(path, _) | Self::Found(path, _) | Self::Unwalkable(path, _) => {
                path.display().to_string()
            }
            Self::Stored(path, _, by) => {
                format!("{}:{path}", by.brought.commit.get(..10).unwrap_or_default())
            }
        }
    }
}

/// Folders above an input's own that files beside it may lie in.
const UP: usize = 4;

/// Whether a relative path leads to a place near the file that names it.
fn is_near(name: &str) -> bool {
    use std::path::Component;
    let (mut up, mut down) = (0, false);
    for part in Path::new(name).components() {
        match part {
            Component::ParentDir if !down => up += 1,
            Component::Normal(_) => down = true,
            _ => return false,
        }
    }
    down && up <= UP
}

/// Files that an importer reads with a target, by names relative to the target's folder:
/// those of them that are there.
pub fn beside(target: &Target, names: &[String]) -> Result<Vec<Beside>> {
    let (Target::Named(path, _) | Target::Found(path, _)) = target else {
        return Ok(Vec::new());
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut found = Vec::new();
    for name in names {
        let path = folder.join(name);
        if is_near(name) && path.is_file() {
            let fetched = read(&Target::Named(path, None))?;
            found.push(Beside {
                name: name.clone(),
                bytes: fetched.content,
            });
        }
    }
    Ok(found)
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
    /// The commit that dates the bytes.
    pub committed: Option<Committed>,
}

/// A commit that dates some bytes, and the repository that it is of.
#[derive(Debug, Clone)]
pub struct Committed {
    /// Where its trees can be read.
    pub repository: Rc<git::Repository>,
    /// The commit.
    pub brought: git::Brought,
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
            let at = Place {
                location: "-".to_owned(),
                ..Place::default()
            };
            unpacked(raw, at)
        }
        Target::Named(path, committed) | Target::Found(path, committed) => {
            read_file(path, committed.clone())
        }
        Target::Stored(path, blob, by) => {
            let parts: Vec<&str> = path.rsplit('/').collect();
            let name = |at: usize| parts.get(at).map(|part| (*part).to_owned());
            let at = Place {
                location: format!("{}@{}:{path}", by.repository.location(), by.brought.commit),
                folder: name(1),
                file: name(0),
                committed: Some(by.clone()),
                ..Place::default()
            };
            unpacked(by.repository.content(*blob)?, at)
        }
        Target::Unwalkable(path, why) => Err(Error::failed(format!(
            "`{}` can't be walked",
            path.display()
        ))
        .because(why)
        .hint("the rest of the folder was read; this part needs permission")),
    }
}

/// What is known of bytes besides themselves.
#[derive(Default)]
struct Place {
    location: String,
    folder: Option<String>,
    file: Option<String>,
    modified: Option<String>,
    committed: Option<Committed>,
}

fn read_file(path: &Path, committed: Option<Committed>) -> Result<Fetched> {
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
    let at = Place {
        location: absolute.display().to_string(),
        folder: name(absolute.parent()),
        file: name(Some(&absolute)),
        modified,
        committed,
    };
    unpacked(raw, at)
}

fn unpacked(raw: Vec<u8>, at: Place) -> Result<Fetched> {
    if raw.len() as u64 > MAX_CONTENT {
        return Err(too_large(Path::new(&at.location)));
    }
    let mut fetched = Fetched {
        location: at.location,
        folder: at.folder,
        file: at.file,
        content: raw,
        container: None,
        modified: at.modified,
        committed: at.committed,
    };
    let Some(container) = unpack::container(&fetched.content) else {
        return Ok(fetched);
    };
    let raw = std::mem::take(&mut fetched.content);
    fetched.content = unpack::unpack(container, &raw, MAX_CONTENT).map_err(|error| {
        Error::failed(format!("`{}` can't be unpacked", fetched.location))
            .because(error)
            .hint("the file is cut short or damaged: fetch it again; nothing of it was used")
    })?;
    let suffix = match container {
        "gzip" => ".gz",
        _ => ".zst",
    };
    fetched.file = fetched
        .file
        .map(|name| match name.len().checked_sub(suffix.len()) {
            Some(at) if name.is_char_boundary(at) && name[at..].eq_ignore_ascii_case(suffix) => {
                name[..at].to_owned()
            }
            _ => name,
        });
    fetched.container = Some((container, identity::sha256(&raw)));
    Ok(fetched)
}

fn too_large(path: &Path) -> Error {
    Error::failed(format!(
        "`{}` holds more than {} MiB",
        path.display(),
        MAX_CONTENT >> 20
    ))
    .hint("split it; a whole JSON document is held in memory")
}
