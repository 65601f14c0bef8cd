//! The oracle: the multiset of classes that a filter should hold, and whether it fits into a table
//! at all.

use std::collections::BTreeMap;

use crate::geometry::{Class, Geometry};

/// The expected content of a filter.
#[derive(Clone, Debug)]
pub struct Oracle {
    geometry: Geometry,
    counts: BTreeMap<Class, usize>,
}

impl Oracle {
    /// Makes an empty oracle for a table of this geometry.
    #[must_use]
    pub fn new(geometry: Geometry) -> Self {
        Self {
            geometry,
            counts: BTreeMap::new(),
        }
    }

    /// Returns the number of copies of a class.
    #[must_use]
    pub fn count(&self, class: Class) -> usize {
        self.counts.get(&class).copied().unwrap_or(0)
    }

    /// Returns the number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.counts.values().sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds one copy, whether or not it fits.
    pub fn add(&mut self, class: Class) {
        *self.counts.entry(class).or_default() += 1;
    }

    /// Removes one copy; false if there is none.
    pub fn take(&mut self, class: Class) -> bool {
        match self.counts.get_mut(&class) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.counts.clear();
    }

    /// Returns the pair of buckets of each token.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.counts
            .iter()
            .flat_map(|(class, &count)| std::iter::repeat_n((class.low, class.high), count))
    }

    /// Whether these tokens and one more have a placement. By a theorem on bipartite matchings
    /// (Berge 1957) that is so exactly if, from any placement of these tokens, a chain of moves
    /// makes room for it.
    #[must_use]
    pub fn has_room_for(&self, class: Class) -> bool {
        let all = self.pairs().chain([(class.low, class.high)]);
        placeable(self.geometry, all)
    }

    /// Returns the number of tokens that could be in one of the two buckets of `class`. If they are
    /// fewer than the slots of two buckets, the two cannot both be full.
    #[must_use]
    pub fn rivals(&self, class: Class) -> usize {
        let touches = |bucket| bucket == class.low || bucket == class.high;
        self.pairs()
            .filter(|&(low, high)| touches(low) || touches(high))
            .count()
    }
}

/// Whether each token can have a slot in one of its two buckets, decided by augmenting chains.
pub fn placeable(geometry: Geometry, pairs: impl IntoIterator<Item = (usize, usize)>) -> bool {
    let mut placement = Placement {
        slots: geometry.layout.slots,
        placed: vec![Vec::new(); geometry.buckets],
    };
    pairs.into_iter().all(|pair| {
        let mut visited = vec![false; geometry.buckets];
        placement.place(&mut visited, pair.0, pair) || placement.place(&mut visited, pair.1, pair)
    })
}

struct Placement {
    slots: usize,
    /// The tokens of each bucket, by their pairs.
    placed: Vec<Vec<(usize, usize)>>,
}

impl Placement {
    /// Puts a token into this bucket, if necessary by a chain of moves over unvisited buckets.
    fn place(&mut self, visited: &mut [bool], bucket: usize, pair: (usize, usize)) -> bool {
        if std::mem::replace(&mut visited[bucket], true) {
            return false;
        }
        if self.placed[bucket].len() < self.slots {
            self.placed[bucket].push(pair);
            return true;
        }
        (0..self.slots).any(|slot| {
            let moved = self.placed[bucket][slot];
            let other = if moved.0 == bucket { moved.1 } else { moved.0 };
            let moves = self.place(visited, other, moved);
            if moves {
                self.placed[bucket][slot] = pair;
            }
            moves
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use crate::mix;

    /// Small enough for both methods: all kinds of shapes, with one range and with several.
    const TINY: [usize; 6] = [2, 4, 6, 8, 12, 14];

    /// Decides the same by Hall's condition: no set of buckets has to hold more tokens than it has
    /// slots. Exponential in the number of buckets; it checks the other method.
    fn placeable_by_hall(geometry: Geometry, pairs: &[(usize, usize)]) -> bool {
        (0u32..1 << geometry.buckets).all(|set| {
            let within = |bucket: usize| set >> bucket & 1 == 1;
            let at_home = pairs.iter().filter(|&&(a, b)| within(a) && within(b));
            at_home.count() <= geometry.layout.slots * set.count_ones() as usize
        })
    }

    #[test]
    fn both_ways_to_decide_a_placement_agree() {
        for layout in Layout::EVERY {
            let mut outcomes = [0, 0];
            for (round, &buckets) in (0..).zip(TINY.iter().cycle().take(300)) {
                let geometry = Geometry::with_buckets(layout, buckets);
                // About as many tokens as slots, with few fingerprints: some fit, some do not.
                let tokens = geometry.slots() * (50 + mix(round) as usize % 60) / 100;
                let pair = |token| {
                    let random = mix(round << 32 | token);
                    let f = 1 + (random >> 32) as u32 % 12;
                    let class = geometry.class_in(random as usize % buckets, f);
                    (class.low, class.high)
                };
                let pairs: Vec<(usize, usize)> = (0..tokens as u64).map(pair).collect();
                let fits = placeable(geometry, pairs.iter().copied());
                assert_eq!(fits, placeable_by_hall(geometry, &pairs), "{geometry:?}");
                outcomes[usize::from(fits)] += 1;
            }
            assert!(outcomes.iter().all(|&n| n > 20), "{layout:?}: {outcomes:?}");
        }
    }

    /// A pair of buckets has room for as many tokens as it has slots.
    #[test]
    fn room_of_a_pair() {
        for layout in Layout::EVERY {
            let geometry = Geometry::with_buckets(layout, 2);
            let class = geometry.class_in(0, 1);
            let mut oracle = Oracle::new(geometry);
            for copies in 0..2 * layout.slots {
                assert!(oracle.has_room_for(class), "{layout:?}");
                assert_eq!(
                    (oracle.count(class), oracle.rivals(class)),
                    (copies, copies)
                );
                oracle.add(class);
            }
            assert!(!oracle.has_room_for(class), "{layout:?}");
            assert_eq!(oracle.len(), geometry.slots());
            while oracle.take(class) {}
            assert!(oracle.is_empty());
        }
        let oracle = Oracle::new(Geometry::with_buckets(Layout::DEFAULT, 4));
        assert!(oracle.is_empty());
    }
}
