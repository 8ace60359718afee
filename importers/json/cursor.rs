//! Walking a document without building a tree of it.

use std::borrow::Cow;

use jiter::{Jiter, Peek};

use crate::Refused;

use super::node::{Key, Member, Node, Object, Span, Value};
use super::text::{Document, escape_pointer};

/// How deep arrays and objects may nest.
pub const MAX_DEPTH: usize = 128;

/// What kind of value comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number or a non-finite word.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// A place in a document between two values, moving forward only.
///
/// Objects are entered and their members asked for one by one; what lies between is
/// read as a [`Node`] or skipped. Errors carry the pointer of the member being read.
#[derive(Debug)]
pub struct Cursor<'d, 'a> {
    pub(super) document: &'d Document<'a>,
    pub(super) jiter: Jiter<'a>,
    /// Pointer of the member being read.
    pub(super) pointer: String,
    /// Length of the pointer of each entered object.
    entered: Vec<usize>,
    /// An object was entered and its first key not yet asked for.
    fresh: bool,
}

impl<'d, 'a> Cursor<'d, 'a> {
    pub(super) fn new(document: &'d Document<'a>) -> Self {
        Self {
            document,
            jiter: Jiter::new(document.text().as_bytes()).with_allow_inf_nan(),
            pointer: String::new(),
            entered: Vec::new(),
            fresh: false,
        }
    }

    /// RFC 6901 pointer of the member being read.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// What kind of value comes next; consumes nothing.
    ///
    /// # Errors
    ///
    /// No value comes next: the text ends, or something else stands there.
    pub fn kind(&mut self) -> Result<Kind, Refused> {
        let peek = self.peek()?;
        Ok(match peek {
            Peek::Null => Kind::Null,
            Peek::True | Peek::False => Kind::Bool,
            Peek::String => Kind::String,
            Peek::Array => Kind::Array,
            Peek::Object => Kind::Object,
            _ => Kind::Number,
        })
    }

    /// Enters the object that comes next; `false`, and nothing consumed, if it is none.
    ///
    /// # Errors
    ///
    /// No value comes next, or the nesting is too deep.
    pub fn enter(&mut self) -> Result<bool, Refused> {
        if self.kind()? != Kind::Object {
            return Ok(false);
        }
        if self.entered.len() >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.entered.push(self.pointer.len());
        self.fresh = true;
        Ok(true)
    }

