//! Git repositories, read through `gix` and never through the `git` program: checkouts,
//! bare ones, linked worktrees, shallow clones.
//!
//! When figures were observed is the author date of the commit that first brought their
//! exact bytes, at whatever path: a rename carries no date, and neither does the commit
//! that a checkout happens to be at.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use chrono::DateTime;
use gix::ObjectId;
use gix::objs::tree::EntryKind;

use crate::error::{Error, Result};

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
        let path = std::path::absolute(path).map_err(|error| unusable(path, error))?;
        let folder = if path.is_dir() {
            path.as_path()
        } else {
            path.parent().unwrap_or(&path)
        };
        // Configuration of the user or the machine has no say in what bytes are.
        let isolated = || gix::open::Options::isolated();
        let options = gix::sec::trust::Mapping {
            full: isolated(),
            reduced: isolated(),
        };
        let Ok((found, _)) = gix::discover::upwards(folder) else {
            return Ok(None);
        };
        let (git_dir, _) = found.into_repository_and_work_tree_directories();
        let inner = gix::ThreadSafeRepository::discover_opts(
            &git_dir,
            gix::discover::upwards::Options::default(),
            options,
        )
        .map_err(|error| unusable(&git_dir, error))?;
        let mut inner = inner.to_thread_local();
        // Trees and blobs of a history are deltas of one another.
        inner.object_cache_size_if_unset(16 << 20);
        let root = inner.workdir().unwrap_or_else(|| inner.git_dir());
        let location = std::path::absolute(root)
            .map_err(|error| unusable(root, error))?
            .display()
            .to_string();
        Ok(Some(Self { inner, location }))
    }

    /// How messages and origins name it.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// Its working folder; a bare repository has none.
    pub fn working_folder(&self) -> Option<PathBuf> {
        std::path::absolute(self.inner.workdir()?).ok()
    }

    /// The content of a file.
    pub fn content(&self, blob: ObjectId) -> Result<Vec<u8>> {
        Ok(self.object(blob)?.detach().data)
    }

    /// The files under a folder as HEAD has them, by path.
    pub fn at_head(&self, folder: &str) -> Result<Vec<Entry>> {
        let head = self.head()?;
        let mut entries = Vec::new();
        if let Some(tree) = self.folder(self.commit(head)?.tree, folder)? {
            self.files(tree, folder, &mut entries)?;
        }
        entries.sort();
        Ok(entries)
    }

    /// The files under a folder as a commit has them, by path.
    pub fn at(&self, commit: &str, folder: &str) -> Result<Vec<Entry>> {
        let id = self.id(commit)?;
        let mut entries = Vec::new();
        if let Some(tree) = self.folder(self.commit(id)?.tree, folder)? {
            self.files(tree, folder, &mut entries)?;
        }
        entries.sort();
        Ok(entries)
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
        let mut entries = BTreeSet::new();
        let mut seen = HashSet::new();
        for commit in &walk.commits {
            if let Some(tree) = self.folder(commit.tree, folder)?
                && seen.insert(tree)
            {
                let mut here = Vec::new();
                self.files(tree, folder, &mut here)?;
                entries.extend(here.into_iter().filter(|entry| takes(&entry.path)));
            }
        }
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
        match self.inner.head_id() {
            Ok(id) => Ok(id.detach()),
            Err(error) => Err(Error::failed(format!(
                "the repository `{}` has no commit at HEAD",
                self.location
            ))
            .because(error)),
        }
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
                let mut reference = reference.map_err(|error| self.broken(error))?;
                // A tag of a blob or a dangling name reaches no commit.
                if let Ok(id) = reference.peel_to_id()
                    && self.inner.find_commit(id.detach()).is_ok()
                {
                    ids.insert(id.detach());
                }
            }
        }
        Ok(ids)
    }

    fn walk(&self, tips: Tips) -> Result<Walk> {
        let head = self.head()?;
        let mut commits = Vec::new();
        let mut on_head = HashSet::new();
        let mut seen = HashSet::new();
        for start in [BTreeSet::from([head]), self.tips(tips)?] {
            let walk = self
                .inner
                .rev_walk(start)
                .selected(|id| !seen.contains(id))
                .map_err(|error| self.broken(error))?;
            let mut found = Vec::new();
            for info in walk {
                found.push(info.map_err(|error| self.broken(error))?.id);
            }
            for id in found {
                if seen.insert(id) {
                    commits.push(self.commit(id)?);
                }
            }
            if on_head.is_empty() {
                on_head.clone_from(&seen);
            }
        }
        Ok(Walk { commits, on_head })
    }

    /// The commit that first brought each content: one that has it and none of whose
    /// parents do. Of several the first that HEAD reaches, then the earliest.
    fn brought(
        &self,
        walk: &Walk,
        blobs: BTreeSet<ObjectId>,
    ) -> Result<HashMap<ObjectId, Brought>> {
        let mut holding = Holding {
            repository: self,
            blobs,
            known: HashMap::new(),
        };
        let shallow: HashSet<ObjectId> = self
            .inner
            .shallow_commits()
            .map_err(|error| self.broken(error))?
            .map(|ids| ids.iter().copied().collect())
            .unwrap_or_default();
        let mut held: HashMap<ObjectId, Rc<BTreeSet<ObjectId>>> = HashMap::new();
        for commit in &walk.commits {
            held.insert(commit.id, holding.of(commit.tree)?);
        }
        let mut found: BTreeMap<ObjectId, (bool, i64, ObjectId)> = BTreeMap::new();
        for commit in &walk.commits {
            let Some(here) = held.get(&commit.id) else {
                continue;
            };
            for blob in here.iter() {
                let inherited = commit
                    .parents
                    .iter()
                    .any(|parent| held.get(parent).is_some_and(|there| there.contains(blob)));
                if inherited {
                    continue;
                }
                let key = (
                    !walk.on_head.contains(&commit.id),
                    commit.authored,
                    commit.id,
                );
                let known = found.entry(*blob).or_insert(key);
                if key < *known {
                    *known = key;
                }
            }
        }
        Ok(found
            .into_iter()
            .map(|(blob, (_, authored, commit))| {
                let brought = Brought {
                    commit: commit.to_string(),
                    authored_at: instant(authored),
                    first: !shallow.contains(&commit),
                };
                (blob, brought)
            })
            .collect())
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

    /// Every regular file under a tree.
    fn files(&self, tree: ObjectId, prefix: &str, into: &mut Vec<Entry>) -> Result<()> {
        let mut open = vec![(tree, prefix.trim_matches('/').to_owned())];
        while let Some((tree, prefix)) = open.pop() {
            let object = self.object(tree)?;
            for entry in gix::objs::TreeRefIter::from_bytes(&object.data, tree.kind()) {
                let entry = entry.map_err(|error| self.broken(error))?;
                let name = entry.filename.to_string();
                let path = if prefix.is_empty() {
                    name
                } else {
                    format!("{prefix}/{name}")
                };
                match entry.mode.kind() {
                    EntryKind::Tree => open.push((entry.oid.to_owned(), path)),
                    EntryKind::Blob | EntryKind::BlobExecutable => into.push(Entry {
                        path,
                        blob: entry.oid.to_owned(),
                    }),
                    EntryKind::Link | EntryKind::Commit => {}
                }
            }
        }
        Ok(())
    }

    fn absent(&self, error: impl std::fmt::Display) -> Error {
        Error::failed(format!("an object of the repository `{}` can't be read", self.location))
            .because(error)
            .hint("is it a partial clone? fetch everything: `git fetch --unshallow` or clone it again without `--filter`")
    }

    fn broken(&self, error: impl std::fmt::Display) -> Error {
        Error::failed(format!("the repository `{}` can't be read", self.location)).because(error)
    }
}

