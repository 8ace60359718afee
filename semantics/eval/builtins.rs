//! Python's built-in functions and those of `math`, as far as modules use them on
//! static values.

use super::arithmetic::{self, floor_div, range_len};
use super::object::Object;
use super::{Call, Outcome, Reason, Rule, no_effect};

/// Built-in functions.
pub(super) const RULES: &[Rule] = &[
    Rule {
        names: &["builtins.range"],
        apply: range,
    },
    Rule {
        names: &["builtins.len"],
        apply: len,
    },
    Rule {
        names: &["builtins.int"],
        apply: int,
    },
    Rule {
        names: &["builtins.float"],
        apply: float,
    },
    Rule {
        names: &["builtins.bool"],
        apply: boolean,
    },
    Rule {
        names: &["builtins.str"],
        apply: string,
    },
    Rule {
        names: &[
            "builtins.list",
            "builtins.tuple",
            "builtins.reversed",
            "builtins.sorted",
        ],
        apply: sequence,
    },
    Rule {
        names: &["builtins.dict"],
        apply: dict,
    },
    Rule {
        names: &["builtins.enumerate"],
        apply: enumerate,
    },
    Rule {
        names: &["builtins.zip"],
        apply: zip,
    },
    Rule {
        names: &["builtins.max", "builtins.min"],
        apply: extreme,
    },
    Rule {
        names: &["builtins.sum", "math.prod", "numpy.prod"],
        apply: fold,
    },
    Rule {
        names: &["builtins.any", "builtins.all"],
        apply: any_all,
    },
    Rule {
        names: &["builtins.abs"],
        apply: abs,
    },
    Rule {
        names: &["builtins.pow", "math.pow"],
        apply: pow,
    },
    Rule {
        names: &["builtins.divmod"],
        apply: divmod,
    },
    Rule {
        names: &["builtins.round", "math.ceil", "math.floor", "math.trunc"],
        apply: round,
    },
    Rule {
        names: &[
            "math.sqrt",
            "numpy.sqrt",
            "math.log",
            "math.log2",
            "math.log10",
            "math.exp",
        ],
        apply: real,
    },
    Rule {
        names: &["math.gcd", "math.lcm"],
        apply: gcd,
    },
    Rule {
        names: &["builtins.print", "random.seed", "numpy.random.seed"],
        apply: no_effect,
    },
];

fn integer(object: &Object) -> Result<i64, Reason> {
    object
        .as_int()
        .ok_or_else(|| format!("not an integer but {}", object.type_name()).into())
}

fn number(object: &Object) -> Result<f64, Reason> {
    object
        .as_float()
        .ok_or_else(|| format!("not a number but {}", object.type_name()).into())
}

fn range(call: &mut Call<'_, '_>) -> Outcome {
    let args = call.rest(0)?;
    let ints: Vec<i64> = args.iter().map(integer).collect::<Result<_, _>>()?;
    match ints[..] {
        [end] => Ok(Object::Range(0, end, 1)),
        [start, end] => Ok(Object::Range(start, end, 1)),
        [start, end, step] if step != 0 => Ok(Object::Range(start, end, step)),
        _ => Err("the arguments have no rule".into()),
    }
}

fn len(call: &mut Call<'_, '_>) -> Outcome {
    let object = call.need(0, "obj")?;
    let heap = &call.evaluator.heap;
    let len = match &object {
        Object::Tuple(id) | Object::List(id) => heap.items(*id)?.len(),
        Object::Dict(id) => heap.pairs(*id)?.len(),
        Object::Str(text) => text.chars().count(),
        Object::Range(start, end, step) => range_len(*start, *end, *step),
        Object::Tensor(tensor) => match tensor.shape.first() {
            Some(dim) => return Ok(Object::Int(dim.size, dim.origin.carried())),
            None => return Err("a tensor without dimensions has no length".into()),
        },
        Object::Array(_) | Object::Instance(_) => return call.evaluator.length_of(&object),
        other => return Err(format!("the length of {} has no rule", other.type_name()).into()),
    };
    i64::try_from(len)
        .map(Object::int)
        .map_err(|_| "the integer doesn't fit 64 bits".into())
}

