//! The importer's rules on small files of our own, and what nvbench's own outputs give.

use proptest::prelude::*;

use super::*;
use crate::{AxisValue, Status, Subject, told};

const TAGGED: &str = include_str!("../../tests/fixtures/nvbench/gather_bench.json");
const OLD: &str = include_str!("../../tests/fixtures/nvbench/before_tags.json");
const CSV: &str = include_str!("../../tests/fixtures/nvbench/before_tags.csv");
const SEVERAL: &str = include_str!("../../tests/fixtures/nvbench/several.csv");

fn read_as(file: &str, bytes: &[u8], declared: &Declared) -> Result<Reading, Refused> {
    let input = Input {
        folder: None,
        file: Some(file),
        bytes,
        committed_at: None,
        beside: &[],
    };
    let reading = NvBench.read(&input, declared)?;
    told::counts_add_up(&reading);
    for run in &reading.observations {
        assert_eq!(run.status == Status::Passed, run.figures.value.is_some());
    }
    Ok(reading)
}

fn read(file: &str, text: &str) -> Reading {
    read_as(file, text.as_bytes(), &Declared::default()).unwrap()
}

/// What makes runs meet: all that a run says but its place and the harness's version.
fn meets(reading: &Reading) -> Vec<String> {
    let mut runs: Vec<String> = reading
        .observations
        .iter()
        .map(|run| {
            let protocol = run
                .circumstances
                .as_ref()
                .and_then(|more| more.protocol.clone());
            let Subject::Stated(workload) = &run.subject else {
                panic!("benchmarks state their workloads")
            };
            format!(
                "{:?} {} {} {} {:?} {:?} {protocol:?}",
                workload,
                run.implementation.slug,
                run.hardware,
                run.metric.key(),
                run.status,
                run.figures,
            )
        })
        .collect();
    runs.sort();
    runs
}

#[test]
fn a_tagged_file_gives_each_figure_with_its_protocol() {
    insta::assert_snapshot!(told::read(
        &NvBench,
        "out.json",
        TAGGED,
        &Declared::default()
    ));
}

#[test]
fn a_table_of_several_benchmarks_keeps_their_columns_apart() {
    insta::assert_snapshot!(told::read(
        &NvBench,
        "several.csv",
        SEVERAL,
        &Declared::default()
    ));
}

#[test]
fn both_formats_of_one_run_meet() {
    let (json, csv) = (read("run.json", OLD), read("run.csv", CSV));
    assert_eq!(meets(&json), meets(&csv));
    assert_eq!(json.observations.len(), 7);
    let group = |reading: &Reading| match &reading.observations[0].subject {
        Subject::Stated(workload) => workload.operation.group.clone(),
        Subject::Problem(_) => None,
    };
    assert_eq!(group(&json).as_deref(), Some("run"));
    assert_eq!(
        group(&read("run.json", TAGGED)).as_deref(),
        Some("gather_bench")
    );
}

#[test]
fn declared_facts_fill_name_or_are_refused() {
    type Change = fn(&mut Declared);
    let declared = |change: fn(&mut Declared)| {
        let mut declared = Declared::default();
        change(&mut declared);
        read_as("several.csv", SEVERAL.as_bytes(), &declared)
    };
    let filled = declared(|d| d.hardware = Some("GPU Z".to_owned())).unwrap();
    assert!(
        filled
            .observations
            .iter()
            .any(|run| &*run.hardware == "GPU Z")
    );
    assert!(filled.assumptions.iter().any(|said| said.contains("1 of")));
    let named = declared(|d| d.implementation = Some("My Sort v2".to_owned())).unwrap();
    assert_eq!(named.observations[0].implementation.slug, "my-sort-v2");
    assert_eq!(named.basis, Basis::Declared);
    let level = declared(|d| d.level = Some(1)).unwrap();
    assert_eq!(level.issues[0].code, "DECLARED_IGNORED");
    assert!(declared(|d| d.unit = Some("s".to_owned())).is_ok());
    let refusals: [(Change, &str); 3] = [
        (|d| d.unit = Some("ms".to_owned()), "UNIT_CONFLICT"),
        (|d| d.unit = Some("sec".to_owned()), "UNKNOWN_UNIT"),
        (|d| d.hardware = Some("a\u{7}b".to_owned()), "HOSTILE_NAME"),
    ];
    for (change, code) in refusals {
        assert_eq!(declared(change).unwrap_err().code, code);
    }
}

#[test]
fn an_element_type_is_taken_where_one_axis_names_one() {
    let dtype = |axes: &[(&str, &str)]| {
        let axes = axes
            .iter()
            .map(|(name, value)| ((*name).to_owned(), words::axis(value)));
        words::dtype(&axes.collect())
    };
    assert_eq!(
        dtype(&[("T", "F32"), ("N", "32")]).as_deref(),
        Some("float32")
    );
    assert_eq!(dtype(&[("In", "I8"), ("Out", "I8")]), None);
    assert_eq!(dtype(&[("T", "complex")]), None);
    assert_eq!(words::axis("1024"), AxisValue::Size(1024));
    for word in ["0.5", "2^10", "+1", "007", "99999999999999999999"] {
        assert_eq!(words::axis(word), AxisValue::Word(word.to_owned()));
    }
}

