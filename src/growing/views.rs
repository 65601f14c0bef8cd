//! What a caller sees of the words.
//!
//! | view | words | who uses it |
//! |---|---|---|
//! | [`Level`] | all of one level, by number | writers that know the level, searches |
//! | [`LevelPair`] | both of an item, at one level | the fast paths, in all but a growth |
//! | [`MidGrowthPair`] | both of an item, each where the cursor says | lookups in a growth |
//!
//! The pairs find their words from the root by the hash, without the list of levels.

use core::hint::select_unpredictable;

use crate::allocate::Cells;
use crate::growing::item::{OfHead, SHIFT_OF_LEVEL_0};
use crate::growing::lane::{Depth, Head, Marks, TAIL_BITS};
use crate::growing::memory::Header;
use crate::growing::word::{GrowingWord, Lanes16};
use crate::kernel::layout::{Bucket, Fingerprint, Probe};
use crate::sync;
use crate::sync::{AtomicU64, Ordering};

/// The word of a cell.
#[inline]
pub(crate) fn load(cell: &AtomicU64) -> GrowingWord {
    // SeqCst, as every access to a word: see `Table::load`.
    GrowingWord::from_bits(cell.load(Ordering::SeqCst))
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
    pub(crate) fn new(words: &'a [AtomicU64], number: u32, depth: Depth) -> Self {
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
    pub(crate) fn load(self, bucket: usize) -> GrowingWord {
        self.cell(bucket).map_or(GrowingWord::ABSENT, load)
    }

    /// Replaces `current` by `new`. Returns false if the word has changed.
    #[inline]
    pub(crate) fn exchange(
        self,
        bucket: usize,
        current: impl Into<GrowingWord>,
        new: impl Into<GrowingWord>,
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

    /// Loads a word after the thread has frozen another: see `Table::load_crosswise`.
    #[inline]
    pub(crate) fn load_crosswise(self, bucket: usize) -> GrowingWord {
        let load = |cell: &AtomicU64| {
            // SeqCst: see there.
            GrowingWord::from_bits(sync::load_crosswise(cell, Ordering::SeqCst))
        };
        self.cell(bucket).map_or(GrowingWord::ABSENT, load)
    }

    /// Prefetches the line of a bucket.
    #[inline]
    pub(crate) fn prefetch(self, bucket: usize) {
        if let Some(cell) = self.cell(bucket) {
            crate::kernel::word::prefetch(cell);
        }
    }

    /// Prefetches the line of a bucket that will be written.
    #[inline]
    pub(crate) fn prefetch_to_write(self, bucket: usize) {
        if let Some(cell) = self.cell(bucket) {
            crate::kernel::word::prefetch_to_write(cell);
        }
    }
}

/// The cells of both words of an item, and how to judge them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LevelPair<'a> {
    first: &'a AtomicU64,
    second: &'a AtomicU64,
    /// The lane of the item, without the mark.
    lane: u16,
    of_head: &'static OfHead,
    header: &'a Header,
}

impl<'a> LevelPair<'a> {
    /// Of an item whose lane, without the mark, is this one in both.
    #[inline]
    pub(crate) fn new(
        [first, second]: [&'a AtomicU64; 2],
        lane: u16,
        of_head: &'static OfHead,
        header: &'a Header,
    ) -> Self {
        Self {
            first,
            second,
            lane,
            of_head,
            header,
        }
    }

    /// Both words, by independent loads.
    #[inline]
    pub(crate) fn load(&self) -> (GrowingWord, GrowingWord) {
        (load(self.first), load(self.second))
    }

    /// The lane of a new token of the item.
    #[inline]
    pub(crate) fn full_lane(&self) -> u16 {
        self.header.marks.full(self.lane)
    }

    /// Selects the stripe of the item.
    #[inline]
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.of_head.fingerprint()
    }

    /// The lanes of two words that cover the item: see [`Depth::covering`].
    #[inline]
    pub(crate) fn covering(&self, first: GrowingWord, second: GrowingWord) -> u32 {
        let (first, second) = (first.bits(), second.bits());
        self.header.marks.covering(self.lane, first, second)
    }

    /// The answer of both words about the item. It is sure exactly if both
    /// [are buckets](GrowingWord::surely_buckets).
    #[inline]
    pub(crate) fn probe(&self, first: GrowingWord, second: GrowingWord) -> Probe {
        let (first, second) = (first.bits(), second.bits());
        self.header.marks.probe(self.lane, first, second)
    }

    /// Whether a lane of one of the two is as long as a new one.
    #[inline]
    pub(crate) fn is_full(&self, lane: u16) -> bool {
        self.header.marks.is_full(lane)
    }

    /// Lanes of the one word whose prefixes are nested with that of a lane of the other one: see
    /// [`nested`](crate::growing::lane::Marks::nested).
    #[inline]
    pub(crate) fn nested(&self, lane: u16, other: GrowingWord) -> u32 {
        self.header.marks.nested(lane, other.bits())
    }

    /// Prefetches the lines of both.
    #[inline]
    pub(crate) fn prefetch(&self) {
        crate::kernel::word::prefetch(self.first);
        crate::kernel::word::prefetch(self.second);
    }

    /// Replaces the content of one of the two. Returns false if the word has changed.
    #[inline]
    pub(crate) fn exchange(
        &self,
        in_first: bool,
        current: Bucket<Lanes16>,
        new: Bucket<Lanes16>,
    ) -> bool {
        let cell = select_unpredictable(in_first, self.first, self.second);
        let (current, new) = (
            GrowingWord::from(current).bits(),
            GrowingWord::from(new).bits(),
        );
        // SeqCst: see `Table::exchange`.
        cell.compare_exchange(current, new, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }
}

/// The cells of both words of an item in a growth, and how to judge them: at each side the child,
/// if the sweep has passed the bucket, else the bucket itself.
///
/// It is a guess, because inserts also split buckets ahead of the sweep. A plain word that is found
/// there is the live one. If a word is not plain, the guess may be wrong:
/// [why](crate::design::doubling#a-growth).
#[derive(Clone, Copy, Debug)]
pub(crate) struct MidGrowthPair<'a> {
    cells: [&'a AtomicU64; 2],
    /// The lanes of the item, without the mark.
    lanes: [u16; 2],
    marks: [&'a Marks; 2],
}

impl<'a> MidGrowthPair<'a> {
    /// Finds the words of an item: `hash >> shift` is its place in the level below, followed by ten
    /// tail bits. Branch-free, because whether the sweep has passed a bucket cannot be predicted.
    ///
    /// # Safety
    ///
    /// `here` is the first word of a block of the level above that of `shift`. Its growth has
    /// begun: `Sweep::lead_to` has its effect. Both blocks stay for `'a`.
    #[inline]
    #[allow(unsafe_code, reason = "lookups are faster for it")]
    pub(crate) unsafe fn new(here: *mut AtomicU64, shift: u32, hash: u64) -> Self {
        // SAFETY: `header` is called with the first word of two blocks, `here` and the one that the
        // sweep of `here` leads to. Both have a header in front of their words, and stay.
        let header = |words: *mut AtomicU64| -> &'a Header { unsafe { &*Cells::header_of(words) } };
        let sweep = &header(here).sweep;
        let (below, children) = (sweep.below(), sweep.children());
        let of_head = OfHead::of_hash(hash);
        let first = hash.wrapping_shr(shift);
        let place = first >> TAIL_BITS;
        let side = |place: u64| {
            debug_assert!(place < 1 << (SHIFT_OF_LEVEL_0 - shift % u64::BITS));
            let is_below = place < children;
            let words = select_unpredictable(is_below, below, here);
            let first = select_unpredictable(is_below, first, first >> 1);
            let place = select_unpredictable(is_below, place, place >> 1);
            // SAFETY: a block has all words of its level. The places of an item have as many bits
            // as the level below, as in `Levels::pair`, and one less in the level above.
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
    pub(crate) fn load(&self) -> (GrowingWord, GrowingWord) {
        (load(self.cells[0]), load(self.cells[1]))
    }

    /// Selects the stripe of the item.
    #[inline]
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        Head::of_lane(self.lanes[0]).fingerprint()
    }

    /// The answer of both words about the item. It is sure exactly if both
    /// [are buckets](GrowingWord::surely_buckets).
    #[inline]
    pub(crate) fn probe(&self, first: GrowingWord, second: GrowingWord) -> Probe {
        let ([a, b], [marks_a, marks_b]) = (self.lanes, self.marks);
        Marks::probe_each([(marks_a, a), (marks_b, b)], [first.bits(), second.bits()])
    }

    /// Prefetches the lines of both.
    #[inline]
    pub(crate) fn prefetch(&self) {
        crate::kernel::word::prefetch(self.cells[0]);
        crate::kernel::word::prefetch(self.cells[1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::growing::item::GrowingClass;
    use crate::growing::levels::Levels;
    use crate::growing::sweep::{Region, Stage};
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
            let levels = Levels::with_regions(first, Stage::at_rest(level), whole).expect("memory");
            levels.open_next_level(levels.root()).expect("memory");
            for child in 2 << level..4 << level {
                levels.exchange(child, GrowingWord::ABSENT, content(child));
            }
            let gone = cursor.index((1 << level) + 1);
            levels.move_cursor(levels.root(), 0..gone);
            let cursor = levels.cursor(levels.root());
            let growing = levels.growing(levels.root()).expect("it is growing");
            let pair = levels.mid_growth_pair(growing, hash);
            let class = GrowingClass::of_hash(hash);
            let words = pair.load();
            for (side, (index, word)) in [(class.first, words.0), (class.second, words.1)].into_iter().enumerate() {
                let has_passed = index.bucket(level) - (1 << level) < cursor;
                let level = level + u32::from(has_passed);
                let is_first = level == first;
                prop_assert_eq!(word, GrowingWord::from(content(index.bucket(level))));
                prop_assert_eq!(pair.lanes[side], class.lane(level, Depth::First));
                prop_assert_eq!(pair.marks[side].is_full(0), is_first);
            }
            prop_assert_eq!(pair.fingerprint(), class.head.fingerprint());
        }
    }
}
