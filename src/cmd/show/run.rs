//! The page of a run: its figures, what it counts for, and where each is written.

use kidx_queries::audit::marks as audit;
use kidx_queries::policy::audit::Severity;
use kidx_queries::show::run::{Figures, Place, RunPage, SightingLine};

use super::super::code::codes;
use super::provenance;
use super::words::{self, Pair, latency, line, pair};
use crate::output::{Mark, Page, units};

/// Writes the page.
pub(super) fn write(of: &RunPage, page: &mut Page) {
    page.title(&format!(
        "{}: {} {}",
        of.implementation.name,
        of.figures.amount.shown(),
        of.figures.spread.as_deref().unwrap_or_default()
    ));
    page.prose(Mark::Dim, &of.run);
    for note in &of.notes {
        page.prose(Mark::Doubt, note);
    }
    page.section("What was measured");
    page.pairs(&[
        pair(
            "operation",
            Some(line([
                Some(of.operation.name.clone()),
                Some(of.operation.slug.clone()),
            ])),
        ),
        words::workload(&of.workload),
        pair("hardware", Some(&of.hardware.product)),
        pair("provider", of.environment.provider.as_ref()),
        pair("software", words::software(&of.environment.software)),
        pair("protocol", Some(words::protocol(&of.protocol))),
        pair(
            "implementation",
            Some(line([
                Some(of.implementation.project.clone()),
                Some(of.implementation.language.clone()),
                Some(of.implementation.interface.clone()),
                Some(of.implementation.role.clone()),
            ])),
        ),
        pair("module", of.module_url.as_ref()),
    ]);
    page.section("Figures");
    page.pairs(&figures(&of.figures));
    page.section("Standing");
    page.pairs(&standing(of));
    if let Some(floor) = &of.floor {
        words::floor(page, "this run", floor);
    }
    let own = of
        .sightings
        .iter()
        .any(|sighting| sighting.reading.terms_basis != "source");
    page.section(if own {
        "Licences and terms, of the source in general: the file has its own below"
    } else {
        "Licences and terms"
    });
    page.pairs(&[
        pair(
            "source",
            Some(line([
                Some(of.source.name.clone()),
                Some(of.source.home.clone()),
            ])),
        ),
        pair("data", provenance::licence(&of.source.data_license)),
        pair("module", provenance::licence(&of.source.module_license)),
        pair("what ran", provenance::licence(&of.implementation_license)),
        pair(
            "passing on",
            of.source
                .redistribution
                .map(|may| if may { "allowed" } else { "not allowed" }),
        ),
        pair("to name", Some(&of.source.attribution)),
        pair("terms", Some(&of.source.terms)),
    ]);
    for sighting in &of.sightings {
        page.section("Where it is written");
        page.pairs(&place_of(sighting));
    }
}

fn figures(of: &Figures) -> Vec<Pair> {
    // Both ends read the same in the unit of the value, so they are given exactly.
    let unit = &of.metric.unit;
    let interval = of
        .interval
        .map(|[low, high]| format!("{low} to {high} {unit}"));
    vec![
        pair(
            "value",
            Some(line([
                Some(of.amount.shown()),
                Some(of.statistic.clone()),
                of.samples.map(|samples| format!("{samples} trials")),
            ])),
        ),
        pair("95 % interval", interval),
        pair(
            "resolution",
            Some(match of.resolution_ns {
                Some(ns) => format!("±{}", latency(ns)),
                None => format!("±{} {unit}", of.resolution),
            }),
        ),
        pair("deviation", of.std_ns.map(latency)),
        pair("fastest trial", of.min_ns.map(latency)),
        pair("slowest trial", of.max_ns.map(latency)),
    ]
}

fn standing(of: &RunPage) -> Vec<Pair> {
    let place = &of.place;
    let mut pairs = vec![
        rank(place),
        pair("leader", place.leader.as_ref()),
        pair("cohort", Some(&place.cohort)),
        pair("evidence", Some(of.trust.as_str())),
        pair(
            "observed",
            of.observed_on.as_ref().map(|day| {
                let basis = of.observed_basis.as_deref().unwrap_or("basis unknown");
                line([
                    Some(format!("{day} ({basis})")),
                    of.age.age_days.map(units::age),
                ])
            }),
        ),
    ];
    if of.age.stale == Some(true) {
        pairs.push(("stale", Mark::Doubt, codes(&of.age.stale_reasons)));
    }
    for doubt in &of.doubts {
        let text = format!(
            "{}: {} of {}",
            doubt.code,
            units::ratio(doubt.factor),
            doubt.against
        );
        pairs.push(("doubt", Mark::Doubt, text));
    }
    pairs.extend(of.marks.iter().filter(|mark| !is_doubt(of, mark)).map(told));
    for event in &of.events {
        let rule = event.rule.as_ref().map(|rule| format!(" {rule}"));
        let text = format!(
            "{}{} at {}: {}",
            event.event,
            rule.unwrap_or_default(),
            event.at,
            event.reason
        );
        pairs.push(("event", Mark::Doubt, text));
    }
    for copy in &of.copies {
        pairs.push(pair("copy", Some(copy)));
    }
    pairs
}

/// Whether a doubt says already what a mark does.
fn is_doubt(of: &RunPage, mark: &audit::Mark) -> bool {
    of.doubts
        .iter()
        .any(|doubt| doubt.code == mark.rule.as_str())
}

fn told(mark: &audit::Mark) -> Pair {
    let text = format!(
        "{}: {}, {} {} ({} {}){}",
        mark.rule,
        mark.title,
        mark.saw.what,
        mark.saw.text,
        mark.against.what,
        mark.against.text,
        match &mark.acknowledged {
            Some(_) => ", acknowledged",
            None => "",
        }
    );
    let style = match mark.severity {
        Severity::Note => Mark::Plain,
        Severity::Warning | Severity::Error => Mark::Doubt,
    };
    (mark.severity.as_str(), style, text)
}

fn rank(of: &Place) -> Pair {
    let Some(rank) = of.rank else {
        return ("does not stand", Mark::Doubt, codes(&of.reasons));
    };
    let text = line([
        Some(format!(
            "{rank}{} of {}",
            if of.tied { "=" } else { "" },
            of.runs
        )),
        of.vs_first
            .map(|ratio| format!("{} the leader's latency", units::ratio(ratio))),
        of.vs_baseline
            .map(|ratio| format!("speedup {} over the baseline", units::ratio(ratio))),
    ]);
    ("rank", Mark::Strong, text)
}

fn place_of(of: &SightingLine) -> Vec<Pair> {
    let line = of.line.map(|line| format!(", line {line}"));
    let stated = of
        .stated
        .iter()
        .map(|(name, text)| format!("{name} {}", words::plain(text)));
    let mut pairs = vec![
        (
            "place",
            Mark::Strong,
            format!("{}{}", of.pointer, line.unwrap_or_default()),
        ),
        pair("stated as", Some(stated.collect::<Vec<_>>().join(", "))),
        pair("device", Some(&of.hardware)),
        pair("snapshot", Some(&of.snapshot)),
    ];
    pairs.extend(provenance::reading(&of.reading));
    pairs
}
