//! The importers' rules, on small files of our own; and, where it is there, the real data.

use proptest::prelude::*;

use super::*;
use crate::{AxisValue, Beside, Status, Subject, told};

const TRACES: &str = include_str!("../../tests/fixtures/flashinfer/toy_gemm_n64_k32.jsonl");
const DEFINITION: &str =
    include_str!("../../tests/fixtures/flashinfer/definition_toy_gemm_n64_k32.json");
const OLD: &str = include_str!("../../tests/fixtures/flashinfer/old.jsonl");
const SOL_TRACES: &str = include_str!("../../tests/fixtures/sol-execbench/trace.json");

fn input<'a>(folder: Option<&'a str>, file: &'a str, bytes: &'a [u8]) -> Input<'a> {
    Input {
        folder,
        file: Some(file),
        bytes,
        committed_at: None,
        beside: &[],
    }
}

/// Reads a text and checks that every record is counted once and has its own place.
fn read(importer: &dyn Importer, text: &str, declared: &Declared) -> Result<Reading, Refused> {
    let reading = importer.read(&input(None, "traces.jsonl", text.as_bytes()), declared)?;
    check(&reading);
    Ok(reading)
}

fn check(reading: &Reading) {
    told::counts_add_up(reading);
    for run in &reading.observations {
        assert_eq!(run.status == Status::Passed, run.figures.value.is_some());
        assert!(run.place.line.is_some());
    }
}

fn codes(reading: &Reading) -> Vec<&str> {
    reading.issues.iter().map(|issue| &*issue.code).collect()
}

/// A trace of one line around its evaluation.
fn trace(workload: &str, evaluation: &str) -> String {
    format!(
        r#"{{"definition": "toy", "solution": "s", "workload": {workload}, "evaluation": {{{evaluation}}}}}"#
    )
}

const RUN: &str = r#""environment": {"hardware": "GPU A"}, "timestamp": "2026-05-01T00:00:00Z""#;

#[test]
fn traces_line_by_line() {
    insta::assert_snapshot!(told::read(
        &FlashInfer,
        "toy_gemm_n64_k32.jsonl",
        TRACES,
        &Declared::default()
    ));
}

#[test]
fn traces_with_their_definition() {
    let mut with = input(Some("gemm"), "toy_gemm_n64_k32.jsonl", TRACES.as_bytes());
    let path = "../../../definitions/gemm/toy_gemm_n64_k32.json";
    assert!(FlashInfer.beside(&with).iter().any(|asked| asked == path));
    let beside = [Beside {
        name: path.to_owned(),
        bytes: DEFINITION.as_bytes().to_vec(),
    }];
    with.beside = &beside;
    let reading = FlashInfer.read(&with, &Declared::default()).unwrap();
    check(&reading);
    let Subject::Stated(workload) = &reading.observations[0].subject else {
        panic!("traces state their workload");
    };
    insta::assert_debug_snapshot!(workload);
    let broken = [Beside {
        name: path.to_owned(),
        bytes: b"{\"name\": \"toy_gemm_n64_k32\"}".to_vec(),
    }];
    with.beside = &broken;
    let reading = FlashInfer.read(&with, &Declared::default()).unwrap();
    assert_eq!(reading.issues[0].code, "BAD_DEFINITION");
}

#[test]
fn traces_of_july_2025() {
    insta::assert_snapshot!(told::read(
        &FlashInfer,
        "old.jsonl",
        OLD,
        &Declared::default()
    ));
    let declared = Declared {
        hardware: Some("GPU of mine".to_owned()),
        level: Some(1),
        ..Declared::default()
    };
    let reading = read(&FlashInfer, OLD, &declared).unwrap();
    assert_eq!(codes(&reading), ["DECLARED_IGNORED"]);
    assert_eq!(&*reading.observations[4].hardware, "GPU of mine");
}

#[test]
fn sol_traces_over_many_lines() {
    insta::assert_snapshot!(told::read(
        &SolExecBench,
        "trace.json",
        SOL_TRACES,
        &Declared::default()
    ));
}

