//! Helping: how a writer handles a frozen word.
//!
//! A pending relocation or emptying is aborted, a pending admission is decided, or aborted if only
//! its owner may commit it, and a decided use is written back. So no writer waits for an owner that
//! may never continue. (A thread that empties the same table commits an emptying.)

use crate::fixed::tokens::TokenTable;
use crate::kernel::descriptor::{Pending, Resolved, Status};
use crate::kernel::layout::{Bucket, Layout};
use crate::kernel::outcome::Rounds;
use crate::kernel::transfer::Transfer;
use crate::kernel::word::Content;
use crate::sync;
use crate::sync::Event;

impl<L: Layout> TokenTable<L> {
    /// Reads a word as a writer does: returns its content at a time when it is not a reference.
    /// Aborts a pending relocation, ends a pending admission, writes back what is decided.
    /// Lock-free: a round is repeated only after a transfer was decided, written back or replaced.
    #[inline]
    pub(crate) fn settle(&self, bucket: usize) -> Bucket<L> {
        match self.table.load(bucket).content() {
            Content::Bucket(content) => content,
            Content::Reference(_) => self.settle_reference(&mut self.rounds(), bucket),
        }
    }

    /// [`settle`](Self::settle) in a loop that has these rounds. After the last, returns an empty
    /// bucket, which no exchange takes for the word.
    #[inline]
    pub(crate) fn settle_within(&self, rounds: &mut Rounds, bucket: usize) -> Bucket<L> {
        match self.table.load(bucket).content() {
            Content::Bucket(content) => content,
            Content::Reference(_) => self.settle_reference(rounds, bucket),
        }
    }

    /// [`settle`](Self::settle) by a thread that has frozen another word: see
    /// [`load_crosswise`](crate::kernel::table::Table::load_crosswise).
    pub(crate) fn settle_crosswise(&self, rounds: &mut Rounds, bucket: usize) -> Bucket<L> {
        match self.table.load_crosswise(bucket).content() {
            Content::Bucket(content) => content,
            Content::Reference(_) => self.settle_reference(rounds, bucket),
        }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn settle_reference(&self, rounds: &mut Rounds, bucket: usize) -> Bucket<L> {
        let mut last = None;
        while rounds.are_left() {
            // Load again: since the caller's load, the word may hold another reference, or content.
            let word = self.table.load(bucket);
            last = Some(word);
            let reference = match word.content() {
                Content::Bucket(content) => return content,
                Content::Reference(reference) => reference,
            };
            match self.resolve(bucket, reference) {
                // Its descriptor is in another use. Both words of the old use were written back
                // before the next one began, so this word has changed: the next load finds
                // something else. (Unless 2^38 uses have passed: `design`, "Progress".)
                Resolved::Stale => {}
                // Decide an admission that any thread may decide, by the rule that its owner would
                // apply, also for an owner that is dead. The next round writes back.
                Resolved::Pending(Pending {
                    control,
                    transfer:
                        Transfer::Admission {
                            placed,
                            target,
                            witness,
                            ..
                        },
                    ..
                }) if !self.owner_commits => {
                    let permitted =
                        self.is_absent_within(rounds, placed.fingerprint(), target, witness);
                    let status = Status::of_verdict(permitted);
                    self.pool.decide(reference, control, status);
                }
                // Abort anything else pending, which leaves both words as they were. If the owner,
                // or another thread, has decided first, the exchange fails, and the next round
                // finds the decision.
                Resolved::Pending(pending) => {
                    self.pool
                        .decide(reference, pending.control, Status::Aborted);
                    sync::trace(Event::Abort);
                }
                // Write back what is decided for good: every thread computes the same content from
                // the descriptor. The exchange fails if another thread has written it back, and
                // perhaps others have gone on from there.
                Resolved::Settled(content) => {
                    sync::trace(Event::Help);
                    if self.table.exchange(bucket, word, content) {
                        return content;
                    }
                }
            }
        }
        // Empty a word that no call of this crate has written: others need not wait for it again.
        if let Some(word) = last {
            self.table.exchange(bucket, word, Bucket::EMPTY);
        }
        Bucket::EMPTY
    }

    /// Settles each word once, as a writer does that meets it. Returns the number of tokens. Exact
    /// if no thread writes.
    pub(crate) fn settle_each(&self) -> usize {
        let contents = (0..self.table.len()).map(|bucket| self.settle(bucket));
        contents.map(Bucket::len).sum()
    }
}
