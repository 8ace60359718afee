//! `kidx audit` and `kidx acknowledge`: planted cheats are found, sound figures aren't.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{AS_OF, check_command, check_commands, check_question, loaded};
use crate::sandbox::Sandbox;

const H100: &str = "NVIDIA H100 80GB HBM3";

/// 4,096 × 393,216 fp32: 6.44 GB, 1.92 ms at the H100's 3,350 GB/s.
const RELU: &str = "19_ReLU.py";

/// 4,096³: the inputs alone take 40 µs.
const MATMUL: &str = "1_Square_matrix_multiplication_.py";

/// A timing of level 1 with all its statistics, in ms.
fn timed(name: &str, device: &str, mean: f64, std: f64, ends: [f64; 2]) -> String {
    let [min, max] = ends;
    format!(
        r#""{name}": {{"mean": {mean}, "std": {std}, "min": {min}, "max": {max}, "num_trials": 100, "hardware": "{device}"}}"#
    )
}

fn sound(name: &str, device: &str, mean: f64) -> String {
    timed(name, device, mean, mean * 0.01, [mean * 0.98, mean * 1.03])
}

fn file(sandbox: &Sandbox, path: &str, records: &[String]) -> PathBuf {
    sandbox.write(path, format!("{{\"level1\": {{{}}}}}", records.join(", ")))
}

/// Imported as timings of today's definitions.
fn import(sandbox: &Sandbox, path: &str, records: &[String]) {
    let written = file(sandbox, path, records);
    let more = ["--observed-on=2026-02-01", "--suite-version=2026-01-19"];
    sandbox.import(0, &written, &more);
}

fn audit(sandbox: &Sandbox, code: i32, more: &[&str]) -> Vec<Value> {
    sandbox.items(code, &[&["audit", "--as-of", AS_OF], more].concat())
}

fn rules(found: &[Value]) -> Vec<&str> {
    found.iter().map(|f| f["rule"].as_str().unwrap()).collect()
}

#[test]
fn all() {
    check_question("audit", &loaded(), &["audit"], &["--limit", "2"]);
}

#[test]
fn the_table_of_rules() {
    let commands: &[&[&str]] = &[
        &["audit", "--rules"],
        &["audit", "--explain", "below-hard"],
        &["audit", "--explain", "BELOW"],
        &["audit", "--explain", "NOISY", "--json"],
        &["audit", "--rule", "NOISY,ZERO", "--as-of", AS_OF],
    ];
    check_commands("audit_rules", &loaded(), commands);
}

#[test]
fn a_sound_file_is_left_alone() {
    let sandbox = Sandbox::new();
    import(
        &sandbox,
        "H100_lab/baseline_time_torch.json",
        &[sound(RELU, H100, 4.5), sound("20_LeakyReLU.py", H100, 4.6)],
    );
    assert_eq!(
        rules(&audit(&sandbox, 0, &["--min-severity=note"])),
        [""; 0]
    );
}

