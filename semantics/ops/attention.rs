//! Scaled dot-product attention, and multi-head attention built on it.
//!
//! Counted: `2·B·H·Sq·Sk·(D + Dv)`, masked pairs included. Needed with `is_causal`:
//! `Σ min(Sk, q + 1)` pairs.

use super::{Entry, Made, Op, broadcast, op, product};
use crate::eval::{Evaluator, Object, Outcome, Reason};
use crate::tensor::{Array, Structure};
use crate::trace::Kind;

pub(super) const TABLE: &[Entry] = &[op(
    "f",
    "scaled_dot_product_attention",
    "query key value attn_mask=None dropout_p=0.0 is_causal=False scale=None enable_gqa=False",
    attention,
)];

/// Pairs of a query and a key that a causal mask leaves, aligned at the first of both.
fn causal_pairs(queries: i64, keys: i64) -> Option<i64> {
    let full = queries.min(keys);
    let triangle = full.checked_mul(full.checked_add(1)?)? / 2;
    triangle.checked_add((queries - full).checked_mul(keys)?)
}

fn attention(op: &mut Op<'_, '_>) -> Outcome {
    let (query, key, value) = (op.array("query")?, op.array("key")?, op.array("value")?);
    let mask = op.opt_array("attn_mask")?;
    let is_causal = op.bool("is_causal")?;
    let grouped = op.bool("enable_gqa")?;
    attend(
        op.evaluator,
        [&query, &key, &value],
        mask.as_ref(),
        is_causal,
        grouped,
    )
}

/// One attention over the last two dimensions.
pub(crate) fn attend(
    evaluator: &mut Evaluator<'_>,
    [query, key, value]: [&Array; 3],
    mask: Option<&Array>,
    is_causal: bool,
    grouped: bool,
) -> Outcome {
    if query.dims() < 2 || key.dims() < 2 || value.dims() < 2 {
        return Err("attention needs two dimensions".into());
    }
    let (queries, keys) = (query.size_at_end(2), key.size_at_end(2));
    let (depth, width) = (query.size_at_end(1), value.size_at_end(1));
    if key.size_at_end(1) != depth || value.size_at_end(2) != keys {
        return Err("query, key and value don't fit".into());
    }
    let lead = |array: &Array| array.shape[..array.dims() - 2].to_vec();
    let mut leading = lead(query);
    if grouped {
        // Heads of queries share those of keys.
        let (heads, shared) = (query.size_at_end(3), key.size_at_end(3));
        if shared < 1 || heads % shared != 0 {
            return Err("the heads don't divide".into());
        }
    } else {
        leading = broadcast(&[&leading, &lead(key), &lead(value)])?;
    }
    let batch: i64 =
        i64::try_from(product(&leading)?).map_err(|_| Reason::from("too many products"))?;
    let columns = depth
        .checked_add(width)
        .ok_or("the work doesn't fit 64 bits")?;
    let counted = product(&[2, batch, queries, keys, columns])?;
    let masked = is_causal || mask.is_some_and(|mask| mask.structure == Some(Structure::Lower));
    let needed = if masked {
        let line = evaluator.line;
        evaluator.trace.flag(
            "structure-known",
            line,
            "a causal mask: pairs of a query and a later key need no work".to_owned(),
        );
        let pairs = causal_pairs(queries, keys).ok_or("the work doesn't fit 64 bits")?;
        product(&[2, batch, pairs, columns])?
    } else {
        counted
    };
    let mut shape = leading;
    shape.extend([queries, width]);
    let mut reads = vec![query, key, value];
    reads.extend(mask);
    let made = Made::plain("scaled_dot_product_attention", &reads, shape, query.dtype)
        .work(counted, needed)
        .kind(Kind::Other);
    let ids = evaluator.make(made)?;
    ids.first()
        .map(|id| Object::Array(*id))
        .ok_or_else(|| "the operation gives nothing".into())
}

#[cfg(test)]
mod tests {
    use super::causal_pairs;

    #[test]
    fn causal_pairs_are_half_and_the_diagonal() {
        assert_eq!(causal_pairs(4_096, 4_096), Some(4_096 * 4_097 / 2));
        assert_eq!(causal_pairs(2, 4), Some(3));
        assert_eq!(causal_pairs(4, 2), Some(7));
    }
}
