//! What a row's words become: the operation, who computed it, and evidence.

use crate::names::hostile;
use crate::table::Row;
use crate::{Implementation, Operation, Role, Status};

use super::arguments::Columns;

/// The operation of a kind.
pub(super) fn operation(kind: &str) -> Operation {
    let (title, family) = match kind {
        "gemm" => ("GEMM", "gemm"),
        "conv2d" => ("2D convolution", "conv"),
        "conv3d" => ("3D convolution", "conv"),
        // Sparse, grouped, block-scaled … products, and new kinds under their own names.
        other if other.contains("gemm") => (other, "gemm"),
        other => (other, "unknown"),
    };
    Operation {
        suite: "cutlass".to_owned(),
        group: None,
        name: kind.to_owned(),
        title: title.to_owned(),
        family: family.to_owned(),
        definition: None,
    }
}

/// How an implementation is called: CUTLASS by kernel and launch; a library as a whole, since
/// the kernel in its rows is the CUTLASS kernel that it was called beside.
pub(super) fn interface(provider: &str, kernel: &str, launch: Vec<String>) -> String {
    if provider == "CUTLASS" {
        let mut parts = vec![kernel.to_owned()];
        parts.extend(launch);
        parts.join(" ")
    } else {
        provider.to_lowercase()
    }
}

/// Who computed: a kernel of CUTLASS, a library, or the profiler's own reference.
pub(super) fn implementation(provider: &str, interface: String) -> Implementation {
    let own = provider == "CUTLASS";
    let reference = provider.starts_with("reference");
    let words: Vec<&str> = interface
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    Implementation {
        slug: words.join("-").to_lowercase(),
        name: if own {
            interface.clone()
        } else {
            provider.to_owned()
        },
        project: if reference { "CUTLASS" } else { provider }.to_owned(),
        language: if provider == "reference_host" {
            "c++"
        } else {
            "cuda"
        }
        .to_owned(),
        role: if own {
            Role::Candidate
        } else {
            Role::Reference
        },
        license: (own || reference).then(|| "BSD-3-Clause".to_owned()),
        interface,
    }
}

/// Texts that are evidence: the user's tags, what the kernel is made of, what the profiler
/// counted, and of a row that didn't pass the words and the time that it has all the same.
pub(super) fn texts(
    columns: &Columns,
    row: &Row,
    provider: &str,
    kernel: &str,
    status: Status,
) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    let mut add = |name: &str, text: Option<&str>| {
        if let Some(text) = text.filter(|text| hostile(text).is_none() && hostile(name).is_none()) {
            texts.push((name.to_owned(), text.to_owned()));
        }
    };
    for tag in &columns.tags {
        add(tag, columns.cell(row, tag));
    }
    if provider != "CUTLASS" {
        add("beside", Some(kernel));
    }
    let made_of = columns.of_kernel(row);
    add(
        "kernel",
        Some(&made_of)
            .filter(|_| provider == "CUTLASS")
            .map(String::as_str),
    );
    for name in ["Bytes", "Flops"] {
        add(name, columns.cell(row, name));
    }
    let disposition = columns.cell(row, "Disposition");
    add("Disposition", disposition.filter(|word| *word != "passed"));
    add(
        "Status",
        columns
            .cell(row, "Status")
            .filter(|word| *word != "success"),
    );
    if status != Status::Passed {
        add("Runtime", columns.cell(row, "Runtime"));
    }
    texts
}
