//! The suite's real history, where a clone of its repository with all branches and pull
//! requests is at hand: `KIDX_SUITE_REPOSITORY` names it. Counts were taken with `git`
//! itself; latencies and holders by hand from the files.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, real_data};

fn suite_repository() -> Option<PathBuf> {
    let named = std::env::var_os("KIDX_SUITE_REPOSITORY").map(PathBuf::from);
    if named.is_none() {
        println!("skipped: KIDX_SUITE_REPOSITORY names no clone of the suite");
    }
    named
}

fn sql(sandbox: &Sandbox, statement: &str) -> Vec<Value> {
    sandbox.items(0, &["sql", statement])
}

/// The single figure of a statement `SELECT … AS n`.
fn count(sandbox: &Sandbox, statement: &str) -> i64 {
    sql(sandbox, statement)[0]["n"].as_i64().unwrap()
}

#[test]
fn every_scope_has_the_contents_that_git_has() {
    let Some(repository) = suite_repository() else {
        return;
    };
    for (scope, files, contents, read, without_timing, devices) in [
        (&[][..], 52, 46, 12_740, 17, 10),
        (&["--all-branches"][..], 71, 65, 14_736, 23, 12),
        (&["--all-refs"][..], 115, 105, 22_310, 2_823, 14),
    ] {
        let sandbox = Sandbox::new();
        let more = [&["--history", "--allow-rejected"][..], scope].concat();
        let answer = sandbox.import(0, &repository, &more);
        let listed = answer["files"].as_array().unwrap();
        let digests: BTreeSet<&str> = listed.iter().filter_map(|f| f["sha256"].as_str()).collect();
        assert_eq!(
            (listed.len(), digests.len()),
            (files, contents),
            "{scope:?}"
        );
        let totals = &answer["totals"];
        let total = |key: &str| totals[key].as_u64().unwrap();
        assert_eq!(total("read"), read, "{scope:?}");
        assert_eq!(
            total("read"),
            total("inserted") + total("unchanged") + total("rejected")
        );
        let issues = answer["issues"].as_array().unwrap();
        let empty = issues.iter().filter(|issue| issue["code"] == "NO_TIMING");
        assert_eq!(empty.count(), without_timing, "{scope:?}");
        assert_eq!(
            count(
                &sandbox,
                "SELECT count(DISTINCT hardware) AS n FROM v_sighting"
            ),
            devices,
            "{scope:?}"
        );
        // All of it again is nothing new.
        let again = sandbox.import(0, &repository, &more);
        assert_eq!(again["totals"]["inserted"], 0);
        let checked = sandbox.item(0, &["verify"]);
        assert_eq!(checked["findings"], json!([]), "{scope:?}");
    }
}

#[test]
fn names_that_changed_meaning_are_two_workloads() {
    let Some(repository) = suite_repository() else {
        return;
    };
    let sandbox = Sandbox::new();
    sandbox.import(0, &repository, &["--history"]);
    let workloads = sql(
        &sandbox,
        "SELECT workload, count(*) AS runs, count(DISTINCT cohort) AS cohorts FROM v_run
         WHERE operation = 'kernelbench/level2/28' GROUP BY workload ORDER BY workload",
    );
    let sizes: Vec<&str> = workloads
        .iter()
        .map(|row| row["workload"].as_str().unwrap())
        .collect();
    assert_eq!(
        sizes,
        [
            "batch_size=1024 in_features=8192 out_features=8192 fp32",
            "batch_size=128 in_features=64 out_features=128 fp32"
        ]
    );
    assert_eq!(
        count(
            &sandbox,
            "SELECT count(*) AS n FROM (SELECT cohort FROM v_run
             WHERE operation = 'kernelbench/level2/28' GROUP BY cohort
             HAVING count(DISTINCT workload) > 1)"
        ),
        0
    );
    // Old names, new shapes: the file of 2025-07-06.
    let first = sql(
        &sandbox,
        "SELECT workload, latency_ns FROM v_run WHERE operation = 'kernelbench/level2/28'
         AND hardware = 'h100-pcie-80gb' ORDER BY observed_at LIMIT 1",
    );
    assert_eq!(
        first,
        [json!({
            "workload": "batch_size=1024 in_features=8192 out_features=8192 fp32",
            "latency_ns": 4_970_000.0
        })]
    );
    // The page is of one workload and lists the other.
    let page = sandbox.item(0, &["show", "kernelbench/level2/28"]);
    assert_eq!(page["workload"]["axes"]["in_features"], 8_192);
    let others = page["versions"].as_array().unwrap();
    assert_eq!(others.len(), 1);
    assert_eq!(
        others[0]["workload"],
        "batch_size=128 in_features=64 out_features=128 fp32"
    );
}

