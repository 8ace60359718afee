//! The file itself: samples by problem, as the suite writes them, in typed form.

use crate::duration::{Decimal, Unit};
use crate::json::{Cursor, Document, Kind, Node, Object, Value};
use crate::metric::Scale;
use crate::names::{hostile, quoted};
use crate::number::{self, Least};
use crate::{Figure, Issue, Place, Refused, Severity, Status};

/// Significant digits that the suite prints (`:.3g`).
const PRINTED_DIGITS: usize = 3;

/// Longest text of an error that is kept, in characters: its beginning says what it is.
const KEPT: usize = 160;

/// An evaluation of generated kernels.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evaluation {
    /// Problems by number, in the order of the file.
    pub problems: Vec<Problem>,
    /// What could not be used.
    pub issues: Vec<Issue>,
}

/// A problem's samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Its number within the level.
    pub number: u32,
    /// Whether its samples stood in a list, as newer files have them.
    pub listed: bool,
    /// In the order of the file.
    pub samples: Vec<Sample>,
}

/// One generated kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Where it stands.
    pub place: Place,
    /// Its number.
    pub id: u32,
    /// Whether it compiled.
    pub compiled: bool,
    /// Whether it computed what it should in the suite's trials.
    pub correct: bool,
    /// `runtime` as it is written, in ms; `-1.0` where there is none.
    pub runtime: String,
    /// Its time, if it has one.
    pub timing: Option<Timing>,
    /// Its reference's time in the same run, if that was measured.
    pub reference: Option<Timing>,
    /// Device string.
    pub hardware: Option<String>,
    /// The suite's own mark: more than ten times as fast as the reference.
    pub excessive_speedup: bool,
    /// What else the file says of it, shortened: evidence.
    pub texts: Vec<(String, String)>,
}

/// A time with its statistics, in picoseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timing {
    /// Mean.
    pub mean: Figure,
    /// Population standard deviation.
    pub std: Option<Figure>,
    /// Fastest trial.
    pub min: Option<Figure>,
    /// Slowest trial.
    pub max: Option<Figure>,
    /// Trials.
    pub samples: Option<u32>,
    /// How finely the mean is stated.
    pub resolution: i64,
}

impl Sample {
    /// What became of it. A sample that is right and has no time wasn't timed.
    pub fn status(&self) -> Status {
        let says = |name: &str| self.texts.iter().any(|(key, _)| key.starts_with(name));
        match (self.compiled, self.correct) {
            (true, true) if self.timing.is_some() => Status::Passed,
            (true, true) => Status::NotRun,
            (true, false) if says("correctness_issue") || says("max_difference") => {
                Status::Incorrect
            }
            (true, false) if says("runtime_error") || says("cuda_error") => Status::RuntimeError,
            (true, false) => Status::Incorrect,
            (false, _) if says("compilation_error") => Status::CompileError,
            (false, _) if says("error") || says("other_error") || says("cuda_error") => {
                Status::Failed
            }
            (false, _) => Status::CompileError,
        }
    }
}

/// Reads an evaluation.
///
/// # Errors
///
/// The text is no JSON (or is cut), or no object of problems by number.
pub fn evaluation(bytes: &[u8]) -> Result<Evaluation, Refused> {
    let document = Document::open(bytes)?;
    let mut cursor = document.cursor();
    if cursor.kind()? != Kind::Object || !cursor.enter()? {
        return Err(not_one(&document, "it isn't an object"));
    }
    let mut evaluation = Evaluation::default();
    let mut seen: Vec<(u32, usize)> = Vec::new();
    let mut strange = 0;
    while let Some(key) = cursor.next_key()? {
        let place = document.place(cursor.pointer(), key.span.start);
        let Some(number) = number_of(&key.name) else {
            strange += 1;
            cursor.skip()?;
            evaluation.issues.push(issue(
                Severity::Warning,
                "KEY_IGNORED",
                place,
                format!("{} is no number of a problem", quoted(&key.name)),
                0,
            ));
            continue;
        };
        let node = cursor.value()?;
        let (listed, nodes) = match &node.value {
            Value::Array(items) => (true, items.as_slice()),
            _ => (false, std::slice::from_ref(&node)),
        };
        if let Some((_, first)) = seen.iter().find(|(known, _)| *known == number) {
            let message = format!(
                "problem {number} stands twice, {} and {}: which one counts isn't said",
                document.spell(*first),
                document.spell(key.span.start)
            );
            let rejects = u32::try_from(nodes.len()).unwrap_or(u32::MAX);
            let twice = issue(Severity::Error, "DUPLICATE_KEY", place, message, rejects);
            evaluation.issues.push(twice);
            // Neither the first nor the last wins.
            if let Some(at) = evaluation.problems.iter().position(|p| p.number == number) {
                let dropped = evaluation.problems.remove(at);
                if let Some(last) = evaluation.issues.last_mut() {
                    let more = u32::try_from(dropped.samples.len()).unwrap_or(u32::MAX);
                    last.rejects = last.rejects.saturating_add(more);
                }
            }
            continue;
        }
        seen.push((number, key.span.start));
        let mut problem = Problem {
            number,
            listed,
            samples: Vec::new(),
        };
        for (at, node) in nodes.iter().enumerate() {
            let mut own = document.place(cursor.pointer(), node.span.start);
            if listed {
                own.pointer = format!("{}/{at}", own.pointer);
            }
            match sample(node, own) {
                Ok(sample) => {
                    evaluation.issues.extend(doubtful(&sample, &problem));
                    problem.samples.push(sample);
                }
                Err(issue) => evaluation.issues.push(*issue),
            }
        }
        evaluation.problems.push(problem);
    }
    cursor.finish()?;
    if evaluation.problems.is_empty() && strange > 0 {
        return Err(not_one(&document, "none of its keys is a problem's number"));
    }
    Ok(evaluation)
}

