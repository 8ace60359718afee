//! The one owner of standard output and standard error. Data goes to the first;
//! progress, warnings, hints and summaries go to the second, and `-q` silences those
//! alone. An error is always said.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Write};

use anstream::AutoStream;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::style::{Mark, Paint};
use super::text;

/// Width where nothing says one: not a terminal, no `COLUMNS`.
const DEFAULT_WIDTH: usize = 100;
/// Nothing readable fits into less.
const LEAST_WIDTH: usize = 20;

/// When to write colours (`--color`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, as `NO_COLOR` and `CLICOLOR_FORCE` allow.
    #[default]
    Auto,
    /// Even into a file or a pipe.
    Always,
    /// Not at all.
    Never,
}

/// How much is said on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Talk {
    /// Errors only (`-q`).
    Quiet,
    /// Warnings, hints, summaries.
    #[default]
    Normal,
    /// Also how things were done (`-v`).
    Verbose,
}

/// Both output streams and how to write to them.
pub(crate) struct Ui {
    out: Box<dyn Write>,
    err: Box<dyn Write>,
    out_paint: Paint,
    err_paint: Paint,
    width: usize,
    talk: Talk,
    draws: bool,
    bar: ProgressBar,
}

impl Ui {
    /// The process's own streams.
    pub(crate) fn new(color: Color, talk: Talk) -> Self {
        let (out, err) = (io::stdout(), io::stderr());
        let columns = std::env::var("COLUMNS").ok();
        let terminal = terminal_size::terminal_size_of(&out).map(|(width, _)| width.0.into());
        Self {
            out_paint: paint(color, &out),
            err_paint: paint(color, &err),
            width: decide_width(columns.as_deref(), terminal),
            draws: err.is_terminal(),
            // `always_ansi` passes bytes on as they are and lets an old console
            // understand escape sequences; what is painted was decided above.
            out: Box::new(BufWriter::new(AutoStream::always_ansi(out))),
            err: Box::new(AutoStream::always_ansi(err)),
            talk,
            bar: ProgressBar::hidden(),
        }
    }

    /// Where data goes. Buffered: [`Ui::finish`] or any talk writes it out.
    pub(crate) fn out(&mut self) -> &mut dyn Write {
        &mut *self.out
    }

    /// Columns that a line of data may take.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Whether data is painted.
    pub(crate) fn paint(&self) -> Paint {
        self.out_paint
    }

    /// Writes out what is buffered; the last thing a command does.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// A summary or a remark: one line, silenced by `-q`.
    pub(crate) fn note(&mut self, message: impl Display) {
        if self.talk >= Talk::Normal {
            self.say(&harmless(&message));
        }
    }

    /// A secondary remark, dimmed.
    pub(crate) fn aside(&mut self, message: impl Display) {
        if self.talk >= Talk::Normal {
            let line = self.err_paint.paint(Mark::Dim, &harmless(&message));
            self.say(&line);
        }
    }

    /// How something was done; said only with `-v`.
    pub(crate) fn detail(&mut self, message: impl Display) {
        if self.talk >= Talk::Verbose {
            let line = self.err_paint.paint(Mark::Dim, &harmless(&message));
            self.say(&line);
        }
    }

    /// Something that casts doubt on the answer.
    pub(crate) fn warning(&mut self, message: impl Display) {
        if self.talk >= Talk::Normal {
            self.labelled(Mark::Doubt, "warning", &message);
        }
    }

    /// What to try.
    pub(crate) fn hint(&mut self, message: impl Display) {
        if self.talk >= Talk::Normal {
            self.labelled(Mark::Good, "hint", &message);
        }
    }

    /// Why a command failed; said whatever the talk level.
    pub(crate) fn error(&mut self, message: impl Display) {
        self.labelled(Mark::Bad, "error", &message);
    }

    /// A cause below an error.
    pub(crate) fn cause(&mut self, message: impl Display) {
        self.labelled(Mark::Dim, "  because", &message);
    }

    /// Shows that work goes on: a bar over `total` steps, or a spinner when nobody
    /// knows how many. Drawn only on a terminal and not under `-q`.
    pub(crate) fn progress(&mut self, total: Option<u64>, message: &str) -> Progress {
        if !self.draws || self.talk == Talk::Quiet {
            return Progress(ProgressBar::hidden());
        }
        let template = match total {
            Some(_) => "{msg} {wide_bar} {human_pos}/{human_len}",
            None => "{spinner} {msg}",
        };
        let style = ProgressStyle::with_template(template)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━╸ ");
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr())
            .with_style(style)
            .with_message(text::visible(message).into_owned());
        bar.enable_steady_tick(std::time::Duration::from_millis(120));
        self.bar = bar.clone();
        Progress(bar)
    }

    fn labelled(&mut self, mark: Mark, label: &str, message: &dyn Display) {
        let label = self.err_paint.paint(mark, label);
        self.say(&format!("{label}: {}", harmless(message)));
    }

    /// One line of talk. Data written before comes first; where standard error is
    /// gone there is nobody left to tell.
    fn say(&mut self, line: &str) {
        let _ = self.out.flush();
        let err = &mut self.err;
        self.bar.suspend(|| {
            let _ = writeln!(err, "{line}").and_then(|()| err.flush());
        });
    }
}

