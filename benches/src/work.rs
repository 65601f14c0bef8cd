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
    /// `insert_unique` of new items, from empty to 95 % load.
    Unique,
    /// `insert_unique` of new items in batches.
    UniqueMany,
    /// `insert_unique` of stored items at 95 % load.
    Known,
    /// `insert_unique` of stored items in batches.
    KnownMany,
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
            Self::UniqueMany => Some(Self::Unique),
            Self::KnownMany => Some(Self::Known),
            _ => None,
        }
    }

    /// Returns whether it fills a table.
    #[must_use]
    pub fn fills(self) -> bool {
        matches!(self, Self::Insert | Self::InsertMany) || self.fills_by_unique()
    }

    /// Returns whether it fills a table with at most one of some keys that collide.
    pub(crate) fn fills_by_unique(self) -> bool {
        matches!(self, Self::Unique | Self::UniqueMany)
    }

    /// Returns whether a contender can do it.
    #[must_use]
    pub fn suits<C: Contender>(self) -> bool {
        let removes = matches!(self, Self::Remove | Self::RemoveMany | Self::Mixed);
        let unique = matches!(self.single().unwrap_or(self), Self::Unique | Self::Known);
        (C::REMOVES || !removes)
            && (C::UNIQUE || !unique)
            && (C::BATCHED || self.single().is_none())
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

/// Inserts the absent ones of some keys in batches. Returns the number of keys that were added.
#[inline(never)]
pub(crate) fn insert_unique_many<C: Contender>(table: &C, keys: &[u64]) -> usize {
    count_in_batches(keys, |batch, added| table.insert_unique_many(batch, added))
}

/// Does the same with keys that are all stored.
#[inline(never)]
pub(crate) fn insert_known_many<C: Contender>(table: &C, keys: &[u64]) -> usize {
    count_in_batches(keys, |batch, added| table.insert_known_many(batch, added))
}

/// Looks the keys up in batches. Returns the number of keys that were found.
#[inline(never)]
pub(crate) fn look_up_many<C: Contender>(table: &C, keys: &[u64]) -> usize {
    count_in_batches(keys, |batch, found| table.contains_many(batch, found))
}

/// Makes a call for each batch, which writes an answer for each key. Returns the number of answers
/// that are true.
#[inline]
fn count_in_batches(keys: &[u64], call: impl Fn(&[u64], &mut [bool])) -> usize {
    let mut answers = [false; BATCH];
    let mut sum = 0;
    for batch in keys.chunks(BATCH) {
        let answers = &mut answers[..batch.len()];
        call(batch, answers);
        sum += answers.iter().map(|&yes| usize::from(yes)).sum::<usize>();
    }
    sum
}

/// Removes the keys in batches. Returns the number of keys that were removed.
#[inline(never)]
pub(crate) fn remove_many<C: Contender>(table: &C, keys: &[u64]) -> usize {
    let batches = keys.chunks(BATCH);
    batches.map(|batch| table.remove_many(batch)).sum()
}
