//! The order that the parent gives a child.

use std::time::Duration;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Work {
    /// Inserts, from empty to 95 % load.
    Insert,
    /// Inserts in batches, from empty to 95 % load.
    InsertMany,
    /// Lookups of keys that are in.
    Hit,
    /// Lookups of keys that are not.
    Miss,
    /// Hits in batches.
    HitMany,
    /// Misses in batches.
    MissMany,
    /// Removes, of a quarter of the keys.
    Remove,
    /// Removes in batches, of a quarter of the keys.
    RemoveMany,
    /// 90 % lookups, 5 % inserts and 5 % removes at 95 % load.
    Mixed,
    /// Inserts and lookups on one thread, from 5 to 95 % load.
    Curve,
    /// Single operations of mixed work, with more threads than cores.
    Latency,
}

impl Work {
    /// The works with a rate, in the order of the reports.
    pub(crate) const RATED: [Self; 9] = [
        Self::Insert,
        Self::InsertMany,
        Self::Hit,
        Self::Miss,
        Self::HitMany,
        Self::MissMany,
        Self::Remove,
        Self::RemoveMany,
        Self::Mixed,
    ];

    /// What the reports and the command line call it.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value().expect("no work is skipped");
        value.get_name().to_owned()
    }

    /// What it is, in words.
    pub(crate) fn words(self) -> String {
        let value = self.to_possible_value().expect("no work is skipped");
        let help = value.get_help().map(ToString::to_string);
        help.unwrap_or_else(|| self.name())
    }

    pub(crate) fn is_batched(self) -> bool {
        self.single().is_some()
    }

    /// The work of single calls, of a work in batches.
    pub(crate) fn single(self) -> Option<Self> {
        match self {
            Self::InsertMany => Some(Self::Insert),
            Self::HitMany => Some(Self::Hit),
            Self::MissMany => Some(Self::Miss),
            Self::RemoveMany => Some(Self::Remove),
            _ => None,
        }
    }

    pub(crate) fn removes(self) -> bool {
        matches!(
            self,
            Self::Remove | Self::RemoveMany | Self::Mixed | Self::Latency
        )
    }

    /// With more threads than cores, what threads do one after the other tells nothing new.
    pub(crate) fn is_oversubscribed(self) -> bool {
        matches!(self, Self::Hit | Self::Mixed)
    }
}

/// What one child has to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) items: usize,
    pub(crate) contenders: Vec<String>,
    pub(crate) work: Vec<Work>,
    pub(crate) threads: Vec<usize>,
    /// For each measurement.
    pub(crate) seconds: f64,
    /// The fewest pairs of slices in a measurement.
    pub(crate) pairs: usize,
}

impl Job {
    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    pub(crate) fn asks_for(&self, work: Work) -> bool {
        self.work.contains(&work)
    }
}
