//! What a suite's problems were, version by version: those built in, and those read
//! from repositories and kept in this file.
//!
//! A version is a state of the suite's problems: which names there are and what each
//! computes. Commits that change comments, or how inputs are drawn, change no version.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use kidx_importers::SuiteProblem;
use kidx_importers::kernelbench::problem::ProblemFacts;
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use super::workloads::input_bytes;
use crate::catalog::identity;
use crate::error::{Error, Result};
use crate::fetch::problems::Definitions;
use kidx_queries::hash::Map;

/// Facts of the suite as they are built in.
pub const KERNELBENCH: &str = include_str!("../reference/kernelbench.jsonl");

/// Level key and file name.
type Key = (String, String);

/// First lines of the built-in facts: a version each, oldest first.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Header {
    /// `kernelbench`.
    pub suite: String,
    /// Short name: the day that brought it, on its author's calendar.
    pub version: String,
    /// Newest commit of the suite with these definitions.
    pub commit: String,
    /// Date of the commit that brought them.
    pub committed_on: String,
    /// Whether the suite's main line had it. Other versions stood on branches while
    /// files were timed, and are only taken when something names them.
    pub released: bool,
}

/// The other lines: one definition of a problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Module {
    /// Versions that have it, by position among the headers.
    pub versions: Vec<usize>,
    /// Newest commit of the suite with exactly this file.
    pub commit: String,
    /// Identity of the operation; `None` where it isn't static.
    pub operation: Option<String>,
    /// What the module says.
    #[serde(flatten)]
    pub facts: ProblemFacts,
}

impl Module {
    /// What two definitions are compared by: the operation, else the bytes.
    pub fn identity(&self) -> &str {
        self.operation.as_deref().unwrap_or(&self.facts.file_digest)
    }
}

/// A version of the suite.
#[derive(Debug, Clone)]
pub struct Version {
    /// About it.
    pub header: Header,
    /// Its problems: positions of modules.
    problems: HashMap<Key, usize>,
}

/// Every version known, oldest first.
#[derive(Debug, Clone, Default)]
pub struct Suite {
    name: String,
    versions: Vec<Version>,
    modules: Vec<Arc<Module>>,
    /// Bytes of the inputs of each module.
    input_bytes: Vec<Option<i64>>,
    /// By level and file name: the module that each version has, by position.
    named: Map<String, Map<String, Vec<Option<usize>>>>,
    /// The newest module of each operation.
    newest: HashMap<String, usize>,
    /// How many of the versions are built in; they come first.
    built_in: usize,
    /// Versions by the commits asked about.
    of_commit: HashMap<String, String>,
}

impl Suite {
    /// The versions built in; nothing for a suite that isn't.
    pub fn built_in(suite: &str) -> Result<Self> {
        static PARSED: OnceLock<std::result::Result<Suite, String>> = OnceLock::new();
        match PARSED.get_or_init(|| Self::parse(KERNELBENCH).map_err(|error| error.to_string())) {
            Ok(parsed) if parsed.versions.iter().any(|v| v.header.suite == suite) => {
                Ok(parsed.clone())
            }
            Ok(_) => Ok(Self {
                name: suite.to_owned(),
                ..Self::default()
            }),
            Err(error) => {
                Err(Error::failed("the built-in facts of the suite can't be read").because(error))
            }
        }
    }

