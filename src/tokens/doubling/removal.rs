//! Removal: clears exactly one token, [the longest](crate::design::doubling#removal-takes-the-longest) that covers the
//! item, or finds that there is none.

use core::hint::select_unpredictable;

use super::parts::{Doubling, Live, Token};
use super::settlement::live;
use super::splitting::help_to_grow;
use crate::layout::Slot;
use crate::sync::{self, Event};
use crate::table::doubling::{Class, Prefix, Root, Word};

/// Removes one token that covers this item, by a root of just before. Returns false if there is none.
///
/// Linearization points: of a success, the exchange that clears the slot; of a failure, a moment between the two
/// version reads, as of a miss.
#[inline]
pub(super) fn remove(tokens: &Doubling, root: Root, hash: u64) -> bool {
    let pair = tokens.blocks.pair(root, hash);
    let f = pair.fingerprint();
    let version = tokens.stripes.version(f);
    let (a, b) = pair.load();
    if root.is_at_rest() && Word::are_plain(a, b) {
        let covering = pair.covering(a, b);
        // Keep one of the two bits of each lane.
        let lanes = covering & 0x5555;
        // With several, one must be the longest, and the stripe may have to be bumped.
        if lanes != 0 && lanes & (lanes - 1) == 0 {
            let in_first = lanes & 0xff != 0;
            let (here, other) = (
                select_unpredictable(in_first, a, b),
                select_unpredictable(in_first, b, a),
            );
            let number = lanes.trailing_zeros() / 2 % 4;
            let lane = here.lane(number);
            // See below. Without a branch on the length, because it is unpredictable.
            let is_longest = pair.is_full(lane)
                | (pair.nested(lane, other) == 0) & tokens.stripes.unchanged(f, version);
            let here = here.plain();
            let cleared = here.cleared(Slot::of_lane(number));
            if is_longest && pair.exchange(in_first, here, cleared) {
                return true;
            }
        }
    }
    remove_slowly(tokens, hash)
}

/// The complete version. Does its share of a growth in progress.
#[cold]
#[inline(never)]
fn remove_slowly(tokens: &Doubling, hash: u64) -> bool {
    // If it cannot, this remove continues.
    let _ = help_to_grow(tokens);
    let class = Class::of_hash(hash);
    let f = class.head.fingerprint();
    let mut bumped = false;
    loop {
        let version = tokens.stripes.version(f);
        let pair = [class.first, class.second].map(|index| live(tokens, index));
        let Some((side, token, prefix)) = longest(class, &pair) else {
            if tokens.stripes.unchanged(f, version) {
                return false;
            }
            sync::happened(Event::Repeat);
            continue;
        };
        // The absence of a longer one is a miss, and is validated as one. None is longer than a new one.
        let newest = pair
            .iter()
            .map(|live| live.level() + live.depth.full_tail())
            .max();
        if newest != Some(prefix.len()) && !tokens.stripes.unchanged(f, version) {
            sync::happened(Event::Repeat);
            continue;
        }
        let (here, other) = (pair[side], pair[1 - side]);
        let is_nested = |(_, other): (Token, Prefix)| prefix.is_nested_with(other);
        if !bumped && other.prefixes().any(is_nested) {
            // For an item that both tokens cover, the two may take turns: see `tokens::removal`.
            tokens.announce(here.bucket, class.head);
            sync::happened(Event::Twin);
            bumped = true;
        }
        let after = here.content.without_token(token).unwrap_or(here.content);
        if tokens.blocks.exchange(here.bucket, here.content, after) {
            return true;
        }
    }
}

/// The longest token that covers an item, and its side; on a tie, one on the first side.
pub(super) fn longest(class: Class, pair: &[Live; 2]) -> Option<(usize, Token, Prefix)> {
    let mut best: Option<(usize, Token, Prefix)> = None;
    for (side, live) in pair.iter().enumerate() {
        for (token, prefix) in live.prefixes().filter(|(_, prefix)| prefix.covers(class)) {
            if best.is_none_or(|(_, _, best)| prefix.len() > best.len()) {
                best = Some((side, token, prefix));
            }
        }
    }
    best
}
