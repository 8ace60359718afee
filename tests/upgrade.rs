//! A database of the first schema version, made by the program of that day, under the
//! program of today. See `fixtures/schema/ORIGIN.md` for what it holds.

use std::fs::{self, File};
use std::time::{Duration, UNIX_EPOCH};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::sandbox::{Sandbox, level1};

/// The database, in place; nothing has looked at it yet.
fn of_the_first_version() -> Sandbox {
    let sandbox = Sandbox::new();
    let packed = include_bytes!("fixtures/schema/v1_filled.sql.zst");
    let dump = String::from_utf8(zstd::decode_all(&packed[..]).unwrap()).unwrap();
    let database = Connection::open(sandbox.db()).unwrap();
    database.pragma_update(None, "journal_mode", "wal").unwrap();
    database.execute_batch(&dump).unwrap();
    database
        .pragma_update(None, "application_id", 0x6b69_6478)
        .unwrap();
    database.pragma_update(None, "user_version", 1).unwrap();
    sandbox
}

fn version(sandbox: &Sandbox) -> i32 {
    let database = Connection::open(sandbox.db()).unwrap();
    database
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap()
}

/// Rows of a query over the raw file, as text.
fn rows(sandbox: &Sandbox, sql: &str) -> Vec<String> {
    let database = Connection::open(sandbox.db()).unwrap();
    let mut statement = database.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

/// A file that brings nothing new to what is compared.
fn another(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.write(
        "more/T4_lab/baseline_time_torch.json",
        level1(&[("9_More.py", "5.5")]),
    )
}

/// Where and when bytes were met, and what was decided.
const STATED: &str =
    "SELECT concat_ws(' ', sn.sha256, r.folder, r.file, r.declared, o.location, o.container,
        o.container_sha256, o.learned_at, r.learned_at)
    FROM origin o JOIN reading r ON r.id = o.reading_id JOIN snapshot sn ON sn.id = r.snapshot_id
    WHERE o.location NOT LIKE '%/more/%' ORDER BY 1";
const DECIDED: &str = "SELECT DISTINCT concat_ws(' ', e.reason, e.at, si.pointer)
    FROM event e JOIN sighting si ON si.measurement_id = e.measurement_id ORDER BY 1";

#[test]
fn an_import_upgrades_and_keeps_what_was_said() {
    let sandbox = of_the_first_version();
    let (stated, decided) = (rows(&sandbox, STATED), rows(&sandbox, DECIDED));
    assert_eq!((stated.len(), decided.len()), (6, 2));
    let dated = rows(&sandbox, "SELECT observed_basis FROM origin ORDER BY id");
    let answer = sandbox.import(0, &another(&sandbox), &[]);
    assert_eq!(answer["totals"]["inserted"], 1);
    assert_eq!(version(&sandbox), 3);
    assert_eq!(rows(&sandbox, STATED), stated);
    assert_eq!(rows(&sandbox, DECIDED), decided);
    let checked = sandbox.item(0, &["verify"]);
    assert_eq!(checked["findings"], json!([]));
    // The published file is known by its bytes now: its commit's date, version, method.
    assert_eq!(dated[1], "file-time");
    let sql = "SELECT r.observed_at, r.observed_basis, r.committed_version, count(*) AS runs,
                      sum(o.shapes_known) AS known, min(p.cache) AS cache
               FROM reading r JOIN sighting s ON s.reading_id = r.id
               JOIN measurement m ON m.id = s.measurement_id
               JOIN cohort c ON c.id = m.cohort_id JOIN workload w ON w.id = c.workload_id
               JOIN operation o ON o.id = w.operation_id JOIN protocol p ON p.id = c.protocol_id
               WHERE r.folder = 'H100_modal' GROUP BY r.id";
    let read = sandbox.items(0, &["sql", sql]);
    assert_eq!(read.len(), 1);
    assert_eq!(read[0]["observed_at"], "2025-07-16T06:18:21Z");
    assert_eq!(read[0]["observed_basis"], "git");
    assert_eq!(read[0]["cache"], "warm");
    assert_eq!(read[0]["runs"], 100);
    // A retracted run holds no record, whatever it is called now.
    let holders: Vec<Value> = sandbox.items(0, &["records", "--operation", "kernelbench/level1/2"]);
    assert_eq!(holders, Vec::<Value>::new());
    // Again: nothing is new, and nothing is read twice.
    let again = sandbox.import(0, &another(&sandbox), &[]);
    assert_eq!(again["totals"]["inserted"], 0);
}

