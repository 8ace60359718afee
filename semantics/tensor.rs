//! A tensor while it is followed: shape, dtype, and which elements of which storage.

use std::rc::Rc;

use crate::value::{DType, Dim, Tensor};

/// Which elements are known to be zero, or which of the others repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Structure {
    /// Zero (or `false`, or minus infinity) above the diagonal.
    Lower,
    /// Zero below the diagonal.
    Upper,
    /// Zero off the diagonal.
    Diagonal,
    /// Equal to its own transpose.
    Symmetric,
}

impl Structure {
    /// What a reason calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Lower | Self::Upper => "triangular",
            Self::Diagonal => "diagonal",
            Self::Symmetric => "symmetric",
        }
    }

    /// What a mask selects when it is inverted, the diagonal aside.
    pub(crate) fn complement(self) -> Option<Self> {
        match self {
            Self::Lower => Some(Self::Upper),
            Self::Upper => Some(Self::Lower),
            Self::Diagonal | Self::Symmetric => None,
        }
    }

    /// The structure of the transpose.
    pub(crate) fn transposed(self) -> Self {
        match self {
            Self::Lower => Self::Upper,
            Self::Upper => Self::Lower,
            other => other,
        }
    }
}

/// A tensor.
#[derive(Debug, Clone)]
pub(crate) struct Array {
    pub(crate) shape: Vec<i64>,
    /// Distance in elements between neighbours, per dimension.
    pub(crate) strides: Vec<i64>,
    /// First element within the storage.
    pub(crate) offset: i64,
    pub(crate) dtype: DType,
    pub(crate) storage: usize,
    /// A `nn.Parameter`.
    pub(crate) is_parameter: bool,
    pub(crate) structure: Option<Structure>,
    /// The elements, where Python states them.
    pub(crate) values: Option<Rc<[f64]>>,
}

impl Array {
    /// Number of elements; a shape that doesn't fit is never kept.
    pub(crate) fn elements(&self) -> i64 {
        self.shape.iter().product()
    }

    /// Number of dimensions.
    pub(crate) fn dims(&self) -> usize {
        self.shape.len()
    }

    /// Distinct elements: an expanded dimension repeats the same ones.
    pub(crate) fn distinct(&self) -> u64 {
        let sizes = self.shape.iter().zip(&self.strides);
        sizes
            .map(|(&size, &stride)| {
                let size = if stride == 0 { size.min(1) } else { size };
                u64::try_from(size).unwrap_or(0)
            })
            .fold(1_u64, u64::saturating_mul)
    }

    /// Size of a dimension counted from the end, 1-based; 1 beyond the first.
    pub(crate) fn size_at_end(&self, at: usize) -> i64 {
        let at = self.shape.len().checked_sub(at);
        at.and_then(|at| self.shape.get(at)).copied().unwrap_or(1)
    }

    /// The tensor as an answer shows it.
    pub(crate) fn shown(&self) -> Tensor {
        Tensor {
            shape: self.shape.iter().map(|&size| Dim::derived(size)).collect(),
            dtype: self.dtype,
            draw: "forward".into(),
        }
    }

    /// Bytes of its elements, each once.
    pub(crate) fn bytes(&self) -> u64 {
        u64::try_from(self.elements())
            .unwrap_or(0)
            .saturating_mul(self.dtype.width_bytes())
    }
}

/// Number of elements of a shape; `None` beyond 2^62 or with a negative size.
pub(crate) fn elements(shape: &[i64]) -> Option<i64> {
    if shape.iter().any(|&size| size < 0) {
        return None;
    }
    // Sizes beside a zero are bounded as well, so that no product of some overflows.
    let bound = shape
        .iter()
        .try_fold(1_i64, |product, &size| product.checked_mul(size.max(1)))
        .filter(|&elements| elements < 1 << 62)?;
    Some(if shape.contains(&0) { 0 } else { bound })
}

/// Strides of a contiguous tensor.
pub(crate) fn contiguous(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    let mut stride = 1_i64;
    for at in (0..shape.len()).rev() {
        strides[at] = stride;
        stride = stride.saturating_mul(shape[at].max(1));
    }
    strides
}

/// Strides under which a view in another shape sees the same elements in the same order;
/// `None` where that takes a copy.
pub(crate) fn view_strides(array: &Array, shape: &[i64]) -> Option<Vec<i64>> {
    if elements(shape)? == 0 {
        return Some(contiguous(shape));
    }
    // Old dimensions that lie next to each other in memory form chunks, outermost first.
    let mut chunks: Vec<(i64, i64)> = Vec::new();
    for (&size, &stride) in array.shape.iter().zip(&array.strides) {
        if size == 1 {
            continue;
        }
        match chunks.last_mut() {
            Some(last) if last.1 == stride.checked_mul(size)? => {
                *last = (last.0.checked_mul(size)?, stride);
            }
            _ => chunks.push((size, stride)),
        }
    }
    let mut strides = vec![1; shape.len()];
    let mut at = shape.len();
    for (elements, innermost) in chunks.into_iter().rev() {
        let (mut left, mut stride) = (elements, innermost);
        while left > 1 {
            at = at.checked_sub(1)?;
            let size = shape[at];
            if left % size != 0 {
                return None;
            }
            strides[at] = stride;
            stride = stride.checked_mul(size)?;
            left /= size;
        }
    }
    shape[..at].iter().all(|&size| size == 1).then_some(strides)
}
