//! `torch.einsum`, contracted from left to right as PyTorch does without an optimiser:
//! each pair is one batched product over the letters that no later operand and not the
//! result has; without such letters it is a multiplication.

use std::collections::BTreeMap;

use super::{Entry, Made, Op, op, product};
use crate::eval::{Object, Outcome, Reason};
use crate::tensor::Array;
use crate::trace::Kind;

pub(super) const TABLE: &[Entry] = &[op("t", "einsum", "equation *operands", einsum)];

/// Letters of an operand; `...` stands for letters counted from its end.
type Letters = Vec<Letter>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Letter {
    Dots(usize),
    Named(char),
}

/// An operand on the way: its tensor, and the size of each letter it still has.
struct Operand {
    array: Array,
    letters: Letters,
}

fn letters(text: &str, dims: Option<usize>, dots: usize) -> Result<Letters, Reason> {
    let (before, after) = match text.split_once("...") {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    };
    let named = |text: &str| -> Result<Letters, Reason> {
        text.chars()
            .map(|c| {
                if c.is_ascii_alphabetic() {
                    Ok(Letter::Named(c))
                } else {
                    Err(Reason::from("the equation has no rule"))
                }
            })
            .collect()
    };
    let mut found = named(before)?;
    if let Some(after) = after {
        let after = named(after)?;
        let count = match dims {
            Some(dims) => dims
                .checked_sub(found.len() + after.len())
                .ok_or("the equation has more letters than dimensions")?,
            None => dots,
        };
        found.extend((0..count).rev().map(Letter::Dots));
        found.extend(after);
    }
    if dims.is_some_and(|dims| dims != found.len()) {
        return Err("the equation's letters don't fit the dimensions".into());
    }
    Ok(found)
}

fn einsum(op: &mut Op<'_, '_>) -> Outcome {
    let equation: String = op
        .text("equation")?
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
    let mut items = op.args.rest.clone();
    if let [only @ (Object::Tuple(_) | Object::List(_))] = &items[..] {
        items = op.evaluator.iterate(only)?;
    }
    let arrays: Vec<Array> = items
        .iter()
        .map(|item| op.array_in(item))
        .collect::<Result<_, _>>()?;
    let (inputs, output) = match equation.split_once("->") {
        Some((inputs, output)) => (inputs, Some(output)),
        None => (&equation[..], None),
    };
    let inputs: Vec<&str> = inputs.split(',').collect();
    if inputs.len() != arrays.len() {
        return Err("the equation has another number of operands".into());
    }
    let mut operands = Vec::new();
    let mut sizes: BTreeMap<Letter, i64> = BTreeMap::new();
    for (text, array) in inputs.iter().zip(arrays) {
        let letters = letters(text, Some(array.dims()), 0)?;
        for (letter, &size) in letters.iter().zip(&array.shape) {
            let known = sizes.entry(*letter).or_insert(size);
            if *known == 1 {
                *known = size;
            } else if size != 1 && *known != size {
                return Err("a letter has two sizes".into());
            }
        }
        operands.push(Operand { array, letters });
    }
    let dots = sizes
        .keys()
        .filter(|letter| matches!(letter, Letter::Dots(_)))
        .count();
    let output = if let Some(output) = output {
        letters(output, None, dots)?
    } else {
        // In alphabetical order, what occurs once.
        let mut counts: BTreeMap<Letter, usize> = BTreeMap::new();
        for letter in operands.iter().flat_map(|operand| &operand.letters) {
            *counts.entry(*letter).or_default() += 1;
        }
        let mut output: Letters = (0..dots).rev().map(Letter::Dots).collect();
        let once = counts
            .iter()
            .filter(|(letter, count)| **count == 1 && matches!(letter, Letter::Named(_)));
        output.extend(once.map(|(letter, _)| *letter));
        output
    };
    if output.iter().any(|letter| !sizes.contains_key(letter)) {
        return Err("the result has a letter of its own".into());
    }
    contract(op, operands, &output, &sizes)
}

fn contract(
    op: &mut Op<'_, '_>,
    operands: Vec<Operand>,
    output: &Letters,
    sizes: &BTreeMap<Letter, i64>,
) -> Outcome {
    let mut rest = operands.into_iter().map(|operand| diagonal(op, operand));
    let mut left = rest.next().ok_or("of nothing")??;
    let mut rest: Vec<Operand> = rest.collect::<Result<_, _>>()?;
    while !rest.is_empty() {
        let right = rest.remove(0);
        let later = |letter: &Letter| {
            output.contains(letter) || rest.iter().any(|operand| operand.letters.contains(letter))
        };
        left = pair(op, left, right, later, sizes)?;
    }
    let gone: Letters = left
        .letters
        .iter()
        .copied()
        .filter(|letter| !output.contains(letter))
        .collect();
    if !gone.is_empty() {
        left = summed(op, &left, &gone)?;
    }
    let shape: Vec<i64> = output
        .iter()
        .map(|letter| sizes.get(letter).copied().unwrap_or(1))
        .collect();
    let order: Option<Vec<usize>> = output
        .iter()
        .map(|letter| left.letters.iter().position(|own| own == letter))
        .collect();
    let order = order.ok_or("the result's letters have no rule")?;
    let strides = order.iter().map(|&at| left.array.strides[at]).collect();
    op.evaluator
        .view(&left.array, shape, strides, left.array.offset)
}

