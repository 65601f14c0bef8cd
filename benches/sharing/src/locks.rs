//! The contrast: the same table behind locks, 64 of them, each for a part of the buckets.

use crate::ledger::{Ledger, Parts};
use crate::mix::{Operation, Work};

const LOCKS: u64 = 64;

/// Addresses that nothing else has.
const FIRST_LOCK: usize = 0;
const TABLE: usize = 1 << 20;

/// The parts of it.
#[must_use]
pub fn parts(buckets: usize) -> Parts {
    vec![
        ("table", TABLE..TABLE + buckets * size_of::<u64>()),
        ("locks", FIRST_LOCK..TABLE),
    ]
}

/// What code with locks would access at least: a lock, two words, the lock again. A change writes one of the words.
pub fn run(
    buckets: usize,
    mut ledger: Ledger,
    work: &mut Work,
    [before, operations]: [usize; 2],
) -> Ledger {
    for turn in 0..before + operations {
        if turn == before {
            ledger.forget();
        }
        let (processor, operation) = work.turn();
        let (hash, writes) = match operation {
            Operation::Contains(hash) => (hash, false),
            Operation::Insert(hash) | Operation::Remove(hash) => (hash, true),
        };
        // Each lock has a line of its own.
        let lock = FIRST_LOCK + (hash % LOCKS) as usize * crate::caches::LINE;
        let bucket = |hash: u64| {
            let bucket = (u128::from(hash) * buckets as u128) >> 64;
            TABLE + bucket as usize * size_of::<u64>()
        };
        ledger.access(processor, lock, true);
        ledger.access(processor, bucket(hash), writes);
        ledger.access(processor, bucket(hash.rotate_left(32)), false);
        ledger.access(processor, lock, true);
    }
    ledger
}
