//! The path search: how to make room in a full pair of buckets.
//!
//! A breadth-first search from both candidates over "this token could go to its alternate" finds a
//! short chain of relocations that ends in a vacant slot (Li, Andersen, Kaminsky, Freedman, EuroSys
//! 2014). It only reads. Its result may be outdated at once, so each hop is checked again when it
//! is executed.
//!
//! It loads several alternates and judges them together, so that the processor waits for memory
//! once, and for one branch: first all alternates of the candidates, then those of one slot of
//! several full buckets, the top slots first. The token in the top slot came first, and most often
//! by choice and not by a hop, so its alternate has room more often than the others'.
//!
//! Of several vacant slots the search takes one in the emptiest bucket, which leaves more buckets
//! with room. On a tie it moves the token of the lowest slot, so that the top ones keep theirs.
//!
//! What can be searched is a graph: [`CuckooGraph`].

pub(crate) mod sizes;

use core::fmt::Debug;
use core::marker::PhantomData;
use core::ops::Range;

use crate::kernel::change::Words;
use crate::kernel::descriptor::Claim;
use crate::kernel::geometry::Class;
use crate::kernel::layout::{Array, Bucket, Calibrated, Layout, Token};
use crate::kernel::search::sizes::{FRONTIER_WIDTH, LONG_BUDGET, SHORT_BUDGET, VISITED_LIMIT};
use crate::kernel::sizing::pair_slots;

/// The view of a table that a path search needs: the buckets, and the other bucket of each token.
pub(crate) trait CuckooGraph<L: Layout> {
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
}

/// What the execution of a path needs besides.
pub(crate) trait CuckooTable<L: Layout>: CuckooGraph<L> + Words<L> {
    /// The number of tokens in a bucket that go wherever the item of this class goes.
    fn copies(&self, bucket: usize, content: Bucket<L>, class: Class) -> usize;
    /// An unused descriptor. `None` if all of the maximum stay in use for some time.
    fn claim(&self) -> Option<Claim<'_, L>>;
    /// The content of a bucket at a time when its word is not frozen. `None` if it is not there.
    fn settle(&self, bucket: usize) -> Option<Bucket<L>>;
    /// Prefetches what a hop will write.
    fn prefetch_hop(&self, hop: &Hop<L>);
    /// Tells lookups and a scan under way that a token of this bucket is about to change places.
    fn announce(&self, bucket: usize, token: Token<L>);
}

/// One relocation of a path: the arguments of a relocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hop<L> {
    pub(crate) moved: Token<L>,
    pub(crate) source: usize,
    pub(crate) destination: usize,
    /// Whether the source is a candidate of the item, so that this hop completes the path.
    pub(crate) last: bool,
}

/// A candidate, the alternates of its tokens, and the contents of those.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<L: Layout> {
    bucket: usize,
    content: Bucket<L>,
    alternates: L::PerSlot<usize>,
    /// For an alternate that was not examined that of the candidate: it is full.
    contents: L::PerSlot<Bucket<L>>,
}

impl<L: Layout> Candidate<L> {
    /// A full candidate. Examines the alternates of its first `most` slots, but for the `other`
    /// candidate.
    #[inline]
    pub(crate) fn of(
        graph: &impl CuckooGraph<L>,
        bucket: usize,
        content: Bucket<L>,
        other: usize,
        most: usize,
    ) -> Self {
        // Begin as if each token led to the other candidate, which is full as this one is.
        let mut alternates = L::PerSlot::filled(other);
        let mut contents = L::PerSlot::filled(content);
        for (slot, token) in content.tokens().enumerate() {
            // Note where each token can go, and look there, as far as the budget goes. The loads do
            // not depend on each other, so they overlap.
            let alternate = graph.other(bucket, token);
            alternates.as_mut_slice()[slot] = alternate;
            if alternate != other && slot < most {
                contents.as_mut_slice()[slot] = graph.look(alternate);
            }
        }
        Self {
            bucket,
            content,
            alternates,
            contents,
        }
    }

    /// The largest number of vacancies among the alternates, and the lowest slot that leads there.
    #[inline]
    fn emptiest(&self) -> (u32, usize) {
        let contents = self.contents.as_slice().iter().enumerate();
        let ranks = contents.map(|(slot, &content)| ranked(content, slot));
        unranked(ranks.max().unwrap_or(0))
    }
}

