//! From a problem's name to a workload: which definition of the problem was timed.
//!
//! Names are aliases. A file belongs to the suite's known version when all its keys
//! exist there and its figures don't contradict it, or when the user says so; otherwise
//! its problems keep their shapes unknown and are compared by name among themselves.

use std::collections::HashMap;

use kidx_importers::kernelbench::problem::{InputFacts, ProblemFacts};
use kidx_importers::{Reading, SuiteProblem};
use kidx_queries::policy::doubt::suite as witness;
use kidx_queries::policy::dtype;
use rusqlite::{Connection, OptionalExtension, params};

use super::doubts::bound_ps;
use super::hardware::Products;
use super::identity;
use crate::error::{Error, Result};

/// What a version is called when nobody said which it is.
pub const UNDECLARED: &str = "undeclared";

/// A known version of the suite.
pub struct Version {
    /// Short name.
    pub name: String,
    /// Newest commit with these definitions.
    pub commit: String,
    problems: HashMap<(String, String), ProblemFacts>,
}

impl Version {
    /// The version that the suite itself has today.
    pub fn current(connection: &Connection, suite: &str) -> Result<Option<Self>> {
        let header = connection
            .prepare_cached(
                "SELECT id, version, commit_id FROM suite_version WHERE suite = ?1 AND current = 1",
            )?
            .query_row([suite], |row| {
                Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()?;
        let Some((id, name, commit)) = header else {
            return Ok(None);
        };
        let mut statement = connection
            .prepare_cached("SELECT facts FROM suite_problem WHERE suite_version_id = ?1")?;
        let mut rows = statement.query([id])?;
        let mut problems = HashMap::new();
        while let Some(row) = rows.next()? {
            let facts: ProblemFacts = serde_json::from_str(&row.get::<_, String>(0)?)
                .map_err(|error| Error::failed("a suite problem can't be read").because(error))?;
            problems.insert((facts.level.clone(), facts.file.clone()), facts);
        }
        Ok(Some(Self {
            name,
            commit,
            problems,
        }))
    }

    /// What the version says of a problem.
    pub fn facts(&self, problem: &SuiteProblem) -> Option<&ProblemFacts> {
        self.problems
            .get(&(problem.level.clone(), problem.file.clone()))
    }
}

/// Which definitions a file's problems have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Belonging {
    /// Version whose definitions apply; `None`: shapes stay unknown.
    pub version: Option<String>,
    /// Name of the version for problems without known shapes.
    pub label: String,
    /// Why, to be stated with the import.
    pub statement: Option<String>,
}

/// Holds a file against the known version: its keys and its figures.
pub fn belonging(
    connection: &Connection,
    products: &mut Products,
    current: &Version,
    reading: &Reading,
    declared: Option<&str>,
) -> Result<Belonging> {
    let apart = |label: &str, why: String| Belonging {
        version: None,
        label: label.to_owned(),
        statement: Some(why),
    };
    if let Some(declared) = declared {
        return Ok(if declared == current.name {
            Belonging {
                version: Some(declared.to_owned()),
                label: declared.to_owned(),
                statement: None,
            }
        } else {
            apart(
                declared,
                format!(
                    "definitions of suite version `{declared}` are not built in (`{}` is): shapes stay unknown",
                    current.name
                ),
            )
        });
    }
    if reading.observations.is_empty() {
        // Nothing in it shows which version it is of.
        return Ok(Belonging {
            version: None,
            label: UNDECLARED.to_owned(),
            statement: None,
        });
    }
    let foreign: Vec<&SuiteProblem> = reading
        .observations
        .iter()
        .map(|observation| &observation.problem)
        .filter(|problem| current.facts(problem).is_none())
        .collect();
    if let Some(first) = foreign.first() {
        return Ok(apart(
            UNDECLARED,
            format!(
                "{} of {} problems are not in suite version `{}` (first: {}/{}): shapes stay unknown",
                foreign.len(),
                reading.observations.len(),
                current.name,
                first.level,
                first.file
            ),
        ));
    }
    let mut rows = Vec::with_capacity(reading.observations.len());
    for observation in &reading.observations {
        let product = products.resolve(connection, &observation.hardware)?;
        let bytes = current.facts(&observation.problem).and_then(input_bytes);
        rows.push(witness::Row {
            mean_ps: observation.latency.mean.ps,
            bound_ps: bytes
                .zip(product.bandwidth_gbs)
                .map(|(bytes, gbs)| bound_ps(bytes as f64, gbs)),
        });
    }
    let verdict = witness::witness(rows);
    Ok(if verdict.contradicts() {
        apart(
            UNDECLARED,
            format!(
                "{} of {} figures are too fast for the inputs of suite version `{}`: shapes stay unknown",
                verdict.below, verdict.bounded, current.name
            ),
        )
    } else {
        Belonging {
            version: Some(current.name.clone()),
            label: current.name.clone(),
            statement: Some(format!(
                "all keys are problems of suite version `{}` and no figure contradicts it: its definitions apply",
                current.name
            )),
        }
    })
}

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
    pub digest: String,
}

