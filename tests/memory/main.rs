//! The memory of filters: checks what they report, take and give back, and the cost of reading and
//! writing.
//!
//! 1. `memory_usage` is the number of bytes allocated, less the pages that the system has back. A
//!    filter that does not grow allocates them at construction. Later calls allocate nothing, not
//!    even rotations.
//! 2. An allocation that fails is an error, whichever it is, alone or with all later ones. Nothing
//!    stays allocated, and no item is lost.
//! 3. Reading from bytes takes what the filter needs, and nothing of note before the length is
//!    checked. Reading from a reader takes in one piece at most twice the bytes read so far; in
//!    total, at most three times that, and a little for the list of tables. The input's claims do
//!    not matter.
//! 4. Writing takes none. Chunks take the memory of the part before the words, whatever the size.
//! 5. The outgrown memory goes back when the growth ends, without another call. If there is much,
//!    each later insert gives a part back, and a call about the whole filter gives back all.
//! 6. `clear` and drop leave nothing behind. Shrinking keeps what the remaining items need.
//! 7. Racing growers build at most one unused level each, and all of them are freed.
//! 8. No call reads memory before it is written or after it is freed, or writes outside of an
//!    allocation. Every test here checks this, because the allocator guards all memory.
//!
//! The allocator counts the whole process, and a sleeping thread stops all reclamation there. So
//! one test runs at a time. A test waits in turns, not in time, for memory that is freed when other
//! threads have moved on.

#![allow(
    clippy::disallowed_types,
    reason = "the tests look at the crate from outside; the model checker is not involved"
)]

/// Makes a test for each engine.
macro_rules! of_every_engine {
    ($($check:ident)*) => {$(
        mod $check {
            of_every_engine! { $check: fixed Fixed, growing Growing, rotating Rotating }
        }
    )*};
    ($check:ident: $($name:ident $engine:ident),*) => {$(
        #[test]
        fn $name() {
            crate::alone(super::$check::<lockfree_cuckoo::filter::$engine>);
        }
    )*};
}

mod allocations;
mod building;
mod engines;
mod given_back;
mod growing;
mod guarded;
mod storing;

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Runs a test while no other one runs. It has a thread of its own, which is joined: what a thread
/// frees when it ends would otherwise be counted in the next test.
fn alone(test: impl FnOnce() + Send) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    building::first_of_the_process();
    let result = thread::scope(|scope| {
        let thread = thread::Builder::new().name(crew::name_of_the_test());
        let body = || {
            // What earlier tests left to the epochs. The thread outside never pins: it would leave
            // its own entry to them, after its turn.
            settle(|| false);
            test();
        };
        thread.spawn_scoped(scope, body).expect("a thread").join()
    });
    if let Err(panic) = result {
        resume_unwind(panic);
    }
}

/// Advances the epochs until a condition holds, or will clearly never hold.
fn settle(holds: impl Fn() -> bool) {
    for _ in 0..1_000 {
        crossbeam_epoch::pin().flush();
        if holds() {
            return;
        }
        thread::yield_now();
    }
}
