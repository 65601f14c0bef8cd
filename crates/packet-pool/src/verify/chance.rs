//! What chance explains, and what it does not.

use crate::filters::Room;
use lockfree_cuckoo::Shape;

/// Whether `seen` false positives are too many where `expected` are.
///
/// The spread of such a count is the square root of what is expected. Six times
/// that and ten more do not happen by chance, however small the expectation.
pub(crate) fn too_many(seen: u64, expected: f64) -> bool {
    seen as f64 > by_chance(expected)
}

/// The most that happen by chance where so many are expected.
pub(crate) fn by_chance(expected: f64) -> f64 {
    expected + 6.0 * expected.sqrt() + 10.0
}

/// What the filters of a run are made of.
#[derive(Clone, Copy)]
pub(crate) struct Tables {
    sizes: Sizes,
    shape: Shape,
}

#[derive(Clone, Copy)]
enum Sizes {
    /// One table each, of so many slots.
    One(usize),
    /// Tables that double: the first one has room for so many keys.
    Doubling(usize),
}

impl Tables {
    /// The tables of filters made for `room`, the last of which had so many slots in buckets of this shape.
    pub(crate) fn of(room: Room, slots: usize, shape: Shape) -> Self {
        let sizes = match room {
            Room::Fixed(_) => Sizes::One(slots),
            Room::Growing(keys) => Sizes::Doubling(keys.max(1)),
        };
        Self { sizes, shape }
    }

    /// The rate of a table that is full. A fingerprint is not 0.
    fn per_load(self) -> f64 {
        let fingerprints = (1_u64 << self.shape.fingerprint_bits()) - 1;
        (2 * self.shape.slots()) as f64 / fingerprints as f64
    }

    /// How often a filter with so many keys is wrong about a key that it does not hold: any of the tokens in two
    /// buckets of a table may be the key's by chance.
    ///
    /// A table that doubles takes some more keys than it has room for, so for these it is a bound from above.
    pub(crate) fn rate(self, used: u64) -> f64 {
        let loads = match self.sizes {
            Sizes::One(slots) => used as f64 / slots as f64,
            Sizes::Doubling(first) => {
                let (mut loads, mut rest, mut size) = (0.0, used as f64, first as f64);
                while rest > 0.0 {
                    loads += (rest / size).min(1.0);
                    rest -= size;
                    size *= 2.0;
                }
                loads
            }
        };
        self.per_load() * loads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_more_than_chance_gives_is_too_many() {
        for (seen, expected) in [
            (0, 0.0),
            (10, 0.0),
            (0, 17.0),
            (17, 17.0),
            (30, 17.0),
            (51, 17.0),
            (170, 100.0),
        ] {
            assert!(!too_many(seen, expected), "{seen} of {expected}");
        }
        for (seen, expected) in [
            (11, 0.0),
            (500, 0.004),
            (52, 17.0),
            (171, 100.0),
            (1_000_000, 17.0),
        ] {
            assert!(too_many(seen, expected), "{seen} of {expected}");
        }
    }

    #[test]
    fn tables_that_double_add_up_their_loads() {
        for shape in Shape::ALL {
            check(shape);
        }
    }

    fn check(shape: Shape) {
        let tables = |room| Tables::of(room, 200, shape);
        let doubling = tables(Room::Growing(100));
        let loads = |used| doubling.rate(used) / doubling.per_load();
        for (used, expected) in [(0, 0.0), (50, 0.5), (100, 1.0), (200, 1.5), (300, 2.0)] {
            assert!((loads(used) - expected).abs() < 1e-9, "{used}");
        }
        assert!((loads(700) - 3.0).abs() < 1e-9);
        let one = tables(Room::Fixed(100));
        assert!((one.rate(100) / one.per_load() - 0.5).abs() < 1e-9);
    }
}
