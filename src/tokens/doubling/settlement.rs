//! Settlement: how a writer handles a frozen word, or a word never written.
//!
//! A pending relocation or admission is aborted, a split is finished, and a decided use is written back. So no writer
//! waits for the owner of a descriptor.
//!
//! Any thread may complete a [split](crate::design::doubling#a-split), any number of times. A word never written reads
//! as an empty bucket. [`replace`] puts content into it too.

use crossbeam_epoch::Guard;

use super::parts::{Bucket, Doubling, Live, Step, Token};
use crate::layout::prefix::{Depth, Head};
use crate::sync::{self, Event};
use crate::table::Reference;
use crate::table::doubling::{Class, Index, Lanes16, Level, State, Word, child, level_of};
use crate::tokens::descriptor::{Resolved, State as Decision};

/// The content of a word without a reference.
#[derive(Clone, Copy, Debug)]
pub(super) enum Settled {
    Absent,
    Gone,
    Bucket(Bucket),
}

impl Settled {
    /// The content of a bucket that is there.
    #[inline]
    pub(super) fn content(self) -> Option<Bucket> {
        match self {
            Self::Bucket(content) => Some(content),
            Self::Gone | Self::Absent => None,
        }
    }
}

/// Reads a word as a writer does: at a time when it is not a reference.
#[inline]
pub(super) fn settle(tokens: &Doubling, bucket: usize) -> Settled {
    settle_word(tokens, bucket, || tokens.blocks.load(bucket))
}

/// The content of a bucket, read as a writer does, if it is there.
#[inline]
pub(super) fn settled(tokens: &Doubling, bucket: usize) -> Option<Bucket> {
    settle(tokens, bucket).content()
}

/// [`settle`] for a caller who knows the level.
#[inline]
pub(super) fn settle_in(tokens: &Doubling, words: Level<'_>, bucket: usize) -> Settled {
    match words.load(bucket).state() {
        State::Bucket(content) => Settled::Bucket(content),
        _ => settle(tokens, bucket),
    }
}

/// [`settle`] by read-modify-writes, as at a [witness](crate::design::protocol#admissions).
pub(super) fn settle_latest(tokens: &Doubling, bucket: usize) -> Settled {
    settle_word(tokens, bucket, || tokens.blocks.read_latest(bucket))
}

#[inline]
fn settle_word(tokens: &Doubling, bucket: usize, load: impl Fn() -> Word) -> Settled {
    loop {
        let word = load();
        let reference = match tokens.state(bucket, word) {
            State::Absent => return Settled::Absent,
            State::Gone => return Settled::Gone,
            State::Bucket(content) => return Settled::Bucket(content),
            State::Reference(reference) => reference,
        };
        match tokens.pool.resolve(bucket, reference) {
            // The use is over, so the word has changed.
            Resolved::Stale => {}
            // A split is never decided: its parts are what it becomes.
            Resolved::Pending(pending) if pending.transfer.is_split() => finish(tokens, bucket),
            // Only the owner of an admission knows its answers from elsewhere.
            Resolved::Pending(pending) => {
                let aborted = Decision::Aborted;
                tokens.pool.decide(reference, pending.control, aborted);
                sync::happened(Event::Abort);
            }
            // Every thread computes the same content from the descriptor.
            Resolved::Settled(content) => {
                sync::happened(Event::Help);
                if tokens.blocks.exchange(bucket, word, content) {
                    return Settled::Bucket(content);
                }
            }
        }
    }
}

