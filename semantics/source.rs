//! A module file before evaluation: limits, parsing, and the way from an offset to a line.
//!
//! The parser recurses, and its tree drops recursively, so nesting is bounded on the
//! lexer's tokens before anything is parsed.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, ParseError, ParseErrorType, lexer::lex, parse_module};
use ruff_source_file::LineIndex;
use ruff_text_size::{Ranged, TextSize};

/// Largest file that is read, in bytes.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// Deepest nesting that is parsed: open brackets, enclosing blocks and the operators,
/// attributes, calls and keywords that a tree nests, added up.
pub(crate) const MAX_DEPTH: usize = 200;

/// Why a file was not analysed at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct Refusal {
    /// 1-based line, where one is to blame.
    pub line: Option<u32>,
    /// What was found and what is allowed.
    pub reason: String,
}

/// A parsed module and its text.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) suite: Vec<ruff_python_ast::Stmt>,
    lines: LineIndex,
}

impl Source {
    /// Checks the limits and parses.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        if bytes.len() > MAX_BYTES {
            return Err(Refusal {
                line: None,
                reason: format!("the file has {} bytes; at most {MAX_BYTES}", bytes.len()),
            });
        }
        let text = std::str::from_utf8(bytes).map_err(|error| Refusal {
            line: Some(line_of_byte(bytes, error.valid_up_to())),
            reason: "not UTF-8".to_owned(),
        })?;
        let lines = LineIndex::from_source_text(text);
        if is_too_deep(text) {
            return Err(Refusal {
                line: Some(line_too_deep(text)),
                reason: format!("nested deeper than {MAX_DEPTH}"),
            });
        }
        let parsed = parse_module(text).map_err(|error| Refusal {
            line: Some(line_of(&lines, error.location.start())),
            reason: describe(&error),
        })?;
        Ok(Self {
            suite: parsed.into_syntax().body.into_iter().collect(),
            lines,
        })
    }

    /// 1-based line on which a node begins.
    pub(crate) fn line(&self, node: &impl Ranged) -> u32 {
        line_of(&self.lines, node.start())
    }
}

fn describe(error: &ParseError) -> String {
    match &error.error {
        ParseErrorType::Lexical(error) => format!("syntax error: {error}"),
        error => format!("syntax error: {error}"),
    }
}

fn line_of(lines: &LineIndex, offset: TextSize) -> u32 {
    u32::try_from(lines.line_index(offset).get()).unwrap_or(u32::MAX)
}

fn line_of_byte(bytes: &[u8], offset: usize) -> u32 {
    let before = bytes.get(..offset).unwrap_or(bytes);
    let lines = before.split(|&byte| byte == b'\n').count();
    u32::try_from(lines).unwrap_or(u32::MAX)
}

/// The first line up to whose end the text is too deep. The lexer tells no offsets, but
/// a prefix gives the same tokens, so the line can be searched for.
fn line_too_deep(text: &str) -> u32 {
    let ends: Vec<usize> = text
        .split_inclusive('\n')
        .scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        })
        .collect();
    let before = ends.partition_point(|&end| text.get(..end).is_some_and(|t| !is_too_deep(t)));
    u32::try_from(before + 1).unwrap_or(u32::MAX)
}

/// What opened a level of the token stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opener {
    Module,
    Paren,
    Bracket,
    Brace,
    Interpolated,
    /// Parameters of a lambda, up to its colon: commas there don't end the lambda.
    Lambda,
}

/// Whether some tree node could lie deeper than [`MAX_DEPTH`]. An upper bound: flat
/// chains count like nested ones.
fn is_too_deep(text: &str) -> bool {
    let mut levels = vec![(Opener::Module, 0_usize)];
    let mut indents = 0_usize;
    // Chain tokens of all open levels, kept as a running sum.
    let mut chained = 0_usize;
    let mut lexer = lex(text, Mode::Module);
    loop {
        match lexer.next_token() {
            TokenKind::EndOfFile => return false,
            TokenKind::Indent => indents += 1,
            TokenKind::Dedent => indents = indents.saturating_sub(1),
            TokenKind::Newline => {
                levels.truncate(1);
                chained = 0;
                if let Some(level) = levels.first_mut() {
                    level.1 = 0;
                }
            }
            TokenKind::Comma | TokenKind::Semi => {
                if let Some(level) = levels.last_mut() {
                    chained -= level.1;
                    level.1 = 0;
                }
            }
            TokenKind::Colon => {
                let ends_lambda = levels.last().is_some_and(|l| l.0 == Opener::Lambda);
                if ends_lambda {
                    chained -= levels.pop().map_or(0, |level| level.1);
                }
                if ends_lambda || levels.len() == 1 {
                    chain(&mut levels, &mut chained);
                }
            }
            kind => {
                if let Some(opener) = opener(kind) {
                    // A call or a subscript nests what stands before it, too.
                    chain(&mut levels, &mut chained);
                    levels.push((opener, 0));
                } else if let Some(opener) = closer(kind) {
                    close(&mut levels, &mut chained, opener);
                } else if nests(kind) {
                    chain(&mut levels, &mut chained);
                }
            }
        }
        if levels.len() + indents + chained > MAX_DEPTH {
            return true;
        }
    }
}

