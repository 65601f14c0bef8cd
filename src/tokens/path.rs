//! The path search: how to make room in a full pair of buckets.
//!
//! A breadth-first search from both candidates over "this token could go to its alternate" finds a shortest chain
//! of relocations that ends in a vacant slot (Li, Andersen, Kaminsky, Freedman, EuroSys 2014). It only reads. Its
//! result may be outdated at once, so each hop is checked again when it is executed.
//!
//! All alternates of a full bucket are loaded and judged together, so that the processor waits for memory once, and for
//! one branch.
//!
//! Two kinds of table can be searched: one of a fixed size, and one that doubles.

use core::fmt::Debug;
use core::marker::PhantomData;

use super::descriptor::Pool;
use crate::layout::{Arenas, Array, Bucket, LONG_BUDGET, Layout, REMEMBERED, SHORT_BUDGET, Token};
use crate::table::sizing::pair_slots;
use crate::table::{Candidates, Reference};

/// The view of a table that a path search needs: the buckets, and the other bucket of each token. Also the execution of
/// a path there.
pub(super) trait CuckooGraph<L: Layout> {
    /// The number of buckets that a search can reach.
    fn buckets(&self) -> usize;
    /// Maximum number of buckets that one search examines.
    fn budget(&self) -> usize;
    /// The content of a bucket at some moment. If it is no longer there, or not yet, it is empty.
    fn look(&self, bucket: usize) -> Bucket<L>;
    /// The other bucket of a token.
    fn other(&self, bucket: usize, token: Token<L>) -> usize;
    /// Prefetches a bucket.
    fn fetch(&self, bucket: usize);
    /// The number of tokens in a bucket that go wherever the item of this class goes.
    fn copies(&self, bucket: usize, content: Bucket<L>, class: Candidates) -> usize;
    /// The descriptors.
    fn pool(&self) -> &Pool<L>;
    /// The content of a bucket at a time when its word is not frozen. `None` if it is not there.
    fn settle(&self, bucket: usize) -> Option<Bucket<L>>;
    /// Freezes the word of a bucket that holds `before`. Returns false if it has changed.
    fn freeze(&self, bucket: usize, before: Bucket<L>, reference: Reference<L>) -> bool;
    /// Tells lookups and a scan under way that a token of this bucket is about to change places.
    fn announce(&self, bucket: usize, token: Token<L>);
    /// Writes back what a frozen word holds. If that fails, another thread has done it.
    fn thaw(&self, bucket: usize, reference: Reference<L>, content: Bucket<L>);
}

/// One relocation of a path: the arguments of a relocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hop<L> {
    pub(super) moved: Token<L>,
    pub(super) source: usize,
    pub(super) destination: usize,
    /// Whether the source is a candidate of the item, so that this hop completes the path.
    pub(super) last: bool,
}

/// The tokens of a full bucket, their alternate buckets, and the contents of those.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expansion<L: Layout> {
    source: usize,
    content: Bucket<L>,
    pub(super) buckets: L::PerSlot<usize>,
    pub(super) contents: L::PerSlot<Bucket<L>>,
    /// One bit for each slot whose alternate has been examined.
    examined: u32,
}

impl<L: Layout> Expansion<L> {
    /// Expands a bucket that holds `content`. Skips the given alternates.
    #[inline]
    pub(super) fn of(
        graph: &impl CuckooGraph<L>,
        source: usize,
        content: Bucket<L>,
        mut skip: impl FnMut(usize) -> bool,
    ) -> Self {
        let mut buckets = L::PerSlot::filled(0);
        let mut contents = L::PerSlot::filled(Bucket::EMPTY);
        let mut examined = 0;
        for (slot, token) in content.tokens().enumerate() {
            let bucket = graph.other(source, token);
            buckets.as_mut_slice()[slot] = bucket;
            if !skip(bucket) {
                contents.as_mut_slice()[slot] = graph.look(bucket);
                examined |= 1 << slot;
            }
        }
        Self {
            source,
            content,
            buckets,
            contents,
            examined,
        }
    }

    /// The slots whose alternates have been examined.
    #[inline]
    fn examined(&self) -> impl Iterator<Item = usize> {
        (0..L::SLOTS).filter(|slot| self.examined >> slot & 1 != 0)
    }

    /// A slot whose token has room in its alternate.
    #[inline]
    fn movable(&self) -> Option<usize> {
        match self.rooms() {
            0 => None,
            rooms => Some(rooms.trailing_zeros() as usize),
        }
    }

