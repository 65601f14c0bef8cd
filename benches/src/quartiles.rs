//! The median and the quartiles of a sample.

use serde::{Deserialize, Serialize};

/// What is left of a sample whose outliers are the machine's, not the program's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quartiles {
    /// A quarter of the sample is below.
    pub lower: f64,
    /// The middle.
    pub median: f64,
    /// A quarter of the sample is above.
    pub upper: f64,
}

impl Quartiles {
    /// Those of a sample, with linear interpolation between its elements.
    ///
    /// # Panics
    ///
    /// If the sample is empty.
    #[must_use]
    pub fn of(mut sample: Vec<f64>) -> Self {
        assert!(!sample.is_empty(), "an empty sample has no quartiles");
        sample.sort_by(f64::total_cmp);
        let at = |fraction: f64| {
            let position = fraction * (sample.len() - 1) as f64;
            let (below, above) = (
                sample[position.floor() as usize],
                sample[position.ceil() as usize],
            );
            below + (above - below) * position.fract()
        };
        Self {
            lower: at(0.25),
            median: at(0.5),
            upper: at(0.75),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolates() {
        let quartiles = |sample: &[f64]| {
            let Quartiles {
                lower,
                median,
                upper,
            } = Quartiles::of(sample.to_vec());
            [lower, median, upper]
        };
        assert_eq!(quartiles(&[7.0]), [7.0; 3]);
        assert_eq!(quartiles(&[5.0, 1.0, 3.0, 2.0, 4.0]), [2.0, 3.0, 4.0]);
        assert_eq!(quartiles(&[4.0, 1.0, 3.0, 2.0]), [1.75, 2.5, 3.25]);
    }
}
