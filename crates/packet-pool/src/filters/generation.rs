//! Generations: two filters for each period, the way of filters that grow. Without a window there is one, of one filter.
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

use super::answer::{Answer, Scratch};
use super::decide::Filters;
use super::maker::Maker;
use lockfree_cuckoo::{BuildError, Hashed, InsertError, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The filters of one period.
pub(super) struct Generation {
    pub(super) number: u64,
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
struct Full(Option<InsertError>);

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
        // The next inserts are not into this one, and would not end a doubling.
        self.young.finish_doubling();
        Ok(Self {
            number: self.number + 1,
            hasher: self.hasher.clone(),
            young: maker.filter(self.young.len())?,
            old: Some(Arc::clone(&self.young)),
            full: AtomicBool::new(false),
        })
    }

    /// Puts a key into the young filter; `false` if it was there.
    ///
    /// A filter that is full searches thousands of buckets for room before it
    /// refuses. To do that for every packet would stop the line, so it is done
    /// once, and from then on there is only a look.
    fn insert(&self, hash: u64) -> Result<bool, Full> {
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

    /// Which keys the old filter has.
    fn are_old(&self, hashes: &[u64], found: &mut [bool]) {
        match &self.old {
            Some(old) => old.contains_many_hash(hashes, found),
            None => found.fill(false),
        }
    }
}

impl Filters for Generation {
    /// They are those of its period.
    fn begin(&self, _period: u64) {}

    fn generation(&self) -> u64 {
        self.number
    }

    fn hasher(&self) -> &RandomState {
        &self.hasher
    }

    fn answer(&self, hash: u64, refusal: &mut Option<InsertError>) -> Answer {
        match self.insert(hash) {
            Ok(false) => Answer::Known,
            inserted => {
                let old = self.old.as_ref();
                let in_old = old.is_some_and(|old| old.contains_hash(hash));
                answer(inserted, in_old, refusal)
            }
        }
    }

    /// Looks the whole batch up first and inserts the keys that are left: most packets belong to known flows, and the
    /// batched lookups prefetch what the inserts of the others will need.
    fn answer_batch(&self, scratch: &mut Scratch) {
        let Scratch {
            answers,
            refusal,
            hashes,
            in_young,
            rest,
            in_old,
            ..
        } = scratch;
        in_young.resize(hashes.len(), false);
        self.young.contains_many_hash(hashes, in_young);
        answers.clear();
        answers.resize(hashes.len(), Answer::Known);
        rest.clear();
        rest.extend((0..hashes.len()).filter(|&place| !in_young[place]));

        // From here on only what is left.
        let kept = rest.len();
        for (to, &from) in rest.iter().enumerate() {
            hashes[to] = hashes[from];
        }
        hashes.truncate(kept);
        in_old.resize(kept, false);
        self.are_old(hashes, in_old);
        for ((&place, &hash), &in_old) in rest.iter().zip(&*hashes).zip(&*in_old) {
            // Whatever the lookups said: of all who come here with one key, in this
            // batch and in others at the same time, one is told true.
            answers[place] = answer(self.insert(hash), in_old, refusal);
        }
    }

    fn filters(&self) -> Vec<&dyn Hashed> {
        let both = [Some(&self.young), self.old.as_ref()];
        both.into_iter().flatten().map(|filter| &**filter).collect()
    }
}

fn answer(inserted: Result<bool, Full>, in_old: bool, refusal: &mut Option<InsertError>) -> Answer {
    match (inserted, in_old) {
        (Ok(true), false) => Answer::New,
        (Ok(true), true) => Answer::Refreshed,
        (Ok(false), _) => Answer::Known,
        (Err(Full(error)), in_old) => {
            *refusal = error.or(refusal.take());
            if in_old {
                Answer::Unrefreshed
            } else {
                Answer::Refused
            }
        }
    }
}
