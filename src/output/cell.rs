//! One cell of an answer: the value programs read and the text people read, made
//! from the same figure in one place.

use kidx_queries::metric::Amount;
use serde_json::{Number, Value};

use super::style::Mark;
use super::units;

/// A value, its text, and what it is as far as style goes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    /// The value for CSV and for sorting; `None`: the text itself.
    value: Option<Value>,
    /// The text for tables and Markdown.
    pub(crate) text: String,
    /// What it is, as far as style goes.
    pub(crate) mark: Mark,
}

impl Cell {
    fn new(value: Value, text: String) -> Self {
        Self {
            value: Some(value),
            text,
            mark: Mark::Plain,
        }
    }

    /// The value for CSV and for sorting.
    pub(crate) fn value(self) -> Value {
        self.value.unwrap_or(Value::String(self.text))
    }

    /// Words, ids, dates.
    pub(crate) fn text(text: impl AsRef<str>) -> Self {
        Self {
            value: None,
            text: text.as_ref().to_owned(),
            mark: Mark::Plain,
        }
    }

    /// There is no such figure here: `–`.
    pub(crate) fn none() -> Self {
        Self::new(Value::Null, "–".to_owned()).mark(Mark::Dim)
    }

    /// There is one, but nobody stated it.
    pub(crate) fn unknown() -> Self {
        Self::new(Value::Null, "unknown".to_owned()).mark(Mark::Dim)
    }

    /// A duration in picoseconds; the value is in nanoseconds.
    pub(crate) fn latency(ps: i64) -> Self {
        Self::new(Value::Number(units::nanoseconds(ps)), units::latency(ps))
    }

    /// A figure of any metric; the value is in the metric's unit.
    pub(crate) fn amount(amount: &Amount) -> Self {
        amount.value.clone().map_or_else(Self::none, |value| {
            Self::new(Value::Number(value), amount.shown())
        })
    }

    /// A ratio; one that is not finite is none.
    pub(crate) fn ratio(ratio: f64) -> Self {
        Number::from_f64(ratio).map_or_else(Self::none, |number| {
            Self::new(Value::Number(number), units::ratio(ratio))
        })
    }

    /// A share of a whole.
    pub(crate) fn share(share: f64) -> Self {
        Number::from_f64(share).map_or_else(Self::none, |number| {
            Self::new(Value::Number(number), units::share(share))
        })
    }

    /// A figure without unit, as it is; one that is not finite is none.
    pub(crate) fn figure(figure: f64) -> Self {
        Number::from_f64(figure).map_or_else(Self::none, |number| {
            Self::new(Value::Number(number), figure.to_string())
        })
    }

    /// How many there are of something.
    pub(crate) fn count(count: u64) -> Self {
        Self::new(Value::from(count), units::count(count))
    }

    /// An age in days.
    pub(crate) fn age(days: i64) -> Self {
        Self::new(Value::from(days), units::age(days))
    }

    /// Whether something holds: its word, or nothing.
    pub(crate) fn flag(holds: bool, word: &str) -> Self {
        let text = if holds { word } else { "" };
        Self::new(Value::Bool(holds), text.to_owned())
    }

    /// Styled as `mark`.
    pub(crate) fn mark(mut self, mark: Mark) -> Self {
        self.mark = mark;
        self
    }

    /// Shown as `text` instead; the value stays.
    pub(crate) fn shown(mut self, text: impl Into<String>) -> Self {
        let text = std::mem::replace(&mut self.text, text.into());
        self.value.get_or_insert(Value::String(text));
        self
    }
}
