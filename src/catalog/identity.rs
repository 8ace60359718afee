//! What things are, apart from what they are called: content digests.
//!
//! A digest is `sha256:` over the RFC 8785 canonical JSON of `{apiVersion, kind, spec}`.
//! Envelope and field names follow the public `kernelindex.dev/v1alpha1` manifests.
//! Display names, notes, dates and provenance stay outside `spec`.

use kidx_importers::kernelbench::problem::{InputFacts, ProblemFacts};
use kidx_importers::{
    Figure, Figures, Implementation, Protocol, Quantity, SuiteProblem, Tensor,
    Workload as StatedWorkload,
};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// Version of the manifest form.
pub const API_VERSION: &str = "kernelindex.dev/v1alpha1";

/// The suite's repository, as it stands inside published identities.
const SUITE_URL: &str = "https://github.com/ScalingIntelligence/KernelBench";

/// A digest and the canonical text of the `spec` it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// `sha256:` + 64 hex digits.
    pub digest: String,
    /// Canonical JSON of the spec.
    pub spec: String,
}

/// `sha256:` + hex of some bytes.
pub fn sha256(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
}

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    faster_hex::hex_string(bytes)
}

/// RFC 8785 text of a value.
pub fn canonical(value: &Value) -> Result<String> {
    serde_json_canonicalizer::to_string(value)
        .map_err(|error| Error::failed("a value has no canonical JSON form").because(error))
}

/// The identity of a spec of some kind. The envelope's text is canonical as it is written
/// here: its keys are in order, and neither version nor kind needs escaping.
pub fn identify(kind: &str, spec: &Value) -> Result<Identity> {
    let spec = canonical(spec)?;
    let envelope =
        format!("{{\"apiVersion\":\"{API_VERSION}\",\"kind\":\"{kind}\",\"spec\":{spec}}}");
    Ok(Identity {
        digest: sha256(envelope.as_bytes()),
        spec,
    })
}

/// Kinds of the entities whose specs are kept, by table.
pub const KINDS: &[(&str, &str)] = &[
    ("operation", "OperationSpec"),
    ("workload", "WorkloadCase"),
    ("implementation", "ImplementationRevision"),
    ("environment", "ExecutionEnvironment"),
    ("protocol", "BenchmarkProtocol"),
];

/// An operation whose module is known: family, axes, inputs, outputs, parameters and
/// the syntax tree of what the module executes. Inputs and arguments count by value.
pub fn operation(facts: &ProblemFacts) -> Result<Identity> {
    let inputs: Vec<Value> = facts
        .inputs
        .iter()
        .flatten()
        .map(|input| match input {
            InputFacts::Tensor { shape, dtype, .. } => {
                json!({"tensor": {"shape": shape, "dtype": dtype}})
            }
            InputFacts::Scalar { scalar, .. } => json!({"scalar": scalar}),
        })
        .collect();
    identify(
        "OperationSpec",
        &json!({
            "family": facts.family,
            "axes": axes(facts),
            "inputs": inputs,
            "outputs": outputs(),
            "parameters": facts.init,
            "semantics": semantics(),
            "reference": {"language": "python", "tree": facts.tree_digest},
        }),
    )
}

/// An operation known by name only: runs under one name and declared version compare
/// with each other, and never with a workload whose shapes are known.
pub fn operation_by_name(problem: &SuiteProblem, version: &str) -> Result<Identity> {
    identify(
        "OperationSpec",
        &json!({
            "suite": problem.suite,
            "version": version,
            "level": problem.level,
            "name": problem.stem(),
            "shapes": "unknown",
        }),
    )
}

/// An operation as a source states it: whose it is, its name, and what defines it.
pub fn stated_operation(of: &kidx_importers::Operation) -> Result<Identity> {
    identify(
        "OperationSpec",
        &json!({
            "suite": of.suite,
            "group": of.group,
            "name": of.name,
            "definition": of.definition,
        }),
    )
}

/// A workload as a source states it.
pub fn stated_workload(operation: &str, of: &StatedWorkload) -> Result<Identity> {
    let tensors = |tensors: &[Tensor]| -> Vec<Value> {
        tensors
            .iter()
            .map(|tensor| json!({"shape": tensor.shape, "dtype": tensor.dtype}))
            .collect()
    };
    identify(
        "WorkloadCase",
        &json!({
            "operationSpecDigest": operation,
            "axes": of.axes,
            "dtype": of.dtype,
            "tensors": of.inputs.as_deref().map(tensors),
            "correctness": {"comparator": "source-native"},
        }),
    )
}

