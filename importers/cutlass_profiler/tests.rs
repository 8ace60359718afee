//! The importer's rules on small reports of our own, and what a published one gives.

use proptest::prelude::*;

use super::*;
use crate::{Status, Subject, Workload, told};

const REPORT: &str = include_str!("../../tests/fixtures/cutlass-profiler/report.gemm.csv");
const CAPTURED: &str = include_str!("../../tests/fixtures/cutlass-profiler/captured.txt");

fn on(hardware: &str) -> Declared {
    Declared {
        hardware: Some(hardware.to_owned()),
        ..Declared::default()
    }
}

fn input(bytes: &[u8]) -> Input<'_> {
    Input {
        folder: None,
        file: Some("report.gemm.csv"),
        bytes,
        committed_at: None,
        beside: &[],
    }
}

fn read_as(bytes: &[u8], declared: &Declared) -> Result<Reading, Refused> {
    let reading = CutlassProfiler.read(&input(bytes), declared)?;
    told::counts_add_up(&reading);
    for run in &reading.observations {
        assert_eq!(run.status == Status::Passed, run.figures.value.is_some());
    }
    Ok(reading)
}

fn workload(reading: &Reading, at: usize) -> &Workload {
    match &reading.observations[at].subject {
        Subject::Stated(workload) => workload,
        Subject::Problem(_) => panic!("a report states its workloads"),
    }
}

#[test]
fn a_report_gives_three_figures_a_row() {
    insta::assert_snapshot!(told::read(
        &CutlassProfiler,
        "report.gemm.csv",
        REPORT,
        &on("GPU A")
    ));
}

#[test]
fn captured_output_may_hold_several_tables() {
    insta::assert_snapshot!(told::read(&CutlassProfiler, "-", CAPTURED, &on("GPU A")));
}

#[test]
fn launches_are_of_the_implementation_and_types_of_the_problem() {
    let reading = read_as(REPORT.as_bytes(), &on("GPU A")).unwrap();
    // The same product with another split of K, and in cuBLAS: one workload.
    assert_eq!(workload(&reading, 0), workload(&reading, 3));
    assert_eq!(workload(&reading, 0), workload(&reading, 6));
    let slugs: Vec<&str> = [0, 3, 6]
        .map(|at| reading.observations[at].implementation.slug.as_str())
        .to_vec();
    assert_eq!(
        slugs,
        [
            "acme-simt-sgemm-64x64-8x2-nn-align1",
            "acme-simt-sgemm-64x64-8x2-nn-align1-split-k-slices-4",
            "cublas"
        ]
    );
    let other = REPORT.replace(",simt,f32,", ",simt,f64,");
    let other = read_as(other.as_bytes(), &on("GPU A")).unwrap();
    assert_ne!(workload(&reading, 0), workload(&other, 0));
}

#[test]
fn tensors_are_known_where_bytes_agree() {
    let reading = read_as(REPORT.as_bytes(), &on("GPU A")).unwrap();
    let shapes = |workload: &Workload| {
        let inputs = workload.inputs.clone()?;
        Some(
            inputs
                .into_iter()
                .map(|tensor| tensor.shape)
                .collect::<Vec<_>>(),
        )
    };
    let plain = workload(&reading, 0);
    assert_eq!(shapes(plain), Some(vec![vec![256, 64], vec![64, 128]]));
    assert_eq!(plain.outputs[0].shape, [256, 128]);
    let bytes = format!(",{},", (256 * 64 + 64 * 128 + 256 * 128) * 4);
    assert!(REPORT.contains(&bytes));
    for (from, to) in [
        (bytes.as_str(), ",1,"),
        (",universal,", ",spgemm,"),
        ("gemm_kind,", "odd,"),
    ] {
        let changed = read_as(REPORT.replace(from, to).as_bytes(), &on("GPU A")).unwrap();
        assert_eq!(shapes(workload(&changed, 0)), None, "{to}");
    }
}

