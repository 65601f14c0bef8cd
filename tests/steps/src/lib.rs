//! What the tests of stopped threads share: calls that are overtaken at a given access, and threads that stop there.
//!
//! Each test is one race, repeated for every access of a call: just before that access others make their calls. So
//! nothing is left to chance, real threads with the shipping code do the work, and a failure names the access. A race
//! that takes more than three stops is for the other layers.
//!
//! Everything here and in `tests/` is compiled only with `--cfg lockfree_cuckoo_steps`; `cargo suite steps` sees to
//! that.
#![cfg(lockfree_cuckoo_steps)]

mod led;

/// More accesses than any call makes.
const MOST_STEPS: usize = 1 << 20;

/// Lets a thread go on, but not for ever.
fn go_on(step: usize) -> Fate {
    assert!(step < MOST_STEPS, "a call has no end");
    Fate::Goes
}

/// Makes a call that may have no end if something is wrong.
///
/// # Panics
///
/// If it has none.
pub fn bounded<R>(call: impl FnOnce() -> R) -> R {
    stepping(go_on, call).0.expect("nobody dies")
}

use lockfree_cuckoo::testing::hooks::{Fate, stepping};

pub use led::Led;

/// Plays a scene with a stop at access 0, at access 1 and so on, until it returns false: the access was not reached.
/// Returns the number of accesses.
pub fn at_each_step(scene: impl FnMut(usize) -> bool) -> usize {
    (0..).map(scene).take_while(|&reached| reached).count()
}

/// Makes a call, and just before its access of this number, on the same thread, something else. Returns what the call
/// returned, and whether it came to that access.
///
/// # Panics
///
/// If the call does.
pub fn overtaken<R>(
    at: usize,
    mut other: impl FnMut() + 'static,
    call: impl FnOnce() -> R,
) -> (R, bool) {
    let on_step = move |step| {
        if step == at {
            other();
        }
        go_on(step)
    };
    let (result, steps) = stepping(on_step, call);
    (result.expect("nobody dies"), steps > at)
}
