//! `licence-v1`: what a declared licence text is concluded to be.
//!
//! Concluded is only what parses as an SPDX expression; everything else is unknown,
//! and unknown is never permissive.

use spdx::{Expression, LicenseReq, identifiers::LICENSES};

/// Name of the policy.
pub const ID: &str = "licence-v1";

/// Licences that allow use, change and passing on with attribution at most.
const PERMISSIVE: [&str; 7] = [
    "Apache-2.0",
    "MIT",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "BSL-1.0",
];

/// SPDX's own words for "nothing was concluded"; they parse, but name no licence.
const NO_LICENCE: [&str; 2] = ["NOASSERTION", "NONE"];

/// The SPDX expression of a declared text, or `None` if it is none. The case of a
/// single identifier is put right (`apache-2.0`); nothing else is guessed.
pub fn concluded(declared: &str) -> Option<String> {
    let text = declared.trim();
    if NO_LICENCE.contains(&text) {
        return None;
    }
    let id = LICENSES
        .iter()
        .find(|license| license.name.eq_ignore_ascii_case(text))
        .map_or(text, |license| license.name);
    Expression::parse(id)
        .ok()
        .map(|expression| expression.to_string())
}

/// Whether a concluded expression is permissive: one side of an `OR` is enough, of
/// an `AND` each must be; an exception only widens what its licence allows.
pub fn is_permissive(concluded: Option<&str>) -> bool {
    concluded
        .and_then(|text| Expression::parse(text).ok())
        .is_some_and(|expression| expression.evaluate(allowed))
}

fn allowed(requirement: &LicenseReq) -> bool {
    requirement
        .license
        .id()
        .is_some_and(|id| PERMISSIVE.contains(&id.name))
}

/// Whether a concluded licence passes a filter: `permissive`, `unknown`, or an exact
/// identifier or expression, case-insensitively.
pub fn matches(filter: &str, concluded: Option<&str>) -> bool {
    match filter {
        "permissive" => is_permissive(concluded),
        "unknown" => concluded.is_none(),
        exact => concluded.is_some_and(|text| text.eq_ignore_ascii_case(exact)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conclusions() {
        for (declared, expected, permissive) in [
            ("MIT", Some("MIT"), true),
            (" mit ", Some("MIT"), true),
            ("apache-2.0", Some("Apache-2.0"), true),
            ("BSD-3-Clause", Some("BSD-3-Clause"), true),
            ("bsl-1.0", Some("BSL-1.0"), true),
            ("MIT OR Apache-2.0", Some("MIT OR Apache-2.0"), true),
            ("MIT OR GPL-3.0-only", Some("MIT OR GPL-3.0-only"), true),
            ("MIT AND GPL-3.0-only", Some("MIT AND GPL-3.0-only"), false),
            (
                "Apache-2.0 WITH LLVM-exception",
                Some("Apache-2.0 WITH LLVM-exception"),
                true,
            ),
            ("GPL-3.0-or-later", Some("GPL-3.0-or-later"), false),
            (
                "LicenseRef-June9-Researcher-Reciprocity-1.0",
                Some("LicenseRef-June9-Researcher-Reciprocity-1.0"),
                false,
            ),
            ("MIT License", None, false),
            ("BSD", None, false),
            ("see LICENSE", None, false),
            ("NOASSERTION", None, false),
            ("NONE", None, false),
            ("", None, false),
        ] {
            let found = concluded(declared);
            assert_eq!(found.as_deref(), expected, "{declared}");
            assert_eq!(is_permissive(found.as_deref()), permissive, "{declared}");
        }
        assert!(!is_permissive(Some("not an expression")));
    }

    #[test]
    fn filters() {
        for (filter, concluded, passes) in [
            ("permissive", Some("MIT"), true),
            ("permissive", Some("GPL-3.0-only"), false),
            ("permissive", None, false),
            ("unknown", None, true),
            ("unknown", Some("MIT"), false),
            ("mit", Some("MIT"), true),
            ("MIT", Some("MIT OR Apache-2.0"), false),
            ("mit or apache-2.0", Some("MIT OR Apache-2.0"), true),
        ] {
            assert_eq!(matches(filter, concluded), passes, "{filter} {concluded:?}");
        }
    }
}
