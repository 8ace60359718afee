//! `kidx verify`

use super::{AS_OF, WIDTHS, check_command, loaded};

#[test]
fn a_sound_file() {
    let sandbox = loaded();
    check_command("verify", &sandbox, 80, &["verify"]);
    let arguments = ["verify", "--json", "--as-of", AS_OF];
    check_command("verify_json", &sandbox, 80, &arguments);
}

#[test]
fn a_file_that_was_tampered_with() {
    let sandbox = loaded();
    rusqlite::Connection::open(sandbox.db())
        .unwrap()
        .execute_batch(
            "UPDATE measurement SET value = value / 2 WHERE id = 1;
             UPDATE snapshot SET bytes = bytes + 1 WHERE id = 2;
             DELETE FROM standing WHERE cohort_id = 3;",
        )
        .unwrap();
    for width in WIDTHS {
        check_command(
            &format!("verify_findings_{width}"),
            &sandbox,
            width,
            &["verify"],
        );
    }
    for format in ["json", "csv"] {
        let name = format!("verify_findings_{format}");
        let arguments = ["verify", "--format", format, "--as-of", AS_OF];
        check_command(&name, &sandbox, 80, &arguments);
    }
}
