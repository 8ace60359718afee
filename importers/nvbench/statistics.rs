//! Statistics that stand beside a figure: extremes, quartiles, deviation, count. One that can't
//! be taken is left out and noted; the figure stands without it.

use crate::duration::Decimal;
use crate::metric::Scale;
use crate::number::{Least, Unusable, figure, is_non_finite, shortened};
use crate::{Figure, Figures, Issue, Place, Severity};

use super::mode::Mode;
use super::state::Summary;
use super::words::evidence;

/// Those that are left out, counted together.
#[derive(Default)]
pub(super) struct LeftOut {
    first: Option<(Place, String)>,
    count: usize,
}

impl LeftOut {
    /// One note for all of them.
    pub(super) fn note(self) -> Option<Issue> {
        let (place, example) = self.first?;
        Some(Issue {
            severity: Severity::Note,
            code: "STATS_IGNORED".to_owned(),
            place,
            message: format!(
                "{} statistics beside figures are left out, first: {example}",
                self.count
            ),
            hint: None,
            rejects: 0,
        })
    }

    /// A statistic beside a figure; what is none is left out and noted.
    pub(super) fn beside(&mut self, summary: Option<&Summary>, scale: &Scale) -> Option<Figure> {
        let summary = summary?;
        let text = summary
            .text
            .as_deref()
            .filter(|_| !summary.twice)
            .unwrap_or_default();
        match figure(text, scale, Least::AboveZero) {
            Ok((figure, _)) => Some(figure),
            Err(Unusable { why, .. }) => {
                self.leave_out(summary, &why);
                None
            }
        }
    }

    /// The standard deviation of a mean: absolute, or a share of the mean.
    pub(super) fn spread(
        &mut self,
        summary: Option<&Summary>,
        mean: &Figure,
        samples: Option<u32>,
        texts: &mut Vec<(String, String)>,
    ) -> Option<Figure> {
        let summary = summary?;
        let text = summary
            .text
            .as_deref()
            .filter(|_| !summary.twice)
            .unwrap_or_default();
        let fault = if samples.is_some_and(|samples| samples < 2) {
            Some("fewer than two samples have no spread".to_owned())
        } else if is_non_finite(text) {
            Some(format!(
                "is {}, as nvbench writes of too few samples",
                shortened(text)
            ))
        } else {
            None
        };
        let relative = summary.tag.ends_with("/relative");
        let unit = if relative { "fraction" } else { "s" };
        let read = match (fault, Scale::parse(unit)) {
            (Some(why), _) => Err(why),
            (None, None) => return None,
            (None, Some(scale)) => figure(text, &scale, Least::Zero).map_err(|no| no.why),
        };
        match read {
            Ok((stated, _)) if !relative => Some(stated),
            Ok((stated, share)) => {
                // The text stays that of the share: it is what the file says.
                let factor = u64::try_from(mean.amount).ok()?;
                let amount = share.scaled_by(factor, 0)?;
                Some(Figure { amount, ..stated })
            }
            Err(why) => {
                texts.push(("spread".to_owned(), evidence(text)));
                self.leave_out(summary, &why);
                None
            }
        }
    }

    /// The number of samples of a way of measuring.
    pub(super) fn samples(&mut self, mode: Mode, summaries: &[Summary]) -> Option<u32> {
        let summary = summaries
            .iter()
            .find(|summary| summary.tag == mode.samples())?;
        let text = summary
            .text
            .as_deref()
            .filter(|_| !summary.twice)
            .unwrap_or_default();
        let count = Decimal::parse(text)
            .and_then(|count| count.to_count())
            .filter(|count| *count > 0);
        if count.is_none() {
            self.leave_out(
                summary,
                &format!("is {}; a count was expected", shortened(text)),
            );
        }
        count
    }

    fn leave_out(&mut self, summary: &Summary, why: &str) {
        self.count += 1;
        let example = || (summary.place.clone(), format!("`{}`: {why}", summary.tag));
        self.first.get_or_insert_with(example);
    }
}

/// Warns of a value outside of its own extremes.
pub(super) fn contradiction(summary: &Summary, value: &Figure, figures: &Figures) -> Option<Issue> {
    let below = figures.min.as_ref().filter(|min| min.amount > value.amount);
    let above = figures.max.as_ref().filter(|max| max.amount < value.amount);
    let extreme = below.or(above)?;
    Some(Issue {
        severity: Severity::Warning,
        code: "STATS_CONTRADICT".to_owned(),
        place: summary.place.clone(),
        message: format!(
            "`{}` is {}, beyond the extreme {}: not one set of samples",
            summary.tag,
            shortened(&value.text),
            shortened(&extreme.text)
        ),
        hint: None,
        rejects: 0,
    })
}