#[test]
fn rows_that_measured_something_else_hold_no_record() {
    let Some(repository) = suite_repository() else {
        return;
    };
    let sandbox = Sandbox::new();
    sandbox.import(0, &repository, &["--history", "--all-branches"]);
    let old_sized = sql(
        &sandbox,
        "SELECT doubts, rank, hardware FROM v_run WHERE operation = 'kernelbench/level2/28'
         AND latency_ns = 89800 AND provider = 'modal' COLLATE NOCASE AND hardware LIKE 'h%'",
    );
    assert_eq!(
        old_sized,
        [json!({"doubts": "BELOW_HARD,SHAPE_DOUBTED", "rank": null, "hardware": "h100-sxm5-80gb"})]
    );
    // Devices by record, not by folder.
    let devices = |folder: &str| -> BTreeSet<String> {
        sql(
            &sandbox,
            &format!("SELECT DISTINCT hardware FROM v_sighting WHERE folder = '{folder}'"),
        )
        .iter()
        .map(|row| row["hardware"].as_str().unwrap().to_owned())
        .collect()
    };
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(
        devices("H100_modal"),
        set(&["NVIDIA H100 80GB HBM3", "NVIDIA H200"])
    );
    assert_eq!(devices("A10G_modal"), set(&["NVIDIA A10", "NVIDIA A10G"]));
    assert_eq!(
        devices("A100_modal"),
        set(&["NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-80GB"])
    );
    assert_eq!(
        count(
            &sandbox,
            "SELECT count(*) AS n FROM (SELECT cohort FROM v_run GROUP BY cohort
             HAVING count(DISTINCT hardware) > 1)"
        ),
        0
    );
    let unlisted = sql(
        &sandbox,
        "SELECT DISTINCT product, hardware_family FROM v_run
         WHERE hardware NOT IN (SELECT slug FROM hardware WHERE listed = 1)",
    );
    assert_eq!(
        unlisted,
        [json!({"product": "AMD Instinct MI250X/MI250", "hardware_family": null})]
    );
}

#[test]
fn a_card_without_its_form_is_a_product_of_its_own() {
    let Some(forks) = real_data("data/kernelbench-forks") else {
        return;
    };
    let sandbox = Sandbox::new();
    sandbox.import(0, &forks, &[]);
    let product = sql(
        &sandbox,
        "SELECT DISTINCT hardware, product, hardware_family FROM v_run",
    );
    assert_eq!(
        product,
        [json!({"hardware": "nvidia-h100", "product": "NVIDIA H100", "hardware_family": "h100"})]
    );
    // Without peaks there is no floor to be held against.
    let records = sandbox.items(0, &["records", "--hardware", "NVIDIA H100"]);
    assert!(
        records
            .iter()
            .all(|record| record["floor"]["floor_ns"].is_null())
    );
}

#[test]
fn timing_methods_split_cohorts_and_pages_say_so() {
    let Some(repository) = suite_repository() else {
        return;
    };
    let sandbox = Sandbox::new();
    sandbox.import(0, &repository, &["--history"]);
    let eras = sql(
        &sandbox,
        "SELECT cache, min(substr(observed_at, 1, 10)) AS since,
                max(substr(observed_at, 1, 10)) AS until
         FROM v_run GROUP BY cache ORDER BY since",
    );
    assert_eq!(
        eras,
        [
            json!({"cache": "warm", "since": "2024-11-09", "until": "2025-07-21"}),
            json!({"cache": "l2-cleared", "since": "2025-12-31", "until": "2025-12-31"}),
        ]
    );
    let page = sandbox.expect(0, &["show", "kernelbench/level2/28"]).out;
    assert!(page.contains("3 warm-ups · cache warm"), "{page}");
}

/// The suite's own four files of today, before and after its history.
#[test]
fn the_order_of_history_and_files_does_not_matter() {
    let (Some(repository), Some(today)) =
        (suite_repository(), real_data("data/kernelbench/current"))
    else {
        return;
    };
    let mut exports = BTreeSet::new();
    for order in [
        [
            (&repository, &["--history", "--all-branches"][..]),
            (&today, &[][..]),
        ],
        [
            (&today, &[][..]),
            (&repository, &["--history", "--all-branches"][..]),
        ],
    ] {
        let sandbox = Sandbox::new();
        for (path, more) in order {
            sandbox.import(0, path, more);
        }
        sandbox.import(0, &repository, &["--history"]);
        exports.insert(sandbox.export());
    }
    assert_eq!(exports.len(), 1);
}

/// Who held the record on the H100 `PCIe` and with what, after each of its four commits:
/// worked out by hand from the files.
#[test]
fn records_changed_hands_as_worked_out_by_hand() {
    let Some(repository) = suite_repository() else {
        return;
    };
    let sandbox = Sandbox::new();
    sandbox.import(0, &repository, &["--history"]);
    let compiled = "torch.compile (inductor)";
    let eager = "PyTorch eager";
    for (problem, steps) in [
        (
            "level1/1",
            [(3.75, eager), (3.75, eager), (3.75, eager), (3.68, eager)],
        ),
        (
            "level1/19",
            [(6.95, eager), (6.95, eager), (6.96, eager), (6.96, eager)],
        ),
        (
            "level2/28",
            [
                (4.97, eager),
                (4.94, eager),
                (4.95, eager),
                (4.86, compiled),
            ],
        ),
        (
            "level2/78",
            [(5.5, eager), (5.51, eager), (5.48, eager), (5.47, eager)],
        ),
        (
            "level3/1",
            [(5.56, eager), (5.52, eager), (5.44, eager), (5.44, eager)],
        ),
    ] {
        let id = format!("kernelbench/{problem}");
        let found: Vec<(String, String, f64)> = sandbox
            .items(0, &["history", &id, "--hardware", "h100-pcie"])
            .iter()
            .map(|step| {
                let text = |value: &Value| value.as_str().unwrap().to_owned();
                (
                    text(&step["since"]),
                    text(&step["implementation"]),
                    step["latency_ns"].as_f64().unwrap(),
                )
            })
            .collect();
        let days = ["2025-07-06", "2025-07-15", "2025-07-21", "2025-07-21"];
        let expected: Vec<(String, String, f64)> = days
            .iter()
            .zip(steps)
            .map(|(day, (ms, holder))| ((*day).to_owned(), holder.to_owned(), ms * 1e6))
            .collect();
        assert_eq!(found, expected, "{problem}");
    }
}
