//! Removal: clears exactly one token, or finds that there is none.

use core::hint::select_unpredictable;

use crate::geometry::Candidates;
use crate::matches::Matches;
use crate::sync::{self, Event};
use crate::tokens::Tokens;
use crate::word::Word;

impl Tokens {
    /// Removes one token of this class. False if there is none.
    ///
    /// Linearization points: of a success, the exchange that clears the slot; of a failure, a moment
    /// between the two version reads, as in [`contains`](Self::contains).
    #[inline]
    pub(crate) fn remove(&self, hash: u64) -> bool {
        let (class, (), a, b) = self.look_at(hash, |_| ());
        if Word::are_plain(a, b) {
            let (a, b) = (a.plain(), b.plain());
            let matches = Matches::of(class.fingerprint, a, b);
            // Where there are more, a bump may be due.
            if matches.is_single() {
                let in_first = matches.in_first();
                // Selects, because nothing foretells which of the two it is.
                let bucket = select_unpredictable(in_first, class.first, class.second);
                let content = select_unpredictable(in_first, a, b);
                let cleared = content.cleared(matches.slot());
                if self.table.exchange(bucket, content, cleared) {
                    return true;
                }
            }
        }
        self.remove_slowly(hash)
    }

    /// The same in full: for frozen words, for several tokens, for none, and after a lost exchange.
    #[cold]
    fn remove_slowly(&self, hash: u64) -> bool {
        self.remove_class(self.geometry.candidates(hash))
    }

    pub(crate) fn remove_class(&self, class: Candidates) -> bool {
        let Candidates {
            first,
            second,
            fingerprint,
        } = class;
        let mut bumped = false;
        loop {
            let version = self.stripes.version(fingerprint);
            loop {
                let a = self.settle(first);
                let b = self.settle(second);
                let (bucket, content, cleared, twin) = match (a.without(fingerprint), b) {
                    (Some(cleared), b) => (first, a, cleared, b.contains(fingerprint)),
                    (None, b) => match b.without(fingerprint) {
                        Some(cleared) => (second, b, cleared, false),
                        None => break,
                    },
                };
                if twin && !bumped {
                    // An equal token is in the other bucket. It may have come there behind a lookup that
                    // has yet to read this one; that lookup must not miss both. If there is none, the
                    // remove can be placed before any later insert, so nobody needs to be told.
                    self.announce(first, fingerprint);
                    sync::happened(Event::Twin);
                    bumped = true;
                }
                if self.table.exchange(bucket, content, cleared) {
                    return true;
                }
            }
            if self.stripes.unchanged(fingerprint, version) {
                return false;
            }
            sync::happened(Event::Repeat);
        }
    }
}
