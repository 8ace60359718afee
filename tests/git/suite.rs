//! A suite of our own: what its problems are at the commit that brought a file decides
//! what the file timed.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{history, is_sound};
use crate::repository::Repo;
use crate::sandbox::Sandbox;

/// A problem whose definition isn't the suite's.
pub(super) const AXPY: &str = "\
import torch
import torch.nn as nn

class Model(nn.Module):
    def forward(self, x):
        return x * 2 + 1

def get_inputs():
    return [torch.rand(4096, 4096)]

def get_init_inputs():
    return []
";

/// A matrix product on `rows` × `width` inputs.
fn gemm(rows: u32, width: u32, extra: &str) -> String {
    format!(
        "\
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gemm = nn.Linear(width, width)

    def forward(self, x):
        return self.gemm(x){extra}

batch_size = {rows}
width = {width}

def get_inputs():
    return [torch.rand(batch_size, width)]

def get_init_inputs():
    return [width]
"
    )
}

fn timings(problems: &[(&str, &str)]) -> String {
    let entries: Vec<String> = problems
        .iter()
        .map(|(name, mean)| {
            format!(
                r#""{name}": {{"mean": {mean}, "std": 0.001, "min": {mean}, "max": {mean},
                    "num_trials": 100, "hardware": "NVIDIA H100 80GB HBM3"}}"#
            )
        })
        .collect();
    format!(r#"{{"level2": {{{}}}}}"#, entries.join(", "))
}

const MODULE: &str = "KernelBench/level2/28_X.py";
const OTHER: &str = "KernelBench/level2/29_Y.py";
const OLD: &str = "results/timing/H100_old/baseline_time_torch.json";
const NEW: &str = "results/timing/H100_new/baseline_time_torch.json";
const LATE: &str = "results/timing/H100_new/baseline_time_torch_compile_inductor_default.json";

/// One problem that grew, timed before and after, the second time twice: by a commit
/// that changed nothing of the problems but a comment.
fn grown(path: &Path) -> Repo {
    let repo = Repo::checkout(path);
    let (small, large) = (gemm(128, 64, ""), gemm(1024, 8192, ""));
    let reworded = format!("# reworded\n{large}");
    let old = timings(&[("28_X.py", "0.0898")]);
    let new = timings(&[("28_X.py", "2.79")]);
    let late = timings(&[("28_X.py", "2.41")]);
    repo.on("main", &[(MODULE, &small)], "2025-01-01T00:00:00Z");
    repo.on(
        "main",
        &[(MODULE, &small), (OLD, &old)],
        "2025-02-01T00:00:00Z",
    );
    repo.on(
        "main",
        &[(MODULE, &large), (OLD, &old)],
        "2025-07-02T00:00:00Z",
    );
    repo.on(
        "main",
        &[(MODULE, &large), (OLD, &old), (NEW, &new)],
        "2025-07-15T00:00:00Z",
    );
    let files: &[(&str, &str)] = &[(MODULE, &reworded), (OLD, &old), (NEW, &new), (LATE, &late)];
    let main = repo.on("main", files, "2025-08-01T00:00:00Z");
    repo.check_out(files);
    // On a branch the problem is a third size, and the first file is kept a second time.
    let third = gemm(512, 4096, "");
    let branched = timings(&[("28_X.py", "1.25")]);
    let tree = repo.tree(&[
        (MODULE, &third),
        (OLD, &old),
        (
            "results/timing/H100_branch/baseline_time_torch.json",
            &branched,
        ),
    ]);
    let side = repo.commit_tree(tree, &[main], "2025-08-02T00:00:00Z");
    repo.set("refs/heads/side", side);
    repo
}

#[test]
fn two_sizes_of_one_problem_never_meet() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("suite");
    grown(&path);
    let answer = history(&sandbox, &path, &[]);
    assert_eq!(answer["totals"]["inserted"], 3, "{answer:#}");
    let sql = "SELECT w.summary, count(DISTINCT c.id) AS cohorts, count(*) AS runs
               FROM measurement m JOIN cohort c ON c.id = m.cohort_id
               JOIN workload w ON w.id = c.workload_id GROUP BY w.id ORDER BY w.input_bytes";
    assert_eq!(
        sandbox.items(0, &["sql", sql]),
        [
            json!({"summary": "batch_size=128 width=64 fp32", "cohorts": 1, "runs": 1}),
            json!({"summary": "batch_size=1024 width=8192 fp32", "cohorts": 1, "runs": 2}),
        ]
    );
    let page = sandbox.item(0, &["show", "kernelbench/level2/28"]);
    assert_eq!(
        page["workload"]["axes"],
        json!({"batch_size": 1024, "width": 8192})
    );
    assert_eq!(page["eligible_runs"], 2);
    let versions = page["versions"].as_array().unwrap();
    assert_eq!(versions.len(), 1, "{versions:#?}");
    assert_eq!(versions[0]["runs"], 1);
    assert_ne!(
        versions[0]["suite_version"],
        page["operation"]["suite_version"]
    );
    // The two that share a workload compare.
    assert_eq!(page["headline"]["latency_ns"], 2_410_000);
    assert_eq!(page["headline"]["speedup_vs_baseline"], 1.16);
    is_sound(&sandbox);
}

