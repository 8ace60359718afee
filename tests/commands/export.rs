//! `kidx export`

use super::{AS_OF, check_command, check_commands, loaded};

const ONE: [&str; 3] = ["export", "--operation", "kernelbench/level1/40"];

#[test]
fn each_format() {
    let sandbox = loaded();
    for format in ["json", "jsonl", "csv", "markdown"] {
        let arguments = [&ONE[..], &["--format", format]].concat();
        check_command(&format!("export_{format}"), &sandbox, 80, &arguments);
    }
}

#[test]
fn with_ages_and_provenance() {
    let more = ["--as-of", AS_OF, "--with-provenance", "--limit", "1"];
    let arguments = [&ONE[..], &more].concat();
    check_command("export_provenance", &loaded(), 80, &arguments);
}

#[test]
fn into_a_file() {
    let sandbox = loaded();
    let columns = ["--columns", "run,latency_ns"];
    let commands: &[&[&str]] = &[
        &[&ONE[..], &columns, &["--output", "runs.csv"]].concat(),
        &[&ONE[..], &columns, &["--output", "runs.md", "--limit=1"]].concat(),
        &[&ONE[..], &["--output", "runs.jsonl", "--quiet"]].concat(),
        &[&ONE[..], &["--output", "runs.txt"]].concat(),
        &[&ONE[..], &["--output", "no/such/runs.csv"]].concat(),
        &["export", "--trust", "verified", "--output", "none.csv"],
    ];
    check_commands("export_files", &sandbox, commands);
    let lines = |name: &str| {
        let text = std::fs::read_to_string(sandbox.path(name)).unwrap();
        text.lines().count()
    };
    assert_eq!(lines("runs.csv"), 5);
    assert_eq!(lines("runs.jsonl"), 4);
    assert_eq!(lines("none.csv"), 1);
    assert!(!sandbox.path("runs.txt").exists());
}

#[test]
fn the_same_content_gives_the_same_bytes() {
    let one = loaded();
    let other = crate::sandbox::Sandbox::new();
    other.examples();
    // The folders in the other order, an hour or months later.
    for folder in ["H100_PCIe_LambdaLabs", "H100_Modal"] {
        let path = other.path("examples/kernelbench").join(folder);
        other.import(0, &path, &["--observed-on", super::OBSERVED_ON]);
    }
    assert_eq!(one.export(), other.export());
}
