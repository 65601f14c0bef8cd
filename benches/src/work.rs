//! The kinds of work that are measured, and the loops of the batched ones.
//!
//! The loops go over keys that lie ready in memory. Each returns the number of calls that returned
//! true, so that the harness can check it and no call is optimized away.
//!
//! None is inlined: the position of a loop, and the registers that are free there, cost up to a
//! third of a lookup.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::contender::Contender;

/// A kind of work.
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
    /// Returns its name in reports and on the command line.
    #[must_use]
    pub fn name(self) -> String {
        let value = self.to_possible_value().expect("no work is skipped");
        value.get_name().to_owned()
    }

    /// Returns its description.
    #[must_use]
    pub fn words(self) -> String {
        let value = self.to_possible_value().expect("no work is skipped");
        let help = value.get_help().expect("each work is documented");
        help.to_string()
    }

    /// Returns the same work by single calls, if this is work in batches.
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

    /// Returns whether it fills a table.
    #[must_use]
    pub fn fills(self) -> bool {
        matches!(self, Self::Insert | Self::InsertMany)
    }

    /// Returns whether a contender can do it.
    #[must_use]
    pub fn suits<C: Contender>(self) -> bool {
        let removes = matches!(self, Self::Remove | Self::RemoveMany | Self::Mixed);
        (C::REMOVES || !removes) && (C::BATCHED || self.single().is_none())
    }
}

/// The keys of one call of the batched work.
const BATCH: usize = 256;

/// Inserts the keys in batches. Returns the number of accepted keys.
#[inline(never)]
pub(crate) fn insert_many<C: Contender>(table: &C, keys: &[u64]) -> usize {
    let batches = keys.chunks(BATCH);
    batches.map(|batch| table.insert_many(batch)).sum()
}

/// Looks the keys up in batches. Returns the number of keys that were found.
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

/// Removes the keys in batches. Returns the number of keys that were removed.
#[inline(never)]
pub(crate) fn remove_many<C: Contender>(table: &C, keys: &[u64]) -> usize {
    let batches = keys.chunks(BATCH);
    batches.map(|batch| table.remove_many(batch)).sum()
}
