//! `einops`: `rearrange`, `reduce` and `repeat` by a pattern of axes.

use std::collections::BTreeMap;

use super::{Entry, Made, Op, op};
use crate::eval::{Object, Outcome, Reason};
use crate::tensor::{Array, view_strides};
use crate::trace::Kind;

pub(super) const TABLE: &[Entry] = &[
    op("r", "einops.rearrange", "tensor pattern **sizes", rearrange),
    op("r", "einops.repeat", "tensor pattern **sizes", rearrange),
    op(
        "r",
        "einops.reduce",
        "tensor pattern reduction **sizes",
        rearrange,
    ),
];

/// One side of a pattern: groups of axes in brackets, or single axes.
fn side(text: &str) -> Result<Vec<Vec<String>>, Reason> {
    let spaced = text
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace("...", " … ");
    let mut groups: Vec<Vec<String>> = Vec::new();
    let mut is_open = false;
    for word in spaced.split_whitespace() {
        match word {
            "(" if !is_open => {
                groups.push(Vec::new());
                is_open = true;
            }
            ")" if is_open => is_open = false,
            "(" | ")" => return Err("the pattern's brackets don't match".into()),
            axis if is_open => {
                if let Some(group) = groups.last_mut() {
                    group.push(axis.to_owned());
                }
            }
            axis => groups.push(vec![axis.to_owned()]),
        }
    }
    if is_open {
        return Err("the pattern's brackets don't match".into());
    }
    Ok(groups)
}

fn rearrange(op: &mut Op<'_, '_>) -> Outcome {
    let input = match op.arg("tensor").clone() {
        list @ (Object::List(_) | Object::Tuple(_)) => {
            let stacked = op.call("torch.stack", vec![list], Vec::new())?;
            op.array_in(&stacked)?
        }
        one => op.array_in(&one)?,
    };
    let pattern = op.text("pattern")?;
    let (from, to) = pattern.split_once("->").ok_or("the pattern has no `->`")?;
    let (mut from, mut to) = (side(from)?, side(to)?);
    expand_dots(&mut from, input.dims())?;
    let dots = input
        .dims()
        .saturating_sub(from.len() - from.iter().filter(|g| is_dots(g)).count());
    expand_dots_to(&mut to, dots);
    let mut sizes: BTreeMap<String, i64> = BTreeMap::new();
    for (name, value) in op.args.values.clone() {
        if name != "tensor" && name != "pattern" && name != "reduction" {
            sizes.insert(name.to_owned(), op.int_in(&value)?);
        }
    }
    for (name, value) in op.args.named.clone() {
        let value = op.int_in(&value)?;
        sizes.insert(name, value);
    }
    if from.len() != input.dims() {
        return Err("the pattern doesn't fit the dimensions".into());
    }
    // Split every group.
    let mut names: Vec<String> = Vec::new();
    let mut split: Vec<i64> = Vec::new();
    for (group, &size) in from.iter().zip(&input.shape) {
        let mut known = 1_i64;
        let mut open = None;
        for axis in group {
            match sizes.get(axis).copied().or_else(|| axis.parse().ok()) {
                Some(size) => known = known.checked_mul(size).ok_or("a size doesn't fit")?,
                None if open.is_none() => open = Some(axis.clone()),
                None => return Err("the pattern leaves two sizes open".into()),
            }
        }
        match open {
            Some(axis) if known > 0 && size % known == 0 => {
                sizes.insert(axis, size / known);
            }
            None if known == size => {}
            _ => return Err("the pattern's sizes don't fit".into()),
        }
        for axis in group {
            let size = sizes
                .get(axis)
                .copied()
                .or_else(|| axis.parse().ok())
                .unwrap_or(1);
            names.push(axis.clone());
            split.push(size);
        }
    }
    let strides = view_strides(&input, &split);
    let mut current = match strides {
        Some(strides) => {
            let view = op
                .evaluator
                .view(&input, split.clone(), strides, input.offset)?;
            op.array_in(&view)?
        }
        None => copied(op, &input, split.clone())?,
    };
    let wanted: Vec<String> = to.iter().flatten().cloned().collect();
    // What the result doesn't have is reduced; `1` on either side is no axis.
    let gone: Vec<usize> = (0..names.len())
        .filter(|&at| !wanted.contains(&names[at]) && names[at] != "1")
        .collect();
    if !gone.is_empty() {
        if op.name != "reduce" {
            return Err("the pattern drops an axis".into());
        }
        let shape = super::reduce::reduced(&current.shape, &gone, true);
        let kind = if matches!(op.text("reduction")?.as_ref(), "sum" | "mean") {
            Kind::Reduction
        } else {
            Kind::Extreme
        };
        let name = op.text("reduction")?;
        let made = op.made(Made::plain(&name, &[&current], shape, current.dtype).kind(kind))?;
        current = op.array_in(&made)?;
    }
    let (mut shape, mut strides) = (Vec::new(), Vec::new());
    let mut grouped: Vec<i64> = Vec::new();
    for group in &to {
        let mut total = 1_i64;
        for axis in group {
            let (size, stride) =
                if let Some(at) = names.iter().position(|own| own == axis && axis != "1") {
                    (current.shape[at], current.strides[at])
                } else {
                    let size = sizes.get(axis).copied().or_else(|| axis.parse().ok());
                    let size = size.ok_or("the pattern has an axis without a size")?;
                    (size, 0)
                };
            shape.push(size);
            strides.push(stride);
            total = total.checked_mul(size).ok_or("a size doesn't fit")?;
        }
        grouped.push(total);
    }
    let view = op
        .evaluator
        .view(&current, shape, strides, current.offset)?;
    let view = op.array_in(&view)?;
    if let Some(strides) = view_strides(&view, &grouped) {
        return op.evaluator.view(&view, grouped, strides, view.offset);
    }
    let copy = copied(op, &view, grouped)?;
    Ok(Object::Array(op.evaluator.heap.array(copy)))
}

fn copied(op: &mut Op<'_, '_>, array: &Array, shape: Vec<i64>) -> Result<Array, Reason> {
    let made = op.made(Made::plain("clone", &[array], shape, array.dtype).kind(Kind::Linear))?;
    op.array_in(&made)
}

fn is_dots(group: &[String]) -> bool {
    group.iter().any(|axis| axis.starts_with('…'))
}

fn expand_dots(groups: &mut Vec<Vec<String>>, dims: usize) -> Result<(), Reason> {
    if let Some(at) = groups.iter().position(|group| is_dots(group)) {
        if groups[at].len() != 1 {
            return Err("`...` in brackets on the left has no rule".into());
        }
        let count = (dims + 1)
            .checked_sub(groups.len())
            .ok_or("the pattern doesn't fit the dimensions")?;
        groups.splice(at..=at, (0..count).map(|n| vec![format!("…{n}")]));
    }
    Ok(())
}

fn expand_dots_to(groups: &mut Vec<Vec<String>>, dots: usize) {
    let mut expanded: Vec<Vec<String>> = Vec::new();
    for group in groups.drain(..) {
        if group == ["…"] {
            expanded.extend((0..dots).map(|n| vec![format!("…{n}")]));
            continue;
        }
        let mut axes = Vec::new();
        for axis in group {
            if axis == "…" {
                axes.extend((0..dots).map(|n| format!("…{n}")));
            } else {
                axes.push(axis);
            }
        }
        expanded.push(axes);
    }
    *groups = expanded;
}
