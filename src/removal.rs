//! Removal: clears exactly one token, or finds that there is none.

use crate::geometry::Candidates;
use crate::tokens::Tokens;

impl Tokens {
    /// Removes one token of this class. False if there is none.
    ///
    /// Linearization points: of a success, the exchange that clears the slot; of a failure, a moment
    /// between the two version reads, as in [`contains`](Self::contains).
    pub(crate) fn remove(&self, class: Candidates) -> bool {
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
                    self.stripes.bump(fingerprint);
                    bumped = true;
                }
                if self.table.exchange(bucket, content, cleared) {
                    return true;
                }
            }
            if self.stripes.unchanged(fingerprint, version) {
                return false;
            }
        }
    }
}
