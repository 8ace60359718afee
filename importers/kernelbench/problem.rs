//! Facts about a problem of the suite, read from its module file.
//!
//! Upstream: KernelBench, `KernelBench/level<n>/<number>_<Name>.py` (MIT). A file holds
//! constants, a class `Model`, `get_inputs()` and `get_init_inputs()`. What is kept are
//! figures (names, shapes, dtypes, arguments, digests); no code.

use std::collections::BTreeMap;
use std::sync::Arc;

use kidx_semantics::{Input, Module, Origin, Refusal, Tensor, Value, digest, understand};
use serde::{Deserialize, Serialize};

use crate::observation::SuiteProblem;
use crate::work::Work;

/// One problem file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProblemFacts {
    /// Folder (`level2`).
    pub level: String,
    /// File name (`28_BMM_….py`).
    pub file: String,
    /// Title: the file name without number and `.py`, underscores as blanks.
    pub name: String,
    /// Kind of operation, by the words of the name (`gemm`, `conv`, `model` …).
    pub family: String,
    /// `sha256:<hex>` of the file's bytes.
    pub file_digest: String,
    /// `sha256:<hex>` of the canonical syntax tree of what `Model` executes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_digest: Option<String>,
    /// Module constants that name dimensions of inputs, in order of first use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<Axis>,
    /// What `get_inputs()` returns; `None` when it isn't static.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Vec<InputFacts>>,
    /// What `get_init_inputs()` returns; `None` when it isn't static.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init: Option<Vec<serde_json::Value>>,
    /// Whether KernelIndex's importer has an identity for it: every dimension is a bare
    /// constant or a literal, every tensor drawn is an input, and no two constants
    /// differ by case alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub published: bool,
    /// What was not understood: `line 7: transformers.AutoConfig: no rule`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// What `Model` moves and computes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Arc<Work>>,
}

/// A named dimension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axis {
    /// The constant's name in lower case.
    pub name: String,
    /// Its value.
    pub value: i64,
}

/// One input of `forward`. Its name is that of the variable it was returned as, in lower
/// case, or `input_<position>` counted from 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum InputFacts {
    /// A tensor.
    Tensor {
        /// Name of the input.
        name: String,
        /// Sizes of the dimensions, in elements.
        shape: Vec<i64>,
        /// The constant that names each dimension, in lower case, where one does.
        symbols: Vec<Option<String>>,
        /// Element type (`fp32`, `int64` …).
        dtype: String,
        /// How the elements come about (`rand`, `tril(randn)` …).
        draw: String,
    },
    /// A plain value.
    Scalar {
        /// Name of the input.
        name: String,
        /// The value.
        scalar: serde_json::Value,
    },
}

/// Reads one problem file.
///
/// # Errors
///
/// When the file can't be analysed at all: not UTF-8, too large, too deep, or no Python.
pub fn describe(level: &str, file: &str, source: &[u8]) -> Result<ProblemFacts, Refusal> {
    let understanding = understand(source, &[])?;
    let work = Work::of(&understanding);
    let module = understanding.module;
    let problem = SuiteProblem {
        suite: "kernelbench".into(),
        level: level.into(),
        file: file.into(),
    };
    let inputs = module.inputs.as_deref().and_then(|inputs| {
        let facts = inputs.iter().enumerate();
        facts.map(|(at, input)| input_facts(at, input)).collect()
    });
    let init = module
        .init_inputs
        .as_deref()
        .and_then(|values| values.iter().map(to_json).collect());
    Ok(ProblemFacts {
        level: level.to_owned(),
        file: file.to_owned(),
        name: problem.title(),
        family: family(&problem).to_owned(),
        file_digest: digest(source),
        tree_digest: module.tree_digest.clone(),
        axes: axes(&module),
        published: inputs.is_some() && is_published(&module),
        inputs,
        init,
        unknown: module.unknown.iter().map(ToString::to_string).collect(),
        work: Some(Arc::new(work)),
    })
}

fn input_facts(at: usize, input: &Input) -> Option<InputFacts> {
    let name = input.name.as_ref().map_or_else(
        || format!("input_{}", at + 1),
        |variable| variable.to_lowercase(),
    );
    match &input.value {
        Value::Tensor(tensor) => Some(InputFacts::Tensor {
            name,
            shape: tensor.sizes(),
            symbols: tensor
                .shape
                .iter()
                .map(|dim| dim.origin.symbol().map(str::to_lowercase))
                .collect(),
            dtype: tensor.dtype.short_name().to_owned(),
            draw: tensor.draw.to_string(),
        }),
        value => to_json(value).map(|scalar| InputFacts::Scalar { name, scalar }),
    }
}

