//! Operations of PyTorch on tensors that are followed.
//!
//! A row of a table names an operation: the places it is found in (`t` for `torch`, `f`
//! for `torch.nn.functional`, `m` for methods of tensors, `s` for `torch.special`, `l`
//! for `torch.linalg`, `r` for a full path), its names there, its signature as in
//! Python, and the rule for shape, dtype, matrix work and what is touched. A name of an
//! [`in_place`](Entry::in_place) row with `_` at its end writes its first operand.

mod attention;
mod conv;
mod create;
mod einops;
mod einsum;
mod index;
mod joins;
mod loss;
mod matrix;
mod norm;
mod operators;
mod pieces;
mod pointwise;
mod pool;
mod python;
pub(crate) mod recurrent;
mod reduce;
mod resize;
mod shape;
mod subscript;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::eval::args::{Args, Signature};
use crate::eval::object::ArrayId;
use crate::eval::{Evaluator, Object, Outcome, Reason};
use crate::region::Window;
use crate::tensor::{Array, Structure, contiguous, elements};
use crate::trace::{Kind, Recorded, Role};
use crate::value::DType;
use crate::work::Slide;
pub(crate) use create::stated_values;
pub(crate) use operators::{attribute, binary, compare, in_place, unary};
pub(crate) use subscript::{get_item, length, set_item, unbound};

/// What a row does.
pub(crate) type Apply = for<'e, 'a> fn(&mut Op<'e, 'a>) -> Outcome;

/// A row of a table.
pub(crate) struct Entry {
    spaces: &'static str,
    names: &'static str,
    signature: &'static str,
    apply: Apply,
    /// Whether `name_` is the same, written into the first operand.
    in_place: bool,
}

/// An operation that makes a new tensor or a view.
const fn op(
    spaces: &'static str,
    names: &'static str,
    signature: &'static str,
    apply: Apply,
) -> Entry {
    Entry {
        spaces,
        names,
        signature,
        apply,
        in_place: false,
    }
}

/// An operation that has a form in place.
const fn either(
    spaces: &'static str,
    names: &'static str,
    signature: &'static str,
    apply: Apply,
) -> Entry {
    Entry {
        spaces,
        names,
        signature,
        apply,
        in_place: true,
    }
}

/// A row with its signature read.
pub(crate) struct Found {
    name: &'static str,
    pub(crate) signature: Signature,
    apply: Apply,
    writes: bool,
}

static TABLE: LazyLock<HashMap<String, Found>> = LazyLock::new(|| {
    let tables: &[&[Entry]] = &[
        attention::TABLE,
        conv::TABLE,
        create::TABLE,
        einops::TABLE,
        einsum::TABLE,
        index::TABLE,
        loss::TABLE,
        matrix::TABLE,
        norm::TABLE,
        operators::TABLE,
        pointwise::TABLE,
        pool::TABLE,
        python::TABLE,
        reduce::TABLE,
        resize::TABLE,
        joins::TABLE,
        pieces::TABLE,
        shape::TABLE,
        subscript::TABLE,
    ];
    let mut table = HashMap::new();
    for entry in tables.iter().copied().flatten() {
        for name in entry.names.split_whitespace() {
            for space in entry.spaces.chars() {
                let prefix = match space {
                    't' => "torch.",
                    'f' => "torch.nn.functional.",
                    'm' => "Tensor.",
                    's' => "torch.special.",
                    'l' => "torch.linalg.",
                    _ => "",
                };
                let mut add = |path: String, writes| {
                    let found = Found {
                        name: name.rsplit('.').next().unwrap_or(name),
                        signature: Signature::parse(entry.signature),
                        apply: entry.apply,
                        writes,
                    };
                    table.insert(path, found);
                };
                add(format!("{prefix}{name}"), false);
                if entry.in_place {
                    add(format!("{prefix}{name}_"), true);
                }
            }
        }
    }
    table
});

/// The row of a path.
pub(crate) fn find(path: &str) -> Option<&'static Found> {
    TABLE.get(path)
}

