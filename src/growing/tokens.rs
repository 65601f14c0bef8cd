//! The tokens of a table that doubles: what its words hold, for a reader that writes nothing, and
//! the exchange that changes one.
//!
//! A word never written reads as an empty bucket, at the first level of a table that was made so,
//! while the root is there. [`replace`](GrowingTokens::replace) puts content into it too.

use alloc::vec;
use alloc::vec::Vec;
use core::hint::select_unpredictable;
use core::ops::Range;

use crate::allocate::Shared;
use crate::error::OutOfMemory;
use crate::growing::item::{GrowingClass, Index, Prefix, child, level_of};
use crate::growing::lane::{Depth, HEAD_BITS, HEADS, Head};
use crate::growing::levels::{Levels, Root};
use crate::growing::memory::pin;
use crate::growing::sweep::{Region, Stage};
use crate::growing::word::{GrowingWord, Lanes16, WordState};
use crate::kernel::change::Words;
use crate::kernel::descriptor::Resolved;
use crate::kernel::hints::{Hint, Hints};
use crate::kernel::layout;
use crate::kernel::pool::{Pool, PoolSize};
use crate::kernel::stripes::{MODEL_STRIPES, Stripes};
use crate::kernel::word::Reference;
use crate::sync;
use crate::sync::Event;

pub(crate) type Bucket = layout::Bucket<Lanes16>;
pub(crate) type Token = layout::Token<Lanes16>;

/// One for each head, at every size: a constant, which lookups need not load. In 2 KiB they have as
/// many cache lines as 16 processors need in a full table; twice as many would hardly help, because
/// [one head](crate::growing::lane::HEADS_AGREE) is twice as frequent as each other.
const STRIPES: usize = if sync::MODEL { MODEL_STRIPES } else { HEADS };

/// A multiset of tokens, spread over the words of a table that doubles.
///
/// A token stands for a prefix of the index bits of its item. All tokens that cover an item are in
/// its two buckets.
#[derive(Debug)]
pub(crate) struct GrowingTokens {
    /// Shared with calls that are deferred.
    pub(crate) levels: Shared<Levels>,
    pub(crate) stripes: Stripes<STRIPES>,
    pub(crate) pool: Pool<Lanes16>,
    pub(crate) hints: Hints<Lanes16>,
    /// Maximum number of buckets that one path search examines.
    pub(crate) search_budget: usize,
}

/// A bucket that was the live one on an index string, and its content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Live {
    pub(crate) bucket: usize,
    pub(crate) depth: Depth,
    pub(crate) content: Bucket,
}

impl Live {
    #[inline]
    pub(crate) fn level(&self) -> u32 {
        level_of(self.bucket)
    }

    /// Whether it has a token that covers an item.
    #[inline]
    pub(crate) fn covers(&self, class: GrowingClass) -> bool {
        let wanted = class.lane(self.level(), self.depth);
        self.depth.covering(wanted, self.content.bits(), 0) != 0
    }

    /// The prefixes of its tokens, from the top slot down.
    pub(crate) fn prefixes(self) -> impl Iterator<Item = (Token, Prefix)> {
        let tokens = self.content.tokens();
        tokens.map(move |token| (token, prefix(self.bucket, token, self.depth)))
    }
}

/// The prefix of a token in a bucket.
pub(crate) fn prefix(bucket: usize, token: Token, depth: Depth) -> Prefix {
    Prefix::of(bucket, token.bits() as u16, depth)
}

/// How it is made, and its size.
impl GrowingTokens {
    /// Makes it of unshared blocks.
    pub(crate) fn with_levels(levels: Levels, search_budget: usize) -> Result<Self, OutOfMemory> {
        let level = levels.root().level();
        Ok(Self {
            levels: Shared::new(levels)?,
            stripes: Stripes::new(1 << level, HEAD_BITS)?,
            pool: Pool::new(descriptors_for(level))?,
            hints: Hints::new()?,
            search_budget,
        })
    }

