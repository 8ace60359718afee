//! The reader's policy: what is admitted, where errors stand, what a tree keeps.

use proptest::prelude::*;

use super::*;
use crate::Refused;

/// Reads a whole document as one tree.
fn tree(bytes: &[u8]) -> Result<(), Refused> {
    let document = Document::open(bytes)?;
    let mut cursor = document.cursor();
    cursor.value()?;
    cursor.finish()
}

/// Walks the objects of a document down to `depth` and reads the rest as trees.
fn walk(bytes: &[u8], depth: usize) -> Result<usize, Refused> {
    fn inside(cursor: &mut Cursor<'_, '_>, depth: usize) -> Result<usize, Refused> {
        if depth == 0 || !cursor.enter()? {
            cursor.value()?;
            return Ok(1);
        }
        let mut count = 0;
        while cursor.next_key()?.is_some() {
            count += inside(cursor, depth - 1)?;
        }
        Ok(count)
    }
    let document = Document::open(bytes)?;
    let mut cursor = document.cursor();
    let count = inside(&mut cursor, depth)?;
    cursor.finish()?;
    Ok(count)
}

/// Code, pointer, line and column of a refusal, and its message.
fn verdict(bytes: &[u8]) -> String {
    match walk(bytes, 2) {
        Ok(count) => format!("{count} values"),
        Err(refused) => format!(
            "{} {:?} {}:{} {}{}",
            refused.code,
            refused.place.pointer,
            refused.place.line.unwrap(),
            refused.place.column.unwrap(),
            refused.message,
            refused
                .hint
                .map(|hint| format!(" [{hint}]"))
                .unwrap_or_default()
        ),
    }
}

#[test]
fn refusals_name_the_place_and_the_reason() {
    let deep = format!("{}1{}", "[".repeat(129), "]".repeat(129));
    let cases: &[&[u8]] = &[
        b"",
        b" \n\t\n",
        b"\xEF\xBB\xBF",
        b"\xEF\xBB\xBF{\"a\": {\"b\": 1}}",
        b"\xFF\xFE{\0",
        b"\xFF\xFE\0\0{\0\0\0",
        b"{\0\"\0a\0",
        b"{\"a\": \"\xFC\"}",
        b"{\"a\": \"\xC3",
        b"{\"a\": {\n  \"b/c\": [1, 2",
        b"{\"a\": {\"b\"\n\n",
        b"{\"a\": tr",
        b"{\"a\": -",
        b"{\"a\": \"x",
        b"{\"a\": 1}\n{\"a\": 2}\n",
        b"{\"a\": 1} x",
        b"{\"a\": 1}}",
        b"{\"a\": 1,}",
        b"{\"a\": [1,]}",
        b"{'a': 1}",
        b"{\"a\" 1}",
        b"{\"a\": {\"b\": 01}}",
        b"{\"a\": {\"b\": nan}}",
        b"{\"a\": {\"b\": \"x\ny\"}}",
        b"{\"a\": \"\\ud800\"}",
        b"{\"\\udc00\": 1}",
        b"{\"a\": \"\\x\"}",
        b"<!doctype html>",
        b"name,mean,std\n1,2,3\n",
        b"1,2,3\n",
        b"version https://git-lfs.github.com/spec/v1\n",
        deep.as_bytes(),
    ];
    let verdicts: Vec<String> = cases
        .iter()
        .map(|bytes| {
            let mut shown = String::from_utf8_lossy(bytes).escape_debug().to_string();
            shown.truncate(40);
            format!("{shown}\n    {}", verdict(bytes))
        })
        .collect();
    insta::assert_snapshot!(verdicts.join("\n"));
}

