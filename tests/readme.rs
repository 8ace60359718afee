//! The README tells the truth: its commands are run in one shell, in order, and give
//! what stands below them.
//!
//! Lines of a `console` block that start with `$ ` are commands (a `\` at the end goes
//! on in the next line); what follows is their standard output and error. A line of
//! `…` alone stands for any lines, and how many milliseconds something took doesn't
//! matter. A command without output below it only has to succeed; one may fail if an
//! error is what is shown.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Stdio};

use crate::sandbox::{Ran, Sandbox};

/// Commands that build or test what runs here already.
const SKIPPED: [&str; 2] = ["cargo test", "cargo install"];

/// How the README calls the program before it is installed.
const RUN_FROM_SOURCE: &str = "cargo run --release --";

/// Between the output of a command and its exit code.
const MARK: char = '\u{1e}';

/// A command, where it stands, and the lines below it.
#[derive(Debug, PartialEq, Eq)]
struct Step {
    line: usize,
    command: String,
    expected: Vec<String>,
}

/// The commands of the `console` blocks.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((_, line)) = lines.next() {
        if line.trim_end() != "```console" {
            continue;
        }
        let first = steps.len();
        while let Some((at, line)) = lines.next().filter(|(_, line)| !line.starts_with("```")) {
            if let Some(command) = line.strip_prefix("$ ") {
                let mut command = command.to_owned();
                while command.ends_with('\\') {
                    let (_, more) = lines.next().expect("a command goes on");
                    command.push('\n');
                    command.push_str(more);
                }
                steps.push(Step {
                    line: at + 1,
                    command,
                    expected: Vec::new(),
                });
            } else {
                let step = steps[first..].last_mut().unwrap_or_else(|| {
                    panic!("line {}: output before any command: {line}", at + 1)
                });
                step.expected.push(line.to_owned());
            }
        }
    }
    steps.retain(|step| !SKIPPED.iter().any(|name| step.command.starts_with(name)));
    steps
}

/// A line without what differs from run to run: `· 35 ms`, blanks at the end.
fn steady(line: &str) -> String {
    let mut parts = line.trim_end().split("· ");
    let mut steady = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',');
        let elapsed = rest.len() < part.len()
            && rest
                .strip_prefix(" ms")
                .is_some_and(|after| !after.starts_with(char::is_alphanumeric));
        steady.push_str("· ");
        steady.push_str(if elapsed { rest } else { part });
    }
    steady
}

fn matches(expected: &[String], found: &[String]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((line, rest)) if line == "…" => {
            (0..=found.len()).any(|skipped| matches(rest, &found[skipped..]))
        }
        Some((line, rest)) => found
            .split_first()
            .is_some_and(|(first, others)| line == first && matches(rest, others)),
    }
}

