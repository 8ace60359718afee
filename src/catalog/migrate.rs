//! Schema versions. `schema.sql` is always the newest; `STEPS` bring older files to it.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::open::APPLICATION_ID;
use super::{anew, reference};
use crate::error::{Error, Result};

/// The newest schema, for new files.
const SCHEMA: &str = include_str!("../../schema.sql");

/// What turns version `n + 1` into version `n + 2`, by position: the first entry
/// upgrades version 1. A step begins with the reason for the change.
const STEPS: &[Step] = &[
    Step {
        sql: include_str!("sql/steps/2.sql"),
        then: Some(read_again),
    },
    Step {
        sql: include_str!("sql/steps/3.sql"),
        then: None,
    },
];

/// One step: tables first, then what SQL can't do.
#[derive(Clone, Copy)]
struct Step {
    sql: &'static str,
    then: Option<Fill>,
}

/// The version `schema.sql` describes.
pub const LATEST: i32 = 3;

/// Brings an empty or older file to [`LATEST`], all or nothing.
pub fn migrate(connection: &mut Connection, version: i32) -> Result<()> {
    run(connection, version, SCHEMA, STEPS, reference::fill)
}

/// Takes everything in again under the reference data of today.
fn read_again(transaction: &Transaction<'_>) -> Result<()> {
    reference::fill(transaction)?;
    anew::take_all(transaction)
}

/// Fills a new file in the transaction that makes it.
type Fill = fn(&Transaction<'_>) -> Result<()>;

/// The machinery, apart from this program's own list so that it can be tested.
fn run(
    connection: &mut Connection,
    version: i32,
    schema: &str,
    steps: &[Step],
    fill: Fill,
) -> Result<()> {
    let latest = 1 + i32::try_from(steps.len())
        .map_err(|_| Error::failed("more schema versions than fit a number"))?;
    if version == latest {
        return Ok(());
    }
    // Foreign keys can't be switched inside a transaction; tables are rebuilt without
    // them and checked as a whole before the commit.
    connection.pragma_update(None, "foreign_keys", false)?;
    let outcome = upgrade(connection, version, latest, (schema, fill), steps);
    connection.pragma_update(None, "foreign_keys", true)?;
    outcome
}

fn upgrade(
    connection: &mut Connection,
    version: i32,
    latest: i32,
    (schema, fill): (&str, Fill),
    steps: &[Step],
) -> Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done it while this one waited for the lock.
    let now: i32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if now != version {
        return if now == latest {
            Ok(())
        } else {
            Err(Error::failed("another process is changing the schema")
                .hint("try again when it is done"))
        };
    }
    if version == 0 {
        transaction.execute_batch(schema)?;
        fill(&transaction)?;
    } else {
        let done = usize::try_from(version - 1).unwrap_or(steps.len());
        for step in steps.iter().skip(done) {
            transaction.execute_batch(step.sql)?;
            if let Some(then) = step.then {
                then(&transaction)?;
            }
        }
    }
    check_foreign_keys(&transaction)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", latest)?;
    transaction.commit()?;
    Ok(())
}