/// A float as integer, if it has a value that fits.
fn whole(value: f64) -> Outcome {
    // Both bounds are powers of two, so exact as floats.
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value) {
        #[expect(clippy::cast_possible_truncation, reason = "the bounds are checked")]
        return Ok(Object::int(value as i64));
    }
    Err("the integer doesn't fit 64 bits".into())
}

fn int(call: &mut Call<'_, '_>) -> Outcome {
    match call.take(0, "x")? {
        None => Ok(Object::int(0)),
        Some(Object::Float(value)) => whole(value.trunc()),
        Some(Object::Str(text)) => text
            .trim()
            .parse()
            .map(Object::int)
            .map_err(|_| "the text is no integer".into()),
        Some(object) => integer(&object).map(Object::int),
    }
}

fn float(call: &mut Call<'_, '_>) -> Outcome {
    match call.take(0, "x")? {
        None => Ok(Object::Float(0.0)),
        Some(Object::Str(text)) => {
            let text = text.trim().to_ascii_lowercase();
            text.parse()
                .map(Object::Float)
                .map_err(|_| "the text is no number".into())
        }
        Some(object) => number(&object).map(Object::Float),
    }
}

fn boolean(call: &mut Call<'_, '_>) -> Outcome {
    let object = call.take(0, "x")?.unwrap_or(Object::None);
    call.evaluator.truth(&object).map(Object::Bool)
}

fn string(call: &mut Call<'_, '_>) -> Outcome {
    let object = call.need(0, "object")?;
    arithmetic::to_text(&object)
        .map(Object::str)
        .ok_or_else(|| "the format has no rule".into())
}

fn sequence(call: &mut Call<'_, '_>) -> Outcome {
    let mut items = match call.take(0, "iterable")? {
        Some(object) => call.evaluator.iterate(&object)?,
        None => Vec::new(),
    };
    match call.name {
        "tuple" => return Ok(call.evaluator.heap.tuple(items)),
        "reversed" => items.reverse(),
        "sorted" => {
            let mut failed = None;
            items.sort_by(|a, b| {
                arithmetic::order(a, b).unwrap_or_else(|reason| {
                    failed = Some(reason);
                    std::cmp::Ordering::Equal
                })
            });
            if let Some(reason) = failed {
                return Err(reason);
            }
        }
        _ => {}
    }
    Ok(call.evaluator.heap.list(items))
}

fn dict(call: &mut Call<'_, '_>) -> Outcome {
    let pairs = match call.take(0, "iterable")? {
        None => Vec::new(),
        Some(Object::Dict(id)) => call.evaluator.heap.pairs(id)?.to_vec(),
        Some(object) => {
            let mut pairs = Vec::new();
            for item in call.evaluator.iterate(&object)? {
                match &call.evaluator.iterate(&item)?[..] {
                    [key, value] => pairs.push((key.clone(), value.clone())),
                    _ => return Err("an item is no pair".into()),
                }
            }
            pairs
        }
    };
    let mut named = Vec::new();
    while let Some(name) = call.next_keyword() {
        let value = call.keyword(&name)?.unwrap_or(Object::None);
        named.push((Object::str(name), value));
    }
    call.evaluator
        .make_dict(pairs.into_iter().chain(named).collect())
}

fn enumerate(call: &mut Call<'_, '_>) -> Outcome {
    let object = call.need(0, "iterable")?;
    let start = match call.take(1, "start")? {
        Some(start) => integer(&start)?,
        None => 0,
    };
    let items = call.evaluator.iterate(&object)?;
    let mut at = start;
    let mut pairs = Vec::with_capacity(items.len());
    for item in items {
        call.evaluator.charge(1)?;
        pairs.push(call.evaluator.heap.tuple(vec![Object::int(at), item]));
        at = at.saturating_add(1);
    }
    Ok(call.evaluator.heap.list(pairs))
}

fn zip(call: &mut Call<'_, '_>) -> Outcome {
    let mut columns = Vec::new();
    for object in call.rest(0)? {
        columns.push(call.evaluator.iterate(&object)?.into_iter());
    }
    let mut rows = Vec::new();
    if columns.is_empty() {
        return Ok(call.evaluator.heap.list(rows));
    }
    while let Some(row) = columns.iter_mut().map(Iterator::next).collect() {
        call.evaluator.charge(1)?;
        rows.push(call.evaluator.heap.tuple(row));
    }
    Ok(call.evaluator.heap.list(rows))
}

