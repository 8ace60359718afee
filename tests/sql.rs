//! Every SQL file is one statement that the newest schema takes, and those that run on
//! each import or question find their rows by index.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

/// Tables that grow with every import.
const LARGE: [&str; 4] = ["measurement", "sighting", "cohort", "standing"];

/// Statements that run once for each input, cohort or question.
const HEAVY: [&str; 14] = [
    "queries/standings.sql",
    "queries/cohorts.sql",
    "queries/runs.sql",
    "queries/audit/files.sql",
    "queries/audit/kin_cohorts.sql",
    "queries/audit/places.sql",
    "src/catalog/sql/cohort_runs.sql",
    "src/catalog/sql/hard_runs.sql",
    "src/catalog/sql/hard_setting.sql",
    "src/catalog/sql/run_instants.sql",
    "src/catalog/sql/claims.sql",
    "src/catalog/sql/kin_extremes.sql",
    "src/catalog/sql/workload_runs.sql",
    "src/catalog/sql/product_readings.sql",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn schema() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    let sql = std::fs::read_to_string(root().join("schema.sql")).unwrap();
    connection.execute_batch(&sql).unwrap();
    connection
}

/// Every `.sql` file of a folder and the folders in it.
fn statements(folder: &str) -> Vec<PathBuf> {
    let found: Vec<PathBuf> = walkdir::WalkDir::new(root().join(folder))
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "sql"))
        // Steps between versions are scripts; the test of upgrades runs them.
        .filter(|path| !path.components().any(|part| part.as_os_str() == "steps"))
        .collect();
    assert!(!found.is_empty(), "{folder}");
    found
}

#[test]
fn every_file_is_a_statement_of_the_schema() {
    let connection = schema();
    let mut refused = Vec::new();
    for folder in ["queries", "src"] {
        for path in statements(folder) {
            let sql = std::fs::read_to_string(&path).unwrap();
            let name = path.strip_prefix(root()).unwrap().display();
            if !sql.starts_with("-- ") {
                refused.push(format!("{name}: doesn't begin with what it asks"));
            }
            match connection.prepare(&sql) {
                Ok(statement) if folder == "queries" && !statement.readonly() => {
                    refused.push(format!("{name}: a question that writes"));
                }
                Ok(_) => {}
                Err(error) => refused.push(format!("{name}: {error}")),
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

/// What a statement calls the large tables: their names and aliases.
fn called(sql: &str) -> Vec<String> {
    let code: Vec<&str> = sql
        .lines()
        .map(|line| line.split("--").next().unwrap_or_default())
        .collect();
    let code = code.join(" ");
    let words: Vec<&str> = code
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .collect();
    let mut names: Vec<String> = LARGE.map(str::to_owned).into();
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).copied().unwrap_or_default();
        let alias = if next.eq_ignore_ascii_case("as") {
            words.get(at + 2).copied().unwrap_or_default()
        } else {
            next
        };
        if LARGE.contains(word) && alias.chars().any(char::is_lowercase) {
            names.push(alias.to_owned());
        }
    }
    names
}

/// Steps of a statement's plan that read a large table from end to end, or all of it
/// into an index made for this once.
fn scans(connection: &Connection, sql: &str) -> Vec<String> {
    let names = called(sql);
    let explain = format!("EXPLAIN QUERY PLAN {sql}");
    let mut plan = connection.prepare(&explain).unwrap();
    // Parameters don't matter to a plan; left out they are NULL.
    let steps = plan
        .raw_query()
        .mapped(|row| row.get::<_, String>("detail"));
    steps
        .map(Result::unwrap)
        .filter(|step| {
            let mut words = step.split_whitespace();
            let (how, what) = (words.next(), words.next().unwrap_or_default());
            let whole = how == Some("SCAN") || step.contains(" AUTOMATIC ");
            whole && names.iter().any(|name| name == what)
        })
        .collect()
}

#[test]
fn heavy_statements_find_their_rows_by_index() {
    let connection = schema();
    let mut found = Vec::new();
    for name in HEAVY {
        let sql = std::fs::read_to_string(root().join(name)).unwrap();
        for step in scans(&connection, &sql) {
            found.push(format!("{name}: {step}"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn scans_are_told_from_searches() {
    let connection = schema();
    for (sql, scan) in [
        ("SELECT * FROM measurement", true),
        ("SELECT m.id FROM measurement AS m WHERE m.value > 1", true),
        ("SELECT count(*) FROM sighting si -- all", true),
        ("SELECT * FROM measurement WHERE id = 1", false),
        (
            "SELECT * FROM json_each('[1]') w JOIN cohort c ON c.id = w.value",
            false,
        ),
        ("SELECT * FROM source", false),
    ] {
        assert_eq!(!scans(&connection, sql).is_empty(), scan, "{sql}");
    }
}
