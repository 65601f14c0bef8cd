//! What the filter is asked about a batch, and what its answers mean.

use super::generation::{Full, Generation};
use crate::keys::Key;
use lockfree_cuckoo::InsertError;

/// What the filters know of one packet's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// In neither filter, and this packet put it into the young one.
    New,
    /// In the young filter already.
    Known,
    /// In the old filter, and this packet put it into the young one.
    Refreshed,
    /// In neither filter, and the young one is full.
    Refused,
    /// In the old filter, and the young one is full, so it will be forgotten.
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
    hashes: Vec<u64>,
    in_young: Vec<bool>,
    /// The places of the keys that are not in the young filter.
    rest: Vec<usize>,
    in_old: Vec<bool>,
}

/// A way to judge a batch: reads the keys, and gives each an answer.
pub(crate) type Decide = dyn Fn(&Generation, &mut Scratch) + Sync;

/// Looks a whole batch up first and inserts the keys that are left: most packets
/// belong to known flows, and the batched lookups prefetch what the inserts of
/// the others will need.
pub(crate) fn in_batches(generation: &Generation, scratch: &mut Scratch) {
    let Scratch {
        keys,
        answers,
        hashes,
        in_young,
        rest,
        in_old,
        ..
    } = scratch;
    hashes.clear();
    hashes.extend(keys.iter().map(|key| generation.hash_one(key)));
    in_young.resize(keys.len(), false);
    generation.are_young(hashes, in_young);
    answers.clear();
    answers.resize(keys.len(), Answer::Known);
    rest.clear();
    rest.extend((0..keys.len()).filter(|&place| !in_young[place]));

    // From here on only what is left.
    let kept = rest.len();
    for (to, &from) in rest.iter().enumerate() {
        hashes[to] = hashes[from];
    }
    hashes.truncate(kept);
    in_old.resize(kept, false);
    generation.are_old(hashes, in_old);
    for ((&place, &hash), &in_old) in rest.iter().zip(&*hashes).zip(&*in_old) {
        // Whatever the lookups said: of all who come here with one key, in this
        // batch and in others at the same time, one is told true.
        let inserted = generation.insert(hash);
        answers[place] = answer(inserted, in_old, &mut scratch.refusal);
    }
}

/// The same by single calls, to measure against.
pub(crate) fn one_by_one(generation: &Generation, scratch: &mut Scratch) {
    let Scratch {
        keys,
        answers,
        refusal,
        ..
    } = scratch;
    answers.clear();
    answers.extend(keys.iter().map(|key| {
        let hash = generation.hash_one(key);
        match generation.insert(hash) {
            Ok(false) => Answer::Known,
            inserted => answer(inserted, generation.is_old(hash), refusal),
        }
    }));
}

fn answer(inserted: Result<bool, Full>, in_old: bool, refusal: &mut Option<InsertError>) -> Answer {
    match (inserted, in_old) {
        (Ok(true), false) => Answer::New,
        (Ok(true), true) => Answer::Refreshed,
        (Ok(false), _) => Answer::Known,
        (Err(Full(error)), in_old) => {
            *refusal = error.or(refusal.take());
            if in_old {
                Answer::Unrefreshed
            } else {
                Answer::Refused
            }
        }
    }
}
