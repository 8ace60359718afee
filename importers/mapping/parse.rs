//! The text of a mapping (TOML) → [`Mapping`]; what is wrong is told with its line.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::metric::{Quantity, Scale};
use crate::names::quoted;
use crate::{Declared, Protocol, Refused, Role, Terms};

use super::entries::{Entry, Parser, a, refused};
use super::spec::{
    Axis, AxisNames, Condition, Date, Facts, Field, Format, From, Mapping, MetricSpec, UnitSpec,
};
use super::words::slug;

/// Keys of facts about a row, at the top or in a metric.
const FACTS: &[&str] = &[
    "operation",
    "group",
    "family",
    "title",
    "axes",
    "dtype",
    "implementation",
    "version",
    "project",
    "language",
    "interface",
    "role",
    "implementation_license",
    "hardware",
    "status",
    "where",
];

/// Keys of the top alone.
const TOP: &[&str] = &[
    "format",
    "delimiter",
    "rows",
    "absent",
    "suite",
    "source",
    "provider",
    "baseline",
    "date",
    "software",
    "texts",
    "protocol",
    "license",
    "attribution",
    "redistribution",
    "metric",
];

/// Keys of a `[[metric]]` alone.
const METRIC: &[&str] = &[
    "value",
    "unit",
    "quantity",
    "statistic",
    "std",
    "min",
    "max",
    "low",
    "high",
    "samples",
];

/// What a statistic may be called, in words.
pub(super) const STATISTICS: &str = "mean, median, min, max, total, geomean, trimmed_mean, single, unspecified, or a percentile as p50";

/// A statistic by its name.
pub(super) fn statistic_of(word: &str) -> Option<String> {
    let word = word.trim().to_lowercase();
    let percentile = || {
        let digits: f64 = word.strip_prefix('p')?.parse().ok()?;
        Some((0.0..=100.0).contains(&digits))
    };
    let known = [
        "mean",
        "median",
        "min",
        "max",
        "total",
        "geomean",
        "trimmed_mean",
        "single",
        "unspecified",
    ];
    (known.contains(&&*word) || percentile() == Some(true)).then_some(word)
}

/// Reads a mapping; `declared` may fill in a unit that it leaves open.
///
/// # Errors
///
/// `BAD_MAPPING` with the line; `LEFT_OPEN` where it still says `?`.
pub(super) fn parse(bytes: &[u8], declared: &Declared) -> Result<Mapping, Refused> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes)
        .map_err(|_| refused("BAD_MAPPING", "the mapping is not UTF-8 text", None))?;
    let parser = Parser { text, declared };
    let table = DeTable::parse(text).map_err(|error| {
        let message = error
            .message()
            .lines()
            .next()
            .unwrap_or("no TOML")
            .to_owned();
        parser.bad(error.span(), message)
    })?;
    parser.mapping(table.get_ref())
}

impl<'t> Parser<'t> {
    fn mapping(&self, table: &DeTable<'t>) -> Result<Mapping, Refused> {
        let known: Vec<&str> = TOP.iter().chain(FACTS).copied().collect();
        self.known(table, &known, "a mapping")?;
        let source = self.word(table, "source")?;
        let suite = match self.word(table, "suite")? {
            Some(suite) => slug(&suite),
            None => source.as_deref().map_or("mapping".to_owned(), slug),
        };
        let top = self.facts(table)?;
        let metrics = self
            .tables(table, "metric")?
            .into_iter()
            .enumerate()
            .map(|(index, (metric, span))| self.metric(metric, span, index, &top))
            .collect::<Result<Vec<_>, _>>()?;
        if metrics.is_empty() {
            return Err(refused(
                "BAD_MAPPING",
                "the mapping has no `[[metric]]`: which column is measured is not said",
                Some("add `[[metric]]` with `value = \"<column>\"` and `unit = \"ms\"`".to_owned()),
            ));
        }
        Ok(Mapping {
            format: self.choice(table, "format", format_of, "csv, tsv, json or jsonl")?,
            delimiter: match self.delimiter(table)? {
                None if self.word(table, "format")?.as_deref() == Some("tsv") => Some(b'\t'),
                delimiter => delimiter,
            },
            rows: self.text(table, "rows")?,
            absent: self.words(table, "absent")?,
            suite,
            provider: self.field(table, "provider")?,
            baseline: match table.get("baseline").and(table.get("role")) {
                None => self.words(table, "baseline")?,
                Some(role) => {
                    let message = "`role` and `baseline` both say who is the baseline: give one";
                    return Err(self.bad(Some(role.span()), message));
                }
            },
            date: self.date(table)?,
            software: self.software(table)?,
            texts: self.words(table, "texts")?,
            protocol: self.protocol(table, source)?,
            terms: Terms {
                license: self.word(table, "license")?,
                attribution: self.word(table, "attribution")?,
                redistribution: self.flag(table, "redistribution")?,
            },
            metrics,
        })
    }

