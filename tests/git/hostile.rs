//! Repositories that nobody should have: each is refused in words or read without harm.

use std::fs;

use gix::objs::tree::EntryKind;
use serde_json::{Value, json};

use super::{EAGER, dated, days, git, history, is_sound, timing, two_contents};
use crate::repository::Repo;
use crate::sandbox::Sandbox;

/// What a history is refused with.
fn refused(sandbox: &Sandbox, more: &[&str]) -> String {
    let mut arguments = vec!["import", "kernelbench", "repo", "--history"];
    arguments.extend(more);
    let ran = sandbox.expect(1, &arguments);
    assert!(!sandbox.db().exists(), "{}", ran.err);
    ran.err
}

#[test]
fn odd_names_are_names_and_links_and_submodules_are_nothing() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("repo");
    let repo = Repo::bare(&path);
    let file =
        |mean: &str| repo.entries(&[(b"timings.json", EntryKind::Blob, repo.blob(timing(mean)))]);
    let target = repo.blob("../../secret.json");
    let commit = repo.commit_tree(repo.entries(&[]), &[], "2024-01-01T00:00:00Z");
    let timing_folder = repo.entries(&[
        (b"..", EntryKind::Tree, file("1.1")),
        (b"L40S_new\nline\x1b[2J", EntryKind::Tree, file("1.2")),
        (b"L40S_\xff\xfe", EntryKind::Tree, file("1.3")),
        (b"L40S_Case", EntryKind::Tree, file("1.4")),
        (b"L40S_case", EntryKind::Tree, file("1.5")),
        (b"a/b.json", EntryKind::Blob, repo.blob(timing("1.6"))),
        (b"", EntryKind::Tree, file("1.7")),
        (b".git", EntryKind::Tree, file("1.8")),
        (b"link.json", EntryKind::Link, target),
        (b"module.json", EntryKind::Commit, commit),
        (
            b"large-file.json",
            EntryKind::Blob,
            repo.blob("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"),
        ),
    ]);
    let results = repo.entries(&[(b"timing", EntryKind::Tree, timing_folder)]);
    let tree = repo.entries(&[(b"results", EntryKind::Tree, results)]);
    repo.on_tree("main", tree, "2025-01-01T00:00:00Z");
    let ran = sandbox.expect(0, &["import", "kernelbench", "repo", "--history", "-v"]);
    for text in [&ran.out, &ran.err] {
        assert!(
            !text.contains('\u{1b}') && !text.contains("new\nline"),
            "{text:?}"
        );
    }
    let answer = history(&sandbox, &path, &[]);
    let ignored: Vec<&Value> = answer["files"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|file| file["outcome"] == "ignored")
        .collect();
    assert_eq!(ignored.len(), 1, "{ignored:?}");
    assert!(ignored[0]["path"].as_str().unwrap().contains("large-file"));
    assert_eq!(answer["totals"]["unchanged"], 8);
    let day = |file: &(String, String, String)| (file.1.clone(), file.2.clone());
    let used = dated(&answer);
    assert_eq!(
        used.iter()
            .filter(|file| day(file) == git("2025-01-01"))
            .count(),
        8
    );
    is_sound(&sandbox);
}

#[test]
fn trees_as_deep_as_anybody_likes() {
    let sandbox = Sandbox::new();
    let repo = Repo::bare(&sandbox.path("repo"));
    let mut deep = repo.entries(&[(b"x.json", EntryKind::Blob, repo.blob(timing("9.9")))]);
    for _ in 0..20_000 {
        deep = repo.entries(&[(b"d", EntryKind::Tree, deep)]);
    }
    let beside = repo.entries(&[
        (b"deep", EntryKind::Tree, deep),
        (
            b"results",
            EntryKind::Tree,
            repo.tree(&[("timing/L40S_lab/t.json", &timing("1"))]),
        ),
    ]);
    repo.on_tree("main", beside, "2025-01-01T00:00:00Z");
    let said = refused(&sandbox, &[]);
    assert!(said.contains("folders lie more than 2048 deep"), "{said}");
    let said = refused(&sandbox, &["--path", "deep"]);
    assert!(
        said.contains("paths under `deep`") && said.contains("--path DIR"),
        "{said}"
    );
}

