//! Values as an answer shows them: plain trees, with tensors known by shape, dtype and
//! how they were drawn.

use std::fmt;
use std::sync::Arc;

/// Where the size of a dimension (or any integer) comes from in the source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Origin {
    /// Written as a number where it is used.
    Literal,
    /// Written as the bare name of this module constant.
    Constant(Arc<str>),
    /// Taken from another tensor whose dimension bears this constant's name.
    Carried(Arc<str>),
    /// Computed.
    #[default]
    Derived,
}

impl Origin {
    /// The module constant that names the dimension, if one does.
    pub fn symbol(&self) -> Option<&str> {
        match self {
            Self::Constant(name) | Self::Carried(name) => Some(name),
            Self::Literal | Self::Derived => None,
        }
    }

    /// The same dimension seen through a tensor's shape.
    pub(crate) fn carried(&self) -> Self {
        match self {
            Self::Constant(name) | Self::Carried(name) => Self::Carried(Arc::clone(name)),
            Self::Literal | Self::Derived => Self::Derived,
        }
    }
}

/// One dimension of a tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dim {
    /// Number of elements along it; never negative.
    pub size: i64,
    /// How the source states it.
    pub origin: Origin,
}

impl Dim {
    /// A dimension that no constant names.
    pub(crate) fn derived(size: i64) -> Self {
        Self {
            size,
            origin: Origin::Derived,
        }
    }

    /// The same dimension of a tensor made from this one.
    pub(crate) fn carried(&self) -> Self {
        Self {
            size: self.size,
            origin: self.origin.carried(),
        }
    }
}

/// Element type of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DType {
    /// `torch.bool`.
    Bool,
    /// `torch.uint8`.
    U8,
    /// `torch.int8`.
    I8,
    /// `torch.int16`.
    I16,
    /// `torch.int32`.
    I32,
    /// `torch.int64`.
    I64,
    /// `torch.float8_e4m3fn`.
    F8E4M3,
    /// `torch.float8_e5m2`.
    F8E5M2,
    /// `torch.float16`.
    F16,
    /// `torch.bfloat16`.
    BF16,
    /// `torch.float32`.
    F32,
    /// `torch.float64`.
    F64,
    /// `torch.complex64`.
    C64,
    /// `torch.complex128`.
    C128,
}

impl DType {
    /// Bytes of one element.
    pub fn width_bytes(self) -> u64 {
        match self {
            Self::Bool | Self::U8 | Self::I8 | Self::F8E4M3 | Self::F8E5M2 => 1,
            Self::I16 | Self::F16 | Self::BF16 => 2,
            Self::I32 | Self::F32 => 4,
            Self::I64 | Self::F64 | Self::C64 => 8,
            Self::C128 => 16,
        }
    }

    /// Short name as benchmark pages print it (`fp32`, `bf16`, `int64`).
    pub fn short_name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::U8 => "uint8",
            Self::I8 => "int8",
            Self::I16 => "int16",
            Self::I32 => "int32",
            Self::I64 => "int64",
            Self::F8E4M3 => "fp8_e4m3",
            Self::F8E5M2 => "fp8_e5m2",
            Self::F16 => "fp16",
            Self::BF16 => "bf16",
            Self::F32 => "fp32",
            Self::F64 => "fp64",
            Self::C64 => "complex64",
            Self::C128 => "complex128",
        }
    }

    /// The dtype of an attribute of `torch` (`float32`, `half` …).
    pub(crate) fn from_torch(name: &str) -> Option<Self> {
        Some(match name {
            "bool" => Self::Bool,
            "uint8" => Self::U8,
            "int8" => Self::I8,
            "int16" | "short" => Self::I16,
            "int32" | "int" => Self::I32,
            "int64" | "long" => Self::I64,
            "float8_e4m3fn" => Self::F8E4M3,
            "float8_e5m2" => Self::F8E5M2,
            "float16" | "half" => Self::F16,
            "bfloat16" => Self::BF16,
            "float32" | "float" => Self::F32,
            "float64" | "double" => Self::F64,
            "complex64" | "cfloat" => Self::C64,
            "complex128" | "cdouble" => Self::C128,
            _ => return None,
        })
    }

    /// Position in bool < integer < float < complex, which type promotion goes by.
    pub(crate) fn category(self) -> u8 {
        match self {
            Self::Bool => 0,
            Self::U8 | Self::I8 | Self::I16 | Self::I32 | Self::I64 => 1,
            Self::F8E4M3 | Self::F8E5M2 | Self::F16 | Self::BF16 | Self::F32 | Self::F64 => 2,
            Self::C64 | Self::C128 => 3,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.short_name())
    }
}

/// A tensor, known by everything but its elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    /// Dimensions, outermost first.
    pub shape: Vec<Dim>,
    /// Element type.
    pub dtype: DType,
    /// How its elements came about: a creation function (`rand`, `randint`, `zeros`)
    /// and the operations on it (`tril(rand)`, `mul(rand,rand)`). Casts and moves
    /// between devices don't show.
    pub draw: Arc<str>,
}

impl Tensor {
    /// Number of elements; `None` beyond `i64`.
    pub fn elements(&self) -> Option<i64> {
        if self.shape.iter().any(|dim| dim.size == 0) {
            return Some(0);
        }
        self.shape
            .iter()
            .try_fold(1_i64, |product, dim| product.checked_mul(dim.size))
    }

    /// Sizes of the dimensions alone.
    pub fn sizes(&self) -> Vec<i64> {
        self.shape.iter().map(|dim| dim.size).collect()
    }
}

/// Something that was not understood, where and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// The name or construct (`AutoConfig.from_pretrained`, `match`).
    pub what: String,
    /// 1-based line, where there is one.
    pub line: Option<u32>,
    /// Why it has no value (`no rule`, `not defined` …).
    pub reason: String,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{}: {}", self.what, self.reason)
    }
}

/// A Python value as far as it is known without running Python.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// A float.
    Float(f64),
    /// A string.
    Str(String),
    /// A tuple.
    Tuple(Vec<Value>),
    /// A list.
    List(Vec<Value>),
    /// A dict, in insertion order.
    Dict(Vec<(Value, Value)>),
    /// `range(start, end, step)`.
    Range(i64, i64, i64),
    /// A tensor.
    Tensor(Tensor),
    /// A dtype such as `torch.float16`.
    DType(DType),
    /// Not known; never a guess.
    Unknown(Unknown),
}

impl Value {
    /// Whether it is a constant through and through: no tensor and nothing unknown.
    pub fn is_plain(&self) -> bool {
        match self {
            Self::Tensor(_) | Self::Unknown(_) => false,
            Self::Tuple(items) | Self::List(items) => items.iter().all(Self::is_plain),
            Self::Dict(items) => items.iter().all(|(k, v)| k.is_plain() && v.is_plain()),
            _ => true,
        }
    }

    /// The first unknown part, if there is one.
    pub fn first_unknown(&self) -> Option<&Unknown> {
        match self {
            Self::Unknown(unknown) => Some(unknown),
            Self::Tuple(items) | Self::List(items) => items.iter().find_map(Self::first_unknown),
            Self::Dict(items) => items
                .iter()
                .find_map(|(k, v)| k.first_unknown().or_else(|| v.first_unknown())),
            _ => None,
        }
    }
}
