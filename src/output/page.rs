//! Pages read from top to bottom: headings, prose, labelled values, tables.

use super::style::{Mark, Paint};
use super::table::Table;
use super::text;

/// Blanks between the longest label and the values.
const GUTTER: usize = 2;
/// Values get at least this many columns, whatever the labels take.
const LEAST_VALUE: usize = 10;
/// Prose wider than this is hard to read.
const PROSE_WIDTH: usize = 100;

/// A page in the making.
pub(crate) struct Page {
    text: String,
    width: usize,
    paint: Paint,
    left_out: Vec<String>,
}

impl Page {
    /// An empty page of `width` columns.
    pub(crate) fn new(width: usize, paint: Paint) -> Self {
        Self {
            text: String::new(),
            width,
            paint,
            left_out: Vec::new(),
        }
    }

    /// What the page is about.
    pub(crate) fn title(&mut self, title: &str) {
        self.lines(Mark::Strong, title, self.width);
    }

    /// Begins a section, one empty line below what stands before it.
    pub(crate) fn section(&mut self, heading: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.lines(Mark::Strong, heading, self.width);
    }

    /// A paragraph, broken between words.
    pub(crate) fn prose(&mut self, mark: Mark, paragraph: &str) {
        self.lines(mark, paragraph, self.width.min(PROSE_WIDTH));
    }

    /// Labels and their values; a long value goes on below itself.
    pub(crate) fn pairs(&mut self, pairs: &[(&str, Mark, String)]) {
        let labels = pairs.iter().map(|(label, ..)| text::width(label)).max();
        let indent = labels.unwrap_or(0) + GUTTER;
        let room = self.width.saturating_sub(indent).max(LEAST_VALUE);
        for (label, mark, value) in pairs {
            self.text.push_str(&self.paint.paint(Mark::Dim, label));
            let mut blanks = indent.saturating_sub(text::width(label));
            for line in text::wrap(value, room) {
                if !line.is_empty() {
                    self.text.extend(std::iter::repeat_n(' ', blanks));
                    self.text.push_str(&self.paint.paint(*mark, &line));
                }
                self.text.push('\n');
                blanks = indent;
            }
        }
    }

    /// A table.
    pub(crate) fn table(&mut self, table: &Table) {
        let laid = table.lay_out(self.width, self.paint);
        self.text.push_str(&laid.text);
        for title in laid.left_out {
            if !self.left_out.contains(&title) {
                self.left_out.push(title);
            }
        }
    }

    /// The page's text, and the titles of the table columns that found no room.
    pub(crate) fn finish(self) -> (String, Vec<String>) {
        (self.text, self.left_out)
    }

    fn lines(&mut self, mark: Mark, paragraph: &str, width: usize) {
        for line in text::wrap(paragraph, width) {
            self.text.push_str(&self.paint.paint(mark, &line));
            self.text.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::{Head, Kind, TableCell};
    use super::*;

    #[test]
    fn a_page_fits_its_width() {
        let mut page = Page::new(40, Paint::OFF);
        page.title("BMM InstanceNorm Sum ResidualAdd Multiply");
        page.prose(
            Mark::Dim,
            "a lower bound from declared tensors and datasheet peaks",
        );
        page.section("Identity");
        page.pairs(&[
            (
                "digest",
                Mark::Plain,
                "sha256:042cbedf49d1042cbedf49d1042cbedf49d1".to_owned(),
            ),
            ("licence", Mark::Doubt, "MIT".to_owned()),
            ("commit", Mark::Plain, String::new()),
        ]);
        page.section("Records");
        let heads = ["Hardware", "Best", "Observed on the day"].map(|title| Head {
            title: title.to_owned(),
            kind: Kind::Fixed,
            priority: u8::from(title != "Hardware"),
            min_width: 0,
        });
        let mut table = Table::new(heads.into());
        table.row(
            ["NVIDIA H100 80GB HBM3", "2.79 ms", "2026-03-05"].map(|text| TableCell {
                text: text.to_owned(),
                mark: Mark::Plain,
            }),
        );
        page.table(&table);
        let (text, left_out) = page.finish();
        assert_eq!(left_out, ["Observed on the day"]);
        assert!(text.lines().all(|line| text::width(line) <= 40));
        insta::assert_snapshot!(text, @"
        BMM InstanceNorm Sum ResidualAdd
        Multiply
        a lower bound from declared tensors and
        datasheet peaks

        Identity
        digest   sha256:042cbedf49d1042cbedf49d1
                 042cbedf49d1
        licence  MIT
        commit

        Records
        HARDWARE               BEST
        NVIDIA H100 80GB HBM3  2.79 ms
        ");
    }
}