    fn metric(
        &self,
        table: &DeTable<'t>,
        span: Range<usize>,
        index: usize,
        top: &Facts,
    ) -> Result<MetricSpec, Refused> {
        let known: Vec<&str> = METRIC.iter().chain(FACTS).copied().collect();
        self.known(table, &known, "a `[[metric]]`")?;
        let Some(value) = self.column(table, "value")? else {
            let message = format!(
                "metric {} has no `value`: the column of its figures",
                index + 1
            );
            return Err(self.bad(Some(span), message));
        };
        let quantity = self.choice(
            table,
            "quantity",
            Quantity::parse,
            &Quantity::ALL.map(Quantity::name).join(", "),
        )?;
        let unit = self.unit(table, span.clone(), &value)?;
        if let (UnitSpec::Stated(scale, word), Some(quantity)) = (&unit, quantity)
            && !fits(scale, quantity)
        {
            let message = format!("a {} is not measured in {}", quantity.name(), quoted(word));
            return Err(self.bad(table.get("quantity").map(Spanned::span), message));
        }
        let statistic = self
            .chosen(table, "statistic")?
            .unwrap_or_else(|| Field::constant("unspecified"));
        let statistic = match statistic.from {
            From::Constant(word) => Field::constant(statistic_of(&word).ok_or_else(|| {
                let message = format!("statistic {} is none of {STATISTICS}", quoted(&word));
                self.bad(table.get("statistic").map(Spanned::span), message)
            })?),
            From::Column(_) => statistic,
        };
        let own = self.facts(table)?;
        let facts = over(own, top);
        if facts.operation.is_none() {
            return Err(self.lacks(&span, "operation", "what is computed", "<column>"));
        }
        if facts.implementation.is_none() && self.declared.implementation.is_none() {
            return Err(self.lacks(&span, "implementation", "who computes", "<column>"));
        }
        let (low, high) = (self.column(table, "low")?, self.column(table, "high")?);
        if low.is_some() != high.is_some() {
            return Err(self.bad(Some(span), "`low` and `high` go together"));
        }
        Ok(MetricSpec {
            value,
            unit,
            quantity,
            statistic,
            std: self.column(table, "std")?,
            min: self.column(table, "min")?,
            max: self.column(table, "max")?,
            low,
            high,
            samples: self.field(table, "samples")?,
            facts,
        })
    }

