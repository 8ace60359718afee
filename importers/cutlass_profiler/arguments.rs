//! Which columns say what was computed, and which say how.
//!
//! The profiler is there to hold kernels against each other on one problem. So what chooses or
//! launches a kernel (tile, stages, split of K, raster order, swizzle) belongs to the
//! implementation, and everything else, unknown arguments of other releases too, to the problem.
//! The accumulator's type belongs to the problem: it changes the arithmetic and its error.

use std::collections::{BTreeMap, HashMap};

use crate::names::{hostile, quoted};
use crate::table::{Row, Table};
use crate::{AxisValue, Place, Refused};

/// Arguments that the kernel's name says or that follow from it.
const OF_KERNEL: &[&str] = &[
    "op_class",
    "cta_m",
    "cta_n",
    "cta_k",
    "cluster_m",
    "cluster_n",
    "cluster_k",
    "cluster_m_fallback",
    "cluster_n_fallback",
    "cluster_k_fallback",
    "stages",
    "warps_m",
    "warps_n",
    "warps_k",
    "inst_m",
    "inst_n",
    "inst_k",
    "min_cc",
    "max_cc",
    "iterator_algorithm",
];

/// Arguments of a launch, each with its default: releases that lack the column do that.
const OF_LAUNCH: &[(&str, &str)] = &[
    ("split_k_mode", "serial"),
    ("split_k_slices", "1"),
    ("swizzle_size", "1"),
    ("raster_order", "heuristic"),
    ("use_pdl", "false"),
    ("enable_sm90_mixed_dtype_shuffle_test", "false"),
    ("eq_gemm_provider", "none"),
];

/// Arguments of the problem that mean nothing at these values.
const NOT_GIVEN: &[(&str, &str)] = &[
    ("runtime_input_datatype_a", "static"),
    ("runtime_input_datatype_b", "static"),
    ("runtime_input_datatype_a", "invalid"),
    ("runtime_input_datatype_b", "invalid"),
];

/// Numbers that are factors, not sizes.
const FACTORS: &[&str] = &["alpha", "beta"];

/// A table's columns by name.
pub(super) struct Columns {
    numbers: HashMap<String, usize>,
    /// Names of the user's tags, in order.
    pub(super) tags: Vec<String>,
    /// Names of the arguments, in order.
    arguments: Vec<String>,
    pub(super) width: usize,
}

impl Columns {
    /// Looks a header over.
    pub(super) fn of(table: &Table) -> Result<Self, Refused> {
        let header: Vec<String> = table
            .header
            .iter()
            .map(|name| name.trim().to_owned())
            .collect();
        let mut numbers = HashMap::new();
        for (at, name) in header.iter().enumerate() {
            if numbers.insert(name.clone(), at).is_some() {
                return Err(Refused {
                    code: "DUPLICATE_KEY",
                    place: Place::default(),
                    message: format!("two columns have the name {}", quoted(name)),
                    hint: None,
                });
            }
        }
        let of = |name: &str| numbers.get(name).copied();
        let begin = of("Status").map_or(header.len(), |at| at + 1);
        let end = ["Bytes", "Flops", "Runtime"]
            .into_iter()
            .filter_map(of)
            .min();
        let arguments = header.get(begin..end.unwrap_or(begin)).unwrap_or_default();
        let tags = of("Problem")
            .and_then(|at| header.get(..at))
            .unwrap_or_default();
        Ok(Self {
            tags: tags.to_vec(),
            arguments: arguments.to_vec(),
            width: header.len(),
            numbers,
        })
    }

    /// A cell without blanks around; `None` where the column is missing or the cell empty.
    pub(super) fn cell<'r>(&self, row: &'r Row, name: &str) -> Option<&'r str> {
        let text = row.cells.get(*self.numbers.get(name)?)?.trim();
        (!text.is_empty()).then_some(text)
    }

    /// What was computed: the arguments that make the problem.
    pub(super) fn axes(&self, row: &Row) -> Result<BTreeMap<String, AxisValue>, String> {
        let mut axes = BTreeMap::new();
        for name in &self.arguments {
            let of_launch = OF_LAUNCH.iter().any(|(known, _)| known == name);
            let Some(value) = self.cell(row, name) else {
                continue;
            };
            let not_given = NOT_GIVEN.contains(&(name, value));
            if of_launch || not_given || OF_KERNEL.contains(&name.as_str()) {
                continue;
            }
            for part in [name, value] {
                if let Some(why) = hostile(part) {
                    return Err(format!("argument {} {why}", quoted(part)));
                }
            }
            let size = value
                .parse::<i64>()
                .ok()
                .filter(|size| size.to_string() == value);
            let value = match size.filter(|_| !FACTORS.contains(&name.as_str())) {
                Some(size) => AxisValue::Size(size),
                None => AxisValue::Word(value.to_owned()),
            };
            axes.insert(name.clone(), value);
        }
        Ok(axes)
    }

    /// How the kernel was launched, as far as its name and the defaults don't say:
    /// `split_k_slices=4`.
    pub(super) fn launch(&self, row: &Row, kernel: &str) -> Vec<String> {
        let mut said: Vec<String> = OF_LAUNCH
            .iter()
            .filter_map(|(name, default)| {
                let value = self.cell(row, name).filter(|value| value != default)?;
                Some(format!("{name}={value}"))
            })
            .collect();
        // A kernel whose cluster is chosen at launch has zeros for it in its name.
        for (option, suffix) in [("cluster", ""), ("fallback", "_fallback")] {
            let part = |axis: &str| self.cell(row, &format!("cluster_{axis}{suffix}"));
            if let (Some(m), Some(n), Some(k)) = (part("m"), part("n"), part("k"))
                && kernel.contains("_0x0x")
            {
                said.push(format!("{option}={m}x{n}x{k}"));
            }
        }
        said
    }

    /// The kernel's own arguments as one text: `op_class=simt cta_m=128 …`.
    pub(super) fn of_kernel(&self, row: &Row) -> String {
        let said = OF_KERNEL.iter().filter_map(|name| {
            let value = self.cell(row, name)?;
            Some(format!("{name}={value}"))
        });
        said.collect::<Vec<_>>().join(" ")
    }
}
