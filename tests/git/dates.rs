//! The commit that first brought the exact bytes dates them.

use serde_json::json;

use super::{EAGER, dated, days, git, history, is_sound, timing};
use crate::repository::Repo;
use crate::sandbox::Sandbox;

const MOVED: &str = "results/timing/L40S_moved/baseline_time_torch.json";
const RENAMED: &str = "results/timing/L40S_moved/baseline_time.json";
const SIDE: &str = "results/timing/A100_lab/baseline_time_torch.json";

#[test]
fn moves_copies_reverts_and_merges_carry_no_date() {
    let sandbox = Sandbox::new();
    let repo = Repo::bare(&sandbox.path("repo"));
    let (a, b) = (timing("1.84"), timing("1.71"));
    let base = repo.on(
        "main",
        &[(EAGER, &a), ("README.md", "x")],
        "2025-01-01T01:30:00+03:00",
    );
    repo.on("main", &[(MOVED, &a)], "2025-02-01T00:00:00Z");
    repo.on("main", &[(RENAMED, &a)], "2025-02-02T00:00:00Z");
    repo.on(
        "main",
        &[(RENAMED, &a), (EAGER, &a)],
        "2025-03-01T00:00:00Z",
    );
    repo.on("main", &[("README.md", "reverted")], "2025-04-01T00:00:00Z");
    repo.on("main", &[(EAGER, &a)], "2025-05-01T00:00:00Z");
    let main = repo.tip("refs/heads/main").unwrap();
    let side = repo.commit_tree(
        repo.tree(&[(EAGER, &a), (SIDE, &b)]),
        &[base],
        "2025-06-01T23:30:00-05:00",
    );
    let merged = repo.commit_tree(
        repo.tree(&[(EAGER, &a), (SIDE, &b)]),
        &[main, side],
        "2025-07-01T00:00:00Z",
    );
    repo.set("refs/heads/main", merged);
    let answer = history(&sandbox, &sandbox.path("repo"), &[]);
    // UTC days of what the author's clock said, not the committer's.
    let expected = [
        (EAGER, "2024-12-31"),
        (RENAMED, "2024-12-31"),
        (MOVED, "2024-12-31"),
        (SIDE, "2025-06-02"),
    ]
    .map(|(path, day)| (path.to_owned(), day.to_owned(), "git".to_owned()));
    assert_eq!(dated(&answer), expected);
    let instants = sandbox.items(
        0,
        &["sql", "SELECT DISTINCT observed_at FROM origin ORDER BY 1"],
    );
    assert_eq!(
        instants,
        [
            json!({"observed_at": "2024-12-31T22:30:00Z"}),
            json!({"observed_at": "2025-06-02T04:30:00Z"})
        ]
    );
    // A second path is the same figures seen again: no run, and nothing to warn of.
    assert_eq!(answer["totals"]["inserted"], 2);
    assert_eq!(answer["totals"]["unchanged"], 2);
    assert_eq!(answer["issues"], json!([]));
    assert_eq!(sandbox.export().lines().count(), 2);
    is_sound(&sandbox);
    let again = history(&sandbox, &sandbox.path("repo"), &[]);
    assert_eq!(again["totals"]["inserted"], 0);
}

#[test]
fn the_earliest_that_head_reaches_wins() {
    let sandbox = Sandbox::new();
    let repo = Repo::bare(&sandbox.path("repo"));
    let a = timing("1.84");
    let base = repo.on("main", &[("README.md", "x")], "2025-01-01T00:00:00Z");
    let early = repo.commit_tree(repo.tree(&[(EAGER, &a)]), &[base], "2025-02-01T00:00:00Z");
    repo.set("refs/heads/other", early);
    let main = repo.on("main", &[(EAGER, &a)], "2025-05-01T00:00:00Z");
    let path = sandbox.path("repo");
    for more in [&[][..], &["--all-branches"], &["--all-refs"]] {
        let answer = history(&sandbox, &path, more);
        assert_eq!(days(&answer), [git("2025-05-01")], "{more:?}");
    }
    // Merged, both lines are HEAD's.
    let tree = repo.tree(&[(EAGER, &a)]);
    let merged = repo.commit_tree(tree, &[main, early], "2025-06-01T00:00:00Z");
    repo.set("refs/heads/main", merged);
    assert_eq!(days(&history(&sandbox, &path, &[])), [git("2025-02-01")]);
    is_sound(&sandbox);
}

#[test]
fn a_history_is_in_the_order_of_dates_then_paths() {
    let sandbox = Sandbox::new();
    let repo = Repo::bare(&sandbox.path("repo"));
    let file = |machine: &str| format!("results/timing/{machine}/baseline_time_torch.json");
    let (x, y, z) = (file("X"), file("Y"), file("Z"));
    // Written out of order, as a rebase leaves them.
    repo.on("main", &[(&z, &timing("3"))], "2025-03-01T00:00:00Z");
    repo.on(
        "main",
        &[(&z, &timing("3")), (&y, &timing("2")), (&x, &timing("2.5"))],
        "2025-01-01T00:00:00Z",
    );
    repo.on("main", &[(&y, &timing("1"))], "2025-02-01T00:00:00Z");
    let answer = history(&sandbox, &sandbox.path("repo"), &["--dry-run"]);
    let order: Vec<(String, String)> = dated(&answer)
        .into_iter()
        .map(|(path, day, _)| (path, day))
        .collect();
    let expected = [
        (x, "2025-01-01"),
        (y.clone(), "2025-01-01"),
        (y, "2025-02-01"),
        (z, "2025-03-01"),
    ]
    .map(|(path, day)| (path, day.to_owned()));
    assert_eq!(order, expected);
    assert!(!sandbox.db().exists());
}

/// A clock that was wrong says nothing about when.
#[test]
fn dates_to_come_and_dates_beyond_calendars_are_no_dates() {
    let sandbox = Sandbox::new();
    for (at, seconds) in [i64::MAX / 2, 253_402_300_800, 32_503_680_000]
        .into_iter()
        .enumerate()
    {
        let path = sandbox.path(&format!("repo{at}"));
        let repo = Repo::bare(&path);
        let tree = repo.tree(&[(EAGER, &timing(&format!("1.{at}5")))]);
        let commit = repo.commit_at(tree, &[], seconds, 0);
        repo.set("refs/heads/main", commit);
        let answer = history(&sandbox, &path, &[]);
        assert_eq!(
            days(&answer),
            [("unknown".to_owned(), "unknown".to_owned())],
            "{seconds}"
        );
    }
    is_sound(&sandbox);
}
