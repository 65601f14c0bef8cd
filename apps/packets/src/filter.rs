//! The filter of a run: answers the keys of each batch.
//!
//! All workers share one filter. Without a window it is a
//! [`CuckooFilter`](lockfree_cuckoo::CuckooFilter) or a
//! [`GrowingCuckooFilter`](lockfree_cuckoo::GrowingCuckooFilter), which forgets nothing: one worker
//! is told that a key is new, however many ask.
//!
//! With a window it is a [`RotatingCuckooFilter`](lockfree_cuckoo::RotatingCuckooFilter) of two
//! generations. A worker that takes up a batch of a later period than the filter is in rotates it
//! first, by [`rotate_if`](Rotates::rotate_if): of several workers, one does. No worker waits for
//! another. There are three tables, one of which is being emptied for the next rotation, however
//! many periods there are: a rotation allocates nothing.
//!
//! A batch is judged by the filter as it is when it is worked on, and its keys go into the
//! generation that is young then. That is the one of its period, or a later one if the batch is
//! late: if a batch of a later period was taken up before. So ages are counted in rotations. Apart
//! from false positives, this is guaranteed:
//!
//! * A key is told new once in its life, even if workers race, and across rotations. Its life ends
//!   with the second rotation after its last packet was handled.
//! * After a packet was handled, no packet with its key is told new before the second rotation
//!   after that. So a key stays known if one of its packets is handled between each rotation and
//!   the next one.
//! * A key without a packet since the rotation before the last is told new, to one worker.
//! * When a batch is judged, the filter has rotated for its period. It has never rotated beyond the
//!   periods of the batches that were taken.
//!
//! Batches are handed out in the order of their periods. So with one worker no batch is late, and
//! of `n` workers at most `n - 1` batches come late to a generation. The price: a batch that is two
//! rotations late finds keys forgotten that were known in its own period, and refreshes others for
//! a later one. This happens only if a worker stands still for the work of two windows.

use crate::keys::Key;
use lockfree_cuckoo::{
    BuildError, CuckooFilterBuilder, DynFilter, FilterBuilder, GrowingCuckooFilterBuilder,
    InsertError, RandomState, RotatingCuckooFilterBuilder,
    filter::{AnyLayout, Rotates},
};
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// The number of rotations after its last packet at which a key is forgotten.
pub(crate) const GENERATIONS: usize = 2;

/// The number of times that an insert is repeated which other threads alone prevented.
const RETRIES: usize = 3;

/// The number of times that a rotation is tried before the batch goes on without it. Only threads
/// in the middle of a call can prevent one, each of 64 attempts of each try, so this limit is not
/// reached.
const TRIES: usize = 1000;

/// The kind of a filter: what it does with more keys than it has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It refuses them.
    Fixed,
    /// It grows.
    Growing,
    /// It refuses them until it rotates, which forgets older ones.
    Rotating,
}

/// The plan of the filter of a run.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) kind: Kind,
    /// The keys that it has room for at first, in each generation.
    pub(crate) keys: usize,
    /// The highest rate of wrong answers. `None`: that of the default layout, and for a growing
    /// filter no limit.
    pub(crate) rate: Option<f64>,
}

/// The answer of the filter for one packet's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The key was absent, and this packet added it.
    New,
    /// The key was stored already, and stays as long as if it were new.
    Known,
    /// The key is absent, and there is no room for it.
    Refused,
    /// The key is stored, but the young generation has no room for it: it will be forgotten too
    /// early.
    Unrefreshed,
}

impl Answer {
    fn of(new: bool) -> Self {
        if new { Self::New } else { Self::Known }
    }
}

/// A worker's own memory, reused for every batch.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The indices in the batch of the packets that have no key.
    pub(crate) without_key: Vec<usize>,
    /// The keys of the others, and their answers.
    pub(crate) keys: Vec<Key>,
    pub(crate) answers: Vec<Answer>,
    /// The reason for the last refusal.
    pub(crate) refusal: Option<InsertError>,
    /// The hashes of the keys, and the answers of the filter.
    hashes: Vec<u64>,
    told: Vec<bool>,
}

/// A function that judges a batch: it reads the keys, and gives each an answer.
pub(crate) type Decide = dyn Fn(&Filter, &mut Scratch) + Sync;

pub(crate) struct Filter {
    filter: DynFilter,
    /// The number of rotations at the last refusal.
    full: AtomicU64,
}

impl Filter {
    pub(crate) fn new(plan: Plan) -> Result<Self, BuildError> {
        Self::with_hasher(plan, RandomState::new())
    }

    fn with_hasher(plan: Plan, hasher: RandomState) -> Result<Self, BuildError> {
        Ok(Self {
            filter: plan.build(hasher)?,
            full: AtomicU64::new(u64::MAX),
        })
    }

    /// Returns the filter of the library, for measurements.
    pub(crate) fn hashed(&self) -> &DynFilter {
        &self.filter
    }

    /// Returns the number of rotations. The generation that takes keys has this number.
    pub(crate) fn rotations(&self) -> u64 {
        self.filter.rotating().map_or(0, Rotates::rotations)
    }