/// A plain value as JSON; tuples and lists are arrays, what JSON can't hold is text.
fn to_json(value: &Value) -> Option<serde_json::Value> {
    use serde_json::Value as Json;
    let array = |items: &[Value]| {
        let items: Option<Vec<Json>> = items.iter().map(to_json).collect();
        items.map(Json::Array)
    };
    Some(match value {
        Value::None => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Int(value) => Json::from(*value),
        Value::Float(value) if value.is_finite() => Json::from(*value),
        Value::Float(value) => Json::from(value.to_string()),
        Value::Str(text) => Json::from(text.as_str()),
        Value::Tuple(items) | Value::List(items) => array(items)?,
        Value::Range(start, end, step) => Json::from(format!("range({start}, {end}, {step})")),
        Value::DType(dtype) => Json::from(dtype.short_name()),
        Value::Dict(pairs) => {
            let pairs = pairs.iter().map(|(key, value)| match key {
                Value::Str(key) => Some((key.clone(), to_json(value)?)),
                _ => None,
            });
            Json::Object(pairs.collect::<Option<_>>()?)
        }
        Value::Tensor(_) | Value::Unknown(_) => return None,
    })
}

fn tensors(module: &Module) -> impl Iterator<Item = &Tensor> {
    let inputs = module.inputs.as_deref().unwrap_or_default();
    inputs.iter().filter_map(|input| match &input.value {
        Value::Tensor(tensor) => Some(tensor),
        _ => None,
    })
}

fn axes(module: &Module) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
    for dim in tensors(module).flat_map(|tensor| &tensor.shape) {
        let Some(symbol) = dim.origin.symbol() else {
            continue;
        };
        let name = symbol.to_lowercase();
        if axes.iter().all(|axis| axis.name != name) {
            axes.push(Axis {
                name,
                value: dim.size,
            });
        }
    }
    axes
}

fn is_published(module: &Module) -> bool {
    let mut constants: BTreeMap<String, &str> = BTreeMap::new();
    let mut count = 0;
    for tensor in tensors(module) {
        count += 1;
        let mut draws = tensor.draw.split(['(', ')', ',']);
        if !draws.any(|draw| matches!(draw, "rand" | "randn" | "randint")) {
            return false;
        }
        for dim in &tensor.shape {
            match &dim.origin {
                Origin::Literal => {}
                Origin::Constant(name) => {
                    let known = constants.entry(name.to_lowercase()).or_insert(name);
                    if **known != **name {
                        return false;
                    }
                }
                Origin::Carried(_) | Origin::Derived => return false,
            }
        }
    }
    count == module.drawn
}

/// The family of a problem: a whole model from level 3 on, else the first word of the
/// name that tells one.
fn family(problem: &SuiteProblem) -> &'static str {
    if problem.level_number().is_some_and(|level| level >= 3) {
        return "model";
    }
    let title = problem.title().to_lowercase();
    let words: Vec<&str> = title.split(' ').filter(|word| !word.is_empty()).collect();
    let following = words.iter().skip(1).copied().chain(std::iter::once(""));
    words
        .iter()
        .zip(following)
        .find_map(|(word, next)| family_of(word, next))
        .unwrap_or("other")
}

