//! Chance: the numbers of false positives that it explains.

use crate::filter::{Kind, Plan};
use lockfree_cuckoo::layout::Shape;

/// Returns whether `seen` false positives are too many where `expected` are.
///
/// The spread of such a count is the square root of the expected number. Six times that and ten
/// more do not happen by chance, however small the expectation.
pub(super) fn too_many(seen: u64, expected: f64) -> bool {
    seen as f64 > by_chance(expected)
}

/// Returns the most that happen by chance where this many are expected.
pub(super) fn by_chance(expected: f64) -> f64 {
    expected + 6.0 * expected.sqrt() + 10.0
}

/// The tables of a filter.
#[derive(Clone, Copy)]
pub(super) struct Tables {
    /// The slots of one table or generation, or the keys that the first table of a growing filter
    /// has room for.
    size: usize,
    doubles: bool,
    shape: Shape,
}

impl Tables {
    /// Describes the tables of a filter made for `plan`, whose generations have this many slots in
    /// buckets of this shape.
    pub(super) fn of(plan: Plan, slots: usize, shape: Shape) -> Self {
        let doubles = plan.kind == Kind::Growing;
        Self {
            size: if doubles { plan.keys.max(1) } else { slots },
            doubles,
            shape,
        }
    }

    /// Returns the rate of a full table. A fingerprint is not 0.
    fn per_load(self) -> f64 {
        let fingerprints = (1_u64 << self.shape.fingerprint_bits()) - 1;
        (2 * self.shape.slots()) as f64 / fingerprints as f64
    }

    /// Returns how often a filter with this many keys is wrong about an absent key: any of the
    /// fingerprints in two buckets of a table may equal the key's by chance.
    ///
    /// A growing table takes some more keys than it has room for, so for these it is an upper
    /// bound.
    pub(super) fn rate(self, used: u64) -> f64 {
        let (mut loads, mut rest, mut size) = (0.0, used as f64, self.size as f64);
        while self.doubles && rest > size {
            loads += 1.0;
            rest -= size;
            size *= 2.0;
        }
        loads += rest / size;
        self.per_load() * loads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_chance_explains_is_too_many() {
        for (expected, most) in [(0.0, 10), (0.004, 10), (17.0, 51), (100.0, 170)] {
            let wrong = [0, most, most + 1, 1_000_000].map(|seen| too_many(seen, expected));
            assert_eq!(wrong, [false, false, true, true], "{expected}");
        }
    }

    #[test]
    fn growing_tables_add_up_their_loads() {
        for &shape in Shape::ALL {
            let loads = |kind, used| {
                let (keys, rate) = (100, None);
                let tables = Tables::of(Plan { kind, keys, rate }, 200, shape);
                tables.rate(used) / tables.per_load()
            };
            let growing = [0, 50, 100, 200, 300, 700].map(|used| loads(Kind::Growing, used));
            let all = growing.into_iter().chain([loads(Kind::Fixed, 100)]);
            for (loads, expected) in all.zip([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 0.5]) {
                assert!((loads - expected).abs() < 1e-9, "{loads} {expected}");
            }
        }
    }
}
