//! Where algebra could remove work: seen from the steps as a whole.

use crate::liveness::{Liveness, MAX_CHAIN, readers};
use crate::tensor::Array;
use crate::trace::{Kind, Trace};
use crate::understanding::Flag;

/// The flags found on the way and those that need the whole of `forward`.
pub(crate) fn all(trace: &Trace, live: &Liveness, outputs: &[Array]) -> Vec<Flag> {
    let mut flags: Vec<Flag> = trace
        .flags
        .iter()
        .map(|(code, line, reason)| Flag {
            code: (*code).to_owned(),
            line: *line,
            reason: reason.clone(),
        })
        .collect();
    flags.extend(reducible(trace, live, outputs));
    flags.extend(constant(trace, live));
    flags.sort_by(|a, b| (a.line, &a.code).cmp(&(b.line, &b.code)));
    flags.dedup_by(|a, b| (a.line, &a.code) == (b.line, &b.code));
    flags
}

fn flag(line: Option<u32>, reason: String) -> Flag {
    Flag {
        code: "algebra-reducible".to_owned(),
        line,
        reason,
    }
}

/// Elements a step reads first and writes first.
fn sizes(trace: &Trace, at: usize) -> Option<(u64, u64)> {
    let step = trace.steps.get(at)?;
    Some((step.reads.first()?.elements, step.writes.first()?.1))
}

/// A product that only linear steps look at, down to a sum or mean.
fn reducible(trace: &Trace, live: &Liveness, outputs: &[Array]) -> Vec<Flag> {
    let readers = readers(trace);
    let mut found = Vec::new();
    for (at, step) in trace.steps.iter().enumerate() {
        let is_product = step.kind == Kind::Matrix && step.counted > 0 && step.op != "bmm";
        if !is_product || live.steps.get(at) != Some(&true) {
            continue;
        }
        let mut from = at;
        let mut passed = 0;
        while let Some(&[next]) = readers.get(from).map(Vec::as_slice) {
            let returned = trace.steps[from]
                .writes
                .iter()
                .any(|write| outputs.iter().any(|output| output.storage == write.0));
            if returned {
                break;
            }
            let reader = &trace.steps[next];
            match reader.kind {
                Kind::Linear if passed < MAX_CHAIN => {
                    from = next;
                    passed += 1;
                }
                Kind::Reduction
                    if sizes(trace, next).is_some_and(|(read, written)| written < read) =>
                {
                    found.push(flag(
                        reader.line,
                        format!(
                            "`{}` of line {} is followed by the linear `{}` alone: both fold into a smaller product",
                            step.op,
                            step.line.map_or_else(|| "?".to_owned(), |line| line.to_string()),
                            reader.op
                        ),
                    ));
                    break;
                }
                _ => break,
            }
        }
    }
    found
}

/// `x - mean(x)` over a single element is zero.
fn constant(trace: &Trace, live: &Liveness) -> Vec<Flag> {
    let readers = readers(trace);
    let mut found = Vec::new();
    for (at, step) in trace.steps.iter().enumerate() {
        let is_mean = step.kind == Kind::Reduction
            && sizes(trace, at).is_some_and(|(read, written)| read == written && read > 0);
        if !is_mean || live.steps.get(at) != Some(&true) {
            continue;
        }
        let Some(source) = step.reads.first() else {
            continue;
        };
        let own = step.writes.first().map(|write| write.0);
        let later = readers.get(at).into_iter().flatten();
        let later = later.filter_map(|at| trace.steps.get(*at));
        let difference = later.take(MAX_CHAIN).find(|later| {
            later.op.starts_with("sub")
                && later.reads.iter().any(|read| Some(read.storage) == own)
                && later
                    .reads
                    .iter()
                    .any(|read| (read.storage, read.version) == (source.storage, source.version))
        });
        if let Some(later) = difference {
            found.push(flag(
                later.line,
                format!("`{}` over one element is that element: the difference is zero whatever the input", step.op),
            ));
        }
    }
    found
}
