//! `kidx history`

use std::collections::BTreeSet;

use super::{AS_OF, check_command, check_commands, check_question, loaded};
use crate::sandbox::{Sandbox, level1};
use proptest::prelude::*;
use serde_json::Value;

const PROBLEM: &str = "kernelbench/level1/1_A@undeclared";

/// Imports one figure of one implementation on a day; without a day from a pipe, which
/// has no date.
fn put(sandbox: &Sandbox, implementation: &str, day: Option<&str>, mean: &str) {
    let content = level1(&[("1_A.py", mean)]);
    let more = ["--provider=lab", "--implementation", implementation];
    let Some(day) = day else {
        let mut child = sandbox
            .command()
            .args(["import", "kernelbench", "-", "-q"])
            .args(more)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut input, content.as_bytes()).unwrap();
        drop(input);
        assert!(child.wait().unwrap().success());
        return;
    };
    let file = sandbox.write(&format!("{implementation}/{day}/L40S_lab/t.json"), content);
    let more = [&more[..], &["--observed-on", day]].concat();
    sandbox.import(0, &file, &more);
}

/// A record that is set, beaten, edged out, and becomes slower.
fn staircase() -> Sandbox {
    let sandbox = Sandbox::new();
    for (implementation, day, mean) in [
        ("PyTorch eager", "2025-01-10", "4.00"),
        ("compile", "2025-02-01", "5.00"),
        ("Mine", "2025-03-01", "2.00"),
        ("Yours", "2025-04-01", "1.999"),
        ("Yours", "2025-05-01", "3.00"),
        ("Mine", "2025-06-01", "2.50"),
        ("Late", "2025-07-01", "1.00"),
    ] {
        put(&sandbox, implementation, Some(day), mean);
    }
    let run = &sandbox.items(
        0,
        &["sql", "SELECT run FROM v_run WHERE implementation = 'Late'"],
    )[0]["run"];
    sandbox.expect(0, &["retract", run.as_str().unwrap(), "--reason=wrong"]);
    // Everything was learned at one instant, which no output depends on then.
    sandbox
}

#[test]
fn of_one_workload() {
    check_question(
        "history",
        &staircase(),
        &["history", PROBLEM],
        &["--limit=1"],
    );
}

#[test]
fn views_rows_and_ids() {
    let sandbox = staircase();
    let commands: &[&[&str]] = &[
        &["history", PROBLEM, "--as-of=2025-04-15"],
        &["history", PROBLEM, "--as-of=2024-12-31"],
        &[
            "history",
            PROBLEM,
            "--as-of",
            AS_OF,
            "--sort=-gain",
            "--limit=2",
        ],
        &[
            "history",
            PROBLEM,
            "--as-of",
            AS_OF,
            "--implementation=mine",
        ],
        &[
            "history",
            PROBLEM,
            "--as-of",
            AS_OF,
            "--columns=since,run,gain",
        ],
        &["history", PROBLEM, "--hardware=h100"],
        &["history", PROBLEM, "--known-at=2025-01-01"],
        &["history", "hw:l40s"],
        &["history", "impl:mine"],
        &["history", "kernelbench/level1/2"],
        &["history", "run:0000000000"],
    ];
    check_commands("history_views", &sandbox, commands);
    for format in ["csv", "jsonl", "markdown"] {
        let arguments = ["history", PROBLEM, "--as-of", AS_OF, "--format", format];
        check_command(&format!("history_{format}"), &sandbox, 80, &arguments);
    }
}

#[test]
fn of_the_examples() {
    let commands: &[&[&str]] = &[&["history", "kernelbench/level2/46", "--as-of", AS_OF]];
    check_commands("history_examples", &loaded(), commands);
}

#[test]
fn a_run_and_a_workload_name_it_too() {
    let sandbox = staircase();
    let steps = sandbox.items(0, &["history", PROBLEM]);
    for id in [
        &steps[0]["run"],
        &steps[1]["run"],
        &steps[0]["workload"]["digest"],
    ] {
        assert_eq!(sandbox.items(0, &["history", id.as_str().unwrap()]), steps);
    }
}

