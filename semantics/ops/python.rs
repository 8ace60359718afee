//! What Python and its libraries offer beside tensors, as far as modules use it while
//! they are followed.

use std::rc::Rc;

use super::{Entry, Op, op};
use crate::eval::{Object, Outcome, Reason};
use crate::model;

pub(super) const TABLE: &[Entry] = &[
    op("r", "builtins.isinstance", "obj kind", is_instance),
    op("r", "builtins.issubclass", "kind base", no_rule),
    op("r", "builtins.hasattr", "obj name", has_attribute),
    op("r", "builtins.getattr", "obj name *default", get_attribute),
    op("r", "builtins.setattr", "obj name value", set_attribute),
    op("r", "builtins.callable", "obj", callable),
    op("r", "builtins.type", "obj", type_of),
    op("r", "builtins.super", "kind obj", super_of),
    op("r", "builtins.slice", "*bounds", slice),
    op("r", "builtins.map", "function *sequences", map),
    op("r", "builtins.filter", "function sequence", filter),
    op("r", "builtins.iter", "obj", listed),
    op("r", "builtins.next", "iterator *default", next),
    op("r", "builtins.set builtins.frozenset", "iterable=None", set),
    op(
        "r",
        "builtins.repr builtins.format builtins.ascii",
        "obj *rest",
        text,
    ),
    op("r", "builtins.id builtins.hash", "obj", no_rule),
    op(
        "r",
        "builtins.object.__init__ builtins.object",
        "*rest",
        nothing,
    ),
    op("r", "itertools.repeat", "obj times", repeat),
    op("r", "itertools.chain", "*sequences", chain),
    op(
        "r",
        "itertools.chain.from_iterable",
        "sequences",
        chain_from,
    ),
    op("r", "itertools.product", "*sequences", product),
    op("r", "itertools.accumulate", "sequence", accumulate),
    op(
        "r",
        "functools.partial",
        "function *rest **keywords",
        partial,
    ),
    op(
        "r",
        "functools.reduce",
        "function sequence *initial",
        reduce,
    ),
    op(
        "r",
        "collections.OrderedDict collections.defaultdict",
        "pairs=None **keywords",
        ordered,
    ),
    op("r", "collections.namedtuple", "name fields", no_rule),
    op("r", "copy.deepcopy copy.copy", "obj", copied),
    op("r", "numpy.log2 math.log1p numpy.log numpy.exp", "x", real),
    op("r", "math.isqrt", "n", isqrt),
    op(
        "r",
        "math.isclose math.isinf math.isnan",
        "a b=None rel_tol=1e-9 abs_tol=0.0",
        no_rule,
    ),
    op(
        "r",
        "math.sin math.cos math.tan math.tanh math.atan",
        "x",
        real,
    ),
    op("r", "math.comb math.factorial", "n k=None", no_rule),
    op("r", "numpy.ceil numpy.floor", "x", real),
    op("r", "str.join", "separator items", join),
    op("r", "str.format", "template *rest **keywords", text),
    op("r", "str.startswith", "text part", starts),
    op("r", "str.endswith", "text part", starts),
    op("r", "str.split", "text separator=None", split),
    op("r", "str.replace", "text from to", replace),
    op("r", "dict.update", "dict other=None **keywords", update),
    op("r", "dict.pop", "dict key *default", pop),
    op("r", "dict.setdefault", "dict key default=None", set_default),
    op("r", "tuple.numel", "size", numel),
    op("r", "list.sort", "list key=None reverse=False", sort),
    op("r", "list.clear", "list", clear),
    op("r", "torch.Size", "sizes", size),
    op("r", "torch.broadcast_shapes", "*shapes", broadcast_shapes),
    op(
        "r",
        "torch.is_grad_enabled torch.cuda.is_available torch.is_autocast_enabled torch.jit.is_scripting torch.jit.is_tracing torch.compiler.is_compiling torch.is_inference_mode_enabled",
        "",
        no,
    ),
    op("r", "torch.get_default_dtype", "", default_dtype),
    op("r", "torch.finfo torch.iinfo", "dtype=None", info),
    op(
        "r",
        "torch.no_grad torch.inference_mode torch.enable_grad torch.set_grad_enabled contextlib.nullcontext contextlib.suppress torch.cuda.synchronize torch.cuda.empty_cache torch.cuda.manual_seed torch.autograd.set_detect_anomaly torch.profiler.record_function torch.backends.cudnn.flags torch.set_float32_matmul_precision torch.cuda.device torch.nn.utils.clip_grad_norm_ warnings.warn warnings.filterwarnings warnings.simplefilter torch._assert torch.cuda.nvtx.range_push torch.cuda.nvtx.range_pop torch.manual_seed torch._dynamo.graph_break",
        "*rest **keywords",
        nothing,
    ),
    op(
        "r",
        "torch.utils.checkpoint.checkpoint",
        "function *rest use_reentrant=None preserve_rng_state=True",
        checkpoint,
    ),
    op(
        "r",
        "torch.utils.checkpoint.checkpoint_sequential",
        "functions segments input use_reentrant=None",
        no_rule,
    ),
    op("r", "typing.cast", "kind value", second),
    op("r", "torch.jit.annotate", "kind value", second),
    op(
        "r",
        "torch.compile torch.jit.script torch.jit.ignore torch.jit.export torch.nn.utils.weight_norm torch.nn.utils.spectral_norm",
        "obj *rest **keywords",
        no_rule,
    ),
];

