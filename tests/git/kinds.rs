//! Every kind of repository that there is, whole or not.

use std::fs;
use std::path::Path;

use gix::objs::Kind;
use serde_json::Value;

use super::{EAGER, dated, days, git, history, is_sound, timing, two_contents};
use crate::repository::Repo;
use crate::sandbox::Sandbox;

fn count(answer: &Value) -> usize {
    answer["files"].as_array().unwrap().len()
}

/// What importing a path fails with; nothing is written.
fn refused(code: i32, path: &Path, more: &[&str]) -> String {
    let sandbox = Sandbox::new();
    let mut arguments = vec!["import", "kernelbench", path.to_str().unwrap()];
    arguments.extend(more);
    let ran = sandbox.expect(code, &arguments);
    assert!(!sandbox.db().exists(), "{}", ran.err);
    ran.err
}

#[test]
fn which_commits_a_history_is_made_of() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("repo");
    let repo = Repo::bare(&path);
    let on = |name: &str, mean: &str| {
        let tree = repo.tree(&[(EAGER, &timing(mean))]);
        let commit = repo.commit_tree(tree, &[], "2025-01-01T00:00:00Z");
        repo.set(name, commit);
        commit
    };
    on("refs/heads/main", "1.1");
    on("refs/heads/other", "1.2");
    on("refs/remotes/origin/theirs", "1.3");
    on("refs/pull/7/head", "1.4");
    let tagged = on("refs/tags/light", "1.5");
    repo.tag("heavy", tagged, Kind::Commit);
    // Names that reach no commit are no trouble.
    let blob = repo.blob("no commit");
    repo.set("refs/tags/blob", blob);
    repo.tag("of-a-blob", blob, Kind::Blob);
    repo.write(
        "refs/remotes/origin/HEAD",
        "ref: refs/remotes/origin/gone\n",
    );
    repo.write("refs/heads/circle", "ref: refs/heads/round\n");
    repo.write("refs/heads/round", "ref: refs/heads/circle\n");
    for (more, files) in [(&[][..], 1), (&["--all-branches"], 3), (&["--all-refs"], 5)] {
        assert_eq!(count(&history(&sandbox, &path, more)), files, "{more:?}");
    }
    assert_eq!(sandbox.export().lines().count(), 5);
    is_sound(&sandbox);
}

#[test]
fn a_folder_of_the_repository() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("repo");
    let repo = Repo::checkout(&path);
    let files = [
        (EAGER, timing("1.84")),
        ("elsewhere/L40S_lab/timings.json", timing("1.71")),
        ("elsewhere/deep/L40S_lab/timings.json", timing("1.72")),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, &**text)).collect();
    repo.on("main", &files, "2025-01-01T00:00:00Z");
    repo.check_out(&files);
    for (place, more, expected) in [
        // The source's own folder, another one, the argument's own place, one below it.
        ("repo", &["--history"][..], 1),
        ("repo", &["--history", "--path", "elsewhere"], 2),
        ("repo", &["--history", "--path", "./elsewhere/"], 2),
        ("repo", &["--path", "elsewhere"], 2),
        ("repo/elsewhere", &["--history"], 2),
        ("repo/elsewhere", &["--history", "--path", "deep"], 1),
        ("repo/elsewhere", &["--path", "deep"], 1),
        (
            "repo/elsewhere/deep/L40S_lab/timings.json",
            &["--history"],
            1,
        ),
        ("repo/.git", &["--history"], 1),
    ] {
        let answer = sandbox.import(0, &sandbox.path(place), more);
        assert_eq!(count(&answer), expected, "{place} {more:?}");
        assert!(
            days(&answer).iter().all(|day| *day == git("2025-01-01")),
            "{place} {more:?}"
        );
    }
    let said = refused(1, &path, &["--history", "--path", "nowhere"]);
    assert!(
        said.contains("under `nowhere`") && said.contains("--path DIR"),
        "{said}"
    );
}

#[test]
fn one_files_history() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("repo");
    two_contents(&path);
    let answer = history(&sandbox, &path.join(EAGER), &[]);
    assert_eq!(days(&answer), [git("2025-01-01"), git("2025-02-01")]);
}

