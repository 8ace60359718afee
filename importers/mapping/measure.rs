//! The figures of a row, and their unit.

use crate::duration::Decimal;
use crate::metric::{Quantity, Scale};
use crate::names::quoted;
use crate::number::{self, Least};
use crate::{Figure, Figures, Place};

use super::data::{Content, Row};
use super::parse::fits;
use super::record::{Fault, Reader, fault, hinted};
use super::spec::{MetricSpec, UnitSpec};

impl Reader<'_> {
    pub(super) fn scale(
        &self,
        metric: &MetricSpec,
        row: &Row<'_>,
        place: &Place,
    ) -> Result<(Scale, String), Fault> {
        let (scale, word, place) = match &metric.unit {
            UnitSpec::Stated(scale, word) => (scale.clone(), word.clone(), place.clone()),
            UnitSpec::Column(field) => {
                let Some(said) = self.said(field, row, "unit")? else {
                    let message = format!(
                        "{} is empty: the unit is not said",
                        quoted(field.reads().unwrap_or_default())
                    );
                    return Err(fault("UNKNOWN_UNIT", place.clone(), message));
                };
                let Some(scale) = Scale::parse(&said.text) else {
                    let message = format!(
                        "unit {} is not known; {} was expected",
                        quoted(&said.text),
                        Scale::SPELLINGS
                    );
                    let hint = "`unit = { column = \"…\", words = { \"the file's word\" = \"ms\" } }` says what a word stands for";
                    return Err(hinted(fault("UNKNOWN_UNIT", said.place, message), hint));
                };
                (scale, said.text, said.place)
            }
        };
        if let Some(declared) = &self.declared_unit
            && scale.quantity == declared.quantity
            && scale != *declared
        {
            let message = format!(
                "the figure is in {}, but another unit was declared",
                quoted(&word)
            );
            return Err(hinted(
                fault("UNIT_CONFLICT", place, message),
                "leave `--unit` out, or correct the mapping",
            ));
        }
        match metric.quantity {
            None => Ok((scale, word)),
            Some(quantity) if fits(&scale, quantity) => Ok((scale.as_quantity(quantity), word)),
            Some(quantity) => {
                let message = format!("a {} is not measured in {}", quantity.name(), quoted(&word));
                Err(fault("UNIT_CONFLICT", place, message))
            }
        }
    }

    pub(super) fn figures(
        &self,
        metric: &MetricSpec,
        row: &Row<'_>,
        text: &str,
        scale: &Scale,
        unit: &str,
        place: &Place,
    ) -> Result<Figures, Fault> {
        let value_least = match scale.quantity {
            Quantity::Memory | Quantity::Utilization => Least::Zero,
            _ => Least::AboveZero,
        };
        let (value, decimal) = figure(&metric.value, text, scale, unit, value_least, place)?;
        let other = |column: &Option<String>, least: Least| -> Result<Option<Figure>, Fault> {
            let Some(column) = column else {
                return Ok(None);
            };
            let Some(found) = row.get(column) else {
                return Ok(None);
            };
            match &found.content {
                Content::Text(text) => match self.kept(text) {
                    None => Ok(None),
                    Some(text) => Ok(Some(
                        figure(column, text, scale, unit, least, &found.place)?.0,
                    )),
                },
                Content::Nested(node) => {
                    let message = format!(
                        "{} is {}; a number was expected",
                        quoted(column),
                        node.value.describe()
                    );
                    Err(fault("NOT_A_NUMBER", found.place, message))
                }
            }
        };
        let range = match (
            other(&metric.low, value_least)?,
            other(&metric.high, value_least)?,
        ) {
            (Some(low), Some(high)) => Some(Box::new((low, high))),
            _ => None,
        };
        let samples = match &metric.samples {
            None => None,
            Some(field) => self.said(field, row, "number of samples")?,
        };
        let samples = match samples {
            None => None,
            Some(said) => match Decimal::parse(&said.text).and_then(|count| count.to_count()) {
                Some(count) if count > 0 => Some(count),
                _ => {
                    let message = format!(
                        "the number of samples is {}; a whole number above zero was expected",
                        quoted(&said.text)
                    );
                    return Err(fault("BAD_TRIALS", said.place, message));
                }
            },
        };
        Ok(Figures {
            resolution: scale.resolution(&decimal, 1),
            value: Some(value),
            std: other(&metric.std, Least::Zero)?,
            min: other(&metric.min, value_least)?,
            max: other(&metric.max, value_least)?,
            range,
            samples,
        })
    }
}

/// A figure of a cell, which may repeat its unit (`2.79 ms`).
fn figure(
    column: &str,
    text: &str,
    scale: &Scale,
    unit: &str,
    least: Least,
    place: &Place,
) -> Result<(Figure, Decimal), Fault> {
    let end =
        text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E')));
    let (number, word) = text
        .split_at_checked(end.unwrap_or(text.len()))
        .unwrap_or((text, ""));
    let text = match Scale::parse(word).filter(|_| !number.is_empty()) {
        None => text,
        Some(own) if own.clone().as_quantity(scale.quantity) == *scale => number.trim(),
        Some(_) => {
            let message = format!(
                "{} is {}, but the unit is {}",
                quoted(column),
                quoted(text),
                quoted(unit)
            );
            return Err(fault("UNIT_CONFLICT", place.clone(), message));
        }
    };
    number::figure(text, scale, least).map_err(|no| {
        let fault = fault(
            no.code,
            place.clone(),
            format!("{} {}", quoted(column), no.why),
        );
        match no.code {
            "NOT_A_NUMBER" if text.contains(',') => hinted(
                fault,
                "numbers are read with a point and without thousands separators",
            ),
            "NOT_A_NUMBER" => hinted(
                fault,
                "`absent = [\"…\"]` lists texts that stand for nothing",
            ),
            _ => fault,
        }
    })
}
