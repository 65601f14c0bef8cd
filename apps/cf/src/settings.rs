//! Settings: the properties that a filter is made with.
//!
//! A filter that grows has one layout, that of four slots: a shape has no effect on it, and a rate
//! ends its growth.

use std::time::Duration;

use lockfree_cuckoo::layout::{Lanes, Shape};

/// RedisBloom's default. The number has no effect here, where a filter that grows doubles.
const EXPANSION: u16 = 1;

/// RedisBloom's default. It has no effect here, where a search is bounded otherwise.
const MAX_ITERATIONS: u16 = 20;

/// The settings that `CF.RESERVE` gives a filter, and `CF.INFO` repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The items that the filter is made for; with a window, those of one period, as in
    /// [`FilterBuilder::capacity`](lockfree_cuckoo::FilterBuilder::capacity).
    pub capacity: usize,
    /// 0 for a filter that does not grow. A growing one doubles, and keeps the number for
    /// `CF.INFO`.
    pub expansion: u16,
    /// Kept for `CF.INFO`; it has no effect.
    pub max_iterations: u16,
    /// The layout of its buckets, or the highest rate of false positives. The settings of a filter
    /// have its layout.
    pub layout: Layout,
    /// The time for which it knows an item. `None` for a filter that forgets nothing. A filter with
    /// a window does not grow.
    pub window: Option<Window>,
}

impl Settings {
    /// Makes settings for a filter that grows, or not, with defaults for the rest.
    pub fn new(capacity: usize, grows: bool) -> Self {
        Self {
            capacity,
            expansion: if grows { EXPANSION } else { 0 },
            max_iterations: MAX_ITERATIONS,
            layout: Layout::default(),
            window: None,
        }
    }

    /// Returns whether the filter grows.
    pub fn grows(&self) -> bool {
        self.expansion != 0
    }
}

/// The time for which a filter knows an item, and the number of parts in which it forgets.
///
/// The filter keeps the items of each period in a generation. Every period it *rotates*: it forgets
/// the oldest generation, and begins another one. An item stays for at least the length of the
/// window, and for at most one period more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    length: Duration,
    generations: usize,
}

/// The shortest window. With it and the most generations, a period has 7 ms.
pub(crate) const MIN_WINDOW: Duration = Duration::from_millis(100);

/// The longest window: 31 years.
pub(crate) const MAX_WINDOW: Duration = Duration::from_secs(1_000_000_000);

pub(crate) const MIN_GENERATIONS: usize = 2;

/// The most generations of the library.
pub(crate) const MAX_GENERATIONS: usize = 15;

impl Window {
    /// Makes a window of this length. `None` if it is not from 0.1 to 1,000,000,000 seconds long,
    /// or has not 2 to 15 generations.
    pub fn new(length: Duration, generations: usize) -> Option<Self> {
        let is_possible = (MIN_WINDOW..=MAX_WINDOW).contains(&length)
            && (MIN_GENERATIONS..=MAX_GENERATIONS).contains(&generations);
        is_possible.then_some(Self {
            length,
            generations,
        })
    }

    /// Returns the time for which an item stays at least.
    pub fn length(&self) -> Duration {
        self.length
    }

    /// Returns the number of generations. Each is one period.
    pub fn generations(&self) -> usize {
        self.generations
    }

    /// Returns the time between two rotations.
    pub fn period(&self) -> Duration {
        // Rounded up: no item leaves before its time.
        let periods = self.generations as u32 - 1;
        (self.length + Duration::from_nanos(periods.into()) - Duration::from_nanos(1)) / periods
    }
}

/// Rounds an expansion up to a power of two, as RedisBloom does.
pub fn expansion(given: u16) -> u16 {
    match given {
        0 => 0,
        given => given.next_power_of_two(),
    }
}

/// The choice of the layout of a filter that does not grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Layout {
    /// This layout.
    Shape(Shape),
    /// The layout that takes the least memory at this rate of false positives.
    Rate(f64),
}

impl Layout {
    /// Returns the layout with buckets of this many slots, or of the nearest number. The more
    /// slots, the shorter the fingerprints.
    pub(crate) fn of_bucket_size(slots: usize) -> Self {
        let plain = Shape::ALL
            .iter()
            .copied()
            .filter(|shape| shape.value_bits() == 0 && !shape.is_semi_sorted());
        let nearest = plain.min_by_key(|shape| shape.slots().abs_diff(slots));
        Self::Shape(nearest.expect("there are layouts"))
    }
}

/// Chooses buckets of four slots, without a search, because every command asks for it.
impl Default for Layout {
    fn default() -> Self {
        Self::Shape(const { Shape::of::<Lanes<4, 16>>() })
    }
}
