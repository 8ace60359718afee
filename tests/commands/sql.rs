//! `kidx sql`: the documented views, in every format.

use super::{WIDTHS, check_command, check_commands, loaded};

const RECORDS: &str = "SELECT operation, implementation, latency_ns, observed_at, NULL AS none \
                       FROM v_record ORDER BY latency_ns LIMIT 3";

#[test]
fn each_format() {
    let sandbox = loaded();
    for width in WIDTHS {
        check_command(&format!("sql_{width}"), &sandbox, width, &["sql", RECORDS]);
    }
    for format in ["json", "jsonl", "csv", "markdown"] {
        let arguments = ["sql", RECORDS, "--format", format];
        check_command(&format!("sql_{format}"), &sandbox, 80, &arguments);
    }
}

#[test]
fn every_view_has_rows_or_says_so() {
    let views: Vec<String> = ["v_run", "v_record", "v_source", "v_issue", "v_sighting"]
        .map(|view| format!("SELECT * FROM {view} LIMIT 1"))
        .into();
    let commands: Vec<[&str; 2]> = views.iter().map(|view| ["sql", view]).collect();
    let commands: Vec<&[&str]> = commands.iter().map(<[&str; 2]>::as_slice).collect();
    let sandbox = loaded();
    for (view, width) in [("v_run", 80), ("v_record", 160)] {
        let query = format!("SELECT * FROM {view} LIMIT 2");
        check_command(&format!("sql_{view}"), &sandbox, width, &["sql", &query]);
    }
    check_commands("sql_views", &sandbox, &commands);
}

#[test]
fn pages_of_rows() {
    let commands: &[&[&str]] = &[
        &["sql", "VALUES (1), (2), (3)", "--offset=1", "--limit=1"],
        &["sql", "SELECT 1 AS n, 2 AS n, x'0aff' AS bytes, 1e999 AS x"],
        &["sql", "SELECT 1 WHERE 0"],
        &["sql", "SELECT 1 WHERE 0", "--format", "csv"],
        &["sql", "SELECT 1 WHERE 0", "--json"],
        &["sql", "PRAGMA user_version", "--quiet"],
    ];
    check_commands("sql_pages", &loaded(), commands);
}
