//! `kidx completions`: the scripts are clap's, so they are held by what they know.

use std::process::{Command, Stdio};

use crate::sandbox::Sandbox;

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

fn script(shell: &str) -> String {
    let ran = Sandbox::new().expect(0, &["completions", shell]);
    assert_eq!(ran.err, "");
    ran.out
}

#[test]
fn every_shell_knows_every_command_and_flag() {
    for shell in SHELLS {
        let script = script(shell);
        for word in [
            "import",
            "records",
            "show",
            "stale",
            "floors",
            "sources",
            "export",
            "retract",
            "verify",
            "sql",
            "db",
            "backup",
            "completions",
            "man",
            "observed-on",
            "floor-policy",
            "with-provenance",
            "as-of",
            "known-at",
            "hardware",
        ] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn the_script_is_one_that_its_shell_reads() {
    for shell in SHELLS {
        let Ok(mut child) = Command::new(shell)
            .arg("-n")
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
        else {
            println!("skipped: no {shell} here");
            continue;
        };
        let mut input = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut input, script(shell).as_bytes()).unwrap();
        drop(input);
        assert!(child.wait().unwrap().success(), "{shell}");
    }
}
