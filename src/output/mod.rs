//! Everything that leaves the program: who owns the streams, how a table fits, how
//! a figure is written. Rendering never computes: what is shown is a field of the
//! answer.

mod cell;
pub(crate) mod csv;
pub(crate) mod json;
mod listing;
pub(crate) mod markdown;
mod page;
mod style;
mod table;
mod text;
mod ui;
pub(crate) use kidx_queries::units;

use std::io;

use clap::ValueEnum;
use serde::Serialize;

pub(crate) use cell::Cell;
pub(crate) use json::Envelope;
pub(crate) use listing::{Column, Listing, UnknownColumn};
pub(crate) use page::Page;
pub(crate) use style::Mark;
pub(crate) use table::{Head, Kind, Table, TableCell};
pub(crate) use text::{Elide, visible};
pub(crate) use ui::{Color, Talk, Ui};

/// How an answer is written (`--format`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    /// For people, fitted to the width.
    #[default]
    Table,
    /// One document with an envelope.
    Json,
    /// The items alone, one JSON object a line.
    Jsonl,
    /// For spreadsheets and data frames.
    Csv,
    /// For pages and issue trackers.
    Markdown,
}

/// Which part of an answer is wanted, and in which order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct View {
    /// `--columns`; empty for the usual ones.
    pub(crate) columns: Vec<String>,
    /// `--sort`; empty for the order of the answer.
    pub(crate) sort: Vec<String>,
    /// `--offset`.
    pub(crate) offset: usize,
    /// `--limit`.
    pub(crate) limit: Option<usize>,
}

impl View {
    /// Applies it; both names are checked before anything is written.
    pub(crate) fn apply<T>(&self, listing: &mut Listing<T>) -> Result<(), UnknownColumn> {
        if !self.columns.is_empty() {
            listing.choose(&self.columns)?;
        }
        listing.sort(&self.sort)?;
        listing.page(self.offset, self.limit);
        Ok(())
    }
}

impl Ui {
    /// Writes a list as the answer of a command.
    pub(crate) fn listing<T: Serialize>(
        &mut self,
        format: Format,
        envelope: &Envelope,
        listing: &Listing<T>,
    ) -> io::Result<()> {
        match format {
            Format::Table => {
                if listing.total() == 0 {
                    self.note("nothing matches");
                } else if listing.items().is_empty() {
                    self.note("`--limit` and `--offset` leave no row");
                } else {
                    let laid = listing.table().lay_out(self.width(), self.paint());
                    self.out().write_all(laid.text.as_bytes())?;
                    self.left_out(&laid.left_out, "`--columns`");
                }
            }
            Format::Json => json::document(self.out(), envelope, listing.items())?,
            Format::Jsonl => json::lines(self.out(), listing.items())?,
            Format::Csv => listing.csv(self.out())?,
            Format::Markdown => listing.markdown(self.out())?,
        }
        self.finish()
    }

    /// Writes a page.
    pub(crate) fn page(&mut self, page: Page) -> io::Result<()> {
        let (text, left_out) = page.finish();
        self.out().write_all(text.as_bytes())?;
        self.left_out(&left_out, "`--json`");
        self.finish()
    }

    fn left_out(&mut self, titles: &[String], flag: &str) {
        if !titles.is_empty() {
            self.aside(format_args!(
                "no room for {}; {flag} or a wider terminal shows them",
                titles.join(", ")
            ));
        }
    }
}

#[cfg(test)]
mod tests;