    /// The next key of the object entered last; `None` leaves that object.
    ///
    /// # Errors
    ///
    /// The text ends or is no JSON here.
    pub fn next_key(&mut self) -> Result<Option<Key<'a>>, Refused> {
        let Some(&parent) = self.entered.last() else {
            return Ok(None);
        };
        self.pointer.truncate(parent);
        let before = self.jiter.current_index();
        let first = std::mem::take(&mut self.fresh);
        let length = if first {
            self.jiter.next_object_bytes()
        } else {
            self.jiter.next_key_bytes()
        }
        .map(|key| key.map(<[u8]>::len));
        let length = match length {
            Ok(Some(length)) => length,
            Ok(None) => {
                self.entered.pop();
                return Ok(None);
            }
            Err(error) => return Err(self.syntax(&error)),
        };
        let key = self.key(before, length)?;
        self.pointer.push('/');
        self.pointer.push_str(&escape_pointer(&key.name));
        Ok(Some(key))
    }

    /// Reads the next value as a tree.
    ///
    /// # Errors
    ///
    /// The text ends or is no JSON here, or the nesting is too deep.
    pub fn value(&mut self) -> Result<Node<'a>, Refused> {
        self.node(self.entered.len())
    }

    /// Passes over the next value.
    ///
    /// # Errors
    ///
    /// The text ends or is no JSON here, or the nesting is too deep.
    pub fn skip(&mut self) -> Result<Span, Refused> {
        self.peek()?;
        let start = self.jiter.current_index();
        self.jiter
            .next_skip()
            .map_err(|error| self.syntax(&error))?;
        Ok(self.span(start))
    }

    /// Leaves every entered object and checks that nothing but blanks follows the value.
    ///
    /// # Errors
    ///
    /// The text ends or is no JSON here; or a second value follows, as in JSON Lines.
    pub fn finish(&mut self) -> Result<(), Refused> {
        while !self.entered.is_empty() {
            if self.next_key()?.is_some() {
                self.skip()?;
            }
        }
        self.pointer.clear();
        let end = self.jiter.current_index();
        self.jiter.finish().map_err(|_| self.trailing(end))
    }

    fn node(&mut self, depth: usize) -> Result<Node<'a>, Refused> {
        let peek = self.peek()?;
        let start = self.jiter.current_index();
        let value = match peek {
            Peek::Null => {
                let read = self.jiter.known_null();
                read.map_err(|error| self.syntax(&error))?;
                Value::Null
            }
            Peek::True | Peek::False => {
                let read = self.jiter.known_bool(peek);
                Value::Bool(read.map_err(|error| self.syntax(&error))?)
            }
            Peek::String => {
                let read = self.jiter.known_bytes().map(drop);
                read.map_err(|error| self.syntax(&error))?;
                Value::String(self.string(self.span(start))?)
            }
            Peek::Array | Peek::Object if depth >= MAX_DEPTH => return Err(self.too_deep()),
            Peek::Array => Value::Array(self.items(depth + 1)?),
            Peek::Object => Value::Object(self.members(depth + 1)?),
            _ => {
                let read = self.jiter.known_number_bytes(peek).map(drop);
                read.map_err(|error| self.syntax(&error))?;
                let text = self.slice(self.span(start));
                if text.ends_with(|last: char| last.is_ascii_digit()) {
                    Value::Number(text)
                } else {
                    Value::NonFinite(text)
                }
            }
        };
        Ok(Node {
            span: self.span(start),
            value,
        })
    }

    fn items(&mut self, depth: usize) -> Result<Vec<Node<'a>>, Refused> {
        let mut items = Vec::new();
        let mut next = self.jiter.known_array();
        loop {
            match next {
                Ok(Some(_)) => items.push(self.node(depth)?),
                Ok(None) => return Ok(items),
                Err(error) => return Err(self.syntax(&error)),
            }
            next = self.jiter.array_step();
        }
    }

    fn members(&mut self, depth: usize) -> Result<Object<'a>, Refused> {
        let mut members = Vec::new();
        let mut before = self.jiter.current_index();
        let mut next = self.jiter.next_object_bytes();
        loop {
            match next.map(|key| key.map(<[u8]>::len)) {
                Ok(Some(length)) => members.push(Member {
                    key: self.key(before, length)?,
                    node: self.node(depth)?,
                }),
                Ok(None) => return Ok(Object { members }),
                Err(error) => return Err(self.syntax(&error)),
            }
            before = self.jiter.current_index();
            next = self.jiter.next_key_bytes();
        }
    }

    /// The key of `length` bytes just read; only punctuation lies between `before` and
    /// its opening quote.
    fn key(&self, before: usize, length: usize) -> Result<Key<'a>, Refused> {
        let rest = self.document.text().get(before..).unwrap_or_default();
        let start = before + rest.find('"').unwrap_or_default();
        let span = Span {
            start,
            end: start + length + 2,
        };
        Ok(Key {
            name: self.string(span)?,
            span,
        })
    }

    /// A string with its escapes resolved; the span includes the quotes.
    fn string(&self, span: Span) -> Result<Cow<'a, str>, Refused> {
        let quoted = self.slice(span);
        let raw = quoted
            .get(1..quoted.len().saturating_sub(1))
            .unwrap_or_default();
        if !raw.contains('\\') {
            return Ok(Cow::Borrowed(raw));
        }
        let mut inner = Jiter::new(quoted.as_bytes());
        match inner.next_str() {
            Ok(text) => Ok(Cow::Owned(text.to_owned())),
            Err(mut error) => {
                error.index += span.start;
                Err(self.syntax(&error))
            }
        }
    }

    fn peek(&mut self) -> Result<Peek, Refused> {
        let peek = self.jiter.peek().map_err(|error| self.syntax(&error))?;
        let starts_value = peek.is_num()
            || matches!(
                peek,
                Peek::Null | Peek::True | Peek::False | Peek::String | Peek::Array | Peek::Object
            );
        if starts_value {
            Ok(peek)
        } else {
            Err(self.unexpected(self.jiter.current_index(), "a value"))
        }
    }

    fn span(&self, start: usize) -> Span {
        Span {
            start,
            end: self.jiter.current_index(),
        }
    }

    fn slice(&self, span: Span) -> &'a str {
        self.document
            .text()
            .get(span.start..span.end)
            .unwrap_or_default()
    }
}
