//! Which elements of an input are touched: boxes of positions along its dimensions, and
//! how many elements a number of them have together.

use crate::tensor::{Array, contiguous};

/// Longest dimension whose positions are looked at one by one.
const MAX_POSITIONS: i64 = 1 << 20;

/// Most regions that are joined exactly.
const MAX_REGIONS: usize = 64;

/// Positions along one dimension of an operand that an operation reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Window {
    /// All of them.
    All,
    /// These, in order.
    Some(Vec<i64>),
}

impl Window {
    /// What windows of `kernel` taps reach of `length` positions.
    pub(crate) fn sliding(
        length: i64,
        windows: i64,
        kernel: i64,
        stride: i64,
        padding: i64,
        dilation: i64,
    ) -> Self {
        // Neighbouring windows that touch leave nothing out but the end.
        let is_dense = dilation == 1 && stride <= kernel;
        let last = windows
            .saturating_sub(1)
            .saturating_mul(stride)
            .saturating_sub(padding)
            .saturating_add(kernel.saturating_sub(1).saturating_mul(dilation));
        if (is_dense && last >= length - 1 && padding >= 0)
            || windows.saturating_mul(kernel) > 4 * MAX_POSITIONS
            || !(0..=MAX_POSITIONS).contains(&length)
        {
            return Self::All;
        }
        let mut reached = vec![false; usize::try_from(length).unwrap_or(0)];
        for window in 0..windows {
            for tap in 0..kernel {
                let position = window
                    .saturating_mul(stride)
                    .saturating_sub(padding)
                    .saturating_add(tap.saturating_mul(dilation));
                if let Some(reached) = usize::try_from(position)
                    .ok()
                    .and_then(|at| reached.get_mut(at))
                {
                    *reached = true;
                }
            }
        }
        let positions = (0..length).zip(&reached).filter(|(_, reached)| **reached);
        Self::Some(positions.map(|(at, _)| at).collect())
    }
}

/// Positions along one dimension of the storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Axis {
    /// First, number and distance.
    Every(i64, i64, i64),
    /// These.
    Some(Vec<i64>),
}

impl Axis {
    fn len(&self) -> u64 {
        match self {
            Self::Every(_, count, _) => u64::try_from(*count).unwrap_or(0),
            Self::Some(positions) => positions.len() as u64,
        }
    }
}

/// Elements of a storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Region {
    /// Every element.
    All,
    /// The product of positions along the dimensions.
    Box(Vec<Axis>),
    /// A number of elements, which ones is not followed.
    Opaque(u64),
}

impl Region {
    /// What a view sees of a contiguous storage of that shape.
    pub(crate) fn of(array: &Array, shape: &[i64], windows: Option<&[Window]>) -> Self {
        let is_narrow = windows.is_some_and(|windows| {
            windows
                .iter()
                .any(|window| matches!(window, Window::Some(_)))
        });
        let total: u64 = shape
            .iter()
            .map(|&size| u64::try_from(size).unwrap_or(0))
            .fold(1, u64::saturating_mul);
        let distinct = array.distinct();
        if !is_narrow && distinct == total {
            return Self::All;
        }
        Self::decode(array, shape, windows).unwrap_or_else(|| {
            let narrowed = windows.into_iter().flatten().zip(&array.shape);
            let narrowed = narrowed.fold(
                u128::from(distinct.min(total)),
                |count, (window, &size)| match window {
                    Window::Some(positions) if size > 0 => {
                        count * positions.len() as u128 / u128::from(size.unsigned_abs())
                    }
                    _ => count,
                },
            );
            Self::Opaque(u64::try_from(narrowed).unwrap_or(u64::MAX))
        })
    }

