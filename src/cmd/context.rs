//! What commands share: the file, the clock, the format, the view.

use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use etcetera::BaseStrategy;
use kidx_queries::filter::{Filter, Selection};
use kidx_queries::view::View;
use rusqlite::Connection;

use crate::catalog;
use crate::cli::{Filters, Global};
use crate::error::{Error, Result};
use crate::output::{self, Envelope, Format, Ui, units};

/// Read once at the start, so that one command has one time and one view.
pub struct Context {
    db: Option<PathBuf>,
    format: Option<Format>,
    now: DateTime<Utc>,
    wait: Duration,
    view: View,
    as_of_given: bool,
    verbose: bool,
    listing: output::View,
}

impl Context {
    /// Reads the clock and the global flags.
    pub fn new(global: &Global) -> Result<Self> {
        let now = Utc::now();
        let as_of = match &global.as_of {
            Some(text) => day("--as-of", text)?,
            None => now.date_naive(),
        };
        Ok(Self {
            db: global.db.clone(),
            format: if global.json {
                Some(Format::Json)
            } else {
                global.format
            },
            now,
            wait: Duration::from_secs(global.wait),
            view: View {
                as_of,
                known_at: global.known_at.as_deref().map(instant).transpose()?,
            },
            as_of_given: global.as_of.is_some(),
            verbose: global.verbose,
            listing: output::View {
                columns: global.columns.clone(),
                sort: global.sort.clone(),
                offset: global.offset,
                limit: global.limit,
            },
        })
    }

    /// Where the database is.
    pub fn path(&self) -> Result<PathBuf> {
        if let Some(path) = &self.db {
            // `:memory:` and `file:…` are names of files here like any other; SQLite would
            // read more into them.
            let text = path.to_string_lossy();
            return Ok(if text.starts_with(':') || text.starts_with("file:") {
                Path::new(".").join(path)
            } else {
                path.clone()
            });
        }
        let folders = etcetera::choose_base_strategy().map_err(|error| {
            Error::failed("the data folder of this user can't be found")
                .because(error)
                .hint("name the database with `--db FILE` or `KIDX_DB`")
        })?;
        Ok(folders.data_dir().join("kidx").join("kidx.db"))
    }

    /// Opens the database for questions.
    pub fn reader(&self) -> Result<Connection> {
        catalog::open_reader(&self.path()?, self.wait)
    }

    /// Opens the database for writing; the default folder is made on first use.
    pub fn writer(&self) -> Result<Connection> {
        let path = self.path()?;
        if self.db.is_none()
            && let Some(folder) = path.parent()
        {
            std::fs::create_dir_all(folder).map_err(|error| {
                Error::failed(format!("the folder `{}` can't be made", folder.display()))
                    .because(error)
            })?;
        }
        catalog::open_writer(&path, self.wait)
    }

    /// The day and instant that questions are asked for.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Today, in UTC.
    pub fn today(&self) -> NaiveDate {
        self.now.date_naive()
    }

    /// This instant, as it is kept.
    pub fn now(&self) -> String {
        self.now.format("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    /// The asked format, or `otherwise`.
    pub fn format_or(&self, otherwise: Format) -> Format {
        self.format.unwrap_or(otherwise)
    }

    /// The asked format, if one was.
    pub fn asked_format(&self) -> Option<Format> {
        self.format
    }

    /// Which columns and rows are wanted.
    pub fn listing(&self) -> &output::View {
        &self.listing
    }

    /// The envelope of an answer under this view.
    pub fn envelope(&self, schema: &'static str, policies: Vec<&'static str>) -> Envelope {
        Envelope {
            schema,
            as_of: Some(self.view.as_of.to_string()),
            policies,
        }
    }

    /// Whether more was asked for (`-v`).
    pub fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Whether the user named the day.
    pub fn as_of_given(&self) -> bool {
        self.as_of_given
    }
}

/// Filters with their values found in the file.
pub fn select(connection: &Connection, filters: &Filters) -> Result<Selection> {
    Ok(Filter::from(filters).select(connection)?)
}

/// The same for questions that hold figures against each other: of one metric, latency
/// unless another was named.
pub fn select_comparable(connection: &Connection, filters: &Filters) -> Result<Selection> {
    let mut filter = Filter::from(filters);
    filter.metric.get_or_insert_with(|| "latency".to_owned());
    Ok(filter.select(connection)?)
}

/// Says which other metrics have records, where nobody named one.
pub fn tell_other_metrics(connection: &Connection, filters: &Filters, ui: &mut Ui) -> Result<()> {
    if filters.metric.is_none() {
        let others: Vec<String> = kidx_queries::metric::others(connection)?
            .into_iter()
            .map(|(metric, records)| format!("{metric} ({})", units::count(records)))
            .collect();
        if !others.is_empty() {
            ui.aside(format!(
                "records of other metrics, with `--metric`: {}",
                others.join(", ")
            ));
        }
    }
    Ok(())
}

/// A day as flags take it.
pub fn day(flag: &str, text: &str) -> Result<NaiveDate> {
    text.parse().map_err(|_| {
        Error::usage(format!("`{flag} {text}` is no day"))
            .hint("days are written YYYY-MM-DD, as in 2026-03-05")
    })
}

/// An instant as `--known-at` takes it; a bare day means its end.
fn instant(text: &str) -> Result<String> {
    if let Ok(day) = text.parse::<NaiveDate>() {
        let end = NaiveTime::from_hms_opt(23, 59, 59).unwrap_or_default();
        return Ok(day.and_time(end).format("%Y-%m-%dT%H:%M:%SZ").to_string());
    }
    DateTime::parse_from_rfc3339(text)
        .map(|at| {
            at.with_timezone(&Utc)
                .format("%Y-%m-%dT%H:%M:%SZ")
                .to_string()
        })
        .map_err(|_| {
            Error::usage(format!("`--known-at {text}` is no instant"))
                .hint("write a day (2026-03-05) or an instant with its zone (2026-03-05T12:00:00Z)")
        })
}

/// A file that must not be overwritten unasked.
pub fn must_not_exist(path: &Path) -> Result<()> {
    if path.exists() {
        return Err(
            Error::failed(format!("`{}` exists already", path.display()))
                .hint("name another file, or move that one away"),
        );
    }
    Ok(())
}
