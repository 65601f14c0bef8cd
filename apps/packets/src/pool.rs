//! The pool: worker threads that share the filter and a source of batches.

mod sources;

pub(crate) use sources::{Held, Stream};

use crate::batches::Batch;
use crate::filter::{Answer, Decide, Filter, Scratch};
use crate::keys::{Key, Keys};
use crate::results::Results;
use lockfree_cuckoo::InsertError;
use std::io;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A batch to work on.
pub(crate) struct Work {
    /// The number of the batch, in the order in which they are handed out.
    number: u64,
    /// The period of the batch, counted through all passes.
    period: u64,
    batch: Arc<Batch>,
}

/// A source of batches. None is handed out twice, and their periods never go back.
pub(crate) trait Source: Sync {
    /// Returns the next batch for one worker, unless the source has ended.
    fn next(&self) -> Option<Work>;
}

/// A pool of workers, ready to run.
pub(crate) struct Pool<'a> {
    pub(crate) workers: usize,
    pub(crate) keys: &'a Keys,
    pub(crate) filter: &'a Filter,
    pub(crate) decide: &'a Decide,
    pub(crate) source: &'a dyn Source,
    /// Set to end the source.
    pub(crate) stop: &'a AtomicBool,
    /// The clock with which the workers record every answer, for the exact check.
    pub(crate) clock: Option<&'a Clock>,
    /// Takes the new packets.
    pub(crate) results: Option<&'a Results>,
}

/// The outcome of a worker.
pub(crate) struct Outcome {
    pub(crate) tally: Tally,
    pub(crate) records: Vec<Record>,
}

/// A clock that orders the starts and ends of batches.
#[derive(Default)]
pub(crate) struct Clock(AtomicU64);

impl Clock {
    /// Returns a number higher than all before. A worker sees everything that other workers did
    /// before they took a lower number.
    fn tick(&self) -> u64 {
        // Acquire and Release: all ticks are one chain of exchanges, so each one pairs with all
        // later ones.
        self.0.fetch_add(1, Ordering::AcqRel)
    }
}

/// The answers to one batch, for the exact check.
pub(crate) struct Record {
    pub(crate) period: u64,
    /// The number of packets, those without a key included.
    pub(crate) packets: usize,
    /// The start and end of the work on it, by the clock.
    pub(crate) time: Range<u64>,
    /// The generation that took keys at the first question, and after the last one.
    pub(crate) generations: RangeInclusive<u64>,
    pub(crate) answers: Vec<(Key, Answer)>,
}

impl Pool<'_> {
    /// Runs until the source ends. Fails, and ends the source, if the system refuses a thread.
    pub(crate) fn run(&self) -> io::Result<Vec<Outcome>> {
        thread::scope(|scope| {
            let threads: io::Result<Vec<_>> = (0..self.workers)
                .map(|number| {
                    thread::Builder::new()
                        .name(format!("worker {number}"))
                        .spawn_scoped(scope, || self.work())
                        .inspect_err(|_| self.stop.store(true, Ordering::Relaxed))
                })
                .collect();
            let outcomes = threads?.into_iter().map(|thread| match thread.join() {
                Ok(outcome) => outcome,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            Ok(outcomes.collect())
        })
    }

    fn work(&self) -> Outcome {
        let mut tally = Tally::default();
        let mut records = Vec::new();
        let mut scratch = Scratch::default();
        while let Some(work) = self.source.next() {
            // Measure a worker from its first batch on: a stream may keep it waiting.
            tally.started.get_or_insert_with(Instant::now);
            let started = self.clock.map(Clock::tick);
            tally.read(self.keys, &work.batch, &mut scratch);
            // Rotate as late as possible, so that fewer batches of other workers are late.
            self.filter.begin(work.period);
            let generation = self.filter.rotations();
            (self.decide)(self.filter, &mut scratch);
            let generations = generation..=self.filter.rotations();
            if let Some(results) = self.results {
                results.take(work.number, &work.batch, &scratch);
            }
            tally.count(&mut scratch);
            if let (Some(clock), Some(started)) = (self.clock, started) {
                let (keys, answers) = (&scratch.keys, &scratch.answers);
                records.push(Record {
                    period: work.period,
                    packets: work.batch.len(),
                    answers: keys.iter().copied().zip(answers.iter().copied()).collect(),
                    generations,
                    time: started..clock.tick(),
                });
            }
            tally.ended = Some(Instant::now());
        }
        Outcome { tally, records }
    }
}

/// Counts of packets, of one worker or of all.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) packets: u64,
    /// Packets without a key.
    pub(crate) no_key: u64,
    pub(crate) firsts: u64,
    pub(crate) duplicates: u64,
    /// Packets whose key the filter refused to take.
    pub(crate) refused: u64,
    /// Duplicates whose key the young generation had no room to take over.
    pub(crate) unrefreshed: u64,
    /// The last refusal of the filter.
    pub(crate) refusal: Option<InsertError>,
    /// The firsts that are TCP, UDP, ICMP and other flows.
    pub(crate) kinds: [u64; 4],
    /// The start of the first batch, and the end of the last one. A worker without a batch did not
    /// take part.
    pub(crate) started: Option<Instant>,
    pub(crate) ended: Option<Instant>,
}

impl Tally {
    /// Makes the keys of a batch. Packets without one are counted only.
    fn read(&mut self, keys: &Keys, batch: &Batch, scratch: &mut Scratch) {
        scratch.keys.clear();
        scratch.without_key.clear();
        for (place, (link, packet)) in batch.packets().enumerate() {
            match keys.of_frame(link, packet.frame) {
                Some(key) => scratch.keys.push(key),
                None => scratch.without_key.push(place),
            }
        }
        self.packets += batch.len() as u64;
        self.no_key += scratch.without_key.len() as u64;
    }

    /// Counts the answers to a batch.
    fn count(&mut self, scratch: &mut Scratch) {
        for (key, answer) in scratch.keys.iter().zip(&scratch.answers) {
            match answer {
                Answer::New => {
                    self.firsts += 1;
                    self.kinds[key.kind()] += 1;
                }
                Answer::Known => self.duplicates += 1,
                Answer::Unrefreshed => {
                    self.duplicates += 1;
                    self.unrefreshed += 1;
                }
                Answer::Refused => self.refused += 1,
            }
        }
        self.refusal = scratch.refusal.take().or(self.refusal.take());
    }

    /// Adds up all workers, from the first one's start to the last one's end.
    pub(crate) fn of_all(tallies: &[Self]) -> Self {
        let mut all = Self::default();
        for tally in tallies {
            all.packets += tally.packets;
            all.no_key += tally.no_key;
            all.firsts += tally.firsts;
            all.duplicates += tally.duplicates;
            all.refused += tally.refused;
            all.unrefreshed += tally.unrefreshed;
            all.refusal = all.refusal.take().or_else(|| tally.refusal.clone());
            for (sum, kind) in all.kinds.iter_mut().zip(tally.kinds) {
                *sum += kind;
            }
            all.ended = all.ended.max(tally.ended);
        }
        all.started = tallies.iter().filter_map(|tally| tally.started).min();
        all
    }

    pub(crate) fn time(&self) -> Duration {
        let both = self.started.zip(self.ended);
        both.map_or(Duration::ZERO, |(started, ended)| ended - started)
    }

    /// Returns the packets per second.
    pub(crate) fn rate(&self) -> f64 {
        self.packets as f64 / self.time().as_secs_f64().max(1e-9)
    }
}
