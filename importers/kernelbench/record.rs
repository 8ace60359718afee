//! One record: `{"mean": 2.66, "std": 0.0199, "min": 2.65, "max": 2.86,
//! "num_trials": 100, "hardware": "NVIDIA H100 80GB HBM3", "device": "cuda:0"}`.
//!
//! A record is taken whole or not at all: one bad field rejects it, because figures
//! that came out of one timing loop don't fail one by one.

use std::collections::HashSet;
use std::sync::Arc;

use crate::duration::{Decimal, Unit};
use crate::json::{Document, Node, Object, Span, Value};
use crate::{Figure, Figures, Severity};

use super::keys::{hostile, quoted};

/// Significant digits that the suite's scripts print (`:.3g`); the JSON writer then
/// drops zeros at the end, so `2.4` is `2.40`.
const PRINTED_DIGITS: usize = 3;

/// Keys whose meaning is known. `device` (`cuda:0`) says nothing about what ran.
const KNOWN: &[&str] = &[
    "mean",
    "std",
    "min",
    "max",
    "num_trials",
    "hardware",
    "device",
    "unit",
];

/// What the user declared that bears on records.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Context<'c> {
    pub(super) unit: Option<Unit>,
    pub(super) hardware: Option<&'c str>,
}

/// A usable record.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) figures: Figures,
    pub(super) hardware: Arc<str>,
    /// The device is the declared one, because the record names none.
    pub(super) hardware_declared: bool,
    /// The record itself names its unit.
    pub(super) states_unit: bool,
    /// Why its statistics can't all be right, if so.
    pub(super) doubt: Option<Box<Fault>>,
}

/// What is wrong with a record, before it is given its place.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) severity: Severity,
    pub(super) code: &'static str,
    /// The field at fault and where its value stands.
    pub(super) field: Option<(&'static str, Span)>,
    pub(super) message: String,
    pub(super) hint: Option<&'static str>,
}

impl Fault {
    fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            field: None,
            message: message.into(),
            hint: None,
        }
    }

    fn at(mut self, field: &'static str, node: &Node<'_>) -> Self {
        self.field = Some((field, node.span));
        self
    }

    fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }
}

/// Devices met so far, so that equal texts share one allocation.
#[derive(Debug, Default)]
pub(super) struct Devices {
    last: Option<Arc<str>>,
    all: HashSet<Arc<str>>,
}

impl Devices {
    fn shared(&mut self, device: &str) -> Arc<str> {
        if let Some(last) = self.last.as_ref().filter(|last| ***last == *device) {
            return Arc::clone(last);
        }
        let known = self.all.get(device).cloned();
        let shared = known.unwrap_or_else(|| Arc::from(device));
        self.all.insert(Arc::clone(&shared));
        self.last = Some(Arc::clone(&shared));
        shared
    }
}

/// Reads a record, or says why it can't be used.
pub(super) fn read(
    node: &Node<'_>,
    document: &Document<'_>,
    context: Context<'_>,
    devices: &mut Devices,
) -> Result<Record, Fault> {
    let object = match &node.value {
        Value::Object(object) => object,
        Value::Null => {
            return Err(Fault {
                severity: Severity::Note,
                ..Fault::error(
                    "NO_TIMING",
                    "null: the source has no timing of this problem",
                )
            });
        }
        other => {
            return Err(Fault::error(
                "NOT_A_RECORD",
                format!(
                    "{} where an object with `mean` was expected",
                    other.describe()
                ),
            ));
        }
    };
    if object.members.is_empty() {
        return Err(Fault::error(
            "EMPTY_ENTRY",
            "an empty object where one with `mean` was expected",
        ));
    }
    if let Some((first, again)) = object.duplicate() {
        return Err(Fault::error(
            "DUPLICATE_KEY",
            format!(
                "field {} stands twice: {} and {}; which one counts is not said",
                quoted(&first.name),
                document.spell(first.span.start),
                document.spell(again.span.start),
            ),
        ));
    }
    non_finite(object)?;
    let (unit, states_unit) = unit(object, context)?;
    let (figures, mean) = figures(object, unit)?;
    let (hardware, hardware_declared) = hardware(object, context)?;
    let doubt = contradiction(object, &figures, &mean, unit).map(Box::new);
    Ok(Record {
        figures,
        hardware: devices.shared(hardware),
        hardware_declared,
        states_unit,
        doubt,
    })
}

