//! `kidx speedups`

use super::{AS_OF, check_command, check_commands, check_question, loaded};
use crate::sandbox::{Sandbox, level1, real_data, record};
use serde_json::{Value, json};

#[test]
fn all() {
    check_question(
        "speedups",
        &loaded(),
        &["speedups"],
        &["--level=3", "--hardware=h100-sxm", "--limit=1"],
    );
}

#[test]
fn rows_of_each_kind() {
    let commands: &[&[&str]] = &[
        &["speedups", "--by=family", "--hardware=h100-pcie"],
        &["speedups", "--by=cohort", "--sort=-speedup", "--limit=3"],
        &["speedups", "--level=1"],
        &["speedups", "--sort=-geometric_mean", "--limit=2"],
        &[
            "speedups",
            "--columns=level,hardware,fast_0.5,fast_2.0,N",
            "--offset=6",
        ],
        &["speedups", "--baseline=compile", "--level=2"],
        &["speedups", "--baseline=best", "--level=2"],
        &["speedups", "--implementation=pytorch-eager"],
        &["speedups", "--hardware=b200"],
        &["speedups", "--as-of=2025-12-30"],
    ];
    let dated: Vec<Vec<&str>> = commands
        .iter()
        .map(|arguments| {
            let given = arguments.iter().any(|word| word.starts_with("--as-of"));
            let day: &[&str] = if given { &[] } else { &["--as-of", AS_OF] };
            [arguments, day].concat()
        })
        .collect();
    let dated: Vec<&[&str]> = dated.iter().map(Vec::as_slice).collect();
    check_commands("speedups_rows", &loaded(), &dated);
    let wide = ["speedups", "--by=cohort", "--level=3", "--as-of", AS_OF];
    check_command("speedups_cohort_160", &loaded(), 160, &wide);
}

#[test]
fn each_format() {
    let sandbox = loaded();
    let operation = "--operation=kernelbench/level2/46";
    for (name, arguments) in [
        ("jsonl", &[operation, "--format=jsonl"][..]),
        ("csv", &[operation, "--by=cohort", "--format=csv"]),
        ("csv_level", &["--level=3", "--format=csv"]),
        ("markdown", &["--by=level", "--format=markdown"]),
    ] {
        let arguments = [&["speedups", "--as-of", AS_OF], arguments].concat();
        check_command(&format!("speedups_{name}"), &sandbox, 80, &arguments);
    }
}

#[test]
fn unknown_baselines() {
    let commands: &[&[&str]] = &[
        &["speedups", "--baseline=bst"],
        &["speedups", "--baseline=torch"],
        &["speedups", "--baseline=run:0000000000"],
        &["speedups", "--baseline="],
    ];
    check_commands("speedups_unknown", &loaded(), commands);
}

/// The answer as JSON, envelope and all.
fn answer(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let arguments = [&["speedups", "--json"], arguments].concat();
    serde_json::from_str(&sandbox.expect(0, &arguments).out).unwrap()
}

fn aggregate<'a>(answer: &'a Value, by: &str, implementation: &str) -> &'a Value {
    let mut rows = answer["aggregates"].as_array().unwrap().iter();
    rows.find(|row| row["by"] == by && row["implementation"] == implementation)
        .unwrap()
}

/// An eager, a compiled and an own kernel, each on other problems.
fn three() -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, problems) in [
        (
            "PyTorch eager",
            &[("1_A.py", "4.00"), ("2_B.py", "2.00"), ("3_C.py", "1.00")][..],
        ),
        ("compile", &[("1_A.py", "2.00"), ("2_B.py", "2.00")]),
        (
            "Mine",
            &[("1_A.py", "1.00"), ("2_B.py", "2.50"), ("4_D.py", "9.00")],
        ),
    ] {
        let file = sandbox.write(&format!("{name}/L40S_lab/times.json"), level1(problems));
        let more = ["--observed-on=2026-01-01", "--implementation", name];
        sandbox.import(0, &file, &more);
    }
    sandbox
}

#[test]
fn wins_ties_and_what_is_left_out_are_counted() {
    let answer = answer(&three(), &[]);
    let mine = aggregate(&answer, "all", "Mine");
    // 4 and 0.8: their geometric mean is the root of 3.2.
    for (key, value) in [
        ("compared", json!(2)),
        ("geometric_mean", json!(1.7889)),
        ("wins", json!(1)),
        ("ties", json!(0)),
        ("losses", json!(1)),
        ("no_baseline", json!(1)),
        ("not_measured", json!(1)),
        (
            "fast_p",
            json!({"0.0": 1.0, "0.5": 1.0, "0.8": 0.5, "1.0": 0.5, "1.5": 0.5, "2.0": 0.5}),
        ),
    ] {
        assert_eq!(mine[key], value, "{key}");
    }
    let compiled = aggregate(&answer, "all", "torch.compile (inductor)");
    assert_eq!(
        [&compiled["wins"], &compiled["ties"], &compiled["losses"]],
        [1, 1, 0]
    );
    assert_eq!(
        answer["excluded"],
        json!([{"reason": "NO_BASELINE", "cohorts": 1}, {"reason": "ONLY_BASELINE", "cohorts": 1}])
    );
    assert_eq!(answer["count"], 4);
}

#[test]
fn the_best_is_a_baseline_or_reference_and_ties_with_itself() {
    let answer = answer(&three(), &["--baseline=best"]);
    let means: Vec<String> = ["PyTorch eager", "torch.compile (inductor)", "Mine"]
        .iter()
        .map(|name| aggregate(&answer, "all", name)["geometric_mean"].to_string())
        .collect();
    // Against 2.00 twice: eager 0.5 and 1, compiled 1 and 1, mine 2 and 0.8.
    assert_eq!(means, ["0.7071", "1.0", "1.2649"]);
    assert_eq!(answer["baseline"]["choice"], "best");
}

