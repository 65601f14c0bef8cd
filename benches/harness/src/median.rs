//! Medians: summarize samples without their outliers, which the machine causes and not the program.

/// Returns the median of a sample, interpolated between the middle two; `None` if the sample is
/// empty.
pub fn median(sample: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sample: Vec<f64> = sample.collect();
    sample.sort_by(f64::total_cmp);
    let last = sample.len().checked_sub(1)?;
    Some(sample[last / 2].midpoint(sample[sample.len() / 2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_interpolated() {
        let median = |sample: &[f64]| median(sample.iter().copied());
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[7.0]), Some(7.0));
        assert_eq!(median(&[5.0, 1.0, 3.0, 2.0, 4.0]), Some(3.0));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
    }
}
