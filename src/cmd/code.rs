//! Codes in tables, spelt as JSON spells them.

use serde::Serialize;
use serde_json::Value;

/// The stable name of a code; anything else as its JSON.
pub fn code<T: Serialize>(code: &T) -> String {
    match serde_json::to_value(code) {
        Ok(Value::String(name)) => name,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

/// Several of them, separated by a blank.
pub fn codes<T: Serialize>(all: impl IntoIterator<Item = T>) -> String {
    let names: Vec<String> = all.into_iter().map(|one| code(&one)).collect();
    names.join(" ")
}