    /// The versions built in and those that this file keeps.
    pub fn known(connection: &Connection, suite: &str) -> Result<Self> {
        let mut known = Self::built_in(suite)?;
        let mut statement = connection.prepare_cached(include_str!("../sql/kept_versions.sql"))?;
        let mut rows = statement.query([suite])?;
        let mut kept: BTreeMap<(String, String), (Header, Vec<ProblemFacts>)> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let header = Header {
                suite: suite.to_owned(),
                version: row.get("version")?,
                commit: row.get("commit_id")?,
                committed_on: row.get("committed_on")?,
                released: false,
            };
            if known.version(&header.version).is_some() {
                continue;
            }
            let facts = serde_json::from_str(row.get_ref("facts")?.as_str().unwrap_or_default())
                .map_err(|error| Error::failed("a suite problem can't be read").because(error))?;
            kept.entry((header.committed_on.clone(), header.version.clone()))
                .or_insert_with(|| (header, Vec::new()))
                .1
                .push(facts);
        }
        for (header, problems) in kept.into_values() {
            known.add(header, problems)?;
        }
        Ok(known)
    }

    fn parse(text: &str) -> serde_json::Result<Self> {
        let mut suite = Self::default();
        for line in text.lines() {
            if line.starts_with("{\"suite\"") {
                let header: Header = serde_json::from_str(line)?;
                suite.name.clone_from(&header.suite);
                suite.versions.push(Version {
                    header,
                    problems: HashMap::new(),
                });
            } else {
                suite.put(serde_json::from_str(line)?);
            }
        }
        suite.built_in = suite.versions.len();
        Ok(suite)
    }

    fn put(&mut self, module: Module) {
        let at = self.modules.len();
        let key = (module.facts.level.clone(), module.facts.file.clone());
        for version in &module.versions {
            if let Some(version) = self.versions.get_mut(*version) {
                version.problems.insert(key.clone(), at);
            }
            let names = self.named.entry(key.0.clone()).or_default();
            let number = key.1.split('_').next().unwrap_or_default();
            // Some sources name problems by their number alone.
            for name in [key.1.as_str(), number] {
                let modules = names.entry(name.to_owned()).or_default();
                if modules.len() <= *version {
                    modules.resize(version + 1, None);
                }
                modules[*version] = Some(at);
            }
        }
        if let Some(operation) = &module.operation {
            let names = match self
                .newest
                .get(operation)
                .and_then(|at| self.modules.get(*at))
            {
                Some(known) => self.age(known) < self.age(&module),
                None => true,
            };
            if names {
                self.newest.insert(operation.clone(), at);
            }
        }
        self.input_bytes.push(input_bytes(&module.facts));
        self.modules.push(Arc::new(module));
    }

    /// Order in which modules that compute the same name it, the last one in the end: a
    /// released version over others, then the newest; of its problems, the first by name.
    fn age(&self, module: &Module) -> impl Ord + use<> {
        let last = self.newest_version(module).map(|version| {
            let header = &version.header;
            (
                header.released,
                header.committed_on.clone(),
                header.version.clone(),
            )
        });
        let key = (module.facts.level.clone(), module.facts.file.clone());
        (last, std::cmp::Reverse(key))
    }

    fn add(
        &mut self,
        header: Header,
        problems: impl IntoIterator<Item = ProblemFacts>,
    ) -> Result<()> {
        let at = self.versions.len();
        let commit = header.commit.clone();
        self.versions.push(Version {
            header,
            problems: HashMap::new(),
        });
        for facts in problems {
            self.put(Module {
                versions: vec![at],
                commit: commit.clone(),
                operation: operation(&facts)?,
                facts,
            });
        }
        Ok(())
    }

    /// Its slug.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All versions, oldest first.
    pub fn versions(&self) -> &[Version] {
        &self.versions
    }

    /// A version by name.
    pub fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|v| v.header.version == name)
    }

    /// The suite's own version today.
    pub fn current(&self) -> Option<&Version> {
        self.versions.iter().rev().find(|v| v.header.released)
    }

    /// A version's position by name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.versions.iter().position(|v| v.header.version == name)
    }

    /// How each version defines a problem, by its position, as positions of modules. Files
    /// ask this of every record, so it is one look-up for all versions.
    pub fn named(&self, problem: &SuiteProblem) -> &[Option<usize>] {
        self.named
            .get(&*problem.level)
            .and_then(|names| names.get(&*problem.file))
            .map_or(&[], Vec::as_slice)
    }

    /// The module at a position.
    pub fn module(&self, at: usize) -> Option<&Arc<Module>> {
        self.modules.get(at)
    }

    /// Bytes of the declared inputs of the module at a position, if they are known.
    pub fn input_bytes(&self, at: usize) -> Option<i64> {
        *self.input_bytes.get(at)?
    }

    /// How a version defines a problem.
    pub fn module_of(&self, version: &Version, level: &str, file: &str) -> Option<&Arc<Module>> {
        let at = version.problems.get(&(level.to_owned(), file.to_owned()))?;
        self.modules.get(*at)
    }

    /// The modules of a version, by level and name.
    pub fn modules(&self, version: &Version) -> Vec<&Arc<Module>> {
        let mut all: Vec<_> = version.problems.iter().collect();
        all.sort();
        all.into_iter()
            .filter_map(|(_, at)| self.modules.get(*at))
            .collect()
    }

    /// The newest definition that computes the same as this one, which names it.
    pub fn newest<'a>(&'a self, module: &'a Arc<Module>) -> &'a Arc<Module> {
        module
            .operation
            .as_ref()
            .and_then(|operation| self.modules.get(*self.newest.get(operation)?))
            .unwrap_or(module)
    }

    /// The newest version that has a module, a released one before others.
    pub fn newest_version(&self, module: &Module) -> Option<&Version> {
        module
            .versions
            .iter()
            .filter_map(|at| self.versions.get(*at))
            .max_by_key(|version| {
                (
                    version.header.released,
                    &version.header.committed_on,
                    &version.header.version,
                )
            })
    }

    /// The version that is this state of the problems, and whether what this file keeps
    /// of it changed. A version that isn't built in is named by what it is, and dated and
    /// worded by the earliest commit met that has it, so that the order of imports has no
    /// say.
    pub fn of(
        &mut self,
        connection: &Connection,
        definitions: &Definitions,
        commit: &str,
        committed_on: &str,
    ) -> Result<(String, bool)> {
        if let Some(name) = self.of_commit.get(commit) {
            return Ok((name.clone(), false));
        }
        let state = state(definitions)?;
        let known = self
            .versions
            .iter()
            .position(|version| self.is(version, &state));
        let (name, is_settled) = match known.and_then(|at| Some((at, self.versions.get(at)?))) {
            Some((at, version)) => {
                let header = &version.header;
                let is_earliest =
                    (&*header.committed_on, &*header.commit) <= (committed_on, commit);
                (header.version.clone(), at < self.built_in || is_earliest)
            }
            None => (state_name(&state)?, false),
        };
        if !is_settled {
            let header = Header {
                suite: self.name.clone(),
                version: name.clone(),
                commit: commit.to_owned(),
                committed_on: committed_on.to_owned(),
                released: false,
            };
            let problems = definitions.values().map(AsRef::as_ref);
            keep(connection, &header, false, problems)?;
            let of_commit = std::mem::take(&mut self.of_commit);
            *self = Self::known(connection, &self.name)?;
            self.of_commit = of_commit;
        }
        self.of_commit.insert(commit.to_owned(), name.clone());
        Ok((name, !is_settled))
    }

    /// Whether a version is this state of the problems.
    fn is(&self, version: &Version, state: &BTreeMap<Key, String>) -> bool {
        version.problems.len() == state.len()
            && state.iter().all(|(key, identity)| {
                let module = version
                    .problems
                    .get(key)
                    .and_then(|at| self.modules.get(*at));
                module.is_some_and(|module| module.identity() == identity)
            })
    }
}

