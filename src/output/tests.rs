//! One answer in every format.

use serde::Serialize;
use serde_json::Value;

use super::ui::tests::captured;
use super::*;

#[derive(Clone, Serialize)]
struct Row {
    slug: &'static str,
    latency_ns: serde_json::Number,
    #[serde(skip)]
    ps: i64,
    speedup: Option<f64>,
    stale: bool,
}

fn row(slug: &'static str, ps: i64, speedup: Option<f64>, stale: bool) -> Row {
    Row {
        slug,
        latency_ns: units::nanoseconds(ps),
        ps,
        speedup,
        stale,
    }
}

fn example() -> Listing<Row> {
    let columns = vec![
        Column::id("operation", "Operation", |row: &Row| Cell::text(row.slug)),
        Column::number("latency_ns", "Latency", |row: &Row| Cell::latency(row.ps)),
        Column::number("speedup", "Speedup", |row: &Row| {
            row.speedup.map_or_else(Cell::none, Cell::ratio)
        })
        .may_go(1),
        Column::fixed("stale", "Stale", |row: &Row| {
            Cell::flag(row.stale, "stale").mark(Mark::Doubt)
        })
        .may_go(2),
        Column::text("note", "Note", |_: &Row| Cell::unknown()).hidden(),
    ];
    let items = vec![
        row("kernelbench/level2/28", 2_790_000_000, None, true),
        row("=cmd|'x'", 359_467, Some(0.5), false),
        row("kernelbench/level1/87", 13_300_000_000, Some(2.354), false),
    ];
    Listing::new(columns, items)
}

fn view(columns: &[&str], sort: &[&str], offset: usize, limit: Option<usize>) -> View {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    View {
        columns: owned(columns),
        sort: owned(sort),
        offset,
        limit,
    }
}

fn shown(format: Format, view: &View, width: usize) -> (String, String) {
    let (mut ui, out, err) = captured(width, Talk::Normal);
    let mut listing = example();
    view.apply(&mut listing).unwrap();
    let envelope = Envelope {
        schema: "kidx/records/1",
        ..Envelope::default()
    };
    ui.listing(format, &envelope, &listing).unwrap();
    (out.text(), err.text())
}

#[test]
fn as_a_table() {
    let (out, err) = shown(Format::Table, &View::default(), 80);
    assert_eq!(err, "");
    insta::assert_snapshot!(out, @"
    OPERATION              LATENCY  SPEEDUP  STALE
    kernelbench/level2/28  2.79 ms        –  stale
    =cmd|'x'                359 ns    0.50×
    kernelbench/level1/87  13.3 ms    2.35×
    ");
}

#[test]
fn what_finds_no_room_is_named() {
    let (out, err) = shown(Format::Table, &View::default(), 30);
    assert_eq!(
        err,
        "no room for Stale; `--columns` or a wider terminal shows them\n"
    );
    insta::assert_snapshot!(out, @"
    OPERATION     LATENCY  SPEEDUP
    kernel…l2/28  2.79 ms        –
    =cmd|'x'       359 ns    0.50×
    kernel…l1/87  13.3 ms    2.35×
    ");
    let asked = view(&["operation", "latency", "speedup", "stale"], &[], 0, None);
    let (out, err) = shown(Format::Table, &asked, 30);
    assert_eq!(err, "");
    insta::assert_snapshot!(out, @"
    OPERATION     LATENCY  SPEEDUP  STALE
    kernel…l2/28  2.79 ms        –  stale
    =cmd|'x'       359 ns    0.50×
    kernel…l1/87  13.3 ms    2.35×
    ");
}

#[test]
fn as_csv_with_every_column() {
    let (out, _) = shown(Format::Csv, &View::default(), 20);
    insta::assert_snapshot!(out, @"
    operation,latency_ns,speedup,stale,note
    kernelbench/level2/28,2790000,,true,
    '=cmd|'x',359.467,0.5,false,
    kernelbench/level1/87,13300000,2.354,false,
    ");
}

#[test]
fn as_markdown() {
    let (out, _) = shown(Format::Markdown, &View::default(), 20);
    insta::assert_snapshot!(out, @r"
    | Operation | Latency | Speedup | Stale |
    | --- | ---: | ---: | --- |
    | kernelbench/level2/28 | 2.79 ms | – | stale |
    | =cmd\|'x' | 359 ns | 0.50× |  |
    | kernelbench/level1/87 | 13.3 ms | 2.35× |  |
    ");
}

#[test]
fn as_json_and_json_lines() {
    let (out, _) = shown(Format::Json, &View::default(), 20);
    let document: Value = serde_json::from_str(&out).unwrap();
    let (out, _) = shown(Format::Jsonl, &View::default(), 20);
    let lines: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(document["items"], Value::Array(lines));
    assert_eq!(document["count"], 3);
}

#[test]
fn an_empty_table_says_so_beside_the_data() {
    let (out, err) = shown(Format::Table, &view(&[], &[], 9, None), 80);
    let said = "`--limit` and `--offset` leave no row\n";
    assert_eq!((out.as_str(), err.as_str()), ("", said));
}

#[test]
fn sorted_and_paged_alike_in_every_format() {
    type Case = (
        &'static [&'static str],
        usize,
        Option<usize>,
        &'static [&'static str],
    );
    const A: &str = "kernelbench/level2/28";
    const B: &str = "=cmd|'x'";
    const C: &str = "kernelbench/level1/87";
    let cases: [Case; 8] = [
        (&[], 0, None, &[A, B, C]),
        (&["latency"], 0, None, &[B, A, C]),
        (&["-latency_ns"], 0, Some(2), &[C, A]),
        (&["speedup"], 0, None, &[B, C, A]),
        (&["-speedup"], 0, None, &[C, B, A]),
        (&["stale", "-operation"], 0, None, &[C, B, A]),
        (&["Operation"], 1, Some(1), &[C]),
        (&["operation"], 7, Some(1), &[]),
    ];
    for (sort, offset, limit, slugs) in cases {
        let mut listing = example();
        view(&[], sort, offset, limit).apply(&mut listing).unwrap();
        let got: Vec<&str> = listing.items().iter().map(|row| row.slug).collect();
        assert_eq!(got, slugs, "{sort:?}");
        assert_eq!(listing.total(), 3);
    }
}

#[test]
fn an_unknown_column_is_an_error_with_the_list() {
    for wrong in [
        view(&["latenzy"], &[], 0, None),
        view(&[], &["-latenzy"], 0, None),
    ] {
        let error = wrong.apply(&mut example()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no column `latenzy`; there are operation, latency_ns, speedup, stale, note"
        );
    }
}

#[test]
fn cells_hold_a_value_and_its_text() {
    let latency = Cell::latency(4_660_000_000);
    assert_eq!(latency.text, "4.66 ms");
    assert_eq!(latency.value(), 4_660_000);
    assert_eq!(Cell::ratio(f64::INFINITY), Cell::none());
    assert_eq!(Cell::count(5_627).text, "5,627");
    assert_eq!(Cell::age(194).value(), 194);
}
