//! The order of the legend: that of the lines at their right end, from above.

/// The numbers of the series, the one with the highest last point first. Those without a point are the last.
pub(crate) fn order(heights: &[Option<f64>]) -> Vec<usize> {
    let height = |nth: usize| heights[nth].unwrap_or(f64::NEG_INFINITY);
    let mut order: Vec<usize> = (0..heights.len()).collect();
    // Stable: those that end at one height stay as they were.
    order.sort_by(|&one, &other| height(other).total_cmp(&height(one)));
    order
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn the_highest_end_comes_first() {
        let heights = [Some(1.0), None, Some(3.0), Some(2.0), Some(3.0)];
        assert_eq!(order(&heights), [2, 4, 3, 0, 1]);
        assert!(order(&[]).is_empty());
    }
}
