//! `kidx stale`

use super::{AS_OF, check_command, check_commands, check_question, loaded};
use crate::sandbox::{Sandbox, level1};
use serde_json::json;

#[test]
fn all() {
    check_question("stale", &loaded(), &["stale"], &["--limit", "2"]);
}

#[test]
fn limits_and_the_exit_code() {
    let commands: &[&[&str]] = &[
        &["stale", "--as-of", AS_OF, "--days", "400"],
        &["stale", "--as-of", "2026-01-15"],
        &["stale", "--as-of", "2026-01-15", "--check"],
        &["stale", "--as-of", AS_OF, "--level=3", "--check"],
        &["stale", "--as-of", AS_OF, "--level=3", "--quiet"],
        &["stale", "--as-of=2026-02-15", "--days=30", "--level=3"],
    ];
    check_commands("stale_limits", &loaded(), commands);
}

#[test]
fn as_rows() {
    let sandbox = loaded();
    for format in ["csv", "markdown"] {
        let arguments = [
            "stale", "--as-of", AS_OF, "--level", "3", "--format", format,
        ];
        check_command(&format!("stale_{format}"), &sandbox, 80, &arguments);
    }
}

#[test]
fn a_date_on_a_weak_basis_is_said() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("L40S_lab/times.json", level1(&[("1_A.py", "1.5")]));
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_hours(482_136);
    let times = std::fs::FileTimes::new().set_modified(long_ago);
    let opened = std::fs::File::options().write(true).open(&file).unwrap();
    opened.set_times(times).unwrap();
    sandbox.import(0, &file, &[]);
    let stale = sandbox.item(0, &["stale", "--as-of", AS_OF]);
    assert_eq!(stale["observed_basis"], "file-time");
    assert_eq!(
        stale["reasons"],
        json!(["TOO_OLD", "WEAK_DATE", "SOURCE_QUIET"])
    );
    // Declared, the same date is firm.
    sandbox.import(0, &file, &["--observed-on=2025-01-01"]);
    let stale = sandbox.item(0, &["stale", "--as-of", AS_OF]);
    assert_eq!(stale["reasons"], json!(["TOO_OLD", "SOURCE_QUIET"]));
}

#[test]
fn a_source_is_quiet_until_it_publishes_something_new() {
    let sandbox = Sandbox::new();
    let put = |name: &str, mean: &str, day: &str| {
        let file = sandbox.write(
            &format!("{name}/L40S_lab/times.json"),
            level1(&[(&format!("{name}.py"), mean)]),
        );
        sandbox.import(0, &file, &["--observed-on", day]);
    };
    let reasons = |more: &[&str]| {
        let arguments = [&["stale", "--as-of=2026-06-01"], more].concat();
        sandbox.items(0, &arguments)[0]["reasons"].clone()
    };
    put("1_A", "1.5", "2025-06-01");
    assert_eq!(reasons(&[]), json!(["TOO_OLD", "SOURCE_QUIET"]));
    // The same bytes met again are no news.
    put("1_A", "1.5", "2026-05-01");
    assert_eq!(reasons(&[]), json!(["TOO_OLD", "SOURCE_QUIET"]));
    let source = sandbox.item(0, &["sources", "--as-of=2026-06-01"]);
    assert_eq!(
        (&source["activity"], &source["newest_observation"]),
        (&json!("quiet"), &json!("2025-06-01"))
    );
    put("2_B", "2.5", "2026-05-01");
    assert_eq!(reasons(&[]), json!(["TOO_OLD"]));
    let source = sandbox.item(0, &["sources", "--as-of=2026-06-01"]);
    assert_eq!(source["activity"], "fresh");
    // On the day before the news, the source was quiet.
    let before = sandbox.items(0, &["stale", "--as-of=2026-04-30"]);
    assert_eq!(before[0]["reasons"], json!(["TOO_OLD", "SOURCE_QUIET"]));
    assert!(
        sandbox
            .items(0, &["stale", "--as-of=2026-06-01", "--known-at=2020-01-01"])
            .is_empty()
    );
}

#[test]
fn a_workload_that_the_suite_no_longer_has_is_stale_at_once() {
    let sandbox = Sandbox::new();
    for (version, mean) in [("2025-01-10", "0.0898"), ("2026-01-19", "2.79")] {
        let file = sandbox.write(
            &format!("{version}/H100_lab/times.json"),
            format!(
                r#"{{"level2": {{"28_BMM_InstanceNorm_Sum_ResidualAdd_Multiply.py":
                {{"mean": {mean}, "hardware": "NVIDIA H100 80GB HBM3"}}}}}}"#
            ),
        );
        let more = ["--observed-on=2026-01-01", "--suite-version", version];
        sandbox.import(0, &file, &more);
    }
    let stale = sandbox.item(0, &["stale", "--as-of=2026-01-02"]);
    assert_eq!(stale["latency_ns"], 89_800);
    assert_eq!(stale["reasons"], json!(["SUITE_SUPERSEDED"]));
    assert_eq!(
        (&stale["stale"], &stale["age_days"]),
        (&json!(true), &json!(1))
    );
    sandbox.expect(3, &["stale", "--as-of=2026-01-02", "--check"]);
    // Nothing is too old, but the source has long published nothing.
    let quiet = sandbox.item(0, &["stale", "--as-of", AS_OF, "--days=1000"]);
    assert_eq!(
        quiet["reasons"],
        json!(["SUITE_SUPERSEDED", "SOURCE_QUIET"])
    );
}
