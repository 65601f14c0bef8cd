//! What a segment says to an admission in another one.

use crate::bucket::Bucket;
use crate::geometry::Candidates;
use crate::sync::{self, Event};
use crate::tokens::Tokens;
use crate::word::Content;

impl Tokens {
    /// Whether there is no token of a class, for an admission in another segment. An admission that is pending
    /// here is aborted, and one that comes later knows of everything that the caller did before.
    ///
    /// Read-modify-writes, for the same reason as at the [witness](Tokens::decide_admission).
    pub(crate) fn holds_none(&self, hash: u64) -> bool {
        let Candidates {
            first,
            second,
            fingerprint,
        } = self.geometry.candidates(hash);
        loop {
            let version = self.stripes.version(fingerprint);
            let holds = |bucket| self.settle_latest(bucket).contains(fingerprint);
            if holds(first) || holds(second) {
                return false;
            }
            if self.stripes.unchanged(fingerprint, version) {
                return true;
            }
            sync::happened(Event::Repeat);
        }
    }

    fn settle_latest(&self, bucket: usize) -> Bucket {
        match self.table.read_latest(bucket).content() {
            Content::Bucket(content) => content,
            Content::Reference(_) => self.settle_reference(bucket),
        }
    }
}
