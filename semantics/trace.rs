//! What `forward` does, as it is followed: storages, and the steps that read and write
//! them. Views and expands share a storage; a write in place makes a new version of it.

use crate::region::{Region, Window};
use crate::tensor::Array;
use crate::value::DType;

/// What a storage is to the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The n-th tensor among `get_inputs()`.
    Input(usize),
    /// Made before `forward` runs; parameters and buffers are found through `Model`.
    Held,
    /// Made by a step.
    Made,
}

/// Memory that one or more tensors look at.
#[derive(Debug, Clone)]
pub(crate) struct Storage {
    pub(crate) role: Role,
    /// Elements of the tensor that was made with it.
    pub(crate) elements: i64,
    pub(crate) dtype: DType,
    /// Shape of that tensor, which is contiguous.
    pub(crate) shape: Vec<i64>,
    /// The step that wrote it last; none before the first.
    pub(crate) version: Option<usize>,
}

/// What a step means to the algebra around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A product of matrices or a convolution.
    Matrix,
    /// Linear in its first operand, element by element or moving elements.
    Linear,
    /// A sum or mean over elements of its operand.
    Reduction,
    /// A maximum or minimum along a dimension.
    Extreme,
    /// Sets elements that a mask with known structure selects.
    Masked,
    /// Anything else.
    Other,
}

/// One operand of a step.
#[derive(Debug, Clone)]
pub(crate) struct Read {
    pub(crate) storage: usize,
    /// The step whose result is read.
    pub(crate) version: Option<usize>,
    /// Distinct elements, as seen through the view.
    pub(crate) elements: u64,
    /// Which ones, where the storage is an input's.
    pub(crate) region: Option<Region>,
}

/// One operation that ran.
#[derive(Debug, Clone)]
pub(crate) struct Recorded {
    pub(crate) op: String,
    pub(crate) line: Option<u32>,
    pub(crate) reads: Vec<Read>,
    /// Storages written and how many elements of each.
    pub(crate) writes: Vec<(usize, u64)>,
    pub(crate) counted: u64,
    pub(crate) needed: u64,
    pub(crate) dtype: DType,
    pub(crate) kind: Kind,
}

/// All storages and steps.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) storages: Vec<Storage>,
    pub(crate) steps: Vec<Recorded>,
    /// Whether `forward` runs: what is done before is no step.
    pub(crate) is_recording: bool,
    /// Facts found on the way: code, line, reason.
    pub(crate) flags: Vec<(&'static str, Option<u32>, String)>,
}

impl Trace {
    /// A new storage for a contiguous tensor.
    pub(crate) fn storage(&mut self, shape: &[i64], elements: i64, dtype: DType) -> usize {
        self.storages.push(Storage {
            role: if self.is_recording {
                Role::Made
            } else {
                Role::Held
            },
            elements,
            dtype,
            shape: shape.to_vec(),
            version: None,
        });
        self.storages.len() - 1
    }

    /// An operand as it is now; `windows` narrow what is touched along its dimensions.
    pub(crate) fn read(&self, array: &Array, windows: Option<&[Window]>) -> Read {
        let storage = self.storages.get(array.storage);
        let region = storage
            .filter(|storage| matches!(storage.role, Role::Input(_)))
            .map(|storage| Region::of(array, &storage.shape, windows));
        let total = storage.map_or(0, |storage| storage.elements);
        Read {
            storage: array.storage,
            version: storage.and_then(|storage| storage.version),
            elements: array.distinct().min(u64::try_from(total).unwrap_or(0)),
            region,
        }
    }

    /// Adds a step, which becomes the last writer of what it writes.
    pub(crate) fn push(&mut self, step: Recorded) {
        let at = self.steps.len();
        for (storage, _) in &step.writes {
            if let Some(storage) = self.storages.get_mut(*storage) {
                storage.version = Some(at);
            }
        }
        self.steps.push(step);
    }

    /// Notes something that floors must be told, once for each line.
    pub(crate) fn flag(&mut self, code: &'static str, line: Option<u32>, reason: String) {
        let is_known = self
            .flags
            .iter()
            .any(|flag| flag.0 == code && flag.1 == line);
        if self.is_recording && !is_known {
            self.flags.push((code, line, reason));
        }
    }
}
