//! The axes of a row: the swept one, and the JSON object in the cell
//! `extra_benchmark_config_str` (`{"M": 2048, "dtype": "torch.bfloat16", "eps": 1e-06}`).

use std::collections::BTreeMap;

use crate::AxisValue;
use crate::duration::Decimal;
use crate::json::{Document, Object, Value};
use crate::names::{hostile, quoted};

/// The column that holds the other axes.
pub(super) const CONFIG: &str = "extra_benchmark_config_str";

/// What makes a row's workload, beside kernel and mode.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Axes {
    pub(super) bound: BTreeMap<String, AxisValue>,
    pub(super) dtype: Option<String>,
    /// The cell was JSON only after quotes doubled once too often were taken for one.
    pub(super) mended: bool,
}

/// Why a row has no workload: the column at fault, a code, what was found.
pub(super) type Fault = (&'static str, &'static str, String);

/// Reads the axes of a row.
pub(super) fn read(x_name: &str, x_value: &str, config: &str) -> Result<Axes, Fault> {
    let mut read = Axes::default();
    if let Some(why) = hostile(x_name) {
        return Err((
            "x_name",
            "HOSTILE_NAME",
            format!("axis name {} {why}", quoted(x_name)),
        ));
    }
    let value = x_value.trim();
    if let Some(why) = hostile(value) {
        return Err((
            "x_value",
            "BAD_AXIS",
            format!("`x_value` {} {why}", quoted(x_value)),
        ));
    }
    let x_name = x_name.trim();
    if x_name == "dtype" {
        read.dtype = Some(dtype(value));
    } else {
        read.bound.insert(x_name.to_owned(), number_or_word(value));
    }
    if config.trim().is_empty() {
        return Ok(read);
    }
    let mended;
    match parse(config, x_name, &mut read) {
        Err(fault @ (_, "BAD_JSON", _)) if config.contains("\"\"") => {
            mended = config.replace("\"\"", "\\\"");
            parse(&mended, x_name, &mut read).map_err(|_| fault)?;
            read.mended = true;
        }
        other => other?,
    }
    Ok(read)
}

fn parse(config: &str, x_name: &str, read: &mut Axes) -> Result<(), Fault> {
    let bad = |message: String| (CONFIG, "BAD_JSON", message);
    let document = Document::open(config.as_bytes()).map_err(|refused| bad(refused.message))?;
    let mut cursor = document.cursor();
    let node = cursor
        .value()
        .and_then(|node| cursor.finish().map(|()| node))
        .map_err(|refused| bad(format!("the configuration is no JSON: {}", refused.message)))?;
    let object = match node.value {
        Value::Object(object) => object,
        Value::Null => return Ok(()),
        other => {
            let message = format!(
                "the configuration is {}; an object was expected",
                other.describe()
            );
            return Err((CONFIG, "BAD_AXIS", message));
        }
    };
    if let Some((first, _)) = object.duplicate() {
        let message = format!("{} stands twice in the configuration", quoted(&first.name));
        return Err((CONFIG, "DUPLICATE_KEY", message));
    }
    take(&object, document.text(), x_name, read)
}

fn take(object: &Object<'_>, text: &str, x_name: &str, read: &mut Axes) -> Result<(), Fault> {
    for member in &object.members {
        let name = member.key.name.as_ref();
        if let Some(why) = hostile(name) {
            return Err((
                CONFIG,
                "HOSTILE_NAME",
                format!("axis name {} {why}", quoted(name)),
            ));
        }
        let value = match &member.node.value {
            // An axis that the sweep sets is null in the configuration.
            Value::Null if name == x_name || name == "dtype" => continue,
            Value::Number(number) => number_or_word(number),
            Value::String(word) => AxisValue::Word(word.to_string()),
            _ => {
                let span = member.node.span;
                let written = text.get(span.start..span.end).unwrap_or_default();
                AxisValue::Word(written.to_owned())
            }
        };
        if let AxisValue::Word(word) = &value
            && !word.is_empty()
            && let Some(why) = hostile(word)
        {
            let message = format!(
                "{} of the configuration {why}: {}",
                quoted(name),
                quoted(word)
            );
            return Err((CONFIG, "BAD_AXIS", message));
        }
        if name == "dtype" && x_name != "dtype" {
            let AxisValue::Word(word) = &value else {
                let message =
                    format!("`dtype` of the configuration is {value}; a name was expected");
                return Err((CONFIG, "BAD_AXIS", message));
            };
            read.dtype = Some(dtype(word)).filter(|dtype| !dtype.is_empty());
        } else if name == x_name {
            // Two values of one name: both are kept, so that no two workloads become one.
            if read.bound.get(name) != Some(&value) {
                read.bound.insert(format!("config.{name}"), value);
            }
        } else {
            read.bound.insert(name.to_owned(), value);
        }
    }
    Ok(())
}

