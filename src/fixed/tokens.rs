//! The table of tokens: the words, what readers and writers of them share, and the count.

#[cfg(feature = "shared")]
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

#[cfg(feature = "shared")]
use crossbeam_utils::CachePadded;

#[cfg(feature = "shared")]
use crate::allocate::Part;
use crate::error::{InsertError, OutOfMemory};
use crate::kernel::counter::Counter;
#[cfg(feature = "shared")]
use crate::kernel::descriptor::Descriptor;
use crate::kernel::descriptor::Resolved;
use crate::kernel::geometry::Geometry;
use crate::kernel::hints::{Hint, Hints};
use crate::kernel::layout::{Bucket, Fingerprint, Layout};
use crate::kernel::outcome::{Failure, MAX_ATTEMPTS, Rounds};
use crate::kernel::pool::{Pool, PoolSize};
#[cfg(feature = "shared")]
use crate::kernel::seats::Seats;
use crate::kernel::sizing::pair_slots;
use crate::kernel::stripes::Stripes;
use crate::kernel::table::Table;
use crate::kernel::word::{Content, Reference, Word};
use crate::sync;
#[cfg(feature = "shared")]
use crate::sync::AtomicU64;
use crate::sync::Event;

/// A multiset of tokens, spread over the words of a table.
///
/// A token is one stored copy of an item. All tokens of a fingerprint in the two candidates of an
/// item belong to one class.
#[derive(Debug)]
pub(crate) struct TokenTable<L> {
    pub(crate) table: Table<L>,
    pub(crate) stripes: Stripes<0>,
    pub(crate) pool: Pool<L>,
    pub(crate) hints: Hints<L>,
    /// The number of tokens.
    pub(crate) counter: Counter,
    /// Maximum number of buckets that one path search examines, up to
    /// [`LONG_BUDGET`](crate::kernel::search::sizes::LONG_BUDGET).
    search_budget: u16,
    /// Whether a pending admission is committed by its owner alone, who looks
    /// [elsewhere](crate::kernel::elsewhere::AbsenceElsewhere) too. Other threads abort it.
    /// Otherwise every thread may: what it needs to know is in the two words of the class.
    pub(crate) owner_commits: bool,
    /// Whether other processes write to it, of which one may write anything.
    pub(crate) is_shared: bool,
}

/// The parts of a table, in memory that several processes have.
#[cfg(feature = "shared")]
pub(crate) struct Parts {
    pub(crate) words: Part<AtomicU64>,
    pub(crate) stripes: Part<AtomicU64>,
    pub(crate) descriptors: Part<Descriptor>,
    /// One cell.
    pub(crate) scanning: Part<AtomicU64>,
    pub(crate) log: Part<AtomicU64>,
    pub(crate) cells: Part<CachePadded<AtomicU64>>,
}

impl<L: Layout> TokenTable<L> {
    /// An empty table. It has the descriptors that its size needs, unless their number is given.
    pub(crate) fn new(
        geometry: Geometry<L>,
        search_budget: usize,
        descriptors: Option<PoolSize>,
    ) -> Result<Self, OutOfMemory> {
        Self::of(Table::new(geometry)?, 0, search_budget, descriptors)
    }

    /// A table of words that hold this number of tokens.
    pub(crate) fn with_table(
        table: Table<L>,
        len: usize,
        search_budget: usize,
    ) -> Result<Self, OutOfMemory> {
        Self::of(table, len, search_budget, None)
    }

    fn of(
        table: Table<L>,
        len: usize,
        search_budget: usize,
        descriptors: Option<PoolSize>,
    ) -> Result<Self, OutOfMemory> {
        let descriptors = descriptors.unwrap_or_else(|| PoolSize::of_table(table.len()));
        Ok(Self {
            stripes: Stripes::new(table.len(), L::FINGERPRINT_BITS)?,
            counter: Counter::<()>::new(table.len(), len)?,
            table,
            pool: Pool::new(descriptors)?,
            hints: Hints::new()?,
            search_budget: search_budget as u16,
            owner_commits: false,
            is_shared: false,
        })
    }

    /// A table that several processes share, made of these parts.
    #[cfg(feature = "shared")]
    pub(crate) fn of_processes(
        geometry: Geometry<L>,
        search_budget: usize,
        parts: Parts,
        seats: Arc<dyn Seats>,
    ) -> Result<Self, OutOfMemory> {
        Ok(Self {
            table: Table::of_words(geometry, parts.words),
            stripes: Stripes::of_versions(parts.stripes),
            pool: Pool::of_processes(parts.descriptors, seats),
            hints: Hints::of_processes(parts.scanning, parts.log)?,
            counter: Counter::of_processes(parts.cells),
            search_budget: search_budget as u16,
            owner_commits: false,
            is_shared: true,
        })
    }

    /// The heap bytes of a new table.
    pub(crate) fn bytes_for(geometry: Geometry<L>, descriptors: Option<PoolSize>) -> usize {
        let buckets = geometry.buckets();
        let descriptors = descriptors.unwrap_or_else(|| PoolSize::of_table(buckets));
        let words = buckets * size_of::<u64>();
        let stripes = Stripes::<0>::bytes_for(buckets, L::FINGERPRINT_BITS);
        let signals = stripes + Hints::<L>::BYTES;
        words + signals + descriptors.bytes() + Counter::<()>::bytes_for(buckets)
    }

