//! What a file is as a whole, once all of it was read.

use crate::json::Document;
use crate::{Issue, Refused, Severity};

use super::keys::quoted;
use super::walk::{Contents, Walk};

/// How many keys a message lists.
const LISTED: usize = 5;

impl Walk<'_, '_> {
    /// Judges the file as a whole.
    pub(super) fn finish(mut self) -> Result<Contents, Refused> {
        let rejected = self
            .contents
            .issues
            .iter()
            .any(|(_, issue)| issue.rejects > 0);
        if self.contents.levels.is_empty() && !rejected {
            if let Some((place, _)) = self.strays.first() {
                return Err(Refused {
                    code: "NO_LEVEL",
                    place: place.clone(),
                    message: format!(
                        "{} problems at the top and no level: `level1`, `level2` … with the \
                         problems inside were expected",
                        self.strays.len()
                    ),
                    hint: Some("`--level N` says which level the problems belong to".to_owned()),
                });
            }
            let hint = self.evaluations.then(|| {
                "this looks like evaluation results of generated kernels: `kidx score` reads them"
                    .to_owned()
            });
            return Err(not_timings(self.document, &listed(&self.others), hint));
        }
        for (place, offset) in std::mem::take(&mut self.strays) {
            self.reject(
                Issue {
                    severity: Severity::Error,
                    code: "NO_LEVEL".to_owned(),
                    place,
                    message: "a problem outside the levels; which level it belongs to is not said"
                        .to_owned(),
                    hint: Some("move it into its level".to_owned()),
                    rejects: 1,
                },
                offset,
            );
        }
        if self.contents.entries.is_empty() && !rejected {
            return Err(Refused {
                code: "NO_RECORDS",
                place: self.document.place(String::new(), 0),
                message: format!("no problems in {}", self.contents.levels.join(", ")),
                hint: None,
            });
        }
        Ok(self.contents)
    }
}

pub(super) fn not_timings(document: &Document<'_>, seen: &str, hint: Option<String>) -> Refused {
    Refused {
        code: "NOT_TIMINGS",
        place: document.place(String::new(), 0),
        message: format!(
            "no timing file: found {seen}; an object with `level1`, `level2` … and problems \
             in them was expected"
        ),
        hint,
    }
}

/// The keys of an object in words.
fn listed(keys: &[String]) -> String {
    if keys.is_empty() {
        return "an empty object".to_owned();
    }
    let names: Vec<String> = keys.iter().take(LISTED).map(|key| quoted(key)).collect();
    let more = if keys.len() > LISTED {
        format!(" … ({} keys)", keys.len())
    } else {
        String::new()
    };
    format!("an object with {}{more}", names.join(", "))
}
