//! The importer's policies, each as a table of small files of our own.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::{Figure, Figures, SuiteProblem, told};

const WHOLE: &str = r#"{"mean": 2.41, "std": 0.02, "min": 2.38, "max": 2.6, "num_trials": 100, "hardware": "GPU A", "device": "cuda:0"}"#;

fn read_as(
    folder: Option<&str>,
    file: Option<&str>,
    text: &str,
    declared: &Declared,
) -> Result<Reading, Refused> {
    let input = Input {
        folder,
        file,
        bytes: text.as_bytes(),
        committed_at: None,
        beside: &[],
    };
    let reading = KernelBench.read(&input, declared)?;
    told::counts_add_up(&reading);
    Ok(reading)
}

fn read(text: &str) -> Result<Reading, Refused> {
    let file = Some("baseline_time_torch.json");
    read_as(Some("Rig_Lab"), file, text, &Declared::default())
}

/// A file with one record in level 1.
fn one(record: &str) -> String {
    format!(r#"{{"level1": {{"1_a.py": {record}}}}}"#)
}

fn shown_place(place: &Place) -> String {
    match (place.line, place.column) {
        (Some(line), Some(column)) => format!("{} {line}:{column}", place.pointer.escape_debug()),
        _ => place.pointer.clone(),
    }
}

/// A reading as a snapshot shows it: runs, issues, assumptions.
fn shown(reading: Result<Reading, Refused>) -> String {
    let mut text = String::new();
    let reading = match reading {
        Ok(reading) => reading,
        Err(refused) => {
            let hint = refused
                .hint
                .map(|hint| format!(" [{hint}]"))
                .unwrap_or_default();
            let place = shown_place(&refused.place);
            return format!(
                "  REFUSED {} @{place}: {}{hint}\n",
                refused.code, refused.message
            );
        }
    };
    let _ = writeln!(text, "  {} records", reading.records);
    for run in &reading.observations {
        let Figures {
            value: Some(mean),
            std,
            min,
            max,
            samples,
            resolution: resolution_ps,
            range: None,
        } = &run.figures
        else {
            panic!("a timing file states means and no ranges");
        };
        let other = |figure: &Option<Figure>| figure.as_ref().map(|figure| figure.amount);
        let _ = writeln!(
            text,
            "  run {} {:?} on {:?}: {} ±{resolution_ps} ps ({}), std {:?}, min {:?}, max {:?}, n {samples:?}",
            problem(run).level,
            problem(run).file,
            run.hardware,
            mean.amount,
            mean.text,
            other(std),
            other(min),
            other(max),
        );
    }
    for issue in &reading.issues {
        let hint = issue
            .hint
            .as_ref()
            .map(|hint| format!(" [{hint}]"))
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "  {:?} {} -{} @{}: {}{hint}",
            issue.severity,
            issue.code,
            issue.rejects,
            shown_place(&issue.place),
            issue.message
        );
    }
    for assumption in &reading.assumptions {
        let _ = writeln!(text, "  assumed: {assumption}");
    }
    text
}

/// Reads each text and shows it with what came of it.
fn table(texts: &[String]) -> String {
    let mut table = String::new();
    for text in texts {
        let mut head = text.replace(WHOLE, "WHOLE").escape_debug().to_string();
        head.truncate(head.floor_char_boundary(160));
        let _ = writeln!(table, "{}", head.replace("\\\"", "\""));
        table.push_str(&shown(read(text)));
    }
    table
}

fn problem(run: &Observation) -> &SuiteProblem {
    match &run.subject {
        Subject::Problem(problem) => problem,
        Subject::Stated(_) => panic!("a timing file names problems"),
    }
}