    /// Returns whether a key is stored.
    pub(crate) fn contains(&self, key: impl Hash) -> bool {
        self.filter.contains(&key)
    }

    /// Prepares the filter for a batch of this period, which the caller has taken: rotates until
    /// there is a generation for the period. Two rotations forget everything, so a pause counts as
    /// two periods, however long it is ([`Periods`](crate::batches::Periods)).
    pub(crate) fn begin(&self, period: u64) {
        let Some(rotating) = self.filter.rotating() else {
            return;
        };
        for _ in 0..TRIES {
            loop {
                let rotations = rotating.rotations();
                if rotations >= period {
                    return;
                }
                // A rotation by another worker is as good.
                if rotating.rotate_if(rotations).is_err() {
                    break;
                }
            }
            thread::yield_now();
        }
    }

    /// Judges the keys of a batch in the order of memory accesses that suits many keys best.
    pub(crate) fn in_batches(&self, scratch: &mut Scratch) {
        self.hash(scratch);
        match self.filter.rotating() {
            None => self.look_and_insert(scratch),
            Some(rotating) => self.refresh_many(rotating, scratch),
        }
    }

    /// Judges the keys by single calls, to measure against.
    pub(crate) fn one_by_one(&self, scratch: &mut Scratch) {
        self.hash(scratch);
        let Scratch {
            hashes,
            answers,
            refusal,
            ..
        } = scratch;
        answers.extend(hashes.iter().map(|&hash| self.answer(hash, refusal)));
    }

    fn hash(&self, scratch: &mut Scratch) {
        scratch.answers.clear();
        scratch.hashes.clear();
        let hashes = scratch.keys.iter().map(|key| self.filter.hash_one(key));
        scratch.hashes.extend(hashes);
        scratch.told.clear();
        scratch.told.resize(scratch.keys.len(), false);
    }

    /// Looks up the whole batch first, and inserts the keys that are absent: most packets belong to
    /// known flows, and the batched lookups prefetch the buckets that the inserts need.
    fn look_and_insert(&self, scratch: &mut Scratch) {
        let Scratch {
            hashes,
            told: known,
            answers,
            refusal,
            ..
        } = scratch;
        self.filter.contains_many_hash(hashes, known);
        // Insert whatever the lookups found: of all workers and packets that get here with one key
        // at the same time, one is told that it is new.
        let answer = |(&hash, &known): (&u64, &bool)| match known {
            true => Answer::Known,
            false => self.answer(hash, refusal),
        };
        answers.extend(hashes.iter().zip(&*known).map(answer));
    }

    /// Refreshes keys with prefetching, which pays in large tables, and starts again after each
    /// refused key.
    fn refresh_many(&self, rotating: &dyn Rotates, scratch: &mut Scratch) {
        let Scratch {
            hashes,
            told: new,
            answers,
            refusal,
            ..
        } = scratch;
        while let (done, Some(rest)) = (answers.len(), hashes.get(answers.len()..))
            && !rest.is_empty()
        {
            if self.is_full() {
                answers.extend(rest.iter().map(|&hash| self.answer(hash, refusal)));
                break;
            }
            let refreshed = rotating.refresh_many_hash(rest, &mut new[done..]);
            let went_in = refreshed.map_or_else(|stopped| stopped.inserted(), |()| rest.len());
            answers.extend(new[done..done + went_in].iter().copied().map(Answer::of));
            // Try the refused key again by itself.
            let refused = rest.get(went_in);
            answers.extend(refused.map(|&hash| self.answer(hash, refusal)));
        }
    }

    /// Answers a single key.
    fn answer(&self, hash: u64, refusal: &mut Option<InsertError>) -> Answer {
        match self.insert(hash) {
            Ok(new) => Answer::of(new),
            Err(error) => {
                *refusal = error.or(refusal.take());
                match (self.filter.contains_hash(hash), self.filter.rotating()) {
                    (false, _) => Answer::Refused,
                    (true, None) => Answer::Known,
                    (true, Some(_)) => Answer::Unrefreshed,
                }
            }
        }
    }

    /// Adds a key, into the young generation if there are several. Returns true if no generation
    /// had it.
    ///
    /// A full filter searches thousands of buckets for room before it refuses. Doing that for every
    /// packet would stop the line, so after one refusal there is no more insert until the next
    /// rotation.
    fn insert(&self, hash: u64) -> Result<bool, Option<InsertError>> {
        if self.is_full() {
            return Err(None);
        }
        let rotations = self.rotations();
        let insert = || match self.filter.rotating() {
            Some(rotating) => rotating.refresh_hash(hash),
            None => self.filter.insert_unique_hash(hash),
        };
        let mut outcome = insert();
        for _ in 0..RETRIES {
            if !matches!(&outcome, Err(error) if error.is_transient()) {
                break;
            }
            outcome = insert();
        }
        outcome.map_err(|error| {
            if !error.is_transient() {
                self.full.store(rotations, Ordering::Relaxed);
            }
            Some(error)
        })
    }

    /// Returns whether a key was refused since the last rotation.
    fn is_full(&self) -> bool {
        // Relaxed: a worker that reads an old value asks the filter, and gets the same answer.
        self.full.load(Ordering::Relaxed) == self.rotations()
    }
}

