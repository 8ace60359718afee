//! `kidx --help` and what else is said about usage.

use super::{WIDTHS, check, check_commands, rendered};
use crate::sandbox::Sandbox;
use std::process::Stdio;

#[test]
fn of_the_program() {
    for width in WIDTHS {
        let text = rendered(&Sandbox::new(), width, &["--help"], Stdio::null());
        check(&format!("help_{width}"), &text);
    }
}

#[test]
fn of_commands() {
    let commands: &[&[&str]] = &[
        &["import", "--help"],
        &["records", "-h"],
        &["show", "-h"],
        &["speedups", "-h"],
        &["hardware", "-h"],
        &["db", "--help"],
        &["retract", "-h"],
    ];
    check_commands("help_commands", &Sandbox::new(), commands);
}

#[test]
fn wrong_usage() {
    let commands: &[&[&str]] = &[
        &["recrods"],
        &["records", "--hardwear", "h100"],
        &["records", "--limit", "few"],
        &["records", "--json", "--format", "csv"],
        &["records", "--format", "xml"],
        &["records", "--quiet", "--verbose"],
        &["records", "--color", "red"],
        &["stale", "--days", "-1"],
        &["show"],
        &["db"],
        &["retract", "run:00000000"],
        &["completions", "tcsh"],
        &["sql"],
        &["speedups", "--by", "gpu"],
        &["hardware", "--all", "show", "h100-pcie"],
    ];
    check_commands("help_wrong_usage", &Sandbox::new(), commands);
}