    fn unit(
        &self,
        table: &DeTable<'t>,
        span: Range<usize>,
        value: &str,
    ) -> Result<UnitSpec, Refused> {
        let declared = self.declared.unit.as_deref();
        let open = |at: Range<usize>, what: &str| {
            let hint = "say it (`unit = \"ms\"`), name the column that says it (`unit = { column = \"…\" }`), or give `--unit`";
            Refused {
                hint: Some(hint.to_owned()),
                ..self.refused_at(
                    "LEFT_OPEN",
                    Some(at),
                    format!("the unit of {} {what}", quoted(value)),
                )
            }
        };
        let stated = match table.get("unit") {
            None => match declared {
                None => return Err(open(span, "is not said")),
                Some(word) => word.to_owned(),
            },
            Some(entry) => {
                let left_open = entry
                    .get_ref()
                    .as_str()
                    .is_some_and(|word| word.trim() == "?");
                match (left_open, declared) {
                    (true, None) => return Err(open(entry.span(), "is left open (`?`)")),
                    (true, Some(word)) => word.to_owned(),
                    (false, _) => match self.chosen(table, "unit")? {
                        Some(Field {
                            from: From::Constant(word),
                            ..
                        }) => word,
                        Some(field) => return Ok(UnitSpec::Column(field)),
                        None => return Err(open(entry.span(), "is not said")),
                    },
                }
            }
        };
        match Scale::parse(&stated) {
            Some(scale) => Ok(UnitSpec::Stated(scale, stated)),
            None => Err(Refused {
                hint: Some("to read it from a column: `unit = { column = \"…\" }`".to_owned()),
                ..self.refused_at(
                    "UNKNOWN_UNIT",
                    table.get("unit").map(Spanned::span),
                    format!(
                        "unit {} is not known; {} was expected",
                        quoted(&stated),
                        Scale::SPELLINGS
                    ),
                )
            }),
        }
    }

    fn facts(&self, table: &DeTable<'t>) -> Result<Facts, Refused> {
        let role = self.chosen(table, "role")?;
        if let Some(Field {
            from: From::Constant(word),
            ..
        }) = &role
            && role_of(word).is_none()
        {
            let message = format!(
                "role {} is none of baseline, reference, candidate",
                quoted(word)
            );
            return Err(self.bad(table.get("role").map(Spanned::span), message));
        }
        Ok(Facts {
            operation: self.field(table, "operation")?,
            group: self.field(table, "group")?,
            family: self.field(table, "family")?,
            title: self.field(table, "title")?,
            dtype: self.field(table, "dtype")?,
            implementation: self.field(table, "implementation")?,
            version: self.field(table, "version")?,
            project: self.field(table, "project")?,
            language: self.field(table, "language")?,
            interface: self.field(table, "interface")?,
            role,
            implementation_license: self.field(table, "implementation_license")?,
            hardware: self.field(table, "hardware")?,
            axes: self.axes(table)?,
            statuses: self.statuses(table)?,
            conditions: self.conditions(table)?,
        })
    }

    fn axes(&self, table: &DeTable<'t>) -> Result<Vec<Axis>, Refused> {
        let Some(entry) = table.get("axes") else {
            return Ok(Vec::new());
        };
        match entry.get_ref() {
            DeValue::Table(by_name) => by_name
                .iter()
                .map(|(name, entry)| {
                    Ok(Axis {
                        field: self.field_of(name.get_ref(), entry, &[])?,
                        names: AxisNames::One(name.get_ref().to_string()),
                    })
                })
                .collect(),
            DeValue::Array(items) => items.iter().map(|item| self.axis(item)).collect(),
            DeValue::String(_) => Ok(vec![self.axis(entry)?]),
            other => Err(self.bad(
                Some(entry.span()),
                format!("`axes` is {}; a list of columns was expected", a(other)),
            )),
        }
    }

    fn axis(&self, entry: &Entry<'t>) -> Result<Axis, Refused> {
        let field = self.field_of(
            "axes",
            entry,
            &["name", "named_by", "names", "split", "members"],
        )?;
        let last = |column: &str| column.trim_start_matches('^').to_owned();
        let Some(table) = entry.get_ref().as_table() else {
            let name = field.reads().map(last).unwrap_or_default();
            return Ok(Axis {
                field,
                names: AxisNames::One(name),
            });
        };
        let names = self.words(table, "names")?;
        let name = self.word(table, "name")?;
        let by = self.column(table, "named_by")?;
        let members = self.flag(table, "members")? == Some(true);
        let said = [name.is_some(), by.is_some(), !names.is_empty(), members];
        if said.iter().filter(|said| **said).count() > 1 {
            let message = "an axis has one of `name`, `named_by`, `names` and `members`";
            return Err(self.bad(Some(entry.span()), message));
        }
        let names = match (name, by) {
            (Some(name), _) => AxisNames::One(name),
            (None, Some(column)) => AxisNames::By(column),
            (None, None) if members => AxisNames::Members,
            (None, None) if !names.is_empty() => {
                let between = self.text(table, "split")?.unwrap_or_else(|| "x".to_owned());
                AxisNames::Split(names, between)
            }
            (None, None) => {
                let Some(name) = field.reads().map(last) else {
                    let message = "an axis with a constant `value` needs a `name`";
                    return Err(self.bad(Some(entry.span()), message));
                };
                AxisNames::One(name)
            }
        };
        Ok(Axis { field, names })
    }

