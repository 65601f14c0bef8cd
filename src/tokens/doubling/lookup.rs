//! Lookup: two parallel loads, and a version check, whatever the size of the table was.

use super::parts::{Doubling, Live, Step, prefix};
use super::settlement::live;
use crate::layout::Sight;
use crate::sync::{self, Event};
use crate::table::doubling::{Class, GrowingRoot, Index, Root, State, level_of};
use crate::tokens::descriptor::Resolved;

/// The answer of one index string about an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Present,
    Absent,
    /// The word is changing; look again.
    Unclear,
}

/// Whether a token that covers this item is stored, for certain. Writes nothing.
///
/// Linearization points: as in a [fixed table](crate::design::protocol#linearization-points). All tokens that cover an
/// item have its head, and so one stripe.
///
/// If not all tokens are in words of the level of the root, `aside` answers.
#[inline]
pub(super) fn sight(tokens: &Doubling, hash: u64, aside: impl FnOnce(Root) -> Sight) -> Sight {
    let root = tokens.blocks.root();
    // All answers have one form until they are used, so that a loop need not convert them.
    if !root.is_alone() {
        return aside(root);
    }
    look_at_rest(tokens, root, hash)
}

/// The answer about an item of a table that is not growing.
#[inline]
pub(super) fn look_at_rest(tokens: &Doubling, root: Root, hash: u64) -> Sight {
    let (sight, is_certain) = look_at_level(tokens, root, hash);
    if is_certain {
        sight
    } else {
        look_slowly(tokens, hash)
    }
}

/// The answer of both words of an item at the level of a root, and whether it is certain. A plain word is the live one,
/// whatever the root said.
#[inline]
fn look_at_level(tokens: &Doubling, root: Root, hash: u64) -> (Sight, bool) {
    let pair = tokens.blocks.pair(root, hash);
    let f = pair.fingerprint();
    let version = tokens.stripes.version(f);
    let (a, b) = pair.load();
    // Before the branches, so that only the answer is kept for later.
    let sight = pair.look(a, b);
    let is_certain = sight.is_sure() & tokens.stripes.unchanged(f, version);
    (sight, is_certain)
}

/// Whether a token in one of two tables covers this item; `finer` is asked first. `None` if that is not certain, or the
/// finer table is not at rest. Reads both whatever the first says, because it cannot be predicted which has the item.
#[inline]
pub(super) fn sight_of_two(finer: &Doubling, coarser: &Doubling, hash: u64) -> Option<Sight> {
    let roots = [finer, coarser].map(|tokens| tokens.blocks.root());
    if !roots[0].is_alone() {
        return None;
    }
    let (in_finer, is_certain) = look_at_level(finer, roots[0], hash);
    let (in_coarser, is_certain_too) = look_at_level(coarser, roots[1], hash);
    let found = in_finer.found() | in_coarser.found();
    (is_certain & is_certain_too).then(|| Sight::certain(found))
}

/// The answer about an item while the table grows, if both words are where the cursor says.
#[inline]
pub(super) fn look_while_growing(tokens: &Doubling, root: GrowingRoot, hash: u64) -> Sight {
    let swept = tokens.blocks.swept(root, hash);
    let f = swept.fingerprint();
    let version = tokens.stripes.version(f);
    let (a, b) = swept.load();
    let seen = swept.look(a, b);
    // A word that is not plain may be gone, or not there yet, and says nothing about the item.
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
        let mut answers = [class.first, class.second]
            .into_iter()
            .map(|index| on_index(tokens, class, index));
        match answers.find(|&answer| answer != Answer::Absent) {
            Some(Answer::Present) => return true,
            None if tokens.stripes.unchanged(f, version) => return false,
            _ => {}
        }
        sync::happened(Event::Repeat);
    }
}

/// The answer of the live word on an index string. The frozen content of a bucket that is being split is valid until
/// its parent is gone, so a lookup need not read the children before.
fn on_index(tokens: &Doubling, class: Class, index: Index) -> Answer {
    tokens.descend(index, |bucket| {
        let word = tokens.blocks.load(bucket);
        let depth = tokens.blocks.depth(level_of(bucket));
        let content = match tokens.state(bucket, word) {
            State::Absent => return Step::Again,
            State::Gone => return Step::Down,
            State::Bucket(content) => content,
            State::Reference(reference) => match tokens.pool.resolve(bucket, reference) {
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
        Step::Here(if tokens.live(bucket, content).covers(class) {
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
