//! Scan: a private copy of the tokens, taken while others write.
//!
//! A token that is in all the while is in the copy, however often it hops. Four steps make it so:
//!
//! 1. Set the scan bit of the stripes. A mover that bumped before is seen with both its references, and aborted
//!    or finished like by any writer; one that bumps later leaves a hint before it moves the token.
//! 2. Copy the words, one after the other.
//! 3. Clear the scan bits.
//! 4. Count the classes that were hinted at again, each validated, and correct the copy.
//!
//! The copy is not one instant of the whole filter: each class is copied at a time of its own. If there were too
//! many hints, the table is scanned several times, for a part of the stripes each.

use crate::allocate::OutOfMemory;
use crate::bucket::Bucket;
use crate::fingerprint::Fingerprint;
use crate::geometry::Candidates;
use crate::hints::{Hint, NoScan, Scan};
use crate::stripes::Group;
use crate::sync;
use crate::tokens::Tokens;

/// Why there is no snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoSnapshot {
    /// Another one is under way.
    Busy,
    /// Other threads changed more, in each attempt, than could be kept track of.
    Disturbed,
    OutOfMemory(OutOfMemory),
}

/// Why one attempt failed.
enum Disturbance {
    /// More tokens moved than the log of hints holds.
    Hints,
    /// The copy, which has tokens that were removed meanwhile beside those that were inserted, is full.
    NoRoom,
}

/// Attempts, each in several passes if too many tokens moved in the one before.
const ATTEMPTS: usize = if sync::MODEL { 2 } else { 8 };

/// By how much the number of passes grows.
const MORE_PASSES: usize = 4;

impl From<OutOfMemory> for NoSnapshot {
    fn from(error: OutOfMemory) -> Self {
        Self::OutOfMemory(error)
    }
}

impl From<NoScan> for NoSnapshot {
    fn from(error: NoScan) -> Self {
        match error {
            NoScan::Busy => Self::Busy,
            NoScan::OutOfMemory(error) => Self::OutOfMemory(error),
        }
    }
}

impl Tokens {
    /// A copy that holds every token that is in from the call to the return, and their number.
    pub(crate) fn snapshot(&self) -> Result<(Self, usize), NoSnapshot> {
        let scan = self.hints.scan(self.table.len())?;
        let mut copy = Self::new(self.geometry, self.search_budget, self.pool.len())?;
        let mut passes = 1;
        for _ in 0..ATTEMPTS {
            let copied =
                Group::all(passes).try_for_each(|group| self.copy_group(&scan, group, &mut copy));
            match copied {
                Ok(()) => {
                    let len = copy.len();
                    return Ok((copy, len));
                }
                Err(Disturbance::Hints) => passes = (passes * MORE_PASSES).min(Group::MOST),
                Err(Disturbance::NoRoom) => {}
            }
            copy.clear();
        }
        Err(NoSnapshot::Disturbed)
    }

    /// Adds the tokens of a group of stripes to the copy.
    fn copy_group(
        &self,
        scan: &Scan<'_>,
        group: Group,
        copy: &mut Self,
    ) -> Result<(), Disturbance> {
        scan.forget();
        self.stripes.announce_scan(group);
        let copied = (0..self.table.len()).try_for_each(|bucket| {
            // A writer's read: a pending relocation must not be left to commit behind the scan.
            copy.merge(bucket, self.settle(bucket), group)
        });
        self.stripes.end_scan(group);
        copied?;
        let hints = scan.hints().ok_or(Disturbance::Hints)?;
        hints
            .filter(|hint| group.has(hint.fingerprint))
            .try_for_each(|hint| {
                let class = self.class_of(hint);
                copy.set_count(class, self.count_class(class))
            })
    }

    /// Adds the tokens of a group that were found in a bucket, to this bucket if it has room for them.
    fn merge(&mut self, bucket: usize, found: Bucket, group: Group) -> Result<(), Disturbance> {
        if group.is_all() && self.table.load(bucket).plain() == Bucket::EMPTY {
            self.table.set(bucket, found);
            return Ok(());
        }
        found
            .fingerprints()
            .filter(|&f| group.has(f))
            .try_for_each(|f| self.place(bucket, f))
    }

    fn place(&mut self, bucket: usize, fingerprint: Fingerprint) -> Result<(), Disturbance> {
        match self.table.load(bucket).plain().with(fingerprint) {
            Some(added) => self.table.set(bucket, added),
            None => {
                let class = self.class_of(Hint {
                    bucket,
                    fingerprint,
                });
                self.insert_class(class).map_err(|_| Disturbance::NoRoom)?;
            }
        }
        Ok(())
    }

    /// Gives a class this many tokens.
    fn set_count(&mut self, class: Candidates, count: usize) -> Result<(), Disturbance> {
        let copies = self.count_class(class);
        (count..copies).for_each(|_| {
            self.remove_class(class);
        });
        (copies..count).try_for_each(|_| self.place(class.first, class.fingerprint))
    }

    fn class_of(&self, hint: Hint) -> Candidates {
        Candidates {
            first: hint.bucket,
            second: self.geometry.alternate(hint.bucket, hint.fingerprint),
            fingerprint: hint.fingerprint,
        }
    }

    /// The number of tokens. Exact if nobody writes.
    fn len(&self) -> usize {
        (0..self.table.len())
            .map(|bucket| self.peek(bucket).len())
            .sum()
    }
}
