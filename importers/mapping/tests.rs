use std::collections::BTreeMap;
use std::fmt::Write;

use super::*;
use crate::{Beside, told};

mod proposals;
mod refused;

const HARNESS: (&str, &str, &str) = (
    "harness.csv",
    include_str!("../../examples/mapping/harness.csv"),
    include_str!("../../examples/mapping/harness.toml"),
);
const NIGHTLY: (&str, &str, &str) = (
    "nightly.json",
    include_str!("../../examples/mapping/nightly.json"),
    include_str!("../../examples/mapping/nightly.toml"),
);
const WIDE: (&str, &str) = (
    "wide.csv",
    include_str!("../../tests/fixtures/mapping/wide.csv"),
);
const SERVING: (&str, &str) = (
    "serving.jsonl",
    include_str!("../../tests/fixtures/mapping/serving.jsonl"),
);
const LEVELS: (&str, &str) = (
    "levels.json",
    include_str!("../../tests/fixtures/mapping/levels.json"),
);

fn read(mapping: &[u8], file: &str, bytes: &[u8], declared: &Declared) -> Result<Reading, Refused> {
    let beside = [Beside {
        name: BESIDE.to_owned(),
        bytes: mapping.to_vec(),
    }];
    let input = Input {
        folder: None,
        file: Some(file),
        bytes,
        committed_at: None,
        beside: &beside,
    };
    ByMapping.read(&input, declared)
}

fn told_by(mapping: &str, file: &str, text: &str) -> String {
    told::told(&read(
        mapping.as_bytes(),
        file,
        text.as_bytes(),
        &Declared::default(),
    ))
}

#[test]
fn an_own_harness_is_read() {
    insta::assert_snapshot!(told_by(HARNESS.2, HARNESS.0, HARNESS.1));
}

#[test]
fn nested_json_is_read() {
    insta::assert_snapshot!(told_by(NIGHTLY.2, NIGHTLY.0, NIGHTLY.1));
}

#[test]
fn an_explanation_says_what_becomes_of_each_row() {
    let explanation = explain(HARNESS.2.as_bytes(), HARNESS.0, HARNESS.1.as_bytes());
    insta::assert_json_snapshot!(explanation);
}

/// A small mapping with something added at the top, in its metric, or in the place of its unit.
fn small(top: &str, unit: &str, metric: &str) -> String {
    format!(
        "operation = \"op\"\nimplementation = \"who\"\nhardware = {{ value = \"NVIDIA L4\" }}\n{top}\n[[metric]]\nvalue = \"t\"\n{unit}\n{metric}\n"
    )
}