impl Plan {
    fn build(self, hasher: RandomState) -> Result<DynFilter, BuildError> {
        let Self { keys, rate, .. } = self;
        match self.kind {
            Kind::Fixed => self.smallest(CuckooFilterBuilder::with_hasher(hasher).capacity(keys)),
            Kind::Growing => {
                let mut builder = GrowingCuckooFilterBuilder::with_hasher(hasher).capacity(keys);
                if let Some(rate) = rate {
                    builder = builder.max_false_positive_rate(rate);
                }
                Ok(builder.build()?.into())
            }
            Kind::Rotating => {
                let builder = RotatingCuckooFilterBuilder::with_hasher(hasher).capacity(keys);
                self.smallest(builder.generations(GENERATIONS))
            }
        }
    }

    /// Makes the smallest filter with the requested rate; without one, a filter of the default
    /// layout.
    fn smallest<E: AnyLayout>(self, builder: FilterBuilder<E>) -> Result<DynFilter, BuildError> {
        match self.rate {
            Some(rate) => builder.build_smallest(rate),
            None => Ok(builder.build()?.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{Keys, Mode};

    fn rotating(keys: usize) -> Filter {
        let plan = Plan {
            kind: Kind::Rotating,
            keys,
            rate: None,
        };
        Filter::with_hasher(plan, RandomState::with_seed(7)).expect("little memory")
    }

    /// Returns the answers to a batch of a period with these keys.
    fn judge(filter: &Filter, period: u64, keys: impl IntoIterator<Item = u64>) -> Vec<Answer> {
        let of_run = Keys::new(Mode::Flows);
        let mut scratch = Scratch {
            keys: keys.into_iter().map(|key| of_run.made_up(key)).collect(),
            ..Scratch::default()
        };
        filter.begin(period);
        filter.in_batches(&mut scratch);
        scratch.answers
    }

    /// The current filter judges a late batch.
    #[test]
    fn the_current_filter_judges_late_batches() {
        let filter = rotating(100);
        assert_eq!(judge(&filter, 0, [1, 2]), [Answer::New; 2]);
        assert_eq!(judge(&filter, 1, [1]), [Answer::Known]);
        // The batch has period 0, but the filter does not rotate back, and refreshes the key for
        // the generation of period 1.
        assert_eq!(judge(&filter, 0, [2, 3]), [Answer::Known, Answer::New]);
        assert_eq!(filter.rotations(), 1);
        assert_eq!(judge(&filter, 2, [1, 2, 3]), [Answer::Known; 3]);
        // Forgotten before its batch came.
        assert_eq!(judge(&filter, 4, [9]), [Answer::New]);
        assert_eq!(judge(&filter, 1, [1, 1]), [Answer::New, Answer::Known]);
    }

    #[test]
    fn rotates_as_often_as_a_batch_needs() {
        let filter = rotating(100);
        let at_first = filter.hashed().memory_usage();
        for period in [0, 1, 2, 4, 6, 7, 1_000, 1_002] {
            assert_eq!(judge(&filter, period, [period]), [Answer::New]);
            assert_eq!(filter.rotations(), period);
        }
        assert_eq!(filter.hashed().memory_usage(), at_first);
    }

    #[test]
    fn workers_rotate_once_for_a_period() {
        let filter = rotating(10_000);
        for period in 1..200 {
            let new = thread::scope(|scope| {
                let workers = [0; 4].map(|_| scope.spawn(|| judge(&filter, period, 0..100)));
                let answers = workers.map(|worker| worker.join().expect("no panic"));
                let all = answers.iter().flatten();
                all.filter(|&&answer| answer == Answer::New).count()
            });
            assert_eq!(filter.rotations(), period);
            assert_eq!(new, if period == 1 { 100 } else { 0 }, "period {period}");
        }
    }

    #[test]
    fn a_full_generation_answers_each_key() {
        let filter = rotating(100);
        let answers = judge(&filter, 0, 0..1_000);
        let refused = answers.iter().position(|&answer| answer == Answer::Refused);
        let refused = refused.expect("room for 100") as u64;
        let slots = (filter.hashed().slots() / GENERATIONS) as u64;
        assert!((100..=slots).contains(&refused), "{refused} of {slots}");
        assert!(filter.is_full());
        // The next packets are only looked up, and told that a known key may leave too early.
        let both = judge(&filter, 0, [0, refused]);
        assert_eq!(both, [Answer::Unrefreshed, Answer::Refused]);
        let rest = &answers[refused as usize..];
        assert!(rest.iter().all(|&answer| answer == Answer::Refused));
        // A rotation makes room, and forgets nothing yet.
        let both = judge(&filter, 1, [0, refused]);
        assert_eq!(both, [Answer::Known, Answer::New]);
        assert!(!filter.is_full());
        // The call for one key answers the same.
        let one = |key: u64| filter.answer(filter.filter.hash_one(&key), &mut None);
        assert_eq!([one(5_000), one(5_000)], [Answer::New, Answer::Known]);
    }
}