#[test]
fn each_status_is_known() {
    let cases = [
        ("PASSED", Status::Passed),
        ("INCORRECT", Status::Incorrect),
        ("INCORRECT_SHAPE", Status::Incorrect),
        ("INCORRECT_NUMERICAL", Status::Incorrect),
        ("INCORRECT_DTYPE", Status::Incorrect),
        ("RUNTIME_ERROR", Status::RuntimeError),
        ("COMPILE_ERROR", Status::CompileError),
        ("TIMEOUT", Status::Timeout),
        ("REWARD_HACK", Status::RewardHack),
        ("INVALID_REFERENCE", Status::InvalidReference),
    ];
    for (word, status) in cases {
        let performance = match status {
            Status::Passed => r#", "performance": {"latency_ms": 1.5}"#,
            _ => r#", "performance": {"latency_ms": 1.5, "speedup_factor": 2}"#,
        };
        let text = trace(
            r#"{"axes": {}}"#,
            &format!(r#""status": "{word}", {RUN}{performance}"#),
        );
        let reading = read(&SolExecBench, &text, &Declared::default()).unwrap();
        let run = &reading.observations[0];
        assert_eq!(run.status, status, "{word}");
        let texts = &run.circumstances.as_ref().unwrap().texts;
        let stated = texts.iter().find(|(name, _)| name == "status");
        let failed = status != Status::Passed;
        assert_eq!(
            stated.is_some_and(|(_, text)| text == word),
            failed,
            "{word}"
        );
        // What a failed run states is evidence, not a figure.
        assert_eq!(texts.iter().any(|(name, _)| name == "latency_ms"), failed);
    }
}

#[test]
fn bad_traces_are_rejected_alone() {
    let performance = |figures: &str| {
        trace(
            r#"{"axes": {}}"#,
            &format!(r#""status": "PASSED", {RUN}, "performance": {{{figures}}}"#),
        )
    };
    let workload = |workload: &str| {
        trace(
            workload,
            &format!(
                r#""status": "PASSED", {RUN}, "performance": {{"latency_ms": 1, "reference_latency_ms": 2}}"#
            ),
        )
    };
    let whole = performance(r#""latency_ms": 1.5"#);
    let cases = [
        (performance(r#""latency_ms": NaN"#), "NON_FINITE", 1),
        (performance(r#""latency_ms": "Infinity""#), "NON_FINITE", 1),
        (performance(r#""latency_ms": "1.5""#), "NOT_A_NUMBER", 1),
        (performance(r#""latency_ms": 0.0"#), "NOT_POSITIVE", 1),
        (performance(r#""latency_ms": -1.0"#), "NOT_POSITIVE", 1),
        (performance(r#""latency_ms": 1e-12"#), "NOT_POSITIVE", 1),
        (performance(r#""latency_ms": 1e12"#), "TOO_LARGE", 1),
        (performance(""), "NO_TIMING", 1),
        (
            performance(r#""latency_ms": 1, "latency_ms": 2"#),
            "DUPLICATE_KEY",
            1,
        ),
        (workload(r#"{"axes": {"M": 1.5}}"#), "BAD_AXIS", 2),
        (workload(r#"{"axes": {"M": -1}}"#), "BAD_AXIS", 2),
        (workload(r#"{"axes": {"\u001b": 1}}"#), "HOSTILE_NAME", 2),
        (workload("null"), "NO_WORKLOAD", 2),
        (workload("[]"), "NOT_A_RECORD", 2),
        (whole.replace("\"s\"", "null"), "NO_SOLUTION", 1),
        (whole.replace("\"s\"", "\"\\n\""), "HOSTILE_NAME", 1),
        (whole.replace("\"toy\"", "7"), "NO_DEFINITION", 1),
        (whole.replace("\"PASSED\"", "\"FINE\""), "UNKNOWN_STATUS", 1),
        (whole.replace("\"GPU A\"", "\"cuda:1\""), "NO_HARDWARE", 1),
        (whole.replace("\"GPU A\"", "\"\\u202e\""), "HOSTILE_NAME", 1),
        ("[1]".to_owned(), "NOT_A_RECORD", 1),
        ("{\"a\": 1}".to_owned(), "NOT_A_RECORD", 1),
        ("{\"a\": ".to_owned(), "TRUNCATED", 1),
        ("oh dear".to_owned(), "NOT_JSON", 1),
    ];
    for (bad, code, rejects) in cases {
        let text = format!("{whole}\n{bad}\n{whole}\n");
        let reading = read(&FlashInfer, &text, &Declared::default()).unwrap();
        assert_eq!(reading.observations.len(), 2, "{bad}");
        assert_eq!(codes(&reading), [code], "{bad}");
        assert_eq!(reading.issues[0].rejects, rejects, "{bad}");
        assert_eq!(reading.issues[0].place.line, Some(2), "{bad}");
        assert!(reading.issues[0].place.pointer.starts_with("/1"), "{bad}");
    }
}

#[test]
fn a_line_that_is_no_text_costs_itself_alone() {
    let good = trace(
        r#"{"axes": {}}"#,
        &format!(r#""status": "PASSED", {RUN}, "performance": {{"latency_ms": 1}}"#),
    );
    let bytes = [good.as_bytes(), b"\n\xff\xfe\n", good.as_bytes()].concat();
    let reading = FlashInfer
        .read(&input(None, "x.jsonl", &bytes), &Declared::default())
        .unwrap();
    check(&reading);
    assert_eq!(reading.observations.len(), 2);
    assert_eq!(codes(&reading), ["NOT_UTF8"]);
}

#[test]
fn a_stated_speedup_is_held_against_the_latencies() {
    let cases = [
        ("0.025", "0.224", "8.96", false),
        ("0.25", "2.24", "24.87", true),
        // All that two printed digits can say.
        ("0.007", "0.020", "2.857", false),
        ("0.007", "0.020", "3.4", true),
        (
            "0.09216000139713287",
            "0.01706666685640812",
            "0.18518518443662987",
            false,
        ),
        (
            "0.09216000139713287",
            "0.01706666685640812",
            "0.1852",
            false,
        ),
        ("0.09216000139713287", "0.01706666685640812", "0.1853", true),
        ("0.1", "0.2", "0.0", true),
    ];
    for (own, reference, speedup, clashes) in cases {
        let figures = format!(
            r#""latency_ms": {own}, "reference_latency_ms": {reference}, "speedup_factor": {speedup}"#
        );
        let text = trace(
            r#"{"axes": {}}"#,
            &format!(r#""status": "PASSED", {RUN}, "performance": {{{figures}}}"#),
        );
        let reading = read(&FlashInfer, &text, &Declared::default()).unwrap();
        assert_eq!(reading.observations.len(), 2);
        let found = codes(&reading) == ["SPEEDUP_CLASH"];
        assert_eq!(found, clashes, "{figures} {:?}", reading.issues);
    }
}

#[test]
fn workloads_are_told_apart_by_what_bears_on_them() {
    let axes = |workload: &str| {
        let text = trace(
            workload,
            &format!(r#""status": "PASSED", {RUN}, "performance": {{"latency_ms": 1}}"#),
        );
        let reading = read(&FlashInfer, &text, &Declared::default()).unwrap();
        match &reading.observations[0].subject {
            Subject::Stated(workload) => workload.axes.clone(),
            Subject::Problem(_) => panic!("traces state their workload"),
        }
    };
    let random = |uuid: &str| {
        format!(
            r#"{{"uuid": "{uuid}", "axes": {{"M": 1}}, "inputs": {{"A": {{"type": "random"}}}}}}"#
        )
    };
    assert_eq!(axes(&random("one")), axes(&random("two")));
    let real = |uuid: &str, path: &str| {
        format!(
            r#"{{{uuid} "axes": {{"M": 1}}, "inputs": {{"A": {{"type": "safetensors", "path": "{path}", "tensor_key": "a"}}}}}}"#
        )
    };
    let uuid = |word: &str| format!(r#""uuid": "{word}","#);
    assert_ne!(
        axes(&real(&uuid("one"), "p")),
        axes(&real(&uuid("two"), "p"))
    );
    assert_eq!(
        axes(&real(&uuid("one"), "p")),
        axes(&real(&uuid("one"), "q"))
    );
    assert_ne!(axes(&real("", "p")), axes(&real("", "q")));
    let scalars = axes(
        r#"{"axes": {"eps": 1}, "inputs": {"eps": {"type": "scalar", "value": 1e-06}, "causal": {"type": "scalar", "value": true}}}"#,
    );
    let word = |text: &str| AxisValue::Word(text.to_owned());
    let expected = [
        ("causal".to_owned(), word("true")),
        ("eps".to_owned(), AxisValue::Size(1)),
        ("input:eps".to_owned(), word("1e-06")),
    ];
    assert!(scalars.into_iter().eq(expected));
}

#[test]
fn what_is_no_trace_is_refused_by_name() {
    let cases = [
        (DEFINITION, "NOT_TRACES", "a definition"),
        (
            r#"{"uuid": "u", "axes": {}, "inputs": {}}"#,
            "NOT_TRACES",
            "workload cases",
        ),
        (
            r#"{"definition": "d", "workload": {}, "solution": null, "evaluation": null}"#,
            "NOT_TRACES",
            "workload cases",
        ),
        (
            r#"{"name": "s", "spec": {}, "sources": []}"#,
            "NOT_TRACES",
            "a solution",
        ),
        (r#"{"level1": {}}"#, "NOT_TRACES", "`level1`"),
        ("[]", "NOT_TRACES", "nothing"),
        ("[1, 2]", "NOT_TRACES", "a number"),
        ("", "EMPTY", "empty"),
        (" \n", "EMPTY", "blank"),
        ("[{\"a\": 1}", "TRUNCATED", "end"),
        ("a,b\n1,2\n", "NOT_JSON", ""),
    ];
    for (text, code, message) in cases {
        for importer in [&FlashInfer as &dyn Importer, &SolExecBench] {
            let refused = read(importer, text, &Declared::default()).unwrap_err();
            assert_eq!(refused.code, code, "{text}");
            assert!(refused.message.contains(message), "{}", refused.message);
        }
    }
    let refused = read(&FlashInfer, SOL_TRACES, &Declared::default()).unwrap_err();
    assert_eq!(refused.code, "OTHER_SOURCE");
    for (unit, code) in [(Some("us"), Some("UNIT_CONFLICT")), (Some("ms"), None)] {
        let declared = Declared {
            unit: unit.map(str::to_owned),
            ..Declared::default()
        };
        let refused = read(&FlashInfer, OLD, &declared).err();
        assert_eq!(refused.map(|refused| refused.code), code);
    }
}

#[test]
fn traces_are_recognised_and_told_apart() {
    let custom = SOL_TRACES
        .replace("\"has_nan\"", "\"a\"")
        .replace("\"has_inf\"", "\"b\"")
        .replace("REWARD_HACK", "TIMEOUT");
    let cases = [
        (TRACES, true, false),
        (OLD, true, false),
        (SOL_TRACES, false, true),
        // `tolerance` still says so.
        (&custom, false, true),
        (DEFINITION, false, false),
        (
            r#"{"definition": "d", "workload": {}, "solution": null, "evaluation": null}"#,
            false,
            false,
        ),
        (r#"{"uuid": "u", "axes": {}, "inputs": {}}"#, false, false),
        (
            r#"{"level1": {"1_a.py": {"mean": 1, "hardware": "a"}}}"#,
            false,
            false,
        ),
        (r#"[{"evaluation": {"status": "PASSED"}}]"#, false, false),
        ("kernel_name,kernel_provider\n", false, false),
        ("", false, false),
    ];
    for (text, flashinfer, sol) in cases {
        let input = input(None, "x", text.as_bytes());
        assert_eq!(
            FlashInfer.recognises(&input).is_some(),
            flashinfer,
            "{text}"
        );
        assert_eq!(SolExecBench.recognises(&input).is_some(), sol, "{text}");
    }
}

#[test]
fn definitions_are_asked_for_under_safe_names_only() {
    let text = trace("{}", "").replace("\"toy\"", "\"../../etc/passwd\"");
    let asked = FlashInfer.beside(&input(Some("gemm"), "x.jsonl", text.as_bytes()));
    assert_eq!(asked, ["definition.json"]);
}

proptest! {
    #[test]
    fn broken_files_never_panic(
        file in 0usize..3, at in 0usize..4000, byte in any::<u8>(), cut in 0usize..4000
    ) {
        let texts = [TRACES, OLD, SOL_TRACES];
        let mut bytes = texts[file].as_bytes().to_vec();
        let length = bytes.len();
        bytes[at % length] = byte;
        for end in [length, cut % length] {
            let beside = [Beside { name: "definition.json".to_owned(), bytes: bytes.clone() }];
            let mut input = input(Some("gemm"), "toy_gemm_n64_k32.jsonl", &bytes[..end]);
            input.beside = &beside;
            for importer in [&FlashInfer as &dyn Importer, &SolExecBench] {
                importer.recognises(&input);
                importer.beside(&input);
                if let Ok(reading) = importer.read(&input, &Declared::default()) {
                    check(&reading);
                }
            }
        }
    }

    #[test]
    fn broken_definitions_never_panic(at in 0usize..1000, byte in any::<u8>(), cut in 0usize..1000) {
        let mut bytes = DEFINITION.as_bytes().to_vec();
        let length = bytes.len();
        bytes[at % length] = byte;
        for end in [length, cut % length] {
            let beside = [Beside { name: "definition.json".to_owned(), bytes: bytes[..end].to_vec() }];
            let mut input = input(None, "x.jsonl", TRACES.as_bytes());
            input.beside = &beside;
            check(&FlashInfer.read(&input, &Declared::default()).unwrap());
        }
    }
}

/// Files of the source as they were published, if they lie beside the checkout.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a test reads the real data where they are"
)]
fn real_traces_are_read() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    if !folder.is_dir() {
        println!("skipped: no real data in {}", folder.display());
        return;
    }
    let trace = "flashinfer-trace/traces";
    let bench = "flashinfer-bench";
    let gemm = "dataset/traces/gemm_m_dynamic_n_4096_k_4096.jsonl";
    // File, records, runs with a figure, codes of what else is said.
    let cases: [(String, u64, usize, &[&str]); 6] = [
        (
            format!("{trace}/baseline/rmsnorm/fused_add_rmsnorm_h2048.jsonl"),
            6,
            6,
            &[],
        ),
        (
            format!("{trace}/model-authored/rmsnorm/fused_add_rmsnorm_h2048.jsonl"),
            4,
            4,
            &[],
        ),
        (format!("{bench}/4bb310f87c55/{gemm}"), 172, 172, &[]),
        (format!("{bench}/dd93425da919/{gemm}"), 158, 144, &[]),
        (
            format!("{bench}/654ab05b0a57/dataset/traces/gemm.jsonl"),
            6,
            6,
            &[],
        ),
        (
            format!(
                "{bench}/4def975fc334/bench/test/results/fib_all_defs_20260317_141930/gpt-5/traces/gemm/gemm_n128_k2048.jsonl"
            ),
            47,
            44,
            &[],
        ),
    ];
    for (path, records, timed, said) in cases {
        let bytes = std::fs::read(folder.join(&path)).unwrap();
        let mut parts = path.rsplit('/');
        let file = parts.next().unwrap();
        let input = input(parts.next(), file, &bytes);
        assert!(FlashInfer.recognises(&input).is_some(), "{path}");
        assert!(SolExecBench.recognises(&input).is_none(), "{path}");
        let reading = FlashInfer.read(&input, &Declared::default()).unwrap();
        check(&reading);
        let with = reading
            .observations
            .iter()
            .filter(|run| run.figures.value.is_some());
        assert_eq!((reading.records, with.count()), (records, timed), "{path}");
        assert_eq!(codes(&reading), said, "{path}");
    }
    let sol = folder.join("sol-execbench");
    let bytes = std::fs::read(sol.join("docs/trace.example.json")).unwrap();
    let example = input(Some("docs"), "trace.example.json", &bytes);
    assert!(SolExecBench.recognises(&example).is_some());
    assert!(FlashInfer.recognises(&example).is_none());
    let reading = SolExecBench.read(&example, &Declared::default()).unwrap();
    check(&reading);
    assert_eq!(reading.observations.len(), 2);
    for problem in ["cuda_cpp/flux_rope", "cudnn/softmax", "triton/rmsnorm"] {
        for file in ["definition.json", "workload.jsonl"] {
            let bytes = std::fs::read(sol.join("examples").join(problem).join(file)).unwrap();
            let input = input(None, file, &bytes);
            assert!(SolExecBench.recognises(&input).is_none());
            let refused = SolExecBench.read(&input, &Declared::default()).unwrap_err();
            assert_eq!(refused.code, "NOT_TRACES", "{problem} {file}");
        }
    }
}
