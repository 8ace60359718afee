//! A folder of its own for each test, and the binary run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A temporary folder with a database path in it.
pub struct Sandbox {
    folder: tempfile::TempDir,
}

/// What a run of the binary gave.
pub struct Ran {
    /// Exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Sandbox {
    /// A fresh folder.
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Where the database is.
    pub fn db(&self) -> PathBuf {
        self.path("kidx.db")
    }

    /// Writes a file, with the folders above it.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Puts a copy of this repository's `examples` into the folder.
    pub fn examples(&self) {
        let from = Path::new(env!("CARGO_MANIFEST_DIR"));
        for entry in walkdir::WalkDir::new(from.join("examples")) {
            let entry = entry.unwrap();
            if entry.file_type().is_file() {
                let name = entry.path().strip_prefix(from).unwrap();
                let content = std::fs::read(entry.path()).unwrap();
                self.write(name.to_str().unwrap(), content);
            }
        }
    }

    /// The binary, to be run in the folder: no colour, fixed width, no user settings.
    pub fn command(&self) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("kidx"));
        command
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("NO_COLOR", "1")
            .env("COLUMNS", "100")
            .env("KIDX_DB", self.db())
            .stdin(Stdio::null());
        command
    }

    /// Runs the binary.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        let output = self.command().args(arguments).output().unwrap();
        Ran::of(output)
    }

    /// Runs it, expects an exit code, and returns what it gave.
    pub fn expect(&self, code: i32, arguments: &[&str]) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(
            ran.code,
            Some(code),
            "kidx {}\n--- stdout\n{}\n--- stderr\n{}",
            arguments.join(" "),
            ran.out,
            ran.err
        );
        ran
    }

    /// Runs a command with `--json` and returns its items.
    pub fn items(&self, code: i32, arguments: &[&str]) -> Vec<Value> {
        let mut arguments = arguments.to_vec();
        arguments.push("--json");
        self.expect(code, &arguments).items()
    }

    /// Runs a command with `--json` whose answer is one item.
    pub fn item(&self, code: i32, arguments: &[&str]) -> Value {
        let items = self.items(code, arguments);
        assert_eq!(items.len(), 1, "{items:?}");
        items.into_iter().next().unwrap()
    }

    /// Imports a path as KernelBench timings; the answer.
    pub fn import(&self, code: i32, path: &Path, more: &[&str]) -> Value {
        let path = path.to_str().unwrap();
        let mut arguments = vec!["import", "kernelbench", path];
        arguments.extend(more);
        self.item(code, &arguments)
    }

    /// Every run, as the export has it.
    pub fn export(&self) -> String {
        self.expect(0, &["export", "--format", "jsonl"]).out
    }
}

impl Ran {
    /// From a finished process.
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The items of a JSON answer; fails if it is not strict JSON.
    pub fn items(&self) -> Vec<Value> {
        let answer: Value = serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("not JSON: {error}\n{}", self.out));
        let items = answer["items"].as_array().unwrap().clone();
        assert_eq!(answer["count"], items.len());
        items
    }
}

/// Optional real data beside the checkout; a visible line says when it is absent.
pub fn real_data(part: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../shared")
        .join(part);
    if path.exists() {
        Some(path)
    } else {
        println!("skipped: no real data at {}", path.display());
        None
    }
}

/// A timing record as the suite writes them, on an L40S.
pub fn record(mean: &str) -> String {
    format!(
        r#"{{"mean": {mean}, "std": 0.01, "min": {mean}, "max": {mean}, "num_trials": 100, "hardware": "NVIDIA L40S", "device": "cuda:0"}}"#
    )
}

/// A timing file of one level.
pub fn level1(problems: &[(&str, &str)]) -> String {
    let entries: Vec<String> = problems
        .iter()
        .map(|(name, mean)| format!("\"{name}\": {}", record(mean)))
        .collect();
    format!("{{\"level1\": {{{}}}}}", entries.join(", "))
}
