//! Answers for programs: one envelope, or the items alone, one a line.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;

use super::text;

/// What stands around the items of an answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Envelope {
    /// Name of the answer's schema, with its version (`kidx/records/1`).
    pub(crate) schema: &'static str,
    /// The day as of which the question was asked, where that matters.
    pub(crate) as_of: Option<String>,
    /// The policies that the answer follows.
    pub(crate) policies: Vec<&'static str>,
}

impl Envelope {
    /// Around an answer that no day and no policy bears on.
    pub(crate) fn timeless(schema: &'static str) -> Self {
        Self {
            schema,
            ..Self::default()
        }
    }
}

#[derive(Serialize)]
struct Document<'a, T, B> {
    schema: &'static str,
    kidx: &'static str,
    as_of: Option<&'a str>,
    policies: &'a [&'static str],
    count: usize,
    items: &'a [T],
    #[serde(flatten)]
    beside: Option<&'a B>,
}

/// Version of this binary as answers state it.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Writes the envelope with its items, indented by two blanks.
pub(crate) fn document<T: Serialize>(
    out: &mut dyn Write,
    envelope: &Envelope,
    items: &[T],
) -> io::Result<()> {
    document_beside::<T, ()>(out, envelope, items, None)
}

/// Writes the envelope with its items and what else the answer says beside them: the
/// fields of one struct.
pub(crate) fn document_beside<T: Serialize, B: Serialize>(
    out: &mut dyn Write,
    envelope: &Envelope,
    items: &[T],
    beside: Option<&B>,
) -> io::Result<()> {
    let document = Document {
        schema: envelope.schema,
        kidx: VERSION,
        as_of: envelope.as_of.as_deref(),
        policies: &envelope.policies,
        count: items.len(),
        items,
        beside,
    };
    let mut harmless = Harmless::new(out);
    serde_json::to_writer_pretty(&mut harmless, &document)?;
    harmless.write_all(b"\n")?;
    harmless.flush()
}

/// Writes the items alone, one a line.
pub(crate) fn lines<T: Serialize>(out: &mut dyn Write, items: &[T]) -> io::Result<()> {
    for item in items {
        writeln!(out, "{}", line(item)?)?;
    }
    Ok(())
}

/// One value as JSON on one line.
pub(crate) fn line<T: Serialize + ?Sized>(item: &T) -> io::Result<String> {
    let json = serde_json::to_string(item)?;
    Ok(match harmless(&json) {
        Cow::Owned(harmless) => harmless,
        Cow::Borrowed(_) => json,
    })
}

/// The same JSON, with characters escaped that JSON allows as they are but that act
/// on a terminal. They stand only inside strings, so the values stay the same.
fn harmless(json: &str) -> Cow<'_, str> {
    let acts = |character: char| text::is_active(character) && character != '\n';
    if !contains_odd(json, acts) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if acts(character) {
            // Writing to a string cannot fail; none of them is above U+FFFF.
            let _ = write!(escaped, "\\u{:04x}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

/// Passes JSON on made harmless, a part at a time: a document may be of megabytes.
struct Harmless<'a> {
    out: &'a mut dyn Write,
    held: Vec<u8>,
}

impl<'a> Harmless<'a> {
    /// Bytes held before they are passed on.
    const PART: usize = 1 << 16;

    fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            held: Vec::with_capacity(Self::PART + Self::PART / 8),
        }
    }
}

impl Write for Harmless<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    /// Takes whole characters only, as the JSON writer gives them: in small pieces, a good
    /// many.
    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.held.extend_from_slice(bytes);
        if self.held.len() < Self::PART {
            return Ok(());
        }
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        let json = std::str::from_utf8(&self.held).map_err(io::Error::other)?;
        self.out.write_all(harmless(json).as_bytes())?;
        self.held.clear();
        Ok(())
    }
}