#[test]
fn an_upgraded_file_is_as_a_new_one() {
    let old = of_the_first_version();
    // The files as they lay there, and the commands that took them in.
    let fresh = Sandbox::new();
    let database = Connection::open(old.db()).unwrap();
    let content = |snapshot: i64| -> Vec<u8> {
        database
            .prepare("SELECT zstd FROM snapshot_chunk WHERE snapshot_id = ?1 ORDER BY ordinal")
            .unwrap()
            .query_map([snapshot], |row| row.get::<_, Vec<u8>>(0))
            .unwrap()
            .flat_map(|chunk| zstd::decode_all(&chunk.unwrap()[..]).unwrap())
            .collect()
    };
    let put = |name: &str, content: &[u8]| {
        let path = fresh.write(name, content);
        let file = File::options().append(true).open(&path).unwrap();
        // 2026-02-03T04:05:06Z
        let modified = UNIX_EPOCH + Duration::from_secs(1_770_091_506);
        file.set_modified(modified).unwrap();
        path
    };
    let eager = "baseline_time_torch.json";
    let compile = "baseline_time_torch_compile_inductor_default.json";
    let declared = put(&format!("timing/H100_Modal/{eager}"), &content(1));
    put(&format!("timing/H100_Modal_backup/{eager}"), &content(1));
    let published = put(&format!("download/H100_modal/{compile}"), &content(2));
    let own = put(&format!("timing/L40S_lab/{eager}"), &content(3));
    drop(database);
    for (path, more) in [
        (&own, &["--provider", "Zed"][..]),
        (&published, &[]),
        (&fresh.path("timing"), &[]),
        (&declared, &["--observed-on", "2025-12-31"]),
    ] {
        fresh.import(0, path, more);
    }
    for sandbox in [&old, &fresh] {
        sandbox.import(0, &another(sandbox), &["--observed-on", "2026-03-01"]);
    }
    // The same decisions, about the runs at the same places.
    let retracted = "SELECT DISTINCT lower(hex(m.digest)) FROM event e
                     JOIN measurement m ON m.id = e.measurement_id ORDER BY e.id";
    let runs = rows(&old, retracted);
    assert_eq!(runs.len(), 2);
    for (run, reason) in runs.iter().zip(["the machine was shared", "wrong clock"]) {
        fresh.expect(0, &["retract", &format!("run:{run}"), "--reason", reason]);
    }
    assert_eq!(old.export(), fresh.export());
}

/// All or nothing: what can't be read again is not thrown away either.
#[test]
fn an_upgrade_that_fails_changes_nothing() {
    for damage in [
        "UPDATE snapshot_chunk SET zstd = x'00' WHERE snapshot_id = 3",
        "UPDATE snapshot_chunk SET zstd = substr(zstd, 1, length(zstd) / 2) WHERE snapshot_id = 2",
        "UPDATE reading SET declared = 'no JSON' WHERE id = 5",
        "DELETE FROM snapshot_chunk WHERE snapshot_id = 1",
    ] {
        let sandbox = of_the_first_version();
        Connection::open(sandbox.db())
            .unwrap()
            .execute_batch(damage)
            .unwrap();
        let stated = rows(&sandbox, STATED);
        let before = fs::read(sandbox.db()).unwrap();
        let file = another(&sandbox);
        let ran = sandbox.expect(1, &["import", "kernelbench", file.to_str().unwrap()]);
        assert!(ran.err.contains("error: "), "{damage}: {}", ran.err);
        assert_eq!(version(&sandbox), 1, "{damage}");
        assert_eq!(rows(&sandbox, STATED), stated, "{damage}");
        assert!(fs::read(sandbox.db()).unwrap() == before, "{damage}");
    }
}

/// Killed at any moment, the file is of one version or the other.
#[test]
fn an_upgrade_that_is_killed_changes_nothing() {
    let sandbox = of_the_first_version();
    let stated = rows(&sandbox, STATED);
    let file = another(&sandbox);
    for wait in [5, 20, 60, 150, 300] {
        let mut child = sandbox
            .command()
            .args(["import", "kernelbench", file.to_str().unwrap(), "-q"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(rows(&sandbox, STATED), stated, "after {wait} ms");
    }
    sandbox.import(0, &file, &[]);
    assert_eq!(version(&sandbox), 3);
    assert_eq!(rows(&sandbox, STATED), stated);
    let checked = sandbox.item(0, &["verify"]);
    assert_eq!(checked["findings"], json!([]));
}

/// A question doesn't write, so it can't upgrade; it says what does.
#[test]
fn a_question_leaves_an_old_file_alone() {
    let sandbox = of_the_first_version();
    let before = fs::read(sandbox.db()).unwrap();
    let ran = sandbox.run(&["records"]);
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    assert!(
        ran.code == Some(0) || ran.err.contains("import"),
        "{}",
        ran.err
    );
    assert!(fs::read(sandbox.db()).unwrap() == before);
}