#[test]
fn records_are_taken_whole_or_not_at_all() {
    let records = [
        WHOLE,
        "null",
        "{}",
        "[]",
        "3.5",
        r#"{"mean": 2.4, "hardware": "GPU A"}"#,
        r#"{"mean": 2.4, "std": null, "min": null, "num_trials": 100.0, "hardware": "GPU A "}"#,
        r#"{"std": 0.1, "hardware": "GPU A"}"#,
        r#"{"mean": null, "hardware": "GPU A"}"#,
        r#"{"mean": 6.05, "max": Infinity, "hardware": "GPU A"}"#,
        r#"{"mean": NaN, "std": NaN, "min": -Infinity, "hardware": "GPU A"}"#,
        r#"{"mean": "2.41", "hardware": "GPU A"}"#,
        r#"{"mean": [2.41], "hardware": "GPU A"}"#,
        r#"{"mean": -1.0, "hardware": "GPU A"}"#,
        r#"{"mean": 0.0, "hardware": "GPU A"}"#,
        r#"{"mean": 1e-30, "hardware": "GPU A"}"#,
        r#"{"mean": 1e300, "hardware": "GPU A"}"#,
        r#"{"mean": 2.4, "std": 0, "hardware": "GPU A"}"#,
        r#"{"mean": 2.4, "std": -0.1, "hardware": "GPU A"}"#,
        r#"{"mean": 2.4, "min": 0.0, "hardware": "GPU A"}"#,
        r#"{"mean": 2.4, "num_trials": 0, "hardware": "GPU A"}"#,
        r#"{"mean": 2.4, "num_trials": 1.5, "hardware": "GPU A"}"#,
        r#"{"mean": 2.4}"#,
        r#"{"mean": 2.4, "hardware": " "}"#,
        r#"{"mean": 2.4, "hardware": 5}"#,
        r#"{"mean": 2.4, "hardware": "GPU\u001b[31m"}"#,
        r#"{"mean": 2.4, "mean": 2.5, "hardware": "GPU A"}"#,
        r#"{"mean": 2.4, "min": 2.42, "hardware": "GPU A"}"#,
        r#"{"mean": 2.4, "min": 2.41, "hardware": "GPU A"}"#,
        r#"{"mean": 2.4, "max": 2.1, "hardware": "GPU A"}"#,
        r#"{"mean": 2.4, "hardware": "GPU A", "power": 300, "note": {"a": 1, "a": 2}}"#,
    ];
    insta::assert_snapshot!(table(&records.map(one)));
}

