//! The path search: how to make room in a full pair of buckets.
//!
//! A breadth-first search from both candidates over "this token could go to its alternate" finds a shortest
//! chain of relocations that ends in a vacant slot (Li, Andersen, Kaminsky, Freedman, EuroSys 2014). It only
//! reads. What it found may be outdated at once; each hop is checked again when it is executed.

use crate::bucket::Bucket;
use crate::expansion::Expansion;
use crate::fingerprint::Fingerprint;
use crate::geometry::Candidates;
use crate::hop::Hop;
use crate::sync;
use crate::tokens::Tokens;

/// How the search came to a bucket: from which node, by moving what. 0 for a candidate of the item.
#[derive(Clone, Copy, Debug)]
struct Arrival(u32);

impl Arrival {
    const AT_A_CANDIDATE: Self = Self(0);

    fn new(parent: usize, moved: Fingerprint) -> Self {
        // Nodes are fewer than MAX_BUDGET.
        Self((parent as u32) << 16 | u32::from(moved.bits()))
    }

    fn parent_and_moved(self) -> Option<(usize, Fingerprint)> {
        Fingerprint::from_bits(self.0 as u16).map(|moved| ((self.0 >> 16) as usize, moved))
    }
}

#[derive(Debug)]
pub(crate) enum Found<'a> {
    /// A candidate has a vacant slot after all.
    Room,
    Path(Path<'a>),
    Nothing,
}

/// The hops of a path, from the vacant slot back to a candidate: the order in which they are executed.
#[derive(Debug)]
pub(crate) struct Path<'a> {
    buckets: &'a [usize],
    arrivals: &'a [Arrival],
    destination: usize,
    next: Arrival,
}

/// A node that is expanded has three or four buckets examined, seldom fewer, so a third as many nodes as
/// buckets use up the budget.
const fn nodes_for(budget: usize) -> usize {
    budget.div_ceil(3) + 2
}

/// Nearly all searches end within this many buckets; a small frame is cheap to have.
const SHORT_BUDGET: usize = if sync::MODEL { 8 } else { 256 };

/// The two candidates themselves. A filter with this budget relocates nothing.
pub(crate) const MIN_BUDGET: usize = 2;

/// Largest number of buckets that a search may examine.
pub(crate) const MAX_BUDGET: usize = if sync::MODEL { 32 } else { 4096 };

/// In a table of up to this many buckets the search remembers where it was, so that with the largest budget it
/// finds a path if there is one. In larger ones it seldom comes to a bucket twice.
const REMEMBERED: usize = 1024;

/// The nodes of one search, on the stack: the full buckets it came through. Arrays of plain integers, because
/// those are cheap to set to 0.
pub(crate) struct Search<const BUDGET: usize, const NODES: usize> {
    buckets: [usize; NODES],
    contents: [u64; NODES],
    arrivals: [Arrival; NODES],
    len: usize,
    visited: [u64; REMEMBERED / 64],
}

pub(crate) type ShortSearch = Search<SHORT_BUDGET, { nodes_for(SHORT_BUDGET) }>;
pub(crate) type LongSearch = Search<MAX_BUDGET, { nodes_for(MAX_BUDGET) }>;

impl<const BUDGET: usize, const NODES: usize> Search<BUDGET, NODES> {
    #[inline]
    pub(crate) fn new() -> Self {
        Self {
            buckets: [0; NODES],
            contents: [0; NODES],
            arrivals: [Arrival::AT_A_CANDIDATE; NODES],
            len: 0,
            visited: [0; REMEMBERED / 64],
        }
    }

    /// Whether a search within `budget` fits.
    pub(crate) fn suits(budget: usize) -> bool {
        budget <= BUDGET
    }

