//! Relocation: moves one token to its alternate bucket, in one atomic step: see
//! [transfers](crate::design::protocol#transfers).

use super::descriptor::{Claim, Pool, State};
use super::parts::Tokens;
use super::path::{CuckooGraph, Hop};
use super::settlement::settle;
use super::transfer::Transfer;
use crate::layout::{Bucket, Layout, Token};
use crate::sync::{self, Event};
use crate::table::{Candidates, Reference};

/// Executes one hop and, with it, places `placed` in the slot that becomes vacant. Returns false if the table has
/// changed so that the hop is impossible, or if another writer disturbed it. Then nothing is changed.
///
/// Linearization point: the commit. It changes no class's number of tokens, but for `placed`.
pub(super) fn relocate<L: Layout>(
    graph: &impl CuckooGraph<L>,
    claim: &mut Claim<'_, L>,
    hop: Hop<L>,
    placed: Option<Token<L>>,
) -> bool {
    let committed = try_to_relocate(graph, claim, hop, placed);
    sync::happened(match (committed, placed) {
        (false, _) => Event::Broken,
        (true, None) => Event::Hop,
        (true, Some(_)) => Event::Kick,
    });
    committed
}

fn try_to_relocate<L: Layout>(
    graph: &impl CuckooGraph<L>,
    claim: &mut Claim<'_, L>,
    hop: Hop<L>,
    placed: Option<Token<L>>,
) -> bool {
    let ends = [hop.source, hop.destination].map(|bucket| graph.settle(bucket));
    let [Some(old_source), Some(old_destination)] = ends else {
        return false;
    };
    let transfer = Transfer {
        moved: Some(hop.moved),
        placed,
        source: hop.source,
        destination: hop.destination,
        old_source,
        old_destination,
    };
    // Both contents are known before anything is published: a use that is committed can always be written back.
    let (Some(new_source), Some(new_destination)) =
        (transfer.after(hop.source), transfer.after(hop.destination))
    else {
        return false;
    };
    // From here on, until the claim publishes again, a word with this reference holds `before` while the use is
    // pending or aborted, and `after` once it is committed, whichever thread writes it back.
    let (reference, pending) = claim.publish(transfer);
    // All relocations freeze the lower word first. So if two cover the same words, one of them gets both.
    let lower = hop.source.min(hop.destination);
    let higher = hop.source.max(hop.destination);
    // Fails if the word is not what was read: then the hop may be impossible. No word is frozen yet.
    if !graph.freeze(lower, transfer.before(lower), reference) {
        claim.decide(pending, State::Aborted);
        return false;
    }
    // From here on another thread may abort the use and write the lower word back.
    if !graph.freeze(higher, transfer.before(higher), reference) {
        // Abort before writing back: a word that is written back has a decided use, so no thread can commit a use after
        // one of its words has changed.
        claim.decide(pending, State::Aborted);
        graph.thaw(lower, reference, transfer.before(lower));
        return false;
    }
    // After the installs, so that a lookup or a scan whose first read of the stripe includes this bump sees both
    // references; before the commit, so that one that sees the commit sees the bump, and the hint.
    graph.announce(hop.source, hop.moved);
    // Fails exactly if another thread has aborted the use. Otherwise both words are still frozen: a writer takes
    // a reference out only after the use is decided. So the token is in one word before this exchange and in the other
    // one after it, for every thread.
    let committed = claim.decide(pending, State::Committed);
    let (source, destination) = if committed {
        (new_source, new_destination)
    } else {
        (old_source, old_destination)
    };
    graph.thaw(hop.source, reference, source);
    graph.thaw(hop.destination, reference, destination);
    committed
}

impl<L: Layout> Tokens<L> {
    /// Moves one token of this class from its first candidate to its second. For tests.
    pub(crate) fn relocate_one(&self, hash: u64) -> bool {
        let class = self.table.candidates(hash);
        let moved = if L::VALUE_BITS == 0 {
            Some(Token::of(class.fingerprint))
        } else {
            self.peek(class.first).find(class.fingerprint)
        };
        let (Some(moved), Some(mut claim)) = (moved, self.pool.claim()) else {
            return false;
        };
        let hop = Hop {
            moved,
            source: class.first,
            destination: class.second,
            last: true,
        };
        relocate(self, &mut claim, hop, None)
    }
}

impl<L: Layout> CuckooGraph<L> for Tokens<L> {
    #[inline]
    fn buckets(&self) -> usize {
        self.table.len()
    }

    #[inline]
    fn budget(&self) -> usize {
        self.search_budget()
    }

    #[inline]
    fn look(&self, bucket: usize) -> Bucket<L> {
        self.peek(bucket)
    }

    #[inline]
    fn other(&self, bucket: usize, token: Token<L>) -> usize {
        self.table.alternate(bucket, token.fingerprint())
    }

    #[inline]
    fn fetch(&self, bucket: usize) {
        self.table.prefetch(bucket);
    }

    #[inline]
    fn copies(&self, _: usize, content: Bucket<L>, class: Candidates) -> usize {
        content.count(class.fingerprint)
    }

    #[inline]
    fn pool(&self) -> &Pool<L> {
        &self.pool
    }

    fn settle(&self, bucket: usize) -> Option<Bucket<L>> {
        Some(settle(self, bucket))
    }

    fn freeze(&self, bucket: usize, before: Bucket<L>, reference: Reference<L>) -> bool {
        self.table.exchange(bucket, before, reference)
    }

    fn announce(&self, bucket: usize, token: Token<L>) {
        self.announce(bucket, token.fingerprint());
    }

    fn thaw(&self, bucket: usize, reference: Reference<L>, content: Bucket<L>) {
        self.table.exchange(bucket, reference, content);
    }
}