/// Runs all commands in one shell: what each wrote, and its exit code.
fn run(steps: &[Step]) -> Vec<(String, String)> {
    let sandbox = Sandbox::new();
    sandbox.examples();
    let program = Path::new(assert_cmd::cargo::cargo_bin!("kidx"));
    let link = sandbox.write("bin/.keep", "").with_file_name("kidx");
    std::os::unix::fs::symlink(program, link).unwrap();
    let mut script = String::new();
    for step in steps {
        let command = step.command.replace(RUN_FROM_SOURCE, "kidx");
        script.push_str("{ ");
        script.push_str(&command);
        script.push_str("\n} 2>&1\nprintf '\\036%s\\n' \"$?\"\n");
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(sandbox.path(""))
        .env_clear()
        .env("PATH", format!("{}:{path}", sandbox.path("bin").display()))
        .env("HOME", sandbox.path("home"))
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let ran = Ran::of(output);
    assert_eq!(ran.err, "", "the shell doesn't understand the commands");
    let mut left = ran.out.as_str();
    let mut done = Vec::new();
    while let Some((written, rest)) = left.split_once(MARK) {
        let (code, rest) = rest.split_once('\n').unwrap_or((rest, ""));
        done.push((written.to_owned(), code.to_owned()));
        left = rest;
    }
    done
}

/// Where a text and the program disagree.
fn disagreements(text: &str) -> Vec<String> {
    let steps = steps(text);
    let done = run(&steps);
    assert_eq!(done.len(), steps.len(), "a command ended the shell");
    let mut found = Vec::new();
    for (step, (written, code)) in steps.iter().zip(&done) {
        let expected: Vec<String> = step.expected.iter().map(|line| steady(line)).collect();
        let lines: Vec<String> = written.lines().map(steady).collect();
        let same = expected.is_empty() || matches(&expected, &lines);
        let shows_error = expected.iter().any(|line| line.starts_with("error: "));
        if !same || (code != "0") != shows_error {
            found.push(format!(
                "line {}: $ {}\n--- it says\n{}\n--- the program says (exit code {code})\n{written}",
                step.line,
                step.command,
                step.expected.join("\n"),
            ));
        }
    }
    found
}

#[test]
fn the_readme_shows_what_the_program_does() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = std::fs::read_to_string(readme).unwrap();
    assert!(!steps(&text).is_empty());
    let found = disagreements(&text);
    assert!(found.is_empty(), "README.md\n{}", found.join("\n\n"));
}

/// A small README with everything that this module understands.
const SAMPLE: &str = "
# Sample

```console
$ cargo test --workspace
$ cargo run --release -- db path --quiet --db demo.db
demo.db
$ export KIDX_DB=demo.db
$ kidx import kernelbench examples/kernelbench \\
    --observed-on 2025-12-31
…
read 192 = inserted 192 + unchanged 0 + rejected 0 · 35 ms
…
```

```sh
$ this is not run
```

```console
$ kidx records --level 9
error: unknown level `level9`
…
$ kidx sql 'SELECT count(*) AS n FROM v_run' --format csv | tail -n 1
192
```
";

#[test]
fn a_true_text_is_taken() {
    let found = disagreements(SAMPLE);
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_eq!(steps(SAMPLE).len(), 5);
    assert_eq!(steps(SAMPLE)[0].line, 6);
}

#[test]
fn an_untrue_text_is_found_out() {
    for (text, line) in [
        ("$ echo one\ntwo\n", "line 2: $ echo one"),
        (
            "$ echo one\none\n$ echo two\none\n…\n",
            "line 4: $ echo two",
        ),
        ("$ kidx records --db none.db\n", "line 2: $ kidx records"),
        ("$ kidx records --db none.db\n…\n", "line 2: $ kidx records"),
        ("$ echo 'error: none'\nerror: none\n", "line 2: $ echo"),
        ("$ seq 3\n1\n…\n2\n", "line 2: $ seq 3"),
    ] {
        let found = disagreements(&format!("```console\n{text}```\n"));
        assert_eq!(found.len(), 1, "{text}");
        assert!(found[0].starts_with(line), "{}", found[0]);
    }
}

#[test]
fn only_elapsed_time_is_left_out() {
    for (line, left) in [
        ("rejected 0 · 35 ms", "rejected 0 ·  ms"),
        (
            "rejected 0 · 1,035 ms · dry run  ",
            "rejected 0 ·  ms · dry run",
        ),
        ("2.40 ms ±0.01 · mean of 100", "2.40 ms ±0.01 · mean of 100"),
        ("floor · 2.79 ms", "floor · 2.79 ms"),
    ] {
        assert_eq!(steady(line), left);
    }
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    for (expected, found, same) in [
        ("a\n…\nc", "a\nb\nb\nc", true),
        ("a\n…\nc", "a\nc", true),
        ("…", "", true),
        ("…\nb\n…", "a\nb\nb\nc", true),
        ("a\n…", "b\na", false),
        ("a … c", "a b c", false),
    ] {
        assert_eq!(matches(&lines(expected), &lines(found)), same, "{expected}");
    }
}