/// Keys of a record that are not read, in its order.
pub(super) fn unknown_fields<'n>(node: &'n Node<'_>) -> impl Iterator<Item = &'n str> {
    let members = match &node.value {
        Value::Object(object) => object.members.as_slice(),
        _ => &[],
    };
    members
        .iter()
        .map(|member| member.key.name.as_ref())
        .filter(|name| !KNOWN.contains(name))
}

/// Refuses non-finite figures, all of them named in one message.
fn non_finite(object: &Object<'_>) -> Result<(), Fault> {
    let mut first = None;
    let mut found = Vec::new();
    for field in ["mean", "std", "min", "max", "num_trials"] {
        if let Some(node) = object.get(field)
            && let Value::NonFinite(word) = node.value
        {
            first.get_or_insert((field, node));
            found.push(format!("`{field}` is {word}"));
        }
    }
    match first {
        None => Ok(()),
        Some((field, node)) => Err(Fault::error(
            "NON_FINITE",
            format!("{}: no time", found.join(", ")),
        )
        .at(field, node)),
    }
}

fn unit(object: &Object<'_>, context: Context<'_>) -> Result<(Unit, bool), Fault> {
    let Some(node) = present(object, "unit") else {
        return Ok((context.unit.unwrap_or(Unit::Millisecond), false));
    };
    let (word, stated) = match &node.value {
        Value::String(word) => (quoted(word), Unit::parse(word)),
        other => (other.describe().to_owned(), None),
    };
    let Some(stated) = stated else {
        let message = format!("unit {word} is not known; {} was expected", Unit::SPELLINGS);
        return Err(Fault::error("UNKNOWN_UNIT", message)
            .at("unit", node)
            .hint("correct the record's `unit`"));
    };
    match context.unit {
        Some(declared) if declared != stated => Err(Fault::error(
            "UNIT_CONFLICT",
            format!(
                "the record is in {}, but {} was declared",
                stated.symbol(),
                declared.symbol()
            ),
        )
        .at("unit", node)
        .hint("leave `--unit` out to take each record's own unit")),
        _ => Ok((stated, true)),
    }
}

/// The figures, and the mean among them.
fn figures(object: &Object<'_>, unit: Unit) -> Result<(Figures, Figure), Fault> {
    let Some((mean, decimal)) = time(object, "mean", unit, Least::AboveZero)? else {
        return Err(Fault::error(
            "NO_MEAN",
            "no `mean`: the record holds no time",
        ));
    };
    let optional = |field, least| Ok(time(object, field, unit, least)?.map(|(figure, _)| figure));
    let figures = Figures {
        resolution: decimal.resolution_ps(unit, PRINTED_DIGITS),
        value: Some(mean.clone()),
        std: optional("std", Least::Zero)?,
        min: optional("min", Least::AboveZero)?,
        max: optional("max", Least::AboveZero)?,
        samples: trials(object)?,
        range: None,
    };
    Ok((figures, mean))
}

/// The least that a figure may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Least {
    Zero,
    AboveZero,
}

fn time(
    object: &Object<'_>,
    field: &'static str,
    unit: Unit,
    least: Least,
) -> Result<Option<(Figure, Decimal)>, Fault> {
    let Some((node, text, decimal)) = number(object, field)? else {
        return Ok(None);
    };
    let shown = shortened(text);
    let Some(ps) = decimal.to_ps(unit) else {
        let message = format!(
            "`{field}` is {shown} {}: more than a million seconds",
            unit.symbol()
        );
        return Err(Fault::error("TOO_LARGE", message)
            .at(field, node)
            .hint("`--unit` says which unit the figures are in"));
    };
    if ps < 0 || (ps == 0 && least == Least::AboveZero) {
        let why = match (decimal.is_negative(), decimal.is_zero()) {
            (true, _) if least == Least::Zero => "a spread can't be negative",
            (true, _) => "a negative figure marks a failed run and is no time",
            (_, true) => "zero is no time",
            _ => "less than half a picosecond is no time",
        };
        let message = format!("`{field}` is {shown}: {why}");
        return Err(Fault::error("NOT_POSITIVE", message).at(field, node));
    }
    let text = text.into();
    Ok(Some((Figure { amount: ps, text }, decimal)))
}

