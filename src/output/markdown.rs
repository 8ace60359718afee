//! Tables for pages and issue trackers: the pipe form of GitHub-flavoured Markdown.

use std::io::{self, Write};

use super::text;

/// One column's title and alignment.
pub(crate) struct Column<'a> {
    /// Title.
    pub(crate) title: &'a str,
    /// Whether it holds figures, to be right-aligned.
    pub(crate) numeric: bool,
}

/// Writes the titles and the line below them.
pub(crate) fn header(out: &mut dyn Write, columns: &[Column<'_>]) -> io::Result<()> {
    row(out, columns.iter().map(|column| column.title))?;
    for column in columns {
        write!(out, "{}", if column.numeric { "| ---: " } else { "| --- " })?;
    }
    writeln!(out, "|")
}

/// Writes one row.
pub(crate) fn row<'a>(out: &mut dyn Write, cells: impl Iterator<Item = &'a str>) -> io::Result<()> {
    for cell in cells {
        write!(out, "| {} ", escape(cell))?;
    }
    writeln!(out, "|")
}

/// `text` so that it is shown as it is: no markup, no cell or line of its own making.
pub(crate) fn escape(text: &str) -> String {
    // Line breaks become blanks first: a cell is one line.
    let text = text.replace(['\r', '\n', '\t'], " ");
    let text = text::visible(text.trim());
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let inside = before.is_alphanumeric() && rest.peek().is_some_and(|c| c.is_alphanumeric());
        match character {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            // `batch_size` needs no escape, `__init__` does.
            '_' if inside => escaped.push('_'),
            '\\' | '|' | '*' | '`' | '[' | '~' | '_' => {
                escaped.push('\\');
                escaped.push(character);
            }
            plain => escaped.push(plain),
        }
        before = character;
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_would_be_markup() {
        let cases = [
            ("torch.compile (inductor)", "torch.compile (inductor)"),
            ("batch_size", "batch_size"),
            ("__init__", "\\_\\_init\\_\\_"),
            ("a|b", "a\\|b"),
            ("a\\|b", "a\\\\\\|b"),
            ("a\r\nb\tc", "a  b c"),
            ("*x* `y` [z](u) ~w~", "\\*x\\* \\`y\\` \\[z](u) \\~w\\~"),
            ("<script>&", "&lt;script>&amp;"),
            ("\u{1b}[2J", "\\\\x1b\\[2J"),
            ("  ", ""),
        ];
        for (text, escaped) in cases {
            assert_eq!(escape(text), escaped, "{text:?}");
        }
    }

    #[test]
    fn writes_a_table() {
        let mut out = Vec::new();
        let columns = [
            Column {
                title: "Name",
                numeric: false,
            },
            Column {
                title: "Latency",
                numeric: true,
            },
        ];
        header(&mut out, &columns).unwrap();
        row(&mut out, ["a|b", "2.79 ms"].into_iter()).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "| Name | Latency |\n| --- | ---: |\n| a\\|b | 2.79 ms |\n"
        );
    }
}
