//! Killed at any instant, two imports at once, a reader meanwhile, a full disk, a file
//! that vanishes: the database holds whole imports only.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::sandbox::{Ran, Sandbox, level1};

/// A timing file of many problems; its figures end in `mark`, so that no two are equal.
fn many(problems: usize, mark: usize) -> String {
    let names: Vec<(String, String)> = (0..problems)
        .map(|n| {
            (
                format!("{n}_Probe_{n}.py"),
                format!("{}.{mark}", n % 90 + 1),
            )
        })
        .collect();
    let pairs: Vec<(&str, &str)> = names
        .iter()
        .map(|(n, m)| (n.as_str(), m.as_str()))
        .collect();
    level1(&pairs)
}

fn folder_of(sandbox: &Sandbox, name: &str, marks: std::ops::Range<usize>, problems: usize) {
    for mark in marks {
        sandbox.write(
            &format!("{name}/L40S_rig{mark}/baseline_time_torch.json"),
            many(problems, mark),
        );
    }
}

/// Takes the database away, with what a killed writer leaves beside it.
fn fresh(sandbox: &Sandbox) {
    for name in ["kidx.db", "kidx.db-wal", "kidx.db-shm"] {
        let _ = std::fs::remove_file(sandbox.path(name));
    }
}

fn runs(sandbox: &Sandbox) -> usize {
    sandbox.export().lines().count()
}

/// Bytes of the database and of what is on the way into it.
fn written(sandbox: &Sandbox) -> u64 {
    let db = sandbox.db();
    let size = |end: &str| {
        let mut name = db.clone().into_os_string();
        name.push(end);
        std::fs::metadata(name).map_or(0, |file| file.len())
    };
    size("") + size("-wal") + size("-journal")
}

#[test]
fn killed_at_any_instant_it_holds_whole_imports_only() {
    let sandbox = Sandbox::new();
    folder_of(&sandbox, "big", 11..23, 100);
    let whole = [
        "import",
        "kernelbench",
        "big",
        "--observed-on",
        "2026-01-01",
        "-q",
    ];
    sandbox.expect(0, &whole);
    let full = written(&sandbox);
    let mut seen = std::collections::BTreeSet::new();
    for eighth in 0..16 {
        // By what is written, not by the clock: how fast that goes is the machine's business.
        // Most of it is written twice, to the log first.
        let enough = full * eighth / 8;
        fresh(&sandbox);
        let mut child = sandbox
            .command()
            .args(whole)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while written(&sandbox) < enough && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = child.kill();
        child.wait().unwrap();
        let answer = sandbox.run(&["export", "--format", "jsonl"]);
        // Killed before the file held anything, questions say so.
        let count = if answer.code == Some(0) {
            answer.out.lines().count()
        } else {
            0
        };
        assert_eq!(count % 100, 0, "killed after {enough} bytes: {count} runs");
        if answer.code == Some(0) {
            sandbox.expect(0, &["verify"]);
        }
        seen.insert(count);
    }
    assert!(
        seen.len() > 2,
        "killed too early or too late each time: {seen:?}"
    );
    fresh(&sandbox);
    sandbox.expect(
        0,
        &[
            "import",
            "kernelbench",
            "big",
            "--observed-on",
            "2026-01-01",
        ],
    );
    assert_eq!(runs(&sandbox), 12 * 100);
}

#[test]
fn two_imports_at_once_and_a_reader_meanwhile() {
    let sandbox = Sandbox::new();
    folder_of(&sandbox, "one", 11..17, 200);
    folder_of(&sandbox, "two", 21..27, 200);
    let start = |folder: &str| {
        sandbox
            .command()
            .args([
                "import",
                "kernelbench",
                folder,
                "--observed-on",
                "2026-01-01",
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let mut writers = [start("one"), start("two")];
    let mut counts = Vec::new();
    while writers.iter_mut().any(|w| w.try_wait().unwrap().is_none()) {
        let answer = sandbox.run(&["export", "--format", "jsonl"]);
        if answer.code == Some(0) {
            counts.push(answer.out.lines().count());
        }
    }
    for writer in writers {
        let ran = Ran::of(writer.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    assert!(counts.iter().all(|count| count % 200 == 0), "{counts:?}");
    assert!(counts.is_sorted(), "{counts:?}");
    assert_eq!(runs(&sandbox), 2 * 6 * 200);
    sandbox.expect(0, &["verify"]);
}

#[test]
fn a_full_disk_leaves_whole_imports_only() {
    let sandbox = Sandbox::new();
    folder_of(&sandbox, "big", 11..51, 400);
    let disk = sandbox.path("disk");
    std::fs::create_dir(&disk).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"])
        .arg(&disk)
        .output()
        .is_ok_and(|output| output.status.success());
    if !mounted {
        println!("skipped: a small file system can't be mounted here (needs root)");
        return;
    }
    let db = disk.join("kidx.db");
    let db = db.to_str().unwrap();
    let ran = sandbox.run(&[
        "--db",
        db,
        "import",
        "kernelbench",
        "big",
        "--observed-on",
        "2026-01-01",
    ]);
    let export = sandbox.run(&["--db", db, "export", "--format", "jsonl"]);
    let verified = sandbox.run(&["--db", db, "verify"]);
    let unmounted = Command::new("umount").arg(&disk).status().unwrap();
    assert!(unmounted.success());
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("disk is full"), "{}", ran.err);
    assert_eq!(export.code, Some(0), "{}", export.err);
    let count = export.out.lines().count();
    // How many files a transaction holds depends on how fast the machine is.
    assert!(count < 40 * 400, "{count} runs");
    assert_eq!(count % 400, 0, "{count} runs");
    assert_eq!(verified.code, Some(0), "{}", verified.err);
}

#[test]
fn a_file_that_vanishes_midway_is_refused_and_the_rest_goes_in() {
    let sandbox = Sandbox::new();
    let here = sandbox.write("t/L40S_a/baseline_time_torch.json", many(3, 1));
    std::os::unix::fs::symlink(sandbox.path("gone.json"), sandbox.path("t/vanished.json")).unwrap();
    let vanished = sandbox.path("t/vanished.json");
    let ran = sandbox.expect(
        3,
        &[
            "import",
            "kernelbench",
            vanished.to_str().unwrap(),
            here.to_str().unwrap(),
            "--json",
        ],
    );
    let answer = &ran.items()[0];
    assert_eq!(answer["files"][0]["outcome"], "refused");
    assert_eq!(answer["files"][1]["inserted"], 3);
    assert!(
        answer["issues"][0]["message"]
            .as_str()
            .unwrap()
            .contains("can't be read"),
        "{answer}"
    );
    sandbox.expect(1, &["import", "kernelbench", vanished.to_str().unwrap()]);
}
