//! Every run as one flat row, in an order and with content that depend on what the file
//! holds, never on the order of imports, the machine or the day.

mod evidence;
mod row;

use std::collections::HashMap;

use chrono::NaiveDate;
use rusqlite::{Connection, named_params};

use crate::age;
use crate::cohorts::{self, Cohort, Standing};
use crate::entities::Run;
use crate::error::{Error, Result};
use crate::filter::Selection;
use crate::rows;
use crate::view::View;
pub use evidence::Sighting;
pub use row::{AGE_COLUMNS, Aged, COLUMNS, PROVENANCE_COLUMNS, Row};

/// Cohorts held in memory at once, unless one operation has more on one product.
const CHUNK: usize = 256;

/// Options of the question.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Leave out what was observed later, and say how old the rest was on this day.
    pub as_of: Option<NaiveDate>,
    /// Leave out what the file learned later than this instant.
    pub known_at: Option<String>,
    /// Add what differs by machine: locations and instants of learning.
    pub provenance: bool,
    /// Also runs whose figures may not be passed on.
    pub restricted: bool,
}

impl Options {
    /// Without a day everything counts, so that the answer doesn't depend on today.
    fn view(&self) -> View {
        let last = NaiveDate::from_ymd_opt(9999, 12, 31).unwrap_or_default();
        View {
            as_of: self.as_of.unwrap_or(last),
            known_at: self.known_at.clone(),
        }
    }
}

/// Who published what an export holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Short stable name.
    pub slug: String,
    /// Display name.
    pub name: String,
    /// Where it is published.
    pub home: String,
    /// The publisher's own text of the data licence.
    pub data_license: Option<String>,
    /// Whom to name.
    pub attribution: String,
    /// Whether figures may be passed on; `None` is unknown.
    pub redistribution: Option<bool>,
}

/// An export about to be read: which cohorts, and who published their runs.
#[derive(Debug)]
pub struct Export {
    order: Vec<Placed>,
    sources: Vec<Source>,
    selection: Selection,
    options: Options,
}

/// A cohort in its order; those of one operation on one product share a part.
#[derive(Debug, Clone, Copy)]
struct Placed {
    id: i64,
    part: usize,
}

impl Export {
    /// Finds the cohorts of a selection and who published their runs.
    pub fn prepare(
        connection: &Connection,
        selection: Selection,
        options: Options,
    ) -> Result<Self> {
        let cohorts = rows::json_array(&selection.cohorts(connection)?);
        Ok(Self {
            order: order(connection, &cohorts)?,
            sources: publishers(connection, &cohorts)?,
            selection,
            options,
        })
    }

    /// Who published runs of these cohorts, by slug.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Hands over each row, ordered by operation, product, implementation, observation
    /// and digest, with only a part of the file in memory at once. Returns how many
    /// runs were left out because their figures may not be passed on.
    pub fn rows<E: From<Error>>(
        &self,
        connection: &Connection,
        mut each: impl FnMut(Row) -> std::result::Result<(), E>,
    ) -> std::result::Result<u64, E> {
        let view = self.options.view();
        let ages = age::Sources::load(connection, &view)?;
        let mut left_out = 0;
        let mut rest = &self.order[..];
        while !rest.is_empty() {
            let (chunk, later) = rest.split_at(chunk_length(rest));
            rest = later;
            for row in self.chunk(connection, chunk, &view, &ages, &mut left_out)? {
                each(row)?;
            }
        }
        Ok(left_out)
    }

    fn chunk(
        &self,
        connection: &Connection,
        chunk: &[Placed],
        view: &View,
        ages: &age::Sources,
        left_out: &mut u64,
    ) -> Result<Vec<Row>> {
        let ids: Vec<i64> = chunk.iter().map(|placed| placed.id).collect();
        let parts: HashMap<i64, usize> = chunk.iter().map(|c| (c.id, c.part)).collect();
        let mut cohorts = cohorts::load(connection, &ids)?;
        let mut runs: HashMap<i64, Vec<Run>> = HashMap::new();
        for run in cohorts::runs_under(connection, &ids, view, &cohorts)? {
            runs.entry(run.cohort_id).or_default().push(run);
        }
        let all: Vec<i64> = runs.values().flatten().map(|run| run.id).collect();
        let mut evidence = evidence::load(connection, &all, &self.options)?;
        let mut rows = Vec::with_capacity(all.len());
        for cohort in &mut cohorts {
            let runs = runs.remove(&cohort.id).unwrap_or_default();
            cohort.standings = standings(&runs);
            for run in runs {
                let place = place(cohort, run);
                if !self.selection.takes(&place.standing.run) {
                    continue;
                }
                let run = &place.standing.run;
                let source = self.publisher(&run.source)?;
                let evidence = evidence.remove(&run.id).unwrap_or_default();
                if evidence.redistribution(source) == Some(false) && !self.options.restricted {
                    *left_out += 1;
                    continue;
                }
                let on_the_day = self.options.as_of.map(|day| Aged {
                    as_of: day.to_string(),
                    age: ages.age(view, run, cohort, None),
                });
                let key = (
                    parts.get(&cohort.id).copied(),
                    run.implementation.name.clone(),
                    run.implementation.digest.clone(),
                    run.observed.as_ref().map(|(at, _)| at.clone()),
                    run.digest.clone(),
                );
                rows.push((key, row::row(cohort, &place, source, evidence, on_the_day)));
            }
        }
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }

