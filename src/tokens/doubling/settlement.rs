//! Settlement: what a writer does when it meets a frozen word.
//!
//! A pending relocation or admission is aborted, a split is finished, and what is decided is written back. So no writer
//! waits for the owner of a descriptor.

use super::finish::finish;
use super::parts::{Bucket, Doubling, Live, Step};
use crate::sync::{self, Event};
use crate::table::doubling::{Class, Index, Level, State, Word, level_of};
use crate::tokens::descriptor::State as Decision;
use crate::tokens::parts::Resolved;

/// What a word holds that no reference is in.
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

/// The content of a bucket, read so, if it is there.
#[inline]
pub(super) fn settled(tokens: &Doubling, bucket: usize) -> Option<Bucket> {
    settle(tokens, bucket).content()
}

/// The same for a caller who knows the level.
#[inline]
pub(super) fn settle_in(tokens: &Doubling, words: Level<'_>, bucket: usize) -> Settled {
    match words.load(bucket).state() {
        State::Bucket(content) => Settled::Bucket(content),
        _ => settle(tokens, bucket),
    }
}

/// The same by read-modify-writes, which find the latest value there is: for the word that an admission asks. See
/// [`verdict`](crate::tokens).
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
        match tokens.resolve(bucket, reference) {
            // The use is over, so the word has changed.
            Resolved::Stale => {}
            Resolved::Pending(pending) if pending.transfer.is_split() => finish(tokens, bucket),
            // Only the owner of an admission knows what it has asked elsewhere.
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
    let hint = tokens.blocks.hint();
    let words = tokens.blocks.level(hint.level());
    let below = if tokens.is_growing(hint) {
        tokens.blocks.level(hint.level() + 1)
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

/// The same by read-modify-writes.
pub(super) fn live_latest(tokens: &Doubling, index: Index) -> Live {
    live_by(tokens, index, settle_latest)
}

#[inline]
fn live_by(tokens: &Doubling, index: Index, settle: impl Fn(&Doubling, usize) -> Settled) -> Live {
    tokens.descend(index, |bucket| match settle(tokens, bucket) {
        Settled::Absent => Step::Again,
        Settled::Gone => Step::Down,
        Settled::Bucket(content) => Step::Here(Live {
            bucket,
            depth: tokens.blocks.depth(level_of(bucket)),
            content,
        }),
    })
}
