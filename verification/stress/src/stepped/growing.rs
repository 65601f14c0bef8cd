//! A growing filter as a stage: actors without false positives, and extras that make the filter
//! grow.
//!
//! Each thread has extras of its own. A small table cannot distinguish many of them, across all
//! threads. A thread finds all its extras, and each remove of one succeeds.

use model::mix;
use rand::RngExt;
use rand::rngs::SmallRng;

use super::layout::Subject;
use super::run::demand;

/// The number of actors, each with a fingerprint and a head of its own: two buckets have no more
/// classes than there are fingerprints.
pub(crate) const ACTORS: usize = 4;

/// The number of fingerprints of all extras.
const FINGERPRINTS: u64 = 12;

/// The most extras of a thread. Those of all threads fill the table several times.
const EXTRAS: usize = 24;

/// Returns a fingerprint whose head no other fingerprint has.
fn fingerprint(number: u64) -> u64 {
    number << 10 | number
}

pub(crate) fn actor(number: usize) -> u64 {
    mix(number as u64) & !0xffff | fingerprint(FINGERPRINTS + 1 + number as u64)
}

/// The extras of a thread.
#[derive(Default)]
pub(crate) struct Extras(Vec<u64>);

impl Extras {
    /// Inserts some or removes some.
    pub(crate) fn vary(&mut self, filter: &Subject, rng: &mut SmallRng) -> Result<(), String> {
        let wanted = rng.random_range(0..=EXTRAS);
        while self.0.len() < wanted {
            let number = rng.random_range(1..=FINGERPRINTS);
            let hash = rng.random::<u64>() & !0xffff | fingerprint(number);
            // Refused only if its class is full of copies: then it is not added to the list.
            if filter.insert_hash(hash).is_err() {
                break;
            }
            self.0.push(hash);
        }
        self.shrink_to(filter, wanted)
    }

    /// Removes the oldest; the others must still be found.
    pub(crate) fn shrink_to(&mut self, filter: &Subject, wanted: usize) -> Result<(), String> {
        let missed = "an item that is in was missed";
        while self.0.len() > wanted {
            let hash = self.0.remove(0);
            let found = filter.contains_hash(hash) && filter.remove_hash(hash);
            demand(found, missed, hash)?;
        }
        let mut own = self.0.iter();
        own.try_for_each(|&hash| demand(filter.contains_hash(hash), missed, hash))
    }
}