#[test]
fn a_tree_keeps_each_numbers_text_and_every_member() {
    let text = r#"{"a": [2.40, 1E-3, -0, 123456789012345678901234567890], "é~/": NaN,
  "b": -Infinity, "a": "tab\tquote\" \ud83d\ude80", "c": [null, true, {}]}"#;
    let document = Document::open(text.as_bytes()).unwrap();
    let mut cursor = document.cursor();
    let node = cursor.value().unwrap();
    cursor.finish().unwrap();
    let Value::Object(object) = &node.value else {
        panic!("an object was expected")
    };
    let Some(Value::Array(numbers)) = object.get("a").map(|node| &node.value) else {
        panic!("the first `a` was expected")
    };
    let texts: Vec<&str> = numbers
        .iter()
        .map(|node| match node.value {
            Value::Number(text) => text,
            _ => panic!("numbers were expected"),
        })
        .collect();
    assert_eq!(
        texts,
        ["2.40", "1E-3", "-0", "123456789012345678901234567890"]
    );
    assert_eq!(object.get("é~/").unwrap().value, Value::NonFinite("NaN"));
    assert_eq!(
        object.get("b").unwrap().value,
        Value::NonFinite("-Infinity")
    );
    assert_eq!(
        object.members[3].node.value,
        Value::String("tab\tquote\" 🚀".into())
    );
    let (first, again) = object.duplicate().unwrap();
    assert_eq!(document.position(first.span.start), (1, 2));
    assert_eq!(document.position(again.span.start), (2, 19));
    assert_eq!(&text[again.span.start..again.span.end], "\"a\"");
}

#[test]
fn the_pointer_follows_the_cursor() {
    let document = Document::open(br#"{"a~b": {"c/d": 1, "e": {"f": 2}}, "g": 3}"#).unwrap();
    let mut cursor = document.cursor();
    let mut seen = Vec::new();
    assert!(cursor.enter().unwrap());
    while cursor.next_key().unwrap().is_some() {
        seen.push(cursor.pointer().to_owned());
        if cursor.enter().unwrap() {
            while cursor.next_key().unwrap().is_some() {
                seen.push(cursor.pointer().to_owned());
                cursor.skip().unwrap();
            }
        } else {
            cursor.value().unwrap();
        }
    }
    cursor.finish().unwrap();
    assert_eq!(seen, ["/a~0b", "/a~0b/c~1d", "/a~0b/e", "/g"]);
}

#[test]
fn finish_reads_what_was_left() {
    for (text, ok) in [
        (r#"{"a": {"b": 1, "c": 2}, "d": 3} "#, true),
        (r#"{"a": {"b": 1, "c": 2}, "d": 3"#, false),
        (r#"{"a": {"b": 1 "c": 2}, "d": 3}"#, false),
    ] {
        let document = Document::open(text.as_bytes()).unwrap();
        let mut cursor = document.cursor();
        cursor.enter().unwrap();
        cursor.next_key().unwrap();
        cursor.enter().unwrap();
        cursor.next_key().unwrap();
        cursor.value().unwrap();
        assert_eq!(cursor.finish().is_ok(), ok, "{text}");
    }
}

#[test]
fn positions_count_characters_far_into_a_line() {
    let text = format!("{{\"é\": \"{}\",\n \"🚀\": 1}}", "ü".repeat(2_000));
    let document = Document::open(text.as_bytes()).unwrap();
    assert_eq!(document.position(text.find(",\n").unwrap()), (1, 2_009));
    assert_eq!(document.position(text.rfind('1').unwrap()), (2, 7));
    assert_eq!(document.position(usize::MAX), (2, 9));
}

/// The position rule, without the index.
fn naive(text: &str, offset: usize) -> (u64, u64) {
    let head = &text[..text.floor_char_boundary(offset)];
    let line = head.matches('\n').count() as u64 + 1;
    let column = head.rsplit('\n').next().unwrap_or_default().chars().count() as u64 + 1;
    (line, column)
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = tree(&bytes);
        let _ = walk(&bytes, 2);
    }

    #[test]
    fn json_like_text_never_panics(text in r#"[\[\]{}":,0-9a-zé\\\-.+eEINaN \n]{0,80}"#) {
        let _ = tree(text.as_bytes());
        let _ = walk(text.as_bytes(), 1);
    }

    #[test]
    fn mutated_documents_never_panic(at in 0usize..200, byte in any::<u8>(), cut in 0usize..200) {
        let mut bytes = br#"{"level1": {"1_a.py": {"mean": 2.40, "std": NaN, "s": "\ud83d\ude80"}, "2_b.py": null}, "m": [1, {"x": -Infinity}]}"#.to_vec();
        let length = bytes.len();
        bytes[at % length] = byte;
        let _ = tree(&bytes);
        bytes.truncate(cut % length);
        let _ = walk(&bytes, 2);
    }

    #[test]
    fn positions_agree_with_counting(text in "[a-zé🚀\n]{1,900}", offset in 0usize..2_000) {
        prop_assume!(!text.trim_ascii().is_empty());
        let document = Document::open(text.as_bytes()).unwrap();
        let offset = offset.min(text.len());
        prop_assert_eq!(document.position(offset), naive(&text, offset));
    }
}
