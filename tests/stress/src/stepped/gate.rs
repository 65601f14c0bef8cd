//! The gate: where a thread is parked, and where another waits until it is.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
pub(crate) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Whether the thread has stopped, or come to its end.
    still: bool,
    open: bool,
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that the thread is still.
    pub(crate) fn arrive(&self) {
        self.state().still = true;
        self.changed.notify_all();
    }

    /// Stays here until the gate is opened.
    pub(crate) fn park(&self) {
        self.arrive();
        let open = |state: &mut State| !state.open;
        drop(self.changed.wait_while(self.state(), open));
    }

    /// Waits until the thread is still.
    pub(crate) fn wait(&self) {
        let moving = |state: &mut State| !state.still;
        drop(self.changed.wait_while(self.state(), moving));
    }

    /// Lets the thread go on.
    pub(crate) fn open(&self) {
        self.state().open = true;
        self.changed.notify_all();
    }
}
