//! `kidx sources`

use super::{AS_OF, check_commands, check_question, loaded};
use crate::sandbox::Sandbox;

#[test]
fn all() {
    check_question("sources", &loaded(), &["sources"], &[]);
}

#[test]
fn views_and_rows() {
    let commands: &[&[&str]] = &[
        &["sources", "--as-of", "2026-01-15"],
        &["sources", "--as-of", "2025-12-30"],
        &["sources", "--as-of", AS_OF, "--known-at", "2026-03-04"],
        &["sources", "--as-of", AS_OF, "--columns", "source,terms"],
        &["sources", "--as-of", AS_OF, "--format", "csv"],
        &["sources", "--as-of", AS_OF, "--format", "markdown"],
    ];
    check_commands("sources_views", &loaded(), commands);
}

/// Terms that the user gave for a file show beside the source's own, and count.
#[test]
fn files_have_terms_of_their_own() {
    let sandbox = Sandbox::new();
    sandbox.examples();
    let import = [
        "import",
        "auto",
        "examples/evaluation",
        "--license=Apache-2.0",
        "--redistribution=no",
        "--observed-on=2026-02-01",
    ];
    sandbox.expect(0, &import);
    let sources = sandbox.items(0, &["sources", "--as-of", AS_OF]);
    let terms = &sources[0]["file_terms"];
    assert_eq!(terms[0]["license"]["concluded"], "Apache-2.0");
    assert_eq!(terms[0]["redistribution"], false);
    assert_eq!(terms[0]["files"], 1);
    let table = sandbox.expect(0, &["sources", "--as-of", AS_OF]).out;
    assert!(table.contains("unknown; files: Apache-2.0"), "{table}");
    let runs = |arguments: &[&str]| -> Vec<serde_json::Value> {
        let out = sandbox.expect(0, arguments).out;
        out.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    assert!(runs(&["export", "--format=jsonl"]).is_empty());
    let all = runs(&["export", "--format=jsonl", "--include-restricted"]);
    assert_eq!(all.len(), 8);
    assert!(all.iter().all(|run| run["redistribution"] == false));
}