/// What a version that isn't built in is called.
fn state_name(state: &BTreeMap<Key, String>) -> Result<String> {
    let text = serde_json::to_string(&state.iter().collect::<Vec<_>>())
        .map_err(|error| Error::failed("a state of the suite has no JSON form").because(error))?;
    let digest = identity::sha256(text.as_bytes());
    let digits = digest.trim_start_matches("sha256:");
    Ok(format!("state-{}", digits.get(..16).unwrap_or(digits)))
}

/// Copies the versions that a file keeps and the program doesn't have built in.
pub fn copy_kept(from: &Connection, to: &Connection) -> Result<()> {
    let mut statement = from.prepare("SELECT DISTINCT suite FROM suite_version")?;
    let suites = statement.query_map([], |row| row.get(0))?;
    for suite in suites.collect::<rusqlite::Result<Vec<String>>>()? {
        let built_in = Suite::built_in(&suite)?;
        let known = Suite::known(from, &suite)?;
        for version in known.versions() {
            if built_in.version(&version.header.version).is_none() {
                let problems = known.modules(version).into_iter().map(|m| &m.facts);
                keep(to, &version.header, false, problems)?;
            }
        }
    }
    Ok(())
}

/// Identity of what a module computes; `None` where it isn't static.
pub fn operation(facts: &ProblemFacts) -> Result<Option<String>> {
    let known = facts.inputs.is_some() && facts.init.is_some() && facts.tree_digest.is_some();
    known
        .then(|| identity::operation(facts).map(|identity| identity.digest))
        .transpose()
}

/// What makes a version: the identity of each problem, by level and name.
pub fn state(definitions: &Definitions) -> Result<BTreeMap<Key, String>> {
    definitions
        .iter()
        .map(|(key, facts)| {
            let identity = operation(facts)?.unwrap_or_else(|| facts.file_digest.clone());
            Ok((key.clone(), identity))
        })
        .collect()
}

/// Writes a version and its problems.
pub fn keep<'a>(
    connection: &Connection,
    header: &Header,
    current: bool,
    problems: impl IntoIterator<Item = &'a ProblemFacts>,
) -> Result<()> {
    put_header(connection, header, current)?;
    let id: i64 = connection
        .prepare_cached("SELECT id FROM suite_version WHERE suite = ?1 AND version = ?2")?
        .query_row([&header.suite, &header.version], |row| row.get(0))?;
    connection
        .prepare_cached("DELETE FROM suite_problem WHERE suite_version_id = ?1")?
        .execute([id])?;
    for facts in problems {
        let number = facts
            .file
            .split('_')
            .next()
            .and_then(|number| number.parse::<i64>().ok());
        let text = serde_json::to_string(facts)
            .map_err(|error| Error::failed("facts have no JSON form").because(error))?;
        connection
            .prepare_cached(
                "INSERT INTO suite_problem (suite_version_id, level, file, number, facts)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![id, facts.level, facts.file, number, text])?;
    }
    Ok(())
}

/// Writes a version without its problems.
pub fn put_header(connection: &Connection, header: &Header, current: bool) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO suite_version (suite, version, commit_id, committed_on, current)
             VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (suite, version) DO UPDATE SET commit_id = excluded.commit_id,
                 committed_on = excluded.committed_on, current = excluded.current",
        )?
        .execute(params![
            header.suite,
            header.version,
            header.commit,
            header.committed_on,
            current
        ])?;
    Ok(())
}
