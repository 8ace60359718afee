//! Git repositories, read through `gix` and never through the `git` program: checkouts,
//! bare ones, linked worktrees, shallow clones.
//!
//! When figures were observed is the author date of the commit that first brought their
//! exact bytes, at whatever path: a rename carries no date, and neither does the commit
//! that a checkout happens to be at.

mod dates;
mod listing;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use chrono::DateTime;
use gix::ObjectId;
use gix::refs::file::find::ReferenceDecode;

use super::MAX_CONTENT;
use crate::error::{Error, Result};
use listing::Listing;

/// Folders within folders that a tree may have; git itself refuses to check out more. An
/// object store that was tampered with may hold a tree that holds itself.
const MAX_DEPTH: usize = 2048;

/// Which commits a history is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tips {
    /// Those that HEAD reaches.
    Head,
    /// Those that HEAD or a local or remote branch reaches.
    Branches,
    /// Those that anything reaches: branches, tags, pull requests.
    All,
}

/// A file as some commit holds it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Path within the repository, `/` between its parts.
    pub path: String,
    /// Its content.
    pub blob: ObjectId,
}

/// A commit that dates some bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brought {
    /// Full id of the commit.
    pub commit: String,
    /// Author date, `YYYY-MM-DDTHH:MM:SSZ`.
    pub authored_at: String,
    /// Whether history goes back far enough to say that no earlier commit had them. In a
    /// shallow clone the oldest commits say only that they have them.
    pub first: bool,
}

/// What a walk over history found under a folder.
#[derive(Debug)]
pub struct History {
    /// Every path and content, by the date that their content was brought, then path.
    pub entries: Vec<(Entry, Brought)>,
}

/// A repository, open for reading.
pub struct Repository {
    inner: gix::Repository,
    /// As messages and origins name it: the working folder, or the bare repository.
    location: String,
}

impl std::fmt::Debug for Repository {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repository")
            .field("location", &self.location)
            .finish_non_exhaustive()
    }
}

/// A commit as the walk sees it.
struct Commit {
    id: ObjectId,
    tree: ObjectId,
    parents: Vec<ObjectId>,
    /// Author date, seconds since 1970.
    authored: i64,
    /// The author's offset from UTC in seconds.
    offset: i32,
}

/// A commit of HEAD's line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lined {
    /// Full id.
    pub commit: String,
    /// Day on the author's calendar, `YYYY-MM-DD`.
    pub authored_on: String,
    /// The tree of the folder that was asked about.
    pub folder: Option<ObjectId>,
}

impl Repository {
    /// The repository that a path is, or lies in; `None` where there is none.
    pub fn discover(path: &Path) -> Result<Option<Self>> {
        find(path)?.map(|folder| Self::open(&folder)).transpose()
    }

    /// Opens a repository by what [`find`] gives.
    pub fn open(git_dir: &Path) -> Result<Self> {
        // Configuration of the user or the machine has no say in what bytes are, nor have
        // replacements that this clone keeps.
        let options = gix::open::Options::isolated()
            .open_path_as_is(true)
            .config_overrides(["core.useReplaceRefs=false"]);
        let mut inner = gix::ThreadSafeRepository::open_opts(git_dir, options)
            .map_err(|error| unusable(git_dir, error))?
            .to_thread_local();
        // Trees and blobs of a history are deltas of one another.
        inner.object_cache_size_if_unset(16 << 20);
        let root = inner.workdir().unwrap_or_else(|| inner.git_dir());
        let location = std::path::absolute(root)
            .map_err(|error| unusable(root, error))?
            .display()
            .to_string();
        Ok(Self { inner, location })
    }

    /// How messages and origins name it.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// Its working folder; a bare repository has none.
    pub fn working_folder(&self) -> Option<PathBuf> {
        std::path::absolute(self.inner.workdir()?).ok()
    }

    /// Its git folder; a linked worktree has one of its own.
    pub fn git_dir(&self) -> &Path {
        self.inner.git_dir()
    }

    /// Whether a path is that folder.
    pub fn is_at(&self, path: &Path) -> bool {
        let own = self.git_dir().canonicalize();
        own.is_ok_and(|own| path.canonicalize().is_ok_and(|path| path == own))
    }

    /// Whether HEAD names a branch that has no commit yet.
    pub fn is_unborn(&self) -> bool {
        self.inner.head().is_ok_and(|head| head.is_unborn())
    }

