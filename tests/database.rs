//! The file itself: newer, foreign, read-only, locked, a folder, gone.

use std::fs;

use rusqlite::Connection;

use crate::sandbox::{Sandbox, level1};

fn with_one_run() -> Sandbox {
    let sandbox = Sandbox::new();
    let file = sandbox.write(
        "timing/Rig_lab/baseline_time_torch.json",
        level1(&[("1_Axpy.py", "1.84")]),
    );
    sandbox.import(0, &file, &["--observed-on", "2026-01-02"]);
    sandbox
}

#[test]
fn a_question_without_a_file_says_how_to_make_one() {
    let sandbox = Sandbox::new();
    let ran = sandbox.expect(1, &["records"]);
    assert!(ran.err.contains("there is no database at"), "{}", ran.err);
    assert!(ran.err.contains("kidx import"), "{}", ran.err);
    assert!(!sandbox.db().exists(), "a question makes no file");
}

#[test]
fn a_newer_file_is_left_alone() {
    let sandbox = with_one_run();
    Connection::open(sandbox.db())
        .unwrap()
        .pragma_update(None, "user_version", 999)
        .unwrap();
    let before = fs::read(sandbox.db()).unwrap();
    for arguments in [&["records"][..], &["import", "kernelbench", "timing"]] {
        let ran = sandbox.expect(1, arguments);
        assert!(ran.err.contains("newer kidx"), "{}", ran.err);
    }
    assert_eq!(fs::read(sandbox.db()).unwrap(), before);
}

#[test]
fn another_programs_file_is_left_alone() {
    let sandbox = Sandbox::new();
    let other = Connection::open(sandbox.db()).unwrap();
    other.execute_batch("CREATE TABLE theirs (x)").unwrap();
    drop(other);
    let before = fs::read(sandbox.db()).unwrap();
    let file = sandbox.write("t/baseline_time_torch.json", level1(&[("1_A.py", "1.0")]));
    for arguments in [
        vec!["records"],
        vec!["import", "kernelbench", file.to_str().unwrap()],
    ] {
        let ran = sandbox.expect(1, &arguments);
        assert!(
            ran.err.contains("another program's database"),
            "{}",
            ran.err
        );
    }
    assert_eq!(fs::read(sandbox.db()).unwrap(), before);
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let sandbox = Sandbox::new();
    fs::write(
        sandbox.db(),
        "just some text, long enough to be no SQLite header at all",
    )
    .unwrap();
    for arguments in [&["records"][..], &["verify"]] {
        let ran = sandbox.expect(1, arguments);
        assert!(ran.err.contains("not a SQLite database"), "{}", ran.err);
    }
}

#[test]
fn a_folder_is_no_database() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.db()).unwrap();
    let ran = sandbox.expect(1, &["records"]);
    assert!(ran.err.contains("is a folder"), "{}", ran.err);
    assert!(ran.err.contains("kidx.db/kidx.db"), "{}", ran.err);
}

#[test]
fn a_read_only_file_answers_and_refuses_writing() {
    let sandbox = with_one_run();
    let mut mode = fs::metadata(sandbox.db()).unwrap().permissions();
    mode.set_readonly(true);
    fs::set_permissions(sandbox.db(), mode).unwrap();
    assert_eq!(sandbox.items(0, &["records"]).len(), 1);
    sandbox.expect(0, &["verify"]);
    let ran = sandbox.expect(1, &["import", "kernelbench", "timing"]);
    assert!(ran.err.contains("read-only"), "{}", ran.err);
}

#[test]
fn a_locked_file_says_so() {
    let sandbox = with_one_run();
    let other = Connection::open(sandbox.db()).unwrap();
    other
        .execute_batch(
            "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE meta SET value = value;",
        )
        .unwrap();
    let ran = sandbox.expect(1, &["--wait", "1", "import", "kernelbench", "timing"]);
    assert!(ran.err.contains("locked by another process"), "{}", ran.err);
}

