//! The state of the rotation: one word, from which every operation learns the role of each table.
//!
//! ```text
//! bit  63                 21 20        5 4       1    0
//!     +---------------------+-----------+---------+-------+
//!     |      rotations      |   soils   |  young  | clean |
//!     +---------------------+-----------+---------+-------+
//! ```
//!
//! * *rotations*: their number. 2^43 of them, a million a second, take a hundred days.
//! * *soils*: late inserts into the spare table since the last rotation. A thread has at most one
//!   insert in progress that began before, and one more for each signal handler that interrupts it
//!   in an insert. The count wraps after 2^16, which does harm only if it happens during one pass.
//! * *young*: the number of the table that takes the inserts. The next one, in a circle, is the
//!   spare; those after it are the other generations, from the oldest on.
//! * *clean*: whether the spare is known to be empty.

use core::ops::Range;

#[cfg(feature = "shared")]
use crate::allocate::Part;
use crate::sync::{AtomicU64, Ordering};

/// The state at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State(u64);

/// The shared state.
#[derive(Debug)]
pub(crate) struct AtomicState {
    cell: AtomicU64,
    /// What is used in place of `cell`, if processes share it.
    #[cfg(feature = "shared")]
    of_processes: Option<OfProcesses>,
}

#[cfg(feature = "shared")]
#[derive(Debug)]
struct OfProcesses {
    cell: Part<AtomicU64>,
    tables: usize,
}

const CLEAN: u64 = 1;

const YOUNG_SHIFT: u32 = 1;
const YOUNG_BITS: u32 = 4;

const SOIL: u64 = 1 << (YOUNG_SHIFT + YOUNG_BITS);
const SOIL_BITS: u32 = 16;

const ROTATION: u64 = SOIL << SOIL_BITS;

/// The maximum number of tables that a state distinguishes.
const MAX_TABLES: usize = 1 << YOUNG_BITS;

/// The maximum number of rotations that it counts.
pub(crate) const MAX_ROTATIONS: u64 = u64::MAX / ROTATION;

/// One table is the spare.
pub(crate) const MAX_GENERATIONS: usize = MAX_TABLES - 1;

impl State {
    /// The state after this number of rotations. The tables are the generations from the oldest to
    /// the young one, and a clean spare.
    pub(crate) fn new(rotations: u64, tables: usize) -> Self {
        let young = tables as u64 - 2;
        Self(rotations * ROTATION + (young << YOUNG_SHIFT) + CLEAN)
    }

    /// The same state, if it can be one of this many tables. Another process may have written
    /// anything: then some table is the young one.
    #[cfg(feature = "shared")]
    fn checked(self, tables: usize) -> Self {
        if self.young() < tables {
            self
        } else {
            Self(self.0 & !((MAX_TABLES as u64 - 1) << YOUNG_SHIFT))
        }
    }

    #[cfg(feature = "shared")]
    pub(crate) fn into_bits(self) -> u64 {
        self.0
    }

    #[inline]
    pub(crate) fn rotations(self) -> u64 {
        self.0 / ROTATION
    }

    /// The number of the table that takes the inserts.
    #[inline]
    pub(crate) fn young(self) -> usize {
        (self.0 >> YOUNG_SHIFT) as usize % MAX_TABLES
    }

    /// The number of the table that holds no generation.
    #[inline]
    pub(crate) fn spare(self, tables: usize) -> usize {
        Self::next(self.young(), tables)
    }

    /// The number of the table behind this one, in the circle.
    #[inline]
    pub(crate) fn next(table: usize, tables: usize) -> usize {
        match table + 1 {
            next if next == tables => 0,
            next => next,
        }
    }

    /// The numbers of the tables that hold a generation, from the oldest to the young one: two
    /// ranges, because the spare is between them.
    #[inline]
    pub(crate) fn live(self, tables: usize) -> [Range<usize>; 2] {
        let spare = self.spare(tables);
        [spare + 1..tables, 0..spare]
    }

    /// Whether the spare is known to be empty.
    pub(crate) fn is_clean(self) -> bool {
        self.0 & CLEAN != 0
    }

    pub(crate) fn cleaned(self) -> Self {
        Self(self.0 | CLEAN)
    }

