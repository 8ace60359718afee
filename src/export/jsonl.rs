//! The records alone, one JSON object a line.

use std::io::{self, Write};

use super::{Exporter, Header, Record};
use crate::output::json;

pub(super) struct Jsonl<'a>(&'a mut dyn Write);

impl<'a> Jsonl<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self(out)
    }
}

impl Exporter for Jsonl<'_> {
    fn begin(&mut self, _: &Header) -> io::Result<()> {
        Ok(())
    }

    fn row(&mut self, record: &Record) -> io::Result<()> {
        writeln!(self.0, "{}", json::line(record)?)
    }

    fn end(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
