//! An engine that grows: a chain of segments, each a table of its own.

mod chain;
mod growth;
mod limits;
mod link;
mod published;
mod snapshot;
mod walks;

use std::sync::Arc;

pub(crate) use chain::Chain;
pub(crate) use limits::Limits;
use limits::NO_LIMIT;
pub(crate) use limits::{LARGEST_FACTOR, rate_of_full};
pub(crate) use link::Link;
use published::{Guard, Published, pin};

use super::{Filling, Operations, Plan};
use crate::allocate;
use crate::error::{BuildError, InsertError, OutOfMemory, SnapshotError};
use crate::layout::{LONG_BUDGET, Lanes, Layout};
use crate::table::Geometry;
use crate::table::rate::{any_of, compared};

/// The engine of a [`GrowingCuckooFilter`](crate::GrowingCuckooFilter): a chain of tables, with buckets of the layout
/// `L`.
#[derive(Debug)]
pub struct Growing<L: Layout = Lanes<4, 16>> {
    chain: Published<Chain<L>>,
    limits: Limits,
    /// Most bytes of the filter.
    memory: usize,
    /// The bytes of the filter outside of this engine's heap. Small, like the budget, to keep the filter small.
    outside: u32,
    /// The size of the first segment, and of the segment with which an empty filter starts again.
    start: Geometry<L>,
    search_budget: u32,
}

/// The bound of a search in each segment. A longer one, as in a filter that cannot grow, fills a segment by 2 % of
/// its slots more, at twice the time of all its inserts.
const DEFAULT_BUDGET: usize = if LONG_BUDGET < 256 { LONG_BUDGET } else { 256 };

/// The segments that a filter whose layout is chosen for it may have. With a growth factor of 2 they take 255 times as
/// many items as the first.
const SEGMENTS_TO_CHOOSE_FOR: usize = 8;

/// The segments of a chain, from the finest on.
type Links<L> = Vec<Arc<Link<L>>>;

/// Hashes that are served under one pin, so that no pin lasts long.
const PER_PIN: usize = 256;

impl<L: Layout> Growing<L> {
    /// Of a chain that nobody has used yet.
    pub(crate) fn of_chain(
        chain: Chain<L>,
        start: Geometry<L>,
        limits: Limits,
        memory: usize,
        outside: usize,
    ) -> Self {
        // At most `LONG_BUDGET`.
        let search_budget = chain.target().segment.tokens().search_budget() as u32;
        Self {
            chain: Published::new(chain),
            limits,
            memory,
            outside: u32::try_from(outside).unwrap_or(u32::MAX),
            start,
            search_budget,
        }
    }

    /// The same around another chain.
    fn with_chain(&self, chain: Chain<L>) -> Self {
        Self {
            chain: Published::new(chain),
            ..*self
        }
    }

    /// A segment of this geometry, searched as the others are.
    fn new_link(&self, geometry: Geometry<L>) -> Result<Link<L>, OutOfMemory> {
        Link::new(geometry, self.search_budget as usize)
    }

    pub(crate) fn chain_mut(&mut self) -> &mut Chain<L> {
        self.chain.get_mut()
    }

    /// The segments at this moment, and which of them takes the inserts.
    pub(crate) fn links(&self) -> Result<(Links<L>, usize), OutOfMemory> {
        let guard = pin();
        let chain = self.chain.load(&guard);
        let mut links = Vec::new();
        allocate::grow(&mut links, chain.links().len())?;
        links.extend(chain.links().iter().map(Arc::clone));
        Ok((links, chain.target_index()))
    }

    /// Whether these are the segments, and whether this one of them takes the inserts.
    pub(crate) fn has_links(&self, links: &[Arc<Link<L>>], target: usize) -> bool {
        let guard = pin();
        let chain = self.chain.load(&guard);
        let pairs = chain.links().iter().zip(links);
        chain.links().len() == links.len()
            && chain.target_index() == target
            && pairs
                .into_iter()
                .all(|(current, link)| Arc::ptr_eq(current, link))
    }

    pub(crate) fn start(&self) -> Geometry<L> {
        self.start
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    pub(crate) fn memory(&self) -> usize {
        self.memory
    }

    fn sum(&self, of: impl Fn(&Link<L>) -> usize) -> usize {
        self.chain.load(&pin()).sum(of)
    }

    /// The bytes of the filter with this chain.
    fn bytes_of(&self, chain: &Chain<L>) -> usize {
        self.outside as usize + chain.sum(Link::bytes)
    }
}

impl<L: Layout> Operations for Growing<L> {
    type Layout = L;
    type Pin = Guard;
    type Options = Limits;

    const NAME: &'static str = "GrowingCuckooFilter";
    const PER_PIN: usize = PER_PIN;

