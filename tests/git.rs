//! Repositories: which commit dates which bytes, what a history holds, and what happens
//! where a repository is bare, linked, shallow, packed, empty, broken or hostile.

mod dates;
mod hostile;
mod kinds;
mod suite;

use std::path::Path;

use serde_json::Value;

use crate::repository::Repo;
use crate::sandbox::{Sandbox, level1};

/// Where a suite keeps the timings of one machine.
const EAGER: &str = "results/timing/L40S_lab/baseline_time_torch.json";

/// A timing file with one figure.
fn timing(mean: &str) -> String {
    level1(&[("1_Axpy.py", mean)])
}

/// Imports a repository's history.
fn history(sandbox: &Sandbox, path: &Path, more: &[&str]) -> Value {
    let mut arguments = vec!["--history"];
    arguments.extend(more);
    sandbox.import(0, path, &arguments)
}

/// Path in the repository, date and basis of every file of an answer, in its order.
fn dated(answer: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or("unknown").to_owned();
    answer["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| {
            let path = text(&file["path"]);
            let path = path.split_once(':').map_or(&*path, |(_, path)| path);
            (
                path.to_owned(),
                text(&file["observed_on"]),
                text(&file["observed_basis"]),
            )
        })
        .collect()
}

/// The same of files whose paths don't matter.
fn days(answer: &Value) -> Vec<(String, String)> {
    let dated = dated(answer);
    dated
        .into_iter()
        .map(|(_, day, basis)| (day, basis))
        .collect()
}

fn git(day: &str) -> (String, String) {
    (day.to_owned(), "git".to_owned())
}

fn is_sound(sandbox: &Sandbox) {
    let checked = sandbox.item(0, &["verify"]);
    assert_eq!(checked["findings"], Value::Array(vec![]));
}

/// A checkout of two contents of one file, `1.84` and then `1.71`.
fn two_contents(path: &Path) -> Repo {
    let repo = Repo::checkout(path);
    repo.on("main", &[(EAGER, &timing("1.84"))], "2025-01-01T10:00:00Z");
    repo.on("main", &[(EAGER, &timing("1.71"))], "2025-02-01T10:00:00Z");
    repo.check_out(&[(EAGER, &timing("1.71"))]);
    repo
}
