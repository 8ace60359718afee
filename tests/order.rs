//! The same bytes twice insert nothing; any order of the same imports gives the same
//! export, byte for byte.

use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::Value;

use crate::sandbox::{Sandbox, level1};

/// Files that get in each other's way: versions of one file, copies under other names,
/// another unit, other spellings of device and provider.
fn files(sandbox: &Sandbox) -> Vec<(PathBuf, &'static str)> {
    let spelt = |text: &str, device: &str| text.replace("NVIDIA L40S", device);
    let base = level1(&[
        ("1_Axpy.py", "4.10"),
        ("2_Gather.py", "2.90"),
        ("3_Scatter.py", "6.05"),
    ]);
    let next = level1(&[
        ("1_Axpy.py", "3.70"),
        ("2_Gather.py", "2.90"),
        ("4_Softcap.py", "0.412"),
    ]);
    let seconds = level1(&[("1_Axpy.py", "0.00365"), ("2_Gather.py", "0.0028")]);
    let today = r#"{"level2": {"28_BMM_InstanceNorm_Sum_ResidualAdd_Multiply.py":
        {"mean": 2.79, "std": 0.0041, "min": 2.79, "max": 2.81, "num_trials": 100,
         "hardware": "NVIDIA H100 80GB HBM3"}}}"#;
    let eager = "baseline_time_torch.json";
    let compile = "baseline_time_torch_compile_inductor_default.json";
    vec![
        (
            sandbox.write(&format!("a/L40S_lab/{eager}"), &base),
            "2026-01-01",
        ),
        (
            sandbox.write(&format!("b/L40S_lab/{eager}"), &next),
            "2026-01-01",
        ),
        (
            sandbox.write(&format!("c/L40S_lab_backup/{eager}"), &base),
            "2026-01-01",
        ),
        (
            sandbox.write(&format!("d/L40S_LAB/{compile}"), &seconds),
            "2026-01-03",
        ),
        (
            sandbox.write(
                &format!("e/L40S_Lab/{compile}"),
                spelt(&next, "nvidia  l40s"),
            ),
            "2025-12-01",
        ),
        (
            sandbox.write("f/timings.json", spelt(&base, "Own GPU v2")),
            "2026-01-02",
        ),
        (
            sandbox.write("g/timings.json", spelt(&next, "own gpu V2")),
            "2026-01-02",
        ),
        (
            sandbox.write(&format!("h/H100_Modal/{eager}"), today),
            "2025-12-31",
        ),
        (
            sandbox.write(&format!("i/H100_Modal/{eager}"), today),
            "2025-12-30",
        ),
        (
            sandbox.write(
                &format!("j/H100_Modal/{compile}"),
                today.replace("2.79", "0.31"),
            ),
            "2025-12-30",
        ),
    ]
}

fn import_all(order: &[usize]) -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let files = files(&sandbox);
    for &at in order {
        let (path, day) = &files[at];
        sandbox.import(0, path, &["--observed-on", day]);
    }
    let export = sandbox.export();
    (sandbox, export)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn any_order_gives_the_same_bytes(order in Just((0..10).collect::<Vec<usize>>()).prop_shuffle()) {
        let (_first, expected) = import_all(&(0..10).collect::<Vec<_>>());
        let (sandbox, export) = import_all(&order);
        prop_assert_eq!(&export, &expected, "order {:?}", order);
        let checked = sandbox.item(0, &["verify"]);
        prop_assert_eq!(&checked["findings"], &Value::Array(vec![]));
    }
}

/// The same bytes read again under other names, units and dates, in any order.
#[test]
fn readings_of_the_same_bytes_come_out_the_same_in_any_order() {
    let ways: [&[&str]; 6] = [
        &[],
        &["--implementation=My kernel"],
        &["--observed-on=2025-06-01"],
        &["--provider=Zed"],
        &["--unit=s"],
        &["--provider=Zed", "--observed-on=2025-05-01"],
    ];
    let orders = [
        [0, 1, 2, 3, 4, 5],
        [5, 4, 3, 2, 1, 0],
        [1, 4, 0, 3, 5, 2],
        [2, 0, 4, 1, 5, 3],
        [3, 1, 5, 0, 2, 4],
    ];
    let mut exports = std::collections::BTreeSet::new();
    for order in orders {
        let sandbox = Sandbox::new();
        let name = "L40S_lab/baseline_time_torch.json";
        let file = sandbox.write(
            name,
            level1(&[("1_Axpy.py", "4.10"), ("2_Gather.py", "2.90")]),
        );
        let other = sandbox.write(
            &format!("b/{name}"),
            level1(&[("1_Axpy.py", "4.2"), ("2_Gather.py", "2.8")]),
        );
        // File times must not differ between sandboxes.
        let touched = std::process::Command::new("touch")
            .args(["-d", "2026-02-03T04:05:06Z"])
            .args([&file, &other])
            .status()
            .unwrap();
        assert!(touched.success());
        for way in order {
            sandbox.import(0, &file, ways[way]);
            let checked = sandbox.item(0, &["verify"]);
            assert_eq!(
                checked["findings"],
                Value::Array(vec![]),
                "order {order:?} at {way}"
            );
        }
        sandbox.import(0, &other, &[]);
        let checked = sandbox.item(0, &["verify"]);
        assert_eq!(checked["findings"], Value::Array(vec![]), "order {order:?}");
        exports.insert(sandbox.export());
    }
    assert_eq!(exports.len(), 1, "{exports:#?}");
}

