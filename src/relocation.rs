//! Relocation: moves one token to its alternate bucket, in one step for everybody who looks.
//!
//! ```text
//! publish -> freeze lower word -> freeze higher word -> bump -> commit -> write back both
//!                 |                    |                  |
//!                 +--------------------+------------------+-> abort -> write back
//! ```
//!
//! The commit is one exchange on the descriptor; both words change their logical content with it. Any
//! writer that needs a frozen word aborts the relocation before that exchange, or writes the word back after
//! it, so nobody ever waits.

use crate::descriptor::{Claim, State};
use crate::fingerprint::Fingerprint;
use crate::hop::Hop;
use crate::sync::{self, Event};
use crate::tokens::Tokens;
use crate::transfer::Transfer;

impl Tokens {
    /// Executes one hop and, with it, places `placed` in the slot that becomes vacant. False if the table
    /// has changed so that the hop is impossible, or another writer was in the way; nothing is changed then.
    ///
    /// Linearization point: the commit. It changes no class's number of tokens, but for `placed`.
    pub(crate) fn relocate(
        &self,
        claim: &mut Claim<'_>,
        hop: Hop,
        placed: Option<Fingerprint>,
    ) -> bool {
        let committed = self.try_to_relocate(claim, hop, placed);
        sync::happened(match (committed, placed) {
            (false, _) => Event::Broken,
            (true, None) => Event::Hop,
            (true, Some(_)) => Event::Kick,
        });
        committed
    }

    fn try_to_relocate(
        &self,
        claim: &mut Claim<'_>,
        hop: Hop,
        placed: Option<Fingerprint>,
    ) -> bool {
        let transfer = Transfer {
            moved: Some(hop.moved),
            placed,
            source: hop.source,
            destination: hop.destination,
            old_source: self.settle(hop.source),
            old_destination: self.settle(hop.destination),
        };
        let (Some(new_source), Some(new_destination)) =
            (transfer.after(hop.source), transfer.after(hop.destination))
        else {
            return false;
        };
        let (reference, pending) = claim.publish(transfer);
        // One order for all: of two relocations over the same words, one gets both.
        let lower = hop.source.min(hop.destination);
        let higher = hop.source.max(hop.destination);
        if !self
            .table
            .exchange(lower, transfer.before(lower), reference)
        {
            claim.decide(pending, State::Aborted);
            return false;
        }
        if !self
            .table
            .exchange(higher, transfer.before(higher), reference)
        {
            claim.decide(pending, State::Aborted);
            self.table
                .exchange(lower, reference, transfer.before(lower));
            return false;
        }
        // After the installs, so that a lookup or a scan that counts this bump in sees both references; before
        // the commit, so that one that sees the commit sees the bump, and the hint.
        self.announce(hop.source, hop.moved);
        let committed = claim.decide(pending, State::Committed);
        // An exchange that fails here has been done by somebody else.
        if committed {
            self.table.exchange(hop.source, reference, new_source);
            self.table
                .exchange(hop.destination, reference, new_destination);
        } else {
            self.table
                .exchange(hop.source, reference, transfer.old_source);
            self.table
                .exchange(hop.destination, reference, transfer.old_destination);
        }
        committed
    }

    /// Moves one token of this class from its first candidate to its second.
    pub(crate) fn relocate_one(&self, hash: u64) -> bool {
        let class = self.geometry.candidates(hash);
        let hop = Hop {
            moved: class.fingerprint,
            source: class.first,
            destination: class.second,
            last: true,
        };
        self.pool
            .claim()
            .is_some_and(|mut claim| self.relocate(&mut claim, hop, None))
    }
}
