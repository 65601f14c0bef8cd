//! What chance explains, and what it does not.

use crate::filter::Room;
use lockfree_cuckoo::Shape;

/// Whether `seen` false positives are too many where `expected` are.
///
/// The spread of such a count is the square root of what is expected. Six times that and ten more do not happen by chance,
/// however small the expectation.
pub(super) fn too_many(seen: u64, expected: f64) -> bool {
    seen as f64 > by_chance(expected)
}

/// The most that happen by chance where so many are expected.
pub(super) fn by_chance(expected: f64) -> f64 {
    expected + 6.0 * expected.sqrt() + 10.0
}

/// What a filter is made of.
#[derive(Clone, Copy)]
pub(super) struct Tables {
    sizes: Sizes,
    shape: Shape,
}

#[derive(Clone, Copy)]
enum Sizes {
    /// One table, of so many slots; one for each generation.
    One(usize),
    /// Tables that double: the first one has room for so many keys.
    Doubling(usize),
}

impl Tables {
    /// The tables of a filter made for `room`, the first of which has so many slots in buckets of this shape.
    pub(super) fn of(room: Room, slots: usize, shape: Shape) -> Self {
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
    pub(super) fn rate(self, used: u64) -> f64 {
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
        for (expected, most) in [(0.0, 10), (0.004, 10), (17.0, 51), (100.0, 170)] {
            assert!(
                !too_many(0, expected) && !too_many(most, expected),
                "{expected}"
            );
            assert!(
                too_many(most + 1, expected) && too_many(1_000_000, expected),
                "{expected}"
            );
        }
    }

    #[test]
    fn tables_that_double_add_up_their_loads() {
        for shape in Shape::ALL {
            let tables = |room| Tables::of(room, 200, shape);
            let loads = |tables: Tables, used| tables.rate(used) / tables.per_load();
            for (used, expected) in [
                (0, 0.0),
                (50, 0.5),
                (100, 1.0),
                (200, 1.5),
                (300, 2.0),
                (700, 3.0),
            ] {
                let doubling = loads(tables(Room::Growing(100)), used);
                assert!((doubling - expected).abs() < 1e-9, "{used}");
            }
            let one = loads(tables(Room::Fixed(100)), 100);
            assert!((one - 0.5).abs() < 1e-9);
        }
    }
}
