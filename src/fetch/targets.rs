//! From arguments to things to read: files, what folders hold, what repositories held.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gix::ObjectId;
use walkdir::WalkDir;

use super::git::{Brought, Repository, Tips, is_content_of};
use super::{Committed, Target};
use crate::error::{Error, Result};

/// How far back, and where, repositories are looked at.
#[derive(Debug, Clone, Copy)]
pub struct Reach<'a> {
    /// The commits whose contents are wanted; `None`: what is there now.
    pub history: Option<Tips>,
    /// Folder of a repository that the user named.
    pub folder: Option<&'a str>,
    /// Folder in which the source's own repository holds its files.
    pub usual: Option<&'a str>,
}

/// Turns arguments into things to read. Folders are walked in name order; histories are
/// in the order in which their contents came.
pub fn targets(arguments: &[PathBuf], reach: &Reach<'_>) -> Result<Vec<Target>> {
    let mut targets = Vec::new();
    let mut repositories = Repositories::default();
    for argument in arguments {
        if argument.as_os_str() == "-" {
            if !targets.iter().any(|target| matches!(target, Target::Stdin)) {
                targets.push(Target::Stdin);
            }
            continue;
        }
        if !argument.exists() {
            targets.push(Target::Named(argument.clone(), None));
            continue;
        }
        let repository = repositories.of(argument)?;
        let before = targets.len();
        match (repository, reach.history) {
            (None, Some(_)) => {
                return Err(Error::usage(format!(
                    "`{}` is no git repository, so it has no history",
                    argument.display()
                ))
                .hint("`--history` takes a checkout or a bare repository"));
            }
            (Some(repository), Some(tips)) => {
                let folder = asked(&repository, argument, reach);
                for (entry, brought) in repository.history(tips, &folder, &is_candidate)?.entries {
                    targets.push(Target::Stored(
                        entry.path,
                        entry.blob,
                        Committed {
                            repository: Rc::clone(&repository),
                            brought,
                        },
                    ));
                }
                nothing_in(&targets[before..], &repository, &folder)?;
            }
            (Some(repository), None) if repository.working_folder().is_none() => {
                let folder = asked(&repository, argument, reach);
                let mut entries = repository.at_head(&folder)?;
                entries.retain(|entry| is_candidate(&entry.path));
                let dates = repository.dates(entries.iter().map(|entry| entry.blob).collect())?;
                for entry in entries {
                    if let Some(brought) = dates.get(&entry.blob).cloned() {
                        targets.push(Target::Stored(
                            entry.path,
                            entry.blob,
                            Committed {
                                repository: Rc::clone(&repository),
                                brought,
                            },
                        ));
                    }
                }
                nothing_in(&targets[before..], &repository, &folder)?;
            }
            (repository, None) if argument.is_dir() => {
                let folder = match (reach.folder, &repository) {
                    (Some(folder), _) => argument.join(folder),
                    (None, _) => argument.clone(),
                };
                walk(&folder, &mut targets);
                if targets.len() == before {
                    return Err(Error::failed(format!(
                        "the folder `{}` holds no `.json`, `.json.gz` or `.json.zst` file",
                        folder.display()
                    )));
                }
                if let Some(repository) = repository {
                    date(&repository, &mut targets[before..])?;
                }
            }
            (repository, None) => {
                targets.push(Target::Named(argument.clone(), None));
                if let Some(repository) = repository {
                    date(&repository, &mut targets[before..])?;
                }
            }
        }
    }
    Ok(targets)
}

/// The folder of a repository that an argument means: the one that was named, else the
/// argument's own place in it, else the usual one.
fn asked(repository: &Repository, argument: &Path, reach: &Reach<'_>) -> String {
    if let Some(folder) = reach.folder {
        return folder.trim_matches('/').to_owned();
    }
    within(repository, argument)
        .filter(|folder| !folder.is_empty())
        .unwrap_or_else(|| reach.usual.unwrap_or_default().to_owned())
}

/// A path's place in a repository's working folder, `/` between its parts.
fn within(repository: &Repository, path: &Path) -> Option<String> {
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

fn nothing_in(found: &[Target], repository: &Repository, folder: &str) -> Result<()> {
    if found.is_empty() {
        return Err(Error::failed(format!(
            "the repository `{}` has no `.json` file under `{folder}`",
            repository.location()
        ))
        .hint("`--path DIR` names the folder that holds them"));
    }
    Ok(())
}

fn walk(folder: &Path, targets: &mut Vec<Target>) {
    for entry in WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.file_name()))
    {
        match entry {
            Ok(entry) if entry.file_type().is_file() && is_candidate_name(entry.path()) => {
                targets.push(Target::Found(entry.into_path(), None));
            }
            Ok(_) => {}
            Err(error) => {
                let path = error.path().unwrap_or(folder).to_owned();
                targets.push(Target::Unwalkable(path, error.to_string()));
            }
        }
    }
}

/// Dates files of a working folder that are as HEAD has them.
fn date(repository: &Rc<Repository>, targets: &mut [Target]) -> Result<()> {
    let mut stored: HashMap<String, ObjectId> = HashMap::new();
    let mut places = BTreeMap::new();
    for (at, target) in targets.iter().enumerate() {
        if let Target::Named(path, _) | Target::Found(path, _) = target
            && let Some(place) = within(repository, path)
        {
            places.insert(at, place);
        }
    }
    // One listing of the deepest folder that holds all of them.
    let Some(common) = common_folder(places.values()) else {
        return Ok(());
    };
    let Ok(entries) = repository.at_head(&common) else {
        // Without a commit nothing is dated.
        return Ok(());
    };
    for entry in entries {
        stored.insert(entry.path, entry.blob);
    }
    let mut same: BTreeMap<usize, ObjectId> = BTreeMap::new();
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
    let dates: HashMap<ObjectId, Brought> =
        repository.dates(same.values().copied().collect::<BTreeSet<_>>())?;
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

fn is_hidden(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

fn is_candidate_name(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| is_candidate(&name.to_string_lossy()))
}

fn is_candidate(name: &str) -> bool {
    let name = name.to_lowercase();
    [".json", ".json.gz", ".json.zst"]
        .iter()
        .any(|suffix| name.ends_with(suffix))
}

/// Repositories by the folder asked about, each opened once.
#[derive(Default)]
struct Repositories {
    open: BTreeMap<String, Rc<Repository>>,
}

impl Repositories {
    fn of(&mut self, path: &Path) -> Result<Option<Rc<Repository>>> {
        let Some(found) = Repository::discover(path)? else {
            return Ok(None);
        };
        let known = self
            .open
            .entry(found.location().to_owned())
            .or_insert_with(|| Rc::new(found));
        Ok(Some(Rc::clone(known)))
    }
}