#[test]
fn rows_are_records_or_issues() {
    let status = "status = { column = \"s\", words = { y = \"passed\", n = \"failed\" } }";
    let cases = [
        ("", "unit = \"ms\"", "", "relu,a,2.79,,,", Ok(2_790_000_000)),
        (
            "",
            "unit = \"ms\"",
            "",
            "relu,a,2.79 ms,,,",
            Ok(2_790_000_000),
        ),
        (
            "",
            "unit = \"ms\"",
            "",
            "relu,a,2.79us,,,",
            Err("UNIT_CONFLICT"),
        ),
        (
            "",
            "unit = { column = \"u\" }",
            "",
            "relu,a,2.79,,us,",
            Ok(2_790_000),
        ),
        (
            "",
            "unit = { column = \"u\" }",
            "",
            "relu,a,2.79,,,",
            Err("UNKNOWN_UNIT"),
        ),
        (
            "",
            "unit = { column = \"u\" }",
            "",
            "relu,a,2.79,,ells,",
            Err("UNKNOWN_UNIT"),
        ),
        (
            "",
            "unit = { column = \"u\", words = { ells = \"ms\" } }",
            "",
            "relu,a,2.79,,ells,",
            Ok(2_790_000_000),
        ),
        (
            "",
            "unit = { column = \"u\" }",
            "quantity = \"latency\"",
            "relu,a,2.79,,MB,",
            Err("UNIT_CONFLICT"),
        ),
        (
            "",
            "unit = \"B/s\"",
            "quantity = \"throughput\"",
            "relu,a,2.5,,,",
            Ok(2_500),
        ),
        ("", "unit = \"images/s\"", "", "relu,a,2.5,,,", Ok(2_500)),
        ("", "unit = \"%\"", "", "relu,a,0,,,", Ok(0)),
        ("", "unit = \"ms\"", "", "relu,a,0,,,", Err("NOT_POSITIVE")),
        ("", "unit = \"ms\"", "", "relu,a,-1,,,", Err("NOT_POSITIVE")),
        ("", "unit = \"ms\"", "", "relu,a,inf,,,", Err("NON_FINITE")),
        (
            "",
            "unit = \"ms\"",
            "",
            "relu,a,\"1,5\",,,",
            Err("NOT_A_NUMBER"),
        ),
        ("", "unit = \"ms\"", "", "relu,a,1e30,,,", Err("TOO_LARGE")),
        ("", "unit = \"ms\"", "", "relu,a,,,,", Err("NO_FIGURE")),
        (
            "",
            "unit = \"ms\"",
            "",
            "relu,a,n/a,,,",
            Err("NOT_A_NUMBER"),
        ),
        (
            "absent = [\"n/a\"]",
            "unit = \"ms\"",
            "",
            "relu,a,n/a,,,",
            Err("NO_FIGURE"),
        ),
        (
            "",
            "unit = \"ms\"",
            "",
            "relu,,1,,,",
            Err("NO_IMPLEMENTATION"),
        ),
        ("", "unit = \"ms\"", "", ",a,1,,,", Err("NO_OPERATION")),
        (
            "",
            "unit = \"ms\"",
            "",
            "re\u{7}lu,a,1,,,",
            Err("HOSTILE_NAME"),
        ),
        ("", "unit = \"ms\"", "", "relu,a,1,,", Err("ROW_WIDTH")),
        (
            "",
            "unit = \"ms\"",
            "samples = \"n\"",
            "relu,a,1,0,,",
            Err("BAD_TRIALS"),
        ),
        (
            "date = \"u\"",
            "unit = \"ms\"",
            "",
            "relu,a,1,,soon,",
            Err("BAD_DATE"),
        ),
        (
            "axes = [\"n\", { column = \"u\", name = \"n\" }]",
            "unit = \"ms\"",
            "",
            "relu,a,1,8,9,",
            Err("DUPLICATE_AXIS"),
        ),
        (
            "axes = [{ column = \"u\", names = [\"a\", \"b\"] }]",
            "unit = \"ms\"",
            "",
            "relu,a,1,8,9,",
            Err("BAD_AXIS"),
        ),
        (
            "axes = [{ column = \"u\", members = true }]",
            "unit = \"ms\"",
            "",
            "relu,a,1,8,9,",
            Err("BAD_AXIS"),
        ),
        (
            status,
            "unit = \"ms\"",
            "",
            "relu,a,1,8,9,y",
            Ok(1_000_000_000),
        ),
        (
            status,
            "unit = \"ms\"",
            "",
            "relu,a,1,8,9,maybe",
            Err("UNKNOWN_STATUS"),
        ),
        (
            "where = { s = [\"y\"] }",
            "unit = \"ms\"",
            "",
            "relu,a,1,8,9,n",
            Err("LEFT_OUT"),
        ),
        (
            "where = { s = { not = \"y\" } }",
            "unit = \"ms\"",
            "",
            "relu,a,1,8,9,n",
            Ok(1_000_000_000),
        ),
    ];
    for (top, unit, metric, row, expected) in cases {
        let mapping = small(top, unit, metric);
        let text = format!("op,who,t,n,u,s\n{row}\n");
        let reading = read(
            mapping.as_bytes(),
            "x.csv",
            text.as_bytes(),
            &Declared::default(),
        )
        .unwrap();
        told::counts_add_up(&reading);
        assert_eq!(reading.records, 1, "{mapping}{row}");
        let got = match reading.observations.first() {
            Some(run) => Ok(run.figures.value.as_ref().unwrap().amount),
            None => Err(reading
                .issues
                .iter()
                .find(|issue| issue.rejects > 0)
                .unwrap()
                .code
                .clone()),
        };
        assert_eq!(got, expected.map_err(str::to_owned), "{mapping}{row}");
    }
    let failed = small(status, "unit = \"ms\"", "");
    let reading = read(
        failed.as_bytes(),
        "x.csv",
        b"op,who,t,s\nrelu,a,3.5,n\n",
        &Declared::default(),
    )
    .unwrap();
    let run = &reading.observations[0];
    assert_eq!(
        (run.status, &run.figures.value),
        (crate::Status::Failed, &None)
    );
    let texts = &run.circumstances.as_ref().unwrap().texts;
    assert!(
        texts.contains(&("t".to_owned(), "3.5".to_owned())),
        "{texts:?}"
    );
}

