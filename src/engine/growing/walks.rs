//! Lookup, removal and counting: walks over the chain, from the finest segment to the coarsest.
//!
//! Each segment gives its own answer, at its own moment. Together they are correct because of their order, and
//! because a changed list is walked again. [`growth`](crate::design::growth) has the argument.

use core::ptr;

use super::Growing;
use super::chain::Chain;
use super::link::Link;
use super::published::{Guard, Look, pin};
use crate::error::InsertError;
use crate::layout::Layout;
use crate::sync::{self, Event};
use crate::tokens::{Attempt, Elsewhere, Tokens, ahead};

/// Hashes that are looked up together, so that a byte tells one.
const TOGETHER: usize = 1 << u8::BITS;

impl<L: Layout> Growing<L> {
    #[inline]
    pub(super) fn lookup(&self, hash: u64) -> bool {
        let look = self.published.look();
        let Some(only) = look.chain.only() else {
            return self.lookup_in_several(hash);
        };
        let found = only.segment.tokens().contains(hash);
        // For a hit as for a miss: a branch on that would often be mispredicted.
        if self.published.is_current(&look) {
            found
        } else {
            self.lookup_again(found, hash)
        }
    }

    /// The list has changed. What has been found is in, whatever list led to it.
    #[cold]
    #[inline(never)]
    fn lookup_again(&self, found: bool, hash: u64) -> bool {
        sync::happened(Event::Rewalk);
        found || self.lookup_in_several(hash)
    }

    #[inline(never)]
    fn lookup_in_several(&self, hash: u64) -> bool {
        loop {
            let look = self.published.look();
            // The words of a coarser segment are loaded after the finer miss: loads of words acquire.
            let mut links = look.chain.links();
            if links.any(|link| link.segment.tokens().contains(hash)) {
                return true;
            }
            if self.is_current(&look) {
                return false;
            }
        }
    }

    /// Segment by segment: all in the finest, then those that were missed in the next. For each it is a
    /// [`lookup`](Self::lookup).
    pub(super) fn lookup_many(&self, hashes: &[u64], found: &mut [bool]) {
        for (hashes, found) in hashes.chunks(TOGETHER).zip(found.chunks_mut(TOGETHER)) {
            let look = self.published.look();
            let finest = look.chain.finest().segment.tokens();
            let mut missed = Missed::new();
            for ((turn, found), hash) in found.iter_mut().enumerate().zip(finest.ahead(hashes)) {
                *found = finest.contains(hash);
                missed.note(turn as u8, !*found);
            }
            for link in look.chain.coarser() {
                missed = missed.looked_up_in(link.segment.tokens(), hashes, found);
            }
            if !missed.turns().is_empty() && !self.is_current(&look) {
                for &turn in missed.turns() {
                    found[usize::from(turn)] = self.lookup(hashes[usize::from(turn)]);
                }
            }
        }
    }

    /// Removes a token from the finest segment that has one.
    #[inline]
    pub(super) fn remove_finest(&self, hash: u64) -> bool {
        loop {
            let look = self.published.look();
            if let Some(removed) = self.try_to_remove(&look, hash) {
                return removed;
            }
        }
    }

    /// Returns `None` if the list changed meanwhile.
    #[inline]
    fn try_to_remove(&self, look: &Look<'_, L>, hash: u64) -> Option<bool> {
        for link in look.chain.links() {
            // Check the list before each segment, and after its miss. If the list has changed, the segment that was
            // read from it may not be the next one, or the missed token may be in a segment that is not in this list.
            // Then a token here could belong to another item.
            if !self.is_current(look) {
                return None;
            }
            if link.segment.remove(hash) {
                if !ptr::eq(link, look.chain.target()) && link.is_bare_around(hash) {
                    self.unlink_drained(&pin());
                }
                return Some(true);
            }
        }
        self.is_current(look).then_some(false)
    }

    #[inline]
    pub(super) fn insert_under(&self, hash: u64, guard: &Guard) -> Result<(), InsertError> {
        let mut disturbed = 0;
        loop {
            let chain = self.published.load(guard);
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
            if self.lookup(hash) {
                return Ok(false);
            }
            let others = Others {
                engine: self,
                chain: self.published.load(guard),
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

    /// Whether the list is still the one that the look found.
    #[inline]
    pub(crate) fn is_current(&self, look: &Look<'_, L>) -> bool {
        let current = self.published.is_current(look);
        if !current {
            sync::happened(Event::Rewalk);
        }
        current
    }
}

/// Which of some hashes were found in no segment so far.
struct Missed {
    turns: [u8; TOGETHER],
    len: usize,
}

impl Missed {
    #[inline]
    fn new() -> Self {
        Self {
            turns: [0; TOGETHER],
            len: 0,
        }
    }

    fn turns(&self) -> &[u8] {
        &self.turns[..self.len]
    }

    /// Notes a turn, or lets the next one take its place: without a branch, which would often be mispredicted.
    #[inline]
    fn note(&mut self, turn: u8, missed: bool) {
        self.turns[self.len] = turn;
        self.len += usize::from(missed);
    }

    /// Those that these tokens do not have either.
    fn looked_up_in<L: Layout>(
        &self,
        tokens: &Tokens<L>,
        hashes: &[u64],
        found: &mut [bool],
    ) -> Self {
        let mut missed = Self::new();
        let prefetch = |turn: u8| tokens.prefetch(hashes[usize::from(turn)]);
        for turn in ahead(self.turns(), prefetch) {
            let hit = tokens.contains(hashes[usize::from(turn)]);
            found[usize::from(turn)] = hit;
            missed.note(turn, !hit);
        }
        missed
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
    fn is_other(&self, link: &Link<L>) -> bool {
        !ptr::eq(link, self.chain.target())
    }

    fn holds_none(&self, link: &Link<L>) -> bool {
        link.segment.tokens().holds_none(self.hash)
    }

    fn is_current(&self) -> bool {
        let current = self.engine.published.is(self.chain, self.guard);
        if !current {
            sync::happened(Event::Rewalk);
        }
        current
    }
}

impl<L: Layout> Elsewhere for Others<'_, L> {
    fn earlier_hold_none(&self) -> bool {
        let mut finer = self.chain.links().take_while(|link| self.is_other(link));
        finer.all(|link| self.holds_none(link))
    }

    fn later_hold_none(&self) -> bool {
        let coarser = self.chain.links().skip_while(|link| self.is_other(link));
        // Check the list last. If another segment was added before this admission froze its word, a rival admission
        // in that segment would not see it. A rival in a segment that is added later sees it, and aborts it.
        coarser.skip(1).all(|link| self.holds_none(link)) && self.is_current()
    }
}
