//! The child: runs each operation of each filter between two breakpoints.

use std::arch::asm;
use std::error::Error;
use std::hint::black_box;

use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{
    CuckooFilter, Filter, GrowingCuckooFilter, RotatingCuckooFilter, filter::Buildable,
};
use nix::sys::ptrace;
use serial_cuckoo::SerialFilter;

/// The filters: `doubling` is a growing filter in the middle of a doubling, `serial` the fixed
/// filter for one thread.
pub(crate) const FILTERS: [&str; 5] = ["fixed", "growing", "rotating", "doubling", "serial"];

/// The operations: `unique` is `insert_unique`, of a new item unless it says `known`.
pub(crate) const OPERATIONS: [&str; 9] = [
    "hit",
    "miss",
    "insert, half full",
    "insert, full",
    "unique, half full",
    "unique, full",
    "unique, known",
    "remove",
    "32 lookups",
];

/// The number of times that an operation is counted. A step takes microseconds, and an insert into
/// a full table takes thousands of steps.
const TIMES: usize = 32;

/// The number of hashes of each kind.
const SAMPLE: usize = 4 * TIMES;

/// The capacity of the filters. A table takes half a mebibyte.
const ITEMS: usize = 250_000;

/// Runs one operation on one filter, while the parent counts.
pub(crate) fn run(filter: &str, operation: &str) -> Result<(), Box<dyn Error>> {
    let fixed = CuckooFilter::builder().capacity(ITEMS).seed(0);
    let growing = GrowingCuckooFilter::builder().capacity(ITEMS).seed(0);
    let rotating = RotatingCuckooFilter::builder().capacity(ITEMS).seed(0);
    match filter {
        "fixed" => on(fixed.build()?, operation, |_, _| {}),
        "growing" => on(growing.build()?, operation, |_, _| {}),
        "rotating" => on(rotating.build()?, operation, |_, _| {}),
        "doubling" => on(growing.build()?, operation, double_half),
        "serial" => {
            let buckets = fixed.build()?.slots() / 4;
            on(SerialFilter::with_buckets(buckets), operation, |_, _| {})
        }
        _ => Err("no such filter".into()),
    }
}

/// A filter whose operations are counted.
trait Counted {
    fn capacity(&self) -> usize;
    fn fill(&mut self, hashes: &[u64]) -> Result<(), Box<dyn Error>>;
    fn contains(&self, hash: u64) -> bool;
    fn insert(&mut self, hash: u64) -> bool;
    fn insert_unique(&mut self, hash: u64) -> bool;
    fn remove(&mut self, hash: u64) -> bool;
    fn look_up(&self, hashes: &[u64; 32], found: &mut [bool; 32]);
}

impl<E: Buildable> Counted for Filter<E> {
    fn capacity(&self) -> usize {
        self.capacity()
    }

    fn fill(&mut self, hashes: &[u64]) -> Result<(), Box<dyn Error>> {
        Ok(self.insert_many_hash(hashes)?)
    }

    fn contains(&self, hash: u64) -> bool {
        self.contains_hash(hash)
    }

    fn insert(&mut self, hash: u64) -> bool {
        self.insert_hash(hash).is_ok()
    }

    fn insert_unique(&mut self, hash: u64) -> bool {
        self.insert_unique_hash(hash) == Ok(true)
    }

    fn remove(&mut self, hash: u64) -> bool {
        self.remove_hash(hash)
    }

    fn look_up(&self, hashes: &[u64; 32], found: &mut [bool; 32]) {
        self.contains_many_hash(hashes, found);
    }
}

impl Counted for SerialFilter {
    fn capacity(&self) -> usize {
        ITEMS
    }

    fn fill(&mut self, hashes: &[u64]) -> Result<(), Box<dyn Error>> {
        let inserted = hashes.iter().all(|&hash| self.insert(hash));
        inserted
            .then_some(())
            .ok_or_else(|| "a refused insert".into())
    }

    fn contains(&self, hash: u64) -> bool {
        self.contains(hash)
    }

    fn insert(&mut self, hash: u64) -> bool {
        self.insert(hash)
    }

    fn insert_unique(&mut self, hash: u64) -> bool {
        self.insert_unique(hash)
    }

