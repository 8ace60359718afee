//! Two environments that agree on most workloads and not on one. Their ratio on all
//! others says what is usual between them, however different the machines are.

/// Workloads that both must have timed: fewer have no usual ratio.
pub const LEAST: usize = 20;

/// How far off the usual ratio a workload must be.
pub const OFF: f64 = 3.0;

/// And how many robust deviations of the others' ratios.
pub const DEVIATIONS: f64 = 8.0;

/// Median absolute deviation to standard deviation of a normal distribution.
const TO_SIGMA: f64 = 1.4826;

/// A workload whose ratio is odd.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Odd {
    /// Its position.
    pub index: usize,
    /// First environment's time over the second's.
    pub ratio: f64,
    /// The median of those ratios over all workloads.
    pub usual: f64,
    /// Their robust deviation, as a factor around the median.
    pub spread: f64,
}

/// The odd ones among the ratios of two environments, one a workload. Ratios that aren't
/// positive are left out; the median needs no leaving out of the one looked at, since one
/// among [`LEAST`] or more hardly moves it.
pub fn odd(ratios: &[f64]) -> Vec<Odd> {
    let logs: Vec<(usize, f64)> = ratios
        .iter()
        .enumerate()
        .filter(|(_, ratio)| ratio.is_finite() && **ratio > 0.0)
        .map(|(index, ratio)| (index, ratio.ln()))
        .collect();
    if logs.len() < LEAST {
        return Vec::new();
    }
    let Some(usual) = median(logs.iter().map(|(_, log)| *log).collect()) else {
        return Vec::new();
    };
    let Some(mad) = median(logs.iter().map(|(_, log)| (log - usual).abs()).collect()) else {
        return Vec::new();
    };
    let sigma = mad * TO_SIGMA;
    let limit = OFF.ln().max(DEVIATIONS * sigma);
    logs.into_iter()
        .filter(|(_, log)| (log - usual).abs() > limit)
        .map(|(index, log)| Odd {
            index,
            ratio: log.exp(),
            usual: usual.exp(),
            spread: sigma.exp(),
        })
        .collect()
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = *values.get((values.len() - 1) / 2)?;
    Some(f64::midpoint(lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indices(ratios: &[f64]) -> Vec<usize> {
        odd(ratios).iter().map(|odd| odd.index).collect()
    }

    #[test]
    fn off_the_usual() {
        // One card half as fast as the other, within some percent.
        let usual = |n: u32| (0..n).map(|i| 1.9 + 0.01 * f64::from(i % 20));
        let with = |odd: &[f64]| -> Vec<f64> { odd.iter().copied().chain(usual(40)).collect() };
        assert_eq!(indices(&with(&[])), [0; 0]);
        assert_eq!(indices(&with(&[0.115])), [0]);
        assert_eq!(indices(&with(&[0.7, 2.0, 6.5])), [2]);
        assert_eq!(indices(&with(&[f64::NAN, 0.0, -1.0, 20.0])), [3]);
        // Too few to know what is usual.
        let few: Vec<f64> = usual(18).chain([20.0]).collect();
        assert_eq!(indices(&few), [0; 0]);
        // Environments that differ widely everywhere have no odd one.
        let wide: Vec<f64> = (0..40).map(|i| 1.2_f64.powi(i - 20)).collect();
        assert_eq!(indices(&wide), [0; 0]);
        // Turned round, the same ones.
        let turned: Vec<f64> = with(&[0.115]).iter().map(|ratio| 1.0 / ratio).collect();
        assert_eq!(indices(&turned), [0]);
        let found = odd(&with(&[0.115]))[0];
        assert!((found.usual - 1.99).abs() < 0.01 && found.spread > 1.0);
    }
}