#[test]
fn a_checkout_dates_files_that_are_as_head_has_them() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("repo");
    let repo = two_contents(&path);
    let modified = "results/timing/A100_lab/baseline_time_torch.json";
    let untracked = "results/timing/T4_lab/baseline_time_torch.json";
    let kept = timing("1.71");
    repo.on(
        "main",
        &[(EAGER, &kept), (modified, &timing("2.5"))],
        "2025-03-01T00:00:00Z",
    );
    repo.check_out(&[(modified, &timing("2.4")), (untracked, &timing("9.5"))]);
    let bases = |answer: &Value| -> Vec<(String, String)> {
        dated(answer)
            .into_iter()
            .map(|(path, day, basis)| {
                let machine = path.split('/').rev().nth(1).unwrap().to_owned();
                let day = if basis == "git" { day } else { String::new() };
                (machine, format!("{basis} {day}").trim().to_owned())
            })
            .collect()
    };
    let expected = [
        ("A100_lab", "file-time"),
        ("L40S_lab", "git 2025-02-01"),
        ("T4_lab", "file-time"),
    ]
    .map(|(machine, date)| (machine.to_owned(), date.to_owned()));
    for place in ["repo", "repo/results", "repo/results/timing"] {
        assert_eq!(
            bases(&sandbox.import(0, &sandbox.path(place), &[])),
            expected
        );
    }
    // A file by itself, and by a link from elsewhere.
    let file = sandbox.import(0, &path.join(EAGER), &[]);
    assert_eq!(bases(&file), expected[1..2]);
    std::os::unix::fs::symlink(path.join(EAGER), sandbox.path("link.json")).unwrap();
    let linked = sandbox.import(0, &sandbox.path("link.json"), &[]);
    assert_eq!(days(&linked), [git("2025-02-01")]);
    // Of the history only what was committed is there.
    assert_eq!(count(&history(&sandbox, &path, &[])), 3);
    is_sound(&sandbox);
}

#[test]
fn bare_packed_and_detached() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("repo.git");
    let repo = Repo::bare(&path);
    let first = repo.on("main", &[(EAGER, &timing("1.84"))], "2025-01-01T00:00:00Z");
    repo.on("main", &[(EAGER, &timing("1.71"))], "2025-02-01T00:00:00Z");
    let loose = (sandbox.import(0, &path, &[]), history(&sandbox, &path, &[]));
    assert_eq!(days(&loose.0), [git("2025-02-01")]);
    assert_eq!(days(&loose.1), [git("2025-01-01"), git("2025-02-01")]);
    let export = sandbox.export();
    repo.pack();
    assert!(!repo.loose(first).exists());
    let tip = repo.tip("refs/heads/main").unwrap();
    repo.write(
        "packed-refs",
        format!("# pack-refs with: peeled fully-peeled sorted \n{tip} refs/heads/main\n"),
    );
    fs::remove_file(path.join("refs/heads/main")).unwrap();
    let packed = Sandbox::new();
    assert_eq!(dated(&packed.import(0, &path, &[])), dated(&loose.0));
    assert_eq!(dated(&history(&packed, &path, &[])), dated(&loose.1));
    assert_eq!(packed.export(), export);
    // HEAD at a commit instead of a branch.
    repo.write("HEAD", format!("{first}\n"));
    assert_eq!(days(&history(&packed, &path, &[])), [git("2025-01-01")]);
    assert_eq!(count(&history(&packed, &path, &["--all-branches"])), 2);
}

#[test]
fn a_linked_worktree_has_its_own_head() {
    let sandbox = Sandbox::new();
    let repo = two_contents(&sandbox.path("repo"));
    let files: &[(&str, &str)] = &[(EAGER, &timing("1.55"))];
    repo.on("side", files, "2025-05-01T00:00:00Z");
    repo.write("worktrees/side/HEAD", "ref: refs/heads/side\n");
    repo.write("worktrees/side/commondir", "../..\n");
    let link = sandbox.write(
        "linked/.git",
        format!(
            "gitdir: {}\n",
            repo.git_dir().join("worktrees/side").display()
        ),
    );
    repo.write("worktrees/side/gitdir", format!("{}\n", link.display()));
    let linked = sandbox.path("linked");
    sandbox.write(&format!("linked/{EAGER}"), files[0].1);
    assert_eq!(days(&sandbox.import(0, &linked, &[])), [git("2025-05-01")]);
    assert_eq!(days(&history(&sandbox, &linked, &[])), [git("2025-05-01")]);
    // Both in one command, and one of them twice.
    let [main, linked] = [sandbox.path("repo"), linked];
    let [main, linked] = [&main, &linked].map(|path| path.to_str().unwrap());
    let answer = sandbox.item(0, &["import", "kernelbench", main, linked, main]);
    assert_eq!(
        days(&answer),
        [git("2025-02-01"), git("2025-05-01"), git("2025-02-01")]
    );
    assert_eq!(answer["totals"]["inserted"], 1);
    is_sound(&sandbox);
}

