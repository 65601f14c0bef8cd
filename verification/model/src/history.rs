//! Linearizability: decides by search (Wing and Gong 1993) whether some order of the calls of
//! several threads on one class explains their results.

mod values;

pub use values::{Multiset, ValueCall, explained};

use core::fmt::Debug;
use core::hash::Hash;
use std::collections::HashSet;

/// A call with its result.
pub trait Outcome: Copy + Debug {
    /// The state of the object.
    type State: Clone + Eq + Hash;

    /// Whether a single thread could get this result in that state.
    fn possible(self, state: &Self::State) -> bool;

    /// Returns the state after the call.
    #[must_use]
    fn after(self, state: Self::State) -> Self::State;
}

/// One call on the class, with its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `insert`; whether it returned Ok.
    Insert(bool),
    /// `insert_unique`; `None` is an error.
    InsertUnique(Option<bool>),
    /// `remove`; whether it found a copy.
    Remove(bool),
    /// `contains`
    Contains(bool),
}

/// A call with the times before and after it, on one clock for all threads.
#[derive(Clone, Copy, Debug)]
pub struct Event<C = Call> {
    /// The call, with its result.
    pub call: C,
    /// A time before it.
    pub began: u64,
    /// A time after it.
    pub ended: u64,
}

impl Call {
    /// Returns the change of the number of copies.
    #[must_use]
    pub fn change(self) -> i64 {
        match self {
            Self::Insert(true) | Self::InsertUnique(Some(true)) => 1,
            Self::Remove(true) => -1,
            _ => 0,
        }
    }
}

/// The state is the number of copies.
impl Outcome for Call {
    type State = i64;

    fn possible(self, &copies: &i64) -> bool {
        match self {
            // A refused insert depends on other classes too, so it is always possible.
            Self::Insert(_) | Self::InsertUnique(None) => true,
            Self::InsertUnique(Some(inserted)) => inserted == (copies == 0),
            Self::Remove(answer) | Self::Contains(answer) => answer == (copies > 0),
        }
    }

    fn after(self, copies: i64) -> i64 {
        copies + self.change()
    }
}

/// Whether the calls of several threads, each in its own order, have a common order that explains
/// every result and keeps the order of calls that did not overlap.
#[must_use]
pub fn linearizable<C: Outcome>(threads: &[&[Event<C>]], state: C::State) -> bool {
    Search {
        threads,
        refuted: HashSet::new(),
    }
    .extend(&mut vec![0; threads.len()], state)
}

struct Search<'a, C: Outcome> {
    threads: &'a [&'a [Event<C>]],
    /// The numbers of calls placed for each thread, and states, from which no order explains the
    /// rest.
    refuted: HashSet<(Vec<usize>, C::State)>,
}

impl<C: Outcome> Search<'_, C> {
    /// Places one more call, in every possible way.
    fn extend(&mut self, placed: &mut Vec<usize>, state: C::State) -> bool {
        let threads = self.threads;
        let heads = threads.iter().zip(&*placed).map(|(t, &n)| t.get(n));
        let Some(earliest_end) = heads.flatten().map(|event| event.ended).min() else {
            return true;
        };
        let here = (placed.clone(), state.clone());
        if self.refuted.contains(&here) {
            return false;
        }
        for thread in 0..threads.len() {
            let Some(event) = threads[thread].get(placed[thread]) else {
                continue;
            };
            // It may be next unless another call ended before it began.
            if event.began > earliest_end || !event.call.possible(&state) {
                continue;
            }
            placed[thread] += 1;
            if self.extend(placed, event.call.after(state.clone())) {
                return true;
            }
            placed[thread] -= 1;
        }
        self.refuted.insert(here);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(call: Call, began: u64, ended: u64) -> Event {
        Event { call, began, ended }
    }

    #[test]
    fn calls_that_overlap_may_have_either_order() {
        let insert = [event(Call::Insert(true), 0, 3)];
        let looks = [
            event(Call::Contains(false), 1, 2),
            event(Call::Contains(true), 2, 4),
        ];
        assert!(linearizable(&[&insert, &looks], 0));
        assert!(!linearizable(&[&insert, &looks], 1), "it was in before");
    }

    /// A call sees what was over before it began.
    #[test]
    fn calls_in_sequence() {
        let insert = [event(Call::Insert(true), 0, 1)];
        let late = [event(Call::Contains(false), 2, 3)];
        assert!(!linearizable(&[&insert, &late], 0));
    }

    #[test]
    fn one_copy_is_removed_once_and_added_once() {
        let removes = [0, 1].map(|_| [event(Call::Remove(true), 0, 9)]);
        assert!(!linearizable(&removes.each_ref().map(|t| &t[..]), 1));
        assert!(linearizable(&removes.each_ref().map(|t| &t[..]), 2));
        let winners = [0, 1].map(|_| [event(Call::InsertUnique(Some(true)), 0, 9)]);
        assert!(!linearizable(&winners.each_ref().map(|t| &t[..]), 0));
    }

    /// Its state depends on the order of the calls.
    #[derive(Clone, Copy, Debug)]
    enum Register {
        Write(u8),
        Read(u8),
    }

    impl Outcome for Register {
        type State = u8;

        fn possible(self, &state: &u8) -> bool {
            !matches!(self, Self::Read(value) if value != state)
        }

        fn after(self, state: u8) -> u8 {
            match self {
                Self::Write(value) => value,
                Self::Read(_) => state,
            }
        }
    }

    /// Either of two overlapping writes may be the last.
    #[test]
    fn overlapping_writes() {
        let event = |call, began, ended| [Event { call, began, ended }];
        let writes = [1, 2].map(|value| event(Register::Write(value), 0, 3));
        let read = |value| {
            let read = event(Register::Read(value), 4, 5);
            linearizable(&[&writes[0], &writes[1], &read], 0)
        };
        assert!(read(1) && read(2) && !read(0));
    }
}
