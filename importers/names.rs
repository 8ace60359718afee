//! Names and texts of inputs: which can be taken, and how messages show them.

/// Longest name taken, in bytes.
pub(crate) const LONGEST_NAME: usize = 1024;

/// Why a name can't be taken, if so. Names are shown in tables and stand in paths and
/// links, where control characters and reordering marks could pass for something else.
pub(crate) fn hostile(name: &str) -> Option<&'static str> {
    if name.trim().is_empty() {
        Some("is blank")
    } else if name.len() > LONGEST_NAME {
        Some("is longer than 1,024 bytes")
    } else if name.contains(char::is_control) {
        Some("holds a control character")
    } else if name.contains(reorders) {
        Some("holds a character that reorders text")
    } else {
        None
    }
}

/// A name as a message shows it: in backticks, control characters escaped, not too long.
pub(crate) fn quoted(name: &str) -> String {
    const SHOWN: usize = 80;
    let mut shown = String::from("`");
    for c in name.chars().take(SHOWN) {
        if c.is_control() || reorders(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    if name.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown.push('`');
    shown
}

/// Whether a character changes the order in which its neighbours are shown.
fn reorders(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_are_told_and_shown_harmlessly() {
        assert_eq!(hostile("9_two  spaces .py"), None);
        assert_eq!(hostile("行列🚀.py"), None);
        for name in [
            "",
            " ",
            "a\nb",
            "a\u{1b}[31m",
            "a\u{202e}b",
            &"x".repeat(1025),
        ] {
            assert!(hostile(name).is_some(), "{name:?}");
        }
        assert_eq!(quoted("a \u{1b}\u{202e}é"), "`a \\u{1b}\\u{202e}é`");
        assert_eq!(quoted(&"x".repeat(99)).chars().count(), 83);
    }
}
