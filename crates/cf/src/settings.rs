//! What a filter is made with.
//!
//! A filter that grows has one layout, that of four slots. A shape says nothing to it, and a rate is where its growth ends.

use lockfree_cuckoo::Shape;

/// What RedisBloom says it is unless told. Which number it is has no effect here, where a filter that grows doubles.
const EXPANSION: u16 = 1;

/// What RedisBloom says it is unless told. It has no effect here, where a search is bounded otherwise.
const MAX_ITERATIONS: u16 = 20;

/// What `CF.RESERVE` says of a filter, and `CF.INFO` repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Items that the filter is made for.
    pub capacity: usize,
    /// 0 for a filter that does not grow. One that does doubles, and keeps the number for `CF.INFO`.
    pub expansion: u16,
    /// Kept for `CF.INFO`; it has no effect.
    pub max_iterations: u16,
    /// The layout of its buckets, or the rate of false positives that it keeps to. Of a filter, the layout that it has.
    pub layout: Layout,
}

impl Settings {
    /// For a filter that grows, or not, with all else as it is unless a client says.
    pub fn new(capacity: usize, grows: bool) -> Self {
        Self {
            capacity,
            expansion: if grows { EXPANSION } else { 0 },
            max_iterations: MAX_ITERATIONS,
            layout: Layout::default(),
        }
    }

    /// Whether the filter grows.
    pub fn grows(&self) -> bool {
        self.expansion != 0
    }
}

/// What is kept of an expansion: the next power of two, as in RedisBloom.
pub fn expansion(given: u16) -> u16 {
    match given {
        0 => 0,
        given => given.next_power_of_two(),
    }
}

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
            .iter()
            .copied()
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