    /// These tokens with another number of descriptors. For tests.
    pub(crate) fn with_descriptors(self, size: PoolSize) -> Result<Self, OutOfMemory> {
        let pool = Pool::new(size)?;
        Ok(Self { pool, ..self })
    }

    /// The heap bytes of a table that is yet to be built.
    pub(crate) fn bytes_for(first: u32) -> usize {
        let rest = Stripes::<STRIPES>::bytes_for(1 << first, HEAD_BITS)
            + descriptors_for(first).bytes()
            + Hints::<Lanes16>::BYTES;
        Shared::<Levels>::BYTES + Levels::bytes_for(first) + rest
    }

    /// The heap bytes that the next doubling takes, to this level.
    pub(crate) fn bytes_to_grow(&self, level: u32) -> usize {
        self.levels.bytes_to_open(level) + self.pool.bytes_to_grow(1 << level)
    }

    /// A closure that calls `what` with the levels, unless the filter has been dropped by then.
    pub(crate) fn later<F: FnOnce(&Levels)>(&self, what: F) -> impl FnOnce() + use<F> {
        let levels = self.levels.later();
        move || {
            if let Some(levels) = levels.get() {
                what(&levels);
            }
        }
    }

    /// The heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let rest = self.stripes.bytes() + self.pool.bytes() + self.hints.bytes();
        Shared::<Levels>::BYTES + self.levels.bytes() + rest
    }

    /// Where its parts are in memory. The words are in a block for each level.
    pub(crate) fn places(&self) -> Vec<(&'static str, Range<usize>)> {
        vec![
            ("stripes", self.stripes.place()),
            ("descriptors", self.pool.place()),
            ("hints", self.hints.place()),
        ]
    }

    pub(crate) fn search_budget(&self) -> usize {
        self.search_budget
    }
}

/// Its levels, and how far it has come.
impl GrowingTokens {
    /// The present root of the table.
    #[inline]
    pub(crate) fn root(&self) -> Root {
        self.levels.root()
    }

    /// The level that lookups begin with.
    pub(crate) fn level(&self) -> u32 {
        self.levels.root().level()
    }

    /// Whether words of the level of a root are being split.
    #[inline]
    pub(crate) fn is_growing(&self, root: Root) -> bool {
        self.levels.growing(root).is_some()
    }

    /// Whether a table was added after this one.
    pub(crate) fn has_successor(&self) -> bool {
        self.levels.has_successor(self.root())
    }

    /// Records that a table follows this one, which has its last level.
    pub(crate) fn set_successor(&self) {
        self.levels.set_successor();
    }

    /// The level at which it began.
    pub(crate) fn first(&self) -> u32 {
        self.levels.first()
    }

    /// Whether it can double once more.
    pub(crate) fn can_grow(&self) -> bool {
        self.level() < self.levels.last()
    }

    /// The deepest level that it can have.
    pub(crate) fn last(&self) -> u32 {
        self.levels.last()
    }

    /// The progress of the growth of the root's level. It stays the same only if the growth stands
    /// still.
    pub(crate) fn progress(&self) -> (u32, usize) {
        let root = self.root();
        (root.level(), self.levels.progress(root))
    }

    /// The share of the buckets that are split, while the table is growing. For tests.
    #[cfg(any(test, feature = "_testing"))]
    pub(crate) fn doubled(&self) -> Option<f64> {
        let root = self.root();
        let buckets = 1u64 << root.level();
        self.is_growing(root)
            .then(|| self.levels.cursor(root) as f64 / buckets as f64)
    }

    /// How far it has come.
    pub(crate) fn stage(&self) -> Stage {
        self.levels.stage()
    }

    /// The region of a bucket, by its place in an earlier level. None if it has been split more
    /// than once.
    pub(crate) fn region_at(&self, level: u32, place: usize) -> Option<Region> {
        self.region(1 << level | place, Self::peek)
    }
}

