//! One segment: a table of its own, in a chain of finer and coarser ones.

use crate::allocate::OutOfMemory;
use crate::bucket::Bucket;
use crate::counter::Counter;
use crate::descriptor::Pool;
use crate::geometry::Geometry;
use crate::sizing;
use crate::sync::{AtomicU64, Ordering};
use crate::tokens::{Refusal, Scope, Tokens};

#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) tokens: Tokens,
    pub(crate) counter: Counter,
    /// 1 once no insert can come any more.
    sealed: AtomicU64,
}

impl Segment {
    pub(crate) fn new(geometry: Geometry, search_budget: usize) -> Result<Self, OutOfMemory> {
        let descriptors = Pool::size_for(geometry.buckets());
        Self::with_tokens(Tokens::new(geometry, search_budget, descriptors)?, 0)
    }

    pub(crate) fn with_tokens(mut tokens: Tokens, len: usize) -> Result<Self, OutOfMemory> {
        tokens.scope = Scope::Segment;
        let mut counter = Counter::new(tokens.geometry.buckets())?;
        counter.reset(len);
        Ok(Self {
            tokens,
            counter,
            sealed: AtomicU64::new(0),
        })
    }

    pub(crate) fn geometry(&self) -> Geometry {
        self.tokens.geometry
    }

    pub(crate) fn slots(&self) -> usize {
        self.geometry().buckets() * Bucket::SLOTS
    }

    /// The items that it takes before it is full.
    pub(crate) fn capacity(&self) -> usize {
        sizing::items_for(self.geometry())
    }

    pub(crate) fn len(&self) -> usize {
        self.counter.sum(self.slots())
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.tokens.bytes() + self.counter.bytes()
    }

    /// The bytes of a segment that is yet to be built.
    pub(crate) fn bytes_for(geometry: Geometry) -> Result<usize, OutOfMemory> {
        let descriptors = Pool::size_for(geometry.buckets());
        let counter = Counter::new(geometry.buckets())?;
        Ok(size_of::<Self>() + Tokens::bytes_for(geometry, descriptors)? + counter.bytes())
    }

    #[inline]
    pub(crate) fn insert(&self, hash: u64) -> Result<(), Refusal> {
        self.tokens.insert(hash)?;
        self.counter.add(1);
        Ok(())
    }

    #[inline]
    pub(crate) fn remove(&self, hash: u64) -> bool {
        let removed = self.tokens.remove(hash);
        if removed {
            self.counter.subtract(1);
        }
        removed
    }

    /// Says that every insert that could come has come: none was under way in any thread that is pinned.
    pub(crate) fn seal(&self) {
        // Release: pairs with the Acquire in `is_drained`; the inserts are behind whoever sees it.
        self.sealed.store(1, Ordering::Release);
    }

    /// Whether it is empty, and will be for ever.
    pub(crate) fn is_drained(&self) -> bool {
        // Acquire: pairs with the Release in `seal`.
        self.sealed.load(Ordering::Acquire) == 1 && self.len() == 0 && self.holds_nothing()
    }

    /// The count alone does not tell: a thread that stopped between its exchange and the count left it off.
    fn holds_nothing(&self) -> bool {
        // Settled, so that what a thread that stopped left half done is done.
        (0..self.geometry().buckets()).all(|bucket| self.tokens.settle(bucket) == Bucket::EMPTY)
    }

    /// Whether nothing is in the two buckets of a hash; a sign that little is left.
    pub(crate) fn is_bare_around(&self, hash: u64) -> bool {
        let class = self.geometry().candidates(hash);
        let empty = |bucket| self.tokens.peek(bucket) == Bucket::EMPTY;
        empty(class.first) && empty(class.second)
    }

    /// Removes all items, while nobody else is about.
    pub(crate) fn empty(&self) {
        for bucket in 0..self.geometry().buckets() {
            let content = self.tokens.settle(bucket);
            self.tokens.table.exchange(bucket, content, Bucket::EMPTY);
            self.counter.subtract(content.len());
        }
    }

    /// Exact if nobody writes meanwhile.
    pub(crate) fn quiescent_copy(&self) -> Result<Self, OutOfMemory> {
        let (tokens, len) = self.tokens.quiescent_copy()?;
        Self::with_tokens(tokens, len)
    }
}
