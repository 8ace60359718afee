//! Whole modules: what they hold, what runs, what the outputs depend on.

use crate::{Understanding, Value, understand};

const ATTENTION: &str = include_str!("../tests/attention.py");
const CONVOLUTION: &str = include_str!("../tests/convolution.py");
const RECURRENT: &str = include_str!("../tests/recurrent.py");

fn follow(text: &str) -> Understanding {
    let found = understand(text.as_bytes(), &[]).unwrap();
    assert!(found.complete, "{:?}", found.unknown);
    found
}

fn shapes(found: &Understanding) -> Vec<Vec<i64>> {
    let outputs = found.outputs.iter().flatten();
    outputs.map(crate::Tensor::sizes).collect()
}

/// `forward` with one argument `x` of 4×6 floats, in a module with what `init` sets.
fn forward(init: &str, body: &str) -> Understanding {
    let text = format!(
        "
import torch
import torch.nn as nn
import torch.nn.functional as F
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {init}
    def forward(self, x):
        {body}
def get_inputs(): return [torch.rand(4, 6)]
def get_init_inputs(): return []
"
    );
    understand(text.as_bytes(), &[]).unwrap()
}

/// The figures beside each module are PyTorch's.
#[test]
fn modules_hold_and_count_what_pytorch_counts() {
    let found = follow(ATTENTION);
    assert_eq!(shapes(&found), [vec![2, 32, 100], vec![]]);
    // The tied weight counts once.
    assert_eq!(
        (found.parameters.tensors, found.parameters.count),
        (35, 12_320)
    );
    assert_eq!(found.buffers.bytes, 49_152);
    assert_eq!(found.matrix.counted, 1_777_664);
    // Of 32×32 pairs a causal mask leaves 32·33/2.
    assert_eq!(found.matrix.by_op["bmm"].counted, 393_216);
    assert_eq!(found.matrix.by_op["bmm"].needed, 393_216 * 33 / 64);

    let found = follow(CONVOLUTION);
    assert_eq!(shapes(&found), [vec![2, 10], vec![2, 10, 16, 20]]);
    assert_eq!(
        (found.parameters.tensors, found.parameters.count),
        (11, 2_844)
    );
    assert_eq!((found.buffers.bytes, found.matrix.counted), (208, 926_720));
    // `unused` is no operand, and the outputs don't depend on the product.
    assert_eq!(found.parameters.used_count, 2_844 - 12);
    assert_eq!(found.matrix.by_op["bmm"].needed, 0);
    // Every second row, two columns less; all of the second input.
    assert_eq!(found.inputs.elems_touched, [2 * 4 * 8 * 10, 2 * 2 * 5 * 5]);

    let found = follow(RECURRENT);
    assert_eq!(shapes(&found), [vec![3, 7, 6], vec![], vec![3, 6]]);
    assert_eq!(
        (found.parameters.tensors, found.parameters.count),
        (31, 2_176)
    );
}

#[test]
fn constants_can_be_overridden() {
    let set = [
        ("batch".to_owned(), Value::Int(5)),
        ("length".to_owned(), Value::Int(64)),
    ];
    let found = understand(ATTENTION.as_bytes(), &set).unwrap();
    assert_eq!(shapes(&found)[0], [5, 64, 100]);
    let set = [("unheard_of".to_owned(), Value::Int(5))];
    let found = understand(ATTENTION.as_bytes(), &set).unwrap();
    assert!(!found.complete);
    assert_eq!(found.unknown[0].what, "unheard_of");
}

#[test]
fn only_what_the_outputs_depend_on_is_needed() {
    type Case<'a> = (&'a str, &'a str, u64, u64, u64);
    let two = "self.a, self.b = nn.Linear(6, 6, bias=False), nn.Linear(6, 6, bias=False)";
    // Counted, needed, live parameters.
    let cases: &[Case<'_>] = &[
        (two, "return self.b(self.a(x))", 576, 576, 72),
        (two, "self.b(x); return self.a(x)", 576, 288, 36),
        (two, "y = self.a(x); y += self.b(x); return y", 576, 576, 72),
        (
            two,
            "y = self.a(x); z = y.view(-1); z.zero_(); return y",
            288,
            0,
            0,
        ),
        (two, "y = self.a(x); y[0] = 0; return y", 288, 288, 36),
        (
            two,
            "y = self.a(x); y[:] = self.b(x); return y",
            576,
            288,
            36,
        ),
        (two, "return x", 0, 0, 0),
        (two, "return self.a.weight", 0, 0, 36),
        (
            two,
            "for l in (self.a, self.b): x = l(x) if l is self.a else x\n        return x",
            288,
            288,
            36,
        ),
    ];
    for (init, body, counted, needed, live) in cases {
        let found = forward(init, body);
        assert!(found.complete, "{body}: {:?}", found.unknown);
        let seen = (
            found.matrix.counted,
            found.matrix.needed,
            found.parameters.live_count,
        );
        assert_eq!(seen, (*counted, *needed, *live), "{body}");
    }
}

#[test]
fn inputs_are_touched_where_they_are_read() {
    let cases: &[(&str, u64)] = &[
        ("return x[:, 0] + 1", 4),
        ("return x[:, 1:] - x[:, :-1]", 24),
        ("return x[::2] + x[1::2]", 24),
        ("return x[0] + x[0]", 6),
        ("return x.view(2, 12)[0].sum()", 12),
        ("return x.expand(5, 4, 6) * 2", 24),
        ("return F.max_pool1d(x, 2, stride=4)", 16),
        ("return F.avg_pool1d(x, 4)", 16),
        ("return x[:, :2].sum() + x[:2].sum()", 8 + 12 - 4),
        ("return x", 0),
    ];
    for (body, touched) in cases {
        let found = forward("pass", body);
        assert!(found.complete, "{body}: {:?}", found.unknown);
        assert_eq!(found.inputs.elems_touched, [*touched], "{body}");
    }
}

