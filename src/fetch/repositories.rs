//! The repositories that files lie in, each opened once, and the dates that they give to
//! files that are as HEAD has them.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gix::ObjectId;

use super::git::{self, Repository, is_content_of};
use super::targets::Undated;
use super::{Committed, Target};
use crate::error::Result;

/// Repositories met so far.
#[derive(Default)]
pub(super) struct Repositories {
    /// By what they are opened by: two working folders of one repository differ in HEAD.
    open: HashMap<PathBuf, Rc<Repository>>,
    /// The same by folder asked about.
    found: HashMap<PathBuf, Option<PathBuf>>,
}

impl Repositories {
    /// The repository that a path is, or lies in.
    pub(super) fn of(&mut self, path: &Path) -> Result<Option<Rc<Repository>>> {
        // A link lies where it points; what isn't there lies nowhere.
        let Ok(path) = path.canonicalize() else {
            return Ok(None);
        };
        let folder = match path.parent() {
            Some(parent) if !path.is_dir() => parent.to_owned(),
            _ => path,
        };
        let git_dir = if let Some(known) = self.found.get(&folder) {
            known.clone()
        } else {
            let found = git::find(&folder)?;
            self.found.insert(folder, found.clone());
            found
        };
        git_dir.map(|git_dir| self.opened(git_dir)).transpose()
    }

    fn opened(&mut self, git_dir: PathBuf) -> Result<Rc<Repository>> {
        if let Some(known) = self.open.get(&git_dir) {
            return Ok(Rc::clone(known));
        }
        let repository = Rc::new(Repository::open(&git_dir)?);
        self.open.insert(git_dir, Rc::clone(&repository));
        Ok(repository)
    }

    /// The repository without a working folder that a path itself is.
    pub(super) fn bare(&mut self, path: &Path) -> Result<Option<Rc<Repository>>> {
        if !path.is_dir() {
            return Ok(None);
        }
        let Some(repository) = self.of(path)? else {
            return Ok(None);
        };
        let is_itself = [path.to_owned(), path.join(".git")]
            .iter()
            .any(|own| repository.is_at(own));
        Ok((is_itself && repository.working_folder().is_none()).then_some(repository))
    }

    /// Dates files that are as the HEAD of the repository around them has them; says which
    /// repositories could not be asked.
    pub(super) fn date(&mut self, targets: &mut [Target]) -> Vec<Undated> {
        let mut undated: BTreeMap<String, Undated> = BTreeMap::new();
        let mut not_asked = |place: String, error| {
            undated
                .entry(place.clone())
                .or_insert(Undated { place, error });
        };
        let mut groups: BTreeMap<PathBuf, (Rc<Repository>, Vec<usize>)> = BTreeMap::new();
        for (at, target) in targets.iter().enumerate() {
            let (Target::Named(path, _) | Target::Found(path, _)) = target else {
                continue;
            };
            match self.of(path) {
                Ok(Some(repository)) => {
                    let group = groups.entry(repository.git_dir().to_owned());
                    group.or_insert((repository, Vec::new())).1.push(at);
                }
                Ok(None) => {}
                Err(error) => not_asked(path.display().to_string(), error),
            }
        }
        for (repository, group) in groups.into_values() {
            if let Err(error) = date(&repository, targets, &group) {
                not_asked(repository.location().to_owned(), error);
            }
        }
        undated.into_values().collect()
    }
}

/// Dates some targets by the repository that they lie in.
fn date(repository: &Rc<Repository>, targets: &mut [Target], group: &[usize]) -> Result<()> {
    let mut places = BTreeMap::new();
    for at in group {
        if let Some(Target::Named(path, _) | Target::Found(path, _)) = targets.get(*at)
            && let Some(place) = within(repository, path)
        {
            places.insert(*at, place);
        }
    }
    // One listing of the deepest folder that holds all of them.
    let Some(common) = common_folder(places.values()) else {
        return Ok(());
    };
    // Without a commit nothing is dated, and nothing is wrong.
    if repository.is_unborn() {
        return Ok(());
    }
    let stored: HashMap<String, ObjectId> = repository
        .at_head(&common)?
        .into_iter()
        .map(|entry| (entry.path, entry.blob))
        .collect();
    let mut same = BTreeMap::new();
    for (at, place) in places {
        if let (Some(blob), Some(Target::Named(path, _) | Target::Found(path, _))) =
            (stored.get(&place), targets.get(at))
            && is_content_of(path, *blob)
        {
            same.insert(at, *blob);
        }
    }
    if same.is_empty() {
        return Ok(());
    }
    let dates = repository.dates(same.values().copied().collect())?;
    for (at, blob) in same {
        if let Some(Target::Named(_, by) | Target::Found(_, by)) = targets.get_mut(at) {
            *by = dates.get(&blob).map(|brought| Committed {
                repository: Rc::clone(repository),
                brought: brought.clone(),
            });
        }
    }
    Ok(())
}

/// A path's place in a repository's working folder, `/` between its parts; the top for the
/// git folder itself.
pub(super) fn within(repository: &Repository, path: &Path) -> Option<String> {
    if repository.is_at(path) {
        return None;
    }
    let root = repository.working_folder()?.canonicalize().ok()?;
    let path = path.canonicalize().ok()?;
    let parts: Vec<String> = path
        .strip_prefix(root)
        .ok()?
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    Some(parts.join("/"))
}

fn common_folder<'a>(mut places: impl Iterator<Item = &'a String>) -> Option<String> {
    let folder = |place: &'a String| -> Vec<&'a str> {
        let mut parts: Vec<&str> = place.split('/').collect();
        parts.pop();
        parts
    };
    let mut common = folder(places.next()?);
    for place in places {
        let shared = folder(place)
            .iter()
            .zip(&common)
            .take_while(|(a, b)| a == b)
            .count();
        common.truncate(shared);
    }
    Some(common.join("/"))
}
