//! `kidx show`: one page of each kind.

use super::{AS_OF, OBSERVED_ON, WIDTHS, check_command, check_commands, check_question, loaded};
use crate::sandbox::{Sandbox, level1};

/// The first value of a query.
fn value(sandbox: &Sandbox, query: &str) -> String {
    let rows = sandbox.items(0, &["sql", query]);
    rows[0]["id"].as_str().unwrap().to_owned()
}

fn page(name: &str, id: &str) {
    check_question(&format!("show_{name}"), &loaded(), &["show", id], &[]);
}

#[test]
fn an_operation_with_an_unbeaten_baseline() {
    page("operation", "kernelbench/level2/28");
}

#[test]
fn an_operation_with_a_faster_implementation() {
    page("operation_beaten", "kernelbench/level1/40");
}

#[test]
fn an_implementation() {
    let sandbox = loaded();
    let show = ["show", "impl:PyTorch eager", "--as-of", AS_OF];
    for width in WIDTHS {
        let name = format!("show_implementation_{width}");
        check_command(&name, &sandbox, width, &show);
    }
}

#[test]
fn an_implementation_with_few_runs() {
    let sandbox = Sandbox::new();
    let file = sandbox.write(
        "timing/L40S_lab/times.json",
        level1(&[("1_A.py", "1.84"), ("2_B.py", "0.0459")]),
    );
    let named = ["--implementation=my kernel", "--observed-on", OBSERVED_ON];
    sandbox.import(0, &file, &named);
    let show = ["show", "impl:my kernel"];
    check_question("show_implementation_few", &sandbox, &show, &[]);
}

#[test]
fn a_product() {
    page("hardware", "hw:h100-pcie");
}

#[test]
fn a_product_without_runs() {
    page("hardware_unmeasured", "hw:l40s");
}

#[test]
fn a_run_and_its_prefix() {
    let sandbox = loaded();
    let run = value(
        &sandbox,
        "SELECT run AS id FROM v_record
         WHERE operation = 'kernelbench/level1/40' AND hardware LIKE 'h100-sxm%'",
    );
    check_question("show_run", &sandbox, &["show", &run], &[]);
    let whole = sandbox.expect(0, &["show", &run, "--as-of", AS_OF]);
    for short in [&run[..16], &run.replace("run:", "sha256:")] {
        let page = sandbox.expect(0, &["show", short, "--as-of", AS_OF]);
        assert_eq!(page.out, whole.out, "{short}");
    }
}

#[test]
fn a_snapshot() {
    let sandbox = loaded();
    let snapshot = value(
        &sandbox,
        "SELECT 'snap:' || substr(s.sha256, 8, 12) AS id FROM snapshot s
         JOIN reading r ON r.snapshot_id = s.id
         WHERE r.folder = 'H100_Modal' AND r.file = 'baseline_time_torch.json'",
    );
    check_question("show_snapshot", &sandbox, &["show", &snapshot], &[]);
}

#[test]
fn other_views_of_an_operation() {
    let show = ["show", "kernelbench/level3/1"];
    let views: Vec<Vec<&str>> = [
        &["--as-of", "2025-12-30"][..],
        &["--as-of", AS_OF, "--known-at", "2026-03-04"],
        &["--as-of", AS_OF, "--floor-policy", "headroom-v1"],
        &["--as-of", AS_OF, "--watch", "h100,b200,l40s"],
    ]
    .iter()
    .map(|more| [&show[..], more].concat())
    .collect();
    let views: Vec<&[&str]> = views.iter().map(Vec::as_slice).collect();
    check_commands("show_views", &loaded(), &views);
}

#[test]
fn every_name_of_an_operation_gives_its_page() {
    let sandbox = loaded();
    let page = |id: &str| sandbox.expect(0, &["show", id, "--as-of", AS_OF]).out;
    let expected = page("kernelbench/level1/40");
    let answer = sandbox.item(0, &["show", "kernelbench/level1/40"]);
    let operation = answer["identity"]["digest"].as_str().unwrap();
    let published = answer["identity"]["published_digest"].as_str().unwrap();
    let workload = answer["workload"]["digest"].as_str().unwrap();
    for id in [
        "kernelbench/level1/40@2026-01-19",
        "kernelbench/level1/40_LayerNorm",
        "kernelbench/level1/40_LayerNorm.py",
        operation,
        &operation[..15],
        published,
        &published[..15],
        workload,
        &workload[..15],
    ] {
        assert_eq!(page(id), expected, "{id}");
    }
}