struct Walk {
    commits: Vec<Commit>,
    on_head: HashSet<ObjectId>,
}

/// Which of some contents a tree holds anywhere below it. Most trees of a history are
/// those of the commit before, so each is looked at once.
struct Holding<'a> {
    repository: &'a Repository,
    blobs: BTreeSet<ObjectId>,
    known: HashMap<ObjectId, Rc<BTreeSet<ObjectId>>>,
}

impl Holding<'_> {
    fn of(&mut self, tree: ObjectId) -> Result<Rc<BTreeSet<ObjectId>>> {
        if let Some(known) = self.known.get(&tree) {
            return Ok(Rc::clone(known));
        }
        let mut held = BTreeSet::new();
        let mut below = Vec::new();
        let object = self.repository.object(tree)?;
        for entry in gix::objs::TreeRefIter::from_bytes(&object.data, tree.kind()) {
            let entry = entry.map_err(|error| self.repository.broken(error))?;
            match entry.mode.kind() {
                EntryKind::Tree => below.push(entry.oid.to_owned()),
                EntryKind::Blob | EntryKind::BlobExecutable => {
                    held.extend(self.blobs.get(entry.oid).copied());
                }
                EntryKind::Link | EntryKind::Commit => {}
            }
        }
        drop(object);
        for tree in below {
            held.extend(self.of(tree)?.iter().copied());
        }
        let held = Rc::new(held);
        self.known.insert(tree, Rc::clone(&held));
        Ok(held)
    }
}

/// Whether a file on disk holds exactly a content.
pub fn is_content_of(path: &Path, blob: ObjectId) -> bool {
    std::fs::read(path).is_ok_and(|bytes| {
        gix::objs::compute_hash(blob.kind(), gix::objs::Kind::Blob, &bytes)
            .is_ok_and(|id| id == blob)
    })
}

fn instant(seconds: i64) -> String {
    DateTime::from_timestamp(seconds, 0)
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
