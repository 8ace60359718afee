//! What the outputs depend on, what is touched, and how much memory is alive at once:
//! read backwards off the steps.

use std::collections::{BTreeMap, BTreeSet};

use crate::region::{Region, joined};
use crate::tensor::Array;
use crate::trace::{Kind, Role, Trace};

/// Longest chain of steps that is walked.
pub(crate) const MAX_CHAIN: usize = 64;

/// Facts about steps and storages after `forward` ended.
pub(crate) struct Liveness {
    /// Whether the outputs depend on a step.
    pub(crate) steps: Vec<bool>,
    /// Storages whose elements from before `forward` the outputs depend on.
    pub(crate) held: BTreeSet<usize>,
    /// Storages that some step reads.
    pub(crate) used: BTreeSet<usize>,
}

/// Follows the outputs back to what they came from.
pub(crate) fn of(trace: &Trace, outputs: &[Array]) -> Liveness {
    let mut live = Liveness {
        steps: vec![false; trace.steps.len()],
        held: BTreeSet::new(),
        used: BTreeSet::new(),
    };
    let mut todo: Vec<(usize, Option<usize>)> = outputs
        .iter()
        .filter_map(|array| {
            let storage = trace.storages.get(array.storage)?;
            Some((array.storage, storage.version))
        })
        .collect();
    while let Some((storage, version)) = todo.pop() {
        let Some(at) = version else {
            live.held.insert(storage);
            continue;
        };
        let Some(is_live) = live.steps.get_mut(at).filter(|is_live| !**is_live) else {
            continue;
        };
        *is_live = true;
        todo.extend(
            trace.steps[at]
                .reads
                .iter()
                .map(|read| (read.storage, read.version)),
        );
    }
    for read in trace.steps.iter().flat_map(|step| &step.reads) {
        if read.elements > 0 {
            live.used.insert(read.storage);
        }
    }
    live
}

/// Elements of each input's storage that steps touch; with `only`, that those steps do.
pub(crate) fn touched(trace: &Trace, only: Option<&[bool]>) -> BTreeMap<usize, u64> {
    let mut regions: BTreeMap<usize, Vec<&Region>> = BTreeMap::new();
    for (at, step) in trace.steps.iter().enumerate() {
        if only.is_some_and(|only| only.get(at) != Some(&true)) {
            continue;
        }
        for read in step.reads.iter().filter(|read| read.elements > 0) {
            if let Some(region) = &read.region {
                regions.entry(read.storage).or_default().push(region);
            }
        }
    }
    let counted = regions.into_iter().filter_map(|(storage, regions)| {
        let known = trace.storages.get(storage)?;
        let total = u64::try_from(known.elements).unwrap_or(0);
        Some((storage, joined(&regions, &known.shape, total)))
    });
    counted.collect()
}

/// Bytes of the largest set of tensors made by steps that is alive at once; a tensor is
/// freed after its last use, outputs are kept.
pub(crate) fn peak_bytes(trace: &Trace, outputs: &[Array]) -> Option<u64> {
    let mut lives: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for (at, step) in trace.steps.iter().enumerate() {
        let reads = step.reads.iter().map(|read| read.storage);
        for storage in reads.chain(step.writes.iter().map(|write| write.0)) {
            let is_made = trace
                .storages
                .get(storage)
                .is_some_and(|storage| storage.role == Role::Made);
            if is_made {
                lives.entry(storage).or_insert((at, at)).1 = at;
            }
        }
    }
    for output in outputs {
        if let Some(life) = lives.get_mut(&output.storage) {
            life.1 = trace.steps.len();
        }
    }
    let mut changes: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
    for (storage, (from, to)) in lives {
        let bytes = bytes_of(trace, storage)?;
        let born = &mut changes.entry(from).or_default().0;
        *born = born.checked_add(bytes)?;
        let gone = &mut changes.entry(to + 1).or_default().1;
        *gone = gone.checked_add(bytes)?;
    }
    let (mut alive, mut peak) = (0_u64, 0_u64);
    for (born, gone) in changes.into_values() {
        alive = alive.checked_sub(gone)?.checked_add(born)?;
        peak = peak.max(alive);
    }
    Some(peak)
}

/// Bytes of a storage.
pub(crate) fn bytes_of(trace: &Trace, storage: usize) -> Option<u64> {
    let storage = trace.storages.get(storage)?;
    u64::try_from(storage.elements)
        .ok()?
        .checked_mul(storage.dtype.width_bytes())
}

/// Steps that read what each step wrote.
pub(crate) fn readers(trace: &Trace) -> Vec<Vec<usize>> {
    let mut readers = vec![Vec::new(); trace.steps.len()];
    for (at, step) in trace.steps.iter().enumerate() {
        for read in &step.reads {
            if let Some(version) = read.version
                && let Some(list) = readers.get_mut(version)
                && list.last() != Some(&at)
            {
                list.push(at);
            }
        }
    }
    readers
}

/// Takes masked pairs off products whose result only a causal mask sees: what it fills
/// need not be computed.
pub(crate) fn mask_products(trace: &mut Trace) {
    let readers = readers(trace);
    for at in 0..trace.steps.len() {
        if trace.steps[at].kind != Kind::Masked {
            continue;
        }
        // Back through what passes elements on, while nobody else looks.
        let mut from = at;
        let mut passed = 0;
        while let Some(version) = trace.steps[from]
            .reads
            .first()
            .and_then(|read| read.version)
        {
            let is_only = readers.get(version).is_some_and(|list| list[..] == [from]);
            if !is_only {
                break;
            }
            from = version;
            passed += 1;
            let step = &trace.steps[from];
            if step.kind != Kind::Linear || passed > MAX_CHAIN {
                break;
            }
        }
        let written = trace.steps[at].writes.first().map(|write| write.0);
        let shape = written
            .and_then(|storage| trace.storages.get(storage))
            .map(|s| s.shape.clone());
        let Some([.., rows, columns]) = shape.as_deref() else {
            continue;
        };
        let step = &trace.steps[from];
        let full = step.writes.first().map(|write| write.1)
            == trace.steps[at].writes.first().map(|write| write.1);
        if step.op == "bmm" && step.kind == Kind::Matrix && rows == columns && *rows > 0 && full {
            let size = u128::from(rows.unsigned_abs());
            let needed = u128::from(step.counted) * (size + 1) / (2 * size);
            trace.steps[from].needed = u64::try_from(needed)
                .unwrap_or(step.counted)
                .min(step.needed);
        }
    }
}
