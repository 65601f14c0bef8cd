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

use super::maker::Maker;
use crate::keys::Key;
use lockfree_cuckoo::{BuildError, Hashed, InsertError, RandomState};
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The filters of one period.
pub(crate) struct Generation {
    number: u64,
    hasher: RandomState,
    /// Asked and filled.
    young: Arc<dyn Hashed>,
    /// Asked only: the young one of the period before. `None` where nothing
    /// ever rotates, and there is nothing to ask.
    old: Option<Arc<dyn Hashed>>,
    /// Whether the young one has refused a key.
    full: AtomicBool,
}

/// How often an insert is tried again that only others have hindered.
const RETRIES: usize = 3;

/// The young filter has no room for a key. The error comes with the first one.
pub(crate) struct Full(pub(crate) Option<InsertError>);

impl Generation {
    /// The generation of period 0.
    pub(super) fn first(maker: &Maker) -> Result<Self, BuildError> {
        let old = maker.rotates().then(|| maker.filter(0)).transpose()?;
        Ok(Self {
            number: 0,
            hasher: maker.hasher().clone(),
            young: maker.filter(0)?,
            old,
            full: AtomicBool::new(false),
        })
    }

    /// The generation of the next period.
    pub(super) fn following(&self, maker: &Maker) -> Result<Self, BuildError> {
        Ok(Self {
            number: self.number + 1,
            hasher: self.hasher.clone(),
            young: maker.filter(self.young.len())?,
            old: Some(Arc::clone(&self.young)),
            full: AtomicBool::new(false),
        })
    }

    /// The period that it is for.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// One hash serves for all calls, as the filters share a hasher.
    pub(crate) fn hash_one(&self, key: &Key) -> u64 {
        self.hasher.hash_one(key)
    }

    /// Which keys the young filter has.
    pub(crate) fn are_young(&self, hashes: &[u64], found: &mut [bool]) {
        self.young.contains_many_hash(hashes, found);
    }

    /// Which keys the old filter has.
    pub(crate) fn are_old(&self, hashes: &[u64], found: &mut [bool]) {
        match &self.old {
            Some(old) => old.contains_many_hash(hashes, found),
            None => found.fill(false),
        }
    }

    /// Whether the old filter has the key.
    pub(crate) fn is_old(&self, hash: u64) -> bool {
        let old = self.old.as_ref();
        old.is_some_and(|old| old.contains_hash(hash))
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

    /// Whether the young filter has the key.
    pub(crate) fn keeps(&self, key: &Key) -> bool {
        self.young.contains_hash(self.hash_one(key))
    }

    /// Whether one of the filters has the key.
    pub(crate) fn knows(&self, key: &Key) -> bool {
        self.filters()
            .any(|filter| filter.contains_hash(self.hash_one(key)))
    }

    /// How often a key that nobody inserted is answered "known".
    pub(crate) fn false_positive_rate(&self) -> f64 {
        self.filters()
            .map(|filter| filter.false_positive_rate())
            .sum()
    }

    /// The filters, for the measures. The one that takes keys is the first.
    pub(crate) fn filters(&self) -> impl Iterator<Item = &dyn Hashed> {
        [Some(&self.young), self.old.as_ref()]
            .into_iter()
            .flatten()
            .map(|filter| &**filter)
    }

    /// The keys in the filter that takes keys.
    pub(crate) fn kept(&self) -> usize {
        self.young.len()
    }
}
