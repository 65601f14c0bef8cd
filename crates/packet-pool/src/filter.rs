//! The filter of a run, and what it answers to the keys of a batch.
//!
//! All workers share one filter. Without a window it is a [`CuckooFilter`](lockfree_cuckoo::CuckooFilter) or a
//! [`GrowingCuckooFilter`](lockfree_cuckoo::GrowingCuckooFilter), which forgets nothing: one worker is told that a key is
//! new, however many ask.
//!
//! With a window it is a [`RotatingCuckooFilter`](lockfree_cuckoo::RotatingCuckooFilter) of two generations. A worker that
//! takes up a batch of a later period than the filter is in rotates it first, by [`rotate_if`](Rotates::rotate_if): of
//! several workers, one does. No worker waits for another. There are three tables, one of which is being emptied for the
//! next rotation, however many periods there are: a rotation allocates nothing.
//!
//! A batch is judged by the filter as it is when it is worked on, and its keys go into the generation that is young then.
//! That is the one of its period, or a later one if the batch is late: if a batch of a later period was taken up before. So
//! ages are counted in rotations. With what happens to false positives left aside, this is guaranteed:
//!
//! * A key is told new once in its life, however the workers race, and across rotations too. Its life ends with the second
//!   rotation after its last packet was worked on.
//! * Once a packet was worked on, none with its key is told new before the second rotation after that. So a key stays known
//!   if one of its packets is worked on between each rotation and the next one.
//! * A key of which no packet was worked on since the last rotation but one is told new, to one worker.
//! * When a batch is judged, the filter has rotated for its period. It has never rotated beyond the periods of which a batch
//!   was taken up.
//!
//! Batches are handed out in the order of their periods. So with one worker no batch is late, and of `n` workers at most
//! `n - 1` batches come late to a generation. The price: a batch that is two rotations late finds keys forgotten that were
//! known in its own period, and refreshes others for a later one. That takes a worker that stands still for the work of two
//! windows.

use crate::keys::Key;
use lockfree_cuckoo::{
    AnyLayout, BuildError, CuckooFilterBuilder, DynFilter, FilterBuilder,
    GrowingCuckooFilterBuilder, InsertError, RandomState, Rotates, RotatingCuckooFilterBuilder,
};
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// The rotation with this number after its last packet forgets a key.
pub(crate) const GENERATIONS: usize = 2;

/// How often an insert is tried again that only others have hindered.
const RETRIES: usize = 3;

/// How often a rotation is tried before the batch goes on without it. Only threads in the middle of a call can hinder
/// one, each of 64 attempts of each try, so it does not come to that.
const TRIES: usize = 1000;

/// How a filter meets more keys than it has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It refuses them.
    Fixed,
    /// It makes itself more room.
    Growing,
    /// It refuses them until it rotates; it forgets.
    Rotating,
}

/// What the filter of a run is made for.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) kind: Kind,
    /// The keys that it has room for at first, in each generation.
    pub(crate) keys: usize,
    /// The most answers that may be wrong. None: as many as the default layout has, and of a filter that grows any number.
    pub(crate) rate: Option<f64>,
}

/// What the filter knows of one packet's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It was not in, and this packet put it in.
    New,
    /// It was in already, and stays as long as if it were new.
    Known,
    /// It is not in, and there is no room for it.
    Refused,
    /// It is in already, but there is no room in the young generation: it will be forgotten too early.
    Unrefreshed,
}

impl Answer {
    fn of(new: bool) -> Self {
        if new { Self::New } else { Self::Known }
    }
}

/// A worker's own memory, used for every batch anew.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The places in the batch of the packets that have no key.
    pub(crate) without_key: Vec<usize>,
    /// The keys of the others, and what came of them.
    pub(crate) keys: Vec<Key>,
    pub(crate) answers: Vec<Answer>,
    /// Why the filter refused a key, the last time that it did.
    pub(crate) refusal: Option<InsertError>,
    /// The hashes of the keys, and what the filter says of each.
    hashes: Vec<u64>,
    told: Vec<bool>,
}

/// A way to judge a batch: reads the keys, and gives each an answer.
pub(crate) type Decide = dyn Fn(&Filter, &mut Scratch) + Sync;

pub(crate) struct Filter {
    filter: DynFilter,
    /// The rotations after which the filter has refused a key, the last time that it did.
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

    /// For the measures.
    pub(crate) fn hashed(&self) -> &DynFilter {
        &self.filter
    }

