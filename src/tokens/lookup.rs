//! Lookup: two parallel loads, and a version check.

use core::hint::select_unpredictable;

use super::descriptor::Resolved;
use super::parts::Tokens;
use super::settlement::settle;
use crate::layout::{Bucket, Layout, Matches, Sight, Token};
use crate::sync::{self, Event};
use crate::table::{Candidates, Content, Word};

/// The answer of one candidate about a class.
enum Answer<L> {
    Present(Token<L>),
    Absent,
    /// The word is changing; look again.
    Unclear,
}

/// Returns whether a token of this class is stored. Writes nothing.
///
/// Linearization points: of a hit, the load of the word that holds the token, or a moment at which it was in one of two
/// words frozen by the same reference; of a miss, a moment between the two version reads: [there is
/// one](crate::design::protocol#a-miss).
#[inline]
pub(super) fn contains<L: Layout>(tokens: &Tokens<L>, hash: u64) -> bool {
    let pair = tokens.table.pair(hash);
    let f = pair.class().fingerprint;
    // The version first. The earlier effects of the writer of either word, above all a bump, are visible to `unchanged`
    // below.
    let version = tokens.stripes.version(f);
    let (a, b) = pair.load();
    // To compare before the check gains nothing here: it waits for both words.
    if !L::AT_ONE_LOOK {
        return if Word::are_plain(a, b) && tokens.stripes.unchanged(f, version) {
            a.plain().either_contains(b.plain(), f)
        } else {
            look_slowly(tokens, hash).found()
        };
    }
    // Before the branches, so that only the answer is kept for later.
    let sight = Word::look(a, b, f);
    // A hit needs no validation, because the token was there when the word was loaded. But a branch on hit or miss
    // would often be mispredicted, and bumps are rare.
    let sight = if sight.is_sure() && tokens.stripes.unchanged(f, version) {
        sight
    } else {
        look_slowly(tokens, hash)
    };
    sight.found()
}

/// A token of this class, if one is stored: with several, any of them. Writes nothing.
///
/// Linearization points: as of [`contains`].
#[inline]
pub(super) fn find<L: Layout>(tokens: &Tokens<L>, hash: u64) -> Option<Token<L>> {
    let pair = tokens.table.pair(hash);
    let f = pair.class().fingerprint;
    let version = tokens.stripes.version(f);
    let (a, b) = pair.load();
    if Word::are_plain(a, b) {
        let (a, b) = (a.plain(), b.plain());
        let matches = Matches::of(f, a, b);
        let holder = select_unpredictable(matches.in_first(), a, b);
        if matches.any() {
            return holder.token_at(matches.slot());
        }
        if tokens.stripes.unchanged(f, version) {
            return None;
        }
    }
    find_slowly(tokens, hash)
}

#[cold]
#[inline(never)]
fn look_slowly<L: Layout>(tokens: &Tokens<L>, hash: u64) -> Sight {
    Sight::certain(find_slowly(tokens, hash).is_some())
}

/// The complete version: follows references, and repeats until the answer is certain.
#[cold]
#[inline(never)]
fn find_slowly<L: Layout>(tokens: &Tokens<L>, hash: u64) -> Option<Token<L>> {
    let class = tokens.table.candidates(hash);
    let f = class.fingerprint;
    loop {
        let version = tokens.stripes.version(f);
        let words = [class.first, class.second].map(|bucket| (bucket, tokens.table.load(bucket)));
        let mut answers = words
            .into_iter()
            .map(|(bucket, word)| find_in_word(tokens, class, bucket, word));
        match answers.find(|answer| !matches!(answer, Answer::Absent)) {
            Some(Answer::Present(token)) => return Some(token),
            Some(_) => continue,
            None => {}
        }
        if tokens.stripes.unchanged(f, version) {
            return None;
        }
        sync::happened(Event::Repeat);
    }
}

fn find_in_word<L: Layout>(
    tokens: &Tokens<L>,
    class: Candidates,
    bucket: usize,
    word: Word<L>,
) -> Answer<L> {
    let f = class.fingerprint;
    let content = match word.content() {
        Content::Bucket(content) => content,
        Content::Reference(reference) => match tokens.pool.resolve(bucket, reference) {
            Resolved::Stale => return Answer::Unclear,
            Resolved::Settled(content) => content,
            Resolved::Pending(pending) => {
                let transfer = pending.transfer;
                let arriving = transfer.moved.filter(|token| token.fingerprint() == f);
                if let Some(arriving) = arriving
                    && bucket != transfer.source
                {
                    sync::happened(Event::Arrival);
                    // The token itself is arriving here. Cases, by the word at its source:
                    // the same reference: frozen on both sides, so it is in one of them; present.
                    if tokens.table.load(transfer.source) == word {
                        return Answer::Present(arriving);
                    }
                    // something else, and decided meanwhile: the source may be cleared already.
                    if tokens.pool.control(reference) != pending.control {
                        return Answer::Unclear;
                    }
                    // something else, still pending: not yet frozen there, so not yet arrived here.
                }
                pending.old
            }
        },
    };
    content.find(f).map_or(Answer::Absent, Answer::Present)
}

/// The number of tokens of this class. Settles both words, so it may write.
///
/// The two words are read one after the other. If a token is removed from the first after that was read, and an equal
/// one is added to the second before that is read, both are counted. A token that hops is never missed, as in
/// [`contains`].
pub(super) fn count<L: Layout>(tokens: &Tokens<L>, class: Candidates) -> usize {
    let (a, b) = pair(tokens, class);
    a.count(class.fingerprint) + b.count(class.fingerprint)
}

/// Both words of a class, such that no token of the class is missed; as [`count`].
pub(super) fn pair<L: Layout>(tokens: &Tokens<L>, class: Candidates) -> (Bucket<L>, Bucket<L>) {
    let f = class.fingerprint;
    loop {
        let version = tokens.stripes.version(f);
        let contents = (settle(tokens, class.first), settle(tokens, class.second));
        if tokens.stripes.unchanged(f, version) {
            return contents;
        }
    }
}