#[test]
fn axes_are_columns_parts_and_members() {
    let cases = [
        ("[\"a\"]", r#"{"a": 4096}"#, "a=4096"),
        ("[\"a\"]", r#"{"a": "4096.0"}"#, "a=4096"),
        ("[\"a\"]", r#"{"a": "nt"}"#, "a=nt"),
        ("[\"a\"]", r#"{"a": 1e-06}"#, "a=1e-06"),
        ("[\"a\"]", r#"{"a": true}"#, "a=true"),
        ("[\"a\"]", r#"{"a": null}"#, ""),
        ("[\"a\"]", r#"{"a": [1, 2]}"#, "a=[1, 2]"),
        ("[\"a.b\"]", r#"{"a.b": 3, "a": {"b": 4}}"#, "a.b=3"),
        ("{ b = \"a.b\" }", r#"{"a": {"b": 4}}"#, "b=4"),
        (
            "[{ column = \"a\", members = true }]",
            r#"{"a": {"m": 1, "n": "x"}}"#,
            "m=1 n=x",
        ),
        (
            "[{ column = \"a\", members = true }]",
            r#"{"a": "{\"m\": 1, \"eps\": 0.5}"}"#,
            "eps=0.5 m=1",
        ),
        (
            "[{ column = \"a\", names = [\"m\", \"n\"] }]",
            r#"{"a": "64x128"}"#,
            "m=64 n=128",
        ),
        (
            "[{ column = \"a\", names = [\"m\", \"n\"], split = \"_\" }]",
            r#"{"a": "64_128"}"#,
            "m=64 n=128",
        ),
        (
            "[{ column = \"a\", names = [\"m\", \"n\"] }]",
            r#"{"a": [64, 128]}"#,
            "m=64 n=128",
        ),
        (
            "[{ column = \"a\", named_by = \"b\" }]",
            r#"{"a": 64, "b": "hidden"}"#,
            "hidden=64",
        ),
        ("[{ value = 7, name = \"k\" }]", r#"{"a": 1}"#, "k=7"),
    ];
    for (axes, row, expected) in cases {
        let mapping = small(&format!("axes = {axes}"), "unit = \"ms\"", "");
        let row = row.replacen('{', r#"{"op": "relu", "who": "a", "t": 1, "#, 1);
        let explanation = explain(mapping.as_bytes(), "x.json", format!("[{row}]").as_bytes());
        let entry = explanation
            .entries
            .first()
            .unwrap_or_else(|| panic!("{axes}: {explanation:?}"));
        let axes: Vec<String> = entry
            .axes
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        assert_eq!(axes.join(" "), expected, "{row}: {entry:?}");
    }
}

#[test]
fn rows_are_found_in_every_shape_of_json() {
    let row = r#"{"op": "relu", "who": "a", "t": 1}"#;
    let cases = [
        ("", format!("[{row}, {row}]"), "/0/t /1/t"),
        ("", format!("{{\"x\": {row}, \"y\": {row}}}"), "/x/t /y/t"),
        ("", row.to_owned(), "/t"),
        ("rows = \"r\"", format!("{{\"r\": [{row}]}}"), "/r/0/t"),
        (
            "rows = \"r.*.s\"",
            format!("{{\"r\": [{{\"s\": [{row}]}}, {{\"s\": [{row}]}}]}}"),
            "/r/0/s/0/t /r/1/s/0/t",
        ),
        (
            "rows = \"*\"",
            format!("{{\"a\": {{\"x\": {row}}}, \"b\": {{\"x\": {row}}}}}"),
            "/a/x/t /b/x/t",
        ),
        (
            "rows = \"\"",
            r#"{"op": "relu", "who": "a", "t": 1, "more": {}}"#.to_owned(),
            "/t",
        ),
        (
            "format = \"jsonl\"",
            format!("{row}\n\n{row}\n"),
            "/0/t /1/t",
        ),
        ("format = \"jsonl\"", row.to_owned(), "/0/t"),
    ];
    for (top, text, expected) in cases {
        let mapping = small(top, "unit = \"ms\"", "");
        let reading = read(
            mapping.as_bytes(),
            "x.json",
            text.as_bytes(),
            &Declared::default(),
        )
        .unwrap();
        told::counts_add_up(&reading);
        let places: Vec<&str> = reading
            .observations
            .iter()
            .map(|run| &*run.place.pointer)
            .collect();
        assert_eq!(
            places.join(" "),
            expected,
            "{top} {text}: {:?}",
            reading.issues
        );
    }
    for (top, text, code) in [
        ("rows = \"r\"", "{\"q\": []}", "NO_ROWS"),
        ("", "[{\"op\": 1}", "TRUNCATED"),
        ("", "", "EMPTY"),
    ] {
        let mapping = small(top, "unit = \"ms\"", "");
        let refused = read(
            mapping.as_bytes(),
            "x.json",
            text.as_bytes(),
            &Declared::default(),
        )
        .unwrap_err();
        assert_eq!(refused.code, code);
    }
    let mapping = small("", "unit = \"ms\"", "");
    let text = format!("[{row}, 3, null, {{\"op\": \"x\", \"op\": \"y\"}}]");
    let reading = read(
        mapping.as_bytes(),
        "x.json",
        text.as_bytes(),
        &Declared::default(),
    )
    .unwrap();
    let codes: Vec<&str> = reading.issues.iter().map(|issue| &*issue.code).collect();
    assert_eq!(codes, ["NOT_A_RECORD", "NO_FIGURE", "DUPLICATE_KEY"]);
    told::counts_add_up(&reading);
}

#[test]
fn declared_facts_count_or_are_said_to_be_in_vain() {
    let mapping = "operation = \"op\"\n[[metric]]\nvalue = \"t\"\nunit = \"?\"\n";
    let text = b"op,t\nrelu,2\n";
    let declared = Declared {
        implementation: Some("mine".to_owned()),
        provider: Some("Lambda".to_owned()),
        hardware: Some("NVIDIA L4".to_owned()),
        unit: Some("us".to_owned()),
        level: Some(2),
        ..Declared::default()
    };
    let reading = read(mapping.as_bytes(), "x.csv", text, &declared).unwrap();
    let run = &reading.observations[0];
    assert_eq!(run.implementation.name, "mine");
    assert_eq!(&*run.hardware, "NVIDIA L4");
    assert_eq!(run.figures.value.as_ref().unwrap().amount, 2_000_000);
    assert_eq!(reading.provider.as_deref(), Some("Lambda"));
    assert!(
        reading
            .issues
            .iter()
            .any(|issue| issue.code == "DECLARED_IGNORED")
    );
    let other = small("", "unit = \"ms\"", "");
    let reading = read(
        other.as_bytes(),
        "x.csv",
        b"op,who,t\nrelu,a,2\n",
        &declared,
    )
    .unwrap();
    assert_eq!(reading.issues[0].code, "UNIT_CONFLICT");
    assert_eq!(reading.observations.len(), 0);
}

#[test]
fn a_unit_in_a_name_is_held_against_the_mapping() {
    let mapping = "operation = \"op\"\nimplementation = \"who\"\nhardware = { value = \"X\" }\n[[metric]]\nvalue = \"time (us)\"\nunit = \"ms\"\n";
    let reading = read(
        mapping.as_bytes(),
        "x.csv",
        b"op,who,time (us)\nrelu,a,2\n",
        &Declared::default(),
    )
    .unwrap();
    let issue = &reading.issues[0];
    assert_eq!(
        (&*issue.code, issue.severity),
        ("UNIT_CONFLICT", Severity::Warning)
    );
}

#[test]
fn no_bytes_make_it_panic() {
    for (file, text, mapping) in [HARNESS, NIGHTLY] {
        let steps = |text: &str| (0..text.len()).step_by(7).collect::<Vec<_>>();
        let try_both = |mapping: &[u8], bytes: &[u8]| {
            if let Ok(reading) = read(mapping, file, bytes, &Declared::default()) {
                told::counts_add_up(&reading);
            }
            let _ = explain(mapping, file, bytes);
        };
        for at in steps(text) {
            try_both(mapping.as_bytes(), &text.as_bytes()[..at]);
            proposals::proposed_parses(file, &text.as_bytes()[..at]);
            for byte in [b'"', b',', b'{', 0xFF, b'\n', b'9'] {
                let mut changed = text.as_bytes().to_vec();
                changed[at] = byte;
                try_both(mapping.as_bytes(), &changed);
                proposals::proposed_parses(file, &changed);
            }
        }
        for at in steps(mapping) {
            try_both(&mapping.as_bytes()[..at], text.as_bytes());
            for byte in [b'"', b'=', b'[', 0xFF, b'?', b'.'] {
                let mut changed = mapping.as_bytes().to_vec();
                changed[at] = byte;
                try_both(&changed, text.as_bytes());
            }
        }
    }
}

#[test]
fn documented_mappings_are_read() {
    let text = include_str!("../../docs/mapping.md");
    let blocks = text
        .split("```toml\n")
        .skip(1)
        .filter_map(|block| block.split("```").next());
    let whole: Vec<&str> = blocks
        .filter(|block| block.contains("operation ="))
        .collect();
    let [first, nested] = whole.as_slice() else {
        panic!("two worked examples: {}", whole.len());
    };
    for (mapping, (file, text, _), observations) in [(first, HARNESS, 7), (nested, NIGHTLY, 5)] {
        let reading = read(
            mapping.as_bytes(),
            file,
            text.as_bytes(),
            &Declared::default(),
        )
        .unwrap();
        assert_eq!(
            reading.observations.len(),
            observations,
            "{:?}",
            reading.issues
        );
    }
}

#[test]
fn a_hundred_thousand_rows_by_key_know_what_is_around_them() {
    let mut text = String::from("{\"device\": \"NVIDIA L4\", \"r\": {");
    for row in 0..100_000 {
        let comma = if row == 0 { "" } else { "," };
        let _ = write!(text, "{comma}\"k{row}\": {{\"who\": \"a\", \"t\": 1.5}}");
    }
    text.push_str("}}");
    let mapping = "rows = \"r\"\noperation = \"@key\"\nimplementation = \"who\"\nhardware = \"^device\"\n[[metric]]\nvalue = \"t\"\nunit = \"us\"\n";
    let reading = read(
        mapping.as_bytes(),
        "x.json",
        text.as_bytes(),
        &Declared::default(),
    )
    .unwrap();
    assert_eq!(reading.observations.len(), 100_000);
    assert_eq!(&*reading.observations[99_999].hardware, "NVIDIA L4");
}

#[test]
fn a_baseline_that_no_row_has_is_told() {
    let text = "op,who,t,n,s,dtype\nrelu,a,1.5,8,y,fp16\n";
    for (name, codes) in [("a", &[][..]), ("b", &["BASELINE_ABSENT"])] {
        let mapping = small(&format!("baseline = \"{name}\""), "unit = \"ms\"", "");
        let declared = Declared::default();
        let reading = read(mapping.as_bytes(), "x.csv", text.as_bytes(), &declared).unwrap();
        let warned = reading
            .issues
            .iter()
            .filter(|i| i.severity == Severity::Warning);
        let found: Vec<&str> = warned.map(|i| i.code.as_str()).collect();
        assert_eq!(found, codes, "{name}");
    }
}

#[test]
fn lines_of_json_may_be_called_json() {
    let lines = "{\"op\": \"relu\", \"who\": \"a\", \"t_ms\": 1.5}\n{\"op\": \"gelu\", \"who\": \"a\", \"t_ms\": 2.5}\n";
    for name in ["x.json", "x.jsonl", ""] {
        let proposal = propose(name, lines.as_bytes()).unwrap();
        assert!(proposal.contains("(2 rows)"), "{name}: {proposal}");
    }
    assert!(
        propose("", lines.as_bytes())
            .unwrap()
            .contains("standard input")
    );
}
