//! Preemption at will: a hook that gives the processor away at random steps.
//!
//! Two threads that run freely on two processors meet in a window of nanoseconds. A thread that is sent to the
//! back of the queue in the middle of an operation leaves a window of many operations of the others.

use std::hint;
use std::thread;

use lockfree_cuckoo::testing::hooks::Fate;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// How often, and for how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// One step in so many.
    pub(crate) one_in: u32,
    /// At most so many turns of the others.
    pub(crate) turns: u32,
}

/// What takes about as long as a call.
const SPINS: u32 = 32;

/// What a pace is multiplied by, so that some batches are in a hurry and some hardly get on.
const FACTORS: [f64; 4] = [0.5, 1.0, 2.0, 8.0];

impl Pace {
    /// The same with pauses more often or less.
    pub(crate) fn varied(self, seed: u64) -> Self {
        let factor = FACTORS[seed as usize % FACTORS.len()];
        Self {
            one_in: (f64::from(self.one_in) * factor) as u32,
            ..self
        }
    }

    pub(crate) fn hook(self, seed: u64) -> impl FnMut(usize) -> Fate + 'static {
        let mut rng = SmallRng::seed_from_u64(seed);
        move |_| {
            if rng.random_ratio(1, self.one_in) {
                // Short pauses most of the time, so that long ones fall among short ones.
                let turns = rng.random_range(1..=self.turns);
                let turns = rng.random_range(1..=turns);
                // A thread that keeps its processor lets those on the others pass; one that gives it up lets
                // all pass, but on a busy machine it comes back late.
                if rng.random_ratio(1, 4) {
                    (0..turns).for_each(|_| thread::yield_now());
                } else {
                    (0..turns * SPINS).for_each(|_| hint::spin_loop());
                }
            }
            Fate::Goes
        }
    }
}
