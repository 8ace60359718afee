//! Optional real-data tests: they run where real files lie beside the checkout, and say
//! so where they don't.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::sandbox::{Sandbox, real_data};

/// An awkward input: where, exit code, read, inserted, rejected, codes among its issues.
type Case = (&'static str, i32, u64, u64, u64, &'static [&'static str]);

const CASES: &[Case] = &[
    (
        "S01_null_problem",
        3,
        4,
        2,
        2,
        &["NO_TIMING", "EMPTY_ENTRY"],
    ),
    ("S02_nan_literals", 3, 5, 2, 3, &["NON_FINITE"]),
    ("S03_missing_fields", 3, 5, 4, 1, &["NO_HARDWARE"]),
    ("S04_mixed_hardware", 0, 5, 5, 0, &["MIXED_HARDWARE"]),
    ("S05_utf8_bom/with_bom", 0, 2, 2, 0, &[]),
    ("S05_utf8_bom/without_bom", 0, 2, 2, 0, &[]),
    (
        "S08_extra_levels",
        3,
        4,
        3,
        1,
        &["NEW_LEVEL", "LEVEL_MISSPELLED", "KEY_IGNORED"],
    ),
    ("S09_unicode_names", 0, 6, 6, 0, &["LOOK_ALIKE"]),
    ("S12_reimport_after_edit/v1", 0, 3, 3, 0, &[]),
    ("S13_compressed/plain", 0, 40, 40, 0, &[]),
    ("S13_compressed/gzip", 0, 40, 40, 0, &[]),
    ("S13_compressed/zstd", 0, 40, 40, 0, &[]),
    ("S14_seconds_not_ms/declared", 0, 2, 2, 0, &[]),
    ("S15_duplicate_keys", 3, 4, 1, 3, &["DUPLICATE_KEY"]),
];

fn codes(answer: &Value) -> BTreeSet<String> {
    answer["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|issue| issue["code"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn awkward_inputs_get_what_they_should() {
    let Some(cases) = real_data("cases") else {
        return;
    };
    for (name, code, read, inserted, rejected, expected) in CASES {
        let sandbox = Sandbox::new();
        let path = cases.join(name);
        let answer = sandbox.import(*code, &path, &["--observed-on", "2026-01-01"]);
        let totals = &answer["totals"];
        assert_eq!(
            (&totals["read"], &totals["inserted"], &totals["rejected"]),
            (
                &Value::from(*read),
                &Value::from(*inserted),
                &Value::from(*rejected)
            ),
            "{name}: {answer:#}"
        );
        let codes = codes(&answer);
        for code in *expected {
            assert!(codes.contains(*code), "{name}: {code} not in {codes:?}");
        }
        let before = sandbox.export();
        let again = sandbox.import(*code, &path, &["--observed-on", "2026-01-01"]);
        assert_eq!(again["totals"]["inserted"], 0, "{name}");
        assert_eq!(sandbox.export(), before, "{name}");
        let checked = sandbox.item(0, &["verify"]);
        assert_eq!(checked["findings"], Value::Array(vec![]), "{name}");
    }
}

#[test]
fn refused_inputs_change_nothing() {
    let Some(cases) = real_data("cases") else {
        return;
    };
    for (name, words) in [
        ("S07_level_key_missing", &["level1", "--level"][..]),
        ("S10_truncated", &["line 2", "unexpected end"]),
    ] {
        let sandbox = Sandbox::new();
        let ran = sandbox.expect(
            1,
            &["import", "kernelbench", cases.join(name).to_str().unwrap()],
        );
        for word in words {
            assert!(
                ran.err.contains(word) || word.starts_with("line") && ran.err.contains(":2"),
                "{name}: `{word}` not in {}",
                ran.err
            );
        }
        let empty = sandbox.run(&["export", "--format", "jsonl"]);
        assert_eq!(empty.out, "", "{name}");
    }
}

/// The four timing files that the suite has today.
fn todays_files() -> Option<PathBuf> {
    real_data("data/kernelbench/current/results/timing")
}

#[test]
fn published_pages_are_reproduced_figure_by_figure() {
    let (Some(files), Some(seeds)) = (todays_files(), real_data("seeds/expected.json")) else {
        return;
    };
    let sandbox = Sandbox::new();
    let answer = sandbox.import(0, &files, &["--observed-on", "2026-03-05"]);
    assert_eq!(answer["totals"]["inserted"], 1000);
    assert_eq!(answer["records"]["set"], 500);
    let expected: Value = serde_json::from_str(&std::fs::read_to_string(seeds).unwrap()).unwrap();
    for page in expected["pages"].as_array().unwrap() {
        check_page(&sandbox, page);
    }
}

fn check_page(sandbox: &Sandbox, page: &Value) {
    let id = page["id"].as_str().unwrap();
    let shown = sandbox.item(
        0,
        &[
            "show",
            id,
            "--as-of",
            "2026-09-15",
            "--floor-policy",
            "headroom-v1",
        ],
    );
    let latency = |value: &Value| in_words(value.as_f64().unwrap());
    for key in ["name", "suite", "level", "problem", "family"] {
        assert_eq!(
            shown["operation"][key], page["operation"][key],
            "{id} {key}"
        );
    }
    assert_eq!(shown["eligible_runs"], page["eligible_runs"], "{id}");
    let (headline, expected) = (&shown["headline"], &page["headline"]);
    for key in [
        "label",
        "unbeaten",
        "spread",
        "statistic",
        "samples",
        "implementation",
        "license",
    ] {
        assert_eq!(headline[key], expected[key], "{id} headline {key}");
    }
    assert_eq!(
        latency(&headline["latency_ns"]),
        expected["latency"],
        "{id}"
    );
    if let Some(speedup) = expected["speedup_vs_baseline"].as_str() {
        assert_eq!(ratio(&headline["speedup_vs_baseline"]), speedup, "{id}");
    }
    let records: Vec<Value> = shown["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| {
            Value::from(vec![
                Value::from(latency(&r["latency_ns"])),
                r["implementation"].clone(),
                r["runs"].clone(),
            ])
        })
        .collect();
    assert_eq!(Value::from(records), page["records"], "{id} records");
    assert_eq!(shown["not_measured_on"], page["not_measured_on"], "{id}");
    assert_eq!(
        shown["context"]["workload"]["axes"], page["context"]["workload"],
        "{id}"
    );
    assert_eq!(
        shown["context"]["results"], page["context"]["results"],
        "{id}"
    );
    let (floor, expected) = (&shown["floor"], &page["floor"]);
    assert_eq!(floor["policy"], expected["policy"], "{id}");
    assert_eq!(latency(&floor["floor_ns"]), expected["floor"], "{id}");
    assert_eq!(
        latency(&floor["terms"]["dram_ns"]),
        expected["dram"],
        "{id}"
    );
    match expected["compute"].as_str() {
        Some(compute) => assert_eq!(latency(&floor["terms"]["compute_ns"]), compute, "{id}"),
        None => assert!(floor["terms"]["compute_ns"].is_null(), "{id}"),
    }
    assert_eq!(floor["bound"], expected["bound"], "{id}");
    assert_eq!(ratio(&floor["ratio"]), expected["ratio"], "{id}");
    let ranking: Vec<Value> = shown["ranking"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| {
            Value::from(vec![
                r["rank"].clone(),
                r["implementation"].clone(),
                Value::from(latency(&r["latency_ns"])),
                r["spread"].clone(),
                Value::from(ratio(&r["vs_first"])),
            ])
        })
        .collect();
    assert_eq!(Value::from(ranking), page["ranking"], "{id} ranking");
    let implementations: BTreeSet<String> = shown["implementations"]["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| {
            format!(
                "{} {} {}",
                i["name"],
                latency(&i["best_latency_ns"]),
                ratio(&i["vs_best"])
            )
        })
        .collect();
    let expected: BTreeSet<String> = page["implementations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| {
            format!(
                "{} {} {}",
                i[0],
                i[1].as_str().unwrap(),
                i[2].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(implementations, expected, "{id} implementations");
    let inputs: Vec<Value> = shown["semantics"]["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| {
            Value::from(vec![
                i["name"].clone(),
                i["dtype"].clone(),
                i["shape"].clone(),
            ])
        })
        .collect();
    assert_eq!(
        Value::from(inputs),
        page["semantics"]["inputs"],
        "{id} inputs"
    );
    for axis in page["semantics"]["axes"].as_array().unwrap() {
        assert!(
            shown["semantics"]["axes"]
                .get(axis.as_str().unwrap())
                .is_some(),
            "{id} {axis}"
        );
    }
    assert_eq!(
        shown["evidence"]["level"], page["evidence"]["level"],
        "{id}"
    );
    assert_eq!(
        shown["evidence"]["observed_on"], page["evidence"]["observed_on"],
        "{id}"
    );
    let digest = shown["identity"]["published_digest"].as_str().unwrap();
    let prefix = page["identity"]["published_digest_prefix"]
        .as_str()
        .unwrap();
    assert!(
        digest.starts_with(&format!("sha256:{prefix}")),
        "{id} {digest}"
    );
    assert_eq!(
        shown["identity"]["commit"], page["identity"]["commit"],
        "{id}"
    );
}

/// Nanoseconds as pages print them; an own copy, since this is what is tested.
fn in_words(ns: f64) -> String {
    let (value, unit) = match ns {
        ns if ns < 1e3 => return format!("{ns:.0} ns"),
        ns if ns < 1e6 => (ns / 1e3, "µs"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    if value < 10.0 {
        format!("{value:.2} {unit}")
    } else {
        format!("{value:.1} {unit}")
    }
}

fn ratio(value: &Value) -> String {
    format!("{:.2}×", value.as_f64().unwrap())
}

#[test]
fn every_real_timing_file_adds_up() {
    let Some(data) = real_data("data") else {
        return;
    };
    let sandbox = Sandbox::new();
    let mut answers = Vec::new();
    for (folder, code) in [("kernelbench", 3), ("kernelbench-forks", 0)] {
        let path: &Path = &data.join(folder);
        answers.push(sandbox.import(code, path, &["--observed-on", "2026-01-01"]));
    }
    let sum = |key: &str| -> u64 {
        answers
            .iter()
            .map(|a| a["totals"][key].as_u64().unwrap())
            .sum()
    };
    assert_eq!(sum("read"), 7240);
    assert_eq!(
        sum("read"),
        sum("inserted") + sum("unchanged") + sum("rejected")
    );
    assert_eq!(sum("rejected"), 198 + 37);
    let checked = sandbox.item(0, &["verify"]);
    assert_eq!(checked["findings"], Value::Array(vec![]));
    let mut versions: BTreeMap<&str, u32> = BTreeMap::new();
    for file in answers.iter().flat_map(|a| a["files"].as_array().unwrap()) {
        *versions
            .entry(
                file["suite_version"]
                    .as_str()
                    .unwrap_or("unknown or several"),
            )
            .or_default() += 1;
    }
    assert_eq!(
        versions,
        BTreeMap::from([
            ("2024-10-24", 1),
            ("2024-11-09.7", 1),
            ("2025-01-10.2", 16),
            ("2025-07-06", 1),
            ("2025-07-21", 2),
            ("2025-12-24", 2),
            ("unknown or several", 8),
        ])
    );
}

#[test]
fn a_file_in_microseconds_is_doubted_beside_its_siblings() {
    let Some(history) = real_data("data/kernelbench/history") else {
        return;
    };
    let sandbox = Sandbox::new();
    let sibling = history.join("df77b598fbf0/results/timing/A6000_babel");
    let micro = history.join("7ed4e989b8b0/results/timing/A6000_babel_new");
    sandbox.import(0, &sibling, &["--observed-on", "2025-06-22"]);
    let answer = sandbox.import(
        0,
        &micro,
        &[
            "--observed-on",
            "2025-08-31",
            "--hardware",
            "NVIDIA RTX A6000",
        ],
    );
    assert!(
        codes(&answer).contains("UNIT_DOUBTED"),
        "{:?}",
        codes(&answer)
    );
    assert_eq!(
        answer["records"]["set"], 0,
        "no doubted figure becomes a record"
    );
    let doubted = sandbox
        .export()
        .lines()
        .filter(|line| line.contains("UNIT_DOUBTED"))
        .count();
    assert_eq!(doubted, 198);
    // With the unit said, the same file is sound.
    let sandbox = Sandbox::new();
    sandbox.import(0, &sibling, &["--observed-on", "2025-06-22"]);
    sandbox.import(
        0,
        &micro,
        &[
            "--observed-on",
            "2025-08-31",
            "--hardware",
            "NVIDIA RTX A6000",
            "--unit",
            "us",
        ],
    );
    assert!(!sandbox.export().contains("UNIT_DOUBTED"));
}

/// Files of the suite are known by their bytes wherever they lie.
#[test]
fn published_bytes_are_known_in_a_download_folder() {
    let Some(data) = real_data("data/kernelbench") else {
        return;
    };
    let file = data.join(
        "history/1e2c63f9bcd8/results/timing/H100_modal/baseline_time_torch_compile_inductor_default.json",
    );
    let content = std::fs::read(&file).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gzip, &content).unwrap();
    let marked = [b"\xef\xbb\xbf", &content[..]].concat();
    let name = "baseline_time_torch_compile_inductor_default.json";
    let sandbox = Sandbox::new();
    let of = |answer: &Value| {
        let file = &answer["files"][0];
        ["observed_on", "observed_basis", "suite_version"].map(|key| file[key].clone())
    };
    let known = ["2025-07-16", "git"].map(Value::from);
    for (folder, name, bytes) in [
        ("H100_modal", name.to_owned(), content.clone()),
        ("Downloads", name.to_owned(), content),
        ("packed", format!("{name}.gz"), gzip.finish().unwrap()),
    ] {
        let path = sandbox.write(&format!("{folder}/{name}"), bytes);
        let answer = sandbox.import(0, &path, &[]);
        assert_eq!(of(&answer)[..2], known, "{folder}");
    }
    // One more byte, and nobody published it: no commit's date, version or method.
    let path = sandbox.write(&format!("H100_marked/{name}"), marked);
    let answer = sandbox.import(0, &path, &[]);
    assert_eq!(of(&answer)[1], "file-time");
    let methods = sandbox.items(
        0,
        &[
            "sql",
            "SELECT DISTINCT r.folder, r.commit_id IS NOT NULL AS known, r.committed_version AS version,
                    p.cache, p.warmups, p.autograd
             FROM reading r JOIN sighting s ON s.reading_id = r.id
             JOIN measurement m ON m.id = s.measurement_id JOIN cohort c ON c.id = m.cohort_id
             JOIN protocol p ON p.id = c.protocol_id ORDER BY r.folder",
        ],
    );
    let method = |folder: &str, known: bool| {
        let when = |value: Value| if known { value } else { Value::Null };
        serde_json::json!({
            "folder": folder, "known": u8::from(known), "version": when("2025-07-06".into()),
            "cache": when("warm".into()), "warmups": when(3.into()), "autograd": when("off".into()),
        })
    };
    assert_eq!(
        methods,
        [
            method("Downloads", true),
            method("H100_marked", false),
            method("H100_modal", true),
            method("packed", true)
        ]
    );
    let checked = sandbox.item(0, &["verify"]);
    assert_eq!(checked["findings"], Value::Array(vec![]));
}
