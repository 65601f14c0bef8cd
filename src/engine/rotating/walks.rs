//! Lookup, insertion, removal and counting: walks over the generations, from the oldest to the young one. Also
//! rotation.
//!
//! Each table gives its own answer, at its own moment. Together they are correct because of their order, and because a
//! miss is walked again if there was a rotation. [`rotation`](crate::design::rotation) has the argument.
//!
//! A rotation makes the spare the young table, and the oldest table the spare, in one exchange of the state. Before it,
//! the spare must be empty: any thread that wants to rotate empties it, or several at once, none of which waits for
//! another.

use core::cell::Cell;

use super::Rotating;
use super::state::State;
use crate::counted::CountedTable;
use crate::engine::Operations;
use crate::error::{InsertError, InsertManyError, RotateError};
use crate::layout::Layout;
use crate::sync::{self, Event};
use crate::tokens::{ATTEMPTS, Attempt, Emptied, OtherTables, Refusal, ahead};

impl<L: Layout> Rotating<L> {
    #[inline]
    pub(super) fn contains(&self, hash: u64) -> bool {
        loop {
            let state = self.state.load();
            // Oldest first: inserts go to the young generation. So an item that is refreshed meanwhile, inserted again
            // and then removed once, is found in one of the two.
            if self.any_live(state, |table| table.tokens().contains(hash)) {
                return true;
            }
            // It may have been refreshed in a generation that is younger than all of these.
            if self.is_current(state) {
                return false;
            }
        }
    }

    /// Oldest first: the token that stays lives at least as long as the item that stays should.
    #[inline]
    pub(super) fn remove(&self, hash: u64) -> bool {
        loop {
            let state = self.state.load();
            if self.any_live(state, |table| table.remove(hash)) {
                return true;
            }
            if self.is_current(state) {
                return false;
            }
        }
    }

    pub(super) fn count(&self, hash: u64) -> usize {
        loop {
            let state = self.state.load();
            let counts = self.live(state);
            let count = counts.map(|table| table.tokens().count(hash)).sum();
            if self.is_current(state) {
                return count;
            }
        }
    }

    /// Linearization point: that of the table's insert, or see [late inserts](crate::design::rotation#late-inserts).
    #[inline]
    pub(super) fn insert(&self, hash: u64) -> Result<(), InsertError> {
        loop {
            let state = self.state.load();
            let refusal = match self.young(state).insert(hash, 0) {
                Ok(()) if self.is_current(state) => return Ok(()),
                Ok(()) => {
                    self.arrive_late(state.young());
                    return Ok(());
                }
                Err(refusal) => refusal,
            };
            if self.is_current(state) {
                return Err(self.young(state).refused(refusal));
            }
        }
    }

    /// After an insert during which there was a rotation. If its table is the spare now, its token must not become
    /// visible with the next rotation: the table is emptied again before that.
    #[cold]
    fn arrive_late(&self, table: usize) {
        loop {
            let state = self.state.load();
            if state.spare(self.tables.len()) != table {
                return;
            }
            if self.state.replace(state, state.soiled()) {
                return;
            }
        }
    }

    /// Adds a token if there is none in any generation.
    pub(super) fn insert_unique(&self, hash: u64) -> Result<bool, InsertError> {
        self.add_to_young(hash, None)
    }

    /// Adds a token to the young generation if there is none in it. Returns whether there was none in the older ones
    /// either.
    #[inline]
    pub(super) fn refresh(&self, hash: u64) -> Result<bool, InsertError> {
        // A shortcut: saves the admission if the token is seen.
        if self.young(self.state.load()).tokens().contains(hash) {
            return Ok(false);
        }
        self.refresh_absent(hash)
    }

    /// Refreshes a token that may be absent from the young generation.
    fn refresh_absent(&self, hash: u64) -> Result<bool, InsertError> {
        let was_in = Cell::new(false);
        let added = self.add_to_young(hash, Some(&was_in))?;
        Ok(added && !was_in.get())
    }

    /// Refreshes many hashes, up to the first that is refused. The slices have equal lengths, and `new` is false.
    pub(super) fn refresh_many(
        &self,
        hashes: &[u64],
        new: &mut [bool],
    ) -> Result<(), InsertManyError> {
        let turns = new
            .iter_mut()
            .zip(ahead(hashes, self.is_near(), |hash| self.prefetch(hash)));
        for (turn, (new, hash)) in turns.enumerate() {
            let refreshed = self.refresh(hash);
            *new = refreshed.map_err(|error| InsertManyError::new(turn, error))?;
        }
        Ok(())
    }