    fn statuses(&self, table: &DeTable<'t>) -> Result<Vec<Field>, Refused> {
        let Some(entry) = table.get("status") else {
            return Ok(Vec::new());
        };
        let fields = match entry.get_ref() {
            DeValue::Array(items) => items
                .iter()
                .map(|item| self.field_of("status", item, &[]))
                .collect::<Result<Vec<_>, _>>()?,
            _ => vec![self.field_of("status", entry, &[])?],
        };
        for word in fields.iter().flat_map(|field| field.words.values()) {
            if super::words::status(word).is_none() {
                let message = format!(
                    "{} is no status; these are: {}",
                    quoted(word),
                    super::words::STATUSES.map(crate::Status::as_str).join(", ")
                );
                return Err(self.bad(Some(entry.span()), message));
            }
        }
        Ok(fields)
    }

    fn conditions(&self, table: &DeTable<'t>) -> Result<Vec<Condition>, Refused> {
        let Some(entry) = table.get("where") else {
            return Ok(Vec::new());
        };
        let Some(conditions) = entry.get_ref().as_table() else {
            return Err(self.bad(
                Some(entry.span()),
                "`where` takes columns and what they must say: `[where]` with `column = \"text\"`",
            ));
        };
        conditions
            .iter()
            .map(|(column, entry)| {
                let (wanted, entry) = match entry.get_ref() {
                    DeValue::Table(table) => {
                        self.known(table, &["not"], "a condition")?;
                        let inner = table.get("not");
                        (
                            false,
                            inner.ok_or_else(|| {
                                self.bad(
                                    Some(entry.span()),
                                    "a condition is a text, a list of texts or `{ not = … }`",
                                )
                            })?,
                        )
                    }
                    _ => (true, entry),
                };
                Ok(Condition {
                    column: column.get_ref().to_string(),
                    texts: self.words_of(column.get_ref(), entry)?,
                    wanted,
                })
            })
            .collect()
    }

    fn date(&self, table: &DeTable<'t>) -> Result<Option<Date>, Refused> {
        let Some(entry) = table.get("date") else {
            return Ok(None);
        };
        let field = self.field_of("date", entry, &["format"])?;
        let format = match entry.get_ref().as_table() {
            Some(table) => self.text(table, "format")?,
            None => None,
        };
        Ok(Some(Date { field, format }))
    }

    fn software(&self, table: &DeTable<'t>) -> Result<BTreeMap<String, Field>, Refused> {
        let Some(entry) = table.get("software") else {
            return Ok(BTreeMap::new());
        };
        let Some(software) = entry.get_ref().as_table() else {
            return Err(self.bad(Some(entry.span()), "`software` takes names and where their versions stand: `software = { torch = \"torch_version\" }`"));
        };
        software
            .iter()
            .map(|(name, entry)| {
                Ok((
                    name.get_ref().to_lowercase(),
                    self.field_of(name.get_ref(), entry, &[])?,
                ))
            })
            .collect()
    }

