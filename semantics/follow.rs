//! Runs `Model` as the suites do — `Model(*get_init_inputs())(*get_inputs())`, in training
//! mode and without gradients — and adds up what was seen.

use std::collections::{BTreeMap, BTreeSet};

use crate::eval::object::{ArrayId, InstanceId};
use crate::eval::{Evaluator, Object, Reason};
use crate::source::Source;
use crate::tensor::Array;
use crate::trace::{Role, Trace};
use crate::value::{Tensor, Value};
use crate::{
    Buffers, Census, Matrix, Module, Parameters, Step, Traffic, Understanding, Work, flags,
    liveness, model,
};

/// Deepest nesting of containers that `forward` returns.
const MAX_OUTPUT_DEPTH: usize = 32;

/// Follows a parsed module; `module` is what it declares.
pub(crate) fn understand(
    source: &Source,
    set: &[(String, Value)],
    module: Module,
) -> Understanding {
    let mut evaluator = Evaluator::follow(source, set);
    let missing = evaluator.unknown_met;
    let is_overridden = set.iter().all(|(name, _)| evaluator.global(name).is_some());
    let run = run(&mut evaluator);
    let Run {
        instance,
        inputs,
        outputs,
    } = run;
    evaluator.trace.is_recording = false;
    let arrays: Option<Vec<Array>> = outputs.map(|outputs| {
        outputs
            .iter()
            .map(|id| evaluator.heap.array_of(*id).clone())
            .collect()
    });
    let shown = |arrays: &Vec<Array>| -> Vec<Tensor> { arrays.iter().map(Array::shown).collect() };
    liveness::mask_products(&mut evaluator.trace);
    let results = arrays.as_deref().unwrap_or(&[]);
    let live = liveness::of(&evaluator.trace, results);
    let (mut parameters, mut buffers) = (Parameters::default(), Buffers::default());
    let mut held: BTreeSet<usize> = inputs.iter().map(|array| array.storage).collect();
    let mut is_counted = true;
    if let Some(id) = instance {
        for (is_parameter, kind) in [(true, "parameters"), (false, "buffers")] {
            let Ok(found) = model::tensors(&evaluator, id, is_parameter) else {
                evaluator.record(kind, None, "too many modules to walk");
                is_counted = false;
                continue;
            };
            for (_, object) in found {
                if let Object::Array(id) = object {
                    let array = evaluator.heap.array_of(id);
                    held.insert(array.storage);
                    if is_parameter {
                        add_parameter(&mut parameters, array, &live);
                    } else {
                        buffers.tensors += 1;
                        buffers.bytes = buffers.bytes.saturating_add(array.bytes());
                        if live.held.contains(&array.storage) {
                            buffers.live_bytes = buffers.live_bytes.saturating_add(array.bytes());
                        }
                    }
                }
            }
        }
    }
    let trace = &evaluator.trace;
    held.extend(live.used.iter().copied().filter(|&storage| {
        trace
            .storages
            .get(storage)
            .is_some_and(|storage| storage.role != Role::Made)
    }));
    let steps = steps(trace, &live.steps);
    let inputs = traffic(trace, &inputs, &live);
    let matrix = matrix(trace, &live.steps);
    let memory_bytes = arrays.as_ref().and_then(|arrays| {
        held.iter()
            .try_fold(0_u64, |sum, &storage| {
                sum.checked_add(liveness::bytes_of(trace, storage)?)
            })?
            .checked_add(liveness::peak_bytes(trace, arrays)?)
    });
    let flags = flags::all(trace, &live, results);
    let mut census: BTreeMap<String, Census> = BTreeMap::new();
    for step in &trace.steps {
        let entry = census.entry(step.op.clone()).or_default();
        entry.calls += 1;
        for write in &step.writes {
            entry.elements = entry.elements.saturating_add(write.1);
        }
    }
    let complete = arrays.is_some()
        && is_counted
        && is_overridden
        && evaluator.unknown_met == missing
        && matrix.is_some();
    let outputs = arrays.as_ref().map(shown);
    Understanding {
        module,
        outputs,
        parameters,
        buffers,
        inputs,
        matrix: matrix.unwrap_or_default(),
        census,
        steps,
        memory_bytes,
        flags,
        complete,
        unknown: evaluator.into_unknown(),
    }
}

