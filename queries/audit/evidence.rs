//! Where found runs are written, and what was let stand.

use std::collections::HashMap;

use rusqlite::{Connection, named_params};

use super::board::Board;
use super::{Acknowledged, Draft, Place};
use crate::error::Result;
use crate::policy::audit::Code;
use crate::rows;
use crate::view::View;

pub(super) struct Evidence {
    places: HashMap<i64, Place>,
    events: HashMap<i64, Vec<(String, Acknowledged)>>,
}

impl Evidence {
    /// Of the runs of some findings.
    pub(super) fn load(
        connection: &Connection,
        board: &Board,
        drafts: &[Draft],
        view: &View,
    ) -> Result<Self> {
        let mut ids: Vec<i64> = drafts.iter().map(|draft| board.run(draft.at).id).collect();
        ids.sort_unstable();
        ids.dedup();
        Ok(Self {
            places: places(connection, &ids, view)?,
            events: events(connection, view)?,
        })
    }

    /// A place that states a run.
    pub(super) fn place(&self, run: i64) -> Option<Place> {
        self.places.get(&run).cloned()
    }

    /// Who let a finding of a rule stand, the first of them.
    pub(super) fn acknowledged(&self, run: i64, code: Code) -> Option<Acknowledged> {
        self.events
            .get(&run)?
            .iter()
            .find(|(rule, _)| rule == "*" || *rule == code.as_str())
            .map(|(_, acknowledged)| acknowledged.clone())
    }
}

fn places(connection: &Connection, ids: &[i64], view: &View) -> Result<HashMap<i64, Place>> {
    let mut statement = connection.prepare_cached(include_str!("places.sql"))?;
    let mut rows = statement.query(named_params! {
        ":runs": rows::json_array(ids),
        ":known_at": view.known_at,
    })?;
    let mut places = HashMap::new();
    while let Some(row) = rows.next()? {
        // The first in an order that doesn't depend on which import came first.
        places.entry(row.get("measurement_id")?).or_insert(Place {
            snapshot: row.get("snapshot")?,
            folder: row.get("folder")?,
            file: row.get("file")?,
            pointer: row.get("pointer")?,
            line: row.get("line")?,
        });
    }
    Ok(places)
}

fn events(
    connection: &Connection,
    view: &View,
) -> Result<HashMap<i64, Vec<(String, Acknowledged)>>> {
    let mut statement = connection.prepare_cached(include_str!("acknowledged.sql"))?;
    let mut rows = statement.query(named_params! {":known_at": view.known_at})?;
    let mut events: HashMap<i64, Vec<(String, Acknowledged)>> = HashMap::new();
    while let Some(row) = rows.next()? {
        events.entry(row.get("measurement_id")?).or_default().push((
            row.get("rule")?,
            Acknowledged {
                reason: row.get("reason")?,
                at: row.get("at")?,
            },
        ));
    }
    Ok(events)
}