/// Each cheat in a file of its own beside sound ones: rule, exit code of the audit.
#[test]
fn planted_cheats_are_found() {
    let eager = "H100_lab/baseline_time_torch.json";
    let compiled = "H100_lab/baseline_time_torch_compile_inductor_default.json";
    let plain = || sound(RELU, H100, 4.5);
    for (what, path, cheat, rule, code) in [
        (
            "an output that was cached",
            compiled,
            timed(RELU, H100, 0.02, 0.001, [0.019, 0.022]),
            "BELOW_HARD",
            3,
        ),
        (
            "the same, as a rate",
            compiled,
            timed(RELU, H100, 0.02, 0.001, [0.019, 0.022]),
            "ABOVE_PEAK",
            3,
        ),
        (
            "matrix work on another stream",
            compiled,
            sound(MATMUL, H100, 0.1),
            "SPEEDUP_OVER_10",
            0,
        ),
        (
            "seconds for milliseconds",
            compiled,
            sound(RELU, H100, 0.0045),
            "BELOW_HARD",
            3,
        ),
        (
            "seconds for milliseconds, seen from the other file",
            compiled,
            sound(RELU, H100, 0.0045),
            "UNIT_DOUBTED",
            0,
        ),
        (
            "microseconds for milliseconds",
            compiled,
            sound(RELU, H100, 4500.0),
            "UNIT_DOUBTED",
            0,
        ),
        (
            "another card",
            "H100_other/baseline_time_torch.json",
            sound(RELU, "NVIDIA H200", 3.5),
            "FOLDER_DISAGREES",
            0,
        ),
        (
            "a constant",
            compiled,
            timed(RELU, H100, 4.0, 0.0, [4.0, 4.0]),
            "ZERO_SPREAD",
            0,
        ),
        (
            "a mean outside its trials",
            compiled,
            timed(RELU, H100, 3.0, 0.01, [4.0, 4.1]),
            "STATS_CONTRADICT",
            3,
        ),
        (
            "a spread from elsewhere",
            compiled,
            timed(RELU, H100, 4.0, 2.0, [3.9, 4.1]),
            "SPREAD_IMPOSSIBLE",
            0,
        ),
        (
            "half a run",
            compiled,
            timed(RELU, H100, 4.0, 4.0, [0.9, 41.0]),
            "NOISY",
            0,
        ),
        (
            "slower when compiled",
            compiled,
            sound(RELU, H100, 6.0),
            "COMPILE_REGRESSION",
            0,
        ),
        (
            "a replicate far off",
            "H100_other/baseline_time_torch.json",
            sound(RELU, H100, 9.5),
            "REPLICATES_DISAGREE",
            0,
        ),
    ] {
        let sandbox = Sandbox::new();
        import(&sandbox, eager, &[plain(), sound(MATMUL, H100, 2.66)]);
        import(&sandbox, path, &[cheat]);
        let found = audit(&sandbox, code, &["--rule", rule]);
        assert_eq!(rules(&found), [rule], "{what}");
        let found = &found[0];
        for key in ["saw", "against"] {
            assert!(!found[key]["text"].as_str().unwrap().is_empty(), "{what}");
        }
        assert!(found["run"].as_str().unwrap().starts_with("run:"), "{what}");
        assert!(found["place"]["file"].is_string(), "{what}");
        sandbox.expect(0, &["verify"]);
    }
}

#[test]
fn files_and_problems() {
    let sandbox = Sandbox::new();
    import(
        &sandbox,
        "H100_lab/baseline_time_torch.json",
        &[
            sound(RELU, H100, 4.5),
            sound("20_LeakyReLU.py", "NVIDIA H200", 3.5),
            sound("23_Softmax.py", H100, 6.5),
        ],
    );
    let found = audit(&sandbox, 0, &["--min-severity=error"]);
    assert_eq!(rules(&found), [""; 0]);
    let found = audit(&sandbox, 3, &["--min-severity=note"]);
    assert_eq!(
        rules(&found),
        ["FOLDER_DISAGREES", "MIXED_HARDWARE", "WEAK_PROBLEM"]
    );
    let told = |at: usize, key: &str| found[at][key]["text"].as_str().unwrap();
    assert_eq!(told(0, "saw"), "H200 SXM 141GB");
    assert_eq!(told(0, "against"), "H100_lab");
    assert_eq!(told(1, "against"), "H100 SXM5 80GB");
    assert!(told(2, "against").ends_with("/issues/165"));
    // The record and the run's page are marked, too.
    let records = ["records", "--as-of", AS_OF];
    let records = sandbox.items(0, &records);
    let marks: Vec<_> = records.iter().map(|record| &record["marks"]).collect();
    assert_eq!(marks, [&json!([]), &json!([]), &json!(["WEAK_PROBLEM"])]);
    let page = sandbox.item(0, &["show", found[0]["run"].as_str().unwrap()]);
    let marks: Vec<_> = page["marks"].as_array().unwrap().iter().collect();
    assert_eq!(marks.len(), 2, "{marks:?}");
    let other = records[0]["record"]["run"].as_str().unwrap();
    let page = sandbox.item(0, &["show", other]);
    assert_eq!(page["marks"][0]["rule"], "MIXED_HARDWARE");
    assert_eq!(page["marks"].as_array().unwrap().len(), 1);
    // A selection says which findings are wanted, not what is looked at.
    let found = audit(&sandbox, 0, &["--hardware=h200"]);
    assert_eq!(rules(&found), ["FOLDER_DISAGREES", "MIXED_HARDWARE"]);
}

