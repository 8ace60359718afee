//! One trace: what a solution did on a workload, and how long its reference took there.
//!
//! `{"definition", "solution", "workload", "evaluation": {"status", "environment":
//! {"hardware", "libs"}, "timestamp", "log", "correctness", "performance"}}`. Until July 2025
//! `environment.device` had the GPU's name, or `cuda:0` and the name in `libs.device_name`.

use std::collections::BTreeMap;

use crate::instant::Instant;
use crate::json::{Node, Object, Value};
use crate::names::{hostile, quoted};
use crate::{NO_HARDWARE, Status};

use super::evidence::{SHORT, evidence};
use super::site::{Fault, inner, member, object, present, shown, text};
use super::workload::{self, Stated};

/// A trace whose circumstances could be read.
#[derive(Debug)]
pub(super) struct Trace<'n, 'a> {
    pub(super) definition: &'n str,
    pub(super) solution: &'n str,
    pub(super) workload: Stated,
    pub(super) status: Status,
    /// The node of the status.
    pub(super) status_at: &'n Node<'a>,
    pub(super) hardware: &'n str,
    /// The device is the declared one.
    pub(super) hardware_declared: bool,
    pub(super) at: Option<Instant>,
    /// Why a timestamp can't be taken, if so.
    pub(super) bad_timestamp: Option<Fault>,
    pub(super) software: BTreeMap<String, String>,
    /// `libs.driver_version` was taken for the version of CUDA.
    pub(super) cuda_by_driver: bool,
    /// The log warns that CUDA events were used in place of CUPTI.
    pub(super) fell_back: bool,
    pub(super) texts: Vec<(String, String)>,
    pub(super) performance: Option<&'n Object<'a>>,
}

/// Reads a trace, or says why it can't be used.
pub(super) fn read<'n, 'a>(
    node: &'n Node<'a>,
    declared_hardware: Option<&'n str>,
) -> Result<Trace<'n, 'a>, Fault> {
    let trace = object(node, "")?;
    let definition = name(trace, node, "definition", "NO_DEFINITION")?;
    let Some(workload) = inner(trace, "", "workload")? else {
        let message = "no `workload`: the sizes are not said";
        return Err(Fault::error("NO_WORKLOAD", "", node, message));
    };
    let workload = workload::read(workload)?;
    let Some(evaluation) = inner(trace, "", "evaluation")? else {
        let message = "no `evaluation`: a workload without a result";
        return Err(Fault::error("NO_TIMING", "", node, message).severity(crate::Severity::Note));
    };
    let solution = name(trace, node, "solution", "NO_SOLUTION")?;
    let (status_at, word, status) = status(evaluation, node)?;
    let environment = inner(evaluation, "/evaluation", "environment")?;
    let libs = match environment {
        Some(environment) => inner(environment, "/evaluation/environment", "libs")?,
        None => None,
    };
    let (hardware, hardware_declared) =
        hardware(environment, libs, declared_hardware, status, node)?;
    let performance = inner(evaluation, "/evaluation", "performance")?;
    let correctness = inner(evaluation, "/evaluation", "correctness")?;
    let (at, bad_timestamp) = instant(evaluation);
    let mut texts = Vec::new();
    if status != Status::Passed {
        texts.push(("status".to_owned(), word.to_owned()));
    }
    evidence(&mut texts, status, performance, correctness);
    let mut software = BTreeMap::new();
    let cuda_by_driver = libs.is_some_and(|libs| software_of(libs, &mut software, &mut texts));
    if let Some(uuid) = &workload.uuid {
        texts.push(("workload_uuid".to_owned(), uuid.clone()));
    }
    let log = text(evaluation, "log").unwrap_or_default();
    Ok(Trace {
        definition,
        solution,
        workload,
        status,
        status_at,
        hardware,
        hardware_declared,
        at,
        bad_timestamp,
        software,
        cuda_by_driver,
        fell_back: log.contains("CUPTI") && log.contains("Falling back to CUDA"),
        texts,
        performance,
    })
}

/// How many figures a trace states: its own, and its reference's.
pub(super) fn records(node: &Node<'_>) -> u32 {
    let evaluation = member(node, "evaluation");
    let status = evaluation.and_then(|node| member(node, "status"));
    let passed =
        matches!(status.map(|node| &node.value), Some(Value::String(word)) if word == "PASSED");
    let reference = evaluation
        .and_then(|node| member(node, "performance"))
        .and_then(|node| member(node, "reference_latency_ms"));
    if passed && reference.is_some() { 2 } else { 1 }
}

/// A name that has to be there.
fn name<'n>(
    trace: &'n Object<'_>,
    node: &Node<'_>,
    field: &str,
    code: &'static str,
) -> Result<&'n str, Fault> {
    let path = format!("/{field}");
    let Some(found) = present(trace, field) else {
        return Err(Fault::error(
            code,
            "",
            node,
            format!("no `{field}`: a name was expected"),
        ));
    };
    let Value::String(name) = &found.value else {
        let message = format!("`{field}` is {}; a name was expected", shown(&found.value));
        return Err(Fault::error(code, path, found, message));
    };
    match hostile(name) {
        None => Ok(name),
        Some(why) => {
            let message = format!("{field} {} {why}", quoted(name));
            Err(Fault::error("HOSTILE_NAME", path, found, message))
        }
    }
}

