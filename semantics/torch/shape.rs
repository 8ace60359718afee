//! Operations that move dimensions around and keep the elements.

use std::rc::Rc;
use std::sync::Arc;

use super::{checked, dimension, size_of, tensor_of};
use crate::eval::{Call, Object, Outcome, Reason, Rule};
use crate::value::{Dim, Tensor};

pub(super) const RULES: &[Rule] = &[
    Rule {
        names: &["Tensor.size"],
        apply: size,
    },
    Rule {
        names: &["Tensor.dim", "Tensor.ndimension"],
        apply: dim,
    },
    Rule {
        names: &["Tensor.numel", "Tensor.nelement", "torch.numel"],
        apply: numel,
    },
    Rule {
        names: &["Tensor.transpose", "torch.transpose"],
        apply: transpose,
    },
    Rule {
        names: &["Tensor.t", "torch.t"],
        apply: t,
    },
    Rule {
        names: &["Tensor.permute", "torch.permute"],
        apply: permute,
    },
    Rule {
        names: &["Tensor.view", "Tensor.reshape", "torch.reshape"],
        apply: reshape,
    },
    Rule {
        names: &["Tensor.unsqueeze", "torch.unsqueeze"],
        apply: unsqueeze,
    },
    Rule {
        names: &["Tensor.squeeze", "torch.squeeze"],
        apply: squeeze,
    },
    Rule {
        names: &["torch.stack"],
        apply: stack,
    },
    Rule {
        names: &["torch.cat", "torch.concat"],
        apply: cat,
    },
];

fn with_shape(tensor: &Tensor, shape: Vec<Dim>) -> Tensor {
    Tensor {
        shape,
        dtype: tensor.dtype,
        draw: Arc::clone(&tensor.draw),
    }
}

/// `x.T` (all dimensions reversed) and `x.mT` (the last two swapped).
pub(super) fn transposed(tensor: &Tensor, name: &str) -> Option<Tensor> {
    let mut shape = tensor.shape.clone();
    if name == "T" {
        shape.reverse();
    } else {
        let last = shape.len().checked_sub(2)?;
        shape.swap(last, last + 1);
    }
    Some(with_shape(tensor, shape))
}

fn input(call: &mut Call<'_, '_>) -> Result<Rc<Tensor>, Reason> {
    tensor_of(call.need(0, "input")?)
}

fn size(call: &mut Call<'_, '_>) -> Outcome {
    let tensor = input(call)?;
    match call.take(1, "dim")? {
        None => Ok(size_of(&mut call.evaluator.heap, &tensor)),
        Some(dim) => {
            let dim = &tensor.shape[dimension(&dim, tensor.shape.len())?];
            Ok(Object::Int(dim.size, dim.origin.carried()))
        }
    }
}

fn dim(call: &mut Call<'_, '_>) -> Outcome {
    let dims = input(call)?.shape.len();
    Ok(Object::int(i64::try_from(dims).unwrap_or(i64::MAX)))
}

fn numel(call: &mut Call<'_, '_>) -> Outcome {
    let elements = input(call)?.elements();
    elements
        .map(Object::int)
        .ok_or_else(|| "the integer doesn't fit 64 bits".into())
}

fn transpose(call: &mut Call<'_, '_>) -> Outcome {
    let tensor = input(call)?;
    let dims = tensor.shape.len();
    let a = dimension(&call.need(1, "dim0")?, dims)?;
    let b = dimension(&call.need(2, "dim1")?, dims)?;
    let mut shape = tensor.shape.clone();
    shape.swap(a, b);
    checked(with_shape(&tensor, shape))
}

fn t(call: &mut Call<'_, '_>) -> Outcome {
    let tensor = input(call)?;
    if tensor.shape.len() > 2 {
        return Err("more than two dimensions".into());
    }
    let mut shape = tensor.shape.clone();
    shape.reverse();
    checked(with_shape(&tensor, shape))
}

/// Integers given one by one or as one sequence.
fn integers(call: &mut Call<'_, '_>, names: [&str; 2]) -> Result<Vec<Object>, Reason> {
    let mut given = call.rest(1)?;
    for name in names {
        given.extend(call.keyword(name)?);
    }
    if let [only @ (Object::Tuple(_) | Object::List(_))] = &given[..] {
        given = call
            .evaluator
            .items_of(only)
            .ok_or("the size is not static")?;
    }
    Ok(given)
}

