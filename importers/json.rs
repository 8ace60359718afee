//! The one JSON reader of all JSON sources.
//!
//! Benchmark results are mostly written by Python, so a reader has to live with bare
//! `NaN` and `Infinity`, with duplicate keys, and with files cut in the middle; and an
//! index that shows evidence has to know each value's line, column and pointer, and
//! each figure's own text. [`Document`] admits the bytes, [`Cursor`] walks them without
//! building a tree, and [`Node`] is the small tree of one record.
//!
//! It stands on `jiter`: of the kept crates it is the one that takes the non-finite
//! words, hands out a number's own bytes (so long integers and trailing zeros
//! survive), knows the byte index at every step, reports every key it meets (a
//! duplicate is seen, not merged away), and skips what nobody asked for.
//! `serde_json` refuses `NaN` and has no positions after parsing; `json-event-parser`
//! and `struson` give positions but refuse the non-finite words.

mod cursor;
mod lines;
mod node;
mod refusal;
mod text;

pub use cursor::{Cursor, Kind, MAX_DEPTH};
pub use lines::lines;
pub use node::{Key, Member, Node, Object, Span, Value};
pub use text::{Document, escape_pointer};

#[cfg(test)]
mod tests;