/// Whether a text begins like an evaluation: a number, and below it `compiled` and
/// `correctness`.
pub(super) fn begins_like_one(bytes: &[u8]) -> bool {
    let head = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if !head.trim_ascii_start().starts_with(b"{") {
        return false;
    }
    let look = || -> Result<bool, Refused> {
        let document = Document::open(bytes)?;
        let mut cursor = document.cursor();
        if !cursor.enter()? {
            return Ok(false);
        }
        let Some(key) = cursor.next_key()? else {
            return Ok(false);
        };
        if number_of(&key.name).is_none() {
            return Ok(false);
        }
        first_is_sample(&mut cursor)
    };
    look().unwrap_or(false)
}

fn first_is_sample(cursor: &mut Cursor<'_, '_>) -> Result<bool, Refused> {
    let node = cursor.value()?;
    let first = match &node.value {
        Value::Array(items) => items.first(),
        _ => Some(&node),
    };
    Ok(first.is_some_and(|node| {
        matches!(&node.value, Value::Object(object)
            if object.get("compiled").is_some() && object.get("correctness").is_some())
    }))
}

/// A problem's number, which counts from 1.
fn number_of(key: &str) -> Option<u32> {
    let plain = key.bytes().all(|byte| byte.is_ascii_digit()) && !key.starts_with('0');
    plain.then(|| key.parse().ok()).flatten()
}

fn not_one(document: &Document<'_>, why: &str) -> Refused {
    Refused {
        code: "NOT_AN_EVALUATION",
        place: document.place(String::new(), 0),
        message: format!(
            "this is no evaluation of the suite: {why}; problems by number with `compiled` and `correctness` were expected"
        ),
        hint: Some("`kidx import auto` finds the source by the content".to_owned()),
    }
}

fn issue(severity: Severity, code: &str, place: Place, message: String, rejects: u32) -> Issue {
    Issue {
        severity,
        code: code.to_owned(),
        place,
        message,
        hint: None,
        rejects,
    }
}

/// What of a sample can't be meant as it is written.
fn doubtful(sample: &Sample, beside: &Problem) -> Vec<Issue> {
    let mut issues = Vec::new();
    let mut warn = |code, message| {
        let place = sample.place.clone();
        issues.push(issue(Severity::Warning, code, place, message, 0));
    };
    if sample.correct && !sample.compiled {
        warn(
            "STATUS_CONTRADICTS",
            "`correctness` is true and `compiled` is false: it counts as not compiled".to_owned(),
        );
    }
    if beside.samples.iter().any(|other| other.id == sample.id) {
        warn(
            "DUPLICATE_SAMPLE",
            format!(
                "problem {} has more than one sample {}: each counts",
                beside.number, sample.id
            ),
        );
    }
    issues
}

