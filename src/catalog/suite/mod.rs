//! From a problem's name to a workload: which definition of the problem was timed.
//!
//! Names are aliases. Three witnesses say which of the suite's versions a file belongs
//! to: its keys, which must all exist in it; the problems of the suite at the commit that
//! first brought the bytes; and the figures, which must not be too fast for its inputs. A
//! user may say it instead. Where several versions remain, a problem that all of them
//! define alike is known; the others keep their shapes unknown and are compared by name
//! among themselves.

mod known;
pub mod versions;
mod workloads;

use std::sync::Arc;

use kidx_importers::{Reading, SuiteProblem};
use kidx_queries::policy::doubt::suite as witness;
use rusqlite::Connection;

use super::doubts::bound_ps;
use super::hardware::Products;
use crate::error::Result;
pub use known::{Published, published};
pub use versions::{Module, Suite, Version, copy_kept};
pub use workloads::{Workloads, input_bytes, name_again, row_of};

/// What a version is called when nobody said which it is.
pub const UNDECLARED: &str = "undeclared";

/// Which definitions a file's problems have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Belonging {
    /// Version whose definitions apply; `None`: none, or several that may differ.
    pub version: Option<String>,
    /// All that may apply; they must agree on a problem for its shapes to be known.
    candidates: Vec<String>,
    /// Name of the version for problems without known shapes.
    pub label: String,
    /// Why, to be stated with the import.
    pub statement: Option<String>,
}

impl Belonging {
    /// Shapes stay unknown.
    pub fn unknown(label: &str, statement: Option<String>) -> Self {
        Self {
            version: None,
            candidates: Vec::new(),
            label: label.to_owned(),
            statement,
        }
    }

    fn one(version: &Version, statement: Option<String>) -> Self {
        let name = &version.header.version;
        Self {
            version: Some(name.clone()),
            candidates: vec![name.clone()],
            label: name.clone(),
            statement,
        }
    }

    /// How a problem is defined, if all versions that may apply agree.
    fn module<'a>(&self, suite: &'a Suite, problem: &SuiteProblem) -> Option<&'a Arc<Module>> {
        let mut agreed: Option<&Arc<Module>> = None;
        for candidate in &self.candidates {
            let module = suite.module(suite.version(candidate)?, problem)?;
            if module.operation.is_none()
                || agreed.is_some_and(|agreed| agreed.operation != module.operation)
            {
                return None;
            }
            agreed = Some(module);
        }
        agreed
    }
}

/// A file held against the versions of its suite.
pub struct Question<'a> {
    /// What the file states.
    pub reading: &'a Reading,
    /// The version that the user named.
    pub declared: Option<&'a str>,
    /// The version of the problems at the commit that first brought the bytes.
    pub committed: Option<&'a str>,
}