#[test]
fn a_run_speaks_for_its_own_cohort() {
    let sandbox = three();
    let records = sandbox.items(0, &["records", "--implementation=mine"]);
    let run = records[0]["record"]["run"].as_str().unwrap();
    let answer = answer(&sandbox, &["--baseline", run]);
    let speedups: Vec<&Value> = answer["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["speedup"])
        .collect();
    assert_eq!(speedups, [&json!(0.5), &json!(0.25)], "compiled and eager");
    assert_eq!(
        answer["excluded"],
        json!([{"reason": "NO_BASELINE", "cohorts": 3}])
    );
    sandbox.expect(0, &["retract", run, "--reason=wrong"]);
    let said = sandbox.expect(2, &["speedups", "--baseline", run]).err;
    assert!(said.contains("RETRACTED"), "{said}");
}

#[test]
fn filters_take_the_run_compared_not_its_baseline() {
    let answer = answer(&three(), &["--implementation=mine"]);
    assert_eq!(answer["count"], 2);
    assert_eq!(
        answer["items"][0]["baseline"]["implementation"],
        "PyTorch eager"
    );
    let mine = aggregate(&answer, "all", "Mine");
    assert_eq!(mine["not_measured"], 1);
}

#[test]
fn noise_makes_a_tie() {
    let sandbox = Sandbox::new();
    for (name, mean, std) in [("PyTorch eager", "2.00", "0.5"), ("Mine", "1.95", "0.5")] {
        let noisy = record(mean)
            .replace("0.01", std)
            .replace(&format!("\"min\": {mean}"), "\"min\": 1.2");
        let content = format!(r#"{{"level1": {{"1_A.py": {noisy}}}}}"#);
        let file = sandbox.write(&format!("{name}/L40S_lab/times.json"), content);
        let more = ["--observed-on=2026-01-01", "--implementation", name];
        sandbox.import(0, &file, &more);
    }
    let item = &answer(&sandbox, &[])["items"][0];
    assert_eq!(
        (&item["outcome"], &item["speedup"]),
        (&json!("tie"), &json!(1.0256))
    );
    let ends = item["speedup_interval"].as_array().unwrap();
    // Each ± 0.098 and half of the last digit.
    let expected = [
        (2.0 - 0.103) / (1.95 + 0.103),
        (2.0 + 0.103) / (1.95 - 0.103),
    ];
    for (end, expected) in ends.iter().zip(expected) {
        assert!((end.as_f64().unwrap() - expected).abs() < 1e-4, "{ends:?}");
    }
}

/// A problem of two suite versions in one environment: each definition is compared by
/// itself, and the newest counts in aggregates.
#[test]
fn a_problem_counts_once_under_its_newest_definition() {
    let sandbox = Sandbox::new();
    for (name, version, mean) in [
        ("PyTorch eager", "2025-01-10", "0.10"),
        ("Mine", "2025-01-10", "0.05"),
        ("PyTorch eager", "2026-01-19", "2.80"),
        ("Mine", "2026-01-19", "1.40"),
        ("Old", "2025-01-10", "0.40"),
    ] {
        let content = format!(
            r#"{{"level2": {{"28_BMM_InstanceNorm_Sum_ResidualAdd_Multiply.py":
            {{"mean": {mean}, "hardware": "NVIDIA H100 80GB HBM3"}}}}}}"#
        );
        let file = sandbox.write(&format!("{name} {version}/H100_lab/times.json"), content);
        let more = ["--observed-on=2026-01-01", "--suite-version", version];
        sandbox.import(0, &file, &[&more[..], &["--implementation", name]].concat());
    }
    let all = answer(&sandbox, &[]);
    assert_eq!(all["count"], 3);
    let keys = [
        "compared",
        "superseded",
        "older_definitions",
        "not_measured",
    ];
    let counts = |answer: &Value, name: &str| {
        let row = aggregate(answer, "level", name);
        json!([row["geometric_mean"], keys.map(|key| &row[key])])
    };
    assert_eq!(counts(&all, "Mine"), json!([2.0, [1, 0, 1, 0]]));
    assert_eq!(counts(&all, "Old"), json!([0.25, [1, 1, 0, 0]]));
    let old = answer(&sandbox, &["--suite-version=2025-01-10.2"]);
    assert_eq!(counts(&old, "Mine"), json!([2.0, [1, 1, 0, 0]]));
}

/// Figures counted apart from this program, from the suite's own files.
#[test]
fn the_suites_files_give_what_a_script_gives() {
    let Some(files) = real_data("data/kernelbench/current/results/timing") else {
        return;
    };
    let sandbox = Sandbox::new();
    sandbox.import(0, &files, &["--observed-on", "2026-03-05"]);
    let answer = answer(&sandbox, &["--hardware", "h100-sxm", "--limit=0"]);
    let rows: Vec<Value> = answer["aggregates"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["by"] == "level")
        .map(|row| {
            json!([
                row["group"],
                row["compared"],
                row["geometric_mean"],
                row["wins"],
                row["ties"],
                row["losses"],
                row["fast_p"]["1.0"],
                row["fast_p"]["2.0"]
            ])
        })
        .collect();
    assert_eq!(
        Value::from(rows),
        json!([
            ["level1", 100, 1.1714, 32, 35, 33, 0.43, 0.14],
            ["level2", 100, 1.3639, 78, 7, 15, 0.81, 0.19],
            ["level3", 50, 1.2564, 35, 4, 11, 0.7, 0.12]
        ])
    );
}
