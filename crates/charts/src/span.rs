//! What an axis spans: where its values are drawn, and which of them are named.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use crate::Scale;

/// The part of the numbers that an axis shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    scale: Scale,
    low: f64,
    high: f64,
    /// Small powers of two and nothing else, as numbers of threads are. Named as such.
    binary: bool,
    /// Whole numbers and nothing else, as numbers of threads are, too. No others are named.
    whole: bool,
}

/// Room left between the outermost values and the end of the axis, as a share of its length.
const PADDING: f64 = 0.04;

/// The named values of a decade of a logarithmic axis.
const OF_A_DECADE: [f64; 3] = [1.0, 2.0, 5.0];

const LARGEST_BINARY: f64 = 1024.0;

impl Span {
    /// All values, with some room at both ends. If there are none, any span will do.
    pub(super) fn around(scale: Scale, values: &[f64]) -> Self {
        let low = values.iter().copied().reduce(f64::min).unwrap_or(1.0);
        let high = values.iter().copied().reduce(f64::max).unwrap_or(1.0);
        let is_binary = |value: &f64| *value <= LARGEST_BINARY && value.log2().fract() == 0.0;
        let span = Self {
            scale,
            low,
            high,
            binary: scale == Scale::Log && values.iter().all(is_binary),
            whole: scale == Scale::Linear && values.iter().all(|value| value.fract() == 0.0),
        };
        let (low, high) = (span.position(low), span.position(high));
        // A single value gets some room of its own.
        let room = if high > low {
            (high - low) * PADDING
        } else {
            low.abs().max(1.0) * 0.5
        };
        Self {
            low: span.value(low - room),
            high: span.value(high + room),
            ..span
        }
    }

    /// All values, beginning at 0 if it is linear and none is negative.
    pub(super) fn from_zero(scale: Scale, values: &[f64]) -> Self {
        if scale == Scale::Log || values.iter().any(|&value| value < 0.0) {
            return Self::around(scale, values);
        }
        let span = Self::around(scale, &[values, &[0.0]].concat());
        Self { low: 0.0, ..span }
    }

    /// Whether this axis can show the value.
    pub(super) fn can_show(scale: Scale, value: f64) -> bool {
        value.is_finite() && (scale == Scale::Linear || value > 0.0)
    }

    /// Equal distances on the axis are equal differences of this.
    fn position(self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Log => value.log10(),
        }
    }

    fn value(self, position: f64) -> f64 {
        match self.scale {
            Scale::Linear => position,
            Scale::Log => 10f64.powf(position),
        }
    }

    /// Round values at equal steps, at most so many.
    fn steps(self, most: usize) -> Vec<f64> {
        let least = (self.high - self.low) / most as f64;
        let least = if self.whole { least.max(1.0) } else { least };
        let decade = 10f64.powf(least.log10().floor());
        let mut steps = [1.0, 2.0, 5.0].map(|step| step * decade).into_iter();
        let step = steps.find(|&step| step >= least).unwrap_or(10.0 * decade);
        let (first, last) = ((self.low / step).ceil(), (self.high / step).floor());
        (first as i64..=last as i64)
            .map(|nth| nth as f64 * step)
            .collect()
    }

    /// Powers of ten and their multiples, or only those powers that there is room for.
    fn decades(self, most: usize) -> Vec<f64> {
        let powers = self.low.log10().floor() as i32..=self.high.log10().floor() as i32;
        let all: Vec<f64> = powers
            .flat_map(|power| OF_A_DECADE.map(|multiple| multiple * 10f64.powi(power)))
            .filter(|value| (self.low..=self.high).contains(value))
            .collect();
        if all.len() <= most {
            all
        } else {
            self.powers(10.0, most)
        }
    }

    /// The powers of a number, or every nth of them if there are too many.
    fn powers(self, base: f64, most: usize) -> Vec<f64> {
        let [first, last] = [self.low, self.high].map(|end| end.log2() / base.log2());
        let powers = first.ceil() as i32..=last.floor() as i32;
        let stride = powers.clone().count().div_ceil(most).max(1);
        powers
            .step_by(stride)
            .map(|power| base.powi(power))
            .collect()
    }
}

impl Ranged for Span {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, &value: &f64, (start, end): (i32, i32)) -> i32 {
        let [low, high, at] = [self.low, self.high, value].map(|value| self.position(value));
        start + (f64::from(end - start) * (at - low) / (high - low)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let most = hint.max_num_points().max(1);
        let values = match self.scale {
            Scale::Linear => Vec::new(),
            Scale::Log if self.binary => self.powers(2.0, most),
            Scale::Log => self.decades(most),
        };
        // Less than a decade has too few round values of that kind.
        if values.len() < 3 {
            self.steps(most)
        } else {
            values
        }
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Span {
    fn format_ext(&self, &value: &f64) -> String {
        short(value)
    }
}

/// A number as short as an axis wants it: 2.5, 40k, 3M.
fn short(value: f64) -> String {
    let (divisor, suffix) = match value.abs() {
        size if size >= 1e9 => (1e9, "G"),
        size if size >= 1e6 => (1e6, "M"),
        size if size >= 1e4 => (1e3, "k"),
        _ => (1.0, ""),
    };
    // Nine digits hide that steps of a tenth are not exact.
    let rounded = (value / divisor * 1e9).round() / 1e9;
    format!("{rounded}{suffix}")
}

#[cfg(test)]
mod tests {
    use plotters::coord::ranged1d::BoldPoints;

    use super::*;

    fn named(span: Span, most: usize) -> Vec<String> {
        let values = span.key_points(BoldPoints(most));
        values.into_iter().map(short).collect()
    }

    #[test]
    fn names_round_values() {
        let linear = |values: &[f64]| named(Span::around(Scale::Linear, values), 9);
        let log = |values: &[f64], most| named(Span::around(Scale::Log, values), most);
        let zero = Span::from_zero(Scale::Linear, &[0.3, 1.0]);
        assert_eq!(named(zero, 6), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(linear(&[1.0, 2.0, 3.0, 4.0]), ["1", "2", "3", "4"]);
        assert_eq!(log(&[1.0, 4.0, 16.0], 10), ["1", "2", "4", "8", "16"]);
        assert_eq!(log(&[1.0, 60.0], 10), ["1", "2", "5", "10", "20", "50"]);
        assert_eq!(log(&[1.0, 1e6], 4), ["1", "100", "10k", "1M"]);
        assert_eq!(log(&[95.0, 98.0], 4), ["95", "96", "97", "98"]);
    }

    #[test]
    fn draws_values_where_they_belong() {
        let span = Span::around(Scale::Log, &[1.0, 100.0]);
        assert_eq!(span.map(&10.0, (0, 200)), 100);
        assert_eq!(span.map(&span.low, (200, 0)), 200);
        assert_eq!(span.map(&span.high, (200, 0)), 0);
    }

    #[test]
    fn none_and_one_value_make_a_span() {
        for scale in [Scale::Linear, Scale::Log] {
            for values in [&[][..], &[7.0], &[0.001, 0.001]] {
                let span = Span::around(scale, values);
                assert!(span.low < span.high, "{span:?}");
                assert!(!named(span, 5).is_empty(), "{span:?}");
            }
        }
    }
}