#[test]
fn flags_say_what_could_be_less() {
    let cases: &[(&str, &str, Option<&str>)] = &[
        (
            "self.a = nn.Linear(6, 8)",
            "return (self.a(x) * 2).sum(1)",
            Some("algebra-reducible"),
        ),
        (
            "self.a = nn.Linear(6, 8)",
            "return self.a(x).relu().sum(1)",
            None,
        ),
        (
            "self.a = nn.Linear(6, 1)",
            "y = self.a(x); return y - y.mean(1, keepdim=True)",
            Some("algebra-reducible"),
        ),
        (
            "pass",
            "return torch.tril(x) @ x.T",
            Some("structure-known"),
        ),
        (
            "self.a = nn.Embedding(9, 3)",
            "return self.a(x.long())",
            Some("data-dependent"),
        ),
        (
            "self.a = nn.Conv2d(1, 1, 3)",
            "return self.a(x.view(1, 1, 4, 6))",
            Some("algorithm-class"),
        ),
        (
            "pass",
            "return F.scaled_dot_product_attention(x, x, x, is_causal=True)",
            Some("structure-known"),
        ),
    ];
    for (init, body, expected) in cases {
        let found = forward(init, body);
        assert!(found.complete, "{body}: {:?}", found.unknown);
        let codes: Vec<&str> = found.flags.iter().map(|flag| flag.code.as_str()).collect();
        assert_eq!(
            codes,
            expected.iter().copied().collect::<Vec<_>>(),
            "{body}"
        );
        assert!(
            found.flags.iter().all(|flag| flag.line == Some(10)),
            "{body}"
        );
    }
}

#[test]
fn what_is_not_followed_is_named() {
    let cases: &[(&str, &str, &str)] = &[
        ("pass", "return self(x)", "recursion is too deep"),
        (
            "self.m = nn.Sequential(); self.m.append(self.m)",
            "return self.m(x)",
            "recursion is too deep",
        ),
        ("pass", "while True: x = x + 1", "the budget is used up"),
        ("pass", "raise ValueError('no')", "an exception is raised"),
        ("pass", "yield x", "generators have no rule"),
        (
            "self.a = nn.Linear(5, 5)",
            "return self.a(x)",
            "the inner sizes",
        ),
        ("pass", "return self.nothing", "no attribute `nothing`"),
        (
            "import foreign; self.a = foreign.Layer()",
            "return self.a(x)",
            "no rule",
        ),
        ("pass", "return lambda: x", "no tensor"),
        (
            "pass",
            "return torch.zeros(1 << 61) + torch.zeros(4, 1)",
            "64 bits",
        ),
    ];
    for (init, body, reason) in cases {
        let found = forward(init, body);
        assert!(!found.complete, "{body}");
        let is_named = found
            .unknown
            .iter()
            .any(|unknown| unknown.reason.contains(reason));
        assert!(is_named, "{body}: {:?}", found.unknown);
    }
    let found = understand(b"x = 1\n", &[]).unwrap();
    assert!(!found.complete && found.unknown[0].what == "Model");
}

/// Shapes, parameters and work of known problems, where the figures and a checkout of
/// the suite lie beside this one (or the suite where `KERNELBENCH` says).
#[test]
#[expect(clippy::disallowed_methods, reason = "optional real data")]
fn known_problems_are_understood() {
    let shared = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let truth = shared.join("truth/floor_truth_sample.jsonl");
    let suite = std::env::var_os("KERNELBENCH").map_or(shared.join("KernelBench"), Into::into);
    let (Ok(truth), true) = (
        std::fs::read_to_string(&truth),
        suite.join("level1").exists(),
    ) else {
        println!("skipped: no {} or no {}", truth.display(), suite.display());
        return;
    };
    for line in truth.lines() {
        let known: serde_json::Value = serde_json::from_str(line).unwrap();
        let file = format!(
            "level{}/{}",
            known["level"],
            known["file"].as_str().unwrap()
        );
        let found = understand(&std::fs::read(suite.join(&file)).unwrap(), &[]).unwrap();
        assert!(found.complete, "{file}: {:?}", found.unknown);
        let outputs = known["outputs"].as_array().unwrap().iter();
        let outputs: Vec<Vec<i64>> = outputs
            .map(|output| serde_json::from_value(output["shape"].clone()).unwrap())
            .collect();
        assert_eq!(shapes(&found), outputs, "{file}");
        let parameters = &known["parameters"];
        assert_eq!(found.parameters.count, parameters["count"], "{file}");
        assert_eq!(found.parameters.bytes, parameters["bytes"], "{file}");
        assert_eq!(
            found.parameters.used_count, parameters["used_count"],
            "{file}"
        );
        assert_eq!(
            found.parameters.live_count, parameters["live_count"],
            "{file}"
        );
        assert_eq!(found.buffers.bytes, known["buffers"]["bytes"], "{file}");
        assert_eq!(found.matrix.counted, known["flops"], "{file}");
        let live = known["flops_live_valid_taps"].as_u64().unwrap();
        if known["structure"]["kind"] == "causal mask" {
            assert_eq!(
                found.matrix.needed, known["structure"]["flops_min"],
                "{file}"
            );
        } else {
            assert_eq!(found.matrix.needed, live, "{file}");
        }
        let inputs = known["inputs"].as_array().unwrap().iter();
        let touched: Vec<u64> = inputs
            .map(|input| input["elems_touched"].as_u64().unwrap())
            .collect();
        assert_eq!(found.inputs.elems_touched, touched, "{file}");
    }
}
