//! Lookup: two parallel loads, and a version check for a miss.

use super::parts::{Resolved, Tokens};
use super::settlement::settle;
use crate::layout::{Hit, Layout};
use crate::sync::{self, Event};
use crate::table::{Candidates, Content, Word};

/// What one candidate says about a token.
enum Answer {
    Present,
    Absent,
    /// The word is changing; look again.
    Unclear,
}

/// Returns whether a token of this class is stored. Writes nothing.
///
/// Linearization points: of a hit, the load of the word that holds the token, or a moment at which it was
/// in one of two words frozen by the same reference; of a miss, a moment between the two version reads.
/// There is one: a token of the class passes from the word read second to the word read first only with
/// a bump between, or by the help of a remove that was under way before and can be placed there.
#[inline]
pub(super) fn contains<L: Layout>(tokens: &Tokens<L>, hash: u64) -> bool {
    let pair = tokens.table.pair(hash);
    let f = pair.class().fingerprint;
    // The version first. What the writer of either word did before, above all a bump, is visible to
    // `change_since` below.
    let version = tokens.stripes.version(f);
    let (a, b) = pair.load();
    if Word::are_plain(a, b)
        && let Some(hit) = Hit::of::<L>(f, a.plain(), b.plain())
    {
        // A hit needs no validation, because the token was there when the word was loaded. So a hit weighs more
        // than a bump, and a miss weighs 0. One comparison handles both cases: a branch on hit or miss would often
        // be mispredicted.
        if tokens.stripes.change_since(f, version) <= hit.weight() {
            return hit.is_one();
        }
    }
    contains_slowly(tokens, hash)
}

/// The complete version: follows references, and repeats until the answer is certain.
#[cold]
#[inline(never)]
fn contains_slowly<L: Layout>(tokens: &Tokens<L>, hash: u64) -> bool {
    let class = tokens.table.candidates(hash);
    let Candidates {
        first,
        second,
        fingerprint,
    } = class;
    loop {
        let version = tokens.stripes.version(fingerprint);
        let (a, b) = (tokens.table.load(first), tokens.table.load(second));
        match pair_contains(tokens, class, a, b) {
            Answer::Present => return true,
            Answer::Unclear => continue,
            Answer::Absent => {}
        }
        if tokens.stripes.unchanged(fingerprint, version) {
            return false;
        }
        sync::happened(Event::Repeat);
    }
}

/// What two loaded words say together.
fn pair_contains<L: Layout>(
    tokens: &Tokens<L>,
    class: Candidates,
    a: Word<L>,
    b: Word<L>,
) -> Answer {
    for (bucket, word) in [(class.first, a), (class.second, b)] {
        match word_contains(tokens, class, bucket, word) {
            Answer::Absent => {}
            other => return other,
        }
    }
    Answer::Absent
}

fn word_contains<L: Layout>(
    tokens: &Tokens<L>,
    class: Candidates,
    bucket: usize,
    word: Word<L>,
) -> Answer {
    let f = class.fingerprint;
    let content = match word.content() {
        Content::Bucket(content) => content,
        Content::Reference(reference) => match tokens.resolve(bucket, reference) {
            Resolved::Stale => return Answer::Unclear,
            Resolved::Settled(content) => content,
            Resolved::Pending(pending) => {
                let transfer = pending.transfer;
                let arriving = transfer.moved.map(|token| token.fingerprint());
                if arriving == Some(f) && bucket != transfer.source {
                    sync::happened(Event::Arrival);
                    // The token itself is arriving here. Cases, by the word at its source:
                    // the same reference: frozen on both sides, so it is in one of them; present.
                    if tokens.table.load(transfer.source) == word {
                        return Answer::Present;
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
    if content.contains(f) {
        Answer::Present
    } else {
        Answer::Absent
    }
}

/// The number of tokens of this class. Settles both words, so it may write.
///
/// The two words are read one after the other. A token that is removed behind the reader while an equal
/// one is added ahead of it is counted twice; one that hops is never missed, for the same reason as in
/// [`contains`].
pub(super) fn count<L: Layout>(tokens: &Tokens<L>, class: Candidates) -> usize {
    let Candidates {
        first,
        second,
        fingerprint,
    } = class;
    loop {
        let version = tokens.stripes.version(fingerprint);
        let copies =
            settle(tokens, first).count(fingerprint) + settle(tokens, second).count(fingerprint);
        if tokens.stripes.unchanged(fingerprint, version) {
            return copies;
        }
    }
}
