//! Mixed work: 90 % lookups, 5 % inserts and 5 % removes, at a constant load.

use std::ops::Range;

use crate::keys::{Keys, PROBES_PER_BLOCK};
use crate::tally::{Faults, missed};

/// Operations in a block of mixed work.
pub const OPS_PER_BLOCK: usize = PROBES_PER_BLOCK + 2;

/// The single operations of mixed work.
pub(crate) trait Operations {
    /// Adds a key. Returns false if it was refused.
    fn insert(&mut self, hash: u64) -> bool;

    /// Returns whether a key is stored.
    fn contains(&self, hash: u64) -> bool;

    /// Removes a key. Returns false if it was absent.
    fn remove(&mut self, hash: u64) -> bool;
}

/// Runs blocks of mixed work: each removes one key, inserts another at the given turn of the ring,
/// and looks up a group of probes. The load stays the same.
///
/// Blocks of one turn of at most half a ring are independent, so threads can divide them in any
/// way.
#[inline(never)]
pub(crate) fn mix(table: &mut impl Operations, keys: &Keys, blocks: Range<usize>) -> Faults {
    let mask = keys.ring.len() - 1;
    let half = keys.ring.len() / 2;
    let mut faults = Faults::default();
    for block in blocks {
        let (probes, stored) = keys.probe_group(block);
        let (before, after) = probes.split_at(PROBES_PER_BLOCK / 2);
        faults.unremoved += usize::from(!table.remove(keys.ring[block & mask]));
        let found = look_up_group(table, before);
        faults.refused += usize::from(!table.insert(keys.ring[(block + half) & mask]));
        let found = found | look_up_group(table, after) << before.len();
        faults.missed += missed(found, stored);
    }
    faults
}

/// Looks up a few keys. Returns one bit for each, set if it was found.
#[inline]
fn look_up_group(table: &impl Operations, keys: &[u64]) -> u32 {
    let bits = keys.iter().enumerate();
    bits.fold(0, |found, (at, &key)| {
        found | u32::from(table.contains(key)) << at
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::Contender;
    use crate::limit::Limit;

    #[test]
    fn missing_keys_are_counted() {
        let keys = Keys::generate(1_000);
        // The table is empty, so every remove and every lookup of a stored key fails.
        let table = Limit::with_capacity(1_000_000);
        let faults = table.mix(&keys, 0..10);
        let stored: u32 = (0..10).map(|at| keys.probe_group(at).1.count_ones()).sum();
        assert_eq!(faults.unremoved, 10);
        assert_eq!(faults.missed, stored as usize);
        assert_eq!(faults.refused, 0);
    }
}