#[test]
fn a_report_without_a_declared_device_keeps_only_what_failed() {
    let reading = read_as(REPORT.as_bytes(), &Declared::default()).unwrap();
    assert_eq!(reading.observations.len(), 2);
    assert!(
        reading
            .observations
            .iter()
            .all(|run| &*run.hardware == crate::NO_HARDWARE)
    );
    assert!(
        reading
            .issues
            .iter()
            .any(|issue| issue.code == "NO_HARDWARE"
                && issue.hint.as_deref() == Some("`--hardware NAME` names it"))
    );
}

#[test]
fn declared_facts_that_bear_on_nothing_are_told() {
    let declared = Declared {
        implementation: Some("mine".to_owned()),
        ..on("GPU A")
    };
    let reading = read_as(REPORT.as_bytes(), &declared).unwrap();
    assert_eq!(reading.issues[0].code, "DECLARED_IGNORED");
    let declared = Declared {
        unit: Some("us".to_owned()),
        ..Declared::default()
    };
    let refused = read_as(REPORT.as_bytes(), &declared).unwrap_err();
    assert_eq!(refused.code, "UNIT_CONFLICT");
}

#[test]
fn reports_are_recognised_by_their_header() {
    for text in [REPORT, CAPTURED] {
        let by: Vec<&str> = crate::REGISTRY
            .iter()
            .filter(|importer| importer.recognises(&input(text.as_bytes())).is_some())
            .map(|importer| importer.source().slug)
            .collect();
        assert_eq!(by, ["cutlass-profiler"]);
        let no_table = text.replace("OperationKind", "Kind");
        assert!(
            CutlassProfiler
                .recognises(&input(no_table.as_bytes()))
                .is_none()
        );
        assert_eq!(
            read_as(no_table.as_bytes(), &on("G")).unwrap_err().code,
            "NO_HEADER"
        );
    }
    for text in [
        "",
        "{}",
        "Benchmark,Device,Device Name,Skipped\n",
        "Problem,Provider\n",
    ] {
        assert!(
            CutlassProfiler
                .recognises(&input(text.as_bytes()))
                .is_none()
        );
    }
    let twice = REPORT.replacen(",alpha,beta,", ",alpha,alpha,", 1);
    assert_eq!(
        read_as(twice.as_bytes(), &on("G")).unwrap_err().code,
        "DUPLICATE_KEY"
    );
}

#[test]
fn appended_reports_are_read_as_one() {
    let (once, twice) = (REPORT.to_owned(), format!("{REPORT}{REPORT}"));
    let once = read_as(once.as_bytes(), &on("GPU A")).unwrap();
    let twice = read_as(twice.as_bytes(), &on("GPU A")).unwrap();
    assert_eq!(twice.records, 2 * once.records);
    let last = &twice.observations.last().unwrap().place;
    assert!(last.line > Some(REPORT.lines().count() as u64), "{last:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn cut_and_changed_bytes_are_never_a_panic(which in 0..2_usize, at: proptest::sample::Index, byte: u8, cut: bool) {
        let mut bytes = [REPORT, CAPTURED][which].as_bytes().to_vec();
        let at = at.index(bytes.len());
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] = byte;
        }
        let _ = read_as(&bytes, &on("GPU A"));
    }
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "reads a published file that lies beside the checkout, if it does"
)]
fn a_published_report_is_read_to_the_last_figure() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/data/cutlass-profiler/sgemm_fp32.csv"
    );
    let Ok(bytes) = std::fs::read(path) else {
        println!("skipped: no published report at {path}");
        return;
    };
    let reading = read_as(&bytes, &on("GPU A")).unwrap();
    assert_eq!((reading.records, reading.observations.len()), (12, 12));
    assert_eq!(reading.issues, []);
    let first: Vec<(String, i64)> = reading.observations[..3]
        .iter()
        .map(|run| (run.metric.key(), run.figures.value.as_ref().unwrap().amount))
        .collect();
    assert_eq!(
        first,
        [
            ("latency:mean:ns".to_owned(), 481_022_000_000),
            ("bandwidth:mean:B/s".to_owned(), 6_696_627_109),
            ("compute:mean:FLOP/s".to_owned(), 18_287_400_000_000),
        ]
    );
    assert!(workload(&reading, 0).inputs.is_some());
}