/// Applies a row to arguments.
pub(crate) fn apply(
    evaluator: &mut Evaluator<'_>,
    found: &'static Found,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Outcome {
    let mut args = found.signature.bind(args, keywords)?;
    // `F.relu(x, inplace=True)`.
    let writes = found.writes || matches!(args.get("inplace"), Object::Bool(true));
    args.values.retain(|(name, _)| *name != "inplace");
    let mut op = Op {
        evaluator,
        name: found.name,
        writes,
        args,
    };
    (found.apply)(&mut op)
}

/// Calls the row of a path on tensors, as composite operations do.
pub(crate) fn call(
    evaluator: &mut Evaluator<'_>,
    path: &str,
    args: Vec<Object>,
    keywords: Vec<(&str, Object)>,
) -> Outcome {
    let found = find(path).ok_or_else(|| Reason::from(format!("{path} has no rule")))?;
    let keywords = keywords
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    apply(evaluator, found, args, keywords)
}

/// An operation that makes tensors.
pub(crate) struct Made<'x> {
    pub(crate) op: &'x str,
    pub(crate) reads: &'x [&'x Array],
    /// What is touched of the first operand, per dimension.
    pub(crate) windows: Option<Vec<Window>>,
    pub(crate) outputs: Vec<(Vec<i64>, DType)>,
    pub(crate) counted: u64,
    pub(crate) needed: u64,
    pub(crate) kind: Kind,
}

impl<'x> Made<'x> {
    /// One result, no matrix work.
    pub(crate) fn plain(
        op: &'x str,
        reads: &'x [&'x Array],
        shape: Vec<i64>,
        dtype: DType,
    ) -> Self {
        Self {
            op,
            reads,
            windows: None,
            outputs: vec![(shape, dtype)],
            counted: 0,
            needed: 0,
            kind: Kind::Other,
        }
    }

    /// The same with what it means to algebra.
    pub(crate) fn kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// The same with matrix work.
    pub(crate) fn work(mut self, counted: u64, needed: u64) -> Self {
        (self.counted, self.needed) = (counted, needed);
        self.kind = Kind::Matrix;
        self
    }
}

impl Evaluator<'_> {
    /// Records an operation and makes its results.
    pub(crate) fn make(&mut self, made: Made<'_>) -> Result<Vec<ArrayId>, Reason> {
        self.charge(1)?;
        let mut arrays = Vec::with_capacity(made.outputs.len());
        let mut writes = Vec::with_capacity(made.outputs.len());
        let dtype = made
            .reads
            .first()
            .map(|array| array.dtype)
            .or(made.outputs.first().map(|output| output.1))
            .unwrap_or(DType::F32);
        let mut reads = self.reads(made.reads, None);
        if let (Some(windows), Some(first)) = (&made.windows, made.reads.first())
            && let Some(read) = reads.first_mut()
        {
            *read = self.trace.read(first, Some(windows));
        }
        for (shape, dtype) in made.outputs {
            let count =
                elements(&shape).ok_or("the tensor has more elements than 64 bits count")?;
            if shape.len() > 64 {
                return Err("the tensor has too many dimensions".into());
            }
            let storage = self.trace.storage(&shape, count, dtype);
            writes.push((storage, u64::try_from(count).unwrap_or(0)));
            arrays.push(Array {
                strides: contiguous(&shape),
                shape,
                offset: 0,
                dtype,
                storage,
                is_parameter: false,
                structure: None,
                values: None,
            });
        }
        if self.trace.is_recording {
            self.trace.push(Recorded {
                op: made.op.to_owned(),
                line: self.line,
                reads,
                writes,
                counted: made.counted,
                needed: made.needed,
                dtype,
                kind: made.kind,
            });
        }
        Ok(arrays
            .into_iter()
            .map(|array| self.heap.array(array))
            .collect())
    }

    fn reads(&self, arrays: &[&Array], windows: Option<&[Window]>) -> Vec<crate::trace::Read> {
        arrays
            .iter()
            .map(|array| self.trace.read(array, windows))
            .collect()
    }

    /// Records an operation that writes a tensor that is there already.
    pub(crate) fn write(
        &mut self,
        target: &Array,
        op: &str,
        reads: &[&Array],
        keeps: bool,
    ) -> Result<(), Reason> {
        self.charge(1)?;
        if !self.trace.is_recording {
            return Ok(());
        }
        let mut reads = self.reads(reads, None);
        let whole = self
            .trace
            .storages
            .get(target.storage)
            .is_some_and(|storage| u64::try_from(storage.elements) == Ok(target.distinct()));
        if keeps || !whole {
            // What it leaves of the old version is still needed, but no operand.
            let mut old = self.trace.read(target, None);
            if !keeps {
                old.elements = 0;
                old.region = None;
            }
            reads.push(old);
        }
        self.trace.push(Recorded {
            op: format!("{}_", op.trim_end_matches('_')),
            line: self.line,
            reads,
            writes: vec![(target.storage, target.distinct())],
            counted: 0,
            needed: 0,
            dtype: target.dtype,
            kind: Kind::Other,
        });
        Ok(())
    }

    /// A view of the same storage.
    pub(crate) fn view(
        &mut self,
        array: &Array,
        shape: Vec<i64>,
        strides: Vec<i64>,
        offset: i64,
    ) -> Result<Object, Reason> {
        self.charge(1)?;
        elements(&shape).ok_or("the tensor has more elements than 64 bits count")?;
        if shape.len() > 64 {
            return Err("the tensor has too many dimensions".into());
        }
        let view = Array {
            shape,
            strides,
            offset,
            structure: None,
            values: None,
            is_parameter: false,
            ..array.clone()
        };
        Ok(Object::Array(self.heap.array(view)))
    }

    /// Notes the structure of a tensor.
    pub(crate) fn set_structure(&mut self, object: &Object, structure: Option<Structure>) {
        if let Object::Array(id) = object {
            self.heap.array_mut(*id).structure = structure;
        }
    }

    /// Notes the elements of a small tensor.
    pub(crate) fn set_values(&mut self, object: &Object, values: Option<Vec<f64>>) {
        if let Object::Array(id) = object {
            let array = self.heap.array_mut(*id);
            let fits = |values: &Vec<f64>| i64::try_from(values.len()) == Ok(array.elements());
            array.values = values.filter(fits).map(std::convert::Into::into);
        }
    }
}

