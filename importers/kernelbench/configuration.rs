//! Which PyTorch configuration a timing file belongs to, by its name.
//!
//! Spellings over time: `baseline_time.json` and `baseline_time_torch.json` (eager),
//! `baseline_time_torch_compile[_mode_<mode>].json` (inductor, the default backend),
//! `baseline_time_torch_compile_<backend>[_<mode>].json`; in the oldest a machine name
//! follows instead (`baseline_time_torch_compile_matx2.json`).

use crate::{Implementation, Role};

/// What timing files' names begin with.
pub(super) const PREFIX: &str = "baseline_time";

/// Backends of `torch.compile`; `inductor` is PyTorch's own default.
const BACKENDS: &[&str] = &[
    "inductor",
    "cudagraphs",
    "aot_eager",
    "onnxrt",
    "openxla",
    "tvm",
];

/// Modes of `torch.compile`, a longer one before its beginning.
const MODES: &[&str] = &[
    "max-autotune-no-cudagraphs",
    "max-autotune",
    "reduce-overhead",
    "default",
];

/// What a file name says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    /// The configuration.
    pub(super) implementation: Implementation,
    /// What is left of the name: the machine, in the oldest files.
    pub(super) rest: Option<String>,
}

/// Reads a timing file's name; `None` if it isn't named like one.
pub(super) fn from_file_name(file: &str) -> Option<Named> {
    let stem = file.split_once(".json").map_or(file, |(stem, _)| stem);
    let name = stem.strip_prefix(PREFIX)?;
    let (implementation, rest) = after_prefix(name);
    let rest = rest.strip_prefix('_').unwrap_or_default();
    Some(Named {
        implementation,
        rest: (!rest.is_empty()).then(|| rest.to_owned()),
    })
}

/// The implementation a user names: by name, slug or interface token of a known
/// configuration (upper and lower case alike), else one of their own.
pub(super) fn from_user(text: &str) -> Implementation {
    let text = text.trim();
    let known = std::iter::once(eager()).chain(BACKENDS.iter().flat_map(|backend| {
        std::iter::once(compiled(backend, None))
            .chain(MODES.iter().map(|mode| compiled(backend, Some(mode))))
    }));
    for implementation in known {
        let spellings = [
            &implementation.name,
            &implementation.slug,
            &implementation.interface,
        ];
        if spellings
            .iter()
            .any(|known| known.eq_ignore_ascii_case(text))
        {
            return implementation;
        }
    }
    // The file name's own spelling, and what people call the two common ones.
    let token = match text.to_ascii_lowercase().as_str() {
        "eager" => "_torch".to_owned(),
        "compile" | "torch.compile" => "_torch_compile".to_owned(),
        other => format!("_{other}"),
    };
    match after_prefix(&token) {
        (implementation, "") => implementation,
        _ => own(text),
    }
}

/// PyTorch without compilation.
pub(super) fn eager() -> Implementation {
    pytorch(
        "pytorch-eager",
        "PyTorch eager",
        "torch_eager",
        Role::Baseline,
    )
}

/// The configuration that a name's remainder begins with, and what follows it.
fn after_prefix(name: &str) -> (Implementation, &str) {
    let Some(rest) = token(name, "torch") else {
        return (eager(), name);
    };
    let Some(rest) = token(rest, "compile") else {
        return (eager(), rest);
    };
    let (backend, rest) = match first_token(rest, BACKENDS) {
        Some((backend, rest)) => (backend, rest),
        None => ("inductor", token(rest, "mode").unwrap_or(rest)),
    };
    match first_token(rest, MODES) {
        Some((mode, rest)) => (compiled(backend, Some(mode)), rest),
        None => (compiled(backend, None), rest),
    }
}

/// What follows `_word`, if the text begins with it as a whole word.
fn token<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_prefix('_')?.strip_prefix(word)?;
    let ends = !rest.starts_with(|next: char| next.is_alphanumeric() || next == '-');
    ends.then_some(rest)
}

fn first_token<'a, 'w>(text: &'a str, words: &[&'w str]) -> Option<(&'w str, &'a str)> {
    words
        .iter()
        .find_map(|word| token(text, word).map(|rest| (*word, rest)))
}