/// A bar or spinner; it goes away when dropped.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Some steps are done.
    pub(crate) fn advance(&self, steps: u64) {
        self.0.inc(steps);
    }

    /// What is being done now.
    pub(crate) fn message(&self, message: &str) {
        self.0.set_message(text::visible(message).into_owned());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn paint<S: anstream::stream::RawStream>(color: Color, stream: &S) -> Paint {
    Paint::new(match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => AutoStream::choice(stream) != anstream::ColorChoice::Never,
    })
}

/// A message whose names, taken from input, cannot act on the terminal.
fn harmless(message: &dyn Display) -> String {
    let message = message.to_string();
    let lines: Vec<_> = message.lines().map(text::visible).collect();
    lines.join("\n")
}

/// `COLUMNS`, else the terminal's width, else a hundred.
fn decide_width(columns: Option<&str>, terminal: Option<usize>) -> usize {
    columns
        .and_then(|columns| columns.trim().parse().ok())
        .filter(|&columns: &usize| columns > 0)
        .or(terminal)
        .unwrap_or(DEFAULT_WIDTH)
        .max(LEAST_WIDTH)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;

    /// What was written to one of the streams of a [`captured`] Ui.
    #[derive(Clone, Default)]
    pub(crate) struct Captured(Rc<RefCell<Vec<u8>>>);

    impl Captured {
        /// Everything so far.
        pub(crate) fn text(&self) -> String {
            String::from_utf8_lossy(&self.0.borrow()).into_owned()
        }
    }

    impl Write for Captured {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A Ui that writes, unpainted, into memory.
    pub(crate) fn captured(width: usize, talk: Talk) -> (Ui, Captured, Captured) {
        let (out, err) = (Captured::default(), Captured::default());
        let ui = Ui {
            out: Box::new(out.clone()),
            err: Box::new(err.clone()),
            out_paint: Paint::OFF,
            err_paint: Paint::OFF,
            width,
            talk,
            draws: false,
            bar: ProgressBar::hidden(),
        };
        (ui, out, err)
    }

    #[test]
    fn columns_win_over_the_terminal() {
        let cases = [
            (Some("120"), Some(80), 120),
            (None, Some(80), 80),
            (None, None, DEFAULT_WIDTH),
            (Some(""), None, DEFAULT_WIDTH),
            (Some("0"), Some(80), 80),
            (Some("wide"), Some(80), 80),
            (Some("-1"), None, DEFAULT_WIDTH),
            (Some("3"), None, LEAST_WIDTH),
        ];
        for (columns, terminal, width) in cases {
            assert_eq!(decide_width(columns, terminal), width, "{columns:?}");
        }
    }

    #[test]
    fn quiet_silences_talk_but_neither_data_nor_errors() {
        let talk = |level| {
            let (mut ui, out, err) = captured(80, level);
            writeln!(ui.out(), "data").unwrap();
            ui.note("2 rows");
            ui.aside("secondary");
            ui.warning("odd");
            ui.hint("try");
            ui.detail("took 3 ms");
            ui.error("failed");
            ui.cause("no such file");
            ui.progress(None, "reading").advance(1);
            ui.finish().unwrap();
            assert_eq!(out.text(), "data\n");
            err.text()
        };
        let errors = "error: failed\n  because: no such file\n";
        let normal = "2 rows\nsecondary\nwarning: odd\nhint: try\n";
        assert_eq!(talk(Talk::Quiet), errors);
        assert_eq!(talk(Talk::Normal), format!("{normal}{errors}"));
        assert_eq!(talk(Talk::Verbose), format!("{normal}took 3 ms\n{errors}"));
    }

    #[test]
    fn names_in_messages_cannot_act() {
        let (mut ui, _, err) = captured(80, Talk::Normal);
        ui.error("cannot read `a\u{1b}[2J\tb`\nnor `c\u{202e}`");
        assert_eq!(
            err.text(),
            "error: cannot read `a\\x1b[2J\\tb`\nnor `c\\u{202e}`\n"
        );
    }
}
