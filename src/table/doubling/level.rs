//! A level: its words, without the search for their block.

use super::word::Word;
use crate::layout::prefix::Depth;
use crate::sync::{AtomicU64, Ordering};

/// The word of a cell.
#[inline]
pub(super) fn load(cell: &AtomicU64) -> Word {
    // SeqCst, as every access to a word: see `Table::load`.
    Word::from_bits(cell.load(Ordering::SeqCst))
}

/// The words of one level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level<'a> {
    words: &'a [AtomicU64],
    number: u32,
    depth: Depth,
}

impl<'a> Level<'a> {
    /// Of `2^number` words.
    #[inline]
    pub(super) fn new(words: &'a [AtomicU64], number: u32, depth: Depth) -> Self {
        Self {
            words,
            number,
            depth,
        }
    }

    #[inline]
    pub(crate) fn number(self) -> u32 {
        self.number
    }

    #[inline]
    pub(crate) fn depth(self) -> Depth {
        self.depth
    }

    /// The cell of a bucket, if it is of this level.
    #[inline]
    fn cell(self, bucket: usize) -> Option<&'a AtomicU64> {
        self.words.get(bucket.wrapping_sub(1 << self.number))
    }

    /// A word; absent if it is of another level.
    #[inline]
    pub(crate) fn load(self, bucket: usize) -> Word {
        self.cell(bucket).map_or(Word::ABSENT, load)
    }

    /// Replaces `current` by `new`. Returns false if the word has changed.
    #[inline]
    pub(crate) fn exchange(
        self,
        bucket: usize,
        current: impl Into<Word>,
        new: impl Into<Word>,
    ) -> bool {
        let (current, new) = (current.into().bits(), new.into().bits());
        // SeqCst: see `Table::exchange`.
        let exchange = |cell: &AtomicU64| {
            cell.compare_exchange(current, new, Ordering::SeqCst, Ordering::SeqCst)
        };
        self.cell(bucket)
            .map(exchange)
            .is_some_and(|result| result.is_ok())
    }

    /// Reads the word in its modification order: see `Table::read_latest`.
    #[inline]
    pub(crate) fn read_latest(self, bucket: usize) -> Word {
        let read = |cell: &AtomicU64| Word::from_bits(cell.fetch_or(0, Ordering::SeqCst));
        self.cell(bucket).map_or(Word::ABSENT, read)
    }

    /// Asks for the line of a bucket.
    #[inline]
    pub(crate) fn prefetch(self, bucket: usize) {
        if let Some(cell) = self.cell(bucket) {
            crate::table::prefetch::prefetch(cell);
        }
    }
}
