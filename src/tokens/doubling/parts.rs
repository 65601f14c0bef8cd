//! The parts of a table that doubles, and the meaning of a word.

use std::sync::Arc;

use crate::error::OutOfMemory;
use crate::layout;
use crate::layout::prefix::{Depth, Head};
use crate::sync::{self, Event};
use crate::table::doubling::{
    Blocks, Class, Index, Lanes16, Prefix, Region, State, Word, level_of,
};
use crate::tokens::descriptor::{Pool, Resolved};
use crate::tokens::hints::{Hint, Hints};
use crate::tokens::stripes::Stripes;

pub(super) type Bucket = layout::Bucket<Lanes16>;
pub(super) type Token = layout::Token<Lanes16>;

/// A multiset of tokens, spread over the words of a table that doubles.
///
/// A token stands for a prefix of the index bits of its item. All tokens that cover an item are in its two buckets.
#[derive(Debug)]
pub(crate) struct Doubling {
    /// Shared with calls that are deferred.
    pub(super) blocks: Arc<Blocks>,
    pub(super) stripes: Stripes<true>,
    pub(super) pool: Pool<Lanes16>,
    pub(super) hints: Hints<Lanes16>,
    /// Maximum number of buckets that one path search examines.
    pub(super) search_budget: usize,
}

/// A bucket that was the live one on an index string, and its content.
#[derive(Clone, Copy, Debug)]
pub(super) struct Live {
    pub(super) bucket: usize,
    pub(super) depth: Depth,
    pub(super) content: Bucket,
}

impl Live {
    #[inline]
    pub(super) fn level(&self) -> u32 {
        level_of(self.bucket)
    }

    /// Whether it has a token that covers an item.
    #[inline]
    pub(super) fn covers(&self, class: Class) -> bool {
        let wanted = class.lane(self.level(), self.depth);
        self.depth.covering(wanted, self.content.bits(), 0) != 0
    }

    /// The prefixes of its tokens, from the top slot down.
    pub(super) fn prefixes(self) -> impl Iterator<Item = (Token, Prefix)> {
        let tokens = self.content.tokens();
        tokens.map(move |token| (token, prefix(self.bucket, token, self.depth)))
    }
}

/// The prefix of a token in a bucket.
pub(super) fn prefix(bucket: usize, token: Token, depth: Depth) -> Prefix {
    Prefix::of(bucket, token.bits() as u16, depth)
}

impl Doubling {
    /// Makes it of unshared blocks.
    pub(crate) fn with_blocks(blocks: Blocks, search_budget: usize) -> Result<Self, OutOfMemory> {
        let level = blocks.root().level();
        Ok(Self {
            blocks: Arc::new(blocks),
            stripes: Stripes::new(1 << level)?,
            pool: Pool::new(descriptors_for(level))?,
            hints: Hints::new()?,
            search_budget,
        })
    }

    /// The heap bytes of a table that is yet to be built. To find out, it builds everything except the words.
    pub(crate) fn bytes_for(first: u32) -> Result<usize, OutOfMemory> {
        let rest = Stripes::<true>::new(1 << first)?.bytes()
            + Pool::<Lanes16>::new(descriptors_for(first))?.bytes()
            + Hints::<Lanes16>::new()?.bytes();
        Ok(size_of::<Blocks>() + Blocks::bytes_for(first) + rest)
    }

    /// The heap bytes that the next doubling takes, to this level.
    pub(crate) fn bytes_to_grow(&self, level: u32) -> usize {
        let descriptors = Pool::<Lanes16>::size_for(1 << level);
        Blocks::bytes_for(level) + self.pool.bytes_to_grow(descriptors)
    }

    /// A closure that calls `what` with the blocks. Weak: a filter that is dropped meanwhile frees all its memory.
    pub(super) fn later<F: FnOnce(&Blocks)>(&self, what: F) -> impl FnOnce() + use<F> {
        let blocks = Arc::downgrade(&self.blocks);
        move || {
            if let Some(blocks) = blocks.upgrade() {
                what(&blocks);
            }
        }
    }

    /// The heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let rest = self.stripes.bytes() + self.pool.bytes() + self.hints.bytes();
        size_of::<Blocks>() + self.blocks.bytes() + rest
    }

    pub(crate) fn search_budget(&self) -> usize {
        self.search_budget
    }

    /// The level that lookups begin with.
    pub(crate) fn level(&self) -> u32 {
        self.blocks.root().level()
    }

    /// The meaning of a word for a reader. An absent one is an empty bucket if nobody has written to it yet.
    #[inline]
    pub(super) fn state(&self, bucket: usize, word: Word) -> State {
        match word.state() {
            State::Absent if self.blocks.is_lazy(bucket) => State::Bucket(Bucket::EMPTY),
            state => state,
        }
    }

    /// Whether a word refers to a descriptor.
    pub(super) fn is_frozen(&self, bucket: usize) -> bool {
        matches!(self.blocks.load(bucket).state(), State::Reference(_))
    }

    /// Tells lookups and a running scan that tokens of a head are about to change places.
    pub(super) fn announce(&self, bucket: usize, head: Head) {
        let fingerprint = head.fingerprint();
        if self.stripes.bump(fingerprint) {
            sync::happened(Event::Hint);
            self.hints.note(Hint {
                bucket,
                fingerprint,
            });
        }
    }

    /// What a live bucket holds.
    #[inline]
    pub(super) fn live(&self, bucket: usize, content: Bucket) -> Live {
        Live {
            bucket,
            depth: self.blocks.depth(level_of(bucket)),
            content,
        }
    }

    /// The bucket on an index string of which `of` says something else than that it is gone or absent, from the level
    /// of the root down.
    #[inline]
    pub(super) fn descend<R>(&self, index: Index, mut of: impl FnMut(usize) -> Step<R>) -> R {
        loop {
            let mut level = self.blocks.root().level();
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

    /// A read that disturbs no other thread: the logical content of a word at some moment during the call. Of a bucket
    /// that is not there, none.
    pub(super) fn peek(&self, bucket: usize) -> Option<Bucket> {
        loop {
            match self.state(bucket, self.blocks.load(bucket)) {
                State::Absent | State::Gone => return None,
                State::Bucket(content) => return Some(content),
                State::Reference(reference) => match self.pool.resolve(bucket, reference) {
                    Resolved::Stale => {}
                    Resolved::Settled(content) => return Some(content),
                    Resolved::Pending(pending) => return Some(pending.old),
                },
            }
        }
    }

    /// As [`peek`](Self::peek), but the empty bucket for one that is not there.
    #[inline]
    pub(super) fn look(&self, bucket: usize) -> Bucket {
        self.peek(bucket).unwrap_or(Bucket::EMPTY)
    }

    /// The region of a bucket that was there once, with `content` to read words. None if it has been split more than
    /// once.
    pub(super) fn region(
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

/// The descriptors of a table that begins with this level: the number for a fixed-size table of half the size. When it
/// grows it gets the number for its new size.
fn descriptors_for(level: u32) -> usize {
    Pool::<Lanes16>::size_for((1 << level) / 2)
}

/// Where a read of an index string continues.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<R> {
    Here(R),
    Down,
    Again,
}
