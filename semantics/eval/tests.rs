//! What the evaluator makes of small modules.

use crate::value::Value;
use crate::{Module, analyse};

fn module(text: &str) -> Module {
    analyse(text.as_bytes()).unwrap()
}

/// The constant `x` of a module, as text.
fn x(text: &str) -> String {
    let module = module(text);
    let value = module.constants.iter().rev().find(|(name, _)| name == "x");
    show(&value.unwrap_or_else(|| panic!("no x in {text}")).1)
}

fn show(value: &Value) -> String {
    let list = |items: &[Value]| items.iter().map(show).collect::<Vec<_>>().join(", ");
    match value {
        Value::None => "None".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => format!("{value:?}"),
        Value::Str(text) => format!("{text:?}"),
        Value::Tuple(items) => format!("({})", list(items)),
        Value::List(items) => format!("[{}]", list(items)),
        Value::Dict(pairs) => {
            let pairs = pairs.iter();
            let pairs = pairs.map(|(key, value)| format!("{}: {}", show(key), show(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        Value::Range(start, end, step) => format!("range({start}, {end}, {step})"),
        Value::DType(dtype) => dtype.to_string(),
        Value::Tensor(tensor) => {
            format!("{} {:?} {}", tensor.dtype, tensor.sizes(), tensor.draw)
        }
        Value::Unknown(unknown) => format!("? {unknown}"),
    }
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(&x(text), expected, "{text}");
    }
}

#[test]
fn arithmetic() {
    check(&[
        ("x = 7 // 2 + 2 ** 10 % 1000 - -1", "28"),
        ("x = 7 / 2", "3.5"),
        ("x = -7 % 3", "2"),
        (
            "x = 2 ** 63",
            "? line 1: **: the integer doesn't fit 64 bits",
        ),
        ("x = 1 // 0", "? line 1: //: division by zero"),
        ("x = 1 < 2 <= 2 and not 3 == 4", "true"),
        ("x = 0 or 'a' * 3 + 'b'", "\"aaab\""),
        ("x = (1, 2) + (3,) * 2", "(1, 2, 3, 3)"),
        ("x = 3 if 1 in [1, 2] else 4", "3"),
        ("x = 1 is None", "false"),
    ]);
}

#[test]
fn containers_are_shared_like_pythons() {
    check(&[
        ("a = [1]\nx = a\na.append(2)", "[1, 2]"),
        ("a = [1]\nx = a + [2]\na.append(3)", "[1, 2]"),
        ("x = [1]\ndef f(y): y += [2]\nf(x)", "[1, 2]"),
        ("a, *b, c = range(5)\nx = (a, b, c)", "(0, [1, 2, 3], 4)"),
        (
            "x = {'a': 1, 'b': 2}\nx['a'] = 3\nx['c'] = x['b']",
            "{\"a\": 3, \"b\": 2, \"c\": 2}",
        ),
        (
            "x = [i * j for i in range(3) for j in (1, 2) if i != j]",
            "[0, 0, 2, 2]",
        ),
        (
            "x = {k: len(k) for k in ('a', 'bb')}",
            "{\"a\": 1, \"bb\": 2}",
        ),
        ("x = list(range(10))[2:-2:3]", "[2, 5]"),
        (
            "x = [1, 2, 3]\nx[-1] = 9\nx.insert(0, x.pop(1))",
            "[2, 1, 9]",
        ),
        (
            "x = [(i, s) for i, s in enumerate('ab', start=1)]",
            "[(1, \"a\"), (2, \"b\")]",
        ),
        ("x = []\nx.append(x)\nx = 1", "1"),
    ]);
}

#[test]
fn control_flow() {
    check(&[
        (
            "x = 0\nfor i in range(10):\n if i == 3: continue\n if i == 5: break\n x += i",
            "7",
        ),
        ("x = 1\nwhile x < 100: x *= 2\nelse: x += 1", "129"),
        ("if False: x = 1\nelif 1 > 2: x = 2\nelse: x = 3", "3"),
        (
            "def f(a, b=2, *c, d=4, **e): return (a, b, c, d, e)\nx = f(1, 5, 6, d=7, z=8)",
            "(1, 5, (6), 7, {\"z\": 8})",
        ),
        (
            "def f(n): return 1 if n < 2 else n * f(n - 1)\nx = f(10)",
            "3628800",
        ),
        (
            "def f():\n def g(): return n\n n = 3\n return g\nx = f()()",
            "3",
        ),
        ("n = 1\ndef f():\n global n\n n = 2\nf()\nx = n", "2"),
        ("x = (lambda a, b=1: a + b)(2)", "3"),
        ("x = 1\nif __name__ == '__main__': x = 2", "1"),
        ("x = f'{1 + 1}{\"a\"}b'", "\"2ab\""),
        ("with open_file() as f: x = 1", "1"),
    ]);
}

#[test]
fn what_cannot_be_decided_is_unknown() {
    check(&[
        ("x = 1\nif y: x = 2", "? line 2: y: not defined"),
        ("x = [1]\nif y: x.append(2)", "? line 2: y: not defined"),
        (
            "x = [1]\ndef f(): x.append(2)\nif y: f()",
            "? line 3: y: not defined",
        ),
        ("x = [1]\nother(x)", "? line 2: other: not defined"),
        ("import o\nx = [[1]]\no.f(x)", "? line 3: o.f: no rule"),
        ("x = 0\nfor i in y: x += 1", "? line 2: y: not defined"),
        (
            "def f():\n if y: return 1\n return 2\nx = f()",
            "? line 2: y: not defined",
        ),
        (
            "def f(): yield 1\nx = f()",
            "? line 2: f: generators have no rule",
        ),
        (
            "try:\n x = 1\nexcept E:\n x = 2",
            "? line 1: try: depends on an exception",
        ),
        ("x = (1, y)", "(1, ? line 1: y: not defined)"),
        ("x = [1]\nx[y] = 2", "? line 2: y: not defined"),
        ("x = [1]\nx.append(*y)", "? line 2: y: not defined"),
        ("x = [1]\nx.sort()", "? line 2: list.sort: no rule"),
        (
            "class A: pass\nx = A()",
            "? line 2: A: instances have no rule",
        ),
    ]);
}

#[test]
fn each_unknown_is_recorded_once() {
    let module = module("a = f(1)\nb = f(2)\nc = a + b\nd = g\n");
    let unknown: Vec<String> = module.unknown.iter().map(ToString::to_string).collect();
    assert_eq!(
        unknown,
        ["line 1: f: not defined", "line 4: g: not defined"]
    );
}

#[test]
fn tensors() {
    let torch = |expr: &str| {
        x(&format!(
            "import torch\nimport torch.nn.functional as F\nn = 4\nx = {expr}"
        ))
    };
    let cases = [
        ("torch.rand(n, 3)", "fp32 [4, 3] rand"),
        (
            "torch.randn((n, 3), dtype=torch.float16, device='cuda')",
            "fp16 [4, 3] randn",
        ),
        (
            "torch.randint(0, unknown, (n,)).float() * 2 - 1",
            "fp32 [4] sub(mul(randint))",
        ),
        ("torch.randint(5, size=(n, 2))", "int64 [4, 2] randint"),
        ("torch.rand(*(2, 3)).T", "fp32 [3, 2] rand"),
        ("torch.tril(torch.rand(n, n))", "fp32 [4, 4] tril(rand)"),
        ("torch.rand(n, 1) > torch.rand(5)", "bool [4, 5] compared"),
        ("torch.zeros(n).to(torch.bfloat16)", "bf16 [4] zeros"),
        ("torch.zeros(n).to('cuda').half()", "fp16 [4] zeros"),
        ("torch.arange(2, 10, 3)", "int64 [3] arange"),
        ("torch.tensor([[1, 2], [3, 4.0]])", "fp32 [2, 2] tensor"),
        (
            "torch.zeros_like(torch.randint(0, 2, (3,)))",
            "int64 [3] zeros",
        ),
        (
            "torch.rand(2, 6).view(3, -1).unsqueeze(0)",
            "fp32 [1, 3, 4] rand",
        ),
        ("torch.stack([torch.rand(2)] * 3)", "fp32 [3, 2] rand"),
        (
            "torch.cat((torch.rand(2, n), torch.rand(3, n)), dim=0)",
            "fp32 [5, 4] rand",
        ),
        ("F.softmax(torch.rand(n), dim=0)", "fp32 [4] softmax(rand)"),
        ("torch.rand(n).shape", "(4)"),
        ("torch.rand(-1)", "? line 4: torch.rand: a size is negative"),
        (
            "torch.rand(2, 3, unknown=1)",
            "? line 4: torch.rand: argument `unknown` has no rule",
        ),
        ("torch.unheard_of(n)", "? line 4: torch.unheard_of: no rule"),
        (
            "1 if torch.rand(1) > 0 else 2",
            "? line 4: if: depends on elements of a tensor",
        ),
    ];
    for (expr, expected) in cases {
        assert_eq!(torch(expr), expected, "{expr}");
    }
}

#[test]
fn tensors_changed_in_place_change_under_every_name() {
    let torch = |text: &str| x(&format!("import torch\ny = torch.rand(2, 3)\n{text}"));
    let cases = [
        ("x = [y]\ny += 1", "[fp32 [2, 3] add(rand)]"),
        ("x = y\ny = y + 1", "fp32 [2, 3] rand"),
        ("x = y\ny[0] = 1", "fp32 [2, 3] set(rand)"),
        (
            "x = torch.empty(2)\nx.normal_(0, 1)",
            "fp32 [2] normal(empty)",
        ),
        ("x = y.clone()\ny.zero_()", "fp32 [2, 3] rand"),
        ("x = y\ny.t_()", "? line 4: Tensor.t_: no rule"),
    ];
    for (text, expected) in cases {
        assert_eq!(torch(text), expected, "{text}");
    }
}

#[test]
fn dimensions_bear_the_names_of_module_constants() {
    let module = module(
        "
import torch
batch, width = 2, 3
shape = (batch, 7)
def get_inputs():
    x = torch.rand(batch, width * 2, 5)
    alias = width
    return [x, torch.rand(*shape), torch.rand(alias, x.shape[0]), batch]
",
    );
    let inputs = module.inputs.unwrap();
    let symbols: Vec<String> = inputs
        .iter()
        .filter_map(|input| match &input.value {
            Value::Tensor(tensor) => Some(&tensor.shape),
            _ => None,
        })
        .flatten()
        .map(|dim| format!("{:?}", dim.origin))
        .collect();
    let expected = [
        "Constant(\"batch\")",
        "Derived",
        "Literal",
        "Constant(\"batch\")",
        "Literal",
        "Constant(\"width\")",
        "Carried(\"batch\")",
    ];
    assert_eq!(symbols, expected);
    let names: Vec<Option<&str>> = inputs.iter().map(|input| input.name.as_deref()).collect();
    assert_eq!(names, [Some("x"), None, None, Some("batch")]);
    assert_eq!(module.drawn, 3);
}

#[test]
fn every_module_terminates() {
    let endless = [
        "while True: pass",
        "x = 1\nwhile True: x += 1",
        "def f(): return f()\nx = f()",
        "def f(n): return f(n + 1) + f(n + 2)\nx = f(0)",
        "x = []\nwhile True: x = [x, x]",
        "x = []\nwhile True: x.append(x)",
        "x = 'a'\nwhile True: x = x + x",
        "x = (1,)\nwhile True: x = x + x",
        "x = [0] * 10 ** 12",
        "x = list(range(10 ** 18))",
        "x = 'a' * 10 ** 18",
        "x = [i for i in range(1000) for j in range(1000) for k in range(1000)]",
        "x = []\nx.append(x)\nx = x == x",
        "x = {}\nx['a'] = x\nx = x == x",
        "import torch\nx = torch.rand(2)\nwhile True: x = x.unsqueeze(0) * x",
        "import torch\nx = []\nx.append(x)\nx = torch.tensor(x)",
        "f = lambda g: g(g)\nx = f(f)",
        "x = ()\nfor i in range(70): x = (x, x)",
        "x = sum([[i] for i in range(60000)], [])",
    ];
    for text in endless {
        let module = module(text);
        assert!(module.unknown.len() <= 3, "{text}: {:?}", module.unknown);
    }
}