    fn publisher(&self, slug: &str) -> Result<&Source> {
        self.sources
            .iter()
            .find(|source| source.slug == slug)
            .ok_or_else(|| Error::Damaged(format!("a run of an unknown source `{slug}`")))
    }
}

/// A run with its place in its cohort.
struct Place {
    /// Rank and tie mean something only for a run that stands.
    standing: Standing,
    /// Whether it stands.
    stands: bool,
    /// Whether it could stand, and another run of its implementation does.
    superseded: bool,
}

fn standings(runs: &[Run]) -> Vec<Standing> {
    let eligible = runs
        .iter()
        .filter(|run| cohorts::reasons(run, false).is_empty());
    cohorts::rank(eligible.cloned().collect())
}

fn place(cohort: &Cohort, run: Run) -> Place {
    let own = cohort
        .standings
        .iter()
        .find(|standing| standing.run.id == run.id);
    Place {
        stands: own.is_some(),
        superseded: own.is_none() && cohorts::reasons(&run, false).is_empty(),
        standing: Standing {
            rank: own.map_or(0, |own| own.rank),
            tied: own.is_some_and(|own| own.tied),
            run,
        },
    }
}

/// Whole parts, up to [`CHUNK`] cohorts where one part isn't larger already.
fn chunk_length(rest: &[Placed]) -> usize {
    let Some(next) = rest.get(CHUNK) else {
        return rest.len();
    };
    let before = rest[..CHUNK].partition_point(|placed| placed.part < next.part);
    if before > 0 {
        before
    } else {
        rest.partition_point(|placed| placed.part <= next.part)
    }
}

fn order(connection: &Connection, cohorts: &str) -> Result<Vec<Placed>> {
    let mut statement = connection.prepare_cached(include_str!("export/order.sql"))?;
    let mut rows = statement.query(named_params! {":cohorts": cohorts})?;
    let mut order = Vec::new();
    let mut part = 0;
    let mut current: Option<String> = None;
    while let Some(row) = rows.next()? {
        let name: String = row.get("part")?;
        if current.as_ref().is_some_and(|current| *current != name) {
            part += 1;
        }
        current = Some(name);
        order.push(Placed {
            id: row.get("id")?,
            part,
        });
    }
    Ok(order)
}

fn publishers(connection: &Connection, cohorts: &str) -> Result<Vec<Source>> {
    let mut statement = connection.prepare_cached(include_str!("export/sources.sql"))?;
    let sources = statement.query_map(named_params! {":cohorts": cohorts}, |row| {
        Ok(Source {
            slug: row.get("slug")?,
            name: row.get("name")?,
            home: row.get("home")?,
            data_license: row.get("data_license")?,
            attribution: row.get("attribution")?,
            redistribution: row.get("redistribution")?,
        })
    })?;
    Ok(sources.collect::<rusqlite::Result<_>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_hold_whole_parts() {
        let parts = |sizes: &[usize]| -> Vec<Placed> {
            let sized = sizes.iter().enumerate();
            sized
                .flat_map(|(part, &size)| std::iter::repeat_n(Placed { id: 0, part }, size))
                .collect()
        };
        for (sizes, length) in [
            (&[3][..], 3),
            (&[CHUNK], CHUNK),
            (&[CHUNK + 9, 1], CHUNK + 9),
            (&[200, 100], 200),
            (&[200, 56, 1], CHUNK),
            (&[200, 56], CHUNK),
            (&[1, 2, 600, 4], 3),
        ] {
            assert_eq!(chunk_length(&parts(sizes)), length, "{sizes:?}");
        }
    }
}
