//! Optional real-data tests of every source but the suite's own timings: all of their files in
//! one database, recognised by their content.

use crate::sandbox::{Sandbox, real_data};

/// Folder, files used, and records read, inserted, unchanged, rejected.
type Folder = (&'static str, usize, [u64; 4]);

const FOLDERS: &[Folder] = &[
    ("kernelbench-eval", 4, [343, 343, 0, 0]),
    ("flashinfer-bench", 4, [383, 383, 0, 0]),
    ("flashinfer-trace", 2, [10, 10, 0, 0]),
    ("sol-execbench", 1, [2, 2, 0, 0]),
    ("liger", 1, [2448, 2448, 0, 0]),
    ("nvbench", 7, [858, 676, 182, 0]),
    ("cutlass-profiler", 1, [12, 12, 0, 0]),
];

#[test]
fn every_real_file_is_recognised_and_adds_up() {
    let Some(data) = real_data("data") else {
        return;
    };
    let sandbox = Sandbox::new();
    let import = |folder: &str| {
        let path = data.join(folder);
        sandbox.item(
            0,
            &[
                "import",
                "auto",
                path.to_str().unwrap(),
                "--hardware",
                "NVIDIA A100-SXM4-80GB",
            ],
        )
    };
    let count = |answer: &serde_json::Value, name: &str| answer["totals"][name].as_u64().unwrap();
    let names = ["read", "inserted", "unchanged", "rejected"];
    for (folder, files, expected) in FOLDERS {
        let answer = import(folder);
        let used = answer["files"].as_array().unwrap().iter();
        let used = used.filter(|file| file["outcome"] == "imported").count();
        assert_eq!(used, *files, "{folder}");
        assert_eq!(
            names.map(|name| count(&answer, name)),
            *expected,
            "{folder}"
        );
    }
    for (folder, _, [read, ..]) in FOLDERS {
        let again = import(folder);
        assert_eq!(count(&again, "inserted"), 0, "{folder}");
        assert_eq!(count(&again, "read"), *read, "{folder}");
    }
    sandbox.expect(0, &["verify"]);
    // Failed runs are kept, and none has a figure.
    let failed = sandbox.items(
        0,
        &[
            "sql",
            "SELECT count(*) AS runs, count(value) AS figures FROM v_run WHERE status <> 'passed'",
        ],
    );
    assert!(failed[0]["runs"].as_u64().unwrap() > 200);
    assert_eq!(failed[0]["figures"], 0);
    // What may not be passed on stays unless it is asked for.
    let open = sandbox.expect(0, &["export", "--format", "jsonl"]);
    let all = sandbox.expect(0, &["export", "--format", "jsonl", "--include-restricted"]);
    let of_sol = |text: &str| {
        text.lines()
            .filter(|line| line.contains("\"source\":\"sol-execbench\""))
            .count()
    };
    assert_eq!((of_sol(&open.out), of_sol(&all.out)), (0, 2));
    assert!(open.err.contains("2 runs left out"), "{}", open.err);
}

/// A table with line breaks in its cells, and a memory figure among times.
#[test]
fn a_memory_row_is_never_ranked_with_times() {
    let Some(cases) = real_data("cases") else {
        return;
    };
    let path = cases.join("S06_csv_crlf_quoted_newline");
    let sandbox = Sandbox::new();
    let answer = sandbox.item(0, &["import", "auto", path.to_str().unwrap()]);
    assert_eq!(answer["totals"]["read"], 4);
    assert_eq!(answer["totals"]["inserted"], 4);
    assert_eq!(sandbox.items(0, &["records"]).len(), 2);
    let memory = sandbox.items(0, &["records", "--metric=memory"]);
    assert_eq!(memory.len(), 1);
    assert_eq!(memory[0]["metric"]["direction"], "lower");
    assert_eq!(memory[0]["record"]["value"], 96 * 1024 * 1024);
    assert!(memory[0]["record"]["latency_ns"].is_null());
}
