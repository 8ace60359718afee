//! Formulas for work that don't need the table: windows along one dimension.

/// Parameters of a window that slides along one dimension.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slide {
    pub(crate) length: i64,
    pub(crate) kernel: i64,
    pub(crate) stride: i64,
    pub(crate) padding: i64,
    pub(crate) dilation: i64,
}

impl Slide {
    /// Number of windows: `⌊(L + 2p − d(k−1) − 1) / s⌋ + 1`.
    pub(crate) fn windows(&self) -> Option<i64> {
        self.windows_of(self.padding.checked_mul(2)?, false)
    }

    /// The same for a total padding, rounded up where the last window may overhang.
    pub(crate) fn windows_of(&self, padding: i64, rounds_up: bool) -> Option<i64> {
        if self.stride < 1 || self.kernel < 1 || self.dilation < 1 {
            return None;
        }
        let reach = self.dilation.checked_mul(self.kernel - 1)?;
        let room = self
            .length
            .checked_add(padding)?
            .checked_sub(reach)?
            .checked_sub(1)?;
        if room < 0 {
            return None;
        }
        let mut windows = if rounds_up {
            room.checked_add(self.stride - 1)? / self.stride + 1
        } else {
            room / self.stride + 1
        };
        // A window has to start inside the tensor or the padding before it.
        if rounds_up
            && (windows - 1).checked_mul(self.stride)? >= self.length.checked_add(self.padding)?
        {
            windows -= 1;
        }
        Some(windows)
    }

    /// Length that a transposed convolution gives: `(L−1)s − 2p + d(k−1) + op + 1`.
    pub(crate) fn transposed(&self, output_padding: i64) -> Option<i64> {
        (self.length.checked_sub(1)?)
            .checked_mul(self.stride)?
            .checked_sub(self.padding.checked_mul(2)?)?
            .checked_add(self.dilation.checked_mul(self.kernel.checked_sub(1)?)?)?
            .checked_add(output_padding)?
            .checked_add(1)
            .filter(|&length| length >= 0)
    }

    /// Pairs of a window (of `windows`) and a tap that fall on one of `length` positions:
    /// `0 ≤ o·s − p + k·d < L`.
    pub(crate) fn taps(&self, windows: i64) -> Option<u64> {
        let mut taps = 0_u64;
        if self.kernel > 1 << 20 {
            return None;
        }
        for tap in 0..self.kernel {
            // o·s ≥ p − k·d  and  o·s ≤ L − 1 + p − k·d
            let shift = self.padding.checked_sub(tap.checked_mul(self.dilation)?)?;
            let first = (shift.checked_add(self.stride - 1)?)
                .div_euclid(self.stride)
                .max(0);
            let last = (shift.checked_add(self.length)?.checked_sub(1)?)
                .div_euclid(self.stride)
                .min(windows - 1);
            if last >= first {
                taps = taps.checked_add(u64::try_from(last - first + 1).ok()?)?;
            }
        }
        Some(taps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slide(length: i64, kernel: i64, stride: i64, padding: i64, dilation: i64) -> Slide {
        Slide {
            length,
            kernel,
            stride,
            padding,
            dilation,
        }
    }

    #[test]
    fn taps_on_padding_are_left_out() {
        // 7×7 with a 3×3 window and padding 1: 19·19 of 21·21.
        let seven = slide(7, 3, 1, 1, 1);
        assert_eq!((seven.windows(), seven.taps(7)), (Some(7), Some(19)));
    }

    #[test]
    fn taps_agree_with_counting() {
        for length in 1..9 {
            for (kernel, stride, padding, dilation) in [
                (1, 1, 0, 1),
                (3, 1, 1, 1),
                (3, 2, 1, 2),
                (2, 3, 0, 1),
                (4, 2, 3, 1),
            ] {
                let slide = slide(length, kernel, stride, padding, dilation);
                let Some(windows) = slide.windows() else {
                    continue;
                };
                let counted = (0..windows)
                    .flat_map(|o| (0..kernel).map(move |k| o * stride - padding + k * dilation))
                    .filter(|at| (0..length).contains(at))
                    .count();
                assert_eq!(slide.taps(windows), Some(counted as u64), "{slide:?}");
            }
        }
    }
}
