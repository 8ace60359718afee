//! `kidx inspect`

use super::{check_command, check_commands};
use crate::sandbox::Sandbox;

const MODULE: &str = "examples/modules/frames.py";

fn examples() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.examples();
    sandbox
}

#[test]
fn a_module_with_convolution_attention_lstm_and_a_loop() {
    let sandbox = examples();
    for width in [80, 160] {
        check_command(
            &format!("inspect_{width}"),
            &sandbox,
            width,
            &["inspect", MODULE],
        );
    }
    let arguments = [
        "inspect",
        MODULE,
        "--hardware",
        "h100-pcie",
        "--as-of",
        "2026-09-15",
        "--json",
    ];
    check_command("inspect_json", &sandbox, 80, &arguments);
}

#[test]
fn other_sizes_precisions_and_cards() {
    let commands: [&[&str]; 3] = [
        &[
            "inspect",
            MODULE,
            "--set",
            "batch_size=1",
            "--hardware",
            "t4",
        ],
        &[
            "inspect",
            MODULE,
            "--precision",
            "strict",
            "--hardware",
            "a100-sxm4-80gb",
        ],
        &[
            "inspect",
            MODULE,
            "--set",
            "size=8192",
            "--set",
            "batch_size=64",
        ],
    ];
    check_commands("inspect_set", &examples(), &commands);
}

#[test]
fn what_is_not_understood_is_named() {
    let sandbox = examples();
    sandbox.write(
        "unknown.py",
        "import torch, torch.nn as nn, other\n\
         class Model(nn.Module):\n    def forward(self, x):\n        return other.kernel(x)\n\
         def get_inputs():\n    return [torch.rand(4, 5)]\n\
         def get_init_inputs():\n    return []\n",
    );
    sandbox.write("broken.py", "def f(:\n");
    let commands: [&[&str]; 6] = [
        &["inspect", "unknown.py", "--hardware", "h100-sxm"],
        &["inspect", "broken.py"],
        &["inspect", "absent.py"],
        &["inspect", MODULE, "--set", "nothing=3"],
        &["inspect", MODULE, "--set", "batch_size=many"],
        &["inspect", MODULE, "--hardware", "h1000"],
    ];
    check_commands("inspect_unknown", &sandbox, &commands);
}