    /// The length of a file's content.
    pub fn length(&self, blob: ObjectId) -> Result<u64> {
        let header = self.inner.find_header(blob);
        Ok(header.map_err(|error| self.absent(error))?.size())
    }

    /// The content of a file, if it isn't larger than anything that is read.
    pub fn content(&self, blob: ObjectId) -> Result<Vec<u8>> {
        if self.length(blob)? > MAX_CONTENT {
            return Err(super::too_large(Path::new(&blob.to_string())));
        }
        Ok(self.object(blob)?.detach().data)
    }

    /// The files under a folder as HEAD has them, by path.
    pub fn at_head(&self, folder: &str) -> Result<Vec<Entry>> {
        self.listed(self.head()?, folder)
    }

    /// The files under a folder as a commit has them, by path.
    pub fn at(&self, commit: &str, folder: &str) -> Result<Vec<Entry>> {
        self.listed(self.id(commit)?, folder)
    }

    fn listed(&self, commit: ObjectId, folder: &str) -> Result<Vec<Entry>> {
        let mut listing = Listing::of(self, folder, &|_| true);
        listing.add(self.commit(commit)?.tree)?;
        Ok(listing.entries.into_iter().collect())
    }

    /// Every path and content that a commit of the history has under a folder, each
    /// dated; `takes` says by its name which files are meant.
    pub fn history(
        &self,
        tips: Tips,
        folder: &str,
        takes: &dyn Fn(&str) -> bool,
    ) -> Result<History> {
        let walk = self.walk(tips)?;
        let mut listing = Listing::of(self, folder, takes);
        for commit in &walk.commits {
            listing.add(commit.tree)?;
        }
        let entries = listing.entries;
        let brought = self.brought(&walk, entries.iter().map(|entry| entry.blob).collect())?;
        let mut entries: Vec<(Entry, Brought)> = entries
            .into_iter()
            .filter_map(|entry| {
                let by = brought.get(&entry.blob)?.clone();
                Some((entry, by))
            })
            .collect();
        entries.sort_by(|(a, x), (b, y)| (&x.authored_at, a).cmp(&(&y.authored_at, b)));
        Ok(History { entries })
    }

    /// When HEAD's history first had each of these contents.
    pub fn dates(&self, blobs: BTreeSet<ObjectId>) -> Result<HashMap<ObjectId, Brought>> {
        self.brought(&self.walk(Tips::Head)?, blobs)
    }

    /// The commits of HEAD's own line (merged branches left out), newest first.
    pub fn line(&self, folder: &str) -> Result<Vec<Lined>> {
        let walk = self.inner.rev_walk([self.head()?]).first_parent_only();
        let mut line = Vec::new();
        for info in walk.all().map_err(|error| self.broken(error))? {
            let id = info.map_err(|error| self.broken(error))?.id;
            line.push(self.lined(id, folder)?);
        }
        Ok(line)
    }

    /// One commit as [`Repository::line`] gives it.
    pub fn one(&self, commit: &str, folder: &str) -> Result<Lined> {
        self.lined(self.id(commit)?, folder)
    }

    fn lined(&self, id: ObjectId, folder: &str) -> Result<Lined> {
        let commit = self.commit(id)?;
        Ok(Lined {
            commit: id.to_string(),
            authored_on: instant(commit.authored + i64::from(commit.offset))
                .get(..10)
                .unwrap_or_default()
                .to_owned(),
            folder: self.folder(commit.tree, folder)?,
        })
    }

    fn id(&self, commit: &str) -> Result<ObjectId> {
        ObjectId::from_hex(commit.as_bytes()).map_err(|error| self.broken(error))
    }

    fn head(&self) -> Result<ObjectId> {
        if self.is_unborn() {
            return Err(Error::failed(format!(
                "the repository `{}` has no commit at HEAD",
                self.location
            ))
            .hint(
                "check out a branch that has commits, or read all of them: `--history --all-branches`",
            ));
        }
        let head = self.inner.head_id().map_err(|error| self.absent(error))?;
        Ok(head.detach())
    }

