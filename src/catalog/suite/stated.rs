//! Rows of operations and workloads that sources state in full.

use kidx_importers::{AxisValue, Tensor, Workload as Stated};
use kidx_queries::policy::dtype;
use rusqlite::{Connection, named_params};
use serde_json::{Map, Value, json};

use super::workloads::{Bound, Workload, put_workload, row_of};
use crate::catalog::identity;
use crate::error::Result;

/// Finds or makes the rows of a workload and its operation.
pub(super) fn put(connection: &Connection, stated: &Stated) -> Result<Workload> {
    let operation = &stated.operation;
    let identity = identity::stated_operation(operation)?;
    let group = operation.group.as_deref().unwrap_or_default();
    let slug = [&operation.suite, group, &operation.name]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("/");
    connection
        .prepare_cached(include_str!("../sql/put_stated_operation.sql"))?
        .execute(named_params! {
            ":digest": identity.digest,
            ":spec": identity.spec,
            ":suite": operation.suite,
            ":level": group,
            ":file": operation.name,
            ":slug": slug,
            ":name": operation.title,
            ":family": operation.family,
            ":shapes_known": stated.inputs.is_some(),
        })?;
    let operation_id = row_of(connection, "operation", &identity.digest)?;
    let identity = identity::stated_workload(&identity.digest, stated)?;
    let axes: Map<String, Value> = stated
        .axes
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    let mut summary: Vec<String> = stated
        .axes
        .iter()
        .map(|(name, value)| format!("{name}={}", one_line(value)))
        .collect();
    summary.extend(stated.dtype.clone());
    if summary.is_empty() {
        summary.push("no axes".to_owned());
    }
    put_workload(
        connection,
        &identity,
        operation_id,
        &Bound {
            summary: &summary.join(" "),
            axes: &Value::Object(axes).to_string(),
            dtype: stated.dtype.as_deref(),
            input_bytes: stated.inputs.as_deref().and_then(bytes),
            work: None,
        },
    )
}

/// A value in a line of text: blanks and breaks are shown as one blank.
fn one_line(value: &AxisValue) -> String {
    let text = value.to_string();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Bytes of some tensors; `None` where a dtype has no known width.
fn bytes(tensors: &[Tensor]) -> Option<i64> {
    tensors.iter().try_fold(0_i64, |sum, tensor| {
        let elements = tensor
            .shape
            .iter()
            .try_fold(1_i64, |product, size| product.checked_mul(*size))?;
        sum.checked_add(elements.checked_mul(dtype::width_bytes(&tensor.dtype)?)?)
    })
}