    /// How often it has rotated. The generation that takes keys has this number.
    pub(crate) fn rotations(&self) -> u64 {
        self.filter.rotating().map_or(0, Rotates::rotations)
    }

    /// Whether a key is in.
    pub(crate) fn contains(&self, key: impl Hash) -> bool {
        self.filter.contains(&key)
    }

    /// Readies it for a batch of this period, which the caller has taken up: rotates until there is a generation for the
    /// period. Two rotations forget everything, so a pause counts as two periods, however long it is
    /// ([`Periods`](crate::batches::Periods)).
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
                // If another worker rotates first, that is as good.
                if rotating.rotate_if(rotations).is_err() {
                    break;
                }
            }
            thread::yield_now();
        }
    }

    /// Judges the keys of a batch in the order of memory accesses that is best for many.
    pub(crate) fn in_batches(&self, scratch: &mut Scratch) {
        self.hash(scratch);
        match self.filter.rotating() {
            None => self.look_and_insert(scratch),
            Some(rotating) => self.refresh_many(rotating, scratch),
        }
    }

    /// The same by single calls, to measure against.
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

    /// Looks the whole batch up first and inserts the keys that are left: most packets belong to known flows, and the
    /// batched lookups prefetch what the inserts of the others will need.
    fn look_and_insert(&self, scratch: &mut Scratch) {
        let Scratch {
            hashes,
            told: known,
            answers,
            refusal,
            ..
        } = scratch;
        self.filter.contains_many_hash(hashes, known);
        // Whatever the lookups said: of all who come here with one key, in this batch and in others at the same time, one
        // is told that it is new.
        let answer = |(&hash, &known): (&u64, &bool)| match known {
            true => Answer::Known,
            false => self.answer(hash, refusal),
        };
        answers.extend(hashes.iter().zip(&*known).map(answer));
    }

    /// With prefetch, which pays in large tables; up to a key that is refused, and after that again.
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
            // The one that was refused is tried again by itself.
            let refused = rest.get(went_in);
            answers.extend(refused.map(|&hash| self.answer(hash, refusal)));
        }
    }

    /// Answers one key.
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

    /// Puts a key in, into the young generation if there are several; returns true if it was in none.
    ///
    /// A filter that is full searches thousands of buckets for room before it refuses. To do that for every packet would
    /// stop the line, so it is done once, and until the next rotation there is no more of it.
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

    /// Whether a key was refused since the last rotation.
    fn is_full(&self) -> bool {
        // Relaxed: who does not see it yet asks the filter, and learns the same.
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

    /// The smallest filter with the rate that was asked for; without one, that of the default layout.
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

    /// The answers to a batch of a period that has these keys.
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

    #[test]
    fn a_late_batch_is_judged_by_the_filter_as_it_is() {
        let filter = rotating(100);
        assert_eq!(judge(&filter, 0, [1, 2]), [Answer::New; 2]);
        assert_eq!(judge(&filter, 1, [1]), [Answer::Known]);
        // Of period 0, but it does not rotate back, and refreshes the key for the generation of period 1.
        assert_eq!(judge(&filter, 0, [2, 3]), [Answer::Known, Answer::New]);
        assert_eq!(filter.rotations(), 1);
        assert_eq!(judge(&filter, 2, [1, 2, 3]), [Answer::Known; 3]);
        // Forgotten before it came.
        assert_eq!(judge(&filter, 4, [9]), [Answer::New]);
        assert_eq!(judge(&filter, 1, [1, 1]), [Answer::New, Answer::Known]);
    }

    #[test]
    fn a_batch_rotates_as_often_as_its_period_needs() {
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
        // The next packets only look, and say that what they find may leave too early.
        let both = judge(&filter, 0, [0, refused]);
        assert_eq!(both, [Answer::Unrefreshed, Answer::Refused]);
        let rest = &answers[refused as usize..];
        assert!(rest.iter().all(|&answer| answer == Answer::Refused));
        // A rotation makes room, and forgets nothing yet.
        let both = judge(&filter, 1, [0, refused]);
        assert_eq!(both, [Answer::Known, Answer::New]);
        assert!(!filter.is_full());
        // The call for one key does the same.
        let one = |key: u64| filter.answer(filter.filter.hash_one(&key), &mut None);
        assert_eq!([one(5_000), one(5_000)], [Answer::New, Answer::Known]);
    }
}
