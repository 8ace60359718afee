//! Runs below the `hard` floor of roofline-v2: faster than any correct kernel. It follows
//! from the run, its workload and its product alone.

use std::collections::{BTreeMap, BTreeSet};

use kidx_queries::policy::audit::Code;
use kidx_queries::policy::roofline::{self, Confidence, Hardware, Judged, Known};
use kidx_queries::policy::work::{self, Work};
use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::doubts::Doubt;
use crate::error::Result;

/// Code of the doubt.
pub const CODE: &str = Code::BelowHard.as_str();

/// The time at or above which no run of a cohort is doubted, where that can be said.
pub fn limit_ps(connection: &Connection, cohort: i64) -> Result<Option<i64>> {
    Ok(Setting::load(connection, cohort)?.and_then(|setting| setting.known()?.hard_ps()))
}

/// What is to be doubted of the runs of some cohorts, and what isn't.
pub fn doubts(
    connection: &Connection,
    cohorts: &BTreeSet<i64>,
) -> Result<BTreeMap<i64, Option<Doubt>>> {
    let mut found = BTreeMap::new();
    for cohort in cohorts {
        let Some(setting) = Setting::load(connection, *cohort)? else {
            continue;
        };
        let Some(known) = setting.known() else {
            continue;
        };
        let limit_ps = known.hard_ps().unwrap_or_default();
        let mut statement = connection.prepare_cached(include_str!("sql/hard_runs.sql"))?;
        let mut rows = statement.query(named_params! {
            ":cohort": cohort,
            ":limit": limit_ps,
            ":code": CODE,
        })?;
        while let Some(row) = rows.next()? {
            let run = Judged {
                value: row.get("value")?,
                resolution: row.get("resolution")?,
                samples: row.get("samples")?,
            };
            let factor = (run.value < limit_ps)
                .then(|| roofline::judge(&known, run))
                .and_then(|floor| roofline::below_hard(&floor, run.value));
            let doubt = factor.map(|factor| {
                let against = "the time that no correct kernel beats there";
                (factor, against.to_owned())
            });
            found.insert(row.get("id")?, doubt);
        }
    }
    Ok(found)
}

/// What bears on the floors of a cohort's runs.
struct Setting {
    /// What the module moves and computes, where it was followed.
    work: Option<Work>,
    input_bytes: Option<i64>,
    dtype: Option<String>,
    cache: Option<String>,
    product: String,
    /// Everything of the product but its name.
    peaks: Hardware<'static>,
}

impl Setting {
    fn load(connection: &Connection, cohort: i64) -> Result<Option<Self>> {
        let mut statement = connection.prepare_cached(include_str!("sql/hard_setting.sql"))?;
        let found = statement
            .query_row(named_params! {":cohort": cohort}, |row| {
                let work: Option<String> = row.get("work")?;
                Ok((Self::from_row(row)?, work))
            })
            .optional()?;
        let Some((mut setting, work)) = found else {
            return Ok(None);
        };
        setting.work = work.as_deref().map(Work::parse).transpose()?;
        Ok(Some(setting))
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            work: None,
            input_bytes: row.get("input_bytes")?,
            dtype: row.get("dtype")?,
            cache: row.get("cache")?,
            product: row.get("product")?,
            peaks: Hardware {
                id: "",
                bandwidth_gbs: row.get("bandwidth_gbs")?,
                fp64: row.get("fp64")?,
                fp64_tensor: row.get("fp64_tensor")?,
                fp32: row.get("fp32")?,
                tf32: row.get("tf32_tensor")?,
                fp16: row.get("fp16_tensor")?,
                bf16: row.get("bf16_tensor")?,
                fp8: row.get("fp8_tensor")?,
                int8: row.get("int8_tensor")?,
                fp4: row.get("fp4_tensor")?,
                l2_mib: row.get("l2_mib")?,
                last_level_mib: row.get("llc_mib")?,
                clock_ceiling: roofline::clock_ceiling(
                    row.get::<_, Option<String>>("capability")?
                        .as_deref()
                        .unwrap_or_default(),
                    row.get("units")?,
                    row.get("boost_mhz")?,
                    row.get("fp16_tensor")?,
                ),
                confidence: row
                    .get::<_, Option<String>>("confidence")?
                    .as_deref()
                    .and_then(Confidence::named),
                // What a user gave moves no record.
                given: None,
            },
        })
    }

    fn known(&self) -> Option<Known<'_>> {
        Some(Known {
            work: match &self.work {
                Some(work) => work.for_floors(),
                None => work::inputs_only(self.input_bytes, self.dtype.as_deref())?,
            },
            hardware: Hardware {
                id: &self.product,
                ..self.peaks
            },
            cache: self.cache.as_deref(),
        })
    }
}
