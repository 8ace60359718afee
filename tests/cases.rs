//! Awkward inputs of our own, one kind each: what goes in, what is refused, and that the
//! message says where and why.

use serde_json::Value;

use crate::sandbox::{Sandbox, level1, record};

const DAY: &[&str] = &["--observed-on", "2026-01-01"];

/// Imports one file's content; the answer and the sandbox.
fn taken(code: i32, content: impl AsRef<[u8]>) -> (Sandbox, Value) {
    let sandbox = Sandbox::new();
    let file = sandbox.write("timing/L40S_lab/baseline_time_torch.json", content);
    let answer = sandbox.import(code, &file, DAY);
    let totals = &answer["totals"];
    let sum = ["inserted", "unchanged", "rejected"]
        .iter()
        .map(|key| totals[*key].as_u64().unwrap())
        .sum::<u64>();
    assert_eq!(totals["read"], sum, "counts add up");
    (sandbox, answer)
}

/// Refuses one file's content; what was said.
fn refused(content: impl AsRef<[u8]>) -> String {
    let sandbox = Sandbox::new();
    let file = sandbox.write("timing/L40S_lab/baseline_time_torch.json", content);
    let ran = sandbox.expect(1, &["import", "kernelbench", file.to_str().unwrap()]);
    let left = sandbox.run(&["export", "--format", "jsonl"]);
    assert_eq!(left.out, "", "nothing is kept of a refused file");
    ran.err
}

fn codes(answer: &Value) -> Vec<&str> {
    answer["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|issue| issue["code"].as_str().unwrap())
        .collect()
}

fn counts(answer: &Value) -> [u64; 4] {
    ["read", "inserted", "unchanged", "rejected"].map(|key| answer["totals"][key].as_u64().unwrap())
}

fn runs(sandbox: &Sandbox) -> Vec<Value> {
    sandbox
        .export()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn records_that_cannot_be_used_are_told_apart() {
    let content = format!(
        r#"{{"level1": {{"1_A.py": {}, "2_B.py": null, "3_C.py": {{}}, "4_D.py": [1],
            "5_E.py": {{"mean": NaN, "hardware": "NVIDIA L40S"}},
            "6_F.py": {{"mean": -1.0, "hardware": "NVIDIA L40S"}},
            "7_G.py": {{"mean": "2.5", "hardware": "NVIDIA L40S"}},
            "8_H.py": {{"mean": 0.95}}}}}}"#,
        record("1.84")
    );
    let (_, answer) = taken(3, content);
    assert_eq!(counts(&answer), [8, 1, 0, 7]);
    assert_eq!(
        codes(&answer),
        [
            "NO_TIMING",
            "EMPTY_ENTRY",
            "NOT_A_RECORD",
            "NON_FINITE",
            "NOT_POSITIVE",
            "NOT_A_NUMBER",
            "NO_HARDWARE"
        ]
    );
    assert_eq!(answer["issues"][0]["severity"], "note");
    assert_eq!(answer["issues"][1]["place"]["pointer"], "/level1/3_C.py");
}

#[test]
fn a_null_alone_is_no_error() {
    let (_, answer) = taken(
        0,
        format!(
            r#"{{"level1": {{"1_A.py": {}, "2_B.py": null}}}}"#,
            record("1.84")
        ),
    );
    assert_eq!(counts(&answer), [2, 1, 0, 1]);
}

#[test]
fn a_mark_at_the_start_makes_two_snapshots_and_one_run() {
    let content = level1(&[("1_A.py", "1.84")]);
    let (sandbox, _) = taken(0, &content);
    let marked = sandbox.write(
        "other/L40S_lab/baseline_time_torch.json",
        [b"\xef\xbb\xbf", content.as_bytes()].concat(),
    );
    let answer = sandbox.import(0, &marked, DAY);
    assert_eq!(counts(&answer), [1, 0, 1, 0]);
    let snapshots = sandbox.expect(
        0,
        &[
            "sql",
            "SELECT count(*) AS n FROM snapshot",
            "--format",
            "csv",
        ],
    );
    assert_eq!(snapshots.out, "n\n2\n");
    assert_eq!(runs(&sandbox)[0]["sightings"].as_array().unwrap().len(), 2);
}

