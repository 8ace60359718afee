//! What an operation takes and gives, in the words of the module that defines it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::Result;

/// One dimension: the constant that names it, else its size in elements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Extent {
    /// Name of an axis.
    Symbol(String),
    /// Elements.
    Size(i64),
}

/// One input of the operation: a tensor, or a plain value (`scalar`).
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Argument {
    /// Its name in the module, else `input_<position>`.
    pub name: String,
    /// Element type; `null` for a plain value.
    pub dtype: Option<String>,
    /// Dimensions; `null` for a plain value.
    pub shape: Option<Vec<Extent>>,
    /// How the elements are drawn (`rand`); `null` for a plain value.
    pub draw: Option<String>,
    /// The value, where it is a plain one.
    pub scalar: Option<Value>,
}

/// One output of the operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Output {
    /// Name.
    pub name: &'static str,
    /// Element type.
    pub dtype: &'static str,
    /// Dimensions.
    pub shape: Vec<Extent>,
}

/// What an operation takes and gives.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Semantics {
    /// What is handed to the forward pass.
    pub inputs: Vec<Argument>,
    /// What comes out; its size follows from the module.
    pub outputs: Vec<Output>,
    /// Arguments that the module is built with; `null` where they aren't static.
    pub parameters: Option<Vec<Value>>,
    /// Role of each axis by name.
    pub axes: Map<String, Value>,
    /// Whether equal inputs give equal outputs.
    pub determinism: &'static str,
    /// What an implementation may not do.
    pub constraints: &'static str,
    /// What of the module was not understood: place and reason.
    pub unknown: Vec<String>,
}

/// Name of the axis that stands for the output's size.
const OUT: &str = "out";

#[derive(Deserialize)]
struct Facts {
    #[serde(default)]
    axes: Vec<Axis>,
    #[serde(default)]
    inputs: Vec<Input>,
    #[serde(default)]
    init: Option<Vec<Value>>,
    #[serde(default)]
    unknown: Vec<String>,
}

#[derive(Deserialize)]
struct Axis {
    name: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Input {
    Tensor {
        name: String,
        shape: Vec<i64>,
        symbols: Vec<Option<String>>,
        dtype: String,
        draw: String,
    },
    Scalar {
        name: String,
        scalar: Value,
    },
}

/// Reads the semantics off an operation's facts.
///
/// # Errors
///
/// When the facts aren't JSON of the form that imports write.
pub fn semantics(facts: &str) -> Result<Semantics> {
    let facts: Facts = serde_json::from_str(facts)?;
    let named = facts.axes.into_iter().map(|axis| axis.name);
    Ok(Semantics {
        inputs: facts.inputs.into_iter().map(argument).collect(),
        outputs: vec![Output {
            name: OUT,
            dtype: "float",
            shape: vec![Extent::Symbol(OUT.to_owned())],
        }],
        parameters: facts.init,
        axes: std::iter::once(OUT.to_owned())
            .chain(named)
            .map(|name| (name, Value::from("variable")))
            .collect(),
        determinism: "unspecified",
        constraints: "No mutation or aliasing",
        unknown: facts.unknown,
    })
}

fn argument(input: Input) -> Argument {
    match input {
        Input::Tensor {
            name,
            shape,
            symbols,
            dtype,
            draw,
        } => {
            let symbols = symbols.into_iter().chain(std::iter::repeat(None));
            let extents = shape
                .into_iter()
                .zip(symbols)
                .map(|(size, symbol)| symbol.map_or(Extent::Size(size), Extent::Symbol));
            Argument {
                name,
                dtype: Some(dtype),
                shape: Some(extents.collect()),
                draw: Some(draw),
                scalar: None,
            }
        }
        Input::Scalar { name, scalar } => Argument {
            name,
            dtype: None,
            shape: None,
            draw: None,
            scalar: Some(scalar),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_stand_where_the_module_has_them() {
        let facts = json!({
            "level": "level3", "file": "9_ResNet18.py",
            "axes": [{"name": "batch_size", "value": 2}],
            "inputs": [
                {"name": "input_1", "shape": [2, 3, 224], "symbols": ["batch_size", null, null],
                 "dtype": "fp32", "draw": "rand"},
                {"name": "dim", "scalar": 1},
            ],
            "init": [1000],
        });
        let read = semantics(&facts.to_string()).unwrap();
        assert_eq!(
            serde_json::to_value(&read).unwrap(),
            json!({
                "inputs": [
                    {"name": "input_1", "dtype": "fp32", "shape": ["batch_size", 3, 224],
                     "draw": "rand", "scalar": null},
                    {"name": "dim", "dtype": null, "shape": null, "draw": null, "scalar": 1},
                ],
                "outputs": [{"name": "out", "dtype": "float", "shape": ["out"]}],
                "parameters": [1000],
                "axes": {"out": "variable", "batch_size": "variable"},
                "determinism": "unspecified",
                "constraints": "No mutation or aliasing",
                "unknown": [],
            })
        );
    }

    #[test]
    fn what_is_absent_is_unknown_and_what_is_damaged_says_so() {
        let read = semantics("{}").unwrap();
        assert_eq!((read.inputs.len(), read.parameters), (0, None));
        assert_eq!(read.axes.keys().collect::<Vec<_>>(), ["out"]);
        // Fewer names than dimensions: the rest go by size.
        let short = r#"{"inputs": [{"name": "x", "shape": [4, 5], "symbols": ["n"],
                        "dtype": "fp32", "draw": "rand"}]}"#;
        let shape = semantics(short).unwrap().inputs.remove(0).shape.unwrap();
        assert_eq!(shape, [Extent::Symbol("n".to_owned()), Extent::Size(5)]);
        for damaged in ["", "1", r#"{"inputs": [{"name": 1}]}"#] {
            assert!(semantics(damaged).is_err(), "{damaged}");
        }
    }
}
