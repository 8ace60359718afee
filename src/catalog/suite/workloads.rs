//! A problem's operation and workload rows: found by digest, or made.

use std::sync::Arc;

use kidx_importers::kernelbench::problem::{InputFacts, ProblemFacts};
use kidx_importers::{SuiteProblem, Workload as Stated};
use kidx_queries::policy::dtype;
use rusqlite::{Connection, params};

use super::stated;
use super::versions::{Module, Suite};
use super::{Belonging, UNDECLARED};
use crate::catalog::identity;
use crate::error::{Error, Result};
use kidx_queries::hash::Map;

/// Bytes of all declared input tensors; `None` when an input is not static or has a
/// dtype of unknown width.
pub fn input_bytes(facts: &ProblemFacts) -> Option<i64> {
    facts.inputs.as_ref()?.iter().try_fold(0_i64, |sum, input| {
        let InputFacts::Tensor { shape, dtype, .. } = input else {
            return Some(sum);
        };
        let elements = shape
            .iter()
            .try_fold(1_i64, |product, size| product.checked_mul(*size))?;
        sum.checked_add(elements.checked_mul(dtype::width_bytes(dtype)?)?)
    })
}

/// A workload row.
#[derive(Debug, Clone)]
pub struct Workload {
    /// Row.
    pub id: i64,
    /// Its digest.
    pub digest: Arc<str>,
}

/// Workloads remembered at once by name: more than a suite has problems, and less than fills the
/// memory where a file has as many problems as records.
const REMEMBERED: usize = 5_000;

/// Finds or makes the workload that a problem's name stands for.
#[derive(Default)]
pub struct Workloads {
    /// By position of the module, where the definition is known.
    defined: Map<usize, Workload>,
    /// By version and name, where only those are.
    named: Map<String, Map<SuiteProblem, Workload>>,
    /// Those that sources state in full.
    stated: Map<Arc<Stated>, Workload>,
    looked_up: usize,
}

impl Workloads {
    /// How many had to be looked up.
    pub fn looked_up(&self) -> usize {
        self.looked_up
    }

    /// Modules have other positions now.
    pub fn forget_positions(&mut self) {
        self.defined.clear();
    }

    /// The workload of a problem under a file's belonging, in which its run has this place.
    pub fn resolve(
        &mut self,
        connection: &Connection,
        suite: &Suite,
        belonging: &Belonging,
        (ordinal, problem): (usize, &SuiteProblem),
    ) -> Result<Workload> {
        let at = belonging.module(ordinal);
        let label = &belonging.label;
        let known = match at {
            Some(at) => self.defined.get(&at),
            None => self.named.get(label).and_then(|named| named.get(problem)),
        };
        if let Some(workload) = known {
            return Ok(workload.clone());
        }
        let module = at.and_then(|at| suite.module(at));
        let workload = match module {
            Some(module) => put_known(connection, suite, module)?,
            None => put_by_name(connection, problem, label)?,
        };
        self.looked_up += 1;
        if let Some(at) = at {
            self.defined.insert(at, workload.clone());
        } else {
            let named = self.named.entry(label.clone()).or_default();
            if named.len() >= REMEMBERED {
                named.clear();
            }
            named.insert(problem.clone(), workload.clone());
        }
        Ok(workload)
    }
}

impl Workloads {
    /// A workload that a source states in full.
    pub fn stated(&mut self, connection: &Connection, stated: &Arc<Stated>) -> Result<Workload> {
        if let Some(known) = self.stated.get(stated) {
            return Ok(known.clone());
        }
        let workload = stated::put(connection, stated)?;
        if self.stated.len() >= REMEMBERED {
            self.stated.clear();
        }
        self.stated.insert(Arc::clone(stated), workload.clone());
        Ok(workload)
    }
}

/// Names operations that this file holds already by a version that became known.
pub fn name_again(connection: &Connection, suite: &Suite, version: &str) -> Result<()> {
    let Some(version) = suite.version(version) else {
        return Ok(());
    };
    let mut held =
        connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM operation WHERE digest = ?1)")?;
    for module in suite.modules(version) {
        if let Some(operation) = &module.operation
            && held.query_row([operation], |row| row.get(0))?
        {
            put_known(connection, suite, module)?;
        }
    }
    Ok(())
}

/// The operation of a module. Commits may name what computes the same differently; it
/// goes by its newest name.
fn put_known_operation(
    connection: &Connection,
    suite: &Suite,
    module: &Arc<Module>,
) -> Result<(i64, identity::Identity)> {
    let named = suite.newest(module);
    let facts = &named.facts;
    let problem = &SuiteProblem {
        suite: suite.name().into(),
        level: facts.level.as_str().into(),
        file: facts.file.as_str().into(),
    };
    let operation = identity::operation(facts)?;
    let published = identity::published_operation(facts, &named.commit)?;
    let slug = match problem.number() {
        Some(number) => format!("{}/{}/{number}", problem.suite, problem.level),
        None => format!("{}/{}/{}", problem.suite, problem.level, problem.stem()),
    };
    // What it moves and computes is kept with the workload.
    let worded = json(&ProblemFacts {
        work: None,
        ..facts.clone()
    })?;
    let version = suite.newest_version(named);
    let id = put_operation(
        connection,
        &operation,
        problem,
        &Described {
            published: published.as_deref(),
            commit: published.is_some().then_some(&named.commit),
            version: version.map(|version| version.header.version.as_str()),
            slug: &slug,
            name: &facts.name,
            family: &facts.family,
            facts: Some(&worded),
        },
    )?;
    Ok((id, operation))
}

