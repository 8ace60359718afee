//! Tables that fit. Columns that may give way do so from the widest on, figures and
//! dates are never cut, and whole columns are left out last, the least important
//! first.

use std::borrow::Cow;

use super::style::{Mark, Paint};
use super::text::{self, Elide};

/// Blanks between two columns.
const GUTTER: usize = 2;

/// How a column's content may be treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Words: left-aligned, may be shortened.
    Text(Elide),
    /// Dates, codes, flags: left-aligned, never shortened.
    Fixed,
    /// Figures: right-aligned, never shortened.
    Number,
}

/// One column's title and behaviour.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    /// Title, shown in capitals.
    pub(crate) title: String,
    /// How its content may be treated.
    pub(crate) kind: Kind,
    /// 0 is never left out; the higher, the earlier.
    pub(crate) priority: u8,
    /// Columns below which a text is not shortened.
    pub(crate) min_width: usize,
}

/// One cell: display text and what it is.
#[derive(Debug, Clone, Default)]
pub(crate) struct TableCell {
    /// Text as people read it.
    pub(crate) text: String,
    /// What it is, as far as style goes.
    pub(crate) mark: Mark,
}

/// A table ready to be laid out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    heads: Vec<Head>,
    /// How many rows there are, the titles among them.
    rows: usize,
    /// The cells, row by row.
    cells: Vec<Placed>,
    /// Their texts, one behind the other: thousands of short strings take longer to make
    /// than to print.
    text: String,
}

/// A cell whose text stands in the table's.
#[derive(Debug, Clone, Copy)]
struct Placed {
    /// Where its text ends; it begins where the one before ends.
    end: usize,
    /// Columns that the text takes; one of billions is as wide as any.
    width: u32,
    mark: Mark,
}

/// A table as laid out for one width.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Laid {
    /// Its lines, each with its end.
    pub(crate) text: String,
    /// Titles of the columns for which there was no room.
    pub(crate) left_out: Vec<String>,
}

impl Table {
    /// A table of these columns, without rows.
    pub(crate) fn new(heads: Vec<Head>) -> Self {
        let titles: Vec<TableCell> = heads
            .iter()
            .map(|head| TableCell {
                text: head.title.to_ascii_uppercase(),
                mark: Mark::Dim,
            })
            .collect();
        let mut table = Self {
            heads,
            ..Self::default()
        };
        table.row(titles);
        table
    }

    /// Makes room for this many rows more.
    pub(crate) fn reserve(&mut self, rows: usize) {
        /// Bytes of a middling cell.
        const TEXT: usize = 16;
        let cells = rows * self.heads.len();
        self.cells.reserve_exact(cells);
        self.text.reserve_exact(cells * TEXT);
    }

