//! Growth, with all processors at once: the time that processors wait for lines while a filter
//! fills and doubles.
//!
//! Each thread is a processor with a clock of its own. Of all threads only the one whose clock is
//! furthest behind runs, up to an access at which another one is: so calls overlap as they do on
//! that many processors. A clock advances by a little for each access, and by more for one for
//! which a line changes hands. A line can change hands only once at a time, so processors that need
//! one line wait for each other. The times of all of this are assumed; what counts is how the sums
//! change with the number of processors, and with the code.

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;

use cache_lines::{Caches, LINE};
use lockfree_cuckoo::GrowingCuckooFilter;
use lockfree_cuckoo::testing::hooks::{Fate, access, stepping};

/// Nanoseconds until a line has come from another processor.
const PASS: f64 = 80.0;

/// Nanoseconds of an access to a line that is there, with the instructions before it.
const STEP: f64 = 2.0;

/// Nanoseconds that a write takes besides: nearly all of them are locked.
const WRITE: f64 = 5.0;

/// How far a clock may be ahead of another one. Less would take more switches between threads.
const AHEAD: f64 = 25.0;

/// The processors, and what they have done.
struct Processors {
    caches: Caches,
    /// The time of each, until its work is done.
    clocks: Vec<Option<f64>>,
    /// The one that runs.
    turn: usize,
    /// The time from which on a line can change hands again.
    free: HashMap<usize, f64>,
    /// The time that all have waited for a line.
    waited: HashMap<usize, f64>,
    passes: usize,
    end: f64,
}

impl Processors {
    fn new(number: usize) -> Self {
        Self {
            caches: Caches::new(number),
            clocks: vec![Some(0.0); number],
            turn: 0,
            free: HashMap::new(),
            waited: HashMap::new(),
            passes: 0,
            end: 0.0,
        }
    }

    /// Advances the clock of the running processor by an access.
    fn access(&mut self, address: usize, writes: bool) {
        let line = address / LINE;
        let clock = self.clocks[self.turn].as_mut().expect("it runs");
        *clock += STEP;
        if self.caches.access(self.turn, address, writes) {
            let free = self.free.entry(line).or_default();
            let come = free.max(*clock) + PASS;
            *free = come;
            *self.waited.entry(line).or_default() += come - *clock;
            self.passes += 1;
            *clock = come;
        }
        *clock += if writes { WRITE } else { 0.0 };
    }

    /// Returns the processor that is furthest behind.
    fn last(&self) -> Option<(usize, f64)> {
        let clocks = self.clocks.iter().enumerate();
        let clocks = clocks.filter_map(|(number, clock)| Some((number, (*clock)?)));
        clocks.min_by(|(_, a), (_, b)| a.total_cmp(b))
    }
}

/// The processors, shared by their threads, and where each waits for its turn.
struct Shared(Mutex<Processors>, Vec<Condvar>);

impl Shared {
    fn processors(&self) -> MutexGuard<'_, Processors> {
        self.0.lock().expect("no panic")
    }

    fn wait(&self, me: usize, processors: MutexGuard<'_, Processors>) {
        let wakes = self.1[me].wait_while(processors, |processors| processors.turn != me);
        drop(wakes.expect("no panic"));
    }

    /// Counts an access of a processor, and lets another one run if that is behind.
    fn step(&self, me: usize) {
        let access = access().expect("there is one");
        let mut processors = self.processors();
        processors.access(access.address, access.writes);
        let clock = processors.clocks[me].expect("it runs");
        match processors.last() {
            Some((last, behind)) if behind + AHEAD < clock => {
                processors.turn = last;
                self.1[last].notify_one();
                self.wait(me, processors);
            }
            _ => {}
        }
    }

    /// Ends the work of a processor.
    fn finish(&self, me: usize) {
        let mut processors = self.processors();
        let clock = processors.clocks[me].take().expect("it runs");
        processors.end = processors.end.max(clock);
        if let Some((last, _)) = processors.last() {
            processors.turn = last;
            self.1[last].notify_one();
        }
    }
}

/// What an insert costs, on average.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// Nanoseconds of a processor.
    pub(crate) time: f64,
    /// Of these, waiting for lines.
    pub(crate) waits: f64,
    /// Of these, for the one line that was waited for most.
    pub(crate) waits_for_one: f64,
    /// The lines that changed hands.
    pub(crate) passes: f64,
}

/// Inserts items into a filter made for `start` of them, which holds them before, by this many
/// processors.
pub(crate) fn grow(start: usize, items: usize, processors: usize) -> Cost {
    let filter = GrowingCuckooFilter::builder().capacity(start).seed(0);
    let filter = filter.build().expect("memory");
    let hashes: Vec<u64> = (0..items as u64).map(model::mix).collect();
    let (before, hashes) = hashes.split_at(start);
    filter.insert_many_hash(before).expect("memory");
    let waits = (0..processors).map(|_| Condvar::new()).collect();
    let shared = Arc::new(Shared(Mutex::new(Processors::new(processors)), waits));
    let each = hashes.len() / processors;
    thread::scope(|scope| {
        for (me, hashes) in hashes.chunks_exact(each).take(processors).enumerate() {
            let (filter, shared) = (&filter, Arc::clone(&shared));
            scope.spawn(move || {
                shared.wait(me, shared.processors());
                let steps = Arc::clone(&shared);
                let step = move |_| {
                    steps.step(me);
                    Fate::Goes
                };
                let insert = |&hash: &u64| filter.insert_hash(hash).expect("memory");
                black_box(stepping(step, || hashes.iter().for_each(insert)));
                shared.finish(me);
            });
        }
    });
    let done = shared.processors();
    let inserts = (each * processors) as f64;
    let waits = done.waited.values().copied();
    Cost {
        time: done.end * processors as f64 / inserts,
        waits: waits.clone().fold(0.0, |sum, wait| sum + wait) / inserts,
        waits_for_one: waits.fold(0.0, f64::max) / inserts,
        passes: done.passes as f64 / inserts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many processors share a growth without waiting for each other at one line.
    #[test]
    fn a_growth_has_no_line_that_all_wait_for() {
        let [one, many] = [1, 16].map(|processors| grow(30_000, 70_000, processors));
        assert_eq!((one.waits, one.passes), (0.0, 0.0));
        assert!(many.waits > one.time, "{many:?}");
        assert!(many.waits_for_one < many.waits / 10.0, "{many:?}");
    }
}