/// A letter that one operand has twice is its diagonal.
fn diagonal(op: &mut Op<'_, '_>, operand: Operand) -> Result<Operand, Reason> {
    let (mut shape, mut strides) = (Vec::new(), Vec::new());
    let mut letters: Letters = Vec::new();
    for (at, letter) in operand.letters.iter().enumerate() {
        if let Some(known) = letters.iter().position(|own| own == letter) {
            let stride: &mut i64 = &mut strides[known];
            *stride = stride.saturating_add(operand.array.strides[at]);
        } else {
            letters.push(*letter);
            shape.push(operand.array.shape[at]);
            strides.push(operand.array.strides[at]);
        }
    }
    if letters.len() == operand.letters.len() {
        return Ok(operand);
    }
    let view = op
        .evaluator
        .view(&operand.array, shape, strides, operand.array.offset)?;
    Ok(Operand {
        array: op.array_in(&view)?,
        letters,
    })
}

fn summed(op: &mut Op<'_, '_>, operand: &Operand, gone: &[Letter]) -> Result<Operand, Reason> {
    let (mut shape, mut letters) = (Vec::new(), Vec::new());
    for (letter, &size) in operand.letters.iter().zip(&operand.array.shape) {
        if !gone.contains(letter) {
            letters.push(*letter);
            shape.push(size);
        }
    }
    let dtype = operand.array.dtype;
    let reads = [&operand.array];
    let made = Made::plain("sum", &reads, shape, dtype).kind(Kind::Reduction);
    let result = op.made(made)?;
    Ok(Operand {
        array: op.array_in(&result)?,
        letters,
    })
}

fn pair(
    op: &mut Op<'_, '_>,
    left: Operand,
    right: Operand,
    later: impl Fn(&Letter) -> bool,
    sizes: &BTreeMap<Letter, i64>,
) -> Result<Operand, Reason> {
    // What only one of them has and nobody needs is summed first.
    let only = |own: &Operand, other: &Operand| -> Letters {
        let letters = own.letters.iter().zip(&own.array.shape);
        letters
            .filter(|(letter, size)| {
                !later(letter)
                    && (!other.letters.contains(letter) || other.size(**letter) == 1)
                    && **size != 1
            })
            .map(|(letter, _)| *letter)
            .collect()
    };
    let (of_left, of_right) = (only(&left, &right), only(&right, &left));
    let left = if of_left.is_empty() {
        left
    } else {
        summed(op, &left, &of_left)?
    };
    let right = if of_right.is_empty() {
        right
    } else {
        summed(op, &right, &of_right)?
    };

    let mut all = left.letters.clone();
    all.extend(
        right
            .letters
            .iter()
            .filter(|letter| !left.letters.contains(letter)),
    );
    let (mut batch, mut rows, mut columns, mut inner) = (1_i64, 1_i64, 1_i64, 1_i64);
    let mut contracts = false;
    let mut letters = Vec::new();
    let mut shape = Vec::new();
    for letter in all {
        let (a, b) = (left.size(letter), right.size(letter));
        let size = a.max(b);
        let times = |factor: &mut i64| -> Result<(), Reason> {
            *factor = factor
                .checked_mul(size)
                .ok_or("the work doesn't fit 64 bits")?;
            Ok(())
        };
        if !later(&letter) {
            // Both have it, or what is left of it is one.
            contracts |= left.letters.contains(&letter) && right.letters.contains(&letter);
            times(&mut inner)?;
            continue;
        }
        match (a != 1, b != 1) {
            (true, true) => times(&mut batch)?,
            (true, false) => times(&mut rows)?,
            _ => times(&mut columns)?,
        }
        letters.push(letter);
        shape.push(size.max(sizes.get(&letter).copied().unwrap_or(1).min(size)));
    }
    let reads = [&left.array, &right.array];
    let dtype = left.array.dtype;
    if left.array.dtype != right.array.dtype {
        return Err("the operands differ in dtype".into());
    }
    let made = if contracts {
        let work = product(&[2, batch, rows, columns, inner])?;
        Made::plain("bmm", &reads, shape, dtype).work(work, work)
    } else {
        Made::plain("mul", &reads, shape, dtype)
    };
    let result = op.made(made)?;
    Ok(Operand {
        array: op.array_in(&result)?,
        letters,
    })
}

impl Operand {
    /// Size of a letter; one without it.
    fn size(&self, letter: Letter) -> i64 {
        let at = self.letters.iter().position(|own| *own == letter);
        at.and_then(|at| self.array.shape.get(at))
            .copied()
            .unwrap_or(1)
    }
}
