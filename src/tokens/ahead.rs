//! Many hashes in a row, with the memory of the next ones already on its way.

use super::parts::Tokens;
use crate::layout::Layout;

/// Hashes between the prefetch of one and its turn: enough to cover the way to memory, and few enough that
/// their lines are still in the first-level cache. By measurement, 16 to 64 are about as good.
const DISTANCE: usize = 32;

/// The hashes, or what stands for them, in order, each some time after `prefetch` was called for it.
#[inline]
pub(crate) fn ahead<T: Copy>(hashes: &[T], prefetch: impl Fn(T)) -> impl Iterator<Item = T> {
    hashes
        .iter()
        .take(DISTANCE)
        .for_each(|&hash| prefetch(hash));
    hashes.iter().enumerate().map(move |(turn, &hash)| {
        if let Some(&later) = hashes.get(turn + DISTANCE) {
            prefetch(later);
        }
        hash
    })
}

/// Asks for the words of a hash.
#[inline]
pub(super) fn prefetch<L: Layout>(tokens: &Tokens<L>, hash: u64) {
    let class = tokens.table.candidates(hash);
    tokens.table.prefetch(class.first);
    tokens.table.prefetch(class.second);
}
