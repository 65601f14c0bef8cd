//! What the exact models find.

use crate::keys::Key;

/// What a rotation costs while batches of several periods are in work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Price {
    /// Keys told new in two periods that follow each other, each by its own filters.
    Twice(u64),
    /// Batches judged when the filter had rotated for a later period.
    Late(u64),
}

impl Default for Price {
    fn default() -> Self {
        Self::Twice(0)
    }
}

/// How the answers compare with the exact sets.
#[derive(Default)]
pub(crate) struct Findings {
    /// Packets that the workers wrote down.
    pub(crate) packets: u64,
    /// Periods with packets.
    pub(crate) periods: u64,
    /// Batches that were judged in a generation in which they could not be.
    pub(crate) astray: u64,
    /// Lives that keys began: keys that no packet before can have made known.
    pub(crate) distinct: u64,
    /// Those of them that are TCP, UDP, ICMP and other flows.
    pub(crate) kinds: [u64; 4],
    /// Those of them that were told new.
    pub(crate) firsts: u64,
    /// Those that were answered "known" instead.
    pub(crate) false_positives: u64,
    /// How many of those to expect.
    pub(crate) expected: f64,
    /// Those that were refused.
    pub(crate) refused: u64,
    /// What the rotations cost.
    pub(crate) price: Price,
    /// Answers more than one that claim to have begun one life, or to have put a key into one filter.
    pub(crate) twice: u64,
    /// Known keys that were told new, or refused as unknown.
    pub(crate) forgotten: u64,
    /// The keys that are surely in the last filters.
    pub(crate) last: Vec<Key>,
    /// How many keys the filter that takes them can count at the end: at least, and at most.
    pub(crate) held: (u64, u64),
}

impl Findings {
    /// Notes the life that a key begins.
    pub(super) fn begin(&mut self, key: &Key) {
        self.distinct += 1;
        self.kinds[key.kind()] += 1;
    }
}