fn no_rule(_: &mut Op<'_, '_>) -> Outcome {
    Err("no rule".into())
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of a rule")]
fn nothing(_: &mut Op<'_, '_>) -> Outcome {
    Ok(Object::None)
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of a rule")]
fn no(_: &mut Op<'_, '_>) -> Outcome {
    Ok(Object::Bool(false))
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of a rule")]
fn default_dtype(op: &mut Op<'_, '_>) -> Outcome {
    Ok(Object::DType(op.evaluator.default_dtype))
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of a rule")]
fn second(op: &mut Op<'_, '_>) -> Outcome {
    Ok(op.arg("value").clone())
}

/// Whether a value is of a type; a tuple of types asks for any of them.
fn is_instance(op: &mut Op<'_, '_>) -> Outcome {
    let (object, kind) = (op.arg("obj").clone(), op.arg("kind").clone());
    let kinds = match &kind {
        Object::Tuple(_) => op.evaluator.iterate(&kind)?,
        _ => vec![kind],
    };
    for kind in &kinds {
        if is_of(op, &object, kind)? {
            return Ok(Object::Bool(true));
        }
    }
    Ok(Object::Bool(false))
}

fn is_of(op: &Op<'_, '_>, object: &Object, kind: &Object) -> Result<bool, Reason> {
    let path = match kind {
        Object::Class(class) => return Ok(op.evaluator.is_of_class(object, *class)),
        Object::External(path) => path,
        Object::Unknown(unknown) => return Err(Reason::From(unknown.clone())),
        other => return Err(format!("{} is no type", other.type_name()).into()),
    };
    let is_sequence = matches!(object, Object::Tuple(_) | Object::List(_));
    Ok(match &**path {
        "builtins.int" => matches!(object, Object::Int(..) | Object::Bool(_)),
        "builtins.float" => matches!(object, Object::Float(_)),
        "builtins.bool" => matches!(object, Object::Bool(_)),
        "builtins.str" => matches!(object, Object::Str(_)),
        "builtins.tuple" => matches!(object, Object::Tuple(_)),
        "builtins.list" => matches!(object, Object::List(_)),
        "builtins.dict" | "collections.abc.Mapping" => matches!(object, Object::Dict(_)),
        "torch.Tensor" => matches!(object, Object::Array(_)),
        "torch.nn.Parameter" => match object {
            Object::Array(id) => op.evaluator.heap.array_of(*id).is_parameter,
            _ => false,
        },
        "collections.abc.Iterable" | "typing.Iterable" => {
            is_sequence
                || matches!(
                    object,
                    Object::Str(_) | Object::Dict(_) | Object::Range(..) | Object::Array(_)
                )
        }
        "collections.abc.Sequence" | "typing.Sequence" => {
            is_sequence || matches!(object, Object::Str(_) | Object::Range(..))
        }
        "numbers.Number" | "numbers.Real" => object.as_float().is_some(),
        path => {
            let layer =
                model::find(path).ok_or_else(|| format!("the type `{path}` has no rule"))?;
            match object {
                Object::Instance(id) => {
                    let own = op.evaluator.heap.instance_of(*id).builtin;
                    own.is_some_and(|own| own == layer.name || model::derives(own, layer.name))
                }
                _ => false,
            }
        }
    })
}

fn has_attribute(op: &mut Op<'_, '_>) -> Outcome {
    let (object, name) = (op.arg("obj").clone(), op.text("name")?);
    match &object {
        Object::Instance(_) | Object::Class(_) => Ok(Object::Bool(
            op.evaluator.get_attribute(&object, &name).is_ok(),
        )),
        Object::External(path) if path.starts_with("torch.nn.functional") => Ok(Object::Bool(
            super::find(&format!("{path}.{name}")).is_some(),
        )),
        Object::External(_) => Err("depends on the installed version".into()),
        _ => Err("attributes of such a value have no rule".into()),
    }
}

fn get_attribute(op: &mut Op<'_, '_>) -> Outcome {
    let (object, name) = (op.arg("obj").clone(), op.text("name")?);
    let found = op.evaluator.get_attribute(&object, &name);
    match (found, op.args.rest.first()) {
        (Err(Reason::New(_)), Some(default)) => Ok(default.clone()),
        (found, _) => found,
    }
}

fn set_attribute(op: &mut Op<'_, '_>) -> Outcome {
    let (object, name) = (op.arg("obj").clone(), op.text("name")?);
    let Object::Instance(id) = object else {
        return Err("not an instance".into());
    };
    let value = op.arg("value").clone();
    op.evaluator.set_attribute(id, &name, value);
    Ok(Object::None)
}

fn callable(op: &mut Op<'_, '_>) -> Outcome {
    Ok(Object::Bool(match op.arg("obj") {
        Object::Function(_)
        | Object::Class(_)
        | Object::Bound(_)
        | Object::Partial(_)
        | Object::Method(_) => true,
        Object::Instance(id) => op.evaluator.heap.instance_of(*id).builtin.is_some(),
        Object::External(_) => return Err("depends on something defined elsewhere".into()),
        _ => false,
    }))
}

fn type_of(op: &mut Op<'_, '_>) -> Outcome {
    match op.arg("obj") {
        Object::Instance(id) => {
            let instance = op.evaluator.heap.instance_of(*id);
            match (instance.class, instance.builtin) {
                (Some(class), _) => Ok(Object::Class(class)),
                (None, Some(builtin)) => Ok(Object::External(
                    format!("{}{builtin}", model::PREFIX).into(),
                )),
                _ => Err("no rule".into()),
            }
        }
        Object::Int(..) => Ok(Object::External("builtins.int".into())),
        Object::Float(_) => Ok(Object::External("builtins.float".into())),
        Object::Tuple(_) => Ok(Object::External("builtins.tuple".into())),
        Object::List(_) => Ok(Object::External("builtins.list".into())),
        Object::Array(_) => Ok(Object::External("torch.Tensor".into())),
        _ => Err("no rule".into()),
    }
}

fn super_of(op: &mut Op<'_, '_>) -> Outcome {
    match op.arg("kind") {
        Object::Class(class) => Ok(Object::Super(Rc::new((op.arg("obj").clone(), *class)))),
        other => Err(format!("`super()` of {}", other.type_name()).into()),
    }
}

fn slice(op: &mut Op<'_, '_>) -> Outcome {
    let bound = |object: &Object| match object {
        Object::None => Ok(None),
        other => op.int_in(other).map(Some),
    };
    match &op.args.rest[..] {
        [end] => Ok(Object::Slice(None, bound(end)?, None)),
        [start, end] => Ok(Object::Slice(bound(start)?, bound(end)?, None)),
        [start, end, step] => Ok(Object::Slice(bound(start)?, bound(end)?, bound(step)?)),
        _ => Err("the arguments have no rule".into()),
    }
}

fn line(op: &Op<'_, '_>) -> u32 {
    op.evaluator.line.unwrap_or(0)
}

fn map(op: &mut Op<'_, '_>) -> Outcome {
    let function = op.arg("function").clone();
    let line = line(op);
    let mut columns = Vec::new();
    for sequence in op.args.rest.clone() {
        columns.push(op.evaluator.iterate(&sequence)?.into_iter());
    }
    let mut items = Vec::new();
    if columns.is_empty() {
        return Err("the arguments have no rule".into());
    }
    while let Some(args) = columns.iter_mut().map(Iterator::next).collect() {
        op.evaluator.charge(1)?;
        items.push(op.evaluator.call_value(&function, line, args, Vec::new())?);
    }
    Ok(op.evaluator.heap.list(items))
}

fn filter(op: &mut Op<'_, '_>) -> Outcome {
    let (function, sequence) = (op.arg("function").clone(), op.arg("sequence").clone());
    let line = line(op);
    let mut kept = Vec::new();
    for item in op.evaluator.iterate(&sequence)? {
        let verdict = match function {
            Object::None => item.clone(),
            _ => op
                .evaluator
                .call_value(&function, line, vec![item.clone()], Vec::new())?,
        };
        if op.evaluator.truth(&verdict)? {
            kept.push(item);
        }
    }
    Ok(op.evaluator.heap.list(kept))
}

fn listed(op: &mut Op<'_, '_>) -> Outcome {
    let object = op.arg("obj").clone();
    let items = op.evaluator.iterate(&object)?;
    Ok(op.evaluator.heap.list(items))
}

/// Iterators are lists here, so the first item is all that can be had of one; modules ask
/// `next(self.parameters())`.
fn next(op: &mut Op<'_, '_>) -> Outcome {
    let iterator = op.arg("iterator").clone();
    let items = op.evaluator.iterate(&iterator)?;
    items
        .into_iter()
        .next()
        .or_else(|| op.args.rest.first().cloned())
        .ok_or_else(|| "the iterator is at its end".into())
}

fn set(op: &mut Op<'_, '_>) -> Outcome {
    let items = match op.arg("iterable").clone() {
        Object::None => Vec::new(),
        other => op.evaluator.iterate(&other)?,
    };
    let list = op.evaluator.heap.list(items);
    op.evaluator.without_duplicates(&list)
}

/// Text made of values: what it says is no matter to shapes.
#[expect(clippy::unnecessary_wraps, reason = "the signature of a rule")]
fn text(_: &mut Op<'_, '_>) -> Outcome {
    Ok(Object::str("…"))
}

fn repeat(op: &mut Op<'_, '_>) -> Outcome {
    let times = usize::try_from(op.int("times")?).unwrap_or(0);
    if times > crate::eval::MAX_LENGTH {
        return Err("the sequence is too long".into());
    }
    op.evaluator.charge(times)?;
    let items = vec![op.arg("obj").clone(); times];
    Ok(op.evaluator.heap.list(items))
}

fn chained(op: &mut Op<'_, '_>, sequences: &[Object]) -> Outcome {
    let mut items = Vec::new();
    for sequence in sequences {
        items.extend(op.evaluator.iterate(sequence)?);
        if items.len() > crate::eval::MAX_LENGTH {
            return Err("the sequence is too long".into());
        }
    }
    Ok(op.evaluator.heap.list(items))
}

fn chain(op: &mut Op<'_, '_>) -> Outcome {
    let sequences = op.args.rest.clone();
    chained(op, &sequences)
}

fn chain_from(op: &mut Op<'_, '_>) -> Outcome {
    let sequences = op.arg("sequences").clone();
    let sequences = op.evaluator.iterate(&sequences)?;
    chained(op, &sequences)
}

fn product(op: &mut Op<'_, '_>) -> Outcome {
    let mut rows: Vec<Vec<Object>> = vec![Vec::new()];
    for sequence in op.args.rest.clone() {
        let items = op.evaluator.iterate(&sequence)?;
        if rows.len().saturating_mul(items.len()) > crate::eval::MAX_LENGTH {
            return Err("the sequence is too long".into());
        }
        rows = rows
            .iter()
            .flat_map(|row| {
                items
                    .iter()
                    .map(move |item| [row.clone(), vec![item.clone()]].concat())
            })
            .collect();
        op.evaluator.charge(rows.len())?;
    }
    let rows = rows
        .into_iter()
        .map(|row| op.evaluator.heap.tuple(row))
        .collect();
    Ok(op.evaluator.heap.list(rows))
}

fn accumulate(op: &mut Op<'_, '_>) -> Outcome {
    let sequence = op.arg("sequence").clone();
    let mut total: Option<Object> = None;
    let mut items = Vec::new();
    for item in op.evaluator.iterate(&sequence)? {
        let next = match total {
            None => item,
            Some(total) => op
                .evaluator
                .binary(ruff_python_ast::Operator::Add, total, item)?,
        };
        items.push(next.clone());
        total = Some(next);
    }
    Ok(op.evaluator.heap.list(items))
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of a rule")]
fn partial(op: &mut Op<'_, '_>) -> Outcome {
    let keywords = op.args.named.clone();
    Ok(Object::Partial(Rc::new((
        op.arg("function").clone(),
        op.args.rest.clone(),
        keywords,
    ))))
}

fn reduce(op: &mut Op<'_, '_>) -> Outcome {
    let (function, sequence) = (op.arg("function").clone(), op.arg("sequence").clone());
    let line = line(op);
    let mut items = op.evaluator.iterate(&sequence)?.into_iter();
    let mut total = match op.args.rest.first() {
        Some(initial) => initial.clone(),
        None => items.next().ok_or("of nothing")?,
    };
    for item in items {
        total = op
            .evaluator
            .call_value(&function, line, vec![total, item], Vec::new())?;
    }
    Ok(total)
}

fn pairs(op: &mut Op<'_, '_>, name: &str) -> Result<Vec<(Object, Object)>, Reason> {
    let mut pairs = match op.arg(name).clone() {
        Object::None | Object::External(_) => Vec::new(),
        Object::Dict(id) => op.evaluator.heap.pairs(id)?.to_vec(),
        list => {
            let mut pairs = Vec::new();
            for item in op.evaluator.iterate(&list)? {
                match &op.evaluator.iterate(&item)?[..] {
                    [key, value] => pairs.push((key.clone(), value.clone())),
                    _ => return Err("an item is no pair".into()),
                }
            }
            pairs
        }
    };
    let named = op.args.named.iter();
    pairs.extend(named.map(|(name, value)| (Object::str(name.as_str()), value.clone())));
    Ok(pairs)
}

fn ordered(op: &mut Op<'_, '_>) -> Outcome {
    let pairs = pairs(op, "pairs")?;
    op.evaluator.make_dict(pairs)
}

fn update(op: &mut Op<'_, '_>) -> Outcome {
    let Object::Dict(id) = op.arg("dict").clone() else {
        return Err("not a dict".into());
    };
    let mut all = op.evaluator.heap.pairs(id)?.to_vec();
    all.extend(pairs(op, "other")?);
    if let Object::Dict(merged) = op.evaluator.make_dict(all)? {
        let merged = op.evaluator.heap.pairs(merged)?.to_vec();
        *op.evaluator.heap.pairs_mut(id)? = merged;
    }
    Ok(Object::None)
}

fn pop(op: &mut Op<'_, '_>) -> Outcome {
    let (Object::Dict(id), key) = (op.arg("dict").clone(), op.arg("key").clone()) else {
        return Err("not a dict".into());
    };
    match op.evaluator.find_key(id, &key)? {
        Some(at) => Ok(op.evaluator.heap.pairs_mut(id)?.remove(at).1),
        None => op
            .args
            .rest
            .first()
            .cloned()
            .ok_or_else(|| "the key is missing".into()),
    }
}

fn set_default(op: &mut Op<'_, '_>) -> Outcome {
    let (Object::Dict(id), key) = (op.arg("dict").clone(), op.arg("key").clone()) else {
        return Err("not a dict".into());
    };
    let default = op.arg("default").clone();
    if let Some(at) = op.evaluator.find_key(id, &key)? {
        return Ok(op.evaluator.heap.pairs(id)?[at].1.clone());
    }
    op.evaluator
        .heap
        .pairs_mut(id)?
        .push((key, default.clone()));
    Ok(default)
}

fn copied(op: &mut Op<'_, '_>) -> Outcome {
    let object = op.arg("obj").clone();
    op.evaluator.deep_copy(&object)
}

fn real(op: &mut Op<'_, '_>) -> Outcome {
    let x = op.float("x")?;
    let value = match op.name {
        "log2" if x > 0.0 => x.log2(),
        "log" if x > 0.0 => x.ln(),
        "log1p" if x > -1.0 => x.ln_1p(),
        "exp" => x.exp(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tan" => x.tan(),
        "tanh" => x.tanh(),
        "atan" => x.atan(),
        "ceil" => x.ceil(),
        "floor" => x.floor(),
        _ => return Err("outside the function's domain".into()),
    };
    Ok(Object::Float(value))
}

fn isqrt(op: &mut Op<'_, '_>) -> Outcome {
    let n = op.int("n")?;
    u64::try_from(n)
        .ok()
        .and_then(|n| i64::try_from(n.isqrt()).ok())
        .map(Object::int)
        .ok_or_else(|| "of a negative number".into())
}

fn join(op: &mut Op<'_, '_>) -> Outcome {
    let (separator, items) = (op.text("separator")?, op.arg("items").clone());
    let mut parts = Vec::new();
    for item in op.evaluator.iterate(&items)? {
        match item {
            Object::Str(text) => parts.push(text.to_string()),
            other => return Err(format!("joining {}", other.type_name()).into()),
        }
    }
    Ok(Object::str(parts.join(&separator)))
}

fn starts(op: &mut Op<'_, '_>) -> Outcome {
    let text = op.text("text")?;
    let part = op.arg("part").clone();
    let parts = match part {
        Object::Tuple(_) => op.evaluator.iterate(&part)?,
        one => vec![one],
    };
    Ok(Object::Bool(parts.iter().any(|part| match part {
        Object::Str(part) if op.name == "startswith" => text.starts_with(&**part),
        Object::Str(part) => text.ends_with(&**part),
        _ => false,
    })))
}

fn split(op: &mut Op<'_, '_>) -> Outcome {
    let text = op.text("text")?;
    let parts: Vec<Object> = match op.arg("separator") {
        Object::Str(separator) if !separator.is_empty() => {
            text.split(&**separator).map(Object::str).collect()
        }
        Object::None => text.split_whitespace().map(Object::str).collect(),
        _ => return Err("no rule".into()),
    };
    op.evaluator.charge(parts.len())?;
    Ok(op.evaluator.heap.list(parts))
}

fn replace(op: &mut Op<'_, '_>) -> Outcome {
    let (text, from, to) = (op.text("text")?, op.text("from")?, op.text("to")?);
    if text.len().saturating_mul(to.len().max(1)) > crate::eval::MAX_LENGTH {
        return Err("the string is too long".into());
    }
    Ok(Object::str(text.replace(&*from, &to)))
}

fn numel(op: &mut Op<'_, '_>) -> Outcome {
    let sizes = op.ints("size")?;
    crate::tensor::elements(&sizes)
        .map(Object::int)
        .ok_or_else(|| "the integer doesn't fit 64 bits".into())
}

fn sort(op: &mut Op<'_, '_>) -> Outcome {
    let object = op.arg("list").clone();
    let Object::List(id) = object else {
        return Err("not a list".into());
    };
    if op.is_given("key") {
        let why = op
            .evaluator
            .record_unknown("list.sort", op.evaluator.line, "a key has no rule");
        op.evaluator.heap.forget(&object, &why);
        return Err(why.into());
    }
    let sorted = op.call("builtins.sorted", vec![object], Vec::new());
    let items = sorted.and_then(|sorted| op.evaluator.iterate(&sorted))?;
    *op.evaluator.heap.items_mut(id)? = items;
    Ok(Object::None)
}

fn clear(op: &mut Op<'_, '_>) -> Outcome {
    if let Object::List(id) = op.arg("list") {
        let id = *id;
        op.evaluator.heap.items_mut(id)?.clear();
    }
    Ok(Object::None)
}

fn size(op: &mut Op<'_, '_>) -> Outcome {
    let sizes = op.arg("sizes").clone();
    let items = op.evaluator.iterate(&sizes)?;
    Ok(op.evaluator.heap.tuple(items))
}

fn broadcast_shapes(op: &mut Op<'_, '_>) -> Outcome {
    let mut shapes = Vec::new();
    for shape in op.args.rest.clone() {
        shapes.push(op.ints_in(&shape)?);
    }
    let shapes: Vec<&[i64]> = shapes.iter().map(Vec::as_slice).collect();
    let sizes = super::broadcast(&shapes)?
        .into_iter()
        .map(Object::int)
        .collect();
    Ok(op.evaluator.heap.tuple(sizes))
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of a rule")]
fn info(_: &mut Op<'_, '_>) -> Outcome {
    Ok(Object::External("torch.finfo".into()))
}

fn checkpoint(op: &mut Op<'_, '_>) -> Outcome {
    let function = op.arg("function").clone();
    let line = line(op);
    let rest = op.args.rest.clone();
    op.evaluator.call_value(&function, line, rest, Vec::new())
}
