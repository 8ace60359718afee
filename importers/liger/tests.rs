//! The importer's rules on a small table of our own; and, where it is there, the real one.

use proptest::prelude::*;

use super::*;
use crate::Observation;
use crate::metric::Quantity;
use crate::{AxisValue, Status, Subject, told};

const TABLE: &str = include_str!("../../tests/fixtures/liger/all_benchmark_data.csv");

fn read_bytes(bytes: &[u8], declared: &Declared) -> Result<Reading, Refused> {
    let input = Input {
        folder: Some("data"),
        file: Some("all_benchmark_data.csv"),
        bytes,
        committed_at: None,
        beside: &[],
    };
    let reading = Liger.read(&input, declared)?;
    told::counts_add_up(&reading);
    Ok(reading)
}

fn recognised(text: &str) -> bool {
    let input = Input {
        folder: None,
        file: None,
        bytes: text.as_bytes(),
        committed_at: None,
        beside: &[],
    };
    Liger.recognises(&input).is_some()
}

#[test]
fn a_table_is_read_row_by_row() {
    insta::assert_snapshot!(told::read(
        &Liger,
        "all_benchmark_data.csv",
        TABLE,
        &Declared::default()
    ));
}

#[test]
fn a_declared_device_fills_blanks_and_other_facts_are_told() {
    let declared = Declared {
        hardware: Some("NVIDIA H100 NVL".to_owned()),
        provider: Some("Rig".to_owned()),
        implementation: Some("mine".to_owned()),
        unit: Some("ms".to_owned()),
        ..Declared::default()
    };
    let reading = read_bytes(TABLE.as_bytes(), &declared).unwrap();
    let filled: Vec<&Observation> = reading
        .observations
        .iter()
        .filter(|run| &*run.hardware == "NVIDIA H100 NVL")
        .collect();
    assert_eq!(filled.len(), 1);
    assert_eq!(
        reading.assumptions.last().unwrap(),
        "1 of 15 rows name no device: `NVIDIA H100 NVL` as declared"
    );
    let vain: Vec<&str> = reading
        .issues
        .iter()
        .filter(|issue| issue.code == "DECLARED_IGNORED")
        .map(|issue| issue.message.as_str())
        .collect();
    assert_eq!(
        vain,
        ["`--implementation` was not used: each row of the table states what ran and on what"]
    );
    assert_eq!(
        (reading.provider.as_deref(), reading.basis),
        (Some("Rig"), Basis::Declared)
    );
    let seconds = Declared {
        unit: Some("s".to_owned()),
        ..Declared::default()
    };
    let refused = read_bytes(TABLE.as_bytes(), &seconds).unwrap_err();
    assert_eq!(refused.code, "UNIT_CONFLICT");
}

#[test]
fn only_its_own_header_is_recognised() {
    let header = TABLE.lines().next().unwrap();
    assert!(recognised(TABLE));
    assert!(recognised(&format!("\u{feff}{header}\n")));
    for other in [
        "",
        "kernel_name,kernel_provider,metric_name,y_value_50\n",
        "Problem,Provider,OperationKind,Operation,Disposition,Status,Runtime\n",
        "x_val;a-latency\n",
        "{\"kernel_name\": 1}",
    ] {
        assert!(!recognised(other), "{other}");
    }
}

#[test]
fn tables_with_other_columns_are_told_or_refused() {
    let header = TABLE.lines().next().unwrap();
    let more = TABLE.replacen(header, &format!("{header},power"), 1);
    let reading = read_bytes(more.as_bytes(), &Declared::default()).unwrap();
    let issue = reading.issues.first().unwrap();
    assert_eq!(
        (issue.code.as_str(), issue.message.as_str()),
        ("FIELDS_IGNORED", "columns that are not read: `power`")
    );
    for (from, to, code) in [
        ("x_label", "label", "COLUMN_MISSING"),
        ("x_label", "x_name", "DUPLICATE_COLUMN"),
        (
            "kernel_name,",
            "kernel_name,kernel_name,",
            "DUPLICATE_COLUMN",
        ),
    ] {
        let text = TABLE.replacen(from, to, 1);
        let refused = read_bytes(text.as_bytes(), &Declared::default()).unwrap_err();
        assert_eq!(refused.code, code);
    }
}