/// The vacancies of one of a few buckets, and its place among them, as one number: so the emptiest
/// bucket is found without a branch. On a tie it is the last one.
#[inline]
fn ranked<L: Layout>(content: Bucket<L>, place: usize) -> u32 {
    content.vacancies() << u8::BITS | place as u32
}

#[inline]
fn unranked(rank: u32) -> (u32, usize) {
    (rank >> u8::BITS, (rank & u32::from(u8::MAX)) as usize)
}

/// One hop that opens a slot in one of two full candidates, if one is enough. Most paths are that
/// short.
#[inline]
pub(crate) fn near_hop<L: Layout>([a, b]: [&Candidate<L>; 2]) -> Option<Hop<L>> {
    // Compare the two candidates by the emptiest bucket that a token of theirs can go to.
    let (in_a, in_b) = (a.emptiest(), b.emptiest());
    let (source, (vacancies, slot)) = if in_a > in_b { (a, in_a) } else { (b, in_b) };
    // Find none with room: one hop is not enough.
    if vacancies == 0 {
        return None;
    }
    // Move the token that leads there.
    Some(Hop {
        moved: source.content.occupant(slot)?,
        source: source.bucket,
        destination: source.alternates.as_slice()[slot],
        last: true,
    })
}

/// A bucket that a search has reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    bucket: usize,
    /// Its content when it was read.
    content: u64,
    arrival: Arrival,
}

/// How the search reached a bucket: from which node, by moving the token of which slot. 0 for a
/// candidate of the item.
#[derive(Clone, Copy, Debug)]
struct Arrival(u64);

/// Bits of a slot, and of 1 more.
const SLOT_BITS: u32 = 8;

impl Arrival {
    const AT_A_CANDIDATE: Self = Self(0);

    #[inline]
    fn new(parent: usize, slot: usize) -> Self {
        Self((parent as u64) << SLOT_BITS | (slot as u64 + 1))
    }

    #[inline]
    fn parent_and_slot(self) -> Option<(usize, usize)> {
        let slot = (self.0 & ((1 << SLOT_BITS) - 1)).checked_sub(1)?;
        Some(((self.0 >> SLOT_BITS) as usize, slot as usize))
    }
}

impl Node {
    const NONE: Self = Self {
        bucket: 0,
        content: 0,
        arrival: Arrival::AT_A_CANDIDATE,
    };

    #[inline]
    fn content<L: Layout>(&self) -> Bucket<L> {
        Bucket::from_bits(self.content)
    }
}

/// The hops of a path, from the vacant slot back to a candidate: the order in which they are
/// executed.
#[derive(Clone, Debug)]
pub(crate) struct Path<'a, L> {
    nodes: &'a [Node],
    destination: usize,
    next: Arrival,
    layout: PhantomData<L>,
}

/// The buckets that a search has reached, the candidates first. The last [`FRONTIER_WIDTH`] places
/// are for those that are examined after the room has run out: they are not followed.
struct Reached<L, N> {
    nodes: N,
    len: usize,
    /// The number of further buckets that may be examined.
    left: usize,
    layout: PhantomData<L>,
}

impl<L: Layout, N: Array<Node>> Reached<L, N> {
    #[inline]
    fn add(&mut self, bucket: usize, content: Bucket<L>, arrival: Arrival) {
        self.nodes.as_mut_slice()[self.len] = Node {
            bucket,
            content: content.bits(),
            arrival,
        };
        self.len += 1;
    }

    /// Examines the alternates of the tokens in a slot of some nodes, but for old ones, and adds
    /// them. Of those with room it returns the emptiest.
    #[inline]
    fn examine(
        &mut self,
        graph: &impl CuckooGraph<L>,
        parents: Range<usize>,
        slot: usize,
        mut is_old: impl FnMut(usize) -> bool,
    ) -> Option<usize> {
        let (reached, vacant) = self.nodes.as_mut_slice().split_at_mut(self.len);
        let (mut added, mut left) = (0, self.left);
        let mut emptiest = 0;
        for (parent, source) in parents.clone().zip(&reached[parents]) {
            // Follow the token in this slot. A slot that is vacant by now leads nowhere.
            let Some(token) = source.content::<L>().occupant(slot) else {
                continue;
            };
            let bucket = graph.other(source.bucket, token);
            // Skip what was examined before, and everything once the budget is used up.
            if left == 0 || is_old(bucket) {
                continue;
            }
            left -= 1;
            // Read the bucket without writing, and keep what was read: a hop checks it again.
            let content = graph.look(bucket);
            emptiest = emptiest.max(ranked(content, added));
            vacant[added] = Node {
                bucket,
                content: content.bits(),
                arrival: Arrival::new(parent, slot),
            };
            added += 1;
        }
        let first = self.len;
        self.len += added;
        self.left = left;
        // Return the emptiest of those added, if it has room.
        let (vacancies, place) = unranked(emptiest);
        (vacancies > 0).then_some(first + place)
    }

