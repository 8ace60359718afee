//! Python's arithmetic on numbers. An integer that leaves 64 bits has no value here:
//! Python's would go on exactly.

use std::cmp::Ordering;

use ruff_python_ast::{Operator, UnaryOp};

use super::{Object, Outcome, Reason};

/// Order of two numbers or strings.
pub(super) fn order(left: &Object, right: &Object) -> Result<Ordering, Reason> {
    if let (Some(a), Some(b)) = (left.as_int(), right.as_int()) {
        return Ok(a.cmp(&b));
    }
    if let (Some(a), Some(b)) = (left.as_float(), right.as_float()) {
        return a.partial_cmp(&b).ok_or_else(|| "not a number".into());
    }
    match (left, right) {
        (Object::Str(a), Object::Str(b)) => Ok(a.cmp(b)),
        _ => Err("the order of such values has no rule".into()),
    }
}

/// `op operand` on a number.
pub(super) fn unary(op: UnaryOp, operand: &Object) -> Outcome {
    if let Some(value) = operand.as_int() {
        let result = match op {
            UnaryOp::USub => value.checked_neg(),
            UnaryOp::UAdd => Some(value),
            UnaryOp::Invert => Some(!value),
            UnaryOp::Not => Some(i64::from(value == 0)),
        };
        return result.map(Object::int).ok_or_else(overflow);
    }
    match (op, operand) {
        (UnaryOp::USub, Object::Float(value)) => Ok(Object::Float(-value)),
        (UnaryOp::UAdd, Object::Float(value)) => Ok(Object::Float(*value)),
        _ => Err(format!("`{}` on {} has no rule", op.as_str(), operand.type_name()).into()),
    }
}

fn overflow() -> Reason {
    "the integer doesn't fit 64 bits".into()
}

/// `left op right` on two numbers.
pub(super) fn numbers(op: Operator, left: &Object, right: &Object) -> Outcome {
    if let (Some(a), Some(b)) = (left.as_int(), right.as_int()) {
        return integers(op, a, b);
    }
    let (Some(a), Some(b)) = (left.as_float(), right.as_float()) else {
        let (left, right) = (left.type_name(), right.type_name());
        return Err(format!("`{}` on {left} and {right} has no rule", op.as_str()).into());
    };
    if b == 0.0 && matches!(op, Operator::Div | Operator::FloorDiv | Operator::Mod) {
        return Err("division by zero".into());
    }
    Ok(Object::Float(match op {
        Operator::Add => a + b,
        Operator::Sub => a - b,
        Operator::Mult => a * b,
        Operator::Div => a / b,
        Operator::FloorDiv => (a / b).floor(),
        Operator::Mod => {
            let rest = a % b;
            if rest != 0.0 && (rest < 0.0) != (b < 0.0) {
                rest + b
            } else {
                rest
            }
        }
        Operator::Pow if a >= 0.0 => a.powf(b),
        _ => return Err(format!("`{}` on floats has no rule", op.as_str()).into()),
    }))
}

fn integers(op: Operator, a: i64, b: i64) -> Outcome {
    let small = u32::try_from(b).ok();
    let result = match op {
        Operator::Add => a.checked_add(b),
        Operator::Sub => a.checked_sub(b),
        Operator::Mult => a.checked_mul(b),
        Operator::Div | Operator::FloorDiv | Operator::Mod if b == 0 => {
            return Err("division by zero".into());
        }
        Operator::Div => return Ok(Object::Float(a as f64 / b as f64)),
        Operator::FloorDiv => floor_div(a, b),
        // The remainder has the divisor's sign.
        Operator::Mod => floor_div(a, b).and_then(|q| a.checked_sub(q.checked_mul(b)?)),
        Operator::Pow if b < 0 => {
            return if a == 0 {
                Err("division by zero".into())
            } else {
                Ok(Object::Float((a as f64).powf(b as f64)))
            };
        }
        Operator::Pow => small.and_then(|b| a.checked_pow(b)),
        Operator::LShift => small
            .filter(|&b| b < 63)
            .and_then(|b| a.checked_mul(1_i64 << b)),
        Operator::RShift if b < 0 => return Err("a negative shift".into()),
        Operator::RShift => Some(a >> b.min(63)),
        Operator::BitOr => Some(a | b),
        Operator::BitXor => Some(a ^ b),
        Operator::BitAnd => Some(a & b),
        Operator::MatMult => return Err("`@` on integers has no rule".into()),
    };
    result.map(Object::int).ok_or_else(overflow)
}

/// Division rounded down, as `//` does; `None` on division by zero or overflow.
pub(super) fn floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) {
        quotient - 1
    } else {
        quotient
    })
}

