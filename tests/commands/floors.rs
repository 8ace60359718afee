//! `kidx floors`

use super::{AS_OF, check_command, check_question, loaded};

#[test]
fn all() {
    check_question("floors", &loaded(), &["floors"], &["--limit", "2"]);
}

#[test]
fn by_the_other_policy() {
    let arguments = [
        "floors",
        "--floor-policy",
        "headroom-v1",
        "--hardware",
        "h100-sxm",
        "--level",
        "2",
    ];
    check_question("floors_headroom", &loaded(), &arguments, &["--limit", "1"]);
}

#[test]
fn as_rows() {
    let sandbox = loaded();
    for format in ["csv", "markdown"] {
        let arguments = [
            "floors", "--as-of", AS_OF, "--level", "3", "--format", format,
        ];
        check_command(&format!("floors_{format}"), &sandbox, 80, &arguments);
    }
}