/// `torch.bfloat16` as `bfloat16`.
fn dtype(text: &str) -> String {
    let text = text.trim();
    text.strip_prefix("torch.").unwrap_or(text).to_owned()
}

/// A whole number that is no less than zero is a size, whether `1024` or `1024.0`; anything
/// else stays as written.
fn number_or_word(text: &str) -> AxisValue {
    Decimal::parse(text)
        .and_then(|decimal| decimal.to_count())
        .map_or_else(
            || AxisValue::Word(text.to_owned()),
            |size| AxisValue::Size(i64::from(size)),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(x: (&str, &str), config: &str) -> String {
        match read(x.0, x.1, config) {
            Ok(read) => {
                let axes: Vec<String> = read
                    .bound
                    .iter()
                    .map(|(name, value)| match value {
                        AxisValue::Size(size) => format!("{name}={size}"),
                        AxisValue::Word(word) => format!("{name}={word:?}"),
                    })
                    .collect();
                let mended = if read.mended { " mended" } else { "" };
                format!("{} {:?}{mended}", axes.join(" "), read.dtype)
            }
            Err((column, code, message)) => format!("{column} {code} {message}"),
        }
    }

    #[test]
    fn axes_are_the_sweep_and_the_configuration() {
        let cases = [
            (
                ("H", "1024"),
                r#"{"M": 2048, "dtype": "torch.bfloat16", "eps": 1e-06}"#,
                r#"H=1024 M=2048 eps="1e-06" Some("bfloat16")"#,
            ),
            (
                ("T", "4096"),
                r#"{"sweep_dim": "T", "T": null, "E": null, "bias": true}"#,
                r#"E="null" T=4096 bias="true" sweep_dim="T" None"#,
            ),
            (("T", "4096"), r#"{"T": 4096.0}"#, "T=4096 None"),
            (("T", "4096"), r#"{"T": 8192}"#, "T=4096 config.T=8192 None"),
            (
                ("model_config", "toy_7b"),
                "",
                r#"model_config="toy_7b" None"#,
            ),
            (("N", "8"), "null", "N=8 None"),
            (
                ("N", "8"),
                r#"{"dtype": null, "dim": -1, "act": ""}"#,
                r#"N=8 act="" dim="-1" None"#,
            ),
            (
                ("dtype", "torch.float16"),
                r#"{"N": 4}"#,
                r#"N=4 Some("float16")"#,
            ),
            (
                ("N", "8"),
                r#"{"shape": [1, 2]}"#,
                r#"N=8 shape="[1, 2]" None"#,
            ),
            (
                ("N", "8"),
                r#"{"note": "said ""so"", twice"}"#,
                r#"N=8 note="said \"so\", twice" None mended"#,
            ),
            (
                ("N", "8"),
                r#"{"M": 1, "M": 1}"#,
                "extra_benchmark_config_str DUPLICATE_KEY `M` stands twice in the configuration",
            ),
            (
                ("N", "8"),
                "[1]",
                "extra_benchmark_config_str BAD_AXIS the configuration is an array; an object was expected",
            ),
            (
                ("N", "8"),
                r#"{"dtype": 16}"#,
                "extra_benchmark_config_str BAD_AXIS `dtype` of the configuration is 16; a name was expected",
            ),
            (("", "8"), "{}", "x_name HOSTILE_NAME axis name `` is blank"),
            (("N", " "), "{}", "x_value BAD_AXIS `x_value` ` ` is blank"),
        ];
        for (x, config, expected) in cases {
            assert_eq!(told(x, config), expected, "{config}");
        }
        for config in ["{", r#"{"a": ""b"}"#, "{} {}", "\u{0}"] {
            let told = told(("N", "8"), config);
            assert!(
                told.starts_with("extra_benchmark_config_str BAD_JSON"),
                "{told}"
            );
        }
    }
}