    /// The state after a late insert into the spare.
    pub(crate) fn soiled(self) -> Self {
        // Without the mask, an overflow would count a rotation.
        let soils = self.0.wrapping_add(SOIL) & (ROTATION - SOIL);
        Self(self.0 & !(ROTATION - SOIL) & !CLEAN | soils)
    }

    /// The next rotation: the spare is young, and the oldest table is the spare, not yet clean.
    pub(crate) fn rotated(self, tables: usize) -> Self {
        let rotations = (self.rotations() + 1) & MAX_ROTATIONS;
        let young = self.spare(tables) as u64;
        Self(rotations * ROTATION + (young << YOUNG_SHIFT))
    }
}

impl AtomicState {
    pub(crate) fn new(state: State) -> Self {
        Self {
            cell: AtomicU64::new(state.0),
            #[cfg(feature = "shared")]
            of_processes: None,
        }
    }

    /// One that is there already, of this many tables that several processes share.
    #[cfg(feature = "shared")]
    pub(crate) fn of_processes(cell: Part<AtomicU64>, tables: usize) -> Self {
        let shared = OfProcesses { cell, tables };
        Self {
            of_processes: Some(shared),
            ..Self::new(State(0))
        }
    }

    #[inline]
    fn cell(&self) -> &AtomicU64 {
        #[cfg(feature = "shared")]
        if let Some(shared) = &self.of_processes {
            return &shared.cell[0];
        }
        &self.cell
    }

    #[inline]
    pub(crate) fn load(&self) -> State {
        // SeqCst, as the words: an insert writes a word and then reads the state, and a thread that
        // empties a table has read the state and then reads the words; one of them must see the
        // other. As an Acquire it pairs with the rotation that made the empty table the young one.
        #[cfg(feature = "shared")]
        if let Some(shared) = &self.of_processes {
            return shared.load();
        }
        State(self.cell.load(Ordering::SeqCst))
    }

    /// Replaces `current` by `new`. Returns false if the state has changed.
    pub(crate) fn replace(&self, current: State, new: State) -> bool {
        // SeqCst: see `load`. As a Release it publishes that a table is empty, or that a token must
        // not stay. As an Acquire it continues the publication of the previous replacement.
        self.cell()
            .compare_exchange(current.0, new.0, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }

    /// Sets the state of an unshared filter.
    pub(crate) fn set(&mut self, state: State) {
        self.cell().store(state.0, Ordering::Relaxed);
    }
}

#[cfg(feature = "shared")]
impl OfProcesses {
    /// A separate function: inline, it takes registers from the lookups of all filters.
    #[cold]
    #[inline(never)]
    fn load(&self) -> State {
        // SeqCst: see `AtomicState::load`.
        State(self.cell[0].load(Ordering::SeqCst)).checked(self.tables)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn each_table_has_each_part_in_turn() {
        for tables in 3..=MAX_TABLES {
            let mut state = State::new(7, tables);
            assert!(state.is_clean());
            for turn in 0..3 * tables {
                assert_eq!(state.rotations(), 7 + turn as u64);
                assert_eq!(state.spare(tables), (turn + tables - 1) % tables);
                let live: Vec<usize> = state.live(tables).into_iter().flatten().collect();
                let expected: Vec<usize> =
                    (0..tables - 1).map(|age| (turn + age) % tables).collect();
                assert_eq!(live, expected);
                assert_eq!(live.last(), Some(&state.young()));
                state = state.rotated(tables);
                assert!(!state.is_clean() && state.cleaned().is_clean());
            }
        }
    }

    #[test]
    fn a_soil_changes_nothing_but_that() {
        let mut state = State::new(5, 3);
        for _ in 0..2 << SOIL_BITS {
            let soiled = state.soiled();
            assert_ne!(soiled, state.cleaned());
            assert_ne!(soiled.cleaned(), state.cleaned());
            assert!(!soiled.is_clean());
            assert_eq!((soiled.rotations(), soiled.young()), (5, state.young()));
            state = soiled.cleaned();
        }
        assert_eq!(state.soiled().rotated(3), State::new(5, 3).rotated(3));
    }

    #[test]
    fn the_count_of_rotations_goes_round() {
        let last = State::new(MAX_ROTATIONS, 3);
        let next = last.rotated(3);
        assert_eq!((next.rotations(), next.young()), (0, last.spare(3)));
    }
}
