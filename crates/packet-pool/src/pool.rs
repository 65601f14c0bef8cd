//! The workers: threads that share the filters and a source of batches.

mod held;
mod source;
mod stream;
mod tally;
mod witness;

pub(crate) use held::Held;
pub(crate) use source::Source;
pub(crate) use stream::{Stream, StreamError};
pub(crate) use tally::Tally;
pub(crate) use witness::{Clock, Record};

use crate::filters::{Decide, Scratch};
use crate::keys::Keys;
use crate::results::Results;
use crossbeam_utils::CachePadded;
use std::hint;
use std::io;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// What a pool needs to run.
pub(crate) struct Pool<'a> {
    pub(crate) workers: usize,
    pub(crate) keys: &'a Keys,
    pub(crate) decide: &'a Decide,
    pub(crate) source: &'a dyn Source,
    /// Makes the workers write down every answer, for the exact check.
    pub(crate) clock: Option<&'a Clock>,
    /// Takes the packets that were new.
    pub(crate) results: Option<&'a Results>,
}

/// What the workers have done so far, for those who watch.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) packets: AtomicU64,
    pub(crate) firsts: AtomicU64,
}

/// What a worker brings back.
pub(crate) struct Outcome {
    pub(crate) tally: Tally,
    pub(crate) records: Vec<Record>,
}

/// Keeps the workers asleep until there are as many as there should be.
struct Gate {
    state: AtomicU8,
    workers: usize,
    /// Workers that have come through the gate and are ready to start.
    ready: AtomicUsize,
}

const WAIT: u8 = 0;
const GO: u8 = 1;
const CANCEL: u8 = 2;

/// Turns that a worker waits before it lets somebody else run: long enough for
/// those that have a processor to arrive.
const SPINS: u32 = 1000;

impl Pool<'_> {
    /// Runs until the source ends, and calls `watch` twenty times a second.
    ///
    /// Fails if the system does not give the threads.
    pub(crate) fn run(&self, watch: Option<&dyn Fn(&Done)>) -> io::Result<Vec<Outcome>> {
        let done = CachePadded::new(Done::default());
        let gate = Gate {
            state: AtomicU8::new(WAIT),
            workers: self.workers,
            ready: AtomicUsize::new(0),
        };
        thread::scope(|scope| {
            let threads: io::Result<Vec<_>> = (0..self.workers)
                .map(|number| {
                    thread::Builder::new()
                        .name(format!("worker {number}"))
                        .spawn_scoped(scope, || self.work(&gate, &done))
                        .inspect_err(|_| gate.state.store(CANCEL, Ordering::Release))
                })
                .collect();
            let threads = threads?;
            gate.state.store(GO, Ordering::Release);
            for thread in &threads {
                thread.thread().unpark();
            }
            if let Some(watch) = watch {
                while !threads.iter().all(ScopedJoinHandle::is_finished) {
                    watch(&done);
                    thread::sleep(Duration::from_millis(50));
                }
            }
            let outcomes = threads.into_iter().map(|thread| match thread.join() {
                Ok(outcome) => outcome,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            Ok(outcomes.collect())
        })
    }

    fn work(&self, gate: &Gate, done: &Done) -> Outcome {
        let go = gate.pass();
        let mut tally = Tally::new();
        let mut records = Vec::new();
        let mut scratch = Scratch::default();
        // The time of a worker is from its first batch on: a stream may keep it waiting.
        let mut supply = self.source.supply();
        while let Some(work) = go.then(|| supply.next()).flatten() {
            if tally.packets == 0 {
                tally.started = Instant::now();
            }
            let started = self.clock.map(Clock::tick);
            let firsts = tally.firsts;
            let number = (work.number, work.period);
            let packets = work.batch.len();
            tally.read(self.keys, &work, &mut scratch);
            // As late as can be, so that fewer batches of other workers are late.
            work.filters.begin(work.period);
            let generation = work.filters.generation();
            (self.decide)(&*work.filters, &mut scratch);
            let generations = generation..=work.filters.generation();
            if let Some(results) = self.results {
                results.take(work.number, &work.batch, &scratch);
            }
            tally.count(work, &mut scratch);
            if let (Some(clock), Some(started)) = (self.clock, started) {
                records.push(Record::new(
                    number,
                    packets,
                    started..clock.tick(),
                    generations,
                    &scratch,
                ));
            }
            done.packets.fetch_add(packets as u64, Ordering::Relaxed);
            done.firsts
                .fetch_add(tally.firsts - firsts, Ordering::Relaxed);
            tally.ended = Instant::now();
        }
        Outcome { tally, records }
    }
}

impl Gate {
    /// Waits for the start, and returns in all the workers at one time; `false`
    /// if there will be none.
    fn pass(&self) -> bool {
        while self.state.load(Ordering::Acquire) == WAIT {
            // The timeout is for a cancelled start, which unparks nobody.
            thread::park_timeout(Duration::from_millis(10));
        }
        if self.state.load(Ordering::Acquire) != GO {
            return false;
        }
        // They stay awake: waking up takes longer than the work on a small capture.
        self.ready.fetch_add(1, Ordering::Relaxed);
        while self.ready.load(Ordering::Relaxed) < self.workers {
            for _ in 0..SPINS {
                hint::spin_loop();
            }
            // There may be more workers than processors.
            thread::yield_now();
        }
        true
    }
}
