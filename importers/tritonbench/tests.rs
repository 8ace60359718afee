//! The importer's rules on small results of our own, in the forms of the harness' writer.

use proptest::prelude::*;

use super::*;
use crate::{Observation, REGISTRY, Status, told};

const TABLE: &str = include_str!("../../tests/fixtures/tritonbench/toy_gemm.csv");
const TEMPORARY: &str = include_str!("../../tests/fixtures/tritonbench/op_toy_norm_x9_k2ab1.csv");
const NIGHTLY: &str = include_str!("../../tests/fixtures/tritonbench/result.json");

fn on_a_device() -> Declared {
    Declared {
        hardware: Some("NVIDIA L40S".to_owned()),
        ..Declared::default()
    }
}

fn input<'a>(file: Option<&'a str>, bytes: &'a [u8]) -> Input<'a> {
    Input {
        folder: None,
        file,
        bytes,
        committed_at: None,
        beside: &[],
    }
}

fn read(file: &str, bytes: &[u8], declared: &Declared) -> Result<Reading, Refused> {
    let reading = Tritonbench.read(&input(Some(file), bytes), declared)?;
    told::counts_add_up(&reading);
    for run in &reading.observations {
        assert_eq!(run.status == Status::Passed, run.figures.value.is_some());
    }
    Ok(reading)
}

fn issues(reading: &Reading) -> Vec<(&str, u32)> {
    let told = reading.issues.iter();
    told.map(|issue| (issue.code.as_str(), issue.rejects))
        .collect()
}

#[test]
fn a_table_is_read_cell_by_cell() {
    insta::assert_snapshot!(told::read(
        &Tritonbench,
        "toy_gemm.csv",
        TABLE,
        &on_a_device()
    ));
}

#[test]
fn a_speedup_without_its_latencies_is_a_figure() {
    insta::assert_snapshot!(told::read(
        &Tritonbench,
        "op_toy_norm_x9_k2ab1.csv",
        TEMPORARY,
        &on_a_device()
    ));
}

#[test]
fn a_nightly_result_says_where_and_when() {
    insta::assert_snapshot!(told::read(
        &Tritonbench,
        "result.json",
        NIGHTLY,
        &Declared::default()
    ));
}

#[test]
fn without_a_device_only_what_failed_stays() {
    let reading = read("toy_gemm.csv", TABLE.as_bytes(), &Declared::default()).unwrap();
    let statuses: Vec<&str> = reading
        .observations
        .iter()
        .map(|run| run.status.as_str())
        .collect();
    assert!(!statuses.contains(&"passed") && statuses.contains(&"runtime_error"));
    let homeless = reading
        .issues
        .iter()
        .find(|issue| issue.code == "NO_HARDWARE")
        .unwrap();
    let with = read("toy_gemm.csv", TABLE.as_bytes(), &on_a_device()).unwrap();
    assert_eq!(with.records, reading.records);
    assert_eq!(
        homeless.rejects as usize,
        with.observations.len() - reading.observations.len()
    );
}

#[test]
fn an_operator_that_nobody_names_is_refused() {
    for file in [Some("results.csv"), None] {
        let refused = Tritonbench
            .read(&input(file, TABLE.as_bytes()), &on_a_device())
            .unwrap_err();
        assert_eq!(refused.code, "NO_OPERATION");
        assert!(refused.hint.is_some());
    }
}

#[test]
fn accuracy_decides_and_only_one_and_zero_are_known() {
    let status = |accuracy: &str| {
        let text =
            format!("x_val;a-latency;b-latency;b-accuracy\n8;0.5;0.25;{accuracy}\naverage;;;\n");
        let reading = read("toy.csv", text.as_bytes(), &on_a_device()).unwrap();
        let of_b = |run: &&Observation| run.implementation.slug == "b";
        let found = reading.observations.iter().find(of_b);
        (
            found.map(|run| run.status),
            issues(&reading)
                .iter()
                .find(|(code, _)| *code != "SUMMARY_SKIPPED")
                .map(|(code, _)| (*code).to_owned()),
        )
    };
    let cases = [
        ("1.0", Some(Status::Passed), None),
        ("True", Some(Status::Passed), None),
        ("", Some(Status::Passed), None),
        ("0.0", Some(Status::Incorrect), None),
        ("False", Some(Status::Incorrect), None),
        ("0.5", None, Some("UNKNOWN_STATUS".to_owned())),
        ("nan", None, Some("UNKNOWN_STATUS".to_owned())),
    ];
    for (accuracy, expected, code) in cases {
        assert_eq!(status(accuracy), (expected, code), "{accuracy}");
    }
}

