//! The work: what is measured, and the loops that one thread does over its share of the keys.
//!
//! Plain loops over keys that lie ready in memory. Each returns how many calls said yes or what went wrong,
//! so that no call can be optimized away, and so that the harness can check it.
//!
//! None is inlined: where a loop stands, and which registers are free there, costs up to a third of a lookup.

use std::ops::Range;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::contender::Contender;
use crate::keys::{Keys, PROBES_PER_BLOCK};
use crate::rig::Faults;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// Inserts from empty to 95 % load.
    Insert,
    /// Inserts in batches, from empty to 95 % load.
    InsertMany,
    /// Lookups of stored items.
    Hit,
    /// Lookups of absent items.
    Miss,
    /// Hits in batches.
    HitMany,
    /// Misses in batches.
    MissMany,
    /// Removes of a quarter of the items.
    Remove,
    /// Removes in batches, of a quarter of the items.
    RemoveMany,
    /// 90 % lookups, 5 % inserts and 5 % removes at 95 % load.
    Mixed,
}

impl Work {
    /// What the reports and the command line call it.
    #[must_use]
    pub fn name(self) -> String {
        let value = self.to_possible_value().expect("no work is skipped");
        value.get_name().to_owned()
    }

    /// What it is, in words.
    #[must_use]
    pub fn words(self) -> String {
        let value = self.to_possible_value().expect("no work is skipped");
        let help = value.get_help().expect("each work is documented");
        help.to_string()
    }

    /// The work of single calls, of a work in batches.
    #[must_use]
    pub fn single(self) -> Option<Self> {
        match self {
            Self::InsertMany => Some(Self::Insert),
            Self::HitMany => Some(Self::Hit),
            Self::MissMany => Some(Self::Miss),
            Self::RemoveMany => Some(Self::Remove),
            _ => None,
        }
    }

    /// Whether it fills a table.
    #[must_use]
    pub fn fills(self) -> bool {
        matches!(self, Self::Insert | Self::InsertMany)
    }

    /// Whether a contender can do it.
    #[must_use]
    pub fn suits<C: Contender>(self) -> bool {
        let removes = matches!(self, Self::Remove | Self::RemoveMany | Self::Mixed);
        (C::REMOVES || !removes) && (C::BATCHED || self.single().is_none())
    }
}

/// Operations in a block of mixed work.
pub const OPS_PER_BLOCK: usize = PROBES_PER_BLOCK + 2;

/// Keys in one call of the batched work.
const BATCH: usize = 256;

/// Calls something for each of the items. The number of calls that said yes.
#[inline(never)]
pub fn count<T>(items: &[T], call: impl Fn(&T) -> bool) -> usize {
    items.iter().map(|item| usize::from(call(item))).sum()
}

/// Inserts the keys in batches. The number that was not refused.
#[inline(never)]
pub(crate) fn insert_many<C: Contender>(table: &C, keys: &[u64]) -> usize {
    let batches = keys.chunks(BATCH);
    batches.map(|batch| table.insert_many(batch)).sum()
}

/// Looks the keys up in batches. The number that was found.
#[inline(never)]
pub(crate) fn look_up_many<C: Contender>(table: &C, keys: &[u64]) -> usize {
    let mut found = [false; BATCH];
    let mut sum = 0;
    for batch in keys.chunks(BATCH) {
        let found = &mut found[..batch.len()];
        table.contains_many(batch, found);
        sum += found.iter().map(|&found| usize::from(found)).sum::<usize>();
    }
    sum
}

/// Removes the keys in batches. The number that was there.
#[inline(never)]
pub(crate) fn remove_many<C: Contender>(table: &C, keys: &[u64]) -> usize {
    let batches = keys.chunks(BATCH);
    batches.map(|batch| table.remove_many(batch)).sum()
}

/// Does blocks of mixed work: each removes one key and inserts another, at the given turn of the ring, and
/// looks up a group of probes. Stays at the load that it starts from.
///
/// Blocks of one turn of at most half a ring are independent, so threads can divide them in any way.
#[inline(never)]
pub(crate) fn mix<C: Contender>(table: &C, keys: &Keys, blocks: Range<usize>) -> Faults {
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

/// Looks up a few keys. One bit for each, set if it was found.
#[inline]
fn look_up_group<C: Contender>(table: &C, keys: &[u64]) -> u32 {
    let bits = keys.iter().enumerate();
    bits.fold(0, |found, (at, &key)| {
        found | u32::from(table.contains(key)) << at
    })
}

/// How many of the stored ones, one bit for each, were not found.
#[inline]
pub(crate) fn missed(found: u32, stored: u32) -> usize {
    (stored & !found).count_ones() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::Limit;

    #[test]
    fn mixed_work_notices_what_is_missing() {
        let keys = Keys::generate(1_000);
        // Empty, so every remove and every lookup of a stored key fails.
        let table = Limit::with_capacity(1_000_000);
        let faults = mix(&table, &keys, 0..10);
        let stored: u32 = (0..10).map(|at| keys.probe_group(at).1.count_ones()).sum();
        assert_eq!(faults.unremoved, 10);
        assert_eq!(faults.missed, stored as usize);
        assert_eq!(faults.refused, 0);
    }
}
