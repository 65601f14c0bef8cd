//! An engine that grows: a chain of segments, each a table of its own.

mod chain;
mod growth;
mod kept;
mod limits;
mod link;
mod published;
mod snapshot;
mod walks;

pub(crate) use chain::Chain;
pub(super) use limits::NO_LIMIT;
pub(crate) use limits::{LARGEST_FACTOR, Limits, rate_of_full};
pub(crate) use link::Link;
use published::{Guard, pin};
pub(crate) use published::{Look, Published};

use super::{Filling, Operations, Plan};
use crate::allocate;
use crate::error::{BuildError, InsertError, OutOfMemory, SnapshotError};
use crate::layout::{LONG_BUDGET, Lanes, Layout};
use crate::sync::{AtomicU64, Ordering};
use crate::table::Geometry;
use crate::table::rate::{any_of, compared};
use crate::tokens::ahead;

/// The engine of a filter that grows by segments: a chain of tables, with buckets of the layout `L`.
///
/// For layouts other than 4 x 16, and for what a chain alone can do: growth by
/// [more than two](crate::FilterBuilder::growth_factor) at a time, and segments that go one by one when they are empty.
/// Else take a [`GrowingCuckooFilter`](crate::GrowingCuckooFilter), whose lookups do not slow down when it grows. The guide
/// [compares](crate::guide::growing#segments) the two.
#[derive(Debug)]
pub struct Growing<L: Layout = Lanes<4, 16>> {
    published: Published<L>,
    limits: Limits,
    /// Most bytes of the filter.
    memory: usize,
    /// Most bytes for now, which any thread may set. Not stored: it is about what else there is beside the filter.
    memory_for_now: AtomicU64,
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
type Links<'a, L> = Vec<&'a Link<L>>;

/// Hashes that are inserted under one pin, so that no pin lasts long.
const PER_PIN: usize = 256;

impl<L: Layout> Growing<L> {
    /// Of segments that nobody has used yet.
    pub(crate) fn of_segments(
        mut published: Published<L>,
        start: Geometry<L>,
        limits: Limits,
        memory: usize,
        outside: usize,
    ) -> Self {
        // At most `LONG_BUDGET`.
        let target = &published.alone().target().segment;
        let search_budget = target.tokens().search_budget() as u32;
        Self {
            published,
            limits,
            memory,
            memory_for_now: AtomicU64::new(u64::MAX),
            outside: u32::try_from(outside).unwrap_or(u32::MAX),
            start,
            search_budget,
        }
    }

    /// The same with other segments.
    fn with_segments(&self, published: Published<L>) -> Self {
        Self {
            published,
            memory_for_now: AtomicU64::new(u64::MAX),
            ..*self
        }
    }

    /// A segment of this geometry, searched as the others are.
    fn new_link(&self, geometry: Geometry<L>) -> Result<Link<L>, OutOfMemory> {
        Link::new(geometry, self.search_budget as usize)
    }

    /// The list, while no other thread is about. What is parked is freed.
    pub(crate) fn chain_mut(&mut self) -> &Chain<L> {
        self.published.alone()
    }