#[test]
fn each_step_says_why() {
    let steps = staircase().items(0, &["history", PROBLEM, "--as-of", AS_OF]);
    let told: Vec<String> = steps
        .iter()
        .map(|step| {
            format!(
                "{} {} {} {}",
                step["since"].as_str().unwrap(),
                step["implementation"].as_str().unwrap(),
                step["change"].as_str().unwrap(),
                step["gain"]
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "2025-01-10 PyTorch eager first null",
            "2025-03-01 Mine beaten 2.0",
            "2025-04-01 Yours ahead-in-tie 1.0005",
            // Its own newer run is slower, so the older of another leads again.
            "2025-05-01 Mine superseded 0.9995",
            "2025-06-01 Mine superseded 0.8",
        ]
    );
    assert_eq!(steps[3]["observed_on"], "2025-03-01");
    assert_ne!(steps[3]["previous"]["superseded_by"], steps[3]["run"]);
    assert_eq!(steps[4]["previous"]["superseded_by"], steps[4]["run"]);
    assert_eq!(steps[4]["until"], Value::Null);
    assert_eq!(steps[1]["days"], 31);
}

/// Who holds the record of the problem on a day, as `records` says.
fn holder(sandbox: &Sandbox, day: &str) -> Option<Value> {
    let records = sandbox.items(0, &["records", "--operation", PROBLEM, "--as-of", day]);
    assert!(records.len() < 2, "{records:?}");
    Some(records.first()?["record"]["run"].clone())
}

/// On every day, the last step until then has the record that `records` has.
fn agrees(sandbox: &Sandbox, days: &BTreeSet<&str>) {
    let steps = sandbox.items(0, &["history", PROBLEM, "--as-of=2025-12-31"]);
    for step in &steps {
        if let Some(day) = step["since"].as_str() {
            assert!(days.contains(day), "a step on a day without a run: {step}");
        }
    }
    for day in days {
        let until = |step: &&Value| step["since"].as_str().is_none_or(|since| since <= *day);
        let last = steps.iter().rfind(until).map(|step| step["run"].clone());
        assert_eq!(last, holder(sandbox, day), "on {day}: {steps:#?}");
        // Asked for that day the staircase ends there.
        let then = sandbox.items(0, &["history", PROBLEM, "--as-of", day]);
        assert_eq!(then.last().map(|step| step["run"].clone()), last);
        assert!(then.last().is_none_or(|step| step["until"].is_null()));
    }
    let pairs = steps.windows(2);
    for pair in pairs {
        assert_eq!(pair[0]["until"], pair[1]["since"]);
        assert_eq!(pair[0]["run"], pair[1]["previous"]["run"]);
        assert_ne!(pair[0]["run"], pair[1]["run"]);
    }
}

#[test]
fn the_staircase_is_what_records_said() {
    let days = [
        "2025-01-09",
        "2025-01-10",
        "2025-02-01",
        "2025-02-28",
        "2025-03-01",
        "2025-04-01",
        "2025-05-01",
        "2025-06-01",
        "2025-07-01",
        "2025-07-02",
    ];
    agrees(&staircase(), &days.into());
}

const DAYS: [&str; 6] = [
    "2025-01-05",
    "2025-01-06",
    "2025-02-01",
    "2025-02-02",
    "2025-03-01",
    "2025-04-01",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn any_staircase_is_what_records_said(
        runs in prop::collection::vec((0_usize..3, 0_usize..7, 200_u32..212), 4..10),
        retracted in 0_usize..12,
    ) {
        let sandbox = Sandbox::new();
        for (who, day, mean) in &runs {
            let day = DAYS.get(*day).copied();
            let mean = format!("{:.2}", f64::from(*mean) / 100.0);
            put(&sandbox, ["PyTorch eager", "Mine", "Yours"][*who], day, &mean);
        }
        let known = sandbox.items(0, &["sql", "SELECT run FROM v_run ORDER BY run"]);
        if let Some(row) = known.get(retracted) {
            let run = row["run"].as_str().unwrap();
            sandbox.expect(0, &["retract", run, "--reason=wrong"]);
        }
        agrees(&sandbox, &DAYS.into());
    }
}