/// `torch.compile`; the mode `default` is what no mode means, so it isn't shown.
fn compiled(backend: &str, mode: Option<&str>) -> Implementation {
    let mode = mode.filter(|mode| *mode != "default");
    let (slug, name, interface) = match mode {
        Some(mode) => (
            format!("torch-compile-{backend}-{mode}"),
            format!("torch.compile ({backend}, {mode})"),
            format!("torch_compile_{backend}_{mode}"),
        ),
        None => (
            format!("torch-compile-{backend}"),
            format!("torch.compile ({backend})"),
            format!("torch_compile_{backend}"),
        ),
    };
    pytorch(&slug.replace('_', "-"), &name, &interface, Role::Reference)
}

fn pytorch(slug: &str, name: &str, interface: &str, role: Role) -> Implementation {
    Implementation {
        slug: slug.to_owned(),
        name: name.to_owned(),
        project: "PyTorch".to_owned(),
        language: "python".to_owned(),
        interface: interface.to_owned(),
        role,
        license: Some("BSD-3-Clause".to_owned()),
    }
}

/// An implementation that only its name is known of.
fn own(name: &str) -> Implementation {
    let words: Vec<String> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let slug = if words.is_empty() {
        "unnamed".to_owned()
    } else {
        words.join("-")
    };
    Implementation {
        interface: slug.replace('-', "_"),
        slug,
        name: name.to_owned(),
        project: name.to_owned(),
        language: "unknown".to_owned(),
        role: Role::Candidate,
        license: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_of_every_generation() {
        let cases = [
            ("baseline_time.json", "PyTorch eager", None),
            ("baseline_time_torch.json", "PyTorch eager", None),
            ("baseline_time_torch.json.bak", "PyTorch eager", None),
            ("baseline_time_matx2.json", "PyTorch eager", Some("matx2")),
            (
                "baseline_time_cleaned.json",
                "PyTorch eager",
                Some("cleaned"),
            ),
            (
                "baseline_time_torchao.json",
                "PyTorch eager",
                Some("torchao"),
            ),
            ("baseline_time_torch (1).json", "PyTorch eager", None),
            (
                "baseline_time_torch_compile.json",
                "torch.compile (inductor)",
                None,
            ),
            (
                "baseline_time_torch_compile_matx3.json",
                "torch.compile (inductor)",
                Some("matx3"),
            ),
            (
                "baseline_time_torch_compile_mode_max-autotune.json",
                "torch.compile (inductor, max-autotune)",
                None,
            ),
            (
                "baseline_time_torch_compile_inductor_default.json",
                "torch.compile (inductor)",
                None,
            ),
            (
                "baseline_time_torch_compile_inductor_max-autotune.json",
                "torch.compile (inductor, max-autotune)",
                None,
            ),
            (
                "baseline_time_torch_compile_inductor_max-autotune-no-cudagraphs.json",
                "torch.compile (inductor, max-autotune-no-cudagraphs)",
                None,
            ),
            (
                "baseline_time_torch_compile_inductor_reduce-overhead_run_2.json",
                "torch.compile (inductor, reduce-overhead)",
                Some("run_2"),
            ),
            (
                "baseline_time_torch_compile_cudagraphs.json",
                "torch.compile (cudagraphs)",
                None,
            ),
        ];
        for (file, name, rest) in cases {
            let named = from_file_name(file).unwrap();
            assert_eq!(named.implementation.name, name, "{file}");
            assert_eq!(named.rest.as_deref(), rest, "{file}");
        }
        assert_eq!(from_file_name("timings.json"), None);
    }

    #[test]
    fn a_user_names_a_known_configuration_in_any_of_its_spellings() {
        let cases = [
            ("PyTorch eager", "torch_eager"),
            ("PYTORCH-EAGER", "torch_eager"),
            ("torch_eager", "torch_eager"),
            ("torch", "torch_eager"),
            ("Eager", "torch_eager"),
            ("torch.compile", "torch_compile_inductor"),
            ("torch.compile (inductor)", "torch_compile_inductor"),
            ("torch_compile_inductor_default", "torch_compile_inductor"),
            (
                "Torch-Compile-Inductor-Max-Autotune",
                "torch_compile_inductor_max-autotune",
            ),
            ("torch.compile (cudagraphs)", "torch_compile_cudagraphs"),
        ];
        for (text, interface) in cases {
            assert_eq!(from_user(text).interface, interface, "{text}");
        }
        let own = from_user("My Kernel v2");
        assert_eq!(
            (own.slug.as_str(), own.role),
            ("my-kernel-v2", Role::Candidate)
        );
        assert_eq!(own.license, None);
        assert_eq!(from_user("  ").slug, "unnamed");
    }
}