#[test]
fn a_missing_folder_is_named() {
    let sandbox = with_one_run();
    let ran = sandbox.expect(
        1,
        &["--db", "nowhere/kidx.db", "import", "kernelbench", "timing"],
    );
    assert!(
        ran.err.contains("the folder `nowhere` does not exist"),
        "{}",
        ran.err
    );
}

#[test]
fn the_file_at_rest_is_one_file() {
    let sandbox = with_one_run();
    for beside in ["kidx.db-wal", "kidx.db-shm", "kidx.db-journal"] {
        assert!(!sandbox.path(beside).exists(), "{beside} lies beside");
    }
}

#[test]
fn odd_characters_in_the_path_are_fine() {
    let sandbox = with_one_run();
    let odd = sandbox.path("a #1? 100%.db");
    fs::copy(sandbox.db(), &odd).unwrap();
    let ran = sandbox.expect(0, &["--db", odd.to_str().unwrap(), "records", "--json"]);
    assert_eq!(ran.items().len(), 1);
}

#[test]
fn an_edit_from_outside_is_found() {
    for edit in [
        "UPDATE measurement SET value = value - 1",
        "UPDATE measurement SET resolution = 0",
        "UPDATE implementation SET name = 'Mine'",
        "UPDATE implementation SET license = NULL",
        "UPDATE source SET data_license = 'Apache-2.0'",
        "UPDATE hardware SET bandwidth_gbs = bandwidth_gbs * 50",
        "UPDATE environment SET provider = 'Elsewhere'",
        "UPDATE operation SET slug = 'kernelbench/level1/2'",
        "UPDATE workload SET dtype = 'fp16'",
        "UPDATE reading SET provider = 'Elsewhere'",
        "UPDATE sighting SET line = 99",
        "UPDATE record SET unbeaten = 1 - unbeaten",
        "UPDATE snapshot SET sha256 = replace(sha256, 'a', 'b')",
        "DELETE FROM standing",
        "DELETE FROM suite_problem WHERE level = 'level3'",
        "DELETE FROM hardware_alias WHERE alias LIKE '%h100%'",
    ] {
        let sandbox = with_one_run();
        sandbox.expect(0, &["verify"]);
        Connection::open(sandbox.db())
            .unwrap()
            .execute_batch(edit)
            .unwrap();
        let ran = sandbox.expect(3, &["verify", "--json"]);
        assert!(
            !ran.items()[0]["findings"].as_array().unwrap().is_empty(),
            "{edit}"
        );
    }
}

#[test]
fn every_kind_of_identity_is_recomputed() {
    let sandbox = with_one_run();
    let sound = fs::read(sandbox.db()).unwrap();
    let edited = |what: &str, edit: &str| {
        fs::write(sandbox.db(), &sound).unwrap();
        let connection = Connection::open(sandbox.db()).unwrap();
        connection
            .pragma_update(None, "ignore_check_constraints", true)
            .unwrap();
        connection.execute_batch(edit).unwrap();
        drop(connection);
        let ran = sandbox.expect(3, &["verify", "--json"]);
        let items = ran.items();
        let findings = items[0]["findings"].as_array().unwrap();
        assert!(
            findings.iter().any(|finding| finding["code"] == "DIGEST"
                && finding["subject"].as_str().unwrap().starts_with(what)),
            "{edit}: {findings:#?}"
        );
    };
    let other = "'sha256:' || lower(hex(zeroblob(32)))";
    for table in [
        "operation",
        "workload",
        "implementation",
        "environment",
        "protocol",
    ] {
        edited(table, &format!("UPDATE {table} SET digest = {other}"));
        edited(
            table,
            &format!("UPDATE {table} SET spec = json_set(spec, '$.more', 1)"),
        );
    }
    edited("cohort", &format!("UPDATE cohort SET digest = {other}"));
    edited("cohort", "UPDATE cohort SET metric = 'power'");
    edited("run:", "UPDATE measurement SET digest = zeroblob(32)");
    edited("run:", "UPDATE measurement SET status = 'timeout'");
}