    /// Finds for each dimension of the view the dimension of the storage it runs along.
    fn decode(array: &Array, shape: &[i64], windows: Option<&[Window]>) -> Option<Self> {
        let strides = contiguous(shape);
        let mut rest = array.offset;
        let mut axes: Vec<Axis> = Vec::with_capacity(shape.len());
        for (&stride, &size) in strides.iter().zip(shape) {
            let start = rest.checked_div(stride)?;
            if !(0..size.max(1)).contains(&start) {
                return None;
            }
            rest -= start * stride;
            axes.push(Axis::Every(start, 1, 1));
        }
        let mut taken = vec![false; shape.len()];
        for (dim, (&size, &stride)) in array.shape.iter().zip(&array.strides).enumerate() {
            if size == 1 || stride == 0 {
                continue;
            }
            let at = (0..shape.len()).find(|&at| {
                !taken[at]
                    && shape[at] > 1
                    && stride >= strides[at]
                    && stride % strides[at] == 0
                    && {
                        let step = stride / strides[at];
                        let Axis::Every(start, ..) = axes[at] else {
                            return false;
                        };
                        step.checked_mul(size - 1)
                            .and_then(|span| span.checked_add(start))
                            .is_some_and(|last| last < shape[at])
                    }
            })?;
            taken[at] = true;
            let Axis::Every(start, ..) = axes[at] else {
                return None;
            };
            let step = stride / strides[at];
            axes[at] = match windows.and_then(|windows| windows.get(dim)) {
                Some(Window::Some(positions)) => Axis::Some(
                    positions
                        .iter()
                        .map(|position| start + position * step)
                        .collect(),
                ),
                _ => Axis::Every(start, size, step),
            };
        }
        Some(Self::Box(axes))
    }

    fn elements(&self, total: u64) -> u64 {
        match self {
            Self::All => total,
            Self::Box(axes) => axes
                .iter()
                .map(Axis::len)
                .fold(1, u64::saturating_mul)
                .min(total),
            Self::Opaque(elements) => (*elements).min(total),
        }
    }
}

/// Distinct elements in any of these regions of a storage of that shape; never too many.
pub(crate) fn joined(regions: &[&Region], shape: &[i64], total: u64) -> u64 {
    let mut distinct: Vec<&Region> = Vec::new();
    for &region in regions {
        if *region == Region::All {
            return total;
        }
        if distinct.len() <= MAX_REGIONS && !distinct.contains(&region) {
            distinct.push(region);
        }
    }
    let largest = distinct
        .iter()
        .map(|region| region.elements(total))
        .max()
        .unwrap_or(0);
    let boxes: Vec<&[Axis]> = distinct
        .iter()
        .filter_map(|region| match region {
            Region::Box(axes) => Some(&axes[..]),
            _ => None,
        })
        .collect();
    if boxes.len() < 2
        || boxes.len() > MAX_REGIONS
        || shape.iter().any(|&size| size > MAX_POSITIONS)
    {
        return largest;
    }
    largest.max(union(&boxes, shape)).min(total)
}

/// The union of boxes: positions along a dimension that lie in the same boxes count
/// alike, so the elements are summed over the combinations of such groups.
fn union(boxes: &[&[Axis]], shape: &[i64]) -> u64 {
    use std::collections::BTreeMap;
    let mut combined: BTreeMap<u64, u64> = BTreeMap::from([(u64::MAX, 1)]);
    for (dim, &size) in shape.iter().enumerate() {
        let mut members = vec![0_u64; usize::try_from(size).unwrap_or(0)];
        for (bit, axes) in boxes.iter().enumerate() {
            let mut mark = |position: i64| {
                if let Some(member) = usize::try_from(position)
                    .ok()
                    .and_then(|at| members.get_mut(at))
                {
                    *member |= 1 << bit;
                }
            };
            match axes.get(dim) {
                Some(Axis::Every(start, count, step)) => {
                    (0..*count).for_each(|at| mark(start + at * step));
                }
                Some(Axis::Some(positions)) => positions.iter().copied().for_each(mark),
                None => {}
            }
        }
        let mut groups: BTreeMap<u64, u64> = BTreeMap::new();
        for member in members.into_iter().filter(|&member| member != 0) {
            *groups.entry(member).or_default() += 1;
        }
        let mut next: BTreeMap<u64, u64> = BTreeMap::new();
        for (&left, &count) in &combined {
            for (&right, &positions) in &groups {
                if left & right != 0 {
                    let entry = next.entry(left & right).or_default();
                    *entry = entry.saturating_add(count.saturating_mul(positions));
                }
            }
        }
        combined = next;
        // Overlaps in ways that make too many groups are not followed.
        if combined.len() > 4_096 {
            return 0;
        }
    }
    combined
        .values()
        .fold(0, |sum, &count| sum.saturating_add(count))
}
