//! Keys of a timing file: levels, problems, and how messages show them.

use crate::json::escape_pointer;
pub(super) use crate::names::{LONGEST_NAME, hostile, quoted};

/// Longest text taken after `level`, in bytes.
const LONGEST_LEVEL: usize = 60;

/// Whether a key names a level: `level1`, `level_tk`.
pub(super) fn is_level(key: &str) -> bool {
    let Some(rest) = key
        .strip_prefix("level")
        .filter(|rest| rest.len() <= LONGEST_LEVEL)
    else {
        return false;
    };
    if let Some(word) = rest.strip_prefix('_') {
        let is_word = word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        return is_word && word.contains(|c: char| c.is_ascii_alphabetic());
    }
    !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()) && !rest.starts_with('0')
}

/// The level key that another key seems to mean: `level2` for `Level 2` or `level_2`.
pub(super) fn misspelled_level(key: &str) -> Option<String> {
    if key.len() > LONGEST_NAME || is_level(key) {
        return None;
    }
    let plain: String = key
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| {
            if c == '-' {
                '_'
            } else {
                c.to_ascii_lowercase()
            }
        })
        .collect();
    let number = plain
        .strip_prefix("level")?
        .trim_start_matches('_')
        .trim_start_matches('0');
    let numbered = format!("level{number}");
    [numbered, plain].into_iter().find(|level| is_level(level))
}

/// A problem key, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProblemKey<'k> {
    /// The file name, without folders.
    pub(super) file: &'k str,
    /// The level that the key's path names, if it is a path with one.
    pub(super) level: Option<&'k str>,
}

impl<'k> ProblemKey<'k> {
    /// Takes a key apart. The oldest files have paths for keys, relative or absolute.
    pub(super) fn new(key: &'k str) -> Self {
        let mut parts = key.rsplit(['/', '\\']);
        Self {
            file: parts.next().unwrap_or_default(),
            level: parts.find(|part| is_level(part)),
        }
    }
}

/// A name with everything beyond ASCII as code points, to tell look-alikes apart.
pub(super) fn spelled_out(name: &str) -> String {
    format!("`{}`", name.escape_default())
}

/// The pointer of a field of a record.
pub(super) fn field_pointer(record: &str, field: &str) -> String {
    format!("{record}/{}", escape_pointer(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_keys_and_their_misspellings() {
        let cases = [
            ("level1", true, None),
            ("level12", true, None),
            ("level_tk", true, None),
            ("Level2", false, Some("level2")),
            (" level2", false, Some("level2")),
            ("level 2", false, Some("level2")),
            ("level_2", false, Some("level2")),
            ("LEVEL-2", false, Some("level2")),
            ("level02", false, Some("level2")),
            ("Level_TK", false, Some("level_tk")),
            ("level", false, None),
            ("level_", false, None),
            ("levels", false, None),
            ("meta", false, None),
            ("", false, None),
        ];
        for (key, level, meant) in cases {
            assert_eq!(is_level(key), level, "{key}");
            assert_eq!(misspelled_level(key).as_deref(), meant, "{key}");
        }
    }

    #[test]
    fn problem_keys_may_be_paths() {
        let cases = [
            ("1_a.py", "1_a.py", None),
            ("KernelBench/level1/1_a.py", "1_a.py", Some("level1")),
            (
                "/home/level9/x/KernelBench/level1/1_a.py",
                "1_a.py",
                Some("level1"),
            ),
            (r"C:\KernelBench\level2\1_a.py", "1_a.py", Some("level2")),
            ("folder/", "", None),
            ("", "", None),
        ];
        for (key, file, level) in cases {
            assert_eq!(ProblemKey::new(key), ProblemKey { file, level }, "{key}");
        }
    }
}
