//! The columns of the header as a Markdown table, and below it who published them.

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::Value;

use super::{ExportSource, Exporter, Header, Record};
use crate::output::{json, markdown};

pub(super) struct Markdown<'a> {
    out: &'a mut dyn Write,
    keys: Vec<&'static str>,
    sources: Vec<ExportSource>,
}

impl<'a> Markdown<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            keys: Vec::new(),
            sources: Vec::new(),
        }
    }
}

impl Exporter for Markdown<'_> {
    fn begin(&mut self, header: &Header) -> io::Result<()> {
        self.keys = header.columns.iter().map(|column| column.key).collect();
        self.sources.clone_from(&header.sources);
        let columns: Vec<markdown::Column<'_>> = header
            .columns
            .iter()
            .map(|column| markdown::Column {
                title: column.key,
                numeric: column.numeric,
            })
            .collect();
        markdown::header(self.out, &columns)
    }

    fn row(&mut self, record: &Record) -> io::Result<()> {
        let cells: Vec<Cow<'_, str>> = self
            .keys
            .iter()
            .map(|&key| cell(record.get(key)))
            .collect::<io::Result<_>>()?;
        markdown::row(self.out, cells.iter().map(AsRef::as_ref))
    }

    fn end(&mut self) -> io::Result<()> {
        for (at, source) in self.sources.iter().enumerate() {
            if at == 0 {
                writeln!(self.out)?;
            }
            let license = source.data_license.as_deref().unwrap_or("licence unknown");
            writeln!(
                self.out,
                "- {} ({}): {}, <{}>",
                markdown::escape(&source.name),
                markdown::escape(license),
                markdown::escape(&source.attribution),
                // Angle brackets and blanks would end the link.
                source.home.replace(['<', '>', ' ', '\r', '\n'], ""),
            )?;
        }
        self.out.flush()
    }
}

fn cell(value: Option<&Value>) -> io::Result<Cow<'_, str>> {
    Ok(match value {
        None | Some(Value::Null) => Cow::Borrowed(""),
        Some(Value::String(text)) => Cow::Borrowed(text),
        Some(other) => Cow::Owned(json::line(other)?),
    })
}
