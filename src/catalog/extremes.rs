//! Whether a new figure leaves all doubts as they are. The largest and the smallest figure
//! of each problem and workload are kept in memory over the inputs of one command: while
//! they lie close together and nothing is doubted, no doubt can arise, and nobody needs to
//! look at the other runs.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use kidx_queries::policy::doubt::{shape, unit};
use rusqlite::{Connection, named_params};

use super::{doubts, hard};
use crate::error::Result;
use kidx_queries::hash::{Map, Set};

/// What is remembered of figures, filled family by family.
#[derive(Default)]
pub struct Extremes {
    settings: Map<i64, Setting>,
    /// Families by name, each with its number.
    kins: Map<String, usize>,
    /// Of a problem, by its hash, on a product; in any version, environment, configuration.
    units: Map<(u64, i64), Range>,
    /// Of a workload on a product by an implementation.
    shapes: Map<(i64, i64, i64), Range>,
    /// Workloads on the products of a family where some shape could be doubted.
    unfitting: Set<(i64, usize)>,
    /// Products and workloads of which something is doubted.
    doubted: Option<(HashSet<i64>, HashSet<i64>)>,
}

/// What a cohort's figures are held against.
#[derive(Clone, Copy)]
struct Setting {
    /// Hash of suite, level and file; two problems of one hash are looked at too often.
    problem: u64,
    product: i64,
    kin: usize,
    workload: i64,
    shapes_inferred: bool,
    inputs_ps: Option<f64>,
    /// Below this, the time itself is doubted.
    hard_ps: Option<i64>,
}

#[derive(Clone, Copy)]
struct Range {
    smallest: i64,
    largest: i64,
}

impl Range {
    fn widen(&mut self, by: Self) -> Self {
        self.smallest = self.smallest.min(by.smallest);
        self.largest = self.largest.max(by.largest);
        *self
    }

    /// Whether no two figures in it differ by `factor`.
    fn within(self, factor: f64) -> bool {
        self.smallest > 0 && self.largest as f64 / (self.smallest as f64) < factor
    }
}

impl Extremes {
    /// Takes in a figure that is in the file by now. Returns whether it and all that it is
    /// held against lie so close together that no doubt can arise, and none is there.
    pub fn fits(
        &mut self,
        connection: &Connection,
        cohort: i64,
        implementation: i64,
        value: i64,
    ) -> Result<bool> {
        let setting = self.setting(connection, cohort)?;
        let range = Range {
            smallest: value,
            largest: value,
        };
        let fits = self.widen(&setting, implementation, range);
        let (products, workloads) = match &mut self.doubted {
            Some(doubted) => doubted,
            doubted => doubted.insert(doubts::subjects(connection)?),
        };
        // A time below the floor says nothing about others.
        Ok(fits
            && setting.hard_ps.is_none_or(|hard| value >= hard)
            && !products.contains(&setting.product)
            && !(setting.shapes_inferred
                && (workloads.contains(&setting.workload)
                    || self.unfitting.contains(&(setting.workload, setting.kin)))))
    }

    /// Doubts were derived anew.
    pub fn forget_doubts(&mut self) {
        self.doubted = None;
    }

    /// Returns whether the figures of the problem are in one unit.
    fn widen(&mut self, setting: &Setting, implementation: i64, by: Range) -> bool {
        let key = (setting.problem, setting.product);
        let problem = self.units.entry(key).or_insert(by).widen(by);
        if setting.shapes_inferred {
            let key = (setting.workload, setting.product, implementation);
            let own = self.shapes.entry(key).or_insert(by).widen(by);
            let above = setting
                .inputs_ps
                .is_none_or(|inputs| own.smallest as f64 > inputs);
            if !above || !own.within(shape::OFF) {
                self.unfitting.insert((setting.workload, setting.kin));
            }
        }
        problem.within(unit::DISAGREE)
    }

    fn setting(&mut self, connection: &Connection, cohort: i64) -> Result<Setting> {
        if let Some(known) = self.settings.get(&cohort) {
            return Ok(*known);
        }
        let (setting, kin) = self.read_setting(connection, cohort)?;
        if setting.kin == self.kins.len() {
            self.kins.insert(kin.clone(), setting.kin);
            self.load(connection, &kin)?;
        }
        self.settings.insert(cohort, setting);
        Ok(setting)
    }

    /// A cohort's setting and the name of its family; a new family gets the next number.
    fn read_setting(&self, connection: &Connection, cohort: i64) -> Result<(Setting, String)> {
        let mut statement = connection.prepare_cached(include_str!("sql/cohort_setting.sql"))?;
        let hard_ps = hard::limit_ps(connection, cohort)?;
        Ok(
            statement.query_row(named_params! {":cohort": cohort}, |row| {
                let mut problem = DefaultHasher::new();
                for at in 0..3 {
                    row.get_ref(at)?
                        .as_str()
                        .unwrap_or_default()
                        .hash(&mut problem);
                }
                let kin: String = row.get(6)?;
                Ok((
                    Setting {
                        problem: problem.finish(),
                        shapes_inferred: row.get(3)?,
                        workload: row.get(4)?,
                        product: row.get(5)?,
                        kin: self.kins.get(&kin).copied().unwrap_or(self.kins.len()),
                        inputs_ps: row.get(7)?,
                        hard_ps,
                    },
                    kin,
                ))
            })?,
        )
    }

    /// Takes in all that the file has on the products of a family.
    fn load(&mut self, connection: &Connection, kin: &str) -> Result<()> {
        let mut statement = connection.prepare_cached(include_str!("sql/kin_extremes.sql"))?;
        let mut rows = statement.query(named_params! {":kin": kin})?;
        while let Some(row) = rows.next()? {
            let setting = self.setting(connection, row.get("cohort_id")?)?;
            let range = Range {
                smallest: row.get("smallest")?,
                largest: row.get("largest")?,
            };
            self.widen(&setting, row.get("implementation_id")?, range);
        }
        Ok(())
    }
}