fn family_of(word: &str, next: &str) -> Option<&'static str> {
    Some(match word {
        "matmul" | "matrix" | "gemm" | "bmm" | "mm" | "linear" => "gemm",
        _ if word.starts_with("conv") => "conv",
        "softmax" | "logsoftmax" => "softmax",
        _ if word.contains("pool") => "pooling",
        // `Max_Pooling` pools; `Max` alone reduces.
        "max" | "average" if next.starts_with("pool") => "pooling",
        _ if word.ends_with("norm") => "norm",
        _ if word.ends_with("loss") => "loss",
        "cumsum" | "cumprod" | "scan" => "scan",
        _ if word.contains("attention") => "attention",
        "sum" | "mean" | "max" | "min" | "argmax" | "argmin" | "product" | "prod" | "logsumexp"
        | "reduction" | "reduce" => "reduction",
        "sigmoid" | "hardsigmoid" | "logsigmoid" | "tanh" | "hardtanh" | "swish" | "hardswish"
        | "silu" | "mish" | "softplus" | "softsign" | "softshrink" | "threshold" => "activation",
        // ReLU, GELU, SELU, CELU, ELU and the like.
        _ if word.ends_with("elu") => "activation",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "
import torch
import torch.nn as nn
class Model(nn.Module):
    def __init__(self, features, scale):
        super().__init__()
    def forward(self, x, mask, s):
        return x * mask * s
batch_size = 8
N = 4
def get_inputs():
    mask = torch.randint(0, 2, (batch_size, 3)).bool()
    return [torch.rand(batch_size, N), mask, 2.5]
def get_init_inputs():
    return [N, (1, 2.0), None]
";

    #[test]
    fn facts_are_one_line_of_figures() {
        let mut facts = describe("level2", "7_Gemm_Masked_.py", SOURCE.as_bytes()).unwrap();
        let line = serde_json::to_string(&facts).unwrap();
        assert_eq!(serde_json::from_str::<ProblemFacts>(&line).unwrap(), facts);
        let work = facts.work.take().unwrap();
        assert!(!work.complete, "8 rows and 8×3 masks don't fit each other");
        let line = serde_json::to_string(&facts).unwrap();
        insta::assert_snapshot!(line, @r#"{"level":"level2","file":"7_Gemm_Masked_.py","name":"Gemm Masked","family":"gemm","file_digest":"sha256:dac0a48c29aedb025546d309c1ac82ddffdcd526eaee4bae44705bca6f5fbe0a","tree_digest":"sha256:98fbadd9ab9c83a8231dacefdb53373c5efcf1cda8f1288f3612a4fbee99bf42","axes":[{"name":"batch_size","value":8},{"name":"n","value":4}],"inputs":[{"name":"input_1","shape":[8,4],"symbols":["batch_size","n"],"dtype":"fp32","draw":"rand"},{"name":"mask","shape":[8,3],"symbols":["batch_size",null],"dtype":"bool","draw":"randint"},{"name":"input_3","scalar":2.5}],"init":[4,[1,2.0],null],"published":true}"#);
    }

    #[test]
    fn what_has_no_published_identity() {
        let cases = [
            ("torch.rand(batch_size, N)", true),
            ("torch.rand(batch_size, 3)", true),
            ("torch.rand((batch_size, N))", true),
            ("torch.rand(batch_size * 2, N)", false),
            ("torch.zeros(batch_size, N)", false),
            ("torch.rand(batch_size, N) * torch.rand(())", false),
            ("torch.rand(torch.rand(N).shape)", false),
        ];
        for (input, published) in cases {
            let source = SOURCE.replace("torch.rand(batch_size, N)", input);
            let facts = describe("level1", "1_x.py", source.as_bytes()).unwrap();
            assert_eq!(facts.published, published, "{input}");
        }
        let collision = SOURCE
            .replace("N = 4", "N = 4\nn = 5")
            .replace("(batch_size, 3)", "(n, 3)");
        let facts = describe("level1", "1_x.py", collision.as_bytes()).unwrap();
        assert!(!facts.published);
    }

    #[test]
    fn what_is_not_static_is_absent_and_named() {
        let source = "
import torch
import other
n = other.size()
def get_inputs():
    return [torch.rand(n)]
";
        let facts = describe("level4", "1_x.py", source.as_bytes()).unwrap();
        assert_eq!((facts.inputs, facts.init), (None, None));
        assert_eq!(facts.unknown, ["line 4: other.size: no rule"]);
    }

    #[test]
    fn families_follow_the_first_telling_word() {
        let cases = [
            ("level2", "28_BMM_InstanceNorm_Sum.py", "gemm"),
            ("level1", "87_conv_pointwise_2D.py", "conv"),
            ("level2", "78_ConvTranspose3d_Max_Max_Sum.py", "conv"),
            ("level3", "9_ResNet18.py", "model"),
            ("level1", "1_Square_matrix_multiplication_.py", "gemm"),
            ("level1", "41_Max_Pooling_1D.py", "pooling"),
            ("level1", "44_Average_Pooling_1D.py", "pooling"),
            (
                "level1",
                "49_Max_reduction_over_a_dimension.py",
                "reduction",
            ),
            ("level1", "36_RMSNorm_.py", "norm"),
            ("level1", "24_LogSoftmax.py", "softmax"),
            ("level1", "93_masked_cumsum.py", "scan"),
            ("level1", "96_HuberLoss.py", "loss"),
            ("level1", "97_ScaledDotProductAttention.py", "attention"),
            ("level1", "31_ELU.py", "activation"),
            ("level1", "5_Something_else.py", "other"),
        ];
        for (level, file, expected) in cases {
            let problem = SuiteProblem {
                suite: "kernelbench".into(),
                level: level.into(),
                file: file.into(),
            };
            assert_eq!(family(&problem), expected, "{file}");
        }
    }
}