    fn remove(&mut self, hash: u64) -> bool {
        self.remove(hash)
    }

    /// Looks up one hash after another: this filter has no batches.
    fn look_up(&self, hashes: &[u64; 32], found: &mut [bool; 32]) {
        for (found, &hash) in found.iter_mut().zip(hashes) {
            *found = self.contains(hash);
        }
    }
}

/// Begins a doubling, and inserts other hashes until half of the buckets are split.
fn double_half(filter: &mut GrowingCuckooFilter, others: &[u64]) {
    filter.begin_to_double();
    let mut others = others.iter();
    while filter.doubled().is_some_and(|done| done < 0.5) {
        assert!(others.next().is_some_and(|&hash| insert(filter, hash)));
    }
}

fn on<F: Counted>(
    mut filter: F,
    operation: &str,
    prepare: fn(&mut F, &[u64]),
) -> Result<(), Box<dyn Error>> {
    let full = filter.capacity() - SAMPLE;
    let stored = match operation {
        "insert, half full" | "unique, half full" => full / 2,
        _ => full,
    };
    let hashes: Vec<u64> = (0..4 * ITEMS as u64).map(model::mix).collect();
    let (stored, fresh) = hashes.split_at(stored);
    filter.fill(stored)?;
    prepare(&mut filter, &fresh[SAMPLE..]);
    // Spread over the table, and of all ages.
    let stored = stored.iter().step_by(stored.len() / SAMPLE);
    let stored: Vec<u64> = stored.copied().take(SAMPLE).collect();
    let fresh = &fresh[..SAMPLE];
    // The first operation of a thread prepares its state, which the others find.
    let last = hashes[hashes.len() - 1];
    black_box(insert_unique(&mut filter, last) && remove(&mut filter, last));
    black_box(insert(&mut filter, last) && remove(&mut filter, last));

    ptrace::traceme()?;
    match operation {
        "hit" => each(&mut filter, &stored, contains),
        "miss" => each(&mut filter, fresh, contains),
        "insert, half full" | "insert, full" => each(&mut filter, fresh, insert),
        "unique, half full" | "unique, full" => each(&mut filter, fresh, insert_unique),
        "unique, known" => each(&mut filter, &stored, insert_unique),
        "remove" => each(&mut filter, &stored, remove),
        "32 lookups" => {
            // Every second one is stored.
            let pairs: Vec<u64> = stored
                .iter()
                .zip(fresh)
                .flat_map(|(&one, &other)| [one, other])
                .collect();
            for hashes in pairs.as_chunks().0 {
                between_breakpoints(|| look_up_many(&filter, hashes, &mut [false; 32]));
            }
        }
        _ => return Err("no such operation".into()),
    }
    Ok(())
}

fn each<F: Counted>(filter: &mut F, hashes: &[u64], call: fn(&mut F, u64) -> bool) {
    for &hash in &hashes[..TIMES] {
        between_breakpoints(|| black_box(call(filter, hash)));
    }
}

#[inline(never)]
fn contains<F: Counted>(filter: &mut F, hash: u64) -> bool {
    filter.contains(hash)
}

#[inline(never)]
fn insert<F: Counted>(filter: &mut F, hash: u64) -> bool {
    filter.insert(hash)
}

#[inline(never)]
fn insert_unique<F: Counted>(filter: &mut F, hash: u64) -> bool {
    filter.insert_unique(hash)
}

#[inline(never)]
fn remove<F: Counted>(filter: &mut F, hash: u64) -> bool {
    filter.remove(hash)
}

#[inline(never)]
fn look_up_many<F: Counted>(filter: &F, hashes: &[u64; 32], found: &mut [bool; 32]) -> bool {
    filter.look_up(hashes, found);
    found[0]
}

/// Runs a call between two breakpoints, where the parent starts and stops to count.
fn between_breakpoints(call: impl FnOnce() -> bool) {
    breakpoint();
    black_box(call());
    breakpoint();
}

#[inline(always)]
#[allow(unsafe_code, reason = "one instruction")]
fn breakpoint() {
    // SAFETY: the parent, which traces this process, continues after the breakpoint.
    unsafe { asm!("int3") }
}