    /// Prefetches the buckets that the tokens in a slot of some nodes lead to.
    #[inline]
    fn fetch(&self, graph: &impl CuckooGraph<L>, nodes: Range<usize>, slot: usize) {
        for node in &self.nodes.as_slice()[nodes] {
            if let Some(token) = node.content::<L>().occupant(slot) {
                graph.fetch(graph.other(node.bucket, token));
            }
        }
    }

    /// The path to a node with room.
    #[inline]
    fn path_to(&self, node: usize) -> Path<'_, L> {
        // Begin at the vacant slot: each node knows the one that led to it.
        let nodes = self.nodes.as_slice();
        Path {
            nodes,
            destination: nodes[node].bucket,
            next: nodes[node].arrival,
            layout: PhantomData,
        }
    }

    /// Does not follow those of some nodes that the search has reached before: as the bucket that
    /// led to their parent, or by an equal token of the parent.
    fn drop_known(&mut self, some: Range<usize>) {
        let nodes = self.nodes.as_mut_slice();
        for node in some {
            // Keep the candidates.
            let Some((parent, slot)) = nodes[node].arrival.parent_and_slot() else {
                continue;
            };
            // Find the bucket that led to the parent: its token that came from there leads back.
            let before = match nodes[parent].arrival.parent_and_slot() {
                Some((grandparent, _)) => grandparent,
                // The parent is a candidate: the other one.
                None => 1 - parent,
            };
            // Drop the node, if it is that bucket, or if a lower slot of the parent has an equal
            // token, which leads to the same bucket. Without content it leads nowhere.
            let content = nodes[parent].content::<L>();
            if nodes[node].bucket == nodes[before].bucket || content.has_equal_below(slot) {
                nodes[node].content = Node::NONE.content;
            }
        }
    }
}

/// Number of buckets examined to find out whether one hop is enough: both candidates and their
/// alternates.
const fn near<L: Layout>() -> usize {
    2 + pair_slots::<L>()
}

/// A search beyond the alternates of the candidates, with an array for its nodes, which is cheap to
/// zero. It examines `BUDGET` buckets at most.
pub(crate) struct Search<L, N, const BUDGET: usize> {
    reached: Reached<L, N>,
    /// In a small table, the buckets that were examined.
    visited: [u64; VISITED_LIMIT / 64],
}

pub(crate) type ShortSearch<L> = Search<L, <L as Calibrated>::ShortSearch<Node>, SHORT_BUDGET>;
pub(crate) type LongSearch<L> = Search<L, <L as Calibrated>::LongSearch<Node>, LONG_BUDGET>;

impl<L: Layout, N: Array<Node>, const BUDGET: usize> Search<L, N, BUDGET> {
    #[inline]
    pub(crate) fn new() -> Self {
        Self {
            reached: Reached {
                nodes: N::filled(Node::NONE),
                len: 0,
                left: 0,
                layout: PhantomData,
            },
            visited: [0; VISITED_LIMIT / 64],
        }
    }

    /// Whether the search that the graph allows fits. In a small table that may be one through all
    /// buckets, because those that it remembers take nothing from its budget.
    pub(crate) fn suits(graph: &impl CuckooGraph<L>) -> bool {
        let nodes = N::LEN - FRONTIER_WIDTH;
        graph.budget() <= BUDGET && !(nodes + 1..=VISITED_LIMIT).contains(&graph.buckets())
    }

