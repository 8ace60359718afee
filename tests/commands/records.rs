//! `kidx records`

use super::{AS_OF, check_command, check_commands, check_question, loaded};

#[test]
fn all() {
    check_question("records", &loaded(), &["records"], &["--limit", "2"]);
}

#[test]
fn each_format() {
    let base = ["records", "--as-of", AS_OF, "--operation"];
    let sandbox = loaded();
    for (format, operation) in [
        ("jsonl", "kernelbench/level1/40"),
        ("csv", "kernelbench/level2/28"),
        ("markdown", "kernelbench/level3/1"),
    ] {
        let arguments = [&base[..], &[operation, "--format", format]].concat();
        check_command(&format!("records_{format}"), &sandbox, 80, &arguments);
    }
}

#[test]
fn chosen_rows_and_columns() {
    let few: &[&[&str]] = &[
        &["records", "--limit", "3", "--offset", "95"],
        &["records", "--offset", "96"],
        &["records", "--sort=-speedup", "--limit", "3"],
        &["records", "--sort", "hardware,latency", "--limit", "3"],
        &["records", "--columns", "run,latency_ns", "--limit", "2"],
        &["records", "--columns", "floor,× floor,age", "--limit", "2"],
        &["records", "--hardware", "h100-sxm", "--level", "3"],
        &["records", "--hardware", "NVIDIA H100 PCIe", "--limit", "1"],
        &["records", "--hardware", "b200"],
        &["records", "--implementation", "pytorch-eager", "--level=3"],
        &["records", "--license", "permissive", "--limit", "1"],
        &["records", "--license", "GPL-3.0-only"],
        &["records", "--trust", "verified"],
        &["records", "--floor-policy", "headroom-v1", "--limit=1"],
        &["records", "--limit", "1", "--quiet"],
        &["records", "--limit", "1", "--verbose"],
        &["records", "--limit", "0"],
    ];
    let dated: Vec<Vec<&str>> = few
        .iter()
        .map(|arguments| [arguments, &["--as-of", AS_OF][..]].concat())
        .collect();
    let dated: Vec<&[&str]> = dated.iter().map(Vec::as_slice).collect();
    check_commands("records_chosen", &loaded(), &dated);
}

#[test]
fn of_other_days_and_of_what_was_known() {
    let base = ["records", "--operation", "kernelbench/level1/40"];
    let commands: Vec<Vec<&str>> = [
        &["--as-of", "2025-12-30"][..],
        &["--as-of", "2025-12-31"],
        &["--as-of", AS_OF, "--known-at", "2026-03-04"],
        &["--as-of", AS_OF, "--known-at", "2026-03-05"],
        &["--as-of", AS_OF, "--known-at", "2026-03-05T11:59:59Z"],
        &["--as-of", AS_OF, "--known-at", "2026-03-05T13:00:00+01:00"],
    ]
    .iter()
    .map(|more| [&base[..], more].concat())
    .collect();
    let commands: Vec<&[&str]> = commands.iter().map(Vec::as_slice).collect();
    check_commands("records_views", &loaded(), &commands);
}
