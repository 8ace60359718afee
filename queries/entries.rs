//! Names with values, in the order they are kept in.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// A JSON object of a few entries, as a list: a workload has two or three axes, and a question
/// reads hundreds of workloads, for which maps take most of the time and memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entries<V>(Vec<(String, V)>);

impl<V> Deref for Entries<V> {
    type Target = [(String, V)];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<V> Default for Entries<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V: Serialize> Serialize for Entries<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Entries<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Read(PhantomData))
    }
}

struct Read<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for Read<V> {
    type Value = Entries<V>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        entries.shrink_to_fit();
        Ok(Entries(entries))
    }
}

/// Described as the object that it is.
impl<V: JsonSchema> JsonSchema for Entries<V> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        <std::collections::BTreeMap<String, V>>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        <std::collections::BTreeMap<String, V>>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_keep_their_order() {
        let text = r#"{"n":1,"a":2}"#;
        let entries: Entries<u64> = serde_json::from_str(text).unwrap();
        assert_eq!(entries[0], ("n".to_owned(), 1));
        assert_eq!(serde_json::to_string(&entries).unwrap(), text);
        assert!(serde_json::from_str::<Entries<u64>>("[1]").is_err());
    }
}
