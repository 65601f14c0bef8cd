//! How a writer meets a word: it settles it, splits it, and finds the live one on an index string.
//!
//! To *settle* a word is to read it at a time when it is not a reference. A writer that meets one
//! aborts a pending relocation or admission, finishes a split, and writes back what is decided. So
//! no writer waits for the owner of a descriptor. A split begins with a settled word, and settling
//! finishes splits: so both are in this room.
//!
//! # A split
//!
//! 1. *Describe it* (`publish`), by the owner. A thread that stops then leaves a descriptor that no
//!    word refers to.
//! 2. *Freeze the word* (`replace` its content by the reference), by the owner. A thread that stops
//!    then leaves a frozen word: lookups read the frozen content, and the next writer that meets it
//!    finishes the split (`finish_split`).
//! 3. *Write the children* (`complete_split`, two exchanges), by any thread. A thread that stops
//!    then leaves the same, with children that no thread changes yet.
//! 4. *Replace the reference by gone* (`complete_split`, one exchange), by any thread. The split is
//!    over.
//!
//! Wherever it stops, the table holds the same tokens: until the parent is gone its content is the
//! frozen one, and then the children hold the same. [Why](crate::design::doubling#a-split) that is
//! enough. Besides, a thread that stops for good keeps
//!
//! * its descriptor, which serves no other use until a call that has the table for itself takes it
//!   back (`settle_all` of `alone`);
//! * in a sweep, the words that it has taken and not split. The cursor stays in front of them until
//!   enough words beyond are taken, or all are, and others split these too (`Sweep::next_chunk`);
//! * its pin: from about then on, no memory of levels that roots leave is given back, in any filter
//!   of the process.

use core::iter;

use crossbeam_epoch::Guard;

use crate::growing::item::{GrowingClass, Index, level_of};
use crate::growing::memory::{pin, try_to_pin};
use crate::growing::tokens::{Bucket, GrowingTokens, Live, Step, children};
use crate::growing::views::Level;
use crate::growing::word::{GrowingWord, Lanes16, WordState};
use crate::kernel::descriptor::{Claim, Pending, Resolved, Status};
use crate::kernel::outcome::{Failure, MAX_ATTEMPTS};
use crate::kernel::transfer::Transfer;
use crate::kernel::word::Reference;
use crate::sync;
use crate::sync::Event;

/// A split.
impl GrowingTokens {
    /// Splits a bucket, or finds that it was split. Refused if no descriptor was free, if others
    /// were in the way of every attempt, or if there was no memory for the first pin of the thread.
    ///
    /// The level below must have its block, and every token in the bucket a tail: so the level must
    /// not be the last one.
    pub(crate) fn split(&self, bucket: usize) -> Result<(), Failure> {
        self.split_all(iter::once(bucket))
    }

    /// Splits several, with one descriptor. Ends with the first that it cannot split.
    pub(crate) fn split_all(
        &self,
        mut buckets: impl Iterator<Item = usize>,
    ) -> Result<(), Failure> {
        // Pin before any word is read: while it is pinned, no memory is given back that its splits
        // write to.
        let guard = try_to_pin().map_err(|_| Failure::NoDescriptor)?;
        let mut claim = None;
        buckets.try_for_each(|bucket| self.split_with(bucket, &mut claim, &guard))
    }

