//! The text of a document: which bytes are admitted, and where a byte stands.

use std::cell::OnceCell;

use crate::{Place, Refused};

use super::Cursor;

/// Bytes between two remembered positions: a look-up scans at most this many.
const STRIDE: usize = 512;

/// An admitted JSON document: UTF-8 without byte-order mark, not empty.
#[derive(Debug)]
pub struct Document<'a> {
    text: &'a str,
    /// Number of its first line: 1, but for a line of a larger text.
    first_line: u64,
    /// Line and column at every [`STRIDE`]th byte, so that a position costs the same on
    /// the last record of a one-line file as on the first. Built when first asked for.
    index: OnceCell<Vec<(u64, u64)>>,
}

impl<'a> Document<'a> {
    /// Admits bytes as the text of a JSON document; reads nothing yet.
    ///
    /// # Errors
    ///
    /// `EMPTY`, `NOT_UTF8` (another encoding, binary, a broken character) or `TRUNCATED`
    /// (the text ends inside a character).
    pub fn open(bytes: &'a [u8]) -> Result<Self, Refused> {
        Self::open_at(bytes, 1)
    }

    /// Admits bytes that begin on a later line of a larger text.
    ///
    /// # Errors
    ///
    /// As [`Document::open`].
    pub fn open_at(bytes: &'a [u8], first_line: u64) -> Result<Self, Refused> {
        if let Some(encoding) = foreign_mark(bytes) {
            return Err(refused(
                "NOT_UTF8",
                start(first_line),
                format!("the file is {encoding} text; JSON is read as UTF-8"),
                Some(format!("convert it first: `iconv -f {encoding} -t UTF-8`")),
            ));
        }
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => return Err(broken(bytes, error, first_line)),
        };
        let document = Self {
            text,
            first_line,
            index: OnceCell::new(),
        };
        if let Some(nul) = text.find('\0') {
            return Err(refused(
                "NOT_UTF8",
                document.place(String::new(), nul),
                format!("a NUL byte {}", document.spell(nul)),
                Some(
                    "this is binary content, UTF-16 text, or a file whose end was never written"
                        .to_owned(),
                ),
            ));
        }
        if text.trim_ascii().is_empty() {
            let what = if text.is_empty() { "empty" } else { "blank" };
            return Err(refused(
                "EMPTY",
                start(first_line),
                format!("the file is {what}; a JSON document was expected"),
                None,
            ));
        }
        Ok(document)
    }

    /// The text, without byte-order mark. Every offset counts from its start.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// A cursor before the document's value.
    pub fn cursor(&self) -> Cursor<'_, 'a> {
        Cursor::new(self)
    }

    /// 1-based line and column (in characters) of a byte offset; an offset past the end
    /// stands one column after the last character.
    pub fn position(&self, offset: usize) -> (u64, u64) {
        let offset = self.text.floor_char_boundary(offset);
        let index = self
            .index
            .get_or_init(|| checkpoints(self.text, self.first_line));
        let block = (offset / STRIDE).min(index.len().saturating_sub(1));
        let mut at = index.get(block).copied().unwrap_or((self.first_line, 1));
        let from = (block * STRIDE).min(offset);
        for &byte in self.text.as_bytes().get(from..offset).unwrap_or_default() {
            step(&mut at, byte);
        }
        at
    }

    /// The place of a byte offset under a pointer.
    pub fn place(&self, pointer: impl Into<String>, offset: usize) -> Place {
        let (line, column) = self.position(offset);
        Place {
            pointer: pointer.into(),
            line: Some(line),
            column: Some(column),
        }
    }

    /// A byte offset in words: `at line 3, column 17`.
    pub fn spell(&self, offset: usize) -> String {
        let (line, column) = self.position(offset);
        format!("at line {line}, column {column}")
    }
}

/// A key as a segment of an RFC 6901 JSON pointer.
pub fn escape_pointer(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Moves a position over one byte; continuation bytes belong to the character before.
fn step((line, column): &mut (u64, u64), byte: u8) {
    if byte == b'\n' {
        *line += 1;
        *column = 1;
    } else if byte & 0b1100_0000 != 0b1000_0000 {
        *column += 1;
    }
}

fn checkpoints(text: &str, first_line: u64) -> Vec<(u64, u64)> {
    let mut at = (first_line, 1);
    let mut points = Vec::with_capacity(text.len() / STRIDE + 1);
    for block in text.as_bytes().chunks(STRIDE) {
        points.push(at);
        for &byte in block {
            step(&mut at, byte);
        }
    }
    points
}

/// The encoding that a byte-order mark other than UTF-8's announces.
fn foreign_mark(bytes: &[u8]) -> Option<&'static str> {
    // UTF-32's little-endian mark begins with UTF-16's: ask for the longer one first.
    match bytes {
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => Some("UTF-32"),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Some("UTF-16"),
        _ => None,
    }
}

/// Why bytes are not UTF-8, with the place where they stop being it.
fn broken(bytes: &[u8], error: std::str::Utf8Error, first_line: u64) -> Refused {
    let valid = error.valid_up_to();
    let text = bytes
        .get(..valid)
        .and_then(|head| std::str::from_utf8(head).ok())
        .unwrap_or_default();
    let document = Document {
        text,
        first_line,
        index: OnceCell::new(),
    };
    let place = document.place(String::new(), valid);
    let spelled = document.spell(valid);
    if error.error_len().is_none() {
        return refused(
            "TRUNCATED",
            place,
            format!("unexpected end {spelled}: the file stops inside a character"),
            Some("the file is cut; fetch it again".to_owned()),
        );
    }
    let byte = bytes.get(valid).copied().unwrap_or_default();
    refused(
        "NOT_UTF8",
        place,
        format!("byte 0x{byte:02X} {spelled} is not UTF-8"),
        Some("this is binary content or text in another encoding".to_owned()),
    )
}

/// The place of the whole input's first character.
fn start(first_line: u64) -> Place {
    Place {
        pointer: String::new(),
        line: Some(first_line),
        column: Some(1),
    }
}

pub(super) fn refused(
    code: &'static str,
    place: Place,
    message: impl Into<String>,
    hint: Option<String>,
) -> Refused {
    Refused {
        code,
        place,
        message: message.into(),
        hint,
    }
}
