//! What a device can do at most, and which peak a precision policy permits.

use super::super::floor::Precision;

/// Dtype class of the matrix work, as declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// 64-bit float.
    Fp64,
    /// 32-bit float.
    Fp32,
    /// IEEE half.
    Fp16,
    /// bfloat16.
    Bf16,
    /// 8-bit float.
    Fp8,
    /// 8-bit integer.
    Int8,
    /// 4- or 6-bit float.
    Fp4,
}

impl Class {
    const ALL: [Self; 7] = [
        Self::Fp64,
        Self::Fp32,
        Self::Fp16,
        Self::Bf16,
        Self::Fp8,
        Self::Int8,
        Self::Fp4,
    ];
}

/// How well a device's peaks are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Confidence {
    /// Two or more independent places agree.
    High,
    /// One good source, or sources that differ by a few percent.
    Medium,
    /// A placeholder.
    Low,
}

impl Confidence {
    /// As the hardware table writes it.
    pub fn named(text: &str) -> Option<Self> {
        match text {
            "high" => Some(Self::High),
            "medium" => Some(Self::Medium),
            "low" => Some(Self::Low),
            _ => None,
        }
    }
}

/// A device as the hardware table has it; a blank cell is `None` and never zero.
/// Compute peaks are dense, in TFLOP/s (10^12 operations a second, an FMA is two).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Hardware<'a> {
    /// Product id (`h100-sxm5-80gb`).
    pub id: &'a str,
    /// DRAM bandwidth, in GB/s (10^9 bytes a second).
    pub bandwidth_gbs: Option<f64>,
    /// Vector fp64.
    pub fp64: Option<f64>,
    /// Matrix fp64.
    pub fp64_tensor: Option<f64>,
    /// Vector fp32.
    pub fp32: Option<f64>,
    /// Matrix, fp32 inputs with a reduced mantissa.
    pub tf32: Option<f64>,
    /// Matrix fp16.
    pub fp16: Option<f64>,
    /// Matrix bf16.
    pub bf16: Option<f64>,
    /// Matrix fp8.
    pub fp8: Option<f64>,
    /// Matrix int8.
    pub int8: Option<f64>,
    /// Matrix fp4.
    pub fp4: Option<f64>,
    /// L2, in MiB, whole device.
    pub l2_mib: Option<f64>,
    /// Cache behind L2, in MiB (256 on CDNA3 and CDNA4); `None` if it has none.
    pub last_level_mib: Option<f64>,
    /// Maximum-clock ceiling over the published matrix peaks (see [`clock_ceiling`]).
    pub clock_ceiling: Option<f64>,
    /// How well the figures are known.
    pub confidence: Option<Confidence>,
    /// File in which the user gave some of them.
    pub given: Option<&'a str>,
}

/// Packages that software sees as two devices, while their peaks are of the whole.
const SPLIT_PACKAGES: [&str; 4] = ["mi250x", "max-1550", "tpu-v4", "tpu-v7x"];

impl Hardware<'_> {
    /// The fastest dense peak for the class under the precision policy, with its name.
    pub fn peak(&self, class: Class, precision: Precision) -> Option<(&'static str, f64)> {
        let vector = ("fp32", self.fp32);
        let tf32 = ("tf32", self.tf32);
        let third = ("tf32/3", self.tf32.map(|peak| peak / 3.0));
        let of_class = |class| match class {
            Class::Fp64 => ("fp64", larger(self.fp64, self.fp64_tensor)),
            Class::Fp32 if self.tf32.is_some() => tf32,
            Class::Fp32 => vector,
            Class::Fp16 => ("fp16", self.fp16),
            Class::Bf16 => ("bf16", self.bf16),
            Class::Fp8 => ("fp8", self.fp8),
            Class::Int8 => ("int8", self.int8),
            Class::Fp4 => ("fp4", self.fp4),
        };
        let permitted: Vec<(&'static str, Option<f64>)> = match (precision, class) {
            (Precision::Any, _) => Class::ALL.map(of_class).into(),
            (Precision::Strict, Class::Fp32) => vec![vector, third],
            (_, class) => vec![of_class(class)],
        };
        permitted
            .into_iter()
            .filter_map(|(name, peak)| Some((name, peak.filter(|peak| *peak > 0.0)?)))
            .max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Bytes that may stay on the device between calls: every cache level shared by
    /// the whole device. `None` if the L2 size is unknown.
    pub fn cache_bytes(&self) -> Option<f64> {
        const MIB: f64 = 1024.0 * 1024.0;
        let mib = self.l2_mib? + self.last_level_mib.unwrap_or(0.0);
        Some(mib * MIB)
    }

    /// Whether its peaks are of a package that software sees as two devices.
    pub fn is_split_package(&self) -> bool {
        SPLIT_PACKAGES.contains(&self.id)
    }
}

fn larger(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (one, other) => one.or(other),
    }
}