/// Number of items of a range.
pub(super) fn range_len(start: i64, end: i64, step: i64) -> usize {
    let (start, end, step) = (i128::from(start), i128::from(end), i128::from(step));
    let span = if step > 0 { end - start } else { start - end };
    if span <= 0 || step == 0 {
        return 0;
    }
    usize::try_from((span + step.abs() - 1) / step.abs()).unwrap_or(usize::MAX)
}

/// The positions that `[lower:upper:step]` picks of a sequence.
pub(crate) fn python_slice(
    len: usize,
    lower: Option<i64>,
    upper: Option<i64>,
    step: i64,
) -> Result<Vec<usize>, Reason> {
    if step == 0 {
        return Err("a slice step of zero".into());
    }
    let len = i64::try_from(len).unwrap_or(i64::MAX);
    let clamp = |bound: i64, low: i64, high: i64| {
        let bound = if bound < 0 {
            bound.saturating_add(len)
        } else {
            bound
        };
        bound.clamp(low, high)
    };
    let (start, end) = if step > 0 {
        (
            lower.map_or(0, |bound| clamp(bound, 0, len)),
            upper.map_or(len, |bound| clamp(bound, 0, len)),
        )
    } else {
        (
            lower.map_or(len - 1, |bound| clamp(bound, -1, len - 1)),
            upper.map_or(-1, |bound| clamp(bound, -1, len - 1)),
        )
    };
    let picked = (0..range_len(start, end, step)).scan(start, |at, _| {
        let here = *at;
        *at = at.saturating_add(step);
        usize::try_from(here).ok()
    });
    Ok(picked.collect())
}

/// One string of single-character strings.
pub(super) fn join(characters: &[Object]) -> Object {
    let text: String = characters
        .iter()
        .filter_map(|character| match character {
            Object::Str(text) => Some(&**text),
            _ => None,
        })
        .collect();
    Object::str(text)
}

/// `str(value)` of what has one spelling only.
pub(super) fn to_text(value: &Object) -> Option<String> {
    match value {
        Object::Str(text) => Some(text.to_string()),
        Object::Int(value, _) => Some(value.to_string()),
        Object::Bool(value) => Some(if *value { "True" } else { "False" }.to_owned()),
        Object::None => Some("None".to_owned()),
        _ => None,
    }
}

/// Constants of the standard library.
pub(super) fn constant(path: &str) -> Option<Object> {
    Some(Object::Float(match path {
        "math.pi" | "numpy.pi" | "torch.pi" => std::f64::consts::PI,
        "math.e" | "numpy.e" | "torch.e" => std::f64::consts::E,
        "math.tau" => std::f64::consts::TAU,
        "math.inf" | "numpy.inf" | "torch.inf" => f64::INFINITY,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_divide_as_in_python() {
        let cases = [
            (7, 2, 3, 1),
            (-7, 2, -4, 1),
            (7, -2, -4, -1),
            (-7, -2, 3, -1),
        ];
        for (a, b, quotient, rest) in cases {
            assert_eq!(floor_div(a, b), Some(quotient));
            let found = integers(Operator::Mod, a, b).unwrap();
            assert_eq!(found.as_int(), Some(rest), "{a} % {b}");
        }
        assert!(integers(Operator::FloorDiv, i64::MIN, -1).is_err());
        assert!(integers(Operator::Pow, 10, 19).is_err());
        assert!(integers(Operator::LShift, 1, 63).is_err());
    }

    #[test]
    fn slices_pick_as_in_python() {
        type Case<'a> = (Option<i64>, Option<i64>, i64, &'a [usize]);
        let cases: &[Case<'_>] = &[
            (None, None, 1, &[0, 1, 2, 3, 4]),
            (Some(1), Some(-1), 1, &[1, 2, 3]),
            (None, None, -2, &[4, 2, 0]),
            (Some(-100), Some(100), 3, &[0, 3]),
            (Some(3), Some(1), 1, &[]),
        ];
        for (lower, upper, step, expected) in cases {
            assert_eq!(&python_slice(5, *lower, *upper, *step).unwrap(), expected);
        }
        assert!(python_slice(5, None, None, 0).is_err());
    }

    #[test]
    fn ranges_count_without_overflow() {
        assert_eq!(range_len(0, 10, 3), 4);
        assert_eq!(range_len(10, 0, -3), 4);
        assert_eq!(range_len(5, 5, 1), 0);
        assert_eq!(
            range_len(i64::MIN, i64::MAX, 1),
            usize::try_from(u64::MAX).unwrap()
        );
    }
}