    /// Looks for the shortest path that opens a slot for `class`, examining at most `budget` buckets, and no
    /// more than this search has room for.
    pub(crate) fn run(&mut self, tokens: &Tokens, class: Candidates, budget: usize) -> Found<'_> {
        let remember = tokens.geometry.buckets() <= REMEMBERED;
        for bucket in [class.first, class.second] {
            let content = tokens.peek(bucket);
            if content.has_room() {
                return Found::Room;
            }
            self.push(bucket, content, Arrival::AT_A_CANDIDATE);
            if remember {
                visit(&mut self.visited, bucket);
            }
        }
        let mut left = budget.min(BUDGET).saturating_sub(2);
        let mut parent = 0;
        while parent < self.len && left > 0 {
            let source = self.buckets[parent];
            let content = Bucket::from_bits(self.contents[parent]);
            let expansion = if remember || left < Bucket::SLOTS {
                Expansion::of(tokens, source, content, |bucket| {
                    let old = remember && !visit(&mut self.visited, bucket);
                    let skip = old || left == 0;
                    left -= usize::from(!skip);
                    skip
                })
            } else {
                left -= Bucket::SLOTS;
                Expansion::of(tokens, source, content, |_| false)
            };
            if let Some((slot, moved)) = expansion.movable() {
                return Found::Path(Path {
                    buckets: &self.buckets[..self.len],
                    arrivals: &self.arrivals[..self.len],
                    destination: expansion.buckets[slot],
                    next: Arrival::new(parent, moved),
                });
            }
            let came_from = self.came_from(parent);
            for (slot, moved) in expansion.examined() {
                let bucket = expansion.buckets[slot];
                let repeated = expansion.buckets[..slot].contains(&bucket);
                if bucket != came_from && !repeated {
                    let content = expansion.contents[slot];
                    self.push(bucket, content, Arrival::new(parent, moved));
                    // The next level of the search: its turn comes some expansions later.
                    for token in content.fingerprints() {
                        tokens
                            .table
                            .prefetch(tokens.geometry.alternate(bucket, token));
                    }
                }
            }
            parent += 1;
        }
        Found::Nothing
    }

    /// The bucket that a move out of a node need not go back to: the one it was reached from; for a
    /// candidate, the other one.
    fn came_from(&self, node: usize) -> usize {
        match self.arrivals[node].parent_and_moved() {
            Some((parent, _)) => self.buckets[parent],
            None => self.buckets[1 - node],
        }
    }

    fn push(&mut self, bucket: usize, content: Bucket, arrival: Arrival) {
        // Nodes past the end are given up; unless many buckets hold equal fingerprints, the budget would be
        // spent before they are expanded.
        if self.len < NODES {
            self.buckets[self.len] = bucket;
            self.contents[self.len] = content.bits();
            self.arrivals[self.len] = arrival;
            self.len += 1;
        }
    }
}

/// Marks a bucket of a small table; false if it was marked before.
fn visit(visited: &mut [u64; REMEMBERED / 64], bucket: usize) -> bool {
    let word = &mut visited[bucket / 64];
    let fresh = *word & 1 << (bucket % 64) == 0;
    *word |= 1 << (bucket % 64);
    fresh
}

impl Iterator for Path<'_> {
    type Item = Hop;

    fn next(&mut self) -> Option<Hop> {
        let (parent, moved) = self.next.parent_and_moved()?;
        let (source, arrival) = (self.buckets[parent], self.arrivals[parent]);
        let hop = Hop {
            moved,
            source,
            destination: self.destination,
            last: arrival.parent_and_moved().is_none(),
        };
        self.destination = source;
        self.next = arrival;
        Some(hop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Geometry;

    /// A table that random items have filled until one was refused a direct place, and that item.
    fn crowded(buckets: usize) -> (Tokens, Candidates) {
        let geometry = Geometry::with_buckets(buckets).expect("accepted");
        let tokens = Tokens::new(geometry, MAX_BUDGET, 1).expect("memory");
        let mut hash = 1u64;
        loop {
            hash = hash.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
            let class = geometry.candidates(hash ^ hash >> 32);
            if [class.first, class.second]
                .iter()
                .all(|&bucket| !tokens.peek(bucket).has_room())
            {
                return (tokens, class);
            }
            tokens.insert(hash ^ hash >> 32).expect("there is room");
        }
    }

    #[test]
    fn a_path_leads_from_a_vacant_slot_to_a_candidate() {
        for buckets in [16, 64, 256, 3 << 8, 1 << 11, 3 << 10] {
            let (tokens, class) = crowded(buckets);
            let mut search = ShortSearch::new();
            let Found::Path(path) = search.run(&tokens, class, SHORT_BUDGET) else {
                panic!("no path in a table with vacant slots");
            };
            let hops: Vec<Hop> = path.collect();
            assert!(tokens.peek(hops[0].destination).has_room());
            for (at, hop) in hops.iter().enumerate() {
                assert!(tokens.peek(hop.source).contains(hop.moved));
                assert_eq!(
                    tokens.geometry.alternate(hop.source, hop.moved),
                    hop.destination
                );
                match hops.get(at + 1) {
                    Some(next) => assert!(!hop.last && next.destination == hop.source),
                    None => {
                        assert!(hop.last && [class.first, class.second].contains(&hop.source));
                    }
                }
            }
        }
    }

    #[test]
    fn a_budget_of_two_sees_the_candidates_only() {
        let (tokens, class) = crowded(64);
        let mut search = ShortSearch::new();
        assert!(matches!(search.run(&tokens, class, 2), Found::Nothing));
    }
}
