//! Every source's own fixture through the binary: recognised by its content as its own
//! source's, taken in with counts that add up, unchanged by a second import, sound.

use std::path::{Path, PathBuf};

use kidx_importers::REGISTRY;

use crate::sandbox::Sandbox;

fn folder(slug: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(slug)
}

/// Copies a source's fixtures into a sandbox.
fn copy(sandbox: &Sandbox, slug: &str) -> String {
    for entry in walkdir::WalkDir::new(folder(slug)) {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let name = entry.path().strip_prefix(folder(slug)).unwrap();
            let content = std::fs::read(entry.path()).unwrap();
            let name = Path::new(slug).join(name);
            sandbox.write(name.to_str().unwrap(), content);
        }
    }
    slug.to_owned()
}

/// Sources whose fixtures are found by their content; the examples are `kernelbench`'s, and
/// a mapping has no content of its own.
fn recognised() -> impl Iterator<Item = &'static str> {
    REGISTRY
        .iter()
        .map(|importer| importer.source().slug)
        .filter(|slug| !["kernelbench", "mapping"].contains(slug))
}

#[test]
fn every_source_recognises_its_own() {
    for slug in recognised() {
        let sandbox = Sandbox::new();
        let path = copy(&sandbox, slug);
        let import = |code: &[i32]| {
            let ran = sandbox.run(&[
                "import",
                "auto",
                &path,
                "--hardware=NVIDIA L40S",
                "--allow-rejected",
                "--json",
            ]);
            assert!(
                code.contains(&ran.code.unwrap_or(-1)),
                "{slug}: {}",
                ran.err
            );
            ran.items()[0].clone()
        };
        let first = import(&[0]);
        let mut used = 0;
        for file in first["files"].as_array().unwrap() {
            if let Some(source) = file["source"].as_str() {
                assert_eq!(source, slug, "{}", file["path"]);
                assert!(file["recognised"].is_string(), "{slug}");
                used += 1;
            }
        }
        assert!(used > 0, "no fixture of {slug} is recognised");
        let count = |item: &serde_json::Value, name: &str| item["totals"][name].as_u64().unwrap();
        let read = count(&first, "read");
        assert!(read > 0, "{slug}");
        assert_eq!(
            read,
            count(&first, "inserted") + count(&first, "unchanged") + count(&first, "rejected"),
            "{slug}"
        );
        let again = import(&[0]);
        assert_eq!(count(&again, "inserted"), 0, "{slug}");
        assert_eq!(count(&again, "read"), read, "{slug}");
        sandbox.expect(0, &["verify"]);
    }
}

#[test]
fn all_sources_in_one_file_do_not_meet() {
    let one = Sandbox::new();
    let other = Sandbox::new();
    let import = |sandbox: &Sandbox, slug: &str| {
        let path = copy(sandbox, slug);
        let more = [
            "--hardware=NVIDIA L40S",
            "--observed-on=2026-02-01",
            "--allow-rejected",
        ];
        sandbox.expect(0, &[&["import", "auto", path.as_str()][..], &more].concat());
    };
    let slugs: Vec<&str> = recognised().collect();
    for slug in &slugs {
        import(&one, slug);
    }
    for slug in slugs.iter().rev() {
        import(&other, slug);
    }
    assert_eq!(
        one.export(),
        other.export(),
        "the order of imports doesn't matter"
    );
    // One source's baseline is another's candidate: who came first doesn't decide.
    for metric in ["latency", "bandwidth", "compute", "memory"] {
        let records = [
            "records",
            "--metric",
            metric,
            "--as-of=2032-01-01",
            "--json",
        ];
        assert_eq!(one.expect(0, &records).out, other.expect(0, &records).out);
    }
    other.expect(0, &["verify"]);
    one.expect(0, &["verify"]);
    // No metric is ranked with another: a cohort has one.
    let rows = one.expect(
        0,
        &[
            "sql",
            "SELECT cohort FROM v_run GROUP BY cohort HAVING count(DISTINCT metric) > 1",
            "--json",
        ],
    );
    assert!(rows.items().is_empty());
}

/// Of two rates the larger leads, of two times the smaller, and both say the same ratio.
#[test]
fn which_is_better_is_the_metrics_business() {
    let sandbox = Sandbox::new();
    sandbox.examples();
    let mapping = "examples/mapping/harness.toml";
    sandbox.expect(
        0,
        &["import", "mapping", mapping, "examples/mapping/harness.csv"],
    );
    let led = |metric: &str| -> Vec<(String, String, f64, f64)> {
        let items = sandbox.items(0, &["records", "--metric", metric, "--as-of=2027-01-01"]);
        let of = |item: &serde_json::Value| {
            let own = item["record"]["value"].as_f64().unwrap();
            (
                item["workload"]["summary"].as_str().unwrap().to_owned(),
                item["record"]["implementation"]
                    .as_str()
                    .unwrap()
                    .to_owned(),
                own,
                item["baseline"]["value"].as_f64().unwrap_or(own),
            )
        };
        items.iter().map(of).collect()
    };
    let (times, rates) = (led("latency"), led("compute"));
    assert!(times.len() > 2 && rates.len() > 2);
    for (workload, holder, own, baseline) in &times {
        assert!(own <= baseline, "{workload}: {own} {baseline}");
        if let Some((_, rate_holder, rate, base)) = rates.iter().find(|rate| rate.0 == *workload) {
            assert_eq!(holder, rate_holder, "{workload}");
            assert!(rate >= base, "{workload}: {rate} {base}");
        }
    }
    // No question about times shows a rate.
    let latencies = sandbox.items(0, &["records"]);
    assert_eq!(latencies.len(), times.len());
    for question in ["speedups", "history", "stale"] {
        let mut arguments = vec![question, "--metric=compute", "--as-of=2027-01-01"];
        if question == "history" {
            arguments.insert(1, "acme/matmul");
        }
        let items = sandbox.items(0, &arguments);
        assert!(!items.is_empty(), "{question}");
        let text = serde_json::to_string(&items).unwrap();
        assert!(!text.contains("\"latency_ns\":1"), "{question}: {text}");
    }
}
