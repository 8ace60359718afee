//! What colours mean. Every style used on a terminal has its name here, and nothing
//! is said by colour alone.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

/// Whether styles are written at all; one decision for each stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paint(bool);

impl Paint {
    /// Writes no escape sequence.
    #[cfg(test)]
    pub(crate) const OFF: Self = Self(false);

    /// Writes styles if `on`.
    pub(crate) const fn new(on: bool) -> Self {
        Self(on)
    }

    /// `text` in the style of `mark`; `text` itself without paint.
    pub(crate) fn paint(self, mark: Mark, text: &str) -> String {
        let mut painted = String::with_capacity(text.len());
        self.write(&mut painted, mark, text);
        painted
    }

    /// The same at the end of a line.
    pub(crate) fn write(self, line: &mut String, mark: Mark, text: &str) {
        if !self.0 || mark == Mark::Plain || text.is_empty() {
            line.push_str(text);
            return;
        }
        let style = mark.style();
        // Writing to a string cannot fail.
        let _ = write!(line, "{style}{text}{style:#}");
    }
}

/// What a piece of text is, as far as its style goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Mark {
    /// Ordinary text.
    #[default]
    Plain,
    /// Secondary: may be overlooked.
    Dim,
    /// The thing a page or a row is about.
    Strong,
    /// Better than what it is compared with.
    Good,
    /// To be read with doubt: stale, tied, assumed.
    Doubt,
    /// Wrong or refused.
    Bad,
}

impl Mark {
    fn style(self) -> Style {
        let color = |color: AnsiColor| Style::new().fg_color(Some(color.into()));
        match self {
            Self::Plain => Style::new(),
            Self::Dim => Style::new().dimmed(),
            Self::Strong => Style::new().bold(),
            Self::Good => color(AnsiColor::Green),
            Self::Doubt => color(AnsiColor::Yellow),
            Self::Bad => color(AnsiColor::Red).bold(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paints_only_when_asked() {
        assert_eq!(Paint::OFF.paint(Mark::Bad, "x"), "x");
        assert_eq!(Paint::new(true).paint(Mark::Plain, "x"), "x");
        assert_eq!(Paint::new(true).paint(Mark::Dim, ""), "");
        assert_eq!(
            Paint::new(true).paint(Mark::Doubt, "x"),
            "\u{1b}[33mx\u{1b}[0m"
        );
    }
}