#[test]
fn environments_are_held_against_what_is_usual_between_them() {
    let sandbox = Sandbox::new();
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/kernelbench");
    let folder = |name: &str| {
        let path = examples.join(name).join("baseline_time_torch.json");
        serde_json::from_slice::<Value>(&std::fs::read(path).unwrap()).unwrap()
    };
    let mut planted = folder("H100_Modal");
    // One problem of the slower card's file, eight times as fast as on the other.
    let name = planted["level2"]
        .as_object()
        .unwrap()
        .keys()
        .find(|name| name.starts_with("12_"))
        .unwrap()
        .clone();
    for level in ["level1", "level2", "level3"] {
        for (_, record) in planted[level].as_object_mut().unwrap() {
            record["hardware"] = json!("NVIDIA H100 PCIe");
            for figure in ["mean", "std", "min", "max"] {
                let slower = record[figure].as_f64().unwrap_or_default() * 1.5;
                record[figure] = json!(slower);
            }
        }
    }
    for figure in ["mean", "std", "min", "max"] {
        let record = &mut planted["level2"][&name];
        record[figure] = json!(record[figure].as_f64().unwrap() / 12.0);
    }
    let one = sandbox.write(
        "H100_Modal/baseline_time_torch.json",
        folder("H100_Modal").to_string(),
    );
    let other = sandbox.write(
        "H100_PCIe_lab/baseline_time_torch.json",
        planted.to_string(),
    );
    for path in [&one, &other] {
        sandbox.import(
            0,
            path,
            &["--observed-on=2026-02-01", "--suite-version=2026-01-19"],
        );
    }
    let found = audit(&sandbox, 0, &["--rule=ENVIRONMENTS_DISAGREE"]);
    assert_eq!(rules(&found), ["ENVIRONMENTS_DISAGREE"]);
    assert_eq!(found[0]["operation"]["slug"], "kernelbench/level2/12");
    assert_eq!(found[0]["hardware"]["short"], "h100-pcie");
    assert_eq!(found[0]["saw"]["text"], "0.13×");
    assert_eq!(found[0]["against"]["text"], "1.50×");
    let own = &found[0]["run"];
    let page = sandbox.item(0, &["show", found[0]["against"]["run"].as_str().unwrap()]);
    assert_eq!(page["marks"][0]["rule"], "ENVIRONMENTS_DISAGREE");
    assert_ne!(&page["run"], own);
}

#[test]
fn a_workload_that_changed_under_its_name_and_short_times() {
    let sandbox = Sandbox::new();
    let old = [
        sound(RELU, H100, 0.03),
        sound("20_LeakyReLU.py", H100, 0.006),
    ];
    for (version, records) in [
        ("2025-01-10", &old[..]),
        ("2026-01-19", &[sound(RELU, H100, 4.5)]),
    ] {
        let path = format!("{version}/H100_lab/baseline_time_torch.json");
        let written = file(&sandbox, &path, records);
        let more = ["--observed-on=2026-02-01", "--suite-version", version];
        sandbox.import(0, &written, &more);
    }
    let found = audit(&sandbox, 0, &["--rule=WORKLOAD_CHANGED,LAUNCH_BOUND"]);
    assert_eq!(rules(&found), ["LAUNCH_BOUND", "WORKLOAD_CHANGED"]);
    assert_eq!(found[1]["saw"]["text"], "4.50 ms");
    assert_eq!(found[1]["against"]["text"], "30.0 µs");
}

/// A cheat that would lead, beside a sound baseline.
fn with_a_cheat() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    import(
        &sandbox,
        "H100_lab/baseline_time_torch.json",
        &[sound(RELU, H100, 4.5)],
    );
    import(
        &sandbox,
        "H100_lab/baseline_time_torch_compile_inductor_default.json",
        &[sound(RELU, H100, 1.5)],
    );
    let found = audit(&sandbox, 3, &["--rule=BELOW_HARD"]);
    let run = found[0]["run"].as_str().unwrap().to_owned();
    (sandbox, run)
}

