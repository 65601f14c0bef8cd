//! One level, as a [search](crate::kernel::search) for a path sees it: a level that is there, and
//! one that the table comes to.

use crate::growing::item::{GrowingClass, alternate_at};
use crate::growing::lane::Head;
use crate::growing::tokens::{Bucket, GrowingTokens, Token};
use crate::growing::views::Level;
use crate::growing::word::{Lanes16, WordState};
use crate::kernel::change::Words;
use crate::kernel::descriptor::Claim;
use crate::kernel::geometry::Class;
use crate::kernel::relocate::can_make_room;
use crate::kernel::search::{CuckooGraph, CuckooTable, Hop};
use crate::kernel::word::Reference;

/// One level that has a block. Both ends of a hop are of this level, so the token stays as it is:
/// in both buckets its tail is that of the first string
/// ([prefixes](crate::design::doubling#prefixes)).
///
/// | word | the search sees | a hop there |
/// |---|---|---|
/// | bucket, or frozen | its content | as in a table of a fixed size |
/// | yet to come: its parent is there | what the parent will leave it | splits the parent first |
/// | gone: the table has grown since | an empty bucket | fails |
#[derive(Clone, Copy, Debug)]
pub(crate) struct LevelGraph<'a> {
    tokens: &'a GrowingTokens,
    words: Level<'a>,
    /// Maximum number of buckets that a search examines.
    budget: usize,
    /// Whether the root has reached this level: then all buckets above were gone.
    is_reached: bool,
}

impl<'a> LevelGraph<'a> {
    /// The graph of a level, if it has a block.
    pub(crate) fn of(tokens: &'a GrowingTokens, level: u32, budget: usize) -> Option<Self> {
        let is_reached = level <= tokens.level();
        let words = tokens.levels.level(level)?;
        Some(Self {
            tokens,
            words,
            budget,
            is_reached,
        })
    }
}

impl CuckooGraph<Lanes16> for LevelGraph<'_> {
    fn buckets(&self) -> usize {
        1 << self.words.number()
    }

    fn budget(&self) -> usize {
        self.budget
    }

    #[inline]
    fn look(&self, bucket: usize) -> Bucket {
        match self.words.load(bucket).state() {
            WordState::Bucket(content) => content,
            _ => self.tokens.foreseen(bucket),
        }
    }

    #[inline]
    fn other(&self, bucket: usize, token: Token) -> usize {
        alternate_at(self.words.number(), bucket, head(token))
    }

    #[inline]
    fn fetch(&self, bucket: usize) {
        self.words.prefetch(bucket);
    }
}

impl CuckooTable<Lanes16> for LevelGraph<'_> {
    /// The tokens that cover the item: a split sends all of them to the same side as the item.
    fn copies(&self, _: usize, content: Bucket, class: Class) -> usize {
        // Compare lanes: within a level, the fingerprint of the class is the lane of the item.
        let wanted = class.fingerprint.bits() as u16;
        let covering = self.words.depth().covering(wanted, content.bits(), 0);
        covering.count_ones() as usize / 2
    }

    fn claim(&self) -> Option<Claim<'_, Lanes16>> {
        self.tokens.pool.claim()
    }

    /// The content of a bucket whose number was computed.
    fn settle(&self, bucket: usize) -> Option<Bucket> {
        if !self.is_reached {
            return self.tokens.settle_computed(bucket);
        }
        self.tokens.settle_in(self.words, bucket).content()
    }

    #[inline]
    fn prefetch_hop(&self, hop: &Hop<Lanes16>) {
        self.words.prefetch_to_write(hop.source);
        self.words.prefetch_to_write(hop.destination);
        self.tokens.prefetch_stripe(head(hop.moved));
    }

    fn announce(&self, bucket: usize, token: Token) {
        self.tokens.announce(bucket, head(token));
    }
}

impl Words<Lanes16> for LevelGraph<'_> {
    fn freeze(&self, bucket: usize, before: Bucket, reference: Reference<Lanes16>) -> bool {
        // The destination may be a word never written.
        self.words.exchange(bucket, before, reference)
            || self.tokens.replace_vacant(bucket, before, reference)
    }

    fn thaw(&self, bucket: usize, reference: Reference<Lanes16>, content: Bucket) -> bool {
        self.words.exchange(bucket, reference, content)
    }
}

/// A level that a table comes to, as a search will see it.
#[derive(Clone, Copy, Debug)]
struct LevelToCome<'a> {
    tokens: &'a GrowingTokens,
    level: u32,
    budget: usize,
}

impl CuckooGraph<Lanes16> for LevelToCome<'_> {
    fn buckets(&self) -> usize {
        1 << self.level
    }

    fn budget(&self) -> usize {
        self.budget
    }

    fn look(&self, bucket: usize) -> Bucket {
        self.tokens.foreseen(bucket)
    }

    fn other(&self, bucket: usize, token: Token) -> usize {
        alternate_at(self.level, bucket, head(token))
    }

    fn fetch(&self, _: usize) {}
}

impl GrowingTokens {
    /// Whether an item will have room when the table has doubled to a level, after a search of up
    /// to `budget` buckets. Exact if no other thread writes. Writes nothing.
    pub(crate) fn will_have_room(&self, hash: u64, level: u32, budget: usize) -> bool {
        let class = GrowingClass::of_hash(hash);
        let graph = LevelToCome {
            tokens: self,
            level,
            budget,
        };
        can_make_room(
            &graph,
            [class.first, class.second].map(|index| index.bucket(level)),
        )
    }
}

fn head(token: Token) -> Head {
    Head::of_lane(token.bits() as u16)
}
