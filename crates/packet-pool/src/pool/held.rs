//! Batches that are held in memory, for measuring.

use super::{Source, Work};
use crate::batches::Batch;
use crate::filter::Kind;
use crossbeam_utils::CachePadded;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Hands out the batches of a slice, some passes over it, by a shared cursor.
pub(crate) struct Held<'a> {
    batches: &'a [Arc<Batch>],
    stop: &'a AtomicBool,
    /// The next batch, counted through all the passes.
    cursor: CachePadded<AtomicU64>,
    /// Batches in all the passes.
    total: u64,
    /// Periods in one pass; 0 if there is one period for ever.
    periods: u64,
}

impl<'a> Held<'a> {
    pub(crate) fn new(
        batches: &'a [Arc<Batch>],
        passes: u32,
        kind: Kind,
        stop: &'a AtomicBool,
    ) -> Self {
        let last = batches.last().filter(|_| kind == Kind::Rotating);
        Self {
            batches,
            stop,
            cursor: CachePadded::new(AtomicU64::new(0)),
            total: batches.len() as u64 * u64::from(passes),
            // Time goes on from pass to pass.
            periods: last.map_or(0, |batch| batch.period + 1),
        }
    }
}

impl Source for Held<'_> {
    fn next(&self) -> Option<Work> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        // Relaxed: the batches were complete before the threads started.
        let number = self.cursor.fetch_add(1, Ordering::Relaxed);
        if number >= self.total {
            return None;
        }
        let length = self.batches.len() as u64;
        let batch = &self.batches[(number % length) as usize];
        Some(Work {
            number,
            period: number / length * self.periods + batch.period,
            batch: Arc::clone(batch),
        })
    }
}
