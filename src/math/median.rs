//! The middle of some numbers.

/// The median, the upper one of an even number; `None` of nothing. The numbers change places.
pub fn median(values: &mut [f64]) -> Option<f64> {
    let half = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(half, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_numbers_are_below_the_median() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), Some(3.0));
        assert_eq!(median(&mut []), None);
    }
}
