//! Walks over the generations, from the oldest to the young one; admissions to the young one; and
//! rotation.
//!
//! Each table gives its own answer, at its own moment. Together they are correct because of their
//! order, and because a lookup walks again if there was a rotation, and so does a remove that has
//! found nothing. [`rotation`](crate::design::rotation) has the argument.
//!
//! A rotation makes the spare the young table, and the oldest table the spare, in one exchange of
//! the state. Before it, the spare must be empty: any thread that wants to rotate empties it, or
//! several at once, none of which waits for another.

use core::cell::Cell;

#[cfg(doc)]
use crate::engine::operations::RawFilter;
use crate::error::{InsertError, RotateError};
use crate::fixed::tokens::TokenTable;
use crate::kernel::elsewhere::AbsenceElsewhere;
use crate::kernel::geometry::Class;
use crate::kernel::layout::Layout;
use crate::kernel::outcome::{Failure, MAX_ATTEMPTS};
use crate::rotating::Rotating;
use crate::rotating::state::State;
use crate::sync;
use crate::sync::{Backoff, Event};

impl<L: Layout> Rotating<L> {
    /// Why an insert is refused after a failure in the table that was young then; `None` if another
    /// one is young now.
    #[cold]
    #[inline(never)]
    pub(crate) fn refusal(&self, state: State, failure: Failure) -> Option<InsertError> {
        let young = self.young(state);
        if self.is_current(state) {
            return Some(young.refused(failure));
        }
        // Leave another attempt to the caller where a process can rotate without an end.
        young.is_shared.then(|| young.refused(Failure::Disturbed))
    }

    /// After an insert during which there was a rotation. If its table is the spare now, its token
    /// must not become visible with the next rotation: the table is emptied again before that.
    #[cold]
    pub(crate) fn arrive_late(&self, table: usize) {
        let mut rounds = self.tables[0].rounds();
        while rounds.are_left() {
            let state = self.state.load();
            // Return if the table is not the spare: then its generation is not forgotten yet.
            if state.spare(self.tables.len()) != table {
                return;
            }
            // Mark the spare as soiled: the next rotation empties it before it uses it. Fails if
            // the state has changed: then look again where the table is.
            if self.state.replace(state, state.soiled()) {
                return;
            }
        }
    }

    /// Refreshes a token that may be absent from the young generation. Returns whether there was
    /// none in any generation.
    pub(crate) fn refresh_absent(&self, hash: u64) -> Result<bool, InsertError> {
        // Add it to the young generation in any case, and note whether an older one had it.
        let was_in = Cell::new(false);
        let added = self.add_to_young(hash, Some(&was_in))?;
        Ok(added && !was_in.get())
    }

    /// An admission. Tokens in older generations are an obstacle, unless `was_in` records them. A
    /// separate function, so that an item that is present costs no more than a lookup.
    #[inline(never)]
    pub(crate) fn add_to_young(
        &self,
        hash: u64,
        was_in: Option<&Cell<bool>>,
    ) -> Result<bool, InsertError> {
        let class = self.tables.class(hash);
        let backoff = Backoff::default();
        for attempt in 0..MAX_ATTEMPTS {
            // Let a rival end. Each of two that try again at once aborts the other: no thread may
            // commit the other's admission, and one takes as long as the other generations are
            // many. Not before the second attempt: the first may only have made room.
            if attempt > 1 {
                backoff.pause();
            }
            let older = Older {
                engine: self,
                state: self.state.load(),
                class,
                was_in,
                is_obstacle: Cell::new(false),
            };
            let young = self.young(older.state);
            // Freeze a word of the young table, then ask the older ones: none commits but the
            // owner.
            let is_present = match young.try_insert_unique(hash, 0, &older) {
                Ok(true) => return Ok(true),
                // A token was seen in the young generation, or perhaps in an older one.
                Ok(false) => true,
                Err(Failure::Disturbed) => older.is_obstacle.get(),
                Err(failure) if self.is_current(older.state) => {
                    return Err(young.refused(failure));
                }
                // Try the new young table: this one was refused by a table that is young no more.
                Err(_) => false,
            };
            // Trust it only without a rotation meanwhile, as a lookup does.
            if is_present && self.is_current(older.state) {
                return Ok(false);
            }
        }
        Err(self.young(self.state.load()).refused(Failure::Disturbed))
    }

    /// Whether there was no rotation since.
    #[inline]
    pub(crate) fn is_current(&self, state: State) -> bool {
        let current = self.state.load().rotations() == state.rotations();
        if !current {
            sync::trace(Event::WalkRestarted);
        }
        current
    }

    #[inline]
    pub(crate) fn young(&self, state: State) -> &TokenTable<L> {
        &self.tables[state.young()]
    }

    /// From the oldest generation to the young one.
    #[inline]
    pub(crate) fn live(&self, state: State) -> impl Iterator<Item = &TokenTable<L>> {
        let [older, younger] = state.live(self.tables.len());
        self.tables[older].iter().chain(&self.tables[younger])
    }