fn put_known(connection: &Connection, suite: &Suite, module: &Arc<Module>) -> Result<Workload> {
    let (operation_id, operation) = put_known_operation(connection, suite, module)?;
    let facts = &suite.newest(module).facts;
    let identity = identity::workload(&operation.digest, Some(facts))?;
    let axes: serde_json::Map<String, serde_json::Value> = facts
        .axes
        .iter()
        .map(|axis| (axis.name.clone(), axis.value.into()))
        .collect();
    let dtype = common_dtype(facts);
    let mut summary: Vec<String> = facts
        .axes
        .iter()
        .map(|axis| format!("{}={}", axis.name, axis.value))
        .collect();
    summary.extend(dtype.clone());
    let work = facts.work.as_ref().map(json).transpose()?;
    put_workload(
        connection,
        &identity,
        operation_id,
        &Bound {
            summary: &summary.join(" "),
            axes: &serde_json::Value::Object(axes).to_string(),
            dtype: dtype.as_deref(),
            input_bytes: input_bytes(facts),
            work: work.as_deref(),
        },
    )
}

fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Error::failed("facts have no JSON form").because(error))
}

fn put_by_name(connection: &Connection, problem: &SuiteProblem, version: &str) -> Result<Workload> {
    let operation = identity::operation_by_name(problem, version)?;
    let slug = format!(
        "{}/{}/{}@{version}",
        problem.suite,
        problem.level,
        problem.stem()
    );
    let operation_id = put_operation(
        connection,
        &operation,
        problem,
        &Described {
            published: None,
            commit: None,
            version: (version != UNDECLARED).then_some(version),
            slug: &slug,
            name: &problem.title(),
            family: "unknown",
            facts: None,
        },
    )?;
    let identity = identity::workload(&operation.digest, None)?;
    put_workload(
        connection,
        &identity,
        operation_id,
        &Bound {
            summary: "shape unknown",
            axes: "{}",
            dtype: None,
            input_bytes: None,
            work: None,
        },
    )
}

/// A workload's axes, and what follows from them.
pub(super) struct Bound<'a> {
    pub(super) summary: &'a str,
    pub(super) axes: &'a str,
    pub(super) dtype: Option<&'a str>,
    pub(super) input_bytes: Option<i64>,
    pub(super) work: Option<&'a str>,
}

struct Described<'a> {
    published: Option<&'a str>,
    commit: Option<&'a String>,
    version: Option<&'a str>,
    slug: &'a str,
    name: &'a str,
    family: &'a str,
    facts: Option<&'a str>,
}

fn put_operation(
    connection: &Connection,
    identity: &identity::Identity,
    problem: &SuiteProblem,
    described: &Described<'_>,
) -> Result<i64> {
    connection
        .prepare_cached(include_str!("../sql/put_operation.sql"))?
        .execute(rusqlite::named_params! {
            ":digest": identity.digest,
            ":spec": identity.spec,
            ":published_digest": described.published,
            ":published_commit": described.commit,
            ":suite": problem.suite,
            ":suite_version": described.version,
            ":level": problem.level,
            ":level_number": problem.level_number(),
            ":problem": problem.number(),
            ":file": problem.file,
            ":slug": described.slug,
            ":name": described.name,
            ":family": described.family,
            ":shapes_known": described.facts.is_some(),
            ":inferred": true,
            ":facts": described.facts,
        })?;
    row_of(connection, "operation", &identity.digest)
}

pub(super) fn put_workload(
    connection: &Connection,
    identity: &identity::Identity,
    operation_id: i64,
    bound: &Bound<'_>,
) -> Result<Workload> {
    connection
        .prepare_cached(
            "INSERT INTO workload (digest, spec, operation_id, summary, axes, dtype, input_bytes, work)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (digest) DO UPDATE SET work = excluded.work",
        )?
        .execute(params![
            identity.digest,
            identity.spec,
            operation_id,
            bound.summary,
            bound.axes,
            bound.dtype,
            bound.input_bytes,
            bound.work
        ])?;
    Ok(Workload {
        id: row_of(connection, "workload", &identity.digest)?,
        digest: Arc::from(&*identity.digest),
    })
}

/// Row of an entity by digest; `table` is one of ours, never input.
pub fn row_of(connection: &Connection, table: &str, digest: &str) -> Result<i64> {
    Ok(connection
        .prepare_cached(&format!("SELECT id FROM {table} WHERE digest = ?1"))?
        .query_row([digest], |row| row.get(0))?)
}

/// The dtype of all tensor inputs, or `mixed`.
fn common_dtype(facts: &ProblemFacts) -> Option<String> {
    let mut dtypes = facts
        .inputs
        .iter()
        .flatten()
        .filter_map(|input| match input {
            InputFacts::Tensor { dtype, .. } => Some(dtype.as_str()),
            InputFacts::Scalar { .. } => None,
        });
    let first = dtypes.next()?;
    Some(if dtypes.all(|dtype| dtype == first) {
        first.to_owned()
    } else {
        "mixed".to_owned()
    })
}
