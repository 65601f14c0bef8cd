//! The witness: what one table says to an admission in another one.

use super::parts::Tokens;
use super::settlement::settle_reference;
use crate::layout::{Bucket, Layout};
use crate::sync::{self, Event};
use crate::table::{Candidates, Content};

/// Whether there is no token of a class, for an admission in another table. It aborts an admission that is pending
/// here. An admission that comes later sees everything that the caller did before.
///
/// Validated by the version, as any miss is. Read-modify-writes, for the same reason as at the witness of a
/// [verdict](super::verdict).
pub(super) fn holds_none<L: Layout>(tokens: &Tokens<L>, hash: u64) -> bool {
    let Candidates {
        first,
        second,
        fingerprint,
    } = tokens.table.candidates(hash);
    loop {
        let version = tokens.stripes.version(fingerprint);
        let holds = |bucket| settle_latest(tokens, bucket).contains(fingerprint);
        if holds(first) || holds(second) {
            return false;
        }
        if tokens.stripes.unchanged(fingerprint, version) {
            return true;
        }
        sync::happened(Event::Repeat);
    }
}

fn settle_latest<L: Layout>(tokens: &Tokens<L>, bucket: usize) -> Bucket<L> {
    match tokens.table.read_latest(bucket).content() {
        Content::Bucket(content) => content,
        Content::Reference(_) => settle_reference(tokens, bucket),
    }
}
