//! From arguments to things to read: files, what folders hold, what repositories held.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use walkdir::WalkDir;

use super::git::{Brought, Entry, Repository, Tips};
use super::repositories::{Repositories, within};
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
    /// Endings of the names of files that are looked at in folders.
    pub endings: &'static [&'static str],
}

/// Things to read, and what is to be said about them first.
#[derive(Debug, Default)]
pub struct Targets {
    /// In the order of the arguments. Folders are in name order, histories in the order
    /// in which their contents came.
    pub list: Vec<Target>,
    /// Repositories whose history can't be read, so that files in them have no date from it.
    pub undated: Vec<Undated>,
}

/// A repository whose history can't be read.
#[derive(Debug)]
pub struct Undated {
    /// Where it is.
    pub place: String,
    /// Why.
    pub error: Error,
}

/// Turns arguments into things to read.
pub fn targets(arguments: &[PathBuf], reach: &Reach<'_>) -> Result<Targets> {
    let mut search = Search {
        reach,
        repositories: Repositories::default(),
        list: Vec::new(),
    };
    for argument in arguments {
        search.take(argument)?;
    }
    let undated = search.repositories.date(&mut search.list);
    Ok(Targets {
        list: search.list,
        undated,
    })
}

struct Search<'a> {
    reach: &'a Reach<'a>,
    repositories: Repositories,
    list: Vec<Target>,
}

impl Search<'_> {
    fn take(&mut self, argument: &Path) -> Result<()> {
        if argument.as_os_str() == "-" {
            if !self
                .list
                .iter()
                .any(|target| matches!(target, Target::Stdin))
            {
                self.list.push(Target::Stdin);
            }
        } else if !argument.exists() {
            // Reading it will say so, beside what the other arguments bring.
            self.list.push(Target::Named(argument.to_owned(), None));
        } else if let Some(tips) = self.reach.history {
            let Some(repository) = self.repositories.of(argument)? else {
                return Err(Error::usage(format!(
                    "`{}` is no git repository, so it has no history",
                    argument.display()
                ))
                .hint("`--history` takes a checkout or a bare repository"));
            };
            self.history(&repository, argument, tips)?;
        } else if let Some(repository) = self.repositories.bare(argument)? {
            self.at_head(&repository)?;
        } else if argument.is_dir() {
            self.folder(argument)?;
        } else {
            self.list.push(Target::Named(argument.to_owned(), None));
        }
        Ok(())
    }

    /// Everything that a repository's history had where the argument is.
    fn history(&mut self, repository: &Rc<Repository>, argument: &Path, tips: Tips) -> Result<()> {
        let place = within(repository, argument).unwrap_or_default();
        let (folder, found) = if argument.is_file() {
            let folder = place.rsplit_once('/').map_or("", |(folder, _)| folder);
            let found = repository.history(tips, folder, &|path| path == place)?;
            (place.clone(), found)
        } else {
            let folder = self.meant(&place);
            let found = repository.history(tips, &folder, &|path| self.is_candidate(path))?;
            (folder, found)
        };
        self.stored(repository, &folder, found.entries)
    }

    /// What a bare repository has now.
    fn at_head(&mut self, repository: &Rc<Repository>) -> Result<()> {
        let folder = self.meant("");
        let mut entries = repository.at_head(&folder)?;
        entries.retain(|entry| self.is_candidate(&entry.path));
        let dates = repository.dates(entries.iter().map(|entry| entry.blob).collect())?;
        let entries = entries.into_iter().filter_map(|entry| {
            let brought = dates.get(&entry.blob)?.clone();
            Some((entry, brought))
        });
        self.stored(repository, &folder, entries.collect())
    }

    fn stored(
        &mut self,
        repository: &Rc<Repository>,
        folder: &str,
        entries: Vec<(Entry, Brought)>,
    ) -> Result<()> {
        if entries.is_empty() {
            let place = match folder {
                "" => String::new(),
                folder => format!(" under `{folder}`"),
            };
            return Err(Error::failed(format!(
                "the repository `{}` has no {} file{place}, packed or not",
                repository.location(),
                self.endings()
            ))
            .hint("`--path DIR` names the folder that holds them"));
        }
        self.list
            .extend(entries.into_iter().map(|(entry, brought)| {
                let by = Committed {
                    repository: Rc::clone(repository),
                    brought,
                };
                Target::Stored(entry.path, entry.blob, by)
            }));
        Ok(())
    }

    /// The folder of a repository that is meant by an argument's place in it: the one that
    /// was named, there; else that place; at the top, the usual one.
    fn meant(&self, place: &str) -> String {
        let parts = |text: &str| -> Vec<String> {
            text.split('/')
                .filter(|part| !part.is_empty() && *part != ".")
                .map(str::to_owned)
                .collect()
        };
        let mut folder = parts(place);
        match (self.reach.folder, folder.is_empty()) {
            (Some(named), _) => folder.extend(parts(named)),
            (None, true) => folder = parts(self.reach.usual.unwrap_or_default()),
            (None, false) => {}
        }
        folder.join("/")
    }

    /// What a folder holds now.
    fn folder(&mut self, argument: &Path) -> Result<()> {
        let folder = match self.reach.folder {
            Some(folder) => argument.join(folder.trim_start_matches('/')),
            None => argument.to_owned(),
        };
        let before = self.list.len();
        self.walk(&folder);
        if self.list.len() == before {
            return Err(Error::failed(format!(
                "the folder `{}` holds no {} file, packed or not",
                folder.display(),
                self.endings()
            )));
        }
        Ok(())
    }

    fn walk(&mut self, folder: &Path) {
        for entry in WalkDir::new(folder)
            .sort_by_file_name()
            .into_iter()
            .filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.file_name()))
        {
            match entry {
                Ok(entry) => {
                    let name = entry.file_name().to_string_lossy();
                    if entry.file_type().is_file() && self.is_candidate(&name) {
                        self.list.push(Target::Found(entry.into_path(), None));
                    }
                }
                Err(error) => {
                    let path = error.path().unwrap_or(folder).to_owned();
                    self.list.push(Target::Unwalkable(path, error.to_string()));
                }
            }
        }
    }

    /// Whether a file's name says that it may be read, packed or not.
    fn is_candidate(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        let bare = [".gz", ".zst"]
            .iter()
            .find_map(|packed| name.strip_suffix(packed))
            .unwrap_or(&name);
        self.reach
            .endings
            .iter()
            .any(|ending| bare.ends_with(ending))
    }

    /// The endings, for messages.
    fn endings(&self) -> String {
        let named: Vec<String> = self
            .reach
            .endings
            .iter()
            .map(|e| format!("`{e}`"))
            .collect();
        named.join(" or ")
    }
}

fn is_hidden(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}
