//! Many hashes in a row, with the memory of the next ones already on its way.

use super::parts::Tokens;
use crate::layout::Layout;

/// Hashes between the prefetch of one and its turn: enough to cover the way to memory, and few enough that
/// their lines are still in the first-level cache. By measurement, 16 to 64 are about as good.
const DISTANCE: usize = 32;

/// The hashes in order, each some time after its words were asked for.
#[inline]
pub(super) fn ahead<L: Layout>(tokens: &Tokens<L>, hashes: &[u64]) -> impl Iterator<Item = u64> {
    hashes
        .iter()
        .take(DISTANCE)
        .for_each(|&hash| prefetch(tokens, hash));
    hashes.iter().enumerate().map(move |(turn, &hash)| {
        if let Some(&later) = hashes.get(turn + DISTANCE) {
            prefetch(tokens, later);
        }
        hash
    })
}

#[inline]
fn prefetch<L: Layout>(tokens: &Tokens<L>, hash: u64) {
    let class = tokens.table.candidates(hash);
    tokens.table.prefetch(class.first);
    tokens.table.prefetch(class.second);
}