/// What running the model gave.
#[derive(Default)]
struct Run {
    instance: Option<InstanceId>,
    inputs: Vec<Array>,
    outputs: Option<Vec<ArrayId>>,
}

fn run(evaluator: &mut Evaluator<'_>) -> Run {
    let mut run = Run::default();
    let Some(class) = evaluator.global("Model").cloned() else {
        evaluator.record("Model", None, "no such class in the module");
        return run;
    };
    let Some(args) = returned(evaluator, "get_inputs") else {
        return run;
    };
    let mut ids = Vec::new();
    for arg in &args {
        // A value that is no tensor or container of tensors is no input to count.
        let _ = collect(evaluator, arg, &mut ids, 0);
    }
    for id in ids {
        let array = evaluator.heap.array_of(id).clone();
        let at = run.inputs.len();
        if let Some(storage) = evaluator.trace.storages.get_mut(array.storage) {
            storage.role = Role::Input(at);
        }
        run.inputs.push(array);
    }
    let Some(init) = returned(evaluator, "get_init_inputs") else {
        return run;
    };
    let model = evaluator.call_value(&class, 0, init, Vec::new());
    let model = match model {
        Ok(model @ Object::Instance(id)) => {
            run.instance = Some(id);
            model
        }
        Ok(Object::Unknown(_)) => return run,
        Ok(_) => {
            evaluator.record("Model", None, "not a class");
            return run;
        }
        Err(reason) => {
            note(evaluator, reason, "Model.__init__");
            return run;
        }
    };
    evaluator.trace.is_recording = true;
    let result = evaluator.call_value(&model, 0, args, Vec::new());
    match result {
        Ok(object) => {
            let mut ids = Vec::new();
            match collect(evaluator, &object, &mut ids, 0) {
                Ok(()) => run.outputs = Some(ids),
                Err(reason) => note(evaluator, reason, "forward"),
            }
        }
        Err(reason) => note(evaluator, reason, "forward"),
    }
    run
}

fn note(evaluator: &mut Evaluator<'_>, reason: Reason, what: &str) {
    if let Reason::New(text) = reason {
        evaluator.record(what, evaluator.line, &text);
    }
}

/// The items that a module-level function returns; none without the function.
fn returned(evaluator: &mut Evaluator<'_>, function: &'static str) -> Option<Vec<Object>> {
    let Some(returned) = evaluator.call_global(function) else {
        evaluator.record(function, None, "no such function in the module");
        return None;
    };
    let items = evaluator.items_of(&returned.value);
    if items.is_none() && !matches!(returned.value, Object::Unknown(_)) {
        evaluator.record(function, None, "returns neither a list nor a tuple");
    }
    items
}

/// The tensors in a value, in order.
fn collect(
    evaluator: &mut Evaluator<'_>,
    object: &Object,
    ids: &mut Vec<ArrayId>,
    depth: usize,
) -> Result<(), Reason> {
    evaluator.charge(1)?;
    if depth > MAX_OUTPUT_DEPTH {
        return Err("nested too deep".into());
    }
    match object {
        Object::Array(id) => ids.push(*id),
        Object::Tuple(_) | Object::List(_) => {
            for item in evaluator.iterate(object)? {
                collect(evaluator, &item, ids, depth + 1)?;
            }
        }
        Object::Dict(id) => {
            for (_, value) in evaluator.heap.pairs(*id)?.to_vec() {
                collect(evaluator, &value, ids, depth + 1)?;
            }
        }
        Object::Unknown(unknown) => return Err(Reason::From(unknown.clone())),
        Object::None | Object::Bool(_) | Object::Int(..) | Object::Float(_) | Object::Str(_) => {}
        other => return Err(format!("{} is no tensor", other.type_name()).into()),
    }
    Ok(())
}

