//! Removal: clears exactly one token, or finds that there is none.

use core::hint::select_unpredictable;

use super::parts::Tokens;
use super::settlement::settle;
use crate::layout::{Bucket, Layout, Matches};
use crate::sync::{self, Event};
use crate::table::{Candidates, Word};

/// Removes one token of this class. Returns false if there is none.
///
/// Linearization points: of a success, the exchange that clears the slot; of a failure, a moment
/// between the two version reads, as in [`contains`](super::lookup::contains).
#[inline]
pub(super) fn remove<L: Layout>(tokens: &Tokens<L>, hash: u64) -> bool {
    let pair = tokens.table.pair(hash);
    let class = pair.class();
    let (a, b) = pair.load();
    if Word::are_plain(a, b) {
        let (a, b) = (a.plain(), b.plain());
        let matches = Matches::of(class.fingerprint, a, b);
        // With several tokens, the remove may need to bump the stripe.
        if matches.is_single() {
            let in_first = matches.in_first();
            // Selects without a branch, because the choice is unpredictable.
            let bucket = select_unpredictable(in_first, class.first, class.second);
            let content = select_unpredictable(in_first, a, b);
            let cleared = content.cleared(matches.slot());
            if tokens.table.exchange(bucket, content, cleared) {
                return true;
            }
        }
    }
    remove_slowly(tokens, hash)
}

/// The complete version: for frozen words, for several tokens, for none, and after a lost exchange.
#[cold]
#[inline(never)]
fn remove_slowly<L: Layout>(tokens: &Tokens<L>, hash: u64) -> bool {
    remove_class(tokens, tokens.table.candidates(hash))
}

pub(super) fn remove_class<L: Layout>(tokens: &Tokens<L>, class: Candidates) -> bool {
    change(tokens, class, |bucket| bucket.without(class.fingerprint))
}

/// Changes one of the two words of a class so that it has one token of the class less, or another one in its place.
/// Returns false if `changed` finds none that it means, in either word.
///
/// Linearization points: as of [`remove`]. A token that is replaced is one that is removed and, in the same moment, one
/// that is inserted, so what holds for removals holds for it.
pub(super) fn change<L: Layout>(
    tokens: &Tokens<L>,
    class: Candidates,
    changed: impl Fn(Bucket<L>) -> Option<Bucket<L>>,
) -> bool {
    let (first, second, fingerprint) = (class.first, class.second, class.fingerprint);
    let mut bumped = false;
    loop {
        let version = tokens.stripes.version(fingerprint);
        loop {
            let a = settle(tokens, first);
            let b = settle(tokens, second);
            let (bucket, content, after, other) = match (changed(a), changed(b)) {
                (Some(after), _) => (first, a, after, b),
                (None, Some(after)) => (second, b, after, a),
                (None, None) => break,
            };
            if other.contains(fingerprint) && !bumped {
                // A twin is in the other bucket. It may have come there after a lookup read that bucket, and the lookup
                // has not read this one yet; it must not miss both tokens. If there is no twin, the remove can be
                // placed before any later insert, so no lookup needs to know.
                tokens.announce(first, fingerprint);
                sync::happened(Event::Twin);
                bumped = true;
            }
            if tokens.table.exchange(bucket, content, after) {
                return true;
            }
        }
        if tokens.stripes.unchanged(fingerprint, version) {
            return false;
        }
        sync::happened(Event::Repeat);
    }
}
