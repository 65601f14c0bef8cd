//! Relocation: moves one token to its other bucket, in one atomic step, as [`relocation`](crate::tokens) does in a table
//! of a fixed size.
//!
//! Both ends are of one level, so the lane stays as it is: index and tail change together, and lanes hold the tail of the
//! first side.

use super::opening::replace;
use super::parts::{Bucket, Doubling, Token};
use super::removal::longest;
use super::settlement::live;
use super::splitting::settle_computed;

use crate::layout::prefix::Head;
use crate::sync::{self, Event};
use crate::table::Candidates;
use crate::table::doubling::{Class, Lanes16, alternate, level_of};
use crate::tokens::descriptor::{Claim, Pool, State};
use crate::tokens::relocation::Hop;
use crate::tokens::terrain::Terrain;
use crate::tokens::transfer::Transfer;

fn head(token: Token) -> Head {
    Head::of_lane(token.bits() as u16)
}

/// A search sees the words of one level. Those that are not there are empty for it: a child that is yet to come will
/// have room, more often than not, and a hop to a bucket that is gone fails.
impl Terrain<Lanes16> for Doubling {
    fn buckets(&self) -> usize {
        1 << self.level()
    }

    fn budget(&self) -> usize {
        self.search_budget
    }

    #[inline]
    fn look(&self, bucket: usize) -> Bucket {
        Doubling::look(self, bucket)
    }

    #[inline]
    fn other(&self, bucket: usize, token: Token) -> usize {
        alternate(bucket, head(token))
    }

    #[inline]
    fn fetch(&self, bucket: usize) {
        self.blocks.prefetch(bucket);
    }

    /// Those that cover the item: a split sends all of them to the same side as the item.
    fn copies(&self, bucket: usize, content: Bucket, class: Candidates) -> usize {
        let depth = self.blocks.depth(level_of(bucket));
        // Of a table that doubles, candidates have the lane of the item.
        let wanted = class.fingerprint.bits() as u16;
        let covering = depth.covering(wanted, content.bits(), 0);
        covering.count_ones() as usize / 2
    }

    fn pool(&self) -> &Pool<Lanes16> {
        &self.pool
    }

    fn hop(
        &self,
        claim: &mut Claim<'_, Lanes16>,
        hop: Hop<Lanes16>,
        placed: Option<Token>,
    ) -> bool {
        let committed = try_to_relocate(self, claim, hop, placed);
        sync::happened(match (committed, placed) {
            (false, _) => Event::Broken,
            (true, None) => Event::Hop,
            (true, Some(_)) => Event::Kick,
        });
        committed
    }
}

fn try_to_relocate(
    tokens: &Doubling,
    claim: &mut Claim<'_, Lanes16>,
    hop: Hop<Lanes16>,
    placed: Option<Token>,
) -> bool {
    let ends = [hop.source, hop.destination].map(|bucket| settle_computed(tokens, bucket));
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
    // From here on each step is that of `tokens::relocation`, where the reasons are.
    let (Some(new_source), Some(new_destination)) =
        (transfer.after(hop.source), transfer.after(hop.destination))
    else {
        return false;
    };
    let (reference, pending) = claim.publish(transfer);
    let lower = hop.source.min(hop.destination);
    let higher = hop.source.max(hop.destination);
    if !replace(tokens, lower, transfer.before(lower), reference) {
        claim.decide(pending, State::Aborted);
        return false;
    }
    if !replace(tokens, higher, transfer.before(higher), reference) {
        claim.decide(pending, State::Aborted);
        tokens
            .blocks
            .exchange(lower, reference, transfer.before(lower));
        return false;
    }
    // Between the installs and the commit.
    tokens.announce(hop.source, head(hop.moved));
    let committed = claim.decide(pending, State::Committed);
    let (source, destination) = if committed {
        (new_source, new_destination)
    } else {
        (old_source, old_destination)
    };
    // An exchange that fails here has been done by another thread.
    tokens.blocks.exchange(hop.source, reference, source);
    tokens
        .blocks
        .exchange(hop.destination, reference, destination);
    committed
}

/// Moves the longest token that covers this item to its other bucket. For checks that want it at will.
pub(super) fn relocate_one(tokens: &Doubling, class: Class) -> bool {
    let pair = [class.first, class.second].map(|index| live(tokens, index));
    let (Some((side, moved, _)), Some(mut claim)) = (longest(class, &pair), tokens.pool.claim())
    else {
        return false;
    };
    let source = pair[side].bucket;
    let hop = Hop {
        moved,
        source,
        destination: alternate(source, class.head),
        last: true,
    };
    tokens.hop(&mut claim, hop, None)
}
