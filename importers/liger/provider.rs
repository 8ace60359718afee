//! Who computed, by the name that the benchmark scripts give it.

use std::collections::{HashMap, HashSet};

use crate::{Implementation, Role};

/// What each kernel of a table was compared with: its designated baseline.
///
/// The scripts call what a model would run without Liger `huggingface`, or `torch` where
/// there is no model around it; no kernel has both.
#[derive(Debug, Default)]
pub(super) struct Baselines<'t> {
    providers: HashMap<&'t str, HashSet<&'t str>>,
}

impl<'t> Baselines<'t> {
    /// Learns that a kernel was measured by a provider.
    pub(super) fn add(&mut self, kernel: &'t str, provider: &'t str) {
        self.providers.entry(kernel).or_default().insert(provider);
    }

    /// A provider's role for a kernel: `huggingface` before `torch` before the first by
    /// name of `torch…` is the baseline, those behind it are references.
    pub(super) fn role(&self, kernel: &str, provider: &str) -> Role {
        let known = self.providers.get(kernel);
        let rank = |name: &str| match name {
            "huggingface" => Some(0),
            "torch" => Some(1),
            name if name.starts_with("torch") => Some(2),
            _ => None,
        };
        let best = known
            .into_iter()
            .flatten()
            .filter_map(|name| Some((rank(name)?, *name)))
            .min();
        match best {
            Some((_, name)) if name == provider => Role::Baseline,
            _ if rank(provider).is_some() => Role::Reference,
            _ => Role::Candidate,
        }
    }
}

/// The implementation of a row. A newer release of Liger-Kernel is another implementation;
/// of the others the table states no version.
pub(super) fn implementation(provider: &str, release: &str, role: Role) -> Implementation {
    let liger =
        provider == "liger" || provider.starts_with("liger_") || provider.starts_with("liger-");
    let (project, language, license) = match provider {
        _ if provider.starts_with("liger_cutile") => {
            ("Liger-Kernel", "cutile", Some("BSD-2-Clause"))
        }
        _ if provider.starts_with("liger_cutedsl") => {
            ("Liger-Kernel", "cutedsl", Some("BSD-2-Clause"))
        }
        _ if liger => ("Liger-Kernel", "triton", Some("BSD-2-Clause")),
        "huggingface" => ("Hugging Face", "python", None),
        "torch" | "torch_compile" => ("PyTorch", "python", Some("BSD-3-Clause")),
        _ if provider.starts_with("megatron") => ("Megatron-LM", "unknown", None),
        _ if provider.starts_with("deepspeed") => ("DeepSpeed", "unknown", None),
        _ => (provider, "unknown", None),
    };
    let release = Some(release).filter(|release| liger && !release.is_empty());
    let words: Vec<&str> = provider
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let slug = words.join("-").to_lowercase();
    let name = match provider {
        "liger" => "Liger-Kernel".to_owned(),
        "huggingface" => "Hugging Face".to_owned(),
        "torch" => "PyTorch eager".to_owned(),
        "torch_compile" => "torch.compile".to_owned(),
        _ if liger => format!("Liger-Kernel ({provider})"),
        _ => provider.to_owned(),
    };
    let with = |text: String, between: &str| match release {
        Some(release) => format!("{text}{between}{release}"),
        None => text,
    };
    Implementation {
        slug: with(slug, "-"),
        name: with(name, " "),
        project: project.to_owned(),
        language: language.to_owned(),
        interface: with(provider.to_owned(), "@"),
        role,
        license: license.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_has_one_baseline() {
        let mut baselines = Baselines::default();
        for (kernel, provider) in [
            ("a", "liger"),
            ("a", "huggingface"),
            ("a", "torch"),
            ("a", "torch_compile"),
            ("b", "torch_compile"),
            ("b", "torch"),
            ("c", "torch_compile"),
            ("c", "torch_b"),
            ("d", "megatron-fused"),
        ] {
            baselines.add(kernel, provider);
        }
        let cases = [
            ("a", "huggingface", Role::Baseline),
            ("a", "torch", Role::Reference),
            ("a", "torch_compile", Role::Reference),
            ("a", "liger", Role::Candidate),
            ("b", "torch", Role::Baseline),
            ("b", "torch_compile", Role::Reference),
            ("c", "torch_b", Role::Baseline),
            ("c", "torch_compile", Role::Reference),
            ("d", "megatron-fused", Role::Candidate),
        ];
        for (kernel, provider, role) in cases {
            assert_eq!(
                baselines.role(kernel, provider),
                role,
                "{kernel} {provider}"
            );
        }
    }

    #[test]
    fn releases_and_variants_are_implementations_of_their_own() {
        let told = |provider, release| {
            let it = implementation(provider, release, Role::Candidate);
            format!(
                "{} | {} | {} | {} | {}",
                it.slug, it.name, it.project, it.language, it.interface
            )
        };
        let cases = [
            (
                "liger",
                "0.5.10",
                "liger-0.5.10 | Liger-Kernel 0.5.10 | Liger-Kernel | triton | liger@0.5.10",
            ),
            (
                "liger",
                "",
                "liger | Liger-Kernel | Liger-Kernel | triton | liger",
            ),
            (
                "liger_cutile_rms_norm",
                "0.8.0",
                "liger-cutile-rms-norm-0.8.0 | Liger-Kernel (liger_cutile_rms_norm) 0.8.0 | Liger-Kernel | cutile | liger_cutile_rms_norm@0.8.0",
            ),
            (
                "torch",
                "0.5.10",
                "torch | PyTorch eager | PyTorch | python | torch",
            ),
            (
                "megatron-fused",
                "0.8.1",
                "megatron-fused | megatron-fused | Megatron-LM | unknown | megatron-fused",
            ),
            ("ours", "1", "ours | ours | ours | unknown | ours"),
        ];
        for (provider, release, expected) in cases {
            assert_eq!(told(provider, release), expected);
        }
    }
}
