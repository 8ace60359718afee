//! `kidx mapping`

use crate::sandbox::Sandbox;

use super::check_command;

fn examples() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.examples();
    sandbox
}

#[test]
fn a_proposal_and_what_becomes_of_each_row() {
    let sandbox = examples();
    let file = "examples/mapping/harness.csv";
    check_command("mapping_new", &sandbox, 80, &["mapping", "new", file]);
    let check = ["mapping", "check", "examples/mapping/harness.toml", file];
    for width in [80, 160] {
        check_command(&format!("mapping_check_{width}"), &sandbox, width, &check);
    }
}

#[test]
fn a_proposal_can_be_checked_as_it_is() {
    let sandbox = examples();
    for file in [
        "examples/mapping/harness.csv",
        "examples/mapping/nightly.json",
    ] {
        let proposal = sandbox.expect(0, &["mapping", "new", file]).out;
        sandbox.write("proposed.toml", proposal);
        sandbox.expect(0, &["mapping", "check", "proposed.toml", file]);
    }
}