/// Asks the witnesses.
pub fn belonging(
    connection: &Connection,
    products: &mut Products,
    suite: &Suite,
    question: &Question<'_>,
) -> Result<Belonging> {
    if let Some(declared) = question.declared {
        return Ok(match suite.version(declared) {
            Some(version) => Belonging::one(version, None),
            None => Belonging::unknown(
                declared,
                Some(format!(
                    "definitions of suite version `{declared}` are not known ({}): shapes stay unknown",
                    listed(
                        suite
                            .versions()
                            .iter()
                            .rev()
                            .map(|v| v.header.version.as_str())
                    )
                )),
            ),
        });
    }
    let reading = question.reading;
    if reading.observations.is_empty() {
        // Nothing in it shows which version it is of.
        return Ok(Belonging::unknown(UNDECLARED, None));
    }
    let mut ask = |version: &Version| objection(connection, products, suite, version, reading);
    if let Some(version) = question.committed.and_then(|name| suite.version(name)) {
        let name = &version.header.version;
        return Ok(match ask(version)? {
            None => Belonging::one(
                version,
                Some(format!(
                    "the commit that brought the file has suite version `{name}`, and neither keys nor figures contradict it: its definitions apply"
                )),
            ),
            Some(objection) => Belonging::unknown(
                UNDECLARED,
                Some(format!(
                    "the commit that brought the file has suite version `{name}`, but {objection}: shapes stay unknown"
                )),
            ),
        });
    }
    let mut candidates = Vec::new();
    let mut nearest = None;
    for version in suite.versions().iter().rev().filter(|v| v.header.released) {
        match ask(version)? {
            None => candidates.push(version),
            Some(objection) => {
                nearest.get_or_insert((version, objection));
            }
        }
    }
    Ok(match (candidates.as_slice(), nearest) {
        ([], Some((version, objection))) => Belonging::unknown(
            UNDECLARED,
            Some(format!(
                "no known suite version fits; of `{}`, {objection}: shapes stay unknown",
                version.header.version
            )),
        ),
        ([], None) => Belonging::unknown(UNDECLARED, None),
        ([only], _) => Belonging::one(
            only,
            Some(format!(
                "all keys are problems of suite version `{}` and of no other, and no figure contradicts it: its definitions apply",
                only.header.version
            )),
        ),
        (several, _) => among(suite, several, reading),
    })
}

/// Several versions fit: what they agree on is known.
fn among(suite: &Suite, several: &[&Version], reading: &Reading) -> Belonging {
    let names = || several.iter().map(|v| v.header.version.as_str());
    let mut belonging = Belonging {
        version: None,
        candidates: names().map(str::to_owned).collect(),
        label: UNDECLARED.to_owned(),
        statement: None,
    };
    let problems = reading.observations.len();
    let agreed = reading
        .observations
        .iter()
        .filter(|observation| belonging.module(suite, &observation.problem).is_some())
        .count();
    belonging.statement = Some(if agreed == problems {
        // One of them is as good as the others; the newest speaks for them.
        belonging.version = names().next().map(str::to_owned);
        format!(
            "suite versions {} have all its keys and define them alike: their definitions apply",
            listed(names())
        )
    } else {
        format!(
            "suite versions {} have all its keys and differ in {} of {problems} problems: those keep their shapes unknown (`--suite-version` decides)",
            listed(names()),
            problems - agreed,
        )
    });
    belonging
}

/// Why a file can't be of a version, if something says so.
fn objection(
    connection: &Connection,
    products: &mut Products,
    suite: &Suite,
    version: &Version,
    reading: &Reading,
) -> Result<Option<String>> {
    let observations = &reading.observations;
    let foreign: Vec<&SuiteProblem> = observations
        .iter()
        .map(|observation| &observation.problem)
        .filter(|problem| suite.module(version, problem).is_none())
        .collect();
    if let Some(first) = foreign.first() {
        return Ok(Some(format!(
            "{} of {} problems are not in it (first: {}/{})",
            foreign.len(),
            observations.len(),
            first.level,
            first.file
        )));
    }
    let mut rows = Vec::with_capacity(observations.len());
    for observation in observations {
        let product = products.resolve(connection, &observation.hardware)?;
        let bytes = suite
            .module(version, &observation.problem)
            .and_then(|module| input_bytes(&module.facts));
        rows.push(witness::Row {
            mean_ps: observation.latency.mean.ps,
            bound_ps: bytes
                .zip(product.bandwidth_gbs)
                .map(|(bytes, gbs)| bound_ps(bytes as f64, gbs)),
        });
    }
    let verdict = witness::witness(rows);
    Ok(verdict.contradicts().then(|| {
        format!(
            "{} of {} figures are too fast for its inputs",
            verdict.below, verdict.bounded
        )
    }))
}

/// `a`, `b` and `c`, the first few of many.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 6;
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "none".to_owned(),
        n if n > SHOWN => format!("{} and {} more", names[..SHOWN].join(", "), n - SHOWN),
        _ => names.join(", "),
    }
}
