//! A naive multiset of classes, and whether it fits into a table at all.

use std::collections::BTreeMap;

use super::geometry::{Class, Geometry, SLOTS};

/// What the filter should hold.
#[derive(Clone, Debug)]
pub(crate) struct Oracle {
    geometry: Geometry,
    counts: BTreeMap<Class, usize>,
}

impl Oracle {
    pub(crate) fn new(geometry: Geometry) -> Self {
        Self {
            geometry,
            counts: BTreeMap::new(),
        }
    }

    pub(crate) fn count(&self, class: Class) -> usize {
        self.counts.get(&class).copied().unwrap_or(0)
    }

    pub(crate) fn len(&self) -> usize {
        self.counts.values().sum()
    }

    pub(crate) fn add(&mut self, class: Class) {
        *self.counts.entry(class).or_default() += 1;
    }

    /// Takes one copy; false if there is none.
    pub(crate) fn take(&mut self, class: Class) -> bool {
        match self.counts.get_mut(&class) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.counts.clear();
    }

    /// The pairs of buckets of all tokens, one entry each.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.counts
            .iter()
            .flat_map(|(class, &count)| std::iter::repeat_n((class.low, class.high), count))
    }

    /// Whether these tokens and one more have a placement. By a theorem on bipartite matchings (Berge 1957)
    /// that is so exactly if, from any placement of these tokens, a chain of moves makes room for the one.
    pub(crate) fn has_room_for(&self, class: Class) -> bool {
        placeable(
            self.geometry.buckets,
            self.pairs().chain([(class.low, class.high)]),
        )
    }

    /// Tokens that could be in one of the two buckets of `class`. Below eight, the two cannot both be full.
    pub(crate) fn rivals(&self, class: Class) -> usize {
        let touches = |bucket| bucket == class.low || bucket == class.high;
        self.pairs()
            .filter(|&(low, high)| touches(low) || touches(high))
            .count()
    }
}

/// Whether each token can have a slot in one of its two buckets: one augmenting chain after the other.
pub(crate) fn placeable(buckets: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> bool {
    let mut placed = vec![Vec::with_capacity(SLOTS); buckets];
    pairs.into_iter().all(|pair| {
        let mut visited = vec![false; buckets];
        place(&mut placed, &mut visited, pair.0, pair)
            || place(&mut placed, &mut visited, pair.1, pair)
    })
}

fn place(
    placed: &mut [Vec<(usize, usize)>],
    visited: &mut [bool],
    bucket: usize,
    pair: (usize, usize),
) -> bool {
    if std::mem::replace(&mut visited[bucket], true) {
        return false;
    }
    if placed[bucket].len() < SLOTS {
        placed[bucket].push(pair);
        return true;
    }
    (0..SLOTS).any(|slot| {
        let moved = placed[bucket][slot];
        let other = if moved.0 == bucket { moved.1 } else { moved.0 };
        let moves = place(placed, visited, other, moved);
        if moves {
            placed[bucket][slot] = pair;
        }
        moves
    })
}

/// The same by Hall's condition: no set of buckets is the only home of more tokens than it has slots.
/// Exponential in the number of buckets; it checks the check.
pub(crate) fn placeable_by_hall(buckets: usize, pairs: &[(usize, usize)]) -> bool {
    (0u32..1 << buckets).all(|set| {
        let within = |bucket: usize| set >> bucket & 1 == 1;
        let at_home = pairs.iter().filter(|&&(a, b)| within(a) && within(b));
        at_home.count() <= SLOTS * set.count_ones() as usize
    })
}
