//! The memory of growing filters: what they say, what they take, what they give back, and what reading them costs.
//!
//! 1. `memory_usage` is what the allocator has handed out, without the pages that the system has got back.
//! 2. What a filter has grown out of goes back when the growth ends, without another call. If it is much, the inserts to
//!    come give back a part each; a call that is about the whole filter, all of it.
//! 3. `clear` and dropping the filter leave nothing behind, and shrinking only what the items that are left need.
//! 4. Growers that race build no more than one level each in vain, and all of it is freed.
//! 5. Memory that cannot be had is an error, whichever allocation fails, and loses nothing.
//! 6. Reading takes nothing of note before the length of bytes is checked; from a reader, in one piece no more than
//!    512 KiB or twice what has come; in all, no more than three times the input and what few tables need besides.
//!
//! The allocator counts what the whole process holds, and a thread that is asleep stops all reclamation there. So one test
//! runs at a time. What goes back when other threads have moved on is waited for in turns, not in time.

#![allow(
    clippy::disallowed_types,
    reason = "the tests look at the crate from outside; the model checker is not involved"
)]

#[path = "../common/allocations.rs"]
mod allocations;
mod given_back;
mod held;
mod reading;

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use lockfree_cuckoo::{GrowingCuckooFilter, GrowingCuckooFilterBuilder};
use model::hashers::AsGiven;
use model::mix;

type Growing = GrowingCuckooFilter<AsGiven>;

fn builder(capacity: usize) -> GrowingCuckooFilterBuilder<AsGiven> {
    GrowingCuckooFilterBuilder::with_hasher(AsGiven).capacity(capacity)
}

fn filter(capacity: usize) -> Growing {
    builder(capacity).build().expect("memory")
}

fn items(round: u64, count: u64) -> impl Iterator<Item = u64> + Clone {
    (0..count).map(move |item| mix(round << 32 | item))
}

fn fill(filter: &Growing, items: impl Iterator<Item = u64>) {
    for item in items {
        filter.insert_hash(item).expect("memory");
    }
}

/// One test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // What the last test left to the epochs.
    settle(|| false);
    turn
}

fn live() -> usize {
    allocations::LIVE.load(Ordering::Relaxed)
}

/// Moves the epochs on until something holds, or it is clear that it never will.
fn settle(holds: impl Fn() -> bool) {
    for _ in 0..1_000 {
        crossbeam_epoch::pin().flush();
        if holds() {
            return;
        }
        thread::yield_now();
    }
}

/// Waits until what is held is no more than this.
fn assert_given_back(most: usize, what: &str) {
    settle(|| live() <= most);
    let live = live();
    assert!(
        live <= most,
        "{what}: {live} bytes are held, not at most {most}"
    );
}