/// The identity that the published index gives an operation: it holds the commit's URL
/// and the file's bytes, so an unchanged module gets a new one at each commit. Kept to
/// be found by, never to join or split by. `None` where that index has none.
pub fn published_operation(facts: &ProblemFacts, commit: &str) -> Result<Option<String>> {
    let Some(inputs) = facts.inputs.as_ref().filter(|_| facts.published) else {
        return Ok(None);
    };
    let mut declared = Vec::new();
    for input in inputs {
        let InputFacts::Tensor {
            name,
            dtype,
            shape,
            symbols,
            ..
        } = input
        else {
            continue;
        };
        let shape: Vec<Value> = shape
            .iter()
            .zip(symbols)
            .map(|(size, symbol)| symbol.as_ref().map_or(json!(size), |name| json!(name)))
            .collect();
        declared.push(json!({"name": name, "tensor": {"shape": shape, "dtype": dtype}}));
    }
    let uri = format!(
        "{SUITE_URL}/blob/{commit}/KernelBench/{}/{}",
        facts.level, facts.file
    );
    let spec = json!({
        "family": facts.family,
        "axes": axes(facts),
        "inputs": declared,
        "outputs": outputs(),
        "semantics": semantics(),
        "reference": {"language": "python", "artifact": {"uri": uri, "digest": facts.file_digest}},
    });
    Ok(Some(identify("OperationSpec", &spec)?.digest))
}

fn axes(facts: &ProblemFacts) -> Value {
    let variable = || json!({"role": "variable", "type": "integer"});
    let mut axes: Map<String, Value> = facts
        .axes
        .iter()
        .map(|axis| (axis.name.clone(), variable()))
        .collect();
    axes.insert("out".to_owned(), variable());
    Value::Object(axes)
}

fn outputs() -> Value {
    json!([{"name": "out", "tensor": {"shape": ["out"], "dtype": "float"}}])
}

fn semantics() -> Value {
    json!({"mutation": "none", "determinism": "unspecified"})
}

/// An operation with every axis bound.
pub fn workload(operation: &str, facts: Option<&ProblemFacts>) -> Result<Identity> {
    let spec = match facts {
        None => json!({"operationSpecDigest": operation, "shapes": "unknown"}),
        Some(facts) => {
            let axes: Map<String, Value> = facts
                .axes
                .iter()
                .map(|axis| (axis.name.clone(), json!(axis.value)))
                .collect();
            let mut tensors = Vec::new();
            for input in facts.inputs.iter().flatten() {
                if let InputFacts::Tensor { shape, dtype, .. } = input {
                    tensors.push(json!({"shape": shape, "dtype": dtype}));
                }
            }
            json!({
                "operationSpecDigest": operation,
                "axes": axes,
                "tensors": tensors,
                "correctness": {"comparator": "source-native"},
            })
        }
    };
    identify("WorkloadCase", &spec)
}

/// Who computes, in one configuration.
pub fn implementation(of: &Implementation) -> Result<Identity> {
    identify(
        "ImplementationRevision",
        &json!({
            "project": of.project,
            "callable": {"language": of.language, "interface": of.interface},
        }),
    )
}

/// Where it ran. `provider` is compared case-blind, so it enters in lower case.
pub fn environment(
    hardware: &str,
    provider: Option<&str>,
    software: &std::collections::BTreeMap<String, String>,
) -> Result<Identity> {
    identify(
        "ExecutionEnvironment",
        &json!({
            "hardware": {"product": hardware},
            "provider": provider.map(str::to_lowercase),
            "software": software,
        }),
    )
}

/// How it was timed; what is unknown is null.
pub fn protocol(of: &Protocol) -> Result<Identity> {
    let mut measurement = json!({
        "primaryStatistic": of.statistic,
        "timer": of.timer,
        "warmups": of.warmups,
        "cache": of.cache,
        "precision": of.precision,
    });
    // Absent where unknown: protocols had no such field at first.
    if let (Some(autograd), Some(fields)) = (&of.autograd, measurement.as_object_mut()) {
        fields.insert("autograd".to_owned(), json!(autograd));
    }
    identify(
        "BenchmarkProtocol",
        &json!({"harness": of.harness, "measurement": measurement}),
    )
}

/// What may be compared.
pub fn cohort(workload: &str, environment: &str, protocol: &str, metric: &str) -> Result<String> {
    Ok(identify(
        "Cohort",
        &json!({
            "v": 1,
            "workload": workload,
            "environment": environment,
            "protocol": protocol,
            "correctness": "source-native",
            "metric": metric,
        }),
    )?
    .digest)
}

/// What a measurement's digest is made of.
#[derive(Debug, Clone, Copy)]
pub struct MeasurementKey<'a> {
    /// Source slug.
    pub source: &'a str,
    /// Digest of the implementation.
    pub implementation: &'a str,
    /// Digest of the cohort: workload, environment, protocol, correctness, metric.
    pub cohort: &'a str,
    /// `passed` …
    pub status: &'a str,
    /// Name of what is measured: `latency`.
    pub quantity: &'a str,
    /// Value, standard deviation, minimum, maximum in parts of the metric's unit.
    pub figures: [Option<i64>; 4],
    /// Interval that the source states.
    pub range: Option<(i64, i64)>,
    /// Trials.
    pub samples: Option<u32>,
}

