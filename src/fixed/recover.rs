//! Recovery: takes back what dead processes held, in a table that several processes share.
//!
//! A process that is killed may have claimed descriptors, frozen words by them, and taken the right
//! to scan. No other call waits for it: writers settle the words, and claims take other
//! descriptors. Recovery gives these back to all.
//!
//! *Why it is sound.* The system has said that the owner runs no instruction any more, so it
//! freezes no further word. Of its last use both words are settled, and of each earlier use they
//! were written back before the next one began: so no word has a reference to the descriptor when
//! it is given back. (If the owner died while it wrote the fields, no word had the reference to
//! them, and to settle any other word is always permitted.) The number of an owner never comes
//! again, so of several processes that recover at once one gives the descriptor back, and none
//! takes it from the next owner. One that dies has done a part, and another does the rest.

use crate::fixed::tokens::TokenTable;
use crate::kernel::layout::Layout;
use crate::kernel::seats::Seats;

impl<L: Layout> TokenTable<L> {
    /// Takes back what dead processes held. Returns the number of calls in which they died and held
    /// something.
    pub(crate) fn recover(&self) -> usize {
        let Some(seats) = self.pool.seats() else {
            return 0;
        };
        let mut dead = Dead { seats, last: None };
        let mut recovered = 0;
        for (descriptor, owner) in self.pool.claimed() {
            if !dead.includes(owner) {
                continue;
            }
            // Settle the words that it may have frozen.
            for bucket in descriptor.last::<L>().buckets() {
                if bucket < self.table.len() {
                    self.settle(bucket);
                }
            }
            // Give it back, unless another process has.
            recovered += usize::from(descriptor.take_from(owner));
        }
        let scanner = self.hints.scanner();
        if scanner != 0
            && dead.includes(scanner)
            && let Some(own) = seats.own()
            && self.hints.inherit_scan(scanner, own)
        {
            // End the scan as its owner would have. A process that begins one waits until then.
            self.stripes.end_all_scans();
            self.hints.end_scan();
            recovered += 1;
        }
        recovered
    }
}

/// Who is dead. Asks the system once for each owner in turn.
struct Dead<'a> {
    seats: &'a dyn Seats,
    last: Option<(u64, bool)>,
}

impl Dead<'_> {
    fn includes(&mut self, owner: u64) -> bool {
        match self.last {
            Some((last, is_dead)) if last == owner => is_dead,
            _ => {
                let is_dead = self.seats.is_dead(owner);
                self.last = Some((owner, is_dead));
                is_dead
            }
        }
    }
}