#[test]
fn the_oldest_commits_of_a_shallow_clone_say_only_that_they_have_it() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("repo");
    let repo = Repo::checkout(&path);
    let module = ("KernelBench/level1/1_Axpy.py", super::suite::AXPY);
    let old = timing("1.84");
    let gone = repo.on("main", &[module, (EAGER, &old)], "2024-12-01T00:00:00Z");
    let edge = repo.on(
        "main",
        &[module, (EAGER, &old), ("README.md", "x")],
        "2025-01-01T00:00:00Z",
    );
    let new = "results/timing/A100_lab/baseline_time_torch.json";
    let files: &[(&str, &str)] = &[module, (EAGER, &old), (new, &timing("1.71"))];
    repo.on("main", files, "2025-02-01T00:00:00Z");
    repo.check_out(files);
    repo.write("shallow", format!("{edge}\n"));
    fs::remove_file(repo.loose(gone)).unwrap();
    for more in [&[][..], &["--history"]] {
        let sandbox = Sandbox::new();
        let answer = sandbox.import(0, &path, more);
        let mut found = days(&answer);
        found.sort();
        let edge = ("2025-01-01".to_owned(), "revision".to_owned());
        assert_eq!(found, [edge, git("2025-02-01")], "{more:?}");
        let sql = "SELECT folder, commit_id IS NULL AS unknown, cache FROM reading r
                   JOIN sighting s ON s.reading_id = r.id
                   JOIN measurement m ON m.id = s.measurement_id
                   JOIN cohort c ON c.id = m.cohort_id JOIN protocol p ON p.id = c.protocol_id
                   ORDER BY folder";
        let readings = sandbox.items(0, &["sql", sql]);
        assert_eq!(
            readings,
            [
                serde_json::json!({"folder": "A100_lab", "unknown": 0, "cache": "warm"}),
                serde_json::json!({"folder": "L40S_lab", "unknown": 1, "cache": null})
            ]
        );
        is_sound(&sandbox);
    }
}

#[test]
fn a_repository_without_commits() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("repo");
    let repo = Repo::checkout(&path);
    let said = refused(1, &path, &["--history"]);
    assert!(
        said.contains("no commit") && said.contains("--all-branches"),
        "{said}"
    );
    // Its files are files, and nothing is wrong with that.
    repo.check_out(&[(EAGER, &timing("1.84"))]);
    let answer = sandbox.import(0, &path, &[]);
    assert_eq!(days(&answer)[0].1, "file-time");
    assert_eq!(answer["issues"], Value::Array(vec![]));
    // Another branch can be read though HEAD names none.
    repo.on("other", &[(EAGER, &timing("1.71"))], "2025-02-01T00:00:00Z");
    let answer = history(&sandbox, &path, &["--all-branches"]);
    assert_eq!(days(&answer), [git("2025-02-01")]);
}

#[test]
fn a_folder_without_a_repository_has_no_history() {
    let sandbox = Sandbox::new();
    sandbox.write(EAGER, timing("1.84"));
    let said = refused(2, &sandbox.path("results"), &["--history"]);
    assert!(
        said.contains("no git repository") && said.contains("checkout"),
        "{said}"
    );
    for more in [&["--all-branches"][..], &["--all-refs"]] {
        let said = refused(2, &sandbox.path("results"), more);
        assert!(said.contains("--history"), "{said}");
    }
}

#[test]
fn a_repository_with_objects_missing() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("repo");
    let repo = two_contents(&path);
    let tip = repo.tip("refs/heads/main").unwrap();
    let tree = repo.tree(&[(EAGER, &timing("1.84"))]);
    for missing in [tree, tip] {
        fs::remove_file(repo.loose(missing)).unwrap();
        let said = refused(1, &path, &["--history"]);
        assert!(said.contains(&path.display().to_string()), "{said}");
        assert!(said.contains("--unshallow"), "{said}");
    }
    // The files themselves are there; their dates aren't, and that is said.
    let answer = sandbox.import(0, &path, &[]);
    assert_eq!(days(&answer)[0].1, "file-time");
    assert_eq!(answer["issues"][0]["code"], "NO_HISTORY");
    assert_eq!(answer["issues"][0]["severity"], "warning");
}

/// A clone made with `--filter=blob:none` has the commits and the checked out files.
#[test]
fn a_clone_without_old_contents_still_dates_what_it_has() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("repo");
    let repo = two_contents(&path);
    for mean in ["1.84", "1.71"] {
        fs::remove_file(repo.loose(repo.blob(timing(mean)))).unwrap();
    }
    assert_eq!(days(&sandbox.import(0, &path, &[])), [git("2025-02-01")]);
    let said = sandbox.expect(
        1,
        &["import", "kernelbench", path.to_str().unwrap(), "--history"],
    );
    assert!(said.err.contains("--filter"), "{}", said.err);
}