#[test]
fn the_baseline_is_the_one_that_is_not_compared() {
    let role = |header: &str| {
        let cells = vec!["0.5"; header.matches(';').count()].join(";");
        let text = format!("{header}\n8;{cells}\n");
        let reading = read("toy.csv", text.as_bytes(), &on_a_device()).unwrap();
        let mut baselines: Vec<String> = reading
            .observations
            .iter()
            .filter(|run| run.implementation.role == crate::Role::Baseline)
            .map(|run| run.implementation.name.clone())
            .collect();
        baselines.dedup();
        baselines
    };
    assert_eq!(role("x_val;a-latency;b-latency;b-speedup"), ["a"]);
    assert_eq!(role("x_val;a-latency;a-tflops;b-latency"), [""; 0]);
    assert_eq!(role("x_val;a-speedup;b-speedup"), [""; 0]);
}

#[test]
fn keys_and_columns_that_stand_twice_are_told() {
    let text = r#"{"tritonbench_toy_fwd[x_8-a]_latency": 0.5, "tritonbench_toy_fwd[x_8-a]_tflops": 2.0,
"tritonbench_toy_fwd[x_8-a]_latency": 0.25}"#;
    let reading = read("toy.json", text.as_bytes(), &on_a_device()).unwrap();
    assert_eq!(issues(&reading), [("DUPLICATE_KEY", 1)]);
    assert_eq!(reading.observations.len(), 1);
    let table = "x_val;a-latency;a-latency\n8;0.5;0.25\n";
    let refused = read("toy.csv", table.as_bytes(), &on_a_device()).unwrap_err();
    assert_eq!(refused.code, "DUPLICATE_COLUMN");
}

#[test]
fn names_that_could_pass_for_others_are_kept_out() {
    let text = "{\"tritonbench_toy_fwd[x_8-a\\u202e]_latency\": 0.5, \"tritonbench_toy_fwd[x_9-a]_latency\": 0.5}";
    let reading = read("toy.json", text.as_bytes(), &on_a_device()).unwrap();
    assert_eq!(issues(&reading), [("HOSTILE_NAME", 1)]);
    assert_eq!(reading.observations.len(), 1);
}

#[test]
fn only_its_own_files_are_recognised() {
    let recognised = |text: &str| {
        Tritonbench
            .recognises(&input(Some("f"), text.as_bytes()))
            .is_some()
    };
    for own in [
        TABLE,
        TEMPORARY,
        NIGHTLY,
        "\u{feff}x_val;a-latency",
        r#"{"tritonbench_toy_fwd[x_8-a]_latency": 0.5}"#,
        r#"{"metrics": {"tritonbench_toy-pass": 0}}"#,
    ] {
        assert!(recognised(own), "{own}");
    }
    for other in [
        "",
        "{}",
        "[]",
        "x_val,a-latency\n",
        "a-latency\n",
        "a-latency;b-latency\n",
        "name;time\n",
        r#"{"level1": {"1_a.py": {"mean": 1.0}}}"#,
        r#"{"metrics": {"latency": 1}}"#,
        r#"{"definition": "toy", "solution": null}"#,
        r#"{"tritonbench": 1}"#,
        include_str!("../../tests/fixtures/liger/all_benchmark_data.csv"),
    ] {
        assert!(!recognised(other), "{other}");
    }
    for own in [TABLE, NIGHTLY] {
        let by: Vec<&str> = REGISTRY
            .iter()
            .filter(|importer| importer.recognises(&input(None, own.as_bytes())).is_some())
            .map(|importer| importer.source().slug)
            .collect();
        assert_eq!(by, ["tritonbench"]);
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(table: bool, cut in 0usize..4000, at in 0usize..4000, byte: u8) {
        let (file, text) = if table { ("toy.csv", TABLE) } else { ("toy.json", NIGHTLY) };
        let mut bytes = text.as_bytes().to_vec();
        if let Some(there) = bytes.get_mut(at) {
            *there = byte;
        }
        bytes.truncate(cut);
        let _ = read(file, &bytes, &on_a_device());
        let _ = Tritonbench.recognises(&input(None, &bytes));
    }
}
