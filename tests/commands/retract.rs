//! `kidx retract`: what it says, and what is seen of it afterwards.

use super::{AS_OF, check, loaded, rendered};
use crate::sandbox::Sandbox;
use std::process::Stdio;

/// Who holds, and who doesn't hold, the record of an operation on one product.
fn runs(sandbox: &Sandbox) -> [String; 2] {
    let rows = sandbox.items(
        0,
        &[
            "sql",
            "SELECT run FROM v_run WHERE operation = 'kernelbench/level1/40'
             AND hardware LIKE 'h100-sxm%' ORDER BY latency_ns",
        ],
    );
    [0, 1].map(|at| rows[at]["run"].as_str().unwrap().to_owned())
}

fn check_in_order(name: &str, sandbox: &Sandbox, commands: &[&[&str]]) {
    let texts: Vec<String> = commands
        .iter()
        .map(|arguments| rendered(sandbox, 80, arguments, Stdio::null()))
        .collect();
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"(retract\w* at) 20[\d-]+T[\d:]+Z", "$1 [instant]");
    settings.bind(|| check(name, &texts.join("\n")));
}

#[test]
fn the_record_passes_on_and_ends() {
    let sandbox = loaded();
    let [first, second] = runs(&sandbox);
    let records = [
        "records",
        "--as-of",
        AS_OF,
        "--operation",
        "kernelbench/level1/40",
        "--hardware",
        "h100-sxm",
    ];
    let reason = ["--reason", "clocks were not locked"];
    let again = ["--reason", "power was capped, too"];
    let commands: &[&[&str]] = &[
        &[&["retract", &first][..], &reason].concat(),
        &[&["retract", &first][..], &reason].concat(),
        &[&["retract", &first[..16]][..], &again].concat(),
        &records,
        &[&["retract", &second][..], &reason].concat(),
        &records,
        &["verify"],
    ];
    check_in_order("retract", &sandbox, commands);
}

#[test]
fn as_json() {
    let sandbox = loaded();
    let [_, second] = runs(&sandbox);
    let commands: &[&[&str]] = &[&[
        "retract",
        &second,
        "--reason=doubtful",
        "--json",
        "--as-of",
        AS_OF,
    ]];
    check_in_order("retract_json", &sandbox, commands);
}

#[test]
fn the_page_of_a_retracted_run_says_so() {
    let sandbox = loaded();
    let [first, _] = runs(&sandbox);
    sandbox.expect(
        0,
        &["retract", &first, "--reason", "clocks were not locked"],
    );
    let show = ["show", &first, "--as-of", AS_OF];
    let operation = ["show", "kernelbench/level1/40", "--as-of", AS_OF];
    check_in_order("retract_show", &sandbox, &[&show, &operation]);
}

#[test]

fn wrong_usage_retracts_nothing() {
    let sandbox = loaded();
    let [first, _] = runs(&sandbox);
    sandbox.expect(2, &["retract", &first, "--reason", "x", "--format", "csv"]);
    let rows = sandbox.items(0, &["sql", "SELECT count(*) AS n FROM event"]);
    assert_eq!(rows[0]["n"], 0);
}
