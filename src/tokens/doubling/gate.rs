//! The gate: whether the tables of a generation take tokens, and how many of them there are.
//!
//! ```text
//! open(attempt)     -> closing(attempt)    somebody begins to close all words
//! closing(attempt)  -> open(attempt + 1)   somebody wants to add a token, or found one
//! closing(attempt)  -> sealed              all words are closed, by this attempt
//! open(attempt)     -> the same, of one table more
//! ```
//!
//! It is one word, so that these exclude each other. Sealed it stays.

use crate::sync::{AtomicU64, Ordering};
use crate::table::doubling::ATTEMPTS_TO_CLOSE;

/// Shared by the tables of a generation.
#[derive(Debug)]
pub(crate) struct Gate(AtomicU64);

/// What it said when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State(u64);

/// The tables will never hold a token again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sealed;

/// The tables behind the first one.
const LATER: u64 = (1 << 7) - 1;
const SEALED: u64 = 1 << 7;
const CLOSING: u64 = 1 << 8;
const ATTEMPT: u32 = 16;

impl State {
    pub(crate) fn tables(self) -> usize {
        (self.0 & LATER) as usize + 1
    }

    pub(crate) fn attempt(self) -> u64 {
        self.0 >> ATTEMPT
    }

    fn is_sealed(self) -> bool {
        self.0 & SEALED != 0
    }

    fn is_closing(self) -> bool {
        self.0 & CLOSING != 0
    }

    /// Open, for the next attempt.
    fn reopened(self) -> Self {
        Self((self.0 & !CLOSING) + (1 << ATTEMPT))
    }
}

impl Gate {
    /// An open one.
    pub(crate) fn new(tables: usize) -> Self {
        Self(AtomicU64::new(tables as u64 - 1))
    }

    #[inline]
    pub(crate) fn state(&self) -> State {
        // SeqCst, here and below, as every access to a word: what is said about words and gate takes one order of them.
        State(self.0.load(Ordering::SeqCst))
    }

    /// Whether there is one table, and it is not sealed.
    #[inline]
    pub(crate) fn has_one_table(&self) -> bool {
        self.state().0 & (SEALED | LATER) == 0
    }

    #[inline]
    pub(crate) fn is_sealed(&self) -> bool {
        self.state().is_sealed()
    }

    fn replace(&self, old: State, new: State) -> bool {
        self.0
            .compare_exchange(old.0, new.0, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }

    /// Begins an attempt to close, or joins the one that is under way. `None` if it is sealed, or has had all attempts.
    pub(crate) fn begin(&self) -> Option<State> {
        loop {
            let state = self.state();
            if state.is_sealed() || state.attempt() >= ATTEMPTS_TO_CLOSE - 1 {
                return None;
            }
            let closing = State(state.0 | CLOSING);
            if state.is_closing() || self.replace(state, closing) {
                return Some(closing);
            }
        }
    }

    /// Whether this attempt is still under way.
    pub(crate) fn is_at(&self, closing: State) -> bool {
        self.state() == closing
    }

    /// Ends an attempt, if it is still under way.
    pub(crate) fn cancel(&self, closing: State) {
        let _ = self.replace(closing, closing.reopened());
    }

    /// Ends an attempt that has closed every word of all tables.
    pub(crate) fn seal(&self, closing: State) {
        let _ = self.replace(closing, State((closing.0 & !CLOSING) | SEALED));
    }

    /// Opens it. Returns false if it is sealed.
    pub(crate) fn open(&self) -> bool {
        loop {
            let state = self.state();
            if state.is_sealed() {
                return false;
            }
            if !state.is_closing() || self.replace(state, state.reopened()) {
                return true;
            }
        }
    }

    /// From now on the table behind these counts, unless it did before, or the gate is sealed.
    pub(crate) fn add_table(&self, tables: usize) {
        while self.open() {
            let state = self.state();
            if state.is_sealed() || state.is_closing() {
                continue;
            }
            if state.tables() != tables || self.replace(state, State(state.0 + 1)) {
                return;
            }
        }
    }

    /// Open, with one table, of which words may still be closed by any attempt so far. For a caller who has it alone.
    pub(crate) fn reset(&self) {
        let attempt = self.state().attempt() + 1;
        self.0.store(attempt << ATTEMPT, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_ends_once() {
        let gate = Gate::new(1);
        let first = gate.begin().expect("open");
        assert_eq!(gate.begin(), Some(first), "joined");
        gate.cancel(first);
        gate.cancel(first);
        gate.seal(first);
        assert!(!gate.is_sealed() && gate.has_one_table());
        let second = gate.begin().expect("open");
        assert_eq!(second.attempt(), first.attempt() + 1);
        gate.seal(second);
        gate.cancel(second);
        assert!(gate.is_sealed() && !gate.has_one_table());
        assert!(!gate.open() && gate.begin().is_none());
        gate.add_table(1);
        assert_eq!(gate.state().tables(), 1);
    }

    #[test]
    fn a_table_that_is_added_ends_an_attempt() {
        let gate = Gate::new(1);
        let closing = gate.begin().expect("open");
        gate.add_table(1);
        gate.add_table(1);
        assert_eq!(gate.state().tables(), 2);
        gate.seal(closing);
        assert!(!gate.is_sealed());
        gate.reset();
        assert!(gate.has_one_table() && !gate.is_at(closing));
    }
}
