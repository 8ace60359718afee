//! Figures of a trace: `{"latency_ms": 0.0077, "reference_latency_ms": 0.0552,
//! "speedup_factor": 7.2}`.

use crate::duration::{Decimal, Unit};
use crate::json::{Object, Value};
use crate::{Figure, Figures, Severity};

use super::site::{Fault, present, shown};

/// Pointer of the object below the trace.
pub(super) const PATH: &str = "/evaluation/performance";

/// Field of the solution's time.
pub(super) const OWN: &str = "latency_ms";

/// Field of the reference's time.
pub(super) const REFERENCE: &str = "reference_latency_ms";

/// The reference's time; `None` if it is absent or null.
pub(super) fn reference(performance: &Object<'_>) -> Result<Option<(usize, Figures)>, Fault> {
    // The harness writes zeros where it didn't time the reference.
    let speedup = "speedup_factor";
    let no_speedup = is_zero(performance, speedup) || present(performance, speedup).is_none();
    match present(performance, REFERENCE) {
        Some(node) if no_speedup && is_zero(performance, REFERENCE) => {
            let message = format!("`{REFERENCE}` is zero: the reference was not timed");
            let path = format!("{PATH}/{REFERENCE}");
            Err(Fault::error("NO_TIMING", path, node, message).severity(Severity::Note))
        }
        _ => latency(performance, REFERENCE),
    }
}

/// A latency, in milliseconds as its name says, and where it stands; `None` if it is absent
/// or null.
pub(super) fn latency(
    performance: &Object<'_>,
    field: &str,
) -> Result<Option<(usize, Figures)>, Fault> {
    let Some(node) = present(performance, field) else {
        return Ok(None);
    };
    let path = format!("{PATH}/{field}");
    let found = shown(&node.value);
    let fault = |code, message| Fault::error(code, path.as_str(), node, message);
    if is_non_finite(&node.value) {
        return Err(fault(
            "NON_FINITE",
            format!("`{field}` is {found}: no time"),
        ));
    }
    let number = match node.value {
        Value::Number(text) => Decimal::parse(text).map(|decimal| (text, decimal)),
        _ => None,
    };
    let Some((text, decimal)) = number else {
        let message = format!("`{field}` is {found}; a number was expected");
        return Err(fault("NOT_A_NUMBER", message));
    };
    let Some(amount) = decimal.to_ps(Unit::Millisecond) else {
        let message = format!("`{field}` is {found} ms: more than a million seconds");
        return Err(fault("TOO_LARGE", message));
    };
    if amount <= 0 {
        let why = if decimal.is_zero() {
            "zero is no time"
        } else if decimal.is_negative() {
            "a negative figure is no time"
        } else {
            "less than half a picosecond is no time"
        };
        return Err(fault(
            "NOT_POSITIVE",
            format!("`{field}` is {found}: {why}"),
        ));
    }
    Ok(Some((
        node.span.start,
        Figures {
            value: Some(Figure {
                amount,
                text: text.into(),
            }),
            resolution: decimal.resolution_ps(Unit::Millisecond, 1),
            ..Figures::default()
        },
    )))
}

/// Whether a value is a bare `Infinity` or `NaN`, or one as a string.
pub(super) fn is_non_finite(value: &Value<'_>) -> bool {
    match value {
        Value::NonFinite(_) => true,
        Value::String(text) => {
            let word = text.trim().trim_start_matches(['-', '+']).to_lowercase();
            matches!(&*word, "inf" | "infinity" | "nan")
        }
        _ => false,
    }
}

/// Whether a field is a zero.
pub(super) fn is_zero(performance: &Object<'_>, field: &str) -> bool {
    present(performance, field).is_some_and(|node| match node.value {
        Value::Number(text) => Decimal::parse(text).is_some_and(|decimal| decimal.is_zero()),
        _ => false,
    })
}

/// The stated speedup held against the two latencies: a warning where rounding for print
/// can't explain the difference.
pub(super) fn clash(performance: &Object<'_>, own: &Figures, reference: &Figures) -> Option<Fault> {
    // The harness divides binary floats; picoseconds cut a little of what they had.
    const SLACK: f64 = 1e-6;
    let node = present(performance, "speedup_factor")?;
    let Value::Number(text) = node.value else {
        return None;
    };
    let stated: f64 = text.parse().ok()?;
    let half = Decimal::parse(text)?
        .half_of_last(1)
        .and_then(|half| half.scaled_by(1, 12))
        .map_or(0.0, |half| half as f64 / 1e12);
    let of = |figures: &Figures| {
        let amount = figures.value.as_ref()?.amount as f64;
        // Half a picosecond was rounded away.
        Some((amount, figures.resolution as f64 + 0.5))
    };
    let ((own_amount, own_half), (reference_amount, reference_half)) = (of(own)?, of(reference)?);
    let low = (reference_amount - reference_half) / (own_amount + own_half);
    let high = (reference_amount + reference_half) / (own_amount - own_half).max(0.5);
    let clashes = stated + half < low * (1.0 - SLACK) || stated - half > high * (1.0 + SLACK);
    clashes.then(|| {
        let message = format!(
            "a speedup of {} is stated, but {} ms over {} ms is {:.4}",
            shown(&node.value),
            figure(reference),
            figure(own),
            reference_amount / own_amount
        );
        Fault::error(
            "SPEEDUP_CLASH",
            format!("{PATH}/speedup_factor"),
            node,
            message,
        )
        .severity(Severity::Warning)
    })
}

fn figure(figures: &Figures) -> &str {
    figures.value.as_ref().map_or("", |figure| &figure.text)
}