/// Ten folders in each of twelve folders within folders: a million million files.
#[test]
fn trees_that_stand_for_more_files_than_there_are() {
    let sandbox = Sandbox::new();
    let repo = Repo::bare(&sandbox.path("repo"));
    let mut many = repo.entries(&[(b"x.json", EntryKind::Blob, repo.blob(timing("9.9")))]);
    for _ in 0..12 {
        let names: Vec<String> = (0..10).map(|n| n.to_string()).collect();
        let entries: Vec<_> = names
            .iter()
            .map(|name| (name.as_bytes(), EntryKind::Tree, many))
            .collect();
        many = repo.entries(&entries);
    }
    let tree = repo.entries(&[
        (b"many", EntryKind::Tree, many),
        (
            b"results",
            EntryKind::Tree,
            repo.tree(&[("timing/L40S_lab/t.json", &timing("1"))]),
        ),
    ]);
    repo.on_tree("main", tree, "2025-01-01T00:00:00Z");
    let said = refused(&sandbox, &["--path", "many"]);
    assert!(
        said.contains("MiB") && said.contains("--path DIR"),
        "{said}"
    );
    // Where nobody asks about them they are no trouble.
    let answer = history(&sandbox, &sandbox.path("repo"), &[]);
    assert_eq!(days(&answer), [git("2025-01-01")]);
}

/// Object stores are not checked against their names when they are read.
#[test]
fn a_tree_that_was_made_to_hold_itself() {
    let sandbox = Sandbox::new();
    let repo = Repo::bare(&sandbox.path("repo"));
    let named = repo.entries(&[(b"timing", EntryKind::Tree, repo.entries(&[]))]);
    let forged = repo.entries(&[
        (b"timing", EntryKind::Tree, named),
        (b"x.json", EntryKind::Blob, repo.blob(timing("1"))),
    ]);
    let tree = repo.entries(&[(b"results", EntryKind::Tree, named)]);
    repo.on_tree("main", tree, "2025-01-01T00:00:00Z");
    fs::remove_file(repo.loose(named)).unwrap();
    fs::rename(repo.loose(forged), repo.loose(named)).unwrap();
    assert!(!refused(&sandbox, &[]).is_empty());
}

#[test]
fn a_file_larger_than_anything_is_refused_by_its_length() {
    use std::io::Write;
    let sandbox = Sandbox::new();
    let repo = Repo::bare(&sandbox.path("repo"));
    let large = repo.blob("large");
    let tree = repo.entries(&[
        (b"L40S_large.json", EntryKind::Blob, large),
        (b"L40S_lab.json", EntryKind::Blob, repo.blob(timing("1.5"))),
    ]);
    repo.on_tree("main", tree, "2025-01-01T00:00:00Z");
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    zlib.write_all(b"blob 9999999999\0").unwrap();
    let loose = repo.loose(large);
    fs::remove_file(&loose).unwrap();
    fs::write(&loose, zlib.finish().unwrap()).unwrap();
    let answer = sandbox.import(3, &sandbox.path("repo"), &["--history", "--path", "."]);
    assert_eq!(answer["totals"]["inserted"], 1);
    let issue = &answer["issues"][0];
    assert_eq!(issue["code"], "UNREADABLE");
    assert!(
        issue["message"]
            .as_str()
            .unwrap()
            .contains("more than 1024 MiB"),
        "{issue}"
    );
    assert!(
        issue["file"].as_str().unwrap().ends_with("L40S_large.json"),
        "{issue}"
    );
}

#[test]
fn configuration_runs_nothing_and_includes_nothing() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("repo");
    let repo = two_contents(&path);
    let touch = format!("touch {}", sandbox.path("touched").display());
    let included = sandbox.write("included", "[this is no configuration");
    let mut config = fs::read_to_string(repo.git_dir().join("config")).unwrap();
    let more = format!(
        "[include]\n\tpath = {included}\n[includeIf \"gitdir:**\"]\n\tpath = {included}\n\
         [alias]\n\tlog = !{touch}\n[core]\n\tfsmonitor = {touch}\n\tpager = {touch}\n\
         \tsshCommand = {touch}\n\thooksPath = {hooks}\n[filter \"x\"]\n\tsmudge = {touch}\n\
         \tprocess = {touch}\n[diff]\n\texternal = {touch}\n[core]\n\tabbrev = nonsense\n",
        included = included.display(),
        hooks = sandbox.path("hooks").display(),
    );
    config.push_str(&more);
    repo.write("config", config);
    sandbox.write("repo/.gitattributes", "*.json filter=x diff=x\n");
    for more in [&[][..], &["--history"], &["--history", "--all-refs"]] {
        let answer = sandbox.import(0, &path, more);
        assert_eq!(days(&answer).last(), Some(&git("2025-02-01")), "{more:?}");
    }
    assert!(!sandbox.path("touched").exists());
}

