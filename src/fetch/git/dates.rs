//! When contents came: commits of a history, what each holds, and which first held what.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use gix::ObjectId;
use gix::objs::tree::EntryKind;

use super::{Brought, Commit, MAX_DEPTH, Repository, Tips, instant};
use crate::error::Result;

/// Contents, by the id of their blob.
type Blobs = BTreeSet<ObjectId>;

/// The commits of a history.
pub(super) struct Walk {
    pub(super) commits: Vec<Commit>,
    on_head: HashSet<ObjectId>,
}

impl Repository {
    /// Every commit that HEAD reaches, then every other that the tips reach.
    pub(super) fn walk(&self, tips: Tips) -> Result<Walk> {
        let others = self.tips(tips)?;
        // Branches can be read where HEAD points at none of them.
        let head = if self.is_unborn() && !others.is_empty() {
            BTreeSet::new()
        } else {
            BTreeSet::from([self.head()?])
        };
        let mut commits = Vec::new();
        let mut seen = HashSet::new();
        let mut on_head = HashSet::new();
        for (is_head, start) in [(true, head), (false, others)] {
            let walk = self
                .inner
                .rev_walk(start)
                .selected(|id| !seen.contains(id))
                .map_err(|error| self.absent(error))?;
            let mut found = Vec::new();
            for info in walk {
                found.push(info.map_err(|error| self.absent(error))?.id);
            }
            for id in found {
                if seen.insert(id) {
                    commits.push(self.commit(id)?);
                }
            }
            if is_head {
                on_head.clone_from(&seen);
            }
        }
        Ok(Walk { commits, on_head })
    }

    /// The commit that first brought each content: one that has it and none of whose
    /// parents do. Of several the first that HEAD reaches, then the earliest.
    pub(super) fn brought(&self, walk: &Walk, blobs: Blobs) -> Result<HashMap<ObjectId, Brought>> {
        let mut holding = Holding::of(self, blobs);
        let mut held: HashMap<ObjectId, Rc<Blobs>> = HashMap::new();
        for commit in &walk.commits {
            held.insert(commit.id, holding.below(commit.tree)?);
        }
        let mut found: BTreeMap<ObjectId, (bool, i64, ObjectId)> = BTreeMap::new();
        for commit in &walk.commits {
            let Some(here) = held.get(&commit.id) else {
                continue;
            };
            let before: Vec<&Rc<Blobs>> = commit
                .parents
                .iter()
                .filter_map(|parent| held.get(parent))
                .collect();
            // Most commits leave these files alone.
            if before.iter().any(|there| Rc::ptr_eq(here, there)) {
                continue;
            }
            for blob in here.iter() {
                if before.iter().any(|there| there.contains(blob)) {
                    continue;
                }
                let is_elsewhere = !walk.on_head.contains(&commit.id);
                let key = (is_elsewhere, commit.authored, commit.id);
                let known = found.entry(*blob).or_insert(key);
                if key < *known {
                    *known = key;
                }
            }
        }
        let shallow = self.shallow()?;
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

    /// The oldest commits of a shallow clone.
    fn shallow(&self) -> Result<HashSet<ObjectId>> {
        let commits = self
            .inner
            .shallow_commits()
            .map_err(|error| self.broken(error))?;
        Ok(commits.map_or_else(HashSet::new, |ids| ids.iter().copied().collect()))
    }
}

/// Which of some contents a tree holds anywhere below it. Most trees of a history are
/// those of the commit before, so each is looked at once, and a tree that holds just
/// what one tree below it holds shares that.
struct Holding<'a> {
    repository: &'a Repository,
    blobs: Blobs,
    known: HashMap<ObjectId, Rc<Blobs>>,
    nothing: Rc<Blobs>,
}

/// A tree that is being looked at.
struct Open {
    tree: ObjectId,
    /// What it holds itself.
    own: Blobs,
    /// The trees in it.
    below: Vec<ObjectId>,
}

impl<'a> Holding<'a> {
    fn of(repository: &'a Repository, blobs: Blobs) -> Self {
        Self {
            repository,
            blobs,
            known: HashMap::new(),
            nothing: Rc::default(),
        }
    }

    /// Without recursion: how deep trees are is up to whoever made them.
    fn below(&mut self, root: ObjectId) -> Result<Rc<Blobs>> {
        let mut path = Vec::new();
        let mut next = Some(root);
        loop {
            if let Some(tree) = next.take()
                && !self.known.contains_key(&tree)
            {
                if path.len() >= MAX_DEPTH {
                    return Err(self.repository.too_deep());
                }
                path.push(self.open(tree)?);
            }
            let Some(open) = path.last() else {
                break;
            };
            next = open
                .below
                .iter()
                .find(|tree| !self.known.contains_key(*tree))
                .copied();
            if next.is_none()
                && let Some(done) = path.pop()
            {
                let all = self.all(done.own, &done.below);
                self.known.insert(done.tree, all);
            }
        }
        Ok(self.known.get(&root).unwrap_or(&self.nothing).clone())
    }

    fn open(&self, tree: ObjectId) -> Result<Open> {
        let mut open = Open {
            tree,
            own: Blobs::new(),
            below: Vec::new(),
        };
        let object = self.repository.object(tree)?;
        for entry in gix::objs::TreeRefIter::from_bytes(&object.data, tree.kind()) {
            let entry = entry.map_err(|error| self.repository.broken(error))?;
            match entry.mode.kind() {
                EntryKind::Tree => open.below.push(entry.oid.to_owned()),
                EntryKind::Blob | EntryKind::BlobExecutable => {
                    open.own.extend(self.blobs.get(entry.oid).copied());
                }
                EntryKind::Link | EntryKind::Commit => {}
            }
        }
        Ok(open)
    }

    fn all(&self, own: Blobs, below: &[ObjectId]) -> Rc<Blobs> {
        let mut parts = below
            .iter()
            .filter_map(|tree| self.known.get(tree))
            .filter(|part| !part.is_empty());
        let Some(first) = parts.next() else {
            return if own.is_empty() {
                Rc::clone(&self.nothing)
            } else {
                Rc::new(own)
            };
        };
        let mut rest = parts.peekable();
        if own.is_empty() && rest.peek().is_none() {
            return Rc::clone(first);
        }
        let mut all = own;
        all.extend(first.iter().copied());
        for part in rest {
            all.extend(part.iter().copied());
        }
        Rc::new(all)
    }
}
