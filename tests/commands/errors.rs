//! What a user meets who asks for something that isn't there: each message names it and
//! says what there is, and the exit code says whose fault it was.

use super::{AS_OF, check, check_commands, loaded, rendered};
use crate::sandbox::Sandbox;
use std::process::Stdio;

#[test]
fn unknown_filter_values_list_near_ones() {
    let sandbox = loaded();
    let mut texts = Vec::new();
    for (flag, value) in [
        ("--hardware", "h10"),
        ("--hardware", "NVIDIA H100 PCI"),
        ("--hardware", ""),
        ("--source", "kernelbnch"),
        ("--suite", "kb"),
        ("--suite-version", "2026-01-20"),
        ("--level", "9"),
        ("--family", "gem"),
        ("--operation", "kernelbench/level2/29"),
        ("--operation", "kernelbench/level2/28@2020-01-01"),
        ("--workload", "abc"),
        ("--workload", "abcdef0123"),
        ("--implementation", "torch"),
        ("--license", "MTI"),
        ("--trust", "verfied"),
        ("--dtype", "fp31"),
        ("--metric", "throughput"),
    ] {
        let text = rendered(&sandbox, 80, &["records", flag, value], Stdio::null());
        assert!(text.contains("exit code: 2"), "{text}");
        texts.push(text);
    }
    check("errors_filters", &texts.join("\n"));
    // The others understand the same filters.
    for command in ["stale", "floors", "export"] {
        let ran = sandbox.expect(2, &[command, "--hardware", "h10"]);
        assert!(ran.err.contains("`h100`"), "{}", ran.err);
    }
}

#[test]
fn unknown_columns_list_all() {
    let commands: &[&[&str]] = &[
        &["records", "--columns", "operation,latncy"],
        &["stale", "--columns", "nope"],
        &["floors", "--columns", "nope"],
        &["sources", "--columns", "nope"],
        &["export", "--columns", "nope"],
        &["records", "--sort", "nope"],
        &["records", "--sort=-nope"],
        &["export", "--sort", "run"],
        &["sql", "SELECT 1 AS n", "--columns", "n"],
        &["sql", "SELECT 1 AS n", "--sort", "n"],
    ];
    check_commands("errors_columns", &loaded(), commands);
}

#[test]
fn days_and_instants_that_are_none() {
    let commands: &[&[&str]] = &[
        &["records", "--as-of", "2026-13-01"],
        &["records", "--as-of", "yesterday"],
        &["records", "--as-of", "2026-09-15T12:00:00Z"],
        &["records", "--known-at", "soon"],
        &["records", "--known-at", "2026-03-05T12:00:00"],
        &["import", "kernelbench", "-", "--observed-on", "1.1.2026"],
        &["import", "kernelbench", "-", "--observed-on", "2026-02-30"],
    ];
    check_commands("errors_days", &loaded(), commands);
}

#[test]
fn formats_that_an_answer_does_not_have() {
    let show = ["show", "kernelbench/level1/1", "--as-of", AS_OF];
    let run = "run:00000000";
    let commands: &[&[&str]] = &[
        &[&show[..], &["--format", "csv"]].concat(),
        &[&show[..], &["--format", "markdown"]].concat(),
        &["db", "info", "--format", "csv"],
        &["db", "info", "--format", "markdown"],
        &["export", "--format", "table"],
        &["export", "--output", "runs.txt"],
        &["retract", run, "--reason", "x", "--format", "csv"],
    ];
    check_commands("errors_formats", &loaded(), commands);
}

#[test]
fn statements_that_do_more_than_read() {
    let sandbox = loaded();
    let before = std::fs::read(sandbox.db()).unwrap();
    let statements = [
        "DELETE FROM measurement",
        "UPDATE measurement SET value = 1",
        "CREATE TABLE mine (x)",
        "ATTACH 'other.db' AS other",
        "PRAGMA journal_mode = DELETE",
        "SELECT load_extension('x')",
        "VACUUM INTO 'copy.db'",
        "SELECT 1; DROP TABLE measurement",
        "SELECT nope FROM v_run",
        "SELECT * FROM runs",
        "SELEC 1",
        "SELECT ?1",
        "",
    ];
    let commands: Vec<[&str; 2]> = statements.map(|statement| ["sql", statement]).into();
    let commands: Vec<&[&str]> = commands.iter().map(<[&str; 2]>::as_slice).collect();
    check_commands("errors_sql", &sandbox, &commands);
    assert_eq!(std::fs::read(sandbox.db()).unwrap(), before);
    assert!(!sandbox.path("copy.db").exists() && !sandbox.path("other.db").exists());
}

#[test]
fn policies_and_families_that_are_unknown() {
    let commands: &[&[&str]] = &[
        &["records", "--floor-policy", "roofline-v9"],
        &["floors", "--floor-policy", "roofline-v9"],
        &["show", "kernelbench/level1/1", "--floor-policy=x"],
        &["show", "kernelbench/level1/1", "--watch", "h10"],
    ];
    check_commands("errors_policies", &loaded(), commands);
}

#[test]
fn files_that_are_no_database_of_ours() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "text.db",
        "this is not a database, but long enough to be read",
    );
    sandbox.write("folder/file", "");
    sandbox.write("empty.db", "");
    rusqlite::Connection::open(sandbox.path("other.db"))
        .unwrap()
        .execute_batch("PRAGMA application_id = 7; CREATE TABLE t (x)")
        .unwrap();
    let mut texts = Vec::new();
    for file in ["none.db", "text.db", "folder", "empty.db", "other.db"] {
        let arguments = ["records", "--db", file];
        texts.push(rendered(&sandbox, 80, &arguments, Stdio::null()));
    }
    sandbox.write("timing/L40S_lab/baseline_time_torch.json", "{}");
    for file in ["text.db", "folder", "other.db", "no/such/kidx.db"] {
        let arguments = ["import", "kernelbench", "timing", "--db", file];
        texts.push(rendered(&sandbox, 80, &arguments, Stdio::null()));
    }
    check("errors_databases", &texts.join("\n"));
}
