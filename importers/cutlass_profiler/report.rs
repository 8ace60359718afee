//! Finds the tables in a report: a file may hold one, several (`--append` by scripts, several
//! operation kinds), or be the captured output of the profiler, with other lines around.

use crate::table::{Row, Table};
use crate::{Place, Refused};

/// Columns that every release has side by side.
const MARK: &str = "Problem,Provider,OperationKind,Operation,Disposition,Status,";

/// Bytes of a file that are searched for a header when nobody says what it is.
const SEARCHED: usize = 16 << 20;

/// What a file holds.
#[derive(Debug)]
pub(super) struct Report {
    /// Tables with their rows; lines count from the file's start.
    pub(super) tables: Vec<Table>,
    /// Numbers of the lines that belong to no table and aren't blank.
    pub(super) other_lines: Vec<u64>,
}

/// Whether some line is a header of the profiler.
pub(super) fn recognises(bytes: &[u8]) -> bool {
    let bytes = bytes.get(..SEARCHED).unwrap_or(bytes);
    bytes.split(|byte| *byte == b'\n').any(is_header)
}

fn is_header(line: &[u8]) -> bool {
    // A tag before the first column is a user's word and may be anything.
    std::str::from_utf8(line).is_ok_and(|line| {
        let before = line.find(MARK).and_then(|at| line.get(..at));
        before.is_some_and(|tags| tags.is_empty() || tags.ends_with(',') || tags == "\u{feff}")
            && line.trim_end().split(',').any(|name| name == "Runtime")
    })
}

/// Reads every table of a file.
pub(super) fn read(bytes: &[u8]) -> Result<Report, Refused> {
    let mut starts = Vec::new();
    let mut other_lines = Vec::new();
    let mut offset = 0;
    for (number, line) in (1_u64..).zip(bytes.split(|byte| *byte == b'\n')) {
        if is_header(line) {
            starts.push((offset, number));
        } else if starts.is_empty() && !line.trim_ascii().is_empty() {
            other_lines.push(number);
        }
        offset += line.len() + 1;
    }
    if starts.is_empty() {
        return Err(Refused {
            code: "NO_HEADER",
            place: Place {
                line: Some(1),
                ..Place::default()
            },
            message: format!(
                "no line with the columns `{MARK}…`: this is no report of the CUTLASS profiler"
            ),
            hint: None,
        });
    }
    let ends = starts.iter().skip(1).map(|(offset, _)| *offset);
    let mut tables = Vec::new();
    for ((start, line), end) in starts.iter().zip(ends.chain([bytes.len()])) {
        let part = bytes.get(*start..end).unwrap_or_default();
        let shift = line - 1;
        let mut table = Table::read(part, b',').map_err(|mut refused| {
            refused.place.line = refused.place.line.map(|line| line + shift);
            refused
        })?;
        let problem = table.column("Problem").unwrap_or_default();
        let width = table.header.len();
        let is_row = |row: &Row| {
            let number = row.cells.get(problem).map_or("", |cell| cell.trim());
            let numbered = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
            row.cells.len() == width || numbered
        };
        for row in &mut table.rows {
            row.line += shift;
        }
        other_lines.extend(
            table
                .rows
                .iter()
                .filter(|row| !is_row(row))
                .map(|row| row.line),
        );
        table.rows.retain(is_row);
        tables.push(table);
    }
    Ok(Report {
        tables,
        other_lines,
    })
}