#[test]
fn one_device_in_several_spellings_is_one_and_another_form_is_another() {
    let content = level1(&[("1_A.py", "1.84"), ("2_B.py", "2.9"), ("3_C.py", "1.12")])
        .replacen("NVIDIA L40S", "nvidia  l40s ", 1)
        .replace(
            &record("1.12"),
            &record("1.12").replace("NVIDIA L40S", "NVIDIA H100 NVL"),
        );
    let (sandbox, answer) = taken(0, content);
    assert_eq!(codes(&answer), ["MIXED_HARDWARE"]);
    assert_eq!(
        sandbox.items(0, &["records", "--hardware", "l40s"]).len(),
        2
    );
    let nvl = sandbox.items(0, &["records", "--hardware", "NVIDIA H100 NVL"]);
    assert_eq!(nvl[0]["hardware"]["id"], "h100-nvl-94gb");
    let stated: Vec<Value> = runs(&sandbox)
        .iter()
        .map(|run| run["hardware_stated"].clone())
        .collect();
    assert!(stated.contains(&Value::from("nvidia  l40s ")), "{stated:?}");
}

#[test]
fn problems_at_the_top_need_a_level() {
    let content = format!(r#"{{"1_A.py": {}}}"#, record("1.84"));
    let said = refused(&content);
    assert!(
        said.contains("NO_LEVEL") && said.contains("level1") && said.contains("--level"),
        "{said}"
    );
    let sandbox = Sandbox::new();
    let file = sandbox.write("t/L40S_lab/baseline_time_torch.json", content);
    let answer = sandbox.import(0, &file, &["--observed-on", "2026-01-01", "--level", "3"]);
    assert_eq!(answer["records"]["items"][0]["operation"]["level"], 3);
}

#[test]
fn levels_that_are_new_misspelt_or_none() {
    let content = format!(
        r#"{{"level1": {{"1_A.py": {r}}}, "level7": {{"1_B.py": {r}}}, "Level2": {{"1_C.py": {r}}}, "meta": {{"rig": "A"}}}}"#,
        r = record("1.84")
    );
    let (_, answer) = taken(3, content);
    assert_eq!(counts(&answer), [3, 2, 0, 1]);
    let mut codes = codes(&answer);
    codes.sort_unstable();
    assert_eq!(codes, ["KEY_IGNORED", "LEVEL_MISSPELLED", "NEW_LEVEL"]);
}

#[test]
fn names_come_back_byte_for_byte() {
    let names = [
        "5_Größe skalieren.py",
        "6_行列の和.py",
        "7_🚀Add.py",
        "8_Cafe\u{301}.py",
        "8_Caf\u{e9}.py",
        "9_two  spaces .py",
    ];
    let pairs: Vec<(&str, &str)> = names.iter().map(|name| (*name, "1.5")).collect();
    let (sandbox, answer) = taken(0, level1(&pairs));
    assert_eq!(counts(&answer), [6, 6, 0, 0]);
    assert_eq!(codes(&answer), ["LOOK_ALIKE"]);
    let pointers: Vec<String> = runs(&sandbox)
        .iter()
        .map(|run| run["sightings"][0]["pointer"].as_str().unwrap().to_owned())
        .collect();
    for name in names {
        assert!(
            pointers.contains(&format!("/level1/{name}")),
            "{name} not in {pointers:?}"
        );
    }
    let table = sandbox.expect(0, &["records"]).out;
    let widths: Vec<usize> = table
        .lines()
        .map(|line| unicode_columns(line.split("1.50 ms").next().unwrap()))
        .collect();
    assert!(
        widths[1..].windows(2).all(|pair| pair[0] == pair[1]),
        "{table}"
    );
}

/// Columns on a terminal, counted here independently: wide characters take two.
fn unicode_columns(text: &str) -> usize {
    text.chars()
        .map(|c| match c {
            '\u{300}'..='\u{36f}' => 0,
            '\u{3000}'..='\u{9fff}' | '\u{1f300}'..='\u{1faff}' => 2,
            _ => 1,
        })
        .sum()
}

#[test]
fn cut_files_are_refused_with_their_place() {
    let whole = level1(&[("1_A.py", "1.84"), ("2_B.py", "2.9")]);
    let said = refused(&whole[..whole.len() - 30]);
    assert!(said.contains("TRUNCATED") && said.contains(":1:"), "{said}");
    assert!(said.contains("unexpected end"), "{said}");
}

#[test]
fn what_is_no_timing_file_says_what_was_expected() {
    for (what, content, word) in [
        ("empty", &b""[..], "empty"),
        ("blank", b" \n\t ", "empty"),
        (
            "other json",
            br#"{"name": "x", "results": [1, 2]}"#,
            "level1",
        ),
        ("a list", b"[1, 2]", "level"),
        ("lines", b"{\"a\": 1}\n{\"b\": 2}\n", "JSON Lines"),
        ("utf-16", b"\xff\xfe{\x00}\x00", "UTF-16"),
        ("not utf-8", b"{\"level1\": {\"\xff\": 1}}", "UTF-8"),
        ("html", b"<!DOCTYPE html><html></html>", "web page"),
        ("trailing text", b"{\"level1\": {}} and more", "after"),
    ] {
        let said = refused(content);
        assert!(
            said.to_lowercase().contains(&word.to_lowercase()),
            "{what}: `{word}` not in {said}"
        );
    }
}

#[test]
fn deep_nesting_is_refused_not_fatal() {
    let deep = format!(
        "{{\"level1\": {}1{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert!(refused(deep).contains("TOO_DEEP"));
}

#[test]
fn thousands_of_keys_are_no_trouble() {
    let names: Vec<String> = (0..6_000).map(|n| format!("{n}_Probe.py")).collect();
    let pairs: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1.5")).collect();
    let (sandbox, answer) = taken(0, level1(&pairs));
    assert_eq!(counts(&answer), [6_000, 6_000, 0, 0]);
    assert_eq!(sandbox.export().lines().count(), 6_000);
}

#[test]
fn hostile_names_cannot_move_the_cursor() {
    let (sandbox, answer) = taken(
        3,
        level1(&[
            ("1_\\u001b[2J.py", "1.5"),
            ("2_'; DROP TABLE measurement; --.py", "1.5"),
            ("3_=HYPERLINK(1).py", "1.5"),
        ]),
    );
    assert_eq!(counts(&answer), [3, 2, 0, 1]);
    for arguments in [
        &["records"][..],
        &["records", "--json"],
        &["export", "--format", "csv"],
    ] {
        let ran = sandbox.expect(0, arguments);
        assert!(
            !ran.out.contains('\u{1b}') && !ran.err.contains('\u{1b}'),
            "{arguments:?}"
        );
    }
    assert_eq!(runs(&sandbox).len(), 2);
}

#[test]
fn a_key_twice_counts_for_neither() {
    let content = format!(
        r#"{{"level1": {{"1_A.py": {a}, "2_B.py": {a}, "1_A.py": {b}, "3_C.py": {{"mean": 6.05, "mean": 6.5, "hardware": "NVIDIA L40S"}}}}}}"#,
        a = record("3.3"),
        b = record("2.1")
    );
    let (sandbox, answer) = taken(3, content);
    assert_eq!(counts(&answer), [4, 1, 0, 3]);
    assert_eq!(codes(&answer), ["DUPLICATE_KEY", "DUPLICATE_KEY"]);
    for issue in answer["issues"].as_array().unwrap() {
        let message = issue["message"].as_str().unwrap();
        assert_eq!(
            message.matches("column").count(),
            2,
            "both places: {message}"
        );
    }
    assert_eq!(runs(&sandbox).len(), 1);
}

#[test]
fn the_same_bytes_under_two_names_are_one_measurement() {
    let sandbox = Sandbox::new();
    let content = level1(&[("1_A.py", "1.84"), ("2_B.py", "2.9")]);
    sandbox.write("timing/RigB_L40S/baseline_time_torch.json", &content);
    sandbox.write("timing/RigB_L40S_backup/baseline_time_torch.json", &content);
    let answer = sandbox.import(0, &sandbox.path("timing"), DAY);
    assert_eq!(counts(&answer), [4, 2, 2, 0]);
    let copy = &answer["files"][1];
    assert_eq!(copy["outcome"], "copy");
    assert!(
        copy["copy_of"]
            .as_str()
            .unwrap()
            .ends_with("RigB_L40S/baseline_time_torch.json")
    );
    assert_eq!(codes(&answer), ["COPY"]);
    let runs = runs(&sandbox);
    assert_eq!(runs.len(), 2);
    assert!(
        runs.iter().all(|run| run["trust"] == "reported"),
        "{runs:?}"
    );
    assert!(
        runs.iter()
            .all(|run| run["sightings"].as_array().unwrap().len() == 2),
        "{runs:?}"
    );
}

#[test]
fn a_file_edited_and_imported_again_keeps_its_history() {
    let first = level1(&[("1_A.py", "4.1"), ("2_B.py", "2.9"), ("3_C.py", "6.05")]);
    let second = level1(&[("1_A.py", "3.7"), ("2_B.py", "2.9"), ("4_D.py", "0.412")]);
    let name = "L40S_lab/baseline_time_torch.json";
    let mut ends = Vec::new();
    for order in [["v1", "v2"], ["v2", "v1"]] {
        let sandbox = Sandbox::new();
        sandbox.write(&format!("v1/{name}"), &first);
        sandbox.write(&format!("v2/{name}"), &second);
        sandbox.import(0, &sandbox.path(order[0]), DAY);
        let answer = sandbox.import(0, &sandbox.path(order[1]), DAY);
        let file = &answer["files"][0];
        assert_eq!(counts(&answer), [3, 2, 1, 0]);
        assert_eq!(
            (&file["superseded"], &file["gone"]),
            (&Value::from(1), &Value::from(1))
        );
        let again = sandbox.import(0, &sandbox.path(order[0]), DAY);
        assert_eq!(counts(&again), [3, 0, 3, 0]);
        let page = sandbox.item(0, &["show", "kernelbench/level1/1_A@undeclared"]);
        assert_eq!(page["headline"]["latency_ns"], 3_700_000);
        assert_eq!(page["superseded"][0]["latency_ns"], 4_100_000, "{page:#}");
        ends.push(sandbox.export());
    }
    assert_eq!(ends[0], ends[1], "whichever came first");
}

#[test]
fn compressed_files_are_the_file_they_hold() {
    use std::io::Write;
    let content = level1(&[("1_A.py", "1.84"), ("2_B.py", "2.9")]);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(content.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let zstd = zstd::encode_all(content.as_bytes(), 3).unwrap();
    let (sandbox, _) = taken(0, &content);
    for (name, bytes) in [
        ("baseline_time_torch.json.gz", &gzip),
        ("baseline_time_torch.json.zst", &zstd),
    ] {
        let file = sandbox.write(&format!("packed/L40S_lab/{name}"), bytes);
        let answer = sandbox.import(0, &file, DAY);
        assert_eq!(counts(&answer), [2, 0, 2, 0], "{name}");
    }
    let cut = sandbox.write(
        "cut/L40S_lab/baseline_time_torch.json.gz",
        &gzip[..gzip.len() - 9],
    );
    let ran = sandbox.expect(1, &["import", "kernelbench", cut.to_str().unwrap()]);
    assert!(
        ran.err.contains("cut") && ran.err.contains("unexpected end"),
        "{}",
        ran.err
    );
    assert_eq!(runs(&sandbox).len(), 2);
}

#[test]
fn standard_input_is_read_and_has_no_date() {
    use std::io::Write;
    use std::process::Stdio;
    let sandbox = Sandbox::new();
    let mut child = sandbox
        .command()
        .args(["import", "kernelbench", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(level1(&[("1_A.py", "1.84")]).as_bytes())
        .unwrap();
    let ran = crate::sandbox::Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let answer = &ran.items()[0];
    assert_eq!(answer["files"][0]["observed_on"], Value::Null);
    let stale = sandbox.items(0, &["stale"]);
    assert_eq!(stale[0]["stale"], Value::Null);
    assert_eq!(stale[0]["reasons"], serde_json::json!(["NO_DATE"]));
}

#[test]
fn a_stated_unit_is_exact_and_a_doubtful_one_holds_no_record() {
    let sandbox = Sandbox::new();
    let eager = "L40S_lab/baseline_time_torch.json";
    let compile = "L40S_lab/baseline_time_torch_compile_inductor_default.json";
    let seconds = level1(&[("1_A.py", "0.00279"), ("2_B.py", "0.0046")]);
    let stated = sandbox.write(
        &format!("s/{eager}"),
        seconds.replace("\"mean\"", "\"unit\": \"s\", \"mean\""),
    );
    sandbox.import(0, &stated, DAY);
    let latencies: Vec<Value> = runs(&sandbox)
        .iter()
        .map(|run| run["latency_ns"].clone())
        .collect();
    assert_eq!(latencies, [2_790_000, 4_600_000]);
    let unstated = sandbox.write(&format!("u/{compile}"), &seconds);
    let answer = sandbox.import(0, &unstated, DAY);
    assert_eq!(codes(&answer), ["UNIT_DOUBTED"]);
    assert!(
        answer["issues"][0]["hint"]
            .as_str()
            .unwrap()
            .contains("--unit")
    );
    assert_eq!(answer["records"]["set"], 0);
    for record in sandbox.items(0, &["records"]) {
        assert_eq!(record["record"]["implementation"], "PyTorch eager");
    }
    let said = sandbox.import(
        0,
        &unstated,
        &["--observed-on", "2026-01-01", "--unit", "s"],
    );
    assert_eq!(
        counts(&said),
        [2, 2, 0, 0],
        "read again in another unit: new runs, the old are copies"
    );
    assert_eq!(runs(&sandbox).len(), 4);
    assert!(!sandbox.export().contains("UNIT_DOUBTED"));
}

#[test]
fn missing_statistics_are_unknown_not_zero() {
    let content = r#"{"level2": {
        "1_A.py": {"mean": 2.41, "min": 2.38, "max": 2.6, "num_trials": 100, "hardware": "NVIDIA L40S"},
        "2_B.py": {"mean": 5.02, "std": 0.05, "num_trials": 100, "hardware": "NVIDIA L40S"},
        "5_E.py": {"mean": 3.2, "std": 0.4, "min": 3.15, "max": 5.6, "num_trials": 64, "hardware": "NVIDIA L40S"}}}"#;
    let (sandbox, _) = taken(0, content);
    let records = sandbox.items(0, &["records"]);
    let held: Vec<(&Value, &Value)> = records
        .iter()
        .map(|r| (&r["record"]["interval_ns"], &r["record"]["spread"]))
        .collect();
    assert_eq!(held[0], (&Value::Null, &Value::Null));
    assert_eq!(
        held[1],
        (
            &serde_json::json!([5_010_200, 5_029_800]),
            &Value::from("±0.01")
        )
    );
    assert_eq!(
        held[2],
        (
            &serde_json::json!([3_150_000, 3_298_000]),
            &Value::from("±0.07")
        )
    );
}

#[test]
fn declared_facts_override_and_fill() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("timings.json", r#"{"level1": {"1_A.py": {"mean": 1.5}}}"#);
    let answer = sandbox.import(3, &file, DAY);
    assert_eq!(codes(&answer), ["NO_HARDWARE"]);
    let answer = sandbox.import(
        0,
        &file,
        &[
            "--observed-on=2026-01-01",
            "--hardware=NVIDIA L40S",
            "--implementation=My kernel",
            "--provider=Lab",
            "--software=torch=2.9.0,cuda=12.8",
            "--license=apache-2.0",
        ],
    );
    let record = &sandbox.items(0, &["records"])[0];
    assert_eq!(record["record"]["implementation"], "My kernel");
    assert_eq!(record["environment"]["provider"], "Lab");
    assert_eq!(record["environment"]["software"]["torch"], "2.9.0");
    assert_eq!(record["data_license"], "Apache-2.0");
    assert_eq!(
        record["implementation_license"],
        Value::Null,
        "unknown is unknown"
    );
    assert_eq!(answer["totals"]["read"], 1);
}

#[test]
fn a_name_with_and_without_its_ending_is_one_problem() {
    let (_, answer) = taken_nothing(level1(&[("1_A.py", "3.2"), ("1_A", "3.9")]));
    assert!(answer.contains("DUPLICATE_KEY"), "{answer}");
}

/// A file of which every record is rejected: kept with its issues, exit 3.
fn taken_nothing(content: String) -> (Sandbox, String) {
    let (sandbox, answer) = taken(3, content);
    assert_eq!(answer["totals"]["inserted"], 0);
    (sandbox, answer.to_string())
}

#[test]
fn words_for_no_name_are_no_device() {
    for name in ["", " ", "unknown", "N/A", "None"] {
        let content = level1(&[("1_A.py", "3.2")]).replace("NVIDIA L40S", name);
        let (_, answer) = taken_nothing(content);
        assert!(answer.contains("NO_HARDWARE"), "{name}: {answer}");
    }
}

#[test]
fn blank_or_contradicting_options_are_wrong_usage() {
    let sandbox = Sandbox::new();
    let file = sandbox.write(
        "t/L40S_lab/baseline_time_torch.json",
        level1(&[("1_A.py", "1.5")]),
    );
    for option in [
        "--implementation=",
        "--provider= ",
        "--suite-version=",
        "--hardware=",
        "--unit=parsec",
        "--software=torch=1,torch=2",
        "--software=torch",
        "--observed-on=2025-02-30",
        "--observed-on=2999-01-01",
    ] {
        sandbox.expect(
            2,
            &["import", "kernelbench", file.to_str().unwrap(), option],
        );
    }
    assert!(!sandbox.db().exists());
}

#[test]
fn every_path_is_a_file_and_no_uri() {
    let sandbox = Sandbox::new();
    let file = sandbox.write(
        "t/L40S_lab/baseline_time_torch.json",
        level1(&[("1_A.py", "1.5")]),
    );
    for db in [":memory:", "file:x.db?mode=memory"] {
        sandbox.expect(
            0,
            &["--db", db, "import", "kernelbench", file.to_str().unwrap()],
        );
        assert!(sandbox.path(db).exists(), "{db}");
        assert_eq!(
            sandbox
                .expect(0, &["--db", db, "records", "--json"])
                .items()
                .len(),
            1
        );
    }
}

#[test]
fn a_pipe_has_no_date() {
    let sandbox = Sandbox::new();
    let file = sandbox.write(
        "t/L40S_lab/baseline_time_torch.json",
        level1(&[("1_A.py", "1.5")]),
    );
    let output = std::process::Command::new("bash")
        .arg("-c")
        .arg(format!(
            "{} import kernelbench <(cat {}) --json",
            assert_cmd::cargo::cargo_bin!("kidx").display(),
            file.display()
        ))
        .env("KIDX_DB", sandbox.db())
        .output()
        .unwrap();
    let answer = &crate::sandbox::Ran::of(output).items()[0];
    assert_eq!(answer["files"][0]["observed_on"], Value::Null);
}