fn extreme(call: &mut Call<'_, '_>) -> Outcome {
    let mut items = call.rest(0)?;
    if let [only] = &items[..] {
        items = call.evaluator.iterate(only)?;
    }
    let mut best: Option<Object> = None;
    for item in items {
        let better = match &best {
            None => true,
            Some(best) if call.name == "max" => arithmetic::order(&item, best)?.is_gt(),
            Some(best) => arithmetic::order(&item, best)?.is_lt(),
        };
        if better {
            best = Some(item);
        }
    }
    best.ok_or_else(|| "of nothing".into())
}

fn fold(call: &mut Call<'_, '_>) -> Outcome {
    use ruff_python_ast::Operator::{Add, Mult};
    let object = call.need(0, "iterable")?;
    let (op, start) = if call.name == "sum" {
        (Add, 0)
    } else {
        (Mult, 1)
    };
    let mut total = call.take(1, "start")?.unwrap_or(Object::int(start));
    for item in call.evaluator.iterate(&object)? {
        total = call.evaluator.binary(op, total, item)?;
    }
    Ok(total)
}

fn any_all(call: &mut Call<'_, '_>) -> Outcome {
    let object = call.need(0, "iterable")?;
    let wanted = call.name == "any";
    for item in call.evaluator.iterate(&object)? {
        if call.evaluator.truth(&item)? == wanted {
            return Ok(Object::Bool(wanted));
        }
    }
    Ok(Object::Bool(!wanted))
}

fn abs(call: &mut Call<'_, '_>) -> Outcome {
    match call.need(0, "x")? {
        Object::Float(value) => Ok(Object::Float(value.abs())),
        object => integer(&object)?
            .checked_abs()
            .map(Object::int)
            .ok_or_else(|| "the integer doesn't fit 64 bits".into()),
    }
}

fn pow(call: &mut Call<'_, '_>) -> Outcome {
    let (mut base, exponent) = (call.need(0, "base")?, call.need(1, "exp")?);
    if call.is_from("math") {
        base = Object::Float(number(&base)?);
    }
    arithmetic::numbers(ruff_python_ast::Operator::Pow, &base, &exponent)
}

fn divmod(call: &mut Call<'_, '_>) -> Outcome {
    let (a, b) = (integer(&call.need(0, "x")?)?, integer(&call.need(1, "y")?)?);
    let quotient = floor_div(a, b).ok_or("the division has no value")?;
    let rest = quotient
        .checked_mul(b)
        .and_then(|product| a.checked_sub(product))
        .ok_or("the division has no value")?;
    let parts = vec![Object::int(quotient), Object::int(rest)];
    Ok(call.evaluator.heap.tuple(parts))
}

fn round(call: &mut Call<'_, '_>) -> Outcome {
    match call.need(0, "number")? {
        Object::Float(value) => whole(match call.name {
            "ceil" => value.ceil(),
            "floor" => value.floor(),
            "trunc" => value.trunc(),
            _ => value.round_ties_even(),
        }),
        object => integer(&object).map(Object::int),
    }
}

fn real(call: &mut Call<'_, '_>) -> Outcome {
    let x = number(&call.need(0, "x")?)?;
    let is_outside = match call.name {
        "exp" => false,
        "sqrt" => x < 0.0,
        _ => x <= 0.0,
    };
    if is_outside {
        return Err("outside the function's domain".into());
    }
    Ok(Object::Float(match call.name {
        "sqrt" => x.sqrt(),
        "log" => x.ln(),
        "log2" => x.log2(),
        "log10" => x.log10(),
        _ => x.exp(),
    }))
}

fn gcd(call: &mut Call<'_, '_>) -> Outcome {
    let (a, b) = (integer(&call.need(0, "a")?)?, integer(&call.need(1, "b")?)?);
    let (mut x, mut y) = (a.unsigned_abs(), b.unsigned_abs());
    while y != 0 {
        (x, y) = (y, x % y);
    }
    let value = match (call.name, x) {
        ("gcd", _) => Some(x),
        (_, 0) => Some(0),
        _ => (a.unsigned_abs() / x).checked_mul(b.unsigned_abs()),
    };
    value
        .and_then(|value| i64::try_from(value).ok())
        .map(Object::int)
        .ok_or_else(|| "the integer doesn't fit 64 bits".into())
}
