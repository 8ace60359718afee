use super::*;
use crate::told;

fn read(text: &str, folder: Option<&str>, declared: &Declared) -> Result<Reading, Refused> {
    KernelBenchEval.read(
        &Input {
            folder,
            file: Some("eval_results.json"),
            bytes: text.as_bytes(),
            committed_at: None,
            beside: &[],
        },
        declared,
    )
}

const FIXTURE: &str =
    include_str!("../../tests/fixtures/kernelbench-eval/toy_run_level2/eval_results.json");

#[test]
fn the_fixture_reads_as_it_is_written() {
    let reading = read(FIXTURE, Some("toy_run_level2"), &Declared::default());
    insta::assert_snapshot!(told::told(&reading));
}

#[test]
fn levels_are_in_names_of_runs() {
    for (name, level) in [
        ("gemini_level1_run", Some(1)),
        ("qwencoder_Level-2", Some(2)),
        ("gemma4_retime_l2", Some(2)),
        ("openrouter_deepseek_v4_pro_leaderboard_l1", Some(1)),
        ("l40s_run", None),
        ("run", None),
        ("levels", None),
    ] {
        assert_eq!(level_in(name), level, "{name}");
    }
    let declared = Declared {
        level: Some(3),
        ..Declared::default()
    };
    assert_eq!(level(Some("x_level1"), &declared), Some(3));
    let refused = read(FIXTURE, Some("run"), &Declared::default()).unwrap_err();
    assert_eq!(refused.code, "NO_LEVEL");
}

#[test]
fn each_rule_by_a_sample() {
    let cases = [
        (
            r#"{"compiled": true, "correctness": true, "runtime": 1.5, "metadata": {}}"#,
            Err("NO_HARDWARE"),
        ),
        (
            r#"{"compiled": false, "correctness": false, "runtime": -1.0, "metadata": {}}"#,
            Ok("compile_error"),
        ),
        (
            r#"{"compiled": true, "correctness": false, "runtime": -1.0, "metadata": {"runtime_error": "x"}}"#,
            Ok("runtime_error"),
        ),
        (
            r#"{"compiled": true, "correctness": false, "runtime": -1.0}"#,
            Ok("incorrect"),
        ),
        (
            r#"{"compiled": true, "correctness": true, "runtime": -1.0}"#,
            Ok("not_run"),
        ),
        (
            r#"{"compiled": false, "correctness": false, "metadata": {"error": "x"}}"#,
            Ok("failed"),
        ),
        (
            r#"{"compiled": true, "correctness": true, "runtime": 0.0, "metadata": {"hardware": "G"}}"#,
            Err("NOT_POSITIVE"),
        ),
        (
            r#"{"compiled": true, "correctness": true, "runtime": Infinity, "metadata": {"hardware": "G"}}"#,
            Err("NON_FINITE"),
        ),
        (
            r#"{"compiled": true, "correctness": true, "runtime": "fast"}"#,
            Err("NOT_A_NUMBER"),
        ),
        (
            r#"{"compiled": "yes", "correctness": true}"#,
            Err("NOT_A_BOOLEAN"),
        ),
        (r#"{"correctness": true}"#, Err("NO_FIELD")),
        (
            r#"{"compiled": true, "compiled": true, "correctness": true}"#,
            Err("DUPLICATE_KEY"),
        ),
        (
            r#"{"compiled": true, "correctness": true, "sample_id": -2}"#,
            Err("BAD_SAMPLE_ID"),
        ),
        ("7", Err("NOT_A_RECORD")),
        ("null", Err("NOT_A_RECORD")),
    ];
    for (sample, expected) in cases {
        for text in [
            format!("{{\"1\": {sample}}}"),
            format!("{{\"1\": [{sample}]}}"),
        ] {
            let reading = read(&text, Some("a_level1"), &Declared::default()).unwrap();
            assert_eq!(reading.records, 1, "{text}");
            let found = match reading.observations.first() {
                Some(run) => {
                    assert_eq!(run.figures.value.is_some(), run.status == Status::Passed);
                    Ok(run.status.as_str())
                }
                None => Err(reading.issues[0].code.as_str()),
            };
            assert_eq!(found, expected, "{text}");
        }
    }
}

#[test]
fn contradictions_are_told_and_never_timings() {
    for (samples, status, code) in [
        (
            r#"{"compiled": false, "correctness": true, "runtime": 2.0}"#,
            "compile_error",
            "STATUS_CONTRADICTS",
        ),
        (
            r#"{"compiled": true, "correctness": true, "runtime": 2.0},
               {"compiled": true, "correctness": true, "runtime": 3.0}"#,
            "passed",
            "DUPLICATE_SAMPLE",
        ),
    ] {
        let text = format!("{{\"1\": [{samples}]}}");
        let declared = Declared {
            hardware: Some("NVIDIA L40S".to_owned()),
            ..Declared::default()
        };
        let reading = read(&text, Some("a_level1"), &declared).unwrap();
        let run = &reading.observations[0];
        assert_eq!(run.status.as_str(), status, "{text}");
        assert_eq!(run.figures.value.is_some(), status == "passed");
        let codes: Vec<&str> = reading.issues.iter().map(|i| i.code.as_str()).collect();
        assert_eq!(codes, [code], "{text}");
    }
    // Only -1 says that there is no time.
    let text = r#"{"1": [{"compiled": true, "correctness": true, "runtime": -7}]}"#;
    let reading = read(text, Some("a_level1"), &Declared::default()).unwrap();
    assert_eq!(reading.observations, []);
    assert_eq!(reading.issues[0].severity, Severity::Error);
}

#[test]
fn a_problem_that_stands_twice_counts_neither_time() {
    let sample = r#"{"compiled": false, "correctness": false}"#;
    let text = format!("{{\"1\": {sample}, \"2\": {sample}, \"1\": [{sample}, {sample}]}}");
    let reading = read(&text, Some("a_level1"), &Declared::default()).unwrap();
    assert_eq!(reading.observations.len(), 1);
    assert_eq!(reading.records, 4);
}

#[test]
fn other_files_are_refused_and_not_recognised() {
    for text in [
        "[]",
        r#"{"level1": {"1_a.py": {"mean": 1.0}}}"#,
        r#"{"averages": {"avg_pass@1": 0.5}, "problems": {"1": {"pass@1": 1.0}}}"#,
        r#"{"1": {"mean": 2.0}}"#,
        "1,2\n",
        "",
    ] {
        let input = Input {
            folder: Some("a_level1"),
            file: None,
            bytes: text.as_bytes(),
            committed_at: None,
            beside: &[],
        };
        assert_eq!(KernelBenchEval.recognises(&input), None, "{text}");
    }
    let cut = &FIXTURE[..FIXTURE.len() / 2];
    assert!(read(cut, Some("a_level1"), &Declared::default()).is_err());
    for end in (0..FIXTURE.len()).step_by(7) {
        let _ = read(&FIXTURE[..end], Some("a_level1"), &Declared::default());
    }
}