    /// The segments at this moment, and which of them takes the inserts; and the look by which
    /// [`is_current`](Self::is_current) tells whether they are still the same.
    pub(crate) fn links(&self) -> Result<(Look<'_, L>, Links<'_, L>, usize), OutOfMemory> {
        loop {
            let look = self.published.look();
            let mut links = Vec::new();
            let count = look.chain.links().count();
            allocate::grow(&mut links, count)?;
            // The chain may hold a longer list by now.
            links.extend(look.chain.links().take(count));
            if let Some(target) = look.chain.target_index()
                && self.is_current(&look)
            {
                return Ok((look, links, target));
            }
        }
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

    /// The lower of both limits.
    fn memory_now(&self) -> usize {
        self.memory.min(self.memory_for_now())
    }

    fn memory_for_now(&self) -> usize {
        // Relaxed, here and where it is set: a limit orders nothing.
        usize::try_from(self.memory_for_now.load(Ordering::Relaxed)).unwrap_or(usize::MAX)
    }

    /// Sets the limit for now. A growth that has begun may end by the limit of before.
    pub(crate) fn limit_memory_usage(&self, bytes: usize) {
        // Threads that set the same again and again share the line.
        if self.memory_for_now() != bytes {
            self.memory_for_now.store(bytes as u64, Ordering::Relaxed);
        }
    }

    /// What `of` says of a list that was the current one meanwhile.
    fn of_current<R>(&self, of: impl Fn(&Chain<L>) -> R) -> R {
        loop {
            let look = self.published.look();
            let result = of(look.chain);
            if self.is_current(&look) {
                return result;
            }
        }
    }

    fn sum(&self, of: impl Fn(&Link<L>) -> usize) -> usize {
        self.of_current(|chain| chain.sum(&of))
    }

    /// The bytes of the filter with this list and another segment, a parked one if there is one that fits.
    fn bytes_with(&self, chain: &Chain<L>, geometry: Geometry<L>) -> Result<usize, OutOfMemory> {
        let more = match self.published.parked(geometry) {
            Some(link) => link.released_bytes(),
            None => Link::bytes_for(geometry)?,
        };
        let present = chain.sum(Link::bytes) + self.published.parked_bytes();
        Ok((self.outside as usize + present).saturating_add(more))
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
        let published = Published::new([first], 0);
        let limits = Limits {
            false_positive_rate: plan.rate.unwrap_or(NO_LIMIT),
            ..plan.options
        };
        let memory = plan.memory.unwrap_or(usize::MAX);
        let outside = plan.outside;
        Ok(Self::of_segments(published, start, limits, memory, outside))
    }

    fn fresh(&self) -> Result<Self, OutOfMemory> {
        let first = self.new_link(self.start)?;
        Ok(self.with_segments(Published::new([first], 0)))
    }

    fn quiescent_copy(&mut self) -> Result<Self, OutOfMemory> {
        let chain = self.published.alone();
        let links: Result<Vec<_>, OutOfMemory> = chain.links().map(Link::quiescent_copy).collect();
        let target = chain.target_index().expect("a list has its target");
        Ok(self.with_segments(Published::at_rest(links?, target)))
    }

    fn snapshot(&self) -> Result<Self, SnapshotError> {
        Ok(self.with_segments(self.copy_of_segments()?))
    }

    fn clear(&mut self) {
        // Only the target may take inserts again: each other segment is sealed, or a deferred call will seal it.
        // The others go first, so that their memory can serve for the new one.
        self.published.keep_target();
        match self.new_link(self.start) {
            Ok(first) => self.published = Published::new([first], 0),
            Err(_) => self.published.alone().target().empty(),
        }
    }

    fn shrink_to_fit(&mut self) {
        Growing::shrink_to_fit(self);
    }

    fn limit_memory_usage(&self, bytes: usize) {
        Growing::limit_memory_usage(self, bytes);
    }

    fn set_max_memory_usage(&mut self, bytes: usize) {
        self.published.alone();
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
        self.sum(Link::bytes) + self.published.parked_bytes()
    }

    fn false_positive_rate(&self) -> f64 {
        let of_link = |link: &Link<L>| compared(link.segment.len(), link.geometry());
        any_of::<L>(self.of_current(|chain| chain.links().map(of_link).sum()))
    }

    #[inline]
    fn pin(&self) -> Guard {
        pin()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.lookup(hash)
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
    fn remove(&self, hash: u64) -> bool {
        self.remove_finest(hash)
    }

    fn count(&self, hash: u64) -> usize {
        self.of_current(|chain| chain.sum(|link| link.segment.tokens().count(hash)))
    }

    fn contains_many(&self, hashes: &[u64], found: &mut [bool]) {
        self.lookup_many(hashes, found);
    }

    #[inline]
    fn contains_burst(&self, hashes: &[u64]) -> u64 {
        let mut found = [false; u64::BITS as usize];
        self.lookup_many(hashes, &mut found[..hashes.len()]);
        let bits = found.into_iter().zip(0..);
        bits.fold(0, |bits, (found, bit)| bits | u64::from(found) << bit)
    }

    #[inline]
    fn ahead(&self, hashes: &[u64]) -> impl Iterator<Item = u64> {
        // Walks begin with the finest, whichever it is by then.
        ahead(hashes, |hash| {
            let finest = self.published.look().chain.finest();
            finest.segment.tokens().prefetch(hash);
        })
    }

    #[inline]
    fn ahead_of_inserts(&self, hashes: &[u64]) -> impl Iterator<Item = u64> {
        ahead(hashes, |hash| {
            let target = self.published.look().chain.target();
            target.segment.tokens().prefetch(hash);
        })
    }
}
