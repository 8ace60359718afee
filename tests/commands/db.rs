//! `kidx db`

use super::{AS_OF, check, check_commands, loaded, rendered};
use crate::sandbox::Sandbox;
use std::process::Stdio;

#[test]
fn info() {
    let sandbox = loaded();
    for (name, width, arguments) in [
        ("db_info_80", 80, &["db", "info"][..]),
        ("db_info_160", 160, &["db", "info"]),
        (
            "db_info_json",
            80,
            &["db", "info", "--json", "--as-of", AS_OF],
        ),
    ] {
        let text = rendered(&sandbox, width, arguments, Stdio::null());
        // Sizes and digests of built-in tables change with them.
        let mut settings = insta::Settings::clone_current();
        settings.add_filter(r"(?m)^size( +)\d.*$", "size$1[size]");
        settings.add_filter(r"(wal, )\d.* in the log", "$1[size] in the log");
        settings.add_filter(r#"bytes": \d+"#, r#"bytes": "[size]""#);
        settings.add_filter(r"[0-9a-f]{64}", "[digest]");
        settings.bind(|| check(name, &text));
    }
}

#[test]
fn where_it_is() {
    let sandbox = Sandbox::new();
    let commands: &[&[&str]] = &[
        &["db", "path"],
        &["db", "path", "--quiet"],
        &["db", "path", "--db", "other.db"],
        &["db", "info"],
        &["db", "backup", "copy.db"],
    ];
    check_commands("db_none", &sandbox, commands);
    // Without `--db` and `KIDX_DB` it is where the user's data is.
    let output = sandbox
        .command()
        .env_remove("KIDX_DB")
        .env("XDG_DATA_HOME", sandbox.path("data"))
        .args(["db", "path", "--quiet"])
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        told.trim_end(),
        sandbox.path("data/kidx/kidx.db").to_str().unwrap()
    );
}

#[test]
fn a_backup_answers_as_the_file_does() {
    let sandbox = loaded();
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"(?m)^[\d.]+ [kM]i?B copied", "[size] copied");
    settings.bind(|| {
        let commands: &[&[&str]] = &[
            &["db", "backup", "copy.db"],
            &["db", "backup", "copy.db"],
            &["db", "backup", "quiet.db", "--quiet"],
            &["db", "backup", "no/such/copy.db"],
        ];
        check_commands("db_backup", &sandbox, commands);
    });
    let copied = sandbox.expect(0, &["export", "--format=jsonl", "--db=copy.db"]);
    assert_eq!(copied.out, sandbox.export());
}
