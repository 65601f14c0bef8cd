//! What the filters answer to the keys of a batch, and the memory for it.

use crate::keys::Key;
use lockfree_cuckoo::InsertError;

/// What the filters know of one packet's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// In no filter, and this packet put it into the young one.
    New,
    /// In a filter already, and in the young one now.
    Known,
    /// In the old filter, and this packet put it into the young one. Generations in a list tell this; a filter that
    /// rotates answers [`Known`](Self::Known).
    Refreshed,
    /// In no filter, and the young one is full.
    Refused,
    /// In a filter already, but the young one is full and may not have it: then it will be forgotten too early.
    Unrefreshed,
}

/// A worker's own memory, used for every batch anew.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The places in the batch of the packets that have no key.
    pub(crate) without_key: Vec<usize>,
    /// The keys of the others, and what came of them.
    pub(crate) keys: Vec<Key>,
    pub(crate) answers: Vec<Answer>,
    /// Why the filter refused a key, the last time that it did.
    pub(crate) refusal: Option<InsertError>,
    /// The hashes of the keys.
    pub(super) hashes: Vec<u64>,
    pub(super) in_young: Vec<bool>,
    /// The places of the keys that are not in the young filter.
    pub(super) rest: Vec<usize>,
    pub(super) in_old: Vec<bool>,
    pub(super) new: Vec<bool>,
}