    /// Searches beyond the alternates of both candidates, which have no room. With them it examines
    /// `budget` buckets at most, and no more than it has room for.
    pub(crate) fn run(
        &mut self,
        graph: &impl CuckooGraph<L>,
        candidates: [&Candidate<L>; 2],
        budget: usize,
    ) -> Option<Path<'_, L>> {
        let Self { reached, visited } = self;
        let remember = graph.buckets() <= VISITED_LIMIT;
        let mut is_old = |bucket| remember && !visit(visited, bucket);
        // Begin with the two candidates.
        for candidate in candidates {
            is_old(candidate.bucket);
            reached.add(candidate.bucket, candidate.content, Arrival::AT_A_CANDIDATE);
        }
        // Add their alternates, which were examined before and have no room.
        for (parent, candidate) in candidates.into_iter().enumerate() {
            let contents = candidate.contents.as_slice();
            for (slot, &bucket) in candidate.alternates.as_slice().iter().enumerate() {
                if bucket != candidates[1 - parent].bucket && !is_old(bucket) {
                    reached.add(bucket, contents[slot], Arrival::new(parent, slot));
                }
            }
        }
        // Subtract them from the budget.
        reached.left = budget.min(BUDGET).saturating_sub(near::<L>());
        // Go on breadth first, a few nodes at a time, so that their loads overlap.
        let mut first = 2;
        while first < reached.len && reached.left > 0 {
            // Take the next nodes in the order in which they were reached.
            let parents = first..reached.len.min(first + FRONTIER_WIDTH);
            first = parents.end;
            // A short search comes to few buckets twice, if to any.
            if !remember && BUDGET > SHORT_BUDGET {
                reached.drop_known(parents.clone());
            }
            for slot in 0..L::SLOTS {
                // Prefetch what the next slot leads to while this one is examined.
                if slot + 1 < L::SLOTS {
                    reached.fetch(graph, parents.clone(), slot + 1);
                }
                // End at the emptiest of the buckets with room that this slot of the nodes leads
                // to.
                if let Some(room) = reached.examine(graph, parents.clone(), slot, &mut is_old) {
                    return Some(reached.path_to(room));
                }
                // Drops nodes past the end. Unless many buckets hold equal fingerprints, the budget
                // is used up before these nodes are expanded.
                reached.len = reached.len.min(N::LEN - FRONTIER_WIDTH);
            }
        }
        None
    }
}

/// Marks a bucket of a small table; false if it was marked before.
fn visit(visited: &mut [u64; VISITED_LIMIT / 64], bucket: usize) -> bool {
    // Map the buckets to different bits: their numbers are consecutive, from any first one, and no
    // more than there are bits.
    let bucket = bucket % VISITED_LIMIT;
    let word = &mut visited[bucket / 64];
    let fresh = *word & 1 << (bucket % 64) == 0;
    *word |= 1 << (bucket % 64);
    fresh
}