    /// One bit for each slot whose token has room in its alternate.
    #[inline]
    fn rooms(&self) -> u32 {
        let bit = |(slot, content): (usize, &Bucket<L>)| u32::from(content.has_room()) << slot;
        let rooms: u32 = self.contents.as_slice().iter().enumerate().map(bit).sum();
        rooms & self.examined
    }

    #[inline]
    fn moved(&self, slot: usize) -> Option<Token<L>> {
        self.content.occupant(slot)
    }
}

/// Number of buckets examined to find out whether one hop is enough: both candidates and their alternates.
pub(super) const fn near<L: Layout>() -> usize {
    2 + pair_slots::<L>()
}

/// One hop that opens a slot in one of two full candidates, if one is enough. Most paths are that short.
#[inline]
pub(super) fn near_hop<L: Layout>(a: &Expansion<L>, b: &Expansion<L>) -> Option<Hop<L>> {
    let rooms = a.rooms() | b.rooms() << L::SLOTS;
    if rooms == 0 {
        return None;
    }
    let slot = rooms.trailing_zeros() as usize;
    let (expansion, slot) = ([a, b][slot / L::SLOTS], slot % L::SLOTS);
    Some(Hop {
        moved: expansion.moved(slot)?,
        source: expansion.source,
        destination: expansion.buckets.as_slice()[slot],
        last: true,
    })
}

/// How the search reached a bucket: from which node, by moving the token of which slot. 0 for a candidate of the item.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival(u32);

/// Bits of a slot, and of 1 more.
const SLOT_BITS: u32 = 8;

impl Arrival {
    const AT_A_CANDIDATE: Self = Self(0);

    fn new(parent: usize, slot: usize) -> Self {
        // Nodes are fewer than LONG_BUDGET.
        Self((parent as u32) << SLOT_BITS | (slot as u32 + 1))
    }

    fn parent_and_slot(self) -> Option<(usize, usize)> {
        let slot = (self.0 & ((1 << SLOT_BITS) - 1)).checked_sub(1)?;
        Some(((self.0 >> SLOT_BITS) as usize, slot as usize))
    }
}

/// Number of nodes whose alternates the search prefetches in advance. More would be in vain: half of the expansions
/// find room. Fewer would wait for memory.
const AHEAD: usize = 6;

#[derive(Debug)]
pub(super) enum Found<'a, L> {
    /// A candidate has a vacant slot now.
    Room,
    Path(Path<'a, L>),
    Nothing,
}

/// The hops of a path, from the vacant slot back to a candidate: the order in which they are executed.
#[derive(Debug)]
pub(super) struct Path<'a, L> {
    buckets: &'a [usize],
    contents: &'a [u64],
    arrivals: &'a [Arrival],
    destination: usize,
    next: Arrival,
    layout: PhantomData<L>,
}

/// The room for the nodes of one kind of search: three arrays of plain integers, which are cheap to zero.
pub(super) trait Arena<L> {
    /// Maximum number of buckets that a search with this room examines.
    const BUDGET: usize;
    type Of<T: Copy + Debug>: Array<T>;
}

/// Room for a short search, and for a long one.
pub(super) struct Short;
pub(super) struct Long;

impl<L: Layout> Arena<L> for Short {
    const BUDGET: usize = SHORT_BUDGET;
    type Of<T: Copy + Debug> = <L::Arenas as Arenas>::Short<T>;
}

impl<L: Layout> Arena<L> for Long {
    const BUDGET: usize = LONG_BUDGET;
    type Of<T: Copy + Debug> = <L::Arenas as Arenas>::Long<T>;
}

/// The nodes of one search, on the stack: the full buckets that it has reached.
pub(super) struct Search<L, A: Arena<L>> {
    buckets: A::Of<usize>,
    contents: A::Of<u64>,
    arrivals: A::Of<Arrival>,
    len: usize,
    visited: [u64; REMEMBERED / 64],
}

pub(super) type ShortSearch<L> = Search<L, Short>;
pub(super) type LongSearch<L> = Search<L, Long>;

impl<L: Layout, A: Arena<L>> Search<L, A> {
    /// Maximum number of nodes.
    const NODES: usize = <A::Of<usize> as Array<usize>>::LEN;

