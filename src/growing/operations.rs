//! Lookup, removal and counting: walks over the chain, from the finest segment to the coarsest.
//!
//! Each segment answers for itself, at a moment of its own. What makes the answers one is their order, and that a
//! list that has changed is walked again; the argument is in [`growth`](crate::design::growth).

use super::GrowingCuckooFilter;
use super::chain::Chain;
use super::segment::Segment;
use crate::admission::{Attempt, Elsewhere};
use crate::error::InsertError;
use crate::published::{Guard, pin};
use crate::sync::{self, Event};

impl<S> GrowingCuckooFilter<S> {
    #[inline]
    pub(super) fn contains_under(&self, hash: u64, guard: &Guard) -> bool {
        loop {
            let chain = self.chain.load(guard);
            // The words of a coarser segment are loaded after the finer miss: loads of words acquire.
            if chain
                .segments()
                .iter()
                .any(|segment| segment.tokens.contains(hash))
            {
                return true;
            }
            if self.is_current(chain, guard) {
                return false;
            }
        }
    }

    #[inline]
    pub(super) fn remove_under(&self, hash: u64, guard: &Guard) -> bool {
        loop {
            let chain = self.chain.load(guard);
            if let Some(removed) = self.try_to_remove(chain, hash, guard) {
                return removed;
            }
        }
    }

    /// Nothing if the list changed on the way.
    fn try_to_remove(&self, chain: &Chain, hash: u64, guard: &Guard) -> Option<bool> {
        for (index, segment) in chain.segments().iter().enumerate() {
            if segment.remove(hash) {
                if index != chain.target_index() && segment.is_bare_around(hash) {
                    self.unlink_drained(guard);
                }
                return Some(true);
            }
            // Ahead of the next, coarser segment: what was missed may have been in one that is not in this list,
            // and then a token there could be another item's.
            if !self.is_current(chain, guard) {
                return None;
            }
        }
        Some(false)
    }

    pub(super) fn count_under(&self, hash: u64, guard: &Guard) -> usize {
        loop {
            let chain = self.chain.load(guard);
            let count = chain.sum(|segment| {
                segment
                    .tokens
                    .count_class(segment.geometry().candidates(hash))
            });
            if self.is_current(chain, guard) {
                return count;
            }
        }
    }

    #[inline]
    pub(super) fn insert_under(&self, hash: u64, guard: &Guard) -> Result<(), InsertError> {
        let mut disturbed = 0;
        loop {
            let chain = self.chain.load(guard);
            match chain.target().insert(hash) {
                Ok(()) => return Ok(()),
                Err(refusal) => self.make_room(chain, refusal, &mut disturbed, guard)?,
            }
        }
    }

    pub(super) fn insert_unique_under(
        &self,
        hash: u64,
        guard: &Guard,
    ) -> Result<bool, InsertError> {
        let mut disturbed = 0;
        loop {
            if self.contains_under(hash, guard) {
                return Ok(false);
            }
            let others = Others {
                filter: self,
                chain: self.chain.load(guard),
                hash,
                guard,
            };
            let target = others.chain.target();
            match target.tokens.try_to_admit(hash, &others) {
                Ok(Attempt::Admitted) => {
                    target.counter.add(1);
                    return Ok(true);
                }
                Ok(Attempt::Present) => return Ok(false),
                Ok(Attempt::Disturbed) => self.go_on(others.chain, &mut disturbed, guard)?,
                Err(refusal) => self.make_room(others.chain, refusal, &mut disturbed, guard)?,
            }
        }
    }

    /// Whether the list is still this one.
    #[inline]
    pub(super) fn is_current(&self, chain: &Chain, guard: &Guard) -> bool {
        let current = self.chain.is(chain, guard);
        if !current {
            sync::happened(Event::Rewalk);
        }
        current
    }
}

/// The segments besides the target, for an admission there.
struct Others<'a, S> {
    filter: &'a GrowingCuckooFilter<S>,
    chain: &'a Chain,
    hash: u64,
    guard: &'a Guard,
}

impl<S> Others<'_, S> {
    fn hold_none(&self, mut segments: impl Iterator<Item = impl AsRef<Segment>>) -> bool {
        segments.all(|segment| segment.as_ref().tokens.holds_none(self.hash))
    }
}

impl<S> Elsewhere for Others<'_, S> {
    fn finer_hold_none(&self) -> bool {
        self.hold_none(self.chain.segments()[..self.chain.target_index()].iter())
    }

    fn coarser_hold_none(&self) -> bool {
        // The list last: had there been another segment before an admission here was frozen, a rival in it
        // would not have seen it. One that comes later does, and aborts it.
        self.hold_none(self.chain.segments()[self.chain.target_index() + 1..].iter())
            && self.filter.is_current(self.chain, self.guard)
    }
}

/// Pins for the time of one operation.
#[inline]
pub(super) fn pinned<T>(operation: impl FnOnce(&Guard) -> T) -> T {
    operation(&pin())
}
