//! From a problem's name to a workload: which definition of the problem was timed.
//!
//! Names are aliases. Three witnesses say which of the suite's versions a file belongs
//! to: its keys, which must all exist in it; the problems of the suite at the commit that
//! first brought the bytes; and the figures, which must not be too fast for its inputs. A
//! user may say it instead. Where several versions remain, a problem that all of them
//! define alike is known; the others keep their shapes unknown and are compared by name
//! among themselves.

mod known;
mod stated;
pub mod versions;
mod workloads;

use std::sync::Arc;

use kidx_importers::{Observation, Reading, Subject, SuiteProblem};
use kidx_queries::policy::doubt::suite as witness;
use rusqlite::Connection;

use super::doubts::bound_ps;
use super::hardware::Products;
use crate::error::Result;
pub use known::{Published, published};
pub use versions::{Module, Suite, copy_kept};
pub use workloads::{Workloads, name_again, row_of};

/// What a version is called when nobody said which it is.
pub const UNDECLARED: &str = "undeclared";

/// Which definitions a file's problems have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Belonging {
    /// Version whose definitions apply; `None`: none, or several that may differ.
    pub version: Option<String>,
    /// How the problem of each run is defined, by position of the module; `None`, or beyond the
    /// end: its shapes are unknown.
    modules: Vec<Option<usize>>,
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
            modules: Vec::new(),
            label: label.to_owned(),
            statement,
        }
    }

    fn one(suite: &Suite, at: usize, named: &[Named<'_>], statement: Option<String>) -> Self {
        let name = name(suite, at);
        Self {
            version: Some(name.to_owned()),
            modules: modules(suite, &[at], named),
            label: name.to_owned(),
            statement,
        }
    }

    /// How the problem of a run is defined, by position of the module, if all versions that
    /// may apply agree.
    fn module(&self, ordinal: usize) -> Option<usize> {
        *self.modules.get(ordinal)?
    }
}

/// How each version defines the problem of a run.
type Named<'a> = &'a [Option<usize>];