#[test]
fn units_convert_exactly() {
    let unit = |record: &str, declared: Option<&str>| {
        let declared = Declared {
            unit: declared.map(str::to_owned),
            ..Declared::default()
        };
        let reading = read_as(None, None, &one(record), &declared)?;
        let run = reading.observations.first();
        let code = reading.issues.first().map(|issue| issue.code.clone());
        let figure = run.and_then(|run| {
            let figures = &run.figures;
            Some((figures.value.as_ref()?.amount, figures.resolution))
        });
        Ok::<_, Refused>((figure, reading.unit_declared, code))
    };
    let record = |rest: &str| format!(r#"{{"mean": {rest}, "hardware": "GPU A"}}"#);
    let s = record(r#"0.00279, "unit": "s""#);
    let ok = |ps, resolution, declared| Ok((Some((ps, resolution)), declared, None));
    let bad = |code: &str, declared| Ok((None, declared, Some(code.to_owned())));
    assert_eq!(
        unit(&record("2.79"), None),
        ok(2_790_000_000, 5_000_000, false)
    );
    assert_eq!(unit(&s, None), ok(2_790_000_000, 5_000_000, true));
    assert_eq!(unit(&s, Some("s")), ok(2_790_000_000, 5_000_000, true));
    assert_eq!(unit(&s, Some("ms")), bad("UNIT_CONFLICT", true));
    assert_eq!(
        unit(&record("2790"), Some("us")),
        ok(2_790_000_000, 5_000_000, true)
    );
    assert_eq!(
        unit(&record(r#"279, "unit": "μs""#), None),
        ok(279_000_000, 500_000, true)
    );
    assert_eq!(
        unit(&record(r#"279, "unit": "min""#), None),
        bad("UNKNOWN_UNIT", false)
    );
    assert_eq!(
        unit(&record(r#"279, "unit": 5"#), None),
        bad("UNKNOWN_UNIT", false)
    );
    assert_eq!(unit(&s, Some("hours")).unwrap_err().code, "UNKNOWN_UNIT");
}

#[test]
fn levels_and_other_keys() {
    let files = [
        r#"{"level1": {"1_a.py": WHOLE}, "level4": {"1_a.py": WHOLE}, "level5": {"1_a.py": WHOLE}, "level_tk": {"1_a.py": WHOLE}}"#,
        r#"{"level1": {"1_a.py": WHOLE}, "Level2": {"1_b.py": WHOLE, "2_c.py": null}, "meta": {"rig": "A"}}"#,
        r#"{"level1": {"1_a.py": WHOLE}, "results": {"1_b.py": WHOLE, "n": 5}, "2_d.py": WHOLE}"#,
        r#"{"level1": {"1_a.py": WHOLE}, "level1": {"2_b.py": WHOLE}}"#,
        r#"{"level1": {"1_a.py": WHOLE}, "level1": {"1_a.py": WHOLE}}"#,
        r#"{"level1": {}, "level2": {"1_a.py": WHOLE}, "level3": null}"#,
        r#"{"level1": {}}"#,
        r#"{"level1": []}"#,
        r#"{"level1": [WHOLE, WHOLE]}"#,
        r#"{"level1": null, "level2": {"1_a.py": null}}"#,
        r#"{"Level1": {"1_a.py": WHOLE}}"#,
        r#"{"1_a.py": WHOLE, "2_b.py": null}"#,
        r#"{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}"#,
        r#"{"1": {"compiled": true, "correctness": true, "runtime_stats": {"mean": 2.0}}}"#,
        r#"{"1": [{"compiled": true}]}"#,
        "{}",
        "[1]",
        "3",
        "{\"level1\": {\n  \"1_a.py\": WHOLE,\n  \"2_b.py\": {\"mean\": 2.",
        "{\"level1\": {}}\n{\"level1\": {}}",
    ];
    let files = files.map(|file| file.replace("WHOLE", WHOLE));
    insta::assert_snapshot!(table(&files));
}

#[test]
fn problem_names() {
    let files = [
        r#"{"level1": {"KernelBench/level1/1_a.py": WHOLE, "/x/KernelBench/level1/2_b.py": WHOLE}}"#,
        r#"{"level1": {"KernelBench/level2/1_a.py": WHOLE}}"#,
        r#"{"level1": {"KernelBench/level1/1_a.py": WHOLE, "2_b.py": WHOLE, "1_a.py": null}}"#,
        "{\"level1\": {\"1_a.py\": WHOLE,\n\"1_a.py\": WHOLE, \"2_b.py\": WHOLE,\n\"1_a.py\": {}}, \"level2\": {\"1_a.py\": WHOLE}}",
        "{\"level1\": {\"8_Caf\u{e9}.py\": WHOLE, \"8_Cafe\u{301}.py\": WHOLE, \"9_two  blanks .py\": WHOLE, \"行列🚀.py\": WHOLE}}",
        r#"{"level1": {"": WHOLE, "a\nb": WHOLE, "a\u202eb": null, "folder/": WHOLE}}"#,
    ];
    let files = files.map(|file| file.replace("WHOLE", WHOLE));
    insta::assert_snapshot!(table(&files));
    let long = format!(r#"{{"level1": {{"{}": {WHOLE}}}}}"#, "x".repeat(2_000));
    assert_eq!(read(&long).unwrap().issues[0].code, "HOSTILE_NAME");
}

#[test]
fn a_file_may_mix_devices() {
    let entry = |n: u32, device: &str| {
        format!(r#""{n}_a.py": {{"mean": 2.4, "hardware": "{device}", "device": "cuda:{n}"}}"#)
    };
    let file = |devices: &[&str]| {
        let entries: Vec<String> = (0..)
            .zip(devices)
            .map(|(n, device)| entry(n, device))
            .collect();
        format!(r#"{{"level1": {{{}}}}}"#, entries.join(", "))
    };
    let same = read(&file(&["GPU A", "GPU A ", "gpu a"])).unwrap();
    assert!(same.issues.is_empty());
    let texts: Vec<&str> = same.observations.iter().map(|run| &*run.hardware).collect();
    assert_eq!(texts, ["GPU A", "GPU A ", "gpu a"]);
    let mixed = read(&file(&["GPU B", "GPU A", "gpu a ", "GPU A"])).unwrap();
    assert_eq!(mixed.issues.len(), 1);
    assert_eq!(mixed.issues[0].code, "MIXED_HARDWARE");
    assert_eq!(
        mixed.issues[0].message,
        "the file mixes 2 devices: `GPU A` (3), `GPU B` (1); each record keeps its own"
    );
}

#[test]
fn declared_facts_fill_and_override() {
    let bare = r#"{"1_a.py": {"mean": 2.4}, "2_b.py": {"mean": 3.1, "hardware": "GPU B"}}"#;
    let declared = Declared {
        hardware: Some("GPU A".to_owned()),
        level: Some(2),
        implementation: Some("torch_compile_cudagraphs".to_owned()),
        provider: Some("Lab".to_owned()),
        ..Declared::default()
    };
    let reading = read_as(Some("X_Y"), Some("baseline_time.json"), bare, &declared).unwrap();
    let runs: Vec<(&str, &str, &str)> = reading
        .observations
        .iter()
        .map(|run| {
            (
                &*problem(run).level,
                &*run.hardware,
                run.place.pointer.as_str(),
            )
        })
        .collect();
    assert_eq!(
        runs,
        [
            ("level2", "GPU A", "/1_a.py"),
            ("level2", "GPU B", "/2_b.py")
        ]
    );
    assert_eq!(
        reading.observations[0].implementation.name,
        "torch.compile (cudagraphs)"
    );
    assert_eq!(reading.provider.as_deref(), Some("Lab"));
    assert_eq!(reading.basis, Basis::Declared);
    assert_eq!(
        reading.assumptions,
        ["1 of 2 records name no device: `GPU A` as declared"]
    );

    let leveled = read_as(None, None, &one(WHOLE), &declared).unwrap();
    assert_eq!(&*problem(&leveled.observations[0]).level, "level1");
    assert_eq!(leveled.issues[0].code, "LEVEL_DECLARED");
}

#[test]
fn names_around_the_file() {
    let record = r#"{"mean": 2.4, "hardware": "Maker RTX 9 Ti"}"#;
    let cases = [
        (
            Some("H100_Modal"),
            Some("baseline_time_torch.json"),
            Some("Modal"),
            Basis::Path,
            0,
        ),
        (
            Some("H100_PCIe_Lab"),
            Some("baseline_time_torch.json"),
            Some("PCIe_Lab"),
            Basis::Path,
            0,
        ),
        (
            Some("RTX_9_Ti"),
            Some("baseline_time_torch.json"),
            None,
            Basis::Path,
            0,
        ),
        (
            Some("timing"),
            Some("baseline_time_matx2.json"),
            Some("matx2"),
            Basis::Path,
            1,
        ),
        (
            Some("X_Y"),
            Some("baseline_time_matx2.json"),
            Some("Y"),
            Basis::Path,
            0,
        ),
        (Some("X_"), Some("timings.json"), None, Basis::Assumed, 1),
        (None, None, None, Basis::Assumed, 1),
    ];
    for (folder, file, provider, basis, assumptions) in cases {
        let reading = read_as(folder, file, &one(record), &Declared::default()).unwrap();
        let what = format!("{folder:?} {file:?}");
        assert_eq!(reading.provider.as_deref(), provider, "{what}");
        assert_eq!(reading.basis, basis, "{what}");
        assert_eq!(reading.assumptions.len(), assumptions, "{what}");
        assert_eq!(
            reading.observations[0].implementation.name, "PyTorch eager",
            "{what}"
        );
    }
}

#[test]
fn timing_files_are_recognised_by_name_or_content() {
    let cases = [
        ("baseline_time_torch.json", "cut {", true),
        ("baseline_time.py", "import torch", false),
        (
            "x.json",
            r#"{"level1": {"a": null, "b": {"mean": 1}}}"#,
            true,
        ),
        ("x.json", r#"{"level1": {"a": {"runtime": 1}}}"#, false),
        ("x.json", r#"{"level1": {}}"#, false),
        ("x.json", r#"{"a": {"b": {"mean": 1}}}"#, false),
        ("x.json", "[1]", false),
        ("x.json", "", false),
    ];
    for (file, text, expected) in cases {
        let input = Input {
            folder: None,
            file: Some(file),
            bytes: text.as_bytes(),
            committed_at: None,
            beside: &[],
        };
        assert_eq!(
            KernelBench.recognises(&input).is_some(),
            expected,
            "{file} {text}"
        );
    }
}

#[test]
fn a_hundred_thousand_problems_on_one_line_keep_their_places() {
    let mut text = String::from(r#"{"level1": {"#);
    for n in 0..100_000 {
        let comma = if n == 0 { "" } else { ", " };
        let _ = write!(
            text,
            r#"{comma}"{n}_é.py": {{"mean": 2.4, "hardware": "GPU A"}}"#
        );
    }
    text.push_str("}}");
    let reading = read(&text).unwrap();
    assert_eq!(reading.observations.len(), 100_000);
    let last = &reading.observations[99_999].place;
    let before = &text[..text.find("\"99999_").unwrap()];
    assert_eq!(last.column, Some(before.chars().count() as u64 + 1));
}

proptest! {
    #[test]
    fn counts_add_up_whatever_the_entries(
        entries in proptest::collection::vec((0usize..6, 0usize..7, 0usize..12), 0..30)
    ) {
        let levels = ["level1", "level2", "Level1", "level_x", "meta", "1_a.py"];
        let names = ["1_a.py", "level1/1_a.py", "x/level2/1_a.py", "", "\\u00e9", "e\\u0301", "mean"];
        let records = [
            WHOLE, WHOLE, WHOLE, "null", "{}", "[]", "1", r#"{"mean": 1}"#, r#"{"mean": NaN}"#,
            r#"{"mean": 1, "mean": 2}"#, r#"{"mean": -1, "hardware": "GPU B"}"#,
            r#"{"mean": 3, "hardware": "GPU B"}"#,
        ];
        let members: Vec<String> = entries
            .iter()
            .map(|(level, name, record)| {
                format!(r#""{}": {{"{}": {}}}"#, levels[*level], names[*name], records[*record])
            })
            .collect();
        let text = format!("{{{}}}", members.join(","));
        if let Ok(reading) = read(&text) {
            let problems = entries.iter().filter(|(level, _, _)| *level != 4 && *level != 5).count();
            prop_assert!(reading.records >= problems as u64);
        }
    }

    #[test]
    fn broken_files_never_panic(at in 0usize..400, byte in any::<u8>(), cut in 0usize..400) {
        let text = format!(r#"{{"level1": {{"a/level1/1_a.py": {WHOLE}, "2_b.py": null}}, "Level2": {{"x": {WHOLE}}}}}"#);
        let mut bytes = text.into_bytes();
        let length = bytes.len();
        bytes[at % length] = byte;
        for end in [length, cut % length] {
            let input = Input { folder: Some("a_b"), file: None, bytes: &bytes[..end], committed_at: None, beside: &[] };
            KernelBench.recognises(&input);
            let _ = KernelBench.read(&input, &Declared::default());
        }
    }
}
