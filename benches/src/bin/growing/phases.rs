//! Where the time of the inserts goes in a filter that grows: how much of it is growth, and how much
//! is spent where the table is nearly full.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

use harness::median;
use harness::race::{race, share};
use lockfree_cuckoo::GrowingCuckooFilter;
use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo_benches::{Keys, Table, cores, items_name};

/// The names of the phases.
const PHASES: [&str; 4] = [
    "while it doubles",
    "below 80 % load",
    "80 to 90 % load",
    "above",
];

/// The inserts of a thread between two looks at the clock.
const BLOCK: usize = 64;

/// A block that takes so many times as long as most of its phase has lost its processor.
const MUCH: u32 = 10;

/// The times of the blocks of each phase.
#[derive(Debug, Default)]
struct Times([Vec<Duration>; PHASES.len()]);

impl AddAssign for Times {
    fn add_assign(&mut self, mut other: Self) {
        for (mine, times) in self.0.iter_mut().zip(&mut other.0) {
            mine.append(times);
        }
    }
}

impl Times {
    /// Returns the number of inserts of each phase, and the mean time of one in nanoseconds.
    fn of_an_insert(&self) -> [(usize, f64); PHASES.len()] {
        self.0.each_ref().map(|times| {
            let usual = median(times.iter().map(Duration::as_secs_f64)).unwrap_or(0.0);
            let is_undisturbed = |&time: &f64| time < usual * f64::from(MUCH);
            let times_of = times.iter().map(Duration::as_secs_f64);
            let some: Vec<f64> = times_of.filter(is_undisturbed).collect();
            let inserts = some.len().max(1) * BLOCK;
            (
                times.len() * BLOCK,
                some.iter().sum::<f64>() * 1e9 / inserts as f64,
            )
        })
    }
}

/// Fills a filter of a first size, by this many threads.
fn fill(keys: &[u64], start: usize, threads: usize) -> Times {
    let filter = GrowingCuckooFilter::with_capacity(start);
    let work = |thread| {
        let mut times = Times::default();
        for block in keys[share(&(0..keys.len()), thread, threads)].chunks_exact(BLOCK) {
            let was_growing = filter.doubled().is_some();
            let load = filter.len() as f64 / filter.slots() as f64;
            let begin = Instant::now();
            let mut inserted = block.iter().map(|&key| filter.insert_hash(key));
            assert!(inserted.all(|outcome| outcome.is_ok()), "there is memory");
            let time = begin.elapsed();
            let phase = match filter.doubled() {
                // It has begun or ended within the block.
                is_growing if is_growing.is_some() != was_growing => continue,
                Some(_) => 0,
                None if load < 0.8 => 1,
                None if load < 0.9 => 2,
                None => 3,
            };
            times.0[phase].push(time);
        }
        times
    };
    race(keys.len(), threads, || (), work).1
}

/// Measures and prints.
pub(crate) fn measure(keys: &Keys, start: usize, fillings: u32) {
    let items = keys.stored.len();
    let mut table = Table::new([
        "phase",
        "threads",
        "of the inserts, %",
        "ns",
        "of the time, %",
    ]);
    for threads in [1, 2].into_iter().filter(|&threads| threads <= cores()) {
        let mut times = Times::default();
        for _ in 0..fillings {
            times += fill(&keys.stored, start, threads);
        }
        let phases = times.of_an_insert();
        let inserts: usize = phases.iter().map(|(inserts, _)| inserts).sum();
        let time: f64 = phases
            .iter()
            .map(|&(inserts, ns)| inserts as f64 * ns)
            .sum();
        for (name, (number, ns)) in PHASES.into_iter().zip(phases) {
            let of_the_inserts = 100.0 * number as f64 / inserts as f64;
            let of_the_time = 100.0 * number as f64 * ns / time;
            table.row([
                name.to_owned(),
                threads.to_string(),
                format!("{of_the_inserts:.1}"),
                format!("{ns:.0}"),
                format!("{of_the_time:.0}"),
            ]);
        }
    }
    table.print(&format!(
        "{} items, inserted from {}: the time of an insert, by what the table is at",
        items_name(items),
        items_name(start)
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_has_its_share() {
        let keys = Keys::generate(60_000);
        let of_an_insert = fill(&keys.stored, 1_000, 1).of_an_insert();
        let all: usize = of_an_insert.iter().map(|(inserts, _)| inserts).sum();
        let shares = of_an_insert.map(|(inserts, _)| inserts as f64 / all as f64);
        // A level of n words is split in n / 16 calls, and then full after some 4 n inserts.
        assert!((0.005..0.03).contains(&shares[0]), "{shares:?}");
        assert!(shares[1] > 0.4 && shares[3] > 0.05, "{shares:?}");
        assert!(
            of_an_insert.iter().all(|&(_, ns)| ns > 0.0),
            "{of_an_insert:?}"
        );
    }
}