    fn tips(&self, tips: Tips) -> Result<BTreeSet<ObjectId>> {
        let mut ids = BTreeSet::new();
        let references = self
            .inner
            .references()
            .map_err(|error| self.broken(error))?;
        let lists = match tips {
            Tips::Head => Vec::new(),
            Tips::Branches => vec![references.local_branches(), references.remote_branches()],
            Tips::All => vec![references.all()],
        };
        for list in lists {
            for reference in list.map_err(|error| self.broken(error))? {
                let mut reference = match reference {
                    Ok(reference) => reference,
                    // What a crash leaves of a name names nothing.
                    Err(error) if error.downcast_any_ref::<ReferenceDecode>().is_some() => continue,
                    Err(error) => return Err(self.broken(error)),
                };
                if let Some(id) = reference.target().try_id() {
                    self.inner
                        .find_header(id)
                        .map_err(|error| self.absent(error))?;
                }
                // A tag of a blob or a name of a name that is gone reaches no commit.
                if let Ok(id) = reference.peel_to_id()
                    && self.inner.find_commit(id.detach()).is_ok()
                {
                    ids.insert(id.detach());
                }
            }
        }
        Ok(ids)
    }

    fn commit(&self, id: ObjectId) -> Result<Commit> {
        let commit = self
            .inner
            .find_commit(id)
            .map_err(|error| self.absent(error))?;
        let decoded = commit.decode().map_err(|error| self.broken(error))?;
        let author = decoded.author().map_err(|error| self.broken(error))?;
        Ok(Commit {
            id,
            tree: decoded.tree(),
            parents: decoded.parents().collect(),
            authored: author.seconds(),
            offset: author.time().map_or(0, |time| time.offset),
        })
    }

    fn object(&self, id: ObjectId) -> Result<gix::Object<'_>> {
        self.inner
            .find_object(id)
            .map_err(|error| self.absent(error))
    }

    /// The tree of a folder within a tree.
    fn folder(&self, tree: ObjectId, folder: &str) -> Result<Option<ObjectId>> {
        let mut at = tree;
        for part in folder.split('/').filter(|part| !part.is_empty()) {
            let object = self.object(at)?;
            let decoded = gix::objs::TreeRefIter::from_bytes(&object.data, at.kind());
            let mut next = None;
            for entry in decoded {
                let entry = entry.map_err(|error| self.broken(error))?;
                if entry.filename == part && entry.mode.is_tree() {
                    next = Some(entry.oid.to_owned());
                    break;
                }
            }
            match next {
                Some(id) => at = id,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    fn absent(&self, error: impl std::fmt::Display) -> Error {
        Error::failed(format!("an object of the repository `{}` can't be read", self.location))
            .because(error)
            .hint("is it a partial clone? fetch everything: `git fetch --unshallow` or clone it again without `--filter`")
    }

    fn too_deep(&self) -> Error {
        self.broken(format!("folders lie more than {MAX_DEPTH} deep"))
    }

    fn broken(&self, error: impl std::fmt::Display) -> Error {
        Error::failed(format!("the repository `{}` can't be read", self.location)).because(error)
    }
}

/// Whether a file on disk holds exactly a content.
pub fn is_content_of(path: &Path, blob: ObjectId) -> bool {
    // A pipe would be read empty, and a larger file isn't read anyway.
    let is_readable =
        std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_CONTENT);
    is_readable
        && std::fs::read(path).is_ok_and(|bytes| {
            gix::objs::compute_hash(blob.kind(), gix::objs::Kind::Blob, &bytes)
                .is_ok_and(|id| id == blob)
        })
}

/// Where the repository that a path is, or lies in, can be opened: its git folder or the file
/// that stands for it; `None` where there is none. Only where a path lies counts: no
/// environment variable has a say.
pub fn find(path: &Path) -> Result<Option<PathBuf>> {
    let path = std::path::absolute(path).map_err(|error| unusable(path, error))?;
    let folder = if path.is_dir() {
        path.as_path()
    } else {
        path.parent().unwrap_or(&path)
    };
    match gix::discover::upwards(folder) {
        Ok((found, _)) => Ok(Some(
            match found.into_repository_and_work_tree_directories() {
                (_, Some(working)) => working.join(".git"),
                (git_dir, None) => git_dir,
            },
        )),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(unusable(folder, error)),
    }
}

/// As it is kept; dates that no calendar here has are the nearest that it has.
fn instant(seconds: i64) -> String {
    /// The last second of the year 9999.
    const LAST: i64 = 253_402_300_799;
    DateTime::from_timestamp(seconds.clamp(0, LAST), 0)
        .unwrap_or_default()
        .format("%Y-%m-%dT%H:%M:%SZ")
        .to_string()
}

fn unusable(path: &Path, error: impl std::fmt::Display) -> Error {
    Error::failed(format!(
        "`{}` can't be opened as a git repository",
        path.display()
    ))
    .because(error)
}