#[test]
fn any_order_of_ways_gives_the_same_bytes() {
    let folder = Sandbox::new();
    let path = folder.path("suite");
    let repo = grown(&path);
    let root = path.to_str().unwrap();
    let [old, new, late] = [OLD, NEW, LATE].map(|file| path.join(file));
    let single = [&late, &new, &old].map(|file| vec![file.to_str().unwrap()]);
    let all = vec![root, "--history", "--all-branches"];
    let head = vec![root, "--history"];
    let checkout = vec![root];
    let refs = vec![root, "--history", "--all-refs"];
    let singles = |order: [usize; 3]| order.map(|at| single[at].clone()).to_vec();
    let mut ways: Vec<Vec<Vec<&str>>> = vec![
        vec![all.clone()],
        vec![head.clone(), all.clone()],
        vec![all.clone(), head, checkout.clone()],
        vec![checkout, refs],
    ];
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let mut way = singles(order);
        way.push(all.clone());
        ways.push(way);
    }
    let mut exports = Vec::new();
    for way in &ways {
        let sandbox = Sandbox::new();
        for arguments in way {
            let mut command = vec!["import", "kernelbench"];
            command.extend(arguments);
            sandbox.expect(0, &command);
            is_sound(&sandbox);
        }
        let versions = sandbox.expect(
            0,
            &[
                "sql",
                "SELECT version, commit_id, committed_on FROM suite_version ORDER BY 1",
                "--format=csv",
            ],
        );
        exports.push((versions.out, sandbox.export()));
    }
    assert_eq!(exports[0].1.lines().count(), 4);
    for (way, export) in ways.iter().zip(&exports) {
        assert_eq!(export, &exports[0], "{way:?}");
    }
    // A state is dated by the first commit that brought a file with it.
    let tip = repo.tip("refs/heads/side").unwrap().to_string();
    let versions = &exports[0].0;
    assert!(versions.contains(",2025-07-15\n"), "{versions}");
    assert!(
        versions.contains(&format!(",{tip},2025-08-02\n")),
        "{versions}"
    );
}

/// The import of one file at one commit beside a suite with the large size.
fn committed(problems: &[(&str, &str)], timing: &str) -> (Sandbox, Value) {
    let sandbox = Sandbox::new();
    let path = sandbox.path("suite");
    let repo = Repo::bare(&path);
    let mut files: Vec<(&str, &str)> = problems.to_vec();
    files.push((NEW, timing));
    repo.on("main", &files, "2025-07-06T00:00:00Z");
    let answer = history(&sandbox, &path, &[]);
    is_sound(&sandbox);
    (sandbox, answer)
}

#[test]
fn old_names_beside_new_shapes_have_no_shapes() {
    let timing = timings(&[("28_Before.py", "2.79")]);
    let (sandbox, answer) = committed(&[(MODULE, &gemm(1024, 8192, ""))], &timing);
    assert_eq!(answer["files"][0]["suite_version"], Value::Null);
    let said = answer["files"][0]["assumptions"].to_string();
    assert!(said.contains("1 of 1 problems are not in it"), "{said}");
    let page = sandbox.item(0, &["show", "kernelbench/level2/28_Before@undeclared"]);
    assert_eq!(page["workload"]["shapes_known"], false);
}

#[test]
fn figures_that_contradict_the_tree_have_no_shapes() {
    let sources: Vec<String> = (1..=4)
        .map(|n| gemm(16_384, 16_384, &format!(" * {n}")))
        .collect();
    let names: Vec<String> = (1..=4)
        .map(|n| format!("KernelBench/level2/{n}_P.py"))
        .collect();
    let problems: Vec<(&str, &str)> = names
        .iter()
        .zip(&sources)
        .map(|(name, source)| (&**name, &**source))
        .collect();
    let fast: Vec<(String, &str)> = (1..=4).map(|n| (format!("{n}_P.py"), "0.02")).collect();
    let fast: Vec<(&str, &str)> = fast.iter().map(|(name, mean)| (&**name, *mean)).collect();
    let (sandbox, answer) = committed(&problems, &timings(&fast));
    let said = answer["files"][0]["assumptions"].to_string();
    assert!(said.contains("4 of 4 figures are too fast"), "{said}");
    let known = sandbox.items(
        0,
        &[
            "sql",
            "SELECT DISTINCT shapes_known AS known FROM operation",
        ],
    );
    assert_eq!(known, [json!({"known": 0})]);
}