fn sample(node: &Node<'_>, place: Place) -> Result<Sample, Box<Issue>> {
    let error = |code: &str, field: &str, message: String| {
        let mut place = place.clone();
        if !field.is_empty() {
            place.pointer = format!("{}/{field}", place.pointer);
        }
        Box::new(issue(Severity::Error, code, place, message, 1))
    };
    let Value::Object(object) = &node.value else {
        let message = format!("{} where a sample was expected", node.value.describe());
        return Err(error("NOT_A_RECORD", "", message));
    };
    if let Some((first, _)) = object.duplicate() {
        let message = format!("{} stands twice in a sample", quoted(&first.name));
        return Err(error("DUPLICATE_KEY", "", message));
    }
    let flag = |name: &str| match object.get(name).map(|node| &node.value) {
        Some(Value::Bool(yes)) => Ok(*yes),
        Some(other) => Err(error(
            "NOT_A_BOOLEAN",
            name,
            format!(
                "`{name}` is {}; true or false was expected",
                other.describe()
            ),
        )),
        None => Err(error(
            "NO_FIELD",
            name,
            format!("a sample without `{name}`"),
        )),
    };
    let (compiled, correct) = (flag("compiled")?, flag("correctness")?);
    let id = match object.get("sample_id").map(|node| &node.value) {
        None | Some(Value::Null) => 0,
        Some(Value::Number(text)) => Decimal::parse(text)
            .and_then(|decimal| decimal.to_count())
            .ok_or_else(|| {
                let message = format!("`sample_id` is {text}; a whole number was expected");
                error("BAD_SAMPLE_ID", "sample_id", message)
            })?,
        Some(other) => {
            let message = format!("`sample_id` is {}", other.describe());
            return Err(error("BAD_SAMPLE_ID", "sample_id", message));
        }
    };
    let runtime = match object.get("runtime").map(|node| &node.value) {
        None | Some(Value::Null) => "-1.0".to_owned(),
        Some(Value::Number(text) | Value::NonFinite(text)) => (*text).to_owned(),
        Some(other) => {
            let message = format!("`runtime` is {}; a number was expected", other.describe());
            return Err(error("NOT_A_NUMBER", "runtime", message));
        }
    };
    let metadata = match object.get("metadata").map(|node| &node.value) {
        Some(Value::Object(metadata)) => Some(metadata),
        _ => None,
    };
    let stats = stats(object, "runtime_stats");
    let timing = timing(&runtime, stats)
        .map_err(|(code, why)| error(code, "runtime", format!("`runtime` {why}")))?;
    let reference = match object.get("ref_runtime").map(|node| &node.value) {
        Some(Value::Number(text)) => {
            let stats = self::stats(object, "ref_runtime_stats");
            // A reference without a usable time was not timed.
            self::timing(text, stats).unwrap_or_default()
        }
        _ => None,
    };
    let stated = |object: Option<&Object<'_>>| -> Option<String> {
        match object?.get("hardware").map(|node| &node.value) {
            Some(Value::String(name)) if hostile(name).is_none() => Some(name.to_string()),
            _ => None,
        }
    };
    let mut texts = metadata.map(evidence).unwrap_or_default();
    if timing.is_none() && correct {
        texts.push(("runtime".to_owned(), runtime.clone()));
    }
    Ok(Sample {
        id,
        compiled,
        correct,
        timing,
        reference,
        hardware: stated(metadata).or_else(|| stated(stats)),
        excessive_speedup: texts
            .iter()
            .any(|(name, text)| name == "excessive_speedup" && text == "true"),
        texts,
        runtime,
        place,
    })
}

fn stats<'n, 'a>(object: &'n Object<'a>, name: &str) -> Option<&'n Object<'a>> {
    match object.get(name).map(|node| &node.value) {
        Some(Value::Object(stats)) => Some(stats),
        _ => None,
    }
}

/// A time with its statistics; `None` of -1, which says that there is none.
fn timing(
    text: &str,
    stats: Option<&Object<'_>>,
) -> Result<Option<Timing>, (&'static str, String)> {
    if text.parse() == Ok(-1.0) {
        return Ok(None);
    }
    let scale = Scale::time(Unit::Millisecond);
    let (mean, decimal) = number::figure(text, &scale, Least::AboveZero)
        .map_err(|unusable| (unusable.code, unusable.why))?;
    let of = |name: &str, least| match stats?.get(name).map(|node| &node.value) {
        Some(Value::Number(text)) => number::figure(text, &scale, least).ok().map(|f| f.0),
        _ => None,
    };
    let samples = match stats.and_then(|stats| stats.get("num_trials")) {
        Some(node) => match &node.value {
            Value::Number(text) => Decimal::parse(text).and_then(|d| d.to_count()),
            _ => None,
        },
        None => None,
    };
    Ok(Some(Timing {
        std: of("std", Least::Zero),
        min: of("min", Least::AboveZero),
        max: of("max", Least::AboveZero),
        samples,
        resolution: scale.resolution(&decimal, PRINTED_DIGITS),
        mean,
    }))
}

/// What the metadata says but for the device, each text's beginning.
fn evidence(metadata: &Object<'_>) -> Vec<(String, String)> {
    let shortened = |text: &str| -> String {
        let line = text.trim().lines().next().unwrap_or_default();
        let plain = line.chars().filter(|c| !c.is_control());
        let mut kept: String = plain.take(KEPT).collect();
        if kept.len() < text.trim().len() {
            kept.push('…');
        }
        kept
    };
    let mut texts = Vec::new();
    for member in &metadata.members {
        let name = member.key.name.as_ref();
        let traceback = name.ends_with("traceback");
        if ["hardware", "device"].contains(&name) || traceback || hostile(name).is_some() {
            continue;
        }
        let text = match &member.node.value {
            Value::Null | Value::Object(_) => continue,
            Value::Bool(yes) => yes.to_string(),
            Value::Number(text) | Value::NonFinite(text) => (*text).to_owned(),
            Value::String(text) => shortened(text),
            Value::Array(items) => {
                let items: Vec<String> = items
                    .iter()
                    .filter_map(|item| match &item.value {
                        Value::String(text) => Some(text.to_string()),
                        Value::Number(text) => Some((*text).to_owned()),
                        _ => None,
                    })
                    .collect();
                shortened(&items.join(", "))
            }
        };
        texts.push((name.to_owned(), text));
    }
    texts
}