fn permute(call: &mut Call<'_, '_>) -> Outcome {
    let tensor = input(call)?;
    let mut order = Vec::new();
    for dim in integers(call, ["dims", "dim"])? {
        order.push(dimension(&dim, tensor.shape.len())?);
    }
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..tensor.shape.len()) {
        return Err("not a permutation of the dimensions".into());
    }
    let shape = order
        .into_iter()
        .map(|at| tensor.shape[at].clone())
        .collect();
    checked(with_shape(&tensor, shape))
}

fn reshape(call: &mut Call<'_, '_>) -> Outcome {
    let tensor = input(call)?;
    let elements = tensor.elements().ok_or("too many elements")?;
    let mut shape = Vec::new();
    let mut inferred = None;
    let mut product = 1_i64;
    for given in integers(call, ["shape", "size"])? {
        if given.as_int() == Some(-1) && inferred.is_none() {
            inferred = Some(shape.len());
            shape.push(Dim::derived(1));
            continue;
        }
        let dim = super::size(&given)?;
        product = product.checked_mul(dim.size).ok_or("too many elements")?;
        shape.push(dim);
    }
    if let Some(at) = inferred {
        if product == 0 || elements % product != 0 {
            return Err("the elements don't fit the shape".into());
        }
        shape[at] = Dim::derived(elements / product);
    } else if product != elements {
        return Err("the elements don't fit the shape".into());
    }
    checked(with_shape(&tensor, shape))
}

fn unsqueeze(call: &mut Call<'_, '_>) -> Outcome {
    let tensor = input(call)?;
    let mut shape = tensor.shape.clone();
    let at = dimension(&call.need(1, "dim")?, shape.len() + 1)?;
    shape.insert(at, Dim::derived(1));
    checked(with_shape(&tensor, shape))
}

fn squeeze(call: &mut Call<'_, '_>) -> Outcome {
    let tensor = input(call)?;
    let mut shape = tensor.shape.clone();
    if let Some(dim) = call.take(1, "dim")? {
        let at = dimension(&dim, shape.len())?;
        if shape[at].size == 1 {
            shape.remove(at);
        }
    } else {
        shape.retain(|dim| dim.size != 1);
    }
    checked(with_shape(&tensor, shape))
}

/// The tensors of a sequence argument.
fn tensors(call: &mut Call<'_, '_>) -> Result<Vec<Rc<Tensor>>, Reason> {
    let given = call.need(0, "tensors")?;
    let items = call
        .evaluator
        .items_of(&given)
        .ok_or("the sequence is not static")?;
    items
        .into_iter()
        .map(|item| match item {
            Object::Unknown(unknown) => Err(unknown.into()),
            item => tensor_of(item),
        })
        .collect()
}

fn stack(call: &mut Call<'_, '_>) -> Outcome {
    let tensors = tensors(call)?;
    let first = tensors.first().ok_or("of nothing")?;
    if tensors
        .iter()
        .any(|other| other.sizes() != first.sizes() || other.dtype != first.dtype)
    {
        return Err("the tensors differ in shape or dtype".into());
    }
    let mut shape = first.shape.clone();
    let dim = call.take(1, "dim")?.unwrap_or(Object::int(0));
    let at = dimension(&dim, shape.len() + 1)?;
    let count = i64::try_from(tensors.len()).unwrap_or(i64::MAX);
    shape.insert(at, Dim::derived(count));
    checked(with_shape(first, shape))
}

fn cat(call: &mut Call<'_, '_>) -> Outcome {
    let tensors = tensors(call)?;
    let first = tensors.first().ok_or("of nothing")?;
    let mut shape = first.shape.clone();
    let dim = call.take(1, "dim")?.unwrap_or(Object::int(0));
    let at = dimension(&dim, shape.len())?;
    let mut total = 0_i64;
    for tensor in &tensors {
        let fits = tensor.dtype == first.dtype
            && tensor.shape.len() == shape.len()
            && (0..shape.len()).all(|d| d == at || tensor.shape[d].size == shape[d].size);
        if !fits {
            return Err("the tensors differ in shape or dtype".into());
        }
        total = total
            .checked_add(tensor.shape[at].size)
            .ok_or("too many elements")?;
    }
    shape[at] = Dim::derived(total);
    checked(with_shape(first, shape))
}
