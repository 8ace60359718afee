//! `kidx score`

use super::{AS_OF, check_command, check_commands};
use crate::sandbox::Sandbox;

const EVALUATION: &str = "examples/evaluation/my_run_level2/eval_results.json";
const EAGER: &str = "examples/kernelbench/H100_Modal/baseline_time_torch.json";
const PCIE: &str = "examples/kernelbench/H100_PCIe_LambdaLabs/baseline_time_torch.json";

/// The examples, imported and at hand as files.
fn with_examples() -> Sandbox {
    let sandbox = super::loaded();
    sandbox.examples();
    sandbox
}

#[test]
fn tables_and_json() {
    let sandbox = with_examples();
    for width in [80, 160] {
        check_command(
            &format!("score_{width}"),
            &sandbox,
            width,
            &["score", EVALUATION],
        );
    }
    check_command(
        "score_json",
        &sandbox,
        80,
        &["score", EVALUATION, "--as-of", AS_OF, "--json"],
    );
}

#[test]
fn choices_and_refusals() {
    let sandbox = with_examples();
    let renamed = std::fs::read(sandbox.path(EVALUATION)).unwrap();
    sandbox.write("run/eval_results.json", &renamed);
    sandbox.write("cut_level2/eval_results.json", &renamed[..400]);
    sandbox.write(
        "sidecar_level2/eval_results.json",
        r#"{"1": [{"sample_id": 0, "compiled": true, "correctness": true, "runtime": 2.0,
            "metadata": {"hardware": "NVIDIA H100 80GB HBM3"}, "runtime_stats": {}}]}"#,
    );
    sandbox.write(
        "sidecar_level2/pass_at_k_results.json",
        r#"{"metadata": {"total_problems": 1}, "averages": {"avg_pass@1": 1.0}, "problems": {}}"#,
    );
    let commands: &[&[&str]] = &[
        &["score", EVALUATION, "--suite-rules", "--baseline", EAGER],
        &["score", EVALUATION, "--baseline", PCIE],
        &[
            "score",
            EVALUATION,
            "--baseline",
            PCIE,
            "--any-hardware",
            "--sample=best",
            "--k=1,2,3",
        ],
        &["score", EVALUATION, "--baseline=compile", "--sample=all"],
        &["score", EVALUATION, "--baseline=fastest"],
        &["score", EVALUATION, EVALUATION],
        &["score", EVALUATION, "--suite-version=1999"],
        // Small tensors of an older version are not held against today's.
        &["score", EVALUATION, "--suite-version=2025-01-10.2"],
        &[
            "score",
            "examples/evaluation/my_run_level2",
            "--level=1",
            "--hardware=NVIDIA L40S",
        ],
        &["score", EVALUATION, "--k=0"],
        &["score", "run/eval_results.json"],
        &["score", "cut_level2/eval_results.json"],
        &["score", EAGER, "--level=2"],
        &["score", "missing.json", "--level=2"],
        &[
            "score",
            "sidecar_level2/eval_results.json",
            "--baseline=best",
            "--as-of",
            AS_OF,
            "--json",
        ],
    ];
    check_commands("score_choices", &sandbox, commands);
}

/// Without a database the built-in facts and a file of timings are enough, and the answer is
/// the same.
#[test]
fn no_database_is_needed() {
    let with = with_examples();
    let without = Sandbox::new();
    without.examples();
    let arguments = [
        "score",
        EVALUATION,
        "--baseline",
        EAGER,
        "--as-of",
        AS_OF,
        "--json",
    ];
    assert_eq!(
        with.expect(0, &arguments).out,
        without.expect(0, &arguments).out
    );
    assert!(!without.db().exists());
    without.expect(1, &["score", EVALUATION]);
}

/// A run below what any correct kernel takes raises no share, and its problem is named.
#[test]
fn impossible_speedups_are_worth_nothing() {
    let sandbox = with_examples();
    let score = sandbox.item(0, &["score", EVALUATION]);
    let suite = &score["suite_rules"][0];
    assert_eq!(score["impossible"][0]["problem"], "level2/28");
    assert!(score["impossible"][0]["of_hard_floor"].as_f64().unwrap() < 1.0);
    assert_eq!(score["fast_p"]["1.0"].as_f64(), Some(1.0 / 16.0));
    assert_eq!(suite["fast_p"]["1.0"].as_f64(), Some(2.0 / 16.0));
    assert_eq!(score["ties"], 1);
    assert_eq!(score["total"], 100);
    assert_eq!(score["denominator"], 16);
}

/// What the suite itself marks as too fast holds no record until it is acknowledged,
/// whichever of two readings brings the mark, and whatever the version of its problem.
#[test]
fn a_marked_run_holds_no_record() {
    let sandbox = with_examples();
    sandbox.expect(
        0,
        &["import", "auto", EVALUATION, "--observed-on=2026-02-01"],
    );
    let records = || -> Vec<String> {
        let items = sandbox.items(
            0,
            &[
                "records",
                "--operation=kernelbench/level2/28@undeclared",
                "--as-of",
                AS_OF,
            ],
        );
        let holder = |item: &serde_json::Value| item["record"]["implementation"].to_string();
        items
            .iter()
            .map(holder)
            .filter(|h| h.contains("my_run"))
            .collect()
    };
    assert!(records().is_empty());
    let found = sandbox.items(0, &["audit", "--rule=MARKED_EXCESSIVE", "--as-of", AS_OF]);
    assert_eq!(found.len(), 1);
    let run = found[0]["run"].as_str().unwrap();
    sandbox.expect(0, &["verify"]);
    sandbox.expect(0, &["acknowledge", run, "--reason=checked by hand"]);
    assert_eq!(records().len(), 1);
    sandbox.expect(0, &["verify"]);
}
