//! One JSON document, `{schema, kidx, sources, items}`, streamed: a record is on one
//! line, so that two exports compare line by line.

use std::io::{self, Write};

use super::{Exporter, Header, Record};
use crate::output::json;

pub(super) struct Json<'a> {
    out: &'a mut dyn Write,
    empty: bool,
}

impl<'a> Json<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, empty: true }
    }
}

impl Exporter for Json<'_> {
    fn begin(&mut self, header: &Header) -> io::Result<()> {
        let schema = json::line(header.schema)?;
        let version = json::line(json::VERSION)?;
        let sources = json::line(&header.sources)?;
        write!(
            self.out,
            "{{\n\"schema\": {schema},\n\"kidx\": {version},\n\"sources\": {sources},\n\"items\": ["
        )
    }

    fn row(&mut self, record: &Record) -> io::Result<()> {
        let comma = if self.empty { "" } else { "," };
        self.empty = false;
        write!(self.out, "{comma}\n{}", json::line(record)?)
    }

    fn end(&mut self) -> io::Result<()> {
        let close = if self.empty { "]" } else { "\n]" };
        writeln!(self.out, "{close}\n}}")?;
        self.out.flush()
    }
}
