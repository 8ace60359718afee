//! `kidx stale`

use super::{AS_OF, check_command, check_commands, check_question, loaded};

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
