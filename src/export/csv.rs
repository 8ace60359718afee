//! The columns of the header as CSV, safe to open in a spreadsheet.

use std::io::{self, Write};

use serde_json::Value;

use super::{Exporter, Header, Record};
use crate::output::csv::Rows;

pub(super) struct Csv<'a> {
    rows: Rows<&'a mut dyn Write>,
    keys: Vec<&'static str>,
}

impl<'a> Csv<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self {
            rows: Rows::new(out),
            keys: Vec::new(),
        }
    }
}

impl Exporter for Csv<'_> {
    fn begin(&mut self, header: &Header) -> io::Result<()> {
        self.keys = header.columns.iter().map(|column| column.key).collect();
        self.rows.header(self.keys.iter().copied())
    }

    fn row(&mut self, record: &Record) -> io::Result<()> {
        let values = self.keys.iter().map(|&key| record.get(key));
        self.rows
            .row(values.map(|value| value.unwrap_or(&Value::Null)))
    }

    fn end(&mut self) -> io::Result<()> {
        self.rows.finish()
    }
}
