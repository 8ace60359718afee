use std::sync::Arc;

use super::*;
use crate::told;

const HEADER: &str = "kernel_name,kernel_provider,kernel_operation_mode,metric_name,metric_unit,x_name,x_label,x_value,y_value_50,y_value_20,y_value_80,extra_benchmark_config_str,gpu_name,timestamp,liger_version";

fn read(rows: &str, declared: &Declared) -> Result<Reading, Refused> {
    let text = format!("{HEADER}\n{rows}");
    Liger.read(
        &Input {
            folder: None,
            file: None,
            bytes: text.as_bytes(),
            committed_at: None,
            beside: &[],
        },
        declared,
    )
}

#[test]
fn the_fixture_reads_as_it_is_written() {
    let text = include_str!("../../tests/fixtures/liger/all_benchmark_data.csv");
    insta::assert_snapshot!(told::read(
        &Liger,
        "all_benchmark_data.csv",
        text,
        &Declared::default()
    ));
}

#[test]
fn each_rule_by_a_row() {
    let row = |change: &[(usize, &str)]| {
        let mut cells = vec![
            "toy_norm",
            "liger",
            "forward",
            "speed",
            "ms",
            "H",
            "hidden",
            "64",
            "0.5",
            "0.4",
            "0.6",
            r#""{""M"": 8}""#,
            "GPU A",
            "2026-01-02 03:04:05",
            "9.9.9",
        ];
        for (at, text) in change {
            cells[*at] = text;
        }
        cells.join(",")
    };
    for (change, code, rejects) in [
        (vec![], None, 0),
        (vec![(3, "power")], Some("UNKNOWN_METRIC"), 1),
        (vec![(4, "MB")], Some("UNKNOWN_UNIT"), 1),
        (vec![(4, "furlong")], Some("UNKNOWN_UNIT"), 1),
        (vec![(8, "nan")], Some("NON_FINITE"), 1),
        (vec![(8, "fast")], Some("NOT_A_NUMBER"), 1),
        (vec![(8, "")], Some("NOT_A_NUMBER"), 1),
        (vec![(8, "0.0")], Some("NOT_POSITIVE"), 1),
        (vec![(9, "-0.1")], Some("NOT_POSITIVE"), 1),
        (vec![(8, "1e99")], Some("TOO_LARGE"), 1),
        (vec![(8, "0.7")], Some("STATS_CONTRADICT"), 0),
        (vec![(11, "{oops")], Some("BAD_CONFIG"), 0),
        (vec![(11, "[1]")], Some("BAD_CONFIG"), 0),
        (
            vec![(11, r#""{""a"": 1, ""a"": 2}""#)],
            Some("DUPLICATE_KEY"),
            1,
        ),
        (vec![(12, "")], Some("NO_HARDWARE"), 1),
        (vec![(13, "yesterday")], Some("BAD_TIME"), 1),
        (vec![(0, "a\u{1b}[31m")], Some("HOSTILE_NAME"), 1),
        (vec![(14, "1,2")], Some("WIDTH"), 1),
    ] {
        let reading = read(&row(&change), &Declared::default()).unwrap();
        let first = reading.issues.first().map(|issue| issue.code.as_str());
        assert_eq!(first, code, "{change:?}");
        let rejected: u32 = reading.issues.iter().map(|issue| issue.rejects).sum();
        assert_eq!(rejected, rejects, "{change:?}");
        assert_eq!(reading.records, 1, "{change:?}");
        assert!(
            reading
                .issues
                .iter()
                .all(|issue| issue.place.line == Some(2))
        );
    }
    let declared = Declared {
        hardware: Some("GPU B".to_owned()),
        ..Declared::default()
    };
    let filled = read(&row(&[(12, "")]), &declared).unwrap();
    assert_eq!(&*filled.observations[0].hardware, "GPU B");
}

#[test]
fn a_newer_release_is_another_implementation_and_the_baseline_is_one() {
    let rows = [
        ("liger", "0.5.8"),
        ("liger", "0.5.10"),
        ("torch", "0.5.8"),
        ("torch", "0.5.10"),
    ]
    .map(|(provider, version)| {
        format!(
            "k,{provider},full,speed,ms,H,h,64,0.5,0.4,0.6,,GPU A,2026-01-02 03:04:05,{version}"
        )
    });
    let reading = read(&rows.join("\n"), &Declared::default()).unwrap();
    let names: Vec<&str> = reading
        .observations
        .iter()
        .map(|run| run.implementation.name.as_str())
        .collect();
    assert_eq!(names, ["liger 0.5.8", "liger 0.5.10", "torch", "torch"]);
    assert!(Arc::ptr_eq(
        &reading.observations[2].implementation,
        &reading.observations[3].implementation
    ));
}

#[test]
fn foreign_tables_are_refused_and_cut_ones_too() {
    assert_eq!(
        Liger
            .read(
                &Input {
                    folder: None,
                    file: None,
                    bytes: b"a,b\n1,2\n",
                    committed_at: None,
                    beside: &[],
                },
                &Declared::default()
            )
            .unwrap_err()
            .code,
        "NO_COLUMN"
    );
    let text = include_bytes!("../../tests/fixtures/liger/all_benchmark_data.csv");
    for end in 0..text.len() {
        let input = Input {
            folder: None,
            file: None,
            bytes: &text[..end],
            committed_at: None,
            beside: &[],
        };
        if let Ok(reading) = Liger.read(&input, &Declared::default()) {
            let rejected: u32 = reading.issues.iter().map(|issue| issue.rejects).sum();
            assert_eq!(
                reading.records,
                reading.observations.len() as u64 + u64::from(rejected)
            );
        }
    }
}
