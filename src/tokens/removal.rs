//! Removal: clears exactly one token, or finds that there is none.

use core::hint::select_unpredictable;

use super::parts::Tokens;
use super::settlement::settle;
use crate::layout::{Layout, Matches};
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
        // If there are more, the remove may need to bump the stripe.
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

/// The same in full: for frozen words, for several tokens, for none, and after a lost exchange.
#[cold]
#[inline(never)]
fn remove_slowly<L: Layout>(tokens: &Tokens<L>, hash: u64) -> bool {
    remove_class(tokens, tokens.table.candidates(hash))
}

pub(super) fn remove_class<L: Layout>(tokens: &Tokens<L>, class: Candidates) -> bool {
    let Candidates {
        first,
        second,
        fingerprint,
    } = class;
    let mut bumped = false;
    loop {
        let version = tokens.stripes.version(fingerprint);
        loop {
            let a = settle(tokens, first);
            let b = settle(tokens, second);
            let (bucket, content, cleared, twin) = match (a.without(fingerprint), b) {
                (Some(cleared), b) => (first, a, cleared, b.contains(fingerprint)),
                (None, b) => match b.without(fingerprint) {
                    Some(cleared) => (second, b, cleared, false),
                    None => break,
                },
            };
            if twin && !bumped {
                // An equal token is in the other bucket. It may have come there after a lookup read that bucket,
                // and the lookup has not read this one yet; it must not miss both tokens. If there is no equal
                // token, the remove can be placed before any later insert, so no lookup needs to know.
                tokens.announce(first, fingerprint);
                sync::happened(Event::Twin);
                bumped = true;
            }
            if tokens.table.exchange(bucket, content, cleared) {
                return true;
            }
        }
        if tokens.stripes.unchanged(fingerprint, version) {
            return false;
        }
        sync::happened(Event::Repeat);
    }
}