    #[inline]
    pub(super) fn new() -> Self {
        Self {
            buckets: A::Of::filled(0),
            contents: A::Of::filled(0),
            arrivals: A::Of::filled(Arrival::AT_A_CANDIDATE),
            len: 0,
            visited: [0; REMEMBERED / 64],
        }
    }

    /// Whether a search within `budget` fits.
    pub(super) fn suits(budget: usize) -> bool {
        budget <= A::BUDGET
    }

    /// Looks for the shortest path that opens a slot for `class`, examining at most `budget` buckets, and no
    /// more than this search has room for.
    pub(super) fn run(
        &mut self,
        graph: &impl CuckooGraph<L>,
        class: Candidates,
        budget: usize,
    ) -> Found<'_, L> {
        let remember = graph.buckets() <= REMEMBERED;
        for bucket in [class.first, class.second] {
            let content = graph.look(bucket);
            if content.has_room() {
                return Found::Room;
            }
            self.push(bucket, content, Arrival::AT_A_CANDIDATE);
            if remember {
                visit(&mut self.visited, bucket);
            }
        }
        let mut left = budget.min(A::BUDGET).saturating_sub(2);
        let mut parent = 0;
        // The near search has examined the alternates of the candidates.
        let mut fetched = 2;
        while parent < self.len && left > 0 {
            let source = self.buckets.as_slice()[parent];
            let content = Bucket::from_bits(self.contents.as_slice()[parent]);
            let expansion = if remember || left < L::SLOTS {
                Expansion::of(graph, source, content, |bucket| {
                    let old = remember && !visit(&mut self.visited, bucket);
                    let skip = old || left == 0;
                    left -= usize::from(!skip);
                    skip
                })
            } else {
                left -= L::SLOTS;
                Expansion::of(graph, source, content, |_| false)
            };
            let buckets = expansion.buckets.as_slice();
            if let Some(slot) = expansion.movable() {
                return Found::Path(Path {
                    buckets: &self.buckets.as_slice()[..self.len],
                    contents: &self.contents.as_slice()[..self.len],
                    arrivals: &self.arrivals.as_slice()[..self.len],
                    destination: buckets[slot],
                    next: Arrival::new(parent, slot),
                    layout: PhantomData,
                });
            }
            let came_from = self.came_from(parent);
            for slot in expansion.examined() {
                let bucket = buckets[slot];
                let repeated = buckets[..slot].contains(&bucket);
                if bucket != came_from && !repeated {
                    let content = expansion.contents.as_slice()[slot];
                    self.push(bucket, content, Arrival::new(parent, slot));
                }
            }
            parent += 1;
            while fetched < self.len.min(parent + AHEAD) {
                self.fetch(graph, fetched);
                fetched += 1;
            }
        }
        Found::Nothing
    }

    /// The bucket that a move out of a node need not go back to: the one it was reached from; for a
    /// candidate, the other one.
    fn came_from(&self, node: usize) -> usize {
        let buckets = self.buckets.as_slice();
        match self.arrivals.as_slice()[node].parent_and_slot() {
            Some((parent, _)) => buckets[parent],
            None => buckets[1 - node],
        }
    }

    /// Prefetches the buckets that a node leads to.
    #[inline]
    fn fetch(&self, graph: &impl CuckooGraph<L>, node: usize) {
        let bucket = self.buckets.as_slice()[node];
        let content = Bucket::from_bits(self.contents.as_slice()[node]);
        for token in content.tokens() {
            graph.fetch(graph.other(bucket, token));
        }
    }

    fn push(&mut self, bucket: usize, content: Bucket<L>, arrival: Arrival) {
        // Drops nodes past the end. Unless many buckets hold equal fingerprints, the budget is used up before these
        // nodes are expanded.
        if self.len < Self::NODES {
            self.buckets.as_mut_slice()[self.len] = bucket;
            self.contents.as_mut_slice()[self.len] = content.bits();
            self.arrivals.as_mut_slice()[self.len] = arrival;
            self.len += 1;
        }
    }
}

/// Marks a bucket of a small table; false if it was marked before.
fn visit(visited: &mut [u64; REMEMBERED / 64], bucket: usize) -> bool {
    // As many consecutive numbers as there are buckets, from any first number.
    let bucket = bucket % REMEMBERED;
    let word = &mut visited[bucket / 64];
    let fresh = *word & 1 << (bucket % 64) == 0;
    *word |= 1 << (bucket % 64);
    fresh
}