/// Finds or makes the workload that a problem's name stands for.
#[derive(Default)]
pub struct Workloads {
    seen: HashMap<(SuiteProblem, String), Workload>,
}

impl Workloads {
    /// The workload of a problem under a file's belonging.
    pub fn resolve(
        &mut self,
        connection: &Connection,
        current: Option<&Version>,
        belonging: &Belonging,
        problem: &SuiteProblem,
    ) -> Result<Workload> {
        let key = (problem.clone(), belonging.label.clone());
        if let Some(workload) = self.seen.get(&key) {
            return Ok(workload.clone());
        }
        let known = current
            .filter(|current| belonging.version.as_deref() == Some(&current.name))
            .and_then(|current| Some((current, current.facts(problem)?)))
            .filter(|(_, facts)| is_known(facts));
        let workload = match known {
            Some((current, facts)) => put_known(connection, current, problem, facts)?,
            None => put_by_name(connection, problem, &belonging.label)?,
        };
        self.seen.insert(key, workload.clone());
        Ok(workload)
    }
}

/// Whether a module's facts say all that its identity is made of.
fn is_known(facts: &ProblemFacts) -> bool {
    facts.inputs.is_some() && facts.init.is_some() && facts.tree_digest.is_some()
}

fn put_known(
    connection: &Connection,
    current: &Version,
    problem: &SuiteProblem,
    facts: &ProblemFacts,
) -> Result<Workload> {
    let operation = identity::operation(facts)?;
    let published = identity::published_operation(facts, &current.commit)?;
    let slug = match problem.number() {
        Some(number) => format!("{}/{}/{number}", problem.suite, problem.level),
        None => format!("{}/{}/{}", problem.suite, problem.level, problem.stem()),
    };
    let worded = serde_json::to_string(facts)
        .map_err(|error| Error::failed("facts have no JSON form").because(error))?;
    let operation_id = put_operation(
        connection,
        &operation,
        problem,
        &Described {
            published: published.as_deref(),
            commit: published.is_some().then_some(&current.commit),
            version: Some(&current.name),
            slug: &slug,
            name: &facts.name,
            family: &facts.family,
            facts: Some(&worded),
        },
    )?;
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
    put_workload(
        connection,
        &identity,
        operation_id,
        &summary.join(" "),
        &serde_json::Value::Object(axes).to_string(),
        dtype.as_deref(),
        input_bytes(facts),
    )
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
        "shape unknown",
        "{}",
        None,
        None,
    )
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
        .prepare_cached(include_str!("sql/put_operation.sql"))?
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
            ":facts": described.facts,
        })?;
    row_of(connection, "operation", &identity.digest)
}

fn put_workload(
    connection: &Connection,
    identity: &identity::Identity,
    operation_id: i64,
    summary: &str,
    axes: &str,
    dtype: Option<&str>,
    input_bytes: Option<i64>,
) -> Result<Workload> {
    connection
        .prepare_cached(
            "INSERT INTO workload (digest, spec, operation_id, summary, axes, dtype, input_bytes)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (digest) DO NOTHING",
        )?
        .execute(params![
            identity.digest,
            identity.spec,
            operation_id,
            summary,
            axes,
            dtype,
            input_bytes
        ])?;
    Ok(Workload {
        id: row_of(connection, "workload", &identity.digest)?,
        digest: identity.digest.clone(),
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