/// Signals, and what the words hold.
impl GrowingTokens {
    /// The number of bumps so far. Two readings are equal only if there was none between them.
    pub(crate) fn announcements(&self) -> u64 {
        self.stripes.bumps()
    }

    /// The meaning of a word for a reader. An absent one is an empty bucket if no thread has
    /// written to it yet.
    #[inline]
    pub(crate) fn state(&self, bucket: usize, word: GrowingWord) -> WordState {
        match word.state() {
            WordState::Absent if self.levels.is_lazy(bucket) => WordState::Bucket(Bucket::EMPTY),
            state => state,
        }
    }

    /// Whether a word refers to a descriptor.
    pub(crate) fn is_frozen(&self, bucket: usize) -> bool {
        matches!(self.levels.load(bucket).state(), WordState::Reference(_))
    }

    /// Prefetches the stripe of a token that is about to hop.
    #[inline]
    pub(crate) fn prefetch_stripe(&self, head: Head) {
        self.stripes.prefetch_to_write(head.fingerprint());
    }

    /// Tells lookups and a running scan that tokens of a head are about to change places.
    pub(crate) fn announce(&self, bucket: usize, head: Head) {
        let fingerprint = head.fingerprint();
        if self.stripes.bump(fingerprint) {
            sync::trace(Event::Hint);
            self.hints.note(Hint {
                bucket,
                fingerprint,
            });
        }
    }

    /// A live bucket with this content.
    #[inline]
    pub(crate) fn live_bucket(&self, bucket: usize, content: Bucket) -> Live {
        Live {
            bucket,
            depth: self.levels.depth(level_of(bucket)),
            content,
        }
    }

    /// Reads the buckets on an index string by `of`, from the level of the root down, until it has
    /// an answer.
    #[inline]
    pub(crate) fn descend<R>(&self, index: Index, mut of: impl FnMut(usize) -> Step<R>) -> R {
        loop {
            let mut level = self.levels.root().level();
            loop {
                match of(index.bucket(level)) {
                    Step::Here(answer) => return answer,
                    // Split: its children were there before it was gone.
                    Step::Down => level += 1,
                    // Its memory was given back, after the root had moved on.
                    Step::Again => break,
                }
            }
        }
    }

    /// The logical content of a word at some moment during the call, if it is a bucket. Writes
    /// nothing.
    pub(crate) fn peek(&self, bucket: usize) -> Option<Bucket> {
        loop {
            match self.state(bucket, self.levels.load(bucket)) {
                WordState::Absent | WordState::Gone => return None,
                WordState::Bucket(content) => return Some(content),
                WordState::Reference(reference) => match self.pool.resolve(bucket, reference) {
                    Resolved::Stale => {}
                    Resolved::Settled(content) => return Some(content),
                    Resolved::Pending(pending) => return Some(pending.old),
                },
            }
        }
    }

    /// As [`peek`](Self::peek), but the empty bucket for one that is not there.
    #[inline]
    pub(crate) fn look(&self, bucket: usize) -> Bucket {
        self.peek(bucket).unwrap_or(Bucket::EMPTY)
    }

    /// The content of a bucket or, if it is yet to come, what splits will leave to it. The empty
    /// bucket for one that is gone. It must not be deeper than tails last.
    #[cold]
    pub(crate) fn foreseen(&self, bucket: usize) -> Bucket {
        let deepest = level_of(bucket);
        // Go down to the first word on the way that is not split.
        let mut levels = self.level()..=deepest;
        let found = levels.find_map(|level| Some((level, self.peek(bucket >> (deepest - level))?)));
        let Some((found, content)) = found else {
            return Bucket::EMPTY;
        };
        // Follow its tokens further down, as the splits will.
        (found..deepest).fold(content, |content, level| {
            let parent = bucket >> (deepest - level);
            let child = bucket >> (deepest - level - 1);
            children(parent, content, self.levels.depth(level))[child & 1]
        })
    }

