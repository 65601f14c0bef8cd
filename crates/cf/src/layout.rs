//! Which layout a filter is made with, and the bucket sizes of RedisBloom.
//!
//! A filter that grows has one layout, that of four slots. A shape says nothing to it, and a rate is where its growth ends.

use lockfree_cuckoo::Shape;

/// How the layout of a filter that does not grow is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Layout {
    /// This one.
    Shape(Shape),
    /// The one that takes the least memory and keeps to this rate of false positives.
    Rate(f64),
}

impl Layout {
    /// With buckets of this many slots, or as many as come nearest. The more slots, the shorter the fingerprints.
    pub(crate) fn of_bucket_size(slots: usize) -> Self {
        let plain = Shape::ALL
            .into_iter()
            .filter(|shape| shape.value_bits() == 0 && !shape.is_semi_sorted());
        let nearest = plain.min_by_key(|shape| shape.slots().abs_diff(slots));
        Self::Shape(nearest.expect("there are layouts"))
    }
}

/// Buckets of four slots.
impl Default for Layout {
    fn default() -> Self {
        Self::of_bucket_size(4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the README says.
    #[test]
    fn a_bucket_size_is_a_layout() {
        for (slots, name) in [
            (1, "Lanes<2, 31>"),
            (2, "Lanes<2, 31>"),
            (3, "Lanes<3, 21>"),
            (4, "Lanes<4, 16>"),
            (5, "Lanes<5, 12>"),
            (6, "Lanes<6, 10>"),
            (7, "Lanes<8, 8>"),
            (8, "Lanes<8, 8>"),
            (255, "Lanes<8, 8>"),
        ] {
            match Layout::of_bucket_size(slots) {
                Layout::Shape(shape) => assert_eq!(shape.to_string(), name, "{slots}"),
                rate => panic!("{slots}: {rate:?}"),
            }
        }
    }
}
