//! Numbers as texts of other programs: which of them are figures, and why the rest are not.

use crate::Figure;
use crate::duration::{Decimal, LONGEST_PS};
use crate::metric::{Quantity, Scale};

/// Why a text is no figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unusable {
    /// Stable code of the issue.
    pub(crate) code: &'static str,
    /// What was found, as the end of a sentence that begins with the figure's name.
    pub(crate) why: String,
}

/// The least that a figure may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Least {
    /// A spread or a share may be zero.
    Zero,
    /// A time or a rate of zero is none.
    AboveZero,
}

/// A figure in the parts of a scale's unit, with the number as it was read.
pub(crate) fn figure(
    text: &str,
    scale: &Scale,
    least: Least,
) -> Result<(Figure, Decimal), Unusable> {
    let text = text.trim();
    let shown = shortened(text);
    let unusable = |code, why| Err(Unusable { code, why });
    if is_non_finite(text) {
        return unusable("NON_FINITE", format!("is {shown}: no finite number"));
    }
    let Some(decimal) = Decimal::parse(text) else {
        let why = if text.is_empty() {
            "is blank; a number was expected".to_owned()
        } else {
            format!("is {shown}; a number was expected")
        };
        return unusable("NOT_A_NUMBER", why);
    };
    let longest = match scale.quantity {
        Quantity::Latency => LONGEST_PS,
        _ => i64::MAX,
    };
    let Some(amount) = scale.amount(&decimal).filter(|amount| *amount <= longest) else {
        return unusable("TOO_LARGE", format!("is {shown}: larger than can be kept"));
    };
    if amount < 0 || (amount == 0 && least == Least::AboveZero) {
        let why = match (decimal.is_negative(), decimal.is_zero()) {
            (true, _) => "a negative figure is none",
            (_, true) => "zero is no measured figure",
            _ => "less than half of the smallest part that is kept",
        };
        return unusable("NOT_POSITIVE", format!("is {shown}: {why}"));
    }
    let text = text.into();
    Ok((Figure { amount, text }, decimal))
}

/// Whether a text is one that C and Python print for what is no finite number.
pub(crate) fn is_non_finite(text: &str) -> bool {
    let word = text.trim_start_matches(['-', '+']).to_ascii_lowercase();
    // Visual C++ prints `-nan(ind)`.
    matches!(word.as_str(), "nan" | "inf" | "infinity") || word.starts_with("nan(")
}

/// A number's text for a message; thousands of digits tell nobody more.
pub(crate) fn shortened(text: &str) -> String {
    const SHOWN: usize = 30;
    let shown: String = text.chars().take(SHOWN).collect();
    let more = text.chars().nth(SHOWN).is_some();
    format!("`{}{}`", shown.escape_debug(), if more { "…" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_figures_or_say_why_not() {
        let seconds = Scale::parse("s").unwrap();
        let cases = [
            ("0.001", Least::AboveZero, Ok(1_000_000_000)),
            (" 1e-05 ", Least::AboveZero, Ok(10_000_000)),
            ("0", Least::Zero, Ok(0)),
            ("0", Least::AboveZero, Err("NOT_POSITIVE")),
            ("-0.5", Least::Zero, Err("NOT_POSITIVE")),
            ("1e-30", Least::AboveZero, Err("NOT_POSITIVE")),
            ("-nan", Least::Zero, Err("NON_FINITE")),
            ("nan(ind)", Least::Zero, Err("NON_FINITE")),
            ("Infinity", Least::Zero, Err("NON_FINITE")),
            ("", Least::Zero, Err("NOT_A_NUMBER")),
            ("1,5", Least::Zero, Err("NOT_A_NUMBER")),
            ("1e7", Least::Zero, Err("TOO_LARGE")),
            ("1e400", Least::Zero, Err("TOO_LARGE")),
        ];
        for (text, least, expected) in cases {
            let read = figure(text, &seconds, least);
            let got = read.map(|(figure, _)| figure.amount).map_err(|no| no.code);
            assert_eq!(got, expected, "{text}");
        }
    }
}
