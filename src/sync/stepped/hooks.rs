//! Hooks for tests with real threads: to stop a thread before any of its accesses, and to count events.

use std::cell::{Cell, RefCell};

pub use crate::sync::event::Event;
pub(crate) use crate::sync::tally::happened;
pub use crate::sync::tally::{Tally, tally};

/// What becomes of a thread at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It makes the access.
    Goes,
    /// It dies: it has no effect on memory any more, and unwinds to its [`stepping`].
    Dies,
}

/// Told the number of a step, counted from 0, decides what becomes of the thread. It may keep it waiting.
type OnStep = Box<dyn FnMut(usize) -> Fate>;

thread_local! {
    static ON_STEP: RefCell<Option<OnStep>> = const { RefCell::new(None) };
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

/// What a dead thread's unwinding carries.
#[derive(Debug)]
struct Died;

/// Runs something on the calling thread, and asks `on_step` before each access that it makes to the atomics of
/// a filter. Returns what `run` does, or `None` if the thread died in it, and how many steps there were.
pub fn stepping<R>(
    on_step: impl FnMut(usize) -> Fate + 'static,
    run: impl FnOnce() -> R,
) -> (Option<R>, usize) {
    STEPS.set(0);
    ON_STEP.set(Some(Box::new(on_step)));
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
    ON_STEP.set(None);
    let outcome = match outcome {
        Ok(value) => Some(value),
        Err(payload) if payload.is::<Died>() => None,
        Err(payload) => std::panic::resume_unwind(payload),
    };
    (outcome, STEPS.get())
}

/// Asks what becomes of the thread. False: it is dead, and this is its unwinding.
pub(super) fn step() -> bool {
    // A thread that is about to end has no hook any more.
    let fate = ON_STEP.try_with(|on_step| {
        // Borrowed already: the hook itself looks at a filter.
        let mut on_step = on_step.try_borrow_mut().ok()?;
        let on_step = on_step.as_mut()?;
        if std::thread::panicking() {
            return Some(Fate::Dies);
        }
        let number = STEPS.get();
        STEPS.set(number + 1);
        Some(on_step(number))
    });
    match fate {
        Ok(Some(Fate::Dies)) if std::thread::panicking() => false,
        Ok(Some(Fate::Dies)) => std::panic::resume_unwind(Box::new(Died)),
        _ => true,
    }
}
