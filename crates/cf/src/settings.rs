//! What a filter is made with.

use crate::layout::Layout;

/// How much larger each segment of a growing filter is than the last, unless a client says.
const EXPANSION: u16 = 2;

/// What RedisBloom says it is unless told. It has no effect here, where a search is bounded otherwise.
const MAX_ITERATIONS: u16 = 20;

/// What `CF.RESERVE` says of a filter, and `CF.INFO` repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Items that the filter is made for.
    pub capacity: usize,
    /// How much larger each segment is than the last; 0 if there is to be one only.
    pub expansion: u16,
    /// Kept for `CF.INFO`; it has no effect.
    pub max_iterations: u16,
    /// The layout of its buckets, or the rate of false positives that it is chosen by. Of a filter, the layout that it
    /// has.
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
}

/// Kinds of filters, by the numbers that stand for them in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of one size.
    Fixed = 1,
    /// Of segments that are added when there is no room.
    Growing = 2,
}
