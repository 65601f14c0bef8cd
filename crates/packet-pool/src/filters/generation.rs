//! Generations: the two filters that a period is judged by.
//!
//! | period | 0 | 1 | 2 |
//! |---|---|---|---|
//! | asked and filled | A | B | C |
//! | asked only | - | A | B |
//!
//! Nobody ever empties a filter that others use. A period has a generation of
//! its own, which does not change; a rotation makes the next one, out of a fresh
//! filter and the one that was young. A batch of packets is judged by the
//! generation of its period, however late a worker comes to it, and a filter
//! goes when the last generation that has it is gone. So no worker waits for a
//! rotation, and none sees half of one.
//!
//! What that guarantees, with what happens to false positives left aside:
//!
//! * In one period a key is told new once at most, however the workers race:
//!   `insert_unique` on the young filter decides. It is told new exactly once if
//!   no packet of the period before had it.
//! * If a packet with the key was done in the period before, none of this period
//!   that is taken up afterwards is told new. Every packet refreshes its key into
//!   the young filter, so one that comes at least once a period stays known.
//! * A key is forgotten when a whole period had no packet of it: one to two
//!   windows after its last packet.
//! * At a rotation, packets of both periods may be in work at the same time. If
//!   both have a key that is new, each period may tell it, so it is told twice.

use lockfree_cuckoo::{BuildError, CuckooFilter, InsertError, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Makes the filters of a run.
#[derive(Clone)]
pub(crate) struct Maker {
    capacity: usize,
    /// One for all filters, so that a key is hashed once.
    hasher: RandomState,
    rotating: bool,
}

impl Maker {
    pub(crate) fn new(capacity: usize, rotating: bool) -> Self {
        Self {
            capacity,
            hasher: RandomState::new(),
            rotating,
        }
    }

    /// The keys that a filter is made for.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Whether the filters of a run ever rotate.
    pub(crate) fn rotates(&self) -> bool {
        self.rotating
    }

    fn filter(&self) -> Result<Arc<CuckooFilter>, BuildError> {
        CuckooFilter::try_with_capacity_and_hasher(self.capacity, self.hasher.clone()).map(Arc::new)
    }
}

/// The filters of one period.
pub(crate) struct Generation {
    number: u64,
    /// Asked and filled.
    pub(crate) young: Arc<CuckooFilter>,
    /// Asked only: the young one of the period before. `None` where nothing
    /// ever rotates, and there is nothing to ask.
    pub(crate) old: Option<Arc<CuckooFilter>>,
    /// Whether the young one has refused a key.
    full: AtomicBool,
}

/// How often an insert is tried again that only others have hindered.
const RETRIES: usize = 3;

/// The young filter has no room for a key. The error comes with the first one.
pub(crate) struct Full(pub(crate) Option<InsertError>);

impl Generation {
    /// The generation of period 0.
    pub(crate) fn first(maker: &Maker) -> Result<Self, BuildError> {
        let old = maker.rotating.then(|| maker.filter()).transpose()?;
        Ok(Self {
            number: 0,
            young: maker.filter()?,
            old,
            full: AtomicBool::new(false),
        })
    }

    /// The generation of the next period.
    pub(crate) fn following(&self, maker: &Maker) -> Result<Self, BuildError> {
        Ok(Self {
            number: self.number + 1,
            young: maker.filter()?,
            old: Some(Arc::clone(&self.young)),
            full: AtomicBool::new(false),
        })
    }

    /// Puts a key into the young filter; `false` if it was there.
    ///
    /// A filter that is full searches thousands of buckets for room before it
    /// refuses. To do that for every packet would stop the line, so it is done
    /// once, and from then on there is only a look.
    pub(crate) fn insert(&self, hash: u64) -> Result<bool, Full> {
        // Relaxed: who does not see it yet asks the filter, and learns the same.
        if self.full.load(Ordering::Relaxed) {
            return match self.young.contains_hash(hash) {
                true => Ok(false),
                false => Err(Full(None)),
            };
        }
        let mut outcome = self.young.insert_unique_hash(hash);
        for _ in 0..RETRIES {
            if outcome.is_ok() || self.young.len() >= self.young.capacity() {
                break;
            }
            // There is room, but other writers were in the way.
            outcome = self.young.insert_unique_hash(hash);
        }
        outcome.map_err(|error| {
            self.full.store(true, Ordering::Relaxed);
            Full(Some(error))
        })
    }

    /// The period that it is for.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Both filters.
    pub(crate) fn filters(&self) -> impl Iterator<Item = &CuckooFilter> {
        [Some(&self.young), self.old.as_ref()]
            .into_iter()
            .flatten()
            .map(|filter| &**filter)
    }
}