#[test]
fn the_environment_has_no_say() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("repo");
    two_contents(&path);
    let other = Repo::bare(&sandbox.path("other"));
    other.on("main", &[(EAGER, &timing("1.71"))], "2020-01-01T00:00:00Z");
    sandbox.write("plain/L40S_lab/baseline_time_torch.json", timing("1.5"));
    let run = |arguments: &[&str]| {
        let output = sandbox
            .command()
            .args(["import", "kernelbench", "--json"])
            .args(arguments)
            .envs([
                ("GIT_DIR", other.git_dir().as_os_str()),
                ("GIT_WORK_TREE", sandbox.path("plain").as_os_str()),
                (
                    "GIT_OBJECT_DIRECTORY",
                    other.git_dir().join("objects").as_os_str(),
                ),
                ("GIT_CEILING_DIRECTORIES", path.as_os_str()),
                ("GIT_NAMESPACE", "theirs".as_ref()),
                ("GIT_CONFIG_GLOBAL", sandbox.path("nowhere").as_os_str()),
            ])
            .output()
            .unwrap();
        crate::sandbox::Ran::of(output)
    };
    assert_eq!(days(&run(&["repo"]).items()[0]), [git("2025-02-01")]);
    let histories = run(&["repo/results", "--history"]);
    assert_eq!(
        days(&histories.items()[0]),
        [git("2025-01-01"), git("2025-02-01")]
    );
    assert_eq!(days(&run(&["plain"]).items()[0])[0].1, "file-time");
    assert_eq!(run(&["plain", "--history"]).code, Some(2));
}

#[test]
fn repositories_within_repositories_and_folders_of_them() {
    let sandbox = Sandbox::new();
    let outer = sandbox.path("clones/outer");
    let repo = two_contents(&outer);
    let inner = Repo::checkout(&outer.join("vendor"));
    let files: &[(&str, &str)] = &[("A100_lab/baseline_time_torch.json", &timing("2.5"))];
    inner.on("main", files, "2025-06-01T00:00:00Z");
    inner.check_out(files);
    // As a submodule has it: its own folder is kept by the outer one.
    fs::create_dir_all(repo.git_dir().join("modules")).unwrap();
    fs::rename(
        outer.join("vendor/.git"),
        repo.git_dir().join("modules/vendor"),
    )
    .unwrap();
    sandbox.write(
        "clones/outer/vendor/.git",
        "gitdir: ../.git/modules/vendor\n",
    );
    let second = Repo::checkout(&sandbox.path("clones/second"));
    let files: &[(&str, &str)] = &[("T4_lab/baseline_time_torch.json", &timing("3.5"))];
    second.on("main", files, "2025-07-01T00:00:00Z");
    second.check_out(files);
    let expected = [git("2025-02-01"), git("2025-06-01"), git("2025-07-01")];
    let answer = sandbox.import(0, &sandbox.path("clones"), &[]);
    assert_eq!(days(&answer), expected);
    let answer = sandbox.import(0, &outer, &[]);
    assert_eq!(days(&answer), expected[..2]);
    let answer = history(&sandbox, &outer.join("vendor"), &["--path", "A100_lab"]);
    assert_eq!(days(&answer), expected[1..2]);
    // One whose own folder is gone dates nothing, and keeps nobody from reading files.
    fs::remove_dir_all(repo.git_dir().join("modules")).unwrap();
    let answer = Sandbox::new().import(0, &sandbox.path("clones"), &[]);
    assert_eq!(days(&answer)[1].1, "file-time");
    assert_eq!(answer["files"].as_array().unwrap().len(), 3);
}

#[test]
fn two_clones_as_arguments_are_one_history_twice() {
    let sandbox = Sandbox::new();
    for name in ["one", "two"] {
        two_contents(&sandbox.path(name));
    }
    let answer = sandbox.item(
        0,
        &["import", "kernelbench", "one", "two", "one", "--history"],
    );
    assert_eq!(answer["totals"]["inserted"], 2);
    assert_eq!(answer["totals"]["unchanged"], 4);
    assert_eq!(days(&answer)[..2], days(&answer)[2..4]);
    is_sound(&sandbox);
}

