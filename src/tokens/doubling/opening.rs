//! Opening: how content gets into a word that reads as an empty bucket, and is none: a closed one, or one that nobody has
//! written to yet.

use super::parts::{Bucket, Doubling};
use crate::table::doubling::{State, Word};

/// Replaces the content of a bucket. Returns false if the word has changed, or takes no tokens any more.
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
    let word = tokens.blocks.load(bucket);
    match word.state() {
        // Opened after the load, so the attempt that closed the word is over. The next one closes the word anew, and then
        // this exchange fails.
        State::Closed(_) => tokens.gate.open() && tokens.blocks.exchange(bucket, word, new),
        State::Absent => {
            // Pinned before it looks: if the level is left afterwards, or the table sealed, its memory is not given back before
            // this is over. Until then the word is split or closed, and the exchange fails.
            let _guard = crossbeam_epoch::pin();
            tokens.blocks.is_lazy(bucket)
                && !tokens.gate.is_sealed()
                && tokens.blocks.exchange(bucket, word, new)
        }
        _ => false,
    }
}
