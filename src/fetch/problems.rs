//! The problem modules of a suite as a commit of its repository has them.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use gix::ObjectId;
use kidx_importers::kernelbench::problem::{self, ProblemFacts};

use super::git::{Entry, Repository};
use crate::error::Result;

/// What the problems of one state of a suite are, by level and file name.
pub type Definitions = BTreeMap<(String, String), Arc<ProblemFacts>>;

/// Reads modules, each once: commits share most of theirs.
#[derive(Default)]
pub struct Problems {
    modules: HashMap<(String, String, ObjectId), Option<Arc<ProblemFacts>>>,
    commits: HashMap<String, Option<Arc<Definitions>>>,
}

impl Problems {
    /// The problems under a folder at a commit; `None` if it has no such folder. A file
    /// that Python itself would refuse defines nothing.
    pub fn at(
        &mut self,
        repository: &Repository,
        commit: &str,
        folder: &str,
    ) -> Result<Option<Arc<Definitions>>> {
        if let Some(known) = self.commits.get(commit) {
            return Ok(known.clone());
        }
        let mut definitions = Definitions::new();
        for entry in repository.at(commit, folder)? {
            let Some((level, file)) = module_name(&entry, folder) else {
                continue;
            };
            let key = (level, file, entry.blob);
            let facts = if let Some(known) = self.modules.get(&key) {
                known.clone()
            } else {
                let source = repository.content(entry.blob)?;
                let facts = problem::describe(&key.0, &key.1, &source)
                    .ok()
                    .map(Arc::new);
                self.modules.insert(key.clone(), facts.clone());
                facts
            };
            if let Some(facts) = facts {
                definitions.insert((key.0, key.1), facts);
            }
        }
        let definitions = (!definitions.is_empty()).then(|| Arc::new(definitions));
        self.commits.insert(commit.to_owned(), definitions.clone());
        Ok(definitions)
    }
}

/// `level1` and `1_x.py` of `KernelBench/level1/1_x.py`.
fn module_name(entry: &Entry, folder: &str) -> Option<(String, String)> {
    let below = entry.path.strip_prefix(folder)?.trim_start_matches('/');
    let (level, file) = below.split_once('/')?;
    let is_module = Path::new(file)
        .extension()
        .is_some_and(|ending| ending == "py");
    (level.starts_with("level") && is_module && !file.contains('/'))
        .then(|| (level.to_owned(), file.to_owned()))
}
