//! The line below a table: how much it shows, how new it is, whose figures they are.

use std::sync::Arc;

use crate::output::{Ui, units};

/// A source and the licence of its data.
pub type Source = (Arc<str>, Option<Arc<str>>);

/// Says how many rows of how many are shown, the newest observation among all, and each
/// source with the licence of its data. Nothing is said below an empty table.
pub fn footer(ui: &mut Ui, shown: usize, total: usize, newest: Option<&str>, sources: &[Source]) {
    if total > 0 {
        ui.aside(line(shown, total, newest, sources));
    }
}

fn line(shown: usize, total: usize, newest: Option<&str>, sources: &[Source]) -> String {
    let all = units::counted(total as u64, "row");
    let mut parts = vec![if shown == total {
        all
    } else {
        format!("{} of {all}", units::count(shown as u64))
    }];
    if let Some(day) = newest {
        parts.push(format!("newest observation {day}"));
    }
    let named: Vec<String> = sources
        .iter()
        .map(|(slug, license)| {
            let license = license.as_deref().unwrap_or("licence unknown");
            format!("{slug} ({license})")
        })
        .collect();
    if !named.is_empty() {
        parts.push(named.join(", "));
    }
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::{Arc, line};

    #[test]
    fn says_what_is_known() {
        let source = |license: Option<&str>| (Arc::from("kernelbench"), license.map(Arc::from));
        let mit = [source(Some("MIT"))];
        for (shown, total, newest, sources, text) in [
            (
                20,
                1_234,
                Some("2026-03-05"),
                &mit[..],
                "20 of 1,234 rows · newest observation 2026-03-05 · kernelbench (MIT)",
            ),
            (1, 1, None, &[][..], "1 row"),
            (
                2,
                2,
                None,
                &[source(None)][..],
                "2 rows · kernelbench (licence unknown)",
            ),
        ] {
            assert_eq!(line(shown, total, newest, sources), text);
        }
    }
}
