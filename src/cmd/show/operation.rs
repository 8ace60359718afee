//! The page of an operation, top to bottom: who leads, on what that rests, where else
//! it was measured, what was compared, the floor, the ranks, what it computes.

use kidx_queries::show::operation::{Context, EvidenceLine, Headline, OperationPage};
use kidx_queries::show::semantics::{Argument, Extent, Semantics};

use super::columns;
use super::words::{self, line, pair, table};
use crate::output::{Mark, Page, units};

/// Writes the page.
pub(super) fn write(of: &OperationPage, page: &mut Page) {
    let operation = &of.operation.operation;
    page.title(&operation.name);
    page.prose(
        Mark::Dim,
        &line([
            Some(units::counted(of.eligible_runs as u64, "eligible run")),
            Some(operation.family.clone()),
            Some(operation.slug.clone()),
            of.workload.suite_version.clone(),
        ]),
    );
    page.prose(Mark::Plain, &of.operation.description);
    for note in &of.notes {
        page.prose(Mark::Doubt, note);
    }
    if let (Some(leader), Some(rests_on)) = (&of.headline, &of.evidence) {
        headline(leader, of.context.as_ref(), page);
        evidence(rests_on, page);
    }
    page.section("Current records");
    if of.records.is_empty() {
        page.prose(Mark::Dim, "none");
    } else {
        table(page, columns::records(), of.records.clone());
    }
    if !of.not_measured_on.is_empty() {
        page.prose(
            Mark::Doubt,
            &format!(
                "Not measured on {} for this workload.",
                of.not_measured_on.join(", ")
            ),
        );
    }
    if let Some(shared) = &of.context {
        context(shared, page);
    }
    if let Some(floor) = &of.floor {
        words::floor(page, "record", floor);
    }
    if !of.ranking.is_empty() {
        page.section("Ranking");
        table(page, columns::ranking(), of.ranking.clone());
    }
    if !of.superseded.is_empty() {
        page.section("Superseded or not eligible");
        table(page, columns::left_out(), of.superseded.clone());
    }
    if !of.implementations.items.is_empty() {
        page.section("Implementations");
        page.prose(
            Mark::Dim,
            &format!("best over {}", of.implementations.scope),
        );
        table(
            page,
            columns::implementations(),
            of.implementations.items.clone(),
        );
    }
    if let Some(meaning) = &of.semantics {
        semantics(meaning, page);
    }
    if !of.versions.is_empty() {
        page.section("Other workloads of this problem");
        table(page, columns::versions(), of.versions.clone());
    }
    page.section("Identity");
    let identity = &of.identity;
    let mut pairs = vec![pair("operation", Some(&identity.digest))];
    // Not every operation has an identity elsewhere; that is no gap in what is known.
    if let Some(published) = &identity.published_digest {
        pairs.push(pair("published as", Some(published)));
    }
    pairs.push(pair("suite commit", identity.commit.as_ref()));
    pairs.push(pair("workload", Some(&of.workload.digest)));
    page.pairs(&pairs);
    sources(of, page);
}

fn headline(of: &Headline, context: Option<&Context>, page: &mut Page) {
    page.section(&line([
        Some(of.label.clone()),
        of.unbeaten.then(|| "unbeaten".to_owned()),
        (!of.tied_with.is_empty()).then(|| format!("tied with {}", of.tied_with.join(", "))),
    ]));
    let held = &of.held;
    let spread = held.spread.as_deref().map(|spread| format!(" {spread}"));
    page.prose(
        Mark::Strong,
        &line([
            Some(format!(
                "{}{}",
                held.amount.shown(),
                spread.unwrap_or_default()
            )),
            Some(match held.samples {
                Some(samples) => format!("{} of {samples}", held.statistic),
                None => held.statistic.clone(),
            }),
            // The cohort with the most runs leads the page; others may be faster.
            context.map(|context| format!("on {}", context.environment.label)),
            of.speedup_vs_baseline
                .map(|speedup| format!("{} speedup over the baseline", units::ratio(speedup))),
        ]),
    );
    page.prose(
        Mark::Plain,
        &line([
            Some(held.implementation.clone()),
            Some(held.project.clone()),
            Some(held.language.clone()),
        ]),
    );
    page.prose(
        Mark::Dim,
        &words::licences(of.license.as_deref(), of.implementation_license.as_deref()),
    );
    page.prose(Mark::Dim, &held.run);
}