fn trials(object: &Object<'_>) -> Result<Option<u32>, Fault> {
    let Some((node, text, decimal)) = number(object, "num_trials")? else {
        return Ok(None);
    };
    match decimal.to_count() {
        Some(count) if count > 0 => Ok(Some(count)),
        _ => Err(Fault::error(
            "BAD_TRIALS",
            format!(
                "`num_trials` is {}; a whole number above zero was expected",
                shortened(text)
            ),
        )
        .at("num_trials", node)),
    }
}

/// A number's node, text and value; `None` if the field is absent or null.
fn number<'n, 'a>(
    object: &'n Object<'a>,
    field: &'static str,
) -> Result<Option<(&'n Node<'a>, &'a str, Decimal)>, Fault> {
    let Some(node) = present(object, field) else {
        return Ok(None);
    };
    if let Value::Number(text) = node.value
        && let Some(decimal) = Decimal::parse(text)
    {
        return Ok(Some((node, text, decimal)));
    }
    let found = match &node.value {
        Value::String(text) => format!("the string {}", quoted(text)),
        other => other.describe().to_owned(),
    };
    let message = format!("`{field}` is {found}; a number was expected");
    Err(Fault::error("NOT_A_NUMBER", message).at(field, node))
}

/// The device, and whether it is the declared one.
fn hardware<'n>(object: &'n Object<'_>, context: Context<'n>) -> Result<(&'n str, bool), Fault> {
    // Words that say there is no name are no device.
    const NO_NAME: [&str; 7] = ["", "-", "n/a", "na", "none", "null", "unknown"];
    let blank = |node: &&Node<'_>| {
        matches!(&node.value, Value::String(name)
            if NO_NAME.contains(&name.trim().to_lowercase().as_str()))
    };
    let Some(node) = present(object, "hardware").filter(|node| !blank(node)) else {
        return match context.hardware {
            Some(declared) => Ok((declared, true)),
            None => Err(Fault::error(
                "NO_HARDWARE",
                "no `hardware`: which device ran this is not said",
            )
            .hint("`--hardware NAME` names the device of records that have none")),
        };
    };
    let Value::String(name) = &node.value else {
        let message = format!(
            "`hardware` is {}; a device name was expected",
            node.value.describe()
        );
        return Err(Fault::error("BAD_HARDWARE", message).at("hardware", node));
    };
    match hostile(name) {
        None => Ok((name, false)),
        Some(why) => {
            let message = format!("device name {} {why}", quoted(name));
            Err(Fault::error("HOSTILE_NAME", message).at("hardware", node))
        }
    }
}

/// `min ≤ mean ≤ max`, as far as the printed digits can tell.
fn contradiction(
    object: &Object<'_>,
    figures: &Figures,
    stated: &Figure,
    unit: Unit,
) -> Option<Fault> {
    let mean = stated.amount;
    let slack = |figure: &Figure| {
        let own = Decimal::parse(&figure.text)
            .map_or(0, |decimal| decimal.resolution_ps(unit, PRINTED_DIGITS));
        own.saturating_add(figures.resolution)
    };
    let low = figures.min.as_ref();
    let high = figures.max.as_ref();
    let (field, figure, relation) = if let Some(min) = low
        && min.amount > mean
        && min.amount.saturating_sub(slack(min)) > mean
    {
        ("min", min, "above")
    } else if let Some(max) = high
        && max.amount < mean
        && max.amount.saturating_add(slack(max)) < mean
    {
        ("max", max, "below")
    } else {
        return None;
    };
    let message = format!(
        "`{field}` {} is {relation} the mean {}: not one set of trials",
        shortened(&figure.text),
        shortened(&stated.text)
    );
    let fault = Fault {
        severity: Severity::Warning,
        ..Fault::error("STATS_CONTRADICT", message)
    };
    Some(match object.get(field) {
        Some(node) => fault.at(field, node),
        None => fault,
    })
}

/// A field that is there and not null.
fn present<'n, 'a>(object: &'n Object<'a>, field: &str) -> Option<&'n Node<'a>> {
    object
        .get(field)
        .filter(|node| !matches!(node.value, Value::Null))
}

/// A number's text for a message; thousands of digits tell nobody more.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 30;
    match text.get(..SHOWN) {
        Some(head) if text.len() > SHOWN => format!("{head}…"),
        _ => text.to_owned(),
    }
}
