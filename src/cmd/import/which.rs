//! Whose format an input is in: the source that was named, or the one whose importer
//! recognises the content.

use kidx_importers::{Importer, Input, Place, REGISTRY, Refused};

use crate::output::visible;

/// The source that was asked for.
#[derive(Clone, Copy)]
pub(super) enum Which {
    /// One by name.
    Named(&'static dyn Importer),
    /// Whichever recognises the content.
    Auto,
}

/// Whose format an input is in.
pub(super) enum Choice {
    /// This importer's; and why, where nobody named it.
    Of(&'static dyn Importer, Option<String>),
    /// Nobody's, of a file that nobody asked for by name.
    Nobody,
    /// Nobody's, or several sources'.
    Refused(Refused),
}

impl Which {
    /// Chooses for an input; `found`: in a folder or a repository, not named by the user.
    pub(super) fn choose(self, input: &Input<'_>, found: bool) -> Choice {
        match self {
            Self::Named(importer) if !found => Choice::Of(importer, None),
            Self::Named(importer) => match importer.recognises(input) {
                Some(_) => Choice::Of(importer, None),
                None => Choice::Nobody,
            },
            Self::Auto => recognised(input, found),
        }
    }
}

fn recognised(input: &Input<'_>, found: bool) -> Choice {
    let mut candidates: Vec<(&'static dyn Importer, String)> = REGISTRY
        .iter()
        .filter_map(|importer| Some((*importer, importer.recognises(input)?)))
        .collect();
    if candidates.len() > 1 {
        let named: Vec<String> = candidates
            .iter()
            .map(|(importer, why)| format!("`{}` ({why})", importer.source().slug))
            .collect();
        return Choice::Refused(Refused {
            code: "AMBIGUOUS",
            place: Place::default(),
            message: format!("more than one source fits: {}", named.join(", ")),
            hint: Some("name the source instead of `auto`".to_owned()),
        });
    }
    match candidates.pop() {
        Some((importer, why)) => Choice::Of(importer, Some(why)),
        None if found => Choice::Nobody,
        None => Choice::Refused(Refused {
            code: "UNKNOWN_CONTENT",
            place: Place::default(),
            message: format!("no source's format is recognised: {}", seen(input.bytes)),
            hint: Some(
                "`kidx mapping new FILE` proposes a mapping for a table or JSON of any harness"
                    .to_owned(),
            ),
        }),
    }
}

/// What an input begins with, for a message.
fn seen(bytes: &[u8]) -> String {
    const SHOWN: usize = 60;
    if bytes.is_empty() {
        return "it is empty".to_owned();
    }
    let head = &bytes[..bytes.len().min(4 * SHOWN)];
    if head.contains(&0) {
        return "it isn't text".to_owned();
    }
    let text = String::from_utf8_lossy(head);
    let line = text.trim_start().lines().next().unwrap_or_default();
    let shown: String = line.chars().take(SHOWN).collect();
    let more = if shown.len() < line.len() { "…" } else { "" };
    format!("it begins with `{}{more}`", visible(&shown))
}