/// An operation being applied.
pub(crate) struct Op<'e, 'a> {
    pub(crate) evaluator: &'e mut Evaluator<'a>,
    /// The name in the table.
    pub(crate) name: &'static str,
    /// Whether the result goes into the first operand.
    pub(crate) writes: bool,
    pub(crate) args: Args,
}

impl Op<'_, '_> {
    pub(crate) fn arg(&self, name: &str) -> &Object {
        self.args.get(name)
    }

    pub(crate) fn is_given(&self, name: &str) -> bool {
        !matches!(self.args.get(name), Object::None)
    }

    pub(crate) fn array(&self, name: &str) -> Result<Array, Reason> {
        self.array_in(self.args.get(name))
    }

    pub(crate) fn array_in(&self, object: &Object) -> Result<Array, Reason> {
        match object {
            Object::Array(id) => Ok(self.evaluator.heap.array_of(*id).clone()),
            Object::Unknown(unknown) => Err(Reason::From(unknown.clone())),
            other => Err(format!("not a tensor but {}", other.type_name()).into()),
        }
    }

    pub(crate) fn opt_array(&self, name: &str) -> Result<Option<Array>, Reason> {
        match self.args.get(name) {
            Object::None => Ok(None),
            object => self.array_in(object).map(Some),
        }
    }

    /// All tensors of a list.
    pub(crate) fn arrays(&mut self, name: &str) -> Result<Vec<Array>, Reason> {
        let object = self.args.get(name).clone();
        let items = self.evaluator.iterate(&object)?;
        items.iter().map(|item| self.array_in(item)).collect()
    }

    pub(crate) fn int_in(&self, object: &Object) -> Result<i64, Reason> {
        match object {
            Object::Unknown(unknown) => Err(Reason::From(unknown.clone())),
            Object::Array(id) => match self.evaluator.heap.array_of(*id).values.as_deref() {
                #[expect(clippy::cast_possible_truncation, reason = "an integer's value")]
                Some([value]) if value.fract() == 0.0 && value.abs() < 9e15 => Ok(*value as i64),
                _ => Err("depends on elements of a tensor".into()),
            },
            other => other
                .as_int()
                .ok_or_else(|| format!("not an integer but {}", other.type_name()).into()),
        }
    }

    pub(crate) fn int(&self, name: &str) -> Result<i64, Reason> {
        self.int_in(self.args.get(name))
            .map_err(|reason| named(name, reason))
    }

