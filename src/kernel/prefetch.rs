//! Prefetching: the hashes of a batch, each some time after its words were asked for.

/// Hashes between the prefetch of one and its turn: enough to cover the way to memory, and so few
/// that the first of a short batch do not wait for the last. Of 8, 12, 16, 24 and 32 it was the
/// fastest in batches of 32 and of 1,000.
pub(crate) const LOOKAHEAD: usize = 16;

/// Hashes between a look at the words of one and its turn: they have arrived by then.
pub(crate) const ALTERNATES_LOOKAHEAD: usize = 12;

/// Hashes between looks at words as long as there is room.
pub(crate) const PROBE_INTERVAL: usize = 8;

/// The buckets of a table of 1 MiB.
pub(crate) const L2_BUCKETS: usize = (1 << 20) / size_of::<u64>();

/// The buckets of a table of 4 MiB: the second-level cache of no core holds a larger one. In a
/// smaller one a look ahead costs more than it saves.
pub(crate) const MAX_L2_BUCKETS: usize = 4 * L2_BUCKETS;

/// Whether the second-level cache of a core is likely to hold this many buckets: then a prefetch
/// costs more than it saves.
#[inline]
pub(crate) fn is_near(buckets: usize) -> bool {
    buckets <= L2_BUCKETS
}

/// The hashes in order, each some time after `prefetch` was called for it, unless the tables are
/// near.
#[inline]
pub(crate) fn prefetching(
    hashes: &[u64],
    are_near: bool,
    prefetch: impl Fn(u64),
) -> impl Iterator<Item = u64> {
    let distance = if are_near { hashes.len() } else { LOOKAHEAD };
    if !are_near {
        let first = hashes.iter().take(LOOKAHEAD);
        first.for_each(|&hash| prefetch(hash));
    }
    hashes.iter().enumerate().map(move |(turn, &hash)| {
        if let Some(&later) = hashes.get(turn + distance) {
            prefetch(later);
        }
        hash
    })
}