    fn split_with<'a>(
        &'a self,
        bucket: usize,
        claim: &mut Option<Claim<'a, Lanes16>>,
        guard: &Guard,
    ) -> Result<(), Failure> {
        debug_assert!(level_of(bucket) < self.levels.last());
        for _ in 0..MAX_ATTEMPTS {
            // Read the content, and end what others have begun with the word. Done if it was split.
            let Some(content) = self.settled(bucket) else {
                return Ok(());
            };
            // Claim a descriptor once for all words of a chunk.
            if claim.is_none() {
                *claim = self.pool.claim();
            }
            let claim = claim.as_mut().ok_or(Failure::NoDescriptor)?;
            // Describe the split, so that any thread that meets the reference can finish it.
            let (reference, _) = claim.publish(Transfer::Split {
                bucket,
                old: content,
            });
            // Freeze the word: from here on no token leaves or enters it. A split needs no
            // decision: it continues until the parent is gone, and the owner begins no other use
            // before that. It has no observable effect: until the parent is gone its content is the
            // frozen one, and then the children hold the same.
            if self.replace(bucket, content, reference) {
                self.complete_split(bucket, reference, content, guard);
                return Ok(());
            }
        }
        Err(Failure::Disturbed)
    }

    /// Completes the split of `bucket`, if one is in progress.
    ///
    /// Pinned: it writes into absent words, as only `write_absent` does besides. A helper that
    /// sleeps here keeps the memory of the children from being given back, after which they would
    /// be absent again.
    #[cold]
    pub(crate) fn finish_split(&self, bucket: usize) {
        let guard = pin();
        // Load again, because the guard holds from here on.
        let WordState::Reference(reference) = self.levels.load(bucket).state() else {
            return;
        };
        if let Some((Transfer::Split { old, .. }, _)) = self.pool.read(reference) {
            self.complete_split(bucket, reference, old, &guard);
        }
    }

    /// [`finish_split`](Self::finish_split) for a caller who has been pinned since a time when the
    /// word was not gone, and has found the reference of the split in the word, or has put it
    /// there.
    pub(crate) fn complete_split(
        &self,
        bucket: usize,
        reference: Reference<Lanes16>,
        content: Bucket,
        _: &Guard,
    ) {
        let level = level_of(bucket);
        // Compute the children from the frozen content: all helpers compute the same.
        let children = children(bucket, content, self.levels.depth(level));
        // Each of these exchanges fails if another thread was first. A word that has been written
        // is never absent again as long as this thread is pinned, and the reference never comes
        // back.
        if let Some(below) = self.levels.level(level + 1) {
            below.exchange(bucket << 1, GrowingWord::ABSENT, children[0]);
            below.exchange(bucket << 1 | 1, GrowingWord::ABSENT, children[1]);
        }
        // Last: a thread that finds the parent gone finds the children.
        if self.levels.exchange(bucket, reference, GrowingWord::GONE) {
            sync::trace(Event::Split);
        }
    }
}

/// The content of a word without a reference.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Settled {
    Absent,
    Gone,
    Bucket(Bucket),
}

impl Settled {
    /// The content of a bucket that is there.
    #[inline]
    pub(crate) fn content(self) -> Option<Bucket> {
        match self {
            Self::Bucket(content) => Some(content),
            Self::Gone | Self::Absent => None,
        }
    }
}

/// Settling.
impl GrowingTokens {
    /// Reads a word as a writer does: at a time when it is not a reference.
    #[inline]
    pub(crate) fn settle(&self, bucket: usize) -> Settled {
        self.settle_word(bucket, || self.levels.load(bucket))
    }

    /// The content of a bucket, read as a writer does, if it is there.
    #[inline]
    pub(crate) fn settled(&self, bucket: usize) -> Option<Bucket> {
        self.settle(bucket).content()
    }

    /// [`settle`](Self::settle) for a caller who knows the level.
    #[inline]
    pub(crate) fn settle_in(&self, words: Level<'_>, bucket: usize) -> Settled {
        match words.load(bucket).state() {
            WordState::Bucket(content) => Settled::Bucket(content),
            _ => self.settle(bucket),
        }
    }

    /// [`settle`](Self::settle) by a thread that has frozen a word: see
    /// [`load_crosswise`](crate::kernel::table::Table::load_crosswise).
    pub(crate) fn settle_crosswise(&self, bucket: usize) -> Settled {
        self.settle_word(bucket, || self.levels.load_crosswise(bucket))
    }