    /// An admission. Tokens in older generations are an obstacle, unless `was_in` records them.
    fn add_to_young(&self, hash: u64, was_in: Option<&Cell<bool>>) -> Result<bool, InsertError> {
        let mut refusal = Refusal::Disturbed;
        for _ in 0..ATTEMPTS {
            if was_in.is_none() && self.contains(hash) {
                return Ok(false);
            }
            let older = Older {
                engine: self,
                state: self.state.load(),
                hash,
                was_in,
            };
            let young = self.young(older.state);
            match young.tokens().try_to_admit(hash, &older) {
                Ok(Attempt::Admitted) => {
                    young.count_one();
                    return Ok(true);
                }
                Ok(Attempt::Present) => return Ok(false),
                Ok(Attempt::Disturbed) => refusal = Refusal::Disturbed,
                Ok(Attempt::Starved) => refusal = Refusal::Starved,
                Err(refusal) if self.is_current(older.state) => {
                    return Err(young.refused(refusal));
                }
                Err(_) => refusal = Refusal::Disturbed,
            }
        }
        Err(self.young(self.state.load()).refused(refusal))
    }

    /// Whether there was no rotation since.
    #[inline]
    pub(super) fn is_current(&self, state: State) -> bool {
        let current = self.state.load().rotations() == state.rotations();
        if !current {
            sync::happened(Event::Rewalk);
        }
        current
    }

    #[inline]
    pub(super) fn young(&self, state: State) -> &CountedTable<L> {
        &self.tables[state.young()]
    }

    /// From the oldest generation to the young one.
    #[inline]
    pub(super) fn live(&self, state: State) -> impl Iterator<Item = &CountedTable<L>> {
        let [older, younger] = state.live(self.tables.len());
        self.tables[older].iter().chain(&self.tables[younger])
    }

    /// Whether something is true of any of them. Two loops, because one over the chain is a call.
    #[inline]
    fn any_live(&self, state: State, is: impl Fn(&CountedTable<L>) -> bool) -> bool {
        let [older, younger] = state.live(self.tables.len());
        self.tables[older].iter().any(&is) || self.tables[younger].iter().any(&is)
    }
}

/// The generations besides the young one, for an admission there.
struct Older<'a, L: Layout> {
    engine: &'a Rotating<L>,
    state: State,
    hash: u64,
    /// Records that they hold a token, if that is no obstacle.
    was_in: Option<&'a Cell<bool>>,
}

impl<L: Layout> OtherTables for Older<'_, L> {
    fn earlier_hold_none(&self) -> bool {
        let generations = self.engine.tables.len() - 1;
        let mut older = self.engine.live(self.state).take(generations - 1);
        let none = older.all(|table| table.tokens().holds_none(self.hash));
        self.was_in.map_or(none, |was_in| {
            was_in.set(!none);
            true
        })
    }

    /// Checks for a rotation last. A rival in a younger generation either asked this one before this admission froze
    /// its word, so that the rotation is seen here; or it meets the frozen word, and aborts this admission.
    fn later_hold_none(&self) -> bool {
        self.engine.is_current(self.state)
    }
}

impl<L: Layout> Rotating<L> {
    /// Rotates if the number of rotations is still this one, or in any case. Returns whether this call rotated.
    ///
    /// Linearization point: the exchange of the state.
    pub(super) fn rotate_at(&self, rotations: Option<u64>) -> Result<bool, RotateError> {
        loop {
            let state = self.state.load();
            if rotations.is_some_and(|rotations| rotations != state.rotations()) {
                return Ok(false);
            }
            if !state.is_clean() {
                self.clean(state)?;
            } else if self.state.replace(state, state.rotated(self.tables.len())) {
                // The next rotation is quick if the spare is clean by then. If this fails, it begins with it.
                let _ = self.clean(self.state.load());
                return Ok(true);
            }
        }
    }

    /// Empties the spare, and marks it clean, unless there is a rotation meanwhile.
    fn clean(&self, state: State) -> Result<(), RotateError> {
        if state.is_clean() {
            return Ok(());
        }
        let spare = &self.tables[state.spare(self.tables.len())];
        let permitted = || self.state.load().rotations() == state.rotations();
        match spare.empty_while(&permitted) {
            // Fails if a late insert has put a token there, which the pass may have missed: the next rotation empties
            // it again. Also fails if another thread was quicker.
            Emptied::All => {
                self.state.replace(state, state.cleaned());
                Ok(())
            }
            Emptied::Revoked => Ok(()),
            Emptied::Disturbed => Err(RotateError::Disturbed { attempts: ATTEMPTS }),
            Emptied::Starved => Err(RotateError::NoDescriptor { attempts: ATTEMPTS }),
        }
    }
}
