//! Text as a terminal shows it: display width, shortening, wrapping, and making
//! characters harmless that would move the cursor or reorder a line.

use std::borrow::Cow;
use std::fmt::Write as _;

use comfy_table::{ContentArrangement, Table, presets};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const ELLIPSIS: &str = "…";
const ZERO_WIDTH_JOINER: char = '\u{200d}';

/// Which part of a text gives way when it is shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Elide {
    /// The end: names, prose.
    #[default]
    End,
    /// The middle: ids and paths, told apart by both ends.
    Middle,
}

/// Columns that `text` takes on a terminal; it must hold no control characters.
pub(crate) fn width(text: &str) -> usize {
    // Most text is plain, and each plain character takes one column.
    if text.is_ascii() {
        text.len()
    } else {
        text.width()
    }
}

/// Whether a character acts on a terminal instead of being shown: controls, line
/// separators, and the marks that change the direction of writing.
pub(crate) fn is_active(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `text` with every active character written out (`\n`, `\x1b`, `\u{202e}`).
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let plain = |byte: u8| (b' '..0x7f).contains(&byte);
    if text.bytes().all(plain) || !text.contains(is_active) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' => shown.extend(character.escape_default()),
            control if control.is_control() => {
                // Writing to a string cannot fail.
                let _ = write!(shown, "\\x{:02x}", u32::from(control));
            }
            active if is_active(active) => shown.extend(active.escape_unicode()),
            plain => shown.push(plain),
        }
    }
    Cow::Owned(shown)
}

/// `text` in at most `limit` columns; what is left out is replaced by `…`.
pub(crate) fn shorten(text: &str, limit: usize, elide: Elide) -> Cow<'_, str> {
    if width(text) <= limit {
        return Cow::Borrowed(text);
    }
    let Some(room) = limit.checked_sub(1) else {
        return Cow::Borrowed("");
    };
    let (front, back) = match elide {
        Elide::End => (room, 0),
        Elide::Middle => (room.div_ceil(2), room / 2),
    };
    let (head, tail) = if text.is_ascii() {
        (&text[..front], &text[text.len() - back..])
    } else {
        (head(text, front), tail(text, back))
    };
    let head = head.trim_end();
    let mut short = String::with_capacity(head.len() + ELLIPSIS.len() + tail.len());
    short.push_str(head);
    short.push_str(ELLIPSIS);
    short.push_str(tail);
    Cow::Owned(short)
}

/// The longest beginning of `text` that fits into `limit` columns.
fn head(text: &str, limit: usize) -> &str {
    let fitting = cuts(text).take_while(|&cut| width(&text[..cut]) <= limit);
    &text[..fitting.last().unwrap_or(0)]
}

/// The longest end of `text` that fits into `limit` columns.
fn tail(text: &str, limit: usize) -> &str {
    let cuts: Vec<usize> = cuts(text).collect();
    let fitting = cuts
        .iter()
        .rev()
        .take_while(|&&cut| width(&text[cut..]) <= limit);
    &text[fitting.last().copied().unwrap_or(text.len())..]
}

/// Byte offsets at which text may be cut: before a character that takes room and is
/// not joined to the one before, so that accents and joined emoji stay whole.
fn cuts(text: &str) -> impl Iterator<Item = usize> + '_ {
    let mut joined = false;
    text.char_indices().filter_map(move |(at, character)| {
        let cut = !joined && character.width().unwrap_or(0) > 0;
        joined = character == ZERO_WIDTH_JOINER;
        cut.then_some(at)
    })
}

/// `text` broken between words into lines of at most `limit` columns; only a word
/// longer than a line is broken inside.
pub(crate) fn wrap(text: &str, limit: usize) -> Vec<String> {
    let shown = visible(text);
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(limit).unwrap_or(u16::MAX))
        .add_row([shown.as_ref()]);
    for column in table.column_iter_mut() {
        column.set_padding((0, 0));
    }
    table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_out_what_would_act() {
        let cases = [
            ("plain µs 行列", "plain µs 行列"),
            ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
            ("\u{1b}[2J", "\\x1b[2J"),
            ("\u{9b}31m\u{7f}\0", "\\x9b31m\\x7f\\x00"),
            ("x\u{202e}y\u{2066}", "x\\u{202e}y\\u{2066}"),
            ("a\u{2028}b", "a\\u{2028}b"),
        ];
        for (text, shown) in cases {
            assert_eq!(visible(text), shown, "{text:?}");
        }
    }

    #[test]
    fn shortens_to_the_width_and_keeps_clusters_whole() {
        use Elide::{End, Middle};
        let cases = [
            ("matmul", 6, End, "matmul"),
            ("matmul", 5, End, "matm…"),
            ("two words", 5, End, "two…"),
            ("kernelbench/level2/28", 11, Middle, "kerne…l2/28"),
            ("行列積計算", 6, End, "行列…"),
            ("行列積計算", 6, Middle, "行…算"),
            ("e\u{301}e\u{301}e\u{301}", 2, End, "e\u{301}…"),
            (
                "e\u{301}e\u{301}e\u{301}e\u{301}",
                3,
                Middle,
                "e\u{301}…e\u{301}",
            ),
            ("👩\u{200d}💻👩\u{200d}💻", 3, End, "👩\u{200d}💻…"),
            ("matmul", 1, End, "…"),
            ("matmul", 0, End, ""),
        ];
        for (text, limit, elide, short) in cases {
            let got = shorten(text, limit, elide);
            assert!(width(&got) <= limit, "{got} is wider than {limit}");
            assert_eq!(got, short, "{text} at {limit}");
        }
    }

    #[test]
    fn wraps_between_words() {
        assert_eq!(
            wrap("a lower bound from declared tensors", 12),
            ["a lower", "bound from", "declared", "tensors"]
        );
        assert_eq!(wrap("", 12), [""]);
        assert!(
            wrap("042cbedf49d1042cbedf49d1", 10)
                .iter()
                .all(|l| width(l) <= 10)
        );
        assert!(
            wrap("行列積計算の下限を示す", 7)
                .iter()
                .all(|l| width(l) <= 7)
        );
    }
}
