//! The work: what one thread does with its share of the keys.
//!
//! Plain loops over keys that lie ready in memory. Each returns how many calls said yes, so that no call can
//! be optimized away, and so that the harness can check it.

use std::ops::Range;

use crate::contender::Contender;
use crate::keys::{Keys, PROBES_PER_BLOCK};

/// Operations in a block of mixed work.
pub const OPS_PER_BLOCK: usize = PROBES_PER_BLOCK + 2;

/// Inserts the keys. The number that was not refused.
pub fn insert_each<C: Contender>(table: &C, keys: &[u64]) -> usize {
    count(keys, |key| table.insert(key))
}

/// Looks the keys up. The number that was found.
pub fn look_up_each<C: Contender>(table: &C, keys: &[u64]) -> usize {
    count(keys, |key| table.contains(key))
}

/// Removes the keys. The number that was there.
pub fn remove_each<C: Contender>(table: &C, keys: &[u64]) -> usize {
    count(keys, |key| table.remove(key))
}

/// Does blocks of mixed work: each removes one key and inserts another, at the given turn of the ring, and
/// looks up a group of probes. Stays at the load that it starts from. The number of removes and inserts that
/// succeeded; found probes are left out, because false positives would blur the number.
///
/// Blocks of one turn of at most half a ring are independent, so threads can divide them in any way.
pub fn mix<C: Contender>(table: &C, keys: &Keys, blocks: Range<usize>) -> usize {
    let mask = keys.ring.len() - 1;
    let half = keys.ring.len() / 2;
    let groups = keys.probes.len() / PROBES_PER_BLOCK;
    let mut changed = 0;
    for block in blocks {
        let probes = &keys.probes[(block & (groups - 1)) * PROBES_PER_BLOCK..][..PROBES_PER_BLOCK];
        let (before, after) = probes.split_at(PROBES_PER_BLOCK / 2);
        changed += usize::from(table.remove(keys.ring[block & mask]));
        std::hint::black_box(look_up_each(table, before));
        changed += usize::from(table.insert(keys.ring[(block + half) & mask]));
        std::hint::black_box(look_up_each(table, after));
    }
    changed
}

#[inline]
fn count(keys: &[u64], mut call: impl FnMut(u64) -> bool) -> usize {
    keys.iter().map(|&key| usize::from(call(key))).sum()
}
