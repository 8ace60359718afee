//! Rules about files: which hardware their folder and their records name.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::{Connection, named_params};

use super::board::Board;
use super::{Draft, Reach, Seen};
use crate::error::Result;
use crate::policy::audit::Code;
use crate::policy::audit::folder::{self, Spellings};
use crate::units;
use crate::view::View;

/// The records of a reading on one product.
struct Part {
    product_id: i64,
    product: String,
    family: String,
    records: i64,
    run: i64,
}

/// A reading.
struct File {
    id: i64,
    snapshot: String,
    folder: Option<String>,
    parts: Vec<Part>,
}

pub(super) fn drafts(connection: &Connection, board: &Board, view: &View) -> Result<Vec<Draft>> {
    let places: HashMap<i64, (usize, usize)> =
        board.runs().map(|(at, _, run)| (run.id, at)).collect();
    let spellings = spellings(connection)?;
    let mut drafts = Vec::new();
    // The same bytes under two names are found once a rule and a run.
    let mut seen = BTreeSet::new();
    for file in files(connection, view)? {
        let found = mixed(&file).into_iter().chain(elsewhere(&file, &spellings));
        for (code, part, saw, against, reach) in found {
            let Some(at) = places.get(&part.run) else {
                continue;
            };
            if seen.insert((code, file.snapshot.clone(), part.run)) {
                drafts.push(Draft {
                    code,
                    at: *at,
                    saw,
                    against,
                    factor: None,
                    reach,
                });
            }
        }
    }
    Ok(drafts)
}

type Found<'a> = (Code, &'a Part, Seen, Seen, Reach);

fn counted(part: &Part) -> Seen {
    let records = u64::try_from(part.records).unwrap_or_default();
    Seen {
        value: Some(part.records.into()),
        unit: "runs",
        ..Seen::words(
            format!("device of {}", units::counted(records, "record")),
            &part.product,
        )
    }
}

/// The product that the fewest records name beside the one that the most do.
fn mixed(file: &File) -> Option<Found<'_>> {
    let fewest = file
        .parts
        .iter()
        .min_by_key(|part| (part.records, &part.product))?;
    let most = file
        .parts
        .iter()
        .max_by_key(|part| (part.records, &part.product))?;
    (fewest.product_id != most.product_id).then(|| {
        let reach = Reach::Reading(file.id, None);
        (
            Code::MixedHardware,
            fewest,
            counted(fewest),
            counted(most),
            reach,
        )
    })
}

/// The parts on another family than the folder is named after.
fn elsewhere<'a>(file: &'a File, spellings: &Spellings) -> Vec<Found<'a>> {
    let Some(folder) = file.folder.as_deref() else {
        return Vec::new();
    };
    let Some(family) = folder::family(folder, spellings) else {
        return Vec::new();
    };
    file.parts
        .iter()
        .filter(|part| part.family != family)
        .map(|part| {
            let against = Seen::words("folder", folder);
            let reach = Reach::Reading(file.id, Some(part.product_id));
            (Code::FolderDisagrees, part, counted(part), against, reach)
        })
        .collect()
}

fn files(connection: &Connection, view: &View) -> Result<Vec<File>> {
    let mut statement = connection.prepare_cached(include_str!("files.sql"))?;
    let mut rows = statement.query(named_params! {":known_at": view.known_at})?;
    let mut files: BTreeMap<i64, File> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let id = row.get("reading_id")?;
        let file = files.entry(id).or_insert(File {
            id,
            snapshot: row.get("snapshot")?,
            folder: row.get("folder")?,
            parts: Vec::new(),
        });
        file.parts.push(Part {
            product_id: row.get("hardware_id")?,
            product: row.get("product")?,
            family: row.get("family")?,
            records: row.get("records")?,
            run: row.get("run")?,
        });
    }
    let mut files: Vec<File> = files.into_values().collect();
    // Rows are numbered as files came; answers must not depend on that.
    files.sort_by(|a, b| (&a.snapshot, &a.folder).cmp(&(&b.snapshot, &b.folder)));
    Ok(files)
}

fn spellings(connection: &Connection) -> Result<Spellings> {
    let mut statement = connection.prepare_cached(include_str!("spellings.sql"))?;
    let rows = statement.query_map([], |row| Ok((row.get("spelling")?, row.get("family")?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
