//! The one reader of delimited text (CSV): rows with their line, cells by the header's names.
//!
//! Quoted cells may hold delimiters, doubled quotes and line breaks; line ends may be LF or
//! CRLF; blank lines are none. A row of another width than the header is that row's fault.

use csv::{ByteRecord, ReaderBuilder};

use crate::{Place, Refused};

/// A table under its header.
#[derive(Debug, Clone)]
pub struct Table {
    /// The header's cells, as written.
    pub header: Vec<String>,
    /// The rows below it.
    pub rows: Vec<Row>,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// 1-based line on which it begins.
    pub line: u64,
    /// Its cells, as written.
    pub cells: Vec<String>,
}

impl Row {
    /// Where a cell stands: `/<row, from 0>/<name of its column>`, and the line.
    pub fn place(&self, row: usize, column: &str) -> Place {
        let pointer = if column.is_empty() {
            format!("/{row}")
        } else {
            format!("/{row}/{}", crate::json::escape_pointer(column))
        };
        Place {
            pointer,
            line: Some(self.line),
            column: None,
        }
    }
}

impl Table {
    /// Reads a whole table; `delimiter` is a single byte (`,`, `;`, tab).
    ///
    /// # Errors
    ///
    /// It isn't UTF-8, or a quoted cell never ends, or there is no header.
    pub fn read(bytes: &[u8], delimiter: u8) -> Result<Self, Refused> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let mut reader = ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .from_reader(bytes);
        let mut record = ByteRecord::new();
        let mut header = None;
        let mut rows = Vec::new();
        loop {
            let more = reader.read_byte_record(&mut record).map_err(|error| {
                let line = error.position().map_or(1, csv::Position::line);
                refused("BAD_CSV", line, format!("no CSV: {error}"))
            })?;
            if !more {
                break;
            }
            let line = record.position().map_or(1, |at| first_line(bytes, at));
            let cells = record
                .iter()
                .map(|cell| std::str::from_utf8(cell).map(str::to_owned))
                .collect::<Result<Vec<String>, _>>()
                .map_err(|_| refused("NOT_UTF8", line, format!("line {line} is not UTF-8 text")))?;
            match header {
                None => header = Some(cells),
                Some(_) => rows.push(Row { line, cells }),
            }
        }
        if opens_a_quote(bytes, delimiter) {
            let line = rows.last().map_or(1, |row| row.line);
            let message = format!("a quoted cell that begins on line {line} or after never ends");
            return Err(refused("TRUNCATED", line, message));
        }
        let header =
            header.ok_or_else(|| refused("EMPTY", 1, "no header: the text is empty".to_owned()))?;
        Ok(Self { header, rows })
    }

    /// The column of that name. With two of one name: the first.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|cell| cell.trim() == name)
    }
}

/// The line on which a record begins: its position is before the blank lines above it.
fn first_line(bytes: &[u8], at: &csv::Position) -> u64 {
    let from = usize::try_from(at.byte()).unwrap_or(usize::MAX);
    let blank = bytes.get(from..).unwrap_or_default();
    let breaks = blank
        .iter()
        .take_while(|byte| matches!(byte, b'\r' | b'\n'))
        .filter(|byte| **byte == b'\n');
    at.line() + breaks.count() as u64
}

fn refused(code: &'static str, line: u64, message: String) -> Refused {
    Refused {
        code,
        place: Place {
            pointer: String::new(),
            line: Some(line),
            column: None,
        },
        message,
        hint: None,
    }
}

/// Whether the text ends inside a quoted cell. The `csv` crate takes the end of the text
/// for the end of the cell, which would hide a cut file.
fn opens_a_quote(bytes: &[u8], delimiter: u8) -> bool {
    let mut quoted = false;
    let mut at_start = true;
    let mut bytes = bytes.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if quoted {
            if byte == b'"' && bytes.next_if_eq(&b'"').is_none() {
                quoted = false;
            }
        } else if byte == b'"' && at_start {
            quoted = true;
        }
        at_start = byte == delimiter || byte == b'\n' || byte == b'\r';
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_lines_and_breaks() {
        let text = b"a,b\r\n1,\"x\r\ny\"\r\n\r\n2,\"say \"\"hi\"\", twice\"\r\n";
        let table = Table::read(text, b',').unwrap();
        assert_eq!(table.header, ["a", "b"]);
        let rows: Vec<(u64, &str)> = table
            .rows
            .iter()
            .map(|row| (row.line, &*row.cells[1]))
            .collect();
        assert_eq!(rows, [(2, "x\r\ny"), (5, "say \"hi\", twice")]);
        assert_eq!(table.column("b"), Some(1));
        assert_eq!(table.rows[1].place(1, "b").pointer, "/1/b");
    }

    #[test]
    fn cut_and_foreign_texts_are_refused_with_their_line() {
        for (text, code) in [
            (&b"a,b\n1,\"x\n"[..], "TRUNCATED"),
            (b"a,b\n1,\xff\n", "NOT_UTF8"),
            (b"", "EMPTY"),
        ] {
            assert_eq!(Table::read(text, b',').unwrap_err().code, code);
        }
    }
}