    /// The region of a bucket that was there once, with `content` to read words. None if it has
    /// been split more than once.
    pub(crate) fn region(
        &self,
        bucket: usize,
        content: impl Fn(&Self, usize) -> Option<Bucket>,
    ) -> Option<Region> {
        // From above: a reader that finds the parent gone finds its children.
        if let Some(content) = content(self, bucket) {
            return Some(Region::Whole(content));
        }
        let [first, second] = [bucket << 1, bucket << 1 | 1].map(|child| content(self, child));
        Some(Region::Split([first?, second?]))
    }

    /// The number of tokens. Exact if no thread writes.
    pub(crate) fn taken(&self) -> usize {
        let level = self.level();
        let regions = (1 << level..2 << level).filter_map(|bucket| self.region(bucket, Self::peek));
        regions.map(Region::len).sum()
    }
}

impl Words<Lanes16> for GrowingTokens {
    #[inline]
    fn freeze(&self, bucket: usize, before: Bucket, reference: Reference<Lanes16>) -> bool {
        self.replace(bucket, before, reference)
    }

    #[inline]
    fn thaw(&self, bucket: usize, reference: Reference<Lanes16>, content: Bucket) -> bool {
        self.levels.exchange(bucket, reference, content)
    }
}

/// The exchange of a word.
impl GrowingTokens {
    /// Replaces the content of a bucket. Returns false if the word has changed.
    #[inline]
    pub(crate) fn replace(
        &self,
        bucket: usize,
        current: Bucket,
        new: impl Into<GrowingWord>,
    ) -> bool {
        let new = new.into();
        self.levels.exchange(bucket, current, new) || self.replace_vacant(bucket, current, new)
    }

    /// [`replace`](Self::replace) for a word that reads as an empty bucket, but is not one.
    #[inline]
    pub(crate) fn replace_vacant(
        &self,
        bucket: usize,
        current: Bucket,
        new: impl Into<GrowingWord>,
    ) -> bool {
        current == Bucket::EMPTY && self.write_absent(bucket, new.into())
    }

    #[cold]
    fn write_absent(&self, bucket: usize, new: GrowingWord) -> bool {
        // Pin before the check: if the root leaves the level afterwards, its memory is not given
        // back before this is over. Until then the word is gone, and the exchange fails.
        let _guard = pin();
        self.levels.is_lazy(bucket) && self.levels.exchange(bucket, GrowingWord::ABSENT, new)
    }
}

/// The descriptors of a table that begins with this level: the number for a fixed-size table of
/// half the size. When it grows it gets the number for its new size.
fn descriptors_for(level: u32) -> PoolSize {
    PoolSize::of_table((1 << level) / 2)
}

/// How a read of an index string goes on after a bucket.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<R> {
    /// It ends: this is the answer.
    Here(R),
    /// The bucket is gone: at the level below.
    Down,
    /// The bucket is absent: at the root, which has moved on.
    Again,
}

/// The contents of the two children of a bucket. Every token must have a tail.
pub(crate) fn children(bucket: usize, content: Bucket, depth: Depth) -> [Bucket; 2] {
    let [mut first, mut second] = [Bucket::EMPTY; 2];
    for token in content.tokens() {
        let lane = token.bits() as u16;
        // Take the first bit of the tail: it becomes the last bit of the bucket's number, so the
        // prefix stays the same.
        let (bit, rest) = depth.split(lane);
        let is_second = child(bucket, Head::of_lane(lane), bit) & 1 == 1;
        // A lane is never 0, and a half holds no more than the whole.
        let with_rest = |half: Bucket| {
            let rest = Token::from_bits(u32::from(rest));
            rest.and_then(|rest| half.with(rest)).unwrap_or(half)
        };
        // Add to both and select without a branch, because the bit is unpredictable.
        first = select_unpredictable(is_second, first, with_rest(first));
        second = select_unpredictable(is_second, with_rest(second), second);
    }
    [first, second]
}
