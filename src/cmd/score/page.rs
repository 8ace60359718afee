//! A score, for people.

use super::Answer;
use super::answer::{Group, Line, SuiteLine};
use crate::error::Result;
use crate::output::{Cell, Column, Listing, Mark, Page, Ui, units};

/// Most problems named for a reason.
const NAMED: usize = 12;

/// Writes the page; the suite's own figures first, if they were asked for.
pub(super) fn write(of: &Answer, suite_first: bool, ui: &mut Ui) -> Result<()> {
    let mut page = Page::new(ui.width(), ui.paint());
    page.title(&of.run);
    page.prose(
        Mark::Plain,
        &format!(
            "on {}, against {} on {} ({}), problems of suite version {}",
            named(&of.hardware),
            of.baseline.name,
            named(&of.baseline.hardware),
            of.baseline.from,
            of.suite_version
        ),
    );
    if of.hardware_differs {
        page.prose(
            Mark::Doubt,
            "The baseline is of other hardware: these speedups are of the hardware too.",
        );
    }
    if of.baseline.of_other_hardware > 0 {
        page.prose(
            Mark::Doubt,
            &format!(
                "{} times of the baseline are of other hardware and were left out.",
                of.baseline.of_other_hardware
            ),
        );
    }
    if !of.baseline.other_versions.is_empty() {
        page.prose(
            Mark::Doubt,
            &format!(
                "Times of the baseline are of suite version {}: where that defines a problem \
                 otherwise, they don't count. `--suite-version` says which version the \
                 evaluation is of.",
                of.baseline.other_versions.join(", ")
            ),
        );
    }
    if of.baseline.definition_undeclared > 0 {
        page.prose(
            Mark::Doubt,
            &format!(
                "Of {} nobody says on which version of the problem the baseline was timed: they count.",
                of.baseline.definition_undeclared
            ),
        );
    }
    if suite_first {
        suite(of, &mut page);
    }
    page.section(match of.sample {
        "best" => "Score, of each problem's best sample",
        "all" => "Score, of every sample",
        _ => "Score, of each problem's first sample",
    });
    let mut pairs = figures(&of.all);
    pairs.extend(of.pass_at_k.iter().map(|(k, chance)| {
        let text = match chance.chance {
            None => format!("unknown with k = {k}: no problem has so many samples"),
            Some(share) => format!(
                "{} with k = {k} (of {} evaluated with as many samples)",
                units::share(share),
                chance.problems
            ),
        };
        ("pass@k", Mark::Plain, text)
    }));
    page.pairs(&pairs);
    reasons(of, &mut page);
    if of.by_level.len() > 1 {
        page.section("By level");
        page.table(&Listing::new(columns("Level"), of.by_level.clone()).table());
    }
    page.section("By family");
    page.table(&Listing::new(columns("Family"), of.by_family.clone()).table());
    if !of.largest.is_empty() {
        page.section("Largest speedups");
        let largest: Vec<String> = of
            .largest
            .iter()
            .map(|item| format!("{} {}", item.problem, units::ratio(item.ratio)))
            .collect();
        page.prose(Mark::Plain, &largest.join(", "));
    }
    if !suite_first {
        suite(of, &mut page);
    }
    ui.page(page)?;
    Ok(())
}

fn named(devices: &[String]) -> String {
    if devices.is_empty() {
        "unknown hardware".to_owned()
    } else {
        devices.join(", ")
    }
}

