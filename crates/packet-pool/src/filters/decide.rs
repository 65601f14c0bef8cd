//! How a batch is decided: what a worker asks the filters, whichever way they forget.

use super::answer::{Answer, Scratch};
use lockfree_cuckoo::{Hashed, InsertError, RandomState};
use std::hash::BuildHasher;

/// The filters that a batch is judged by.
pub(crate) trait Filters: Send + Sync {
    /// Readies them for a batch of this period, which the caller has taken up. Waits for nobody.
    fn begin(&self, period: u64);

    /// The number of the generation that takes keys: how many there were before it.
    fn generation(&self) -> u64;

    /// One hash serves for all filters.
    fn hasher(&self) -> &RandomState;

    /// Answers one key.
    fn answer(&self, hash: u64, refusal: &mut Option<InsertError>) -> Answer;

    /// Answers the keys of a batch, one call after the other. The hashes are there.
    fn answer_each(&self, scratch: &mut Scratch) {
        let Scratch {
            hashes,
            answers,
            refusal,
            ..
        } = scratch;
        answers.clear();
        answers.extend(hashes.iter().map(|&hash| self.answer(hash, refusal)));
    }

    /// The same in the order of memory accesses that is best for a batch.
    fn answer_batch(&self, scratch: &mut Scratch);

    /// The filters, for the measures and the exact check. The one that takes keys is the first.
    fn filters(&self) -> Vec<&dyn Hashed>;
}

/// A way to judge a batch: reads the keys, and gives each an answer.
pub(crate) type Decide = dyn Fn(&dyn Filters, &mut Scratch) + Sync;

/// What the program does.
pub(crate) fn in_batches(filters: &dyn Filters, scratch: &mut Scratch) {
    hash(filters, scratch);
    filters.answer_batch(scratch);
}

/// The same by single calls, to measure against.
pub(crate) fn one_by_one(filters: &dyn Filters, scratch: &mut Scratch) {
    hash(filters, scratch);
    filters.answer_each(scratch);
}

fn hash(filters: &dyn Filters, scratch: &mut Scratch) {
    let hasher = filters.hasher();
    scratch.hashes.clear();
    let hashes = scratch.keys.iter().map(|key| hasher.hash_one(key));
    scratch.hashes.extend(hashes);
}
