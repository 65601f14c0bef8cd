//! Batches that are held in memory, for measuring.

use super::source::{Source, Work};
use crate::batches::Batch;
use crate::filters::{Maker, Window};
use crossbeam_channel::{Receiver, unbounded};
use crossbeam_utils::CachePadded;
use lockfree_cuckoo::BuildError;
use once_cell::race::OnceBox;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Hands out the batches of a slice, some passes over it, by a shared cursor.
pub(crate) struct Held<'a> {
    batches: &'a [Arc<Batch>],
    /// Whether the filters rotate.
    rotates: bool,
    /// The workers' places at the start. Nothing else holds on to the first one.
    places: Receiver<Window>,
    stop: &'a AtomicBool,
    /// The next batch, counted through all the passes.
    cursor: CachePadded<AtomicU64>,
    /// Batches in all the passes.
    total: u64,
    /// Periods in one pass.
    periods: u64,
    /// Why there are no filters for a period.
    failure: OnceBox<BuildError>,
}

impl<'a> Held<'a> {
    pub(crate) fn new(
        batches: &'a [Arc<Batch>],
        passes: u32,
        workers: usize,
        maker: &Maker,
        stop: &'a AtomicBool,
    ) -> Result<Self, BuildError> {
        let (sender, places) = unbounded();
        let first = Window::first(maker)?;
        for _ in 0..workers {
            // It cannot fail, as the receiver is at hand.
            let _ = sender.send(first.clone());
        }
        Ok(Self {
            batches,
            rotates: maker.rotates(),
            places,
            stop,
            cursor: CachePadded::new(AtomicU64::new(0)),
            total: batches.len() as u64 * u64::from(passes),
            // Time goes on from pass to pass.
            periods: batches.last().map_or(0, |batch| batch.period()) + 1,
            failure: OnceBox::new(),
        })
    }

    /// Why it ended too early, if it did.
    pub(crate) fn failure(&self) -> Option<&BuildError> {
        self.failure.get()
    }

    /// The batch with this number, and its period.
    fn batch(&self, number: u64) -> Option<(&Arc<Batch>, u64)> {
        if number >= self.total {
            return None;
        }
        let length = self.batches.len() as u64;
        let index = usize::try_from(number % length).ok()?;
        let batch = self.batches.get(index)?;
        let period = batch.period();
        Some((
            batch,
            if self.rotates {
                number / length * self.periods + period
            } else {
                0
            },
        ))
    }
}

impl Source for Held<'_> {
    fn supply(&self) -> Box<dyn Iterator<Item = Work> + '_> {
        let Ok(mut place) = self.places.try_recv() else {
            // More workers than were announced.
            return Box::new(std::iter::empty());
        };
        Box::new(std::iter::from_fn(move || {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            // Relaxed: the batches were complete before the threads started.
            let number = self.cursor.fetch_add(1, Ordering::Relaxed);
            let (batch, period) = self.batch(number)?;
            match place.advance(period) {
                Ok(filters) => Some(Work {
                    number,
                    period,
                    batch: Arc::clone(batch),
                    filters,
                }),
                Err(error) => {
                    let _ = self.failure.set(Box::new(error));
                    None
                }
            }
        }))
    }
}
