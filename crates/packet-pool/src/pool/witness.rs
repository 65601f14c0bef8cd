//! What workers write down for the exact check.

use crate::filters::{Answer, Scratch};
use crate::keys::Key;
use std::ops::{Range, RangeInclusive};
use std::sync::atomic::{AtomicU64, Ordering};

/// Orders the starts and ends of batches.
#[derive(Default)]
pub(crate) struct Clock(AtomicU64);

impl Clock {
    /// A number higher than all before. What a worker did before it took a
    /// number is seen by whoever took a higher one.
    pub(crate) fn tick(&self) -> u64 {
        // Acquire and Release: all ticks are one chain of exchanges, so each
        // one pairs with all that come after it.
        self.0.fetch_add(1, Ordering::AcqRel)
    }
}

/// The answers to one batch.
pub(crate) struct Record {
    /// The number of the batch.
    pub(crate) number: u64,
    pub(crate) period: u64,
    /// Packets, those without a key included.
    pub(crate) packets: usize,
    /// When the work on it began and ended, by the clock.
    pub(crate) time: Range<u64>,
    /// The generations that took keys when the first was asked for, and after the last.
    pub(crate) generations: RangeInclusive<u64>,
    pub(crate) answers: Vec<(Key, Answer)>,
}

impl Record {
    pub(crate) fn new(
        (number, period): (u64, u64),
        packets: usize,
        time: Range<u64>,
        generations: RangeInclusive<u64>,
        scratch: &Scratch,
    ) -> Self {
        let answers = scratch
            .keys
            .iter()
            .copied()
            .zip(scratch.answers.iter().copied());
        Self {
            number,
            period,
            packets,
            time,
            generations,
            answers: answers.collect(),
        }
    }
}