fn chain(levels: &mut [(Opener, usize)], chained: &mut usize) {
    if let Some(level) = levels.last_mut() {
        level.1 += 1;
        *chained += 1;
    }
}

/// Closes the innermost level of that kind. A closer that matches nothing is left to
/// the parser, which reports it.
fn close(levels: &mut Vec<(Opener, usize)>, chained: &mut usize, opener: Opener) {
    let innermost = levels.iter().rposition(|level| level.0 != Opener::Lambda);
    let Some(at) = innermost.filter(|&at| levels.get(at).is_some_and(|l| l.0 == opener)) else {
        return;
    };
    for level in levels.drain(at..) {
        *chained -= level.1;
    }
}

fn opener(kind: TokenKind) -> Option<Opener> {
    Some(match kind {
        TokenKind::Lpar => Opener::Paren,
        TokenKind::Lsqb => Opener::Bracket,
        TokenKind::Lbrace => Opener::Brace,
        TokenKind::FStringStart | TokenKind::TStringStart => Opener::Interpolated,
        TokenKind::Lambda => Opener::Lambda,
        _ => return None,
    })
}

fn closer(kind: TokenKind) -> Option<Opener> {
    Some(match kind {
        TokenKind::Rpar => Opener::Paren,
        TokenKind::Rsqb => Opener::Bracket,
        TokenKind::Rbrace => Opener::Brace,
        TokenKind::FStringEnd | TokenKind::TStringEnd => Opener::Interpolated,
        _ => return None,
    })
}

/// Tokens that put one tree node inside another (or may, in a malformed text).
fn nests(kind: TokenKind) -> bool {
    kind.is_operator() && !matches!(kind, TokenKind::Equal)
        || matches!(
            kind,
            TokenKind::Dot
                | TokenKind::Not
                | TokenKind::And
                | TokenKind::Or
                | TokenKind::In
                | TokenKind::Is
                | TokenKind::If
                | TokenKind::Else
                | TokenKind::Await
                | TokenKind::Async
                | TokenKind::Yield
                | TokenKind::From
                | TokenKind::ColonEqual
                | TokenKind::Question
                | TokenKind::Exclamation
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> Refusal {
        Source::parse(text.as_bytes()).unwrap_err()
    }

    #[test]
    fn a_byte_order_mark_is_no_error() {
        assert!(Source::parse("\u{feff}x = 1\n".as_bytes()).is_ok());
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_line() {
        assert_eq!(
            Source::parse(b"x = 1\ny = '\xff'\n")
                .unwrap_err()
                .to_string(),
            "line 2: not UTF-8"
        );
        assert_eq!(refusal("x = 1\n\ndef f(:\n").line, Some(3));
        assert_eq!(refusal(&"#".repeat(MAX_BYTES + 1)).line, None);
    }

    #[test]
    fn everything_that_nests_is_bounded() {
        let n = 100_000;
        let deep = [
            "(".repeat(n),
            "[".repeat(n),
            "{1:".repeat(n),
            "x = ".to_owned() + &"-".repeat(n) + "1",
            "x = ".to_owned() + &"not ".repeat(n) + "1",
            "x = ".to_owned() + &"await ".repeat(n) + "1",
            "x = 1".to_owned() + &" + 1".repeat(n),
            "x = 1".to_owned() + &" ** 1".repeat(n),
            "x = a".to_owned() + &".a".repeat(n),
            "x = a".to_owned() + &"()".repeat(n),
            "x = a".to_owned() + &"[0]".repeat(n),
            "x = ".to_owned() + &"lambda: ".repeat(n) + "1",
            "x = ".to_owned() + &"lambda a, b: ".repeat(n) + "1",
            "x = ".to_owned() + &"lambda a=".repeat(n) + "1",
            "x = ".to_owned() + &"1 if a else ".repeat(n) + "1",
            "x = ".to_owned() + &"f'{".repeat(n),
            "x = ".to_owned() + &"*".repeat(n) + "a",
            "async ".repeat(n),
            (0..1_000).fold(String::new(), |text, i| text + &" ".repeat(i) + "if a:\n"),
        ];
        for text in deep {
            let text = format!("a = 1\n{text}");
            assert!(is_too_deep(&text), "{text:.20}");
        }
        assert_eq!(refusal(&format!("\n\n{}\n", "(".repeat(300))).line, Some(3));
    }

    #[test]
    fn long_flat_sources_are_not_deep() {
        let flat = [
            format!("x = [{}]\n", "(1, -2), ".repeat(10_000)),
            format!("f({})\n", "lambda a, b: a + b, ".repeat(1_000)),
            "x = a.b(c)[0]\n".repeat(10_000),
            "if a: x = 1\nelif b: x = 2\n".repeat(5_000),
            format!("if a:\n x = 1\n{}", "elif b:\n x = 2\n".repeat(2_000)),
        ];
        for text in flat {
            assert!(Source::parse(text.as_bytes()).is_ok(), "{text:.20}");
        }
    }
}