impl<L: Layout> Iterator for Path<'_, L> {
    type Item = Hop<L>;

    fn next(&mut self) -> Option<Hop<L>> {
        let (parent, slot) = self.next.parent_and_slot()?;
        let (source, arrival) = (self.buckets[parent], self.arrivals[parent]);
        let hop = Hop {
            moved: Bucket::from_bits(self.contents[parent]).occupant(slot)?,
            source,
            destination: self.destination,
            last: arrival.parent_and_slot().is_none(),
        };
        self.destination = source;
        self.next = arrival;
        Some(hop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Fingerprint, Lanes, SemiSorted, Token};
    use crate::table::{Geometry, Table};
    use crate::tokens::parts::Tokens;

    type FourBySixteen = Lanes<4, 16>;
    type ShortSearch = super::ShortSearch<FourBySixteen>;

    /// A table full of random tokens, except for one slot of the bucket `vacant`.
    fn full_but_for_one<L: Layout>(buckets: usize, vacant: usize, seed: u64) -> Tokens<L> {
        let table = Table::new(Geometry::with_buckets(buckets).expect("accepted")).expect("memory");
        let mut tokens = Tokens::with_table(table, LONG_BUDGET, Some(1)).expect("memory");
        let mut random = seed;
        for bucket in 0..buckets {
            let mut content = Bucket::EMPTY;
            while content.vacancies() > u32::from(bucket == vacant) {
                random = random.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
                let fingerprint = Fingerprint::of_hash::<L>(random >> 32);
                let longer = content.with(Token::of(fingerprint));
                content = longer.unwrap_or(content);
            }
            tokens.table.set(bucket, content);
        }
        tokens
    }

    /// Where an unbounded search reaches the vacant slot: after how many buckets, and from which node.
    fn far<L: Layout>(tokens: &Tokens<L>, class: Candidates) -> Option<(usize, usize)> {
        let mut nodes = vec![class.first, class.second];
        if nodes.iter().any(|&bucket| tokens.peek(bucket).has_room()) {
            return None;
        }
        let mut parent = 0;
        while let Some(&source) = nodes.get(parent) {
            for token in tokens.peek(source).tokens() {
                let bucket = tokens.table.alternate(source, token.fingerprint());
                if !nodes.contains(&bucket) {
                    nodes.push(bucket);
                }
                if tokens.peek(bucket).has_room() {
                    return Some((nodes.len(), parent));
                }
            }
            parent += 1;
        }
        None
    }

    #[test]
    fn a_search_examines_as_many_buckets_as_it_may() {
        let mut seen = 0;
        for seed in 0..50 {
            let tokens = full_but_for_one::<FourBySixteen>(64, 7, seed);
            let class = tokens.table.candidates(seed << 58 | seed);
            let Some((buckets, _)) = far(&tokens, class) else {
                continue;
            };
            let finds = |budget| {
                let mut search = ShortSearch::new();
                matches!(search.run(&tokens, class, budget), Found::Path(_))
            };
            assert!(finds(buckets), "it is the last of {buckets}");
            assert!(!finds(buckets - 1), "{buckets}, one more than allowed");
            seen += 1;
        }
        assert!(seen > 25, "{seen} with a path");
    }

    fn has_room_for_all_nodes<L: Layout>() {
        let mut latest = 0;
        for seed in 0..200 {
            let tokens = full_but_for_one::<L>(REMEMBERED, 7, seed);
            let class = tokens.table.candidates(seed << 56 | seed);
            let Some((_, parent)) = far(&tokens, class) else {
                continue;
            };
            let mut search = LongSearch::<L>::new();
            let found = search.run(&tokens, class, LONG_BUDGET);
            assert!(matches!(found, Found::Path(_)), "none from node {parent}");
            latest = latest.max(parent);
        }
        // The slot is in the very last bucket, and one of several nodes leads there.
        let last = REMEMBERED - REMEMBERED / L::SLOTS;
        assert!(latest > last * 5 / 6, "node {latest} at most");
    }

    #[test]
    fn a_search_has_room_for_all_nodes_of_a_table_that_it_remembers() {
        has_room_for_all_nodes::<Lanes<8, 8>>();
        has_room_for_all_nodes::<Lanes<6, 10>>();
        has_room_for_all_nodes::<SemiSorted<5, 14>>();
        has_room_for_all_nodes::<Lanes<4, 16>>();
        has_room_for_all_nodes::<Lanes<3, 21>>();
        has_room_for_all_nodes::<Lanes<2, 31>>();
    }
}