fn add_parameter(parameters: &mut Parameters, array: &Array, live: &liveness::Liveness) {
    let count = u64::try_from(array.elements()).unwrap_or(0);
    let bytes = array.bytes();
    let add = |sum: &mut u64, value: u64| *sum = sum.saturating_add(value);
    parameters.tensors += 1;
    add(&mut parameters.count, count);
    add(&mut parameters.bytes, bytes);
    if live.used.contains(&array.storage) {
        add(&mut parameters.used_count, count);
        add(&mut parameters.used_bytes, bytes);
    }
    if live.held.contains(&array.storage) {
        add(&mut parameters.live_count, count);
        add(&mut parameters.live_bytes, bytes);
    }
}

fn traffic(trace: &Trace, inputs: &[Array], live: &liveness::Liveness) -> Traffic {
    let mut traffic = Traffic::default();
    let mut seen = BTreeSet::new();
    let all = liveness::touched(trace, None);
    let alive = liveness::touched(trace, Some(&live.steps));
    for array in inputs {
        let width = array.dtype.width_bytes();
        let touched = all.get(&array.storage).copied().unwrap_or(0);
        traffic.elems_touched.push(touched.min(array.distinct()));
        // The same storage passed twice counts once.
        if seen.insert(array.storage) {
            let needed = alive.get(&array.storage).copied().unwrap_or(0);
            let bytes = |elements: u64| elements.saturating_mul(width);
            traffic.bytes = traffic.bytes.saturating_add(array.bytes());
            traffic.touched_bytes = traffic.touched_bytes.saturating_add(bytes(touched));
            traffic.live_bytes = traffic.live_bytes.saturating_add(bytes(needed));
        }
    }
    traffic
}

fn steps(trace: &Trace, live: &[bool]) -> Vec<Step> {
    let bytes = |storage: usize, elements: u64| {
        let width = trace
            .storages
            .get(storage)
            .map_or(0, |storage| storage.dtype.width_bytes());
        elements.saturating_mul(width)
    };
    let steps = trace.steps.iter().zip(live);
    steps
        .map(|(step, is_live)| {
            let mut seen: Vec<(usize, u64)> = Vec::new();
            for read in &step.reads {
                match seen.iter_mut().find(|known| known.0 == read.storage) {
                    // The same storage through several views: at least the largest.
                    Some(known) => known.1 = known.1.max(read.elements),
                    None => seen.push((read.storage, read.elements)),
                }
            }
            let read_bytes = seen
                .iter()
                .fold(0_u64, |sum, read| sum.saturating_add(bytes(read.0, read.1)));
            let written_bytes = step.writes.iter().fold(0_u64, |sum, write| {
                sum.saturating_add(bytes(write.0, write.1))
            });
            Step {
                op: step.op.clone(),
                line: step.line,
                read_bytes,
                written_bytes,
                counted: step.counted,
                needed: if *is_live { step.needed } else { 0 },
                dtype: step.dtype.short_name().to_owned(),
            }
        })
        .collect()
}

/// `None` when a total doesn't fit.
fn matrix(trace: &Trace, live: &[bool]) -> Option<Matrix> {
    let mut matrix = Matrix::default();
    for (step, is_live) in trace.steps.iter().zip(live) {
        if step.counted == 0 {
            continue;
        }
        let needed = if *is_live { step.needed } else { 0 };
        matrix.counted = matrix.counted.checked_add(step.counted)?;
        matrix.needed = matrix.needed.checked_add(needed)?;
        for work in [
            matrix
                .by_op
                .entry(step.op.clone())
                .or_insert_with(Work::default),
            matrix
                .by_dtype
                .entry(step.dtype.short_name().to_owned())
                .or_insert_with(Work::default),
        ] {
            work.calls += 1;
            work.counted += step.counted;
            work.needed += needed;
        }
    }
    Some(matrix)
}