/// Whether some character is `odd`, which no printable ASCII and no line end is. Answers are
/// megabytes of those, so they are looked at many at a time, and no other character is
/// unless it stands among them.
fn contains_odd(text: &str, odd: impl Fn(char) -> bool) -> bool {
    const BLOCK: usize = 64;
    let plain = |byte: u8| (b' '..0x7f).contains(&byte) || byte == b'\n';
    let blocks = text.as_bytes().chunks(BLOCK).enumerate();
    // Counting goes many bytes at a time, where looking for the first goes byte by byte.
    let mut suspicious =
        blocks.filter(|(_, block)| block.iter().filter(|byte| !plain(**byte)).count() > 0);
    suspicious.any(|(at, block)| {
        let mut places = at * BLOCK..at * BLOCK + block.len();
        places.any(|place| {
            // Bytes inside a character start no text.
            let rest = text.get(place..).and_then(|rest| rest.chars().next());
            rest.is_some_and(&odd)
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::output::units;

    fn written(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
        let mut bytes = Vec::new();
        write(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn envelope() -> Envelope {
        Envelope {
            schema: "kidx/records/1",
            as_of: Some("2026-09-15".to_owned()),
            policies: vec!["ranking-v1", "staleness-v1"],
        }
    }

    #[test]
    fn the_envelope_stands_around_the_items() {
        let items = [json!({"latency_ns": units::nanoseconds(2_790_000_000), "floor": null})];
        let text = written(|out| document(out, &envelope(), &items));
        insta::with_settings!({filters => vec![(r#""kidx": "[^"]+""#, r#""kidx": "VERSION""#)]}, {
            insta::assert_snapshot!(text, @r#"
            {
              "schema": "kidx/records/1",
              "kidx": "VERSION",
              "as_of": "2026-09-15",
              "policies": [
                "ranking-v1",
                "staleness-v1"
              ],
              "count": 1,
              "items": [
                {
                  "latency_ns": 2790000,
                  "floor": null
                }
              ]
            }
            "#);
        });
    }

    #[test]
    fn what_stands_beside_the_items_follows_them() {
        let beside = json!({"cohorts": [1]});
        let text = written(|out| document_beside(out, &envelope(), &[2], Some(&beside)));
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (&value["items"], &value["cohorts"]),
            (&json!([2]), &json!([1]))
        );
        assert!(text.find("items") < text.find("cohorts"), "{text}");
    }

    #[test]
    fn an_empty_answer_is_an_answer() {
        let text = written(|out| document::<Value>(out, &Envelope::default(), &[]));
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["count"], 0);
        assert_eq!(value["as_of"], Value::Null);
        assert_eq!(value["items"], json!([]));
        assert_eq!(written(|out| lines::<Value>(out, &[])), "");
    }

    #[test]
    fn items_stand_one_a_line() {
        let items = [
            json!({"a": "x\ny"}),
            json!({"a": "\u{202e}\u{9b}\u{7f}\u{2028}"}),
        ];
        assert_eq!(
            written(|out| lines(out, &items)),
            "{\"a\":\"x\\ny\"}\n{\"a\":\"\\u202e\\u009b\\u007f\\u2028\"}\n"
        );
    }

    #[test]
    fn a_document_of_many_parts_is_whole_and_harmless() {
        let items: Vec<String> = (0..20_000)
            .map(|at| format!("{at} × \u{202e} 行列 \n \u{7f}"))
            .collect();
        let text = written(|out| document(out, &envelope(), &items));
        assert!(text.len() > 4 * Harmless::PART);
        assert!(!text.contains(|odd| text::is_active(odd) && odd != '\n'));
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["items"], json!(items));
        assert!(text.ends_with("}\n"));
    }

    proptest! {
        #[test]
        fn any_text_comes_back_and_stays_on_its_line(text in any::<String>(), before in 0_usize..200) {
            let text = "x".repeat(before) + &text;
            let json = line(&text).unwrap();
            prop_assert!(!json.contains(text::is_active));
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }
}