impl<'a> MeasurementKey<'a> {
    /// The key of stated figures.
    pub fn of(
        source: &'a str,
        implementation: &'a str,
        cohort: &'a str,
        (status, quantity): (&'a str, Quantity),
        figures: &Figures,
    ) -> Self {
        let amount = |figure: &Option<Figure>| figure.as_ref().map(|f| f.amount);
        Self {
            source,
            implementation,
            cohort,
            status,
            quantity: quantity.name(),
            figures: [
                amount(&figures.value),
                amount(&figures.std),
                amount(&figures.min),
                amount(&figures.max),
            ],
            range: figures
                .range
                .as_ref()
                .map(|range| (range.0.amount, range.1.amount)),
            samples: figures.samples,
        }
    }

    /// 32 raw bytes. The text is canonical JSON written by hand, since there is one per
    /// run: keys in order, no blanks, and values that need no escaping.
    pub fn digest(&self) -> [u8; 32] {
        let [value, std, min, max] = self.figures;
        // Latencies came first, when they were all that was measured.
        let parts = match self.quantity {
            "latency" => "latencyPs",
            _ => "parts",
        };
        let mut text = String::with_capacity(512);
        for piece in [
            "{\"apiVersion\":\"",
            API_VERSION,
            "\",\"kind\":\"Measurement\",\"spec\":{\"cohort\":\"",
            self.cohort,
            "\",\"implementation\":\"",
            self.implementation,
            "\",\"",
            parts,
            "\":{",
        ] {
            text.push_str(piece);
        }
        let mut digits = itoa::Buffer::new();
        let mut number = |name: &str, number: Option<i64>| {
            text.push_str(name);
            text.push_str(number.map_or("null", |number| digits.format(number)));
        };
        if let Some((low, high)) = self.range {
            number("\"high\":", Some(high));
            number(",\"low\":", Some(low));
            number(",\"maximum\":", max);
        } else {
            number("\"maximum\":", max);
        }
        number(",\"mean\":", value);
        number(",\"minimum\":", min);
        number(",\"samples\":", self.samples.map(i64::from));
        number(",\"standardDeviation\":", std);
        for piece in [
            "},\"source\":\"",
            self.source,
            "\",\"status\":\"",
            self.status,
            "\"}}",
        ] {
            text.push_str(piece);
        }
        Sha256::digest(text.as_bytes()).into()
    }
}

#[cfg(test)]
mod published;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hand_written_text_is_canonical_json() {
        for (quantity, parts, range) in [
            ("latency", "latencyPs", None),
            ("latency", "latencyPs", Some((3, 9))),
            ("memory", "parts", None),
        ] {
            let key = MeasurementKey {
                source: "kernelbench",
                implementation: "sha256:aa",
                cohort: "sha256:bb",
                status: "passed",
                quantity,
                figures: [Some(2_790_000_000), None, Some(1), Some(2)],
                range,
                samples: Some(100),
            };
            let mut figures = json!({"mean": 2_790_000_000_i64, "standardDeviation": null,
                                     "minimum": 1, "maximum": 2, "samples": 100});
            if let Some((low, high)) = range {
                figures["low"] = json!(low);
                figures["high"] = json!(high);
            }
            let spec = json!({
                "source": "kernelbench", "implementation": "sha256:aa", "cohort": "sha256:bb",
                "status": "passed", parts: figures,
            });
            assert_eq!(
                format!("sha256:{}", hex(&key.digest())),
                identify("Measurement", &spec).unwrap().digest
            );
        }
    }

    #[test]
    fn the_envelope_is_canonical_json() {
        let spec = json!({"b": ["\u{e9}\n", 1.5, null], "a": {"z": true, "y": "\""}});
        for (_, kind) in KINDS {
            let envelope = json!({"apiVersion": API_VERSION, "kind": kind, "spec": spec});
            let text = canonical(&envelope).unwrap();
            assert_eq!(
                identify(kind, &spec).unwrap().digest,
                sha256(text.as_bytes())
            );
        }
    }

    #[test]
    fn display_names_do_not_count() {
        let mut eager = Implementation {
            slug: "pytorch-eager".to_owned(),
            name: "PyTorch eager".to_owned(),
            project: "PyTorch".to_owned(),
            language: "python".to_owned(),
            interface: "torch_eager".to_owned(),
            role: kidx_importers::Role::Baseline,
            license: None,
        };
        let before = implementation(&eager).unwrap();
        eager.name = "eager mode".to_owned();
        assert_eq!(implementation(&eager).unwrap(), before);
        eager.interface = "torch_compile_inductor".to_owned();
        assert_ne!(implementation(&eager).unwrap(), before);
    }

    #[test]
    fn providers_compare_case_blind() {
        let none = std::collections::BTreeMap::new();
        assert_eq!(
            environment("l40s", Some("Modal"), &none).unwrap(),
            environment("l40s", Some("modal"), &none).unwrap()
        );
        assert_ne!(
            environment("l40s", Some("modal"), &none).unwrap(),
            environment("l40s", None, &none).unwrap()
        );
    }
}