/// CRLF, breaks in cells, quotes doubled twice: four records, of which one is of memory.
#[test]
fn breaks_and_quotes_inside_cells_stay() {
    let text = format!(
        "{}\r\n{}\r\n{}\r\n{}\r\n{}\r\n\r\n",
        TABLE.lines().next().unwrap(),
        r#"toy_norm,ours,forward,speed,ms,H,hidden size,1024,0.0214,0.0209,0.0231,"{""M"": 512, ""dtype"": ""torch.bfloat16""}",NVIDIA L40S,2031-11-03 08:15:00,9.1"#,
        "toy_norm,torch,forward,speed,ms,H,hidden size,1024,0.0402,0.0398,0.0441,\"{\"\"M\"\": 512,\r\n \"\"dtype\"\": \"\"torch.bfloat16\"\"}\",NVIDIA L40S,2031-11-03 08:15:02,9.1",
        "toy_norm,ours,backward,speed,ms,H,\"hidden\r\nsize\",2048,0.0555,0.0549,0.0570,\"{\"\"M\"\": 512, \"\"note\"\": \"\"said \"\"\"\"so\"\"\"\", twice\"\"}\",NVIDIA L40S,2031-11-03 08:15:05,9.1",
        r#"toy_norm,ours,full,memory,MB,H,hidden size,2048,96.0,96.0,96.0,"{""M"": 512}",NVIDIA L40S,2031-11-03 08:15:09,9.1"#,
    );
    let reading = read_bytes(text.as_bytes(), &Declared::default()).unwrap();
    assert_eq!((reading.records, reading.observations.len()), (4, 4));
    let lines: Vec<Option<u64>> = reading
        .observations
        .iter()
        .map(|run| run.place.line)
        .collect();
    assert_eq!(lines, [Some(2), Some(3), Some(5), Some(7)]);
    let [first, second, third, memory] = reading.observations.as_slice() else {
        panic!("four");
    };
    assert_eq!(first.subject, second.subject);
    let texts = &third.circumstances.as_ref().unwrap().texts;
    assert!(texts.contains(&("x_label".to_owned(), "hidden\r\nsize".to_owned())));
    let Subject::Stated(workload) = &third.subject else {
        panic!("stated");
    };
    assert_eq!(
        workload.axes.get("note"),
        Some(&AxisValue::Word("said \"so\", twice".to_owned()))
    );
    assert_eq!(memory.metric.quantity, Quantity::Memory);
    assert_eq!(
        memory.figures.value.as_ref().unwrap().amount,
        96 * 1024 * 1024
    );
    assert_eq!(memory.figures.range, None);
}

proptest! {
    #[test]
    fn no_bytes_panic(cut in 0usize..6000, at in 0usize..6000, byte: u8) {
        let mut bytes = TABLE.as_bytes().to_vec();
        if let Some(there) = bytes.get_mut(at) {
            *there = byte;
        }
        bytes.truncate(cut);
        if let Ok(reading) = read_bytes(&bytes, &Declared::default()) {
            for run in &reading.observations {
                prop_assert!(run.status == Status::Passed && run.figures.value.is_some());
            }
        }
    }
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a test reads the real data where they are"
)]
fn the_real_table_is_read_whole() {
    let shared = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let read = |path: &str| std::fs::read(shared.join(path)).ok();
    let Some(bytes) = read("data/liger/benchmark/data/all_benchmark_data.csv") else {
        println!("skipped: no real data in {}", shared.display());
        return;
    };
    let reading = read_bytes(&bytes, &Declared::default()).unwrap();
    assert_eq!(reading.records, 2448);
    assert_eq!(reading.issues, []);
    let memory = reading
        .observations
        .iter()
        .filter(|run| run.metric.quantity == Quantity::Memory);
    let (of_memory, spread) = memory.fold((0, 0), |(all, spread), run| {
        (all + 1, spread + usize::from(run.figures.range.is_some()))
    });
    assert_eq!((of_memory, spread), (799, 0));
    let unknown = reading.observations.iter().filter(
        |run| matches!(&run.subject, Subject::Stated(it) if it.operation.family == "unknown"),
    );
    assert_eq!(unknown.count(), 0);
    let case = read("cases/S06_csv_crlf_quoted_newline/all_benchmark_data.csv").unwrap();
    let reading = read_bytes(&case, &Declared::default()).unwrap();
    assert_eq!((reading.records, reading.observations.len()), (4, 4));
}