    pub(crate) fn opt_int(&self, name: &str) -> Result<Option<i64>, Reason> {
        if self.is_given(name) {
            self.int(name).map(Some)
        } else {
            Ok(None)
        }
    }

    pub(crate) fn float(&self, name: &str) -> Result<f64, Reason> {
        self.args
            .get(name)
            .as_float()
            .ok_or_else(|| format!("`{name}` is no number").into())
    }

    pub(crate) fn bool(&self, name: &str) -> Result<bool, Reason> {
        self.evaluator.truth(self.args.get(name))
    }

    pub(crate) fn text(&self, name: &str) -> Result<std::rc::Rc<str>, Reason> {
        match self.args.get(name) {
            Object::Str(text) => Ok(text.clone()),
            other => Err(format!("`{name}` is no string but {}", other.type_name()).into()),
        }
    }

    /// Integers of a list, or one integer.
    pub(crate) fn ints_in(&mut self, object: &Object) -> Result<Vec<i64>, Reason> {
        match object {
            Object::Tuple(_) | Object::List(_) | Object::Range(..) => {
                let items = self.evaluator.iterate(object)?;
                items.iter().map(|item| self.int_in(item)).collect()
            }
            other => self.int_in(other).map(|value| vec![value]),
        }
    }

    pub(crate) fn ints(&mut self, name: &str) -> Result<Vec<i64>, Reason> {
        let object = self.args.get(name).clone();
        self.ints_in(&object).map_err(|reason| named(name, reason))
    }

    /// As many integers as there are dimensions; one stands for all.
    pub(crate) fn per_dim(&mut self, name: &str, dims: usize) -> Result<Vec<i64>, Reason> {
        let ints = self.ints(name)?;
        match ints[..] {
            [one] => Ok(vec![one; dims]),
            _ if ints.len() == dims => Ok(ints),
            _ => Err(format!("`{name}` has {} numbers for {dims} dimensions", ints.len()).into()),
        }
    }

    /// Sizes given one by one or as one sequence.
    pub(crate) fn rest_ints(&mut self) -> Result<Vec<i64>, Reason> {
        let rest = self.args.rest.clone();
        if let [only @ (Object::Tuple(_) | Object::List(_))] = &rest[..] {
            return self.ints_in(only);
        }
        rest.iter().map(|item| self.int_in(item)).collect()
    }

    /// A dimension as position.
    pub(crate) fn dim(&self, name: &str, dims: usize) -> Result<usize, Reason> {
        position(self.int(name)?, dims)
    }

    /// Dimensions as positions; all without the argument.
    pub(crate) fn dims(&mut self, name: &str, dims: usize) -> Result<Vec<usize>, Reason> {
        if !self.is_given(name) {
            return Ok((0..dims).collect());
        }
        let ints = self.ints(name)?;
        if ints.is_empty() {
            return Ok((0..dims).collect());
        }
        let mut at: Vec<usize> = ints
            .into_iter()
            .map(|dim| position(dim, dims))
            .collect::<Result<_, _>>()?;
        at.sort_unstable();
        at.dedup();
        Ok(at)
    }

    pub(crate) fn dtype(&self, name: &str) -> Result<Option<DType>, Reason> {
        match self.args.get(name) {
            Object::None => Ok(None),
            Object::DType(dtype) => Ok(Some(*dtype)),
            // The types of Python name dtypes, too.
            Object::External(path) => match &**path {
                "builtins.bool" => Ok(Some(DType::Bool)),
                "builtins.int" => Ok(Some(DType::I64)),
                "builtins.float" => Ok(Some(DType::F64)),
                path => Err(format!("not a dtype but {path}").into()),
            },
            other => Err(format!("not a dtype but {}", other.type_name()).into()),
        }
    }

    /// A float of the default type where a tensor holds integers.
    pub(crate) fn floating(&self, dtype: DType) -> DType {
        if dtype.category() < 2 {
            self.evaluator.default_dtype
        } else {
            dtype
        }
    }

    /// The one result of an operation; written into the first operand where the name
    /// says so.
    pub(crate) fn result(
        &mut self,
        reads: &[&Array],
        shape: Vec<i64>,
        dtype: DType,
        kind: Kind,
    ) -> Outcome {
        let name = self.name;
        if self.writes {
            return self.result_in_place(reads, &shape);
        }
        self.made(Made::plain(name, reads, shape, dtype).kind(kind))
    }

