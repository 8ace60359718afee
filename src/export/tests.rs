//! One export in every format.

use serde_json::json;

use super::*;

fn header() -> Header {
    let column = |key, numeric| ExportColumn { key, numeric };
    Header {
        schema: "kidx/export/1",
        sources: vec![ExportSource {
            slug: "suite".to_owned(),
            name: "A suite".to_owned(),
            home: "https://example.org/suite".to_owned(),
            data_license: None,
            attribution: "Its authors".to_owned(),
        }],
        columns: vec![column("operation", false), column("latency_ns", true)],
    }
}

fn records() -> Vec<Record> {
    [
        json!({"operation": "suite/1", "latency_ns": 2_790_000, "extra": [1]}),
        json!({"operation": "=1|2\n", "latency_ns": null}),
        json!({"latency_ns": 359.467}),
    ]
    .into_iter()
    .map(|value| value.as_object().unwrap().clone())
    .collect()
}

fn exported(format: ExportFormat, records: &[Record]) -> String {
    let mut bytes = Vec::new();
    let mut exporter = format.exporter(&mut bytes);
    exporter.begin(&header()).unwrap();
    for record in records {
        exporter.row(record).unwrap();
    }
    exporter.end().unwrap();
    drop(exporter);
    String::from_utf8(bytes).unwrap()
}

#[test]
fn as_json() {
    let text = exported(ExportFormat::Json, &records());
    insta::with_settings!({filters => vec![(r#""kidx": "[^"]+""#, r#""kidx": "VERSION""#)]}, {
        insta::assert_snapshot!(text, @r#"
        {
        "schema": "kidx/export/1",
        "kidx": "VERSION",
        "sources": [{"slug":"suite","name":"A suite","home":"https://example.org/suite","data_license":null,"attribution":"Its authors"}],
        "items": [
        {"operation":"suite/1","latency_ns":2790000,"extra":[1]},
        {"operation":"=1|2\n","latency_ns":null},
        {"latency_ns":359.467}
        ]
        }
        "#);
    });
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["items"], json!(records()));
    let empty: Value = serde_json::from_str(&exported(ExportFormat::Json, &[])).unwrap();
    assert_eq!(empty["items"], json!([]));
}

#[test]
fn as_json_lines() {
    insta::assert_snapshot!(exported(ExportFormat::Jsonl, &records()), @r#"
    {"operation":"suite/1","latency_ns":2790000,"extra":[1]}
    {"operation":"=1|2\n","latency_ns":null}
    {"latency_ns":359.467}
    "#);
}

#[test]
fn as_csv() {
    insta::assert_snapshot!(exported(ExportFormat::Csv, &records()), @r#"
    operation,latency_ns
    suite/1,2790000
    "'=1|2
    ",
    ,359.467
    "#);
}

#[test]
fn as_markdown() {
    insta::assert_snapshot!(exported(ExportFormat::Markdown, &records()), @r"
    | operation | latency_ns |
    | --- | ---: |
    | suite/1 | 2790000 |
    | =1\|2 |  |
    |  | 359.467 |

    - A suite (licence unknown): Its authors, <https://example.org/suite>
    ");
}

#[test]
fn a_format_is_known_by_the_extension() {
    let cases = [
        ("x.json", Some(ExportFormat::Json)),
        ("x.ndjson", Some(ExportFormat::Jsonl)),
        ("a.b/x.CSV", Some(ExportFormat::Csv)),
        ("x.md", Some(ExportFormat::Markdown)),
        ("x.parquet", None),
        ("json", None),
    ];
    for (path, format) in cases {
        assert_eq!(ExportFormat::of(Path::new(path)), format, "{path}");
    }
    assert_eq!(ExportFormat::asked(Format::Csv), Some(ExportFormat::Csv));
    assert_eq!(ExportFormat::asked(Format::Table), None);
}
