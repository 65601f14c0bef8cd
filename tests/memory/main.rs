//! The memory of filters: what they say, what they take, what they give back, and what reading and writing them costs.
//!
//! 1. `memory_usage` is what the allocator has handed out, without the pages that the system has got back. Of a filter that
//!    does not grow it is what construction allocates. After it no call allocates, rotations least of all.
//! 2. Memory that cannot be had is an error, whichever allocation fails. Nothing is kept, and nothing is lost.
//! 3. From bytes, reading takes what the filter needs, and nothing of note before their length is checked. From a reader,
//!    in one piece no more than 512 KiB or twice what has come; in all, no more than three times that and what few tables
//!    need besides. Whatever the input claims.
//! 4. Writing takes none. Chunks take the memory of what is ahead of the words, whatever the size.
//! 5. What a filter has grown out of goes back when the growth ends, without another call. If it is much, the inserts to
//!    come give back a part each; a call that is about the whole filter, all of it.
//! 6. `clear` and dropping the filter leave nothing behind, and shrinking only what the items that are left need.
//! 7. Growers that race build no more than one level each in vain, and all of it is freed.
//!
//! The allocator counts what the whole process holds, and a thread that is asleep stops all reclamation there. So one test
//! runs at a time. What goes back when other threads have moved on is waited for in turns, not in time.

#![allow(
    clippy::disallowed_types,
    reason = "the tests look at the crate from outside; the model checker is not involved"
)]

/// Tests that ask the same of every engine.
macro_rules! of_every_engine {
    ($($check:ident)*) => {$(
        mod $check {
            of_every_engine! { $check: fixed Fixed, growing Growing, rotating Rotating }
        }
    )*};
    ($check:ident: $($name:ident $engine:ident),*) => {$(
        #[test]
        fn $name() {
            let _turn = crate::alone();
            super::$check::<lockfree_cuckoo::$engine>();
        }
    )*};
}

mod allocations;
mod building;
mod engines;
mod given_back;
mod growing;
mod storing;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// One test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // What the last test left to the epochs.
    settle(|| false);
    turn
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