    /// An answer of the tables that was not disturbed by a rotation. `None` if there is
    /// [never](TokenTable::rounds) one.
    pub(crate) fn until_current<R>(&self, mut answer: impl FnMut(State) -> R) -> Option<R> {
        let mut rounds = self.tables[0].rounds();
        while rounds.are_left() {
            let state = self.state.load();
            let answer = answer(state);
            if self.is_current(state) {
                return Some(answer);
            }
        }
        None
    }

    /// [`contains`](RawFilter::contains) in full: for words that are frozen or change.
    #[cold]
    #[inline(never)]
    pub(crate) fn contains_slowly(&self, hash: u64) -> bool {
        // Ask the oldest first: inserts go to the young generation. So an item that is refreshed
        // meanwhile, inserted again and then removed once, is found in one of the two.
        let found = self.until_current(|state| self.live(state).any(|table| table.contains(hash)));
        // Say "yes" if there is no answer: that may be wrong, and misses nothing.
        found.unwrap_or(true)
    }

    /// [`remove`](RawFilter::remove) in full: for words that are frozen or change.
    #[cold]
    #[inline(never)]
    pub(crate) fn remove_slowly(&self, hash: u64) -> bool {
        let mut rounds = self.tables[0].rounds();
        while rounds.are_left() {
            let state = self.state.load();
            if self.live(state).any(|table| table.remove(hash)) {
                return true;
            }
            if self.is_current(state) {
                break;
            }
        }
        false
    }
}

/// The generations besides the young one, for an admission there.
struct Older<'a, L: Layout> {
    engine: &'a Rotating<L>,
    state: State,
    class: Class,
    /// Records that they hold a token, if that is no obstacle.
    was_in: Option<&'a Cell<bool>>,
    /// Records that they hold a token, if it is one.
    is_obstacle: Cell<bool>,
}

impl<L: Layout> AbsenceElsewhere for Older<'_, L> {
    fn check_before(&self) -> bool {
        // Ask the older generations, which lookups read earlier, from the oldest on.
        let generations = self.engine.tables.len() - 1;
        let mut older = self.engine.live(self.state).take(generations - 1);
        let none = older.all(|table| table.is_absent(self.class));
        match self.was_in {
            // Let a refresh go on: it only wants to know.
            Some(was_in) => {
                was_in.set(!none);
                true
            }
            None => {
                self.is_obstacle.set(!none);
                none
            }
        }
    }

    /// Checks for a rotation last. A rival in a younger generation either asked this one before
    /// this admission froze its word, so that the rotation is seen here; or it meets the frozen
    /// word, and aborts this admission.
    fn check_after(&self) -> bool {
        self.engine.is_current(self.state)
    }
}

const DISTURBED: RotateError = RotateError::Disturbed {
    attempts: MAX_ATTEMPTS,
};

impl<L: Layout> Rotating<L> {
    /// Rotates if the number of rotations is still this one, or in any case. Returns whether this
    /// call rotated.
    ///
    /// Then empties the table of the forgotten generation.
    pub(crate) fn rotate_at(&self, rotations: Option<u64>) -> Result<bool, RotateError> {
        let rotated = self.turn_at(rotations)?;
        if rotated {
            // The next rotation is quick if the spare is clean by then. If this fails, it begins
            // with it.
            let _ = self.clean(self.state.load());
        }
        Ok(rotated)
    }

    /// Rotates, and leaves the spare as it is.
    ///
    /// Linearization point: the exchange of the state.
    pub(crate) fn turn_at(&self, rotations: Option<u64>) -> Result<bool, RotateError> {
        let mut rounds = self.tables[0].rounds();
        while rounds.are_left() {
            let state = self.state.load();
            // Leave it, if another thread has rotated since the caller looked.
            if rotations.is_some_and(|rotations| rotations != state.rotations()) {
                return Ok(false);
            }
            // Empty the spare first: it becomes the young table.
            if !state.is_clean() {
                self.clean(state)?;
            } else if self.state.replace(state, state.rotated(self.tables.len())) {
                return Ok(true);
            }
        }
        Err(DISTURBED)
    }

    /// Empties the spare, and marks it clean, unless there is a rotation meanwhile.
    pub(crate) fn clean(&self, state: State) -> Result<(), RotateError> {
        if state.is_clean() {
            return Ok(());
        }
        // Empty the spare while no rotation has put it to use.
        let spare = &self.tables[state.spare(self.tables.len())];
        let permitted = || self.state.load().rotations() == state.rotations();
        match spare.empty_while(&permitted) {
            // Fails if a late insert has put a token there, which the pass may have missed: the
            // next rotation empties it again. Also fails if another thread was quicker.
            Ok(true) => {
                self.state.replace(state, state.cleaned());
                Ok(())
            }
            Ok(false) => Ok(()),
            Err(Failure::NoDescriptor) => Err(RotateError::NoDescriptor),
            // Nothing else stops an emptying: it needs no slot.
            Err(_) => Err(DISTURBED),
        }
    }
}