    fn result_in_place(&mut self, reads: &[&Array], shape: &[i64]) -> Outcome {
        let first = self.args.values.first().map(|value| value.1.clone());
        let Some(object @ Object::Array(id)) = first else {
            return Err("nothing to write in place".into());
        };
        let target = self.evaluator.heap.array_of(id).clone();
        if target.shape != shape {
            return Err("the result doesn't fit what is written in place".into());
        }
        self.evaluator.write(&target, self.name, reads, true)?;
        self.evaluator.heap.array_mut(id).values = None;
        Ok(object)
    }

    /// The one result of what was made.
    pub(crate) fn made(&mut self, made: Made<'_>) -> Outcome {
        let ids = self.evaluator.make(made)?;
        ids.first()
            .map(|id| Object::Array(*id))
            .ok_or_else(|| "the operation gives nothing".into())
    }

    /// All results of what was made, as a tuple.
    pub(crate) fn made_tuple(&mut self, made: Made<'_>) -> Outcome {
        let ids = self.evaluator.make(made)?;
        let items = ids.into_iter().map(Object::Array).collect();
        Ok(self.evaluator.heap.tuple(items))
    }

    /// Another operation, on objects.
    pub(crate) fn call(
        &mut self,
        path: &str,
        args: Vec<Object>,
        keywords: Vec<(&str, Object)>,
    ) -> Outcome {
        call(self.evaluator, path, args, keywords)
    }

    /// What windows reach along one dimension, where that is asked for: of inputs.
    pub(crate) fn window(
        &mut self,
        array: &Array,
        slide: &Slide,
        windows: i64,
    ) -> Result<Window, Reason> {
        let storage = self.evaluator.trace.storages.get(array.storage);
        if !storage.is_some_and(|storage| matches!(storage.role, Role::Input(_))) {
            return Ok(Window::All);
        }
        self.evaluator
            .charge(usize::try_from(slide.length / 16).unwrap_or(usize::MAX))?;
        Ok(Window::sliding(
            slide.length,
            windows,
            slide.kernel,
            slide.stride,
            slide.padding,
            slide.dilation,
        ))
    }

    /// Notes something that floors must be told.
    pub(crate) fn flag(&mut self, code: &'static str, reason: String) {
        let line = self.evaluator.line;
        self.evaluator.trace.flag(code, line, reason);
    }
}

/// [`Op::floating`] as a plain function, which fits any lifetime.
fn floats(op: &Op<'_, '_>, dtype: DType) -> DType {
    op.floating(dtype)
}

fn named(name: &str, reason: Reason) -> Reason {
    match reason {
        Reason::New(text) => Reason::New(format!("`{name}`: {text}")),
        from @ Reason::From(_) => from,
    }
}

/// A dimension as position; negative ones count from the end. A number has one
/// dimension to name.
pub(crate) fn position(dim: i64, dims: usize) -> Result<usize, Reason> {
    let len = i64::try_from(dims.max(1)).unwrap_or(i64::MAX);
    let at = if dim < 0 {
        dim.saturating_add(len)
    } else {
        dim
    };
    usize::try_from(at)
        .ok()
        .filter(|&at| at < dims.max(1))
        .ok_or_else(|| "the dimension is out of range".into())
}

/// A product of sizes as work; `None` beyond 64 bits.
pub(crate) fn product(factors: &[i64]) -> Result<u64, Reason> {
    factors
        .iter()
        .try_fold(1_u64, |product, &factor| {
            product.checked_mul(u64::try_from(factor).ok()?)
        })
        .ok_or_else(|| "the work doesn't fit 64 bits".into())
}

/// The common shape of operands.
pub(crate) fn broadcast(shapes: &[&[i64]]) -> Result<Vec<i64>, Reason> {
    let dims = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    let mut result = vec![1; dims];
    for shape in shapes {
        let from = dims - shape.len();
        for (at, &size) in shape.iter().enumerate() {
            let common = &mut result[from + at];
            if *common == 1 {
                *common = size;
            } else if size != 1 && size != *common {
                return Err("the shapes don't broadcast".into());
            }
        }
    }
    Ok(result)
}