#[test]
fn importing_twice_inserts_nothing() {
    let (sandbox, export) = import_all(&(0..10).collect::<Vec<_>>());
    for (path, day) in files(&sandbox) {
        let answer = sandbox.import(0, &path, &["--observed-on", day]);
        assert_eq!(answer["totals"]["inserted"], 0, "{}", path.display());
        assert_eq!(answer["totals"]["read"], answer["totals"]["unchanged"]);
        assert_eq!(answer["records"]["set"], 0);
        assert_eq!(answer["records"]["broken"], 0);
    }
    assert_eq!(sandbox.export(), export);
}

#[test]
fn a_dry_run_reports_the_same_and_writes_nothing() {
    let sandbox = Sandbox::new();
    let files = files(&sandbox);
    let (path, day) = &files[0];
    let strip = |mut answer: Value| {
        answer["elapsed_ms"] = Value::Null;
        answer["dry_run"] = Value::Null;
        answer
    };
    let dry = sandbox.import(0, path, &["--observed-on", day, "--dry-run"]);
    assert!(!sandbox.db().exists());
    let wet = sandbox.import(0, path, &["--observed-on", day]);
    assert_eq!(strip(dry), strip(wet));
    let before = sandbox.export();
    let (path, day) = &files[1];
    let dry = sandbox.import(0, path, &["--observed-on", day, "--dry-run"]);
    assert_eq!(sandbox.export(), before);
    let wet = sandbox.import(0, path, &["--observed-on", day]);
    assert_eq!(strip(dry), strip(wet));
}

/// The same figures in a coarser and a finer text are one run, as fine as the coarser.
#[test]
fn the_coarsest_text_counts_in_any_order() {
    let files = ["2.79", "2.790", "2.79000"];
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let sandbox = Sandbox::new();
        for at in order {
            let file = sandbox.write(
                &format!("{at}/L40S_lab/baseline_time_torch.json"),
                level1(&[("1_Axpy.py", files[at])]),
            );
            sandbox.import(0, &file, &["--observed-on", "2026-01-01"]);
        }
        let runs = sandbox.items(0, &["sql", "SELECT resolution FROM measurement"]);
        assert_eq!(
            runs,
            [serde_json::json!({"resolution": 5_000_000})],
            "{order:?}"
        );
        sandbox.expect(0, &["verify"]);
    }
}

/// Of several readings of the same bytes, one whose suite version was declared counts over
/// one that says nothing of it, whichever came first.
#[test]
fn a_declared_suite_version_counts() {
    let ambiguous = r#"{"level1": {"97_ScaledDotProductAttention.py":
        {"mean": 3.1, "std": 0.01, "min": 3.0, "max": 3.2, "num_trials": 100,
         "hardware": "NVIDIA H100 80GB HBM3"}}}"#;
    for declared_first in [true, false] {
        let sandbox = Sandbox::new();
        let file = sandbox.write("H100_lab/baseline_time_torch.json", ambiguous);
        let declared = &["--suite-version", "2026-01-19"][..];
        let mut ways = [declared, &[]];
        if !declared_first {
            ways.reverse();
        }
        for way in ways {
            sandbox.import(0, &file, way);
        }
        let records = sandbox.items(0, &["records"]);
        assert_eq!(records.len(), 1);
        assert_eq!(
            records[0]["workload"]["shapes_known"], true,
            "{declared_first}"
        );
    }
}

/// A licence declared for a file is that of its figures: nothing the source says makes it
/// permissive.
#[test]
fn a_declared_licence_counts() {
    let sandbox = Sandbox::new();
    let file = sandbox.write(
        "L40S_lab/baseline_time_torch.json",
        level1(&[("1_Axpy.py", "4.10")]),
    );
    sandbox.import(0, &file, &["--license", "All rights reserved"]);
    let records = sandbox.items(0, &["records"]);
    assert_eq!(records[0]["license"], Value::Null);
    assert_eq!(records[0]["data_license"], Value::Null);
    assert!(
        sandbox
            .items(0, &["records", "--license", "permissive"])
            .is_empty()
    );
}
