//! One filter that rotates, for all periods: the way of a window with a fixed room.
//!
//! All workers share a [`RotatingCuckooFilter`](lockfree_cuckoo::RotatingCuckooFilter) of two generations. A worker that takes up a batch of a later period
//! than the filter is in rotates it first, by [`rotate_if`](Rotates::rotate_if): of several workers, one
//! does. No worker waits for another. There are three tables, one of which is being emptied for the next rotation,
//! however many periods there are: a rotation allocates nothing.
//!
//! A batch is judged by the filter as it is when it is worked on, and its keys go into the generation that is young
//! then. That is the one of its period, or a later one if the batch is late: if a batch of a later period was taken up before.
//! So ages are counted in rotations. With what happens to false positives left aside, this is guaranteed:
//!
//! * A key is told new once in its life, however the workers race, and across rotations too. Its life ends with the
//!   second rotation after its last packet was worked on.
//! * Once a packet was worked on, none with its key is told new before the second rotation after that. So a key stays
//!   known if one of its packets is worked on between each rotation and the next one.
//! * A key of which no packet was worked on since the last rotation but one is told new, to one worker.
//! * When a batch is judged, the filter has rotated for its period. It has never rotated beyond the periods of which a
//!   batch was taken up.
//!
//! Batches are handed out in the order of their periods. So with one worker no batch is late, and of `n` workers at most
//! `n - 1` batches come late to a generation. The price: a batch that is two rotations late finds keys forgotten that
//! were known in its own period, and refreshes others for a later one. That takes a worker that stands still for the
//! work of two windows.

use super::answer::{Answer, Scratch};
use super::decide::Filters;
use super::maker::build;
use lockfree_cuckoo::{
    BuildError, Hashed, InsertError, RandomState, Rotates, RotatingCuckooFilterBuilder,
};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

#[cfg(test)]
mod tests;

/// The rotation with this number after its last packet forgets a key.
pub(crate) const GENERATIONS: usize = 2;

/// How often an insert is tried again that only others have hindered.
const RETRIES: usize = 3;

/// How often a rotation is tried before the batch goes on without it. Only threads in the middle of a call can hinder
/// one, each of 64 attempts of each try, so it does not come to that.
const TRIES: usize = 1000;

pub(super) struct Ring {
    filter: Box<dyn Hashed>,
    hasher: RandomState,
    /// The rotations after which the young generation has refused a key, the last time that one did.
    full: AtomicU64,
}

impl Ring {
    /// With room for so many keys in each generation, and at most this rate of false positives.
    pub(super) fn new(
        keys: usize,
        hasher: &RandomState,
        rate: Option<f64>,
    ) -> Result<Self, BuildError> {
        let builder = RotatingCuckooFilterBuilder::with_hasher(hasher.clone());
        Ok(Self {
            filter: build(builder.capacity(keys).generations(GENERATIONS), rate)?,
            hasher: hasher.clone(),
            full: AtomicU64::new(u64::MAX),
        })
    }

    fn rotating(&self) -> &dyn Rotates {
        self.filter.rotating().expect("it is built to rotate")
    }

    /// Whether the young generation has refused a key.
    fn is_full(&self) -> bool {
        // Relaxed: who does not see it yet asks the filter, and learns the same.
        self.full.load(Ordering::Relaxed) == self.rotating().rotations()
    }

    /// Puts a key into the young generation; returns true if it was in none.
    ///
    /// A generation that is full searches thousands of buckets for room before it refuses. To do that for every packet
    /// would stop the line, so it is done once, and until the next rotation there is no more of it.
    fn refresh(&self, hash: u64) -> Result<bool, Option<InsertError>> {
        if self.is_full() {
            return Err(None);
        }
        let rotations = self.rotating().rotations();
        let mut outcome = self.rotating().refresh_hash(hash);
        for _ in 0..RETRIES {
            if !matches!(&outcome, Err(error) if error.is_transient()) {
                break;
            }
            outcome = self.rotating().refresh_hash(hash);
        }
        outcome.map_err(|error| {
            if !error.is_transient() {
                self.full.store(rotations, Ordering::Relaxed);
            }
            Some(error)
        })
    }
}

impl Filters for Ring {
    /// Rotates until there is a generation for the period. Two rotations forget everything, so a pause counts as two
    /// periods, however long it is ([`Periods`](crate::batches::Periods)).
    fn begin(&self, period: u64) {
        for _ in 0..TRIES {
            loop {
                let rotations = self.rotating().rotations();
                if rotations >= period {
                    return;
                }
                // If another worker rotates first, that is as good.
                if self.rotating().rotate_if(rotations).is_err() {
                    break;
                }
            }
            thread::yield_now();
        }
    }

    fn generation(&self) -> u64 {
        self.rotating().rotations()
    }

    fn hasher(&self) -> &RandomState {
        &self.hasher
    }

    fn answer(&self, hash: u64, refusal: &mut Option<InsertError>) -> Answer {
        match self.refresh(hash) {
            Ok(new) => answer(new),
            Err(error) => {
                *refusal = error.or(refusal.take());
                if self.filter.contains_hash(hash) {
                    Answer::Unrefreshed
                } else {
                    Answer::Refused
                }
            }
        }
    }

    /// With prefetch, which pays in large tables; up to a key that is refused, and after that again.
    fn answer_batch(&self, scratch: &mut Scratch) {
        let Scratch {
            hashes,
            answers,
            refusal,
            new,
            ..
        } = scratch;
        new.clear();
        new.resize(hashes.len(), false);
        answers.clear();
        while let (done, Some(rest)) = (answers.len(), hashes.get(answers.len()..))
            && !rest.is_empty()
        {
            if self.is_full() {
                answers.extend(rest.iter().map(|&hash| self.answer(hash, refusal)));
                break;
            }
            let stopped = self
                .rotating()
                .refresh_many_hash(rest, &mut new[done..])
                .err();
            let went_in = stopped.map_or(rest.len(), |stopped| stopped.inserted());
            answers.extend(new[done..done + went_in].iter().map(|&new| answer(new)));
            // The one that was refused is tried again by itself.
            let refused = rest.get(went_in);
            answers.extend(refused.map(|&hash| self.answer(hash, refusal)));
        }
    }

    fn filters(&self) -> Vec<&dyn Hashed> {
        vec![&*self.filter]
    }
}

fn answer(new: bool) -> Answer {
    if new { Answer::New } else { Answer::Known }
}