    /// The segments fill up before there are more.
    fn filling(_: &Limits) -> Filling {
        Filling::Full { tables: 1 }
    }

    /// A layout that leaves no room for growth would be of no use.
    fn filling_to_choose_for(_: &Limits) -> Filling {
        Filling::Full {
            tables: SEGMENTS_TO_CHOOSE_FOR,
        }
    }

    fn build(plan: &Plan<Limits>) -> Result<Self, BuildError> {
        plan.options.check()?;
        let (start, items) = plan.size.geometry()?;
        plan.check_rate(start, items, Self::filling(&plan.options))?;
        let budget = plan.search_budget(DEFAULT_BUDGET)?;
        plan.check_memory(|| Link::bytes_for(start))?;
        let first = Link::new(start, budget).map_err(BuildError::out_of_memory)?;
        let chain = Chain::new([Arc::new(first)], 0);
        let limits = Limits {
            false_positive_rate: plan.rate.unwrap_or(NO_LIMIT),
            ..plan.options
        };
        let memory = plan.memory.unwrap_or(usize::MAX);
        Ok(Self::of_chain(chain, start, limits, memory, plan.outside))
    }

    fn fresh(&self) -> Result<Self, OutOfMemory> {
        let first = self.new_link(self.start)?;
        Ok(self.with_chain(Chain::new([Arc::new(first)], 0)))
    }

    fn quiescent_copy(&mut self) -> Result<Self, OutOfMemory> {
        let chain = self.chain.get_mut();
        let links: Result<Vec<_>, OutOfMemory> = chain
            .links()
            .iter()
            .map(|link| link.quiescent_copy().map(Arc::new))
            .collect();
        let target = chain.target_index();
        Ok(self.with_chain(Chain::at_rest(links?, target)))
    }

    fn snapshot(&self) -> Result<Self, SnapshotError> {
        Ok(self.with_chain(self.copy_of_chain()?))
    }

    fn clear(&mut self) {
        let (start, search_budget) = (self.start, self.search_budget as usize);
        let chain = self.chain.get_mut();
        // Only the target may take inserts again: each other segment is sealed, or a deferred call will seal it.
        // The others go first, so that their memory can serve for the new one.
        let target = Arc::clone(chain.target());
        *chain = Chain::new([Arc::clone(&target)], 0);
        match Link::new(start, search_budget) {
            Ok(first) => *chain = Chain::new([Arc::new(first)], 0),
            Err(_) => target.empty(),
        }
    }

    fn shrink_to_fit(&self) {
        Growing::shrink_to_fit(self);
    }

    fn set_max_memory_usage(&mut self, bytes: usize) {
        self.memory = bytes;
    }

    fn len(&self) -> usize {
        self.sum(|link| link.segment.len())
    }

    fn capacity(&self) -> usize {
        self.sum(Link::capacity)
    }

    fn slots(&self) -> usize {
        self.sum(|link| link.segment.slots())
    }

    fn segments(&self) -> usize {
        self.sum(|_| 1)
    }

    fn heap_bytes(&self) -> usize {
        self.sum(Link::bytes)
    }

    fn false_positive_rate(&self) -> f64 {
        let guard = pin();
        let links = self.chain.load(&guard).links().iter();
        any_of::<L>(
            links
                .map(|link| compared(link.segment.len(), link.geometry()))
                .sum(),
        )
    }

    #[inline]
    fn pin(&self) -> Guard {
        pin()
    }

    #[inline]
    fn contains(&self, hash: u64, guard: &Guard) -> bool {
        self.contains_under(hash, guard)
    }

    #[inline]
    fn insert(&self, hash: u64, guard: &Guard) -> Result<(), InsertError> {
        self.insert_under(hash, guard)
    }

    #[inline]
    fn insert_unique(&self, hash: u64, guard: &Guard) -> Result<bool, InsertError> {
        self.insert_unique_under(hash, guard)
    }

    #[inline]
    fn remove(&self, hash: u64, guard: &Guard) -> bool {
        self.remove_under(hash, guard)
    }

    fn count(&self, hash: u64, guard: &Guard) -> usize {
        self.count_under(hash, guard)
    }

    #[inline]
    fn ahead(&self, hashes: &[u64], guard: &Guard) -> impl Iterator<Item = u64> {
        // Walks begin with the finest.
        self.chain.load(guard).links()[0]
            .segment
            .tokens()
            .ahead(hashes)
    }

    #[inline]
    fn ahead_of_inserts(&self, hashes: &[u64], guard: &Guard) -> impl Iterator<Item = u64> {
        self.chain
            .load(guard)
            .target()
            .segment
            .tokens()
            .ahead(hashes)
    }
}