    #[inline]
    fn settle_word(&self, bucket: usize, load: impl Fn() -> GrowingWord) -> Settled {
        loop {
            // Read the word. Return what it is, unless it is frozen.
            let word = load();
            let reference = match self.state(bucket, word) {
                WordState::Absent => return Settled::Absent,
                WordState::Gone => return Settled::Gone,
                WordState::Bucket(content) => return Settled::Bucket(content),
                WordState::Reference(reference) => reference,
            };
            match self.pool.resolve(bucket, reference) {
                // The use is over, so the word has changed.
                Resolved::Stale => {}
                // A split is never decided: its children are what it becomes.
                Resolved::Pending(Pending {
                    transfer: Transfer::Split { .. },
                    ..
                }) => self.finish_split(bucket),
                // Only the owner of an admission knows its answers from elsewhere.
                Resolved::Pending(pending) => {
                    let aborted = Status::Aborted;
                    // Abort it, and read again: its owner may have committed first.
                    self.pool.decide(reference, pending.control, aborted);
                    sync::trace(Event::Abort);
                }
                // Every thread computes the same content from the descriptor.
                Resolved::Settled(content) => {
                    sync::trace(Event::Help);
                    if self.levels.exchange(bucket, word, content) {
                        return Settled::Bucket(content);
                    }
                }
            }
        }
    }

    /// The content of a bucket whose number was computed, and not come to from above; none, if it
    /// is not there any more.
    ///
    /// If it is deeper than the root, its parent has to be gone first:
    /// [why](crate::design::doubling#a-split).
    pub(crate) fn settle_computed(&self, bucket: usize) -> Option<Bucket> {
        // A word deeper than the root may already be a bucket while its parent is still frozen: a
        // hop to it would be undone for all threads that come through the parent. So split the
        // parent, or finish its split.
        let is_deeper = level_of(bucket) > self.levels.root().level();
        if is_deeper {
            self.split(bucket >> 1).ok()?;
        }
        // Settle it: its parent is gone, so its content is the live one, or it is gone itself.
        self.settled(bucket)
    }
}

/// The live bucket on an index string.
impl GrowingTokens {
    /// Both live buckets of an item, settled.
    pub(crate) fn live_pair(&self, class: GrowingClass) -> [Live; 2] {
        // Load the root, and the words of its level: in all but a growth, both buckets are there.
        let root = self.levels.root();
        let words = self.levels.level(root.level());
        // Find the level below too while the table grows: a bucket above may be gone.
        let below = if self.is_growing(root) {
            self.levels.level(root.level() + 1)
        } else {
            None
        };
        [class.first, class.second].map(|index| {
            // Load the word of the item at one level.
            let plain = |words: Level<'_>| {
                let bucket = index.bucket(words.number());
                let state = words.load(bucket).state();
                (bucket, words.depth(), state)
            };
            // Look above first: a word below counts only if its parent is gone.
            let mut found = words.map(plain);
            if let Some((_, _, WordState::Gone)) = found {
                // Go down to the child. It is there: a split writes the children before the parent
                // is gone.
                found = below.map(plain);
            }
            match found {
                // A bucket that is found is the live one, whatever the root said: a word that is
                // gone never becomes a bucket again.
                Some((bucket, depth, WordState::Bucket(content))) => Live {
                    bucket,
                    depth,
                    content,
                },
                // The word is frozen, absent, or split further: descend step by step, and settle
                // it.
                _ => self.live(index),
            }
        })
    }

    /// The live bucket on an index string, settled.
    #[inline]
    pub(crate) fn live(&self, index: Index) -> Live {
        self.live_by(index, Self::settle)
    }

    /// [`live`](Self::live) by a thread that has frozen a word.
    pub(crate) fn live_crosswise(&self, index: Index) -> Live {
        self.live_by(index, Self::settle_crosswise)
    }

    #[inline]
    fn live_by(&self, index: Index, settle: impl Fn(&Self, usize) -> Settled) -> Live {
        self.descend(index, |bucket| match settle(self, bucket) {
            Settled::Absent => Step::Again,
            Settled::Gone => Step::Down,
            Settled::Bucket(content) => Step::Here(self.live_bucket(bucket, content)),
        })
    }
}
