//! `kidx suite-facts`: reads a suite's repository and writes the facts that are built in:
//! versions and their problems (names, axes, inputs, digests; figures, no code), or the
//! timing files that it published.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use kidx_importers::kernelbench::{PROBLEMS, TIMINGS};

use crate::catalog::identity;
use crate::catalog::suite::Published;
use crate::catalog::suite::versions::{self, Header, Module};
use crate::cli;
use crate::error::{self, Error, Result};
use crate::fetch::git::{Brought, Entry, Lined, Repository, Tips};
use crate::fetch::problems::{Definitions, Problems};
use crate::output::{Ui, json};

/// The suite that facts are written of.
const SUITE: &str = "kernelbench";

/// Runs the command.
pub fn run(arguments: &cli::SuiteFacts, ui: &mut Ui) -> Result<u8> {
    let repository = Repository::discover(&arguments.repository)?.ok_or_else(|| {
        Error::failed(format!(
            "`{}` is no git repository",
            arguments.repository.display()
        ))
    })?;
    let files = published(&repository)?;
    let states = states(&repository, &files)?;
    if arguments.files {
        let version_of: HashMap<&str, &str> = states
            .iter()
            .flat_map(|state| state.commits.iter().map(|of| (of.as_str(), &*state.name)))
            .collect();
        let mut writer = csv::Writer::from_writer(ui.out());
        for (entry, brought, sha256) in files {
            writer
                .serialize(Published {
                    version: version_of
                        .get(brought.commit.as_str())
                        .map_or_else(String::new, |name| (*name).to_owned()),
                    sha256,
                    commit: brought.commit,
                    authored_at: brought.authored_at,
                    path: entry.path,
                })
                .map_err(|error| Error::failed("the list can't be written").because(error))?;
        }
        writer
            .flush()
            .map_err(|error| Error::failed("the list can't be written").because(error))?;
    } else {
        let headers: Vec<Header> = states.iter().map(State::header).collect();
        json::lines(ui.out(), &headers)?;
        json::lines(ui.out(), &modules(&states)?)?;
    }
    ui.finish()?;
    Ok(error::EXIT_DONE)
}

/// Every content once, by date: where it was first, who brought it, its digest.
fn published(repository: &Repository) -> Result<Vec<(Entry, Brought, String)>> {
    let history = repository.history(Tips::Branches, TIMINGS, &|path| {
        Path::new(path)
            .extension()
            .is_some_and(|ending| ending == "json")
    })?;
    let mut seen = BTreeSet::new();
    let mut files = Vec::new();
    for (entry, brought) in history.entries {
        // Of several paths in the commit that brought it, the first by name.
        let there = repository.at(&brought.commit, TIMINGS)?;
        let first = there.into_iter().find(|other| other.blob == entry.blob);
        if seen.insert(entry.blob) {
            let sha256 = identity::sha256(&repository.content(entry.blob)?);
            files.push((first.unwrap_or(entry), brought, sha256));
        }
    }
    Ok(files)
}

/// One state of the problems.
struct State {
    name: String,
    on: String,
    released: bool,
    /// Commits that have it, the newest of the main line last.
    commits: Vec<String>,
    definitions: std::sync::Arc<Definitions>,
}

impl State {
    fn header(&self) -> Header {
        Header {
            suite: SUITE.to_owned(),
            version: self.name.clone(),
            commit: self.commits.last().cloned().unwrap_or_default(),
            committed_on: self.on.clone(),
            released: self.released,
        }
    }
}

/// The states of the problems on the main line and at the commits that brought files,
/// oldest first.
fn states(repository: &Repository, files: &[(Entry, Brought, String)]) -> Result<Vec<State>> {
    let mut problems = Problems::default();
    let mut line = repository.line(PROBLEMS)?;
    line.reverse();
    let on_line: BTreeSet<String> = line.iter().map(|commit| commit.commit.clone()).collect();
    let mut others: Vec<Lined> = Vec::new();
    for (_, brought, _) in files {
        let known = others.iter().any(|other| other.commit == brought.commit);
        if !on_line.contains(&brought.commit) && !known {
            others.push(repository.one(&brought.commit, PROBLEMS)?);
        }
    }
    let mut states: Vec<State> = Vec::new();
    let mut by_identity: HashMap<BTreeMap<(String, String), String>, usize> = HashMap::new();
    for (commit, released) in line
        .iter()
        .map(|commit| (commit, true))
        .chain(others.iter().map(|commit| (commit, false)))
    {
        let Some(definitions) = problems.at(repository, &commit.commit, PROBLEMS)? else {
            continue;
        };
        let at = *by_identity
            .entry(versions::state(&definitions)?)
            .or_insert_with(|| {
                states.push(State {
                    name: String::new(),
                    on: commit.authored_on.clone(),
                    released,
                    commits: Vec::new(),
                    definitions: definitions.clone(),
                });
                states.len() - 1
            });
        let state = &mut states[at];
        if released || !state.released {
            // The newest commit's own bytes are what links point at.
            state.definitions = definitions;
            state.commits.push(commit.commit.clone());
        } else {
            state.commits.insert(0, commit.commit.clone());
        }
    }
    // Stable: of one day, in the order of the line, then those of branches.
    states.sort_by(|a, b| (&a.on, !a.released).cmp(&(&b.on, !b.released)));
    let mut on_day: HashMap<String, usize> = HashMap::new();
    for state in &mut states {
        let before = on_day.entry(state.on.clone()).or_default();
        *before += 1;
        // Names in order of text are in order of time: no day has had more than nine.
        state.name = match *before {
            1 => state.on.clone(),
            n => format!("{}.{n}", state.on),
        };
    }
    Ok(states)
}

/// Every definition once, with the versions that have it and the newest commit of its bytes.
fn modules(states: &[State]) -> Result<Vec<Module>> {
    let mut found: BTreeMap<(String, Option<u32>, String, String), Module> = BTreeMap::new();
    for (at, state) in states.iter().enumerate() {
        for ((level, file), facts) in state.definitions.iter() {
            let operation = versions::operation(facts)?;
            let identity = operation
                .clone()
                .unwrap_or_else(|| facts.file_digest.clone());
            let number = file
                .split('_')
                .next()
                .and_then(|number| number.parse().ok());
            let key = (level.clone(), number, file.clone(), identity);
            let commit = state.commits.last().cloned().unwrap_or_default();
            let module = found.entry(key).or_insert_with(|| Module {
                versions: Vec::new(),
                commit: commit.clone(),
                operation,
                facts: (**facts).clone(),
            });
            module.versions.push(at);
            let newest = |at: &usize| (states[*at].released, *at);
            if module.versions.iter().map(newest).max() == Some(newest(&at)) {
                module.facts = (**facts).clone();
                module.commit = commit;
            }
        }
    }
    Ok(found.into_values().collect())
}
