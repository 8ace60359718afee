//! Holds `docs/json/` and the types of the answers together. After a change of a type,
//! `UPDATE_SCHEMAS=1 cargo test schemas` writes the files anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use kidx_queries::{
    audit, export, floors, hardware, history, records, show, sources, speedups, stale,
};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::catalog::verify;
use crate::export::ExportSource;

/// An answer of kidx: an envelope and its items.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes documents, is never made")]
struct Document<T> {
    /// Name and version of this schema.
    schema: String,
    /// Version of kidx that answered.
    kidx: String,
    /// The day as of which the question was asked.
    as_of: Option<String>,
    /// Policies that decided the answer.
    policies: Vec<String>,
    /// How many items there are.
    count: usize,
    /// The answer.
    items: Vec<T>,
}

/// An answer of kidx that says more beside its items.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes documents, is never made")]
struct DocumentBeside<T, B> {
    #[serde(flatten)]
    document: Document<T>,
    #[serde(flatten)]
    beside: B,
}

/// An export of kidx: who published the runs, and the runs.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes documents, is never made")]
struct ExportDocument {
    /// Name and version of this schema.
    schema: String,
    /// Version of kidx that exported.
    kidx: String,
    /// Who published the runs.
    sources: Vec<Publisher>,
    /// The runs, in an order that depends on content alone.
    items: Vec<export::Row>,
}

/// Who published runs, to be named by whoever passes them on.
#[derive(Serialize, JsonSchema)]
struct Publisher {
    /// Short stable name.
    slug: String,
    /// Display name.
    name: String,
    /// Where it is published.
    home: String,
    /// Licence of the data, as its publisher declares it; `null` is unknown.
    data_license: Option<String>,
    /// Whom to name.
    attribution: String,
}

/// A row of a result set: its columns, in the order of the statement.
type ResultRow = Map<String, Value>;

fn schema<T: JsonSchema>(name: &str) -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), json!(name));
    if let Some(property) = schema.pointer_mut("/properties/schema") {
        property["const"] = json!(name);
    }
    let mut text = serde_json::to_string_pretty(&schema).unwrap();
    text.push('\n');
    text
}

/// The files, by name: `kidx/db-info/1` is `db-info.json`.
fn schemas() -> BTreeMap<String, String> {
    let schemas = [
        (
            "acknowledge",
            schema::<Document<super::acknowledge::Answer>> as fn(&str) -> String,
        ),
        (
            "audit",
            schema::<DocumentBeside<audit::Finding, audit::Beside>>,
        ),
        (
            "audit-rules",
            schema::<Document<kidx_queries::policy::audit::Rule>>,
        ),
        ("db-info", schema::<Document<super::db::Answer>>),
        ("export", schema::<ExportDocument>),
        ("floors", schema::<Document<floors::Answer>>),
        ("hardware", schema::<Document<hardware::Product>>),
        (
            "hardware-peaks",
            schema::<Document<crate::catalog::peaks::Given>>,
        ),
        (
            "history",
            schema::<DocumentBeside<history::Step, history::Beside>>,
        ),
        ("import", schema::<Document<super::import::Answer>>),
        ("inspect", schema::<Document<super::inspect::Answer>>),
        ("score", schema::<Document<super::score::Answer>>),
        (
            "mapping-check",
            schema::<DocumentBeside<super::mapping::Row, super::mapping::Beside>>,
        ),
        ("records", schema::<Document<records::Record>>),
        ("retract", schema::<Document<super::retract::Answer>>),
        ("show", schema::<Document<show::Page>>),
        ("sources", schema::<Document<sources::Source>>),
        (
            "speedups",
            schema::<DocumentBeside<speedups::Comparison, speedups::Beside>>,
        ),
        ("sql", schema::<Document<ResultRow>>),
        ("stale", schema::<Document<stale::Stale>>),
        ("verify", schema::<Document<verify::Report>>),
    ];
    schemas
        .into_iter()
        .map(|(command, schema)| {
            (
                format!("{command}.json"),
                schema(&format!("kidx/{command}/1")),
            )
        })
        .collect()
}

#[test]
fn documents_are_as_the_schemas_say() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/json");
    let expected = schemas();
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in &expected {
            fs::write(folder.join(name), text).unwrap();
        }
    }
    let found: BTreeMap<String, String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    for (name, text) in &expected {
        assert!(
            found.get(name) == Some(text),
            "docs/json/{name} isn't the schema of its type; UPDATE_SCHEMAS=1 writes it"
        );
    }
    assert!(
        found.keys().eq(expected.keys()),
        "a schema without a command"
    );
}

#[test]
fn publishers_are_described_as_they_are_written() {
    let written = ExportSource {
        slug: "a".to_owned(),
        name: "b".to_owned(),
        home: "c".to_owned(),
        data_license: None,
        attribution: "d".to_owned(),
    };
    let described = Publisher {
        slug: "a".to_owned(),
        name: "b".to_owned(),
        home: "c".to_owned(),
        data_license: None,
        attribution: "d".to_owned(),
    };
    assert_eq!(
        serde_json::to_value(written).unwrap(),
        serde_json::to_value(described).unwrap()
    );
}
