//! Lookup, removal and inserts: walks over the tables, from the finest to the coarsest.
//!
//! [`doubling`](crate::design::doubling#several-tables) has the argument for this order. A lookup or a remove that has begun
//! before its generation was sealed, and finds nothing, has passed the moment of that, when there was nothing to be found.

use core::ptr;

use super::generation::Generation;
use super::growth::Patience;
use super::{Ladder, copies};
use crate::error::{InsertError, SnapshotError};
use crate::layout::Sight;
use crate::segment::Rung;
use crate::tokens::doubling::Sealed;
use crate::tokens::{Attempt, Elsewhere, Refusal};

impl Generation {
    #[inline]
    fn lookup(&self, hash: u64) -> Result<bool, Sealed> {
        match self.only() {
            Some(only) => Ok(only.tokens().contains(hash)),
            None => self.lookup_in_several(hash),
        }
    }

    #[inline(never)]
    fn lookup_in_several(&self, hash: u64) -> Result<bool, Sealed> {
        self.check()?;
        Ok(self.rungs().any(|rung| rung.tokens().contains(hash)))
    }

    /// Removes a token from the finest table that has one.
    #[inline(never)]
    fn remove(&self, hash: u64) -> Result<bool, Sealed> {
        self.check()?;
        loop {
            let finest = self.target();
            if self.rungs().any(|rung| rung.remove(hash)) {
                return Ok(true);
            }
            if self.is_target(finest) {
                return Ok(false);
            }
        }
    }
}

impl Ladder {
    #[inline]
    pub(super) fn lookup(&self, hash: u64) -> bool {
        // Not by `ask`, of which a loop would keep the hash in memory, for what comes after a sealed generation.
        let sight = match self.home.only() {
            Some(only) => only.tokens().sight(hash),
            None => self.lookup_slowly(hash),
        };
        sight.found()
    }

    /// Cold, so that a loop keeps what it needs in registers as if there was no call.
    #[cold]
    #[inline(never)]
    fn lookup_slowly(&self, hash: u64) -> Sight {
        Sight::certain(self.ask(|generation| generation.lookup(hash)))
    }

    #[inline]
    pub(super) fn remove_finest(&self, hash: u64) -> bool {
        match self.home.only() {
            Some(only) if only.remove(hash) => true,
            _ => self.ask(|generation| generation.remove(hash)),
        }
    }

    #[inline]
    pub(super) fn insert_in_target(&self, hash: u64) -> Result<(), InsertError> {
        match self.home.only() {
            Some(only) if only.insert(hash).is_ok() => Ok(()),
            _ => self.insert_slowly(hash),
        }
    }

    #[cold]
    #[inline(never)]
    fn insert_slowly(&self, hash: u64) -> Result<(), InsertError> {
        self.ask(|generation| self.insert_into(generation, hash))
    }

    fn insert_into(
        &self,
        generation: &Generation,
        hash: u64,
    ) -> Result<Result<(), InsertError>, Sealed> {
        let mut patience = Patience::default();
        loop {
            generation.check()?;
            let target = generation.target();
            let hint = target.tokens().hint();
            let Err(refusal) = target.insert(hash) else {
                return Ok(Ok(()));
            };
            if let Err(error) = self.make_room(generation, target, hint, refusal, &mut patience) {
                return generation.check().map(|()| Err(error));
            }
        }
    }

    pub(super) fn insert_if_absent(&self, hash: u64) -> Result<bool, InsertError> {
        self.ask(|generation| self.admit_into(generation, hash))
    }

    fn admit_into(
        &self,
        generation: &Generation,
        hash: u64,
    ) -> Result<Result<bool, InsertError>, Sealed> {
        let mut patience = Patience::default();
        loop {
            if generation.lookup(hash)? {
                return Ok(Ok(false));
            }
            let target = generation.target();
            let hint = target.tokens().hint();
            let others = Others {
                generation,
                target,
                hash,
            };
            let room = match target.tokens().try_to_admit(hash, &others) {
                Ok(Attempt::Admitted) => {
                    target.count_one();
                    return Ok(Ok(true));
                }
                Ok(Attempt::Present) => return Ok(Ok(false)),
                Ok(Attempt::Disturbed) => {
                    self.go_on(generation, target, hint, Refusal::Disturbed, &mut patience)
                }
                Ok(Attempt::Starved) => {
                    self.go_on(generation, target, hint, Refusal::Starved, &mut patience)
                }
                Err(refusal) => self.make_room(generation, target, hint, refusal, &mut patience),
            };
            generation.check()?;
            if let Err(error) = room {
                return Ok(Err(error));
            }
        }
    }

    /// A copy of every token that is in from the call to the return. A token never changes its table, and the copies are
    /// made in the order in which a lookup looks: what holds for a lookup holds for the copy. If a generation is sealed
    /// meanwhile, no token was in all the while.
    pub(super) fn copy(&self) -> Result<Self, SnapshotError> {
        self.of_current(|generation| {
            let copies = copies(generation, Rung::snapshot)?;
            Ok(self.with(copies))
        })
    }

    /// Asks for the words of a hash.
    #[inline]
    pub(super) fn prefetch(&self, hash: u64) {
        match self.home.only() {
            Some(only) => only.tokens().prefetch(hash),
            None => self.prefetch_in_several(hash),
        }
    }

    /// In all, because what is absent is looked for in all, and a batch has time for that while it serves others.
    #[inline(never)]
    fn prefetch_in_several(&self, hash: u64) {
        self.ask(|generation| {
            generation.check()?;
            let rungs = generation.rungs();
            rungs.for_each(|rung| rung.tokens().prefetch(hash));
            Ok(())
        });
    }
}

/// The tables besides the target, for an admission there. They are coarser.
struct Others<'a> {
    generation: &'a Generation,
    target: &'a Rung,
    hash: u64,
}

impl Elsewhere for Others<'_> {
    fn earlier_hold_none(&self) -> bool {
        true
    }

    fn later_hold_none(&self) -> bool {
        let rungs = self.generation.rungs();
        let mut coarser = rungs.filter(|rung| !ptr::eq(*rung, self.target));
        // Whether a finer one was added, last: a rival there that is admitted later sees this admission, and aborts it.
        coarser.all(|rung| rung.tokens().holds_none(self.hash))
            && self.generation.is_target(self.target)
    }
}
