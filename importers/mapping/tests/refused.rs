//! What no mapping may say, each with the line it is refused for.

use super::*;

#[test]
fn mappings_are_refused_with_the_line() {
    let cases = [
        (
            "operatoin = \"op\"",
            "unit = \"ms\"",
            "",
            "BAD_MAPPING",
            "line 4",
            "`operation`",
        ),
        (
            "",
            "unit = \"ms\"",
            "valeu = \"x\"",
            "BAD_MAPPING",
            "line 8",
            "`value`",
        ),
        ("axes = 3", "unit = \"ms\"", "", "BAD_MAPPING", "line 4", ""),
        (
            "axes = [{ value = 3 }]",
            "unit = \"ms\"",
            "",
            "BAD_MAPPING",
            "line 4",
            "",
        ),
        (
            "axes = [{ column = \"n\", name = \"a\", members = true }]",
            "unit = \"ms\"",
            "",
            "BAD_MAPPING",
            "line 4",
            "",
        ),
        (
            "status = { column = \"s\", words = { y = \"fine\" } }",
            "unit = \"ms\"",
            "",
            "BAD_MAPPING",
            "line 4",
            "",
        ),
        (
            "dtype = { column = \"n\", value = \"x\" }",
            "unit = \"ms\"",
            "",
            "BAD_MAPPING",
            "line 4",
            "",
        ),
        (
            "role = \"hero\"",
            "unit = \"ms\"",
            "",
            "BAD_MAPPING",
            "line 4",
            "",
        ),
        (
            "",
            "unit = \"ms\"",
            "statistic = \"average\"",
            "BAD_MAPPING",
            "line 8",
            "",
        ),
        (
            "baseline = \"a\"\nrole = { value = \"baseline\" }",
            "unit = \"ms\"",
            "",
            "BAD_MAPPING",
            "line 5",
            "",
        ),
        (
            "redistribution = \"yes\"",
            "unit = \"ms\"",
            "",
            "BAD_MAPPING",
            "line 4",
            "",
        ),
        (
            "where = \"x\"",
            "unit = \"ms\"",
            "",
            "BAD_MAPPING",
            "line 4",
            "",
        ),
        (
            "format = \"xml\"",
            "unit = \"ms\"",
            "",
            "BAD_MAPPING",
            "line 4",
            "",
        ),
        (
            "delimiter = \"::\"",
            "unit = \"ms\"",
            "",
            "BAD_MAPPING",
            "line 4",
            "",
        ),
        ("a = = b", "unit = \"ms\"", "", "BAD_MAPPING", "line 4", ""),
        ("", "unit = \"?\"", "", "LEFT_OPEN", "line 7", "--unit"),
        ("", "", "", "LEFT_OPEN", "line 5", "--unit"),
        (
            "dtype = { value = \"?\" }",
            "unit = \"ms\"",
            "",
            "LEFT_OPEN",
            "line 4",
            "",
        ),
        ("", "unit = \"furlongs\"", "", "UNKNOWN_UNIT", "line 7", ""),
        (
            "",
            "unit = \"ms\"",
            "quantity = \"memory\"",
            "BAD_MAPPING",
            "line 8",
            "",
        ),
        (
            "",
            "unit = \"ms\"",
            "low = \"n\"",
            "BAD_MAPPING",
            "line 5",
            "",
        ),
        (
            "dtype = \"dtpye\"",
            "unit = \"ms\"",
            "",
            "COLUMN_MISSING",
            "`dtpye`",
            "`dtype`",
        ),
        (
            "",
            "unit = \"ms\"",
            "std = \"twice\"",
            "DUPLICATE_COLUMN",
            "`twice`",
            "",
        ),
    ];
    for (top, unit, metric, code, says, hints) in cases {
        let mapping = small(top, unit, metric);
        let text = "op,who,t,n,s,dtype,twice,twice\nrelu,a,1.5,8,y,fp16,1,2\n";
        let refused = read(
            mapping.as_bytes(),
            "x.csv",
            text.as_bytes(),
            &Declared::default(),
        )
        .unwrap_err();
        assert_eq!(refused.code, code, "{mapping}{refused:?}");
        assert!(
            refused.message.contains(says),
            "{mapping}{}",
            refused.message
        );
        let hint = refused.hint.unwrap_or_default();
        assert!(hint.contains(hints), "{mapping}{hint}");
    }
    let none = read(b"suite = \"x\"\n", "x.csv", b"a\n1\n", &Declared::default()).unwrap_err();
    assert_eq!(none.code, "BAD_MAPPING");
    let told = told::read(&ByMapping, "x.csv", "a\n1\n", &Declared::default());
    assert!(told.starts_with("REFUSED MAPPING_MISSING"), "{told}");
    let input = Input {
        folder: None,
        file: None,
        bytes: b"a\n1\n",
        committed_at: None,
        beside: &[],
    };
    assert_eq!(ByMapping.recognises(&input), None);
}