type Pair = (&'static str, Mark, String);

fn figures(of: &Line) -> Vec<Pair> {
    let plain = |name, text| (name, Mark::Plain, text);
    let share = |count: usize| {
        let share = count as f64 / of.total.max(1) as f64;
        format!("{count} of {} ({})", of.total, units::share(share))
    };
    let mut pairs = vec![
        plain("evaluated", share(of.evaluated)),
        plain("compiled", share(of.compiled)),
        plain("correct", share(of.correct)),
        plain("denominator", format!("{} of {}", of.denominator, of.total)),
    ];
    if let Some(fast_p) = &of.fast_p {
        let shares: Vec<String> = fast_p
            .iter()
            .map(|(p, share)| format!("{p}: {}", units::share(*share)))
            .collect();
        pairs.push(("fast_p", Mark::Strong, shares.join("  ")));
    }
    pairs.push((
        "geo mean",
        Mark::Strong,
        of.geo_mean_speedup
            .map_or_else(|| "nothing to compare".to_owned(), units::ratio),
    ));
    pairs.push(plain(
        "beyond noise",
        format!("{} faster, {} tie, {} slower", of.wins, of.ties, of.losses),
    ));
    pairs
}

/// What was left out, or counts for nothing.
fn reasons(of: &Answer, page: &mut Page) {
    const WORDS: [(&str, &str); 5] = [
        (
            "NO_BASELINE",
            "the baseline has no time of them: not in the denominator",
        ),
        (
            "OTHER_DEFINITION",
            "the baseline's time is of another version of the problem: not in the denominator",
        ),
        (
            "NOT_EVALUATED",
            "the run has no sample of them: they count as failed",
        ),
        (
            "NOT_TIMED",
            "correct, and nobody timed them: they count as not fast",
        ),
        (
            "BELOW_HARD",
            "faster than any correct kernel: they count as failed",
        ),
    ];
    let mut first = true;
    for (code, words) in WORDS {
        let problems: Vec<&str> = of
            .excluded
            .iter()
            .filter(|excluded| excluded.reason == code)
            .map(|excluded| excluded.problem.as_str())
            .collect();
        if problems.is_empty() {
            continue;
        }
        if std::mem::take(&mut first) {
            page.section("Left out, or for nothing");
        }
        let more = problems.len().saturating_sub(NAMED);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let shown = problems[..problems.len().min(NAMED)].join(", ");
        page.prose(
            Mark::Plain,
            &format!("{code} {} · {words}: {shown}{more}", problems.len()),
        );
    }
    if !of.excessive_speedup.is_empty() {
        let marked: Vec<String> = of
            .excessive_speedup
            .iter()
            .map(|sample| format!("{} sample {}", sample.problem, sample.sample))
            .collect();
        page.prose(
            Mark::Doubt,
            &format!(
                "The suite marked as excessively fast: {}",
                marked.join(", ")
            ),
        );
    }
}

fn suite(of: &Answer, page: &mut Page) {
    page.section("By the suite's own script");
    for line in &of.suite_rules {
        page.pairs(&suite_figures(line));
    }
    page.prose(
        Mark::Dim,
        "It counts sample 0 only, leaves out what the baseline has no entry of without a word, \
         and compares means as printed.",
    );
}

fn suite_figures(of: &SuiteLine) -> Vec<Pair> {
    let plain = |name, text| (name, Mark::Plain, text);
    let shares: Vec<String> = of
        .fast_p
        .iter()
        .map(|(p, share)| format!("{p}: {}", units::share(*share)))
        .collect();
    let mut pairs = vec![
        plain("level", of.level.to_string()),
        plain(
            "compiled",
            format!("{} of {}", of.compiled_count, of.total_count),
        ),
        plain(
            "correct",
            format!("{} of {}", of.correct_count, of.total_count),
        ),
        plain(
            "fast_p",
            format!("{} of {} aligned", shares.join("  "), of.aligned),
        ),
        plain(
            "geo mean",
            of.geo_mean_speedup.map_or_else(
                || "not a number: a correct sample has no time".to_owned(),
                units::ratio,
            ),
        ),
    ];
    if !of.readable {
        pairs.push((
            "note",
            Mark::Doubt,
            "the script itself can't read this file: its samples stand in no lists".to_owned(),
        ));
    }
    pairs
}

fn columns(title: &str) -> Vec<Column<Group>> {
    let fast = |group: &Group| {
        group
            .line
            .fast_p
            .as_ref()
            .and_then(|fast_p| fast_p.get("1.0").copied())
            .map_or_else(Cell::none, Cell::share)
    };
    vec![
        Column::fixed("group", title, |g: &Group| Cell::text(&g.group)),
        Column::number("total", "Problems", |g: &Group| {
            Cell::count(g.line.total as u64)
        }),
        Column::number("compiled", "Compiled", |g: &Group| {
            Cell::count(g.line.compiled as u64)
        }),
        Column::number("correct", "Correct", |g: &Group| {
            Cell::count(g.line.correct as u64)
        }),
        Column::number("denominator", "Of", |g: &Group| {
            Cell::count(g.line.denominator as u64)
        }),
        Column::number("fast_1", "fast_1", fast),
        Column::number("geo_mean_speedup", "Geo mean", |g: &Group| {
            g.line.geo_mean_speedup.map_or_else(Cell::none, Cell::ratio)
        }),
        Column::number("ties", "Ties", |g: &Group| Cell::count(g.line.ties as u64)),
    ]
}
