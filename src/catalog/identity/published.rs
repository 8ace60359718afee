//! Proof that a digest computed here is the one computed there: every digest of a public
//! export of KernelIndex, from the manifests in it, by the functions that imports use.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde_json::{Value, json};

use super::{API_VERSION, canonical, identify, sha256};

const EXPORT: &str = "data/kernelindex/catalog-2026-08-16-94af2ae7.jsonl.zst";

/// The digest of the export and its rows by table; `None`, with a line that says so, where
/// the file isn't beside the checkout.
fn export() -> Option<(String, BTreeMap<String, Vec<Value>>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../shared")
        .join(EXPORT);
    if !path.exists() {
        println!("skipped: no real data at {}", path.display());
        return None;
    }
    let packed = std::fs::read(&path).unwrap();
    let lines = BufReader::new(zstd::Decoder::new(packed.as_slice()).unwrap()).lines();
    let mut tables: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in lines {
        let mut line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let table = text(&line, "table").to_owned();
        tables.entry(table).or_default().push(line["row"].take());
    }
    Some((sha256(&packed), tables))
}

fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field].as_str().unwrap()
}

/// The digest of a manifest, which names its own kind.
fn recomputed(manifest: &Value) -> String {
    assert_eq!(text(manifest, "apiVersion"), API_VERSION);
    identify(text(manifest, "kind"), &manifest["spec"])
        .unwrap()
        .digest
}

/// The cohort of a published run. Only this proof needs it: our own cohorts hold the
/// operation through the workload, and have no correctness rule but the source's own.
fn comparison_key(run: &Value, workload: &Value) -> String {
    let metric = match &run["primaryValue"] {
        // A run that failed has no statistic and no unit to name.
        Value::Null => "none".to_owned(),
        _ => ["primaryMetric", "primaryStatistic", "primaryUnit"]
            .map(|part| text(run, part))
            .join(":"),
    };
    let spec = &workload["manifest"]["spec"];
    let plain = |value: Value| sha256(canonical(&value).unwrap().as_bytes());
    plain(json!({
        "v": 1,
        "operation": spec["operationSpecDigest"],
        "workload": workload["workloadDigest"],
        "protocol": run["protocolKey"],
        "environment": run["environmentKey"],
        "correctness": plain(json!({"correctness": spec["correctness"]})),
        "metric": metric,
    }))
}

#[test]
fn every_published_digest_is_recomputed() {
    let Some((digest, tables)) = export() else {
        return;
    };
    assert!(digest.starts_with("sha256:94af2ae7"), "{digest}");

    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for (table, field) in [
        ("operations", "semanticDigest"),
        ("workloads", "workloadDigest"),
        ("implementations", "implementationDigest"),
    ] {
        for row in &tables[table] {
            assert_eq!(recomputed(&row["manifest"]), row[field], "{table}: {row}");
            *kinds.entry(text(&row["manifest"], "kind")).or_default() += 1;
        }
    }

    let workloads: BTreeMap<&str, &Value> = tables["workloads"]
        .iter()
        .map(|row| (text(row, "id"), row))
        .collect();
    let (mut protocols, mut environments) = (BTreeMap::new(), BTreeMap::new());
    let (mut with_value, mut without_value) = (0, 0);
    for row in &tables["benchmark_runs"] {
        let manifest = &row["manifest"];
        assert_eq!(recomputed(&manifest["run"]), row["runDigest"], "{row}");
        *kinds.entry(text(&manifest["run"], "kind")).or_default() += 1;
        for (part, field, seen) in [
            ("protocol", "protocolKey", &mut protocols),
            ("environment", "environmentKey", &mut environments),
        ] {
            // Few are shared by thousands of runs: the same spec again needs no new digest.
            let (key, spec) = (text(row, field), &manifest[part]["spec"]);
            if seen.get(key) != Some(&spec) {
                assert_eq!(recomputed(&manifest[part]), key, "{row}");
                seen.insert(key, spec);
            }
        }
        let key = comparison_key(row, workloads[text(row, "workloadId")]);
        assert_eq!(key, row["comparisonKey"], "{row}");
        if row["primaryValue"].is_null() {
            without_value += 1;
        } else {
            with_value += 1;
        }
    }

    let expected = BTreeMap::from([
        ("OperationSpec", 449),
        ("WorkloadCase", 5_371),
        ("WorkloadSuite", 256),
        ("ImplementationRevision", 4_250),
        ("BenchmarkRun", 7_857),
    ]);
    assert_eq!(kinds, expected);
    assert_eq!((protocols.len(), environments.len()), (6, 15));
    assert_eq!((with_value, without_value), (7_771, 86));
}
