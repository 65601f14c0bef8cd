//! The workers: threads that share one filter and one cursor over the batches.

// Inside the library atomics go through a module that the model checker can
// replace. This program is outside of it.
#![allow(clippy::disallowed_types)]

use crate::batch::Batch;
use crate::flow::FlowKey;
use lockfree_cuckoo::{CuckooFilter, InsertError};
use std::collections::HashSet;
use std::hint;
use std::io;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// What one worker did.
pub(crate) struct Tally {
    pub(crate) packets: u64,
    /// Packets without an IP header.
    pub(crate) no_flow: u64,
    pub(crate) duplicates: u64,
    /// Packets whose flow the filter refused to take.
    pub(crate) refused: u64,
    /// The flows this worker saw first.
    pub(crate) firsts: Vec<FlowKey>,
    /// The flows that were refused at least once.
    pub(crate) refused_flows: HashSet<FlowKey>,
    /// What the filter said the first time that it refused.
    pub(crate) refusal: Option<InsertError>,
    pub(crate) started: Instant,
    pub(crate) ended: Instant,
}

/// The work that the threads share.
struct Work<'a> {
    filter: &'a CuckooFilter,
    batches: &'a [Batch],
    /// The next batch to take, counted through all the passes.
    cursor: AtomicU64,
    /// Batches in all the passes.
    total: u64,
    gate: AtomicU8,
    workers: usize,
    /// Workers that have come through the gate and are ready to start.
    ready: AtomicUsize,
}

/// The states of the gate, which keeps the workers asleep until there are as
/// many as there should be.
const WAIT: u8 = 0;
const GO: u8 = 1;
const CANCEL: u8 = 2;

/// Turns that a worker waits before it lets somebody else run: long enough for
/// those that have a processor to arrive.
const SPINS: u32 = 1000;

/// Runs the packets through the filter `repeat` times with `workers` threads,
/// and tells `progress` how many of how many batches are done.
///
/// Fails if the system does not give the threads.
pub(crate) fn run(
    filter: &CuckooFilter,
    batches: &[Batch],
    workers: usize,
    repeat: u32,
    progress: Option<&dyn Fn(u64, u64)>,
) -> io::Result<Vec<Tally>> {
    let work = Work {
        filter,
        batches,
        cursor: AtomicU64::new(0),
        total: batches.len() as u64 * u64::from(repeat),
        gate: AtomicU8::new(WAIT),
        workers,
        ready: AtomicUsize::new(0),
    };
    thread::scope(|scope| {
        let threads: io::Result<Vec<_>> = (0..workers)
            .map(|number| {
                thread::Builder::new()
                    .name(format!("worker {number}"))
                    .spawn_scoped(scope, || work.run())
                    .inspect_err(|_| work.gate.store(CANCEL, Ordering::Release))
            })
            .collect();
        let threads = threads?;
        work.gate.store(GO, Ordering::Release);
        for thread in &threads {
            thread.thread().unpark();
        }
        if let Some(progress) = progress {
            while !threads.iter().all(ScopedJoinHandle::is_finished) {
                let taken = work.cursor.load(Ordering::Relaxed);
                progress(taken.min(work.total), work.total);
                thread::sleep(Duration::from_millis(50));
            }
        }
        let tallies = threads.into_iter().map(|thread| match thread.join() {
            Ok(tally) => tally,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        Ok(tallies.collect())
    })
}

impl Work<'_> {
    fn run(&self) -> Tally {
        while self.gate.load(Ordering::Acquire) == WAIT {
            // The timeout is for a cancelled start, which unparks nobody.
            thread::park_timeout(Duration::from_millis(10));
        }
        let go = self.gate.load(Ordering::Acquire) == GO;
        if go {
            self.await_the_others();
        }
        let started = Instant::now();
        let mut tally = Tally {
            packets: 0,
            no_flow: 0,
            duplicates: 0,
            refused: 0,
            firsts: Vec::new(),
            refused_flows: HashSet::new(),
            refusal: None,
            started,
            ended: started,
        };
        if go {
            while let Some(batch) = self.next_batch() {
                tally.process(batch, self.filter);
            }
        }
        tally.ended = Instant::now();
        tally
    }

    /// Returns in all the workers at one time. They stay awake meanwhile:
    /// waking up takes longer than the work on a small capture.
    fn await_the_others(&self) {
        self.ready.fetch_add(1, Ordering::Relaxed);
        while self.ready.load(Ordering::Relaxed) < self.workers {
            for _ in 0..SPINS {
                hint::spin_loop();
            }
            // There may be more workers than processors.
            thread::yield_now();
        }
    }

    /// Takes a batch that no other worker gets.
    fn next_batch(&self) -> Option<&Batch> {
        // Relaxed: the batches were complete before the threads started.
        let taken = self.cursor.fetch_add(1, Ordering::Relaxed);
        if taken >= self.total {
            return None;
        }
        let index = taken % self.batches.len() as u64;
        self.batches.get(usize::try_from(index).ok()?)
    }
}

impl Tally {
    fn process(&mut self, batch: &Batch, filter: &CuckooFilter) {
        for (link, frame) in batch.packets() {
            self.packets += 1;
            let Some(flow) = link.flow_of(frame) else {
                self.no_flow += 1;
                continue;
            };
            match filter.insert_unique(&flow) {
                Ok(true) => self.firsts.push(flow),
                Ok(false) => self.duplicates += 1,
                Err(error) => {
                    self.refused += 1;
                    self.refused_flows.insert(flow);
                    self.refusal.get_or_insert(error);
                }
            }
        }
    }
}
