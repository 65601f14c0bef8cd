//! Insertion: one exchange if there is room; otherwise splits, if the table is growing, or a path of relocations.

use core::hint::select_unpredictable;

use super::parts::{Doubling, Live, Token};
use super::relocation::LevelGraph;
use super::settlement::{live_pair, replace};
use super::splitting::{help_to_grow, split};
use crate::layout::Fingerprint;
use crate::table::Candidates;
use crate::table::doubling::{Class, Root, Word, alternate};
use crate::tokens::insertion::{ATTEMPTS, Opened, Refusal, open};

/// The token of an item, as it is stored in a bucket.
pub(super) fn token(class: Class, live: &Live) -> Option<Token> {
    let lane = class.lane(live.level(), live.depth);
    Token::from_bits(u32::from(lane))
}

/// Adds one token of this item, of the full length, by a root of just before.
///
/// Linearization point: the exchange that adds it, or the commit of the last hop that places it.
#[inline]
pub(super) fn insert(
    tokens: &Doubling,
    root: Root,
    hash: u64,
    budget: usize,
) -> Result<(), Refusal> {
    let pair = tokens.blocks.pair(root, hash);
    let (a, b) = pair.load();
    if root.is_at_rest() && Word::are_plain(a, b) {
        let (a, b) = (a.plain(), b.plain());
        // Selects without a branch, because the choice is unpredictable.
        let first_is_emptier = a.vacancies() >= b.vacancies();
        let content = select_unpredictable(first_is_emptier, a, b);
        let token = Token::from_bits(u32::from(pair.full_lane()));
        let added = token.and_then(|token| content.with(token));
        if added.is_some_and(|added| pair.exchange(first_is_emptier, content, added)) {
            return Ok(());
        }
    }
    insert_slowly(tokens, hash, budget)
}

/// The complete version. Does its share of a growth in progress.
#[cold]
#[inline(never)]
fn insert_slowly(tokens: &Doubling, hash: u64, budget: usize) -> Result<(), Refusal> {
    let class = Class::of_hash(hash);
    // If it cannot, this insert may still find room.
    let _ = help_to_grow(tokens);
    let mut refusal = Refusal::Disturbed;
    for _ in 0..ATTEMPTS {
        let pair = match add(tokens, class) {
            Ok(()) => return Ok(()),
            Err(pair) => pair,
        };
        match make_room(tokens, class, pair, budget, true)? {
            Opened::Done => return Ok(()),
            Opened::Disturbed => refusal = Refusal::Disturbed,
            Opened::Starved => refusal = Refusal::Starved,
        }
    }
    Err(refusal)
}

/// Adds to the emptier of the two live buckets; if both are full, returns them.
fn add(tokens: &Doubling, class: Class) -> Result<(), [Live; 2]> {
    loop {
        let pair = live_pair(tokens, class);
        let emptier = emptier(&pair);
        let Some(added) = token(class, emptier).and_then(|token| emptier.content.with(token))
        else {
            return Err(pair);
        };
        if replace(tokens, emptier.bucket, emptier.content, added) {
            return Ok(());
        }
        // Lost to another writer, so the system as a whole made progress: retry.
    }
}

pub(super) fn emptier(pair: &[Live; 2]) -> &Live {
    let [a, b] = pair;
    if a.content.vacancies() >= b.content.vacancies() {
        a
    } else {
        b
    }
}

/// Makes room in one of two buckets that were full: splits one that the table is leaving, or finds a path. If `place`,
/// the last hop of the path places the token of the item. A search examines `budget` buckets at most.
pub(super) fn make_room(
    tokens: &Doubling,
    class: Class,
    pair: [Live; 2],
    budget: usize,
    place: bool,
) -> Result<Opened, Refusal> {
    let root = tokens.blocks.root();
    let is_growing = tokens.is_growing(root);
    let is_old = |live: &&Live| is_growing && live.level() == root.level();
    // Split one, because lookups guess that words ahead of the sweep are not split. Of two, split the one on the first
    // side: the sweep comes to it earlier.
    if let Some(live) = pair.iter().find(is_old) {
        return Ok(if split(tokens, live.bucket) {
            Opened::Disturbed
        } else {
            Opened::Starved
        });
    }
    let [first, second] = pair;
    if first.level() != second.level() {
        // The table has grown since they were read.
        return Ok(Opened::Disturbed);
    }
    let token = token(class, &first);
    let Some(fingerprint) = token.and_then(|token| Fingerprint::from_bits(token.bits())) else {
        return Ok(Opened::Disturbed);
    };
    let candidates = Candidates {
        first: first.bucket,
        second: alternate(first.bucket, class.head),
        // The lane of the item's copies in these buckets.
        fingerprint,
    };
    let Some(graph) = LevelGraph::of(tokens, first.level(), budget) else {
        return Ok(Opened::Disturbed);
    };
    open(&graph, candidates, token.filter(|_| place))
}
