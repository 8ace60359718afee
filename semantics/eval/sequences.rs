//! Sequences and dicts: iteration, keys, and the methods of lists, dicts and strings.

use super::arithmetic::range_len;
use super::assignments::position;
use super::object::{DictId, Object, SeqId};
use super::{Call, Evaluator, MAX_LENGTH, Outcome, Reason, Rule};
use crate::value::Origin;

impl Evaluator<'_> {
    /// The items that a value gives when iterated over.
    pub(crate) fn iterate(&mut self, object: &Object) -> Result<Vec<Object>, Reason> {
        let items = match object {
            Object::Tuple(id) | Object::List(id) => self.heap.items(*id)?.to_vec(),
            Object::Dict(id) => {
                let pairs = self.heap.pairs(*id)?;
                pairs.iter().map(|(key, _)| key.clone()).collect()
            }
            Object::Range(start, end, step) => {
                let len = range_len(*start, *end, *step);
                if len > MAX_LENGTH {
                    return Err("the range is too long".into());
                }
                let items = (0..len).scan(*start, |at, _| {
                    let here = *at;
                    *at = at.saturating_add(*step);
                    Some(Object::Int(here, Origin::Derived))
                });
                items.collect()
            }
            Object::Str(text) => text.chars().map(|c| Object::str(c.to_string())).collect(),
            Object::Unknown(unknown) => return Err(unknown.clone().into()),
            Object::Array(_) | Object::Instance(_) => self.items_along(object)?,
            other => return Err(format!("iterating over {} has no rule", other.type_name()).into()),
        };
        self.charge(items.len())?;
        Ok(items)
    }

    /// Position of a key in a dict.
    pub(crate) fn find_key(&mut self, id: DictId, key: &Object) -> Result<Option<usize>, Reason> {
        let keys = self.iterate(&Object::Dict(id))?;
        for (at, candidate) in keys.iter().enumerate() {
            if self.equal(candidate, key)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// A dict in which the last value of each key counts.
    pub(crate) fn make_dict(&mut self, pairs: Vec<(Object, Object)>) -> Outcome {
        let dict = self.heap.dict(Vec::new());
        if let Object::Dict(id) = dict {
            for (key, value) in pairs {
                let at = self.find_key(id, &key)?;
                let kept = self.heap.pairs_mut(id)?;
                match at.and_then(|at| kept.get_mut(at)) {
                    Some(pair) => pair.1 = value,
                    None => kept.push((key, value)),
                }
            }
        }
        Ok(dict)
    }

    /// The sequence itself, unless it has grown beyond the limit.
    pub(super) fn check_length(&mut self, object: Object) -> Outcome {
        if let Object::List(id) = object
            && self.heap.items(id)?.len() > MAX_LENGTH
        {
            return Err("the sequence is too long".into());
        }
        Ok(object)
    }
}

/// Methods of lists, dicts and strings.
pub(super) const RULES: &[Rule] = &[
    Rule {
        names: &["list.append"],
        apply: append,
    },
    Rule {
        names: &["list.extend"],
        apply: extend,
    },
    Rule {
        names: &["list.insert"],
        apply: insert,
    },
    Rule {
        names: &["list.pop"],
        apply: pop,
    },
    Rule {
        names: &["list.copy"],
        apply: copy,
    },
    Rule {
        names: &["list.reverse"],
        apply: reverse,
    },
    Rule {
        names: &["list.count", "tuple.count"],
        apply: count,
    },
    Rule {
        names: &["list.index", "tuple.index"],
        apply: index,
    },
    Rule {
        names: &["dict.get"],
        apply: get,
    },
    Rule {
        names: &["dict.keys", "dict.values", "dict.items"],
        apply: view,
    },
    Rule {
        names: &["str.lower", "str.upper", "str.strip"],
        apply: text,
    },
];

/// The receiver's list. Whatever goes wrong after this leaves the list as it was, so a
/// method that may have changed it must not fail halfway.
fn list(call: &mut Call<'_, '_>) -> Result<SeqId, Reason> {
    match call.need(0, "self")? {
        Object::List(id) | Object::Tuple(id) => Ok(id),
        other => Err(format!("not a list but {}", other.type_name()).into()),
    }
}

/// The one argument of a list method, which may itself be unknown.
fn any(call: &mut Call<'_, '_>, name: &str) -> Outcome {
    match call.need(1, name) {
        Err(Reason::From(unknown)) => Ok(Object::Unknown(unknown)),
        other => other,
    }
}

fn append(call: &mut Call<'_, '_>) -> Outcome {
    let id = list(call)?;
    let item = any(call, "object")?;
    call.evaluator.heap.items_mut(id)?.push(item);
    call.evaluator.check_length(Object::List(id))?;
    Ok(Object::None)
}

fn extend(call: &mut Call<'_, '_>) -> Outcome {
    let id = list(call)?;
    let given = any(call, "iterable")?;
    match call.evaluator.iterate(&given) {
        Ok(items) => call.evaluator.heap.items_mut(id)?.extend(items),
        Err(reason) => {
            let why = call.evaluator.because(reason, "list.extend", None);
            call.evaluator.heap.forget(&Object::List(id), &why);
            return Err(why.into());
        }
    }
    call.evaluator.check_length(Object::List(id))?;
    Ok(Object::None)
}

/// A position argument; when it isn't static, the list is no longer known.
fn place(call: &mut Call<'_, '_>, id: SeqId, default: i64) -> Result<i64, Reason> {
    match any(call, "index") {
        Ok(Object::Int(at, _)) => Ok(at),
        Err(Reason::New(_)) => Ok(default),
        Ok(other) => {
            let reason = match other {
                Object::Unknown(unknown) => Reason::From(unknown),
                _ => Reason::from("the index is no integer"),
            };
            let why = call.evaluator.because(reason, "list", None);
            call.evaluator.heap.forget(&Object::List(id), &why);
            Err(why.into())
        }
        Err(reason) => Err(reason),
    }
}

fn insert(call: &mut Call<'_, '_>) -> Outcome {
    let id = list(call)?;
    let at = place(call, id, 0)?;
    let item = match call.need(2, "object") {
        Err(Reason::From(unknown)) => Object::Unknown(unknown),
        other => other?,
    };
    let items = call.evaluator.heap.items_mut(id)?;
    // Beyond either end means at that end.
    let len = items.len();
    let at = position(at, len).unwrap_or(if at < 0 { 0 } else { len });
    items.insert(at, item);
    call.evaluator.check_length(Object::List(id))?;
    Ok(Object::None)
}

fn pop(call: &mut Call<'_, '_>) -> Outcome {
    let id = list(call)?;
    let at = place(call, id, -1)?;
    let items = call.evaluator.heap.items_mut(id)?;
    match position(at, items.len()) {
        Some(at) => Ok(items.remove(at)),
        None => Err("the index is out of range".into()),
    }
}

fn copy(call: &mut Call<'_, '_>) -> Outcome {
    let id = list(call)?;
    let items = call.evaluator.iterate(&Object::List(id))?;
    Ok(call.evaluator.heap.list(items))
}

fn reverse(call: &mut Call<'_, '_>) -> Outcome {
    let id = list(call)?;
    call.evaluator.heap.items_mut(id)?.reverse();
    Ok(Object::None)
}

fn count(call: &mut Call<'_, '_>) -> Outcome {
    let id = list(call)?;
    let item = call.need(1, "value")?;
    let mut found = 0;
    for candidate in call.evaluator.iterate(&Object::List(id))? {
        found += i64::from(call.evaluator.equal(&candidate, &item)?);
    }
    Ok(Object::int(found))
}

fn index(call: &mut Call<'_, '_>) -> Outcome {
    let id = list(call)?;
    let item = call.need(1, "value")?;
    let candidates = call.evaluator.iterate(&Object::List(id))?;
    for (at, candidate) in (0..).zip(&candidates) {
        if call.evaluator.equal(candidate, &item)? {
            return Ok(Object::int(at));
        }
    }
    Err("the value is not in the list".into())
}

fn dict(call: &mut Call<'_, '_>) -> Result<DictId, Reason> {
    match call.need(0, "self")? {
        Object::Dict(id) => Ok(id),
        other => Err(format!("not a dict but {}", other.type_name()).into()),
    }
}

fn get(call: &mut Call<'_, '_>) -> Outcome {
    let id = dict(call)?;
    let key = call.need(1, "key")?;
    let default = call.take(2, "default")?.unwrap_or(Object::None);
    let at = call.evaluator.find_key(id, &key)?;
    let pairs = call.evaluator.heap.pairs(id)?;
    Ok(at
        .and_then(|at| pairs.get(at))
        .map_or(default, |pair| pair.1.clone()))
}

fn view(call: &mut Call<'_, '_>) -> Outcome {
    let id = dict(call)?;
    let heap = &mut call.evaluator.heap;
    let pairs = heap.pairs(id)?.to_vec();
    let items = pairs
        .into_iter()
        .map(|(key, value)| match call.name {
            "keys" => key,
            "values" => value,
            _ => heap.tuple(vec![key, value]),
        })
        .collect();
    Ok(heap.list(items))
}

fn text(call: &mut Call<'_, '_>) -> Outcome {
    let Object::Str(text) = call.need(0, "self")? else {
        return Err("not a string".into());
    };
    Ok(Object::str(match call.name {
        "lower" => text.to_lowercase(),
        "upper" => text.to_uppercase(),
        _ => text.trim().to_owned(),
    }))
}