#[test]
fn doubtful_parts_cost_no_more_than_themselves() {
    let state = |state: &str| {
        format!(
            r#"{{"devices": [{{"id": 0, "name": "GPU A", "sm_version": 90}}], "benchmarks": [{{"name": "b", "states": {state}}}]}}"#
        )
    };
    let mean = |value: &str| {
        format!(
            r#"{{"tag": "nv/cold/time/gpu/mean", "data": [{{"name": "value", "value": {value}}}]}}"#
        )
    };
    let with =
        |summaries: &str| state(&format!(r#"[{{"device": 0, "summaries": [{summaries}]}}]"#));
    let twice = format!("{}, {}", mean("\"1\""), mean("\"2\""));
    let beyond = format!(
        r#"{}, {{"tag": "nv/cold/time/gpu/min", "data": [{{"name": "value", "value": "2"}}]}}"#,
        mean("\"1\"")
    );
    let cases = [
        (with(&mean("\"0.5\"")), 1, &[][..]),
        (with(&mean("0.5")), 1, &[]),
        (with(&mean("NaN")), 0, &["NON_FINITE"]),
        (with(&mean("\"fast\"")), 0, &["NOT_A_NUMBER"]),
        (with(&mean("\"0.0\"")), 0, &["NOT_POSITIVE"]),
        (with(&mean("\"1e9\"")), 0, &["TOO_LARGE"]),
        (with(&mean("null")), 0, &["NO_VALUE"]),
        (with(&twice), 0, &["DUPLICATE_KEY"]),
        (with(&beyond), 1, &["STATS_CONTRADICT"]),
        (with(""), 0, &["NO_TIMING"]),
        (state("null"), 0, &[]),
        (state("[1]"), 0, &["BAD_RECORD"]),
        (
            state(r#"{"a": {}, "a": {}}"#),
            0,
            &["DUPLICATE_KEY", "DUPLICATE_KEY"],
        ),
        (
            state(r#"[{"axis_values": [{"name": "N"}]}]"#),
            0,
            &["NO_AXIS"],
        ),
        (
            with(&mean("\"1\"")).replace("\"b\"", "\"b\\u0007\""),
            0,
            &["HOSTILE_NAME"],
        ),
        (
            with(&mean("\"1\"")).replace("GPU A", "GPU\\nA"),
            0,
            &["HOSTILE_NAME"],
        ),
        (
            with(&mean("\"1\"")).replace("\"id\": 0", "\"id\": 7"),
            0,
            &["NO_HARDWARE"],
        ),
    ];
    for (text, runs, codes) in cases {
        let reading = read("b.json", &text);
        let found: Vec<&str> = reading
            .issues
            .iter()
            .map(|issue| issue.code.as_str())
            .collect();
        assert_eq!(
            (reading.observations.len(), found.as_slice()),
            (runs, codes),
            "{text}"
        );
    }
}

#[test]
fn files_are_recognised_by_content() {
    let by = |text: &str| -> Vec<&str> {
        let input = Input {
            folder: None,
            file: Some("x"),
            bytes: text.as_bytes(),
            committed_at: None,
            beside: &[],
        };
        crate::REGISTRY
            .iter()
            .filter(|importer| importer.recognises(&input).is_some())
            .map(|importer| importer.source().slug)
            .collect()
    };
    for text in [TAGGED, OLD, CSV, SEVERAL] {
        assert_eq!(by(text), ["nvbench"]);
    }
    for text in [
        "",
        "{",
        "{}",
        "[]",
        r#"{"level1": {"1_a.py": {"mean": 1}}}"#,
        r#"{"context": {"num_cpus": 8}, "benchmarks": [{"name": "b"}]}"#,
        r#"{"machine_info": {}, "commit_info": {}, "benchmarks": [], "devices": []}"#,
        "kernel_name,kernel_provider,metric_name\n",
        "Problem,Provider,OperationKind,Operation,Disposition,Status\n",
        "Benchmark,Time\n",
    ] {
        assert!(!by(text).contains(&"nvbench"), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn cut_and_changed_bytes_are_never_a_panic(which in 0..4_usize, at: proptest::sample::Index, byte: u8, cut: bool) {
        let mut bytes = [TAGGED, OLD, CSV, SEVERAL][which].as_bytes().to_vec();
        let at = at.index(bytes.len());
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] = byte;
        }
        let _ = read_as("x", &bytes, &Declared::default());
    }
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "reads published files that lie beside the checkout, if they do"
)]
fn published_outputs_are_read_to_the_last_figure() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/nvbench");
    // File, records, skipped among them.
    let files = [
        ("examples/outputs/nvbench.example.auto_throughput", 20, 4),
        ("examples/outputs/nvbench.example.skip", 150, 30),
        ("examples/outputs/nvbench.example.throughput", 12, 0),
    ];
    if std::fs::read(format!("{root}/python/scripts/test_ref.json")).is_err() {
        println!("skipped: no published files of nvbench at {root}");
        return;
    }
    let load = |file: &str| {
        let bytes = std::fs::read(format!("{root}/{file}")).unwrap();
        let name = file.rsplit('/').next().unwrap();
        read_as(name, &bytes, &Declared::default()).unwrap()
    };
    for (file, records, skipped) in files {
        let (json, csv) = (load(&format!("{file}.json")), load(&format!("{file}.csv")));
        assert_eq!((json.records, csv.records), (records, records), "{file}");
        assert_eq!(json.observations.len() as u64, records, "{file}");
        let of = |reading: &Reading| {
            let all = reading.observations.iter();
            all.filter(|run| run.status == Status::Skipped).count()
        };
        assert_eq!((of(&json), of(&csv)), (skipped, skipped), "{file}");
        assert_eq!(meets(&json), meets(&csv), "{file}");
    }
    let newer = load("python/scripts/test_ref.json");
    assert_eq!(newer.observations.len() as u64, newer.records);
    assert_eq!(newer.records, 494);
}
