//! Lookup: two parallel loads, and a version check, whatever the table has grown from.

use super::parts::{Doubling, Live, Step, prefix};
use super::settlement::live;
use crate::layout::Sight;
use crate::sync::{self, Event};
use crate::table::doubling::{Class, GrowingHint, Hint, Index, State, level_of};
use crate::tokens::parts::Resolved;

/// What one index string says about an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Present,
    Absent,
    /// The word is changing; look again.
    Unclear,
}

/// Whether a token that covers this item is stored, for certain. Writes nothing.
///
/// Linearization points: of a hit, the load of the word that holds the token, or a moment at which it was in one of two
/// words frozen by the same reference; of a miss, a moment between the two version reads. All tokens that cover an item
/// have its head, and so one stripe.
#[inline]
pub(super) fn sight(tokens: &Doubling, hash: u64) -> Sight {
    let hint = tokens.blocks.hint();
    // All answers are of one form, up to where they are used, so that a loop need not make them alike.
    match hint.growing() {
        None => look_at_rest(tokens, hint, hash),
        Some(hint) => look_while_growing(tokens, hint, hash),
    }
}

#[inline]
fn look_at_rest(tokens: &Doubling, hint: Hint, hash: u64) -> Sight {
    let pair = tokens.blocks.pair(hint, hash);
    let f = pair.fingerprint();
    let version = tokens.stripes.version(f);
    let (a, b) = pair.load();
    // Before the branches, so that nothing is kept for later but the answer.
    let sight = pair.look(a, b);
    // A plain word is the live one, whatever the hint said.
    if sight.is_sure() && tokens.stripes.unchanged(f, version) {
        sight
    } else {
        look_slowly(tokens, hash)
    }
}

/// The same while the table grows, if the sweep tells where both words are.
///
/// Cold, so that a loop of lookups at rest keeps what it needs in registers as if there was no call.
#[cold]
#[inline(never)]
fn look_while_growing(tokens: &Doubling, hint: GrowingHint, hash: u64) -> Sight {
    let swept = tokens.blocks.swept(hint, hash);
    let f = swept.fingerprint();
    let version = tokens.stripes.version(f);
    let (a, b) = swept.load();
    let seen = swept.look(a, b);
    // What is not plain may be gone, or not there yet, and says nothing of the item.
    if seen.is_sure() && tokens.stripes.unchanged(f, version) {
        seen
    } else {
        look_slowly(tokens, hash)
    }
}

#[cold]
#[inline(never)]
fn look_slowly(tokens: &Doubling, hash: u64) -> Sight {
    Sight::certain(contains_slowly(tokens, hash))
}

/// The complete version: follows splits and references, and repeats until the answer is certain.
#[cold]
#[inline(never)]
fn contains_slowly(tokens: &Doubling, hash: u64) -> bool {
    let class = Class::of_hash(hash);
    let f = class.head.fingerprint();
    loop {
        let version = tokens.stripes.version(f);
        let mut unclear = false;
        for index in [class.first, class.second] {
            match on_index(tokens, class, index) {
                Answer::Present => return true,
                Answer::Absent => {}
                Answer::Unclear => {
                    unclear = true;
                    break;
                }
            }
        }
        if !unclear && tokens.stripes.unchanged(f, version) {
            return false;
        }
        sync::happened(Event::Repeat);
    }
}

/// What the live word on an index string says. The frozen content of a bucket that is being split is the truth until its
/// parent is gone, so a lookup need not look at the children before.
fn on_index(tokens: &Doubling, class: Class, index: Index) -> Answer {
    tokens.descend(index, |bucket| {
        let word = tokens.blocks.load(bucket);
        let depth = tokens.blocks.depth(level_of(bucket));
        let content = match tokens.state(bucket, word) {
            State::Absent | State::Closed(_) => return Step::Again,
            State::Gone => return Step::Down,
            State::Bucket(content) => content,
            State::Reference(reference) => match tokens.resolve(bucket, reference) {
                Resolved::Stale => return Step::Here(Answer::Unclear),
                Resolved::Settled(content) => content,
                Resolved::Pending(pending) => {
                    let transfer = pending.transfer;
                    let covers = |token| prefix(bucket, token, depth).covers(class);
                    if transfer.moved.is_some_and(covers) && bucket != transfer.source {
                        sync::happened(Event::Arrival);
                        // See `tokens::lookup`: frozen on both sides, it is in one of them.
                        if tokens.blocks.load(transfer.source) == word {
                            return Step::Here(Answer::Present);
                        }
                        if tokens.pool.control(reference) != pending.control {
                            return Step::Here(Answer::Unclear);
                        }
                    }
                    pending.old
                }
            },
        };
        let live = Live {
            bucket,
            depth,
            content,
        };
        Step::Here(if live.covers(class) {
            Answer::Present
        } else {
            Answer::Absent
        })
    })
}

/// Both live words of a class, such that no token that covers it is missed. Settles them, so it may write.
pub(super) fn pair(tokens: &Doubling, class: Class) -> [Live; 2] {
    let f = class.head.fingerprint();
    loop {
        let version = tokens.stripes.version(f);
        let pair = [class.first, class.second].map(|index| live(tokens, index));
        if tokens.stripes.unchanged(f, version) {
            return pair;
        }
    }
}

/// The number of tokens that cover an item.
pub(super) fn count(tokens: &Doubling, class: Class) -> usize {
    let of = |live: Live| live.prefixes().filter(|(_, p)| p.covers(class)).count();
    pair(tokens, class).into_iter().map(of).sum()
}
