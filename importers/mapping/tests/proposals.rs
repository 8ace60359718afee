//! Mappings that are proposed for a file.

use super::*;

#[test]
fn proposals_are_complete_where_the_file_is_clear() {
    let mut all = String::new();
    for (file, text) in [
        (HARNESS.0, HARNESS.1),
        (NIGHTLY.0, NIGHTLY.1),
        WIDE,
        SERVING,
        LEVELS,
    ] {
        let proposal = propose(file, text.as_bytes()).unwrap();
        let declared = Declared {
            hardware: Some("NVIDIA L40S".to_owned()),
            ..Declared::default()
        };
        let outcome = match read(proposal.as_bytes(), file, text.as_bytes(), &declared) {
            Ok(reading) => {
                told::counts_add_up(&reading);
                format!(
                    "{} of {} records",
                    reading.observations.len(),
                    reading.records
                )
            }
            Err(refused) => format!("{}: {}", refused.code, refused.message),
        };
        let _ = writeln!(all, "=== {file}: {outcome}\n{proposal}");
    }
    insta::assert_snapshot!(all);
}

/// Whatever the file, a proposal is a mapping that names what is there; it may be left open.
pub(super) fn proposed_parses(file: &str, bytes: &[u8]) {
    let Ok(proposal) = propose(file, bytes) else {
        return;
    };
    if let Err(refused) = read(proposal.as_bytes(), file, bytes, &Declared::default()) {
        let allowed = ["LEFT_OPEN", "DUPLICATE_COLUMN"];
        assert!(allowed.contains(&refused.code), "{refused:?}\n{proposal}");
    }
}

#[test]
fn proposals_hold_any_names() {
    let header =
        "\"a\"\"b\",\"two\nlines ms\",\u{7f}\u{1b}[31m,\\n,@key,^x,?,a.b ms,Zeit (ms),\u{202e}us";
    let text = format!("{header}\n\"\"\"\"\"\",1.5,\u{1b},x,y,z,?,2.5,3.5,4.5\n");
    proposed_parses("x.csv", text.as_bytes());
    let row = r#"{"a\"b": "\u001b", "": 1, "a.b": {"": 2.5, "t ms": 1.5}, "^q": "x", "@key": "y", "?": "?"}"#;
    proposed_parses("x\n\".json", format!("[{row}]").as_bytes());
    proposed_parses("", format!("{{\"?\": {row}, \"*\": {row}}}").as_bytes());
    proposed_parses(
        "x.json",
        format!("{{\"a.b\": {{\"*\": [{row}]}}}}").as_bytes(),
    );
}

/// Proposals for real files: which can be imported as they are, and how many records.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "real files, where they lie beside the checkout"
)]
fn real_files_get_proposals() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");
    let files = [
        (
            "liger/benchmark/data/all_benchmark_data.csv",
            Ok((2448, 2448)),
        ),
        (
            "kernelbench.com/public/data/v3/results.csv",
            Ok((2546, 1847)),
        ),
        ("robust-kbench/highlighted/results.csv", Ok((12, 12))),
        (
            "cuda-l2/eval_results/cuda_l2_3090_F32F16F16F32_speedup_server.csv",
            Err("LEFT_OPEN"),
        ),
        ("mlperf/v5.1/summary_results.json", Ok((290, 290))),
    ];
    for (path, expected) in files {
        let Ok(bytes) = std::fs::read(format!("{folder}/{path}")) else {
            println!("skipped: {path} isn't beside the checkout");
            continue;
        };
        let file = path.rsplit('/').next().unwrap();
        let proposal = propose(file, &bytes).unwrap();
        let declared = Declared {
            hardware: Some("NVIDIA L40S".to_owned()),
            ..Declared::default()
        };
        let read = read(proposal.as_bytes(), file, &bytes, &declared);
        let got = match &read {
            Ok(reading) => {
                told::counts_add_up(reading);
                Ok((reading.records, reading.observations.len()))
            }
            Err(refused) => Err(refused.code),
        };
        let codes: BTreeMap<String, usize> = read.iter().flat_map(|reading| &reading.issues).fold(
            BTreeMap::new(),
            |mut codes, issue| {
                *codes.entry(issue.code.clone()).or_default() += 1;
                codes
            },
        );
        assert_eq!(got, expected, "{path} {codes:?}\n{proposal}");
    }
}
