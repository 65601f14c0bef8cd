//! Lookup, removal and inserts: walks over the tables, from the finest to the coarsest.
//!
//! All tokens of a later table are longer than those of the tables before it, so the order and the reasons are those of a
//! chain of segments: [`doubling`](crate::design::doubling#beyond-ten-doublings). A table is added only as the finest. A
//! walk that has begun before counts as having passed it.

use core::ptr;

use super::Ladder;
use crate::error::{InsertError, SnapshotError};
use crate::segment::Rung;
use crate::tokens::{Attempt, Elsewhere};

impl Ladder {
    /// The only table, if it is.
    #[inline]
    fn only(&self) -> Option<&Rung> {
        match self.later[0].get() {
            None => Some(&self.home),
            Some(_) => None,
        }
    }

    #[inline]
    pub(super) fn lookup(&self, hash: u64) -> bool {
        match self.only() {
            Some(only) => only.tokens().contains(hash),
            None => self.lookup_in_several(hash),
        }
    }

    #[inline(never)]
    fn lookup_in_several(&self, hash: u64) -> bool {
        self.rungs().any(|rung| rung.tokens().contains(hash))
    }

    /// Removes a token from the finest table that has one.
    #[inline]
    pub(super) fn remove_finest(&self, hash: u64) -> bool {
        match self.only() {
            Some(only) if only.remove(hash) => true,
            _ => self.remove_from_several(hash),
        }
    }

    #[inline(never)]
    fn remove_from_several(&self, hash: u64) -> bool {
        loop {
            let finest = self.target();
            if self.rungs().any(|rung| rung.remove(hash)) {
                return true;
            }
            if self.is_target(finest) {
                return false;
            }
        }
    }

    /// Whether no table was added behind this one.
    fn is_target(&self, rung: &Rung) -> bool {
        ptr::eq(self.target(), rung)
    }

    #[inline]
    pub(super) fn insert_in_target(&self, hash: u64) -> Result<(), InsertError> {
        match self.only() {
            Some(only) if only.insert(hash).is_ok() => Ok(()),
            _ => self.insert_slowly(hash),
        }
    }

    #[cold]
    #[inline(never)]
    fn insert_slowly(&self, hash: u64) -> Result<(), InsertError> {
        let mut disturbed = 0;
        loop {
            let target = self.target();
            let hint = target.tokens().hint();
            match target.insert(hash) {
                Ok(()) => return Ok(()),
                Err(refusal) => self.make_room(target, hint, refusal, &mut disturbed)?,
            }
        }
    }

    pub(super) fn insert_if_absent(&self, hash: u64) -> Result<bool, InsertError> {
        let mut disturbed = 0;
        loop {
            if self.lookup(hash) {
                return Ok(false);
            }
            let target = self.target();
            let hint = target.tokens().hint();
            let others = Others {
                engine: self,
                target,
                hash,
            };
            match target.tokens().try_to_admit(hash, &others) {
                Ok(Attempt::Admitted) => {
                    target.count_one();
                    return Ok(true);
                }
                Ok(Attempt::Present) => return Ok(false),
                Ok(Attempt::Disturbed | Attempt::Starved) => {
                    self.go_on(target, hint, &mut disturbed)?;
                }
                Err(refusal) => self.make_room(target, hint, refusal, &mut disturbed)?,
            }
        }
    }

    /// A copy of every token that is in from the call to the return. A token never changes its table, and the copies are
    /// made in the order in which a lookup looks: what holds for a lookup holds for the copy.
    pub(super) fn copy(&self) -> Result<Self, SnapshotError> {
        self.copied(Rung::snapshot)
    }
}

/// The tables besides the target, for an admission there. They are coarser.
struct Others<'a> {
    engine: &'a Ladder,
    target: &'a Rung,
    hash: u64,
}

impl Elsewhere for Others<'_> {
    fn earlier_hold_none(&self) -> bool {
        true
    }

    fn later_hold_none(&self) -> bool {
        let mut coarser = self
            .engine
            .rungs()
            .filter(|rung| !ptr::eq(*rung, self.target));
        // Whether a finer one was added, last: a rival there that is admitted later sees this admission, and aborts it.
        coarser.all(|rung| rung.tokens().holds_none(self.hash))
            && self.engine.is_target(self.target)
    }
}