#[test]
fn broken_references() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("repo");
    let repo = two_contents(&path);
    // What a crash leaves of a branch.
    repo.write("refs/heads/crashed", "");
    repo.write("refs/heads/garbage", "not an id\n");
    for more in [&[][..], &["--all-branches"], &["--all-refs"]] {
        let answer = history(&sandbox, &path, more);
        assert_eq!(
            days(&answer),
            [git("2025-01-01"), git("2025-02-01")],
            "{more:?}"
        );
    }
    // A branch whose commits are missing would be a shorter history.
    repo.write("refs/heads/absent", format!("{}\n", "1".repeat(40)));
    let arguments = [
        "import",
        "kernelbench",
        "repo",
        "--history",
        "--all-branches",
    ];
    let ran = sandbox.expect(1, &arguments);
    assert!(ran.err.contains("--unshallow"), "{}", ran.err);
    fs::remove_file(repo.git_dir().join("refs/heads/absent")).unwrap();
    repo.write(
        "packed-refs",
        "# pack-refs with: peeled \nno line of its kind\n",
    );
    let fresh = Sandbox::new();
    let arguments = ["import", "kernelbench", path.to_str().unwrap(), "--history"];
    let ran = fresh.expect(1, &[&arguments[..], &["--all-branches"]].concat());
    assert!(
        ran.err.contains("can't be read") && !fresh.db().exists(),
        "{}",
        ran.err
    );
}

/// A clone can say that one object is to be read as another; what was committed counts.
#[test]
fn replacements_replace_nothing() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("repo");
    let repo = two_contents(&path);
    let (real, forged) = (repo.blob(timing("1.71")), repo.blob(timing("0.001")));
    repo.set(&format!("refs/replace/{real}"), forged);
    history(&sandbox, &path, &[]);
    let figures = sandbox.items(0, &["sql", "SELECT latency_ns FROM v_run ORDER BY 1"]);
    assert_eq!(
        figures,
        [
            json!({"latency_ns": 1_710_000.0}),
            json!({"latency_ns": 1_840_000.0})
        ]
    );
}

/// Objects may lie in another repository's store; one that refers back is no trouble.
#[test]
fn stores_that_refer_to_one_another() {
    let sandbox = Sandbox::new();
    let one = two_contents(&sandbox.path("one"));
    let two = Repo::bare(&sandbox.path("two"));
    two.set("refs/heads/main", one.tip("refs/heads/main").unwrap());
    two.write(
        "objects/info/alternates",
        format!("{}\n", one.git_dir().join("objects").display()),
    );
    let answer = history(&sandbox, &sandbox.path("two"), &[]);
    assert_eq!(days(&answer), [git("2025-01-01"), git("2025-02-01")]);
    one.write(
        "objects/info/alternates",
        format!("{}\n", two.git_dir().join("objects").display()),
    );
    let ran = sandbox.run(&["import", "kernelbench", "two", "--history"]);
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
}

#[test]
fn a_working_folder_somewhere_else() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("repo");
    let repo = two_contents(&path);
    let mut config = fs::read_to_string(repo.git_dir().join("config")).unwrap();
    config.push_str("[core]\n\tworktree = /etc\n");
    repo.write("config", config);
    let answer = sandbox.import(0, &path, &[]);
    assert_eq!(days(&answer)[0].1, "file-time");
    let answer = history(&sandbox, &path, &[]);
    assert_eq!(days(&answer), [git("2025-01-01"), git("2025-02-01")]);
}

#[cfg(unix)]
#[test]
fn a_git_folder_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let path = sandbox.path("repo");
    let repo = two_contents(&path);
    let mode =
        |mode| fs::set_permissions(repo.git_dir(), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o000);
    if fs::read_dir(repo.git_dir()).is_ok() {
        println!("skipped: this user may read everything");
        return;
    }
    let answer = sandbox.import(0, &path, &[]);
    assert_eq!(days(&answer)[0].1, "file-time");
    let ran = sandbox.run(&["import", "kernelbench", "repo", "--history"]);
    assert!(matches!(ran.code, Some(1 | 2)), "{}", ran.err);
    mode(0o755);
}
