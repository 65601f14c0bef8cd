//! A generation: tables of which each is finer than those before, and the gate that they share.
//!
//! When the tables have been emptied they can be sealed, and the filter goes on with another generation, which is as small
//! as the filter began.

use std::sync::Arc;

use crossbeam_epoch::Guard;
use once_cell::race::OnceBox;

use super::slot::Slot;
use crate::error::OutOfMemory;
use crate::segment::Rung;
use crate::table::doubling::DEEPEST;
use crate::tokens::doubling::{Gate, Sealed};

#[derive(Debug)]
pub(crate) struct Generation {
    home: Rung,
    /// The tables that were added when the one before could not double any more. They count when the gate says so.
    ///
    /// Behind a pointer, as all that changes: without atomics inside, the engine is a value that does not change, so the
    /// compiler keeps its pointers in registers from one lookup to the next.
    later: Box<[OnceBox<Rung>; LATER]>,
    gate: Arc<Gate>,
    /// The next one. It belongs to this one until this one is sealed.
    successor: Box<Slot<Self>>,
    /// How many there were before it.
    number: u64,
}

/// As many as there can be up to the deepest level.
pub(crate) const LATER: usize = DEEPEST as usize / 10;

impl Generation {
    /// The heap bytes besides those of the tables.
    const BESIDES: usize =
        size_of::<[OnceBox<Rung>; LATER]>() + size_of::<Gate>() + size_of::<Slot<Self>>();

    /// Of tables that nobody has used yet, from the finest to the coarsest. There must be one.
    pub(super) fn of_rungs(mut rungs: Vec<Rung>) -> Self {
        let gate = Arc::new(Gate::new(rungs.len()));
        rungs.iter_mut().for_each(|rung| rung.join(&gate));
        let home = rungs.pop().expect("a table");
        let mut later = rungs.into_iter().rev().map(Box::new);
        Self {
            home,
            later: Box::new(core::array::from_fn(|_| {
                later.next().map_or_else(OnceBox::new, OnceBox::with_value)
            })),
            gate,
            successor: Box::new(Slot::new()),
            number: 0,
        }
    }

    /// The one after it: empty, and of the size at which this one began.
    pub(super) fn next(&self) -> Result<Self, OutOfMemory> {
        let home = self.home.tokens();
        let rung = Rung::new(home.first(), home.search_budget())?;
        let mut next = Self::of_rungs(vec![rung]);
        next.number = self.number + 1;
        Ok(next)
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The tables, from the finest to the coarsest.
    #[inline]
    pub(crate) fn rungs(&self) -> impl Iterator<Item = &Rung> {
        self.first_rungs(self.tables())
    }

    /// So many of them: those that were added first.
    pub(crate) fn first_rungs(&self, tables: usize) -> impl Iterator<Item = &Rung> {
        let later = self.later[..tables - 1].iter().rev();
        later.filter_map(OnceBox::get).chain(Some(&self.home))
    }

    /// The number of tables.
    #[inline]
    pub(crate) fn tables(&self) -> usize {
        self.gate.state().tables()
    }

    pub(super) fn gate(&self) -> &Gate {
        &self.gate
    }

    pub(super) fn successor(&self) -> &Slot<Self> {
        &self.successor
    }

    /// An error if there will never be a token any more.
    pub(crate) fn check(&self) -> Result<(), Sealed> {
        if self.gate.is_sealed() {
            Err(Sealed)
        } else {
            Ok(())
        }
    }

    /// The only table, if it is, and takes tokens.
    #[inline]
    pub(super) fn only(&self) -> Option<&Rung> {
        self.gate.has_one_table().then_some(&self.home)
    }

    /// The finest, which takes the inserts.
    #[inline]
    pub(crate) fn target(&self) -> &Rung {
        self.only()
            .unwrap_or_else(|| self.rungs().next().unwrap_or(&self.home))
    }

    /// Whether no table was added behind this one.
    pub(super) fn is_target(&self, rung: &Rung) -> bool {
        core::ptr::eq(self.target(), rung)
    }

    /// The coarsest.
    pub(super) fn home(&self) -> &Rung {
        &self.home
    }

    /// The place of the table behind so many, if there can be one.
    pub(super) fn place_behind(&self, tables: usize) -> Option<&OnceBox<Rung>> {
        self.later.get(tables - 1)
    }

    /// Adds the table that is in the place behind so many, unless it has been added.
    pub(super) fn count_place_behind(&self, tables: usize) {
        self.gate.add_table(tables);
    }

    /// Makes a table one that has joined this generation.
    pub(super) fn join(&self, rung: &mut Rung) {
        rung.join(&self.gate);
    }

    pub(super) fn sum(&self, of: impl Fn(&Rung) -> usize) -> usize {
        self.rungs().map(of).sum()
    }

    /// Whether it has more room than when it began.
    pub(super) fn has_grown(&self) -> bool {
        let home = self.home.tokens();
        self.tables() > 1 || home.level() > home.first()
    }

    /// The heap bytes in use, and those of the next generation if it is there already.
    pub(super) fn bytes(&self, guard: &Guard) -> usize {
        let later = self.later.iter().filter_map(OnceBox::get);
        let later = later.map(|rung| rung.bytes() + size_of::<Rung>());
        let spare = self.spare(guard);
        let spare = spare.map_or(0, |spare| spare.bytes(guard) + size_of::<Self>());
        self.home.bytes() + later.sum::<usize>() + Self::BESIDES + spare
    }

    /// The heap bytes of one that is yet to be built, and begins with this level.
    pub(super) fn bytes_for(first: u32) -> Result<usize, OutOfMemory> {
        Ok(Rung::bytes_for(first)? + Self::BESIDES)
    }

    /// The next generation, as long as it belongs to this one.
    #[allow(unsafe_code, reason = "it is freed by the epoch")]
    fn spare<'g>(&self, guard: &'g Guard) -> Option<&'g Self> {
        if self.gate.is_sealed() {
            return None;
        }
        // SAFETY: this one was not sealed when the guard had begun. So the next one is left after that, if ever, and is not
        // freed before the guard ends.
        unsafe { self.successor.load(guard) }
    }

    /// What lets the system have the memory of all tables, a grace period after it was sealed.
    pub(super) fn release(&self) -> impl FnOnce() + Send + use<> {
        let later = self.later.iter().filter_map(OnceBox::get);
        let rungs = later.chain(Some(&self.home));
        let releases: Vec<_> = rungs.map(|rung| rung.tokens().release()).collect();
        move || releases.into_iter().for_each(|release| release())
    }

    /// Removes all tokens, and all tables but the first.
    pub(super) fn clear(&mut self) {
        self.drop_spare();
        *self.later = core::array::from_fn(|_| OnceBox::new());
        self.home.clear();
        self.gate.reset();
    }

    /// Frees the next generation. This one must not be sealed.
    pub(super) fn drop_spare(&mut self) {
        debug_assert!(!self.gate.is_sealed());
        drop(self.successor.take());
    }
}

impl Drop for Generation {
    fn drop(&mut self) {
        // The successor of one that was sealed has been handed on.
        if !self.gate.is_sealed() {
            self.drop_spare();
        }
    }
}
