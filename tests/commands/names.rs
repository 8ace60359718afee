//! Names and prefixes of names: unknown, too short, ambiguous.

use super::{AS_OF, OBSERVED_ON, check, check_commands, loaded, rendered};
use crate::sandbox::{Sandbox, level1};
use std::process::Stdio;

#[test]
fn unknown_ones() {
    let commands: &[&[&str]] = &[
        &["show", "nonsense"],
        &["show", ""],
        &["show", "kernelbench/level9/1"],
        &["show", "kernelbench/level2/29"],
        &["show", "kernelbench/level1/1@2020-01-01"],
        &["show", "run:0000000000"],
        &["show", "run:12"],
        &["show", "sha256:0000000000"],
        &["show", "sha256:nothex00"],
        &["show", "snap:0000000000"],
        &["show", "hw:h10"],
        &["show", "impl:torch"],
        &["retract", "run:0000000000", "--reason", "x"],
        &["retract", "kernelbench/level1/1", "--reason", "x"],
        &["retract", "run:12", "--reason", "x"],
        &["retract", "run:0000000000", "--reason", " "],
    ];
    check_commands("names_unknown", &loaded(), commands);
}

#[test]
fn a_family_is_several_products() {
    let commands: &[&[&str]] = &[&["show", "hw:h100"], &["show", "hw:NVIDIA H100 PCIe"]];
    let text = rendered(&loaded(), 80, commands[0], Stdio::null());
    check("names_family", &text);
    loaded().expect(0, commands[1]);
}

#[test]
fn prefixes_that_several_digests_have() {
    let sandbox = loaded();
    // No two digests of the examples share eight digits, so some are made to.
    rusqlite::Connection::open(sandbox.db())
        .unwrap()
        .execute_batch(
            "PRAGMA foreign_keys = OFF;
             UPDATE measurement SET digest = unhex('aaaaaaaa' || substr(hex(digest), 9))
             WHERE id IN (1, 2);
             UPDATE snapshot SET sha256 = 'sha256:bbbbbbbb' || substr(sha256, 16)
             WHERE id IN (1, 2);
             UPDATE operation SET digest = 'sha256:cccccccc' || substr(digest, 16)
             WHERE id = 1;
             UPDATE workload SET digest = 'sha256:cccccccc' || substr(digest, 16)
             WHERE id = 2;
             UPDATE implementation SET digest = 'sha256:dddddddd' || substr(digest, 16);",
        )
        .unwrap();
    let commands: &[&[&str]] = &[
        &["show", "run:aaaaaaaa"],
        &["retract", "run:aaaaaaaa", "--reason", "x"],
        &["show", "sha256:aaaaaaaa"],
        &["show", "snap:bbbbbbbb"],
        &["show", "sha256:bbbbbbbb"],
        &["show", "sha256:cccccccc"],
        &["records", "--operation", "sha256:cccccccc"],
        &["show", "impl:dddddddd"],
        &["show", "sha256:dddddddd"],
    ];
    check_commands("names_ambiguous", &sandbox, commands);
}

#[test]
fn implementations_of_one_name() {
    let sandbox = Sandbox::new();
    for (lab, name, mean) in [("one", "my kernel", "1.84"), ("two", "My Kernel", "1.92")] {
        let path = sandbox.write(
            &format!("timing/L40S_{lab}/times.json"),
            level1(&[("1_A.py", mean)]),
        );
        let named = ["--implementation", name, "--observed-on", OBSERVED_ON];
        sandbox.import(0, &path, &named);
    }
    let commands: &[&[&str]] = &[
        &["show", "impl:my kernel"],
        &["records", "--implementation", "my kernel", "--as-of", AS_OF],
    ];
    check_commands("names_twice", &sandbox, commands);
}