    /// Adds a row; its cells stand in the order of the columns.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = TableCell>) {
        let missing = std::iter::repeat_with(TableCell::default);
        for cell in cells.into_iter().chain(missing).take(self.heads.len()) {
            let shown = text::visible(cell.text.trim());
            self.text.push_str(&shown);
            self.cells.push(Placed {
                end: self.text.len(),
                width: u32::try_from(text::width(&shown)).unwrap_or(u32::MAX),
                mark: cell.mark,
            });
        }
        self.rows += 1;
    }

    /// The text of a cell, counted from the first title on.
    fn text(&self, cell: usize) -> &str {
        let start = cell
            .checked_sub(1)
            .map_or(0, |before| self.cells[before].end);
        &self.text[start..self.cells[cell].end]
    }

    /// Lays the table out in `width` columns.
    pub(crate) fn lay_out(&self, width: usize, paint: Paint) -> Laid {
        let natural: Vec<usize> = self.natural_widths(width);
        let (shown, widths) = self.fit(&natural, width);
        let line = widths.iter().map(|width| width + GUTTER).sum::<usize>();
        let mut text = String::with_capacity(self.rows * line);
        for row in 0..self.rows {
            self.line(&mut text, row, &shown, &widths, paint);
        }
        let left_out = (0..self.heads.len())
            .filter(|column| !shown.contains(column))
            .map(|column| self.heads[column].title.clone())
            .collect();
        Laid { text, left_out }
    }

    /// What each column would like, at most the whole width for one that may shrink.
    fn natural_widths(&self, width: usize) -> Vec<usize> {
        let mut natural = vec![0; self.heads.len()];
        for (cell, column) in self.cells.iter().zip((0..natural.len()).cycle()) {
            natural[column] = natural[column].max(cell.width as usize);
        }
        for (widest, head) in natural.iter_mut().zip(&self.heads) {
            if matches!(head.kind, Kind::Text(_)) {
                *widest = width.min(*widest);
            }
        }
        natural
    }

    /// The columns to show, in order, and their widths.
    fn fit(&self, natural: &[usize], width: usize) -> (Vec<usize>, Vec<usize>) {
        let mut shown: Vec<usize> = (0..self.heads.len()).collect();
        loop {
            let mut widths: Vec<usize> = shown.iter().map(|&column| natural[column]).collect();
            let gutters = GUTTER * shown.len().saturating_sub(1);
            let mut excess = (widths.iter().sum::<usize>() + gutters).saturating_sub(width);
            while excess > 0 {
                let widest = (0..shown.len())
                    .filter(|&at| widths[at] > self.least(shown[at], natural[shown[at]]))
                    .max_by_key(|&at| (widths[at], at));
                let Some(widest) = widest else { break };
                widths[widest] -= 1;
                excess -= 1;
            }
            let dropped = (0..shown.len())
                .filter(|&at| self.heads[shown[at]].priority > 0)
                .max_by_key(|&at| (self.heads[shown[at]].priority, at));
            match dropped {
                Some(at) if excess > 0 => drop(shown.remove(at)),
                _ => return (shown, widths),
            }
        }
    }

    /// The least width of a column before another one is left out instead.
    fn least(&self, column: usize, natural: usize) -> usize {
        let head = &self.heads[column];
        match head.kind {
            Kind::Text(_) => head.min_width.min(natural),
            Kind::Fixed | Kind::Number => natural,
        }
    }

    fn line(&self, line: &mut String, row: usize, shown: &[usize], widths: &[usize], paint: Paint) {
        // Blanks are held back until something follows: no line ends in blanks.
        let mut blanks = 0;
        for (&column, &width) in shown.iter().zip(widths) {
            let at = row * self.heads.len() + column;
            let (own, cell) = (self.text(at), self.cells[at]);
            let taken = cell.width as usize;
            let elide = match self.heads[column].kind {
                Kind::Text(elide) => elide,
                Kind::Fixed | Kind::Number => Elide::End,
            };
            let (content, rest) = if taken <= width {
                (Cow::Borrowed(own), width - taken)
            } else {
                let short = text::shorten(own, width, elide);
                let rest = width.saturating_sub(text::width(&short));
                (short, rest)
            };
            let right = self.heads[column].kind == Kind::Number;
            if right {
                blanks += rest;
            }
            if !content.is_empty() {
                line.extend(std::iter::repeat_n(' ', blanks));
                paint.write(line, cell.mark, &content);
                blanks = 0;
            }
            if !right {
                blanks += rest;
            }
            blanks += GUTTER;
        }
        line.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn head(title: &str, kind: Kind, priority: u8) -> Head {
        Head {
            title: title.to_owned(),
            kind,
            priority,
            min_width: 12,
        }
    }

    fn heads() -> Vec<Head> {
        vec![
            head("Operation", Kind::Text(Elide::Middle), 0),
            head("Name", Kind::Text(Elide::End), 2),
            head("Latency", Kind::Number, 0),
            head("vs #1", Kind::Number, 1),
            head("Observed", Kind::Fixed, 3),
        ]
    }

    fn cells<const N: usize>(texts: [&str; N]) -> [TableCell; N] {
        texts.map(|text| TableCell {
            text: text.to_owned(),
            mark: Mark::Plain,
        })
    }

    fn example() -> Table {
        let mut table = Table::new(heads());
        for row in [
            [
                "kernelbench/level2/28",
                "BMM InstanceNorm Sum ResidualAdd Multiply",
                "2.79 ms ±0.00",
                "1.00×",
                "2026-03-05",
            ],
            [
                "kernelbench/level1/87",
                "行列積と畳み込みの長い名前の演算",
                "13.3 ms ±0.02",
                "2.85×",
                "2026-03-05",
            ],
            [
                "kernelbench/level3/9",
                "Résumé q\u{301}\u{202e}\n\u{1b}[2J",
                "359 ns",
                "",
                "",
            ],
            ["x", "", "160.3 µs", "3866.81×", "2025-07-06"],
        ] {
            table.row(cells(row));
        }
        table
    }

    #[test]
    fn at_160_columns_all_is_shown() {
        let laid = example().lay_out(160, Paint::OFF);
        assert!(laid.left_out.is_empty());
        insta::assert_snapshot!(laid.text, @r"
        OPERATION              NAME                                             LATENCY     VS #1  OBSERVED
        kernelbench/level2/28  BMM InstanceNorm Sum ResidualAdd Multiply  2.79 ms ±0.00     1.00×  2026-03-05
        kernelbench/level1/87  行列積と畳み込みの長い名前の演算           13.3 ms ±0.02     2.85×  2026-03-05
        kernelbench/level3/9   Résumé q́\u{202e}\n\x1b[2J                         359 ns
        x                                                                      160.3 µs  3866.81×  2025-07-06
        ");
    }

    #[test]
    fn at_80_columns_the_widest_gives_way() {
        let laid = example().lay_out(80, Paint::OFF);
        assert!(laid.left_out.is_empty());
        insta::assert_snapshot!(laid.text, @r"
        OPERATION              NAME                        LATENCY     VS #1  OBSERVED
        kernelbench/level2/28  BMM InstanceNorm Su…  2.79 ms ±0.00     1.00×  2026-03-05
        kernelbench/level1/87  行列積と畳み込みの…   13.3 ms ±0.02     2.85×  2026-03-05
        kernelbench/level3/9   Résumé q́\u{202e}\n\…         359 ns
        x                                                 160.3 µs  3866.81×  2025-07-06
        ");
    }

    #[test]
    fn at_40_columns_the_least_important_are_left_out() {
        let laid = example().lay_out(40, Paint::OFF);
        assert_eq!(laid.left_out, ["Name", "Observed"]);
        insta::assert_snapshot!(laid.text, @"
        OPERATION              LATENCY     VS #1
        kernelb…vel2/28  2.79 ms ±0.00     1.00×
        kernelb…vel1/87  13.3 ms ±0.02     2.85×
        kernelb…evel3/9         359 ns
        x                     160.3 µs  3866.81×
        ");
    }

    #[test]
    fn paint_takes_no_room() {
        let mut table = Table::new(vec![
            head("A", Kind::Text(Elide::End), 0),
            head("B", Kind::Number, 0),
        ]);
        let mut row = cells(["stale", "1"]);
        row[0].mark = Mark::Doubt;
        table.row(row);
        table.row(cells(["x"]));
        assert_eq!(
            table.lay_out(80, Paint::new(true)).text,
            "\u{1b}[2mA\u{1b}[0m      \u{1b}[2mB\u{1b}[0m\n\u{1b}[33mstale\u{1b}[0m  1\nx\n"
        );
    }

    fn any_kind() -> impl Strategy<Value = Kind> {
        prop_oneof![
            Just(Kind::Text(Elide::End)),
            Just(Kind::Text(Elide::Middle)),
            Just(Kind::Number),
        ]
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_width(
            width in 20_usize..200,
            kinds in prop::collection::vec(any_kind(), 1..7),
            texts in prop::collection::vec(any::<String>(), 0..24),
            figures in prop::collection::vec("[0-9]{1,6}\\.[0-9]{2} (ns|µs|ms)", 24),
        ) {
            let heads = kinds.iter().enumerate().map(|(at, &kind)| head("Title", kind, u8::from(at > 0)));
            let mut table = Table::new(heads.collect());
            for (row, figures) in texts.chunks(kinds.len()).zip(figures.chunks(kinds.len()).cycle()) {
                let row = row.iter().zip(figures).zip(&kinds).map(|((text, figure), kind)| TableCell {
                    text: if *kind == Kind::Number { figure } else { text }.clone(),
                    mark: Mark::Plain,
                });
                table.row(row);
            }
            let laid = table.lay_out(width, Paint::OFF);
            prop_assert_eq!(laid.text.lines().count(), table.rows);
            for line in laid.text.lines() {
                prop_assert!(text::width(line) <= width, "{:?}", line);
                prop_assert_eq!(line.trim_end_matches(' '), line);
            }
        }
    }
}
