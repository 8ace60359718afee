//! How pages show where bytes were met and how they were read.

use kidx_queries::show::provenance::{Licence, Origin, ReadingFacts};

use super::words::{self, Pair, line, pair};
use crate::output::Mark;

/// A reading, a fact a line.
pub(super) fn reading(of: &ReadingFacts) -> Vec<Pair> {
    let names = [of.folder.clone(), of.file.clone()];
    let path: Vec<String> = names.into_iter().flatten().collect();
    let mut pairs = vec![
        pair("file", (!path.is_empty()).then(|| path.join("/"))),
        pair(
            "observed",
            of.observed_on
                .as_ref()
                .map(|day| basis(day, of.observed_basis.as_ref())),
        ),
        pair("data licence", licence(&of.data_license)),
        pair(
            "terms",
            Some(line([
                Some(passing_on(of.redistribution).to_owned()),
                Some(format!("name {}", of.attribution)),
                Some(format!("by {}", terms_by(&of.terms_basis))),
            ])),
        ),
        pair(
            "read by",
            Some(line([
                Some(of.importer.clone()),
                Some(format!("learned {}", of.learned_at)),
            ])),
        ),
        pair("provider", of.provider.as_ref()),
        pair("suite version", of.suite_version.as_ref()),
    ];
    if !of.declared.is_empty() {
        let declared = of
            .declared
            .iter()
            .map(|(name, value)| format!("{name} {}", words::plain(value)));
        pairs.push(pair(
            "declared",
            Some(declared.collect::<Vec<_>>().join(", ")),
        ));
    }
    for assumption in &of.assumptions {
        pairs.push(("assumed", Mark::Doubt, assumption.clone()));
    }
    pairs.extend(of.origins.iter().map(origin));
    pairs
}

/// Whether figures may be passed on, in words.
pub(super) fn passing_on(may: Option<bool>) -> &'static str {
    match may {
        Some(true) => "passing on allowed",
        Some(false) => "passing on not allowed",
        None => "passing on unknown",
    }
}

fn terms_by(basis: &str) -> &'static str {
    match basis {
        "declared" => "what was declared",
        "stated" => "what the file states",
        _ => "the source's terms",
    }
}

fn origin(of: &Origin) -> Pair {
    let text = line([
        Some(of.location.clone()),
        of.container.clone(),
        of.observed_at
            .as_ref()
            .map(|at| basis(at, of.observed_basis.as_ref())),
        Some(format!("learned {}", of.learned_at)),
    ]);
    ("met at", Mark::Plain, text)
}

fn basis(at: &str, basis: Option<&String>) -> String {
    match basis {
        Some(basis) => format!("{at} ({basis})"),
        None => at.to_owned(),
    }
}

/// A licence: what it is taken for, and the owner's text where that says more.
pub(super) fn licence(of: &Licence) -> Option<String> {
    match (&of.concluded, &of.declared) {
        (Some(spdx), Some(text)) if spdx != text => Some(format!("{spdx} (stated as {text})")),
        (Some(spdx), _) => Some(spdx.clone()),
        (None, Some(text)) => Some(format!("unknown (stated as {text})")),
        (None, None) => None,
    }
}
