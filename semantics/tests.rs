//! Properties of the whole: no input makes it panic, and answers don't depend on layout.

use proptest::prelude::*;

use crate::{analyse, understand};

/// Pieces of modules, so that random sequences get past the parser now and then.
const PIECES: &[&str] = &[
    "import torch\n",
    "x",
    "y",
    " = ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\n",
    "\n    ",
    "\n\n",
    "1",
    "0",
    "-3",
    "2.5",
    "'a'",
    "f'{x}'",
    "None",
    "True",
    " + ",
    " // ",
    " ** ",
    " % ",
    " << ",
    "-",
    "not ",
    " and ",
    " in ",
    " is ",
    " == ",
    "lambda x: ",
    "def f(x, *y):\n    ",
    "return ",
    "class Model(x):\n    ",
    "for x in ",
    "while ",
    "if ",
    "else:\n    ",
    "global x\n",
    "torch.rand",
    "torch.randint(0, 2, ",
    ".shape",
    ".view(",
    "x.append(",
    "range(",
    "*",
    "**",
    "yield ",
    "await ",
    "try:\n    ",
    "except:\n    ",
    "with ",
    "as ",
    "del ",
    "match x:\n    ",
    "case ",
    "get_inputs",
    "get_init_inputs",
    "def get_inputs():\n    return ",
    "f(",
    ";",
    ".",
    "@",
    "`",
    "\\",
    "#",
    "\"\"\"",
    "\u{feff}",
    "\r",
    "\u{0}",
    "é",
];

/// Modules to change at random.
const MODULES: &[&str] = &[
    include_str!("tests/attention.py"),
    include_str!("tests/convolution.py"),
    include_str!("tests/recurrent.py"),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        no_panic(&bytes);
    }

    #[test]
    fn mutated_modules_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        which in 0..MODULES.len(),
    ) {
        let mut bytes = MODULES[which].as_bytes().to_vec();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            // Small changes keep more of the module: other digits, names and operators.
            bytes[at] = if byte < 128 { b"0123456789abcxn,.()[]:+-*/= \n"[usize::from(byte) % 29] } else { byte };
        }
        no_panic(&bytes);
    }

    #[test]
    fn pieces_never_panic(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        no_panic(pieces.concat().as_bytes());
    }

    #[test]
    fn expressions_never_panic(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "1", "0", "-1", "9223372036854775807", "2.5", "1e308", "'ab'", "(1, 2)", "[3]",
                "{1: 2}", "range(5)", "torch.rand(2, 3)", "torch.tensor(0)", "None", "True", "x",
            ]),
            3,
        ),
        operators in prop::collection::vec(
            prop::sample::select(vec![
                "+", "-", "*", "/", "//", "%", "**", "<<", ">>", "|", "&", "^", "@", "==", "<",
                "in", "is", "and", "or", "if x else",
            ]),
            2,
        ),
        call in prop::sample::select(vec![
            "", "abs", "len", "max", "list", "sum", "int", "float", "round", "range", "sorted",
            "torch.rand", "torch.arange", "torch.zeros", "torch.eye", "torch.full",
        ]),
    ) {
        let text = format!(
            "import torch\nx = {}\ny = {call}({} {} {} {} {})\nz = x[y]\nx += y\n",
            pieces[0], pieces[0], operators[0], pieces[1], operators[1], pieces[2]
        );
        no_panic(text.as_bytes());
    }
}

/// A panic of the parsing thread is a refusal; here it is a failure.
fn no_panic(bytes: &[u8]) {
    for refusal in [analyse(bytes).err(), understand(bytes, &[]).err()] {
        let reason = refusal
            .map(|refusal| refusal.to_string())
            .unwrap_or_default();
        assert!(!reason.contains("parser failed"), "{reason}");
    }
}

#[test]
fn a_refusal_says_where_and_why() {
    let refusal = analyse(b"x = 1\ny = (\n").unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "line 3: syntax error: unexpected EOF while parsing"
    );
}

#[test]
fn inputs_need_not_be_a_literal_list() {
    let text = b"
import torch
n = 2
def make(k):
    return [torch.rand(n) for _ in range(k)]
def get_inputs():
    inputs = make(3)
    return inputs
def get_init_inputs():
    return (n, {'a': [n]})
";
    let module = analyse(text).unwrap();
    assert_eq!(module.inputs.map(|inputs| inputs.len()), Some(3));
    assert_eq!(module.init_inputs.map(|inputs| inputs.len()), Some(2));
    assert_eq!(module.unknown, []);

    let module = analyse(b"def get_inputs(): return 1\n").unwrap();
    assert_eq!((module.inputs, module.init_inputs), (None, None));
    assert_eq!(
        module.unknown[0].to_string(),
        "get_inputs: returns neither a list nor a tuple"
    );
}