/// Both live buckets of an item, settled.
pub(super) fn live_pair(tokens: &Doubling, class: Class) -> [Live; 2] {
    let root = tokens.blocks.root();
    let words = tokens.blocks.level(root.level());
    let below = if tokens.is_growing(root) {
        tokens.blocks.level(root.level() + 1)
    } else {
        None
    };
    [class.first, class.second].map(|index| {
        let plain = |words: Level<'_>| {
            let bucket = index.bucket(words.number());
            let state = words.load(bucket).state();
            (bucket, words.depth(), state)
        };
        let mut found = words.map(plain);
        if let Some((_, _, State::Gone)) = found {
            found = below.map(plain);
        }
        match found {
            Some((bucket, depth, State::Bucket(content))) => Live {
                bucket,
                depth,
                content,
            },
            _ => live(tokens, index),
        }
    })
}

/// The live bucket on an index string, settled.
#[inline]
pub(super) fn live(tokens: &Doubling, index: Index) -> Live {
    live_by(tokens, index, settle)
}

/// [`live`] by read-modify-writes.
pub(super) fn live_latest(tokens: &Doubling, index: Index) -> Live {
    live_by(tokens, index, settle_latest)
}

#[inline]
fn live_by(tokens: &Doubling, index: Index, settle: impl Fn(&Doubling, usize) -> Settled) -> Live {
    tokens.descend(index, |bucket| match settle(tokens, bucket) {
        Settled::Absent => Step::Again,
        Settled::Gone => Step::Down,
        Settled::Bucket(content) => Step::Here(tokens.live(bucket, content)),
    })
}

/// Completes the split of `bucket`, if one is in progress.
///
/// Pinned: it writes into absent words, as only `open` does besides. A helper that sleeps here keeps the memory of the
/// children from being given back, after which they would be absent again.
#[cold]
pub(super) fn finish(tokens: &Doubling, bucket: usize) {
    let guard = crossbeam_epoch::pin();
    // Load again, because the guard holds from here on.
    let State::Reference(reference) = tokens.blocks.load(bucket).state() else {
        return;
    };
    let Some((transfer, _)) = tokens.pool.read(reference) else {
        return;
    };
    if transfer.is_split() {
        finish_installed(tokens, bucket, reference, transfer.old_source, &guard);
    }
}

/// [`finish`] for a caller who has been pinned since a time when the word was not gone, and has found the reference of
/// the split in the word, or has put it there.
pub(super) fn finish_installed(
    tokens: &Doubling,
    bucket: usize,
    reference: Reference<Lanes16>,
    content: Bucket,
    _: &Guard,
) {
    let level = level_of(bucket);
    let parts = parts(bucket, content, tokens.blocks.depth(level));
    // Each of these exchanges fails if another thread was first. A word that has been written is never absent again as
    // long as this thread is pinned, and the reference never comes back.
    if let Some(below) = tokens.blocks.level(level + 1) {
        below.exchange(bucket << 1, Word::ABSENT, parts[0]);
        below.exchange(bucket << 1 | 1, Word::ABSENT, parts[1]);
    }
    // Last: a thread that finds the parent gone finds the children.
    if tokens.blocks.exchange(bucket, reference, Word::GONE) {
        sync::happened(Event::Split);
    }
}

/// The contents of the two children of a bucket. Every token must have a tail.
pub(super) fn parts(bucket: usize, content: Bucket, depth: Depth) -> [Bucket; 2] {
    let mut parts = [Bucket::EMPTY; 2];
    for token in content.tokens() {
        let lane = token.bits() as u16;
        let (bit, rest) = depth.split(lane);
        let part = &mut parts[child(bucket, Head::of_lane(lane), bit) & 1];
        // A lane is never 0, and a part holds no more than the whole.
        let added = Token::from_bits(u32::from(rest)).and_then(|rest| part.with(rest));
        *part = added.unwrap_or(*part);
    }
    parts
}

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

/// [`replace`] for a word that reads as an empty bucket, but is not one.
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
    // Pinned before the check: if the level is left afterwards, its memory is not given back before this is over. Until
    // then the word is split, and the exchange fails.
    let _guard = crossbeam_epoch::pin();
    tokens.blocks.is_lazy(bucket) && tokens.blocks.exchange(bucket, Word::ABSENT, new)
}
