//! Bound axes of a workload.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::Value;

/// Axes with what they are bound to, in the order they are kept in. A JSON object, but a
/// list in memory: a workload has two or three, and a question reads hundreds of workloads,
/// for which maps take most of the time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Axes(Vec<(String, Value)>);

impl Deref for Axes {
    type Target = [(String, Value)];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Serialize for Axes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for Axes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Read)
    }
}

struct Read;

impl<'de> Visitor<'de> for Read {
    type Value = Axes;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Axes, A::Error> {
        let mut axes = Vec::new();
        while let Some(axis) = map.next_entry()? {
            axes.push(axis);
        }
        axes.shrink_to_fit();
        Ok(Axes(axes))
    }
}

/// Described as the object that it is.
impl JsonSchema for Axes {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Axes".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, Value>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_keep_their_order() {
        let text = r#"{"n":1,"a":"causal"}"#;
        let axes: Axes = serde_json::from_str(text).unwrap();
        assert_eq!(axes[0], ("n".to_owned(), Value::from(1)));
        assert_eq!(serde_json::to_string(&axes).unwrap(), text);
        assert!(serde_json::from_str::<Axes>("[1]").is_err());
    }
}
