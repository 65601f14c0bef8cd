//! Opening: how content gets into a word that reads as an empty bucket because nobody has written to it yet.

use super::parts::{Bucket, Doubling};
use crate::table::doubling::Word;

/// Replaces the content of a bucket. Returns false if the word has changed.
#[inline]
pub(super) fn replace(
    tokens: &Doubling,
    bucket: usize,
    current: Bucket,
    new: impl Into<Word>,
) -> bool {
    let new = new.into();
    tokens.blocks.exchange(bucket, current, new) || replace_vacant(tokens, bucket, current, new)
}

/// The same if it reads as an empty bucket, and is none.
#[inline]
pub(super) fn replace_vacant(
    tokens: &Doubling,
    bucket: usize,
    current: Bucket,
    new: impl Into<Word>,
) -> bool {
    current == Bucket::EMPTY && open(tokens, bucket, new.into())
}

#[cold]
fn open(tokens: &Doubling, bucket: usize, new: Word) -> bool {
    // Pinned before it looks: if the level is left afterwards, its memory is not given back before this is over. Until then
    // the word is split, and the exchange fails.
    let _guard = crossbeam_epoch::pin();
    tokens.blocks.is_lazy(bucket) && tokens.blocks.exchange(bucket, Word::ABSENT, new)
}