/// The status and its word.
fn status<'n, 'a>(
    evaluation: &'n Object<'a>,
    node: &Node<'_>,
) -> Result<(&'n Node<'a>, &'n str, Status), Fault> {
    let Some(found) = present(evaluation, "status") else {
        let message = "no `status`: whether it passed is not said";
        return Err(Fault::error("NO_STATUS", "/evaluation", node, message));
    };
    let word = match &found.value {
        Value::String(word) => &**word,
        _ => "",
    };
    let status = match word {
        "PASSED" => Status::Passed,
        // `INCORRECT` is the word of July 2025.
        "INCORRECT" | "INCORRECT_SHAPE" | "INCORRECT_NUMERICAL" | "INCORRECT_DTYPE" => {
            Status::Incorrect
        }
        "RUNTIME_ERROR" => Status::RuntimeError,
        "COMPILE_ERROR" => Status::CompileError,
        "TIMEOUT" => Status::Timeout,
        "REWARD_HACK" => Status::RewardHack,
        "INVALID_REFERENCE" => Status::InvalidReference,
        _ => {
            let message = format!(
                "`status` is {}; `PASSED`, `INCORRECT_…`, `RUNTIME_ERROR` … were expected",
                shown(&found.value)
            );
            return Err(Fault::error(
                "UNKNOWN_STATUS",
                "/evaluation/status",
                found,
                message,
            ));
        }
    };
    Ok((found, word, status))
}

/// The device, and whether it is the declared one.
fn hardware<'n>(
    environment: Option<&'n Object<'_>>,
    libs: Option<&'n Object<'_>>,
    declared: Option<&'n str>,
    status: Status,
    node: &Node<'_>,
) -> Result<(&'n str, bool), Fault> {
    let stated = |object: Option<&'n Object<'_>>, field: &str| {
        let name = text(object?, field)?;
        (!name.trim().is_empty() && !is_ordinal(name)).then_some(name)
    };
    let name = stated(environment, "hardware")
        .or_else(|| stated(environment, "device"))
        .or_else(|| stated(libs, "device_name"));
    let path = "/evaluation/environment";
    match (name, declared) {
        (Some(name), _) => match hostile(name) {
            None => Ok((name, false)),
            Some(why) => {
                let message = format!("device name {} {why}", quoted(name));
                Err(Fault::error("HOSTILE_NAME", path, node, message))
            }
        },
        (None, Some(declared)) => Ok((declared, true)),
        (None, None) if status != Status::Passed => Ok((NO_HARDWARE, false)),
        (None, None) => {
            let message = "no `hardware`: which device ran this is not said";
            Err(Fault::error("NO_HARDWARE", path, node, message)
                .hint("`--hardware NAME` names the device of records that have none"))
        }
    }
}

/// Whether a device is only numbered: `cuda:0`.
fn is_ordinal(device: &str) -> bool {
    let (kind, number) = device.split_once(':').unwrap_or((device, "0"));
    let kinds = ["cuda", "hip", "xpu", "mps", "cpu", "npu", "tpu", "gpu"];
    kinds.contains(&kind.trim()) && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// When it was measured, or why what is said can't be taken.
fn instant(evaluation: &Object<'_>) -> (Option<Instant>, Option<Fault>) {
    let Some(found) = present(evaluation, "timestamp") else {
        return (None, None);
    };
    let at = match &found.value {
        Value::String(text) => Instant::parse(text),
        _ => None,
    };
    if at.is_some() {
        return (at, None);
    }
    let message = format!(
        "`timestamp` is {}; `YYYY-MM-DDTHH:MM:SS` was expected, and the record has no date",
        shown(&found.value)
    );
    let fault = Fault::error("BAD_TIMESTAMP", "/evaluation/timestamp", found, message);
    (None, Some(fault.severity(crate::Severity::Warning)))
}

/// Versions by name; what is no version of software is a text. Whether CUDA's came from
/// `driver_version`.
fn software_of(
    libs: &Object<'_>,
    software: &mut BTreeMap<String, String>,
    texts: &mut Vec<(String, String)>,
) -> bool {
    let mut by_driver = None;
    for member in &libs.members {
        let Value::String(version) = &member.node.value else {
            continue;
        };
        let name = &*member.key.name;
        if hostile(name).is_some() || hostile(version).is_some() || version.len() > SHORT {
            continue;
        }
        match name {
            "device_name" => {}
            "compute_capability" | "backend" => {
                texts.push((name.to_owned(), version.clone().into_owned()));
            }
            // The harness of that time wrote `torch.version.cuda` under this name.
            "driver_version" => by_driver = Some(version.clone().into_owned()),
            _ => {
                software.insert(name.to_owned(), version.clone().into_owned());
            }
        }
    }
    match by_driver {
        Some(version) if !software.contains_key("cuda") => {
            software.insert("cuda".to_owned(), version);
            true
        }
        _ => false,
    }
}
