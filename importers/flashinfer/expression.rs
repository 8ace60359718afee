//! Sizes computed from other sizes: `batch_size * seq_len`, `head_dim // 2`.

use std::collections::BTreeMap;

/// How deep parentheses may nest.
const DEPTH: usize = 32;

/// The value of an expression of whole numbers and named sizes; `None` where a name is
/// unknown, the result is no whole number, or the text is no such expression.
pub(super) fn value(text: &str, sizes: &BTreeMap<String, i64>) -> Option<i64> {
    let mut reader = Reader { rest: text, sizes };
    let value = reader.sum(0)?;
    reader.rest.trim_start().is_empty().then_some(value)
}

struct Reader<'e> {
    rest: &'e str,
    sizes: &'e BTreeMap<String, i64>,
}

impl Reader<'_> {
    /// Takes one of the operators, a longer one before its beginning.
    fn take(&mut self, operators: &[&'static str]) -> Option<&'static str> {
        let rest = self.rest.trim_start();
        let taken = operators.iter().find(|op| rest.starts_with(**op))?;
        self.rest = rest.get(taken.len()..)?;
        Some(taken)
    }

    fn sum(&mut self, depth: usize) -> Option<i64> {
        let mut value = self.product(depth)?;
        while let Some(operator) = self.take(&["+", "-"]) {
            let other = self.product(depth)?;
            value = match operator {
                "+" => value.checked_add(other)?,
                _ => value.checked_sub(other)?,
            };
        }
        Some(value)
    }

    fn product(&mut self, depth: usize) -> Option<i64> {
        let mut value = self.signed(depth)?;
        while let Some(operator) = self.take(&["//", "*", "/", "%"]) {
            let other = self.signed(depth)?;
            // Python's floor and Euclid's agree for divisors above zero, and sizes are.
            value = match operator {
                "*" => value.checked_mul(other)?,
                _ if other <= 0 => return None,
                "//" => value.div_euclid(other),
                "%" => value.rem_euclid(other),
                _ if value % other == 0 => value / other,
                _ => return None,
            };
        }
        Some(value)
    }

    fn signed(&mut self, depth: usize) -> Option<i64> {
        if depth > DEPTH {
            return None;
        }
        match self.take(&["-", "+"]) {
            Some("-") => self.signed(depth + 1)?.checked_neg(),
            Some(_) => self.signed(depth + 1),
            None => self.power(depth),
        }
    }

    fn power(&mut self, depth: usize) -> Option<i64> {
        let base = self.operand(depth)?;
        if self.take(&["**"]).is_none() {
            return Some(base);
        }
        let exponent = self.signed(depth + 1)?;
        base.checked_pow(u32::try_from(exponent).ok()?)
    }

    fn operand(&mut self, depth: usize) -> Option<i64> {
        if self.take(&["("]).is_some() {
            let value = self.sum(depth + 1)?;
            return self.take(&[")"]).map(|_| value);
        }
        let rest = self.rest.trim_start();
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at_checked(length)?;
        self.rest = after;
        match name.as_bytes().first()? {
            b'0'..=b'9' => name.parse().ok(),
            _ => self.sizes.get(name).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_computed_or_unknown() {
        let sizes = BTreeMap::from([("n".to_owned(), 7), ("head_dim".to_owned(), 128)]);
        let cases = [
            ("n", Some(7)),
            ("head_dim // 2", Some(64)),
            ("n // 2 * 2 + n % 2", Some(7)),
            ("2 ** 3 ** 1 - -n", Some(15)),
            ("-(n+1)*2", Some(-16)),
            ("head_dim/4", Some(32)),
            ("n / 2", None),
            ("n // 0", None),
            ("m", None),
            ("n +", None),
            ("(n", None),
            ("n n", None),
            ("2 ** 99", None),
            ("2 ** -1", None),
            ("", None),
            ("é", None),
        ];
        for (text, expected) in cases {
            assert_eq!(value(text, &sizes), expected, "{text}");
        }
        for text in ["(", "-"] {
            assert_eq!(value(&text.repeat(100_000), &sizes), None);
        }
    }
}