fn check_foreign_keys(transaction: &Transaction<'_>) -> Result<()> {
    let broken: i64 =
        transaction.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| {
            row.get(0)
        })?;
    if broken > 0 {
        return Err(Error::failed(format!(
            "upgrading the schema would break {broken} references; nothing was changed"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const V1: &str = "CREATE TABLE a (x INTEGER) STRICT;";
    const V3: &str = "CREATE TABLE a (x INTEGER, y TEXT) STRICT; CREATE TABLE b (z TEXT) STRICT;";
    const STEPS: &[Step] = &[
        sql("ALTER TABLE a ADD COLUMN y TEXT;"),
        sql("CREATE TABLE b (z TEXT) STRICT;"),
    ];

    const fn sql(sql: &'static str) -> Step {
        Step { sql, then: None }
    }

    #[expect(clippy::unnecessary_wraps, reason = "of the type that a fill has")]
    fn nothing(_: &Transaction<'_>) -> Result<()> {
        Ok(())
    }

    fn version(connection: &Connection) -> i32 {
        connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap()
    }

    fn columns(connection: &Connection) -> Vec<String> {
        connection
            .prepare(
                "SELECT t.name || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c
                 WHERE t.type = 'table' ORDER BY 1",
            )
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(|name| name.unwrap())
            .collect()
    }

    #[test]
    fn every_earlier_version_reaches_the_same_schema() {
        let mut fresh = Connection::open_in_memory().unwrap();
        run(&mut fresh, 0, V3, STEPS, nothing).unwrap();
        for earlier in 1..=3 {
            let mut old = Connection::open_in_memory().unwrap();
            let steps = &STEPS[..earlier - 1];
            run(&mut old, 0, V1, &[], nothing).unwrap();
            if earlier > 1 {
                run(&mut old, 1, V1, steps, nothing).unwrap();
            }
            assert_eq!(version(&old), i32::try_from(earlier).unwrap());
            let from = version(&old);
            run(&mut old, from, V3, STEPS, nothing).unwrap();
            assert_eq!(columns(&old), columns(&fresh), "from version {earlier}");
            assert_eq!(version(&old), 3);
        }
    }

    #[test]
    fn a_failing_step_changes_nothing() {
        let mut old = Connection::open_in_memory().unwrap();
        run(&mut old, 0, V1, &[], nothing).unwrap();
        let before = columns(&old);
        let broken = &[sql(
            "ALTER TABLE a ADD COLUMN y TEXT; SELECT nonsense FROM nowhere;",
        )];
        assert!(run(&mut old, 1, V3, broken, nothing).is_err());
        assert_eq!(columns(&old), before);
        assert_eq!(version(&old), 1);
    }

    #[test]
    fn a_step_that_breaks_references_is_refused() {
        let schema = "CREATE TABLE p (id INTEGER PRIMARY KEY) STRICT;
                      CREATE TABLE c (p INTEGER REFERENCES p (id)) STRICT;
                      INSERT INTO p VALUES (1); INSERT INTO c VALUES (1);";
        let mut old = Connection::open_in_memory().unwrap();
        run(&mut old, 0, schema, &[], nothing).unwrap();
        assert!(run(&mut old, 1, schema, &[sql("DELETE FROM p;")], nothing).is_err());
        let left: i64 = old
            .query_row("SELECT count(*) FROM p", [], |row| row.get(0))
            .unwrap();
        assert_eq!(left, 1);
    }

    /// Frozen: what files of the first version hold.
    const FIRST: &str = include_str!("../../tests/fixtures/schema/v1.sql");

    /// Every table, index and view as it is declared, blanks and comments aside.
    fn declared(connection: &Connection) -> Vec<String> {
        connection
            .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name")
            .unwrap()
            .query_map([], |row| row.get::<_, String>(0))
            .unwrap()
            .map(|sql| {
                let bare: Vec<String> = sql
                    .unwrap()
                    .lines()
                    .map(|line| line.split("--").next().unwrap_or_default().replace('"', ""))
                    .collect();
                bare.concat().split_whitespace().collect::<String>()
            })
            .collect()
    }

    /// A change of `schema.sql` without a step for files that exist already shows here.
    #[test]
    fn files_of_the_first_version_become_as_new_ones() {
        let mut fresh = Connection::open_in_memory().unwrap();
        migrate(&mut fresh, 0).unwrap();
        assert_eq!(version(&fresh), LATEST);
        assert_eq!(usize::try_from(LATEST), Ok(1 + super::STEPS.len()));
        let mut old = Connection::open_in_memory().unwrap();
        old.execute_batch(FIRST).unwrap();
        old.pragma_update(None, "user_version", 1).unwrap();
        migrate(&mut old, 1).unwrap();
        assert_eq!(version(&old), LATEST);
        assert_eq!(declared(&old), declared(&fresh));
    }

    /// The schema teaches the data model, so each column says what it is.
    #[test]
    fn every_table_and_column_is_explained() {
        let mut previous = "";
        let mut inside = false;
        for line in SCHEMA.lines() {
            if line.starts_with("CREATE TABLE") || line.starts_with("CREATE VIEW") {
                assert!(previous.starts_with("--"), "no comment above: {line}");
                inside = line.starts_with("CREATE TABLE");
            } else if line.starts_with(')') {
                inside = false;
            } else if inside {
                let word = line.trim_start().split(' ').next().unwrap_or_default();
                if word
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
                    && !word.is_empty()
                {
                    let explained = line.contains("--") || {
                        let next = SCHEMA.lines().skip_while(|l| *l != line).nth(1);
                        next.is_some_and(|l| l.contains("--") && l.starts_with("        "))
                    };
                    assert!(explained, "no comment beside: {line}");
                }
            }
            previous = line;
        }
    }
}
