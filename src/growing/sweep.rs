//! The sweep: the progress of a growth in the level that it leaves, and the words that a thread
//! splits next.
//!
//! ```text
//! ... gone | gone, or taken by a thread that splits them | free ...
//!          cursor                                        taken
//! ```
//!
//! [`doubling`](crate::design::doubling#a-growth) has the reasons. A copy or a stored form has what
//! this comes to: a [`Stage`], and a [`Region`] for each bucket of its level.

use core::ops::Range;
use core::{iter, ptr};

use crate::growing::word::Lanes16;
use crate::kernel::layout::Bucket;
use crate::sync;
use crate::sync::{AtomicPtr, AtomicU64, Ordering};

/// A level has one growth. Words are counted from the first of the level on.
///
/// In a separate cache line: it is written often while the table grows, and lookups read its
/// neighbours.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Sweep {
    /// The first word of the level below; null before the growth begins.
    below: AtomicPtr<AtomicU64>,
    /// The cursor, as lookups need it: the number of words of the level below whose parents are
    /// gone, from the first on. Words split out of turn are not counted.
    children: AtomicU64,
    /// The first word that no thread has taken. The cursor does not pass it.
    taken: AtomicU64,
}

/// Number of words that one insert splits while the table grows, two cache lines. So a growth is
/// over after an insert for each 16 words. Where threads have stopped, others split a chunk again.
const CHUNK: usize = if sync::MODEL { 1 } else { 16 };

/// Maximum number of words of a chunk, if other inserts split too.
const MAX_CHUNK: usize = 4 * CHUNK;

/// Maximum number of taken words from the cursor on; more by the chunks that threads take at the
/// same moment. When a thread has stopped, others do its work, and one checks all these at once to
/// move the cursor on.
const MAX_TAKEN: usize = if sync::MODEL { 2 } else { 64 * MAX_CHUNK };

/// The number of words of a chunk, if `others` are being split, and as many are free as `left`.
///
/// A thread takes as many words as all others, because it writes the line of the sweep twice for a
/// chunk. If no other splits, it takes the fewest: what a call does depends only on [the calls
/// before it](crate::design#the-same-calls-the-same-bytes). The last chunks are small, so that no
/// thread works for long when there is nothing left for the others.
fn chunk_size(others: usize, left: usize) -> usize {
    let size = others.min(left / 8).clamp(CHUNK, MAX_CHUNK);
    size / CHUNK * CHUNK
}

impl Sweep {
    pub(crate) fn new() -> Self {
        Self {
            below: AtomicPtr::new(ptr::null_mut()),
            children: AtomicU64::new(0),
            taken: AtomicU64::new(0),
        }
    }

    /// Sets the position of the level below. All threads that do so set the same.
    pub(crate) fn lead_to(&self, below: *mut AtomicU64) {
        // Release: pairs with the Acquire in `below`; the block is there.
        self.below.store(below, Ordering::Release);
    }

    /// The first word of the level below; null before the growth begins.
    #[inline]
    pub(crate) fn below(&self) -> *mut AtomicU64 {
        // Acquire: pairs with the Release in `lead_to`.
        self.below.load(Ordering::Acquire)
    }

    /// The number of words of the level below whose parents are gone, from the first on.
    #[inline]
    pub(crate) fn children(&self) -> u64 {
        // Acquire: pairs with the exchange in `move_cursor`, after the splits of the parents.
        self.children.load(Ordering::Acquire)
    }

    /// The number of words of this level that are gone, from the first on.
    pub(crate) fn cursor(&self) -> usize {
        self.children() as usize / 2
    }

    /// Sets the number of words of this level that are gone, from the first on, with no further
    /// ones taken. Requires exclusive access to the table.
    pub(crate) fn stand_at(&self, cursor: usize) {
        // Relaxed: whatever follows is ordered by the handing over of the table.
        self.children.store(2 * cursor as u64, Ordering::Relaxed);
        self.taken.store(cursor as u64, Ordering::Relaxed);
    }

    /// A number that stays the same only if the growth stands still: words that are gone, and that
    /// were taken.
    pub(crate) fn progress(&self) -> usize {
        self.cursor() + self.taken()
    }

    fn taken(&self) -> usize {
        // Relaxed, here and where it is exchanged: nothing depends on it.
        self.taken.load(Ordering::Relaxed) as usize
    }

    /// The words that the caller splits, in a level of `words` words: some that no thread has
    /// taken. If there are none, or others are late, those at the cursor.
    pub(crate) fn next_chunk(&self, words: usize) -> Range<usize> {
        // Read how many are taken from the cursor on: all before it are gone.
        let cursor = self.cursor();
        let others = self.taken().saturating_sub(cursor);
        let left = words
            .min(cursor + MAX_TAKEN)
            .saturating_sub(cursor + others);
        if left > 0 {
            // Take the next ones. Add, because many threads do: an exchange that fails costs as
            // much as one that does not.
            let size = chunk_size(others, left);
            let from = self.taken.fetch_add(size as u64, Ordering::Relaxed) as usize;
            if from < words {
                return from..(from + size).min(words);
            }
        }
        // Split what others have taken, if nothing is free, or the thread at the cursor is late.
        // Any thread may split any word, so no thread waits for another.
        cursor..(cursor + CHUNK).min(words)
    }

