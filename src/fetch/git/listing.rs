//! The files under a folder, over one commit or many.

use std::collections::{BTreeSet, HashSet};

use gix::ObjectId;
use gix::objs::tree::EntryKind;

use super::{Entry, Repository};
use crate::error::{Error, Result};

/// Bytes that the paths of one commit's files may take. A few trees that hold one another
/// many times over can stand for more files than any disk has.
const MAX_PATHS: usize = 64 << 20;

/// Collects the regular files under a folder. Commits share most of their folders, so
/// each is looked at once for each place that it has.
pub(super) struct Listing<'a> {
    repository: &'a Repository,
    folder: String,
    /// Which files are meant, by path.
    takes: &'a dyn Fn(&str) -> bool,
    seen: HashSet<(ObjectId, String)>,
    pub(super) entries: BTreeSet<Entry>,
}

impl<'a> Listing<'a> {
    pub(super) fn of(
        repository: &'a Repository,
        folder: &str,
        takes: &'a dyn Fn(&str) -> bool,
    ) -> Self {
        Self {
            repository,
            folder: folder.trim_matches('/').to_owned(),
            takes,
            seen: HashSet::new(),
            entries: BTreeSet::new(),
        }
    }

    /// Adds what a commit's tree has there.
    pub(super) fn add(&mut self, tree: ObjectId) -> Result<()> {
        let Some(folder) = self.repository.folder(tree, &self.folder)? else {
            return Ok(());
        };
        let mut paths = 0;
        let mut open = vec![(folder, self.folder.clone())];
        while let Some((tree, place)) = open.pop() {
            if !self.seen.insert((tree, place.clone())) {
                continue;
            }
            let object = self.repository.object(tree)?;
            for entry in gix::objs::TreeRefIter::from_bytes(&object.data, tree.kind()) {
                let entry = entry.map_err(|error| self.repository.broken(error))?;
                let path = if place.is_empty() {
                    entry.filename.to_string()
                } else {
                    format!("{place}/{}", entry.filename)
                };
                // A short path costs more than its letters.
                paths += path.len().max(64);
                if paths > MAX_PATHS {
                    return Err(self.too_many());
                }
                match entry.mode.kind() {
                    EntryKind::Tree => open.push((entry.oid.to_owned(), path)),
                    EntryKind::Blob | EntryKind::BlobExecutable if (self.takes)(&path) => {
                        self.entries.insert(Entry {
                            path,
                            blob: entry.oid.to_owned(),
                        });
                    }
                    // Links and other repositories hold no content of their own here.
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn too_many(&self) -> Error {
        Error::failed(format!(
            "the paths under `{}` of the repository `{}` take more than {} MiB",
            self.folder,
            self.repository.location(),
            MAX_PATHS >> 20
        ))
        .hint("`--path DIR` names a smaller folder")
    }
}
