//! Why reading stopped: the parser's errors with our places and words.

use jiter::{JiterError, JiterErrorType, JsonErrorType};

use crate::{Place, Refused};

use super::cursor::{Cursor, MAX_DEPTH};
use super::text::refused;

impl Cursor<'_, '_> {
    pub(super) fn too_deep(&self) -> Refused {
        let at = self.jiter.current_index();
        refused(
            "TOO_DEEP",
            self.place(at),
            format!(
                "arrays and objects nest deeper than {MAX_DEPTH} levels {}",
                self.document.spell(at)
            ),
            None,
        )
    }

    /// A second value, or anything else, after the end of the document.
    pub(super) fn trailing(&self, end: usize) -> Refused {
        if let Some(refused) = self.not_json() {
            return refused;
        }
        let rest = self.document.text().get(end..).unwrap_or_default();
        let at = end + (rest.len() - rest.trim_ascii_start().len());
        let place = self.place(at);
        let spelled = self.document.spell(at);
        let next_line = rest.get(..at - end).is_some_and(|gap| gap.contains('\n'));
        if next_line && rest.trim_ascii_start().starts_with(['{', '[']) {
            return refused(
                "JSON_LINES",
                place,
                format!("looks like JSON Lines: a second value begins {spelled}"),
                Some("one JSON document was expected".to_owned()),
            );
        }
        refused(
            "BAD_JSON",
            place,
            format!(
                "{} {spelled}, after the end of the document",
                self.found(at)
            ),
            None,
        )
    }

    /// What stands at an offset, as a message names it.
    fn found(&self, offset: usize) -> String {
        match self
            .document
            .text()
            .get(offset..)
            .and_then(|rest| rest.chars().next())
        {
            Some(found) => format!("`{}`", found.escape_debug()),
            None => "nothing".to_owned(),
        }
    }

    pub(super) fn unexpected(&self, offset: usize, expected: &str) -> Refused {
        if let Some(refused) = self.not_json() {
            return refused;
        }
        refused(
            "BAD_JSON",
            self.place(offset),
            format!(
                "{} {} where {expected} was expected",
                self.found(offset),
                self.document.spell(offset)
            ),
            None,
        )
    }

    /// When the document does not even begin like JSON: says what it looks like instead.
    fn not_json(&self) -> Option<Refused> {
        let text = self.document.text();
        let start = text.len() - text.trim_ascii_start().len();
        let text = text.trim_ascii_start();
        if text.starts_with(['{', '[', '"']) {
            return None;
        }
        let line = text.lines().next().unwrap_or_default();
        let hint = if text.starts_with('<') {
            Some("this looks like a web page; fetch the raw file")
        } else if text.starts_with("version https://git-lfs") {
            Some("this is a Git LFS pointer; fetch the file that it points to")
        } else if line.matches([',', ';', '\t']).count() >= 2 {
            Some("this looks like CSV")
        } else {
            None
        };
        Some(refused(
            "NOT_JSON",
            self.place(start),
            format!(
                "the file begins with {}: no JSON document",
                self.found(start)
            ),
            hint.map(str::to_owned),
        ))
    }

    /// A syntax error of the parser below, with our place and words.
    pub(super) fn syntax(&self, error: &JiterError) -> Refused {
        use JsonErrorType as E;
        let JiterErrorType::JsonError(kind) = &error.error_type else {
            return self.unexpected(error.index, "another type of value");
        };
        let said = match kind {
            E::EofWhileParsingList
            | E::EofWhileParsingObject
            | E::EofWhileParsingString
            | E::EofWhileParsingValue => return self.truncated(),
            E::RecursionLimitExceeded => return self.too_deep(),
            E::ExpectedColon => return self.unexpected(error.index, "`:`"),
            E::ExpectedListCommaOrEnd => return self.unexpected(error.index, "`,` or `]`"),
            E::ExpectedObjectCommaOrEnd => return self.unexpected(error.index, "`,` or `}`"),
            E::KeyMustBeAString => return self.unexpected(error.index, "a key in double quotes"),
            E::ExpectedSomeIdent => {
                // The parser stands inside the word; show where the word begins.
                let read = self.document.text().get(..error.index).unwrap_or_default();
                let word = read.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '-');
                return self.unexpected(word.len(), "a value");
            }
            E::ExpectedSomeValue => return self.unexpected(error.index, "a value"),
            E::InvalidNumber => return self.unexpected(error.index, "a digit of a number"),
            E::TrailingComma => "a comma with nothing after it",
            E::NumberOutOfRange => "a number of more than 4,300 digits",
            E::ControlCharacterWhileParsingString => {
                "a raw control character (a line break?) inside a string"
            }
            E::LoneLeadingSurrogateInHexEscape | E::UnexpectedEndOfHexEscape => {
                "half of a surrogate pair, which is no character"
            }
            E::InvalidEscape => "an escape that JSON does not know",
            _ => "text that is no JSON",
        };
        refused(
            "BAD_JSON",
            self.place(error.index),
            format!("{said} {}", self.document.spell(error.index)),
            None,
        )
    }

    fn truncated(&self) -> Refused {
        let end = self.document.text().trim_ascii_end().len();
        refused(
            "TRUNCATED",
            self.place(end),
            format!("unexpected end {}", self.document.spell(end)),
            Some("the file is cut; fetch it again".to_owned()),
        )
    }

    fn place(&self, offset: usize) -> Place {
        self.document.place(self.pointer.as_str(), offset)
    }
}
