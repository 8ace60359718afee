//! How pages speak of a suite's problems.

use super::choice::Candidate;

/// A suite's display name and where its modules are published.
fn published(suite: &str) -> Option<(&'static str, &'static str)> {
    match suite {
        "kernelbench" => Some((
            "KernelBench",
            "https://github.com/ScalingIntelligence/KernelBench",
        )),
        _ => None,
    }
}

/// What an operation is, in one sentence.
pub(super) fn description(of: &Candidate) -> String {
    let operation = &of.operation;
    let suite = published(&operation.suite).map_or(operation.suite.as_str(), |(name, _)| name);
    let level = match operation.level {
        Some(number) => format!("level {number}"),
        None => of.level_key.clone(),
    };
    let problem = match operation.problem {
        Some(number) => format!("problem {number} of {suite} {level}"),
        None => format!("a problem of {suite} {level}"),
    };
    if !of.inferred {
        return format!("{} of {suite}, as its source states it.", operation.slug);
    }
    let rest = if of.workload.shapes_known {
        "the forward pass of the suite's PyTorch module on the inputs it declares."
    } else {
        "known by name only, since the definition that was timed isn't known."
    };
    format!("{}, {problem}: {rest}", operation.name)
}

/// Address of the module that defines a problem; `None` where its publisher isn't known.
pub(super) fn module_url(suite: &str, commit: &str, level: &str, file: &str) -> Option<String> {
    let (_, repository) = published(suite)?;
    Some(format!(
        "{repository}/blob/{commit}/KernelBench/{level}/{file}"
    ))
}
