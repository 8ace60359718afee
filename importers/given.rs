//! Facts that the user declared, held against what a format can take.

use crate::duration::Unit;
use crate::names::{hostile, quoted};
use crate::{Declared, Issue, Place, Refused, Severity};

/// Checks what was declared for a format whose times are in `unit`.
///
/// # Errors
///
/// `UNKNOWN_UNIT`, `UNIT_CONFLICT` (another unit than the format's), `HOSTILE_NAME`.
pub(crate) fn check(declared: &Declared, unit: Unit, format: &str) -> Result<(), Refused> {
    let refused = |code, message, hint: Option<String>| Refused {
        code,
        place: Place::default(),
        message,
        hint,
    };
    if let Some(word) = declared.unit.as_deref() {
        let Some(given) = Unit::parse(word) else {
            let message = format!("unit {} was declared and is not known", quoted(word));
            let hint = format!("`--unit` takes {}", Unit::SPELLINGS);
            return Err(refused("UNKNOWN_UNIT", message, Some(hint)));
        };
        if given != unit {
            let message = format!(
                "{format} writes times in {}, but {} was declared",
                unit.symbol(),
                given.symbol()
            );
            let hint = "leave `--unit` out".to_owned();
            return Err(refused("UNIT_CONFLICT", message, Some(hint)));
        }
    }
    let names = [
        ("device", &declared.hardware),
        ("implementation", &declared.implementation),
    ];
    for (what, name) in names {
        if let Some((name, why)) = name
            .as_deref()
            .and_then(|name| Some((name, hostile(name)?)))
        {
            let message = format!("the declared {what} name {} {why}", quoted(name));
            return Err(refused("HOSTILE_NAME", message, None));
        }
    }
    Ok(())
}

/// A warning for each option that was given and bears on nothing in such a file.
pub(crate) fn in_vain(options: &[(&str, bool)], why: &str) -> Vec<Issue> {
    options
        .iter()
        .filter(|(_, given)| *given)
        .map(|(option, _)| Issue {
            severity: Severity::Warning,
            code: "DECLARED_IGNORED".to_owned(),
            place: Place::default(),
            message: format!("`{option}` was not used: {why}"),
            hint: None,
            rejects: 0,
        })
        .collect()
}
