//! `kidx import`: what it says about files, records and issues.

use std::fs::File;
use std::process::Stdio;

use super::{AS_OF, OBSERVED_ON, WIDTHS, check, check_commands, rendered};
use crate::sandbox::{Sandbox, level1, record};

/// An import of these paths, dated, and answered as of a fixed day.
fn import(more: &[&'static str]) -> Vec<&'static str> {
    let dated = ["--observed-on", OBSERVED_ON, "--as-of", AS_OF];
    [&["import", "kernelbench"], more, &dated].concat()
}

#[test]
fn the_examples() {
    for width in WIDTHS {
        let sandbox = Sandbox::new();
        sandbox.examples();
        let text = rendered(
            &sandbox,
            width,
            &import(&["examples/kernelbench"]),
            Stdio::null(),
        );
        check(&format!("import_{width}"), &text);
    }
}

#[test]
fn again_in_part_and_nothing_written() {
    let sandbox = Sandbox::new();
    sandbox.examples();
    let one = "examples/kernelbench/H100_Modal/baseline_time_torch.json";
    let first = import(&["examples/kernelbench", "--quiet"]);
    let dry = import(&[one, "--dry-run"]);
    let again = import(&["examples/kernelbench"]);
    let commands: &[&[&str]] = &[
        &dry,
        &["records"],
        &first,
        &again,
        &dry,
        &["import", "kernelbench", one, "--observed-on=2026-01-05"],
    ];
    check_commands("import_again", &sandbox, commands);
}

/// A folder with a good file, a copy of it, one that is cut short, one that has
/// unusable records, and one that isn't a timing file.
fn awkward() -> Sandbox {
    let sandbox = Sandbox::new();
    let good = level1(&[("1_A.py", "1.84"), ("2_B.py", "2.9")]);
    let cut = &good[..good.len() / 2];
    let bad = format!(
        r#"{{"level1": {{"1_A.py": {}, "2_B.py": null, "3_C.py": {{}},
            "5_E.py": {{"mean": NaN, "hardware": "NVIDIA L40S"}},
            "6_F.py": {{"mean": -1.0, "hardware": "NVIDIA L40S"}}}}}}"#,
        record("0.5")
    );
    for (name, content) in [
        ("timing/L40S_lab/baseline_time_torch.json", &*good),
        ("timing/L40S_copy/baseline_time_torch.json", &good),
        ("timing/L40S_cut/baseline_time_torch.json", cut),
        ("timing/L40S_odd/baseline_time_torch.json", &bad),
        ("timing/L40S_lab/notes.json", r#"{"not": "timings"}"#),
    ] {
        sandbox.write(name, content);
    }
    sandbox
}

#[test]
fn a_folder_with_awkward_files() {
    let sandbox = awkward();
    for width in WIDTHS {
        let dry = import(&["timing", "--dry-run"]);
        let text = rendered(&sandbox, width, &dry, Stdio::null());
        check(&format!("import_awkward_{width}"), &text);
    }
    let text = rendered(&sandbox, 80, &import(&["timing", "--json"]), Stdio::null());
    check("import_awkward_json", &text);
    let allowed = import(&["timing", "--allow-rejected"]);
    check_commands("import_awkward_allowed", &sandbox, &[&allowed]);
}

#[test]
fn nothing_is_imported() {
    let sandbox = awkward();
    sandbox.write("empty/readme.txt", "nothing here");
    sandbox.write("other/notes.json", "[]");
    sandbox.write("cut.json.gz", b"\x1f\x8b\x08\x00");
    let commands: &[&[&str]] = &[
        &import(&["nowhere.json"]),
        &import(&["nowhere"]),
        &import(&["empty"]),
        &import(&["other"]),
        &import(&["other/notes.json"]),
        &import(&["timing/L40S_cut/baseline_time_torch.json"]),
        &import(&["cut.json.gz"]),
        &import(&["-"]),
        &["db", "path"],
    ];
    check_commands("import_nothing", &sandbox, commands);
}

#[test]
fn what_is_declared() {
    let sandbox = awkward();
    let file = "timing/L40S_lab/baseline_time_torch.json";
    let declared = [
        "--implementation=my kernel",
        "--provider=a lab",
        "--software=torch=2.9.0,cuda=12.8",
        "--license=CC-BY-4.0",
        "--unit=us",
    ];
    let whole = import(&[&[file][..], &declared].concat());
    let commands: &[&[&str]] = &[
        &whole,
        &import(&[file, "--unit=fortnights"]),
        &import(&[file, "--software=torch"]),
        &import(&[file, "--level=7"]),
        &import(&[file, "--suite-version=1999"]),
        &import(&[file, "--hardware=NVIDIA H100"]),
        &import(&[file, "--license=no such licence"]),
        &["import", "kernelbench", file, "--observed-on=2999-01-01"],
        &["import", "nosuch", file],
        &["import", "kernelbench"],
    ];
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"today is \d{4}-\d\d-\d\d", "today is [today]");
    settings.bind(|| check_commands("import_declared", &sandbox, commands));
}

#[test]
fn standard_input() {
    let sandbox = awkward();
    let path = sandbox.path("timing/L40S_lab/baseline_time_torch.json");
    let alone = rendered(
        &sandbox,
        80,
        &import(&["-"]),
        File::open(&path).unwrap().into(),
    );
    let named = rendered(
        &sandbox,
        80,
        &import(&["-", "--implementation", "PyTorch eager"]),
        File::open(&path).unwrap().into(),
    );
    check("import_stdin", &[alone, named].join("\n"));
}

#[test]
fn wrong_usage_imports_nothing() {
    let sandbox = awkward();
    sandbox.expect(2, &import(&["timing", "--format", "csv"]));
    assert!(!sandbox.db().exists());
}

#[test]

fn a_failed_import_makes_no_file() {
    let sandbox = Sandbox::new();
    sandbox.expect(1, &import(&["nowhere.json"]));
    assert!(!sandbox.db().exists());
}

/// A record of a day that is yet to come is undated and says so, and what is derived from
/// the kept bytes says the same; what would pass for a terminal's command is refused.
#[test]
fn dates_to_come_and_hostile_facts() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.toml",
        "suite = \"a\"\noperation = \"op\"\nimplementation = \"who\"\nhardware = \"gpu\"\ndate = \"day\"\n[[metric]]\nvalue = \"t\"\nunit = \"ms\"\n",
    );
    sandbox.write(
        "a.csv",
        "op,who,gpu,day,t\nrelu,x,NVIDIA L40S,2026-01-02,1.5\ngelu,x,NVIDIA L40S,2999-01-01,2.5\n",
    );
    let import = |more: &[&str]| {
        let all = [&["import", "mapping", "a.toml", "a.csv"][..], more].concat();
        sandbox.run(&all)
    };
    let hostile = import(&["--provider=ev\u{1b}[31mil"]);
    assert_eq!(hostile.code, Some(2), "{}", hostile.err);
    assert!(!sandbox.db().exists());
    let ran = import(&[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("DATE_TO_COME"), "{}", ran.err);
    sandbox.expect(0, &["verify"]);
    // The digest of a cohort leads to the page of its workload.
    let cohort = sandbox.items(
        0,
        &["sql", "SELECT digest FROM cohort ORDER BY digest LIMIT 1"],
    );
    let digest = cohort[0]["digest"].as_str().unwrap();
    let page = sandbox.expect(0, &["show", digest]).out;
    assert!(page.contains("a/"), "{page}");
}