fn evidence(of: &EvidenceLine, page: &mut Page) {
    let observed = of.observed_on.as_deref().unwrap_or("at an unknown date");
    let basis = of
        .observed_basis
        .as_deref()
        .map(|basis| format!(" ({basis})"));
    page.section("Evidence");
    page.prose(
        Mark::Plain,
        &format!(
            "{} evidence · last observed {observed}{}. {}",
            capital(of.level.as_str()),
            basis.unwrap_or_default(),
            of.caveats.join(" ")
        ),
    );
    let package = of.package.as_deref().unwrap_or("none known");
    page.prose(Mark::Dim, &format!("package {package}"));
    if let Some(url) = &of.source_url {
        page.prose(Mark::Dim, &format!("module {url}"));
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

fn context(of: &Context, page: &mut Page) {
    page.section("Comparison within one environment and protocol");
    page.pairs(&[
        pair("hardware", Some(&of.hardware.product)),
        pair("provider", of.environment.provider.as_ref()),
        pair("software", words::software(&of.environment.software)),
        words::workload(&of.workload),
        pair("protocol", Some(words::protocol(&of.protocol))),
        pair("results", Some(of.results.to_string())),
        pair("last observed", of.observed_on.as_ref()),
        pair("cohort", Some(&of.cohort)),
    ]);
}

fn semantics(of: &Semantics, page: &mut Page) {
    page.section("Semantics");
    let mut pairs: Vec<(&str, Mark, String)> = Vec::new();
    for input in &of.inputs {
        pairs.push((&input.name, Mark::Plain, argument(input)));
    }
    for output in &of.outputs {
        let text = format!("{} {}, output", output.dtype, shape(&output.shape));
        pairs.push((output.name, Mark::Plain, text));
    }
    let parameters = of.parameters.as_ref().map(|values| {
        let texts: Vec<String> = values.iter().map(words::plain).collect();
        if texts.is_empty() {
            "none".to_owned()
        } else {
            texts.join(", ")
        }
    });
    pairs.push(pair("parameters", parameters));
    let axes = of
        .axes
        .iter()
        .map(|(name, role)| format!("{name} {}", words::plain(role)));
    pairs.push(pair("axes", Some(axes.collect::<Vec<_>>().join(", "))));
    pairs.push(pair("determinism", Some(of.determinism)));
    pairs.push(pair("constraints", Some(of.constraints)));
    for unknown in &of.unknown {
        pairs.push(("not understood", Mark::Doubt, unknown.clone()));
    }
    page.pairs(&pairs);
}

fn argument(of: &Argument) -> String {
    if let Some(scalar) = &of.scalar {
        return words::plain(scalar);
    }
    let dtype = of.dtype.as_deref().unwrap_or("unknown");
    let draw = of.draw.as_deref().map(|draw| format!(", drawn by {draw}"));
    format!(
        "{dtype} {}{}",
        shape(of.shape.as_deref().unwrap_or_default()),
        draw.unwrap_or_default()
    )
}

fn shape(of: &[Extent]) -> String {
    let extents: Vec<String> = of
        .iter()
        .map(|extent| match extent {
            Extent::Symbol(name) => name.clone(),
            Extent::Size(size) => size.to_string(),
        })
        .collect();
    format!("[{}]", extents.join(", "))
}

fn sources(of: &OperationPage, page: &mut Page) {
    if of.sources.is_empty() {
        return;
    }
    page.section("Sources");
    for source in &of.sources {
        page.prose(
            Mark::Plain,
            &line([
                Some(format!(
                    "{} ({})",
                    source.name,
                    source.observed_on.as_deref().unwrap_or("date unknown")
                )),
                Some(match &source.license {
                    Some(license) => license.to_string(),
                    None => "licence unknown".to_owned(),
                }),
                Some(source.attribution.clone()),
                Some(source.home.clone()),
            ]),
        );
    }
}
