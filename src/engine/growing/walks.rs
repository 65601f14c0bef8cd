//! Lookup, removal and counting: walks over the chain, from the finest segment to the coarsest.
//!
//! Each segment gives its own answer, at its own moment. Together they are correct because of their order, and
//! because a changed list is walked again. [`growth`](crate::design::growth) has the argument.

use super::Growing;
use super::chain::Chain;
use super::link::Link;
use super::published::Guard;
use crate::error::InsertError;
use crate::layout::Layout;
use crate::sync::{self, Event};
use crate::tokens::{Attempt, Elsewhere};

impl<L: Layout> Growing<L> {
    #[inline]
    pub(super) fn contains_under(&self, hash: u64, guard: &Guard) -> bool {
        loop {
            let chain = self.chain.load(guard);
            // The words of a coarser segment are loaded after the finer miss: loads of words acquire.
            if chain
                .links()
                .iter()
                .any(|link| link.segment.tokens().contains(hash))
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

    /// Returns `None` if the list changed meanwhile.
    fn try_to_remove(&self, chain: &Chain<L>, hash: u64, guard: &Guard) -> Option<bool> {
        for (index, link) in chain.links().iter().enumerate() {
            if link.segment.remove(hash) {
                if index != chain.target_index() && link.is_bare_around(hash) {
                    self.unlink_drained(guard);
                }
                return Some(true);
            }
            // Check the list before the next, coarser segment. The missed token may be in a segment that is not in
            // this list, and then a token in the coarser segment could belong to another item.
            if !self.is_current(chain, guard) {
                return None;
            }
        }
        Some(false)
    }

    pub(super) fn count_under(&self, hash: u64, guard: &Guard) -> usize {
        loop {
            let chain = self.chain.load(guard);
            let count = chain.sum(|link| link.segment.tokens().count(hash));
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
            match chain.target().segment.insert(hash, 0) {
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
                engine: self,
                chain: self.chain.load(guard),
                hash,
                guard,
            };
            let target = &others.chain.target().segment;
            match target.tokens().try_to_admit(hash, &others) {
                Ok(Attempt::Admitted) => {
                    target.count_one();
                    return Ok(true);
                }
                Ok(Attempt::Present) => return Ok(false),
                Ok(Attempt::Disturbed | Attempt::Starved) => {
                    self.go_on(others.chain, &mut disturbed, guard)?;
                }
                Err(refusal) => self.make_room(others.chain, refusal, &mut disturbed, guard)?,
            }
        }
    }

    /// Whether the list is still this one.
    #[inline]
    pub(super) fn is_current(&self, chain: &Chain<L>, guard: &Guard) -> bool {
        let current = self.chain.is(chain, guard);
        if !current {
            sync::happened(Event::Rewalk);
        }
        current
    }
}

/// The segments besides the target, for an admission there.
struct Others<'a, L: Layout> {
    engine: &'a Growing<L>,
    chain: &'a Chain<L>,
    hash: u64,
    guard: &'a Guard,
}

impl<L: Layout> Others<'_, L> {
    fn hold_none(&self, mut links: impl Iterator<Item = impl AsRef<Link<L>>>) -> bool {
        links.all(|link| link.as_ref().segment.tokens().holds_none(self.hash))
    }
}

impl<L: Layout> Elsewhere for Others<'_, L> {
    fn earlier_hold_none(&self) -> bool {
        self.hold_none(self.chain.links()[..self.chain.target_index()].iter())
    }

    fn later_hold_none(&self) -> bool {
        // Check the list last. If another segment was added before this admission froze its word, a rival admission
        // in that segment would not see it. A rival in a segment that is added later sees it, and aborts it.
        self.hold_none(self.chain.links()[self.chain.target_index() + 1..].iter())
            && self.engine.is_current(self.chain, self.guard)
    }
}
