//! `kidx sources`

use super::{AS_OF, check_commands, check_question, loaded};

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