#[test]
fn an_acknowledgement_lifts_and_stays_visible() {
    let (sandbox, run) = with_a_cheat();
    let record = |sandbox: &Sandbox| {
        let record = sandbox.item(0, &["records", "--as-of", AS_OF]);
        (
            record["record"]["run"] == run.as_str(),
            record["runs"].clone(),
        )
    };
    assert_eq!(record(&sandbox), (false, json!(1)));
    let page = sandbox.item(0, &["show", &run, "--as-of", AS_OF]);
    assert_eq!(
        page["place"]["reasons"],
        json!(["SHAPE_DOUBTED", "BELOW_HARD"])
    );
    // One rule alone lifts only what that rule found.
    let more = ["--reason=only zeros are read", "--rule=below-hard"];
    let answer = sandbox.item(0, &[&["acknowledge", &run][..], &more].concat());
    assert_eq!(answer["rule"], "BELOW_HARD");
    assert_eq!(answer["record_before"], answer["record_after"]);
    let found = audit(&sandbox, 0, &["--rule=BELOW_HARD,SHAPE_DOUBTED"]);
    assert_eq!(rules(&found), ["BELOW_HARD", "SHAPE_DOUBTED"]);
    assert_eq!(found[0]["acknowledged"]["reason"], "only zeros are read");
    assert_eq!(found[1]["acknowledged"], Value::Null);
    assert_eq!(record(&sandbox), (false, json!(1)));
    // The errors that are left count.
    audit(&sandbox, 3, &["--rule=ABOVE_PEAK"]);
    let answer = sandbox.item(0, &["acknowledge", &run, "--reason=looked at the trace"]);
    assert_eq!(answer["record_after"]["run"], run.as_str());
    assert_eq!(record(&sandbox), (true, json!(2)));
    let found = audit(&sandbox, 0, &[]);
    assert!(!found.is_empty() && found.iter().all(|f| f["acknowledged"] != Value::Null));
    // Before the file knew, it was not lifted.
    let before = ["records", "--as-of", AS_OF, "--known-at=2020-01-01"];
    assert_eq!(sandbox.items(0, &before).len(), 0);
    let marks = sandbox.item(0, &["records", "--as-of", AS_OF])["marks"].clone();
    assert_eq!(marks, json!(["BELOW_HARD", "ABOVE_PEAK"]));
    let page = sandbox.item(0, &["show", &run, "--as-of", AS_OF]);
    assert_eq!(page["place"]["reasons"], json!([]));
    let mut events = String::new();
    for event in page["events"].as_array().unwrap() {
        writeln!(events, "{} {}", event["event"], event["rule"]).unwrap();
    }
    assert_eq!(
        events,
        "\"acknowledge\" \"BELOW_HARD\"\n\"acknowledge\" null\n"
    );
    sandbox.expect(0, &["verify"]);
}

#[test]
fn acknowledging_in_words() {
    let (sandbox, run) = with_a_cheat();
    let commands: &[&[&str]] = &[
        &["acknowledge", &run, "--reason=looked at the trace"],
        &["acknowledge", &run, "--reason=looked at the trace"],
        &["acknowledge", &run, "--reason=", "--rule=NOISY"],
        &["acknowledge", &run, "--reason=x", "--rule=NOISE"],
        &["audit", "--as-of", AS_OF],
    ];
    check_commands("acknowledge", &sandbox, commands);
    check_command(
        "acknowledge_audit",
        &sandbox,
        160,
        &["audit", "--as-of", AS_OF, "--min-severity=error"],
    );
}

/// What is found, without what a file's own history makes different.
#[test]
fn the_order_of_imports_does_not_matter() {
    let files = |sandbox: &Sandbox| {
        let fast = "H100_lab/baseline_time_torch_compile_inductor_default.json";
        [
            file(
                sandbox,
                "H100_lab/baseline_time_torch.json",
                &[sound(RELU, H100, 4.5)],
            ),
            file(sandbox, fast, &[sound(RELU, H100, 0.5)]),
            file(
                sandbox,
                "H100_lab2/baseline_time_torch.json",
                &[sound(RELU, H100, 9.5)],
            ),
            file(
                sandbox,
                "H100_lab3/baseline_time_torch.json",
                &[sound(RELU, "NVIDIA H200", 3.0)],
            ),
        ]
    };
    let found = |order: [usize; 4]| {
        let sandbox = Sandbox::new();
        let files = files(&sandbox);
        for at in order {
            let more = ["--observed-on=2026-02-01", "--suite-version=2026-01-19"];
            sandbox.import(0, &files[at], &more);
        }
        sandbox.expect(0, &["verify"]);
        audit(&sandbox, 3, &["--min-severity=note"])
    };
    let first = found([0, 1, 2, 3]);
    assert!(first.len() >= 5, "{:?}", rules(&first));
    assert_eq!(found([3, 2, 1, 0]), first);
    assert_eq!(found([1, 3, 0, 2]), first);
}
