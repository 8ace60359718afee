//! CSV by RFC 4180 with line feeds, safe to open in a spreadsheet.

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::Value;

/// First characters that make a spreadsheet take a text for a formula or drop it,
/// with the full-width forms that some take for the same.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Writes rows of typed values.
pub(crate) struct Rows<W: Write>(csv::Writer<W>);

impl<W: Write> Rows<W> {
    /// Writes to `out`; buffered until [`Rows::finish`].
    pub(crate) fn new(out: W) -> Self {
        Self(
            csv::WriterBuilder::new()
                .terminator(csv::Terminator::Any(b'\n'))
                .from_writer(out),
        )
    }

    /// Writes the names of the columns.
    pub(crate) fn header<'a>(&mut self, keys: impl Iterator<Item = &'a str>) -> io::Result<()> {
        self.0
            .write_record(keys.map(|key| guard(key).into_owned()))
            .map_err(io_error)
    }

    /// Writes one row: text guarded, numbers as they are, `null` as nothing, lists
    /// and objects as JSON.
    pub(crate) fn row<'a>(&mut self, values: impl Iterator<Item = &'a Value>) -> io::Result<()> {
        for value in values {
            self.0
                .write_field(cell(value)?.as_bytes())
                .map_err(io_error)?;
        }
        self.0.write_record(None::<&[u8]>).map_err(io_error)
    }

    /// Writes out what is buffered.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn cell(value: &Value) -> io::Result<Cow<'_, str>> {
    Ok(match value {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => guard(text),
        Value::Bool(_) | Value::Number(_) => Cow::Owned(value.to_string()),
        Value::Array(_) | Value::Object(_) => Cow::Owned(super::json::line(value)?),
    })
}

/// `text`, with an apostrophe before it if a spreadsheet would run it.
fn guard(text: &str) -> Cow<'_, str> {
    if text.starts_with(FORMULA) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The I/O error inside, so that a broken pipe is still known as one.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn written(keys: &[&str], rows: &[Vec<Value>]) -> String {
        let mut bytes = Vec::new();
        let mut csv = Rows::new(&mut bytes);
        csv.header(keys.iter().copied()).unwrap();
        for row in rows {
            csv.row(row.iter()).unwrap();
        }
        csv.finish().unwrap();
        drop(csv);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn texts_are_guarded_and_numbers_are_not() {
        let cases = [
            (json!("=1+2"), "'=1+2"),
            (json!("+1"), "'+1"),
            (json!("-1"), "'-1"),
            (json!("@SUM(A1)"), "'@SUM(A1)"),
            (json!("\tx"), "'\tx"),
            (json!("\rx"), "\"'\rx\""),
            (json!("＝1"), "'＝1"),
            (json!("a=1"), "a=1"),
            (json!("a,\"b\"\nc"), "\"a,\"\"b\"\"\nc\""),
            (json!(-1), "-1"),
            (json!(359.467), "359.467"),
            (json!(true), "true"),
            (json!(["x", 1]), "\"[\"\"x\"\",1]\""),
        ];
        for (value, field) in cases {
            let text = written(&["a", "b"], &[vec![json!(0), value.clone()]]);
            assert_eq!(text, format!("a,b\n0,{field}\n"), "{value}");
        }
        assert_eq!(
            written(&["a", "b"], &[vec![json!(0), Value::Null]]),
            "a,b\n0,\n"
        );
    }

    proptest! {
        #[test]
        fn any_text_comes_back(rows in prop::collection::vec([any::<String>(), any::<String>()], 0..8)) {
            let values: Vec<Vec<Value>> = rows.iter().map(|row| row.iter().map(|text| json!(text)).collect()).collect();
            let text = written(&["a", "b"], &values);
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let back: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
            prop_assert_eq!(back.len(), rows.len());
            for (record, row) in back.iter().zip(&rows) {
                for (field, text) in record.iter().zip(row) {
                    prop_assert!(!field.starts_with(FORMULA));
                    let guarded = guard(text);
                    prop_assert_eq!(field, guarded.as_ref());
                }
            }
        }
    }
}
