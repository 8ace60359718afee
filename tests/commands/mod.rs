//! What each command prints, whole: standard output, standard error and exit code, at
//! two widths and as JSON, on the example files of this repository.

mod audit;
mod completions;
mod db;
mod errors;
mod export;
mod floors;
mod hardware;
mod help;
mod history;
mod import;
mod inspect;
mod man;
mod mapping;
mod names;
mod records;
mod retract;
mod score;
mod show;
mod sources;
mod speedups;
mod sql;
mod stale;
mod verify;

use std::fmt::Write as _;
use std::process::Stdio;
use std::sync::OnceLock;

use crate::sandbox::{Ran, Sandbox};

/// The day that the example files are declared to be of.
const OBSERVED_ON: &str = "2025-12-31";

/// The day that questions are asked for, so that no age depends on today.
const AS_OF: &str = "2026-09-15";

/// When and where the database of [`loaded`] learned of its files.
const LEARNED_AT: &str = "2026-03-05T12:00:00Z";
const FOLDER: &str = "/data";

/// Widths of a narrow and of a wide terminal.
const WIDTHS: [usize; 2] = [80, 160];

/// A sandbox with the example files imported, as if at one instant and in one folder.
fn loaded() -> Sandbox {
    static FILE: OnceLock<Vec<u8>> = OnceLock::new();
    let file = FILE.get_or_init(|| {
        let sandbox = Sandbox::new();
        sandbox.examples();
        sandbox.expect(
            0,
            &[
                "import",
                "kernelbench",
                "examples/kernelbench",
                "--observed-on",
                OBSERVED_ON,
            ],
        );
        let connection = rusqlite::Connection::open(sandbox.db()).unwrap();
        connection
            .execute_batch(&format!(
                "UPDATE reading SET learned_at = '{LEARNED_AT}';
                 UPDATE origin SET learned_at = '{LEARNED_AT}', location =
                     '{FOLDER}' || substr(location, instr(location, '/examples/'));"
            ))
            .unwrap();
        connection.close().unwrap();
        std::fs::read(sandbox.db()).unwrap()
    });
    let sandbox = Sandbox::new();
    sandbox.write("kidx.db", file);
    sandbox
}

/// Runs a command in a terminal of this width and renders all that it gave.
fn rendered(sandbox: &Sandbox, width: usize, arguments: &[&str], input: Stdio) -> String {
    let output = sandbox
        .command()
        .env("COLUMNS", width.to_string())
        // Relative, so that no message is as long as the sandbox's path.
        .env("KIDX_DB", "kidx.db")
        .args(arguments)
        .stdin(input)
        .output()
        .unwrap();
    let Ran { code, out, err } = Ran::of(output);
    let code = code.map_or_else(|| "none".to_owned(), |code| code.to_string());
    let line: Vec<String> = arguments.iter().map(|argument| quoted(argument)).collect();
    let mut text = format!("$ kidx {}\nexit code: {code}\n", line.join(" "));
    for (name, stream) in [("stdout", out), ("stderr", err)] {
        if !stream.is_empty() {
            // Writing to a String can't fail.
            let _ = write!(text, "--- {name}\n{stream}");
        }
    }
    let folder = sandbox.path("").display().to_string();
    text.replace(folder.trim_end_matches('/'), "[folder]")
}

/// An argument as a shell takes it.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=:/.,@+…".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

/// Compares a text with `tests/snapshots/<name>.snap`; what differs from run to run or
/// from release to release is masked.
fn check(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.add_filter(r"· \d[\d,]* ms", "· [elapsed] ms");
    settings.add_filter(r#""elapsed_ms": \d+"#, r#""elapsed_ms": "[elapsed]""#);
    settings.add_filter(r#""kidx": "[^"]+""#, r#""kidx": "[version]""#);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Compares a command's whole output.
fn check_command(name: &str, sandbox: &Sandbox, width: usize, arguments: &[&str]) {
    check(name, &rendered(sandbox, width, arguments, Stdio::null()));
}

/// Compares the outputs of several commands, run one after the other, in one snapshot.
fn check_commands(name: &str, sandbox: &Sandbox, commands: &[&[&str]]) {
    let rendered = commands
        .iter()
        .map(|arguments| rendered(sandbox, 80, arguments, Stdio::null()));
    check(name, &rendered.collect::<Vec<_>>().join("\n"));
}

/// Compares the answer of a question at each width, and as JSON with some more
/// arguments that keep it short.
fn check_question(name: &str, sandbox: &Sandbox, arguments: &[&str], shorter: &[&str]) {
    let arguments = [arguments, &["--as-of", AS_OF]].concat();
    for width in WIDTHS {
        check_command(&format!("{name}_{width}"), sandbox, width, &arguments);
    }
    let arguments = [&arguments[..], &["--json"], shorter].concat();
    check_command(&format!("{name}_json"), sandbox, 80, &arguments);
}