    fn protocol(&self, table: &DeTable<'t>, source: Option<String>) -> Result<Protocol, Refused> {
        let harness = source.unwrap_or_else(|| "unknown".to_owned());
        let Some(entry) = table.get("protocol") else {
            return Ok(Protocol {
                harness,
                ..Protocol::default()
            });
        };
        let Some(table) = entry.get_ref().as_table() else {
            return Err(self.bad(Some(entry.span()), "`protocol` is a table: `[protocol]`"));
        };
        let keys = [
            "harness",
            "timer",
            "warmups",
            "cache",
            "precision",
            "autograd",
        ];
        self.known(table, &keys, "`[protocol]`")?;
        let warmups =
            match table.get("warmups") {
                None => None,
                Some(entry) => {
                    let count = match entry.get_ref() {
                        DeValue::Integer(number) => {
                            u32::from_str_radix(number.as_str(), number.radix()).ok()
                        }
                        _ => None,
                    };
                    Some(count.ok_or_else(|| {
                        self.bad(Some(entry.span()), "`warmups` is a whole number")
                    })?)
                }
            };
        Ok(Protocol {
            harness: self.word(table, "harness")?.unwrap_or(harness),
            statistic: String::new(),
            timer: self.word(table, "timer")?,
            warmups,
            cache: self.word(table, "cache")?,
            precision: self.word(table, "precision")?,
            autograd: self.word(table, "autograd")?,
        })
    }

    fn delimiter(&self, table: &DeTable<'t>) -> Result<Option<u8>, Refused> {
        let of = |word: &str| match word.as_bytes() {
            b"tab" => Some(b'\t'),
            [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Some(*byte),
            _ => None,
        };
        self.choice(
            table,
            "delimiter",
            of,
            "`,`, `;`, `|`, `tab` or another single character",
        )
    }

    fn lacks(&self, span: &Range<usize>, key: &str, what: &str, example: &str) -> Refused {
        Refused {
            hint: Some(format!(
                "add `{key} = \"{example}\"`, or `{key} = {{ value = \"…\" }}` where it is the same in every row"
            )),
            ..self.bad(
                Some(span.clone()),
                format!("no `{key}`, at the top or in this metric: {what} is not said"),
            )
        }
    }
}

/// Own facts, and those of the top where there are none.
fn over(own: Facts, top: &Facts) -> Facts {
    let or = |own: Option<Field>, top: &Option<Field>| own.or_else(|| top.clone());
    let listed = |own: Vec<Axis>| top.axes.iter().cloned().chain(own).collect();
    Facts {
        operation: or(own.operation, &top.operation),
        group: or(own.group, &top.group),
        family: or(own.family, &top.family),
        title: or(own.title, &top.title),
        dtype: or(own.dtype, &top.dtype),
        implementation: or(own.implementation, &top.implementation),
        version: or(own.version, &top.version),
        project: or(own.project, &top.project),
        language: or(own.language, &top.language),
        interface: or(own.interface, &top.interface),
        role: or(own.role, &top.role),
        implementation_license: or(own.implementation_license, &top.implementation_license),
        hardware: or(own.hardware, &top.hardware),
        axes: listed(own.axes),
        statuses: if own.statuses.is_empty() {
            top.statuses.clone()
        } else {
            own.statuses
        },
        conditions: top
            .conditions
            .iter()
            .cloned()
            .chain(own.conditions)
            .collect(),
    }
}

/// Whether figures in a unit can be of a quantity: a ratio may be a share, anything in a
/// second a throughput.
pub(super) fn fits(scale: &Scale, quantity: Quantity) -> bool {
    let ratio = |quantity| matches!(quantity, Quantity::Speedup | Quantity::Utilization);
    scale.quantity == quantity
        || (ratio(scale.quantity) && ratio(quantity))
        || (quantity == Quantity::Throughput && scale.unit.ends_with("/s"))
}

pub(super) fn role_of(word: &str) -> Option<Role> {
    match word.trim() {
        "baseline" => Some(Role::Baseline),
        "reference" => Some(Role::Reference),
        "candidate" => Some(Role::Candidate),
        _ => None,
    }
}

fn format_of(word: &str) -> Option<Format> {
    match word {
        "csv" | "tsv" => Some(Format::Csv),
        "json" => Some(Format::Json),
        "jsonl" => Some(Format::JsonLines),
        _ => None,
    }
}