impl<L: Layout> Iterator for Path<'_, L> {
    type Item = Hop<L>;

    #[inline]
    fn next(&mut self) -> Option<Hop<L>> {
        // End at a candidate: nothing led there.
        let (parent, slot) = self.next.parent_and_slot()?;
        // Move the token that led from the parent here. It fills the slot that the hop before this
        // one has left, or the vacant one.
        let source = &self.nodes[parent];
        let hop = Hop {
            moved: source.content().occupant(slot)?,
            source: source.bucket,
            destination: self.destination,
            last: source.arrival.parent_and_slot().is_none(),
        };
        self.destination = source.bucket;
        self.next = source.arrival;
        Some(hop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::tokens::TokenTable;
    use crate::kernel::geometry::Geometry;
    use crate::kernel::layout::{Fingerprint, Lanes, SemiSorted, Token};
    use crate::kernel::pool::PoolSize;

    type FourBySixteen = Lanes<4, 16>;

    /// A table full of random tokens, except for one slot of the bucket `vacant`.
    fn full_but_for_one<L: Layout>(
        buckets: usize,
        vacant: usize,
        budget: usize,
        seed: u64,
    ) -> TokenTable<L> {
        let geometry = Geometry::with_buckets(buckets).expect("accepted");
        let one = Some(PoolSize::exactly(1));
        let mut tokens = TokenTable::new(geometry, budget, one).expect("memory");
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

    /// Both candidates of a class, if they and all their alternates are full.
    fn candidates<L: Layout>(tokens: &TokenTable<L>, class: Class) -> Option<[Candidate<L>; 2]> {
        let Class { first, second, .. } = class;
        let of = |bucket, other| {
            let content = tokens.peek(bucket);
            let is_full = !content.has_room();
            is_full.then(|| Candidate::of(tokens, bucket, content, other, L::SLOTS))
        };
        let pair = [of(first, second)?, of(second, first)?];
        near_hop([&pair[0], &pair[1]]).is_none().then_some(pair)
    }

    /// Where an unbounded search in a small table reaches the vacant slot: after how many buckets,
    /// and from which node.
    fn far<L: Layout>(
        tokens: &TokenTable<L>,
        [a, b]: &[Candidate<L>; 2],
    ) -> Option<(usize, usize)> {
        let mut nodes = vec![a.bucket, b.bucket];
        for &bucket in a
            .alternates
            .as_slice()
            .iter()
            .chain(b.alternates.as_slice())
        {
            if !nodes.contains(&bucket) {
                nodes.push(bucket);
            }
        }
        let (mut examined, mut first) = (near::<L>(), 2);
        while first < nodes.len() {
            let together = first..nodes.len().min(first + FRONTIER_WIDTH);
            first = together.end;
            for (slot, parent) in
                (0..L::SLOTS).flat_map(|slot| together.clone().map(move |p| (slot, p)))
            {
                let token = tokens
                    .peek(nodes[parent])
                    .occupant(slot)
                    .expect("it is full");
                let bucket = tokens.table.alternate(nodes[parent], token.fingerprint());
                if !nodes.contains(&bucket) {
                    nodes.push(bucket);
                    examined += 1;
                }
                if tokens.peek(bucket).has_room() {
                    return Some((examined, parent));
                }
            }
        }
        None
    }

    #[test]
    fn a_search_examines_as_many_buckets_as_it_may() {
        let mut seen = 0;
        for seed in 0..100 {
            let tokens = full_but_for_one::<FourBySixteen>(64, 7, LONG_BUDGET, seed);
            let class = tokens.table.class(seed << 57 | seed);
            let Some(pair) = candidates(&tokens, class) else {
                continue;
            };
            let Some((buckets, _)) = far(&tokens, &pair) else {
                continue;
            };
            let finds = |budget| {
                let mut search = LongSearch::<FourBySixteen>::new();
                search.run(&tokens, [&pair[0], &pair[1]], budget).is_some()
            };
            assert!(finds(buckets), "it is the last of {buckets}");
            assert!(!finds(buckets - 1), "{buckets}, one more than allowed");
            seen += 1;
        }
        assert!(seen > 50, "{seen} with a path");
    }

    /// In a small table the budget of a short search is enough for all buckets, but a short search
    /// has no room for them.
    #[test]
    fn a_short_search_is_not_the_last_if_a_long_one_comes_farther() {
        let mut seen = 0;
        for seed in 0..100 {
            let tokens = full_but_for_one::<FourBySixteen>(64, 7, SHORT_BUDGET, seed);
            let hash = seed << 57 | seed;
            let pair = candidates(&tokens, tokens.table.class(hash));
            let Some((_, parent)) = pair.and_then(|pair| far(&tokens, &pair)) else {
                continue;
            };
            let inserted = tokens.insert(hash, 0);
            assert!(inserted.is_ok(), "no path from node {parent}");
            seen += 1;
        }
        assert!(seen > 50, "{seen} with a path");
    }

    fn has_room_for_all_nodes<L: Layout>() {
        let mut latest = 0;
        for seed in 0..200 {
            let tokens = full_but_for_one::<L>(VISITED_LIMIT, 7, LONG_BUDGET, seed);
            let class = tokens.table.class(seed << 56 | seed);
            let Some(pair) = candidates(&tokens, class) else {
                continue;
            };
            let Some((_, parent)) = far(&tokens, &pair) else {
                continue;
            };
            let mut search = LongSearch::<L>::new();
            let found = search.run(&tokens, [&pair[0], &pair[1]], LONG_BUDGET);
            assert!(found.is_some(), "none from node {parent}");
            latest = latest.max(parent);
        }
        // The slot is in the very last bucket, and one of several nodes leads there.
        let last = VISITED_LIMIT - VISITED_LIMIT / L::SLOTS;
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