/// How far the matrix units at the maximum clock exceed the published dense fp16
/// peak: units × operations a clock × clock ÷ peak, and at least 1. Vendors publish
/// some peaks at a lower clock than the driver allows; the ratio holds for the other
/// matrix classes too. `None` where a figure or the rate of the architecture (by
/// compute capability or gfx name) is unknown.
pub fn clock_ceiling(
    architecture: &str,
    units: Option<u32>,
    clock_mhz: Option<f64>,
    fp16_tflops: Option<f64>,
) -> Option<f64> {
    let per_clock = match architecture {
        "7.0" | "7.5" | "8.6" | "8.9" | "12.0" | "gfx90a" => 1024.0,
        "8.0" | "gfx942" => 2048.0,
        "9.0" | "gfx950" => 4096.0,
        "10.0" | "10.3" => 8192.0,
        _ => return None,
    };
    let published = fp16_tflops.filter(|peak| *peak > 0.0)?;
    let ceiling = f64::from(units?) * per_clock * clock_mhz? / 1e6;
    Some((ceiling / published).max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const H100: Hardware<'static> = Hardware {
        id: "h100-sxm5-80gb",
        bandwidth_gbs: Some(3350.0),
        fp64: Some(33.5),
        fp64_tensor: Some(66.9),
        fp32: Some(66.9),
        tf32: Some(494.7),
        fp16: Some(989.4),
        bf16: Some(989.4),
        fp8: Some(1978.9),
        int8: Some(1978.9),
        fp4: None,
        l2_mib: Some(50.0),
        last_level_mib: None,
        clock_ceiling: None,
        confidence: Some(Confidence::High),
        given: None,
    };

    #[test]
    fn permitted_peaks() {
        use Precision::{Any, Declared, Strict};
        let t4 = Hardware {
            fp32: Some(8.1),
            fp16: Some(65.0),
            int8: Some(130.0),
            ..Hardware::default()
        };
        let slow_tf32 = Hardware {
            fp32: Some(82.6),
            tf32: Some(82.6),
            ..Hardware::default()
        };
        for (what, device, class, precision, expected) in [
            (
                "fp32 runs at TF32",
                H100,
                Class::Fp32,
                Declared,
                Some(("tf32", 494.7)),
            ),
            (
                "a third of TF32 beats the vector peak",
                H100,
                Class::Fp32,
                Strict,
                Some(("tf32/3", 494.7 / 3.0)),
            ),
            (
                "the vector peak beats a third of TF32",
                slow_tf32,
                Class::Fp32,
                Strict,
                Some(("fp32", 82.6)),
            ),
            (
                "the fastest of all",
                H100,
                Class::Fp32,
                Any,
                Some(("int8", 1978.9)),
            ),
            (
                "no TF32: plain fp32",
                t4,
                Class::Fp32,
                Declared,
                Some(("fp32", 8.1)),
            ),
            (
                "matrix fp64",
                H100,
                Class::Fp64,
                Declared,
                Some(("fp64", 66.9)),
            ),
            ("bf16", H100, Class::Bf16, Declared, Some(("bf16", 989.4))),
            ("a blank stays blank", t4, Class::Bf16, Declared, None),
            ("nothing known", Hardware::default(), Class::Fp32, Any, None),
        ] {
            assert_eq!(device.peak(class, precision), expected, "{what}");
        }
    }

    #[test]
    fn ceilings() {
        for (what, architecture, units, clock, published, expected) in [
            (
                "H100 SXM",
                "9.0",
                Some(132),
                Some(1980),
                Some(989.4),
                Some(1070.5 / 989.4),
            ),
            (
                "H100 NVL",
                "9.0",
                Some(132),
                Some(1785),
                Some(835.5),
                Some(965.1 / 835.5),
            ),
            (
                "B200",
                "10.0",
                Some(148),
                Some(1965),
                Some(2250.0),
                Some(2382.4 / 2250.0),
            ),
            (
                "never below the published peak",
                "8.0",
                Some(108),
                Some(1400),
                Some(312.0),
                Some(1.0),
            ),
            ("unknown clock", "10.3", Some(148), None, Some(2250.0), None),
            ("unknown rate", "v5e", Some(1), Some(1), Some(197.0), None),
        ] {
            let found = clock_ceiling(architecture, units, clock.map(f64::from), published);
            assert_eq!(found.is_some(), expected.is_some(), "{what}");
            if let (Some(found), Some(expected)) = (found, expected) {
                assert!((found - expected).abs() < 1e-4, "{what}: {found}");
            }
        }
    }

    #[test]
    fn caches_and_packages() {
        let mi300x = Hardware {
            id: "mi300x",
            l2_mib: Some(32.0),
            last_level_mib: Some(256.0),
            ..Hardware::default()
        };
        assert_eq!(mi300x.cache_bytes(), Some(288.0 * 1_048_576.0));
        assert_eq!(Hardware::default().cache_bytes(), None);
        assert!(
            Hardware {
                id: "mi250x",
                ..mi300x
            }
            .is_split_package()
        );
        assert!(!mi300x.is_split_package());
    }
}