    /// An empty table like this one.
    pub(crate) fn empty_like(&self) -> Result<Self, OutOfMemory> {
        let mut fresh = Self::new(
            self.geometry(),
            self.search_budget(),
            // A copy is this process's alone, and needs no more than any.
            (!self.is_shared).then(|| self.pool.size()),
        )?;
        fresh.owner_commits = self.owner_commits;
        Ok(fresh)
    }

    /// The heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let signals = self.stripes.bytes() + self.hints.bytes();
        self.table.bytes() + signals + self.pool.bytes() + self.counter.bytes()
    }

    /// Where its parts are in memory.
    pub(crate) fn places(&self) -> Vec<(&'static str, Range<usize>)> {
        let counter = self.counter.places().map(|place| ("counter", place));
        [
            ("table", self.table.place()),
            ("stripes", self.stripes.place()),
            ("descriptors", self.pool.place()),
            ("hints", self.hints.place()),
        ]
        .into_iter()
        .chain(counter)
        .collect()
    }

    /// The number of buckets.
    #[inline]
    pub(crate) fn buckets(&self) -> usize {
        self.table.len()
    }

    pub(crate) fn geometry(&self) -> Geometry<L> {
        self.table.geometry()
    }

    pub(crate) fn slots(&self) -> usize {
        self.geometry().slots()
    }

    /// The number of tokens, off by at most the number of calls in progress. A call that never
    /// returns stays in progress.
    pub(crate) fn len(&self) -> usize {
        self.counter.sum(self.slots())
    }

    pub(crate) fn search_budget(&self) -> usize {
        usize::from(self.search_budget)
    }

    /// From now on only its owner commits an admission.
    pub(crate) fn require_owner_commit(&mut self) {
        self.owner_commits = true;
    }

    /// Tells lookups and a running scan that a token of a class is about to hop, or to be removed
    /// while an equal one is in the other bucket.
    #[inline]
    pub(crate) fn announce(&self, bucket: usize, fingerprint: Fingerprint) {
        if self.stripes.bump(fingerprint) {
            sync::trace(Event::Hint);
            self.hints.note(Hint {
                bucket,
                fingerprint,
            });
        }
    }

    /// The number of bumps so far. Two readings are equal only if there was none between them.
    pub(crate) fn announcements(&self) -> u64 {
        self.stripes.bumps()
    }

    /// A read that disturbs no other thread: the logical content of a word at some moment during
    /// the call.
    #[inline]
    pub(crate) fn peek(&self, bucket: usize) -> Bucket<L> {
        match self.table.load(bucket).content() {
            Content::Bucket(content) => content,
            Content::Reference(_) => self.peek_frozen(bucket),
        }
    }

    #[cold]
    #[inline(never)]
    fn peek_frozen(&self, bucket: usize) -> Bucket<L> {
        let mut rounds = self.rounds();
        while rounds.are_left() {
            match self.table.load(bucket).content() {
                Content::Bucket(content) => return content,
                Content::Reference(reference) => match self.resolve(bucket, reference) {
                    Resolved::Stale => {}
                    Resolved::Settled(content) => return content,
                    Resolved::Pending(pending) => return pending.old,
                },
            }
        }
        Bucket::EMPTY
    }

    /// The meaning of `reference`, found in `bucket`.
    pub(crate) fn resolve(&self, bucket: usize, reference: Reference<L>) -> Resolved<L> {
        let is_content = |old| matches!(Word::from(old).content(), Content::Bucket(_));
        match self.pool.resolve(bucket, reference) {
            // Do not follow what no call of this crate has published.
            Resolved::Pending(pending)
                if !is_content(pending.old)
                    || (pending.transfer.buckets().iter())
                        .any(|&bucket| bucket >= self.table.len()) =>
            {
                Resolved::Stale
            }
            Resolved::Settled(content) if !is_content(content) => Resolved::Stale,
            resolved => resolved,
        }
    }

    /// The rounds of a loop that repeats only because others have changed what it reads.
    pub(crate) fn rounds(&self) -> Rounds {
        if self.is_shared {
            Rounds::FEW
        } else {
            Rounds::ENDLESS
        }
    }

    /// Empties the table, and takes back the descriptors and the right to scan that dead threads
    /// held. In safe Rust a dead thread keeps its borrow; a caller from C vouches that no call is
    /// in progress.
    pub(crate) fn clear(&mut self) {
        for bucket in 0..self.table.len() {
            self.table.set(bucket, Bucket::EMPTY);
        }
        self.pool.reclaim();
        self.pool.shrink();
        self.stripes.end_all_scans();
        self.hints.end_scan();
        self.counter.reset(0);
    }

    /// The number of taken slots. Exact if no thread writes.
    pub(crate) fn taken(&self) -> usize {
        (0..self.table.len())
            .map(|bucket| self.peek(bucket).len())
            .sum()
    }

    /// The public error for a failure, in a filter that cannot put the token elsewhere.
    #[cold]
    pub(crate) fn refused(&self, failure: Failure) -> InsertError {
        match failure {
            Failure::Full => InsertError::Full {
                len: self.len(),
                slots: self.slots(),
            },
            Failure::Disturbed => InsertError::Disturbed {
                attempts: MAX_ATTEMPTS,
            },
            Failure::NoDescriptor => InsertError::NoDescriptor,
            Failure::TooManyCopies => InsertError::TooManyCopies {
                copies: pair_slots::<L>(),
            },
        }
    }
}
