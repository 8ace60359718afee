//! Which hardware a folder is named after.

use std::collections::BTreeMap;

/// Hardware families by spelling: whole strings in lower case, blanks folded.
pub type Spellings = BTreeMap<String, String>;

/// The family that a folder's name begins with: `H100_Modal`, `RTX_3090_Ti`,
/// `A100-80GB_modal`. The longest beginning that ends at a separator and is a spelling
/// counts, with separators read as blanks or as they are; `None`: it names none.
pub fn family<'a>(folder: &str, spellings: &'a Spellings) -> Option<&'a str> {
    let lower = folder.to_lowercase();
    let ends = lower
        .char_indices()
        .filter(|(_, c)| matches!(c, '_' | '-' | ' '))
        .map(|(at, _)| at)
        .chain([lower.len()]);
    let beginnings: Vec<&str> = ends.filter_map(|end| lower.get(..end)).collect();
    beginnings.into_iter().rev().find_map(|beginning| {
        let blanks = beginning.replace(['_', '-'], " ");
        let dashes = beginning.replace(['_', ' '], "-");
        [beginning, &blanks, &dashes]
            .into_iter()
            .find_map(|spelling| spellings.get(spelling))
            .map(String::as_str)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        let spellings: Spellings = [
            ("h100", "h100"),
            ("h100 pcie", "h100"),
            ("h200", "h200"),
            ("a100", "a100"),
            ("a10", "a10"),
            ("a10g", "a10g"),
            ("rtx 3090 ti", "rtx-3090-ti"),
            ("rtx-a6000", "rtx-a6000"),
        ]
        .into_iter()
        .map(|(spelling, family)| (spelling.to_owned(), family.to_owned()))
        .collect();
        for (folder, expected) in [
            ("H100_Modal", Some("h100")),
            ("H100_PCIe_LambdaLabs", Some("h100")),
            ("h200", Some("h200")),
            ("A100-80GB_modal", Some("a100")),
            ("A10G_modal", Some("a10g")),
            ("A10_modal", Some("a10")),
            ("RTX_3090_Ti", Some("rtx-3090-ti")),
            ("RTX_A6000_lab", Some("rtx-a6000")),
            ("H1000_x", None),
            ("timing", None),
            ("", None),
        ] {
            assert_eq!(family(folder, &spellings), expected, "{folder}");
        }
    }
}