/// What versions agree on, run by run.
fn modules(suite: &Suite, versions: &[usize], named: &[Named<'_>]) -> Vec<Option<usize>> {
    named
        .iter()
        .map(|named| agreed(suite, versions, named))
        .collect()
}

/// The module by which all of these versions define a problem.
fn agreed(suite: &Suite, versions: &[usize], named: Named<'_>) -> Option<usize> {
    let mut agreed: Option<(usize, &Arc<Module>)> = None;
    for version in versions {
        let at = (*named.get(*version)?)?;
        if agreed.is_some_and(|(agreed, _)| agreed == at) {
            continue;
        }
        let module = suite.module(at)?;
        if module.operation.is_none()
            || agreed.is_some_and(|(_, agreed)| agreed.operation != module.operation)
        {
            return None;
        }
        agreed = Some((at, module));
    }
    agreed.map(|(at, _)| at)
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
    let reading = question.reading;
    let named: Vec<Named<'_>> = reading
        .observations
        .iter()
        .map(|run| problem(run).map_or(&[][..], |problem| suite.named(problem)))
        .collect();
    if let Some(declared) = question.declared {
        return Ok(match suite.position(declared) {
            Some(at) => Belonging::one(suite, at, &named, None),
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
    if !reading
        .observations
        .iter()
        .any(|run| problem(run).is_some())
    {
        // Nothing in it shows which version it is of.
        return Ok(Belonging::unknown(UNDECLARED, None));
    }
    let rows = rows(connection, products, reading, &named)?;
    let ask = |at: usize| objection(suite, at, reading, &rows);
    if let Some(at) = question.committed.and_then(|name| suite.position(name)) {
        let name = name(suite, at);
        return Ok(match ask(at) {
            None => Belonging::one(
                suite,
                at,
                &named,
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
    for (at, version) in suite.versions().iter().enumerate().rev() {
        if !version.header.released {
            continue;
        }
        match ask(at) {
            None => candidates.push(at),
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
            suite,
            *only,
            &named,
            Some(format!(
                "all keys are problems of suite version `{}` and of no other, and no figure contradicts it: its definitions apply",
                name(suite, *only)
            )),
        ),
        (several, _) => among(suite, several, &named),
    })
}

/// The problem that a run names, if its workload isn't stated in full.
fn problem(run: &Observation) -> Option<&SuiteProblem> {
    match &run.subject {
        Subject::Problem(problem) => Some(problem),
        Subject::Stated(_) => None,
    }
}

/// Several versions fit: what they agree on is known.
fn among(suite: &Suite, several: &[usize], named: &[Named<'_>]) -> Belonging {
    let all = || several.iter().map(|at| name(suite, *at));
    let mut belonging = Belonging {
        version: None,
        modules: modules(suite, several, named),
        label: UNDECLARED.to_owned(),
        statement: None,
    };
    let problems = named.len();
    let agreed = belonging.modules.iter().flatten().count();
    belonging.statement = Some(if agreed == problems {
        // One of them is as good as the others; the newest speaks for them.
        belonging.version = all().next().map(str::to_owned);
        format!(
            "suite versions {} have all its keys and define them alike: their definitions apply",
            listed(all())
        )
    } else {
        format!(
            "suite versions {} have all its keys and differ in {} of {problems} problems: those keep their shapes unknown (`--suite-version` decides)",
            listed(all()),
            problems - agreed,
        )
    });
    belonging
}

fn name(suite: &Suite, at: usize) -> &str {
    let version = suite.versions().get(at);
    version.map_or(UNDECLARED, |version| &version.header.version)
}

/// A record as every version is asked about it.
struct Row<'a> {
    /// How each version defines its problem.
    named: Named<'a>,
    /// Its time, if it has one.
    value: Option<i64>,
    /// DRAM peak of its device.
    bandwidth_gbs: Option<f64>,
}

impl Row<'_> {
    fn module(&self, version: usize) -> Option<usize> {
        *self.named.get(version)?
    }
}

fn rows<'a>(
    connection: &Connection,
    products: &mut Products,
    reading: &Reading,
    named: &[Named<'a>],
) -> Result<Vec<Row<'a>>> {
    // Equal texts share one allocation, so most records need no look at the text.
    let mut last: Option<(&Arc<str>, Option<f64>)> = None;
    let mut rows = Vec::with_capacity(reading.observations.len());
    for (observation, named) in reading.observations.iter().zip(named) {
        let device = &observation.hardware;
        let bandwidth_gbs = match last {
            Some((known, bandwidth)) if Arc::ptr_eq(known, device) => bandwidth,
            _ => products.resolve(connection, device)?.bandwidth_gbs,
        };
        last = Some((device, bandwidth_gbs));
        rows.push(Row {
            named,
            value: observation.figures.value.as_ref().map(|value| value.amount),
            bandwidth_gbs,
        });
    }
    Ok(rows)
}

/// Why a file can't be of a version, if something says so.
fn objection(suite: &Suite, version: usize, reading: &Reading, rows: &[Row<'_>]) -> Option<String> {
    let mut foreign = rows
        .iter()
        .zip(&reading.observations)
        .filter(|(row, _)| row.module(version).is_none());
    if let Some((_, first)) = foreign.next() {
        return Some(format!(
            "{} of {} problems are not in it (first: {}/{})",
            1 + foreign.count(),
            rows.len(),
            problem(first).map_or("", |problem| &problem.level),
            problem(first).map_or("", |problem| &problem.file)
        ));
    }
    let verdict = witness::witness(rows.iter().filter_map(|row| {
        let bytes = row.module(version).and_then(|at| suite.input_bytes(at));
        Some(witness::Row {
            value: row.value?,
            bound_ps: bytes
                .zip(row.bandwidth_gbs)
                .map(|(bytes, gbs)| bound_ps(bytes as f64, gbs)),
        })
    }));
    verdict.contradicts().then(|| {
        format!(
            "{} of {} figures are too fast for its inputs",
            verdict.below, verdict.bounded
        )
    })
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