    /// The words of a chunk are gone. If the cursor is there, moves it past them, and past those
    /// that others have split beyond them. Returns true if all words are gone.
    pub(crate) fn move_cursor(
        &self,
        chunk: Range<usize>,
        words: usize,
        is_gone: impl Fn(usize) -> bool,
    ) -> bool {
        // Leave the cursor to the thread whose chunk is there. It may be past the beginning: others
        // pass what is gone of a chunk. (If all words are gone, the chunk is empty.)
        let from = self.cursor();
        if from != chunk.start && !chunk.contains(&from) {
            return false;
        }
        // Pass what others have split beyond the chunk.
        let others = chunk.end..self.taken().min(words).min(from + MAX_TAKEN);
        let to = chunk.end + others.take_while(|&word| is_gone(word)).count();
        // Move the cursor. If that fails, another thread has moved it from there.
        // Release: pairs with the Acquire in `children`.
        let _ = self.children.compare_exchange(
            2 * from as u64,
            2 * to as u64,
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
        to == words
    }
}

/// The whole state of a table, except its words and its first level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stage {
    /// The level of the root.
    pub(crate) level: u32,
    /// While the table grows: this many buckets of the level are split, from the first on. Later
    /// ones may be.
    pub(crate) cursor: Option<usize>,
}

impl Stage {
    pub(crate) fn at_rest(level: u32) -> Self {
        let cursor = None;
        Self { level, cursor }
    }

    /// The level after a growth in progress.
    pub(crate) fn size(self) -> u32 {
        self.level + u32::from(self.cursor.is_some())
    }

    /// Whether the sweep has passed a bucket, by its place in the level.
    pub(crate) fn has_passed(self, place: usize) -> bool {
        self.cursor.is_some_and(|cursor| place < cursor)
    }
}

/// A bucket, or its children after a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    Whole(Bucket<Lanes16>),
    /// Its children.
    Split([Bucket<Lanes16>; 2]),
}

impl Region {
    /// The numbers of its buckets, and their contents.
    pub(crate) fn buckets(self, bucket: usize) -> impl Iterator<Item = (usize, Bucket<Lanes16>)> {
        let (first, second) = match self {
            Self::Whole(content) => ((bucket, content), None),
            Self::Split([first, second]) => {
                let child = bucket << 1;
                ((child, first), Some((child | 1, second)))
            }
        };
        iter::once(first).chain(second)
    }

    /// The number of tokens.
    pub(crate) fn len(self) -> usize {
        self.buckets(1).map(|(_, content)| content.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: usize = 1 << 12;

    /// A thread alone splits as many words for each of its calls, on any machine.
    #[test]
    fn chunks_of_one_thread_are_equal() {
        let sweep = Sweep::new();
        for number in 0..WORDS / CHUNK {
            let chunk = sweep.next_chunk(WORDS);
            assert_eq!(chunk, number * CHUNK..(number + 1) * CHUNK);
            let is_last = chunk.end == WORDS;
            assert_eq!(sweep.move_cursor(chunk, WORDS, |_| false), is_last);
        }
    }

    /// Chunks that threads take beside each other leave no word out, and end with small ones. Then
    /// there are only those at the cursor.
    #[test]
    fn chunks_of_several_threads_follow_each_other() {
        for words in [CHUNK, 9 * CHUNK, MAX_TAKEN, 4 * MAX_TAKEN] {
            let sweep = Sweep::new();
            let (mut end, mut sizes) = (0, Vec::new());
            while end < words.min(MAX_TAKEN) {
                let chunk = sweep.next_chunk(words);
                assert_eq!(chunk.start, end);
                end = chunk.end;
                sizes.push(chunk.len());
            }
            assert_eq!(end, words.min(MAX_TAKEN));
            assert_eq!(sizes.last(), Some(&CHUNK));
            let largest = sizes.iter().max();
            assert!(words < MAX_TAKEN || largest == Some(&MAX_CHUNK));
            assert_eq!(sweep.next_chunk(words), 0..CHUNK);
        }
    }

    /// The cursor stops within a chunk that is split in part. The thread that has taken that one
    /// moves the cursor on.
    #[test]
    fn the_cursor_passes_a_chunk_in_parts() {
        let sweep = Sweep::new();
        let [a, b] = [(); 2].map(|()| sweep.next_chunk(WORDS));
        let middle = b.start + b.len() / 2;
        assert!(!sweep.move_cursor(a, WORDS, |word| word < middle));
        assert_eq!(sweep.cursor(), middle);
        assert!(!sweep.move_cursor(b.clone(), WORDS, |_| true));
        assert_eq!(sweep.cursor(), b.end);
    }
}
