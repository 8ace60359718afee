//! What reading and ranking cost without a database: the JSON reader, the importer on
//! top of it, the ranking policy. `cargo bench` runs it.

use std::fmt::Write as _;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use kidx_importers::json::Document;
use kidx_importers::kernelbench::KernelBench;
use kidx_importers::{Declared, Importer as _, Input};
use kidx_queries::policy::interval::Interval;
use kidx_queries::policy::ranking::{self, Run};
use kidx_queries::policy::resolution::Figure;
use kidx_queries::policy::trust::Trust;

/// A file as the suite publishes it, and one as large as a whole collection of them.
const PROBLEMS: [usize; 2] = [250, 100_000];

fn main() {
    divan::main();
}

/// A timing file with this many problems in one level.
fn timings(problems: usize) -> String {
    let mut text = String::from("{\n    \"level1\": {");
    for number in 1..=problems {
        let comma = if number == 1 { "" } else { "," };
        let tenths = 10 + number % 90;
        // Writing to a String can't fail.
        let _ = write!(
            text,
            r#"{comma}
        "{number}_Problem_of_the_suite.py": {{
            "mean": {tenths}.2,
            "std": 0.0199,
            "min": {tenths}.1,
            "max": {tenths}.9,
            "num_trials": 100,
            "hardware": "NVIDIA H100 80GB HBM3",
            "device": "cuda:0"
        }}"#
        );
    }
    text.push_str("\n    }\n}\n");
    text
}

/// The JSON reader alone: one tree of the whole document.
#[divan::bench(args = PROBLEMS, max_time = 3)]
fn json(bencher: Bencher, problems: usize) {
    let text = timings(problems);
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let document = Document::open(text.as_bytes())?;
        document.cursor().value().map(drop)
    });
}

/// The importer: records with their places, checked and held against each other.
#[divan::bench(args = PROBLEMS, max_time = 3)]
fn kernelbench(bencher: Bencher, problems: usize) {
    let text = timings(problems);
    let input = Input {
        folder: Some("H100_Site"),
        file: Some("baseline_time_torch.json"),
        bytes: text.as_bytes(),
        committed_at: None,
        beside: &[],
    };
    let declared = Declared::default();
    bencher
        .counter(ItemsCount::new(problems))
        .counter(BytesCount::of_str(&text))
        .bench(|| KernelBench.read(&input, &declared));
}

/// The ranking policy on one cohort; some of its runs tie.
#[divan::bench(args = [2, 100])]
fn ranking(bencher: Bencher, runs: usize) {
    let digests: Vec<String> = (0..runs).map(|run| format!("{run:064x}")).collect();
    let runs: Vec<Run<'_>> = (1_i64..)
        .zip(&digests)
        .map(|(place, digest)| {
            let value = 2_000_000_000 + place * 7_919 % 101 * 1_000_000;
            Run {
                figure: Figure {
                    value,
                    interval: Some(Interval {
                        low: value - 2_000_000,
                        high: value + 2_000_000,
                    }),
                    resolution: 5_000_000,
                },
                trust: Trust::Reported,
                observed: Some("2026-03-05"),
                digest,
            }
        })
        .collect();
    bencher
        .counter(ItemsCount::new(runs.len()))
        .bench(|| ranking::rank(divan::black_box(&runs)));
}