/// A module that Python would refuse, or that is no module, defines nothing; the rest does.
#[test]
fn modules_that_cannot_be_read_define_nothing() {
    let deep = format!("x = {}1{}\n", "(".repeat(60_000), ")".repeat(60_000));
    let long = format!("{}# {}\n", gemm(1, 2, ""), "x".repeat(2 << 20));
    let timing = timings(&[("28_X.py", "2.79")]);
    let problems: &[(&str, &str)] = &[
        (MODULE, &gemm(1024, 8192, "")),
        ("KernelBench/level2/1_Broken.py", "class Model(:\n"),
        ("KernelBench/level2/2_Deep.py", &deep),
        ("KernelBench/level2/3_Long.py", &long),
        ("KernelBench/level2/4_Binary.py", "\0\u{1}\u{2}"),
        ("KernelBench/level2/below/5_Deeper.py", &gemm(1, 2, "")),
        ("KernelBench/level2/README.md", "text"),
        ("KernelBench/notes/6_Note.py", &gemm(1, 2, "")),
    ];
    let (sandbox, answer) = committed(problems, &timing);
    let version = answer["files"][0]["suite_version"].as_str().unwrap();
    let sql = format!(
        "SELECT file FROM suite_problem p JOIN suite_version v ON v.id = p.suite_version_id
         WHERE v.version = '{version}'"
    );
    assert_eq!(
        sandbox.items(0, &["sql", &sql]),
        [json!({"file": "28_X.py"})]
    );
}

/// A clone made with `--filter=blob:none` has only today's modules.
#[test]
fn modules_that_are_missing_leave_dates_and_files() {
    let path_of = |sandbox: &Sandbox| sandbox.path("suite");
    let sandbox = Sandbox::new();
    let repo = grown(&path_of(&sandbox));
    fs::remove_file(repo.loose(repo.blob(gemm(128, 64, "")))).unwrap();
    let answer = sandbox.import(0, &path_of(&sandbox), &[]);
    let days: Vec<&Value> = answer["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| &file["observed_on"])
        .collect();
    assert_eq!(days, ["2025-07-15", "2025-08-01", "2025-02-01"]);
    let issues = answer["issues"].as_array().unwrap();
    let codes: Vec<&Value> = issues.iter().map(|issue| &issue["code"]).collect();
    assert_eq!(codes, ["NO_HISTORY"], "{issues:#?}");
    is_sound(&sandbox);
    // Who asks for the history is told what is missing.
    let fresh = Sandbox::new();
    let path = path_of(&sandbox);
    let arguments = ["import", "kernelbench", path.to_str().unwrap(), "--history"];
    let ran = fresh.expect(1, &arguments);
    assert!(ran.err.contains("--filter"), "{}", ran.err);
    // Once all is there the same files say what they timed, as if it had always been.
    repo.blob(gemm(128, 64, ""));
    sandbox.import(0, &path, &[]);
    fresh.import(0, &path, &[]);
    assert_eq!(sandbox.export(), fresh.export());
    is_sound(&sandbox);
}

/// What a name, not a definition, tells apart is told apart by the state of the problems.
#[test]
fn the_version_of_a_commit_can_be_named() {
    let timing = timings(&[("28_X.py", "2.79")]);
    let problems: &[(&str, &str)] = &[(MODULE, &gemm(1024, 8192, "")), (OTHER, AXPY)];
    let (sandbox, answer) = committed(problems, &timing);
    let version = answer["files"][0]["suite_version"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(version.starts_with("state-"), "{version}");
    let records = sandbox.items(0, &["records", "--suite-version", &version]);
    assert_eq!(records.len(), 1);
    // The same figures from elsewhere, said to be of it.
    let file = sandbox.write(
        "other/H100_new/baseline_time_torch.json",
        timings(&[("28_X.py", "2.5")]),
    );
    let answer = sandbox.import(0, &file, &["--suite-version", &version]);
    assert_eq!(answer["files"][0]["suite_version"], *version);
    let page = sandbox.item(0, &["show", "kernelbench/level2/28"]);
    assert_eq!(
        page["workload"]["axes"],
        json!({"batch_size": 1024, "width": 8192})
    );
    is_sound(&sandbox);
    fs::remove_dir_all(sandbox.path("suite")).unwrap();
    is_sound(&sandbox);
}
