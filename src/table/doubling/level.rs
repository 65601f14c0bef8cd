//! A level: its words, without the search for their block. Also both words of an item during a growth, where the sweep
//! has left them, at one level or the next.

use core::hint::select_unpredictable;

use super::block::Header;
use super::class::OfHead;
use super::word::Word;
use crate::allocate::Cells;
use crate::layout::prefix::{Depth, Head, Marks, TAIL_BITS};
use crate::layout::{Fingerprint, Sight};
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
    /// The level of `2^number` words.
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

    /// Prefetches the line of a bucket.
    #[inline]
    pub(crate) fn prefetch(self, bucket: usize) {
        if let Some(cell) = self.cell(bucket) {
            crate::table::word::prefetch(cell);
        }
    }
}

/// The cells of both words of an item in a growth, and how to judge them: at each side the child, if the sweep has
/// passed the bucket, else the bucket itself.
///
/// It is a guess, because inserts also split buckets ahead of the sweep. A plain word that is found there is the live
/// one. If a word is not plain, the guess may be wrong: [why](crate::design::doubling#a-growth).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swept<'a> {
    cells: [&'a AtomicU64; 2],
    /// The lanes of the item, without the mark.
    lanes: [u16; 2],
    marks: [&'a Marks; 2],
}

impl<'a> Swept<'a> {
    /// Of an item whose hash begins, without the last `shift` bits, with its place in the level below and the ten bits
    /// after that. Without a branch on the level, because it is unpredictable.
    ///
    /// # Safety
    ///
    /// `here` is the first word of a block of the level above that of `shift`, and its growth has begun. Blocks stay
    /// for `'a`.
    #[inline]
    #[allow(unsafe_code, reason = "lookups are faster for it")]
    pub(super) unsafe fn new(here: *mut AtomicU64, shift: u32, hash: u64) -> Self {
        // SAFETY: blocks have headers.
        let header = |words: *mut AtomicU64| -> &'a Header { unsafe { &*Cells::header_of(words) } };
        let sweep = &header(here).sweep;
        let (below, children) = (sweep.below(), sweep.children());
        let of_head = OfHead::of_hash(hash);
        let first = hash.wrapping_shr(shift);
        let place = first >> TAIL_BITS;
        let side = |place: u64| {
            let is_below = place < children;
            let words = select_unpredictable(is_below, below, here);
            let first = select_unpredictable(is_below, first, first >> 1);
            let place = select_unpredictable(is_below, place, place >> 1);
            // SAFETY: the places of an item have as many bits as the level, as in `Blocks::pair`: one less in the level
            // above.
            let cell = unsafe { &*words.wrapping_add(place as usize) };
            (cell, of_head.lane(first as u16), &header(words).marks)
        };
        let (a, lane_a, marks_a) = side(place);
        let (b, lane_b, marks_b) = side(place ^ of_head.offset(shift));
        Self {
            cells: [a, b],
            lanes: [lane_a, lane_b],
            marks: [marks_a, marks_b],
        }
    }

    /// Both words, by independent loads.
    #[inline]
    pub(crate) fn load(&self) -> (Word, Word) {
        (load(self.cells[0]), load(self.cells[1]))
    }

    /// Selects the stripe of the item.
    #[inline]
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        Head::of_lane(self.lanes[0]).fingerprint()
    }

    /// The answer of both words about the item. It is sure exactly if both [are plain](Word::are_plain).
    #[inline]
    pub(crate) fn look(&self, first: Word, second: Word) -> Sight {
        let ([a, b], [marks_a, marks_b]) = (self.lanes, self.marks);
        Marks::look_each([(marks_a, a), (marks_b, b)], [first.bits(), second.bits()])
    }

    /// Prefetches the lines of both.
    #[inline]
    pub(crate) fn prefetch(&self) {
        crate::table::word::prefetch(self.cells[0]);
        crate::table::word::prefetch(self.cells[1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Bucket;
    use crate::layout::prefix::Depth;
    use crate::table::doubling::{Blocks, Class, Lanes16, Region, Stage};
    use proptest::prelude::*;

    /// A content for each bucket.
    fn content(bucket: usize) -> Bucket<Lanes16> {
        Bucket::from_bits(1 << 60 | bucket as u64)
    }

    proptest! {
        /// Each word is where the sweep has left it, with the item's lane there.
        #[test]
        fn it_tells_where_the_words_are(hash: u64, level in 1u32..10, has_doubled: bool, cursor: prop::sample::Index) {
            let first = level - u32::from(has_doubled && level > 1);
            let whole = |place| Region::Whole(content(1 << level | place));
            let blocks = Blocks::with_regions(first, Stage::at_rest(level), whole).expect("memory");
            blocks.begin_to_grow(blocks.root()).expect("memory");
            for child in 2 << level..4 << level {
                blocks.exchange(child, Word::ABSENT, content(child));
            }
            let gone = cursor.index((1 << level) + 1);
            blocks.move_on(blocks.root(), 0..gone);
            let cursor = blocks.cursor(blocks.root());
            let growing = blocks.growing(blocks.root()).expect("it is growing");
            let swept = blocks.swept(growing, hash);
            let class = Class::of_hash(hash);
            let words = swept.load();
            for (side, (index, word)) in [(class.first, words.0), (class.second, words.1)].into_iter().enumerate() {
                let has_passed = index.bucket(level) - (1 << level) < cursor;
                let level = level + u32::from(has_passed);
                let is_first = level == first;
                prop_assert_eq!(word, Word::from(content(index.bucket(level))));
                prop_assert_eq!(swept.lanes[side], class.lane(level, Depth::First));
                prop_assert_eq!(swept.marks[side].is_full(0), is_first);
            }
            prop_assert_eq!(swept.fingerprint(), class.head.fingerprint());
        }
    }
}
