//! Doubts about stated figures, each from one derived witness. A doubt is shown with
//! its evidence and keeps a run from holding a record; it never changes the figure.
//! All of them look at a whole set at once, so that the order of imports can't matter.

pub mod shape;
pub mod suite;
pub mod unit;

/// The median of positive values by their logarithms: of an even number, the
/// geometric mean of the middle two. `None` if there is none.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    if values.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = *values.get((values.len() / 2).checked_sub(1)?)?;
    Some((lower * upper).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![7.0]), Some(7.0));
        assert_eq!(median(vec![8.0, 2.0]), Some(4.0));
        assert_eq!(median(vec![9.0, 1.0, 4.0]), Some(4.0));
        assert_eq!(median(vec![100.0, 8.0, 2.0, 1.0]), Some(4.0));
    }
}
