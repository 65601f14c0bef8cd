//! Lookup: two parallel loads, and a version check for a miss.

use crate::geometry::Candidates;
use crate::matches::Matches;
use crate::sync::{self, Event};
use crate::tokens::{Resolved, Tokens};
use crate::word::{Content, Word};

/// What one candidate says about a token.
enum Answer {
    Present,
    Absent,
    /// The word is changing hands; look again.
    Unclear,
}

impl Tokens {
    /// Whether a token of this class is stored. Writes nothing.
    ///
    /// Linearization points: of a hit, the load of the word that holds the token, or a moment at which it was
    /// in one of two words frozen by the same reference; of a miss, a moment between the two version reads.
    /// There is one: a token of the class passes from the word read second to the word read first only with
    /// a bump between, or by the help of a remove that was under way before and can be placed there.
    #[inline]
    pub(crate) fn contains(&self, hash: u64) -> bool {
        // The version first. What the writer of either word did before, above all a bump, is visible to
        // `change_since` below.
        let (class, version, a, b) = self.look_at(hash, |f| self.stripes.version(f));
        if Word::are_plain(a, b) {
            let matches = Matches::of(class.fingerprint, a.plain(), b.plain());
            // A hit needs no validation, because the token was there when the word was loaded; so it weighs
            // more than a bump, and a miss nothing. One comparison for both: a branch on hit or miss
            // would be mispredicted as often as the caller cannot know the answer either.
            if self.stripes.change_since(class.fingerprint, version) <= matches.weight() {
                return matches.any();
            }
        }
        self.contains_slowly(hash)
    }

    /// The same in full: looks behind references, and goes round until the answer is certain.
    #[cold]
    fn contains_slowly(&self, hash: u64) -> bool {
        let class = self.geometry.candidates(hash);
        let Candidates {
            first,
            second,
            fingerprint,
        } = class;
        loop {
            let version = self.stripes.version(fingerprint);
            let (a, b) = (self.table.load(first), self.table.load(second));
            match self.pair_contains(class, a, b) {
                Answer::Present => return true,
                Answer::Unclear => continue,
                Answer::Absent => {}
            }
            if self.stripes.unchanged(fingerprint, version) {
                return false;
            }
            sync::happened(Event::Repeat);
        }
    }

    /// What two loaded words say together.
    fn pair_contains(&self, class: Candidates, a: Word, b: Word) -> Answer {
        for (bucket, word) in [(class.first, a), (class.second, b)] {
            match self.word_contains(class, bucket, word) {
                Answer::Absent => {}
                other => return other,
            }
        }
        Answer::Absent
    }

    fn word_contains(&self, class: Candidates, bucket: usize, word: Word) -> Answer {
        let f = class.fingerprint;
        let content = match word.content() {
            Content::Bucket(content) => content,
            Content::Reference(reference) => match self.resolve(bucket, reference) {
                Resolved::Stale => return Answer::Unclear,
                Resolved::Settled(content) => content,
                Resolved::Pending(pending) => {
                    let transfer = pending.transfer;
                    if transfer.moved == Some(f) && bucket != transfer.source {
                        sync::happened(Event::Arrival);
                        // The token itself is arriving here. Cases, by the word at its source:
                        // the same reference: frozen on both sides, so it is in one of them; present.
                        if self.table.load(transfer.source) == word {
                            return Answer::Present;
                        }
                        // something else, and decided meanwhile: the source may be cleared already.
                        if self.pool.control(reference) != pending.control {
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
    /// [`contains`](Self::contains).
    pub(crate) fn count_class(&self, class: Candidates) -> usize {
        let Candidates {
            first,
            second,
            fingerprint,
        } = class;
        loop {
            let version = self.stripes.version(fingerprint);
            let copies =
                self.settle(first).count(fingerprint) + self.settle(second).count(fingerprint);
            if self.stripes.unchanged(fingerprint, version) {
                return copies;
            }
        }
    }
}
